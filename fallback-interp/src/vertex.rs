//! Vertex kernels: fetch, program, output map, clip code and screen position of one vertex after the other.

use std::borrow::Cow;

use triglyph_guest::kernel::VertexKernel;
use triglyph_guest::kernel::trace::{Item, Tracing, WordForm};
use triglyph_guest::kernel::vertex::{
    Component, EXHAUSTED_LIMIT, Input, Numbers, OutputComponent, OutputMap, Program, SCREEN, Stream, Uniforms,
    VertexConstants, VertexJob, VertexKey,
};
use triglyph_guest::num::f24;

use crate::pica_shader::{Code, Constants, Ending, Machine, Registers, Unit, Vector};
use crate::trace::{Recorder, bits};

/// A vertex kernel: its key with the program decoded.
#[derive(Clone, Debug)]
pub struct Kernel {
    code: Code,
    inputs: [Input; 16],
    outputs: Outputs,
}

impl Kernel {
    /// The kernel of `key`.
    pub fn new(key: &VertexKey) -> Self {
        let Program::Pica(program) = &key.program;
        Kernel {
            code: Code::new(program, Unit::Vertex),
            inputs: key.inputs,
            outputs: Outputs::new(&key.outputs, key.user_clip),
        }
    }
}

/// From output registers to vertex records.
#[derive(Clone, Debug)]
pub(crate) struct Outputs {
    map: OutputMap,
    user_clip: bool,
}

impl Outputs {
    /// Records of `map`, with clip code bit 7 if `user_clip`.
    pub(crate) fn new(map: &OutputMap, user_clip: bool) -> Self {
        Outputs { map: map.clone(), user_clip }
    }

    /// Floats of a record.
    pub(crate) fn stride(&self) -> usize {
        self.map.stride()
    }

    /// Fills a vertex record from the output registers, and gives its clip code.
    pub(crate) fn record(&self, outputs: &Registers, constants: &VertexConstants, record: &mut [f32]) -> u8 {
        for (group, slots) in self.map.slots.chunks(4).enumerate() {
            if self.map.group_written(group) {
                for (value, slot) in record[SCREEN + 4 * group..].iter_mut().zip(slots) {
                    *value = slot.map_or(1.0, |component| output(outputs, component));
                }
            }
        }
        place(record, constants, self.user_clip)
    }
}

crate::trace::traced_batches!(VertexKernel(VertexJob): shade shade_traced = run);

impl Kernel {
    fn run(&self, job: &mut VertexJob<'_>, first: usize, tracing: Option<Tracing<'_>>) -> usize {
        let start = job.vertices.first().copied();
        let uniforms = loaded(job.uniforms, self.code.numbers);
        let constants = Constants { uniforms: &uniforms, bools: self.code.bools };
        let mut machine = Machine::new(Unit::Vertex);
        let records = job.records.chunks_exact_mut(self.outputs.stride());
        for ((&vertex, record), clip) in job.vertices.iter().zip(records).zip(job.clip.iter_mut()).skip(first) {
            if job.exhausted >= EXHAUSTED_LIMIT {
                record.fill(0.0);
                *clip = 0xFF;
                continue;
            }
            machine.reset();
            machine.inputs =
                self.inputs.map(|input| load(fetch(input, job.streams, job.fixed, vertex), self.code.numbers));
            let (program, entry) = (&self.code.program, self.code.entry);
            let wanted = tracing.filter(|tracing| tracing.wants_vertex(vertex, start == Some(vertex)));
            let ending = match wanted {
                None => machine.run(program, &constants, entry, &mut |_| {}),
                Some(tracing) => {
                    let mut recorder = Recorder::new(&tracing, Item::Vertex(vertex), 0, &machine);
                    let ending = machine.run_watched(program, &constants, entry, &mut |_| {}, &mut recorder);
                    *clip = self.outputs.record(machine.outputs(), &job.constants, record);
                    recorder.result("screen", WordForm::Float, &bits(&record[..SCREEN]));
                    recorder.result("position", WordForm::Float, &bits(&record[SCREEN..SCREEN + 4]));
                    tracing.add(recorder.finish());
                    ending
                }
            };
            job.exhausted += u32::from(ending == Ending::OutOfFuel);
            *clip = self.outputs.record(machine.outputs(), &job.constants, record);
        }
        job.vertices.len()
    }
}

/// The value of a register in this number format, for a value from outside.
pub(crate) fn load(value: Vector, numbers: Numbers) -> Vector {
    match numbers {
        Numbers::F32 => value,
        Numbers::F24 => value.map(f24::load),
    }
}

/// Uniforms as registers of these numbers hold them.
pub(crate) fn loaded(uniforms: &Uniforms, numbers: Numbers) -> Cow<'_, Uniforms> {
    match numbers {
        Numbers::F32 => Cow::Borrowed(uniforms),
        Numbers::F24 => Cow::Owned(Uniforms { floats: uniforms.floats.map(|value| load(value, numbers)), ..*uniforms }),
    }
}

/// The value of an input register for array element `vertex`.
pub fn fetch(input: Input, streams: &[Stream<'_>; 16], fixed: &[Vector; 16], vertex: u32) -> Vector {
    match input {
        Input::Zero => [0.0; 4],
        Input::Fixed(number) => fixed[usize::from(number & 15)],
        Input::Array { stream, component, count } => {
            let stream = &streams[usize::from(stream & 15)];
            let mut value = [0.0, 0.0, 0.0, 1.0];
            let mut offset = vertex as usize * stream.stride as usize;
            for value in value.iter_mut().take(usize::from(count)) {
                let read = stream.window;
                *value = match component {
                    Component::I8 => f32::from(i8::from_le_bytes(read.read(offset))),
                    Component::U8 => f32::from(u8::from_le_bytes(read.read(offset))),
                    Component::I16 => f32::from(i16::from_le_bytes(read.read(offset))),
                    Component::F32 => f32::from_le_bytes(read.read(offset)),
                };
                offset += component.bytes() as usize;
            }
            value
        }
    }
}

/// A component of an output register.
fn output(outputs: &Registers, of: OutputComponent) -> f32 {
    let value = outputs[usize::from(of.register & 15)][usize::from(of.component & 3)];
    match of.saturate {
        false => value,
        true if value.abs() < 1.0 => value.abs(),
        true => 1.0,
    }
}

/// Writes the screen position of a record whose slots are filled, and gives its clip code.
fn place(record: &mut [f32], constants: &VertexConstants, user_clip: bool) -> u8 {
    let [x, y, z, w] = [0, 1, 2, 3].map(|component| record[SCREEN + component]);
    let inverse = 1.0 / w;
    record[0] = (x * inverse + 1.0) * constants.half[0] + constants.corner[0];
    record[1] = (y * inverse + 1.0) * constants.half[1] + constants.corner[1];
    record[2] = z * inverse;
    record[3] = inverse;

    let [cx, cy, cz, cw] = constants.clip_plane;
    let user = if user_clip { ((cx * x + cy * y) + cz * z) + cw * w } else { 0.0 };
    let planes = [w - x, w + x, w - y, w + y, -z, w + z, w - 1e-5, user];
    // Slightly outside still counts as inside: titles put layers exactly on a plane. NaN is outside.
    planes.iter().enumerate().fold(0, |code, (bit, &distance)| {
        let inside = distance >= -1e-8;
        code | u8::from(!inside) << bit
    })
}
