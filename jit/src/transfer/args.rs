//! Arguments of compiled conversions.

use std::mem::offset_of;

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

impl ConversionArgs {
    pub const SOURCE: i32 = offset_of!(ConversionArgs, source) as i32;
    pub const TARGET: i32 = offset_of!(ConversionArgs, target) as i32;
    pub const SOURCE_PITCH: i32 = offset_of!(ConversionArgs, source_pitch) as i32;
    pub const SOURCE_STEP: i32 = offset_of!(ConversionArgs, source_step) as i32;
    pub const TARGET_PITCH: i32 = offset_of!(ConversionArgs, target_pitch) as i32;
    pub const COLUMNS: i32 = offset_of!(ConversionArgs, columns) as i32;
    pub const FIRST: i32 = offset_of!(ConversionArgs, first) as i32;
    pub const END: i32 = offset_of!(ConversionArgs, end) as i32;
    pub const LAST: i32 = offset_of!(ConversionArgs, last) as i32;
}
