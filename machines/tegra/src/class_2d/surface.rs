//! Surfaces as the registers of source and destination describe them, and rectangles.

use triglyph_guest::layout::Blocks;
use triglyph_guest::tegra::methods::twod::regs;
use triglyph_guest::tegra::methods::values::MemoryLayout;

use super::pixel::Codec;
use crate::copy::image::{Arrangement, Spot};
use crate::core::{ADDRESS_MASK, Core};
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;

/// Columns and rows that are written at most; a bound far above what hardware has.
const MAX_EDGE: u32 = 1 << 17;

/// A rectangle of pixels; the ends do not belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// First column.
    pub x0: i64,
    /// First row.
    pub y0: i64,
    /// The column after the last.
    pub x1: i64,
    /// The row after the last.
    pub y1: i64,
}

impl Rect {
    /// From its first pixel and its size.
    pub fn new([x, y]: [i32; 2], [width, height]: [i64; 2]) -> Rect {
        let [x, y] = [i64::from(x), i64::from(y)];
        Rect { x0: x, y0: y, x1: x + width, y1: y + height }
    }

    /// What both have in common.
    pub fn and(self, other: Rect) -> Rect {
        Rect {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    /// Whether there is no pixel in it.
    pub fn is_empty(self) -> bool {
        self.x0 >= self.x1 || self.y0 >= self.y1
    }

    /// Columns.
    pub fn width(self) -> u64 {
        (self.x1 - self.x0).max(0) as u64
    }

    /// Rows.
    pub fn height(self) -> u64 {
        (self.y1 - self.y0).max(0) as u64
    }
}

/// Which of two equal registers is whose: index of their `IDS`.
const DESTINATION: usize = 0;
const SOURCE: usize = 1;

/// A surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surface {
    /// What a pixel is.
    pub codec: Codec,
    /// Its first byte, and the arrangement.
    start: Spot,
    /// Columns and rows.
    pub size: [u32; 2],
}

impl Surface {
    /// The source; `None` with a fault for a format that does not exist.
    pub fn source(core: &mut Core, registers: &Registers) -> Option<Surface> {
        let word = registers.get(regs::set_src_format::ID);
        let codec = known(core, word & 0xFF, regs::set_src_format::v(word).and_then(Codec::of_source), "a source")?;
        Some(Surface::of(registers, SOURCE, codec, 0))
    }

    /// The destination; `None` with a fault for a format that does not exist.
    pub fn destination(core: &mut Core, registers: &Registers) -> Option<Surface> {
        let word = registers.get(regs::set_dst_format::ID);
        let codec = known(core, word & 0xFF, regs::set_dst_format::v(word).map(Codec::of), "a destination")?;
        Some(Surface::of(registers, DESTINATION, codec, registers.get(regs::set_dst_layer::ID)))
    }

    /// A slice of source or destination.
    fn of(registers: &Registers, side: usize, codec: Codec, slice: u32) -> Surface {
        let get = |ids: [usize; 2]| registers.get(ids[side]);
        let block = get(regs::set_block_size::IDS);
        let (height, depth) = (regs::set_block_size::height(block), regs::set_block_size::depth(block));
        let size = [get(regs::set_width::IDS), get(regs::set_height::IDS)];
        let arrangement = match regs::set_memory_layout::v(get(regs::set_memory_layout::IDS)) {
            Some(MemoryLayout::Pitch) => Arrangement::Pitch(get(regs::set_pitch::IDS).into()),
            _ => Arrangement::Blocks(blocks(&codec, size, get(regs::set_depth::IDS), height, depth), slice),
        };
        let address = registers.address(regs::set_offset_upper::IDS[side]) & ADDRESS_MASK;
        Surface { codec, start: Spot { address, arrangement, x: 0, y: 0 }, size }
    }

    /// Where a pixel is.
    pub fn spot(&self, x: u32, y: u32) -> Spot {
        self.start.after(u64::from(x) * u64::from(self.codec.bytes), y)
    }

    /// All its pixels, as far as surfaces go.
    pub fn rect(&self) -> Rect {
        Rect::new([0, 0], self.size.map(|size| i64::from(size.min(MAX_EDGE))))
    }

    /// The addresses in which its pixels lie, about: the first, and the one after the last.
    fn range(&self) -> (u64, u64) {
        let address = self.start.address;
        let bytes = match self.start.arrangement {
            Arrangement::Pitch(pitch) => {
                let row = u64::from(self.size[0]) * u64::from(self.codec.bytes);
                u64::from(self.size[1]).saturating_sub(1).saturating_mul(pitch as u64).saturating_add(row)
            }
            Arrangement::Blocks(blocks, slice) => blocks.slice_offset(slice).saturating_add(blocks.slab_bytes()),
        };
        (address, address.saturating_add(bytes))
    }

    /// Whether both may have bytes in common.
    pub fn may_overlap(&self, other: &Surface) -> bool {
        let ((a, a_end), (b, b_end)) = (self.range(), other.range());
        a < b_end && b < a_end
    }
}

/// Block-linear surfaces have rows of their width; the pitch does not count. Sizes of blocks have three bits, of which
/// 6 and 7 mean nothing.
fn blocks(codec: &Codec, [width, rows]: [u32; 2], slices: u32, height: u32, depth: u32) -> Blocks {
    let row_bytes = u64::from(width) * u64::from(codec.bytes);
    Blocks {
        gobs_across: row_bytes.div_ceil(64).min(u32::MAX.into()) as u32,
        rows,
        slices,
        log2_gobs: height.min(5) as u8,
        log2_slices: depth.min(5) as u8,
    }
}

fn known(core: &mut Core, format: u32, codec: Option<Codec>, what: &str) -> Option<Codec> {
    if codec.is_none() {
        // 0x1C is a bitmap of 8x8 pixels: no known program uses it, and no source says how it is stored.
        let kind = if format == 0x1C { FaultKind::Unimplemented } else { FaultKind::BadMethod };
        core.fault(
            kind,
            format.into(),
            format_args!("the 2D class does not take format {format:#x} for {what} surface"),
        );
    }
    codec
}
