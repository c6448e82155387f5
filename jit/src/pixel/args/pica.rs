//! Arguments of a compiled pixel kernel, and the checks that make a call sound.

use std::mem::{MaybeUninit, offset_of};
use std::ops::Range;

use bytemuck::Zeroable;
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::pixel::{PixelBlock, PixelJob, PixelKey, Primitive, Texture, TextureConstants};
use triglyph_guest::layout::Block;

use super::Vec4;
use super::check::{self, Spans};
use super::tables::{MASKS, PLACES};
use crate::pixel::plan::pica::Plan;
use crate::pixel::quads::{AT_ONCE, blocks_to_survivors};
use crate::pixel::sample::pica::footprint::TexelFootprint;
use crate::pixel::sample::pica::procedural::args::ProceduralArgs;
use crate::pixel::shade::pica::gas_args::GasArgs;
use crate::pixel::shade::pica::lighting::args::LightingArgs;

/// Capacity of the constant pool in the arguments; further constants follow the code.
pub const POOL: usize = 48;

/// Vectors that the code derives from a primitive: see [`Plan::planes`].
pub const PLANES: usize = 132;

/// Most varyings of a kernel: those of a vertex record.
pub const VARYINGS: usize = 24;

/// Largest number of mipmap levels.
const LEVELS: usize = 16;

/// A colour as a [`Pair`](crate::lane::Pair): blue and red, alpha and green.
pub type ColorPair = [[u16; 8]; 2];

/// The arguments. Pointers are valid for everything that [`PixelArgs::fill`] has checked.
#[derive(Zeroable)]
#[repr(C, align(64))]
pub struct PixelArgs {
    pub blocks: *const PixelBlock,
    pub end: *const PixelBlock,
    pub primitives: *const Primitive,
    pub varyings: *const [f32; 3],
    pub color: *mut u8,
    pub depth: *mut u8,
    pub fog: *const [f32; 2],
    /// See [`blocks_to_survivors`].
    pub to_survivors: isize,
    pub width: u32,
    /// Not zero if blocks at different places have no memory in common.
    pub blocks_are_apart: u32,
    pub alpha_reference: Vec4<i32>,
    pub stencil_reference: Vec4<i32>,
    pub stencil_input_mask: Vec4<i32>,
    pub stencil_write_mask: Vec4<i32>,
    pub depth_scale: Vec4<f32>,
    pub depth_offset: Vec4<f32>,
    pub shadow_constant: Vec4<f32>,
    pub shadow_linear: Vec4<f32>,
    pub fog_color: [Vec4<f32>; 3],
    pub stage_color: [ColorPair; 6],
    pub buffer_color: ColorPair,
    pub blend_color: ColorPair,
    pub textures: [TextureArgs; 3],
    pub procedural: ProceduralArgs,
    pub lighting: LightingArgs,
    pub gas: GasArgs,
    pub pool: [[u8; 16]; POOL],
    /// The mask of each set of covered pixels.
    pub masks: [Vec4<i32>; 16],
    /// Where the pixels of a block are: the column in 16 bits, and the row above.
    pub places: [u32; 64],
}

/// Scratch memory; it is written before it is read.
#[repr(C, align(64))]
pub struct Scratch {
    /// Steps of the edge functions from the first pixel of a block to the pixels of each quad.
    pub steps: [[Vec4<i32>; 16]; 3],
    /// Of quads that are drawn at once.
    pub quads: [QuadScratch; AT_ONCE],
    /// Of the current primitive.
    pub planes: [Vec4<f32>; PLANES],
    /// Its primary colour, if that is the same in all pixels.
    pub flat_color: ColorPair,
    /// Its colour of the procedural texture, if that is.
    pub flat_procedural: ColorPair,
    /// Not zero if they are.
    pub has_flat_color: u32,
    pub has_flat_procedural: u32,
}

/// Scratch memory of a quad.
#[repr(C, align(16))]
pub struct QuadScratch {
    /// Lane indices that become addresses.
    pub indices: [Vec4<u32>; 2],
    /// Texels that are filtered.
    pub footprint: TexelFootprint,
}

/// The parts of the arguments that each of the quads that are drawn at once has for itself: the offsets of the first
/// one's, and the distance to the next one's.
pub fn own_of_quads() -> Vec<(Range<i32>, i32)> {
    let (first, size) = (scratch_at!(quads), size_of::<QuadScratch>() as i32);
    vec![(first..first + size, size)]
}

/// The arguments and the scratch memory: the code's argument is their address.
#[repr(C)]
pub struct Frame {
    pub args: PixelArgs,
    pub scratch: MaybeUninit<Scratch>,
}

/// A texture unit's arguments.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct TextureArgs {
    pub texels: *const u32,
    /// Base address for the texels of the row above.
    pub above: *const u32,
    pub texels_twice: [*const u32; 2],
    pub face_words: u32,
    pub reserved: u32,
    /// Width and height of level 0, and the same times 256, as floats.
    pub size: [Vec4<f32>; 2],
    pub size256: [Vec4<f32>; 2],
    /// Width and height minus 1.
    pub last: [Vec4<i32>; 2],
    pub width: Vec4<i32>,
    pub border: Vec4<u32>,
    pub lod_bias: Vec4<f32>,
    pub lod_min: Vec4<f32>,
    pub lod_max: Vec4<f32>,
    pub lod_max_int: Vec4<i32>,
    pub shadow_bias: Vec4<i32>,
    /// Words from a face's start to each level.
    pub level_offset: [u32; LEVELS],
}

/// Offset of a field of [`PixelArgs`] for an addressing mode.
macro_rules! at {
    ($($field:tt)+) => { std::mem::offset_of!($crate::pixel::args::pica::PixelArgs, $($field)+) as i32 };
}
pub(crate) use at;

/// Offset of a field of [`Scratch`] for an addressing mode.
macro_rules! scratch_at {
    ($field:ident) => {
        (std::mem::offset_of!($crate::pixel::args::pica::Frame, scratch)
            + std::mem::offset_of!($crate::pixel::args::pica::Scratch, $field)) as i32
    };
}
pub(crate) use scratch_at;

/// Offset of a field of the first quad's [`QuadScratch`].
macro_rules! quad_scratch_at {
    ($field:ident) => {
        $crate::pixel::args::pica::scratch_at!(quads)
            + std::mem::offset_of!($crate::pixel::args::pica::QuadScratch, $field) as i32
    };
}
pub(crate) use quad_scratch_at;

/// Offset of a field of texture unit `unit`.
pub fn texture_at(unit: usize, field: usize) -> i32 {
    (offset_of!(PixelArgs, textures) + unit * size_of::<TextureArgs>() + field) as i32
}

/// The pair of a colour `0xRRGGBBAA`.
fn pair(word: u32) -> ColorPair {
    let [a, b, g, r] = word.to_le_bytes().map(u16::from);
    [[b, r, b, r, b, r, b, r], [a, g, a, g, a, g, a, g]]
}

impl PixelArgs {
    /// Checks `job` against `key` and translates it, into arguments of another job: what the kernel does not use stays
    /// as it was. Calling the code with the result is sound because of these checks.
    pub fn fill(
        &mut self,
        key: &PixelKey,
        plan: &Plan,
        pool: &[[u8; 16]],
        job: &PixelJob<'_>,
    ) -> Result<(), Unsupported> {
        check_blocks(key, job)?;
        self.fill_units(key, plan, job)?;
        let c = job.constants;
        let [_, fog_b, fog_g, fog_r] = c.fog_color.to_le_bytes().map(|v| [f32::from(v); 4]);
        let blocks = job.blocks.as_ptr_range();
        (self.blocks, self.end) = (blocks.start, blocks.end);
        self.primitives = job.primitives.as_ptr();
        self.varyings = job.varyings.as_ptr();
        self.color = job.target.color.as_ptr();
        self.depth = job.target.depth.as_ptr();
        self.to_survivors = if key.tells_survivors { blocks_to_survivors(job.blocks, job.survivors)? } else { 0 };
        self.width = job.target.width;
        self.blocks_are_apart = job.target.width.is_multiple_of(key.block.edge()).into();
        self.alpha_reference = [c.alpha_reference as i32; 4];
        self.stencil_reference = [c.stencil_reference as i32; 4];
        self.stencil_input_mask = [c.stencil_input_mask as i32; 4];
        self.stencil_write_mask = [c.stencil_write_mask as i32; 4];
        self.depth_scale = [c.depth_scale; 4];
        self.depth_offset = [c.depth_offset; 4];
        self.shadow_constant = [c.shadow_constant; 4];
        self.shadow_linear = [c.shadow_linear; 4];
        self.fog_color = [fog_r, fog_g, fog_b];
        self.stage_color = c.stage_color.map(pair);
        self.buffer_color = pair(c.buffer_color);
        self.blend_color = pair(c.blend_color);
        self.pool.iter_mut().zip(pool).for_each(|(to, from)| *to = *from);
        Ok(())
    }

    /// Fills in the units that not all kernels use.
    fn fill_units(&mut self, key: &PixelKey, plan: &Plan, job: &PixelJob<'_>) -> Result<(), Unsupported> {
        if key.fog.is_some() {
            self.fog = job.fog.ok_or(Unsupported("no fog table"))?.as_ptr();
        }
        for (unit, args) in self.textures.iter_mut().enumerate().filter(|&(unit, _)| plan.textures[unit]) {
            *args = texture(key, unit, &job.textures[unit], &job.constants.texture[unit])?;
        }
        if let Some(key) = key.procedural.as_ref().filter(|_| plan.procedural.any()) {
            self.procedural = ProceduralArgs::new(key, job.procedural)?;
        }
        if let Some(key) = key.lighting.as_deref().filter(|_| plan.lighting()) {
            self.lighting.fill(key, job.lighting)?;
        }
        if key.density.is_some() || plan.gas(key).is_some() {
            self.gas = GasArgs::new(&job.constants.gas);
        }
        Ok(())
    }
}

impl Frame {
    /// The frame of no job.
    pub fn new() -> Box<Frame> {
        let args = PixelArgs { masks: MASKS, places: PLACES, ..PixelArgs::zeroed() };
        Box::new(Frame { args, scratch: MaybeUninit::uninit() })
    }
}

/// Every block lies inside the surfaces and refers to a primitive with all its varyings.
fn check_blocks(key: &PixelKey, job: &PixelJob<'_>) -> Result<(), Unsupported> {
    let varyings = key.varyings();
    let fits = |primitive: usize| {
        job.primitives.get(primitive).is_some_and(|p| {
            p.flags & triglyph_guest::kernel::pixel::WIDE_EDGES == 0
                && (p.first_varying as usize).checked_add(varyings).is_some_and(|end| end <= job.varyings.len())
        })
    };
    let (mut first, mut end) = (u64::MAX, 0);
    check::blocks(job.blocks.iter(), fits, |block| {
        let pixel = pixel_index(key.block, block, job.target.width);
        first = first.min(pixel);
        end = end.max(pixel + 64);
    })?;
    if job.blocks.is_empty() {
        return Ok(());
    }
    let mut spans = Spans::<2>::new();
    if let Some(bytes) = key.color_format.map(|format| u64::from(format.bytes())) {
        spans.add(job.target.color, first * bytes, end * bytes)?;
    }
    if let Some(bytes) = key.depth_format.map(|format| u64::from(format.bytes())) {
        spans.add(job.target.depth, first * bytes, end * bytes)?;
    }
    Ok(())
}

/// Index of a block's first pixel, without wrapping.
fn pixel_index(layout: Block, block: &PixelBlock, width: u32) -> u64 {
    let (x, row, width) = (u64::from(block.x), u64::from(block.row), u64::from(width));
    match layout {
        Block::B8 => row * width + x * 8,
        Block::B32 => {
            let inside = u64::from(triglyph_guest::layout::morton(block.x.into(), block.row.into()));
            (row & !31) * width + (x & !31) * 32 + inside
        }
    }
}

/// Checks that a unit's decoded texels are complete and translates its state.
fn texture(
    key: &PixelKey,
    unit: usize,
    texture: &Texture<'_>,
    c: &TextureConstants,
) -> Result<TextureArgs, Unsupported> {
    let (width, height) = (c.width, c.height);
    if !(width.is_power_of_two() && height.is_power_of_two() && width <= 0x4000 && height <= 0x4000) {
        return Err(Unsupported("texture dimensions"));
    }
    let unit_key = &key.textures[unit];
    let whole = |v: f32| v == v.floor() && (0.0..LEVELS as f32).contains(&v);
    if unit_key.needs_lod() && !(whole(c.lod_min) && whole(c.lod_max)) {
        return Err(Unsupported("mipmap levels"));
    }
    let last = if unit_key.needs_lod() && unit_key.mipmap.is_some() { c.lod_max as u32 } else { 0 };
    if width >> last < 2 || height >> last < 2 {
        return Err(Unsupported("levels of less than two texels a side"));
    }
    let mut level_offset = [0; LEVELS];
    let mut words = 0;
    for level in 0..=last {
        level_offset[level as usize] = words;
        words += (width >> level) * (height >> level);
    }
    let faces = if unit_key.kind.is_cube() { 6 } else { 1 };
    let face_words = if faces == 1 { 0 } else { texture.face_words };
    let needed = (faces - 1) * face_words + words as usize + 4;
    if texture.decoded.len() < needed || needed > 1 << 30 {
        return Err(Unsupported("a texture that is not decoded"));
    }
    let size = [[width as f32; 4], [height as f32; 4]];
    Ok(TextureArgs {
        texels: texture.decoded.as_ptr(),
        above: texture.decoded.as_ptr().wrapping_sub(width as usize),
        texels_twice: [texture.decoded.as_ptr(); 2],
        face_words: face_words as u32,
        reserved: 0,
        size,
        size256: size.map(|axis| axis.map(|v| v * 256.0)),
        last: [[width as i32 - 1; 4], [height as i32 - 1; 4]],
        width: [width as i32; 4],
        border: [c.border; 4],
        lod_bias: [c.lod_bias; 4],
        lod_min: [c.lod_min; 4],
        lod_max: [c.lod_max; 4],
        lod_max_int: [c.lod_max as i32; 4],
        shadow_bias: [c.shadow_bias as i32; 4],
        level_offset,
    })
}
