//! BC6H: halves, red, green and blue. (Direct3D 11 functional specification; ARB_texture_compression_bptc.)

use super::bits::{BitReader, signed as sign_extend};
use super::partition::{Partition, mix, weights};

/// A mode: the number of regions, the width of the end points, and the positions of their bits.
#[derive(Clone, Copy)]
struct Mode {
    /// Lowest bits of the block: two if less than 2, else five.
    value: u32,
    /// 1 or 2.
    regions: u32,
    /// Bits of an end point.
    bits: u32,
    /// Bits of the differences to the first end point, red, green, blue; 0: there are none.
    deltas: [u32; 3],
    /// For each bit of the block after the mode: its channel and end point times 16, and its bit.
    places: [u8; 80],
    /// How many there are.
    count: usize,
}

/// The value in `places` of a bit of the partition.
const SHAPE: u8 = 0xC0;

/// The row of the table that begins at `at`, and where it ends.
const fn mode(text: &[u8], mut at: usize) -> (Mode, usize) {
    let mut head = [0; 6];
    let mut i = 0;
    while i < head.len() {
        (head[i], at) = number(text, word(text, at));
        i += 1;
    }
    let [value, regions, bits, r, g, b] = head;
    let (value, regions, bits) = (value as u32, regions as u32, bits as u32);
    let deltas = [r as u32, g as u32, b as u32];
    let (mut places, mut count) = ([0; 80], 0);
    while text[at] != b';' {
        at = word(text, at);
        let base = match text[at] {
            b'd' => SHAPE,
            channel => {
                at += 1;
                let channel = match channel {
                    b'r' => 0,
                    b'g' => 1,
                    _ => 2,
                };
                (text[at] - b'w') * 48 + channel * 16
            }
        };
        let (first, next) = number(text, at + 1);
        let (last, next) = if text[next] == b':' { number(text, next + 1) } else { (first, next) };
        let mut bit = last;
        loop {
            places[count] = base + bit;
            count += 1;
            if bit == first {
                break;
            }
            bit = if bit < first { bit + 1 } else { bit - 1 };
        }
        at = next;
    }
    (Mode { value, regions, bits, deltas, places, count }, at + 1)
}

/// Where the first word at or after `at` begins.
const fn word(text: &[u8], mut at: usize) -> usize {
    while text[at].is_ascii_whitespace() {
        at += 1;
    }
    at
}

/// The number at `at`, and where it ends.
const fn number(text: &[u8], mut at: usize) -> (u8, usize) {
    let mut value = 0;
    while at < text.len() && text[at].is_ascii_digit() {
        value = value * 10 + text[at] - b'0';
        at += 1;
    }
    (value, at)
}

/// The modes: value, regions, bits, differences; then the fields in the order of the block: channel, then end point w,
/// x (first region), y or z (second), or d for the partition; then a bit or a range of bits, the last of which is the
/// lowest one in the block.
const TABLE: &str = "
     0  2 10  5 5 5  gy4 by4 bz4 rw9:0 gw9:0 bw9:0 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2
                     rz4:0 bz3 d4:0;
     1  2  7  6 6 6  gy5 gz4 gz5 rw6:0 bz0 bz1 by4 gw6:0 by5 bz2 gy4 bw6:0 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0
                     bx5:0 by3:0 ry5:0 rz5:0 d4:0;
     2  2 11  5 4 4  rw9:0 gw9:0 bw9:0 rx4:0 rw10 gy3:0 gx3:0 gw10 bz0 gz3:0 bx3:0 bw10 bz1 by3:0 ry4:0 bz2
                     rz4:0 bz3 d4:0;
     3  1 10  0 0 0  rw9:0 gw9:0 bw9:0 rx9:0 gx9:0 bx9:0;
     6  2 11  4 5 4  rw9:0 gw9:0 bw9:0 rx3:0 rw10 gz4 gy3:0 gx4:0 gw10 gz3:0 bx3:0 bw10 bz1 by3:0 ry3:0 bz0 bz2
                     rz3:0 gy4 bz3 d4:0;
     7  1 11  9 9 9  rw9:0 gw9:0 bw9:0 rx8:0 rw10 gx8:0 gw10 bx8:0 bw10;
    10  2 11  4 4 5  rw9:0 gw9:0 bw9:0 rx3:0 rw10 by4 gy3:0 gx3:0 gw10 bz0 gz3:0 bx4:0 bw10 by3:0 ry3:0 bz1 bz2
                     rz3:0 bz4 bz3 d4:0;
    11  1 12  8 8 8  rw9:0 gw9:0 bw9:0 rx7:0 rw10:11 gx7:0 gw10:11 bx7:0 bw10:11;
    14  2  9  5 5 5  rw8:0 by4 gw8:0 gy4 bw8:0 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2
                     rz4:0 bz3 d4:0;
    15  1 16  4 4 4  rw9:0 gw9:0 bw9:0 rx3:0 rw10:15 gx3:0 gw10:15 bx3:0 bw10:15;
    18  2  8  6 5 5  rw7:0 gz4 by4 gw7:0 bz2 gy4 bw7:0 bz3 bz4 rx5:0 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0
                     ry5:0 rz5:0 d4:0;
    22  2  8  5 6 5  rw7:0 bz0 by4 gw7:0 gy5 gy4 bw7:0 gz5 bz4 rx4:0 gz4 gy3:0 gx5:0 gz3:0 bx4:0 bz1 by3:0
                     ry4:0 bz2 rz4:0 bz3 d4:0;
    26  2  8  5 5 6  rw7:0 bz1 by4 gw7:0 by5 gy4 bw7:0 bz5 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx5:0 by3:0
                     ry4:0 bz2 rz4:0 bz3 d4:0;
    30  2  6  0 0 0  rw5:0 gz4 bz0 bz1 by4 gw5:0 gy5 by5 bz2 gy4 bw5:0 gz5 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0
                     bx5:0 by3:0 ry5:0 rz5:0 d4:0;
";

const MODES: [Mode; 14] = {
    let (first, mut at) = mode(TABLE.as_bytes(), 0);
    let mut modes = [first; 14];
    let mut i = 1;
    while i < modes.len() {
        (modes[i], at) = mode(TABLE.as_bytes(), at);
        i += 1;
    }
    modes
};

/// The end points of a block: of each of w, x, y, z red, green and blue.
type Ends = [[i32; 3]; 4];

/// Reads the end points, without differences and signs, and the partition.
fn read(mode: &Mode, bits: &mut BitReader) -> ([[u32; 3]; 4], u32) {
    let (mut ends, mut shape) = ([[0; 3]; 4], 0);
    for place in &mode.places[..mode.count] {
        let bit = bits.take(1);
        if *place >= SHAPE {
            shape |= bit << (place - SHAPE);
        } else {
            let (end, channel) = (usize::from(place / 48), usize::from(place / 16 % 3));
            ends[end][channel] |= bit << (place & 15);
        }
    }
    (ends, shape)
}

/// End points with what differences and signs make of them.
fn resolve(mode: &Mode, stored: &[[u32; 3]; 4], signed: bool) -> Ends {
    let value = |end: usize, channel: usize| {
        let (first, stored, delta) = (stored[0][channel], stored[end][channel], mode.deltas[channel]);
        let whole = if end == 0 || delta == 0 {
            stored
        } else {
            first.wrapping_add_signed(sign_extend(stored, delta)) & ((1 << mode.bits) - 1)
        };
        if signed { sign_extend(whole, mode.bits) } else { whole as i32 }
    };
    std::array::from_fn(|end| std::array::from_fn(|channel| unquantize(value(end, channel), mode.bits, signed)))
}

/// An end point as 16 bits, or 15 bits with a sign.
fn unquantize(value: i32, bits: u32, signed: bool) -> i32 {
    if !signed {
        return match value {
            _ if bits >= 15 => value,
            0 => 0,
            _ if value == (1 << bits) - 1 => 0xFFFF,
            _ => ((value << 16) + 0x8000) >> bits,
        };
    }
    let size = value.abs();
    let whole = match size {
        _ if bits >= 16 => return value,
        0 => 0,
        _ if size >= (1 << (bits - 1)) - 1 => 0x7FFF,
        _ => ((size << 15) + 0x4000) >> (bits - 1),
    };
    if value < 0 { -whole } else { whole }
}

/// The half that a mixture of end points is.
fn half(value: i32, signed: bool) -> u16 {
    match (signed, value < 0) {
        (false, _) => ((value * 31) >> 6) as u16,
        (true, false) => ((value * 31) >> 5) as u16,
        (true, true) => 0x8000 | ((-value * 31) >> 5) as u16,
    }
}

/// The texels of a block, bits of halves; modes without meaning are black.
pub(super) fn bc6h(block: [u8; 16], signed: bool) -> [[u16; 3]; 16] {
    let word = u128::from_le_bytes(block);
    let mut bits = BitReader::new(word);
    let low = bits.take(2);
    let value = if low < 2 { low } else { low | bits.take(3) << 2 };
    let Some(mode) = MODES.iter().find(|mode| mode.value == value) else { return [[0; 3]; 16] };
    let (stored, shape) = read(mode, &mut bits);
    let ends = resolve(mode, &stored, signed);
    let (partition, index_bits) = match mode.regions {
        1 => (Partition::WHOLE, 4),
        _ => (Partition::of(2, shape), 3),
    };
    let weights = weights(index_bits);
    std::array::from_fn(|texel| {
        let index = bits.take(index_bits - u32::from(partition.is_anchor(texel)));
        let first = 2 * partition.subset(texel);
        std::array::from_fn(|channel| {
            half(mix(ends[first][channel], ends[first + 1][channel], weights[index as usize]), signed)
        })
    })
}
