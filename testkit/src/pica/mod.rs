//! States of the PICA200's pixels, and scenes that draw with them.

#[cfg(feature = "interp")]
pub mod block;
pub mod list;
pub mod scene;
#[cfg(feature = "interp")]
pub mod vertex;

use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::combine::{
    AlphaOperand, Channel, ColorChannel, ColorOperand, Combiners, Function, Source, Stage,
};
use triglyph_guest::kernel::pixel::{BlendEquation, BlendFactor, BlendKey, Compare, Output, PixelKey, TextureKey};
use triglyph_guest::layout::Block;

/// The source replaces the destination.
pub const REPLACE: BlendKey = blend(BlendFactor::One, BlendFactor::Zero);
/// The source's alpha weighs source and destination.
pub const ALPHA_BLEND: BlendKey = blend(BlendFactor::SourceAlpha, BlendFactor::InverseSourceAlpha);

const fn blend(source: BlendFactor, destination: BlendFactor) -> BlendKey {
    BlendKey {
        color: BlendEquation::Add,
        alpha: BlendEquation::Add,
        color_source: source,
        color_destination: destination,
        alpha_source: source,
        alpha_destination: destination,
    }
}

/// A combiner stage of two sources, colour and alpha alike; the third operand is the second again.
pub fn stage(function: Function, a: Source, b: Source) -> Stage {
    let color = |source| ColorOperand { source, channel: ColorChannel::Rgb, invert: false };
    let alpha = |source| AlphaOperand { source, channel: Channel::A, invert: false };
    Stage {
        color: function,
        alpha: function,
        color_operands: [color(a), color(b), color(b)],
        alpha_operands: [alpha(a), alpha(b), alpha(b)],
        ..Stage::PASS
    }
}

/// A stage that takes colour and alpha of a source.
pub fn take(source: Source) -> Stage {
    stage(Function::Replace, source, source)
}

/// The first combiner stage goes to an RGBA8 target as it is: no tests, no textures, no fog. Primitives carry the
/// varyings of `slots`, their colour stands in `color_slots`.
pub fn state(slots: u64, color_slots: [u8; 4], first: Stage) -> PixelKey {
    let mut stages = [Stage::PASS; 6];
    stages[0] = first;
    PixelKey {
        lighting: None,
        procedural: None,
        shadow: None,
        density: None,
        slots,
        color_slots,
        w_buffer: false,
        textures: [TextureKey::DISABLED; 3],
        combiners: Combiners { stages },
        fog: None,
        alpha_test: Compare::Always,
        stencil: None,
        depth_test: Compare::Always,
        depth_write: false,
        depth_format: None,
        output: Output::Blend(REPLACE),
        color_format: Some(PixelFormat::Rgba8),
        color_mask: 15,
        block: Block::B8,
    }
}
