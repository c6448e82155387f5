//! A colour target.

use triglyph_guest::kernel::pixel::LogicOp;
use triglyph_guest::kernel::program::output::{BlendKey, Channel, ColorFormat, ColorKey, Limit, TARGETS};
use triglyph_guest::num::ops::{self, Ops};

use super::channel::{self, bits_of, is_fixed, low_bits};
use crate::lane::{Emit, F32x4, I32x4};
use crate::pixel::blend::programs::{self as blend, Operands};
use crate::pixel::plan::programs::PlaneOf;
use crate::pixel::quad::programs::{Quad, Results};

/// A format with derived properties.
struct Format {
    format: ColorFormat,
    /// All stored channels are unorm or sRGB.
    unorm: bool,
    integer: bool,
    /// A channel is snorm.
    snorm: bool,
    /// Bits of each channel in each word.
    channels: [[u32; 4]; 4],
}

impl Format {
    fn new(format: ColorFormat) -> Format {
        let format = channel::in_memory_order(format);
        let stored = || format.channels.iter().filter(|&&c| c != Channel::Absent && !is_fixed(c));
        let mut channels = [[0; 4]; 4];
        for (of, words) in format.channels.iter().zip(&mut channels) {
            if let Some(at) = bits_of(*of) {
                words[usize::from(at.shift / 32)] = low_bits(at.bits) << (at.shift % 32);
            }
        }
        Format {
            format,
            unorm: stored().all(|c| matches!(c, Channel::Unorm(_) | Channel::UnormRsx(_) | Channel::Srgb(_))),
            snorm: stored().any(|c| matches!(c, Channel::Snorm(_))),
            integer: stored().any(|c| matches!(c, Channel::Uint(_) | Channel::Sint(_))),
            channels,
        }
    }

    /// Whether a channel has bits.
    fn has(&self, c: usize) -> bool {
        bits_of(self.format.channels[c]).is_some()
    }

    fn words(&self) -> usize {
        usize::from(self.format.bytes).div_ceil(4)
    }

    /// Whether a channel is written under a mask of channels.
    fn writes(&self, mask: u8, c: usize) -> bool {
        mask >> c & 1 != 0 || is_fixed(self.format.channels[c])
    }

    /// Bits of word `word` that are written under a mask of channels.
    fn written(&self, mask: u8, word: usize) -> u32 {
        (0..4).filter(|&c| self.writes(mask, c)).fold(0, |bits, c| bits | self.channels[c][word])
    }

    /// All bits of word `word`.
    fn all(&self, word: usize) -> u32 {
        let bytes = usize::from(self.format.bytes) - 4 * word;
        if bytes >= 4 { u32::MAX } else { low_bits(8 * bytes as u8) }
    }
}

impl Quad<'_, '_> {
    /// Writes all colour targets.
    pub fn colors(&mut self, results: &Results) {
        if self.key.output.color_samples >> self.place.sample & 1 == 0 {
            return;
        }
        for number in 0..TARGETS {
            if let Some(key) = self.key.output.colors[number].filter(|_| self.plan.surfaces[number].is_some()) {
                let color = self.finished(results, key.source.into());
                self.color(number, &key, color, results);
            }
        }
    }

    /// A colour output before conversion to a target.
    pub fn output(&mut self, results: &Results, number: usize) -> [F32x4; 4] {
        let color = match results.colors.get(number) {
            Some(Some(color)) => *color,
            _ => [self.e.f(0.0); 4],
        };
        let [r, g, b, a] = match self.key.output.limits.get(number) {
            Some(Limit::Unit) => color.map(|v| self.e.clamp(v, 0.0, 1.0)),
            Some(Limit::Signed) => color.map(|v| self.e.clamp(v, -1.0, 1.0)),
            Some(Limit::None) | None => color,
        };
        [r, g, b, self.shared(a)]
    }

    /// Alpha times the part of the pixel that a smooth line covers.
    fn shared(&mut self, alpha: F32x4) -> F32x4 {
        let Some(first) = self.key.output.share.map(usize::from) else { return alpha };
        let one = self.e.f(1.0);
        let [across, along] = [first, first + 2].map(|first| {
            let [near, far] = [first, first + 1].map(|plane| {
                let distance = self.plane(PlaneOf::Varying(plane));
                self.e.clamp(distance, 0.0, 1.0)
            });
            let sum = self.e.add(near, far);
            let part = self.e.sub(sum, one);
            self.e.clamp(part, 0.0, 1.0)
        });
        let share = self.e.mul(across, along);
        self.e.mul(alpha, share)
    }

    /// A colour output after conversions for targets.
    fn finished(&mut self, results: &Results, number: usize) -> [F32x4; 4] {
        let mut color = self.output(results, number);
        let output = &self.key.output;
        if output.alpha_to_one {
            color[3] = self.e.f(1.0);
        }
        if output.encode_srgb {
            for value in &mut color[..3] {
                let clamped = self.e.clamp(*value, 0.0, 1.0);
                *value = ops::linear_to_srgb(self.e, clamped);
            }
        }
        color
    }

    /// The second source of blending with `key`; only factors read it.
    fn second(&mut self, results: &Results, key: &BlendKey, format: &Format) -> [F32x4; 4] {
        if !key.takes_second() {
            return [self.e.f(0.0); 4];
        }
        let mut second = self.finished(results, 1);
        for (value, channel) in second.iter_mut().zip(format.format.channels) {
            *value = match channel {
                _ if format.unorm => self.e.clamp(*value, 0.0, 1.0),
                Channel::Snorm(_) => self.e.clamp(*value, -1.0, 1.0),
                _ => *value,
            };
        }
        second
    }

    /// Channel `c` of the source of blending.
    fn source(&mut self, format: &Format, c: usize, color: F32x4) -> F32x4 {
        let channel = format.format.channels[c];
        let lowest = match channel {
            Channel::Float(_) | Channel::Uint(_) | Channel::Sint(_) => return color,
            Channel::Absent | Channel::Zeros(_) | Channel::Ones(_) => match (format.unorm, format.snorm) {
                (true, _) => 0.0,
                (_, true) => -1.0,
                _ => return color,
            },
            _ if self.key.output.quantised_source => {
                let bits = self.encoded(format, c, color);
                return channel::decode_bits(self.e, channel, bits);
            }
            Channel::Unorm(_) | Channel::UnormRsx(_) | Channel::Srgb(_) => 0.0,
            Channel::Snorm(_) => -1.0,
        };
        self.e.clamp(color, lowest, 1.0)
    }

    fn color(&mut self, number: usize, key: &ColorKey, color: [F32x4; 4], results: &Results) {
        let Some(place) = self.address(number) else { return };
        let output = &self.key.output;
        let format = Format::new(key.format);
        let logic = output.logic.filter(|_| format.unorm);
        let blend = key.blend.filter(|_| output.logic.is_none() && !format.integer);
        let partial = (0..format.words()).any(|word| format.written(key.mask, word) != format.all(word));
        let reads = logic.is_some_and(reads_destination)
            || blend.is_some_and(|key| !format.unorm || output.program.is_some() || blend::reads_destination(&key))
            || partial;
        let unit = format.format.swap;
        let stored: Vec<I32x4> = if reads {
            let words = place.load(self.e);
            words.into_iter().map(|word| self.e.swap_bytes(word, unit)).collect()
        } else {
            vec![self.e.i(0); format.words()]
        };
        let mut values = color;
        if let Some(blend) = blend {
            let second = self.second(results, &blend, &format);
            let source = [0, 1, 2, 3].map(|c| self.source(&format, c, color[c]));
            // Without infinities and NaNs a product with 0 is 0 anyway.
            let zero_products = output.zero_products && !format.unorm;
            let operands = operands(self.e, &format, [source, second], &stored, zero_products);
            let program = output.program.as_deref();
            let results = program.map(|program| operands.run(self.e, program));
            for c in (0..4).filter(|&c| key.mask >> c & 1 != 0 && format.has(c)) {
                values[c] = match results.filter(|_| c < 3 || program.is_some_and(|program| program.alpha)) {
                    Some(results) => results[c],
                    None => operands.blend(self.e, &blend, c),
                };
            }
        }
        let bytes = channel::byte_channels(&format.format);
        let words = match bytes.filter(|order| order.iter().all(|&c| format.writes(key.mask, c))) {
            Some(order) => {
                let bytes = order.map(|c| channel::fixed_value(self.e, format.format.channels[c]).unwrap_or(values[c]));
                let channels = order.map(|c| format.format.channels[c]);
                vec![Some(channel::encode_bytes(self.e, channels, bytes))]
            }
            None => self.encoded_words(&format, key.mask, values),
        };
        let words: Vec<I32x4> = (0..format.words())
            .map(|word| {
                let new = words[word].unwrap_or_else(|| self.e.i(0));
                let written = format.written(key.mask, word);
                let new = match logic {
                    Some(op) => self.logic(op, &format, word, new, stored[word]),
                    None => new,
                };
                let merged = if written == format.all(word) {
                    new
                } else {
                    let (keep, take) = (self.e.i(!written as i32), self.e.i(written as i32));
                    let (old, new) = (self.e.iand(stored[word], keep), self.e.iand(new, take));
                    self.e.ior(old, new)
                };
                self.e.swap_bytes(merged, unit)
            })
            .collect();
        // Depth tests leave parts of quads.
        let often_partial = self.plan.depth.is_some();
        place.store(self.e, &words, self.mask, self.cover, often_partial);
    }

    /// The bits of a channel.
    fn encoded(&mut self, format: &Format, c: usize, value: F32x4) -> I32x4 {
        channel::encode(self.e, format.format.channels[c], value)
    }

    /// The words of a pixel with the channels of a mask, and those that are fixed.
    fn encoded_words(&mut self, format: &Format, mask: u8, values: [F32x4; 4]) -> Vec<Option<I32x4>> {
        let mut words = vec![None; format.words()];
        for (c, value) in values.into_iter().enumerate() {
            let channel = format.format.channels[c];
            if let Some(at) = bits_of(channel).filter(|_| format.writes(mask, c)) {
                let bits = self.encoded(format, c, value);
                channel::insert(self.e, &mut words, at, bits);
            }
        }
        words
    }

    /// The operation on stored bits; fixed channels stay.
    fn logic(&mut self, op: LogicOp, format: &Format, word: usize, s: I32x4, d: I32x4) -> I32x4 {
        let e = &mut *self.e;
        let ones = e.i(-1);
        let result = I32x4(e.logic_op(op, s.0, d.0, ones.0));
        let channels = (0..4).filter(|&c| !is_fixed(format.format.channels[c]));
        let free = channels.fold(0, |bits, c| bits | format.channels[c][word]);
        if free == u32::MAX {
            return result;
        }
        let (free, fixed) = (e.i(free as i32), e.i(!free as i32));
        let (result, s) = (e.iand(result, free), e.iand(s, fixed));
        e.ior(result, s)
    }
}

/// Whether a logic operation reads the destination.
fn reads_destination(op: LogicOp) -> bool {
    !matches!(op, LogicOp::Clear | LogicOp::Copy | LogicOp::Set | LogicOp::CopyInverted)
}

/// The operands of blending.
fn operands(
    e: &mut Emit<'_>,
    format: &Format,
    [source, second]: [[F32x4; 4]; 2],
    stored: &[I32x4],
    zero_products: bool,
) -> Operands {
    let channels = format.format.channels;
    let destination = [0, 1, 2, 3].map(|c| channel::decode(e, channels[c], stored, c == 3));
    Operands { source, second, destination, unorm: format.unorm, snorm: format.snorm, zero_products }
}
