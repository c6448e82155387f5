//! Nanoseconds per primitive of geometry programs, on both tiers.
//!
//! `cargo run --release -p triglyph-jit --example geometry_speed`

use std::sync::Arc;
use std::time::Instant;

use triglyph_guest::kernel::geometry::{
    GeometryInputs, GeometryJob, GeometryKey, GeometryOutput, GeometryPrimitive, GeometryState,
};
use triglyph_guest::kernel::vertex::{OutputComponent, OutputMap, PicaProgram, Program, Uniforms, VertexConstants};
use triglyph_guest::kernel::{GeometryKernel, Tier};
use triglyph_guest::pica::asm;
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};

const PRIMITIVES: usize = 1024;

/// A sprite: four corners around a point, turned by a matrix, as two triangles.
fn sprite() -> String {
    let mut text = String::new();
    for (corner, emit) in [(10, "0"), (11, "1"), (12, "2, prim"), (13, "0, prim, inv")] {
        text += &format!("mad r0, v1, c{corner}, v0\n");
        for (row, component) in ["x", "y", "z", "w"].iter().enumerate() {
            text += &format!("dp4 o0.{component}, c{row}, r0\n");
        }
        text += &format!("mul o1, c14, v2\nmov o2, c{corner}\nsetemit {emit}\nemit\n");
    }
    text + "end"
}

/// A strip of forty triangles along a curve: a loop of two vertices each.
fn strip() -> String {
    let mut text = String::from("mov r5, c20\nsetemit 0\n");
    let point = "mul r1, r5.x, v1\nmad r1, r1, r5.x, v0\nadd r5, c21, r5\n";
    let vertex = "dp4 o0.x, c0, r1\ndp4 o0.y, c1, r1\ndp4 o0.z, c2, r1\ndp4 o0.w, c3, r1\nmov o1, v2\nmov o2, r5\n";
    text += &format!("{point}{vertex}emit\n{point}{vertex}setemit 1\nemit\nloop i0, last\n");
    text +=
        &format!("{point}{vertex}setemit 2, prim\nemit\n{point}{vertex}setemit 0, prim, inv\nemit\nlast:\nnop\nend");
    text
}

fn key(text: &str) -> GeometryKey {
    let program = asm::Program::assemble(text).expect("a program");
    let slot = |slot: u8| Some(OutputComponent { register: slot / 4, component: slot % 4, saturate: slot / 4 == 1 });
    GeometryKey {
        program: Program::Pica(Arc::new(PicaProgram {
            code: program.code,
            descriptors: program.descriptors,
            ..Default::default()
        })),
        inputs: GeometryInputs::Registers(vec![0, 1, 2]),
        outputs: OutputMap { slots: (0..12).map(slot).collect() },
        user_clip: false,
        keeps_registers: false,
    }
}

/// The shortest of several runs, nanoseconds.
fn best(mut run: impl FnMut()) -> f64 {
    let times = (0..40).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e9
    });
    times.fold(f64::INFINITY, f64::min)
}

/// Nanoseconds a primitive. `infinite`: every product with the matrix' first column is 0 * infinity.
fn run(kernel: &dyn GeometryKernel, reference: &dyn GeometryKernel, infinite: bool) -> f64 {
    let mut uniforms = Uniforms::default();
    for (i, value) in uniforms.floats[..96].iter_mut().enumerate() {
        *value = [0, 1, 2, 3].map(|c| ((i * 4 + c) as f32 * 0.377).sin());
    }
    uniforms.ints[0] = [18, 0, 0, 0];
    if infinite {
        uniforms.floats[..4].iter_mut().for_each(|row| row[0] = f32::INFINITY);
    }
    let values: Vec<[f32; 4]> = (0..3 * PRIMITIVES).map(|i| [0.0, (i as f32 * 0.618).fract(), 0.5, 1.0]).collect();
    // With x 0 in v1 and in the corners' column the first component of the position is 0.
    uniforms.floats[10..14].iter_mut().for_each(|corner| corner[0] = 0.0);
    let primitive = |i| GeometryPrimitive { first: 3 * i, count: 3, register: 0 };
    let primitives: Vec<_> = (0..PRIMITIVES as u32).map(primitive).collect();
    let mut out = GeometryOutput::default();
    let time = best(|| {
        out.clear();
        let mut job = GeometryJob {
            uniforms: &mut uniforms,
            constants: VertexConstants { half: [120.0, 200.0], ..Default::default() },
            primitives: &primitives,
            values: &values,
            state: &mut GeometryState::default(),
            limit: 1 << 16,
            room: u32::MAX,
            exhausted: 0,
            out: &mut out,
        };
        let mut done = kernel.run(&mut job, 0);
        while done < PRIMITIVES {
            let end = (done + 4).min(PRIMITIVES);
            reference.run(&mut job.until(end), done);
            done = if end < PRIMITIVES { kernel.run(&mut job, end) } else { end };
        }
    });
    time / PRIMITIVES as f64
}

fn main() {
    // With r9 each primitive depends on the one before it.
    let sequential = sprite().replacen("mad", "add r9, r9, v0\nmad", 1).replace("mul o1, c14, v2", "add o1, r9, v2");
    for (name, text) in [("sprite", sprite()), ("sprite in sequence", sequential), ("strip", strip())] {
        let key = key(&text);
        let reference = Interpreter.geometry(&key).expect("a kernel");
        for effort in [Effort::Baseline, Effort::Optimized] {
            let jit = Jit::with_effort(effort).expect("a code generator");
            let compile = best(|| drop(jit.geometry(&key)));
            let kernel = jit.geometry(&key).expect("a kernel");
            println!(
                "{name}, {effort:?}: {:.0} ns a primitive, {:.0} ns with 0 * infinity in each, compiled in {:.0} us, {} bytes",
                run(&*kernel, &*reference, false),
                run(&*kernel, &*reference, true),
                compile / 1e3,
                kernel.code().bytes
            );
        }
        println!("{name}, reference: {:.0} ns a primitive", run(&*reference, &*reference, false));
    }
}
