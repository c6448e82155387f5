//! Blending: factors and equations, in f32, or a blend program.

use triglyph_guest::kernel::program::blend_program::BlendProgram;
use triglyph_guest::kernel::program::output::{BlendEquation, BlendFactor, BlendKey, BlendTerm, SignedOperand};
use triglyph_guest::num::ops::Ops;

use super::blend_program;
use crate::lane::{Emit, F32x4};
use crate::pixel::args::programs::at;

/// Operands of blending: r, g, b, a.
pub struct Operands {
    pub source: [F32x4; 4],
    /// The second source.
    pub second: [F32x4; 4],
    pub destination: [F32x4; 4],
    /// All values are in 0 to 1: a product with 0 is 0. Constants are the clamped ones.
    pub unorm: bool,
    /// Constants are clamped to -1..1.
    pub snorm: bool,
    /// A product with 0 is 0, even with infinities and NaNs.
    pub zero_products: bool,
}

/// Whether blending reads a destination of 0 to 1. Other destinations times 0 need not be 0.
pub fn reads_destination(key: &BlendKey) -> bool {
    [&key.color, &key.alpha].into_iter().any(|term| {
        let sides = [term.source, term.destination];
        let looks = |factor: &BlendFactor| {
            use BlendFactor::*;
            matches!(
                factor,
                DestinationColor
                    | InverseDestinationColor
                    | DestinationAlpha
                    | InverseDestinationAlpha
                    | SourceAlphaSaturate
            )
        };
        let min_max = matches!(term.equation, BlendEquation::Min | BlendEquation::Max);
        min_max || term.destination != BlendFactor::Zero || sides.iter().any(looks)
    })
}

/// A factor; 0 and 1 need no multiplication.
enum Factor {
    Zero,
    One,
    Value(F32x4),
}

impl Operands {
    /// Runs a blend program.
    pub fn run(&self, e: &mut Emit<'_>, program: &BlendProgram) -> [F32x4; 4] {
        blend_program::run(e, program, self.source, self.destination)
    }

    /// Channel `channel` of the result.
    pub fn blend(&self, e: &mut Emit<'_>, key: &BlendKey, channel: usize) -> F32x4 {
        let term = if channel == 3 { &key.alpha } else { &key.color };
        let [s, d] = self.terms(e, term, channel);
        match term.equation {
            BlendEquation::Min => e.min(s, d),
            // a > b ? a : b
            BlendEquation::Max => e.max(s, d),
            BlendEquation::Add => {
                let [a, b] = self.products(e, term, channel, [s, d]);
                match (a, b) {
                    (Some(a), Some(b)) => e.add(a, b),
                    (Some(one), None) | (None, Some(one)) => one,
                    (None, None) => e.f(0.0),
                }
            }
            BlendEquation::Subtract => {
                let [a, b] = self.products(e, term, channel, [s, d]);
                difference(e, a, b, term.signed)
            }
            BlendEquation::ReverseSubtract => {
                let [a, b] = self.products(e, term, channel, [s, d]);
                difference(e, b, a, term.signed)
            }
        }
    }

    /// s and d of a channel.
    fn terms(&self, e: &mut Emit<'_>, term: &BlendTerm, channel: usize) -> [F32x4; 2] {
        let (s, d) = (self.source[channel], self.destination[channel]);
        match term.signed {
            SignedOperand::Source if self.unorm => [signed(e, s), d],
            SignedOperand::Destination if self.unorm => [s, signed(e, d)],
            _ => [s, d],
        }
    }

    /// `s * fs` and `d * fd`; `None` is a zero that may be left out of a sum.
    fn products(&self, e: &mut Emit<'_>, term: &BlendTerm, channel: usize, [s, d]: [F32x4; 2]) -> [Option<F32x4>; 2] {
        let sides = [(s, term.source), (d, term.destination)];
        sides.map(|(value, factor)| match self.factor(e, factor, channel) {
            Factor::Zero if self.unorm => None,
            Factor::Zero if self.zero_products => Some(e.f(0.0)),
            Factor::Zero => {
                let zero = e.f(0.0);
                Some(e.mul(value, zero))
            }
            Factor::One if self.zero_products => Some(self.without_sign_of_zero(e, value)),
            Factor::One => Some(value),
            Factor::Value(factor) if self.zero_products => {
                let product = e.mul(value, factor);
                let zero = e.f(0.0);
                let (a, b) = (e.feq(value, zero), e.feq(factor, zero));
                let none = e.or(a, b);
                Some(e.select(none, zero, product))
            }
            Factor::Value(factor) => Some(e.mul(value, factor)),
        })
    }

    /// `value`, +0 for both zeros.
    fn without_sign_of_zero(&self, e: &mut Emit<'_>, value: F32x4) -> F32x4 {
        let zero = e.f(0.0);
        let none = e.feq(value, zero);
        e.select(none, zero, value)
    }

    fn factor(&self, e: &mut Emit<'_>, factor: BlendFactor, channel: usize) -> Factor {
        let (value, inverse) = match factor {
            BlendFactor::Zero => return Factor::Zero,
            BlendFactor::One => return Factor::One,
            BlendFactor::SourceColor => (self.source[channel], false),
            BlendFactor::InverseSourceColor => (self.source[channel], true),
            BlendFactor::DestinationColor => (self.destination[channel], false),
            BlendFactor::InverseDestinationColor => (self.destination[channel], true),
            BlendFactor::SourceAlpha => (self.source[3], false),
            BlendFactor::InverseSourceAlpha => (self.source[3], true),
            BlendFactor::DestinationAlpha => (self.destination[3], false),
            BlendFactor::InverseDestinationAlpha => (self.destination[3], true),
            BlendFactor::SecondColor => (self.second[channel], false),
            BlendFactor::InverseSecondColor => (self.second[channel], true),
            BlendFactor::SecondAlpha => (self.second[3], false),
            BlendFactor::InverseSecondAlpha => (self.second[3], true),
            BlendFactor::ConstantColor => (self.constant(e, channel), false),
            BlendFactor::InverseConstantColor => (self.constant(e, channel), true),
            BlendFactor::ConstantAlpha => (self.constant(e, 3), false),
            BlendFactor::InverseConstantAlpha => (self.constant(e, 3), true),
            BlendFactor::SourceAlphaSaturate if channel == 3 => return Factor::One,
            BlendFactor::SourceAlphaSaturate => {
                let one = e.f(1.0);
                let rest = e.sub(one, self.destination[3]);
                (e.min(self.source[3], rest), false)
            }
        };
        if !inverse {
            return Factor::Value(value);
        }
        let one = e.f(1.0);
        Factor::Value(e.sub(one, value))
    }

    fn constant(&self, e: &mut Emit<'_>, channel: usize) -> F32x4 {
        let args = e.args;
        let value = e.load_floats(args, at!(blend) + 64 * i32::from(self.unorm) + 16 * channel as i32);
        if self.snorm { e.clamp(value, -1.0, 1.0) } else { value }
    }
}

/// A value of 0 to 1 as the signed byte that its bits are.
fn signed(e: &mut Emit<'_>, value: F32x4) -> F32x4 {
    let (half, all) = (e.f(0.5), e.f(256.0 / 255.0));
    let negative = e.lt(half, value);
    let below = e.sub(value, all);
    e.select(negative, below, value)
}

fn difference(e: &mut Emit<'_>, a: Option<F32x4>, b: Option<F32x4>, signed: SignedOperand) -> F32x4 {
    match (a, b) {
        (Some(a), Some(b)) => e.sub(a, b),
        (Some(a), None) => a,
        (None, Some(b)) if signed != SignedOperand::None => {
            let zero = e.f(0.0);
            e.sub(zero, b)
        }
        // Negative or zero, which are stored as zero.
        (None, _) => e.f(0.0),
    }
}
