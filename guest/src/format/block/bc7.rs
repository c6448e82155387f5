//! BC7: red, green, blue and alpha in one of eight modes. (Direct3D 11 functional specification;
//! ARB_texture_compression_bptc.)

use super::bits::{BitReader, replicate};
use super::partition::{Partition, mix, weights};

/// The fields of a mode; numbers are bits.
struct Mode {
    subsets: u32,
    partition: u32,
    rotation: u32,
    index_selection: u32,
    color: u32,
    alpha: u32,
    /// A lowest bit for each end point.
    end_p_bits: u32,
    /// A lowest bit for both end points of a subset.
    subset_p_bits: u32,
    index: u32,
    /// Indices of their own for alpha, or colours if the selection says so; 0: there are none.
    second_index: u32,
}

/// A row of the table, numbers in the order of the structure.
const fn mode(
    [subsets, partition, rotation, index_selection, color, alpha, ends, both, index, second]: [u32; 10],
) -> Mode {
    let (end_p_bits, subset_p_bits, second_index) = (ends, both, second);
    Mode { subsets, partition, rotation, index_selection, color, alpha, end_p_bits, subset_p_bits, index, second_index }
}

const MODES: [Mode; 8] = [
    mode([3, 4, 0, 0, 4, 0, 1, 0, 3, 0]),
    mode([2, 6, 0, 0, 6, 0, 0, 1, 3, 0]),
    mode([3, 6, 0, 0, 5, 0, 0, 0, 2, 0]),
    mode([2, 6, 0, 0, 7, 0, 1, 0, 2, 0]),
    mode([1, 0, 2, 1, 5, 6, 0, 0, 2, 3]),
    mode([1, 0, 2, 0, 7, 8, 0, 0, 2, 2]),
    mode([1, 0, 0, 0, 7, 7, 1, 0, 4, 0]),
    mode([2, 6, 0, 0, 5, 5, 1, 0, 2, 0]),
];

/// Reads the end points, two for each subset, 8 bits a channel.
fn ends(mode: &Mode, bits: &mut BitReader) -> [[u32; 4]; 6] {
    let count = 2 * mode.subsets as usize;
    let mut ends = [[0; 4]; 6];
    for channel in 0..4 {
        let width = if channel == 3 { mode.alpha } else { mode.color };
        for end in &mut ends[..count] {
            end[channel] = bits.take(width);
        }
    }
    let p_bits = mode.end_p_bits + mode.subset_p_bits;
    let mut shared = 0;
    for (i, end) in ends[..count].iter_mut().enumerate() {
        if p_bits != 0 && (mode.end_p_bits != 0 || i % 2 == 0) {
            shared = bits.take(1);
        }
        for (channel, value) in end.iter_mut().enumerate() {
            *value = match if channel == 3 { mode.alpha } else { mode.color } {
                0 => 255,
                width => replicate(*value << p_bits | shared, width + p_bits),
            };
        }
    }
    ends
}

/// The texels of a block; one without a mode is transparent black.
pub(super) fn bc7(block: [u8; 16]) -> [u32; 16] {
    let word = u128::from_le_bytes(block);
    let number = word.trailing_zeros();
    let Some(mode) = MODES.get(number as usize) else { return [0; 16] };
    let mut bits = BitReader::new(word >> (number + 1));
    let partition = Partition::of(mode.subsets, bits.take(mode.partition));
    let (rotation, selection) = (bits.take(mode.rotation), bits.take(mode.index_selection));
    let ends = ends(mode, &mut bits);
    let first: [u32; 16] = std::array::from_fn(|texel| bits.take(mode.index - u32::from(partition.is_anchor(texel))));
    let second: [u32; 16] = match mode.second_index {
        0 => [0; 16],
        width => std::array::from_fn(|texel| bits.take(width - u32::from(texel == 0))),
    };
    let color = (&first, weights(mode.index));
    let alpha = if mode.second_index == 0 { color } else { (&second, weights(mode.second_index)) };
    let (color, alpha) = if selection == 0 { (color, alpha) } else { (alpha, color) };
    std::array::from_fn(|texel| {
        let subset = 2 * partition.subset(texel);
        let mut channels: [u32; 4] = std::array::from_fn(|channel| {
            let (indices, weights) = if channel == 3 { alpha } else { color };
            let ends = [ends[subset][channel], ends[subset + 1][channel]].map(|end| end as i32);
            mix(ends[0], ends[1], weights[indices[texel] as usize]) as u32
        });
        if let Some(channel) = rotation.checked_sub(1) {
            channels.swap(channel as usize, 3);
        }
        let [r, g, b, a] = channels;
        r | g << 8 | b << 16 | a << 24
    })
}
