//! Texture sampling.
//!
//! The engine decodes textures before a scene is drawn, so kernels see plain rows of texels, the same on both tiers.
//! A unit's result is computed so, for coordinates s, t, r of one lane:
//!
//! 1. **Size**: normalised coordinates are multiplied by the level's size; unnormalised ones are used as they are, at
//!    every level. With [`Rounding::Coordinates`] they then become `floor(c * 4096 + 0.5) * (1 / 4096)`, but not for
//!    2.; the console's planes of coordinates are cut, and what lies on a border of texels, or of weights, is there
//!    nonetheless (RPCS3's ps3autotests, texture_formats; that it is 4096ths is unverified: more than 256ths).
//!    Cubes first choose a face: z if `|z| >= |x|` and `|z| >= |y|`, else y if `|y| >= |x|`, else x, negative when the
//!    component is below 0 (a Tegra X1 takes +z where all are equal, nxgpucatch; that y comes before x is Vulkan's
//!    rule, of an RSX all is unverified); `s = (sc/ma + 1) * 0.5`, `t = (tc/ma + 1) * 0.5` with the table of the
//!    OpenGL specification, ma the magnitude; both wrap as clamp to edge. Array layers are `floor(layer + 0.5)`,
//!    clamped to those there are (NaN is 0); the layer is the coordinate after the others.
//! 2. **Level of detail** (only when the key needs one): with u, v, (w) in texels of level 0 and differences between
//!    neighbours of the 2x2 quad (`d/dx` = right - left of the lane's own row, `d/dy` = lower - upper of the lane's own
//!    column), `a = du/dx^2 + dv/dx^2 (+ dw/dx^2)`, b the same by y, `rho2 = a > b ? a : b`, `lod = log2(rho2) * 0.5`
//!    ([`crate::num::ops::log2`]), then `lod + bias` (the unit's, then the instruction's). An instruction with an
//!    explicit level replaces `log2(rho2) * 0.5`; with explicit gradients those are the differences, times the size.
//!    With mipmaps `lod` is then clamped to `lod_min..lod_max` (`lod_min < l ? l : lod_min`, then `l < lod_max ? l :
//!    lod_max`), without it is not; after that `lod <= 0` (or NaN) magnifies. (A fixed level is asked for by equal
//!    limits, recorded RSX frames.) Anisotropy: see below. A cube's differences are those of the coordinates that each
//!    neighbour has on the *lane's own* face (divided by the neighbour's own component along that axis, with the sign
//!    of the face); an explicit gradient is that to the neighbour at direction + gradient.
//! 3. **Levels**: magnified, or without mipmaps: level 0. Else with l the clamped `lod` the nearest level `floor(l +
//!    0.5)`, linear: `floor(l)` and the one after it with weight `trunc((l - floor(l)) * 256) / 256`, which is not read
//!    where its weight is 0. Levels are clamped to those there are.
//! 4. **Texels**: nearest: `i = floor(c)`. Linear: `c - 0.5`, with [`Rounding::Subtexels`] rounded to 256ths (the
//!    integer next to it times 256, ties to even), `i = floor` of that, weight `trunc((c - 0.5 - i) * 256) / 256`,
//!    texels i and i+1. Each index is wrapped by itself, see [`Wrap`]; where one axis says border the texel is the
//!    border colour. `c` is first limited to -n..n with NaN as -n (`lo < c ? c : lo`, then `c < hi ? c : hi`): n is
//!    2^24, or 2^23 - 1 where `c - 0.5` is rounded to 256ths, so that these can be counted in 32 bits.
//! 5. **Filter**: `a + (b - a) * weight`, or another [`Reduction`], along x, then y, then z, then between levels.
//!    Texels of [`Texels::Rgba8`] are filtered as integers 0 to 255 turned to f32; the result is multiplied by `1.0 /
//!    255.0`. Where `magnify` and `minify` differ each lane has the filter of its own `lod`; nearest ones are not
//!    filtered at all.
//! 6. **Compare**: with a comparison each texel's red is replaced before filtering by `red OP reference ? 1 : 0` in all
//!    channels (for [`Texels::Rgba8`] red times `1.0 / 255.0`, and no scaling afterwards).
//! 7. **Swizzle**, then **conversion** of each channel: [`TextureKey::convert`], or [`TextureKey::expanded`] where the
//!    instruction says so.
//!
//! # Anisotropy
//!
//! With [`TextureKey::anisotropy`] A above 1, and differences (of neighbours or explicit ones, not an explicit level),
//! there are several taps along the footprint's longer axis, as in the example of EXT_texture_filter_anisotropic,
//! but in the middles of equal parts. A footprint that is less than a texel across counts as one texel across, so that
//! what is magnified has one tap:
//!
//! * With a, b and rho2 of 2.: `m = a > b ? b : a`, then `m = 1 < m ? m : 1`; `n = ceil(sqrt(rho2 / m))`, then `1 < n ?
//!   n : 1`, then `n < A ? n : A` (NaN gives 1). In 2. `rho2 / (n * n)` takes the place of rho2.
//! * D is the difference by x where `a > b`, else that by y, of s and t as they are multiplied in 1. (a cube's on the
//!   lane's own face; right - left, lower - upper, explicit ones as they are). Where n is 1 it is 0.
//! * Tap i of n, from 1 on, is what 3. to 6. give for the coordinates `s + D.s * w`, `t + D.t * w` with `w = (i -
//!   0.5) / n - 0.5`, all with the level of detail of the lane, before 5.'s last product.
//! * Taps are added in order, and the sum is divided by n; [`Reduction::Minimum`] and [`Reduction::Maximum`] take that
//!   of what they have and of the next tap, as with a weight that is not 0.
//!
//! # [`Accuracy::Fast`]
//!
//! Differences between neighbours are the same for all lanes of a quad, but for cubes: those by x of the upper row, or
//! of the lower one if only its lanes execute together, and those by y of the left column or the right one.
//! [`crate::num::fast::half_log2`] replaces `log2(rho2) * 0.5` of neighbours and gradients, for all shapes.
//!
//! # Instructions that say more (Maxwell)
//!
//! * **Coordinates** are in the order of the unit's shape. A layer is a whole number, as f32 (unsigned, 16 bits: the
//!   rule of 1. leaves it as it is).
//! * A **reference** may be an operand of its own. A unit with a comparison compares with it; what 6. gives goes
//!   through swizzle and conversion like a texel. A unit without one ignores it. With [`TextureKey::clamp_reference`]
//!   it is limited first (`0 < v ? v : 0`, then `v < 1 ? v : 1`). Where the instruction brings none, a unit that could
//!   compare does not.
//! * **Offsets**, whole numbers for s, t, r, are added to i of 4., before it is wrapped. Cubes have none.
//! * **Gather**: the four texels of the linear filter at level 0, unfiltered, whatever the unit's filters. With x0, x1
//!   = i, i+1 along s and y0, y1 along t: r, g, b, a of the result are channel n, after swizzle and conversion, of the
//!   texels (x0,y1), (x1,y1), (x1,y0), (x0,y0). With a reference they are their comparisons, each 0 or 1. With four
//!   offsets each component is the texel (x0,y0) under its own offset. For shapes with s and t.
//! * **Fetch**: whole texel coordinates, layer and level. The texel goes through 5.'s scale, 7. and nothing else. Where
//!   a coordinate, the layer or the level does not exist the result is 0 in all channels, whatever the swizzle. Of
//!   images with samples the layer is `layer * samples + sample`. Of [`Shape::Cube`] the layer is the face, of
//!   [`Shape::CubeArray`] `6 * layer + face`.
//! * **Level query**: two whole numbers. `lod * 256` towards zero, where `lod` is that of 2. before it is clamped,
//!   limited first to -32768..32767 (as c in 4.; NaN is -32768). And `l * 256` towards zero, where l is the clamped
//!   `lod` within 0 and the last level (likewise), rounded as 3. says where levels are nearest ones; 0 without mipmaps.
//! * **Size query**: the sizes of a level along the shape's axes, then the layers (cubes of [`Shape::CubeArray`]) where
//!   the shape has such, then 0 up to three numbers; all three are 0 where the level does not exist. The fourth is the
//!   number of levels, whatever the level. (nxgpucatch, on the console; all shapes.)
//! * Texels of integer formats are [`Texels::Float4`] whose words are integers; their filters are nearest, their
//!   swizzle has [`Source::OneInteger`]. Nothing but moves happens to them.

use crate::listed;
use std::sync::LazyLock;

use crate::num::ops::{Scalar, srgb_to_linear};

/// The part of a key for a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct TextureKey {
    /// Dimensions.
    pub shape: Shape,
    /// Form of the decoded texels.
    pub texels: Texels,
    /// Coordinates are in texels.
    pub unnormalized: bool,
    /// Addressing of s, t, r.
    pub wrap: [Wrap; 3],
    /// Filter at `lod <= 0`.
    pub magnify: Filter,
    /// Filter at `lod > 0`.
    pub minify: Filter,
    /// Between levels; `None` reads level 0 alone.
    pub mipmap: Option<Filter>,
    /// Texel on the left, reference on the right. The reference is the coordinate after the last one the shape uses (z
    /// of a 2D texture, y of a 1D one); 0 for an array of cubes, which uses all four.
    pub compare: Option<Compare>,
    /// Where r, g, b, a of the result come from.
    pub swizzle: [Source; 4],
    /// The conversion of r, g, b, a after that.
    pub convert: [Convert; 4],
    /// The conversion for instructions that expand their result (RSX: BX2). Those of other machines do
    /// not.
    pub expanded: [Convert; 4],
    /// Faces of cubes are filtered across their edges: linear indices are clamped to -1..=n and texels have a border,
    /// see
    /// [`Texture::levels`]. Of other shapes false.
    pub seamless: bool,
    /// References of an instruction are limited to 0..1: those of depth that is unorm.
    pub clamp_reference: bool,
    /// A fragment whose result has alpha 0, after everything else, is discarded: by the lookup, whatever the
    /// instruction writes.
    pub alpha_kill: bool,
    /// How linear filters combine their texels.
    pub reduction: Reduction,
    /// Taps along the longer axis of a footprint at most, 1 to 16; 1 for shapes that have not got two axes.
    pub anisotropy: u8,
    /// How levels of detail are computed.
    pub accuracy: Accuracy,
    /// How coordinates in texels are rounded.
    pub rounding: Rounding,
    /// Sizes of all levels are powers of two. Kernels for such textures support no others.
    pub power_of_two: bool,
}

/// How coordinates in texels are rounded before texels and weights are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Rounding {
    /// Not at all: weights are cut.
    #[default]
    None,
    /// To 4096ths, for all filters, see 1. of the module; then weights are cut (RSX).
    Coordinates,
    /// To 256ths, for linear filters and gathers, see 4. of the module (NVIDIA's chips since Direct3D 10:
    /// vkd3d-proton's `test_sampler_rounding`, with values every 64th of such a step; there nearest filters cut, with
    /// any number of bits). Which way ties go is Direct3D's rule, the test allows both.
    Subtexels,
}

/// How linear filters combine two texels, or two results of such combinations, the second with a weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Reduction {
    /// `a + (b - a) * weight`.
    #[default]
    Average,
    /// `floor(a + (b - a) * weight + 0.5)` of whole numbers along each axis of a level, but where the weights along x
    /// and y are both a half the sum along x stays as it is; elsewhere as [`Reduction::Average`]. (RSX: a console's
    /// picture, all pixels of 14 formats of ps3autotests' texture_formats. A third axis and levels are unverified.)
    /// Only for [`Texels::Rgba8`] without comparison.
    Rounded,
    /// As a 16-bit unit filters halves (RSX). Of each channel the two texels along x, or the four along x and y, become
    /// `A = trunc(t * 2^(14 - n))`, n the exponent of the largest magnitude, -14 at least. Along x, then y, follows
    /// `floor(A + (B - A) * weight + 0.5)`, and the result times `2^(n - 14)` is rounded to 11 significant bits, halves
    /// away from zero. Where a texel is infinite or NaN, along a third axis, and between levels as
    /// [`Reduction::Average`]. Only for [`Texels::Float4`] without comparison. (A console's picture: all 82,944 values
    /// of two formats of ps3autotests' texture_formats, of which f32 misses 744; with A of 14 or 16 bits 29 and 67
    /// differ. What is negative is unverified.)
    Halves,
    /// The same with `A = floor(t * 65535 + 0.5)`; the result times `1.0 / 65535.0` is not rounded. (The same picture,
    /// all pixels of Y16_X16, of which f32 misses 8.)
    Words,
    /// `a < b ? a : b`, a alone where the weight is 0.
    Minimum,
    /// `a > b ? a : b`, a alone where the weight is 0.
    Maximum,
}

impl TextureKey {
    /// Whether the result depends on the level of detail, or on what it follows from.
    pub fn needs_lod(&self) -> bool {
        self.mipmap.is_some() || self.magnify != self.minify || self.anisotropy > 1
    }

    /// Whether samples are computed from texels; otherwise they are texels, or the border colour, bit for bit.
    pub fn filters(&self) -> bool {
        let filters = [Some(self.magnify), Some(self.minify), self.mipmap];
        filters.contains(&Some(Filter::Linear)) || self.anisotropy > 1 || self.converts()
    }

    /// The key as an instruction sees it that expands its result, or does not: with the conversion that it means.
    pub fn for_instruction(&self, expands: bool) -> TextureKey {
        TextureKey { convert: if expands { self.expanded } else { self.convert }, ..*self }
    }

    /// Whether channels of texels are converted once they are swizzled.
    pub fn converts(&self) -> bool {
        self.convert.iter().any(|&convert| convert != Convert::None)
    }
}

use crate::kernel::Accuracy;
pub use crate::kernel::pixel::{Compare, Filter};
use borsh::{BorshDeserialize, BorshSerialize};

/// Dimensions of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Shape {
    /// s
    D1,
    /// s, t
    D2,
    /// s, t, r
    D3,
    /// A direction.
    Cube,
    /// s, layer
    D1Array,
    /// s, t, layer
    D2Array,
    /// A direction and a layer of six faces.
    CubeArray,
}

/// Form of decoded texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Texels {
    /// One word `0xAABBGGRR` (bytes r, g, b, a): unorm, 8 bits a channel.
    Rgba8,
    /// As [`Texels::Rgba8`], r, g, b being sRGB: read as [`LINEAR`] of the byte, a as the byte times `1.0 / 255.0`,
    /// before anything filters or compares them. Otherwise as [`Texels::Float4`].
    Srgb8,
    /// Four words: the bits of f32 r, g, b, a, or integers.
    Float4,
}

impl Texels {
    /// Words of a texel.
    pub const fn words(self) -> usize {
        match self {
            Texels::Rgba8 | Texels::Srgb8 => 1,
            Texels::Float4 => 4,
        }
    }
}

/// The value of each byte of sRGB: [`srgb_to_linear`] of the byte times `1.0 / 255.0`.
pub static LINEAR: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| srgb_to_linear(&mut Scalar, byte as f32 * (1.0 / 255.0))));

listed! {
    /// The treatment of a texel index i outside of `0..n`.
    #[derive(BorshSerialize, BorshDeserialize)]
    pub enum Wrap {
        /// i modulo n.
        Repeat,
        /// j = i modulo 2n, then j < n ? j : 2n - 1 - j.
        Mirror,
        /// Clamped to 0..=n-1.
        ClampToEdge,
        /// The border colour.
        Border,
        /// Linear: the coordinate c itself is clamped to 0..=n before anything else, then as [`Wrap::Border`]. Nearest:
        /// as [`Wrap::ClampToEdge`], never the border (OpenGL's CLAMP).
        Clamp,
        /// i < 0 ? -1 - i : i, then as [`Wrap::ClampToEdge`].
        MirrorOnceToEdge,
        /// i < 0 ? -1 - i : i, then as [`Wrap::Border`].
        MirrorOnceBorder,
        /// Linear: `|c|`, before it is limited (see 4.), then as [`Wrap::Clamp`]. Nearest: as
        /// [`Wrap::MirrorOnceToEdge`].
        MirrorOnceClamp,
    }
}

/// Where a channel of the result comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Source {
    /// 0.
    Zero,
    /// 1.
    One,
    /// The integer 1.
    OneInteger,
    /// Red of the texel.
    Red,
    /// Green of the texel.
    Green,
    /// Blue of the texel.
    Blue,
    /// Alpha of the texel.
    Alpha,
}

listed! {
    /// The last conversion of a channel.
    #[derive(Default, BorshSerialize, BorshDeserialize)]
    pub enum Convert {
        /// Nothing.
        #[default]
        None,
        /// `(floor(v * 255 + 0.5) - 128) * (1/127)`, which goes down to -128 / 127 (RSX; RPCS3's tests on the console):
        /// of bytes whose highest bit is flipped when they are decoded ([`Form::Signed`](crate::format::Form::Signed)).
        Signed,
        /// The same of 16 bits: `(floor(v * 65535 + 0.5) - 32768) * (1/32767)`.
        SignedWord,
        /// `(v * 255 - 128) * (1/127)` (RSX).
        Biased,
        /// `(v * 65535 - 32768) * (1/32767)` (RSX).
        BiasedWord,
        /// sRGB to linear: [`crate::num::ops::srgb_to_linear`].
        Srgb,
        /// `2 * v - 1` (RSX: BX2).
        Expanded,
    }
}

/// Levels a texture can have.
pub const LEVELS: usize = 16;

/// One level of a texture.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// First texel of layer 0 (inside of a border), in texels from the start of [`Texture::texels`].
    pub offset: u32,
    /// Texels of a row, at least 1.
    pub width: u32,
    /// Rows, at least 1.
    pub height: u32,
    /// Slices, at least 1; a slice is `width * height` texels, without gaps.
    pub depth: u32,
}

/// A texture and the values of its sampler.
#[derive(Clone, Copy, Debug)]
pub struct Texture<'a> {
    /// All texels: layer after layer (faces of a cube are layers), each with all levels. Every texel that
    /// levels and layers speak of is there, and [`PADDING`] words more at the end.
    pub texels: &'a [u32],
    /// Texels from one layer to the next.
    pub layer_texels: u32,
    /// Layers, at least 1; six for each cube.
    pub layers: u32,
    /// Levels present, 1 to [`LEVELS`].
    pub level_count: u32,
    /// The levels; those from `level_count` on repeat the last one. With [`TextureKey::seamless`] every level has a
    /// border of one texel, which `width` and `height` do not count: rows are `width + 2` texels, `offset` is that of
    /// texel (0, 0).
    pub levels: [Level; LEVELS],
    /// Samples of a pixel, which are layers one after another; at least 1. For fetches alone.
    pub samples: u32,
    /// Added to the level of detail. Finite, like the limits.
    pub lod_bias: f32,
    /// Smallest level of detail.
    pub lod_min: f32,
    /// Largest level of detail.
    pub lod_max: f32,
    /// Border colour r, g, b, a in the texels' own scale: 0 to 255 for [`Texels::Rgba8`].
    pub border: [f32; 4],
}

/// Words after a texture's last texel, so that wide loads of it stay inside.
pub const PADDING: usize = 4;

/// One black texel, for units without a texture.
pub static BLACK: [u32; 4 + PADDING] = [0; 4 + PADDING];

impl Default for Texture<'_> {
    fn default() -> Self {
        Texture {
            texels: &BLACK,
            layer_texels: 0,
            layers: 1,
            level_count: 1,
            levels: [Level { offset: 0, width: 1, height: 1, depth: 1 }; LEVELS],
            samples: 1,
            lod_bias: 0.0,
            lod_min: 0.0,
            lod_max: 0.0,
            border: [0.0; 4],
        }
    }
}
