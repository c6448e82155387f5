//! Geometry kernels: one primitive after the other through one unit.

use triglyph_guest::kernel::GeometryKernel;
use triglyph_guest::kernel::geometry::{GeometryInputs, GeometryJob, GeometryKey, GeometryOutput, GeometryPrimitive};
use triglyph_guest::kernel::trace::{Item, Tracing};
use triglyph_guest::kernel::vertex::{Program, Uniforms, VertexConstants};

use crate::pica_shader::{Code, Constants, Emitted, Ending, Machine, Registers, Unit, Vector};
use crate::trace::Recorder;
use crate::vertex::{self, Outputs};

/// Float uniforms that exist.
const UNIFORMS: usize = 96;
/// The boolean uniform that is true once a program has run.
const RAN: u16 = 1 << 15;

/// A geometry kernel: its key with the program decoded.
#[derive(Clone, Debug)]
pub struct Kernel {
    code: Code,
    inputs: GeometryInputs,
    outputs: Outputs,
}

impl Kernel {
    /// The kernel of `key`.
    pub fn new(key: &GeometryKey) -> Self {
        let Program::Pica(program) = &key.program;
        Kernel {
            code: Code::new(program, Unit::Geometry),
            inputs: key.inputs.clone(),
            outputs: Outputs::new(&key.outputs, key.user_clip),
        }
    }

    /// Hands a primitive's values to the unit.
    fn load(&self, primitive: &GeometryPrimitive, values: &[Vector], machine: &mut Machine, uniforms: &mut Uniforms) {
        let values = values.iter().skip(primitive.first as usize).take(primitive.count as usize);
        let values = values.map(|&value| vertex::load(value, self.code.numbers));
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
}

/// Where EMIT puts vertices.
struct Emitter<'a> {
    outputs: &'a Outputs,
    constants: VertexConstants,
    slots: &'a mut [Option<u32>; 4],
    out: &'a mut GeometryOutput,
    /// EMITs that still count.
    left: u32,
    room: u32,
}

impl Emitter<'_> {
    fn emit(&mut self, emitted: Emitted<'_>) {
        if self.left == 0 || self.out.clip.len() >= self.room as usize {
            return;
        }
        self.left -= 1;
        let setting = emitted.setting;
        self.slots[usize::from(setting.vertex & 3)] = Some(self.vertex(emitted.outputs));
        if !setting.primitive {
            return;
        }
        if setting.winding {
            self.out.turned.push(self.out.triangles.len() as u32);
        }
        let triangle = [0, 1, 2].map(|slot| self.stored(slot));
        self.out.triangles.push(triangle);
    }

    /// The vertex in a slot, one of zeros if nothing was stored there.
    fn stored(&mut self, slot: usize) -> u32 {
        let vertex = self.slots[slot].unwrap_or_else(|| self.vertex(&[[0.0; 4]; 16]));
        self.slots[slot] = Some(vertex);
        vertex
    }

    /// Appends a vertex and gives its number.
    fn vertex(&mut self, outputs: &Registers) -> u32 {
        let number = self.out.clip.len() as u32;
        let start = self.out.records.len();
        self.out.records.resize(start + self.outputs.stride(), 0.0);
        let code = self.outputs.record(outputs, &self.constants, &mut self.out.records[start..]);
        self.out.clip.push(code);
        number
    }
}

crate::trace::traced_batches!(GeometryKernel(GeometryJob): run run_traced = primitives);

impl Kernel {
    fn primitives(&self, job: &mut GeometryJob<'_>, first: usize, tracing: Option<Tracing<'_>>) -> usize {
        let mut machine = Machine::new(Unit::Geometry);
        machine.set_registers(&job.state.registers);
        machine.setting = job.state.emit;
        for (number, primitive) in job.primitives.iter().enumerate().skip(first) {
            if job.is_over() {
                break;
            }
            self.load(primitive, job.values, &mut machine, job.uniforms);
            let bools = if number > 0 { self.code.bools | RAN } else { self.code.bools };
            let mut emitter = Emitter {
                outputs: &self.outputs,
                constants: job.constants,
                slots: &mut job.state.slots,
                out: job.out,
                left: job.limit,
                room: job.room,
            };
            let constants = Constants { uniforms: &vertex::loaded(job.uniforms, self.code.numbers), bools };
            let (program, entry) = (&self.code.program, self.code.entry);
            let emit = &mut |emitted: Emitted<'_>| emitter.emit(emitted);
            let ending = match tracing.filter(|tracing| tracing.wants_primitive(number as u32)) {
                None => machine.run(program, &constants, entry, emit),
                Some(tracing) => {
                    let mut recorder = Recorder::new(&tracing, Item::Primitive(number as u32, 0), 0, &machine);
                    let ending = machine.run_watched(program, &constants, entry, emit, &mut recorder);
                    tracing.add(recorder.finish());
                    ending
                }
            };
            job.exhausted += u32::from(ending == Ending::OutOfFuel);
        }
        job.state.registers = machine.registers();
        job.state.emit = machine.setting;
        job.primitives.len()
    }
}
