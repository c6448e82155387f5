//! Texel footprints: what the first step of linear filtering stores for the second.

use cranelift_codegen::ir::Value;

/// Addresses and weights of the texels that a quad filters.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct TexelFootprint {
    /// Base addresses of the two rows of texels, the lower row first.
    pub rows: [*const u32; 2],
    /// Index of the left texel of each pixel, in words; the second row's only with levels of detail.
    pub left: [[u32; 4]; 2],
    /// Weights of the right and of the upper texels, 0 to 255, in both halves of each pixel.
    pub fractions: [[u16; 8]; 2],
    /// The texels of a quad at a seam, in pairs; loads may read two words beyond them.
    pub seam: [[u32; 12]; 2],
}

/// Memory for a footprint: a base address and an offset.
#[derive(Clone, Copy)]
pub struct FootprintAt(pub Value, pub i32);

impl FootprintAt {
    pub fn field(self, offset: i32) -> (Value, i32) {
        (self.0, self.1 + offset)
    }
}

/// Offset of a field of a footprint.
macro_rules! field {
    ($field:ident) => {
        std::mem::offset_of!($crate::pixel::sample::pica::footprint::TexelFootprint, $field) as i32
    };
}
pub(super) use field;
