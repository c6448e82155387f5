//! States of the PICA200's pixels, and scenes that draw with them.

#[cfg(feature = "interp")]
pub mod block;
pub mod flow;
pub mod list;
pub mod scene;
#[cfg(feature = "interp")]
pub mod vertex;

use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::combine::{
    AlphaOperand, Channel, ColorChannel, ColorOperand, Combiners, Function, Source, Stage,
};
use triglyph_guest::kernel::pixel::{
    BlendEquation, BlendFactor, BlendKey, Compare, Filter, Output, PixelBlock, PixelKey, Primitive, TextureKey,
    TextureKind, Wrap,
};
use triglyph_guest::kernel::procedural::{Clamp, Combine, ProceduralData, ProceduralKey, Shift};
use triglyph_guest::layout::Block;

/// The source replaces the destination.
pub const REPLACE: BlendKey = blend(BlendEquation::Add, BlendFactor::One, BlendFactor::Zero);
/// The source's alpha weighs source and destination.
pub const ALPHA_BLEND: BlendKey = blend(BlendEquation::Add, BlendFactor::SourceAlpha, BlendFactor::InverseSourceAlpha);

/// Colour and alpha are blended alike.
pub const fn blend(equation: BlendEquation, source: BlendFactor, destination: BlendFactor) -> BlendKey {
    BlendKey {
        color: equation,
        alpha: equation,
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
/// varyings of `slots`, their colour is in `color_slots`.
pub fn state(slots: u64, color_slots: [u8; 4], first: Stage) -> PixelKey {
    let mut stages = [Stage::PASS; 6];
    stages[0] = first;
    PixelKey {
        lighting: None,
        procedural: None,
        shadow: None,
        density: None,
        tells_survivors: false,
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

/// A stage of three sources, colour and alpha alike.
pub fn stage_of_three(function: Function, sources: [Source; 3]) -> Stage {
    Stage {
        color: function,
        alpha: function,
        color_operands: sources.map(|source| ColorOperand { source, channel: ColorChannel::Rgb, invert: false }),
        alpha_operands: sources.map(|source| AlphaOperand { source, channel: Channel::A, invert: false }),
        ..Stage::PASS
    }
}

/// A texture of one level that repeats, each texel read as it is.
pub const fn nearest(coordinates: [u8; 3]) -> TextureKey {
    TextureKey {
        kind: TextureKind::Plain,
        coordinates,
        wrap: [Wrap::Repeat; 2],
        magnify: Filter::Nearest,
        minify: Filter::Nearest,
        mipmap: None,
        power_of_two: true,
    }
}

/// The procedural texture of coordinates u and v: the colour is looked up by u.
pub const fn procedural(coordinates: [u8; 2]) -> ProceduralKey {
    ProceduralKey {
        coordinates,
        clamp: [Clamp::Edge; 2],
        shift: [Shift::None; 2],
        rgb_map: Combine::U,
        alpha_map: None,
        noise: false,
        linear: false,
        mipmap: None,
    }
}

/// Maps that give their input, no noise, and 255 colours of which red is the index.
pub fn procedural_data() -> ProceduralData {
    let line = std::array::from_fn(|i| [i as f32 / 128.0, 1.0 / 128.0]);
    ProceduralData {
        amplitude: [0.0; 2],
        phase: [0.0; 2],
        frequency: [0.0; 2],
        bias: 0.0,
        lod: [0.0; 2],
        width: 255,
        offset: [0; 8],
        noise: line,
        rgb_map: line,
        alpha_map: line,
        color: std::array::from_fn(|i| [i as f32, 0.0, 0.0, 255.0]),
        difference: [[0.0; 4]; 256],
    }
}

/// A format by the name that the vectors use.
pub fn format_named(name: &str) -> PixelFormat {
    match name {
        "RGBA8" => PixelFormat::Rgba8,
        "RGB8" => PixelFormat::Rgb8,
        "RGB565" => PixelFormat::Rgb565,
        "RGB5A1" => PixelFormat::Rgb5A1,
        "RGBA4" => PixelFormat::Rgba4,
        other => panic!("{other}"),
    }
}

/// One triangle, and all blocks of a square of `size` pixels. Half of them lie inside of it, which kernels do not
/// check.
pub fn large_triangle(size: u32, coverage: u64) -> (Primitive, Vec<PixelBlock>) {
    let extent = 16 * size as i32;
    let primitive = Primitive {
        edge: [i64::from(extent) * i64::from(extent), 0, 0],
        dx: [-extent, extent, 0],
        dy: [-extent, 0, extent],
        sum: extent as f32 * extent as f32,
        inv_w: [1.0, 0.5, 0.8],
        z: [-0.1, -0.9, -0.5],
        ..Primitive::default()
    };
    let edge = size / 8;
    let block = |i| PixelBlock { primitive: 0, x: (i % edge * 8) as u16, row: (i / edge * 8) as u16, coverage };
    (primitive, (0..edge * edge).map(block).collect())
}
