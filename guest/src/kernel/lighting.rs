//! Fragment lighting (3dbrew: GPU/Fragment Lighting).
//!
//! Everything is f32, in the order written; sums of three are `(a + b) + c`, of four `((a + b) + c) + d`.
//!
//! ```text
//! dot(a, b)    = (a.x*b.x + a.y*b.y) + a.z*b.z
//! cross(a, b)  = (a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x)
//! length2(v)   = dot(v, v); of the quaternion ((x*x + y*y) + z*z) + w*w
//! normalize(v) = length2(v) == 0 ? v : v * (1 / sqrt(length2(v)))
//! rotate(q, v) = v + 2*cross(q.xyz, cross(q.xyz, v) + q.w*v)          componentwise; 2*c, then the sum
//!
//! shadow  = shadow texture / 255 (r, g, b, a), inverted 1 - that; (1, 1, 1, 1) without
//! p       = bump texture r, g, b, each c/127.5 - 1;  recalculated z = sqrt(max(1 - p.x*p.x - p.y*p.y, 0)),
//!           ((1 - p.x*p.x) - p.y*p.y)
//! N, T    = (0, 0, 1), (1, 0, 0); bump Normal: N = p; bump Tangent: T = p
//! q       = normalize(quaternion); N = rotate(q, N); T = rotate(q, T); V = normalize(view)
//! D = S   = (0, 0, 0, 1)
//! for each light, in order:
//!   toward = directional ? position : position + view; distance = sqrt(length2(toward)); L = normalize(toward)
//!   H      = V + L; Hn = normalize(H)
//!   da     = distance attenuation ? table(DISTANCE + light)(clamp(scale*distance + bias, 0, 1)) : 1    no scale
//!   sp     = spot ? lookup(SP, table SPOT + light) : 1
//!   spec0  = specular0 * (D0 ? lookup(D0) : 1)
//!   rr     = RR ? lookup(RR) : 1; rg = RG ? lookup(RG) : rr; rb = RB ? lookup(RB) : rr
//!   spec1  = specular1 * (rr, rg, rb) * (D1 ? lookup(D1) : 1)                                  left to right
//!   last light with FR: D.a = lookup(FR) if fresnel_primary; S.a = lookup(FR) if fresnel_secondary
//!   cosine = dot(L, N), two-sided |cosine| else max(cosine, 0)
//!   g      = length2(H) == 0 ? 0 : min(cosine / length2(H), 1); geometric0: spec0 *= g; geometric1: spec1 *= g
//!   hl     = clamp_highlights and cosine == 0 ? 0 : 1
//!   ps, ss = light.shadow ? (shadow_primary ? shadow.rgb : 1), (shadow_secondary ? shadow.rgb : 1) : 1
//!   D.rgb += ((diffuse*cosine)*ps + ambient) * da * sp
//!   S.rgb += (spec0 + spec1) * hl * da * sp * ss
//! shadow_alpha: D.a *= shadow.a if fresnel_primary; S.a *= shadow.a if fresnel_secondary
//! D.rgb += global ambient
//! colours: trunc(clamp(v, 0, 1) * 255)
//! ```
//! `max(a, b)` is `b < a ? a : b`, `min(a, b)` is `a < b ? a : b`: NaN gives b. Clamps as in [`super::pixel`].
//! View and quaternion are the interpolated varyings, lengths as they come. Factors that a key does not have are left
//! out, not multiplied by 1 (which changes nothing but NaN payloads); a table that it does not have counts as 1, also
//! that of a spot light. A factor of 0 (hl, g) is multiplied: infinity times it is NaN.
//!
//! # Tables
//!
//! `lookup(x)`: with x the input below; absolute: x = two-sided light ? |x| : max(x, 0), then `t = x*256`, NaN
//! becoming 0, `i = clamp(floor(t), 0, 255)`; signed: `t = x*128`, NaN becoming 0, `i = clamp(floor(t), -128, 127)`,
//! entry `i & 255`; `value = entry[0] + entry[1]*(t - i)`, times the scale. Only i is clamped: beyond both ends the
//! line of the last entry goes on. Distance attenuation looks up as absolute (its x is clamped already), without scale.

use crate::listed;
use borsh::{BorshDeserialize, BorshSerialize};

pub use super::light_keys::LightKey;
use super::light_keys::{LIGHTS, LightKeys};

/// The part of a key for fragment lighting.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct LightingKey {
    /// Varying slots of the quaternion x, y, z, w.
    pub quaternion_slots: [u8; 4],
    /// Varying slots of the view vector x, y, z.
    pub view_slots: [u8; 3],
    /// The lights in the order in which they are computed, at least one.
    pub lights: LightKeys,
    /// The tables in use: D0, D1, SP, FR, RB, RG, RR as [`Table`] numbers them.
    pub tables: [Option<TableKey>; 7],
    /// Where the normal or tangent comes from.
    pub bump: Bump,
    /// The texture unit, 0 to 3, whose colour is the shadow; `None` without shadows.
    pub shadow: Option<ShadowKey>,
    /// No specular light where the surface looks away from the light.
    pub clamp_highlights: bool,
    /// The Fresnel table gives the primary colour's alpha.
    pub fresnel_primary: bool,
    /// The Fresnel table gives the secondary colour's alpha.
    pub fresnel_secondary: bool,
}

listed! {
    /// The seven shared table roles.
    #[derive(BorshSerialize, BorshDeserialize)]
    pub enum Table {
        /// Distribution 0.
        D0,
        /// Distribution 1.
        D1,
        /// Spot light; a table of its own for each light.
        Sp,
        /// Fresnel.
        Fr,
        /// Reflection, blue.
        Rb,
        /// Reflection, green.
        Rg,
        /// Reflection, red.
        Rr,
    }
}

impl Table {
    /// The table's number in [`LightTables`] for a light (3dbrew: GPU/Internal Registers, 0x1C5).
    pub const fn number(self, light: u8) -> usize {
        match self {
            Table::D0 => 0,
            Table::D1 => 1,
            Table::Sp => SPOT + light as usize,
            Table::Fr => 3,
            Table::Rb => 4,
            Table::Rg => 5,
            Table::Rr => 6,
        }
    }
}

/// Number of the first spot light table.
pub const SPOT: usize = 8;
/// Number of the first distance attenuation table.
pub const DISTANCE: usize = 16;

/// How a table is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct TableKey {
    /// The value that is looked up.
    pub input: TableInput,
    /// Whether the input counts as 0 to 1 (otherwise -1 to 1).
    pub absolute: bool,
    /// The factor: 1, 2, 4, 8, 0.25, 0.5 as the exponent of two, -2 to 3.
    pub scale: i8,
}

/// The argument of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum TableInput {
    /// dot(N, Hn)
    NormalHalf,
    /// dot(V, Hn)
    ViewHalf,
    /// dot(N, V)
    NormalView,
    /// dot(L, N)
    LightNormal,
    /// dot(L, spot direction)
    LightSpot,
    /// dot(Hn - N*dot(N, Hn), T)
    CosPhi,
    /// 0
    Zero,
}

/// Bump mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Bump {
    /// None.
    Off,
    /// A texture unit, 0 to 3, holds normals.
    Normal {
        /// The unit.
        unit: u8,
        /// Whether z is computed from x and y.
        recalculate_z: bool,
    },
    /// A texture unit holds tangents.
    Tangent {
        /// The unit.
        unit: u8,
        /// Whether z is computed from x and y.
        recalculate_z: bool,
    },
}

/// Shadows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct ShadowKey {
    /// The texture unit, 0 to 3.
    pub unit: u8,
    /// 1 - the value.
    pub invert: bool,
    /// Applies to the primary colour.
    pub primary: bool,
    /// Applies to the secondary colour.
    pub secondary: bool,
    /// Applies to the alphas that the Fresnel table gives.
    pub alpha: bool,
}

/// Values of fragment lighting.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LightingConstants {
    /// Global ambient light r, g, b.
    pub ambient: [f32; 3],
    /// The lights by number.
    pub lights: [LightConstants; LIGHTS],
}

/// Values of a light; colours r, g, b with 1.0 = 255.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LightConstants {
    /// First specular colour.
    pub specular0: [f32; 3],
    /// Second specular colour.
    pub specular1: [f32; 3],
    /// Diffuse colour.
    pub diffuse: [f32; 3],
    /// Ambient colour.
    pub ambient: [f32; 3],
    /// Position, or direction.
    pub position: [f32; 3],
    /// Spot direction as stored, that is negated.
    pub spot: [f32; 3],
    /// Distance attenuation: factor.
    pub distance_scale: f32,
    /// Distance attenuation: summand.
    pub distance_bias: f32,
}

/// All tables, decoded: value and difference to the next entry. Numbers: [`Table::number`], [`DISTANCE`] + light.
pub type LightTables = [[[f32; 2]; 256]; 24];

/// The entry of a table word: value in bits 0:11 as a fraction of 4095, difference in sign and magnitude, bits 12:22
/// as a fraction of 2047, bit 23 the sign.
pub fn decode_entry(word: u32) -> [f32; 2] {
    let magnitude = (word >> 12 & 0x7FF) as f32 / 2047.0;
    [(word & 0xFFF) as f32 / 4095.0, if word & 1 << 23 != 0 { -magnitude } else { magnitude }]
}
