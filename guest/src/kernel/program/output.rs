//! Output of fragments after their program: tests, blending, storing.
//!
//! For each covered sample, in this order: alpha test -> depth bounds -> stencil -> depth -> count -> blend or logic ->
//! mask -> store. The alpha test applies to the fragment, before the first sample; so do alpha to coverage and alpha to
//! one, after it.
//!
//! * **Limits**: before everything else the components of colour output i are clamped as [`OutputKey::limits`] says.
//! * **Share**, with [`OutputKey::share`]: then alpha of each colour output is multiplied by the part of the pixel that
//!   a smooth line covers, `max(p0 + p1 - 1, 0) * max(p2 + p3 - 1, 0)`: p0 to p3 the values of four planes of the
//!   primitive from that one on, at the pixel's centre and clamped to 0..1: distances from the line's sides and from
//!   its ends, half a pixel outside of it 0.
//! * **Alpha test**: `alpha OP reference`, f32, the unclamped alpha of colour output 0. NaN: only `Always` and
//!   `NotEqual` pass. With [`OutputKey::alpha_bytes`] alpha is what a [`Channel::UnormRsx`] of 8 bits would store of
//!   it, 0 to 255, and so is the reference.
//! * **Alpha to coverage** (more than one sample): the first `floor(clamp(alpha) * samples + 0.5)` samples stay. With
//!   [`OutputKey::coverage_dither`] [`DITHER`] takes the place of 0.5: that of `x % 2 + y % 2 * 2`, for pixel (x, y) as
//!   the target stores it. **Alpha to one** then makes alpha 1 in all colour outputs.
//! * **Depth**: the sample's depth, with [`OutputKey::depth_at_center`] that of the pixel's centre, is clamped to
//!   `depth_min..depth_max` (`min < z ? z : min`, then `z < max ? z : max`) and stored as [`DepthFormat`] says; the
//!   comparison is one of what would be stored with what is stored: as unsigned integers, for the F32 formats
//!   as the floats that they are. `depth OP stored`; no depth test: passes, nothing is written. Unorm depth is limited
//!   to what fits. A stencil is stored also where the depth test fails or does not write. With [`DepthFormat::S8`]
//!   there is neither depth test nor bounds, whatever the key says. Bounds: the *stored* depth, as f32 (`stored as f32
//!   * (1.0 / max)` for unorm), must satisfy `bounds.0 <= d && d <= bounds.1`.
//! * **Stencil**: `(reference & mask) OP (stored & mask)` with the values of the side the primitive shows; a failing
//!   test stores `fail`, a failing depth test `depth_fail`, else `pass`; written bits are those of the write mask.
//! * **Encoding**, with [`OutputKey::encode_srgb`]: r, g, b of every colour output become
//!   [`crate::num::ops::linear_to_srgb`] of `clamp(v)`, after the alpha test and before anything below.
//! * **Blending**, f32. Source s: clamped to 0..1 for unorm and sRGB channels, to -1..1 for snorm channels (NaN gives
//!   -1), not quantised; for float channels as it is. With [`OutputKey::quantised_source`] s is instead decoded from
//!   what storing it would give, but for float channels. Destination d: decoded. A format is unorm when its stored
//!   channels (fixed ones aside) are unorm or sRGB: then constants, and s in channels that are absent or fixed, are
//!   clamped to 0..1; where a channel is snorm they are clamped to -1..1. Factors as in [`BlendFactor`] with 1.0
//!   for 255 (inverse ones `1 - v`, the saturated one `sa < 1 - da ? sa : 1 - da`); equation on `s*fs` and `d*fd`
//!   (Min, Max: on s and d alone, `a < b ? a : b`, `a > b ? a : b`). The [`SignedOperand`] is `v > 0.5 ? v - 256.0 /
//!   255.0 : v` there, in unorm formats; factors see it as it was. Formats with an integer channel do not blend.
//!   Without blending s is stored as it came. With [`OutputKey::zero_products`] a product `s*fs` or `d*fd` one of
//!   whose factors is 0 is +0. The second source is colour output 1, in channels of unorm formats clamped to 0..1, in
//!   snorm channels to -1..1 (NaN gives -1), else as it came. With [`OutputKey::program`] the result is that of
//!   [`blend_program`](super::blend_program) for s and d.
//! * **Logic operation**: there is no blending. On the stored bits of the pixel for unorm formats, in channels of the
//!   mask; for other formats s is stored as it came.
//! * **Store**: unorm of n bits: `ceil(clamp(v) * (2^n - 1) - 0.5)`, each step rounded to f32: a tie goes down;
//!   [`Channel::UnormHalfUp`] `trunc(clamp(v) * (2^n - 1) + 0.5)`; [`Channel::UnormRsx`] `(floor(4096 * clamp(v)) *
//!   (2^n - 1) + 2048) >> 12`, in integers: 1,199 of 1,200 samples of a picture of the console (RPCS3's
//!   `rsx_fp_static_test1`; the one left is a tie), where plain rounding misses 37; snorm: clamped to -1..1 (NaN gives
//!   -1), `ceil(v * (2^(n-1) - 1) - 0.5)`; [`Channel::Float`]: half: nearest even with overflow to infinity, NaN
//!   0x7E00; small floats likewise, negative values are 0 (NaN: all ones); f32: bits. [`Channel::FloatCut`]: half: cut
//!   toward 0, finite numbers that are too large give the largest one, infinities stay, NaN gives its sign and 0x7FFF;
//!   small floats likewise, negative values are 0 (NaN: all ones). The NaN of a blended value is positive. Integers:
//!   the bits of the output, clamped to the range. sRGB: [`crate::num::ops::linear_to_srgb`] of `clamp(v)`, then unorm.
//!   Decoding: unorm `q as f32 * (1.0 / max)`; [`Channel::UnormRsx`] as the unorm of 8 bits that begins with its bits,
//!   over and over; [`Channel::Srgb`] the same, then [`crate::num::ops::srgb_to_linear`]; [`Channel::Unorm`] stays as
//!   it is whatever was encoded; snorm `q as f32 * (1.0 / max)`, -1 at least; floats exactly.
//! * **Coverage as a colour**, [`OutputKey::coverage_color`]: red of that target, if it is stored as an integer, is no
//!   longer the fragment's but the set of samples of the fragment that colours would be written to: bit
//!   [`CoverageColor::bits`]`[k]` for sample k, as many as the channel has bits. With tests before the program those
//!   are the ones that passed. Each sample gets the same, under the mask. (NV_fragment_coverage_to_color.)
//! * Colours are written to the samples of [`OutputKey::color_samples`]; tests, stencil, depth and the count concern
//!   all of them.
//! * Channels outside of the mask keep their stored bits. Fixed channels ([`Channel::Zeros`], [`Channel::Ones`]) are
//!   always written, and decode to 0 and
//!   1. Nothing is written where the mask is empty.

use crate::listed;
use std::sync::Arc;

use super::blend_program::BlendProgram;
pub use crate::kernel::operations::{BlendEquation, Compare, LogicOp, StencilOp};
use crate::kernel::window::Window;
use crate::layout::SurfaceLayout;
use borsh::{BorshDeserialize, BorshSerialize};

/// Samples of a pixel at most.
pub const MAX_SAMPLES: usize = 16;

/// Colour targets at most.
pub const TARGETS: usize = 8;

/// The output of a fragment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct OutputKey {
    /// Colour targets.
    pub colors: [Option<ColorKey>; TARGETS],
    /// The depth buffer; `None`: bounds, stencil and depth tests pass and nothing is written.
    pub depth: Option<DepthKey>,
    /// On alpha of colour output 0.
    pub alpha_test: Compare,
    /// The alpha test compares bytes (RSX).
    pub alpha_bytes: bool,
    /// Alpha selects samples.
    pub alpha_to_coverage: bool,
    /// It does so in another way in each pixel of a 2x2.
    pub coverage_dither: bool,
    /// See above.
    pub alpha_to_one: bool,
    /// r, g, b are encoded as sRGB before blending, which then happens on encoded values (RSX).
    pub encode_srgb: bool,
    /// Instead of blending.
    pub logic: Option<LogicOp>,
    /// Ranges that the components of colour outputs are clamped to.
    pub limits: [Limit; TARGETS],
    /// Samples that colours are written to, bit k = sample k.
    pub color_samples: u16,
    /// Blending uses the values that would be stored (RSX).
    pub quantised_source: bool,
    /// In blending products with 0 are 0, whatever the other factor.
    pub zero_products: bool,
    /// A program that targets which blend run instead of the equation, of alpha too if it says so.
    pub program: Option<Arc<BlendProgram>>,
    /// All samples of a pixel have the depth of its centre, unless the program says another one.
    pub depth_at_center: bool,
    /// Primitives have offsets of their depth.
    pub depth_offset: bool,
    /// Coverage takes the place of a colour.
    pub coverage_color: Option<CoverageColor>,
    /// The first of four planes of a smooth line's share of a pixel, counted from the primitive's first plane on.
    pub share: Option<u16>,
    /// Whether the samples that pass all tests come back in
    /// [`FragmentJob::survivors`](super::fragment::FragmentJob::survivors); only with one sample a pixel.
    pub tells_survivors: bool,
}

impl OutputKey {
    /// Stores colours as they are: no tests, every sample, nothing blended.
    pub fn storing(colors: [Option<ColorKey>; TARGETS]) -> OutputKey {
        OutputKey {
            colors,
            depth: None,
            alpha_test: Compare::Always,
            alpha_bytes: false,
            alpha_to_coverage: false,
            coverage_dither: false,
            alpha_to_one: false,
            encode_srgb: false,
            logic: None,
            limits: [Limit::None; TARGETS],
            color_samples: u16::MAX,
            quantised_source: false,
            zero_products: false,
            program: None,
            depth_at_center: false,
            depth_offset: false,
            coverage_color: None,
            share: None,
            tells_survivors: false,
        }
    }
}

/// The offsets of alpha to coverage that differ from pixel to pixel, by x, then y.
pub const DITHER: [f32; 4] = [0.125, 0.625, 0.875, 0.375];

/// Coverage as a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct CoverageColor {
    /// The target.
    pub target: u8,
    /// The bit that says whether a sample is covered, for each sample.
    pub bits: [u8; MAX_SAMPLES],
}

/// A range that the components of a colour output are clamped to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Limit {
    /// They stay as they are.
    #[default]
    None,
    /// 0 to 1, NaN gives 0.
    Unit,
    /// -1 to 1, NaN gives -1.
    Signed,
}

/// A colour target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct ColorKey {
    /// How a pixel is stored.
    pub format: ColorFormat,
    /// Where it is stored.
    pub layout: SurfaceLayout,
    /// Which colour output of the program it takes; one that it does not have is (0, 0, 0, 0).
    pub source: u8,
    /// Channels r, g, b, a that are written, bit 0 = r.
    pub mask: u8,
    /// Blending.
    pub blend: Option<BlendKey>,
}

/// How source and destination are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct BlendKey {
    /// r, g, b.
    pub color: BlendTerm,
    /// a.
    pub alpha: BlendTerm,
}

/// One half of a blend state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct BlendTerm {
    /// How the terms are combined.
    pub equation: BlendEquation,
    /// Factor of the source.
    pub source: BlendFactor,
    /// Factor of the destination.
    pub destination: BlendFactor,
    /// Which of them counts as signed.
    pub signed: SignedOperand,
}

listed! {
    /// An operand of a blend term that is a signed byte in unorm formats: what is above a half is 256/255 less (RSX).
    #[derive(BorshSerialize, BorshDeserialize, Default)]
    #[expect(missing_docs, reason = "the names are the definition")]
    pub enum SignedOperand {
        #[default]
        None,
        Source, Destination,
    }
}

listed! {
    /// A factor of a blend term; `Color` ones take the channel they multiply.
    #[derive(BorshSerialize, BorshDeserialize)]
    #[expect(missing_docs, reason = "the names are the definition")]
    pub enum BlendFactor {
        Zero, One,
        SourceColor, InverseSourceColor, DestinationColor, InverseDestinationColor,
        SourceAlpha, InverseSourceAlpha, DestinationAlpha, InverseDestinationAlpha,
        ConstantColor, InverseConstantColor, ConstantAlpha, InverseConstantAlpha,
        /// See above for colour, 1 for alpha.
        SourceAlphaSaturate,
        /// Of the second source, like those that follow.
        SecondColor,
        InverseSecondColor, SecondAlpha, InverseSecondAlpha,
    }
}

impl BlendFactor {
    /// Whether it is one of the second source.
    pub const fn is_of_second(self) -> bool {
        use BlendFactor::{InverseSecondAlpha, InverseSecondColor, SecondAlpha, SecondColor};
        matches!(self, SecondColor | InverseSecondColor | SecondAlpha | InverseSecondAlpha)
    }
}

impl BlendKey {
    /// Whether a factor is one of the second source.
    pub fn takes_second(&self) -> bool {
        let of = |term: &BlendTerm| term.source.is_of_second() || term.destination.is_of_second();
        of(&self.color) || of(&self.alpha)
    }
}

/// How a pixel is stored: `bytes` bytes, words of `unit` bytes in the guest's byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct ColorFormat {
    /// Bytes of a pixel: 1, 2, 4, 8 or 16.
    pub bytes: u8,
    /// Bytes whose order is reversed when stored; 1 stores little-endian. The bit positions of channels count in the
    /// value before that, bit 0 the lowest bit of the first unit, bit `8 * unit` the lowest bit of the second.
    pub swap: u8,
    /// r, g, b, a.
    pub channels: [Channel; 4],
}

/// Bits of a pixel: the lowest one's position, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Bits {
    /// Position of the lowest bit.
    pub shift: u8,
    /// Number of bits, 1 to 32; they do not cross a 32-bit boundary.
    pub bits: u8,
}

/// Where a channel is and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Channel {
    /// Not stored; decodes to 0 (r, g, b) or 1 (a).
    Absent,
    /// These bits are stored as zeros.
    Zeros(Bits),
    /// These bits are stored as ones.
    Ones(Bits),
    /// 0 to 1.
    Unorm(Bits),
    /// 0 to 1, where a half of a step goes up (RSX, less than 8 bits).
    UnormHalfUp(Bits),
    /// 0 to 1 as the RSX has it, 8 bits at most: stored with 12 bits of fraction, read by repeating its bits.
    UnormRsx(Bits),
    /// 0 to 1, stored non-linearly; blending happens on linear values.
    Srgb(Bits),
    /// -1 to 1.
    Snorm(Bits),
    /// Unsigned integer.
    Uint(Bits),
    /// Signed integer.
    Sint(Bits),
    /// 32 bits: single; 16: half; 11 and 10: unsigned small floats.
    Float(Bits),
    /// 16 bits: half; 11 and 10: unsigned small floats; cut toward 0 when stored (Tegra X1).
    FloatCut(Bits),
}

/// A depth buffer and its tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct DepthKey {
    /// How a sample is stored.
    pub format: DepthFormat,
    /// Whether words are big-endian.
    pub big_endian: bool,
    /// Where it is stored.
    pub layout: SurfaceLayout,
    /// `None`: no test and no write.
    pub test: Option<Compare>,
    /// Whether a passing sample stores its depth; only with a test.
    pub write: bool,
    /// Depth bounds test.
    pub bounds: bool,
    /// Stencil tests of front and back; only where the format has a stencil.
    pub stencil: Option<[StencilKey; 2]>,
}

/// Stored depth, and stencil where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum DepthFormat {
    /// 16-bit unorm: `(z * 65535)` rounded to nearest, ties to even.
    Z16,
    /// Word: depth 31:8, stencil 7:0. `(z * 16777215)` rounded to nearest, ties to even, in f32.
    Z24S8,
    /// As [`DepthFormat::Z24S8`], stencil in 31:24, depth 23:0.
    S8Z24,
    /// 24 bits of depth in 31:8: the bits of the f32 without sign and the low seven of the mantissa (RSX).
    F24S8,
    /// 16 bits of depth, see [`crate::num::depth16`] (RSX).
    F16,
    /// f32.
    F32,
    /// f32, then a word with stencil in 7:0, whose other bits stay.
    F32S8,
    /// Word with depth as that of [`DepthFormat::S8Z24`] in 23:0, then a word with stencil in 7:0; other bits stay.
    Z24X8S8,
    /// A byte of stencil, no depth.
    S8,
}

impl DepthFormat {
    /// Bytes of a sample.
    pub const fn bytes(self) -> u32 {
        match self {
            DepthFormat::Z16 | DepthFormat::F16 => 2,
            DepthFormat::Z24S8 | DepthFormat::S8Z24 | DepthFormat::F24S8 | DepthFormat::F32 => 4,
            DepthFormat::F32S8 | DepthFormat::Z24X8S8 => 8,
            DepthFormat::S8 => 1,
        }
    }

    /// Whether there is depth.
    pub const fn has_depth(self) -> bool {
        !matches!(self, DepthFormat::S8)
    }

    /// Whether there is a stencil beside the depth.
    pub const fn has_stencil(self) -> bool {
        use DepthFormat::{F24S8, F32S8, S8, S8Z24, Z24S8, Z24X8S8};
        matches!(self, Z24S8 | S8Z24 | F24S8 | F32S8 | Z24X8S8 | S8)
    }
}

/// Stencil test of one side; masks and reference are constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct StencilKey {
    /// Reference on the left.
    pub compare: Compare,
    /// The stencil test fails.
    pub fail: StencilOp,
    /// It passes, the depth test fails.
    pub depth_fail: StencilOp,
    /// Both pass.
    pub pass: StencilOp,
}

/// Values that output reads.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OutputConstants {
    /// Reference of the alpha test; with [`OutputKey::alpha_bytes`] 0 to 255.
    pub alpha_reference: f32,
    /// Blend constant r, g, b, a, not clamped.
    pub blend: [f32; 4],
    /// Depth is clamped to this range.
    pub depth_range: [f32; 2],
    /// Depth bounds.
    pub depth_bounds: [f32; 2],
    /// Values of front and back.
    pub stencil: [StencilConstants; 2],
}

/// Values of a stencil test, 0 to 255.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StencilConstants {
    /// Reference.
    pub reference: u32,
    /// Mask of the comparison.
    pub mask: u32,
    /// Bits that are written.
    pub write_mask: u32,
}

/// A surface in guest memory. Pixels that do not lie in the window whole are neither read (0) nor written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surface<'m> {
    /// From its first byte on.
    pub window: Window<'m>,
    /// Bytes of a row for [`SurfaceLayout::Pitch`]; GOBs of a row for [`SurfaceLayout::BlockLinear`]; unused otherwise.
    pub pitch: u32,
}
