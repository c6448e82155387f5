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
