//! What texture and image instructions say of the texture that they read.

use triglyph_guest::kernel::program::sampler::Shape;
use triglyph_guest::table::{Fields, Shape as _};
use triglyph_guest::tegra::shader::isa::{
    Op, SurfaceDim, SurfaceLoad, TexelFetch, TexelFetchShort, TexsTarget, TextureDim, TextureGather,
    TextureGatherShort, TextureGradient, TextureLevel, TextureSample, TextureSampleShort, TldsTarget,
};

/// The shape that an instruction reads, if it says one, and whether it brings a reference.
pub(crate) fn shape(op: Op, fields: Fields<'_>) -> (Option<Shape>, bool) {
    match op {
        Op::tex => {
            let sample = TextureSample::decode(fields);
            (dimensions(sample.dim), sample.dc)
        }
        Op::texs => short(TextureSampleShort::decode(fields).target),
        Op::tld => (dimensions(TexelFetch::decode(fields).dim), false),
        Op::tlds => (short_fetch(TexelFetchShort::decode(fields).target), false),
        Op::tld4 => {
            let gather = TextureGather::decode(fields);
            (dimensions(gather.dim), gather.dc)
        }
        Op::tld4s => (Some(Shape::D2), TextureGatherShort::decode(fields).dc),
        Op::txd => (dimensions(TextureGradient::decode(fields).dim), false),
        Op::tmml => (dimensions(TextureLevel::decode(fields).dim), false),
        _ => (None, false),
    }
}

/// Whether an instruction takes a pixel of a multisampled texture for its samples. To others, filters and images, the
/// header's sizes are those of an image of single texels: Mesa resolves samples, and accesses those of images, so.
pub(crate) fn reads_samples(op: Op) -> bool {
    matches!(op, Op::tld | Op::tlds | Op::txq)
}

/// The shape that an image instruction accesses.
pub(crate) fn surface_shape(fields: Fields<'_>) -> Option<Shape> {
    Some(match SurfaceLoad::decode(fields).dim {
        SurfaceDim::D1 | SurfaceDim::Buffer => Shape::D1,
        SurfaceDim::D1Array => Shape::D1Array,
        SurfaceDim::D2 => Shape::D2,
        SurfaceDim::D2Array => Shape::D2Array,
        SurfaceDim::D3 => Shape::D3,
        _ => return None,
    })
}

fn dimensions(dim: TextureDim) -> Option<Shape> {
    Some(match dim {
        TextureDim::D1 => Shape::D1,
        TextureDim::D1Array => Shape::D1Array,
        TextureDim::D2 => Shape::D2,
        TextureDim::D2Array => Shape::D2Array,
        TextureDim::D3 => Shape::D3,
        TextureDim::Cube => Shape::Cube,
        TextureDim::CubeArray => Shape::CubeArray,
        _ => return None,
    })
}

fn short(target: TexsTarget) -> (Option<Shape>, bool) {
    use TexsTarget::*;
    let shape = match target {
        D1Lz => Shape::D1,
        D2 | D2Lz | D2Ll | D2Dc | D2LlDc | D2LzDc => Shape::D2,
        A2d | A2dLz | A2dLzDc => Shape::D2Array,
        D3 | D3Lz => Shape::D3,
        Cube | CubeLl => Shape::Cube,
        _ => return (None, false),
    };
    (Some(shape), matches!(target, D2Dc | D2LlDc | D2LzDc | A2dLzDc))
}

fn short_fetch(target: TldsTarget) -> Option<Shape> {
    use TldsTarget::*;
    Some(match target {
        D1Lz | D1Ll => Shape::D1,
        D2Lz | D2LzAoffi | D2Ll | D2LzMs | D2LlAoffi => Shape::D2,
        D3Lz => Shape::D3,
        A2dLz => Shape::D2Array,
        _ => return None,
    })
}
