//! Pixels of surfaces: bits, colours, and conversions between formats.
//!
//! Missing colours are 0, missing alpha is 1. Y formats are grey; they store red. sRGB formats are linear as colours.
//! Integers become integers without being scaled, and numbers otherwise. Unorm is rounded to nearest, halves up; snorm
//! and floats to nearest, ties to even: unlike the 3D class, of which alone a console's values are known. Bits without
//! a component keep what they hold.

use std::sync::LazyLock;

use triglyph_guest::kernel::program::output::{Bits, Channel};
use triglyph_guest::kernel::transfer::ByteSource;
use triglyph_guest::num::half;
use triglyph_guest::num::ops::{Scalar, linear_to_srgb, srgb_to_linear};
use triglyph_guest::tegra::format::ColorFormat;
use triglyph_guest::tegra::methods::twod::SourceFormat;

/// Red, green, blue, alpha.
pub type Color = [f32; 4];

/// The bits of a pixel, lowest first.
pub type Words = [u32; 4];

/// How pixels of a format are read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codec {
    format: SourceFormat,
    /// Bytes of a pixel.
    pub bytes: u32,
    channels: [Channel; 4],
    /// Whether red stands for green and blue, too.
    grey: bool,
}

impl Codec {
    /// Of a destination or of colours in registers.
    pub fn of(format: ColorFormat) -> Codec {
        let row = format.pixel();
        let grey = matches!(format, ColorFormat::R8Unorm | ColorFormat::R16Unorm | ColorFormat::R32Raw);
        Codec { format: SourceFormat::Color(format), bytes: row.bytes.into(), channels: row.channels, grey }
    }

    /// Of a source; `None` for blocks of bits, which are not supported.
    pub fn of_source(format: SourceFormat) -> Option<Codec> {
        match format {
            SourceFormat::Color(format) => Some(Codec::of(format)),
            SourceFormat::Y1 => None,
            SourceFormat::Ay8 => {
                let byte = Channel::Unorm(Bits { shift: 0, bits: 8 });
                Some(Codec { format, bytes: 1, channels: [byte; 4], grey: false })
            }
        }
    }

    /// A pixel's bits from its bytes.
    #[inline]
    pub fn read(&self, bytes: &[u8]) -> Words {
        let mut all = [0; 16];
        all[..self.bytes as usize].copy_from_slice(&bytes[..self.bytes as usize]);
        std::array::from_fn(|i| u32::from_le_bytes([all[4 * i], all[4 * i + 1], all[4 * i + 2], all[4 * i + 3]]))
    }

    /// A pixel's bytes from its bits.
    #[inline]
    pub fn write(&self, pixel: Words, out: &mut [u8]) {
        let mut all = [0; 16];
        for (bytes, word) in all.chunks_exact_mut(4).zip(pixel) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        out[..self.bytes as usize].copy_from_slice(&all[..self.bytes as usize]);
    }

    /// Whether its components are integers.
    pub fn is_integer(&self) -> bool {
        self.channels.iter().any(|channel| matches!(channel, Channel::Uint(_) | Channel::Sint(_)))
    }

    /// Whether there are bits that no component has: they keep what they hold.
    pub fn has_gaps(&self) -> bool {
        let used: u32 =
            self.channels.iter().filter_map(|&channel| place(channel)).map(|bits| u32::from(bits.bits)).sum();
        used < 8 * self.bytes
    }

    /// Whether pixels of `self` are pixels of `to` bit by bit. Where `to` has bits without a component any
    /// value is allowed.
    pub fn is_same_as(&self, to: &Codec) -> bool {
        let matches = |(from, to): (&Channel, &Channel)| from == to || *to == Channel::Absent;
        let channels = self.channels.iter().zip(&to.channels).all(matches);
        let is_ay8 = self.format == SourceFormat::Ay8;
        self.format == to.format || self.bytes == to.bytes && self.grey == to.grey && !is_ay8 && channels
    }

    /// What the bytes of a pixel are made of where pixels of `from` are filtered or converted; `None` unless both
    /// formats have four bytes that are numbers from 0 to 1, or nothing is converted.
    pub fn made_of(&self, from: &Codec, filtered: bool) -> Option<[ByteSource; 4]> {
        if (from.bytes, self.bytes) != (4, 4) {
            return None;
        }
        if !filtered && from.is_same_as(self) {
            return Some([0, 1, 2, 3].map(ByteSource::Texel));
        }
        if self.has_gaps() || from.grey {
            return None;
        }
        let byte = |bits: Bits| (bits.bits == 8 && bits.shift.is_multiple_of(8)).then_some(bits.shift / 8);
        let mut bytes = [ByteSource::Constant(0); 4];
        for (i, channels) in from.channels.into_iter().zip(self.channels).enumerate() {
            use Channel::{Absent, Ones, Srgb, Unorm, Zeros};
            let (to, source) = match channels {
                (Unorm(from), Unorm(to)) => (to, ByteSource::Texel(byte(from)?)),
                // Between these two nothing is filtered that is not linear.
                (Srgb(from), Srgb(to)) if !filtered => (to, ByteSource::Texel(byte(from)?)),
                (_, Ones(to)) | (Ones(_), Unorm(to)) => (to, ByteSource::Constant(255)),
                (_, Zeros(to)) | (Zeros(_), Unorm(to)) => (to, ByteSource::Constant(0)),
                (Absent, Unorm(to)) => (to, ByteSource::Constant(if i == 3 { 255 } else { 0 })),
                _ => return None,
            };
            bytes[usize::from(byte(to)?)] = source;
        }
        Some(bytes)
    }

    /// The colour of a pixel.
    #[inline]
    pub fn decode(&self, pixel: Words) -> Color {
        let mut color: Color = std::array::from_fn(|i| decode(self.channels[i], pixel, i == 3));
        if self.grey {
            color = [color[0], color[0], color[0], 1.0];
        }
        color
    }

    /// A pixel of this colour over `old`, whose bits stay where there is no component.
    #[inline]
    pub fn encode(&self, color: Color, old: Words) -> Words {
        let mut pixel = old;
        for (&channel, value) in self.channels.iter().zip(color) {
            if let Some(bits) = place(channel) {
                insert(&mut pixel, bits, encode(channel, value));
            }
        }
        pixel
    }

    /// A pixel of another format over `old`.
    #[inline]
    pub fn convert(&self, from: &Codec, pixel: Words, old: Words) -> Words {
        if from.is_same_as(self) {
            return pixel;
        }
        if !(from.is_integer() && self.is_integer()) {
            return self.encode(from.decode(pixel), old);
        }
        let mut result = old;
        for (i, (&from, &to)) in from.channels.iter().zip(&self.channels).enumerate() {
            let value = match from {
                Channel::Uint(bits) => i64::from(extract(pixel, bits)),
                Channel::Sint(bits) => i64::from(signed(pixel, bits)),
                _ => i64::from(i == 3),
            };
            match to {
                Channel::Uint(bits) => insert(&mut result, bits, value.clamp(0, mask(bits).into()) as u32),
                Channel::Sint(bits) => {
                    let most = i64::from(mask(bits) >> 1);
                    insert(&mut result, bits, value.clamp(-most - 1, most) as u32);
                }
                _ => {}
            }
        }
        result
    }
}

/// Where a component is stored.
fn place(channel: Channel) -> Option<Bits> {
    use Channel::{Absent, Float, FloatCut, Ones, Sint, Snorm, Srgb, Uint, Unorm, UnormHalfUp, UnormRsx, Zeros};
    match channel {
        Absent => None,
        Zeros(bits) | Ones(bits) | Unorm(bits) | UnormHalfUp(bits) | UnormRsx(bits) | Srgb(bits) | Snorm(bits)
        | Uint(bits) | Sint(bits) | Float(bits) | FloatCut(bits) => Some(bits),
    }
}

#[inline]
fn mask(bits: Bits) -> u32 {
    u32::MAX >> (32 - u32::from(bits.bits))
}

/// Bits of a pixel; they do not cross words.
#[inline]
fn extract(pixel: Words, bits: Bits) -> u32 {
    pixel[usize::from(bits.shift / 32)] >> (bits.shift % 32) & mask(bits)
}

#[inline]
fn signed(pixel: Words, bits: Bits) -> i32 {
    let above = 32 - u32::from(bits.bits);
    (extract(pixel, bits) << above) as i32 >> above
}

#[inline]
fn insert(pixel: &mut Words, bits: Bits, value: u32) {
    let (word, shift) = (&mut pixel[usize::from(bits.shift / 32)], bits.shift % 32);
    *word = *word & !(mask(bits) << shift) | (value & mask(bits)) << shift;
}

/// The linear values of sRGB bytes.
static LINEAR: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| srgb_to_linear(&mut Scalar, byte as f32 * (1.0 / 255.0))));

#[inline]
fn decode(channel: Channel, pixel: Words, alpha: bool) -> f32 {
    match channel {
        Channel::Absent => f32::from(u8::from(alpha)),
        Channel::Zeros(_) => 0.0,
        Channel::Ones(_) => 1.0,
        // No format of this machine has the RSX's own ones.
        Channel::Unorm(bits) | Channel::UnormHalfUp(bits) | Channel::UnormRsx(bits) => {
            extract(pixel, bits) as f32 * (1.0 / mask(bits) as f32)
        }
        // All sRGB formats have 8 bits.
        Channel::Srgb(bits) => LINEAR[(extract(pixel, bits) & 0xFF) as usize],
        Channel::Snorm(bits) => (signed(pixel, bits) as f32 * (1.0 / (mask(bits) >> 1) as f32)).max(-1.0),
        Channel::Uint(bits) => extract(pixel, bits) as f32,
        Channel::Sint(bits) => signed(pixel, bits) as f32,
        Channel::Float(bits) | Channel::FloatCut(bits) => match bits.bits {
            32 => f32::from_bits(extract(pixel, bits)),
            // Small floats are halves without sign and with a shorter mantissa.
            width => {
                half::value(&mut Scalar, (extract(pixel, bits) << (if width == 16 { 0 } else { 15 - width })) as i32)
            }
        },
    }
}

/// NaN gives the lower end.
#[inline]
fn limit(value: f32, low: f32, high: f32) -> f32 {
    let value = if value > low { value } else { low };
    if value < high { value } else { high }
}

#[inline]
fn unorm(value: f32, bits: Bits) -> u32 {
    (limit(value, 0.0, 1.0) * mask(bits) as f32 + 0.5) as u32
}

#[inline]
fn encode(channel: Channel, value: f32) -> u32 {
    match channel {
        Channel::Absent | Channel::Zeros(_) => 0,
        Channel::Ones(_) => u32::MAX,
        Channel::Unorm(bits) | Channel::UnormHalfUp(bits) | Channel::UnormRsx(bits) => unorm(value, bits),
        Channel::Srgb(bits) => unorm(linear_to_srgb(&mut Scalar, limit(value, 0.0, 1.0)), bits),
        Channel::Snorm(bits) => (limit(value, -1.0, 1.0) * (mask(bits) >> 1) as f32).round_ties_even() as i32 as u32,
        Channel::Uint(bits) => (value.round_ties_even() as u32).min(mask(bits)),
        Channel::Sint(bits) => {
            let most = (mask(bits) >> 1) as i32;
            (value.round_ties_even() as i32).clamp(-most - 1, most) as u32
        }
        Channel::Float(bits) | Channel::FloatCut(bits) => match bits.bits {
            // One NaN for all.
            32 if value.is_nan() => 0x7FC0_0000,
            32 => value.to_bits(),
            16 => half::bits(&mut Scalar, value) as u32,
            width => small_float(value, u32::from(width) - 5),
        },
    }
}

/// Five bits of exponent and `mantissa` bits after it, no sign: nearest, ties to even; infinity from 2^16 on.
fn small_float(value: f32, mantissa: u32) -> u32 {
    let infinity = 31 << mantissa;
    if value.is_nan() {
        return infinity | ((1 << mantissa) - 1);
    }
    if value <= 0.0 {
        return 0;
    }
    let bits = value.to_bits();
    if value < f32::from_bits((127 - 14) << 23) {
        // Multiples of the last place of the smallest normal number; the product is exact.
        let scale = f32::from_bits((127 + 14 + mantissa) << 23);
        return (value * scale).round_ties_even() as u32;
    }
    let dropped = 23 - mantissa;
    let half = (1 << (dropped - 1)) - 1 + (bits >> dropped & 1);
    // The bias is 15 instead of 127. A carry goes into the exponent, which is as it should be.
    let rounded = (u64::from(bits) + u64::from(half)) >> dropped;
    (rounded as u32 - (112 << mantissa)).min(infinity)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: Words = [0; 4];

    #[test]
    fn every_format_keeps_its_pixels() {
        let mut seed = 1u32;
        for format in ColorFormat::ALL {
            let codec = Codec::of(*format);
            for _ in 0..200 {
                let pixel = std::array::from_fn(|i| {
                    seed = seed.wrapping_mul(0x915F_77F5).wrapping_add(12345);
                    let bytes = (codec.bytes as usize).saturating_sub(4 * i).min(4);
                    (u64::from(seed) & ((1 << (8 * bytes)) - 1)) as u32
                });
                let mut bytes = [0; 16];
                codec.write(pixel, &mut bytes);
                assert_eq!(codec.read(&bytes), pixel, "{}", format.name());
                assert_eq!(codec.convert(&codec, pixel, ZERO), pixel);
                // Integers beyond 24 bits are no f32, floats may be NaN, -1 has two snorms, fixed bits are fixed.
                let exact = !codec.is_integer() && !format.name().contains('F') && !format.name().contains('N');
                let fixed = matches!(codec.channels[3], Channel::Zeros(_) | Channel::Ones(_));
                if exact && !fixed {
                    assert_eq!(codec.encode(codec.decode(pixel), pixel), pixel, "{}", format.name());
                }
            }
        }
    }

    #[test]
    fn bytes_are_made_of_what_conversions_take() {
        let codecs = || ColorFormat::ALL.iter().map(|format| Codec::of(*format));
        let mut seed = 1u32;
        let mut made = 0;
        for (from, to) in codecs().flat_map(|from| codecs().map(move |to| (from, to))) {
            let Some(bytes) = to.made_of(&from, false) else { continue };
            made += 1;
            for _ in 0..20 {
                seed = seed.wrapping_mul(0x915F_77F5).wrapping_add(12345);
                let texel = seed.to_le_bytes();
                let pixel = bytes.map(|source| match source {
                    ByteSource::Texel(byte) => texel[usize::from(byte)],
                    ByteSource::Constant(byte) => byte,
                });
                assert_eq!(u32::from_le_bytes(pixel), to.convert(&from, [seed, 0, 0, 0], ZERO)[0], "{from:?} {to:?}");
            }
        }
        assert!(made > 20, "{made}");
    }

    #[test]
    fn colors_go_from_format_to_format() {
        let codec = |format: ColorFormat| Codec::of(format);
        let convert = |from, to, pixel: u32| codec(to).convert(&codec(from), [pixel, 0, 0, 0], [0xAAAA_AAAA; 4])[0];
        use ColorFormat::*;
        assert_eq!(convert(A8R8G8B8Unorm, A8B8G8R8Unorm, 0x1122_3344), 0x1144_3322);
        assert_eq!(convert(R5G6B5Unorm, A8R8G8B8Unorm, 0xF81F), 0xFFFF_00FF);
        assert_eq!(convert(A8R8G8B8Unorm, R5G6B5Unorm, 0x80FF_8107) & 0xFFFF, 0xFC01);
        // Into bits without a component goes what comes from the same place, or what was there.
        assert_eq!(convert(A8R8G8B8Unorm, X8R8G8B8Unorm, 0x1122_3344), 0x1122_3344);
        assert_eq!(convert(A8B8G8R8Unorm, X8R8G8B8Unorm, 0x1122_3344), 0xAA44_3322);
        assert_eq!(convert(X8R8G8B8Unorm, A8R8G8B8Unorm, 0x1122_3344), 0xFF22_3344);
        assert_eq!(convert(R8Unorm, A8R8G8B8Unorm, 0x80), 0xFF80_8080);
        assert_eq!(convert(A8Unorm, A8R8G8B8Unorm, 0x80), 0x8000_0000);
        // 0.5 in sRGB is 0xBC.
        assert_eq!(convert(A8R8G8B8Unorm, A8R8G8B8Srgb, 0x8080_8080), 0x80BC_BCBC);
        assert_eq!(convert(A8R8G8B8Srgb, A8R8G8B8Unorm, 0x80BC_BCBC), 0x8080_8080);
        assert_eq!(convert(A8B8G8R8Sint, R32Sint, 0x0000_00FE), -2i32 as u32);
        assert_eq!(convert(R32Uint, A8B8G8R8Uint, 300), 0x0100_00FF);
        assert_eq!(convert(R16Float, R32Float, 0x3C00), 1.0f32.to_bits());
        let ay8 = Codec::of_source(SourceFormat::Ay8).unwrap();
        assert_eq!(codec(A8R8G8B8Unorm).convert(&ay8, [0x40, 0, 0, 0], ZERO)[0], 0x4040_4040);
        assert!(ColorFormat::from_register(0x1D).is_none() && Codec::of_source(SourceFormat::Y1).is_none());
    }

    #[test]
    fn small_floats_round_to_even() {
        let decode = |stored: u32, mantissa: u32| half::value(&mut Scalar, (stored << (10 - mantissa)) as i32);
        for mantissa in [5, 6] {
            for stored in 0..31u32 << mantissa {
                let (low, high) = (decode(stored, mantissa), decode(stored + 1, mantissa));
                assert_eq!(small_float(low, mantissa), stored);
                let high = if high.is_infinite() { 65536.0 } else { high };
                let even = stored + (stored & 1);
                for (weight, expected) in [(0.25, stored), (0.5, even), (0.75, stored + 1)] {
                    assert_eq!(small_float(low + (high - low) * weight, mantissa), expected, "{stored:#x}");
                }
            }
            assert_eq!(
                [-1.0, f32::INFINITY, 1e9].map(|v| small_float(v, mantissa)),
                [0, 31 << mantissa, 31 << mantissa]
            );
            assert_eq!(small_float(f32::NAN, mantissa), (32 << mantissa) - 1);
        }
    }
}
