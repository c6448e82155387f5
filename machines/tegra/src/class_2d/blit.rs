//! Blits: a rectangle of the source, at any scale, into one of the destination.
//!
//! Destination pixel i of a row reads the source at `u = x0 + i * du`, both 32.32, and rows likewise:
//!
//! | filter | texels | weight of the second |
//! |---|---|---|
//! | point | floor(u) | - |
//! | bilinear, origin CENTER | floor(u), floor(u) + 1 | fraction of u |
//! | bilinear, origin CORNER | the same of u - 1/2 | fraction of u - 1/2 |
//!
//! Texels outside of the source are those at its edge. Integers are not filtered. The source is read as if nothing had
//! been written. With a step of two and CORNER, as drivers resolve 2x2 samples, the mean of four texels comes out. The
//! colour key counts with the point filter only (unverified).
//!
//! Formats of four bytes that are numbers from 0 to 1 go through a transfer kernel, which does what is done here for
//! the others.

use std::sync::atomic::AtomicU8;

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::transfer::{Copy, Halve, Resample, ResampleKey, Taps, TransferJob, TransferKey};
use triglyph_guest::tegra::methods::twod::regs;
use triglyph_guest::tegra::methods::twod::{BlitFilter, SampleOrigin};

use super::bands::Bands;
use super::canvas::{Canvas, Painter, Source};
use super::pixel::{Codec, Color};
use super::surface::{Rect, Surface};
use crate::copy::image;
use crate::copy::image::Size;
use crate::core::Core;
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::copy_out;

/// One texel, 32.32.
const ONE: i64 = 1 << 32;

/// Source bytes that are held at most when source and destination overlap.
const MAX_HELD: u64 = 1 << 28;

/// Rows of the source that are read together.
const ROWS: u32 = 16;

/// What faults call it.
const WHAT: &str = "a source of the 2D class";

/// How an axis is sampled.
#[derive(Clone, Copy, Debug)]
struct Axis {
    /// Coordinate that the first pixel of the blit reads.
    start: i64,
    /// From pixel to pixel.
    step: i64,
    /// Whether two texels count.
    bilinear: bool,
}

impl Axis {
    /// Coordinate of pixel `i`.
    fn at(&self, i: i64) -> i128 {
        i128::from(self.start) + i128::from(self.step) * i128::from(i)
    }

    /// What pixel `i` reads of `size` texels.
    fn taps(&self, i: i64, size: u32) -> Taps {
        let at = self.at(i);
        let clamp = |texel: i128| texel.clamp(0, i128::from(size) - 1) as u32;
        let first = at >> 32;
        match self.bilinear {
            false => Taps { first: clamp(first), second: clamp(first), weight: 0.0 },
            true => {
                // 24 bits are exact in an f32.
                let weight = (at as u64 >> 8 & 0xFF_FFFF) as f32 * (1.0 / 16_777_216.0);
                Taps { first: clamp(first), second: clamp(first + 1), weight }
            }
        }
    }

    /// Whether all coordinates are those of texels.
    fn is_whole(&self) -> bool {
        self.start % ONE == 0 && self.step % ONE == 0
    }

    /// The texel of pixel `i` if from there on `count` pixels read one texel each, in order, all within `size`.
    fn one_to_one(&self, i: i64, count: u64, size: u32) -> Option<u32> {
        let first = u32::try_from(self.at(i) >> 32).ok()?;
        (self.step == ONE && !self.bilinear && u64::from(first) + count <= size.into()).then_some(first)
    }
}

/// Does the blit that the registers describe.
pub fn blit(core: &mut Core, registers: &Registers, enabled: bool) {
    if !enabled {
        return;
    }
    let get = |id: usize| registers.get(id);
    let long = |frac: usize| i64::from(get(frac)) | i64::from(get(frac + 1) as i32) << 32;
    let Some(canvas) = Canvas::of(core, registers) else { return };
    let Some(source) = Surface::source(core, registers) else { return };
    let first =
        [regs::set_pixels_from_memory_dst_x0::ID, regs::set_pixels_from_memory_dst_y0::ID].map(|id| get(id) as i32);
    let size = [regs::set_pixels_from_memory_dst_width::ID, regs::set_pixels_from_memory_dst_height::ID];
    let rect = Rect::new(first, size.map(|id| i64::from(get(id) as i32))).and(canvas.area);
    if rect.is_empty() || source.size.contains(&0) {
        return;
    }
    let mode = get(regs::set_pixels_from_memory_sample_mode::ID);
    let integers = source.codec.is_integer() || canvas.codec().is_integer();
    let bilinear = regs::set_pixels_from_memory_sample_mode::filter(mode) == Some(BlitFilter::Bilinear) && !integers;
    let corner = regs::set_pixels_from_memory_sample_mode::origin(mode) == Some(SampleOrigin::Corner);
    let axis = |start: usize, step: usize| {
        let start = long(start).wrapping_sub(if bilinear && corner { ONE / 2 } else { 0 });
        Axis { start, step: long(step), bilinear }
    };
    let mut axes = [
        axis(regs::set_pixels_from_memory_src_x0_frac::ID, regs::set_pixels_from_memory_du_dx_frac::ID),
        axis(regs::set_pixels_from_memory_src_y0_frac::ID, regs::set_pixels_from_memory_dv_dy_frac::ID),
    ];
    if axes.iter().all(Axis::is_whole) {
        // Only first texels have weight.
        axes.iter_mut().for_each(|axis| axis.bilinear = false);
    }
    let blit = Blit { canvas, source, first: first.map(i64::from), rect, axes };
    blit.run(core);
}

/// A blit.
struct Blit {
    canvas: Canvas,
    source: Surface,
    /// Where the blit's first pixel would be.
    first: [i64; 2],
    /// What is written.
    rect: Rect,
    axes: [Axis; 2],
}

impl Blit {
    fn run(&self, core: &mut Core) {
        let overlap = self.source.may_overlap(&self.canvas.surface);
        if let Some([x, y]) = self.as_it_is().filter(|_| !overlap) {
            let bytes = u64::from(self.source.codec.bytes);
            let size = Size { row_bytes: self.rect.width() * bytes, rows: self.rect.height() as u32 };
            let to = self.canvas.surface.spot(self.rect.x0 as u32, self.rect.y0 as u32);
            return image::copy(core, "a blit", self.source.spot(x, y), to, size);
        }
        let taps = |axis: usize, from: i64, to: i64| -> Vec<Taps> {
            let taps = |i| self.axes[axis].taps(i - self.first[axis], self.source.size[axis]);
            (from..to).map(taps).collect()
        };
        let (columns, rows) = (taps(0, self.rect.x0, self.rect.x1), taps(1, self.rect.y0, self.rect.y1));
        let Some(mut texels) = Texels::new(core, &self.source, &columns, &rows, overlap) else { return };
        let (from, to) = (&self.source.codec, self.canvas.codec());
        let key = self.canvas.operation.key();
        let painter = Painter { skips: key.is_some(), cost: if self.axes[0].bilinear { 24 } else { 8 } };
        let plain = self.canvas.operation.is_copy() && key.is_none();
        if let Some(bytes) = to.made_of(from, self.axes[0].bilinear).filter(|_| plain) {
            self.resample(core, &mut texels, columns, &rows, ResampleKey { bytes }, painter.cost);
            return texels.release(core);
        }
        let (bits, first_column) = (from.is_same_as(to), texels.first_column);
        self.canvas.paint(core, self.rect, painter, |core, y, row| {
            let vertical = rows[(y - self.rect.y0) as usize];
            if self.axes[0].bilinear {
                let [upper, lower] = texels.colors(core, vertical);
                for (pixel, taps) in row.iter_mut().zip(&columns) {
                    *pixel = Source::Color(filter(upper, lower, taps, vertical.weight, first_column));
                }
                return;
            }
            let line = texels.bytes(core, vertical.first);
            for (pixel, taps) in row.iter_mut().zip(&columns) {
                let texel = from.read(&line[(taps.first - first_column) as usize * from.bytes as usize..]);
                *pixel = match key {
                    Some(key) if key.matches(from, texel) => Source::Nothing,
                    _ if bits => Source::Bits(texel),
                    _ if from.is_integer() && to.is_integer() => Source::Bits(to.convert(from, texel, [0; 4])),
                    _ => Source::Color(from.decode(texel)),
                };
            }
        });
        texels.release(core);
    }

    /// Has a kernel make the rows.
    fn resample(
        &self,
        core: &mut Core,
        texels: &mut Texels<'_>,
        mut columns: Vec<Taps>,
        rows: &[Taps],
        key: ResampleKey,
        cost: u64,
    ) {
        for taps in &mut columns {
            taps.first -= texels.first_column;
            taps.second -= texels.first_column;
        }
        let halves = are_halves(&columns, rows);
        let key = if halves { TransferKey::Halve(key) } else { TransferKey::Resample(key) };
        let kernel = core.renderer.kernels.transfer(&key);
        let old = self.canvas.codec().has_gaps();
        let bands = Bands {
            canvas: &self.canvas,
            source: &self.source,
            rect: self.rect,
            columns: &columns,
            rows,
            first_column: texels.first_column,
            row_bytes: texels.row_bytes,
            kernel: &kernel,
            halves,
            cost,
        };
        if !old && texels.together.is_some() && bands.run(core) {
            return;
        }
        self.canvas.rows(core, self.rect, cost, old, |core, y, target| {
            let vertical = rows[(y - self.rect.y0) as usize];
            let [upper, lower] = texels.lines(core, vertical);
            let (columns, weight) = (&columns[..], vertical.weight);
            kernel.run(&match halves {
                true => TransferJob::Halve(Halve { upper, lower, target, width: columns.len() }),
                false => TransferJob::Resample(Resample { upper, lower, target, columns, weight }),
            });
        });
    }

    /// Where the first texel is if the blit only moves bytes.
    fn as_it_is(&self) -> Option<[u32; 2]> {
        let [horizontal, vertical] = self.axes;
        let [width, height] = self.source.size;
        let bits = self.source.codec.is_same_as(self.canvas.codec());
        let plain = self.canvas.operation.is_copy() && self.canvas.operation.key().is_none();
        if !bits || !plain {
            return None;
        }
        let x = horizontal.one_to_one(self.rect.x0 - self.first[0], self.rect.width(), width)?;
        let y = vertical.one_to_one(self.rect.y0 - self.first[1], self.rect.height(), height)?;
        Some([x, y])
    }
}

/// Whether each pixel is the mean of two texels of two rows, those of all columns one after the other.
fn are_halves(columns: &[Taps], rows: &[Taps]) -> bool {
    let is_pair = |taps: &Taps| taps.weight == 0.5 && taps.second == taps.first + 1;
    let in_order = columns.iter().zip((0..).step_by(2)).all(|(taps, first)| taps.first == first && is_pair(taps));
    in_order && rows.iter().all(is_pair)
}

/// The mean of four texels.
#[inline]
fn filter(upper: &[Color], lower: &[Color], taps: &Taps, down: f32, first: u32) -> Color {
    let (a, b) = ((taps.first - first) as usize, (taps.second - first) as usize);
    // Without weight even an infinity does not count.
    let mix = |a: f32, b: f32, weight: f32| if weight == 0.0 { a } else { a + (b - a) * weight };
    std::array::from_fn(|i| {
        let (above, below) = (mix(upper[a][i], upper[b][i], taps.weight), mix(lower[a][i], lower[b][i], taps.weight));
        mix(above, below, down)
    })
}

/// Rows of the source, as far as they are needed, a few at a time.
struct Texels<'s> {
    surface: &'s Surface,
    /// The first column that is read.
    first_column: u32,
    /// Bytes of a row, from that column to the last one that is read.
    row_bytes: u64,
    /// The rows that are read at all.
    first_row: u32,
    last_row: u32,
    /// Rows that are read together, from a multiple of this number on; `None`: all of them.
    together: Option<u32>,
    /// The first row that is held, and the bytes.
    held: Option<(u32, Vec<AtomicU8>)>,
    /// A row as plain bytes.
    bytes: Vec<u8>,
    /// Two neighbouring rows, the even one first, with their numbers.
    lines: [(Option<u32>, Vec<AtomicU8>); 2],
    /// The colours of two such rows.
    colors: [(Option<u32>, Vec<Color>); 2],
}

impl<'s> Texels<'s> {
    /// Prepares to read what these columns and rows want. `at_once`: all of it is read now.
    fn new(core: &mut Core, surface: &'s Surface, columns: &[Taps], rows: &[Taps], at_once: bool) -> Option<Self> {
        let range = |taps: &[Taps]| {
            let all = || taps.iter().flat_map(|taps| [taps.first, taps.second]);
            Some((all().min()?, all().max()?))
        };
        let ((first_column, last_column), (first_row, last_row)) = (range(columns)?, range(rows)?);
        let row_bytes = (u64::from(last_column - first_column) + 1) * u64::from(surface.codec.bytes);
        let height = (last_row - first_row).saturating_add(1);
        let skipping = u64::from(height) > 8 * rows.len() as u64;
        let together = (!at_once).then_some(if skipping { 1 } else { ROWS });
        let held = row_bytes.saturating_mul(height.min(together.unwrap_or(u32::MAX)).into());
        if held > MAX_HELD {
            core.fault(FaultKind::OutOfFuel, 0, format_args!("{WHAT}: {held:#x} bytes at once exceed the budget"));
            return None;
        }
        let mut texels = Texels {
            surface,
            first_column,
            row_bytes,
            first_row,
            last_row,
            together,
            held: None,
            bytes: Vec::new(),
            lines: Default::default(),
            colors: Default::default(),
        };
        if at_once {
            texels.row(core, first_row);
        }
        Some(texels)
    }

    /// Leaves the buffer to the next blit.
    fn release(self, core: &mut Core) {
        if let Some((_, bytes)) = self.held {
            core.rows[1] = bytes;
        }
    }

    /// The first and the last row that are read together with this one.
    fn band(&self, y: u32) -> (u32, u32) {
        match self.together {
            None => (self.first_row, self.last_row),
            Some(together) => {
                let first = y - y % together;
                (first.max(self.first_row), self.last_row.min(first.saturating_add(together - 1)))
            }
        }
    }

    /// The bytes of a row.
    fn row(&mut self, core: &mut Core, y: u32) -> Window<'_> {
        let (first, last) = self.band(y);
        let held = match self.held.take() {
            Some((at, bytes)) if at == first => bytes,
            old => {
                let size = Size { row_bytes: self.row_bytes, rows: last - first + 1 };
                let mut bytes = old.map_or_else(|| std::mem::take(&mut core.rows[1]), |(_, bytes)| bytes);
                bytes.clear();
                bytes.resize_with((self.row_bytes * u64::from(size.rows)) as usize, AtomicU8::default);
                let spot = self.surface.spot(self.first_column, first);
                image::load(core, WHAT, spot, size, Window::new(&bytes), self.row_bytes);
                bytes
            }
        };
        let start = u64::from(y - first) * self.row_bytes;
        let (_, held) = self.held.insert((first, held));
        Window::new(&held[start as usize..][..self.row_bytes as usize])
    }

    /// The same as plain bytes.
    fn bytes(&mut self, core: &mut Core, y: u32) -> &[u8] {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.resize(self.row_bytes as usize, 0);
        copy_out(self.row(core, y), &mut bytes);
        self.bytes = bytes;
        &self.bytes
    }

    /// The bytes of the two rows of `taps`.
    fn lines(&mut self, core: &mut Core, taps: Taps) -> [Window<'_>; 2] {
        let band = self.band(taps.first);
        if band == self.band(taps.second) {
            // Nothing else has to be held meanwhile.
            self.row(core, taps.first);
            let Some((first, held)) = &self.held else { return [Window::default(); 2] };
            let row = |y: u32| {
                let start = u64::from(y - first) * self.row_bytes;
                Window::new(&held[start as usize..][..self.row_bytes as usize])
            };
            return [taps.first, taps.second].map(row);
        }
        for y in [taps.first, taps.second] {
            let slot = y as usize % 2;
            if self.lines[slot].0 == Some(y) {
                continue;
            }
            let mut line = std::mem::take(&mut self.lines[slot].1);
            line.resize_with(self.row_bytes as usize, AtomicU8::default);
            let copy = core.renderer.kernels.transfer(&TransferKey::Copy);
            let (source, target) = (self.row(core, y), Window::new(&line));
            let size = source.len();
            let [source_line, target_line] = [size; 2];
            let job = Copy { source, target, size, source_line, source_gap: 0, target_line, target_gap: 0 };
            copy.run(&TransferJob::Copy(job));
            self.lines[slot] = (Some(y), line);
        }
        [taps.first, taps.second].map(|y| Window::new(&self.lines[y as usize % 2].1))
    }

    /// The colours of the two rows of `taps`.
    fn colors(&mut self, core: &mut Core, taps: Taps) -> [&[Color]; 2] {
        for y in [taps.first, taps.second] {
            let slot = y as usize % 2;
            if self.colors[slot].0 == Some(y) {
                continue;
            }
            let mut colors = std::mem::take(&mut self.colors[slot].1);
            let codec: Codec = self.surface.codec;
            let row = self.bytes(core, y);
            colors.clear();
            colors.extend(row.chunks_exact(codec.bytes as usize).map(|texel| codec.decode(codec.read(texel))));
            self.colors[slot] = (Some(y), colors);
        }
        [taps.first, taps.second].map(|y| &self.colors[y as usize % 2].1[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taps_follow_filter_and_are_kept_inside() {
        let point = Axis { start: ONE / 2, step: ONE + ONE / 2, bilinear: false };
        assert_eq!([0, 1, 2, -1, 9].map(|i| point.taps(i, 6).first), [0, 2, 3, 0, 5]);
        let bilinear = Axis { start: ONE / 4, step: ONE / 2, bilinear: true };
        let taps = |i| {
            let Taps { first, second, weight } = bilinear.taps(i, 2);
            (first, second, weight)
        };
        assert_eq!([0, 1, 2, -1].map(taps), [(0, 1, 0.25), (0, 1, 0.75), (1, 1, 0.25), (0, 0, 0.75)]);
        // The far ends of what registers hold.
        let far = Axis { start: i64::MIN, step: i64::MAX, bilinear: true };
        assert_eq!((far.taps(0, 9).first, far.taps(i64::from(i32::MAX), 9).first), (0, 8));
    }

    #[test]
    fn halves_are_found() {
        let taps = |first: u32, second: u32, weight: f32| Taps { first, second, weight };
        let columns = [taps(0, 1, 0.5), taps(2, 3, 0.5)];
        assert!(are_halves(&columns, &[taps(7, 8, 0.5)]));
        // At the edge, at another scale, with another weight.
        assert!(!are_halves(&[taps(0, 0, 0.5)], &[taps(7, 8, 0.5)]));
        assert!(!are_halves(&[taps(0, 1, 0.5), taps(1, 2, 0.5)], &[taps(7, 8, 0.5)]));
        assert!(!are_halves(&columns, &[taps(7, 8, 0.25)]));
    }

    #[test]
    fn one_to_one_is_within_the_source() {
        let axis = |start, step, bilinear| Axis { start, step, bilinear };
        assert_eq!(axis(3 * ONE + 5, ONE, false).one_to_one(2, 5, 10), Some(5));
        assert_eq!(axis(3 * ONE, ONE, false).one_to_one(2, 6, 10), None);
        assert_eq!(axis(-ONE, ONE, false).one_to_one(0, 1, 10), None);
        assert_eq!(axis(ONE, ONE, true).one_to_one(0, 1, 10), None);
        assert_eq!(axis(ONE, ONE + 1, false).one_to_one(0, 1, 10), None);
    }
}
