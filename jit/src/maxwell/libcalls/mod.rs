//! Libcalls: instructions that are too rare and too long to be emitted inline.

mod convert;
mod double;
mod video;

pub use convert::{FloatInt, FloatKind, IntFloat};
pub use video::{Video, VideoKind};

use super::vectors::Vectors;

/// A libcall, applied to each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Libcall {
    /// PRMT with a selector that is not a compile-time constant: A, B, C; the mode.
    Permute,
    /// `a * b + c` of f64: two words each; the rounding.
    Fused,
    /// An f64 as the bits of a half: two words; the rounding.
    Half,
    /// An f64 as an integer: two words; a [`FloatInt`].
    Integer,
    /// An integer as a float: two words; an [`IntFloat`].
    Float,
    /// Selected bytes or halves of two registers, extended to words, and the third source; a [`Video`].
    Video,
}

impl Libcall {
    /// All, by number.
    pub const ALL: [Libcall; 6] = {
        use Libcall::*;
        [Permute, Fused, Half, Integer, Float, Video]
    };

    /// Its function.
    pub fn function(self) -> fn(u32, [u32; 8]) -> [u32; 2] {
        match self {
            Libcall::Permute => permute,
            Libcall::Fused => double::fused,
            Libcall::Half => convert::half,
            Libcall::Integer => convert::integer,
            Libcall::Float => convert::float,
            Libcall::Video => video::video,
        }
    }
}

// Code passes numbers.
const _: () = {
    let mut n = 0;
    while n < Libcall::ALL.len() {
        assert!(Libcall::ALL[n] as usize == n);
        n += 1;
    }
};

/// Applies a function to all lanes.
pub fn apply(vectors: &mut Vectors, function: fn(u32, [u32; 8]) -> [u32; 2], code: u32) {
    for lane in 0..4 {
        let results = function(code, std::array::from_fn(|n| vectors[n][lane]));
        for (vector, result) in vectors.iter_mut().zip(results) {
            vector[lane] = result;
        }
    }
}

/// The bytes that the modes take, from the highest byte of the result to the lowest, for each selector. Source: the PTX
/// manual, `prmt`.
const MODES: [[[u8; 4]; 4]; 6] = [
    [[3, 2, 1, 0], [4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3]],
    [[5, 6, 7, 0], [6, 7, 0, 1], [7, 0, 1, 2], [0, 1, 2, 3]],
    [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]],
    [[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]],
    [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]],
    [[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]],
];

fn permute(mode: u32, [a, selector, c, ..]: [u32; 8]) -> [u32; 2] {
    let bytes = u64::from(c) << 32 | u64::from(a);
    let byte = |n: u32| (bytes >> (8 * n)) as u8;
    let pick = |at: u32| match mode {
        0 => {
            let n = selector >> (4 * at) & 15;
            let value = byte(n & 7);
            match n & 8 != 0 {
                true if value & 0x80 != 0 => 0xFF,
                true => 0,
                false => value,
            }
        }
        mode => {
            let row = MODES.get(mode as usize - 1).unwrap_or(&MODES[0]);
            byte(row[selector as usize & 3][3 - at as usize].into())
        }
    };
    [u32::from_le_bytes([0, 1, 2, 3].map(pick)), 0]
}

/// Two words as a number of 64 bits.
fn long(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// A number of 64 bits as two words.
fn words(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}
