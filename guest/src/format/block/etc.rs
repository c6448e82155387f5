//! ETC2 and EAC: big-endian words of 64 bits. (Khronos Data Format Specification, ETC2 compressed texture image
//! formats.)
//!
//! Texels are numbered down, then across: texel (x, y) is number `k = 4x + y`.

use super::bits::{field, replicate, signed};

/// How much brighter a texel of a sub-block is, small and large, by table number.
const BRIGHTNESS: [[i32; 2]; 8] = [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];

/// Distances of colours in T and H blocks.
const DISTANCES: [i32; 8] = [3, 6, 11, 16, 23, 32, 41, 64];

/// Factors of EAC, by table number and index.
const EAC: [[i32; 8]; 16] = [
    [-3, -6, -9, -15, 2, 5, 8, 14],
    [-3, -7, -10, -13, 2, 6, 9, 12],
    [-2, -5, -8, -13, 1, 4, 7, 12],
    [-2, -4, -6, -13, 1, 3, 5, 12],
    [-3, -6, -8, -12, 2, 5, 7, 11],
    [-3, -7, -9, -11, 2, 6, 8, 10],
    [-4, -7, -8, -11, 3, 6, 7, 10],
    [-3, -5, -8, -11, 2, 4, 7, 10],
    [-2, -6, -8, -10, 1, 5, 7, 9],
    [-2, -5, -8, -10, 1, 4, 7, 9],
    [-2, -4, -8, -10, 1, 3, 7, 9],
    [-2, -5, -7, -10, 1, 4, 6, 9],
    [-3, -4, -7, -10, 2, 3, 6, 9],
    [-1, -2, -3, -10, 0, 1, 2, 9],
    [-4, -6, -8, -9, 3, 5, 7, 8],
    [-3, -5, -7, -9, 2, 4, 6, 8],
];

const OPAQUE: u32 = 0xFF00_0000;

/// `color` with `by` added to each channel, from 0 to 255, opaque.
fn brighter(color: [u32; 3], by: i32) -> u32 {
    let [r, g, b] = color.map(|channel| (channel as i32 + by).clamp(0, 255) as u32);
    r | g << 8 | b << 16 | OPAQUE
}

/// The texels row by row, from what texel (x, y) of number k is.
fn rows<T>(texel: impl Fn(u32, u32, u32) -> T) -> [T; 16] {
    std::array::from_fn(|i| {
        let (x, y) = (i as u32 % 4, i as u32 / 4);
        texel(x, y, 4 * x + y)
    })
}

/// The index of two bits of texel number `k`.
fn index(word: u64, k: u32) -> usize {
    (field(word, 16 + k, 1) << 1 | field(word, k, 1)) as usize
}

/// ETC2, red, green, blue. `punch_through`: bit 33 says that the block is opaque instead of that colours are
/// differences, which they always are; in others texels of index 2 are transparent black.
pub(super) fn etc2(block: [u8; 8], punch_through: bool) -> [u32; 16] {
    let word = u64::from_be_bytes(block);
    let flag = field(word, 33, 1) != 0;
    let transparent = punch_through && !flag;
    if !punch_through && !flag {
        let first = [60, 52, 44].map(|shift| field(word, shift, 4) * 17);
        let second = [56, 48, 40].map(|shift| field(word, shift, 4) * 17);
        return sub_blocks(word, [first, second], false);
    }
    let first = [59, 51, 43].map(|shift| field(word, shift, 5));
    let delta = [56, 48, 40].map(|shift| signed(field(word, shift, 3), 3));
    let second: [i32; 3] = std::array::from_fn(|i| first[i] as i32 + delta[i]);
    match second.iter().position(|channel| !(0..32).contains(channel)) {
        Some(0) => painted(word, t_colors(word), transparent),
        Some(1) => painted(word, h_colors(word), transparent),
        Some(_) => planar(word),
        None => {
            let second = second.map(|channel| channel as u32);
            sub_blocks(word, [first, second].map(|color| color.map(|channel| replicate(channel, 5))), transparent)
        }
    }
}

/// Two halves with a colour and a table of brightness each.
fn sub_blocks(word: u64, colors: [[u32; 3]; 2], transparent: bool) -> [u32; 16] {
    let flipped = field(word, 32, 1) != 0;
    let tables = [37, 34].map(|shift| BRIGHTNESS[field(word, shift, 3) as usize]);
    rows(|x, y, k| {
        let half = usize::from(if flipped { y } else { x } >= 2);
        let [small, large] = tables[half];
        let small = if transparent { 0 } else { small };
        match index(word, k) {
            0 => brighter(colors[half], small),
            1 => brighter(colors[half], large),
            2 if transparent => 0,
            2 => brighter(colors[half], -small),
            _ => brighter(colors[half], -large),
        }
    })
}

/// A block of four colours.
fn painted(word: u64, colors: [u32; 4], transparent: bool) -> [u32; 16] {
    rows(|_, _, k| match index(word, k) {
        2 if transparent => 0,
        index => colors[index],
    })
}

/// T: one colour, and another with two neighbours.
fn t_colors(word: u64) -> [u32; 4] {
    let first = [field(word, 59, 2) << 2 | field(word, 56, 2), field(word, 52, 4), field(word, 48, 4)];
    let second = [44, 40, 36].map(|shift| field(word, shift, 4) * 17);
    let distance = DISTANCES[(field(word, 34, 2) << 1 | field(word, 32, 1)) as usize];
    let first = first.map(|channel| channel * 17);
    [brighter(first, 0), brighter(second, distance), brighter(second, 0), brighter(second, -distance)]
}

/// H: the neighbours of two colours, whose order is the lowest bit of the distance.
fn h_colors(word: u64) -> [u32; 4] {
    let first = [
        field(word, 59, 4),
        field(word, 56, 3) << 1 | field(word, 52, 1),
        field(word, 51, 1) << 3 | field(word, 47, 3),
    ];
    let second = [43, 39, 35].map(|shift| field(word, shift, 4));
    let distance = field(word, 34, 1) << 2 | field(word, 32, 1) << 1 | u32::from(first >= second);
    let distance = DISTANCES[distance as usize];
    let [first, second] = [first, second].map(|color| color.map(|channel| channel * 17));
    [brighter(first, distance), brighter(first, -distance), brighter(second, distance), brighter(second, -distance)]
}

/// Colours that change evenly: that of the first texel, those four texels across and four down.
fn planar(word: u64) -> [u32; 16] {
    let origin = [
        replicate(field(word, 57, 6), 6),
        replicate(field(word, 56, 1) << 6 | field(word, 49, 6), 7),
        replicate(field(word, 48, 1) << 5 | field(word, 43, 2) << 3 | field(word, 39, 3), 6),
    ];
    let across = [
        replicate(field(word, 34, 5) << 1 | field(word, 32, 1), 6),
        replicate(field(word, 25, 7), 7),
        replicate(field(word, 19, 6), 6),
    ];
    let down = [replicate(field(word, 13, 6), 6), replicate(field(word, 6, 7), 7), replicate(field(word, 0, 6), 6)];
    rows(|x, y, _| {
        let [r, g, b] = std::array::from_fn(|i| {
            let [o, h, v] = [origin[i], across[i], down[i]].map(|channel| channel as i32);
            ((x as i32 * (h - o) + y as i32 * (v - o) + 4 * o + 2) >> 2).clamp(0, 255) as u32
        });
        r | g << 8 | b << 16 | OPAQUE
    })
}

/// The parts of an EAC block.
struct Eac {
    base: u32,
    multiplier: i32,
    factors: [i32; 8],
    word: u64,
}

impl Eac {
    fn of(block: [u8; 8]) -> Eac {
        let word = u64::from_be_bytes(block);
        Eac {
            base: field(word, 56, 8),
            multiplier: field(word, 52, 4) as i32,
            factors: EAC[field(word, 48, 4) as usize],
            word,
        }
    }

    /// The factor of texel number `k`.
    fn factor(&self, k: u32) -> i32 {
        self.factors[field(self.word, 45 - 3 * k, 3) as usize]
    }
}

/// ETC2 with alpha: an EAC block of 8 bits, then the colours.
pub(super) fn etc2_alpha(alpha: [u8; 8], color: [u8; 8]) -> [u32; 16] {
    let eac = Eac::of(alpha);
    let alphas = rows(|_, _, k| (eac.base as i32 + eac.multiplier * eac.factor(k)).clamp(0, 255) as u32);
    let mut texels = etc2(color, false);
    for (texel, alpha) in texels.iter_mut().zip(alphas) {
        *texel = *texel & !OPAQUE | alpha << 24;
    }
    texels
}

/// EAC of 11 bits: values from 0 to 1, or from -1 to 1 (-128 is -127).
pub(super) fn eac11(block: [u8; 8], has_sign: bool) -> [f32; 16] {
    let eac = Eac::of(block);
    let multiplier = if eac.multiplier == 0 { 1 } else { 8 * eac.multiplier };
    rows(|_, _, k| {
        let distance = multiplier * eac.factor(k);
        if has_sign {
            let base = signed(eac.base, 8).max(-127);
            (base * 8 + distance).clamp(-1023, 1023) as f32 / 1023.0
        } else {
            (eac.base as i32 * 8 + 4 + distance).clamp(0, 2047) as f32 / 2047.0
        }
    })
}
