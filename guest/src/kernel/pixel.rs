//! Pixel kernels: coverage, interpolation, tests, shading and blending of 8x8 blocks, fused.
//!
//! The pipeline of one pixel, in this order (3dbrew: GPU/Internal Registers; the arithmetic is stated at each
//! item): interpolate -> textures -> combiners -> alpha test -> fog -> stencil -> depth -> blend or logic -> write.
//!
//! # Interpolation
//!
//! For pixel (x, row) of a primitive, with wrapping integers `b[k] = edge[k] + x*dx[k] + row*dy[k]`, converted
//! to f32 exactly rounded, everything in f32, added from left to right:
//!
//! ```text
//! q       = (inv_w[0]*b0 + inv_w[1]*b1) + inv_w[2]*b2
//! W       = 1 / q
//! varying = ((v0*b0 + v1*b1) + v2*b2) * W           v_k already divided by w_k
//! z       = ((z[0]*b0 + z[1]*b1) + z[2]*b2) / sum
//! depth   = z*scale + offset; W-buffer: depth *= W * sum; then clamped to 0..1, NaN gives 0
//! ```
//!
//! A slot that [`PixelKey::slots`] lacks interpolates to exactly 1.0 with derivative 0. A depth buffer stores
//! `trunc(depth * max)`, [`DepthFormat::max`] as f32 (f32 product). Textures are read before the pixel's own writes.
//!
//! Clamping is everywhere `low < v ? v : low`, then `v < high ? v : high`: NaN becomes `low`.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

pub use super::filter::Filter;
pub use super::operations::{BlendEquation, Compare, LogicOp, StencilOp};
pub use super::unsupported::Unsupported;
use super::window::Window;
use crate::format::{DepthFormat, PixelFormat, TexelFormat};
pub use crate::kernel::block::PixelBlock;
use crate::kernel::block::Survivors;
use crate::kernel::combine::Combiners;
use crate::kernel::gas::{DensityWrite, GasConstants, GasKey};
use crate::kernel::lighting::{LightTables, LightingConstants, LightingKey};
use crate::kernel::procedural::{ProceduralData, ProceduralKey};
use crate::layout::Block;
use crate::listed;
use borsh::{BorshDeserialize, BorshSerialize};

/// The key of a pixel kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct PixelKey {
    /// Which varying slots the primitives carry, bit s = slot s of the vertex record. [`PixelJob::varyings`] holds
    /// them packed in ascending order.
    pub slots: u64,
    /// Slots of the primary colour r, g, b, a; each becomes `trunc(clamp(v, 0, 1) * 255 + 0.5)`.
    pub color_slots: [u8; 4],
    /// Whether depth is scaled by the interpolated w.
    pub w_buffer: bool,
    /// Texture units 0 to 2.
    pub textures: [TextureKey; 3],
    /// The combiner stages.
    pub combiners: Combiners,
    /// Fog after the alpha test.
    pub fog: Option<FogKey>,
    /// Combiner alpha against the reference; `Always` when the test is off.
    pub alpha_test: Compare,
    /// Stencil test; only with [`DepthFormat::D24S8`].
    pub stencil: Option<StencilKey>,
    /// Depth comparison, new value on the left; `Always` when the test is off.
    pub depth_test: Compare,
    /// Whether a passing pixel stores its depth.
    pub depth_write: bool,
    /// The depth buffer; `None`: tests pass, nothing is read or written, stencil included.
    pub depth_format: Option<DepthFormat>,
    /// Blending or a logic operation.
    pub output: Output,
    /// Format of the colour target; `None` writes no colour.
    pub color_format: Option<PixelFormat>,
    /// Channels r, g, b, a that are written, bit 0 = r.
    pub color_mask: u8,
    /// Layout of both targets.
    pub block: Block,
    /// Fragment lighting, when a combiner uses its colours; they are (0, 0, 0, 0) without.
    pub lighting: Option<Arc<LightingKey>>,
    /// The procedural texture, unit 3, when something uses it; it is (0, 0, 0, 0) without.
    pub procedural: Option<ProceduralKey>,
    /// Shadow rendering instead of everything after the combiners, see [`ShadowWrite`].
    pub shadow: Option<ShadowWrite>,
    /// Rendering of gas instead of everything after the combiners, unless it is shadow rendering.
    pub density: Option<DensityWrite>,
    /// Whether the pixels that pass all tests come back in [`PixelJob::survivors`].
    pub tells_survivors: bool,
}

/// Shadow rendering: pixels are 4 bytes of the colour target, the first three depth z0 with the most significant byte
/// first, the fourth shadow s0. With z = trunc(depth * 0xFFFFFF) and s the combiner's green:
///
/// ```text
/// z >= z0: nothing
/// s == 0:  z0 = z
/// else:    x = z/z0 (as f32); s' = trunc(clamp(s / (constant + linear*x), 0, 255)); s' < s0: s0 = s'
/// ```
/// There are no tests, masks, fog or blending; [`PixelKey::color_format`] is `Rgba8` and the depth target is not used.
/// (3DS; one emulator's reading of hardware research.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct ShadowWrite;

impl PixelKey {
    /// Position of `slot` among the packed varyings, when the primitives carry it.
    pub fn varying(&self, slot: u8) -> Option<usize> {
        let bit = 1u64 << slot;
        (self.slots & bit != 0).then(|| (self.slots & (bit - 1)).count_ones() as usize)
    }

    /// Number of varyings of a primitive.
    pub fn varyings(&self) -> usize {
        self.slots.count_ones() as usize
    }
}

/// How a texture unit is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct TextureKey {
    /// The function of the unit; a disabled unit gives (0, 0, 0, 0).
    pub kind: TextureKind,
    /// Varying slots of u, v and, for [`TextureKind::Projected`] and [`TextureKind::Cube`], w.
    pub coordinates: [u8; 3],
    /// Wrap modes of u and v.
    pub wrap: [Wrap; 2],
    /// Filter when the level of detail is at most 0.
    pub magnify: Filter,
    /// Filter when it is above 0.
    pub minify: Filter,
    /// Selection between levels; `None` when only level 0 exists.
    pub mipmap: Option<Filter>,
    /// Whether width and height are powers of two.
    pub power_of_two: bool,
}

impl TextureKey {
    /// A unit that is off.
    pub const DISABLED: TextureKey = TextureKey {
        kind: TextureKind::Disabled,
        coordinates: [0; 3],
        wrap: [Wrap::Edge; 2],
        magnify: Filter::Nearest,
        minify: Filter::Nearest,
        mipmap: None,
        power_of_two: true,
    };

    /// Whether the level of detail decides anything.
    pub fn needs_lod(&self) -> bool {
        !self.kind.is_shadow() && (self.mipmap.is_some() || self.magnify != self.minify)
    }
}

/// The texture that a unit samples.
///
/// # Coordinates
///
/// With u, v, w the interpolated varyings: `Plain` (u, v); `Projected` (u/w, v/w); `Cube`: with |u| > |v| and
/// |u| > |w|, m = u: +X (u > 0) s = -w t = -v, -X s = -w t = v; else |v| > |w|, m = v: +Y s = u t = w, -Y s = -u t = w; else m = w: +Z s = u t = -v, -Z s = u t = v; then
/// (s/(2m) + 0.5, t/(2m) + 0.5), the sign of m kept. Faces are numbered +X -X +Y -Y +Z -Z.
///
/// # Texels
///
/// A level has `width` x `height` texels. Nearest: i = floor(u*width), j = floor(v*height) (f32). Linear: X =
/// floor(u*width*256) - 128, i = X >> 8, fx = X & 255 and likewise Y; texels (i, j), (i+1, j), (i, j+1), (i+1, j+1):
/// `(c00*(256-fx)*(256-fy) + c10*fx*(256-fy) + c01*(256-fx)*fy + c11*fx*fy + 0x8000) >> 16` per channel. Before
/// flooring, products are clamped to -2^20..2^20 (nearest) and -2^28..2^28 (linear); NaN gives the low end. Each texel
/// is wrapped on its own; a border on either axis gives the border colour. v points upwards: stored row = height - 1 -
/// j.
///
/// # Level of detail
///
/// With (su, sv) the coordinates above, b' the steps dx (or dy) of the edge functions as floats and
/// d(n) = ((v0*b'0 + v1*b'1) + v2*b'2) of a varying, d(q) the same of inv_w:
/// `du/dx = (d(u) - u*d(q)) * W` for plain coordinates, and by the quotient rule (d(s) - su*d(w)) / w on top for
/// projected and (d(s) - 2*(su - 0.5)*d(m)) / (2m) for cube coordinates, where d(s) and d(m) are the interpolated
/// derivatives with the signs of the face. rho starts at 0 and becomes each of |du/dx|*width, |dv/dx|*height,
/// |du/dy|*width, |dv/dy|*height that is larger, so NaN never counts; lod = clamp(log2(rho) + bias, min, max),
/// [`crate::num::ops::log2`]. lod <= 0 magnifies. Level: nearest
/// floor(lod + 0.5), linear: L = floor(lod), F = trunc((lod - L)*256), `(c_L*(256-F) + c_{L+1}*F + 128) >> 8` with
/// L+1 at most the largest level. Level k is (width >> k) x (height >> k); one without texels gives (0, 0, 0, 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum TextureKind {
    /// The unit is off: (0, 0, 0, 0).
    Disabled,
    /// The texture is at address 0: (0, 0, 0, 255).
    Null,
    /// Two-dimensional.
    Plain,
    /// Two-dimensional, divided by w.
    Projected,
    /// Six faces.
    Cube,
    /// A shadow map, see below.
    Shadow {
        /// (u/w, v/w) instead of (u, v).
        perspective: bool,
        /// Which of the two known readings.
        form: ShadowForm,
    },
    /// A shadow map of six faces; the depth is that of the major axis, |m|.
    ShadowCube {
        /// Which of the two known readings.
        form: ShadowForm,
    },
}

impl TextureKind {
    /// Whether there are six faces.
    pub const fn is_cube(self) -> bool {
        matches!(self, TextureKind::Cube | TextureKind::ShadowCube { .. })
    }

    /// Whether it is a shadow map, which has one level.
    pub const fn is_shadow(self) -> bool {
        matches!(self, TextureKind::Shadow { .. } | TextureKind::ShadowCube { .. })
    }
}

/// How shadow maps are compared. Texels are those of [`ShadowWrite`] (decoded as RGBA8, depth is A, B, G and shadow R);
/// the result goes to all four channels. With z = trunc(min(|w|, 1) * 0xFFFFFF), NaN giving 0, w the third coordinate
/// or the major axis, and bias of [`TextureConstants::shadow_bias`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum ShadowForm {
    /// z' = max(z - bias, 0). X = u*width - 0.5, i = floor(X), fx = X - i, likewise Y (X and Y clamped to -2^20..2^20
    /// first). s(a, b) is 1.0 outside of a two-dimensional map, coordinates are clamped to the face of a cube;
    /// otherwise depth <= z' ? 0 : shadow/255.
    /// `trunc(((s00*(1-fx) + s10*fx)*(1-fy) + (s01*(1-fx) + s11*fx)*fy) * 255 + 0.5)`. Believed closer to the console.
    Filtered,
    /// One texel, found like any nearest one, wrap modes and border included: depth >= z - bias (signed) ? shadow : 0.
    Nearest,
}

listed! {
    /// The treatment of texel coordinates outside of a level of n texels. (Modes 4 to 7: 3DS hardware tests.)
    #[derive(BorshSerialize, BorshDeserialize)]
    pub enum Wrap {
        /// clamp(i, 0, n-1)
        Edge,
        /// The border colour.
        Border,
        /// i mod n
        Repeat,
        /// m = i mod 2n; m < n ? m : 2n-1-m
        Mirror,
        /// i < 0: i mod n, else min(i, n-1)
        RepeatThenEdge,
        /// i < 0: i mod n; i >= n: the border colour
        RepeatThenBorder,
    }
}

/// Fog: index = depth*128 (or (1-depth)*128), i = clamp(floor(index), 0, 127), f = index - i,
/// k = clamp(value\[i\] + f*difference\[i\], 0, 1), colour channel = trunc(k*c + (1-k)*fog), c and fog as 0..255
/// floats. Alpha stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct FogKey {
    /// Index from 1 - depth.
    pub flip: bool,
    /// The table is looked up by density, not by depth, and the colour is that of gas; see [`super::gas`].
    pub gas: Option<GasKey>,
}

/// The stencil test: (reference & input_mask) `compare` (stored & input_mask).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct StencilKey {
    /// The comparison, reference on the left.
    pub compare: Compare,
    /// When the stencil test fails.
    pub fail: StencilOp,
    /// When the depth test fails.
    pub depth_fail: StencilOp,
    /// When both pass.
    pub pass: StencilOp,
    /// Whether the result is stored: (new & write_mask) | (old & !write_mask).
    pub write: bool,
}

/// The last stage before the write. The destination is expanded to 8 bits a channel, alpha 255 without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Output {
    /// Blending of colour and alpha apart.
    Blend(BlendKey),
    /// A bitwise operation on all four 8-bit channels.
    Logic(LogicOp),
}

/// Blend functions. With P = source*source_factor and Q = destination*destination_factor, exact integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct BlendKey {
    /// Equation of r, g, b.
    pub color: BlendEquation,
    /// Equation of alpha.
    pub alpha: BlendEquation,
    /// Factor of the source colour.
    pub color_source: BlendFactor,
    /// Factor of the destination colour.
    pub color_destination: BlendFactor,
    /// Factor of the source alpha.
    pub alpha_source: BlendFactor,
    /// Factor of the destination alpha.
    pub alpha_destination: BlendFactor,
}

listed! {
    /// A blend factor, 0 to 255; `Color` ones take the channel they multiply.
    #[derive(BorshSerialize, BorshDeserialize)]
    #[expect(missing_docs, reason = "the names are the definition")]
    pub enum BlendFactor {
        Zero,
        One,
        SourceColor,
        InverseSourceColor,
        DestinationColor,
        InverseDestinationColor,
        SourceAlpha,
        InverseSourceAlpha,
        DestinationAlpha,
        InverseDestinationAlpha,
        ConstantColor,
        InverseConstantColor,
        ConstantAlpha,
        InverseConstantAlpha,
        /// min(source alpha, 255 - destination alpha) for colour, 255 for alpha.
        SourceAlphaSaturate,
    }
}

/// Values a pixel kernel reads; colours are `0xRRGGBBAA`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PixelConstants {
    /// Constant colour of each combiner stage.
    pub stage_color: [u32; 6],
    /// Initial colour of the combiner buffer.
    pub buffer_color: u32,
    /// Blend constant.
    pub blend_color: u32,
    /// Fog colour; alpha ignored.
    pub fog_color: u32,
    /// Alpha test reference, 0 to 255.
    pub alpha_reference: u32,
    /// Stencil reference, 0 to 255.
    pub stencil_reference: u32,
    /// Stencil comparison mask, 0 to 255.
    pub stencil_input_mask: u32,
    /// Stencil write mask, 0 to 255.
    pub stencil_write_mask: u32,
    /// Depth = z * scale + offset.
    pub depth_scale: f32,
    /// See `depth_scale`.
    pub depth_offset: f32,
    /// Of [`ShadowWrite`].
    pub shadow_constant: f32,
    /// Of [`ShadowWrite`].
    pub shadow_linear: f32,
    /// Of the three units.
    pub texture: [TextureConstants; 3],
    /// Of gas.
    pub gas: GasConstants,
}

/// Values of a texture unit.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextureConstants {
    /// Border colour `0xRRGGBBAA`.
    pub border: u32,
    /// Texels of level 0.
    pub width: u32,
    /// Texels of level 0.
    pub height: u32,
    /// Added to the level of detail.
    pub lod_bias: f32,
    /// Smallest level of detail, a whole number.
    pub lod_min: f32,
    /// Largest level of detail, a whole number.
    pub lod_max: f32,
    /// Subtracted from the depth that is compared with a shadow map, 24 bits.
    pub shadow_bias: u32,
}

/// The texels of a unit.
#[derive(Clone, Copy, Debug)]
pub struct Texture<'m> {
    /// Format in guest memory.
    pub format: TexelFormat,
    /// Guest memory from each face on (only the first unless a cube), levels one after another: level k is
    /// [`TexelFormat::size`] of its dimensions. 8x8 tiles in Morton order; ETC1 tiles are four 4x4 blocks.
    pub faces: [Window<'m>; 6],
    /// The same texels decoded, when the kernel asked for it: every face with levels `0..=lod_max` one after
    /// another, each as [`super::tier::TextureDecoder::decode`] made it, then at least 4 words of padding.
    pub decoded: &'m [u32],
    /// Words of one face in `decoded`.
    pub face_words: usize,
}

impl Default for Texture<'_> {
    fn default() -> Self {
        Texture { format: TexelFormat::Rgba8, faces: [Window::default(); 6], decoded: &[], face_words: 0 }
    }
}

/// One entry of the fog table: value and difference to the next, as fractions of 1.
pub type FogTable = [[f32; 2]; 128];

/// A primitive after setup, in the coordinates of the target's *stored* rows.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Primitive {
    /// Biased edge functions at the centre of pixel (0, 0).
    pub edge: [i64; 3],
    /// Their step to the next pixel.
    pub dx: [i32; 3],
    /// Their step to the next stored row.
    pub dy: [i32; 3],
    /// Sum of the three edge functions, the same everywhere; at least 1.
    pub sum: f32,
    /// 1/w of the vertices.
    pub inv_w: [f32; 3],
    /// z/w of the vertices.
    pub z: [f32; 3],
    /// Index of the first varying in [`PixelJob::varyings`].
    pub first_varying: u32,
    /// [`WIDE_EDGES`], [`FLAT_COLOR`], [`CONSTANT_W`], [`CLOCKWISE`].
    pub flags: u32,
    /// Keeps the size a multiple of 8.
    pub reserved: u32,
}

impl Primitive {
    /// Whether an alpha with these values at the vertices, divided by their w, is 255 in all pixels of the primitive:
    /// where the values are 1, or nearly, and no sum overflows or is zero. Rounding takes less than what is missing
    /// then.
    pub fn has_opaque(&self, alpha: &[f32; 3]) -> bool {
        let is_one = |(alpha, one): (&f32, &f32)| (0.999 * one..=2.0 * one).contains(alpha);
        self.has_usual_w() && alpha.iter().zip(&self.inv_w).all(is_one)
    }

    /// Whether the vertices have the same w.
    pub fn has_constant_w(&self) -> bool {
        let [a, b, c] = self.inv_w;
        a == b && b == c
    }

    /// Whether sums of what is divided by w neither overflow nor are zero.
    pub fn has_usual_w(&self) -> bool {
        self.inv_w.iter().all(|inv_w| (1e-18..=1e12).contains(inv_w))
    }
}

/// Whether a channel of a colour with these values at the vertices has the same of 256 steps in all pixels of a
/// primitive with a [usual w](Primitive::has_usual_w): they are equal, and what interpolation makes of them rounds the
/// same way. It is a sum of products divided by a sum of products, which rounding changes by less than 2^-20 of it.
#[inline]
pub fn is_flat([a, b, c]: [f32; 3]) -> bool {
    const MARGIN: f32 = 1.0 / 1024.0;
    // Most are told apart by this.
    if a != b || b != c || !(0.0..=2.0).contains(&a) {
        return false;
    }
    let steps = a.min(1.0) * 255.0 + 0.5;
    (MARGIN..=1.0 - MARGIN).contains(&(steps - (steps as i32) as f32))
}

/// [`Primitive::flags`]: twice the area does not fit 31 bits, 32-bit edge functions would overflow inside the
/// primitive. Only for kernels that evaluate edges in 64 bits.
pub const WIDE_EDGES: u32 = 1;

/// [`Primitive::flags`]: the primary colour has the value of the first vertex in all pixels that are covered.
pub const FLAT_COLOR: u32 = 2;

/// [`Primitive::flags`]: the vertices have the same w, a [usual](Primitive::has_usual_w) one, and all pixels that are
/// covered are inside of the primitive. A varying with the same value at all vertices is the same in all pixels then,
/// but for rounding: by less than 2^-20 of it.
pub const CONSTANT_W: u32 = 4;

/// [`Primitive::flags`]: the vertices were clockwise with y upwards before setup. Kernels do not read it.
pub const CLOCKWISE: u32 = 8;

/// The surfaces a job writes. Both hold `width` pixels a row and `rows` rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Target<'m> {
    /// Colour buffer from its first byte on.
    pub color: Window<'m>,
    /// Depth buffer from its first byte on.
    pub depth: Window<'m>,
    /// Pixels of a row.
    pub width: u32,
    /// Stored rows.
    pub rows: u32,
}

/// Work for a pixel kernel: the blocks of one tile that share a state, in submission order.
#[derive(Clone, Copy, Debug)]
pub struct PixelJob<'a> {
    /// Where pixels go.
    pub target: Target<'a>,
    /// Units 0 to 2.
    pub textures: &'a [Texture<'a>; 3],
    /// Constants of the state.
    pub constants: &'a PixelConstants,
    /// Present when the key has fog.
    pub fog: Option<&'a FogTable>,
    /// Present when the key has lighting.
    pub lighting: Option<(&'a LightingConstants, &'a LightTables)>,
    /// Present when the key has a procedural texture.
    pub procedural: Option<&'a ProceduralData>,
    /// Primitives the blocks refer to.
    pub primitives: &'a [Primitive],
    /// Varyings of the primitives: for each packed slot the values at the three vertices, divided by their w.
    pub varyings: &'a [[f32; 3]],
    /// The work.
    pub blocks: &'a [PixelBlock],
    /// Becomes the largest density that [`PixelKey::density`] has written, when it is larger than what is there.
    pub densest: Option<&'a AtomicU32>,
    /// One for each block, for kernels with [`PixelKey::tells_survivors`].
    pub survivors: &'a [Survivors],
}
