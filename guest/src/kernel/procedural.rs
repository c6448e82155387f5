//! The procedural texture unit (3dbrew: GPU/Procedural Texture Generation; noise verified on hardware).
//!
//! f32 in the order written; whole numbers (of trunc, rand, levels and channels) are unsigned. `frac(x)` is `x -
//! floor(x)` (x is never negative), `trunc` of a value clamped to 0..2^20 first; NaN becomes 0 there. `max(a, b)` is `b
//! < a ? a : b`, `min(a, b)` is `a < b ? a : b`: NaN gives b. Clamps as in [`super::pixel`].
//!
//! ```text
//! u = |u|; v = |v|
//! off(c) = c == MirroredRepeat ? 1 : 0.5
//! shift(t, None) = 0; (t, Odd) = off * ((trunc(t) / 2) % 2); (t, Even) = off * (((trunc(t) + 1) / 2) % 2)     integers
//! su = shift(v, shift_u, off(clamp_u)); sv = shift(u, shift_v, off(clamp_v))
//! noise: n = noise(u, v); u = |u + n*amplitude_u|; v = |v + n*amplitude_v|
//! u += su; v += sv
//! clamp: Zero x > 1 ? 0 : x; Edge min(x, 1); Repeat frac(x); Mirror i = trunc(x), even ? x - i : 1 - (x - i);
//!        Pulse x > 0.5 ? 1 : 0
//! t = lookup(rgb map, combine(rgb_map, u, v)); alpha: lookup(alpha map, combine(alpha_map, u, v))
//! colour = colour(t), of both levels if need be; then separate alpha: a = trunc(clamp(alpha, 0, 1) * 255)
//!
//! combine: U u; U2 u*u; V v; V2 v*v; Average (u+v)/2; Average2 (u*u+v*v)/2; Root min(sqrt(u*u+v*v), 1); Min; Max;
//!          AverageRoot min(((u+v)/2 + sqrt(u*u+v*v))/2, 1)           / 2 as * 0.5
//! lookup(T, c): x = clamp(c, 0, 1)*128; i = min(trunc(x), 127); T[i][0] + (x - i)*T[i][1]
//!
//! noise(u, v): x = (9*frequency_u) * |u + phase_u|, y likewise; xi, yi = trunc; xf = x - xi, yf = y - yi
//!   g0 = rand2(xi, yi)*(xf + yf);             g1 = rand2(xi+1, yi)*((xf + yf) - 1)
//!   g2 = rand2(xi, yi+1)*((xf + yf) - 1);     g3 = rand2(xi+1, yi+1)*((xf + yf) - 2)
//!   a = lookup(noise, xf); b = lookup(noise, yf)
//!   (g0*(1-a) + g1*a)*(1-b) + (g2*(1-a) + g3*a)*b
//! rand1(v) = (((v % 9 + 2) * 3) & 15) ^ RAND1[v / 9 & 15]
//! rand2(x, y): a = rand1(x); b = rand1(y); if a & 3 == 1: b += 4; b ^= (a & 1)*6; b += 10 + a; b &= 15; b ^= RAND2[a];
//!   the value is -1 + (b*2)/15, in f32
//!
//! colour(t), level L of width w = max(width >> L, 1): x = clamp(t, 0, 1)*(w - 1)
//!   Nearest: color[(offset[L] + trunc(x + 0.5)) & 255]
//!   Linear:  i = trunc(x); per channel trunc(clamp(color[j] + (x - i)*difference[j], 0, 255)), j = (offset[L] + i) & 255;
//!            difference is already doubled
//! levels (filters with mipmaps): du = max(|du/dx|, |du/dy|) of the interpolated u before noise, dv likewise;
//!   lod = bias == 0 ? 0 : log2(|width*bias| * (du + dv)), either clamped to lod_min..lod_max
//!   nearest level floor(lod + 0.5); linear: L = floor(lod), F = trunc((lod - L)*256), channels of L and L+1 (at most
//!   lod_max) as (c*(256-F) + d*F + 128) >> 8
//! ```
//! Derivatives are those of [`super::pixel::TextureKind`]: `(d(u) - u*d(q)) * W`, u with its sign; `log2` is
//! [`crate::num::ops::log2`]. Without noise n is 0.

use borsh::{BorshDeserialize, BorshSerialize};

/// The part of a key for the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct ProceduralKey {
    /// Varying slots of u and v.
    pub coordinates: [u8; 2],
    /// Clamp modes of u and v.
    pub clamp: [Clamp; 2],
    /// Shift modes of u and v.
    pub shift: [Shift; 2],
    /// Function of the colour's coordinate.
    pub rgb_map: Combine,
    /// Function of alpha, when alpha is separate.
    pub alpha_map: Option<Combine>,
    /// Whether noise moves the coordinates.
    pub noise: bool,
    /// Whether colours are interpolated.
    pub linear: bool,
    /// Selection between levels; `None` uses level 0.
    pub mipmap: Option<super::filter::Filter>,
}

/// Clamp modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
#[expect(missing_docs, reason = "the module's text is the definition")]
pub enum Clamp {
    Zero,
    Edge,
    Repeat,
    MirroredRepeat,
    Pulse,
}

/// Shift modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
#[expect(missing_docs, reason = "the module's text is the definition")]
pub enum Shift {
    None,
    Odd,
    Even,
}

/// Functions of u and v.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
#[expect(missing_docs, reason = "the module's text is the definition")]
pub enum Combine {
    U,
    U2,
    V,
    V2,
    Average,
    Average2,
    Root,
    Min,
    Max,
    AverageRoot,
}

/// Values and tables of the unit.
#[repr(C)]
#[derive(Clone, Debug, PartialEq)]
pub struct ProceduralData {
    /// Noise amplitudes of u and v, as factors.
    pub amplitude: [f32; 2],
    /// Noise phases.
    pub phase: [f32; 2],
    /// Noise frequencies.
    pub frequency: [f32; 2],
    /// Bias of the level of detail.
    pub bias: f32,
    /// Smallest and largest level, whole numbers 0 to 7.
    pub lod: [f32; 2],
    /// Colours of level 0, 1 to 255.
    pub width: u32,
    /// First colour of each level.
    pub offset: [u32; 8],
    /// Noise table: value and difference.
    pub noise: [[f32; 2]; 128],
    /// Colour map: value and difference.
    pub rgb_map: [[f32; 2]; 128],
    /// Alpha map: value and difference.
    pub alpha_map: [[f32; 2]; 128],
    /// Colours r, g, b, a, 0 to 255.
    pub color: [[f32; 4]; 256],
    /// Differences of colours, doubled.
    pub difference: [[f32; 4]; 256],
}

/// First table of the noise hash.
pub const RAND1: [u8; 16] = [0, 4, 10, 8, 4, 9, 7, 12, 5, 15, 13, 14, 11, 15, 2, 11];
/// Second table of the noise hash.
pub const RAND2: [u8; 16] = [10, 2, 15, 8, 0, 7, 4, 5, 5, 13, 2, 6, 13, 9, 3, 14];

/// An entry of a map or noise table: value in bits 0:11, difference in bits 12:23 as two's complement, both as
/// fractions of 4095.
pub fn decode_entry(word: u32) -> [f32; 2] {
    let difference = ((word << 8) as i32 >> 20) as f32;
    [(word & 0xFFF) as f32 / 4095.0, difference / 4095.0]
}
