//! Conversions, in pieces of whole rows of blocks.

use std::ops::Range;
use std::sync::Mutex;

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::transfer::{Convert as ConvertJob, TransferJob, TransferKey};
use triglyph_guest::kernel::window::buffer;

use super::extent::{edge, end, row_start, runs};
use super::pieces::{Want, gather, pieces, scatter, window};
use super::{Convert, Outcome, Transfers};
use crate::cache::{Handle, kinds};
use crate::mem::GuestAddr;

/// Source bytes of a piece, about.
const PIECE: u64 = 32 << 10;

/// Source bytes below which splitting does not pay.
const WHOLE: u64 = 64 << 10;

/// How the pieces of a conversion go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Any order, on any thread.
    Any,
    /// All at once: sharing does not pay.
    Whole,
    /// One after the other.
    Serial,
    /// One after the other, each small and read completely before it is written.
    ReadFirst,
}

/// The pieces of a conversion, in rows of the picture.
#[derive(Clone, Copy, Debug)]
struct Pieces {
    /// Rows of the first one, if it is a short one.
    odd: u32,
    /// Rows of the others, but for the last one.
    rows: u32,
    height: u32,
}

impl Pieces {
    fn len(self) -> usize {
        ((self.height - self.odd).div_ceil(self.rows) + u32::from(self.odd != 0)) as usize
    }

    fn get(self, piece: usize) -> Range<u32> {
        let cut = |number: u32| match self.odd {
            0 => (number * self.rows).min(self.height),
            _ if number == 0 => 0,
            odd => (odd + (number - 1) * self.rows).min(self.height),
        };
        cut(piece as u32)..cut(piece as u32 + 1)
    }
}

/// The part of one side that a piece touches.
struct Part {
    place: GuestAddr,
    size: u64,
}

impl Transfers<'_> {
    pub(super) fn is_divisible_convert(&self, request: &Convert) -> bool {
        request.makes_sense() && self.order(request) == Order::Any && request.split(Order::Any).len() > 1
    }

    pub(super) fn convert(&self, request: &Convert) -> Outcome {
        if !request.makes_sense() {
            return Outcome::default();
        }
        let kernel = self.kernels.transfer(&TransferKey::Convert(request.key));
        let cost = self.cost(request.bytes(), &kernel);
        let order = match self.order(request) {
            Order::Any if !self.is_divided(cost) => Order::Whole,
            order => order,
        };
        let parts = request.split(order);
        let total = Mutex::new(Outcome::default());
        let run = |i: usize| {
            let outcome = self.convert_rows(request, &kernel, parts.get(i), order);
            if outcome != Outcome::default() {
                total.lock().unwrap_or_else(|e| e.into_inner()).merge(outcome);
            }
        };
        match order {
            Order::Any => self.for_each(parts.len(), cost, run),
            Order::Whole | Order::Serial | Order::ReadFirst => (0..parts.len()).for_each(run),
        }
        total.into_inner().unwrap_or_else(|e| e.into_inner())
    }

    /// Pieces are independent when both images lie in one mapping each that do not and no two rows of the
    /// target share bytes.
    fn order(&self, request: &Convert) -> Order {
        let all = 0..request.height;
        let (source, target) = (request.source_part(&all), request.target_part(&all));
        let (from, to) = (self.covering(&source, Want::Read), self.covering(&target, Want::Write));
        let rows_overlap = request.width > request.target_width
            || !request.target_width.is_multiple_of(edge(request.key.output_layout));
        match (from, to) {
            (Some(from), Some(to)) if from.overlaps(to) => Order::ReadFirst,
            (Some(_), Some(_)) if !rows_overlap => Order::Any,
            (Some(_), Some(_)) => Order::Serial,
            _ if source.touches(&target) => Order::ReadFirst,
            _ => Order::Serial,
        }
    }

    /// The window of a part that lies in one mapping.
    fn covering(&self, part: &Part, want: Want) -> Option<Window<'_>> {
        let size = usize::try_from(part.size).ok()?;
        let window = window(self.memory, part.place, want);
        (window.len() >= size).then(|| window.first(size))
    }

    fn convert_rows(
        &self,
        request: &Convert,
        kernel: &Handle<kinds::Transfer>,
        rows: Range<u32>,
        order: Order,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let target = request.target_part(&rows);
        let direct = self.covering(&target, Want::Write);
        if direct.is_none() && self.is_hole(&target, Want::Write) {
            let pixels = u64::from(request.width) * rows.len() as u64;
            outcome.dropped = pixels * u64::from(request.key.output.bytes());
            return outcome;
        }
        let source = request.source_part(&rows);
        let read;
        let from = match self.covering(&source, Want::Read) {
            Some(window) if order != Order::ReadFirst => window,
            None if self.is_hole(&source, Want::Read) => {
                outcome.unread = source.size;
                Window::default()
            }
            _ => {
                read = buffer(&vec![0; source.size as usize]);
                outcome.unread = gather(self.memory, source.place, Window::new(&read));
                Window::new(&read)
            }
        };
        let written;
        let to = match direct {
            Some(window) => window,
            None => {
                written = buffer(&vec![0; target.size as usize]);
                Window::new(&written)
            }
        };
        kernel.run(&TransferJob::Convert(request.job(from, to, &rows)));
        self.store(request, &rows, direct.is_none().then_some(to), &mut outcome);
        outcome
    }

    /// Notes what a piece wrote; brings it into memory first if it was written aside.
    fn store(&self, request: &Convert, rows: &Range<u32>, aside: Option<Window<'_>>, outcome: &mut Outcome) {
        let bytes = u64::from(request.key.output.bytes());
        let first = request.target_part(rows).place.address - request.target.address;
        let rows = request.target_rows(rows);
        runs(request.key.output_layout, request.width, rows, request.target_width, |run| {
            let (start, length) = (run.start * bytes, (run.end - run.start) * bytes);
            let place = request.target.after(start);
            match aside {
                None => self.memory.mark_written(place.range(length)),
                Some(aside) => {
                    let run = aside.from((start - first) as usize).first(length as usize);
                    outcome.dropped += scatter(self.memory, place, run);
                }
            }
        });
    }

    /// Whether a part is nowhere in memory.
    fn is_hole(&self, part: &Part, want: Want) -> bool {
        pieces(self.memory, part.place, part.size, want).all(|piece| piece.window.is_empty())
    }
}

impl Part {
    fn touches(&self, other: &Part) -> bool {
        let ends = |part: &Part| part.place.address.saturating_add(part.size);
        self.place.space == other.place.space && self.place.address < ends(other) && other.place.address < ends(self)
    }
}

impl Convert {
    fn makes_sense(&self) -> bool {
        let sensible = 1..=Convert::MAX_EDGE;
        sensible.contains(&self.width) && sensible.contains(&self.height)
    }

    /// Rows of blocks on either side begin at multiples of this.
    fn edge(&self) -> u32 {
        edge(self.key.input_layout).max(edge(self.key.output_layout))
    }

    /// Bytes of the source that are read.
    fn bytes(&self) -> u64 {
        let (shift_x, shift_y) = self.key.scale.shifts();
        (u64::from(self.width) * u64::from(self.height) * u64::from(self.key.input.bytes())) << (shift_x + shift_y)
    }

    /// Cuts the rows into pieces that begin with a row of blocks of the target.
    fn split(&self, order: Order) -> Pieces {
        let edge = self.edge();
        let rows = match order {
            Order::ReadFirst => edge,
            Order::Whole => self.height,
            _ if self.bytes() <= WHOLE => self.height,
            _ => ((PIECE * u64::from(self.height) / self.bytes()) as u32).max(1).next_multiple_of(edge),
        };
        // Turned upside down, the first piece takes what the target has beyond whole rows of blocks.
        let odd = if self.flip { self.height % edge } else { 0 };
        Pieces { odd, rows, height: self.height }
    }

    /// The first row of blocks at or before `y`.
    fn align(&self, y: u32) -> u32 {
        y & !(self.edge() - 1)
    }

    /// The target's rows for rows of the picture.
    fn target_rows(&self, rows: &Range<u32>) -> Range<u32> {
        if self.flip { self.height - rows.end..self.height - rows.start } else { rows.clone() }
    }

    /// The bytes that `rows` read, from the beginning of a row of blocks on.
    fn source_part(&self, rows: &Range<u32>) -> Part {
        let (shift_x, shift_y) = self.key.scale.shifts();
        let last = |count: u32, shift: u32| (count << shift) - 1;
        let start = row_start(self.align(rows.start) << shift_y, self.source_width);
        let (last_x, last_y) = (last(self.width, shift_x), last(rows.end, shift_y));
        let end = end(self.key.input_layout, last_x, last_y, self.source_width);
        part(self.source, start..end, self.key.input.bytes())
    }

    /// The bytes that `rows` write, from the beginning of a row of blocks on.
    fn target_part(&self, rows: &Range<u32>) -> Part {
        let rows = self.target_rows(rows);
        let start = row_start(self.align(rows.start), self.target_width);
        let end = end(self.key.output_layout, self.width - 1, rows.end - 1, self.target_width);
        part(self.target, start..end, self.key.output.bytes())
    }

    /// The call for `rows`, whose windows begin where the parts do: rows are counted from there.
    fn job<'m>(&self, source: Window<'m>, target: Window<'m>, rows: &Range<u32>) -> ConvertJob<'m> {
        let skipped = self.align(rows.start);
        let height = match self.flip {
            true => self.height - self.align(self.target_rows(rows).start) - skipped,
            false => self.height - skipped,
        };
        ConvertJob {
            source,
            target,
            source_width: self.source_width,
            target_width: self.target_width,
            width: self.width,
            height,
            rows: rows.start - skipped..rows.end - skipped,
            flip: self.flip,
        }
    }
}

fn part(image: GuestAddr, pixels: Range<u64>, bytes: u32) -> Part {
    let bytes = u64::from(bytes);
    Part { place: image.after(pixels.start * bytes), size: pixels.end.saturating_sub(pixels.start) * bytes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use triglyph_guest::format::PixelFormat;
    use triglyph_guest::kernel::transfer::{ConvertKey, Layout, Scale};
    use triglyph_guest::layout::Block;

    #[test]
    fn pieces_of_tiled_targets_are_whole_rows_of_blocks() {
        for (block, flip, height) in [(8, false, 400), (8, true, 403), (32, false, 401), (32, true, 401)] {
            let layout = Layout::Tiled(if block == 8 { Block::B8 } else { Block::B32 });
            let place = GuestAddr::new(0, 0);
            let convert = Convert {
                key: ConvertKey {
                    input: PixelFormat::Rgba8,
                    output: PixelFormat::Rgb565,
                    input_layout: Layout::Linear,
                    output_layout: layout,
                    scale: Scale::None,
                },
                source: place,
                target: place,
                source_width: 240,
                target_width: 240,
                width: 240,
                height,
                flip,
            };
            for order in [Order::Any, Order::Serial, Order::ReadFirst] {
                let pieces = convert.split(order);
                let pieces: Vec<_> = (0..pieces.len()).map(|piece| pieces.get(piece)).collect();
                assert!(pieces.len() > 4);
                assert_eq!((pieces[0].start, pieces[pieces.len() - 1].end), (0, height));
                assert!(pieces.windows(2).all(|pair| pair[0].end == pair[1].start));
                assert!(pieces.iter().all(|rows| convert.target_rows(rows).start.is_multiple_of(block)));
            }
        }
    }
}
