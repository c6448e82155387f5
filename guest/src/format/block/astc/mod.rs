//! ASTC of two dimensions, low dynamic range. (Khronos Data Format Specification, ASTC compressed texture image
//! formats.)
//!
//! ```text
//! mod.rs         a block: void extents, modes, weights, colours
//! sequence.rs    integer sequences
//! ends.rs        end points
//! partition.rs   partitions
//! ```
//! Blocks that are not valid, and partitions of high dynamic range, are magenta, as in ARM's and Mesa's decoders.
//! Results are cut off to 8 bits, what the machine keeps of the 16 is not known.

mod ends;
mod partition;
mod sequence;

use ends::Ends;
use partition::Partitions;
use sequence::{FIRST_OF_ENDS, RANGES, Value};

/// Texels of the largest block.
pub(super) const TEXELS: usize = 12 * 12;

/// The colour of invalid blocks.
const MAGENTA: u32 = 0xFFFF_00FF;

/// Decodes a block of `width` by `height` texels, row by row. `srgb`: colours are those of sRGB, which end points are
/// expanded for otherwise.
pub(super) fn astc(block: [u8; 16], [width, height]: [u32; 2], srgb: bool, out: &mut [u32; TEXELS]) {
    let word = u128::from_le_bytes(block);
    let count = ((width * height) as usize).min(TEXELS);
    let out = &mut out[..count];
    if word & 0x1FF == 0x1FC {
        out.fill(void_extent(word).unwrap_or(MAGENTA));
        return;
    }
    match Block::read(word, [width, height]) {
        Some(block) => {
            for (i, out) in out.iter_mut().enumerate() {
                *out = block.texel(i as u32 % width, i as u32 / width, srgb);
            }
        }
        None => out.fill(MAGENTA),
    }
}

/// `bits` bits of `word` from bit `shift` on.
const fn field(word: u128, shift: u32, bits: u32) -> u32 {
    (word >> shift) as u32 & ((1 << bits) - 1)
}

/// One colour for all texels; `None` if it is not valid.
fn void_extent(word: u128) -> Option<u32> {
    let is_hdr = field(word, 9, 1) != 0;
    let high_byte = |i: u32| field(word, 64 + 16 * i + 8, 8);
    (!is_hdr && field(word, 10, 2) == 3)
        .then(|| high_byte(0) | high_byte(1) << 8 | high_byte(2) << 16 | high_byte(3) << 24)
}

/// The grid of weights.
struct Mode {
    width: u32,
    height: u32,
    /// Index in [`RANGES`].
    range: usize,
    /// Whether one channel has weights of its own.
    dual: bool,
}

impl Mode {
    /// Reads the mode of a block; `None` if it is reserved.
    fn read(word: u128) -> Option<Mode> {
        let bits = |shift: u32, bits: u32| field(word, shift, bits);
        let (a, b) = (bits(5, 2), bits(7, 2));
        let (mut high_precision, mut dual) = (bits(9, 1) != 0, bits(10, 1) != 0);
        let (range, width, height) = if bits(0, 2) != 0 {
            let (width, height) = match (bits(2, 2), b >> 1) {
                (0, _) => (b + 4, a + 2),
                (1, _) => (b + 8, a + 2),
                (2, _) => (a + 2, b + 8),
                (_, 0) => (a + 2, (b & 1) + 6),
                _ => ((b & 1) + 2, a + 2),
            };
            (bits(4, 1) | bits(0, 2) << 1, width, height)
        } else {
            let (width, height) = match (b, a) {
                (0, _) => (12, a + 2),
                (1, _) => (a + 2, 12),
                (2, _) => {
                    (high_precision, dual) = (false, false);
                    (a + 6, bits(9, 2) + 6)
                }
                (_, 0) => (6, 10),
                (_, 1) => (10, 6),
                _ => return None,
            };
            (bits(4, 1) | bits(2, 2) << 1, width, height)
        };
        let range = (range as usize).checked_sub(2)? + if high_precision { 6 } else { 0 };
        Some(Mode { width, height, range, dual })
    }

    fn weight_count(&self) -> u32 {
        self.width * self.height * if self.dual { 2 } else { 1 }
    }
}

/// How end points are coded: a mode for each partition, and where their bits lie.
struct Layout {
    partitions: u32,
    seed: u32,
    modes: [u32; 4],
    start: u32,
    /// Where the bits end that lie above.
    end: u32,
}

impl Layout {
    /// `below_weights`: the first bit of the weights.
    fn read(word: u128, below_weights: u32) -> Option<Layout> {
        let partitions = field(word, 11, 2) + 1;
        if partitions == 1 {
            return Some(Layout { partitions, seed: 0, modes: [field(word, 13, 4); 4], start: 17, end: below_weights });
        }
        let (seed, selector) = (field(word, 13, 10), field(word, 23, 2));
        let low = field(word, 25, 4);
        let Some(class) = selector.checked_sub(1) else {
            return Some(Layout { partitions, seed, modes: [low; 4], start: 29, end: below_weights });
        };
        let extra = 3 * partitions - 4;
        let end = below_weights.checked_sub(extra)?;
        let bits = low | field(word, end, extra) << 4;
        let mode = |k: u32| ((bits >> k & 1) + class) * 4 + (bits >> (partitions + 2 * k) & 3);
        Some(Layout { partitions, seed, modes: [0, 1, 2, 3].map(mode), start: 29, end })
    }

    /// The ends of all partitions, whose bits end at `end`; `None` of those of high dynamic range.
    fn ends(&self, word: u128, end: u32) -> Option<[Option<Ends>; 4]> {
        let modes = &self.modes[..self.partitions as usize];
        let count: u32 = modes.iter().map(|&mode| ends::value_count(mode)).sum();
        let available = end.checked_sub(self.start)?;
        let range = RANGES[FIRST_OF_ENDS..].iter().rev().find(|range| range.size(count) <= available)?;
        let mut stored = [Value::default(); 18];
        let stored = stored.get_mut(..count as usize)?;
        range.read(word >> self.start, stored);
        let mut rest = stored.iter().map(|&value| range.color(value));
        let mut out = [None; 4];
        for (out, &mode) in out.iter_mut().zip(modes) {
            let mut values = [0; 8];
            for value in &mut values[..ends::value_count(mode) as usize] {
                *value = rest.next()?;
            }
            *out = ends::ends(mode, values);
        }
        Some(out)
    }
}

/// Most weights of a block.
const WEIGHTS: usize = 64;

/// A block that is valid.
struct Block {
    mode: Mode,
    partitions: Partitions,
    ends: [Option<Ends>; 4],
    /// The channel with weights of its own, 4 for none.
    second_plane: usize,
    /// 0 to 64, row by row; of two planes by turns.
    weights: [u32; WEIGHTS],
    /// Texels across to 1024ths of the block, likewise down.
    steps: [u32; 2],
}

impl Block {
    fn read(word: u128, size: [u32; 2]) -> Option<Block> {
        let mode = Mode::read(word)?;
        let (count, range) = (mode.weight_count(), RANGES.get(mode.range)?);
        if mode.width > size[0] || mode.height > size[1] || count as usize > WEIGHTS {
            return None;
        }
        let weight_bits = range.size(count);
        if !(24..=96).contains(&weight_bits) {
            return None;
        }
        let layout = Layout::read(word, 128 - weight_bits)?;
        let mut end = layout.end;
        let mut second_plane = 4;
        if mode.dual {
            if layout.partitions == 4 {
                return None;
            }
            end -= 2;
            second_plane = field(word, end, 2) as usize;
        }
        let ends = layout.ends(word, end)?;
        let mut stored = [Value::default(); WEIGHTS];
        // Weights begin at the top, the first bit highest.
        range.read(word.reverse_bits(), &mut stored[..count as usize]);
        let weights = stored.map(|value| range.weight(value));
        let partitions = Partitions::new(layout.seed, layout.partitions, size[0] * size[1]);
        let steps = size.map(|size| (1024 + size / 2) / (size - 1));
        Some(Block { mode, partitions, ends, second_plane, weights, steps })
    }

    /// The weight of a texel, interpolated from the grid.
    fn weight(&self, x: u32, y: u32, plane: u32) -> u32 {
        let [gx, gy] = [self.steps[0] * x * (self.mode.width - 1), self.steps[1] * y * (self.mode.height - 1)]
            .map(|place| (place + 32) >> 6);
        let (column, row, fx, fy) = (gx >> 4, gy >> 4, gx & 15, gy & 15);
        let both = (fx * fy + 8) >> 4;
        let planes = if self.mode.dual { 2 } else { 1 };
        let at = |column: u32, row: u32| {
            let index = (row * self.mode.width + column) * planes + plane;
            // Beyond the last ones the factor is 0.
            self.weights.get(index as usize).copied().unwrap_or(0)
        };
        let sum = at(column, row) * (16 + both - fx - fy)
            + at(column + 1, row) * (fx - both)
            + at(column, row + 1) * (fy - both)
            + at(column + 1, row + 1) * both;
        (sum + 8) >> 4
    }

    fn texel(&self, x: u32, y: u32, srgb: bool) -> u32 {
        let Some([first, second]) = self.ends[self.partitions.of(x, y)] else { return MAGENTA };
        let plain = self.weight(x, y, 0);
        let own = if self.second_plane < 4 { self.weight(x, y, 1) } else { plain };
        let mut out = 0;
        for channel in 0..4 {
            let wide = |end: u32| if srgb && channel < 3 { end << 8 | 0x80 } else { end * 257 };
            let weight = if channel == self.second_plane { own } else { plain };
            let mixed = (wide(first[channel]) * (64 - weight) + wide(second[channel]) * weight + 32) >> 6;
            out |= (mixed >> 8) << (8 * channel);
        }
        out
    }
}
