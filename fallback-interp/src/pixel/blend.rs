//! Blending and logic operations (3dbrew: GPU/Internal Registers, 0x100 to 0x103).

use triglyph_guest::kernel::pixel::{BlendEquation, BlendFactor, BlendKey, Output};

use super::Color;
use crate::operations::logic;

/// The colour to write for `source` over `destination`.
pub(super) fn output(key: &Output, source: Color, destination: Color, constant: Color) -> Color {
    match key {
        Output::Blend(key) => blend(key, source, destination, constant),
        Output::Logic(operation) => {
            std::array::from_fn(|i| logic(*operation, source[i].into(), destination[i].into()) as u8)
        }
    }
}

fn blend(key: &BlendKey, source: Color, destination: Color, constant: Color) -> Color {
    std::array::from_fn(|channel| {
        let (equation, source_factor, destination_factor) = if channel == 3 {
            (key.alpha, key.alpha_source, key.alpha_destination)
        } else {
            (key.color, key.color_source, key.color_destination)
        };
        let value = |of| factor(of, channel, source, destination, constant);
        let p = i32::from(source[channel]) * value(source_factor);
        let q = i32::from(destination[channel]) * value(destination_factor);
        equate(equation, p, q)
    })
}

/// Combines the two products and divides by 255, truncating.
fn equate(equation: BlendEquation, p: i32, q: i32) -> u8 {
    let sum = match equation {
        BlendEquation::Add => p + q,
        BlendEquation::Subtract => p - q,
        BlendEquation::ReverseSubtract => q - p,
        BlendEquation::Min => p.min(q),
        BlendEquation::Max => p.max(q),
    };
    (sum / 255).clamp(0, 255) as u8
}

/// The factor for `channel`, 0 to 255.
fn factor(factor: BlendFactor, channel: usize, source: Color, destination: Color, constant: Color) -> i32 {
    let (s, d, c) = (source[channel], destination[channel], constant[channel]);
    i32::from(match factor {
        BlendFactor::Zero => 0,
        BlendFactor::One => 255,
        BlendFactor::SourceColor => s,
        BlendFactor::InverseSourceColor => 255 - s,
        BlendFactor::DestinationColor => d,
        BlendFactor::InverseDestinationColor => 255 - d,
        BlendFactor::SourceAlpha => source[3],
        BlendFactor::InverseSourceAlpha => 255 - source[3],
        BlendFactor::DestinationAlpha => destination[3],
        BlendFactor::InverseDestinationAlpha => 255 - destination[3],
        BlendFactor::ConstantColor => c,
        BlendFactor::InverseConstantColor => 255 - c,
        BlendFactor::ConstantAlpha => constant[3],
        BlendFactor::InverseConstantAlpha => 255 - constant[3],
        BlendFactor::SourceAlphaSaturate if channel == 3 => 255,
        BlendFactor::SourceAlphaSaturate => source[3].min(255 - destination[3]),
    })
}
