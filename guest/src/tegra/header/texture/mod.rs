//! Texture headers (TIC).
//!
//! Sources: NVIDIA clb197tex.h for positions and values; deko3d and Mesa for how they are filled.

mod encode;
pub mod fields;
mod values;

pub use values::{ComponentSource, ComponentType, HeaderVersion, TextureKind};

use super::super::format::{Coding, TextureFormat};
use super::super::methods::threed::SampleMode;
use super::build::HeaderError;
use crate::kernel::program::output::{Channel, ColorFormat};
use crate::table::WordField;

/// Bytes of a header.
pub const BYTES: u32 = 32;

/// Words of a header.
pub type Words = [u32; 8];

/// Where the texels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureLayout {
    /// One after another; read by integer index.
    Buffer {
        /// How many, 1 to 2^32.
        elements: u64,
    },
    /// Rows.
    Pitch {
        /// Bytes from row to row, a multiple of 32.
        pitch: u32,
    },
    /// Blocks of GOBs.
    BlockLinear {
        /// GOBs of a block down, log2, 0 to 5; more is not valid.
        log2_height: u8,
        /// GOBs of a block in depth, log2, 0 to 5; more is not valid.
        log2_depth: u8,
        /// GOBs that rows are rounded up to, log2; sparse images.
        log2_spacing: u8,
    },
}

/// A texture header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureHeader {
    /// Layout of a texel's components; `None` for a null texture (code 0), whose components all read 0, and for codes
    /// that do not exist.
    pub format: Option<TextureFormat>,
    /// The types of r, g, b, a; `None` for the unused value 0.
    pub types: [Option<ComponentType>; 4],
    /// Where x, y, z, w of the result come from; `None` for the unused value 1.
    pub sources: [Option<ComponentSource>; 4],
    /// GPU virtual address of level 0 of the first layer.
    pub address: u64,
    /// Where the texels are.
    pub layout: TextureLayout,
    /// Dimensions; `None` for unused values.
    pub kind: Option<TextureKind>,
    /// Pixels across, 1 to 65536; of a buffer its elements, at most `u32::MAX`.
    pub width: u32,
    /// Pixels down, 1 to 65536.
    pub height: u32,
    /// Slices, layers or cubes, 1 to 16384, as the kind has it.
    pub depth: u32,
    /// Levels in memory, 1 to 16.
    pub levels: u32,
    /// First level that may be read, 0 to 15.
    pub first_level: u32,
    /// Last level that may be read, 0 to 15.
    pub last_level: u32,
    /// Samples of a pixel; `None` for unused values.
    pub samples: Option<SampleMode>,
    /// Whether red, green and blue are stored non-linearly.
    pub srgb: bool,
    /// Whether it is a depth format to the driver.
    pub depth_texture: bool,
    /// Whether coordinates are 0 to 1 across the image.
    pub normalized: bool,
    /// Whether bias and anisotropy of the header count besides the sampler's.
    pub uses_own_lod: bool,
    /// Added to the level of detail, in 1/256.
    pub lod_bias: i32,
    /// Smallest level of detail, in 1/256.
    pub min_lod: u32,
    /// Anisotropy at most, 1 to 16.
    pub max_anisotropy: u32,
    /// Texels of a border that lies in memory, log2, 0 to 3; `None` if the sampler's border colour is used.
    pub border_log2: Option<u8>,
    /// Texels of this value count as transparent.
    pub color_key: Option<u32>,
}

/// The version of a header is none of the five.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("texture header version {version} does not exist")]
pub struct UnknownVersion {
    /// The number, 5 to 7.
    pub version: u32,
}

impl TextureHeader {
    /// Reads a header.
    pub fn decode(words: &[u32; 8]) -> Result<TextureHeader, UnknownVersion> {
        use fields::*;
        let get = |field: WordField| field.get(words);
        let number = get(HEADER_VERSION);
        let version = HeaderVersion::from_register(number).ok_or(UnknownVersion { version: number })?;
        let image = version != HeaderVersion::Buffer;
        let keyed = matches!(version, HeaderVersion::PitchColorKey | HeaderVersion::BlockLinearColorKey);
        let plain = |field: WordField| if image && !keyed { get(field) } else { 0 };
        let blocks = matches!(version, HeaderVersion::BlockLinear | HeaderVersion::BlockLinearColorKey);
        let levels = if image { 1 + get(MAX_MIP_LEVEL) } else { 1 };
        let border = get(BORDER_SIZE);
        Ok(TextureHeader {
            format: TextureFormat::from_register(get(COMPONENTS)),
            types: [R_DATA_TYPE, G_DATA_TYPE, B_DATA_TYPE, A_DATA_TYPE].map(|f| ComponentType::from_register(get(f))),
            sources: [X_SOURCE, Y_SOURCE, Z_SOURCE, W_SOURCE].map(|f| ComponentSource::from_register(get(f))),
            address: u64::from(get(ADDRESS_BITS47TO32)) << 32 | u64::from(words[1] & address_mask(version)),
            layout: layout(version, words),
            kind: TextureKind::from_register(get(TEXTURE_TYPE)),
            width: if image { 1 + get(WIDTH_MINUS_ONE) } else { buffer_elements(words).min(u32::MAX.into()) as u32 },
            height: if image { 1 + get(HEIGHT_MINUS_ONE) } else { 1 },
            depth: if image { 1 + get(DEPTH_MINUS_ONE) * u32::from(blocks) } else { 1 },
            levels: if blocks { levels } else { 1 },
            first_level: plain(RES_VIEW_MIN_MIP_LEVEL),
            // The versions with a colour key have no view; all levels may be read.
            last_level: if keyed { levels - 1 } else { plain(RES_VIEW_MAX_MIP_LEVEL) },
            samples: SampleMode::from_register(plain(MULTI_SAMPLE_COUNT)),
            srgb: S_R_G_B_CONVERSION.is_set(words),
            depth_texture: image && DEPTH_TEXTURE.is_set(words),
            normalized: image && NORMALIZED_COORDS.is_set(words),
            uses_own_lod: image && USE_HEADER_OPT_CONTROL.is_set(words),
            lod_bias: if image { ((get(MIP_LOD_BIAS) as i32) << 19) >> 19 } else { 0 },
            min_lod: plain(MIN_LOD_CLAMP),
            max_anisotropy: if image { anisotropy(get(MAX_ANISOTROPY)) } else { 1 },
            border_log2: (image && border < 4).then_some(border as u8),
            color_key: (keyed && COLOR_KEY_OP.is_set(words)).then(|| get(COLOR_KEY_VALUE)),
        })
    }

    /// Layers in memory, each with all levels: six for each cube, 1 for volumes.
    pub fn layers(&self) -> u32 {
        match self.kind {
            Some(TextureKind::Cube) => 6,
            Some(TextureKind::CubeArray) => 6 * self.depth,
            Some(TextureKind::D1Array | TextureKind::D2Array) => self.depth,
            _ => 1,
        }
    }

    /// Slices of level 0: those of a volume, otherwise 1.
    pub fn slices(&self) -> u32 {
        if self.kind == Some(TextureKind::D3) { self.depth } else { 1 }
    }

    /// What a texel is if it is packed and its types exist: red, green, blue, alpha before they are routed. `None` for
    /// other codings, see [`TextureFormat::row`].
    pub fn packed(&self) -> Option<ColorFormat> {
        let row = self.format?.row();
        let Coding::Packed(fields) = row.coding else { return None };
        let mut channels = [Channel::Absent; 4];
        for (i, bits) in fields.into_iter().enumerate().filter(|(_, bits)| bits.bits != 0) {
            let srgb = self.srgb && i < 3 && bits.bits == 8 && self.is_color(i);
            channels[i] = match self.types[i]? {
                ComponentType::Unorm | ComponentType::UnormForceFp16 if srgb => Channel::Srgb(bits),
                ComponentType::Unorm | ComponentType::UnormForceFp16 => Channel::Unorm(bits),
                ComponentType::Snorm | ComponentType::SnormForceFp16 => Channel::Snorm(bits),
                ComponentType::Sint => Channel::Sint(bits),
                ComponentType::Uint => Channel::Uint(bits),
                ComponentType::Float => Channel::Float(bits),
            };
        }
        Some(ColorFormat { bytes: row.bytes, swap: 1, channels })
    }

    /// Whether x, y or z comes from component `i`. What is read as alpha alone is not sRGB: Mesa's driver has luminance
    /// and alpha in red and green.
    fn is_color(&self, i: usize) -> bool {
        use ComponentSource::{A, B, G, R};
        self.sources[..3].contains(&Some([R, G, B, A][i]))
    }
}

/// The low bits of an address that a version has: images begin at GOBs or sectors.
pub(super) const fn address_mask(version: HeaderVersion) -> u32 {
    match version {
        HeaderVersion::Buffer => u32::MAX,
        HeaderVersion::Pitch | HeaderVersion::PitchColorKey => !0x1F,
        HeaderVersion::BlockLinear | HeaderVersion::BlockLinearColorKey => !0x1FF,
    }
}

fn buffer_elements(words: &Words) -> u64 {
    let (high, low) = (fields::WIDTH_MINUS_ONE_BITS31TO16.get(words), fields::WIDTH_MINUS_ONE_BITS15TO0.get(words));
    1 + u64::from(high << 16 | low)
}

fn layout(version: HeaderVersion, words: &Words) -> TextureLayout {
    match version {
        HeaderVersion::Buffer => TextureLayout::Buffer { elements: buffer_elements(words) },
        HeaderVersion::Pitch | HeaderVersion::PitchColorKey => {
            TextureLayout::Pitch { pitch: fields::PITCH_BITS20TO5.get(words) << 5 }
        }
        HeaderVersion::BlockLinear | HeaderVersion::BlockLinearColorKey => TextureLayout::BlockLinear {
            log2_height: fields::GOBS_PER_BLOCK_HEIGHT.get(words) as u8,
            log2_depth: fields::GOBS_PER_BLOCK_DEPTH.get(words) as u8,
            log2_spacing: fields::TILE_WIDTH_IN_GOBS.get(words) as u8,
        },
    }
}

/// The largest anisotropy that a code of headers and samplers encodes.
pub const fn anisotropy(code: u32) -> u32 {
    [1, 2, 4, 6, 8, 10, 12, 16][(code & 7) as usize]
}

/// The code of headers and samplers for the largest anisotropy.
pub(super) fn anisotropy_code(most: u32) -> Result<u32, HeaderError> {
    let code = (0..8).find(|code| anisotropy(*code) == most);
    code.ok_or(HeaderError::Anisotropy(most))
}

/// The name of a texture in programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureHandle(pub u32);

impl TextureHandle {
    /// Of a texture header, 0 to 0xFFFFF, and a sampler, 0 to 0xFFF; larger numbers are cut.
    pub const fn new(header: u32, sampler: u32) -> Self {
        TextureHandle(header & 0xF_FFFF | sampler << 20)
    }

    /// Index of the texture header, 0 to 0xFFFFF.
    pub const fn header(self) -> u32 {
        self.0 & 0xF_FFFF
    }

    /// Index of the sampler, 0 to 0xFFF. With samplers bound by header it is the header's index instead.
    pub const fn sampler(self) -> u32 {
        self.0 >> 20
    }
}
