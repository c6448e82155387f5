//! Known bounds of a fragment's alpha before shading, and the simplifications of its key that follow.
//!
//! Programs for the 3DS mostly leave blending on and draw with an alpha of 255: that of the vertices, a combiner's
//! constant, lighting without Fresnel factors, a texture without alpha. Then blending by alpha gives the source itself,
//! tests of alpha are decided, and nothing has to be read that is replaced as a whole.

use super::combine::{AlphaOperand, Channel, Function, Source, Stage};
use super::operations::{BlendEquation, Compare, LogicOp};
use super::pixel::{BlendFactor, BlendKey, Output, PixelConstants, PixelKey, TextureKind, Wrap};
use crate::format::PixelFormat;

/// The smallest and the largest value of a channel.
type Range = [u8; 2];

const ANY: Range = [0, 255];

/// Where alpha is 255.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opaque {
    /// In all texels of these textures.
    pub textures: [bool; 3],
    /// In the primary colour of all pixels.
    pub primary: bool,
}

impl PixelKey {
    /// A key whose kernel stores the same with these constants, without what a known alpha decides; `None` if that is
    /// nothing.
    pub fn with_known_alpha(&self, constants: &PixelConstants, opaque: Opaque) -> Option<PixelKey> {
        let is_tested = self.alpha_test != Compare::Always;
        let gas = self.fog.is_some_and(|fog| fog.gas.is_some());
        let blend = if let Output::Blend(blend) = self.output { Some(blend) } else { None };
        if self.shadow.is_some() || self.density.is_some() || gas || !is_tested && blend.is_none() {
            return None;
        }
        let alpha @ [low, high] = CombinerInputs { key: self, constants, opaque }.alpha();
        let passes = |alpha: u8| passes(self.alpha_test, alpha.into(), constants.alpha_reference);
        let alpha_test = match self.alpha_test {
            Compare::Always => Compare::Always,
            _ if (low..=high).all(passes) => Compare::Always,
            _ if !(low..=high).any(passes) => Compare::Never,
            test => test,
        };
        let stores_alpha = self.color_mask & 8 != 0 && self.color_format.is_some_and(PixelFormat::has_alpha);
        let output = blend.map_or(self.output, |blend| simplified(blend, alpha, stores_alpha));
        let differs = (alpha_test, output) != (self.alpha_test, self.output);
        differs.then(|| PixelKey { alpha_test, output, ..self.clone() })
    }
}

/// Whether the alpha test lets an alpha pass.
fn passes(test: Compare, alpha: u32, reference: u32) -> bool {
    match test {
        Compare::Never => false,
        Compare::Always => true,
        Compare::Equal => alpha == reference,
        Compare::NotEqual => alpha != reference,
        Compare::Less => alpha < reference,
        Compare::LessEqual => alpha <= reference,
        Compare::Greater => alpha > reference,
        Compare::GreaterEqual => alpha >= reference,
    }
}

/// Blending with what is known of the source's alpha.
fn simplified(mut blend: BlendKey, alpha: Range, stores_alpha: bool) -> Output {
    use BlendFactor::{
        InverseDestinationAlpha, InverseSourceAlpha, InverseSourceColor, One, SourceAlpha, SourceAlphaSaturate,
        SourceColor, Zero,
    };
    let of_alpha = |factor: BlendFactor| match (factor, alpha) {
        (SourceAlpha, [255, 255]) | (InverseSourceAlpha, [0, 0]) => One,
        (SourceAlpha, [0, 0]) | (InverseSourceAlpha, [255, 255]) => Zero,
        (factor, _) => factor,
    };
    let saturated = |factor| match (factor, alpha) {
        (SourceAlphaSaturate, [255, 255]) => InverseDestinationAlpha,
        (SourceAlphaSaturate, [0, 0]) => Zero,
        (factor, _) => factor,
    };
    let own = |factor| match factor {
        SourceColor => SourceAlpha,
        InverseSourceColor => InverseSourceAlpha,
        factor => factor,
    };
    blend.color_source = of_alpha(saturated(blend.color_source));
    blend.color_destination = of_alpha(saturated(blend.color_destination));
    blend.alpha_source = of_alpha(own(blend.alpha_source));
    blend.alpha_destination = of_alpha(own(blend.alpha_destination));
    if !stores_alpha {
        (blend.alpha, blend.alpha_source, blend.alpha_destination) = (BlendEquation::Add, One, Zero);
    }
    let replaces = |equation, source, destination| {
        matches!(equation, BlendEquation::Add | BlendEquation::Subtract) && (source, destination) == (One, Zero)
    };
    let all = replaces(blend.color, blend.color_source, blend.color_destination)
        && replaces(blend.alpha, blend.alpha_source, blend.alpha_destination);
    // source * 255 / 255 + 0 is the source.
    if all { Output::Logic(LogicOp::Copy) } else { Output::Blend(blend) }
}

/// Inputs of the combiner stages of a draw.
struct CombinerInputs<'k> {
    key: &'k PixelKey,
    constants: &'k PixelConstants,
    opaque: Opaque,
}

impl CombinerInputs<'_> {
    /// The alpha that comes out of the combiner stages.
    fn alpha(&self) -> Range {
        let (mut out, mut buffer) = ([0; 2], [0; 2]);
        let mut next = [self.constants.buffer_color as u8; 2];
        for (stage, constant) in self.key.combiners.stages.iter().zip(self.constants.stage_color) {
            out = self.stage(stage, constant, out, buffer);
            buffer = next;
            if stage.update_alpha {
                next = out;
            }
        }
        out
    }

    fn stage(&self, stage: &Stage, constant: u32, previous: Range, buffer: Range) -> Range {
        if stage.color == Function::Dot3Rgba {
            return ANY;
        }
        let operands = stage.alpha_operands.map(|operand| {
            let [low, high] = self.operand(operand, constant, previous, buffer);
            if operand.invert { [255 - high, 255 - low] } else { [low, high] }
        });
        // Every function rises or falls with each of its operands alone: its extremes are those at their extremes.
        let results = (0..8).map(|corner| {
            let operand = |k: usize| i32::from(operands[k][corner >> k & 1]);
            apply(stage.alpha, [operand(0), operand(1), operand(2)])
        });
        let scaled = results.map(|value| (value.clamp(0, 255) << stage.alpha_shift.min(2)).min(255) as u8);
        scaled.fold([255, 0], |[low, high], value| [low.min(value), high.max(value)])
    }

    fn operand(&self, operand: AlphaOperand, constant: u32, previous: Range, buffer: Range) -> Range {
        let [r, g, b, a] = constant.to_be_bytes();
        let is_alpha = operand.channel == Channel::A;
        match (operand.source, operand.channel) {
            (Source::Constant, Channel::R) => [r; 2],
            (Source::Constant, Channel::G) => [g; 2],
            (Source::Constant, Channel::B) => [b; 2],
            (Source::Constant, Channel::A) => [a; 2],
            (Source::Zero, _) => [0; 2],
            (Source::Previous, _) if is_alpha => previous,
            (Source::Buffer, _) if is_alpha => buffer,
            (Source::Primary, _) if is_alpha && self.opaque.primary => [255; 2],
            (Source::FragmentPrimary, _) => self.lighting(is_alpha, |key| key.fresnel_primary),
            (Source::FragmentSecondary, _) => self.lighting(is_alpha, |key| key.fresnel_secondary),
            (Source::Texture(unit), _) => self.texture(unit.into(), is_alpha),
            _ => ANY,
        }
    }

    /// A colour of fragment lighting: its alpha is 255 but for a Fresnel factor.
    fn lighting(&self, is_alpha: bool, fresnel: fn(&super::lighting::LightingKey) -> bool) -> Range {
        match self.key.lighting.as_deref() {
            None => [0; 2],
            Some(key) if is_alpha && !fresnel(key) => [255; 2],
            Some(_) => ANY,
        }
    }

    fn texture(&self, unit: usize, is_alpha: bool) -> Range {
        let Some(texture) = self.key.textures.get(unit) else { return ANY };
        let opaque = !texture.wrap.iter().any(|wrap| matches!(wrap, Wrap::Border | Wrap::RepeatThenBorder));
        match texture.kind {
            TextureKind::Disabled => [0; 2],
            TextureKind::Null => {
                if is_alpha {
                    [255; 2]
                } else {
                    [0; 2]
                }
            }
            TextureKind::Plain | TextureKind::Projected | TextureKind::Cube
                if is_alpha && opaque && self.opaque.textures[unit] =>
            {
                [255; 2]
            }
            _ => ANY,
        }
    }
}

/// A function of one channel, not clamped yet.
fn apply(function: Function, [a, b, c]: [i32; 3]) -> i32 {
    match function {
        Function::Replace => a,
        Function::Modulate => a * b / 255,
        Function::Add => a + b,
        Function::AddSigned => a + b - 128,
        Function::Interpolate => (a * c + b * (255 - c)) / 255,
        Function::Subtract => a - b,
        Function::Dot3Rgb | Function::Dot3Rgba => 0,
        Function::MultiplyAdd => (a * b + 255 * c) / 255,
        Function::AddMultiply => (a + b).min(255) * c / 255,
    }
}
