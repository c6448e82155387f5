//! Arguments of compiled conversions.

use crate::offsets::offsets;

/// Arguments of the code. Addresses and distances are in bytes; a square is 8x8 pixels of the target.
#[repr(C)]
pub(super) struct ConversionArgs {
    pub source: *const u8,
    pub target: *mut u8,
    /// Linear source: from one row to the next. Tiled: from one row of blocks to the next.
    pub source_pitch: i64,
    /// Linear source: between the rows of neighbouring target rows.
    pub source_step: i64,
    /// Linear target: from one row to the next. Tiled: from one row of blocks to the next.
    pub target_pitch: i64,
    /// Squares in a row.
    pub columns: u32,
    /// First row of squares, and the end of the rows.
    pub first: u32,
    pub end: u32,
    /// The last row of squares of both images, for pictures that are flipped from tiled to tiled.
    pub last: u32,
}

offsets!(ConversionArgs {
    SOURCE: source,
    TARGET: target,
    SOURCE_PITCH: source_pitch,
    SOURCE_STEP: source_step,
    TARGET_PITCH: target_pitch,
    COLUMNS: columns,
    FIRST: first,
    END: end,
    LAST: last
});
