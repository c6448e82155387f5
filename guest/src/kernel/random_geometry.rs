//! Random geometry keys and jobs for differential tests.

use std::sync::Arc;

use super::geometry::{
    GeometryInputs, GeometryJob, GeometryKey, GeometryOutput, GeometryPrimitive, GeometryRegisters, GeometryState,
};
use super::random_vertex::{self, Mix};
use super::vertex::{PicaProgram, Program, Uniforms, VertexConstants};
use crate::pica::asm;
use crate::pica::isa::SetEmit;

/// The inputs and the initial state of a [`GeometryJob`], owned.
#[derive(Clone, Debug)]
pub struct Job {
    /// Uniforms before the first primitive.
    pub uniforms: Uniforms,
    /// Viewport and clip plane.
    pub constants: VertexConstants,
    /// The primitives.
    pub primitives: Vec<GeometryPrimitive>,
    /// Values of all primitives.
    pub values: Vec<[f32; 4]>,
    /// The unit before the first primitive.
    pub state: GeometryState,
    /// As in [`GeometryJob`].
    pub limit: u32,
    /// As in [`GeometryJob`].
    pub room: u32,
    /// The output before the first primitive.
    pub out: GeometryOutput,
}

/// The output and the state after a job.
#[derive(Clone, Debug)]
pub struct Done {
    /// Vertices and triangles.
    pub out: GeometryOutput,
    /// The unit.
    pub state: GeometryState,
    /// Uniforms.
    pub uniforms: Uniforms,
}

/// A random key and a job for it. `mix.program` has to have geometry instructions; `mix.vertices` bounds the number of
/// primitives. `rng` gives 32 random bits a call.
pub fn case(rng: &mut impl FnMut() -> u32, mix: Mix) -> (GeometryKey, Job) {
    let key = key(rng, mix);
    let job = job(rng, mix, &key);
    (key, job)
}

/// A random key.
pub fn key(rng: &mut impl FnMut() -> u32, mix: Mix) -> GeometryKey {
    // Output map and boolean uniforms are those of vertex programs.
    let vertex = random_vertex::key(rng, mix);
    let Program::Pica(program) = &vertex.program;
    let program = match rng() % 4 {
        0 => program.clone(),
        _ => Arc::new(prepared(rng, program)),
    };
    let inputs = match rng() % 2 {
        0 => GeometryInputs::Uniforms,
        _ => GeometryInputs::Registers((0..1 + rng() % 16).map(|_| rng() as u8 & 15).collect()),
    };
    GeometryKey {
        program: Program::Pica(program),
        inputs,
        outputs: vertex.outputs,
        user_clip: vertex.user_clip,
        keeps_registers: one_in(rng, 8),
    }
}

fn one_in(rng: &mut impl FnMut() -> u32, n: u32) -> bool {
    rng().is_multiple_of(n)
}

/// The program with instructions in front that write everything there is, so that nothing passes from primitive to
/// primitive; one time in four something is left out. They are placed after the program, whose jumps stay as they are.
fn prepared(rng: &mut impl FnMut() -> u32, program: &PicaProgram) -> PicaProgram {
    let mut lines: Vec<String> = Vec::new();
    for register in 0..16 {
        let source = |n: u32| if n.is_multiple_of(2) { format!("v{}", n / 2 % 16) } else { format!("c{}", n / 2 % 96) };
        lines.push(format!("mov r{register}, {} @0", source(rng())));
        lines.push(format!("mov o{register}, {} @0", source(rng())));
    }
    lines.push("setemit 3".into());
    lines.push("emit".into());
    lines.extend((0..16).map(|register| format!("mov o{register}, v{register} @0")));
    lines.push(format!("setemit {}", rng() % 3));
    lines.push("mova a0, c9 @0".into());
    lines.push("cmp c10, gt, lt, v1 @0".into());
    if one_in(rng, 4) {
        lines.remove(rng() as usize % lines.len());
    }
    // One of the two jumps is taken.
    lines.extend([format!("jmpu b0, {}", program.entry), format!("jmpu !b0, {}", program.entry)]);
    // Descriptor 0 of random programs takes everything as it is.
    let front = asm::Program::assemble(&lines.join("\n")).expect("a program").code;
    if program.code.len() + front.len() > 4096 {
        return program.clone();
    }
    let entry = program.code.len() as u16;
    PicaProgram { code: [&program.code[..], &front].concat(), entry, ..program.clone() }
}

/// A random job for a key.
pub fn job(rng: &mut impl FnMut() -> u32, mix: Mix, key: &GeometryKey) -> Job {
    let mut uniforms = Uniforms::default();
    for value in &mut uniforms.floats[..96] {
        *value = vector(rng, mix);
    }
    for value in &mut uniforms.ints {
        let bits = rng();
        *value = [bits as u8 % 6, (bits >> 8) as u8 % 64, (bits >> 16) as u8 % 5, 0];
    }
    let mut values = Vec::new();
    // Equal counts, or counts of their own.
    let (equal, register) = (one_in(rng, 2).then(|| rng() % 20), rng() % 100);
    let primitives = (0..1 + rng() % mix.vertices.max(1) as u32)
        .map(|_| {
            let count = match &key.inputs {
                GeometryInputs::Registers(registers) => registers.len() as u32,
                GeometryInputs::Uniforms => equal.unwrap_or_else(|| rng() % 24),
            };
            let first = values.len() as u32;
            values.extend((0..count).map(|_| vector(rng, mix)));
            GeometryPrimitive { first, count, register: if equal.is_some() { register } else { rng() % 100 } }
        })
        .collect();
    let (state, out) = match key.keeps_registers {
        true => begun(rng, mix, key),
        false => Default::default(),
    };
    Job {
        uniforms,
        constants: VertexConstants { half: [120.0, 100.0], corner: [8.0, 0.0], clip_plane: vector(rng, mix) },
        primitives,
        values,
        state,
        limit: if one_in(rng, 8) { rng() % 8 } else { 1000 },
        room: if one_in(rng, 8) { rng() % 64 } else { 1 << 20 },
        out,
    }
}

/// A unit that has run before, and the vertices in its slots.
fn begun(rng: &mut impl FnMut() -> u32, mix: Mix, key: &GeometryKey) -> (GeometryState, GeometryOutput) {
    let kept = rng() % 4;
    let stride = key.outputs.stride();
    let out = GeometryOutput {
        records: (0..kept as usize * stride).map(|i| i as f32).collect(),
        clip: (0..kept as u8).collect(),
        ..GeometryOutput::default()
    };
    let state = GeometryState {
        registers: GeometryRegisters {
            temporaries: std::array::from_fn(|_| vector(rng, mix)),
            outputs: std::array::from_fn(|_| std::array::from_fn(|_| vector(rng, mix))),
            address: [rng() as i32 % 200, rng() as i32 % 200],
            loop_counter: (rng() % 300) as i32,
            flags: [rng() & 1 != 0, rng() & 1 != 0],
        },
        emit: SetEmit { vertex: rng() as u8 & 3, primitive: rng() & 1 != 0, winding: rng() & 1 != 0 },
        slots: std::array::from_fn(|_| (0..kept).nth(rng() as usize % 4)),
    };
    (state, out)
}

fn vector(rng: &mut impl FnMut() -> u32, mix: Mix) -> [f32; 4] {
    std::array::from_fn(|_| random_vertex::number(rng, mix))
}

impl Job {
    /// Calls `run` with the job.
    pub fn run<R>(&self, run: impl FnOnce(&mut GeometryJob<'_>) -> R) -> (Done, R) {
        let Job { uniforms, state, out, .. } = self.clone();
        let mut done = Done { out, state, uniforms };
        let result = run(&mut GeometryJob {
            uniforms: &mut done.uniforms,
            constants: self.constants,
            primitives: &self.primitives,
            values: &self.values,
            state: &mut done.state,
            limit: self.limit,
            room: self.room,
            exhausted: 0,
            out: &mut done.out,
        });
        (done, result)
    }
}
