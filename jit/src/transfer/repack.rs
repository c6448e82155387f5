//! Pixels in another format: sixteen at a time, by moving bytes where channels are bytes, otherwise bits.

#![allow(unsafe_code)]

use std::mem::offset_of;
use std::sync::atomic::Ordering::Relaxed;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::transfer::{BitField, PixelFields, Repack, RepackKey, TransferJob};
use triglyph_guest::kernel::{TransferKernel, Unsupported};
use triglyph_guest::num::ops::Ops;

use super::{WRONG_JOB, overlap};
use crate::code::{Code, Compiler};
use crate::lane::{Emit, I32x4};

/// Arguments of the code.
#[repr(C)]
struct Args {
    source: *const u8,
    target: *mut u8,
    /// End of the target, of which there is at least one group.
    end: *const u8,
}

/// Pixels that a turn of the loop does.
const GROUP: usize = 16;
/// Bytes of the largest pixel.
const MAX_BYTES: usize = 4;

/// Makes rows of pixels of another format.
pub(super) struct Kernel {
    code: Code,
    /// Bytes of a pixel: source, target.
    bytes: [usize; 2],
}

impl Kernel {
    pub fn new(compiler: &Compiler, key: &RepackKey) -> Result<Kernel, Unsupported> {
        if !key.input.is_sound() || !key.output.is_sound() {
            return Err(Unsupported("pixels of an odd form"));
        }
        let bytes = [key.input.bytes, key.output.bytes].map(usize::from);
        Ok(Kernel { code: compiler.compile(1, |e| build(e, key))?, bytes })
    }

    /// Runs the code on whole groups of pixels.
    ///
    /// # Safety
    /// `source` and `target` have as many bytes as `count` pixels, a multiple of [`GROUP`], take there.
    unsafe fn groups(&self, source: *const u8, target: *mut u8, count: usize) {
        if count != 0 {
            let args = Args { source, target, end: target.wrapping_add(count * self.bytes[1]) };
            // SAFETY: the code reads and writes the bytes of `count` pixels, which the caller has promised.
            unsafe { self.code.call(&args) };
        }
    }
}

impl TransferKernel for Kernel {
    fn run(&self, job: &TransferJob<'_>) -> Result<(), Unsupported> {
        let TransferJob::Repack(job) = job else { return Err(WRONG_JOB) };
        let [from, to] = self.bytes;
        check(job, self.bytes)?;
        let (whole, rest) = (job.count / GROUP * GROUP, job.count % GROUP);
        // SAFETY: the windows have the bytes of all pixels by the check, and are mapped while the job borrows them.
        unsafe { self.groups(job.source.as_ptr(), job.target.as_ptr(), whole) };
        // The last few go through a group of their own.
        let (mut read, mut made) = ([0; GROUP * MAX_BYTES], [0; GROUP * MAX_BYTES]);
        for (to, byte) in read.iter_mut().zip(&job.source.from(whole * from).bytes()[..rest * from]) {
            *to = byte.load(Relaxed);
        }
        if rest != 0 {
            // SAFETY: both buffers have room for a group of the largest pixels.
            unsafe { self.groups(read.as_ptr(), made.as_mut_ptr(), GROUP) };
            job.target.write(whole * to, &made[..rest * to]);
        }
        Ok(())
    }

    fn code_bytes(&self) -> usize {
        self.code.bytes()
    }
}

/// Checks that the job stays within its windows, and that they share no bytes.
fn check(job: &Repack<'_>, [from, to]: [usize; 2]) -> Result<(), Unsupported> {
    let bytes = |each: usize| job.count.saturating_mul(each);
    let (reads, writes) = (bytes(from), bytes(to));
    if reads > job.source.len() || writes > job.target.len() {
        return Err(Unsupported("pixels beyond their windows"));
    }
    match overlap((job.source.as_ptr(), reads), (job.target.as_ptr(), writes)) {
        true => Err(Unsupported("pixels that overlap")),
        false => Ok(()),
    }
}

/// Emits the loop over groups.
fn build(e: &mut Emit<'_>, key: &RepackKey) -> Result<(), Unsupported> {
    let (turn, done) = (e.block(&[I64, I64]), e.block(&[]));
    let args = e.args;
    let source = e.load_i64(args, offset_of!(Args, source) as i32);
    let target = e.load_i64(args, offset_of!(Args, target) as i32);
    e.jump(turn, &[source, target]);

    e.switch_to(turn);
    let (source, target) = (e.parameter(turn, 0), e.parameter(turn, 1));
    for four in 0..GROUP as i64 / 4 {
        let from = e.b.ins().iadd_imm_u(source, four * 4 * i64::from(key.input.bytes));
        let to = e.b.ins().iadd_imm_u(target, four * 4 * i64::from(key.output.bytes));
        let pixels = load(e, &key.input, from);
        let made = match byte_order(key) {
            Some((order, constants)) => {
                let moved = I32x4(e.pick_bytes(pixels.0, order));
                let constants = e.i(constants as i32);
                e.ior(moved, constants)
            }
            None => repacked(e, key, pixels),
        };
        store(e, &key.output, made, to);
    }
    let next = e.b.ins().iadd_imm_u(source, GROUP as i64 * i64::from(key.input.bytes));
    let next_target = e.b.ins().iadd_imm_u(target, GROUP as i64 * i64::from(key.output.bytes));
    let args = e.args;
    let end = e.load_i64(args, offset_of!(Args, end) as i32);
    let more = e.b.ins().icmp(IntCC::UnsignedLessThan, next_target, end);
    e.branch(more, (turn, &[next, next_target]), (done, &[]));
    e.switch_to(done);
    let status = e.i64(0);
    e.finish(status);
    Ok(())
}

/// Four pixels as words.
fn load(e: &mut Emit<'_>, fields: &PixelFields, at: Value) -> I32x4 {
    let words = match fields.bytes {
        2 => e.load_4x16(at),
        3 => e.load_4x24(at),
        _ => e.load_ints(at, 0),
    };
    swapped(e, fields, words)
}

fn store(e: &mut Emit<'_>, fields: &PixelFields, words: I32x4, at: Value) {
    let words = swapped(e, fields, words);
    match fields.bytes {
        2 => e.store_4x16(words, at),
        3 => e.store_4x24(words, at),
        _ => e.store(words.0, at, 0),
    }
}

/// Words in the other byte order, if the pixels have it.
fn swapped(e: &mut Emit<'_>, fields: &PixelFields, words: I32x4) -> I32x4 {
    if !fields.big_endian {
        return words;
    }
    let mut order = [Emit::NO_BYTE; 16];
    for (at, byte) in order.iter_mut().enumerate() {
        let (lane, within) = (at / 4, at % 4);
        if within < usize::from(fields.bytes) {
            *byte = (4 * lane + usize::from(fields.bytes) - 1 - within) as u8;
        }
    }
    I32x4(e.pick_bytes(words.0, order))
}

/// How bytes move, and the bits that are set, if every channel is a byte of the words.
fn byte_order(key: &RepackKey) -> Option<([u8; 16], u32)> {
    let is_byte = |field: &BitField| field.bits == 0 || field.bits == 8 && field.shift.is_multiple_of(8);
    if !key.input.channels.iter().chain(&key.output.channels).all(is_byte) {
        return None;
    }
    let (mut order, mut constants) = ([Emit::NO_BYTE; 16], 0);
    for (from, to) in key.input.channels.iter().zip(&key.output.channels) {
        match (from.bits, to.bits) {
            (_, 0) => {}
            (0, _) => constants |= 0xFF << to.shift,
            _ => (0..4).for_each(|lane| order[4 * lane + usize::from(to.shift / 8)] = 4 * lane as u8 + from.shift / 8),
        }
    }
    Some((order, constants))
}

/// Words of the target's form.
fn repacked(e: &mut Emit<'_>, key: &RepackKey, pixels: I32x4) -> I32x4 {
    let channels = || key.input.channels.iter().zip(&key.output.channels).filter(|(_, to)| to.bits != 0);
    // Widened and cut again they are what they were.
    let stays = |from: &BitField, to: &BitField| from == to;
    let kept = channels().filter(|(from, to)| stays(from, to));
    let kept = kept.fold(0, |mask: u32, (_, to)| mask | ((1 << to.bits) - 1) << to.shift);
    let kept = e.i(kept as i32);
    let mut words = e.iand(pixels, kept);
    for (from, to) in channels().filter(|(from, to)| !stays(from, to)) {
        let value = if from.bits == 0 { e.i(255) } else { widened(e, from, pixels) };
        let cut = e.ushr(value, 8 - u32::from(to.bits));
        let placed = e.ishl(cut, to.shift.into());
        words = e.ior(words, placed);
    }
    words
}

/// A field of the pixels as 8 bits: its own, repeated from the highest on.
fn widened(e: &mut Emit<'_>, field: &BitField, pixels: I32x4) -> I32x4 {
    let down = e.ushr(pixels, field.shift.into());
    let mask = e.i((1 << field.bits) - 1);
    let value = e.iand(down, mask);
    let mut wide = e.ishl(value, 8 - u32::from(field.bits));
    let mut filled = u32::from(field.bits);
    while filled < 8 {
        // The next copy begins where the last one ends; its low bits may fall off.
        let place = 8 - filled as i32 - i32::from(field.bits);
        let copy = if place >= 0 { e.ishl(value, place as u32) } else { e.ushr(value, place.unsigned_abs()) };
        wide = e.ior(wide, copy);
        filled += u32::from(field.bits);
    }
    wide
}
