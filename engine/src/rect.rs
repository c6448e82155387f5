//! Rectangles of pixels.

use triglyph_guest::kernel::program::fragment::Samples;

/// Pixels and stored rows, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// First pixel.
    pub x0: u32,
    /// First stored row.
    pub y0: u32,
    /// Last pixel.
    pub x1: u32,
    /// Last stored row.
    pub y1: u32,
}

impl Rect {
    /// What both rectangles have in common.
    pub fn intersect(self, other: Rect) -> Option<Rect> {
        let rect = Rect {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        };
        (rect.x0 <= rect.x1 && rect.y0 <= rect.y1).then_some(rect)
    }

    /// The smallest rectangle that holds both.
    pub fn around(self, other: Rect) -> Rect {
        Rect {
            x0: self.x0.min(other.x0),
            y0: self.y0.min(other.y0),
            x1: self.x1.max(other.x1),
            y1: self.y1.max(other.y1),
        }
    }

    /// The stored pixels of pixels with some samples each.
    pub fn stored(self, samples: Samples) -> Rect {
        let (across, down) = (u32::from(samples.across), u32::from(samples.down));
        Rect { x0: self.x0 * across, y0: self.y0 * down, x1: (self.x1 + 1) * across - 1, y1: (self.y1 + 1) * down - 1 }
    }

    /// Pixels of a row.
    pub fn width(self) -> u32 {
        self.x1 - self.x0 + 1
    }

    /// Rows.
    pub fn height(self) -> u32 {
        self.y1 - self.y0 + 1
    }
}
