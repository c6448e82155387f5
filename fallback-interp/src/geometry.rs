//! Geometry kernels: one primitive after the other through one unit.

use triglyph_guest::kernel::geometry::{GeometryInputs, GeometryJob, GeometryKey, GeometryOutput, GeometryPrimitive};
use triglyph_guest::kernel::vertex::{Numbers, Program, Uniforms};
use triglyph_guest::kernel::{GeometryKernel, Refused};

use crate::pica_shader::{self, Constants, Machine, Triangle, Unit, Vector};
use crate::vertex::{self, Outputs};

/// Float uniforms that exist.
const UNIFORMS: usize = 96;

/// A geometry kernel: its key with the program decoded.
#[derive(Clone, Debug)]
pub struct Kernel {
    program: pica_shader::Program,
    entry: u16,
    bools: u16,
    numbers: Numbers,
    inputs: GeometryInputs,
    outputs: Outputs,
}

impl Kernel {
    /// The kernel of `key`.
    pub fn new(key: &GeometryKey) -> Self {
        let Program::Pica(program) = &key.program;
        Kernel {
            program: pica_shader::Program::decode(&program.code, &program.descriptors, Unit::Geometry, program.numbers),
            entry: program.entry,
            bools: program.bools,
            numbers: program.numbers,
            inputs: key.inputs.clone(),
            outputs: Outputs::new(&key.outputs, key.user_clip),
        }
    }

    /// Hands a primitive's values to the unit.
    fn load(&self, primitive: &GeometryPrimitive, values: &[Vector], machine: &mut Machine, uniforms: &mut Uniforms) {
        let values = values.iter().skip(primitive.first as usize).take(primitive.count as usize);
        let values = values.map(|&value| vertex::load(value, self.numbers));
        match &self.inputs {
            GeometryInputs::Registers(registers) => {
                machine.inputs = [[0.0; 4]; 16];
                for (value, register) in values.zip(registers) {
                    machine.inputs[usize::from(register & 15)] = value;
                }
            }
            GeometryInputs::Uniforms => {
                let places = uniforms.floats[..UNIFORMS].iter_mut().skip(primitive.register as usize);
                places.zip(values).for_each(|(place, value)| *place = value);
            }
        }
    }

    /// Appends an emitted triangle.
    fn emit(
        &self,
        triangle: &Triangle<'_>,
        job: &triglyph_guest::kernel::vertex::VertexConstants,
        out: &mut GeometryOutput,
    ) {
        if triangle.inverted {
            out.turned.push(out.clip.len() as u32 / 3);
        }
        for vertex in triangle.vertices {
            let start = out.records.len();
            out.records.resize(start + self.outputs.stride(), 0.0);
            out.clip.push(self.outputs.record(vertex, job, &mut out.records[start..]));
        }
    }
}

impl GeometryKernel for Kernel {
    fn run(&self, job: &mut GeometryJob<'_>) -> Result<(), Refused> {
        let mut machine = Machine::new(Unit::Geometry);
        let mut uniforms = vertex::loaded(job.uniforms, self.numbers).into_owned();
        let mut bools = self.bools;
        for primitive in job.primitives {
            self.load(primitive, job.values, &mut machine, &mut uniforms);
            let constants = Constants { uniforms: &uniforms, bools };
            let (mut count, limit) = (0, job.limit);
            let (view, out) = (&job.constants, &mut *job.out);
            machine.run(&self.program, &constants, self.entry, &mut |triangle| {
                if count < limit {
                    self.emit(&triangle, view, out);
                }
                count += 1;
            });
            // A program can so tell its first run from the others.
            bools |= 1 << 15;
        }
        Ok(())
    }
}
