//! Transfer kernels: fills, copies, conversions and changes of layout, as `guest::kernel::transfer` states them.

use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::transfer::{
    BitField, ByteSource, Convert, ConvertKey, Copy, Fill, FillRect, Halve, Layout, PixelFields, PixelLayout,
    Rearrange, Repack, RepackKey, Resample, ResampleKey, Scale, TransferJob, TransferKey,
};
use triglyph_guest::kernel::{TransferKernel, Unsupported, Window};
use triglyph_guest::layout::surface::gob_offset;

/// A transfer kernel: its key.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    key: TransferKey,
}

impl Kernel {
    /// The kernel of `key`.
    pub fn new(key: &TransferKey) -> Self {
        Kernel { key: *key }
    }
}

impl TransferKernel for Kernel {
    fn run(&self, job: &TransferJob<'_>) -> Result<(), Unsupported> {
        match (&self.key, job) {
            (TransferKey::Fill { bytes }, TransferJob::Fill(job)) => fill(*bytes, job),
            (TransferKey::Copy, TransferJob::Copy(job)) => copy(job),
            (TransferKey::Convert(key), TransferJob::Convert(job)) => convert(key, job),
            (TransferKey::Rearrange(key), TransferJob::Rearrange(job)) => rearrange(key.bytes.into(), job),
            (TransferKey::FillRect(key), TransferJob::FillRect(job)) => fill_rect(key.bytes.into(), job),
            (TransferKey::Resample(key), TransferJob::Resample(job)) => resample(key, job),
            (TransferKey::Repack(key), TransferJob::Repack(job)) => repack(key, job),
            (TransferKey::Halve(key), TransferJob::Halve(job)) => halve(key, job),
            _ => return Err(Unsupported("a job of another key")),
        }
        Ok(())
    }
}

/// Repeats the low `bytes` bytes of the value over the whole window; the last repetition may be cut.
fn fill(bytes: u8, job: &Fill<'_>) {
    let pattern = job.value.to_le_bytes();
    let pattern = &pattern[..usize::from(bytes.clamp(1, 4))];
    job.target.note_write(0, job.target.len());
    for repetition in job.target.bytes().chunks(pattern.len()) {
        for (cell, &byte) in repetition.iter().zip(pattern) {
            cell.store(byte, Relaxed);
        }
    }
}

/// One side of a copy: its offset and the bytes left in its line.
struct Side {
    offset: usize,
    rest: usize,
    line: usize,
    gap: usize,
}

impl Side {
    fn new(line: usize, gap: usize) -> Self {
        Side { offset: 0, rest: line, line, gap }
    }

    fn advance(&mut self, bytes: usize) {
        self.offset = self.offset.saturating_add(bytes);
        self.rest -= bytes;
        if self.rest == 0 {
            self.rest = self.line;
            self.offset = self.offset.saturating_add(self.gap);
        }
    }
}

/// Copies run by run; a run ends where a line of either side does.
fn copy(job: &Copy<'_>) {
    if job.source_line == 0 || job.target_line == 0 {
        return;
    }
    let (mut source, mut target) =
        (Side::new(job.source_line, job.source_gap), Side::new(job.target_line, job.target_gap));
    let mut left = job.size;
    let mut run = Vec::new();
    // Offsets only grow: after the end of the target every write would be dropped.
    while left > 0 && target.offset < job.target.len() {
        let bytes = left.min(source.rest).min(target.rest);
        run.clear();
        run.resize(bytes.min(job.target.len() - target.offset), 0);
        let from = job.source.from(source.offset);
        from.note_read(0, run.len());
        for (byte, cell) in run.iter_mut().zip(from.bytes()) {
            *byte = cell.load(Relaxed);
        }
        job.target.write(target.offset, &run);
        source.advance(bytes);
        target.advance(bytes);
        left -= bytes;
    }
}

/// Converts rows of an image, pixel by pixel.
fn convert(key: &ConvertKey, job: &Convert<'_>) {
    let bytes = key.output.bytes();
    for y in job.rows.clone() {
        let out_y = if job.flip { job.height.wrapping_sub(1).wrapping_sub(y) } else { y };
        // No pixel of a row precedes its first one: a row that begins beyond the window is dropped as a whole.
        if offset(key.output_layout.index(0, out_y, job.target_width), bytes) >= job.target.len() {
            continue;
        }
        for x in 0..job.width {
            let color = average(key, job, x, y);
            let index = key.output_layout.index(x, out_y, job.target_width);
            job.target.write_word(offset(index, bytes), bytes, key.output.encode(color));
        }
    }
}

/// The source pixels of output pixel (`x`, `y`), reduced to one.
fn average(key: &ConvertKey, job: &Convert<'_>, x: u32, y: u32) -> [u8; 4] {
    let (shift_x, shift_y) = key.scale.shifts();
    let (x, y) = (x << shift_x, y << shift_y);
    let read = |index: u32| {
        let bytes = key.input.bytes();
        key.input.decode(job.source.read_word(offset(index, bytes), bytes))
    };
    let first = key.input_layout.index(x, y, job.source_width);
    let neighbour = |dx: u32, dy: u32| match key.input_layout {
        // The engine reads on in memory: neighbours are the next in Morton order (transfer engine, section 3.3).
        Layout::Tiled(_) => first.wrapping_add(dx + 2 * dy),
        Layout::Linear => Layout::Linear.index(x.wrapping_add(dx), y.wrapping_add(dy), job.source_width),
    };
    match key.scale {
        Scale::None => read(first),
        Scale::Half => mean([read(first), read(neighbour(1, 0))]),
        Scale::Quarter => mean([read(first), read(neighbour(1, 0)), read(neighbour(0, 1)), read(neighbour(1, 1))]),
    }
}

/// Per channel the truncated mean.
fn mean<const N: usize>(colors: [[u8; 4]; N]) -> [u8; 4] {
    std::array::from_fn(|channel| {
        let sum: u32 = colors.iter().map(|color| u32::from(color[channel])).sum();
        (sum / N as u32) as u8
    })
}

/// Byte offset of a pixel index.
fn offset(index: u32, bytes: u32) -> usize {
    index as usize * bytes as usize
}

/// Moves units one by one.
fn rearrange(bytes: u32, job: &Rearrange<'_>) {
    for y in job.rows.clone() {
        for x in 0..job.width {
            let [from, to] = [job.from.offset(x, y, bytes), job.to.offset(x, y, bytes)].map(|at| at as usize);
            let unit: [u8; 16] = job.source.read(from);
            job.target.write(to, &unit[..bytes as usize]);
        }
    }
}

/// Stores the bits of the mask in units one by one.
fn fill_rect(bytes: u32, job: &FillRect<'_>) {
    for y in job.rows.clone() {
        for x in 0..job.width {
            let at = job.to.offset(x, y, bytes) as usize;
            // Nothing else is read: the units beside it may be another thread's.
            for (i, (value, mask)) in job.value.iter().zip(job.mask).enumerate().take(bytes as usize) {
                let [stored] = job.target.read(at + i);
                job.target.write(at + i, &[stored & !mask | value & mask]);
            }
        }
    }
}

/// Makes pixels one by one.
fn resample(key: &ResampleKey, job: &Resample<'_>) {
    let mix = |a: f32, b: f32, weight: f32| a + (b - a) * weight;
    for (i, taps) in job.columns.iter().enumerate() {
        let texels =
            [job.upper, job.lower].map(|row| [taps.first, taps.second].map(|texel| row.read::<4>(texel as usize * 4)));
        let pixel = key.bytes.map(|source| match source {
            ByteSource::Constant(byte) => byte,
            ByteSource::Texel(byte) => {
                let number = |texel: [u8; 4]| f32::from(texel[usize::from(byte & 3)]) * (1.0 / 255.0);
                let [above, below] = texels.map(|[first, second]| mix(number(first), number(second), taps.weight));
                (mix(above, below, job.weight).clamp(0.0, 1.0) * 255.0 + 0.5) as u8
            }
        });
        job.target.write(4 * i, &pixel);
    }
}

/// Makes pixels one by one.
fn halve(key: &ResampleKey, job: &Halve<'_>) {
    for i in 0..job.width {
        let texel = |row: Window<'_>, n: usize| row.read::<4>(4 * (2 * i + n));
        let texels = [texel(job.upper, 0), texel(job.upper, 1), texel(job.lower, 0), texel(job.lower, 1)];
        let pixel = key.bytes.map(|source| match source {
            ByteSource::Constant(byte) => byte,
            ByteSource::Texel(byte) => {
                let sum: u32 = texels.iter().map(|texel| u32::from(texel[usize::from(byte & 3)])).sum();
                ((sum + 2) >> 2) as u8
            }
        });
        job.target.write(4 * i, &pixel);
    }
}

/// Writes pixels one by one.
fn repack(key: &RepackKey, job: &Repack<'_>) {
    let [from, to] = [key.input.bytes, key.output.bytes].map(|bytes| usize::from(bytes.min(4)));
    let pixels = (0..job.rows).flat_map(|y| (0..job.width).map(move |x| (x, y)));
    for (x, y) in pixels {
        let byte = x * from;
        let at = match key.layout {
            PixelLayout::Rows => y * job.source_stride + byte,
            PixelLayout::Gobs => byte / 64 * job.source_stride + gob_offset(byte as u32 % 64, y as u32) as usize,
        };
        let read: [u8; 4] = job.source.read(at);
        let word = word(&key.input, &read[..from]);
        let mut made = 0;
        for (input, output) in key.input.channels.iter().zip(&key.output.channels) {
            let channel = if input.bits == 0 { 255 } else { widened(input, word) };
            made |= (channel >> (8 - u32::from(output.bits))) << output.shift;
        }
        let mut bytes = [0; 4];
        bytes[..to].copy_from_slice(&made.to_le_bytes()[..to]);
        if key.output.big_endian {
            bytes[..to].reverse();
        }
        job.target.write(y * job.target_stride + x * to, &bytes[..to]);
    }
}

/// The word of a pixel.
fn word(fields: &PixelFields, bytes: &[u8]) -> u32 {
    let join = |word: u32, &byte: &u8| word << 8 | u32::from(byte);
    if fields.big_endian { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) }
}

/// A channel as 8 bits: its own from the highest on, over and over.
fn widened(field: &BitField, word: u32) -> u32 {
    let bits = u32::from(field.bits);
    let channel = word >> field.shift & ((1 << bits) - 1);
    let (mut wide, mut filled) = (0, 0);
    while filled < 8 {
        wide = wide << bits | channel;
        filled += bits;
    }
    wide >> (filled - 8)
}
