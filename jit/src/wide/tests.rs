//! Each operation in vectors of 256 bits, against what Cranelift makes of the same body for one iteration.

#![allow(unsafe_code)]

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32, F32X4, F64, F64X2, I8X16, I16X8, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, Type, Value};
use triglyph_guest::kernel::Unsupported;
use triglyph_testkit::random::Random;

use super::is_supported;
use crate::code::{Code, Compiler};
use crate::effort::Effort;
use crate::interleave::Body;
use crate::lane::{Emit, I16x8, Pairs, memory as flags};

mod control;
mod encoding;
mod operations;
#[cfg(not(feature = "check-win64"))]
mod random;

/// Vectors that a body is given.
const INPUTS: usize = 3;

/// What a body works on. The items of a loop are those whose bits are set.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Memory {
    items: u64,
    from: [[[u8; 16]; INPUTS]; ITEMS],
    to: [[u8; 16]; ITEMS],
}

const ITEMS: usize = 8;

const FROM: i32 = std::mem::offset_of!(Memory, from) as i32;
const TO: i32 = std::mem::offset_of!(Memory, to) as i32;

/// Makes a vector from the vectors of an item and its number.
type Operation<'o> = &'o dyn Fn(&mut Emit<'_>, [Value; INPUTS], Value) -> Value;

/// Emits a loop over the items that stores what `operation` makes of each, `at_once` of them at a time.
fn emit(e: &mut Emit<'_>, at_once: usize, operation: Operation<'_>) -> Result<(), Unsupported> {
    let (head, some, end) = (e.block(&[I64]), e.block(&[]), e.block(&[]));
    let (one, exit) = (e.block(&[]), e.block(&[]));
    let args = e.args;
    let items = e.load_i64(args, 0);
    e.jump(head, &[items]);
    e.switch_to(head);
    let items = e.parameter(head, 0);
    e.branch(items, (some, &[]), (end, &[]));
    let take = |e: &mut Emit<'_>, items: Value| {
        let less = e.b.ins().iadd_imm_s(items, -1);
        let number = e.b.ins().ctz(items);
        [number, e.b.ins().band(items, less)]
    };
    e.switch_to(some);
    let [number, rest] = take(e, items);
    if e.caps.pairs == Pairs::Never {
        e.jump(one, &[]);
    } else {
        let (mut others, mut rest) = (Vec::new(), rest);
        for _ in 1..at_once {
            let more = e.block(&[]);
            e.branch(rest, (more, &[]), (one, &[]));
            e.switch_to(more);
            let [other, less] = take(e, rest);
            others.push(other);
            rest = less;
        }
        let (before, done) = (e.block(&[]), e.block(&[]));
        e.jump(before, &[]);
        e.switch_to(before);
        e.jump(done, &[]);
        e.switch_to(done);
        e.jump(head, &[rest]);
        let (others, own) = (vec![(number, others)], Vec::new());
        e.bodies.push(Body {
            entry: one,
            exit,
            others,
            before,
            own,
            counters: 0..0,
            storage: None,
            is_repeatable: false,
        });
    }
    e.switch_to(one);
    let place = inputs_of(e, number);
    let inputs = std::array::from_fn(|n| e.b.ins().load(I8X16, flags(), place, FROM + 16 * n as i32));
    let result = operation(e, inputs, number);
    let offset = e.b.ins().ishl_imm_u(number, 4);
    let place = e.b.ins().iadd(args, offset);
    e.b.ins().store(flags(), result, place, TO);
    e.jump(exit, &[]);
    e.switch_to(exit);
    e.jump(head, &[rest]);
    e.switch_to(end);
    e.succeed();
    Ok(())
}

/// Address of an item's vectors, less [`FROM`].
fn inputs_of(e: &mut Emit<'_>, number: Value) -> Value {
    let offset = e.b.ins().imul_imm_u(number, 16 * INPUTS as i64);
    e.b.ins().iadd(e.args, offset)
}

/// Compares what an operation makes on both ways, for random bits and for numbers that matter.
fn check(name: &str, operation: Operation<'_>) {
    let wide = Compiler::new(Effort::Optimized).unwrap();
    if !wide.has_wide_vectors() {
        return;
    }
    let single = Compiler::new(Effort::Baseline).unwrap();
    let single = single.compile(1, |e| emit(e, 1, operation)).unwrap();
    let wide = [2, 4].map(|at_once| {
        let text = wide.dump(1, |e| emit(e, at_once, operation));
        assert!(text.contains("vectors of 256 bits"), "{name} is unsupported: {text}");
        wide.compile(1, |e| emit(e, at_once, operation)).unwrap()
    });
    let mut random = Random::new(name.len() as u64);
    for round in 0..60 {
        let from = std::array::from_fn(|_| std::array::from_fn(|_| input(&mut random, round)));
        let items = if round % 4 == 0 { 0xFF } else { u64::from(random.word() & 0xFF) };
        let start = Memory { items, from, to: [[0; 16]; ITEMS] };
        let run = |code: &Code<Memory>| {
            let mut memory = start;
            // SAFETY: the code reads and writes the fields of `memory`.
            unsafe { code.call(&raw mut memory) };
            memory.to
        };
        let wanted = run(&single);
        wide.iter().for_each(|wide| assert_eq!(run(wide), wanted, "{name}, items {items:#b} of {from:?}"));
    }
}

/// Bytes of a vector: random ones, floats, small integers.
fn input(random: &mut Random, round: usize) -> [u8; 16] {
    const FLOATS: [f32; 12] =
        [0.0, -0.0, 1.0, -1.5, 0.5, 2.5, 1e-40, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 2_147_483_648.0];
    let mut lane = || match round % 3 {
        0 => random.word(),
        1 => FLOATS[random.below(FLOATS.len() as u32) as usize].to_bits(),
        _ => random.below(7).wrapping_sub(3),
    };
    let lanes = [lane(), lane(), lane(), lane()];
    bytemuck::cast(lanes)
}

/// The bits of a vector as another type.
fn cast(e: &mut Emit<'_>, value: Value, to: Type) -> Value {
    e.cast(value, to)
}
