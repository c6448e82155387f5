//! Pixel format conversion: eight at a time, by moving bytes where channels are bytes, otherwise bits.
//!
//! The code is two loops, over groups of pixels and over rows. Rows without gaps are done one after the other; in GOBs
//! all rows of one are done before the next, as they are near each other in memory.

#![allow(unsafe_code)]

use std::mem::offset_of;
use std::sync::atomic::Ordering::Relaxed;

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use triglyph_guest::kernel::transfer::{PixelLayout, Repack, RepackKey, TransferJob};
use triglyph_guest::kernel::{MachineCode, TransferKernel, Unsupported};
use triglyph_guest::layout::surface::gob_offset;

use super::pixels::repack_eight;
use super::{WRONG_JOB, overlap};
use crate::code::{Code, Compiler};
use crate::lane::Emit;

/// Arguments of the code.
#[repr(C)]
struct RepackArgs {
    source: *const u8,
    target: *mut u8,
    /// Whole groups of pixels in a row, at least 1.
    groups: u64,
    /// Rows, at least 1; in GOBs at most 8.
    rows: u64,
    /// Bytes from a row to the next, in GOBs from a group to the next.
    source_stride: u64,
    /// Bytes from a row to the next.
    target_stride: u64,
}

/// Pixels of a group in rows without gaps.
const GROUP: usize = 16;
/// Bytes of a row of a GOB, which is a group, and of all its rows.
const GOB_ROW: usize = 64;
const GOB: usize = 512;
const GOB_ROWS: usize = 8;

/// Makes rows of pixels of another format.
pub(super) struct CompiledRepack {
    code: Code<RepackArgs>,
    layout: PixelLayout,
    /// Bytes of a pixel: source, target.
    bytes: [usize; 2],
}

impl CompiledRepack {
    pub fn new(compiler: &Compiler, key: &RepackKey) -> Result<CompiledRepack, Unsupported> {
        if !key.is_sound() {
            return Err(Unsupported("pixels of an odd form"));
        }
        let bytes = [key.input.bytes, key.output.bytes].map(usize::from);
        Ok(CompiledRepack { code: compiler.compile(1, |e| build(e, key))?, layout: key.layout, bytes })
    }

    /// Pixels of a group.
    fn group(&self) -> usize {
        match self.layout {
            PixelLayout::Rows => GROUP,
            PixelLayout::Gobs => GOB_ROW / self.bytes[0],
        }
    }

    /// Runs the code on `groups` whole groups of pixels of each row.
    ///
    /// # Safety
    /// `source` and `target` have as many bytes as these take there.
    unsafe fn groups(&self, source: *const u8, target: *mut u8, groups: usize, job: &Repack<'_>, target_stride: usize) {
        if groups != 0 && job.rows != 0 {
            let (groups, rows) = (groups as u64, job.rows as u64);
            let (source_stride, target_stride) = (job.source_stride as u64, target_stride as u64);
            let mut args = RepackArgs { source, target, groups, rows, source_stride, target_stride };
            // SAFETY: the code reads and writes the bytes of these groups, which the caller has promised.
            unsafe { self.code.call(&raw mut args) };
        }
    }

    /// The last few pixels of each row go through groups of their own.
    fn ends(&self, job: &Repack<'_>, whole: usize, rest: usize) {
        let [from, to] = self.bytes;
        let row_bytes = self.group() * to;
        let mut made = [0; GOB_ROWS * GOB_ROW * 2];
        match self.layout {
            PixelLayout::Rows => {
                let mut read = [0; GROUP * 4];
                let one = Repack { rows: 1, ..*job };
                for y in 0..job.rows {
                    let source = job.source.from(y * job.source_stride + whole * from);
                    for (to, byte) in read.iter_mut().zip(&source.bytes()[..rest * from]) {
                        *to = byte.load(Relaxed);
                    }
                    // SAFETY: both buffers have room for a group of the largest pixels.
                    unsafe { self.groups(read.as_ptr(), made.as_mut_ptr(), 1, &one, row_bytes) };
                    job.target.write(y * job.target_stride + whole * to, &made[..rest * to]);
                }
            }
            PixelLayout::Gobs => {
                let source = job.source.from(whole / self.group() * job.source_stride);
                // SAFETY: the window has a whole GOB there by the check, and the buffer room for its rows.
                unsafe { self.groups(source.as_ptr(), made.as_mut_ptr(), 1, job, row_bytes) };
                for (y, row) in made.chunks(row_bytes).take(job.rows).enumerate() {
                    job.target.write(y * job.target_stride + whole * to, &row[..rest * to]);
                }
            }
        }
    }
}

impl TransferKernel for CompiledRepack {
    fn run(&self, job: &TransferJob<'_>) -> Result<(), Unsupported> {
        let TransferJob::Repack(job) = job else { return Err(WRONG_JOB) };
        if job.width == 0 || job.rows == 0 {
            return Ok(());
        }
        check(job, self)?;
        let rest = job.width % self.group();
        let whole = job.width - rest;
        // SAFETY: the windows have the bytes of all pixels by the check, and are mapped while the job borrows them.
        unsafe {
            let groups = whole / self.group();
            self.groups(job.source.as_ptr(), job.target.as_ptr(), groups, job, job.target_stride);
        }
        if rest != 0 {
            self.ends(job, whole, rest);
        }
        Ok(())
    }

    fn code(&self) -> MachineCode {
        self.code.made()
    }
}

/// Checks that the job stays within its windows, and that they share no bytes.
fn check(job: &Repack<'_>, kernel: &CompiledRepack) -> Result<(), Unsupported> {
    let [from, to] = kernel.bytes;
    let rows = |stride: usize, row: usize| stride.checked_mul(job.rows - 1)?.checked_add(row);
    let reads = match kernel.layout {
        PixelLayout::Rows => job.width.checked_mul(from).and_then(|row| rows(job.source_stride, row)),
        PixelLayout::Gobs if job.rows > GOB_ROWS => None,
        PixelLayout::Gobs => {
            let gobs = job.width.div_ceil(kernel.group());
            job.source_stride.checked_mul(gobs - 1).and_then(|last| last.checked_add(GOB))
        }
    };
    let writes = job
        .width
        .checked_mul(to)
        .and_then(|row| rows(job.target_stride, row).filter(|_| job.target_stride >= row || job.rows == 1));
    match (reads, writes) {
        (Some(reads), Some(writes)) if reads <= job.source.len() && writes <= job.target.len() => {
            match overlap((job.source.as_ptr(), reads), (job.target.as_ptr(), writes)) {
                true => Err(Unsupported("pixels that overlap")),
                false => Ok(()),
            }
        }
        _ => Err(Unsupported("pixels beyond their windows")),
    }
}

/// Emits the loops.
fn build(e: &mut Emit<'_>, key: &RepackKey) -> Result<(), Unsupported> {
    let (outer, inner) = (e.block(&[I64, I64, I64]), e.block(&[I64, I64, I64]));
    let (next, done) = (e.block(&[]), e.block(&[]));
    let args = e.args;
    let argument = |e: &mut Emit<'_>, offset: usize| e.load_i64(args, offset as i32);
    let (source, target) = (argument(e, offset_of!(RepackArgs, source)), argument(e, offset_of!(RepackArgs, target)));
    let (groups, rows) = (argument(e, offset_of!(RepackArgs, groups)), argument(e, offset_of!(RepackArgs, rows)));
    let source_stride = argument(e, offset_of!(RepackArgs, source_stride));
    let target_stride = argument(e, offset_of!(RepackArgs, target_stride));
    let [from, to] = [key.input.bytes, key.output.bytes].map(i64::from);
    let gobs = key.layout == PixelLayout::Gobs;
    let pixels = if gobs { GOB_ROW as i64 / from } else { GROUP as i64 };
    let group_bytes = e.i64(pixels * to);
    let (outer_count, inner_count) = if gobs { (groups, rows) } else { (rows, groups) };
    e.jump(outer, &[source, target, outer_count]);

    e.switch_to(outer);
    let [source, target, left] = [0, 1, 2].map(|at| e.parameter(outer, at));
    let zero = e.i64(0);
    e.jump(inner, &[source, target, zero]);

    e.switch_to(inner);
    let [at, to_at, index] = [0, 1, 2].map(|parameter| e.parameter(inner, parameter));
    for eight in 0..pixels / 8 {
        // In GOBs bytes that follow each other are 16 in a run.
        let halves = [0, 1].map(|half| {
            let bytes = (8 * eight + 4 * half) * from;
            let offset = if gobs { gob_offset(bytes as u32, 0).into() } else { bytes };
            e.b.ins().iadd_imm_u(at, offset)
        });
        let target = e.b.ins().iadd_imm_u(to_at, 8 * eight * to);
        repack_eight(e, key, halves, target);
    }
    let index = e.b.ins().iadd_imm_u(index, 1);
    let (next_at, next_target) = match gobs {
        // Rows of a GOB by turns 16 and 48 bytes apart.
        true => {
            let odd = e.b.ins().band_imm_u(index, 1);
            let pair = e.b.ins().isub(index, odd);
            let (odd, pair) = (e.b.ins().ishl_imm_u(odd, 4), e.b.ins().ishl_imm_u(pair, 5));
            let row = e.b.ins().iadd(odd, pair);
            (e.b.ins().iadd(source, row), e.b.ins().iadd(to_at, target_stride))
        }
        false => (e.b.ins().iadd_imm_u(at, pixels * from), e.b.ins().iadd(to_at, group_bytes)),
    };
    let more = e.b.ins().icmp(IntCC::UnsignedLessThan, index, inner_count);
    e.branch(more, (inner, &[next_at, next_target, index]), (next, &[]));

    e.switch_to(next);
    let source = e.b.ins().iadd(source, source_stride);
    let target = e.b.ins().iadd(target, if gobs { group_bytes } else { target_stride });
    let one = e.i64(1);
    let left = e.b.ins().isub(left, one);
    e.branch(left, (outer, &[source, target, left]), (done, &[]));
    e.switch_to(done);
    e.succeed();
    Ok(())
}
