//! From registers to texture units 0 to 2.

use triglyph_guest::format::TexelFormat;
use triglyph_guest::kernel::pixel::{Filter, ShadowForm, TextureConstants, TextureKey, TextureKind, Wrap};
use triglyph_guest::pica::regs::{self, ShadowProjection, TexCoord2, TextureFilter, TextureType, TextureWrap};

use crate::front_end::registers::{Registers, rgba};
use triglyph_engine::cache::texture::TextureSource;

/// Vertex record slots of the texture coordinates.
mod slot {
    pub const TEXCOORD0: [u8; 3] = [12, 13, 16];
    pub const TEXCOORD1: [u8; 3] = [14, 15, 15];
    pub const TEXCOORD2: [u8; 3] = [22, 23, 23];
}

/// How shadow maps are compared: the reading believed closer to the console.
const SHADOW_FORM: ShadowForm = ShadowForm::Filtered;

/// A texture unit as its registers describe it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub(crate) key: TextureKey,
    pub(crate) constants: TextureConstants,
    pub(crate) source: Option<TextureSource>,
}

/// A unit that is off or that nothing looks at.
pub(crate) const OFF: Unit = Unit {
    key: TextureKey::DISABLED,
    constants: TextureConstants {
        border: 0,
        width: 0,
        height: 0,
        lod_bias: 0.0,
        lod_min: 0.0,
        lod_max: 0.0,
        shadow_bias: 0,
    },
    source: None,
};

impl Unit {
    /// Unit `index`, 0 to 2.
    pub(crate) fn new(registers: &Registers, index: usize) -> Self {
        let config = registers.get(regs::tex_config::ID);
        if config & 1 << index == 0 {
            return OFF;
        }
        let param = registers.get(regs::tex_param::IDS[index]);
        let kind = match (index, regs::tex_param::kind(param)) {
            (0, Some(TextureType::Cube)) => TextureKind::Cube,
            (0, Some(TextureType::Projection)) => TextureKind::Projected,
            (0, Some(TextureType::Shadow)) => {
                let projection = regs::tex0_shadow::projection(registers.get(regs::tex0_shadow::ID));
                TextureKind::Shadow {
                    perspective: projection == Some(ShadowProjection::Perspective),
                    form: SHADOW_FORM,
                }
            }
            (0, Some(TextureType::ShadowCube)) => TextureKind::ShadowCube { form: SHADOW_FORM },
            (0, Some(TextureType::Off)) => return OFF,
            _ => TextureKind::Plain,
        };
        let addresses = addresses(registers, index);
        if addresses[0] == 0 {
            return Unit { key: TextureKey { kind: TextureKind::Null, ..OFF.key }, ..OFF };
        }
        let dimensions = registers.get(regs::tex_dim::IDS[index]);
        let (width, height) = (regs::tex_dim::width(dimensions), regs::tex_dim::height(dimensions));
        let format = regs::tex_format::format(registers.get(regs::tex_format::IDS[index])).map(TexelFormat::from);
        // Invalid formats read (0, 0, 0, 0), and there is nothing to sample in a texture without texels.
        let Some(format) = format.filter(|_| width > 0 && height > 0) else { return OFF };
        let lod = registers.get(regs::tex_lod::IDS[index]);
        let levels = levels(width, height, regs::tex_lod::max(lod));
        let cube = matches!(kind, TextureKind::Cube | TextureKind::ShadowCube { .. });
        let face_count = if cube { 6 } else { 1 };
        let shadow = matches!(kind, TextureKind::Shadow { .. } | TextureKind::ShadowCube { .. });
        // Shadow maps are what shadow rendering writes, whatever the format register says.
        let (format, levels) = if shadow { (TexelFormat::Rgba8, 1) } else { (format, levels) };
        Unit {
            key: key(param, kind, coordinates(config, index), levels, width, height),
            constants: TextureConstants {
                border: rgba(registers.get(regs::tex_border::IDS[index])),
                width,
                height,
                lod_bias: regs::tex_lod::bias(lod) as f32 / 256.0,
                lod_min: regs::tex_lod::min(lod).min(levels - 1) as f32,
                lod_max: (levels - 1) as f32,
                shadow_bias: regs::tex0_shadow::bias(registers.get(regs::tex0_shadow::ID)) << 1,
            },
            source: Some(TextureSource { format, width, height, levels, faces: addresses, face_count }),
        }
    }
}

fn coordinates(config: u32, index: usize) -> [u8; 3] {
    match index {
        0 => slot::TEXCOORD0,
        2 if regs::tex_config::coord2(config) == Some(TexCoord2::Texcoord2) => slot::TEXCOORD2,
        _ => slot::TEXCOORD1,
    }
}

/// Bits of an address that each face of a cube has of its own.
const FACE: u32 = 0x01FF_FFFF;

/// Physical addresses of the faces; those of +Y and so on share the upper six bits of the first.
fn addresses(registers: &Registers, index: usize) -> [u32; 6] {
    let first = regs::tex_addr::address(registers.get(regs::tex_addr::IDS[index])) as u32;
    let mut addresses = [first, 0, 0, 0, 0, 0];
    if index == 0 {
        for (address, id) in addresses[1..].iter_mut().zip(regs::tex0_face_addr::IDS) {
            *address = first & !FACE | regs::tex0_face_addr::low(registers.get(id)) as u32;
        }
    }
    addresses
}

/// Levels that exist: none has a dimension below 8 texels.
fn levels(width: u32, height: u32, max: u32) -> u32 {
    let smallest = width.min(height);
    (1..=max).take_while(|level| smallest >> level >= 8).count() as u32 + 1
}

fn key(param: u32, kind: TextureKind, coordinates: [u8; 3], levels: u32, width: u32, height: u32) -> TextureKey {
    let filter = |filter: Option<TextureFilter>| filter.map_or(Filter::Nearest, Filter::from);
    // All values have a meaning.
    let wrap = |wrap: Option<TextureWrap>| wrap.map_or(Wrap::Repeat, Wrap::from);
    let power_of_two = |n: u32| n >= 8 && n.is_power_of_two();
    let magnify = filter(regs::tex_param::mag(param));
    TextureKey {
        kind,
        coordinates,
        wrap: [wrap(regs::tex_param::wrap_s(param)), wrap(regs::tex_param::wrap_t(param))],
        magnify,
        // With one level the level of detail is always 0 and magnifies.
        minify: if levels > 1 { filter(regs::tex_param::min(param)) } else { magnify },
        mipmap: (levels > 1).then(|| filter(regs::tex_param::mip(param))),
        power_of_two: power_of_two(width) && power_of_two(height),
    }
}
