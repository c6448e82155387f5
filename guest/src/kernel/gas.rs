//! Gas: pixels that add to a buffer of densities, and pixels that are coloured by one.
//!
//! The registers are known (3dbrew: GPU/Internal Registers, 0x0E4, 0x0E5, 0x120 to 0x126; citro3d's gas
//! functions), what is computed from them is not: no source describes it and no emulator does it. The formulas are our
//! reading of the names, unverified; they are documented only here.
//!
//! # Densities
//!
//! [`DensityWrite`] replaces everything after the combiners: no alpha or stencil test, masks, fog or blending, and
//! nothing is written to the depth buffer. A pixel of the colour target is a word of two densities of 16 bits, the
//! plain one D1 below, the one by depth D2 above. With r the combiner's red, z = trunc(depth * max) as a depth buffer
//! would store it and s the stored depth (all f32 operations):
//!
//! ```text
//! unless z `compare` s: nothing
//! weight = clamp(proportion * (|z - s| / max), 0, 1)
//! D1 = min(D1 + r, 65535)        D2 = min(D2 + trunc(r * weight), 65535)
//! ```
//!
//! So gas becomes thin where it meets a surface. Without a depth buffer every pixel counts, its weight is 1. The
//! largest D1 of all pixels written is reported to [`PixelJob::densest`]; D2 is never larger than D1.
//!
//! # Colours
//!
//! With [`FogKey::gas`] the buffer is the texture of unit 0, sampled as any RGBA8 texture: D1 = 256 * blue + alpha, D2
//! = 256 * red + green. With D one of them, after the alpha test (f32, from left to right; clamped means to 0..1):
//!
//! ```text
//! d      = clamp(D * scale)                                   scale is 1 / the largest density
//! planar = p.max - (p.max - p.min) * clamp(p.attenuation * d)
//! view   = v.max - (v.max - v.min) * clamp(v.attenuation * d)
//! light  = planar * (1 - effect) + view * effect
//! t      = clamp(light or d) * 8, i = min(floor(t), 7), f = t - i
//! r, g, b = trunc(clamp(color[i] + f * difference[i], 0, 255))
//! k      = the fog table's value at clamp(D * attenuation), as FogKey has it for a depth
//! alpha  = trunc((1 - k) * 255)
//! ```
//!
//! The result of the combiners has no effect any more, except in the alpha test.
//!
//! [`PixelJob::densest`]: super::pixel::PixelJob::densest
//! [`FogKey::gas`]: super::pixel::FogKey::gas

use borsh::{BorshDeserialize, BorshSerialize};

use super::operations::Compare;

/// Pixels are densities; see the module's documentation. [`color_format`](super::pixel::PixelKey::color_format) is
/// `Rgba8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct DensityWrite {
    /// Which pixels count, by their depth against the stored one.
    pub compare: Compare,
}

/// Colours by density; see the module's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct GasKey {
    /// D is the density by depth, otherwise the plain one.
    pub by_depth: bool,
    /// The table is looked up by light, otherwise by density.
    pub by_light: bool,
}

/// Light that becomes less by density; all of it 0 to 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GasLight {
    /// Where the gas is densest.
    pub min: f32,
    /// Where there is none.
    pub max: f32,
    /// How fast it becomes less.
    pub attenuation: f32,
}

/// Values for both kinds of gas pixels.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GasConstants {
    /// Of [`DensityWrite`]: by how much of the depth range a pixel lies before a surface to count in full, inverted.
    pub proportion: f32,
    /// Makes a density a number from 0 to 1.
    pub scale: f32,
    /// Makes a density an index of the fog table.
    pub attenuation: f32,
    /// The effect of light across the line of sight.
    pub planar: GasLight,
    /// The effect of light along the line of sight.
    pub view: GasLight,
    /// How much of the latter counts.
    pub effect: f32,
    /// Colours r, g, b, 0 to 255.
    pub colors: [[f32; 3]; 8],
    /// From each colour to the next, -254 to 254.
    pub differences: [[f32; 3]; 8],
}
