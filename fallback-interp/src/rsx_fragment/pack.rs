//! Packing and unpacking: several small numbers in the bits of one f32.

use triglyph_guest::num::ops::{Scalar, linear_to_srgb, srgb_to_linear};

use super::lane::{half_bits, half_value};
use crate::program::{Vector, limit};

fn of_bytes(bytes: [u8; 4]) -> f32 {
    f32::from_bits(u32::from_le_bytes(bytes))
}

fn to_bytes(v: f32) -> [u8; 4] {
    v.to_bits().to_le_bytes()
}

fn of_pair(low: u32, high: u32) -> f32 {
    f32::from_bits(low & 0xFFFF | high << 16)
}

fn to_pair(v: f32) -> [u32; 2] {
    [v.to_bits() & 0xFFFF, v.to_bits() >> 16]
}

/// PK2
pub(super) fn halves([x, y, ..]: Vector) -> f32 {
    of_pair(half_bits(x), half_bits(y))
}

/// UP2
pub(super) fn unpack_halves(v: f32) -> Vector {
    let [low, high] = to_pair(v).map(half_value);
    [low, high, low, high]
}

/// PK4
pub(super) fn signed_bytes(a: Vector) -> f32 {
    of_bytes(a.map(|v| (limit(v, -1.0, 1.0) * 127.0 + 0.5).floor() as i8 as u8))
}

/// UP4
pub(super) fn unpack_signed_bytes(v: f32) -> Vector {
    to_bytes(v).map(|byte| {
        let r = f32::from(byte as i8) * (1.0 / 127.0);
        if -1.0 < r { r } else { -1.0 }
    })
}

/// PKB
pub(super) fn bytes(a: Vector) -> f32 {
    of_bytes(a.map(|v| (limit(v, 0.0, 1.0) * 255.0 + 0.5).floor() as u8))
}

/// UPB
pub(super) fn unpack_bytes(v: f32) -> Vector {
    to_bytes(v).map(|byte| f32::from(byte) * (1.0 / 255.0))
}

/// PKG
pub(super) fn srgb_bytes([x, y, z, w]: Vector) -> f32 {
    let [x, y, z] = [x, y, z].map(|v| linear_to_srgb(&mut Scalar, limit(v, 0.0, 1.0)));
    bytes([x, y, z, w])
}

/// UPG
pub(super) fn unpack_srgb_bytes(v: f32) -> Vector {
    let [x, y, z, w] = unpack_bytes(v);
    let [x, y, z] = [x, y, z].map(|v| srgb_to_linear(&mut Scalar, v));
    [x, y, z, w]
}

/// PK16
pub(super) fn shorts([x, y, ..]: Vector) -> f32 {
    let [low, high] = [x, y].map(|v| (limit(v, 0.0, 1.0) * 65535.0 + 0.5).floor() as u32);
    of_pair(low, high)
}

/// UP16
pub(super) fn unpack_shorts(v: f32) -> Vector {
    let [low, high] = to_pair(v).map(|short| short as f32 * (1.0 / 65535.0));
    [low, high, low, high]
}
