//! Texture headers from descriptions.

use super::{
    ComponentSource, ComponentType, HeaderVersion, TextureHeader, TextureKind, TextureLayout, Words, anisotropy_code,
    fields,
};
use crate::table::WordField;
use crate::tegra::format::TextureFormat;
use crate::tegra::header::build::{HeaderError, limited, signed};
use crate::tegra::methods::threed::SampleMode;

/// GPU addresses that a header has room for.
const ADDRESSES: i64 = 1 << 48;

impl TextureHeader {
    /// A two-dimensional image of one level and one layer: red, green, blue and alpha of one type, read as they are
    /// stored, with coordinates of 0 to 1.
    ///
    /// ```
    /// use triglyph_guest::tegra::format::TextureFormat;
    /// use triglyph_guest::tegra::header::texture::{ComponentType, TextureHeader, TextureLayout};
    ///
    /// let layout = TextureLayout::Pitch { pitch: 256 };
    /// let header = TextureHeader::image(TextureFormat::A8B8G8R8, ComponentType::Unorm, [64, 64], layout, 0x1_0000_2000);
    /// let words = header.encode()?;
    /// assert_eq!(TextureHeader::decode(&words), Ok(header));
    /// # Ok::<(), triglyph_guest::tegra::header::HeaderError>(())
    /// ```
    pub const fn image(
        format: TextureFormat,
        kind: ComponentType,
        [width, height]: [u32; 2],
        layout: TextureLayout,
        address: u64,
    ) -> Self {
        use ComponentSource::{A, B, G, R};
        TextureHeader {
            format: Some(format),
            types: [Some(kind); 4],
            sources: [Some(R), Some(G), Some(B), Some(A)],
            address,
            layout,
            kind: Some(TextureKind::D2),
            width,
            height,
            depth: 1,
            levels: 1,
            first_level: 0,
            last_level: 0,
            samples: Some(SampleMode::S1x1),
            srgb: false,
            depth_texture: false,
            normalized: true,
            uses_own_lod: false,
            lod_bias: 0,
            min_lod: 0,
            max_anisotropy: 1,
            border_log2: None,
            color_key: None,
        }
    }

    /// The words that decode to this header. The version follows from layout and colour key.
    ///
    /// # Errors
    /// [`HeaderError::Range`] and [`HeaderError::Alignment`] for numbers that do not fit, [`HeaderError::Missing`] for
    /// a format, a type, a source, a kind or a sample mode that is `None`.
    pub fn encode(&self) -> Result<[u32; 8], HeaderError> {
        use fields::*;
        let mut words = [0; 8];
        let version = self.version();
        COMPONENTS.put(&mut words, self.format.ok_or(HeaderError::Missing("a format"))?.bits());
        for (field, kind) in [R_DATA_TYPE, G_DATA_TYPE, B_DATA_TYPE, A_DATA_TYPE].into_iter().zip(self.types) {
            field.put(&mut words, kind.ok_or(HeaderError::Missing("a component's type"))?.bits());
        }
        for (field, source) in [X_SOURCE, Y_SOURCE, Z_SOURCE, W_SOURCE].into_iter().zip(self.sources) {
            field.put(&mut words, source.ok_or(HeaderError::Missing("a component's source"))?.bits());
        }
        HEADER_VERSION.put(&mut words, version.bits());
        TEXTURE_TYPE.put(&mut words, self.kind.ok_or(HeaderError::Missing("a kind"))?.bits());
        S_R_G_B_CONVERSION.put(&mut words, self.srgb.into());
        self.put_memory(&mut words, version)?;
        if version != HeaderVersion::Buffer {
            self.put_image(&mut words, version)?;
        }
        Ok(words)
    }

    fn version(&self) -> HeaderVersion {
        match (self.layout, self.color_key) {
            (TextureLayout::Buffer { .. }, _) => HeaderVersion::Buffer,
            (TextureLayout::Pitch { .. }, None) => HeaderVersion::Pitch,
            (TextureLayout::Pitch { .. }, Some(_)) => HeaderVersion::PitchColorKey,
            (TextureLayout::BlockLinear { .. }, None) => HeaderVersion::BlockLinear,
            (TextureLayout::BlockLinear { .. }, Some(_)) => HeaderVersion::BlockLinearColorKey,
        }
    }

    /// Address and layout.
    fn put_memory(&self, words: &mut Words, version: HeaderVersion) -> Result<(), HeaderError> {
        use fields::*;
        let address = self.address as i64;
        limited("address", address, 0, ADDRESSES - 1)?;
        let multiple = u64::from(!super::address_mask(version)) + 1;
        if !self.address.is_multiple_of(multiple) {
            return Err(HeaderError::Alignment { what: "address", value: self.address, multiple });
        }
        words[1] = address as u32;
        ADDRESS_BITS47TO32.put(words, (address >> 32) as u32);
        match self.layout {
            TextureLayout::Buffer { elements } => {
                let last = limited("elements", elements as i64, 1, 1 << 32).map(|_| (elements - 1) as u32)?;
                WIDTH_MINUS_ONE_BITS31TO16.put(words, last >> 16);
                WIDTH_MINUS_ONE_BITS15TO0.put(words, last);
            }
            TextureLayout::Pitch { pitch } => {
                if !pitch.is_multiple_of(32) {
                    return Err(HeaderError::Alignment { what: "pitch", value: pitch.into(), multiple: 32 });
                }
                PITCH_BITS20TO5.put(words, limited("pitch", pitch.into(), 0, 0x1F_FFE0)? >> 5);
            }
            TextureLayout::BlockLinear { log2_height, log2_depth, log2_spacing } => {
                GOBS_PER_BLOCK_HEIGHT.put(words, limited("height of a block", log2_height.into(), 0, 5)?);
                GOBS_PER_BLOCK_DEPTH.put(words, limited("depth of a block", log2_depth.into(), 0, 5)?);
                TILE_WIDTH_IN_GOBS.put(words, limited("spacing of rows", log2_spacing.into(), 0, 7)?);
            }
        }
        Ok(())
    }

    /// What a buffer has not.
    fn put_image(&self, words: &mut Words, version: HeaderVersion) -> Result<(), HeaderError> {
        use fields::*;
        let mut put = |field: WordField, value: u32| field.put(words, value);
        put(WIDTH_MINUS_ONE, limited("width", self.width.into(), 1, 1 << 16)? - 1);
        put(HEIGHT_MINUS_ONE, limited("height", self.height.into(), 1, 1 << 16)? - 1);
        put(DEPTH_MINUS_ONE, limited("depth", self.depth.into(), 1, 1 << 14)? - 1);
        put(MAX_MIP_LEVEL, limited("levels", self.levels.into(), 1, 16)? - 1);
        put(DEPTH_TEXTURE, self.depth_texture.into());
        put(NORMALIZED_COORDS, self.normalized.into());
        put(USE_HEADER_OPT_CONTROL, self.uses_own_lod.into());
        put(MIP_LOD_BIAS, signed("level of detail bias", self.lod_bias, 13)?);
        put(MAX_ANISOTROPY, anisotropy_code(self.max_anisotropy)?);
        // 4 takes the sampler's border colour.
        let border = self.border_log2.map_or(Ok(4), |log2| limited("size of the border", log2.into(), 0, 3))?;
        put(BORDER_SIZE, border);
        match (version, self.color_key) {
            (HeaderVersion::PitchColorKey | HeaderVersion::BlockLinearColorKey, Some(key)) => {
                put(COLOR_KEY_OP, 1);
                put(COLOR_KEY_VALUE, key);
            }
            _ => {
                put(RES_VIEW_MIN_MIP_LEVEL, limited("first level", self.first_level.into(), 0, 15)?);
                put(RES_VIEW_MAX_MIP_LEVEL, limited("last level", self.last_level.into(), 0, 15)?);
                put(MULTI_SAMPLE_COUNT, self.samples.ok_or(HeaderError::Missing("a sample mode"))?.bits());
                put(MIN_LOD_CLAMP, limited("smallest level of detail", self.min_lod.into(), 0, 0xFFF)?);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCKS: TextureLayout = TextureLayout::BlockLinear { log2_height: 4, log2_depth: 1, log2_spacing: 2 };

    fn image(layout: TextureLayout) -> TextureHeader {
        TextureHeader::image(TextureFormat::A8B8G8R8, ComponentType::Unorm, [640, 360], layout, 0x12_3456_7800)
    }

    #[test]
    fn headers_are_decoded_as_they_were_encoded() {
        let plain = image(BLOCKS);
        let many = TextureHeader {
            kind: Some(TextureKind::D2Array),
            depth: 7,
            levels: 9,
            first_level: 2,
            last_level: 8,
            srgb: true,
            uses_own_lod: true,
            lod_bias: -300,
            min_lod: 77,
            max_anisotropy: 12,
            border_log2: Some(3),
            samples: Some(SampleMode::S2x2),
            ..plain
        };
        let rows = image(TextureLayout::Pitch { pitch: 2560 });
        let keyed = TextureHeader { color_key: Some(0xFF00_FF00), ..rows };
        for header in [plain, many, rows, keyed] {
            let words = header.encode().expect("a header");
            // Versions with a colour key have no sample mode of their own; it reads as one sample.
            assert_eq!(TextureHeader::decode(&words), Ok(header));
        }
        let elements = 0x12_3456;
        let buffer = TextureHeader {
            kind: Some(TextureKind::Buffer),
            width: elements as u32,
            height: 1,
            normalized: false,
            ..image(TextureLayout::Buffer { elements })
        };
        let decoded = TextureHeader::decode(&buffer.encode().expect("a header"));
        assert_eq!(decoded, Ok(buffer));
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let error = |header: TextureHeader| header.encode().expect_err("it does not fit").to_string();
        let plain = image(BLOCKS);
        assert_eq!(error(TextureHeader { width: 65537, ..plain }), "width 65537 is not 1 to 65536");
        assert_eq!(error(TextureHeader { format: None, ..plain }), "a format is missing");
        assert_eq!(error(TextureHeader { address: 0x100, ..plain }), "address 0x100 is not a multiple of 0x200");
        assert_eq!(error(image(TextureLayout::Pitch { pitch: 40 })), "pitch 0x28 is not a multiple of 0x20");
        assert_eq!(
            error(TextureHeader { max_anisotropy: 3, ..plain }),
            "an anisotropy is 1, 2, 4, 6, 8, 10, 12 or 16, not 3"
        );
        assert_eq!(error(TextureHeader { lod_bias: 5000, ..plain }), "level of detail bias 5000 is not -4096 to 4095");
    }
}
