//! Operands: special values, in every component.

use super::table::Words;

/// Singles: zeros, the ends of subnormals and normals, small numbers, where halves round and overflow, infinities, NaN.
pub const SINGLES: [u32; 24] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x807F_FFFF,
    0x0080_0000,
    0x8080_0000,
    0x3F80_0000,
    0xBF80_0000,
    0x3F00_0000,
    0xC020_0000,
    0x3F80_1000,
    0x3F80_3000,
    0x3380_0000,
    0x3300_0001,
    0x477F_E000,
    0x477F_F000,
    0xC77F_F000,
    0x4B80_0001,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x7F80_0000,
    0xFF80_0000,
    0x7FFF_FFFF,
    0x4049_0FDB,
];

/// For operations with several operands.
pub const FEW_SINGLES: [u32; 8] =
    [0x0000_0000, 0x8000_0000, 0x0000_0001, 0x3F80_0000, 0xC020_0000, 0x7F7F_FFFF, 0xFF80_0000, 0x7FFF_FFFF];

/// Numbers of 24 bits, as singles: the smallest normal one is 2^-62, the largest is below 2^64.
pub const SHORT: [u32; 20] = [
    0x0000_0000,
    0x8000_0000,
    0x2080_0000,
    0xA080_0000,
    0x2080_0080,
    0x3F80_0000,
    0xBF80_0000,
    0x3F80_0080,
    0xBF80_0080,
    0x3F00_0000,
    0xC020_0000,
    0x3FFF_FF80,
    0x4780_0000,
    0x477F_FF80,
    0x5F7F_FF80,
    0xDF7F_FF80,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0x4049_0F80,
];

/// Some of them.
pub const FEW_SHORT: [u32; 8] =
    [0x0000_0000, 0x8000_0000, 0x2080_0000, 0x3F80_0080, 0xC020_0000, 0x5F7F_FF80, 0xFF80_0000, 0x7FC0_0000];

/// Integers: ends of the ranges, amounts of shifts about 32 and 64, halves and bytes with signs, descriptors of bit
/// fields.
pub const INTEGERS: [u32; 20] = [
    0,
    1,
    0xFFFF_FFFF,
    0x7FFF_FFFF,
    0x8000_0000,
    0x8000_0001,
    0x1F,
    0x20,
    0x21,
    0x40,
    0x0000_FFFF,
    0x0001_0000,
    0x8000_7FFF,
    0x0080_FF7F,
    0x1234_5678,
    0xDEAD_BEEF,
    0x0804,
    0x2000,
    0x0100_0001,
    0xFFFF_FF80,
];

/// Some of them.
pub const FEW_INTEGERS: [u32; 8] = [0, 1, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x8000_0000, 0x21, 0xDEAD_BEEF, 0x0804];

/// Two halves each: zeros, the ends of subnormals and normals, what rounds, the largest, infinities, NaN.
pub const HALVES: [u32; 16] = [
    0x0000_8000,
    0x8000_0001,
    0x8001_03FF,
    0x0400_83FF,
    0x3C00_0400,
    0xBC00_3C01,
    0x3BFF_BC00,
    0x7BFF_3800,
    0xFBFF_7BFF,
    0x7C00_FBFF,
    0xFC00_7C00,
    0x7E00_FC00,
    0x7FFF_3555,
    0x6400_7D01,
    0xE401_4248,
    0x3C00_C500,
];

/// Some of them.
pub const FEW_HALVES: [u32; 8] =
    [0x0000_8000, 0x0001_83FF, 0x3C00_BC01, 0x7BFF_FBFF, 0x7C00_FC00, 0x7FFF_3555, 0x3BFF_6401, 0xC500_0400];

/// Doubles: zeros, the ends of subnormals and normals, what rounds to singles and to integers, infinities, NaN, and
/// words that mean something else.
pub const DOUBLES: [u64; 20] = [
    0,
    1 << 63,
    1,
    0x800F_FFFF_FFFF_FFFF,
    0x0010_0000_0000_0000,
    0x3FF0_0000_0000_0000,
    0xBFF0_0000_0000_0000,
    0x3FE0_0000_0000_0000,
    0xC004_0000_0000_0000,
    0x3FF0_0000_1000_0000,
    0x3FF0_0000_3000_0000,
    0x36A0_0000_0000_0000,
    0x47EF_FFFF_E000_0000,
    0x47EF_FFFF_F000_0000,
    0x41DF_FFFF_FFC0_0000,
    0xC1E0_0000_0020_0000,
    0x7FEF_FFFF_FFFF_FFFF,
    0x7FF0_0000_0000_0000,
    0xFFF0_0000_0000_0000,
    0x7FF8_0000_0000_0001,
];

/// Some of them.
pub const FEW_DOUBLES: [u64; 8] = [
    0,
    1 << 63,
    1,
    0x3FF0_0000_0000_0001,
    0xC004_0000_0000_0000,
    0x7FEF_FFFF_FFFF_FFFF,
    0xFFF0_0000_0000_0000,
    0x7FF8_0000_0000_0001,
];

/// As [`rows`], of values of two words each, lower word first: two to a vector.
pub fn pair_rows(count: usize, all: &[u64], few: &[u64]) -> Vec<Vec<Words>> {
    let indices = |values: &[u64]| (0..values.len() as u32).collect::<Vec<_>>();
    let words = |values: &[u64], places: Words| -> Words {
        let value = |n: usize| values[places[n].unwrap_or(0) as usize];
        [value(0) as u32, (value(0) >> 32) as u32, value(1) as u32, (value(1) >> 32) as u32].map(Some)
    };
    let values = if count > 1 { few } else { all };
    let rows = rows(count, &indices(all), &indices(few));
    rows.into_iter().map(|row| row.into_iter().map(|places| words(values, places)).collect()).collect()
}

/// Rows of operands for a program with so many: each value of `all` in each component of a single one, each pair of
/// values of `few` in each component of two; a row without any for none.
pub fn rows(count: usize, all: &[u32], few: &[u32]) -> Vec<Vec<Words>> {
    let vector = |values: &[u32], first: usize| [0, 1, 2, 3].map(|i| Some(values[(first + i) % values.len()]));
    match count {
        0 => return vec![Vec::new()],
        1 => return (0..all.len()).map(|k| vec![vector(all, k)]).collect(),
        _ => {}
    }
    let pairs = (0..few.len()).flat_map(|k| (0..few.len()).map(move |distance| (k, distance)));
    let row = |(k, distance): (usize, usize)| {
        let firsts = [k, k + distance, k + 3 * distance + 1];
        firsts[..count.min(3)].iter().map(|&first| vector(few, first)).collect()
    };
    pairs.map(row).collect()
}
