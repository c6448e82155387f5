//! Fills.

#![allow(unsafe_code)]

use std::mem::offset_of;

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use triglyph_guest::kernel::transfer::{Fill, TransferJob};
use triglyph_guest::kernel::{MachineCode, TransferKernel, Unsupported};

use super::WRONG_JOB;
use crate::code::{Code, Compiler};
use crate::lane::Emit;

/// Bytes that hold every pattern, and three vectors, a whole number of times.
const PERIOD: usize = 48;

/// Bytes that one iteration of the compiled loop stores: whole periods and whole cache lines.
const TURN: usize = 4 * PERIOD;

/// Bytes of the source that long fills are copied from.
const SOURCE: usize = 64 * TURN;

/// From here on copying a source that stays in the cache is faster than storing: the host's memcpy has ways to write
/// whole lines without reading them first.
const LONG: usize = 768 << 10;

/// Arguments of the code.
#[repr(C)]
struct FillArgs {
    pattern: [u8; PERIOD],
    target: *mut u8,
    /// End of the last iteration.
    end: *mut u8,
}

/// Repeats a pattern of `bytes` bytes.
pub(super) struct CompiledFill {
    bytes: usize,
    turns: Code<FillArgs>,
}

impl CompiledFill {
    pub fn new(compiler: &Compiler, bytes: u8) -> Result<CompiledFill, Unsupported> {
        Ok(CompiledFill { bytes: bytes.into(), turns: compiler.compile(1, build)? })
    }

    fn fill(&self, job: &Fill<'_>) {
        let value = job.value.to_le_bytes();
        let pattern = &value[..self.bytes];
        let (target, length) = (job.target.as_ptr(), job.target.len());
        if pattern.iter().all(|byte| *byte == pattern[0]) {
            // SAFETY: exactly the window, whose bytes are mapped and writable (they are atomics) as long as the job
            // borrows it.
            unsafe { target.write_bytes(pattern[0], length) };
            return;
        }
        let period = |from: usize| std::array::from_fn(|i| pattern[(from + i) % pattern.len()]);
        // Up to a cache line, so that every following store lies in one.
        let head = target.align_offset(64).min(length);
        // SAFETY: `head` is at most the length of the window.
        unsafe { store(target, &period(0), head) };
        let pattern: [u8; PERIOD] = period(head);
        let mut done = head;
        if length >= LONG {
            let mut source = [0u8; SOURCE];
            source.chunks_exact_mut(PERIOD).for_each(|chunk| chunk.copy_from_slice(&pattern));
            while length - done >= SOURCE {
                // SAFETY: the window has `SOURCE` more bytes from `done` on; the source is an array on this stack.
                unsafe { target.add(done).copy_from_nonoverlapping(source.as_ptr(), SOURCE) };
                done += SOURCE;
            }
        }
        let turns = (length - done) / TURN * TURN;
        if turns > 0 {
            let target = target.wrapping_add(done);
            let mut args = FillArgs { pattern, target, end: target.wrapping_add(turns) };
            // SAFETY: the code writes the bytes from `target` to `end`, which lie in the window: `turns` is at most
            // what is left.
            unsafe { self.turns.call(&raw mut args) };
            done += turns;
        }
        // SAFETY: these are the bytes of the window that are left.
        unsafe { store(target.wrapping_add(done), &pattern, length - done) };
    }
}

/// Stores `length` bytes of a repeated pattern.
///
/// # Safety
/// `target` must be valid for writes of `length` bytes.
unsafe fn store(target: *mut u8, pattern: &[u8; PERIOD], length: usize) {
    for done in (0..length).step_by(PERIOD) {
        // SAFETY: `PERIOD` of the `length` bytes at `target`, or what is left of them; the pattern is no guest memory.
        unsafe { target.add(done).copy_from_nonoverlapping(pattern.as_ptr(), PERIOD.min(length - done)) };
    }
}

/// Emits the loop.
fn build(e: &mut Emit<'_>) -> Result<(), Unsupported> {
    let args = e.args;
    let pattern = [0, 16, 32].map(|at| e.load_ints(args, (offset_of!(FillArgs, pattern) + at) as i32));
    let start = e.load_i64(args, offset_of!(FillArgs, target) as i32);
    let end = e.load_i64(args, offset_of!(FillArgs, end) as i32);
    let (turn, done) = (e.block(&[I64]), e.block(&[]));
    e.jump(turn, &[start]);
    e.switch_to(turn);
    let target = e.parameter(turn, 0);
    for i in 0..TURN / 16 {
        e.store(pattern[i % 3].0, target, 16 * i as i32);
    }
    let next = e.b.ins().iadd_imm_u(target, TURN as i64);
    let more = e.b.ins().icmp(IntCC::UnsignedLessThan, next, end);
    e.branch(more, (turn, &[next]), (done, &[]));
    e.switch_to(done);
    e.succeed();
    Ok(())
}

impl TransferKernel for CompiledFill {
    fn run(&self, job: &TransferJob<'_>) -> Result<(), Unsupported> {
        let TransferJob::Fill(job) = job else { return Err(WRONG_JOB) };
        self.fill(job);
        Ok(())
    }

    fn code(&self) -> MachineCode {
        self.turns.made()
    }
}
