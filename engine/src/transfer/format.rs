//! Formats of pixels that displays show.

use triglyph_guest::kernel::transfer::PixelFields;

/// Bytes A, B, G, R.
pub const ABGR8: PixelFields = PixelFields::new(4, [(24, 8), (16, 8), (8, 8), (0, 8)]);
/// Bytes B, G, R.
pub const BGR8: PixelFields = PixelFields::new(3, [(16, 8), (8, 8), (0, 8), (0, 0)]);
/// 16 bits: red 15:11, green 10:5, blue 4:0.
pub const RGB565: PixelFields = PixelFields::new(2, [(11, 5), (5, 6), (0, 5), (0, 0)]);
/// 16 bits: red 15:11, green 10:6, blue 5:1, alpha 0.
pub const RGB5A1: PixelFields = PixelFields::new(2, [(11, 5), (6, 5), (1, 5), (0, 1)]);
/// 16 bits: red 15:12, green 11:8, blue 7:4, alpha 3:0.
pub const RGBA4: PixelFields = PixelFields::new(2, [(12, 4), (8, 4), (4, 4), (0, 4)]);
/// 32 bits: alpha 31:24, red 23:16, green 15:8, blue 7:0.
pub const A8R8G8B8: PixelFields = PixelFields::new(4, [(16, 8), (8, 8), (0, 8), (24, 8)]);
/// The same without alpha.
pub const X8R8G8B8: PixelFields = PixelFields::new(4, [(16, 8), (8, 8), (0, 8), (0, 0)]);
/// 32 bits: alpha 31:24, blue 23:16, green 15:8, red 7:0.
pub const A8B8G8R8: PixelFields = PixelFields::new(4, [(0, 8), (8, 8), (16, 8), (24, 8)]);
/// The same without alpha.
pub const X8B8G8R8: PixelFields = PixelFields::new(4, [(0, 8), (8, 8), (16, 8), (0, 0)]);
