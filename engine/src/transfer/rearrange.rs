//! Changes of layout: whole where both images are one mapping each, unit by unit otherwise.

use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::transfer::{Corner, Rearrange as Job, RearrangeKey, TransferJob, TransferKey};
use triglyph_guest::kernel::window::buffer;
use triglyph_guest::layout::SurfaceLayout;

use super::pieces::{Want, gather, rows_of_piece, scatter, window};
use super::{Outcome, Rearrange, Transfers};
use crate::cache::{Handle, kinds};
use crate::mem::{GuestAddr, Memory, copy_out};

/// Where the bytes of an image are.
#[derive(Clone, Copy, Debug)]
enum End<'m> {
    /// In guest memory, from this byte on.
    Memory(GuestAddr),
    /// In a buffer of the host's.
    Buffer(Window<'m>),
}

impl Transfers<'_> {
    pub(super) fn rearrange(&self, request: &Rearrange) -> Outcome {
        self.rearrange_ends(request, End::Memory(request.source), End::Memory(request.target))
    }

    /// As the request, but the source image lies in `buffer`; the address of [`Rearrange::source`] counts from its
    /// beginning. Bytes that the buffer does not have are zeros, without being missed.
    pub fn store_image(&self, buffer: Window<'_>, request: &Rearrange) -> Outcome {
        let source = buffer.from(usize::try_from(request.source.address).unwrap_or(usize::MAX));
        self.rearrange_ends(request, End::Buffer(source), End::Memory(request.target))
    }

    /// As the request, but the target image lies in `buffer`; the address of [`Rearrange::target`] counts from its
    /// beginning. Bytes that the buffer does not have are dropped, without being missed.
    pub fn load_image(&self, request: &Rearrange, buffer: Window<'_>) -> Outcome {
        let target = buffer.from(usize::try_from(request.target.address).unwrap_or(usize::MAX));
        self.rearrange_ends(request, End::Memory(request.source), End::Buffer(target))
    }

    fn rearrange_ends(&self, request: &Rearrange, from: End<'_>, to: End<'_>) -> Outcome {
        if !request.makes_sense() {
            return Outcome::default();
        }
        let kernel = self.kernels.transfer(&TransferKey::Rearrange(request.key()));
        match (self.side(request, from, Want::Read), self.side(request, to, Want::Write)) {
            (Some(source), Some(target)) => {
                self.rearrange_mapped(request, &kernel, source, target);
                if let End::Memory(_) = to {
                    mark_rect(self.memory, request.target, &request.to, [request.width, request.height], request.bytes);
                }
                Outcome::default()
            }
            _ => self.rearrange_units(request, from, to),
        }
    }

    pub(super) fn is_divisible_rearrange(&self, request: &Rearrange) -> bool {
        if !request.makes_sense() || request.rows_of_piece() >= request.height {
            return false;
        }
        let (from, to) = (End::Memory(request.source), End::Memory(request.target));
        let sides = self.side(request, from, Want::Read).zip(self.side(request, to, Want::Write));
        sides.is_some_and(|(source, target)| !source.overlaps(target))
    }

    /// An image of the request when it is all in one piece.
    fn side<'m>(&'m self, request: &Rearrange, end: End<'m>, want: Want) -> Option<Window<'m>> {
        let corner = if want == Want::Read { &request.from } else { &request.to };
        let extent = request.extent(corner) as usize;
        let window = match end {
            End::Memory(place) => window(self.memory, place, want),
            End::Buffer(window) => window,
        };
        (window.len() >= extent).then(|| window.first(extent))
    }

    fn rearrange_mapped(
        &self,
        request: &Rearrange,
        kernel: &Handle<kinds::Transfer>,
        source: Window<'_>,
        target: Window<'_>,
    ) {
        let copy;
        let source = if source.overlaps(target) {
            let mut bytes = vec![0; source.len()];
            copy_out(source, &mut bytes);
            copy = buffer(&bytes);
            Window::new(&copy)
        } else {
            source
        };
        let rows = request.rows_of_piece();
        let cost = self.cost(request.row() * u64::from(request.height), kernel);
        self.for_each(request.height.div_ceil(rows) as usize, cost, |i| {
            let first = i as u32 * rows;
            kernel.run(&TransferJob::Rearrange(Job {
                source,
                target,
                from: request.from,
                to: request.to,
                width: request.width,
                rows: first..(first + rows).min(request.height),
            }));
        });
    }

    /// Rectangles that are not mapped as a whole: unit by unit.
    fn rearrange_units(&self, request: &Rearrange, from: End<'_>, to: End<'_>) -> Outcome {
        let bytes = u32::from(request.bytes);
        let touches = match (from, to) {
            (End::Memory(source), End::Memory(target)) => {
                let range =
                    |start: GuestAddr, corner| (start.address, start.address.saturating_add(request.extent(corner)));
                let (from, to) = (range(source, &request.from), range(target, &request.to));
                source.space == target.space && from.0 < to.1 && to.0 < from.1
            }
            _ => false,
        };
        // Rows that are held between reading and writing.
        let rows = if touches { request.height } else { 1 };
        let held = buffer(&vec![0; request.width as usize * rows as usize * bytes as usize]);
        let mut outcome = Outcome::default();
        for first in (0..request.height).step_by(rows as usize) {
            let units = || (first..first + rows).flat_map(|y| (0..request.width).map(move |x| (x, y)));
            let unit = |index: usize| Window::new(&held).from(index * bytes as usize).first(bytes as usize);
            for (index, (x, y)) in units().enumerate() {
                let offset = request.from.offset(x, y, bytes);
                match from {
                    End::Memory(start) => outcome.unread += gather(self.memory, start.after(offset), unit(index)),
                    End::Buffer(window) => copy_unit(window.from(offset as usize), unit(index)),
                }
            }
            for (index, (x, y)) in units().enumerate() {
                let offset = request.to.offset(x, y, bytes);
                match to {
                    End::Memory(start) => outcome.dropped += scatter(self.memory, start.after(offset), unit(index)),
                    End::Buffer(window) => copy_unit(unit(index), window.from(offset as usize)),
                }
            }
        }
        outcome
    }
}

/// Notes that a rectangle of units was written: rows, or all from the first unit to the last.
pub(super) fn mark_rect(memory: &Memory, image: GuestAddr, to: &Corner, [width, height]: [u32; 2], bytes: u8) {
    let mark = |first: u64, end: u64| {
        memory.mark_written(image.after(first).range(end - first));
    };
    let bytes = u32::from(bytes);
    let row = width * bytes;
    if to.layout == SurfaceLayout::Pitch && row < to.pitch {
        for y in 0..height {
            let first = to.offset(0, y, bytes);
            mark(first, first + u64::from(row));
        }
    } else {
        mark(to.offset(0, 0, bytes), to.offset(width - 1, height - 1, bytes) + u64::from(bytes));
    }
}

/// Copies a unit as far as both sides have it.
fn copy_unit(from: Window<'_>, to: Window<'_>) {
    from.note_read(0, to.len());
    to.note_write(0, from.len());
    to.bytes().iter().zip(from.bytes()).for_each(|(to, from)| to.store(from.load(Relaxed), Relaxed));
}

impl Rearrange {
    fn key(&self) -> RearrangeKey {
        RearrangeKey { bytes: self.bytes, source: self.from.layout.kind(), target: self.to.layout.kind() }
    }

    /// Bytes of a row of the rectangle.
    fn row(&self) -> u64 {
        u64::from(self.width) * u64::from(self.bytes)
    }

    /// Rows of a piece.
    fn rows_of_piece(&self) -> u32 {
        rows_of_piece(&self.to, self.row()).unwrap_or(self.height)
    }
}
