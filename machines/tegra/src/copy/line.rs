//! One line of bytes. Between pages of a pitch kind and others its bytes change their order inside of each GOB: what is
//! 64 bytes by 8 rows on the pitch side is a GOB on the other (yuzu and Ryujinx agree).

use triglyph_guest::layout::Blocks;

use super::WHAT;
use super::image;
use super::image::{Arrangement, Size, Spot};
use crate::core::Core;
use crate::system::kinds::is_pitch;

/// Bytes of a GOB and of its rows.
const GOB: u64 = 512;
const ROW: u64 = 64;

/// Copies `bytes` bytes, by pieces in which neither side changes its kind.
pub fn copy(core: &mut Core, mut source: u64, mut target: u64, bytes: u64) {
    let mut left = bytes;
    while left > 0 {
        let (from, source_end) = core.kinds.at(core.space, source);
        let (to, target_end) = core.kinds.at(core.space, target);
        let piece = left.min(source_end - source).min(target_end - target);
        match (is_pitch(from), is_pitch(to)) {
            (true, false) => gobs(core, piece, target, |gob, line| (line_of(source + line), gob)),
            (false, true) => gobs(core, piece, source, |gob, line| (gob, line_of(target + line))),
            _ => image::copy(core, WHAT, line_of(source), line_of(target), Size { row_bytes: piece, rows: 1 }),
        }
        (source, target, left) = (source + piece, target + piece, left - piece);
    }
}

/// Rows of a GOB's width from a byte on.
fn line_of(address: u64) -> Spot {
    Spot { address, arrangement: Arrangement::Pitch(ROW as i64), x: 0, y: 0 }
}

/// Copies `bytes` bytes between a line and GOBs that begin at `address`. `sides` puts a place in the GOBs and one in
/// the line, `line` bytes from its beginning, into the order in which they are source and target.
fn gobs(core: &mut Core, bytes: u64, address: u64, sides: impl Fn(Spot, u64) -> (Spot, Spot)) {
    // One GOB is an image of 64 bytes by 8 rows; the next one follows below.
    let base = address & !(GOB - 1);
    let blocks = Blocks { gobs_across: 1, rows: u32::MAX, slices: 1, log2_gobs: 0, log2_slices: 0 };
    let mut done = 0;
    while done < bytes {
        let at = address - base + done;
        let (x, left) = (at % ROW, bytes - done);
        let size = match x == 0 && left >= ROW {
            true => Size { row_bytes: ROW, rows: (left / ROW).min(u32::MAX.into()) as u32 },
            false => Size { row_bytes: left.min(ROW - x), rows: 1 },
        };
        // Rows are counted from a GOB near by, so that they fit.
        let (far, row) = (at / GOB * GOB, (at % GOB / ROW) as u32);
        let gob = Spot { address: base + far, arrangement: Arrangement::Blocks(blocks, 0), x, y: row };
        let (from, to) = sides(gob, done);
        image::copy(core, WHAT, from, to, size);
        done += size.row_bytes * u64::from(size.rows);
    }
}
