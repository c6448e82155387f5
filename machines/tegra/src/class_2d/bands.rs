//! Rows of a blit that a kernel makes, in bands that any thread may do.

use std::cell::RefCell;
use std::sync::atomic::AtomicU8;
use std::time::Duration;

use triglyph_engine::cache::{Handle, kinds};
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::GuestRange;
use triglyph_engine::sched::Scheduler;
use triglyph_engine::transfer::{Outcome, Transfers};
use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::transfer::{Halve, Resample, Taps, TransferJob};

use super::canvas::Canvas;
use super::surface::{Rect, Surface};
use crate::copy::image;
use crate::copy::image::Size;
use crate::core::Core;

/// Bytes of the source that a band has, about: they stay in a core's own cache.
const BAND: u64 = 1 << 17;

/// Bytes of a row of the source at most: a band has 64 rows and more.
const MAX_ROW: u64 = 1 << 20;

/// What faults call it.
const WHAT: &str = "a blit";

thread_local! {
    /// Rows of the source and of the destination, kept for the next band.
    static BUFFERS: RefCell<[Vec<AtomicU8>; 2]> = RefCell::default();
}

/// A blit whose rows a kernel makes.
pub struct Bands<'b> {
    pub canvas: &'b Canvas,
    pub source: &'b Surface,
    /// What is written.
    pub rect: Rect,
    /// What the pixels of a row take, counted from the first column that is read.
    pub columns: &'b [Taps],
    pub rows: &'b [Taps],
    pub first_column: u32,
    /// Bytes of a row of the source, as far as it is read.
    pub row_bytes: u64,
    /// The kernel, and whether it makes means of four.
    pub kernel: &'b Handle<kinds::Transfer>,
    pub halves: bool,
    /// About what a pixel costs, in nanoseconds.
    pub cost: u64,
}

impl Bands<'_> {
    /// Does the blit, as far as there is fuel. False, and nothing is done, where rows follow each other in their order:
    /// where the images, or rows of the target, share memory, where they are not there as a whole or very wide, or few
    /// of the source's rows are read.
    pub fn run(&self, core: &mut Core) -> bool {
        let Some((source, target)) = self.ranges(core) else { return false };
        let height = self.rect.height() as usize;
        let rows = self.rows_of_band();
        let bands: Vec<_> = (0..height).step_by(rows).map(|first| first..(first + rows).min(height)).collect();
        let affordable = bands.iter().take_while(|band| self.afford(core, band)).count();
        if affordable == 0 {
            return true;
        }
        let Core { renderer, memory, space, .. } = core;
        renderer.transfer_ranges(memory, Some(source), Some(target), |transfers| {
            let alone = Scheduler::alone();
            let of_band = Transfers::new(transfers.memory, transfers.kernels, &alone);
            let cost = Duration::from_nanos(self.rect.width() * height as u64);
            transfers.scheduler.for_each(affordable, cost, |i| self.band(&of_band, *space, bands[i].clone()));
            Outcome::default()
        });
        true
    }

    /// Where the images are, if each lies in one piece and they have no bytes in common.
    fn ranges(&self, core: &Core) -> Option<(GuestRange, GuestRange)> {
        let (first, last) = span(self.rows)?;
        if self.row_bytes > MAX_ROW || u64::from(last - first) > 8 * self.rows.len() as u64 {
            return None;
        }
        let (from, size) = (self.source.spot(self.first_column, first), self.source_size(first, last));
        let source = image::whole(core, from, size, false)?;
        let to = self.canvas.surface.spot(self.rect.x0 as u32, self.rect.y0 as u32);
        let size = self.target_size(self.rect.height() as u32);
        let target = image::whole(core, to, size, true).filter(|_| to.has_rows_apart(size.row_bytes))?;
        let [a, b] = [source, target].map(|range| core.memory.readable(range.start).first(range.size as usize));
        (!a.overlaps(b)).then_some((source, target))
    }

    fn source_size(&self, first: u32, last: u32) -> Size {
        Size { row_bytes: self.row_bytes, rows: last - first + 1 }
    }

    fn target_size(&self, rows: u32) -> Size {
        Size { row_bytes: self.rect.width() * u64::from(self.canvas.codec().bytes), rows }
    }

    /// Rows of the destination that a band has.
    fn rows_of_band(&self) -> usize {
        let height = span(self.rows).map_or(1, |(first, last)| u64::from(last - first) + 1);
        let bytes_of_row = self.row_bytes * height.div_ceil(self.rows.len() as u64);
        // Whole GOBs have eight rows.
        ((BAND / bytes_of_row.max(1)).max(1) as usize).next_multiple_of(8)
    }

    /// Takes the fuel for a band.
    fn afford(&self, core: &mut Core, band: &std::ops::Range<usize>) -> bool {
        let Some((first, last)) = span(&self.rows[band.clone()]) else { return false };
        let (width, rows) = (self.rect.width(), band.len() as u64);
        if !core.budget.spend((self.cost + 4) * width * rows) {
            core.fault(
                FaultKind::OutOfFuel,
                0,
                format_args!("a 2D operation on {width}x{rows} pixels exceeds the budget"),
            );
            return false;
        }
        let (from, to) = self.spots(first, band.start);
        image::afford_load(core, WHAT, from, self.source_size(first, last))
            && image::afford_store(core, WHAT, to, self.target_size(band.len() as u32))
    }

    /// Where rows of the source and of the destination begin.
    fn spots(&self, source_row: u32, row: usize) -> (image::Spot, image::Spot) {
        let to = self.canvas.surface.spot(self.rect.x0 as u32, self.rect.y0 as u32).after(0, row as u32);
        (self.source.spot(self.first_column, source_row), to)
    }

    fn band(&self, transfers: &Transfers<'_>, space: u32, band: std::ops::Range<usize>) {
        let Some((first, last)) = span(&self.rows[band.clone()]) else { return };
        let (from_size, to_size) = (self.source_size(first, last), self.target_size(band.len() as u32));
        let (from, to) = self.spots(first, band.start);
        BUFFERS.with_borrow_mut(|[texels, pixels]| {
            let texels = window(texels, from_size);
            let pixels = window(pixels, to_size);
            image::load_whole(transfers, space, from, from_size, texels);
            for (at, vertical) in self.rows[band].iter().enumerate() {
                let line = |row: u32| {
                    texels.from((u64::from(row - first) * self.row_bytes) as usize).first(self.row_bytes as usize)
                };
                let target = pixels.from(at * to_size.row_bytes as usize).first(to_size.row_bytes as usize);
                self.row([line(vertical.first), line(vertical.second)], vertical.weight, target);
            }
            image::store_whole(transfers, space, pixels, to, to_size);
        });
    }

    fn row(&self, [upper, lower]: [Window<'_>; 2], weight: f32, target: Window<'_>) {
        let columns = self.columns;
        self.kernel.run(&match self.halves {
            true => TransferJob::Halve(Halve { upper, lower, target, width: columns.len() }),
            false => TransferJob::Resample(Resample { upper, lower, target, columns, weight }),
        });
    }
}

/// The first and the last row that is read.
fn span(rows: &[Taps]) -> Option<(u32, u32)> {
    let all = || rows.iter().flat_map(|taps| [taps.first, taps.second]);
    Some((all().min()?, all().max()?))
}

/// Bytes for rows.
fn window(bytes: &mut Vec<AtomicU8>, size: Size) -> Window<'_> {
    let length = (size.row_bytes * u64::from(size.rows)) as usize;
    if bytes.len() < length {
        bytes.resize_with(length, AtomicU8::default);
    }
    Window::new(&bytes[..length])
}
