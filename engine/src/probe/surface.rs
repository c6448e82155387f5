//! Surfaces: layout and format of their pixels.

use triglyph_guest::format::{self, PixelFormat};
use triglyph_guest::kernel::program::output::{ColorFormat, DepthFormat};
use triglyph_guest::layout::{Block, SurfaceLayout};

use crate::mem::{GuestAddr, GuestRange};

/// The use of a surface by a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Colour target of this number.
    Color(u8),
    /// Depth and stencil.
    Depth,
}

/// Where pixels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Blocks of pixels in Morton order (3DS).
    Tiled(Block),
    /// Another layout.
    Surface(SurfaceLayout),
}

/// The meaning of a stored pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stored {
    /// A colour of the 3DS.
    PicaColor(PixelFormat),
    /// Depth, and perhaps stencil, of the 3DS.
    PicaDepth(format::DepthFormat),
    /// Of a shadow map of the 3DS: depth of 24 bits, the highest first, then a shadow of 8 bits.
    PicaShadow,
    /// Densities of gas of the 3DS, 16 bits each: the plain one, then that by depth.
    PicaDensities,
    /// A colour of the other machines.
    Color(ColorFormat),
    /// Depth, and perhaps stencil, of the other machines; whether words are big-endian.
    Depth(DepthFormat, bool),
    /// Not known: the draw does not use the surface.
    Unknown,
}

/// A surface of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Surface {
    /// Its use.
    pub role: Role,
    /// Its first byte.
    pub start: GuestAddr,
    /// Bytes from there on that belong to it.
    pub size: u64,
    /// Where pixels are.
    pub layout: Layout,
    /// Pixels of a row for tiled surfaces; else bytes of a row, or GOBs of one.
    pub pitch: u32,
    /// Bytes of a pixel.
    pub bytes: u32,
    /// The meaning of a pixel.
    pub stored: Stored,
    /// Stored pixels of a row: with several samples each of them counts.
    pub width: u32,
    /// Stored rows.
    pub rows: u32,
    /// Samples of a pixel across and down.
    pub samples: [u8; 2],
}

impl Surface {
    /// Byte offset of a stored pixel; stored row 0 is the first in memory.
    pub fn offset(&self, x: u32, y: u32) -> u64 {
        match self.layout {
            Layout::Tiled(block) => u64::from(block.index(x, y, self.pitch)) * u64::from(self.bytes),
            Layout::Surface(layout) => layout.offset(x, y, self.bytes, self.pitch),
        }
    }

    /// The stored pixel that begins at an address.
    pub fn pixel_at(&self, at: GuestAddr) -> Option<[u32; 2]> {
        let offset = at.address.checked_sub(self.start.address)?;
        let is_inside = at.space == self.start.space && offset < self.size;
        let row = |y: u32| (0..self.width).find(|&x| self.offset(x, y) == offset).map(|x| [x, y]);
        if is_inside { (0..self.rows).find_map(row) } else { None }
    }

    /// Whether the meaning of its pixels is known.
    pub fn is_known(&self) -> bool {
        self.stored != Stored::Unknown
    }

    /// All of its bytes.
    pub fn range(&self) -> GuestRange {
        self.start.range(self.size)
    }

    /// Whether both are the same memory in the same form, whatever they are used for.
    pub fn is_same_place(&self, other: &Surface) -> bool {
        let place = |s: &Surface| (s.start, s.layout, s.pitch, s.bytes, s.width, s.rows);
        place(self) == place(other)
    }
}
