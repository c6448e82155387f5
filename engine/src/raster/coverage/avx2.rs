//! The pixels of a divided block, with vectors of 256 bits.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_movemask_epi8, _mm256_mullo_epi32, _mm256_or_si256, _mm256_packs_epi16,
    _mm256_packs_epi32, _mm256_set1_epi32, _mm256_setr_epi32, _mm256_setzero_si256,
};

use bytemuck::cast;
use wide::i32x8;

use super::Edges;

/// The result of [`Edges::partial`] where all three functions may divide the block: evaluating all of them is faster
/// here than a selection.
///
/// Each vector has two 2x2 quads, four quads apart in Morton order. So packing two vectors twice, which is done in
/// each half of a vector, leaves the pixels of half a block in order.
#[target_feature(enable = "avx2")]
pub(super) fn divided(edges: &Edges) -> u64 {
    let mut outside = [_mm256_setzero_si256(); 8];
    for k in 0..3 {
        let at = _mm256_set1_epi32(edges.at[k]);
        let (dx, dy) = (_mm256_set1_epi32(edges.dx[k]), _mm256_set1_epi32(edges.dy[k]));
        let right = _mm256_mullo_epi32(dx, _mm256_setr_epi32(0, 1, 0, 1, 4, 5, 4, 5));
        let down = _mm256_mullo_epi32(dy, _mm256_setr_epi32(0, 0, 1, 1, 0, 0, 1, 1));
        let first = _mm256_add_epi32(at, _mm256_add_epi32(right, down));
        let twice = |v: __m256i| _mm256_add_epi32(v, v);
        let (dx, dy) = (twice(dx), twice(dy));
        // The quads from 0, 1, 2, 3, 8, 9, 10, 11 on.
        let mut values = [first; 8];
        values[1] = _mm256_add_epi32(values[0], dx);
        for i in 0..2 {
            values[2 + i] = _mm256_add_epi32(values[i], dy);
        }
        for i in 0..4 {
            values[4 + i] = _mm256_add_epi32(values[i], twice(dy));
        }
        for (outside, value) in outside.iter_mut().zip(values) {
            *outside = _mm256_or_si256(*outside, value);
        }
    }
    // Saturation keeps signs.
    let half = |first: usize| {
        let pair = |i: usize| _mm256_packs_epi32(outside[i], outside[i + 1]);
        _mm256_movemask_epi8(_mm256_packs_epi16(pair(first), pair(first + 2))) as u32
    };
    !(u64::from(half(0)) | u64::from(half(4)) << 32)
}

/// The same as [`eight_blocks`](super::eight_blocks).
#[target_feature(enable = "avx2")]
pub(super) fn eight_blocks(steps: [i32; 3], more: [[i32; 3]; 2]) -> [[i32x8; 3]; 2] {
    let mut sums = [[i32x8::ZERO; 3]; 2];
    for k in 0..3 {
        let columns = _mm256_setr_epi32(0, 8, 16, 24, 32, 40, 48, 56);
        let values = _mm256_mullo_epi32(columns, _mm256_set1_epi32(steps[k]));
        for (sums, more) in sums.iter_mut().zip(more) {
            sums[k] = cast(_mm256_add_epi32(values, _mm256_set1_epi32(more[k])));
        }
    }
    sums
}
