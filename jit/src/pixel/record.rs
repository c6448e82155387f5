//! What a quad keeps in memory between phases.

/// Most varyings of a kernel: those of a vertex record.
pub const VARYINGS: usize = 24;

/// State of a quad between phases.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Record {
    pub varyings: [[f32; 4]; VARYINGS],
    pub w: [f32; 4],
    pub edges: [[f32; 4]; 3],
    pub mask: [i32; 4],
    pub depth: [f32; 4],
    /// The depth as it is stored.
    pub depth_int: [i32; 4],
    /// The vertex colour.
    pub primary: [[u16; 8]; 2],
    /// Level of detail of the next texture.
    pub lod: [f32; 4],
    /// Texels of the next texture.
    pub footprint: TexelFootprint,
    /// Sampled textures, the procedural one last.
    pub textures: [[[u16; 8]; 2]; 4],
    /// The surface that is lit, and the sums of its lights: red, green, blue of the primary and the secondary colour.
    pub surface: Surface,
    pub light: [[f32; 4]; 6],
    /// Primary and secondary colour of fragment lighting.
    pub fragment: [[[u16; 8]; 2]; 2],
    pub color_at: *mut u8,
    pub depth_at: *mut u8,
}

/// Vectors of the lit surface.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Surface {
    pub normal: [[f32; 4]; 3],
    pub tangent: [[f32; 4]; 3],
    pub eye: [[f32; 4]; 3],
}

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

/// Offset of a field of a record.
macro_rules! saved {
    ($($field:tt)+) => { std::mem::offset_of!($crate::pixel::record::Record, $($field)+) as i32 };
}
pub(crate) use saved;
