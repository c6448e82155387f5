//! Memory layouts of surfaces and textures, as text.

use triglyph::probe::Layout;
use triglyph_guest::format::Arrangement;
use triglyph_guest::layout::SurfaceLayout;

/// GOBs of a block down and slices of it, from their logarithms.
fn blocks(log2_gobs: u8, log2_slices: u8) -> String {
    format!("blocks of 1x{}x{} GOBs", 1 << log2_gobs, 1 << log2_slices)
}

/// That of a surface; `pitch` is in bytes, where rows have one.
pub fn surface(layout: Layout, pitch: u32) -> String {
    match layout {
        Layout::Tiled(block) => format!("tiled {0}x{0}", block.edge()),
        Layout::Surface(SurfaceLayout::Pitch) => format!("rows of {pitch} bytes"),
        Layout::Surface(SurfaceLayout::Swizzled { .. }) => "swizzled".to_owned(),
        Layout::Surface(SurfaceLayout::BlockLinear { log2_gobs }) => blocks(log2_gobs, 0),
        Layout::Surface(SurfaceLayout::BlockSlice { log2_gobs, log2_slices }) => blocks(log2_gobs, log2_slices),
    }
}

/// That of a level of a texture.
pub fn level(arrangement: &Arrangement) -> String {
    match arrangement {
        Arrangement::Rows { pitch, .. } => format!("rows of {pitch} bytes"),
        Arrangement::Interleaved { .. } => "swizzled".to_owned(),
        Arrangement::GroupedSlices => "grouped slices".to_owned(),
        Arrangement::Blocks(level) => blocks(level.log2_gobs, level.log2_slices),
    }
}
