//! Channels of pixels: numbers to bits and back.

use cranelift_codegen::ir::types::I32X4;
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::program::output::{Bits, Channel, ColorFormat};
use triglyph_guest::num::ops::{self, Ops};

use crate::lane::{Emit, F32x4, I32x4};

/// The positions of a channel's bits, if it has any.
pub fn bits_of(channel: Channel) -> Option<Bits> {
    match channel {
        Channel::Absent => None,
        Channel::Zeros(bits)
        | Channel::Ones(bits)
        | Channel::Unorm(bits)
        | Channel::UnormHalfUp(bits)
        | Channel::UnormRsx(bits)
        | Channel::Srgb(bits)
        | Channel::Snorm(bits)
        | Channel::Uint(bits)
        | Channel::Sint(bits)
        | Channel::Float(bits)
        | Channel::FloatCut(bits) => Some(bits),
    }
}

/// Whether a channel's bits do not depend on the fragment.
pub fn is_fixed(channel: Channel) -> bool {
    matches!(channel, Channel::Zeros(_) | Channel::Ones(_))
}

/// The low `count` bits.
pub fn low_bits(count: u8) -> u32 {
    u32::MAX.checked_shr(32 - u32::from(count)).unwrap_or(0)
}

/// A format in memory order: byte orders that only permute whole-byte channels are removed.
pub fn in_memory_order(format: ColorFormat) -> ColorFormat {
    let whole = format.channels.iter().all(|&channel| bits_of(channel).is_none_or(|b| b.shift % 8 == 0 && b.bits == 8));
    if format.swap <= 1 || !whole {
        return format;
    }
    let moved = |bits: Bits| {
        let (byte, last) = (bits.shift / 8, format.swap - 1);
        Bits { shift: 8 * (byte - byte % format.swap + last - byte % format.swap), bits: bits.bits }
    };
    let channels = format.channels.map(|channel| match channel {
        Channel::Absent => Channel::Absent,
        Channel::Zeros(bits) => Channel::Zeros(moved(bits)),
        Channel::Ones(bits) => Channel::Ones(moved(bits)),
        Channel::Unorm(bits) => Channel::Unorm(moved(bits)),
        Channel::UnormHalfUp(bits) => Channel::UnormHalfUp(moved(bits)),
        Channel::UnormRsx(bits) => Channel::UnormRsx(moved(bits)),
        Channel::Srgb(bits) => Channel::Srgb(moved(bits)),
        Channel::Snorm(bits) => Channel::Snorm(moved(bits)),
        Channel::Uint(bits) => Channel::Uint(moved(bits)),
        Channel::Sint(bits) => Channel::Sint(moved(bits)),
        Channel::Float(bits) => Channel::Float(moved(bits)),
        Channel::FloatCut(bits) => Channel::FloatCut(moved(bits)),
    });
    ColorFormat { swap: 1, channels, ..format }
}

/// The bits of `value` in a channel, lowest at 0, none above those of the channel.
pub fn encode(e: &mut Emit<'_>, channel: Channel, value: F32x4) -> I32x4 {
    match channel {
        Channel::Absent | Channel::Zeros(_) => e.i(0),
        Channel::Ones(bits) => e.i(low_bits(bits.bits) as i32),
        Channel::Unorm(bits) => {
            let value = e.clamp(value, 0.0, 1.0);
            quantise(e, value, bits.bits)
        }
        Channel::UnormHalfUp(bits) => {
            let value = e.clamp(value, 0.0, 1.0);
            quantise_half_up(e, value, bits.bits)
        }
        Channel::UnormRsx(bits) => {
            let value = e.clamp(value, 0.0, 1.0);
            quantise_rsx(e, value, bits.bits)
        }
        Channel::Srgb(bits) => {
            let value = e.clamp(value, 0.0, 1.0);
            let value = ops::linear_to_srgb(e, value);
            let value = e.clamp(value, 0.0, 1.0);
            quantise(e, value, bits.bits)
        }
        Channel::Snorm(bits) => {
            let value = e.clamp(value, -1.0, 1.0);
            let whole = rounded(e, value, (low_bits(bits.bits) >> 1) as f32);
            masked(e, whole, bits.bits)
        }
        Channel::Uint(bits) => {
            let value = e.bits(value);
            let max = e.i(low_bits(bits.bits) as i32);
            e.umin(value, max)
        }
        Channel::Sint(bits) => {
            let value = e.bits(value);
            let high = (low_bits(bits.bits) >> 1) as i32;
            let (low, high) = (e.i(!high), e.i(high));
            let value = e.imax(value, low);
            let value = e.imin(value, high);
            masked(e, value, bits.bits)
        }
        Channel::Float(bits) => match bits.bits {
            32 => {
                let value = e.canonical(value);
                e.bits(value)
            }
            16 => e.half_of(value),
            bits => e.small_float_of(value, bits - 5),
        },
        Channel::FloatCut(bits) => match bits.bits {
            16 => e.cut_half_of(value),
            bits => e.cut_small_float_of(value, bits - 5),
        },
    }
}

/// The channel whose bits are each byte of a pixel, if they are four channels of eight bits, unorm or fixed.
pub fn byte_channels(format: &ColorFormat) -> Option<[usize; 4]> {
    use Channel::{Ones, Unorm, UnormRsx, Zeros};
    let at = |byte: u8| {
        let bits = Bits { shift: 8 * byte, bits: 8 };
        let is = |&channel: &Channel| matches!(channel, Unorm(at) | UnormRsx(at) | Zeros(at) | Ones(at) if at == bits);
        format.channels.iter().position(is)
    };
    (format.bytes == 4 && format.swap <= 1).then_some([at(0)?, at(1)?, at(2)?, at(3)?])
}

/// The value of a channel whose bits do not depend on the fragment.
pub fn fixed_value(e: &mut Emit<'_>, channel: Channel) -> Option<F32x4> {
    match channel {
        Channel::Zeros(_) => Some(e.f(0.0)),
        Channel::Ones(_) => Some(e.f(1.0)),
        _ => None,
    }
}

/// Four unorm channels of eight bits as the bytes of words, the first one lowest.
pub fn encode_bytes(e: &mut Emit<'_>, channels: [Channel; 4], values: [F32x4; 4]) -> I32x4 {
    const BY_PIXEL: [u8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
    let rsx = channels.iter().any(|channel| matches!(channel, Channel::UnormRsx(_)));
    let shorts = if rsx { shorts_rsx(e, channels, values) } else { shorts(e, values) };
    let bytes = e.b.ins().unarrow(shorts[0], shorts[1]);
    let pixels = e.pick_bytes(bytes, BY_PIXEL);
    I32x4(e.cast(pixels, I32X4))
}

/// Unorms of eight bits in lanes of 16 bits, those above 255 not limited yet: [`rounded`] by integers, as
/// `ceil(x - 0.5) = ceil(2x) >> 1`, and `ceil(y)` is one more than the whole part of the number before a positive y.
fn shorts(e: &mut Emit<'_>, values: [F32x4; 4]) -> [Value; 2] {
    let (least, twice, before, none) = (e.f(f32::MIN_POSITIVE), e.f(2.0 * 255.0), e.i(-1), e.short(0));
    let [a, b, c, d] = values.map(|value| {
        let value = e.max(value, least);
        let scaled = e.mul(value, twice);
        let bits = e.bits(scaled);
        let bits = e.iadd(bits, before);
        let value = e.float_of_bits(bits);
        // What is out of range converts to the lowest or the highest integer. As unsigned lanes both are above 255.
        e.truncate_to_int(value).0
    });
    [[a, b], [c, d]].map(|[a, b]| {
        let shorts = e.b.ins().snarrow(a, b);
        e.b.ins().avg_round(shorts, none.0)
    })
}

/// The same where channels are an RSX's. Narrowing clamps what is negative; a NaN converts to the lowest integer or to
/// 0.
fn shorts_rsx(e: &mut Emit<'_>, channels: [Channel; 4], values: [F32x4; 4]) -> [Value; 2] {
    let [a, b, c, d] = [0, 1, 2, 3].map(|byte| {
        let one = e.f(1.0);
        // 1 < v ? 1 : v
        let limited = e.min(one, values[byte]);
        match channels[byte] {
            Channel::UnormRsx(_) => quantise_rsx(e, limited, 8).0,
            _ => quantise(e, limited, 8).0,
        }
    });
    [e.b.ins().snarrow(a, b), e.b.ins().snarrow(c, d)]
}

/// Unorm of 0 to 1.
fn quantise(e: &mut Emit<'_>, value: F32x4, bits: u8) -> I32x4 {
    rounded(e, value, low_bits(bits) as f32)
}

/// ceil(v * max - 0.5): the nearest number, the lower one of two.
fn rounded(e: &mut Emit<'_>, value: F32x4, max: f32) -> I32x4 {
    let (max, half) = (e.f(max), e.f(0.5));
    let scaled = e.mul(value, max);
    let scaled = e.sub(scaled, half);
    let whole = e.ceil(scaled);
    e.truncate_to_int(whole)
}

/// trunc(v * max + 0.5) of 0 to 1.
fn quantise_half_up(e: &mut Emit<'_>, value: F32x4, bits: u8) -> I32x4 {
    let (max, half) = (e.f(low_bits(bits) as f32), e.f(0.5));
    let scaled = e.mul(value, max);
    let scaled = e.add(scaled, half);
    e.truncate_to_int(scaled)
}

/// (floor(4096 v) * max + 2048) >> 12 of 0 to 1: exact in floats while max has 8 bits.
pub fn quantise_rsx(e: &mut Emit<'_>, value: F32x4, bits: u8) -> I32x4 {
    let (scale, max, half) = (e.f(4096.0), e.f(low_bits(bits) as f32 / 4096.0), e.f(0.5));
    let fraction = e.mul(value, scale);
    let fraction = e.floor(fraction);
    let scaled = e.mul(fraction, max);
    let scaled = e.add(scaled, half);
    e.truncate_to_int(scaled)
}

fn masked(e: &mut Emit<'_>, value: I32x4, bits: u8) -> I32x4 {
    if bits >= 32 {
        return value;
    }
    let low = e.i(low_bits(bits) as i32);
    e.iand(value, low)
}

/// The value of stored unorm, sRGB and snorm bits.
pub fn decode_bits(e: &mut Emit<'_>, channel: Channel, bits: I32x4) -> F32x4 {
    match channel {
        Channel::UnormRsx(at) if at.bits < 8 => {
            let eight = repeat(e, bits, at.bits.into());
            let value = e.to_float(eight);
            let scale = e.f(1.0 / 255.0);
            e.mul(value, scale)
        }
        Channel::Unorm(at) | Channel::UnormHalfUp(at) | Channel::UnormRsx(at) | Channel::Srgb(at) => {
            let value = e.to_float(bits);
            let scale = e.f(1.0 / low_bits(at.bits) as f32);
            let value = e.mul(value, scale);
            if matches!(channel, Channel::Srgb(_)) { ops::srgb_to_linear(e, value) } else { value }
        }
        Channel::Snorm(at) => {
            let spare = 32 - u32::from(at.bits);
            let high = if spare == 0 { bits } else { e.ishl(bits, spare) };
            let value = if spare == 0 { high } else { e.ishr(high, spare) };
            let value = e.to_float(value);
            let scale = e.f(1.0 / (low_bits(at.bits) >> 1) as f32);
            let value = e.mul(value, scale);
            let low = e.f(-1.0);
            e.max(value, low)
        }
        Channel::Float(at) | Channel::FloatCut(at) => match at.bits {
            32 => e.float_of_bits(bits),
            16 => e.float_of_half(bits),
            bits_of => e.float_of_small(bits, bits_of - 5),
        },
        Channel::Ones(_) => e.f(1.0),
        _ => e.f(0.0),
    }
}

/// Eight bits that begin with `bits`, `count` of them, over and over.
fn repeat(e: &mut Emit<'_>, bits: I32x4, count: u32) -> I32x4 {
    let (mut eight, mut count) = (e.ishl(bits, 8 - count), count);
    while count < 8 {
        let again = e.ushr(eight, count);
        eight = e.ior(eight, again);
        count *= 2;
    }
    eight
}

/// A channel of stored words, `alpha` for a missing one.
pub fn decode(e: &mut Emit<'_>, channel: Channel, words: &[I32x4], alpha: bool) -> F32x4 {
    let at = match channel {
        Channel::Absent => return e.f(if alpha { 1.0 } else { 0.0 }),
        Channel::Zeros(_) => return e.f(0.0),
        Channel::Ones(_) => return e.f(1.0),
        _ => match bits_of(channel) {
            Some(at) => at,
            None => return e.f(0.0),
        },
    };
    let (word, shift) = (words[usize::from(at.shift / 32)], u32::from(at.shift % 32));
    let moved = if shift == 0 { word } else { e.ushr(word, shift) };
    let bits = if shift + u32::from(at.bits) == 32 { moved } else { masked(e, moved, at.bits) };
    decode_bits(e, channel, bits)
}

/// Puts the bits of a channel into words that have zeros there.
pub fn insert(e: &mut Emit<'_>, words: &mut [Option<I32x4>], at: Bits, bits: I32x4) {
    let (word, shift) = (usize::from(at.shift / 32), u32::from(at.shift % 32));
    let moved = if shift == 0 { bits } else { e.ishl(bits, shift) };
    words[word] = Some(match words[word] {
        Some(others) => e.ior(others, moved),
        None => moved,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_bytes_move_instead_of_being_swapped() {
        let at = |shift, bits| Bits { shift, bits };
        let unorm = |shift| Channel::Unorm(at(shift, 8));
        let argb = ColorFormat { bytes: 4, swap: 4, channels: [unorm(16), unorm(8), unorm(0), unorm(24)] };
        let moved = in_memory_order(argb);
        assert_eq!((moved.swap, moved.channels), (1, [unorm(8), unorm(16), unorm(24), unorm(0)]));
        let pairs = ColorFormat { bytes: 4, swap: 2, channels: [unorm(0), unorm(8), unorm(16), unorm(24)] };
        assert_eq!(in_memory_order(pairs).channels, [unorm(8), unorm(0), unorm(24), unorm(16)]);
        let five = Channel::Unorm(at(11, 5));
        let odd =
            ColorFormat { bytes: 2, swap: 2, channels: [five, Channel::Absent, Channel::Absent, Channel::Absent] };
        assert_eq!(in_memory_order(odd), odd);
        assert_eq!([low_bits(0), low_bits(1), low_bits(8), low_bits(32)], [0, 1, 255, u32::MAX]);
    }
}
