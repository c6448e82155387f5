//! Random transfers for differential tests.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::transfer::{
    BitField, ByteSource, Convert, ConvertKey, Copy, Corner, Fill, FillRect, FillRectKey, Halve, Layout, PixelFields,
    PixelLayout, Rearrange, RearrangeKey, Repack, RepackKey, Resample, ResampleKey, Scale, Taps, TransferJob,
    TransferKey,
};
use super::window::Window;
use super::window::buffer;
use crate::format::PixelFormat;
use crate::layout::{Block, SurfaceLayout};

/// A job with the memory it works on.
#[derive(Debug)]
pub struct Case {
    /// The kernel that it is for.
    pub key: TransferKey,
    /// The numbers of the job; its windows are empty.
    pub job: TransferJob<'static>,
    /// All of the memory.
    memory: Vec<AtomicU8>,
    /// Where the source and the target begin in it and their lengths.
    source: (usize, usize),
    target: (usize, usize),
    /// Columns of a job that has some.
    columns: Vec<Taps>,
}

/// One random transfer, of an arbitrary kind. `rng` gives 32 random bits a call.
pub fn case(rng: &mut impl FnMut() -> u32) -> Case {
    match rng() % 16 {
        14 | 15 => repack(rng),
        0 => fill(rng),
        1 | 2 => copy(rng),
        3 | 4 => rearrange(rng),
        5 | 6 => fill_rect(rng),
        7 | 8 => resample(rng),
        9 => halve(rng),
        _ => {
            let key = convert_key(rng);
            convert(rng, key)
        }
    }
}

/// Source and target apart from each other, or now and then anywhere in the same memory.
fn place(rng: &mut impl FnMut() -> u32, key: TransferKey, job: TransferJob<'static>, sizes: [usize; 2]) -> Case {
    let (gap, offset) = (rng() as usize % 40, rng() as usize % 20);
    let source = (offset, sizes[0]);
    let mut target = (offset + sizes[0] + gap, sizes[1]);
    if rng().is_multiple_of(12) {
        target.0 = rng() as usize % (sizes[0] + 1);
    }
    let length = (source.0 + source.1).max(target.0 + target.1) + 17;
    let words = (0..length.div_ceil(4)).flat_map(|_| rng().to_le_bytes());
    let bytes: Vec<u8> = words.take(length).collect();
    Case { key, job, memory: buffer(&bytes), source, target, columns: Vec::new() }
}

/// Now and then, once in `n` times, one of the windows ends early.
fn cut(rng: &mut impl FnMut() -> u32, n: u32, sizes: &mut [usize; 2]) {
    if rng().is_multiple_of(n) {
        let side = rng() as usize % 2;
        sizes[side] = rng() as usize % (sizes[side] + 1);
    }
}

/// Random rows of `height`.
fn rows(rng: &mut impl FnMut() -> u32, height: u32) -> Range<u32> {
    let first = if rng().is_multiple_of(3) { rng() % height } else { 0 };
    first..first + rng() % (height - first + 1)
}

/// A random fill.
pub fn fill(rng: &mut impl FnMut() -> u32) -> Case {
    let value = if rng().is_multiple_of(4) { (rng() & 0xFF) * 0x0101_0101 } else { rng() };
    let size = match rng() % 4 {
        0 => rng() as usize % 300_000,
        1 => rng() as usize % 5000,
        _ => rng() as usize % 200,
    };
    let key = TransferKey::Fill { bytes: 2 + (rng() % 3) as u8 };
    let job = TransferJob::Fill(Fill { target: Window::default(), value });
    place(rng, key, job, [0, size])
}

/// A random copy.
pub fn copy(rng: &mut impl FnMut() -> u32) -> Case {
    let mut below = |n: usize| rng() as usize % n;
    let unit = [1, 16][below(2)];
    let size = below(400) * unit;
    let lines = [0, 1].map(|_| (1 + below(20)) * unit);
    let gaps = [0, 1].map(|_| below(2) * below(10) * unit);
    let room = |line: usize, gap: usize| size + size.saturating_sub(1) / line * gap;
    let mut sizes = [room(lines[0], gaps[0]), room(lines[1], gaps[1])];
    if below(10) == 0 {
        // One of the windows ends early.
        sizes[below(2)] = below(size + 1);
    }
    let job = TransferJob::Copy(Copy {
        source: Window::default(),
        target: Window::default(),
        size,
        source_line: lines[0],
        source_gap: gaps[0],
        target_line: lines[1],
        target_gap: gaps[1],
    });
    place(rng, TransferKey::Copy, job, sizes)
}

/// A random pair of formats and layouts.
pub fn convert_key(rng: &mut impl FnMut() -> u32) -> ConvertKey {
    let layout = |bits: u32| match bits % 8 {
        0..=2 => Layout::Linear,
        7 => Layout::Tiled(Block::B32),
        _ => Layout::Tiled(Block::B8),
    };
    let input = PixelFormat::ALL[rng() as usize % 5];
    let output = if rng().is_multiple_of(3) { input } else { PixelFormat::ALL[rng() as usize % 5] };
    let scale = [Scale::None, Scale::None, Scale::Half, Scale::Quarter][rng() as usize % 4];
    ConvertKey { input, output, input_layout: layout(rng()), output_layout: layout(rng()), scale }
}

/// A random conversion of a small image: mostly of whole blocks, some of odd sizes or with windows that end early.
pub fn convert(rng: &mut impl FnMut() -> u32, key: ConvertKey) -> Case {
    let odd = rng().is_multiple_of(6);
    let mut size = |most: u32| match odd {
        true => 1 + rng() % (8 * most),
        false => 8 * (1 + rng() % most),
    };
    let (mut width, height) = (size(6), size(5));
    if key.output_layout == Layout::Tiled(Block::B32) && !odd {
        width = width.next_multiple_of(32);
    }
    let (shift_x, shift_y) = key.scale.shifts();
    let mut wider = |width: u32| if rng().is_multiple_of(3) { width + 8 * (rng() % 5) } else { width };
    let (mut source_width, target_width) = (wider(width << shift_x), wider(width));
    if odd && rng().is_multiple_of(2) {
        source_width = 1 + rng() % 64;
    }
    let (mut start, mut end) = (0, height);
    if rng().is_multiple_of(3) {
        let step = if odd { 1 } else { 8 };
        start = rng() % (height / step).max(1) * step;
        end = start + rng() % ((height - start) / step + 1) * step;
    }
    let whole = |layout: Layout, pitch: u32, width: u32, rows: u32, bytes: u32| {
        let pixels = match layout {
            Layout::Linear => pitch * rows.saturating_sub(1) + width,
            Layout::Tiled(block) => {
                let edge = block.edge();
                rows.saturating_sub(1) / edge * edge * pitch + width.next_multiple_of(edge) * edge
            }
        };
        (pixels * bytes) as usize
    };
    let mut sizes = [
        whole(key.input_layout, source_width, width << shift_x, height << shift_y, key.input.bytes()),
        whole(key.output_layout, target_width, width, height, key.output.bytes()),
    ];
    cut(rng, 8, &mut sizes);
    let flip = rng() & 1 != 0;
    let job = TransferJob::Convert(Convert {
        source: Window::default(),
        target: Window::default(),
        source_width,
        target_width,
        width,
        height,
        rows: start..end,
        flip,
    });
    place(rng, TransferKey::Convert(key), job, sizes)
}

/// A random image of at least `x` x `y` units, and the bytes it takes.
fn image(rng: &mut impl FnMut() -> u32, bytes: u32, [x, y]: [u32; 2]) -> (SurfaceLayout, u32, usize) {
    let log2 = |size: u32| size.next_power_of_two().trailing_zeros() as u8;
    let (layout, pitch) = match rng() % 3 {
        0 => (SurfaceLayout::Pitch, x * bytes + rng() % 3 * 16),
        1 => (SurfaceLayout::Swizzled { log2_width: log2(x), log2_height: log2(y) }, 0),
        _ => {
            let log2_gobs = (rng() % 4) as u8;
            (SurfaceLayout::BlockLinear { log2_gobs }, (x * bytes).div_ceil(64) + rng() % 2)
        }
    };
    (layout, pitch, (layout.offset(x - 1, y - 1, bytes, pitch) + u64::from(bytes)) as usize)
}

/// A random change of layout.
pub fn rearrange(rng: &mut impl FnMut() -> u32) -> Case {
    let bytes = 1 << (rng() % 5);
    // Now and then at odd places, mostly not.
    let unit = if rng().is_multiple_of(4) { 1 } else { 8 };
    let mut below = |n: u32| rng() % n;
    let (width, height) = (unit * (1 + below(6)), 1 + below(24));
    let [from, to] = [0, 1].map(|_| [unit * below(3), below(5)]);
    let mut side = |[x, y]: [u32; 2]| {
        let (layout, pitch, size) = image(rng, bytes, [x + width, y + height]);
        (Corner { layout, pitch, x, y }, size)
    };
    let ((from, source), (to, target)) = (side(from), side(to));
    let key = RearrangeKey { bytes: bytes as u8, source: from.layout.kind(), target: to.layout.kind() };
    let mut sizes = [source, target];
    cut(rng, 10, &mut sizes);
    let job =
        Rearrange { source: Window::default(), target: Window::default(), from, to, width, rows: rows(rng, height) };
    place(rng, TransferKey::Rearrange(key), TransferJob::Rearrange(job), sizes)
}

/// A random fill of a rectangle.
pub fn fill_rect(rng: &mut impl FnMut() -> u32) -> Case {
    let bytes = 1 << (rng() % 5);
    let unit = if rng().is_multiple_of(2) { 1 } else { 64 / bytes };
    let mut below = |n: u32| rng() % n;
    let (width, height) = (unit * (1 + below(6)), 1 + below(40));
    let [x, y] = [unit * below(3), below(3) * below(9)];
    let (layout, pitch, mut size) = image(rng, bytes, [x + width, y + height]);
    if rng().is_multiple_of(10) {
        size = rng() as usize % (size + 1);
    }
    let mut words = || [0; 4].map(|_| rng());
    let (value, mask) = (words(), words());
    let mask = match rng() % 3 {
        0 => [u32::MAX; 4],
        1 => [0xFFFF_FF00; 4],
        _ => mask,
    };
    let job = FillRect {
        target: Window::default(),
        to: Corner { layout, pitch, x, y },
        width,
        rows: rows(rng, height),
        value: bytemuck::cast(value),
        mask: bytemuck::cast(mask),
    };
    let key = FillRectKey { bytes: bytes as u8, layout: layout.kind() };
    place(rng, TransferKey::FillRect(key), TransferJob::FillRect(job), [0, size])
}

/// A random row of pixels from two rows of texels.
pub fn resample(rng: &mut impl FnMut() -> u32) -> Case {
    let texels = 1 + rng() % 60;
    let mut weight = || match rng() % 4 {
        0 => 0.0,
        1 => 0.5,
        _ => (rng() >> 8) as f32 * (1.0 / 16_777_216.0),
    };
    let (row, weights): (f32, Vec<f32>) = (weight(), (0..64).map(|_| weight()).collect());
    let width = rng() as usize % weights.len();
    let taps = |weight| Taps { first: rng() % texels, second: rng() % texels, weight };
    let columns: Vec<Taps> = weights.into_iter().take(width).map(taps).collect();
    let key = resample_key(rng);
    let mut sizes = [2 * 4 * texels as usize, 4 * width];
    cut(rng, 10, &mut sizes);
    let nothing = Window::default();
    let job = Resample { upper: nothing, lower: nothing, target: nothing, columns: &[], weight: row };
    Case { columns, ..place(rng, TransferKey::Resample(key), TransferJob::Resample(job), sizes) }
}

/// Bytes of pixels that are copied from texels' bytes or are constants; mostly all copied.
fn resample_key(rng: &mut impl FnMut() -> u32) -> ResampleKey {
    let as_it_is = rng().is_multiple_of(2);
    let byte = |n: u32, place: u8| match n % 9 {
        _ if as_it_is => ByteSource::Texel(place),
        8 => ByteSource::Constant(0),
        7 => ByteSource::Constant(255),
        _ => ByteSource::Texel((n % 9 % 4) as u8),
    };
    ResampleKey { bytes: [0, 1, 2, 3].map(|place| byte(rng(), place)) }
}

/// A random row of pixels at half the size.
pub fn halve(rng: &mut impl FnMut() -> u32) -> Case {
    let (key, width) = (resample_key(rng), rng() as usize % 40);
    let mut sizes = [2 * 8 * width, 4 * width];
    cut(rng, 10, &mut sizes);
    let nothing = Window::default();
    let job = Halve { upper: nothing, lower: nothing, target: nothing, width };
    place(rng, TransferKey::Halve(key), TransferJob::Halve(job), sizes)
}

/// A random format of pixels: channels that are bytes, or any bits, which may overlap in a source only.
fn fields(rng: &mut impl FnMut() -> u32, is_target: bool) -> PixelFields {
    let bytes = 2 + (rng() % 3) as u8;
    let mut free = 0;
    let whole = rng().is_multiple_of(2);
    let channels = [0; 4].map(|_| {
        let bits = if whole { 8 * (rng() % 2) as u8 } else { (rng() % 9) as u8 };
        let room = 8 * bytes;
        let shift = match is_target {
            true => free,
            false if whole => 8 * (rng() % u32::from(bytes)) as u8,
            false => (rng() % u32::from(room - bits + 1)) as u8,
        };
        let bits = bits.min(room - shift);
        free = if is_target { shift + bits } else { 0 };
        BitField { shift, bits }
    });
    PixelFields { bytes, big_endian: rng() & 1 != 0, channels }
}

/// Random pixels that get another format.
pub fn repack(rng: &mut impl FnMut() -> u32) -> Case {
    let (mut input, output) = (fields(rng, false), fields(rng, true));
    let layout = if rng().is_multiple_of(2) { PixelLayout::Rows } else { PixelLayout::Gobs };
    while layout == PixelLayout::Gobs && input.bytes == 3 {
        input = fields(rng, false);
    }
    let key = RepackKey { input, output, layout };
    let (width, rows) = (rng() as usize % 100, rng() as usize % 9);
    let [from, to] = [input.bytes, output.bytes].map(|bytes| width * usize::from(bytes));
    let target_stride = to + rng() as usize % 9;
    let (source_stride, from) = match layout {
        PixelLayout::Rows => (from + rng() as usize % 9, from),
        PixelLayout::Gobs => (512 << (rng() % 2), 512),
    };
    // In GOBs the rows are in the same bytes.
    let lines = if layout == PixelLayout::Rows { rows } else { (width * usize::from(input.bytes)).div_ceil(64) };
    let size = |lines: usize, stride: usize, line: usize| lines.checked_sub(1).map_or(0, |gaps| gaps * stride + line);
    let mut sizes = [size(lines, source_stride, from), size(rows, target_stride, to)];
    cut(rng, 10, &mut sizes);
    let nothing = Window::default();
    let job = Repack { source: nothing, target: nothing, width, rows, source_stride, target_stride };
    place(rng, TransferKey::Repack(key), TransferJob::Repack(job), sizes)
}

impl Case {
    /// Runs `transfer` on the job over a copy of the memory and returns that copy with its result.
    pub fn run<R>(&self, transfer: impl FnOnce(&TransferJob<'_>) -> R) -> (Vec<u8>, R) {
        let memory: Vec<AtomicU8> = self.memory.iter().map(|byte| AtomicU8::new(byte.load(Relaxed))).collect();
        let window = |(start, length): (usize, usize)| Window::new(&memory[start..start + length]);
        let (source, target) = (window(self.source), window(self.target));
        let result = transfer(&match self.job.clone() {
            TransferJob::Fill(job) => TransferJob::Fill(Fill { target, ..job }),
            TransferJob::Copy(job) => TransferJob::Copy(Copy { source, target, ..job }),
            TransferJob::Convert(job) => TransferJob::Convert(Convert { source, target, ..job }),
            TransferJob::Rearrange(job) => TransferJob::Rearrange(Rearrange { source, target, ..job }),
            TransferJob::Repack(job) => TransferJob::Repack(Repack { source, target, ..job }),
            TransferJob::FillRect(job) => TransferJob::FillRect(FillRect { target, ..job }),
            TransferJob::Halve(job) => {
                let (upper, lower) = (source.first(source.len() / 2), source.from(source.len() / 2));
                TransferJob::Halve(Halve { upper, lower, target, ..job })
            }
            TransferJob::Resample(job) => {
                let (upper, lower) = (source.first(source.len() / 2), source.from(source.len() / 2));
                TransferJob::Resample(Resample { upper, lower, target, columns: &self.columns, ..job })
            }
        });
        (memory.into_iter().map(AtomicU8::into_inner).collect(), result)
    }

    /// The memory before the transfer.
    pub fn before(&self) -> Vec<u8> {
        self.memory.iter().map(|byte| byte.load(Relaxed)).collect()
    }

    /// Where the target begins in the memory, and its length.
    pub fn target(&self) -> (usize, usize) {
        self.target
    }

    /// Where the source begins in the memory, and its length.
    pub fn source(&self) -> (usize, usize) {
        self.source
    }
}
