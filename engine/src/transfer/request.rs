//! Requests of transfers.

use triglyph_guest::kernel::transfer::{ConvertKey, Corner};
use triglyph_guest::layout::SurfaceLayout;

use crate::device::fault::FaultKind;
use crate::frontend::budget::cost;
use crate::mem::{GuestAddr, GuestRange};

/// One transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// A pattern over a range.
    Fill(Fill),
    /// Bytes from one range to another.
    Copy(Copy),
    /// Pixels from one image to another.
    Convert(Convert),
    /// Units from one layout to another.
    Rearrange(Rearrange),
    /// Bits of a value over a rectangle of an image.
    FillRect(FillRect),
}

/// Repeats a pattern over a range; the last repetition may be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// First byte.
    pub target: GuestAddr,
    /// Length in bytes.
    pub size: u64,
    /// Bytes of the pattern, 2 to 4.
    pub bytes: u8,
    /// The pattern; its first byte in memory is the lowest.
    pub value: u32,
}

/// Lines of a copy: `line` bytes that count, then `gap` bytes that do not. With gap 0 the line's length is of no
/// importance, not even when it is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Bytes of a line; not 0 unless the gap is.
    pub line: u64,
    /// Bytes between two lines.
    pub gap: u64,
}

impl Lines {
    /// No gaps.
    pub const CONTIGUOUS: Lines = Lines { line: 0, gap: 0 };

    /// Offset of byte `payload` of the payload.
    pub(super) fn offset(self, payload: u64) -> u64 {
        match (self.gap, self.line) {
            (0, _) | (_, 0) => payload,
            (gap, line) => payload.saturating_add((payload / line).saturating_mul(gap)),
        }
    }

    /// Bytes from the first to the last of `payload` bytes, gaps between them included.
    pub(super) fn extent(self, payload: u64) -> u64 {
        payload.checked_sub(1).map_or(0, |last| self.offset(last).saturating_add(1))
    }

    /// Bytes after which a piece may end: whole lines, or anywhere.
    pub(super) fn unit(self) -> u64 {
        if self.gap == 0 { 1 } else { self.line.max(1) }
    }
}

/// Copies bytes, line by line; lines of source and target need not be equally long. Each run of bytes up to the end
/// of either line is read before it is written, runs in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    /// From here.
    pub source: GuestAddr,
    /// To here.
    pub target: GuestAddr,
    /// Bytes that are copied, gaps not counted.
    pub size: u64,
    /// How the source is laid out.
    pub source_lines: Lines,
    /// How the target is laid out.
    pub target_lines: Lines,
}

/// Converts an image. Where source and target overlap, whole rows of blocks are read before they are written, rows in
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convert {
    /// Formats, layouts and scale.
    pub key: ConvertKey,
    /// The first pixel of the source.
    pub source: GuestAddr,
    /// The first pixel of the target.
    pub target: GuestAddr,
    /// Pixels from a source row to the next.
    pub source_width: u32,
    /// Pixels from a target row to the next.
    pub target_width: u32,
    /// Pixels that are written in a row, at most [`Self::MAX_EDGE`].
    pub width: u32,
    /// Rows that are written, at most [`Self::MAX_EDGE`].
    pub height: u32,
    /// Whether the picture is turned upside down.
    pub flip: bool,
}

impl Convert {
    /// The largest width and height; nothing is done with more. No machine has registers that wide.
    pub const MAX_EDGE: u32 = 1 << 20;
}

/// Moves a rectangle of units to an image of another layout, units as they are. Where source and target overlap, the
/// source is read completely before anything is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rearrange {
    /// Where the source image begins.
    pub source: GuestAddr,
    /// Where the target image begins.
    pub target: GuestAddr,
    /// The rectangle in the source.
    pub from: Corner,
    /// The rectangle in the target.
    pub to: Corner,
    /// Bytes of a unit: 1, 2, 4, 8 or 16.
    pub bytes: u8,
    /// Units in a row of the rectangle.
    pub width: u32,
    /// Its rows.
    pub height: u32,
}

impl Rearrange {
    /// Coordinates stay below this on either side; nothing is done with more.
    pub const MAX_EDGE: u32 = 1 << 16;
    /// A rectangle has at most so many units; nothing is done with more. No machine has images that large.
    pub const MAX_UNITS: u64 = 1 << 26;

    /// Bytes of an image from its beginning to the end of the last unit of the rectangle.
    pub fn extent(&self, corner: &Corner) -> u64 {
        let bytes = u32::from(self.bytes);
        let (x, y) = (self.width.saturating_sub(1), self.height.saturating_sub(1));
        corner.offset(x, y, bytes) + u64::from(bytes)
    }
}

/// Stores bits of a value in every unit of a rectangle, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillRect {
    /// Where the image begins.
    pub target: GuestAddr,
    /// Bytes from there on that belong to it: units beyond are dropped.
    pub limit: u64,
    /// The rectangle. Coordinates stay below 2^16.
    pub to: Corner,
    /// Bytes of a unit: 1, 2, 4, 8 or 16.
    pub bytes: u8,
    /// Units in a row of the rectangle.
    pub width: u32,
    /// Its rows.
    pub height: u32,
    /// The stored pattern; the first byte in memory comes first. Bytes after those of a unit do not count.
    pub value: [u8; 16],
    /// Which of its bits are.
    pub mask: [u8; 16],
}

impl FillRect {
    /// Bytes of the image from its beginning to the end of the last unit of the rectangle.
    pub(super) fn extent(&self) -> u64 {
        let bytes = u32::from(self.bytes);
        self.to.offset(self.width.saturating_sub(1), self.height.saturating_sub(1), bytes) + u64::from(bytes)
    }
}

impl Request {
    /// Where it reads, if it reads memory.
    pub fn source(&self) -> Option<GuestAddr> {
        match self {
            Request::Fill(_) | Request::FillRect(_) => None,
            Request::Copy(copy) => Some(copy.source),
            Request::Convert(convert) => Some(convert.source),
            Request::Rearrange(rearrange) => Some(rearrange.source),
        }
    }

    /// Where it writes.
    pub fn target(&self) -> GuestAddr {
        match self {
            Request::Fill(fill) => fill.target,
            Request::Copy(copy) => copy.target,
            Request::Convert(convert) => convert.target,
            Request::Rearrange(rearrange) => rearrange.target,
            Request::FillRect(fill) => fill.target,
        }
    }
}

impl Rearrange {
    /// Whether sizes and coordinates are such that the rectangle lies in both images.
    pub(super) fn makes_sense(&self) -> bool {
        matches!(self.bytes, 1 | 2 | 4 | 8 | 16)
            && self.width > 0
            && self.height > 0
            && u64::from(self.width) * u64::from(self.height) <= Self::MAX_UNITS
            && fits(&self.from, self.width, self.height)
            && fits(&self.to, self.width, self.height)
    }

    /// The bytes that it may read, from the first to the last, if it does anything.
    pub fn source_range(&self) -> Option<GuestRange> {
        self.makes_sense().then(|| self.source.range(self.extent(&self.from)))
    }

    /// The bytes that it may write, from the first to the last, if it does anything.
    pub fn target_range(&self) -> Option<GuestRange> {
        self.makes_sense().then(|| self.target.range(self.extent(&self.to)))
    }
}

impl Request {
    /// Its cost in fuel: bytes that are moved as they are, lines with gaps, pixels that are converted.
    pub fn fuel(&self) -> u64 {
        let lines = |size: u64, lines: &Lines| if lines.gap == 0 { 1 } else { size / lines.line.max(1) };
        match self {
            Request::Fill(fill) => fill.size / (8 * cost::BYTES),
            Request::Copy(copy) => {
                let pieces = lines(copy.size, &copy.source_lines).max(lines(copy.size, &copy.target_lines));
                copy.size / (8 * cost::BYTES) + pieces.saturating_mul(cost::COMMAND)
            }
            Request::Convert(convert) => cost::PIXEL * u64::from(convert.width) * u64::from(convert.height),
            Request::Rearrange(rearrange) => u64::from(rearrange.width) * u64::from(rearrange.height),
            Request::FillRect(fill) => u64::from(fill.width) * u64::from(fill.height),
        }
    }

    /// The bytes that it may read, from the first to the last; `None` where it reads no memory, or where all that it
    /// touches is to count.
    pub fn source_range(&self) -> Option<GuestRange> {
        match self {
            Request::Fill(_) | Request::FillRect(_) | Request::Convert(_) => None,
            Request::Copy(copy) => Some(copy.source.range(copy.source_lines.extent(copy.size))),
            Request::Rearrange(rearrange) => rearrange.source_range(),
        }
    }

    /// The bytes that it may write, from the first to the last; `None` where everything is to count.
    pub fn target_range(&self) -> Option<GuestRange> {
        match self {
            Request::Fill(fill) => Some(fill.target.range(fill.size)),
            Request::Copy(copy) => Some(copy.target.range(copy.target_lines.extent(copy.size))),
            Request::Rearrange(rearrange) => rearrange.target_range(),
            // A rectangle that is larger than its swizzled image wraps around in it.
            Request::FillRect(fill) if fits(&fill.to, fill.width, fill.height) => {
                Some(fill.target.range(fill.extent()))
            }
            Request::FillRect(_) | Request::Convert(_) => None,
        }
    }
}

/// Whether a rectangle lies in its image, as far as the layout has a size.
pub(super) fn fits(corner: &Corner, width: u32, height: u32) -> bool {
    let edge = u64::from(Rearrange::MAX_EDGE);
    let [right, bottom] = [(corner.x, width), (corner.y, height)].map(|(at, size)| u64::from(at) + u64::from(size));
    let (width, height) = match corner.layout {
        SurfaceLayout::Swizzled { log2_width, log2_height } => (1 << log2_width.min(16), 1 << log2_height.min(16)),
        _ => (edge, edge),
    };
    right <= width && bottom <= height
}

/// The bytes of a transfer that fell outside of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Bytes that were read outside readable memory, as zeros.
    pub unread: u64,
    /// Bytes that were written outside writable memory, to no effect.
    pub dropped: u64,
}

impl Outcome {
    /// The faults of a transfer: their kind, where the transfer began to read or write, and how many bytes were outside
    /// of memory.
    pub fn faults(self, source: GuestAddr, target: GuestAddr) -> impl Iterator<Item = (FaultKind, GuestAddr, u64)> {
        let unread = (FaultKind::UnmappedRead, source, self.unread);
        let dropped = (FaultKind::UnmappedWrite, target, self.dropped);
        [unread, dropped].into_iter().filter(|&(_, _, bytes)| bytes != 0)
    }

    /// Adds another part's.
    pub(super) fn merge(&mut self, other: Outcome) {
        self.unread = self.unread.saturating_add(other.unread);
        self.dropped = self.dropped.saturating_add(other.dropped);
    }
}
