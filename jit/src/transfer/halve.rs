//! Downscaling of images by two in each direction: four pixels at a time, the rest in Rust.

#![allow(unsafe_code)]

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8X16, I16X8, I32X4, I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::transfer::{ByteSource, Halve, ResampleKey, TransferJob};
use triglyph_guest::kernel::{MachineCode, TransferKernel, Unsupported};
use triglyph_guest::num::ops::Ops;

use super::{WRONG_JOB, overlap};
use crate::code::{Code, Compiler};
use crate::lane::{Emit, I16x8, I32x4};

/// Pixels that the code makes at a time.
const STEP: usize = 4;

/// Arguments of the code.
#[repr(C)]
struct HalvingArgs {
    upper: *const u8,
    lower: *const u8,
    target: *mut u8,
    /// End of the target, a whole number of steps, at least one.
    end: *mut u8,
}

/// Makes rows of pixels.
pub(super) struct CompiledHalving {
    key: ResampleKey,
    code: Code<HalvingArgs>,
}

impl CompiledHalving {
    pub fn new(compiler: &Compiler, key: &ResampleKey) -> Result<CompiledHalving, Unsupported> {
        Ok(CompiledHalving { key: *key, code: compiler.compile(1, |e| build(e, key))? })
    }
}

impl TransferKernel for CompiledHalving {
    fn run(&self, job: &TransferJob<'_>) -> Result<(), Unsupported> {
        let TransferJob::Halve(job) = job else { return Err(WRONG_JOB) };
        check(job)?;
        let whole = job.width / STEP * STEP;
        let target = job.target.as_ptr();
        let end = target.wrapping_add(4 * whole);
        if whole > 0 {
            let mut args = HalvingArgs { upper: job.upper.as_ptr(), lower: job.lower.as_ptr(), target, end };
            // SAFETY: the code reads eight bytes of either row and writes four for each of `whole` pixels, which the
            // windows have by the check; those are mapped as long as the job borrows them.
            unsafe { self.code.call(&raw mut args) };
        }
        for i in whole..job.width {
            job.target.write(4 * i, &pixel(&self.key, job, i));
        }
        Ok(())
    }

    fn code(&self) -> MachineCode {
        self.code.made()
    }
}

/// Checks that the job stays within its windows and that pixels and texels share no bytes.
fn check(job: &Halve<'_>) -> Result<(), Unsupported> {
    let sizes = job.width.checked_mul(8).map(|reads| (reads, reads / 2));
    let fits = |(reads, writes): &(usize, usize)| {
        *reads <= job.upper.len() && *reads <= job.lower.len() && *writes <= job.target.len()
    };
    let (reads, writes) = sizes.filter(fits).ok_or(Unsupported("a row beyond its windows"))?;
    let target = (job.target.as_ptr().cast_const(), writes);
    match [job.upper, job.lower].iter().any(|row| overlap((row.as_ptr(), reads), target)) {
        true => Err(Unsupported("a row that overlaps its texels")),
        false => Ok(()),
    }
}

/// A pixel of those that are left.
fn pixel(key: &ResampleKey, job: &Halve<'_>, i: usize) -> [u8; 4] {
    let rows: [[u8; 8]; 2] = [job.upper, job.lower].map(|row| row.read(8 * i));
    key.bytes.map(|source| match source {
        ByteSource::Constant(byte) => byte,
        ByteSource::Texel(byte) => {
            let at = usize::from(byte & 3);
            let sum: u16 = rows.iter().map(|row| u16::from(row[at]) + u16::from(row[at + 4])).sum();
            ((sum + 2) >> 2) as u8
        }
    })
}

/// Emits the loop over steps.
fn build(e: &mut Emit<'_>, key: &ResampleKey) -> Result<(), Unsupported> {
    let (turn, done) = (e.block(&[I64, I64, I64]), e.block(&[]));
    let args = e.args;
    let starts = [offset_of!(HalvingArgs, upper), offset_of!(HalvingArgs, lower), offset_of!(HalvingArgs, target)];
    let starts = starts.map(|at| e.load_i64(args, at as i32));
    e.jump(turn, &starts);

    e.switch_to(turn);
    let [upper, lower, target] = [0, 1, 2].map(|n| e.parameter(turn, n));
    let [first, second] = [0, 16].map(|at| means(e, [upper, lower], at));
    let bytes = e.b.ins().unarrow(first.0, second.0);
    let pixels = I32x4(e.cast(bytes, I32X4));
    let pixels = arranged(e, key, pixels);
    e.store(pixels.0, target, 0);

    let next = [(upper, 8), (lower, 8), (target, 4)].map(|(at, bytes)| e.b.ins().iadd_imm_u(at, bytes * STEP as i64));
    let args = e.args;
    let end = e.load_i64(args, offset_of!(HalvingArgs, end) as i32);
    let more = e.b.ins().icmp(IntCC::UnsignedLessThan, next[2], end);
    e.branch(more, (turn, &next), (done, &[]));
    e.switch_to(done);
    e.succeed();
    Ok(())
}

/// The bytes of two pixels, of four texels of either row at an offset.
fn means(e: &mut Emit<'_>, rows: [Value; 2], at: i32) -> I16x8 {
    let [upper, lower] = rows.map(|row| {
        let texels = e.load_ints(row, at);
        let bytes = e.cast(texels.0, I8X16);
        [e.b.ins().uwiden_low(bytes), e.b.ins().uwiden_high(bytes)]
    });
    // Two texels each, one pixel's.
    let sums = [0, 1].map(|pair| {
        let sum = e.add16(I16x8(upper[pair]), I16x8(lower[pair]));
        e.cast(sum.0, I64X2)
    });
    let [left, right] = [LEFT, RIGHT].map(|half| {
        let texels = e.shuffle(sums[0], sums[1], half);
        I16x8(e.cast(texels, I16X8))
    });
    let (sum, two) = (e.add16(left, right), e.short(2));
    let rounded = e.add16(sum, two);
    e.shr16(rounded, 2)
}

/// The lower halves of two vectors, and the upper ones.
const LEFT: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const RIGHT: [u8; 16] = [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31];

/// Four pixels of the bytes that the key names.
fn arranged(e: &mut Emit<'_>, key: &ResampleKey, pixels: I32x4) -> I32x4 {
    let (mut order, mut constants) = ([Emit::NO_BYTE; 16], 0);
    for (at, source) in key.bytes.into_iter().enumerate() {
        match source {
            ByteSource::Texel(byte) => (0..4).for_each(|pixel| order[4 * pixel + at] = 4 * pixel as u8 + (byte & 3)),
            ByteSource::Constant(byte) => constants |= u32::from(byte) << (8 * at),
        }
    }
    let in_place = std::array::from_fn(|byte| byte as u8);
    let pixels = if order == in_place { pixels } else { I32x4(e.pick_bytes(pixels.0, order)) };
    if constants == 0 {
        return pixels;
    }
    let constants = e.i(constants as i32);
    e.ior(pixels, constants)
}
