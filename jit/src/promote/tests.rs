//! Programs whose registers are slots of memory, against scalar Rust; cold blocks find them there.

#![allow(unsafe_code)]

use std::mem::offset_of;

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::num::ops::Ops;

use super::Slots;
use crate::code::Compiler;
use crate::effort::Effort;
use crate::lane::{Emit, I32x4};

#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Memory {
    base: *mut [i32; 4],
    input: [i32; 4],
    output: [i32; 4],
}

const SUM: i32 = 0;
const STEP: i32 = 16;
const OTHER: i32 = 32;

/// What slots hold before the program begins.
const OLD: [i32; 4] = [-1; 4];

/// Times that the step is added.
const STEPS: usize = 3;

/// What a program has besides the steps.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Steps,
    /// A store of half a slot.
    Half,
    /// A way back to the first step, which is never gone.
    Loop,
}

fn load(e: &mut Emit<'_>, base: Value, at: i32) -> I32x4 {
    e.load_ints(base, at)
}

/// Adds the input to a sum several times; whenever the sum's first lane is a multiple of 8, a cold block doubles what
/// is added and adds 1 to the sum.
fn emit(e: &mut Emit<'_>, kind: Kind) {
    let args = e.args;
    let base = e.load_i64(args, offset_of!(Memory, base) as i32);
    let start = e.block(&[]);
    e.slots.push(Slots { base, start });
    e.jump(start, &[]);
    e.switch_to(start);
    let (zero, input) = (e.i(0), e.load_ints(args, offset_of!(Memory, input) as i32));
    e.store(zero.0, base, SUM);
    e.store(input.0, base, STEP);
    let first = e.block(&[I64]);
    let none = e.i64(0);
    if kind == Kind::Half {
        e.store(none, base, OTHER);
    }
    e.jump(first, &[none]);
    let mut head = first;
    for _ in 0..STEPS {
        head = add(e, base, head);
    }
    e.switch_to(head);
    let end = e.block(&[]);
    let never = e.parameter(head, 0);
    match kind {
        Kind::Loop => e.branch(never, (first, &[never]), (end, &[])),
        Kind::Steps | Kind::Half => e.jump(end, &[]),
    }
    e.switch_to(end);
    let (sum, step) = (load(e, base, SUM), load(e, base, STEP));
    let both = e.ixor(sum, step);
    e.store(both.0, args, offset_of!(Memory, output) as i32);
    e.succeed();
}

/// A step, which begins in `head`. Returns the block after it.
fn add(e: &mut Emit<'_>, base: Value, head: cranelift_codegen::ir::Block) -> cranelift_codegen::ir::Block {
    let (cold, next) = (e.cold_block(&[I64]), e.block(&[I64]));
    e.switch_to(head);
    let carried = e.parameter(head, 0);
    let (sum, step) = (load(e, base, SUM), e.load_floats(base, STEP));
    let step = e.bits(step);
    let sum = e.iadd(sum, step);
    e.store(sum.0, base, SUM);
    let first = e.lane(sum, 0);
    let low = e.b.ins().band_imm_u(first, 7);
    e.branch(low, (next, &[carried]), (cold, &[carried]));

    e.switch_to(cold);
    let carried = e.parameter(cold, 0);
    let (sum, step, one) = (load(e, base, SUM), load(e, base, STEP), e.i(1));
    let (sum, step) = (e.iadd(sum, one), e.iadd(step, step));
    e.store(sum.0, base, SUM);
    e.store(step.0, base, STEP);
    e.jump(next, &[carried]);
    next
}

/// The output, and whether a cold block has run.
fn expected(input: [i32; 4]) -> ([i32; 4], bool) {
    let (mut sum, mut step, mut was_cold) = ([0; 4], input, false);
    for _ in 0..STEPS {
        sum = std::array::from_fn(|lane| sum[lane] + step[lane]);
        if sum[0] & 7 == 0 {
            sum = sum.map(|sum| sum + 1);
            step = step.map(|step| 2 * step);
            was_cold = true;
        }
    }
    (std::array::from_fn(|lane| sum[lane] ^ step[lane]), was_cold)
}

#[test]
fn slots_are_in_memory_only_for_cold_blocks() {
    let kinds = [Kind::Steps, Kind::Half, Kind::Loop].map(|kind| (Effort::Optimized, kind));
    for (effort, kind) in kinds.into_iter().chain([(Effort::Baseline, Kind::Steps)]) {
        let code = Compiler::new(effort).unwrap().compile(1, |e| {
            emit(e, kind);
            Ok(())
        });
        let code = code.unwrap();
        for input in [[1, 2, 3, 4], [4, 5, 7, 9], [8, 1, 0, -7], [3, 3, 3, 3]] {
            let mut slots = [OLD; 3];
            let mut memory = Memory { base: slots.as_mut_ptr(), input, output: OLD };
            // SAFETY: the code reads and writes the fields of `memory` and the three slots.
            unsafe { code.call(&raw mut memory) };
            let (output, was_cold) = expected(input);
            assert_eq!(memory.output, output, "{effort:?}, {kind:?}, {input:?}");
            let promoted = (effort, kind) == (Effort::Optimized, Kind::Steps);
            assert_eq!(slots[0] == OLD, promoted && !was_cold, "{effort:?}, {kind:?}, {input:?}");
        }
    }
}
