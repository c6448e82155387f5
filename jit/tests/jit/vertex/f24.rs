//! Operations of one operand on every 24-bit float, and operations of two about the limits of the plain form.

use std::sync::Arc;

use crate::vertex::support::{Tally, compare};
use triglyph_guest::kernel::random_vertex::{Batch, Mix, batch};
use triglyph_guest::kernel::vertex::{
    Component, Input, Numbers, OutputComponent, OutputMap, PicaProgram, Program, Uniforms, VertexKey,
};
use triglyph_guest::num::F24;
use triglyph_guest::pica::asm;
use triglyph_jit::Effort;
use triglyph_testkit::random::Random;

/// A key of a program in 24-bit floats with two outputs; v0 is two floats of an array, v1 a fixed attribute.
fn key(text: &str) -> VertexKey {
    let asm::Program { code, descriptors, .. } = asm::Program::assemble(text).expect("a program");
    let mut inputs = [Input::Zero; 16];
    inputs[0] = Input::Array { stream: 0, component: Component::F32, count: 2 };
    inputs[1] = Input::Fixed(0);
    let slots = (0..8).map(|slot| Some(OutputComponent { register: slot / 4, component: slot % 4, saturate: false }));
    let program = PicaProgram { code, descriptors, numbers: Numbers::F24, ..PicaProgram::default() };
    VertexKey {
        program: Program::Pica(Arc::new(program)),
        inputs,
        outputs: OutputMap { slots: slots.collect() },
        user_clip: false,
    }
}

fn values(key: &VertexKey, values: impl Iterator<Item = [f32; 2]>, uniform: f32) -> Batch {
    let mut noise = Random::new(1);
    let mut batch = batch(&mut || noise.word(), Mix { special: 0, holes: false, ..Mix::default() }, key);
    let bytes: Vec<u8> = values.flatten().flat_map(f32::to_le_bytes).collect();
    batch.vertices = (0..bytes.len() as u32 / 8).collect();
    batch.set_stream(0, bytes, 8);
    (batch.fixed[0], batch.uniforms) = ([1.0; 4], Uniforms::default());
    batch.uniforms.floats[0] = [uniform; 4];
    batch
}

/// Compares both tiers on numbers whose codes are `step` apart.
fn unary(step: usize) {
    const OPERATIONS: [&str; 9] = [
        "mov o0, v0",
        "mov o0, -v0",
        "rcp o0, v0",
        "rsq o0, v0",
        "ex2 o0, v0",
        "lg2 o0, v0",
        "flr o0, v0",
        "add o0, -c0, v0",
        "mul o0, v0, v0",
    ];
    for text in OPERATIONS {
        let key = key(&format!("{text}\nmov o1, v1\nend"));
        let mut tally = Tally::default();
        let numbers: Vec<u32> = (0..1 << 24).step_by(step).collect();
        for part in numbers.chunks(1 << 18) {
            let batch = values(&key, part.iter().map(|&bits| [F24::decode(bits), 0.0]), 0.0);
            compare(&key, &batch, Effort::Optimized, &mut tally);
        }
        assert_eq!(tally.unsupported, 0);
        println!("{text}: {tally:?}");
    }
}

#[test]
fn operations_of_one_operand_on_some_numbers() {
    unary(251);
}

#[test]
#[ignore = "takes a minute"]
fn operations_of_one_operand_on_all_numbers() {
    unary(1);
}

/// Around the limits of ordinary numbers, of small sums and of large products.
#[test]
fn operations_about_the_limits() {
    const PROGRAMS: [&str; 18] = [
        "mul o0, v0.xxxx, v0.yyyy",
        "add o0, v0.xxxx, v0.yyyy",
        "mad o0, v0.xxxx, c0, v0.yyyy",
        "mad o0, v0.xyxy, v0.yxxy, v0.xyyx",
        "dp3 o0, v0.xyxy, v0.yyxx",
        "dp4 o0, c0, v0.xyxx",
        "dp4 r0, v0.xyyx, -v0.xyxy\nmul o0, -r0, v0",
        "mul r0, c0, v0.xyxy\nlitp r1, r0\nmov o0, -r1\nmax o0.zw, -r0, r0",
        "dph o0, v0.xyxx, v0.yxyy",
        // What is right without being ordinary, as it meets other arithmetic.
        "mul r0, c0, v0.xyxy\nmul o0, r0, r0.yxxy",
        "mul r0, -c0, v0.xyxy\nrcp r1, r0.x\nrsq r1.y, -r0.y\nmov o0, r1.xyxy",
        "mad r0, v0.xyxy, c0, v0.yyxx\nmad r0, v0.yxxy, c0, r0\nmad o0, -v0.xyxy, c0, r0",
        "mul r0, c0, v0.xyxy\nmin r1, r0, v0.yxyx\ndp4 o0, r1, -r0.yxxy",
        "mul r0, c0, v0.xyxy\nsge r1, r0, -v0.yyxx\nslt r2, c0, r0\nmad o0, r0, r1, r2",
        "mul r0, c0, v0.xyxy\nflr r1, r0\nlitp r2, -r0\nadd r1, -r1, r2\nadd o0, -r1, -v0.yxyx",
        "mov r0, c0\nmov r0.y, v0.y\ndp4 r1.x, r0.xyyx, v0.xyyx\ndp3 r1.y, r0, v0.yxyx\nmul o0, r1.xyxy, v0.xyxy",
        "mul r0, c0, v0.xyxy\nmova a0.x, r0.x\nmul r1, c0[a0.x], v0.yxyx\nadd o0, r1, r0",
        "mul r0, c0, v0.xyxy\ncmp r0, gt, lt, v0.yxyx\nifc cmp.x, there..there\nadd r0, r0, v0\nnop\n\
         there:\nmul o0, r0, r0.yyxx",
    ];
    let mut noise = Random::new(3);
    for text in PROGRAMS {
        let key = key(&format!("{text}\nmov o1, v1\nend"));
        for exponent in [-64, -62, -46, -37, -33, -31, -29, -20, 0, 15, 29, 31, 33, 62] {
            let mut number = || {
                let near = 127 + exponent + noise.below(5) as i32 - 2;
                let bits = noise.word() & 0x8000_0000 | (near as u32) << 23 | (noise.word() & 3) << 7;
                match noise.below(8) {
                    0 => 0.0,
                    1 => 1.0,
                    _ => f32::from_bits(bits),
                }
            };
            let numbers: Vec<[f32; 2]> = (0..512).map(|_| [number(), number()]).collect();
            let mut tally = Tally::default();
            let batch = values(&key, numbers.into_iter(), number());
            for effort in [Effort::Baseline, Effort::Optimized] {
                compare(&key, &batch, effort, &mut tally);
            }
            assert_eq!(tally.unsupported, 0);
        }
    }
}
