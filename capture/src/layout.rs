//! Offset of pixel (x, y) of a picture: the seven layouts of PRESENT.

/// Bytes along and rows down a GOB, the unit of Tegra's block-linear layout.
const GOB_WIDTH: u64 = 64;
const GOB_HEIGHT: u64 = 8;
const GOB_SIZE_LOG2: u32 = 9;

/// The arrangements of PRESENT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Rows of `pitch` bytes (numbers 0 and 1).
    Linear {
        /// The first stored row is the lowest of the picture.
        bottom_first: bool,
    },
    /// A 3DS framebuffer (2): stored columns of `pitch` bytes, each from the bottom up.
    Lcd,
    /// Tegra block-linear (3 and 4).
    BlockLinear {
        /// log2 of the block height in GOBs, 0 to 5.
        block_height_log2: u32,
        /// The first stored row is the lowest of the picture.
        bottom_first: bool,
    },
    /// RSX swizzled (5 and 6).
    Swizzled {
        /// The first stored row is the lowest of the picture.
        bottom_first: bool,
    },
}

impl Layout {
    /// By the number in a PRESENT; `None` for unknown numbers and parameters.
    pub fn from_number(number: u32) -> Option<Self> {
        let (kind, parameter) = (number & 0xFF, number >> 8);
        match (kind, parameter) {
            (0 | 1, 0) => Some(Layout::Linear { bottom_first: kind == 1 }),
            (2, 0) => Some(Layout::Lcd),
            (3 | 4, 0..=5) => Some(Layout::BlockLinear { block_height_log2: parameter, bottom_first: kind == 4 }),
            (5 | 6, 0) => Some(Layout::Swizzled { bottom_first: kind == 6 }),
            _ => None,
        }
    }

    /// The number in a PRESENT.
    pub const fn number(self) -> u32 {
        match self {
            Layout::Linear { bottom_first } => bottom_first as u32,
            Layout::Lcd => 2,
            Layout::BlockLinear { block_height_log2, bottom_first } => {
                3 + bottom_first as u32 + (block_height_log2 << 8)
            }
            Layout::Swizzled { bottom_first } => 5 + bottom_first as u32,
        }
    }
}

/// A picture's shape, checked: no offset of a pixel inside it overflows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub layout: Layout,
    pub width: u64,
    pub height: u64,
    pub pitch: u64,
    pub bytes_per_pixel: u64,
}

impl Shape {
    /// Offset of the first byte of the pixel that a person sees at (`x`, `y`), `y` downwards.
    pub fn offset(&self, x: u64, y: u64) -> u64 {
        let y = match self.layout {
            Layout::Linear { bottom_first }
            | Layout::BlockLinear { bottom_first, .. }
            | Layout::Swizzled { bottom_first } => match bottom_first {
                true => self.height - 1 - y,
                false => y,
            },
            Layout::Lcd => return x * self.pitch + (self.height - 1 - y) * self.bytes_per_pixel,
        };
        self.stored_offset(x, y)
    }

    /// Bytes from the picture's address up to the end of its last pixel.
    pub fn extent(&self) -> u64 {
        let (last_x, last_y) = (self.width - 1, self.height - 1);
        let last = match self.layout {
            Layout::Linear { .. } => self.stored_offset(last_x, last_y),
            Layout::Lcd => self.offset(last_x, 0),
            // Both coordinates only ever add bits, but with sizes that are no powers of two the last pixel
            // need not have the highest index; the last row and column do hold it.
            Layout::Swizzled { .. } => {
                let row = (0..self.width).map(|x| self.stored_offset(x, last_y)).max();
                let column = (0..self.height).map(|y| self.stored_offset(last_x, y)).max();
                row.max(column).unwrap_or(0)
            }
            // The highest offset lies in the last GOB column of the last row of blocks.
            Layout::BlockLinear { block_height_log2, .. } => {
                let first_y = last_y & !((GOB_HEIGHT << block_height_log2) - 1);
                let gob_start = (last_x * self.bytes_per_pixel) & !(GOB_WIDTH - 1);
                let first_x = gob_start / self.bytes_per_pixel;
                let rows = (first_y..self.height).flat_map(|y| (first_x..self.width).map(move |x| (x, y)));
                rows.map(|(x, y)| self.stored_offset(x, y)).max().unwrap_or(0)
            }
        };
        last + self.bytes_per_pixel
    }

    fn stored_offset(&self, x: u64, y: u64) -> u64 {
        match self.layout {
            Layout::Linear { .. } | Layout::Lcd => y * self.pitch + x * self.bytes_per_pixel,
            Layout::BlockLinear { block_height_log2, .. } => {
                block_linear(x * self.bytes_per_pixel, y, self.pitch, block_height_log2)
            }
            Layout::Swizzled { .. } => swizzled(x, y, self.width, self.height) * self.bytes_per_pixel,
        }
    }
}

/// Tegra block-linear: offset of byte column `x` of row `y`, blocks one GOB wide and `1 << block_height_log2` high.
fn block_linear(x: u64, y: u64, pitch: u64, block_height_log2: u32) -> u64 {
    let gob_row = y / GOB_HEIGHT;
    let block_size_log2 = GOB_SIZE_LOG2 + block_height_log2;
    let block_row = (gob_row >> block_height_log2) * (pitch.div_ceil(GOB_WIDTH) << block_size_log2);
    let block = (x / GOB_WIDTH) << block_size_log2;
    let gob = (gob_row & ((1 << block_height_log2) - 1)) << GOB_SIZE_LOG2;
    // Offset bits inside a GOB, high to low: x5 y2 y1 x4 y0 x3 x2 x1 x0.
    let inside = (x & 32) << 3 | (y & 6) << 5 | (x & 16) << 1 | (y & 1) << 4 | (x & 15);
    block_row + block + gob + inside
}

/// RSX swizzle: the bits of x and y by turns, lowest first; a coordinate that has run out of bits is left out.
/// Sizes are rounded up to powers of two.
fn swizzled(x: u64, y: u64, width: u64, height: u64) -> u64 {
    let bits = |size: u64| size.next_power_of_two().trailing_zeros();
    let (x_bits, y_bits) = (bits(width), bits(height));
    let (mut index, mut at) = (0, 0);
    for bit in 0..x_bits.max(y_bits) {
        if bit < x_bits {
            index |= (x >> bit & 1) << at;
            at += 1;
        }
        if bit < y_bits {
            index |= (y >> bit & 1) << at;
            at += 1;
        }
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_have_their_numbers() {
        for number in (0..7).chain([0x203, 0x504]) {
            assert_eq!(Layout::from_number(number).map(Layout::number), Some(number));
        }
    }

    #[test]
    fn gob_offsets_are_the_documented_ones() {
        let points = [(0, 0, 0), (15, 0, 15), (16, 0, 0x20), (32, 0, 0x100), (0, 1, 0x10), (0, 2, 0x40)];
        for (x, y, offset) in points.into_iter().chain([(0, 4, 0x80), (63, 7, 0x1FF), (40, 5, 0x198)]) {
            assert_eq!(block_linear(x, y, 64, 0), offset, "({x}, {y})");
        }
    }

    #[test]
    fn block_linear_covers_every_byte_once() {
        for (pitch, height, log2) in [(64, 8, 0), (128, 32, 1), (192, 64, 2), (64, 128, 4)] {
            let mut seen = vec![false; (pitch * height) as usize];
            for y in 0..height {
                for x in 0..pitch {
                    let offset = block_linear(x, y, pitch, log2) as usize;
                    assert!(!std::mem::replace(&mut seen[offset], true), "({x}, {y})");
                }
            }
        }
    }

    #[test]
    fn swizzle_drops_exhausted_bits() {
        let cases = [(8, 2, 3, 1, 7), (8, 2, 2, 0, 4), (2, 8, 1, 7, 15), (16, 4, 5, 2, 25), (16, 4, 8, 0, 32)];
        for (width, height, x, y, index) in cases.into_iter().chain([(4, 16, 2, 5, 22), (4, 4, 3, 2, 13)]) {
            assert_eq!(swizzled(x, y, width, height), index);
        }
    }

    #[test]
    fn extent_is_the_highest_byte() {
        let layouts = [false, true].into_iter().flat_map(|bottom_first| {
            let blocks = (0..3).map(move |log2| Layout::BlockLinear { block_height_log2: log2, bottom_first });
            blocks.chain([Layout::Linear { bottom_first }, Layout::Swizzled { bottom_first }, Layout::Lcd])
        });
        for layout in layouts {
            for (width, height) in [(1, 1), (7, 3), (3, 21), (33, 9), (64, 64), (5, 100)] {
                for bytes_per_pixel in [2, 3, 4, 8] {
                    let pitch = if layout == Layout::Lcd { height } else { width } * bytes_per_pixel + 5;
                    let shape = Shape { layout, width, height, pitch, bytes_per_pixel };
                    let all = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
                    let highest = all.map(|(x, y)| shape.offset(x, y)).max().unwrap();
                    assert_eq!(shape.extent(), highest + bytes_per_pixel, "{shape:?}");
                }
            }
        }
    }
}
