//! A texture header and a sampler as a unit.

use super::{TextureImage, TextureProblem, compared, component, image, source};
use crate::kernel::Accuracy;
use crate::kernel::program::sampler::{
    Compare, Convert, Filter, LINEAR, Reduction, Rounding, Shape, Texels, TextureKey, Wrap,
};
use crate::tegra::header::sampler::{AddressMode, CubeFilter, DepthCompare, MagFilter, MinFilter, MipFilter};
use crate::tegra::header::texture::{ComponentType, TextureHeader};
use crate::tegra::header::{Sampler, sampler};

/// The texture unit of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureUnit {
    /// The part of the key.
    pub key: TextureKey,
    /// The data that it reads.
    pub image: TextureImage,
    /// Added to the level of detail.
    pub lod_bias: f32,
    /// Smallest and largest level of detail.
    pub lod_range: [f32; 2],
    /// Border colour r, g, b, a in the texels' scale.
    pub border: [f32; 4],
}

/// The unit of instructions that read `shape`; `reference`: that bring a reference to compare with.
///
/// Anisotropy is the sampler's, of images with two axes where minified texels are filtered linearly; a border in memory
/// is not read, the sampler's colour is taken. Texels of sRGB are converted if the sampler says so besides the header:
/// the vendor's names, and Mesa's driver, which knows it of the chip (it is all that a sampler means for fetches).
pub fn unit(
    header: &TextureHeader,
    sampler: &Sampler,
    shape: Shape,
    reference: bool,
) -> Result<TextureUnit, TextureProblem> {
    let header = &TextureHeader { srgb: header.srgb && sampler.srgb, ..*header };
    let compare = sampler.compare.filter(|_| reference).map(reversed);
    let exchanged = if compare.is_some() { compared(header) } else { 0 };
    let cube = matches!(shape, Shape::Cube | Shape::CubeArray);
    // The codes that choose by the seam, which deko3d's bit "seamless" makes.
    let seamless = cube && matches!(sampler.cube, CubeFilter::AutoSpanSeam | CubeFilter::AutoCrossSeam);
    let image = image(header, shape, compare.is_some(), seamless)?;
    let texels = image.layout.coding.texels();
    let lod_range = [sampler.min_lod.max(header.min_lod), sampler.max_lod].map(|lod| lod as f32 / 256.0);
    let [magnify, minify] = filters(header, sampler, lod_range);
    let own_bias = if header.uses_own_lod { header.lod_bias } else { 0 };
    let key = TextureKey {
        shape,
        texels,
        unnormalized: !header.normalized || sampler.unnormalized,
        wrap: sampler.address.map(wrap),
        magnify,
        minify,
        mipmap: match sampler.mip {
            MipFilter::None => None,
            MipFilter::Point => Some(Filter::Nearest),
            MipFilter::Linear => Some(if is_integer(header) { Filter::Nearest } else { Filter::Linear }),
        },
        compare,
        swizzle: header.sources.map(|component| source(header, component, exchanged)),
        convert: [Convert::None; 4],
        expanded: [Convert::None; 4],
        seamless,
        clamp_reference: matches!(header.types[compared(header)], Some(ComponentType::Unorm)),
        alpha_kill: false,
        reduction: match sampler.reduction {
            sampler::Reduction::None => Reduction::Average,
            sampler::Reduction::Minimum => Reduction::Minimum,
            sampler::Reduction::Maximum => Reduction::Maximum,
        },
        anisotropy: match shape {
            Shape::D2 | Shape::D2Array | Shape::Cube | Shape::CubeArray if minify == Filter::Linear => {
                let own = if header.uses_own_lod { header.max_anisotropy } else { 1 };
                sampler.max_anisotropy.max(own) as u8
            }
            _ => 1,
        },
        accuracy: Accuracy::Exact,
        rounding: Rounding::Subtexels,
        power_of_two: image.layout.has_powers_of_two(),
    };
    Ok(TextureUnit {
        key,
        lod_bias: (sampler.lod_bias + own_bias) as f32 / 256.0,
        lod_range,
        border: border(header, sampler, texels, exchanged),
        image,
    })
}

/// Whether a component that the result has is an integer: such ones are not filtered.
fn is_integer(header: &TextureHeader) -> bool {
    let types = header.sources.iter().filter_map(|&source| header.types[component(source)?]);
    types.into_iter().any(|kind| matches!(kind, ComponentType::Sint | ComponentType::Uint))
}

/// Filters when magnified and minified. Without levels the range of the level of detail still decides which one counts,
/// which the key's unlimited one would not.
fn filters(header: &TextureHeader, sampler: &Sampler, [least, most]: [f32; 2]) -> [Filter; 2] {
    let filter = |linear: bool| if linear && !is_integer(header) { Filter::Linear } else { Filter::Nearest };
    let magnify = filter(sampler.mag == MagFilter::Linear);
    let minify = filter(matches!(sampler.min, MinFilter::Linear | MinFilter::Anisotropic));
    match sampler.mip {
        MipFilter::None if most <= 0.0 => [magnify; 2],
        MipFilter::None if least > 0.0 => [minify; 2],
        _ => [magnify, minify],
    }
}

/// The border colour of texels: what routing makes the sampler's colour, which does not go through it (piglit's texwrap
/// with Mesa's driver). Where several components of the result come from one of the texel, the first one counts. Of
/// sRGB texels it is the sampler's colour of sRGB, in bytes as they are (envytools: a byte of 0x80 is about 0.2 to a
/// program). Where texels are bytes so is the border, before it is filtered: nxgputests, RGBA8 on a console; formats of
/// fewer bits, compressed ones and the alpha of sRGB count as bytes here, unverified. What the others do is not known.
fn border(header: &TextureHeader, sampler: &Sampler, texels: Texels, exchanged: usize) -> [f32; 4] {
    let mut given = sampler.border.map(f32::from_bits);
    match texels {
        Texels::Rgba8 => given = given.map(byte),
        Texels::Srgb8 => {
            let [red, green, blue] = sampler.srgb_border.map(|byte| LINEAR[usize::from(byte)]);
            given = [red, green, blue, byte(given[3]) * (1.0 / 255.0)];
        }
        Texels::Float4 => {}
    }
    let mut border = given;
    for (result, &from) in header.sources.iter().enumerate().rev() {
        if let Some(texel) = component(from) {
            border[texel] = given[result];
        }
    }
    border.swap(0, exchanged);
    border
}

/// A byte as targets store it, 0 to 255; what is beyond 0 and 1 is no colour of such a texture. Black is +0: which zero
/// `max` gives is left to the compiler.
fn byte(value: f32) -> f32 {
    let steps = (if value > 0.0 { value.min(1.0) * 255.0 } else { 0.0 } - 0.5).ceil();
    if steps > 0.0 { steps } else { 0.0 }
}

const fn wrap(mode: AddressMode) -> Wrap {
    match mode {
        AddressMode::Wrap => Wrap::Repeat,
        AddressMode::Mirror => Wrap::Mirror,
        AddressMode::ClampToEdge => Wrap::ClampToEdge,
        AddressMode::Border => Wrap::Border,
        AddressMode::Clamp => Wrap::Clamp,
        AddressMode::MirrorOnceClampToEdge => Wrap::MirrorOnceToEdge,
        AddressMode::MirrorOnceBorder => Wrap::MirrorOnceBorder,
        AddressMode::MirrorOnceClamp => Wrap::MirrorOnceClamp,
    }
}

/// `reference FUNC texel` with the texel on the left.
const fn reversed(function: DepthCompare) -> Compare {
    match function {
        DepthCompare::Never => Compare::Never,
        DepthCompare::Less => Compare::Greater,
        DepthCompare::Equal => Compare::Equal,
        DepthCompare::LessOrEqual => Compare::GreaterEqual,
        DepthCompare::Greater => Compare::Less,
        DepthCompare::NotEqual => Compare::NotEqual,
        DepthCompare::GreaterOrEqual => Compare::LessEqual,
        DepthCompare::Always => Compare::Always,
    }
}
