//! Nanoseconds per vertex and microseconds per compilation of a lighting program, on both tiers, and what vertices cost
//! whose products are 0 * infinity.
//!
//! `cargo run --release -p triglyph-jit --example vertex_speed`

use std::sync::Arc;
use std::time::Instant;

use triglyph_guest::kernel::vertex::{
    Component, GROUP, Input, Numbers, OutputComponent, OutputMap, PicaProgram, Program, Stream, Uniforms,
    VertexConstants, VertexJob, VertexKey,
};
use triglyph_guest::kernel::{Tier, VertexKernel, Window, window};
use triglyph_guest::pica::asm;
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};

const VERTICES: usize = 4096;

/// Two transforms, three point lights, clamps, texture coordinates: 58 instructions.
fn lighting() -> String {
    let mut text = String::from("mov r15, c95\nmov r0, v0\nmov r0.w, c95.x\n");
    for (row, component) in ["x", "y", "z", "w"].iter().enumerate() {
        text += &format!("dp4 r1.{component}, c{row}, r0\n");
    }
    for (row, component) in ["x", "y", "z", "w"].iter().enumerate() {
        text += &format!("dp4 o0.{component}, c{}, r1\n", row + 4);
    }
    for (row, component) in ["x", "y", "z"].iter().enumerate() {
        text += &format!("dp3 r2.{component}, c{row}, v1\n");
    }
    text += "dp3 r3.x, r2, r2\nrsq r3.x, r3.x\nmul r2.xyz, r2, r3.x\nmov r9, c20\n";
    for light in [21, 24, 27] {
        text += &format!(
            "add r4, c{light}, -r1\ndp3 r5.x, r4, r4\nrsq r5.y, r5.x\nmul r4.xyz, r4, r5.y\ndp3 r6.x, r2, r4\n\
             max r6.x, c95.y, r6.x\nmad r7.x, r5.x, r15.z, r15.x\nrcp r7.x, r7.x\nmul r6.x, r6.x, r7.x\n\
             mad r9, r6.x, c{}, r9\n",
            light + 1
        );
    }
    text += "mul r9, c40, r9\nmax r9, c95.y, r9\nmin o1, c95.x, r9\nmov r8, v2\nmov r8.zw, c95.yx\n\
             dp4 o2.x, c41, r8\ndp4 o2.y, c42, r8\nmov o2.zw, c95.x\nend\n";
    text
}

fn key(numbers: Numbers) -> VertexKey {
    let program = asm::Program::assemble(&lighting()).expect("a program");
    println!("{} instructions", program.code.len());
    let mut inputs = [Input::Zero; 16];
    for (stream, (input, count)) in inputs.iter_mut().zip([3, 3, 2]).enumerate() {
        *input = Input::Array { stream: stream as u8, component: Component::F32, count };
    }
    let slots = (0..12u8)
        .map(|slot| Some(OutputComponent { register: slot / 4, component: slot % 4, saturate: slot / 4 == 1 }));
    let program = PicaProgram { code: program.code, descriptors: program.descriptors, numbers, ..Default::default() };
    VertexKey {
        program: Program::Pica(Arc::new(program)),
        inputs,
        outputs: OutputMap { slots: slots.collect() },
        user_clip: false,
    }
}

/// The shortest of several runs, nanoseconds.
fn best(mut run: impl FnMut()) -> f64 {
    let times = (0..60).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e9
    });
    times.fold(f64::INFINITY, f64::min)
}

/// Nanoseconds a vertex. Of each `infinite` vertices one has a product of 0 and infinity; 0: none has.
fn shade(kernel: &dyn VertexKernel, key: &VertexKey, runs: usize, infinite: usize) -> f64 {
    const STRIDE: usize = 48;
    let floats: Vec<u8> = (0..VERTICES * STRIDE / 4)
        .flat_map(|i| {
            // A normal of length 0, made one of length 1: the reciprocal is infinite.
            let zero = infinite > 0 && (4..7).contains(&(i % 12)) && (i / 12).is_multiple_of(infinite);
            let value = (i as f32 * 0.618).fract() + 0.01 * (i % 12) as f32 - 0.5;
            if zero { [0; 4] } else { value.to_le_bytes() }
        })
        .chain([0; 16])
        .collect();
    let bytes = window::buffer(&floats);
    let mut streams = [Stream::default(); 16];
    for (i, stream) in streams.iter_mut().take(3).enumerate() {
        *stream = Stream { window: Window::new(&bytes).from(16 * i), stride: STRIDE as u32 };
    }
    let mut uniforms = Uniforms::default();
    for (i, value) in uniforms.floats[..96].iter_mut().enumerate() {
        *value = [0, 1, 2, 3].map(|c| ((i * 4 + c) as f32 * 0.377).sin());
    }
    uniforms.floats[95] = [1.0, 0.0, 0.25, 0.5];
    let vertices: Vec<u32> = (0..VERTICES as u32).collect();
    let reference = Interpreter.vertex(key).expect("a kernel");
    let stride = key.outputs.stride();
    let (mut records, mut clip) = (vec![0.0; stride * VERTICES], vec![0; VERTICES]);
    let time = best(|| {
        for _ in 0..runs {
            let mut job = VertexJob {
                exhausted: 0,
                streams: &streams,
                fixed: &[[0.0; 4]; 16],
                uniforms: &uniforms,
                constants: VertexConstants { half: [120.0, 200.0], ..Default::default() },
                vertices: &vertices,
                last_vertex: VERTICES as u32 - 1,
                records: &mut records,
                clip: &mut clip,
            };
            let mut done = kernel.shade(&mut job, 0);
            assert!(infinite > 0 || done == VERTICES, "left to the reference");
            while done < VERTICES {
                let end = done + GROUP;
                let part = (&mut job.records[..end * stride], &mut job.clip[..end]);
                let mut part = VertexJob { vertices: &vertices[..end], records: part.0, clip: part.1, ..job };
                reference.shade(&mut part, done);
                done = kernel.shade(&mut job, end);
            }
        }
    });
    time / (runs * VERTICES) as f64
}

fn main() {
    for numbers in [Numbers::F32, Numbers::F24] {
        println!("{numbers:?}");
        measure(&key(numbers), if numbers == Numbers::F32 { &[256, 32, 1] } else { &[1] });
    }
}

fn measure(key: &VertexKey, shares: &[usize]) {
    for effort in [Effort::Baseline, Effort::Optimized] {
        let jit = Jit::with_effort(effort).expect("a code generator");
        let compile = best(|| drop(jit.vertex(key)));
        let kernel = jit.vertex(key).expect("a kernel");
        let time = shade(&*kernel, key, 4, 0);
        println!(
            "{effort:?}: {time:.1} ns a vertex, compiled in {:.0} us, {} bytes",
            compile / 1e3,
            kernel.code().bytes
        );
        for &infinite in shares {
            let time = shade(&*kernel, key, 4, infinite);
            println!("    one of {infinite} with 0 * infinity: {time:.1} ns a vertex");
        }
    }
    let reference = Interpreter.vertex(key).expect("a kernel");
    println!("reference: {:.0} ns a vertex", shade(&*reference, key, 1, 0));
}
