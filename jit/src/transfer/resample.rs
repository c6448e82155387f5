//! Resampling: the four bytes of a pixel side by side, pixel after pixel.

#![allow(unsafe_code)]

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::transfer::{ByteSource, Resample, ResampleKey, Taps, TransferJob};
use triglyph_guest::kernel::{MachineCode, TransferKernel, Unsupported};
use triglyph_guest::num::ops::Ops;

use super::{WRONG_JOB, overlap};
use crate::code::{Code, Compiler};
use crate::lane::{Emit, F32x4, I32x4};

/// Arguments of the code.
#[repr(C)]
struct ResampleArgs {
    upper: *const u8,
    lower: *const u8,
    target: *mut u8,
    columns: *const Taps,
    /// End of the columns, of which there is at least one.
    end: *const Taps,
    /// Weight of the lower row.
    weight: f32,
}

/// Makes rows of pixels.
pub(super) struct CompiledResample {
    code: Code<ResampleArgs>,
}

impl CompiledResample {
    pub fn new(compiler: &Compiler, key: &ResampleKey) -> Result<CompiledResample, Unsupported> {
        Ok(CompiledResample { code: compiler.compile(1, |e| build(e, key))? })
    }
}

impl TransferKernel for CompiledResample {
    fn run(&self, job: &TransferJob<'_>) -> Result<(), Unsupported> {
        let TransferJob::Resample(job) = job else { return Err(WRONG_JOB) };
        check(job)?;
        let columns = job.columns.as_ptr_range();
        let mut args = ResampleArgs {
            upper: job.upper.as_ptr(),
            lower: job.lower.as_ptr(),
            target: job.target.as_ptr(),
            columns: columns.start,
            end: columns.end,
            weight: job.weight,
        };
        if !job.columns.is_empty() {
            // SAFETY: the code reads the texels that the columns name of either row and writes four bytes for each
            // column, all of which the windows have by the check; those are mapped as long as the job borrows them.
            unsafe { self.code.call(&raw mut args) };
        }
        Ok(())
    }

    fn code(&self) -> MachineCode {
        self.code.made()
    }
}

/// Checks that the job stays within its windows and that pixels and texels share no bytes.
fn check(job: &Resample<'_>) -> Result<(), Unsupported> {
    let last = job.columns.iter().fold(0, |last, taps| taps.first.max(taps.second).max(last));
    let (reads, writes) = (4 * (last as usize + 1), 4 * job.columns.len());
    if reads > job.upper.len() || reads > job.lower.len() || writes > job.target.len() {
        return Err(Unsupported("a row beyond its windows"));
    }
    let target = (job.target.as_ptr().cast_const(), writes);
    match [job.upper, job.lower].iter().any(|row| overlap((row.as_ptr(), reads), target)) {
        true => Err(Unsupported("a row that overlaps its texels")),
        false => Ok(()),
    }
}

/// Emits the loop over pixels.
fn build(e: &mut Emit<'_>, key: &ResampleKey) -> Result<(), Unsupported> {
    let (turn, done) = (e.block(&[I64, I64]), e.block(&[]));
    let args = e.args;
    let columns = e.load_i64(args, offset_of!(ResampleArgs, columns) as i32);
    let target = e.load_i64(args, offset_of!(ResampleArgs, target) as i32);
    e.jump(turn, &[columns, target]);

    e.switch_to(turn);
    let (taps, target) = (e.parameter(turn, 0), e.parameter(turn, 1));
    let args = e.args;
    let across = e.load_splat_f32(taps, offset_of!(Taps, weight) as i32);
    let texels = [offset_of!(Taps, first), offset_of!(Taps, second)].map(|at| e.load_i32(taps, at as i32));
    let rows = [offset_of!(ResampleArgs, upper), offset_of!(ResampleArgs, lower)].map(|row| {
        let row = e.load_i64(args, row as i32);
        let [first, second] = texels.map(|texel| number(e, key, row, texel));
        mix(e, first, second, across)
    });
    let down = e.load_splat_f32(args, offset_of!(ResampleArgs, weight) as i32);
    let color = mix(e, rows[0], rows[1], down);
    // No number is so far outside of 0 to 1 that it would have to be clamped.
    let (scale, half) = (e.f(255.0), e.f(0.5));
    let scaled = e.mul(color, scale);
    let rounded = e.add(scaled, half);
    let ints = e.truncate_to_int(rounded);
    let packed = e.pick_bytes(ints.0, PACK);
    let pixel = e.lane(I32x4(packed), 0);
    e.store(pixel, target, 0);

    let next = e.b.ins().iadd_imm_u(taps, size_of::<Taps>() as i64);
    let next_target = e.b.ins().iadd_imm_u(target, 4);
    let end = e.load_i64(args, offset_of!(ResampleArgs, end) as i32);
    let more = e.b.ins().icmp(IntCC::UnsignedLessThan, next, end);
    e.branch(more, (turn, &[next, next_target]), (done, &[]));
    e.switch_to(done);
    e.succeed();
    Ok(())
}

/// The low bytes of the lanes, and zeros.
const PACK: [u8; 16] = {
    let mut order = [Emit::NO_BYTE; 16];
    let mut lane = 0;
    while lane < 4 {
        order[lane] = 4 * lane as u8;
        lane += 1;
    }
    order
};

/// The bytes of a texel as numbers, in the pixel's order.
fn number(e: &mut Emit<'_>, key: &ResampleKey, row: Value, texel: Value) -> F32x4 {
    let address = e.address(row, texel, 2);
    let word = e.load_splat_i32(address, 0);
    let (mut order, mut constants) = ([Emit::NO_BYTE; 16], [0; 4]);
    for (lane, source) in key.bytes.into_iter().enumerate() {
        match source {
            ByteSource::Texel(byte) => order[4 * lane] = byte & 3,
            ByteSource::Constant(byte) => constants[lane] = byte.into(),
        }
    }
    let mut bytes = I32x4(e.pick_bytes(word.0, order));
    if constants != [0; 4] {
        let constants = e.ints(constants);
        bytes = e.ior(bytes, constants);
    }
    let (number, unit) = (e.to_float(bytes), e.f(1.0 / 255.0));
    e.mul(number, unit)
}

fn mix(e: &mut Emit<'_>, a: F32x4, b: F32x4, weight: F32x4) -> F32x4 {
    let difference = e.sub(b, a);
    let part = e.mul(difference, weight);
    e.add(a, part)
}
