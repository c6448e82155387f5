//! A texture header as an image in memory.

use super::samples::{cell_size, cells};
use super::{TextureProblem, compared, readable};
use crate::format::{Arrangement, BlockCoding, Coding, Form, ImageLayout, LevelLayout};
use crate::kernel::program::sampler::{Shape, Texels};
use crate::layout::Mipmaps;
use crate::tegra::format;
use crate::tegra::header::texture::{ComponentType, TextureHeader, TextureLayout};
use crate::tegra::methods::threed::SampleMode;

/// An image in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureImage {
    /// GPU virtual address of its first byte.
    pub address: u64,
    /// Its layout. Its levels are those that may be read; [`ImageLayout::bytes`] is how many bytes it takes.
    pub layout: ImageLayout,
}

/// The image of a header, for instructions that read `shape`. `compares`: of a unit that compares, see
/// [`unit`](super::unit); `seamless`: of one that filters cubes across edges.
pub fn image(
    header: &TextureHeader,
    shape: Shape,
    compares: bool,
    seamless: bool,
) -> Result<TextureImage, TextureProblem> {
    if header.format.is_none() {
        return Err(TextureProblem::Null);
    }
    if !readable(header, shape) {
        return Err(TextureProblem::Shape { kind: header.kind, shape });
    }
    let coding = coding(header, if compares { compared(header) } else { 0 })?;
    let (levels, layers, layer_stride) = match header.layout {
        TextureLayout::Buffer { .. } => {
            let arrangement = Arrangement::Rows { pitch: 0, slice: 0 };
            (vec![level(0, [header.width, 1, 1], arrangement)], 1, 0)
        }
        TextureLayout::Pitch { pitch } => {
            let arrangement = Arrangement::Rows { pitch, slice: 0 };
            let size = stored_size(header).ok_or(TextureProblem::Layout)?;
            (vec![level(0, size, arrangement)], 1, 0)
        }
        TextureLayout::BlockLinear { .. } => block_linear(header, &coding).ok_or(TextureProblem::Layout)?,
    };
    let samples = header.samples.ok_or(TextureProblem::Layout)?;
    let form = match samples {
        SampleMode::S1x1 if seamless => Form::Seamless,
        SampleMode::S1x1 => Form::Plain,
        _ => Form::Samples(cells(samples)),
    };
    let layers = if matches!(shape, Shape::Cube | Shape::CubeArray) { layers / 6 * 6 } else { layers };
    Ok(TextureImage { address: header.address, layout: ImageLayout { coding, levels, layers, layer_stride, form } })
}

const fn level(offset: u32, size: [u32; 3], arrangement: Arrangement) -> LevelLayout {
    LevelLayout { offset, size, skip: [0; 3], arrangement }
}

/// Texels of level 0 in memory, across, down and in depth.
fn stored_size(header: &TextureHeader) -> Option<[u32; 3]> {
    use crate::tegra::header::texture::TextureKind::{D1, D1Array};
    let [across, down] = cell_size(header.samples?);
    let height = if matches!(header.kind, Some(D1 | D1Array)) { 1 } else { header.height };
    Some([header.width * across, height * down, header.slices()])
}

/// The levels that may be read, layers, and bytes from one to the next.
fn block_linear(header: &TextureHeader, coding: &Coding) -> Option<(Vec<LevelLayout>, u32, u32)> {
    let TextureLayout::BlockLinear { log2_height, log2_depth, log2_spacing } = header.layout else { return None };
    if [log2_height, log2_depth, log2_spacing].iter().any(|&log2| log2 > 5) {
        return None;
    }
    let size = stored_size(header)?;
    let (across, down, bytes) = coding.block();
    let mipmaps = Mipmaps {
        size,
        texel_block: [across, down],
        bytes,
        log2_gobs: log2_height,
        log2_slices: log2_depth,
        log2_spacing,
        levels: header.levels,
    };
    let last = header.last_level.min(header.levels - 1);
    let first = header.first_level.min(last);
    let levels = (first..=last).map(|number| {
        let offset = u32::try_from(mipmaps.level_offset(number)).ok()?;
        let size = size.map(|n| (n >> number).max(1));
        Some(level(offset, size, Arrangement::Blocks(mipmaps.level(number))))
    });
    let layers = header.layers();
    let stride = if layers > 1 { u32::try_from(mipmaps.layer_bytes()).ok()? } else { 0 };
    Some((levels.collect::<Option<Vec<_>>>()?, layers, stride))
}

/// How texels are coded, component `exchanged` being exchanged with red.
fn coding(header: &TextureHeader, exchanged: usize) -> Result<Coding, TextureProblem> {
    let problem = || TextureProblem::Format { format: header.format.map_or(0, |f| f.bits()), types: header.types };
    let format = header.format.ok_or(TextureProblem::Null)?;
    Ok(match format.row().coding {
        format::Coding::Packed(_) => {
            let mut packed = header.packed().ok_or_else(problem)?;
            packed.channels.swap(0, exchanged);
            Coding::Packed(packed)
        }
        format::Coding::SharedExponent => Coding::SharedExponent,
        format::Coding::Bits => Coding::Bits,
        format::Coding::Pair { green, red_blue: [red, blue] } => Coding::Pair { red: [red; 2], green, blue: [blue; 2] },
        format::Coding::Block(_) => {
            let signed = matches!(header.types[0], Some(ComponentType::Snorm | ComponentType::SnormForceFp16));
            let codec = format.codec(signed).ok_or_else(problem)?;
            let srgb = header.srgb && codec.texels() == Texels::Rgba8;
            Coding::Block(BlockCoding { codec, srgb })
        }
        format::Coding::Coverage => return Err(problem()),
    })
}
