//! Calls of compiled conversions: supported jobs, and their bounds.

#![allow(unsafe_code)]

use std::ops::Range;

use triglyph_guest::kernel::transfer::{Convert, ConvertKey, Layout, TransferJob};
use triglyph_guest::kernel::{MachineCode, TransferKernel, Unsupported};
use triglyph_guest::layout::Block;

use super::args::ConversionArgs;
use super::{WRONG_JOB, image, overlap};
use crate::code::{Code, Compiler};

/// Largest supported edges and widths, in pixels: offsets stay far below 2^63.
const MAX_EDGE: u32 = 1 << 15;

/// Size of the code in guest instructions, for the choice of the effort: its values are short-lived, the better
/// allocator costs little.
const WEIGHT: u32 = 100;

/// A compiled conversion.
pub(super) struct CompiledConversion {
    key: ConvertKey,
    code: Code<ConversionArgs>,
    /// For flipped pictures, where that changes the order inside of squares.
    flipped: Option<Code<ConversionArgs>>,
}

impl CompiledConversion {
    pub fn new(compiler: &Compiler, key: &ConvertKey) -> Result<CompiledConversion, Unsupported> {
        let compile = |flip| compiler.compile(WEIGHT, |e| image::build(e, key, flip));
        let both_tiled = tiled(key.input_layout) && tiled(key.output_layout);
        let flipped = if both_tiled { Some(compile(true)?) } else { None };
        Ok(CompiledConversion { key: *key, code: compile(false)?, flipped })
    }

    /// The arguments for a job, if it is supported.
    fn args(&self, job: &Convert<'_>) -> Result<ConversionArgs, Unsupported> {
        let Convert { source_width, target_width, width, height, .. } = *job;
        let Range { start, end } = job.rows;
        let sizes = [source_width, target_width, width, height, end];
        if width % 8 != 0 || start % 8 != 0 || end % 8 != 0 || sizes.iter().any(|&size| size > MAX_EDGE) {
            return Err(Unsupported("a conversion of an odd size"));
        }
        let edge = match self.key.output_layout {
            Layout::Linear => 1,
            Layout::Tiled(block) => block.edge(),
        };
        if target_width < width.next_multiple_of(edge) {
            return Err(Unsupported("a conversion whose rows overlap"));
        }
        if job.flip && (end > height || tiled(self.key.output_layout) && height % 8 != 0) {
            return Err(Unsupported("an upside-down conversion of an odd size"));
        }
        let (shift_x, shift_y) = self.key.scale.shifts();
        let rows = if job.flip { height - end..height - start } else { start..end };
        let reads = extent(self.key.input_layout, source_width, width << shift_x, start << shift_y..end << shift_y);
        let writes = extent(self.key.output_layout, target_width, width, rows.clone());
        let (from, to) = (self.key.input.bytes() as usize, self.key.output.bytes() as usize);
        if reads.end * from > job.source.len() || writes.end * to > job.target.len() {
            return Err(Unsupported("a conversion beyond its windows"));
        }
        let host = |pointer: *mut u8, range: &Range<usize>, bytes: usize| {
            (pointer.cast_const().wrapping_add(range.start * bytes), range.len() * bytes)
        };
        if overlap(host(job.source.as_ptr(), &reads, from), host(job.target.as_ptr(), &writes, to)) {
            return Err(Unsupported("a conversion of an image into itself"));
        }
        let pitch = |layout, width: u32, bytes: usize| match layout {
            Layout::Linear => i64::from(width) * bytes as i64,
            Layout::Tiled(block) => i64::from(width * block.edge()) * bytes as i64,
        };
        let mut args = ConversionArgs {
            source: job.source.as_ptr().cast_const(),
            target: job.target.as_ptr(),
            source_pitch: pitch(self.key.input_layout, source_width, from),
            source_step: 0,
            target_pitch: pitch(self.key.output_layout, target_width, to),
            columns: width / 8,
            first: start / 8,
            end: end / 8,
            last: (height / 8).saturating_sub(1),
        };
        args.source_step = args.source_pitch << shift_y;
        if job.flip {
            let last = height as isize - 1;
            match (tiled(self.key.input_layout), tiled(self.key.output_layout)) {
                (true, true) => {}
                // Squares are the target's; the source is read from its last row on.
                (false, true) => {
                    (args.first, args.end) = (rows.start / 8, rows.end / 8);
                    args.source = args.source.wrapping_offset(last * args.source_step as isize);
                    args.source_step = -args.source_step;
                }
                (_, false) => {
                    args.target = args.target.wrapping_offset(last * args.target_pitch as isize);
                    args.target_pitch = -args.target_pitch;
                }
            }
        }
        Ok(args)
    }
}

fn tiled(layout: Layout) -> bool {
    layout != Layout::Linear
}

/// Pixels of an image of `pitch` pixels a row that lie between the first and the last one of a rectangle of whole
/// 8x8 squares.
fn extent(layout: Layout, pitch: u32, width: u32, rows: Range<u32>) -> Range<usize> {
    if rows.is_empty() || width == 0 {
        return 0..0;
    }
    let (pitch, width) = (pitch as usize, width as usize);
    let (first, last) = (rows.start as usize, rows.end as usize - 1);
    match layout {
        Layout::Linear => first * pitch..last * pitch + width,
        Layout::Tiled(Block::B8) => first * pitch..(last & !7) * pitch + width * 8,
        // Whole blocks that the rectangle intersects: bytes between its squares are not touched.
        Layout::Tiled(Block::B32) => (first & !31) * pitch..(last & !31) * pitch + width.next_multiple_of(32) * 32,
    }
}

impl TransferKernel for CompiledConversion {
    fn run(&self, job: &TransferJob<'_>) -> Result<(), Unsupported> {
        let TransferJob::Convert(job) = job else { return Err(WRONG_JOB) };
        let mut args = self.args(job)?;
        if args.first < args.end && args.columns > 0 {
            let code = self.flipped.as_ref().filter(|_| job.flip).unwrap_or(&self.code);
            // SAFETY: the code reads and writes the squares of the job's rectangle, for which `args` has compared the
            // extents with the windows; those are mapped for as long as the job borrows them, and what others write
            // there meanwhile is read as it comes.
            unsafe { code.call(&raw mut args) };
        }
        Ok(())
    }

    fn code(&self) -> MachineCode {
        let mut made = self.code.made();
        made.bytes += self.flipped.as_ref().map_or(0, Code::bytes);
        made
    }
}
