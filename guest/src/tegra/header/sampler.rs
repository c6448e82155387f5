//! Samplers (TSC). Sources: NVIDIA clb197tex.h; deko3d for the two bits of cube filtering.

use super::build::{HeaderError, limited, signed};
use super::texture::{anisotropy, anisotropy_code};
use crate::table::WordField;
use crate::table::regs::values;

/// Bytes of a sampler.
pub const BYTES: u32 = 32;

/// Words of a sampler.
pub type Words = [u32; 8];

/// The largest level of detail, in 1/256.
pub const MAX_LOD: u32 = 4095;

/// The fields.
pub mod fields {
    use crate::table::words::word_fields;

    word_fields! {
        /// Addressing of s.
        ADDRESS_U 0 0:2;
        /// Addressing of t.
        ADDRESS_V 0 3:5;
        /// Addressing of r.
        ADDRESS_P 0 6:8;
        /// Compares instead of reading.
        DEPTH_COMPARE 0 9:9;
        /// `reference FUNC texel`.
        DEPTH_COMPARE_FUNC 0 10:12;
        /// Whether texels of sRGB images are converted.
        S_R_G_B_CONVERSION 0 13:13;
        /// Anisotropy at most.
        MAX_ANISOTROPY 0 20:22;
        /// Filter when magnified.
        MAG_FILTER 1 0:2;
        /// The use of the smallest level without a filter between levels.
        MIN_LOD_CLAMP_BEHAVIOR_FOR_NEAREST_MIP 1 3:3;
        /// Filter when minified.
        MIN_FILTER 1 4:5;
        /// Filter between levels.
        MIP_FILTER 1 6:7;
        /// Filter across the edges of cubes.
        CUBEMAP_INTERFACE_FILTERING 1 8:9;
        /// Averages, or takes the minimum or maximum.
        REDUCTION_FILTER 1 10:11;
        /// Added to the level of detail, signed 5.8.
        MIP_LOD_BIAS 1 12:24;
        /// Coordinates are in texels whatever the header says.
        FLOAT_COORD_NORMALIZATION 1 25:25;
        /// Narrows the transition between levels; may be ignored.
        TRILIN_OPT 1 26:30;
        /// Smallest level of detail, unsigned 4.8.
        MIN_LOD_CLAMP 2 0:11;
        /// Largest level of detail, unsigned 4.8.
        MAX_LOD_CLAMP 2 12:23;
        /// Border colour of sRGB images, red.
        S_R_G_B_BORDER_COLOR_R 2 24:31;
        /// Border colour of sRGB images, green.
        S_R_G_B_BORDER_COLOR_G 3 12:19;
        /// Border colour of sRGB images, blue.
        S_R_G_B_BORDER_COLOR_B 3 20:27;
        /// Border colour: f32, or an integer.
        BORDER_COLOR_R 4 0:31;
        /// Border colour: f32, or an integer.
        BORDER_COLOR_G 5 0:31;
        /// Border colour: f32, or an integer.
        BORDER_COLOR_B 6 0:31;
        /// Border colour: f32, or an integer.
        BORDER_COLOR_A 7 0:31;
    }
}

values! {
    /// The treatment of coordinates outside of the image.
    AddressMode {
        Wrap = 0 "WRAP"; Mirror = 1 "MIRROR"; ClampToEdge = 2 "CLAMP_TO_EDGE"; Border = 3 "BORDER";
        /// OpenGL's clamp: half of the border colour at the edge.
        Clamp = 4 "CLAMP_OGL";
        MirrorOnceClampToEdge = 5 "MIRROR_ONCE_CLAMP_TO_EDGE"; MirrorOnceBorder = 6 "MIRROR_ONCE_BORDER";
        MirrorOnceClamp = 7 "MIRROR_ONCE_CLAMP_OGL";
    }

    /// `reference FUNC texel`
    DepthCompare {
        Never = 0 "ZC_NEVER"; Less = 1 "ZC_LESS"; Equal = 2 "ZC_EQUAL"; LessOrEqual = 3 "ZC_LEQUAL";
        Greater = 4 "ZC_GREATER"; NotEqual = 5 "ZC_NOTEQUAL"; GreaterOrEqual = 6 "ZC_GEQUAL"; Always = 7 "ZC_ALWAYS";
    }

    /// Filter when magnified.
    MagFilter {
        Point = 1 "MAG_POINT"; Linear = 2 "MAG_LINEAR";
        /// Coverage samples; not supported.
        Vcaa4 = 3 "VCAA_4_TAP";
        /// Coverage samples; not supported.
        Vcaa8 = 4 "VCAA_8_TAP";
    }

    /// Filter when minified.
    MinFilter { Point = 1 "MIN_POINT"; Linear = 2 "MIN_LINEAR"; Anisotropic = 3 "MIN_ANISO"; }

    /// Filter between levels.
    MipFilter {
        /// The first level of the view alone.
        None = 1 "MIP_NONE";
        Point = 2 "MIP_POINT"; Linear = 3 "MIP_LINEAR";
    }

    /// Filter across the edges of cubes; the last two are seamless.
    CubeFilter {
        UseWrap = 0 "USE_WRAP"; OverrideWrap = 1 "OVERRIDE_WRAP"; AutoSpanSeam = 2 "AUTO_SPAN_SEAM";
        AutoCrossSeam = 3 "AUTO_CROSS_SEAM";
    }

    /// How the texels of a footprint are combined.
    Reduction {
        /// Their average.
        None = 0 "RED_NONE";
        Minimum = 1 "RED_MINIMUM"; Maximum = 2 "RED_MAXIMUM";
    }
}

/// A sampler. Fields whose value is unused decode to what 0 or the plainest value means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// Addressing of s, t, r.
    pub address: [AddressMode; 3],
    /// Comparison, if there is one.
    pub compare: Option<DepthCompare>,
    /// Whether sRGB images are converted; drivers always set it.
    pub srgb: bool,
    /// Anisotropy at most, 1 to 16.
    pub max_anisotropy: u32,
    /// Filter when magnified.
    pub mag: MagFilter,
    /// Filter when minified.
    pub min: MinFilter,
    /// Filter between levels.
    pub mip: MipFilter,
    /// Filter across the edges of cubes.
    pub cube: CubeFilter,
    /// How the texels of a footprint are combined.
    pub reduction: Reduction,
    /// Added to the level of detail, in 1/256, -4096 to 4095.
    pub lod_bias: i32,
    /// Smallest level of detail, in 1/256, 0 to 4095.
    pub min_lod: u32,
    /// Largest level of detail, in 1/256, 0 to 4095.
    pub max_lod: u32,
    /// Whether coordinates are in texels whatever the header says.
    pub unnormalized: bool,
    /// Border colour: bits of f32, or integers for integer formats.
    pub border: [u32; 4],
    /// Border colour for sRGB images, as their texels have it, 8 bits each.
    pub srgb_border: [u8; 3],
}

impl Sampler {
    /// Reads a sampler.
    pub fn decode(words: &Words) -> Sampler {
        use fields::*;
        let address = |field: WordField| AddressMode::from_register(field.get(words)).unwrap_or(AddressMode::Wrap);
        let compare = DepthCompare::from_register(DEPTH_COMPARE_FUNC.get(words));
        Sampler {
            address: [ADDRESS_U, ADDRESS_V, ADDRESS_P].map(address),
            compare: compare.filter(|_| DEPTH_COMPARE.is_set(words)),
            srgb: S_R_G_B_CONVERSION.is_set(words),
            max_anisotropy: anisotropy(MAX_ANISOTROPY.get(words)),
            mag: MagFilter::from_register(MAG_FILTER.get(words)).unwrap_or(MagFilter::Point),
            min: MinFilter::from_register(MIN_FILTER.get(words)).unwrap_or(MinFilter::Point),
            mip: MipFilter::from_register(MIP_FILTER.get(words)).unwrap_or(MipFilter::None),
            cube: CubeFilter::from_register(CUBEMAP_INTERFACE_FILTERING.get(words)).unwrap_or(CubeFilter::UseWrap),
            reduction: Reduction::from_register(REDUCTION_FILTER.get(words)).unwrap_or(Reduction::None),
            lod_bias: ((MIP_LOD_BIAS.get(words) as i32) << 19) >> 19,
            min_lod: MIN_LOD_CLAMP.get(words),
            max_lod: MAX_LOD_CLAMP.get(words),
            unnormalized: FLOAT_COORD_NORMALIZATION.is_set(words),
            border: [BORDER_COLOR_R, BORDER_COLOR_G, BORDER_COLOR_B, BORDER_COLOR_A].map(|field| field.get(words)),
            srgb_border: [S_R_G_B_BORDER_COLOR_R, S_R_G_B_BORDER_COLOR_G, S_R_G_B_BORDER_COLOR_B]
                .map(|field| field.get(words) as u8),
        }
    }

    /// A sampler without filters that repeats the image and reads all its levels.
    pub const POINT: Sampler = Sampler {
        address: [AddressMode::Wrap; 3],
        compare: None,
        srgb: true,
        max_anisotropy: 1,
        mag: MagFilter::Point,
        min: MinFilter::Point,
        mip: MipFilter::Point,
        cube: CubeFilter::AutoSpanSeam,
        reduction: Reduction::None,
        lod_bias: 0,
        min_lod: 0,
        max_lod: MAX_LOD,
        unnormalized: false,
        border: [0; 4],
        srgb_border: [0; 3],
    };

    /// The same with linear filters within levels and between them.
    pub const LINEAR: Sampler =
        Sampler { mag: MagFilter::Linear, min: MinFilter::Linear, mip: MipFilter::Linear, ..Sampler::POINT };

    /// The words that decode to this sampler.
    ///
    /// ```
    /// use triglyph_guest::tegra::header::Sampler;
    /// use triglyph_guest::tegra::header::sampler::AddressMode;
    ///
    /// let sampler = Sampler { address: [AddressMode::ClampToEdge; 3], ..Sampler::LINEAR };
    /// let words = sampler.encode()?;
    /// assert_eq!(Sampler::decode(&words), sampler);
    /// # Ok::<(), triglyph_guest::tegra::header::HeaderError>(())
    /// ```
    ///
    /// # Errors
    /// [`HeaderError::Range`] for an anisotropy that has no code, and for levels of detail that do not fit.
    pub fn encode(&self) -> Result<Words, HeaderError> {
        use fields::*;
        let mut words = [0; 8];
        let mut put = |field: WordField, value: u32| field.put(&mut words, value);
        let [u, v, p] = self.address.map(AddressMode::bits);
        for (field, value) in [(ADDRESS_U, u), (ADDRESS_V, v), (ADDRESS_P, p)] {
            put(field, value);
        }
        if let Some(compare) = self.compare {
            put(DEPTH_COMPARE, 1);
            put(DEPTH_COMPARE_FUNC, compare.bits());
        }
        put(S_R_G_B_CONVERSION, self.srgb.into());
        put(MAX_ANISOTROPY, anisotropy_code(self.max_anisotropy)?);
        put(MAG_FILTER, self.mag.bits());
        put(MIN_FILTER, self.min.bits());
        put(MIP_FILTER, self.mip.bits());
        put(CUBEMAP_INTERFACE_FILTERING, self.cube.bits());
        put(REDUCTION_FILTER, self.reduction.bits());
        put(MIP_LOD_BIAS, signed("level of detail bias", self.lod_bias, 13)?);
        put(MIN_LOD_CLAMP, limited("smallest level of detail", self.min_lod.into(), 0, MAX_LOD.into())?);
        put(MAX_LOD_CLAMP, limited("largest level of detail", self.max_lod.into(), 0, MAX_LOD.into())?);
        put(FLOAT_COORD_NORMALIZATION, self.unnormalized.into());
        for (field, value) in
            [BORDER_COLOR_R, BORDER_COLOR_G, BORDER_COLOR_B, BORDER_COLOR_A].into_iter().zip(self.border)
        {
            put(field, value);
        }
        let srgb = [S_R_G_B_BORDER_COLOR_R, S_R_G_B_BORDER_COLOR_G, S_R_G_B_BORDER_COLOR_B];
        for (field, value) in srgb.into_iter().zip(self.srgb_border) {
            put(field, value.into());
        }
        Ok(words)
    }
}
