//! Channels of a pixel: values to bits and back.

use triglyph_guest::kernel::program::output::{Bits, Channel};
use triglyph_guest::num::half;
use triglyph_guest::num::ops::{Scalar, linear_to_srgb, srgb_to_linear};
use triglyph_guest::num::repeat;

use crate::program::limit;

/// Where a channel is stored, if it is.
pub(crate) fn bits(channel: Channel) -> Option<Bits> {
    use Channel::{Absent, Float, FloatCut, Ones, Sint, Snorm, Srgb, Uint, Unorm, UnormHalfUp, UnormRsx, Zeros};
    match channel {
        Absent => None,
        Zeros(bits) | Ones(bits) | Unorm(bits) | UnormHalfUp(bits) | UnormRsx(bits) | Srgb(bits) | Snorm(bits)
        | Uint(bits) | Sint(bits) | Float(bits) | FloatCut(bits) => Some(bits),
    }
}

/// The bits of a channel.
pub(crate) fn extract(pixel: u128, bits: Bits) -> u32 {
    (pixel >> bits.shift) as u32 & mask(bits)
}

/// The pixel with the bits of a channel exchanged.
pub(crate) fn insert(pixel: u128, bits: Bits, value: u32) -> u128 {
    let mask = mask(bits);
    pixel & !(u128::from(mask) << bits.shift) | u128::from(value & mask) << bits.shift
}

fn mask(bits: Bits) -> u32 {
    u32::MAX >> (32 - u32::from(bits.bits.clamp(1, 32)))
}

/// The meaning of a channel of `pixel`. `alpha`: it is the fourth one.
pub(crate) fn decode(channel: Channel, pixel: u128, alpha: bool) -> f32 {
    match channel {
        Channel::Absent => f32::from(u8::from(alpha)),
        Channel::Zeros(_) => 0.0,
        Channel::Ones(_) => 1.0,
        Channel::Unorm(bits) | Channel::UnormHalfUp(bits) => unorm(pixel, bits),
        Channel::UnormRsx(bits) => repeat::to_byte(extract(pixel, bits), bits.bits.into()) as f32 * (1.0 / 255.0),
        Channel::Srgb(bits) => srgb_to_linear(&mut Scalar, unorm(pixel, bits)),
        Channel::Snorm(bits) => {
            let value = signed(pixel, bits) as f32 * (1.0 / signed_max(bits) as f32);
            if -1.0 < value { value } else { -1.0 }
        }
        Channel::Uint(bits) => f32::from_bits(extract(pixel, bits)),
        Channel::Sint(bits) => f32::from_bits(signed(pixel, bits) as u32),
        Channel::Float(bits) | Channel::FloatCut(bits) => decode_float(extract(pixel, bits), bits.bits),
    }
}

fn unorm(pixel: u128, bits: Bits) -> f32 {
    extract(pixel, bits) as f32 * (1.0 / mask(bits) as f32)
}

fn signed(pixel: u128, bits: Bits) -> i32 {
    let unused = 32 - u32::from(bits.bits.clamp(1, 32));
    (extract(pixel, bits) << unused) as i32 >> unused
}

fn signed_max(bits: Bits) -> i32 {
    (mask(bits) >> 1) as i32
}

/// The bits that store `value`.
pub(crate) fn encode(channel: Channel, value: f32) -> u32 {
    match channel {
        Channel::Absent | Channel::Zeros(_) => 0,
        Channel::Ones(_) => u32::MAX,
        Channel::Unorm(bits) => encode_unorm(value, bits),
        Channel::UnormHalfUp(bits) => (limit(value, 0.0, 1.0) * mask(bits) as f32 + 0.5) as u32,
        Channel::UnormRsx(bits) => cut_unorm(value, mask(bits)),
        Channel::Srgb(bits) => encode_unorm(linear_to_srgb(&mut Scalar, limit(value, 0.0, 1.0)), bits),
        Channel::Snorm(bits) => {
            let scaled = limit(value, -1.0, 1.0) * signed_max(bits) as f32;
            (scaled - 0.5).ceil() as i32 as u32
        }
        Channel::Uint(bits) => value.to_bits().min(mask(bits)),
        Channel::Sint(bits) => {
            let max = signed_max(bits);
            (value.to_bits() as i32).clamp(-max - 1, max) as u32
        }
        Channel::Float(bits) => encode_float(value, bits.bits),
        Channel::FloatCut(bits) => cut_float(value, bits.bits),
    }
}

fn encode_unorm(value: f32, bits: Bits) -> u32 {
    (limit(value, 0.0, 1.0) * mask(bits) as f32 - 0.5).ceil() as u32
}

/// 0 to `max` for 0 to 1, of which 12 bits of fraction count.
pub(super) fn cut_unorm(value: f32, max: u32) -> u32 {
    let fraction = (limit(value, 0.0, 1.0) * 4096.0).floor() as u32;
    (fraction * max + 2048) >> 12
}

/// 32 bits: single, 16: half, else: no sign, five bits of exponent.
fn decode_float(stored: u32, bits: u8) -> f32 {
    match bits {
        32 => f32::from_bits(stored),
        16 => half::value(&mut Scalar, stored as i32),
        // A half without sign and with fewer bits of mantissa.
        _ => half::value(&mut Scalar, (stored << 15u32.saturating_sub(bits.into())) as i32),
    }
}

fn encode_float(value: f32, bits: u8) -> u32 {
    let value = if value.is_nan() { f32::from_bits(0x7FC0_0000) } else { value };
    match bits {
        32 => value.to_bits(),
        16 => half::bits(&mut Scalar, value) as u32,
        _ => encode_small(value, u32::from(bits.clamp(6, 15)) - 5),
    }
}

/// 16 bits: half, else: no sign, five bits of exponent; without the places that do not fit.
fn cut_float(value: f32, bits: u8) -> u32 {
    let signed = bits == 16;
    let sign = if signed && value.is_sign_negative() { 0x8000 } else { 0 };
    let mantissa = if signed { 10 } else { u32::from(bits.clamp(6, 15)) - 5 };
    let infinity = 31 << mantissa;
    let magnitude = match value.abs() {
        nan if nan.is_nan() => infinity | ((1 << mantissa) - 1),
        _ if !signed && value < 0.0 => 0,
        magnitude if magnitude.is_infinite() => infinity,
        magnitude => {
            // Numbers below the smallest normal one are multiples of its last place.
            let exponent = ((magnitude.to_bits() >> 23) as i32 - 127).max(-14);
            let units = (f64::from(magnitude) * f64::powi(2.0, mantissa as i32 - exponent)).trunc();
            // The leading one of a normal number adds 1 to the exponent.
            let stored = units + f64::from(exponent + 14) * f64::from(1u32 << mantissa);
            (stored as u32).min(infinity - 1)
        }
    };
    sign | magnitude
}

/// A float without sign, with five bits of exponent and `mantissa` bits of mantissa: nearest, ties to even.
fn encode_small(value: f32, mantissa: u32) -> u32 {
    let infinity = 31 << mantissa;
    if value.is_nan() {
        return infinity | ((1 << mantissa) - 1);
    }
    if value <= 0.0 {
        return 0;
    }
    // Numbers below the smallest normal one are multiples of its last place.
    let exponent = ((value.to_bits() >> 23) as i32 - 127).max(-14);
    // Exact: a power of two. What is left is below 2^(mantissa + 1).
    let units = (f64::from(value) * f64::powi(2.0, mantissa as i32 - exponent)).round_ties_even();
    // The leading one of a normal number adds 1 to the exponent, a carry another one.
    let stored = units + f64::from((exponent + 14) << mantissa);
    (stored as u32).min(infinity)
}
