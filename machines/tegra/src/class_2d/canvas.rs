//! The destination with its clip rectangle and operation, written row by row.

use std::sync::atomic::AtomicU8;

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::window::buffer;
use triglyph_guest::tegra::methods::twod::regs;

use super::operation::Operation;
pub use super::operation::Source;
use super::pixel::Codec;
use super::surface::{Rect, Surface};
use crate::copy::image;
use crate::copy::image::Size;
use crate::core::Core;
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::copy_out;

/// Bytes of the destination that are held at a time, about.
const BAND: u64 = 1 << 18;

/// What faults call it.
const WHAT: &str = "a destination of the 2D class";

/// Where pixels go.
#[derive(Clone, Debug)]
pub struct Canvas {
    /// The surface.
    pub surface: Surface,
    /// The pixels of it that may be written.
    pub area: Rect,
    /// The raster operation.
    pub operation: Operation,
}

/// What a canvas has to know of who paints on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Painter {
    /// Whether pixels may be left as they are.
    pub skips: bool,
    /// About what a pixel costs, in nanoseconds.
    pub cost: u64,
}

impl Canvas {
    /// The canvas that the registers describe.
    pub fn of(core: &mut Core, registers: &Registers) -> Option<Canvas> {
        let get = |id: usize| registers.get(id);
        let surface = Surface::destination(core, registers)?;
        let mut area = surface.rect();
        if regs::set_clip_enable::v(get(regs::set_clip_enable::ID)) {
            let first = [regs::set_clip_x0::ID, regs::set_clip_y0::ID].map(|id| get(id) as i32);
            let size = [regs::set_clip_width::ID, regs::set_clip_height::ID].map(|id| i64::from(get(id)));
            area = area.and(Rect::new(first, size));
        }
        let operation = Operation::of(core, registers, &surface.codec);
        Some(Canvas { surface, area, operation })
    }

    /// The format of its pixels.
    pub fn codec(&self) -> &Codec {
        &self.surface.codec
    }

    /// Writes `rect`, which lies in the area, row by row: `paint` fills a row, whose number it gets.
    pub fn paint(
        &self,
        core: &mut Core,
        rect: Rect,
        painter: Painter,
        mut paint: impl FnMut(&mut Core, i64, &mut [Source]),
    ) {
        let mut row = vec![Source::Nothing; rect.width() as usize];
        let mut bytes = vec![0; row.len() * self.codec().bytes as usize];
        let old = painter.skips || self.codec().has_gaps() || self.operation.reads_destination();
        self.rows(core, rect, painter.cost, old, |core, y, window| {
            if old {
                copy_out(window, &mut bytes);
            }
            paint(core, y, &mut row);
            self.row(rect.x0, y, &row, &mut bytes, old);
            window.write(0, &bytes);
        });
    }

    /// Writes `rect`, which lies in the area, row by row: `fill` gets the number of a row and its bytes, with `old` as
    /// the destination holds them. A pixel costs about `cost` nanoseconds.
    pub fn rows(
        &self,
        core: &mut Core,
        rect: Rect,
        cost: u64,
        old: bool,
        mut fill: impl FnMut(&mut Core, i64, Window<'_>),
    ) {
        if rect.is_empty() {
            return;
        }
        let row_bytes = rect.width() * u64::from(self.codec().bytes);
        let band = (BAND / row_bytes).clamp(1, rect.height()) as u32;
        let mut bytes = std::mem::take(&mut core.rows[0]);
        if bytes.len() < row_bytes as usize * band as usize {
            bytes.resize_with(row_bytes as usize * band as usize, AtomicU8::default);
        }
        let mut y = rect.y0;
        while y < rect.y1 {
            let rows = (rect.y1 - y).min(band.into()) as u32;
            if !core.budget.spend((cost + 4) * rect.width() * u64::from(rows)) {
                let (width, height) = (rect.width(), rect.height());
                let what = format_args!("a 2D operation on {width}x{height} pixels exceeds the budget");
                return core.fault(FaultKind::OutOfFuel, 0, what);
            }
            let spot = self.surface.spot(rect.x0 as u32, y as u32);
            let size = Size { row_bytes, rows };
            let window = Window::new(&bytes[..row_bytes as usize * rows as usize]);
            if old {
                image::load(core, WHAT, spot, size, window, row_bytes);
            }
            for (row, y) in (0..rows as usize).zip(y..) {
                fill(core, y, window.from(row * row_bytes as usize).first(row_bytes as usize));
            }
            image::store(core, WHAT, window, row_bytes, spot, size);
            y += i64::from(rows);
        }
        core.rows[0] = bytes;
    }

    /// Turns a row of sources into bytes. `old`: the bytes are what the destination holds.
    fn row(&self, x0: i64, y: i64, row: &[Source], bytes: &mut [u8], old: bool) {
        let codec = self.codec();
        for ((source, pixel), x) in row.iter().zip(bytes.chunks_exact_mut(codec.bytes as usize)).zip(x0..) {
            let before = if old { codec.read(pixel) } else { [0; 4] };
            let words = match *source {
                Source::Nothing => continue,
                _ if !self.operation.is_copy() => self.operation.apply(codec, [x, y], *source, before),
                Source::Bits(words) => words,
                Source::Color(color) => codec.encode(color, before),
            };
            codec.write(words, pixel);
        }
    }

    /// Writes `rect`, of which the part in the area counts, with one source.
    pub fn fill(&self, core: &mut Core, rect: Rect, source: Source) {
        let rect = rect.and(self.area);
        if rect.is_empty() {
            return;
        }
        let codec = self.codec();
        if !self.operation.is_copy() || codec.has_gaps() {
            let painter = Painter { skips: false, cost: 16 };
            return self.paint(core, rect, painter, |_, _, row| row.fill(source));
        }
        let words = match source {
            Source::Nothing => return,
            Source::Bits(words) => words,
            Source::Color(color) => codec.encode(color, [0; 4]),
        };
        let mut row = vec![0; rect.width() as usize * codec.bytes as usize];
        row.chunks_exact_mut(codec.bytes as usize).for_each(|pixel| codec.write(words, pixel));
        let row = buffer(&row);
        let size = Size { row_bytes: row.len() as u64, rows: rect.height() as u32 };
        // The same row again and again: rows of the buffer are 0 bytes apart.
        image::store(core, WHAT, Window::new(&row), 0, self.surface.spot(rect.x0 as u32, rect.y0 as u32), size);
    }
}
