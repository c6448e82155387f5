//! Vertex kernels: fetch, output map, screen position and clip codes.

use std::sync::Arc;

use triglyph_guest::kernel::vertex::{
    Component, Input, OutputComponent, OutputMap, PicaProgram, Program, SCREEN, Stream, Uniforms, VertexConstants,
    VertexJob, VertexKey,
};
use triglyph_guest::kernel::{Tier, Window, window};
use triglyph_guest::pica::asm;
use triglyph_interp::Interpreter;

/// Slots that take output register 0, 1, ... whole.
fn whole_registers(count: u8) -> Vec<Option<OutputComponent>> {
    (0..4 * count)
        .map(|slot| Some(OutputComponent { register: slot / 4, component: slot % 4, saturate: false }))
        .collect()
}

fn key(text: &str, slots: Vec<Option<OutputComponent>>) -> VertexKey {
    let program = asm::Program::assemble(text).expect("a program");
    let program = PicaProgram { code: program.code, descriptors: program.descriptors, ..Default::default() };
    VertexKey {
        program: Program::Pica(Arc::new(program)),
        inputs: [Input::Zero; 16],
        outputs: OutputMap { slots },
        user_clip: false,
    }
}

/// What a batch reads.
struct Batch<'a> {
    streams: [Stream<'a>; 16],
    fixed: [[f32; 4]; 16],
    constants: VertexConstants,
}

impl Default for Batch<'_> {
    fn default() -> Self {
        let constants = VertexConstants { half: [120.0, 200.0], corner: [0.0, 0.0], clip_plane: [0.0, 0.0, 0.0, 0.0] };
        Batch { streams: [Stream::default(); 16], fixed: [[0.0; 4]; 16], constants }
    }
}

impl Batch<'_> {
    /// Records and clip codes; what a kernel does not write stays 77.
    fn shade(&self, key: &VertexKey, vertices: &[u32], first: usize) -> (Vec<Vec<f32>>, Vec<u8>) {
        let stride = key.outputs.stride();
        let (mut records, mut clip) = (vec![77.0; stride * vertices.len()], vec![77; vertices.len()]);
        let mut job = VertexJob {
            exhausted: 0,
            streams: &self.streams,
            fixed: &self.fixed,
            uniforms: &Uniforms::default(),
            constants: self.constants,
            vertices,
            last_vertex: vertices.iter().copied().max().unwrap_or(0),
            records: &mut records,
            clip: &mut clip,
        };
        let done = Interpreter.vertex(key).expect("a kernel").shade(&mut job, first);
        assert_eq!(done, vertices.len());
        (records.chunks(stride).map(<[f32]>::to_vec).collect(), clip)
    }

    /// The clip code and the screen position of a clip-space position.
    fn place(&self, position: [f32; 4], user_clip: bool) -> (u8, Vec<f32>) {
        let mut key = key("mov o0, v0\nend", whole_registers(1));
        key.inputs[0] = Input::Fixed(3);
        key.user_clip = user_clip;
        let mut batch = Batch { constants: self.constants, ..Batch::default() };
        batch.fixed[3] = position;
        let (records, clip) = batch.shade(&key, &[0], 0);
        (clip[0], records[0][..SCREEN].to_vec())
    }
}

#[test]
fn attributes_of_every_type() {
    let memory = window::buffer(&[0xFF, 0x80, 0xFE, 0xFF, 0x00, 0x00, 0xC0, 0x3F, 0x01]);
    let window = Window::new(&memory);
    let mut key = key("mov o0, v0\nend", whole_registers(1));
    for (component, count, vertex, want) in [
        (Component::I8, 2, 0, [-1.0, -128.0, 0.0, 1.0]),
        (Component::U8, 4, 0, [255.0, 128.0, 254.0, 255.0]),
        (Component::I16, 1, 1, [-2.0, 0.0, 0.0, 1.0]),
        (Component::F32, 1, 2, [1.5, 0.0, 0.0, 1.0]),
        // The second component lies beyond the window.
        (Component::I8, 2, 4, [1.0, 0.0, 0.0, 1.0]),
        (Component::F32, 3, 1000, [0.0, 0.0, 0.0, 1.0]),
    ] {
        key.inputs[0] = Input::Array { stream: 5, component, count };
        let mut batch = Batch::default();
        batch.streams[5] = Stream { window, stride: 2 };
        let (records, _) = batch.shade(&key, &[vertex], 0);
        assert_eq!(records[0][SCREEN..], want, "{component:?} {count}");
    }
}

#[test]
fn unmapped_slots_are_one_and_unmapped_groups_are_left_alone() {
    let color = |register, component| Some(OutputComponent { register, component, saturate: true });
    let mut slots = vec![None; 16];
    slots[8..12].copy_from_slice(&[color(0, 0), color(0, 1), None, color(0, 3)]);
    slots[13] = color(1, 0);
    let mut key = key("mov o0, v0\nmov o1, v1\nend", slots);
    (key.inputs[0], key.inputs[1]) = (Input::Fixed(0), Input::Fixed(1));
    let mut batch = Batch::default();
    batch.fixed[0] = [-0.25, -3.0, 0.5, f32::NAN];
    let (records, _) = batch.shade(&key, &[0], 0);
    assert_eq!(records[0][SCREEN..SCREEN + 4], [1.0; 4]);
    assert_eq!(records[0][SCREEN + 4..SCREEN + 8], [77.0; 4]);
    assert_eq!(records[0][SCREEN + 8..], [0.25, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0]);
}

#[test]
fn state_does_not_pass_from_vertex_to_vertex() {
    let text = "mov o0, r0\nmov o1, r1\nmov r0, v0\nmov r1, v0\nend";
    let mut key = key(text, whole_registers(2));
    key.inputs[0] = Input::Fixed(0);
    let mut batch = Batch::default();
    batch.fixed[0] = [3.0; 4];
    let (records, _) = batch.shade(&key, &[0, 1, 2], 1);
    assert_eq!(records[0], [77.0; 12]);
    assert_eq!(records[2][SCREEN..], [0.0; 8]);
}

#[test]
fn screen_positions() {
    let batch = Batch {
        constants: VertexConstants { half: [120.0, 200.0], corner: [8.0, -16.0], clip_plane: [0.0; 4] },
        ..Batch::default()
    };
    let (clip, screen) = batch.place([1.0, -2.0, -1.0, 4.0], false);
    assert_eq!(clip, 0);
    assert_eq!(screen, [1.25 * 120.0 + 8.0, 0.5 * 200.0 - 16.0, -0.25, 0.25]);
}

#[test]
fn clip_codes() {
    let batch = Batch {
        constants: VertexConstants { half: [1.0; 2], corner: [0.0; 2], clip_plane: [1.0, 0.0, 0.0, 0.5] },
        ..Batch::default()
    };
    for (position, user_clip, want) in [
        ([0.0, 0.0, -0.5, 1.0], true, 0),
        ([2.0, 0.0, -0.5, 1.0], false, 1),
        ([-2.0, 0.0, -0.5, 1.0], false, 2),
        ([-2.0, 0.0, -0.5, 1.0], true, 2 | 128),
        ([0.0, 2.0, -0.5, 1.0], false, 4),
        ([0.0, -2.0, -0.5, 1.0], false, 8),
        ([0.0, 0.0, 0.5, 1.0], false, 16),
        // On a plane or slightly beyond it is inside.
        ([0.0, 0.0, 1e-9, 1.0], false, 0),
        ([0.0, 0.0, -2.0, 1.0], false, 32),
        ([0.0, 0.0, 0.0, 0.0], false, 64),
        ([f32::NAN, 0.0, -0.5, 1.0], true, 1 | 2 | 128),
    ] {
        assert_eq!(batch.place(position, user_clip).0, want, "{position:?}");
    }
}

#[test]
fn runaway_programs_leave_their_outputs() {
    let mut key = key("mov o0, v0\njmpu !b0, 0", whole_registers(1));
    key.inputs[0] = Input::Fixed(0);
    let mut batch = Batch::default();
    batch.fixed[0] = [5.0; 4];
    assert_eq!(batch.shade(&key, &[0], 0).0[0][SCREEN..], [5.0; 4]);
}

/// Zero words are instructions, too: `add o0, v0, v0` under descriptor 0.
#[test]
fn words_behind_the_program_are_zero() {
    let mut key = key("nop", whole_registers(1));
    let Program::Pica(program) = &key.program;
    let program = PicaProgram { descriptors: vec![0x0006_C36F], ..PicaProgram::clone(program) };
    key.program = Program::Pica(Arc::new(program));
    key.inputs[0] = Input::Fixed(0);
    let mut batch = Batch::default();
    batch.fixed[0] = [5.0; 4];
    assert_eq!(batch.shade(&key, &[0], 0).0[0][SCREEN..], [10.0; 4]);
}
