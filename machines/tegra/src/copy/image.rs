//! Rectangles of images in GPU memory, counted in bytes and rows: what the copying classes have in common.
//!
//! ```text
//! two corners ──► bands and strips, each a change of layout ──► memory to memory, from a buffer, into a buffer
//! ```
//! Blocks that are several slices deep put these slices between two blocks of a row; rows of one row of blocks then
//! are like those of a block that is higher, so that a band is one row of blocks.

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::transfer::Corner;
use triglyph_guest::layout::{Blocks, SurfaceLayout};

use crate::core::{ADDRESS_MASK, Core};
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_engine::transfer::{Copy, Lines, Rearrange, Request, Transfers};

/// Units of a row of one change of layout, and its rows; it takes coordinates below 2^16 only.
const MAX_EDGE: u32 = 1 << 15;

/// Arrangement of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// Rows at this distance in bytes, which may be negative.
    Pitch(i64),
    /// Blocks, and the slice that is meant.
    Blocks(Blocks, u32),
}

/// A place in an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// GPU address of the image; in a buffer an offset.
    pub address: u64,
    /// Its arrangement.
    pub arrangement: Arrangement,
    /// Byte of a row.
    pub x: u64,
    /// Row.
    pub y: u32,
}

impl Spot {
    /// The beginning of a buffer whose rows are `pitch` bytes apart.
    pub fn buffer(pitch: u64) -> Spot {
        Spot { address: 0, arrangement: Arrangement::Pitch(pitch as i64), x: 0, y: 0 }
    }

    /// The spot `x` bytes and `y` rows further on.
    pub fn after(self, x: u64, y: u32) -> Spot {
        Spot { x: self.x.saturating_add(x), y: self.y.saturating_add(y), ..self }
    }

    /// Where a change of layout with units of `unit` bytes begins, and its corner there. Whole rows and columns of
    /// blocks go into the address, so that coordinates are small.
    fn corner(&self, unit: u32) -> (u64, Corner) {
        match self.arrangement {
            Arrangement::Pitch(pitch) => {
                let row = i64::from(self.y).saturating_mul(pitch);
                let address = self.address.wrapping_add_signed(row).wrapping_add(self.x) & ADDRESS_MASK;
                let pitch = u32::try_from(pitch).unwrap_or(0);
                (address, Corner { layout: SurfaceLayout::Pitch, pitch, x: 0, y: 0 })
            }
            Arrangement::Blocks(blocks, slice) => {
                let (column, x) = (self.x / 64, (self.x % 64) as u32);
                let (row, y) = (self.y / blocks.block_rows(), self.y % blocks.block_rows());
                let offset = blocks
                    .slice_offset(slice)
                    .saturating_add(blocks.block_row_bytes().saturating_mul(row.into()))
                    .saturating_add(blocks.block_bytes().saturating_mul(column));
                let layout = SurfaceLayout::BlockLinear { log2_gobs: blocks.log2_gobs + blocks.log2_slices };
                let corner = Corner { layout, pitch: blocks.gobs_across, x: x / unit, y };
                (self.address.saturating_add(offset), corner)
            }
        }
    }

    /// Rows from here on that one change of layout can do.
    fn rows_together(&self) -> u32 {
        match self.arrangement {
            Arrangement::Pitch(pitch) if u32::try_from(pitch).is_ok() => MAX_EDGE,
            Arrangement::Pitch(_) => 1,
            Arrangement::Blocks(blocks, _) if blocks.log2_slices == 0 => MAX_EDGE,
            Arrangement::Blocks(blocks, _) => blocks.block_rows() - self.y % blocks.block_rows(),
        }
    }

    /// Whether rows of so many bytes have none in common.
    pub fn has_rows_apart(&self, row_bytes: u64) -> bool {
        match self.arrangement {
            Arrangement::Pitch(pitch) => pitch.unsigned_abs() >= row_bytes,
            Arrangement::Blocks(..) => true,
        }
    }

    /// What the rows of a unit have to begin at multiples of: 1 if that is of no importance.
    fn alignment(&self) -> u64 {
        match self.arrangement {
            Arrangement::Pitch(_) => 0,
            Arrangement::Blocks(..) => self.x,
        }
    }

    /// Rows as lines with gaps between them; `None` when they are not, or overlap, or go backwards.
    fn lines(&self, size: Size) -> Option<Lines> {
        let Arrangement::Pitch(pitch) = self.arrangement else { return None };
        if size.rows == 1 {
            return Some(Lines::CONTIGUOUS);
        }
        let gap = u64::try_from(pitch).ok()?.checked_sub(size.row_bytes)?;
        Some(Lines { line: size.row_bytes, gap })
    }
}

/// A rectangle: bytes of a row, and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bytes of a row.
    pub row_bytes: u64,
    /// Rows.
    pub rows: u32,
}

/// Calls `f` with changes of layout that together move the rectangle, until it returns false. Addresses are in address
/// space `space`.
fn changes(space: u32, from: Spot, to: Spot, size: Size, mut f: impl FnMut(&Rearrange) -> bool) {
    let Size { row_bytes, rows } = size;
    if row_bytes == 0 {
        return;
    }
    let unit = 1 << (row_bytes | from.alignment() | to.alignment()).trailing_zeros().min(4);
    let strip = row_bytes.min(u64::from(MAX_EDGE) * u64::from(unit));
    let most_rows = (Rearrange::MAX_UNITS * u64::from(unit) / strip).min(MAX_EDGE.into()) as u32;
    let mut y = 0;
    while y < rows {
        let together = from.after(0, y).rows_together().min(to.after(0, y).rows_together());
        let height = together.min(most_rows).min(rows - y);
        let mut x = 0;
        while x < row_bytes {
            let bytes = strip.min(row_bytes - x);
            let ((source, from), (target, to)) = (from.after(x, y).corner(unit), to.after(x, y).corner(unit));
            let place = |address| GuestAddr { space, address };
            let (source, target) = (place(source), place(target));
            let width = (bytes / u64::from(unit)) as u32;
            if !f(&Rearrange { source, target, from, to, bytes: unit as u8, width, height }) {
                return;
            }
            x += bytes;
        }
        y += height;
    }
}

/// Takes the fuel for a change of layout; what is no single piece of the host's memory goes unit by unit.
fn afford(core: &mut Core, what: &str, request: &Rearrange, read: bool, write: bool) -> bool {
    let units = u64::from(request.width) * u64::from(request.height);
    let source = !read || core.is_whole(request.source, request.extent(&request.from), false);
    let target = !write || core.is_whole(request.target, request.extent(&request.to), true);
    let bytes = units * u64::from(request.bytes);
    let time = 500 + if source && target { bytes / 8 } else { 100 * units };
    let enough = core.budget.spend(time) && core.budget.charge(units);
    if !enough {
        let address = if write { request.target.address } else { request.source.address };
        core.fault(FaultKind::OutOfFuel, address, format_args!("{what} of {bytes:#x} bytes exceeds the budget"));
    }
    enough
}

/// Moves a rectangle from one image to another.
pub fn copy(core: &mut Core, what: &str, from: Spot, to: Spot, size: Size) {
    if let (Some(source_lines), Some(target_lines)) = (from.lines(size), to.lines(size)) {
        let bytes = size.row_bytes.saturating_mul(size.rows.into());
        let (source, target) = (core.place(from.corner(1).0), core.place(to.corner(1).0));
        if !core.budget.spend((bytes / 8).saturating_add(500 + 8 * u64::from(size.rows))) {
            return core.fault(
                FaultKind::OutOfFuel,
                target.address,
                format_args!("{what} of {bytes:#x} bytes exceeds the budget"),
            );
        }
        return core.transfer(what, &Request::Copy(Copy { source, target, size: bytes, source_lines, target_lines }));
    }
    changes(core.space, from, to, size, |request| {
        let enough = afford(core, what, request, true, true);
        if enough {
            core.transfer(what, &Request::Rearrange(*request));
        }
        enough
    });
}

/// Brings a rectangle of an image into a buffer whose rows are `pitch` bytes apart.
pub fn load(core: &mut Core, what: &str, from: Spot, size: Size, buffer: Window<'_>, pitch: u64) {
    changes(core.space, from, Spot::buffer(pitch), size, |request| {
        let enough = afford(core, what, request, true, false);
        if enough {
            core.load_image(what, request, buffer);
        }
        enough
    });
}

/// Brings a buffer whose rows are `pitch` bytes apart into a rectangle of an image.
pub fn store(core: &mut Core, what: &str, buffer: Window<'_>, pitch: u64, to: Spot, size: Size) {
    changes(core.space, Spot::buffer(pitch), to, size, |request| {
        let enough = afford(core, what, request, false, true);
        if enough {
            core.store_image(what, buffer, request);
        }
        enough
    });
}

/// Where all of a rectangle lies, if that is one piece of the host's memory, which `write` wants to write.
pub fn whole(core: &Core, spot: Spot, size: Size, write: bool) -> Option<GuestRange> {
    let (mut first, mut end, mut makes_sense) = (u64::MAX, 0, true);
    changes(core.space, spot, Spot::buffer(size.row_bytes), size, |request| {
        match request.source_range() {
            Some(part) => {
                first = first.min(part.start.address);
                end = end.max(part.start.address.saturating_add(part.size));
            }
            None => makes_sense = false,
        }
        makes_sense
    });
    let size = end.checked_sub(first).filter(|_| makes_sense)?;
    core.is_whole(core.place(first), size, write).then(|| core.place(first).range(size))
}

/// Takes the fuel for [`load_whole`].
pub fn afford_load(core: &mut Core, what: &str, from: Spot, size: Size) -> bool {
    afford_changes(core, what, [from, Spot::buffer(size.row_bytes)], size, [true, false])
}

/// Takes the fuel for [`store_whole`].
pub fn afford_store(core: &mut Core, what: &str, to: Spot, size: Size) -> bool {
    afford_changes(core, what, [Spot::buffer(size.row_bytes), to], size, [false, true])
}

/// Takes the fuel for all changes of layout of a rectangle, of which memory is the source, the target or both.
fn afford_changes(core: &mut Core, what: &str, [from, to]: [Spot; 2], size: Size, [read, write]: [bool; 2]) -> bool {
    let mut enough = true;
    changes(core.space, from, to, size, |request| {
        enough = afford(core, what, request, read, write);
        enough
    });
    enough
}

/// Brings a rectangle that is [`whole`] into a buffer, row by row; its fuel has been taken.
pub fn load_whole(transfers: &Transfers<'_>, space: u32, from: Spot, size: Size, buffer: Window<'_>) {
    changes(space, from, Spot::buffer(size.row_bytes), size, |request| {
        transfers.load_image(request, buffer);
        true
    });
}

/// Brings the rows of a buffer into a rectangle that is [`whole`]; its fuel has been taken.
pub fn store_whole(transfers: &Transfers<'_>, space: u32, buffer: Window<'_>, to: Spot, size: Size) {
    changes(space, Spot::buffer(size.row_bytes), to, size, |request| {
        transfers.store_image(buffer, request);
        true
    });
}
