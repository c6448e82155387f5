//! Textures and images by their headers and samplers in memory.

use std::collections::HashMap;
use std::sync::Arc;

use triglyph_guest::format::Arrangement;
use triglyph_guest::kernel::program::environment::{Image, ImageKey};
use triglyph_guest::kernel::program::sampler::{Shape, TextureKey};
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::tegra::header::texture::{self, TextureHandle, TextureKind};
use triglyph_guest::tegra::header::{Sampler, TextureHeader, sampler};
use triglyph_guest::tegra::methods::threed::{SampleMode, SamplerBinding, regs as r};
use triglyph_guest::tegra::texture::{TextureProblem, image as texture_image, unit as texture_unit};

use crate::core::{ADDRESS_MASK, Core};
use crate::front_end::registers::Registers;
use triglyph_engine::cache::image::{ImageSource, MAX_WORDS};
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::Epoch;
use triglyph_engine::scene::program::TextureBinding;
use triglyph_engine::scene::resources::ImageBinding;

/// Where headers and samplers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pools {
    headers: u64,
    last_header: u32,
    samplers: u64,
    last_sampler: u32,
    /// Whether samplers have the numbers of headers.
    by_header: bool,
    /// Slot of the constant buffer of handles.
    pub handle_buffer: u8,
}

impl Pools {
    /// Those that registers name; of the compute class they have the same addresses.
    pub(crate) fn of(registers: &Registers) -> Self {
        let get = |id: usize| registers.get(id);
        let binding = r::set_sampler_binding::v(get(r::set_sampler_binding::ID));
        Pools {
            headers: registers.address(r::set_tex_header_pool_a::ID),
            last_header: r::set_tex_header_pool_c::maximum_index(get(r::set_tex_header_pool_c::ID)),
            samplers: registers.address(r::set_tex_sampler_pool_a::ID),
            last_sampler: r::set_tex_sampler_pool_c::maximum_index(get(r::set_tex_sampler_pool_c::ID)),
            by_header: binding == Some(SamplerBinding::ViaHeaderBinding),
            handle_buffer: r::set_bindless_texture::constant_buffer_slot_select(get(r::set_bindless_texture::ID)) as u8,
        }
    }
}

/// A texture, as its key has it and as it is bound.
pub(crate) type Texture = (TextureKey, TextureBinding);

/// A texture or an image that a program may read.
#[derive(Clone, Copy)]
pub(crate) struct Wish {
    pub handle: u32,
    pub shape: Option<Shape>,
    pub reference: bool,
    pub samples: bool,
    /// Whether it is sure to be read so.
    pub certain: bool,
}

/// Units that were made of headers and samplers.
#[derive(Debug, Default)]
pub(crate) struct TextureUnits {
    units: HashMap<TextureKeyInputs, Option<Texture>>,
    /// When they were made: what is mapped since may make others of them.
    made: Epoch,
}

/// What a unit is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TextureKeyInputs {
    space: u32,
    header: texture::Words,
    sampler: sampler::Words,
    shape: Option<Shape>,
    reference: bool,
    samples: bool,
    /// Whether it will be read as that shape: not when instructions for several shapes share a handle.
    certain: bool,
}

/// Units that are kept; when there are more, all go.
const MAX_UNITS: usize = 8192;

impl TextureUnits {
    /// What a texture is made of; `None` when there is nothing to read.
    pub(crate) fn key_inputs(core: &mut Core, pools: &Pools, wish: &Wish) -> Option<TextureKeyInputs> {
        let header = header(core, pools, wish.handle)?;
        let sampler = sampler(core, pools, wish.handle);
        let Wish { shape, reference, samples, certain, .. } = *wish;
        Some(TextureKeyInputs { space: core.space, header, sampler, shape, reference, samples, certain })
    }

    /// The texture that is made of it; `None` when there is nothing to read. What is wrong with it is a fault in every
    /// call, so a device that goes on with a snapshot counts the same faults.
    pub(crate) fn texture(&mut self, core: &mut Core, key_inputs: &TextureKeyInputs) -> Option<Texture> {
        if self.units.len() >= MAX_UNITS || core.memory.mapped_since(self.made) {
            self.units.clear();
            self.made = core.memory.epoch();
        }
        if let Some(known) = self.units.get(key_inputs) {
            return known.clone();
        }
        let faults = core.faults.raised();
        let unit = unit(core, key_inputs);
        if core.faults.raised() == faults {
            self.units.insert(key_inputs.clone(), unit.clone());
        }
        unit
    }
}

/// The sampler of handles whose texels are only fetched (nvc0).
const NO_SAMPLER: u32 = 0xFFF;

/// The shape of a header.
fn natural(header: &TextureHeader) -> Shape {
    match header.kind {
        Some(TextureKind::D1 | TextureKind::Buffer) => Shape::D1,
        Some(TextureKind::D3) => Shape::D3,
        Some(TextureKind::Cube) => Shape::Cube,
        Some(TextureKind::D1Array) => Shape::D1Array,
        Some(TextureKind::D2Array) => Shape::D2Array,
        Some(TextureKind::CubeArray) => Shape::CubeArray,
        Some(TextureKind::D2 | TextureKind::D2NoMipmap) | None => Shape::D2,
    }
}

fn unit(core: &mut Core, key_inputs: &TextureKeyInputs) -> Option<Texture> {
    let mut header = decode(core, &key_inputs.header)?;
    if !key_inputs.samples {
        header.samples = Some(SampleMode::S1x1);
    }
    let sampler = Sampler::decode(&key_inputs.sampler);
    let shape = key_inputs.shape.unwrap_or_else(|| natural(&header));
    let unit = match texture_unit(&header, &sampler, shape, key_inputs.reference) {
        Ok(unit) => unit,
        Err(TextureProblem::Shape { .. }) if !key_inputs.certain => return None,
        Err(problem) => return complain(core, &header, problem),
    };
    let place = core.place(unit.image.address & ADDRESS_MASK);
    let size = unit.image.layout.bytes();
    if unit.image.layout.words() > MAX_WORDS {
        let what = format_args!("a texture of {size:#x} bytes is larger than any can be");
        core.fault(FaultKind::BadMethod, place.address, what);
        return None;
    }
    if core.memory.readable(place).is_empty() {
        if key_inputs.certain && !core.memory.is_sparse(place) {
            core.fault(FaultKind::UnmappedRead, place.address, format_args!("the texture is not in mapped memory"));
        }
        return None;
    }
    let image = Arc::new(ImageSource { place, size, layout: unit.image.layout });
    let binding = TextureBinding { image, lod_bias: unit.lod_bias, lod_range: unit.lod_range, border: unit.border };
    Some((TextureKey { accuracy: core.renderer.accuracy, ..unit.key }, binding))
}

/// Counts what is wrong with a header. A null texture is none of the guest's mistakes.
fn complain<T>(core: &mut Core, header: &TextureHeader, problem: TextureProblem) -> Option<T> {
    if problem != TextureProblem::Null {
        core.fault(FaultKind::BadMethod, header.address, format_args!("{problem}"));
    }
    None
}

fn decode(core: &mut Core, words: &texture::Words) -> Option<TextureHeader> {
    match TextureHeader::decode(words) {
        Ok(header) => Some(header),
        Err(problem) => {
            core.fault(FaultKind::BadMethod, words[1].into(), format_args!("{problem}"));
            None
        }
    }
}

/// Words of the header of a handle; `None` after the end of the pool: a null texture.
fn header(core: &mut Core, pools: &Pools, handle: u32) -> Option<texture::Words> {
    let index = TextureHandle(handle).header();
    if index > pools.last_header {
        return None;
    }
    let mut words = [0; 8];
    let address = pools.headers.wrapping_add(u64::from(index) * u64::from(texture::BYTES)) & ADDRESS_MASK;
    core.read_words(address, &mut words, "a texture header");
    Some(words)
}

/// Words of the sampler of a handle. For an index beyond the pool they are 0 but for the conversion of sRGB, so that
/// the header decides: drivers that only fetch texels give no sampler.
fn sampler(core: &mut Core, pools: &Pools, handle: u32) -> sampler::Words {
    let handle = TextureHandle(handle);
    let index = if pools.by_header { handle.header() } else { handle.sampler() };
    let mut words = [0; 8];
    words[0] = sampler::fields::S_R_G_B_CONVERSION.mask();
    if index <= pools.last_sampler {
        let address = pools.samplers.wrapping_add(u64::from(index) * u64::from(sampler::BYTES)) & ADDRESS_MASK;
        core.read_words(address, &mut words, "a sampler");
    }
    words
}

/// The shape out of some as which the texture of a handle can be read; `None` when there is no such texture, or none of
/// that shape.
pub(crate) fn named(core: &mut Core, pools: &Pools, handle: u32, shapes: &[Option<Shape>]) -> Option<Option<Shape>> {
    let sampler = TextureHandle(handle).sampler();
    if !pools.by_header && sampler != NO_SAMPLER && sampler > pools.last_sampler {
        return None;
    }
    let header = TextureHeader::decode(&header(core, pools, handle)?).ok()?;
    shapes.iter().copied().find(|shape| {
        let shape = shape.unwrap_or_else(|| natural(&header));
        texture_image(&header, shape, false, false).is_ok()
    })
}

/// The image of a handle, for instructions that access `shape`: its first level. `certain`: whether they will.
pub(crate) fn image(
    core: &mut Core,
    pools: &Pools,
    handle: u32,
    shape: Option<Shape>,
    certain: bool,
) -> Option<(ImageKey, ImageBinding)> {
    let words = header(core, pools, handle)?;
    let header = TextureHeader { samples: Some(SampleMode::S1x1), ..decode(core, &words)? };
    let shape = shape.unwrap_or_else(|| natural(&header));
    let found = match texture_image(&header, shape, false, false) {
        Ok(found) => found,
        Err(TextureProblem::Shape { .. }) if !certain => return None,
        Err(problem) => return complain(core, &header, problem),
    };
    let (Some(format), Some(level)) = (header.packed(), found.layout.levels.first()) else {
        core.fault(FaultKind::BadMethod, header.address, format_args!("an image cannot have a compressed format"));
        return None;
    };
    let (layout, pitch, log2_depth) = match level.arrangement {
        Arrangement::Blocks(blocks) => {
            let layout = SurfaceLayout::BlockLinear { log2_gobs: blocks.log2_gobs };
            (layout, blocks.gobs_across, blocks.log2_slices)
        }
        Arrangement::Rows { pitch, .. } => (SurfaceLayout::Pitch, pitch, 0),
        Arrangement::Interleaved { .. } | Arrangement::GroupedSlices => return None,
    };
    let place = core.place(found.address.wrapping_add(level.offset.into()) & ADDRESS_MASK);
    let [width, height, depth] = level.size;
    let image = Image {
        pitch,
        width,
        height,
        depth,
        log2_depth,
        layers: found.layout.layers,
        layer_bytes: found.layout.layer_stride.into(),
        ..Image::default()
    };
    let size = found.layout.bytes().saturating_sub(level.offset.into());
    Some((ImageKey { shape, format, layout }, ImageBinding { place, size, image }))
}
