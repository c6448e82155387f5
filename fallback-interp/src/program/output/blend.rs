//! Blending and logic operations.

use triglyph_guest::kernel::program::output::{
    BlendEquation, BlendFactor, BlendKey, BlendTerm, Channel, ColorFormat, OutputKey, SignedOperand,
};

use super::{blend_program, channel, is_snorm, is_unorm};
use crate::program::{Vector, limit};

/// Source and destination combined; `second` is the second source.
pub(super) fn blend(
    key: &BlendKey,
    output: &OutputKey,
    format: &ColorFormat,
    [color, second]: [Vector; 2],
    stored: u128,
    constant: Vector,
) -> Vector {
    let zero_products = output.zero_products;
    let (unorm, snorm) = (is_unorm(format), is_snorm(format));
    let inside = |v: f32| match (unorm, snorm) {
        (true, _) => limit(v, 0.0, 1.0),
        (_, true) => limit(v, -1.0, 1.0),
        _ => v,
    };
    let constant = constant.map(inside);
    let source: Vector = std::array::from_fn(|i| match format.channels[i] {
        Channel::Absent | Channel::Zeros(_) | Channel::Ones(_) => inside(color[i]),
        stored if output.quantised_source => quantised(stored, color[i]),
        Channel::Unorm(_) | Channel::UnormHalfUp(_) | Channel::UnormRsx(_) | Channel::Srgb(_) => {
            limit(color[i], 0.0, 1.0)
        }
        Channel::Snorm(_) => limit(color[i], -1.0, 1.0),
        Channel::Float(_) | Channel::FloatCut(_) | Channel::Uint(_) | Channel::Sint(_) => color[i],
    });
    let destination = std::array::from_fn(|i| channel::decode(format.channels[i], stored, i == 3));
    let second = std::array::from_fn(|i| match format.channels[i] {
        _ if unorm => limit(second[i], 0.0, 1.0),
        Channel::Snorm(_) => limit(second[i], -1.0, 1.0),
        _ => second[i],
    });
    let terms = Terms { source, second, destination, constant, unorm, zero_products };
    let Some(program) = &output.program else {
        return std::array::from_fn(|i| terms.combine(if i == 3 { &key.alpha } else { &key.color }, i));
    };
    let [r, g, b, a] = blend_program::run(program, source, destination);
    [r, g, b, if program.alpha { a } else { terms.combine(&key.alpha, 3) }]
}

/// The stored value of a channel for `value`; floats keep their bits.
fn quantised(stored: Channel, value: f32) -> f32 {
    match stored {
        Channel::Unorm(bits)
        | Channel::UnormHalfUp(bits)
        | Channel::UnormRsx(bits)
        | Channel::Srgb(bits)
        | Channel::Snorm(bits) => {
            channel::decode(stored, channel::insert(0, bits, channel::encode(stored, value)), false)
        }
        _ => value,
    }
}

/// The values that factors are computed from.
struct Terms {
    source: Vector,
    second: Vector,
    destination: Vector,
    constant: Vector,
    unorm: bool,
    zero_products: bool,
}

impl Terms {
    fn combine(&self, term: &BlendTerm, i: usize) -> f32 {
        let (s, d) = match term.signed {
            SignedOperand::None => (self.source[i], self.destination[i]),
            SignedOperand::Source => (self.signed(self.source[i]), self.destination[i]),
            SignedOperand::Destination => (self.source[i], self.signed(self.destination[i])),
        };
        let p = self.product(s, self.factor(term.source, i));
        let q = self.product(d, self.factor(term.destination, i));
        match term.equation {
            BlendEquation::Add => p + q,
            BlendEquation::Subtract => p - q,
            BlendEquation::ReverseSubtract => q - p,
            BlendEquation::Min => {
                if s < d {
                    s
                } else {
                    d
                }
            }
            BlendEquation::Max => {
                if s > d {
                    s
                } else {
                    d
                }
            }
        }
    }

    fn signed(&self, v: f32) -> f32 {
        if self.unorm && v > 0.5 { v - 256.0 / 255.0 } else { v }
    }

    fn product(&self, a: f32, b: f32) -> f32 {
        if self.zero_products && (a == 0.0 || b == 0.0) { 0.0 } else { a * b }
    }

    fn factor(&self, factor: BlendFactor, i: usize) -> f32 {
        let (s, d, c) = (&self.source, &self.destination, &self.constant);
        match factor {
            BlendFactor::Zero => 0.0,
            BlendFactor::One => 1.0,
            BlendFactor::SourceColor => s[i],
            BlendFactor::InverseSourceColor => 1.0 - s[i],
            BlendFactor::DestinationColor => d[i],
            BlendFactor::InverseDestinationColor => 1.0 - d[i],
            BlendFactor::SourceAlpha => s[3],
            BlendFactor::InverseSourceAlpha => 1.0 - s[3],
            BlendFactor::DestinationAlpha => d[3],
            BlendFactor::InverseDestinationAlpha => 1.0 - d[3],
            BlendFactor::ConstantColor => c[i],
            BlendFactor::InverseConstantColor => 1.0 - c[i],
            BlendFactor::ConstantAlpha => c[3],
            BlendFactor::InverseConstantAlpha => 1.0 - c[3],
            BlendFactor::SourceAlphaSaturate if i == 3 => 1.0,
            BlendFactor::SourceAlphaSaturate => {
                let rest = 1.0 - d[3];
                if s[3] < rest { s[3] } else { rest }
            }
            BlendFactor::SecondColor => self.second[i],
            BlendFactor::InverseSecondColor => 1.0 - self.second[i],
            BlendFactor::SecondAlpha => self.second[3],
            BlendFactor::InverseSecondAlpha => 1.0 - self.second[3],
        }
    }
}
