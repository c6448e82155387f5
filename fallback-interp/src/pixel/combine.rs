//! The combiner stages, in 8-bit integers (3dbrew: GPU/Internal Registers, 0x0C0 to 0x0FD).

use triglyph_guest::kernel::combine::{
    AlphaOperand, Channel, ColorChannel, ColorOperand, Combiners, Function, Source, Stage,
};
use triglyph_guest::kernel::pixel::PixelConstants;
use triglyph_guest::kernel::trace::{Register, WordForm};

use super::Color;
use crate::trace::{Registers, Watch, register};

/// Colours that a pixel brings to the stages.
pub(super) struct Sources {
    /// Interpolated vertex colour.
    pub(super) primary: Color,
    /// Primary and secondary result of fragment lighting.
    pub(super) lighting: [Color; 2],
    /// Samples of the texture units.
    pub(super) textures: [Color; 4],
}

/// Whether any operand of any stage's functions comes from `source`.
pub(super) fn uses(combiners: &Combiners, source: Source) -> bool {
    combiners.stages.iter().any(|stage| {
        let color = &stage.color_operands[..operands(stage.color)];
        let alpha = &stage.alpha_operands[..operands(stage.alpha)];
        color.iter().any(|operand| operand.source == source) || alpha.iter().any(|operand| operand.source == source)
    })
}

/// How many operands a function has.
fn operands(function: Function) -> usize {
    match function {
        Function::Replace => 1,
        Function::Modulate | Function::Add | Function::AddSigned | Function::Subtract => 2,
        Function::Dot3Rgb | Function::Dot3Rgba => 2,
        Function::Interpolate | Function::MultiplyAdd | Function::AddMultiply => 3,
    }
}

/// How many stages there are up to the last that does something; the rest hand its result on.
pub(super) fn length(combiners: &Combiners) -> usize {
    let passes = |stage: &Stage| {
        (stage.color, stage.alpha) == (Function::Replace, Function::Replace)
            && stage.color_operands[0] == Stage::PASS.color_operands[0]
            && stage.alpha_operands[0] == Stage::PASS.alpha_operands[0]
            && (stage.color_shift, stage.alpha_shift) == (0, 0)
    };
    combiners.stages.iter().rposition(|stage| !passes(stage)).map_or(0, |last| last + 1)
}

/// Runs the first stages.
pub(super) fn run(
    stages: &[Stage],
    constants: &PixelConstants,
    sources: &Sources,
    watch: &mut impl Watch<State>,
) -> Color {
    let mut state = State::START;
    let mut next = constants.buffer_color.to_be_bytes();
    for (number, (stage, constant)) in (0..).zip(stages.iter().zip(constants.stage_color)) {
        state.out = state.stage(stage, constant.to_be_bytes(), sources);
        // An update is seen two stages later (3DS hardware test).
        state.buffer = next;
        if stage.update_color {
            next[..3].copy_from_slice(&state.out[..3]);
        }
        if stage.update_alpha {
            next[3] = state.out[3];
        }
        watch.executed(number, 1, &state);
    }
    state.out
}

/// The values that a stage passes to the next.
pub(super) struct State {
    pub(super) out: Color,
    buffer: Color,
}

impl Registers for State {
    fn registers(&self) -> Vec<Register> {
        ["previous", "buffer"].map(|name| register(name, 4, WordForm::Int)).into()
    }

    fn words(&self, _: usize, words: &mut Vec<u32>) {
        words.extend(self.out.iter().chain(&self.buffer).copied().map(u32::from));
    }
}

impl State {
    /// The inputs of the first stage.
    pub(super) const START: State = State { out: [0; 4], buffer: [0; 4] };

    /// The result of one stage.
    fn stage(&self, stage: &Stage, constant: Color, sources: &Sources) -> Color {
        let (mut color, mut alpha) = ([[0; 3]; 3], [0; 3]);
        for (value, &operand) in color.iter_mut().zip(&stage.color_operands[..operands(stage.color)]) {
            *value = self.color_operand(operand, constant, sources);
        }
        for (value, &operand) in alpha.iter_mut().zip(&stage.alpha_operands[..operands(stage.alpha)]) {
            *value = self.alpha_operand(operand, constant, sources);
        }
        let [a, b, c] = color;
        let [red, green, blue] = match stage.color {
            Function::Dot3Rgb | Function::Dot3Rgba => [dot3(a, b); 3],
            function => [0, 1, 2].map(|channel| apply(function, [a[channel], b[channel], c[channel]])),
        };
        let alpha = if stage.color == Function::Dot3Rgba { red } else { apply(stage.alpha, alpha) };
        let scale = |value: i32, shift: u8| (value << shift.min(2)).min(255) as u8;
        [
            scale(red, stage.color_shift),
            scale(green, stage.color_shift),
            scale(blue, stage.color_shift),
            scale(alpha, stage.alpha_shift),
        ]
    }

    fn color_operand(&self, operand: ColorOperand, constant: Color, sources: &Sources) -> [i32; 3] {
        let color = self.source(operand.source, constant, sources);
        let [r, g, b, _] = color.map(i32::from);
        let value = match operand.channel {
            ColorChannel::Rgb => [r, g, b],
            ColorChannel::Splat(channel) => [self::channel(color, channel); 3],
            ColorChannel::Zero => [0; 3],
        };
        if operand.invert { value.map(|v| 255 - v) } else { value }
    }

    fn alpha_operand(&self, operand: AlphaOperand, constant: Color, sources: &Sources) -> i32 {
        let value = channel(self.source(operand.source, constant, sources), operand.channel);
        if operand.invert { 255 - value } else { value }
    }

    fn source(&self, source: Source, constant: Color, sources: &Sources) -> Color {
        match source {
            Source::Primary => sources.primary,
            Source::FragmentPrimary => sources.lighting[0],
            Source::FragmentSecondary => sources.lighting[1],
            Source::Texture(unit) => sources.textures.get(usize::from(unit)).copied().unwrap_or_default(),
            Source::Buffer => self.buffer,
            Source::Constant => constant,
            Source::Previous => self.out,
            Source::Zero => [0; 4],
        }
    }
}

fn channel(color: Color, channel: Channel) -> i32 {
    i32::from(match channel {
        Channel::R => color[0],
        Channel::G => color[1],
        Channel::B => color[2],
        Channel::A => color[3],
    })
}

/// A function of one channel, 0 to 255.
fn apply(function: Function, [a, b, c]: [i32; 3]) -> i32 {
    let value = match function {
        Function::Replace => a,
        Function::Modulate => divide(a * b),
        Function::Add => a + b,
        Function::AddSigned => a + b - 128,
        Function::Interpolate => divide(a * c + b * (255 - c)),
        Function::Subtract => a - b,
        Function::Dot3Rgb | Function::Dot3Rgba => 0,
        Function::MultiplyAdd => divide(a * b + 255 * c),
        Function::AddMultiply => divide((a + b).min(255) * c),
    };
    value.clamp(0, 255)
}

/// From products of two channels back to one. That this truncates, unlike dot products, is unverified.
fn divide(value: i32) -> i32 {
    value / 255
}

/// The dot product of two colours as vectors of -1..1.
fn dot3(a: [i32; 3], b: [i32; 3]) -> i32 {
    let sum: i32 = (0..3).map(|channel| dot3_term(2 * a[channel] - 255, 2 * b[channel] - 255)).sum();
    sum.clamp(0, 255)
}

/// A product of two signed channels, -255 to 255. Magnitudes are taken and signs put back by inverting all bits.
fn dot3_term(x: i32, y: i32) -> i32 {
    let magnitude = |value: i32| if value < 0 { !value } else { value };
    let product = magnitude(x) * magnitude(y);
    // To nearest; 255 is odd, so nothing lies in the middle.
    let rounded = (product + 127) / 255;
    if (x < 0) == (y < 0) { rounded } else { !rounded }
}
