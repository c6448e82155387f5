//! Positions of samples in memory: a pixel is a cell of texels. Sources: Mesa's nvc0 sample tables, deko3d.

use crate::tegra::methods::threed::SampleMode;

const TWO: [[u8; 2]; 2] = [[0, 0], [1, 0]];
/// Unverified: the order of the positions in deko3d with the storage of Mesa.
const TWO_D3D: [[u8; 2]; 2] = [[1, 0], [0, 0]];
const FOUR: [[u8; 2]; 4] = [[0, 0], [1, 0], [0, 1], [1, 1]];
const EIGHT: [[u8; 2]; 8] = [[0, 0], [1, 0], [0, 1], [1, 1], [2, 0], [3, 0], [2, 1], [3, 1]];
const EIGHT_D3D: [[u8; 2]; 8] = [[2, 0], [1, 1], [3, 1], [1, 0], [0, 1], [0, 0], [2, 1], [3, 0]];

/// The places of the samples of a pixel, across and down in its cell. Coverage samples are not stored.
pub(super) fn cells(mode: SampleMode) -> Vec<[u8; 2]> {
    match mode {
        SampleMode::S1x1 => vec![[0, 0]],
        SampleMode::S2x1 => TWO.to_vec(),
        SampleMode::S2x1D3d => TWO_D3D.to_vec(),
        SampleMode::S2x2 | SampleMode::S2x2Vc4 | SampleMode::S2x2Vc12 => FOUR.to_vec(),
        SampleMode::S4x2 | SampleMode::S4x2Vc8 | SampleMode::S4x2Vc24 => EIGHT.to_vec(),
        SampleMode::S4x2D3d => EIGHT_D3D.to_vec(),
        // Row by row (unverified).
        SampleMode::S4x4 => (0..16).map(|sample| [sample % 4, sample / 4]).collect(),
    }
}

/// Texels of a pixel across and down.
pub(super) const fn cell_size(mode: SampleMode) -> [u32; 2] {
    match mode {
        SampleMode::S1x1 => [1, 1],
        SampleMode::S2x1 | SampleMode::S2x1D3d => [2, 1],
        SampleMode::S2x2 | SampleMode::S2x2Vc4 | SampleMode::S2x2Vc12 => [2, 2],
        SampleMode::S4x2 | SampleMode::S4x2D3d | SampleMode::S4x2Vc8 | SampleMode::S4x2Vc24 => [4, 2],
        SampleMode::S4x4 => [4, 4],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_fill_their_cell() {
        for code in 0..16 {
            let Some(mode) = SampleMode::from_register(code) else { continue };
            let [across, down] = cell_size(mode);
            let mut cells = cells(mode);
            cells.sort_unstable_by_key(|&[x, y]| (y, x));
            let all: Vec<[u8; 2]> = (0..down as u8).flat_map(|y| (0..across as u8).map(move |x| [x, y])).collect();
            assert_eq!(cells, all, "{mode:?}");
        }
    }
}
