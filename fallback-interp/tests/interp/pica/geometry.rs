//! Geometry kernels: state from primitive to primitive, emitted vertices, limits.

use std::sync::Arc;

use triglyph_guest::kernel::geometry::{
    GeometryInputs, GeometryJob, GeometryKey, GeometryOutput, GeometryPrimitive, GeometryState,
};
use triglyph_guest::kernel::vertex::{
    EXHAUSTED_LIMIT, OutputComponent, OutputMap, PicaProgram, Program, SCREEN, Uniforms, VertexConstants,
};
use triglyph_guest::kernel::{GeometryKernel, Tier};
use triglyph_guest::pica::asm;
use triglyph_interp::Interpreter;

/// o0 is the position and the only output.
const STRIDE: usize = SCREEN + 4;

fn key(text: &str, inputs: GeometryInputs) -> GeometryKey {
    let program = asm::Program::assemble(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    let slots = (0..4).map(|component| Some(OutputComponent { register: 0, component, saturate: false }));
    GeometryKey {
        program: Program::Pica(Arc::new(PicaProgram {
            code: program.code,
            descriptors: program.descriptors,
            ..Default::default()
        })),
        inputs,
        outputs: OutputMap { slots: slots.collect() },
        user_clip: false,
        keeps_registers: true,
    }
}

/// A run in the making: primitives of one value each.
struct Run {
    kernel: Arc<dyn GeometryKernel>,
    uniforms: Uniforms,
    state: GeometryState,
    limit: u32,
    room: u32,
    out: GeometryOutput,
}

impl Run {
    fn new(text: &str, inputs: GeometryInputs) -> Run {
        let kernel = Interpreter.geometry(&key(text, inputs)).expect("the reference supports everything");
        let (uniforms, state, out) = Default::default();
        Run { kernel, uniforms, state, limit: u32::MAX, room: u32::MAX, out }
    }

    /// Runs a primitive for each value; returns how many of them were abandoned.
    fn values(&mut self, values: &[f32], first: usize) -> u32 {
        let all: Vec<[f32; 4]> = values.iter().map(|&value| [value; 4]).collect();
        let primitives: Vec<_> =
            (0..values.len() as u32).map(|first| GeometryPrimitive { first, count: 1, register: 5 + first }).collect();
        let mut job = GeometryJob {
            uniforms: &mut self.uniforms,
            constants: VertexConstants::default(),
            primitives: &primitives,
            values: &all,
            state: &mut self.state,
            limit: self.limit,
            room: self.room,
            exhausted: 0,
            out: &mut self.out,
        };
        assert_eq!(self.kernel.run(&mut job, first), values.len());
        job.exhausted
    }

    /// o0.x of the vertices of each triangle.
    fn triangles(&self) -> Vec<[f32; 3]> {
        let x = |vertex: u32| self.out.records[vertex as usize * STRIDE + SCREEN];
        self.out.triangles.iter().map(|triangle| triangle.map(x)).collect()
    }
}

fn registers() -> GeometryInputs {
    GeometryInputs::Registers(vec![0])
}

#[test]
fn vertices_stay_in_their_slots_from_primitive_to_primitive() {
    // Each primitive replaces vertex 2 alone; the first one finds nothing in the others.
    let mut run = Run::new("mov o0, v0\nsetemit 2, prim\nemit\nend", registers());
    run.values(&[3.0, 4.0], 0);
    assert_eq!(run.triangles(), [[0.0, 0.0, 3.0], [0.0, 0.0, 4.0]]);
    assert_eq!(run.out.clip.len(), 4);
    assert_eq!(run.state.slots, [Some(1), Some(2), Some(3), None]);
    // The position of a vertex of zeros is 0 / 0 and lies outside.
    assert!(run.out.records[STRIDE].is_nan() && run.out.clip[1] & 0x40 != 0);
}

#[test]
fn registers_stay_from_primitive_to_primitive() {
    // r1 sums up, aL is what the loop left, the address moves on, cmp.x remembers.
    let text = "add r1, r1, v0\nmov r2, c2[a0.x]\nmov r2.y, c2[aL]\nifc cmp.x, there..there\nadd r2.x, r2.x, r2.x\nnop\nthere:\n\
                mov o0, r1\nmov o0.x, r2\nsetemit 0\nemit\nmov o0, r2.y\nsetemit 1\nemit\nmov o0, r1\nsetemit 2, prim\nemit\n\
                loop i0, last\nlast:\nnop\nmova a0.x, v0\ncmp v0, eq, eq, v0\nend";
    let mut run = Run::new(text, registers());
    for n in 0..96 {
        run.uniforms.floats[n] = [n as f32; 4];
    }
    run.uniforms.ints[0] = [0, 10, 3, 0];
    run.values(&[1.0, 2.0, 3.0], 0);
    assert_eq!(run.triangles(), [[2.0, 2.0, 1.0], [6.0, 15.0, 3.0], [8.0, 15.0, 6.0]]);
    assert_eq!((run.state.registers.loop_counter, run.state.registers.address[0]), (13, 3));
    assert_eq!((run.state.registers.temporaries[1], run.state.registers.flags), ([6.0; 4], [true; 2]));
    // Three EMITs for each primitive: the banks have changed places.
    assert_eq!(run.state.registers.outputs[1][0], [6.0; 4]);
    // The job may be cut anywhere.
    let mut parts = Run::new(text, registers());
    (parts.uniforms, parts.limit) = (run.uniforms.clone(), 3);
    let values = [1.0, 2.0, 3.0];
    for first in 0..3 {
        assert_eq!(parts.values(&values[..=first], first), 0);
    }
    assert_eq!((parts.out, parts.state), (run.out, run.state));
}

#[test]
fn values_stay_in_uniforms_and_end_at_c95() {
    // Value i goes to c(5 + i).
    let text = "mov o0, c5\nsetemit 0\nemit\nmov o0, c6\nsetemit 1\nemit\nmov o0, c7\nsetemit 2, prim\nemit\nend";
    let mut run = Run::new(text, GeometryInputs::Uniforms);
    run.values(&[1.0, 2.0, 3.0], 0);
    assert_eq!(run.triangles(), [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [1.0, 2.0, 3.0]]);
    assert_eq!(run.uniforms.floats[5..8], [[1.0; 4], [2.0; 4], [3.0; 4]]);
    let mut run = Run::new("end", GeometryInputs::Uniforms);
    run.values(&[7.0; 100], 0);
    assert_eq!((run.uniforms.floats[95], run.uniforms.floats[96]), ([7.0; 4], [1.0; 4]));
}

#[test]
fn no_primitive_begins_without_room() {
    // The second one fills the output; the third and those after it leave nothing anywhere.
    let mut run = Run::new("mov r3, v0\nmov o0, v0\nsetemit 0\nemit\nend", registers());
    run.room = 2;
    assert_eq!(run.values(&[1.0, 10.0, 100.0, 1000.0], 0), 0);
    assert_eq!((run.out.clip.len(), run.state.registers.temporaries[3]), (2, [10.0; 4]));
}

#[test]
fn emits_beyond_the_limit_exchange_banks_only() {
    // Both banks keep what they got: values 1 and 2 in turn.
    let text = "mov o0, v0\nsetemit 0\nemit\nadd o0, v0, v0\nsetemit 1\nemit\nsetemit 2, prim, inv\nemit\nend";
    for (limit, room, vertices) in [(3, 100, 6), (2, 100, 4), (3, 4, 4), (0, 100, 0)] {
        let mut run = Run::new(text, registers());
        (run.limit, run.room) = (limit, room);
        run.values(&[1.0, 10.0], 0);
        assert_eq!(run.out.clip.len(), vertices, "{limit} {room}");
        let want = [[1.0, 2.0, 1.0], [10.0, 20.0, 10.0]];
        let triangles = vertices / 3 * usize::from(limit > 2);
        assert_eq!(run.triangles(), want[..triangles]);
        assert_eq!(run.out.turned, [0, 1][..triangles]);
        // v0 + v0 was written to the bank that is now the other one, whatever counted.
        assert_eq!(run.state.registers.outputs.map(|bank| bank[0][0]), [20.0, 10.0]);
    }
}

#[test]
fn programs_without_end_are_run_a_few_times() {
    let mut run = Run::new("here:\nmov o0, v0\nsetemit 0\nemit\njmpu !b0, here\nend", registers());
    run.limit = 2;
    assert_eq!(run.values(&[1.0; 10], 0), EXHAUSTED_LIMIT);
    assert_eq!(run.out.clip.len(), 2 * EXHAUSTED_LIMIT as usize);
}
