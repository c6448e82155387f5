//! Geometry kernels against the reference, and where compiled code bails out.

use std::sync::Arc;

use triglyph_guest::kernel::geometry::{GeometryInputs, GeometryJob, GeometryKey, GeometryPrimitive};
use triglyph_guest::kernel::random_geometry::{Done, Job, case, job};
use triglyph_guest::kernel::random_vertex::Mix;
use triglyph_guest::kernel::vertex::{
    EXHAUSTED_LIMIT, GROUP, Numbers, OutputComponent, OutputMap, PicaProgram, Program, SCREEN,
};
use triglyph_guest::kernel::{GeometryKernel, Tier};
use triglyph_guest::pica::random::Options;
use triglyph_guest::pica::{asm, disassemble_program};
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};
use triglyph_testkit::number::same;
use triglyph_testkit::random::Random;

/// Runs a job with compiled code, and with the reference where that bails out, as the engine does. Returns what the
/// reference did.
fn both(job: &mut GeometryJob<'_>, kernel: &dyn GeometryKernel, reference: &dyn GeometryKernel) -> Vec<usize> {
    let total = job.primitives.len();
    let (mut done, mut left) = (kernel.run(job, 0), Vec::new());
    while done < total {
        let end = if job.exhausted >= EXHAUSTED_LIMIT { total } else { (done + GROUP).min(total) };
        let mut part = job.until(end);
        reference.run(&mut part, done);
        job.exhausted = part.exhausted;
        left.extend(done..end);
        done = if end < total { kernel.run(job, end) } else { end };
    }
    left
}

/// No vertex left to the reference.
const NOTHING: [usize; 0] = [];

fn listing(key: &GeometryKey) -> String {
    let Program::Pica(program) = &key.program;
    let text = disassemble_program(&program.code, &program.descriptors);
    format!("{text}\nentry {}, bools {:#x}, {:?}\n{:?}", program.entry, program.bools, key.inputs, key.outputs.slots)
}

fn assert_equal(key: &GeometryKey, got: &Done, want: &Done) {
    let (a, b) = (&got.out, &want.out);
    assert_eq!((&a.triangles, &a.turned, &a.clip), (&b.triangles, &b.turned, &b.clip), "{}", listing(key));
    assert_eq!((&got.state.slots, got.state.emit), (&want.state.slots, want.state.emit), "{}", listing(key));
    let stride = key.outputs.stride();
    assert_eq!(a.records.len(), b.records.len());
    for (vertex, (a, b)) in a.records.chunks(stride).zip(b.records.chunks(stride)).enumerate() {
        for slot in 0..stride {
            let written = slot < SCREEN || key.outputs.group_written((slot - SCREEN) / 4);
            assert!(!written || same(a[slot], b[slot]), "vertex {vertex}, {slot}: {a:?}\n{b:?}\n{}", listing(key));
        }
    }
    let (a, b) = (got.uniforms.floats.as_flattened(), want.uniforms.floats.as_flattened());
    assert!(a.iter().zip(b).all(|(&a, &b)| same(a, b)), "uniforms\n{}", listing(key));
}

/// Compares both tiers and returns the primitives that compiled code bailed out of; `None` when it does not support the
/// key.
fn compare(key: &GeometryKey, job: &Job, effort: Effort) -> Option<Vec<usize>> {
    let kernel = Jit::with_effort(effort).expect("a code generator").geometry(key).ok()?;
    let reference = Interpreter.geometry(key).expect("the reference supports everything");
    let (want, _) = job.run(|job| reference.run(job, 0));
    let (got, left) = job.run(|job| both(job, &*kernel, &*reference));
    assert_equal(key, &got, &want);
    Some(left)
}

/// Compares random cases; how many primitives there were, and how many of them were compiled.
fn differential(seed: u64, count: usize, mix: impl Fn(&mut Random) -> Mix) -> (usize, usize) {
    let (mut noise, mut all, mut compiled) = (Random::new(seed), 0, 0);
    for i in 0..count {
        let mix = mix(&mut noise);
        let (key, job) = case(&mut || noise.word(), mix);
        let effort = if i % 2 == 0 { Effort::Baseline } else { Effort::Optimized };
        let left = compare(&key, &job, effort).map_or(job.primitives.len(), |left| left.len());
        all += job.primitives.len();
        compiled += job.primitives.len() - left;
    }
    println!("{compiled} of {all} primitives were compiled");
    (all, compiled)
}

#[test]
fn structured_programs() {
    let (all, compiled) = differential(1, 400, |noise| {
        let program = Options { length: 1 + noise.word() as usize % 60, geometry: true, ..Options::default() };
        Mix { program, special: 0, vertices: 11, holes: false, ..Mix::default() }
    });
    assert!(compiled * 5 > all * 4);
}

#[test]
fn special_values() {
    differential(2, 400, |noise| {
        let program = Options { length: 1 + noise.word() as usize % 12, geometry: true, ..Options::default() };
        Mix { program, special: 3, vertices: 11, holes: false, ..Mix::default() }
    });
}

#[test]
fn programs_in_24_bit_floats() {
    for special in [0, 5] {
        let (all, compiled) = differential(4, 200, |noise| {
            let program = Options { length: 1 + noise.word() as usize % 30, geometry: true, ..Options::default() };
            Mix { program, special, vertices: 11, holes: false, numbers: Numbers::F24 }
        });
        assert!(compiled * 5 > all * 4);
    }
}

#[test]
fn programs_without_structure() {
    differential(3, 200, |noise| {
        let length = 1 + noise.word() as usize % 50;
        let program = Options { length, geometry: true, ragged: true, garbage: true, ..Options::default() };
        Mix { program, special: 100, vertices: 6, holes: false, ..Mix::default() }
    });
}

/// A key whose position is o0 and whose other slots are o1; primitives have as many values as there are inputs.
fn text_key(text: &str, inputs: u8) -> GeometryKey {
    let program = asm::Program::assemble(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    let slot = |slot: u8| Some(OutputComponent { register: slot / 4, component: slot % 4, saturate: false });
    GeometryKey {
        program: Program::Pica(Arc::new(PicaProgram {
            code: program.code,
            descriptors: program.descriptors,
            ..Default::default()
        })),
        inputs: GeometryInputs::Registers((0..inputs).collect()),
        outputs: OutputMap { slots: (0..8).map(slot).collect() },
        user_clip: false,
        keeps_registers: false,
    }
}

/// A job of one value v0 for each primitive.
fn text_job(key: &GeometryKey, values: &[[f32; 4]]) -> Job {
    let mut noise = Random::new(5);
    let mut job = job(&mut || noise.word(), Mix { special: 0, ..Mix::default() }, key);
    (job.limit, job.room) = (1000, 1 << 20);
    job.uniforms.ints = [[0; 4]; 4];
    job.values = values.to_vec();
    let primitive = |first| GeometryPrimitive { first, count: 1, register: 0 };
    job.primitives = (0..values.len() as u32).map(primitive).collect();
    job
}

/// What compiled code leaves of a job, for both kinds of effort.
fn left(key: &GeometryKey, job: &Job) -> Vec<usize> {
    let left = [Effort::Baseline, Effort::Optimized].map(|effort| compare(key, job, effort).expect("a kernel"));
    assert_eq!(left[0], left[1]);
    left[0].clone()
}

/// Three vertices around v0, the last of them completing a triangle.
const TRIANGLE: &str = "mov o0, v0\nmov o1, v0\nsetemit 0\nemit\nadd o0, c1, v0\nmov o1, c1\nsetemit 1\nemit\n\
                        add o0, c2, v0\nmov o1, c2\nsetemit 2, prim\nemit\n";

fn ramp(count: u8) -> Vec<[f32; 4]> {
    (0..count).map(|i| [f32::from(i), 1.0, 2.0, 3.0]).collect()
}

#[test]
fn groups_that_are_not_full() {
    let key = text_key(&format!("{TRIANGLE}end"), 1);
    for count in 1..10 {
        let job = text_job(&key, &ramp(count));
        assert_eq!(left(&key, &job), NOTHING);
        let (done, _) = job.run(|job| Jit::new().unwrap().geometry(&key).unwrap().run(job, 0));
        assert_eq!(done.out.triangles.len(), usize::from(count));
    }
}

#[test]
fn primitives_that_go_different_ways() {
    // v0.x says how often: 0 to 8 vertices and a triangle.
    let text = format!(
        "mov r0, c0.w\nloop i0, last\ncmp r0, ge, ge, v0\nbreakc cmp.x\nmov o0, r0\nmov o1, r0\nsetemit 1\nemit\n\
         last:\nadd r0, c1.w, r0\n{TRIANGLE}end"
    );
    let key = text_key(&text, 1);
    let values: Vec<[f32; 4]> = [3, 3, 3, 3, 0, 8, 8, 0, 1, 2, 3, 4, 5, 5, 5, 5, 2].map(|n: u8| [n.into(); 4]).to_vec();
    let mut job = text_job(&key, &values);
    job.uniforms.ints[0] = [20, 0, 0, 0];
    (job.uniforms.floats[0], job.uniforms.floats[1]) = ([0.0; 4], [1.0; 4]);
    assert_eq!(left(&key, &job), NOTHING);
}

#[test]
fn more_vertices_than_there_is_room_for_at_first() {
    let key = text_key(&format!("{TRIANGLE}loop i0, last\nmov o0, v0\nmov o1, v0\nemit\nlast:\nnop\nend"), 1);
    let mut job = text_job(&key, &ramp(6));
    job.uniforms.ints[0] = [250, 0, 0, 0];
    assert_eq!(left(&key, &job), NOTHING);
    // Beyond the limit of EMITs the reference decides.
    job.limit = 100;
    assert_eq!(left(&key, &job), [0, 1, 2, 3, 4, 5]);
    (job.limit, job.room) = (1000, 5 * 254);
    assert_eq!(left(&key, &job), [4, 5]);
}

#[test]
fn no_primitive_begins_without_room() {
    // 4 fills the output; 5 to 11 would be the reference's, if they were run at all.
    let mut key = text_key(&format!("add r1, c1, r1\n{TRIANGLE}mov o0, r1\nemit\nend"), 1);
    key.keeps_registers = true;
    let mut job = text_job(&key, &ramp(12));
    job.out.clip.clear();
    job.out.records.clear();
    job.state.slots = [None; 4];
    job.room = 5 * 4;
    assert_eq!(left(&key, &job), NOTHING);
}

#[test]
fn registers_pass_from_primitive_to_primitive() {
    // r1 counts; the banks change places three times; aL, flags and addresses are what the run before has left.
    let text = format!(
        "add r1, c1, r1\nmov r2, c3[a0.x]\nadd r2, c3[aL], r2\nifc cmp.y, there..there\nadd r1, c1, r1\nnop\nthere:\n\
         {TRIANGLE}mov o0, r1\nsetemit 1, prim, inv\nemit\nmov o1, r2\nemit\nloop i0, last\nlast:\nnop\n\
         mova a0, v0\ncmp c4, lt, gt, v0\nend"
    );
    let mut key = text_key(&text, 1);
    let mut job = text_job(&key, &ramp(13));
    job.uniforms.ints[0] = [2, 5, 7, 0];
    assert_eq!(left(&key, &job), NOTHING);
    key.keeps_registers = true;
    assert_eq!(left(&key, &job), NOTHING);
}

#[test]
fn settings_pass_from_primitive_to_primitive() {
    // The first EMIT of each run but the first does what the run before said.
    let key = text_key(&format!("mov o0, v0.yxzw\nmov o1, c7\nemit\n{TRIANGLE}setemit 1, prim, inv\nend"), 1);
    let job = text_job(&key, &ramp(9));
    assert_eq!(left(&key, &job), NOTHING);
}

#[test]
fn vertices_of_earlier_primitives() {
    // Each primitive replaces one vertex; the slots of the first one are empty, and only the reference models their
    // content.
    let key = text_key("mov o0, v0\nmov o1, v0\nsetemit 1, prim\nemit\nend", 1);
    let job = text_job(&key, &ramp(11));
    assert_eq!(left(&key, &job), [0, 1, 2, 3]);
}

#[test]
fn values_in_uniforms() {
    // Read by number, by address and by aL; each primitive leaves state for the next.
    let text = format!(
        "mova a0, c20\nmov r0, c20[a0.x]\nadd r0, c22[a0.y], r0\nloop i0, last\nlast:\nadd r0, c20[aL], r0\n\
         mov o0, r0\nmov o1, c21\nsetemit 3\nemit\n{TRIANGLE}end"
    );
    let mut key = text_key(&text, 0);
    key.inputs = GeometryInputs::Uniforms;
    let values: Vec<[f32; 4]> = (0..60u8).map(|i| [f32::from(i % 4), f32::from(i % 3), f32::from(i), 1.0]).collect();
    let mut job = text_job(&key, &values);
    job.uniforms.ints[0] = [3, 0, 1, 0];
    let primitive = |i: u32| GeometryPrimitive { first: 5 * i, count: 1 + i % 4, register: 20 + i % 3 };
    job.primitives = (0..11).map(primitive).collect();
    assert_eq!(left(&key, &job), NOTHING);
    // Beyond c95, and beyond the values.
    job.primitives[3] = GeometryPrimitive { first: 0, count: 50, register: 90 };
    job.primitives[7] = GeometryPrimitive { first: 58, count: 50, register: 20 };
    job.primitives[8] = GeometryPrimitive { first: u32::MAX, count: u32::MAX, register: u32::MAX };
    assert_eq!(left(&key, &job), NOTHING);
}

#[test]
fn the_first_primitive_may_run_another_program() {
    let text = format!(
        "mov r0, v0\nifu b15, other..last\nmov r0, c5\nnop\nother:\nadd r0, c6, r0\nnop\nlast:\n\
                        mov o0, r0\nmov o1, r0\nsetemit 3\nemit\n{TRIANGLE}end"
    );
    let mut key = text_key(&text, 1);
    let job = text_job(&key, &ramp(6));
    assert_eq!(left(&key, &job), NOTHING);
    // Not when it has run already.
    let Program::Pica(program) = &key.program;
    key.program = Program::Pica(Arc::new(PicaProgram { bools: 1 << 15, ..(**program).clone() }));
    assert_eq!(left(&key, &job), NOTHING);
}

#[test]
fn the_first_primitive_may_write_what_only_the_others_emit() {
    let text = "ifu b15, other..last\nmov o0, v0\nsetemit 0\nemit\nother:\nmov o1, v0\nnop\nlast:\nend";
    let key = text_key(text, 1);
    let job = text_job(&key, &ramp(6));
    assert_eq!(left(&key, &job), NOTHING);
}

#[test]
fn programs_without_end_are_the_references() {
    let key = text_key(&format!("{TRIANGLE}here:\nadd r0, c0, r0\njmpu !b0, here\nend"), 1);
    let job = text_job(&key, &ramp(9));
    // After so many that do not end no more are run, by whomever.
    assert_eq!(left(&key, &job), (0..EXHAUSTED_LIMIT as usize).collect::<Vec<_>>());
}

#[test]
fn zero_times_infinity_is_compiled_once_it_is_common() {
    for (count, sum) in [(8, "mov r0, c0"), (7, "add r3, c1, r3\nmov r0, c0")] {
        // In the second program registers pass on, so primitives are done one by one.
        let text = format!(
            "{sum}\nmul r1, v0, r0\nmad r2, -v0, r0, v0\ndp4 r1.y, -v0, r0\nmul r1.z, -v0, r0\n\
                            mov o0, r1\nmov o1, r2\nsetemit 3\nemit\n{TRIANGLE}end"
        );
        let key = text_key(&text, 1);
        let mut job = text_job(&key, &ramp(count));
        job.values.iter_mut().for_each(|value| value[0] = 0.0);
        job.uniforms.floats[0] = [f32::INFINITY, 1.0, f32::NEG_INFINITY, 0.0];
        let (kernel, reference) = (Jit::new().unwrap().geometry(&key).unwrap(), Interpreter.geometry(&key).unwrap());
        let (want, _) = job.run(|job| reference.run(job, 0));
        let mut before = 0;
        for round in 0..200 {
            let (got, left) = job.run(|job| both(job, &*kernel, &*reference));
            assert_equal(&key, &got, &want);
            if left.is_empty() {
                before = round;
                break;
            }
        }
        assert!(before > 4, "exact products before they paid, or never");
    }
}
