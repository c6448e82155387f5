//! Pictures of another size than the host's rows: the nearest pixel for each.
//!
//! Bands of rows are converted as they are, one after the other; the rows that are wanted of them are scaled then. So a
//! picture takes no more memory than a band of the widest, whatever its size.

use super::Transfers;
use super::host_rows::HostRows;
use super::placement::Placement;
use super::present::Stored;
use super::scan_out::{Gamma, ScanOut};
use crate::error::Error;

/// Rows of a band, at least.
const BAND: u32 = 64;

/// The pixel of `from` that is nearest to the middle of pixel `at` of `to`.
fn nearest(at: u32, from: u32, to: u32) -> u32 {
    ((2 * u64::from(at) + 1) * u64::from(from) / (2 * u64::from(to))) as u32
}

impl Transfers<'_> {
    /// Stores all of a picture in so many pixels.
    pub(super) fn present_scaled(
        &self,
        scan: &ScanOut,
        gamma: Option<&Gamma>,
        rows: &mut HostRows<'_>,
        place: Placement,
        hashed: bool,
    ) -> Result<Stored, Error> {
        let (bytes, format) = (rows.format.bytes(), rows.format);
        // Where few rows are wanted, the others need not be converted.
        let band_rows = match scan.height / 2 > place.height {
            true => scan.row_unit(),
            false => BAND.max(scan.row_unit()),
        };
        let row_bytes = scan.width as usize * bytes;
        let mut band = vec![0; row_bytes * band_rows.min(scan.height) as usize];
        let columns: Vec<usize> =
            (0..place.width).map(|x| nearest(x, scan.width, place.width) as usize * bytes).collect();
        let mut all = Stored { hash: hashed.then_some(0), missing: 0 };
        let mut y = 0;
        while y < place.height {
            let first = nearest(y, scan.height, place.height) / band_rows * band_rows;
            let end = scan.height.min(first + band_rows);
            let part = scan.rows(first, end - first);
            let stored = self.present_pixels(&part, gamma, &mut HostRows::new(&mut band, row_bytes, format), hashed)?;
            all.missing += stored.missing;
            all.hash = all.hash.zip(stored.hash).map(|(all, hash)| (all ^ hash).wrapping_mul(0x9E37_79B9_7F4A_7C15));
            while y < place.height && nearest(y, scan.height, place.height) < end {
                let source = &band[(nearest(y, scan.height, place.height) - first) as usize * row_bytes..];
                let target = &mut rows.bytes[y as usize * rows.stride..];
                for (pixel, &at) in target.chunks_exact_mut(bytes).zip(&columns) {
                    pixel.copy_from_slice(&source[at..at + bytes]);
                }
                y += 1;
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn middles_are_nearest() {
        let all = |from: u32, to: u32| (0..to).map(|at| nearest(at, from, to)).collect::<Vec<_>>();
        assert_eq!(all(4, 2), [1, 3]);
        assert_eq!(all(2, 4), [0, 0, 1, 1]);
        assert_eq!(all(3, 3), [0, 1, 2]);
        assert_eq!(all(1, 3), [0, 0, 0]);
        assert_eq!(nearest(u32::MAX - 1, 8192, u32::MAX), 8191);
    }
}
