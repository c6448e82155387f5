//! Arguments of a compiled fragment kernel, and the checks that make a call sound.

use std::mem::{MaybeUninit, offset_of};

use triglyph_guest::kernel::program::fragment::{FragmentJob, MAX_SAMPLES, PixelBlock, Plane, Primitive};
use triglyph_guest::kernel::program::output::{DepthFormat, OutputConstants, Surface, TARGETS};
use triglyph_guest::kernel::{Unsupported, Window};
use triglyph_guest::layout::{SurfaceLayout, unmorton};

use super::plan::{Constants, PLANES, Plan};
use super::tables::{TABLES, Tables};
use super::texture_args::TextureArgs;
use crate::maxwell::args::Context;

/// Capacity of the constant pool in the arguments; further constants follow the code.
pub const POOL: usize = 96;

/// Surfaces of a kernel.
const SURFACES: usize = TARGETS + 1;

/// One value in all lanes.
type Vec4<T> = [T; 4];

/// The arguments. Pointers are valid for all accesses that [`check`] has checked.
#[repr(C, align(64))]
pub struct Args {
    pub blocks: *const BlockArgs,
    pub end: *const BlockArgs,
    /// Program constants, each in four lanes, in the order of [`Constants`].
    pub table: *const Vec4<f32>,
    /// Constant tables.
    pub tables: *const Tables,
    /// Arguments of the sampled units, in order.
    pub textures: *const TextureArgs,
    /// Context of a Maxwell program.
    pub maxwell: *mut Context,
    /// Number of samples that passed, by lane, negated.
    pub passed: Vec4<i32>,
    /// Bytes from one row of pixels to the next of surfaces with rows.
    pub down: [u32; SURFACES],
    /// Offset of each quad of a block: of its first sample.
    pub quads: [[u32; 16]; SURFACES],
    /// Bytes from the first sample of a pixel to each of them.
    pub samples: [[u32; MAX_SAMPLES]; SURFACES],
    /// Sample positions, relative to the pixel's centre.
    pub sample_offsets: [[Vec4<f32>; 2]; MAX_SAMPLES],
    pub alpha_reference: Vec4<f32>,
    /// Blend constants, unclamped and clamped.
    pub blend: [[Vec4<f32>; 4]; 2],
    pub depth_range: [Vec4<f32>; 2],
    pub depth_bounds: [Vec4<f32>; 2],
    /// Reference, mask and write mask of front and back.
    pub stencil: [[Vec4<u32>; 3]; 2],
    pub position_offset: [Vec4<f32>; 2],
    pub position_scale_y: Vec4<f32>,
    pub fog: [Vec4<f32>; 2],
    pub pool: [[u8; 16]; POOL],
}

/// Scratch memory; it is written before it is read.
#[repr(C, align(64))]
pub struct Scratch {
    /// Lane indices that become addresses.
    pub indices: [Vec4<u32>; 4],
    /// Pixels whose sample has passed the tests before the program, by sample.
    pub passed: [Vec4<u32>; MAX_SAMPLES],
    /// Of the current primitive.
    pub planes: [[Vec4<f32>; 3]; PLANES],
    /// Input registers, for programs with relative addressing: with perspective, and without.
    pub inputs: [[[Vec4<f32>; 4]; 16]; 2],
}

/// The arguments and the scratch memory: the code's argument is their address.
#[repr(C)]
pub struct Frame {
    pub args: Args,
    pub scratch: MaybeUninit<Scratch>,
}

/// Eight by eight pixels.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BlockArgs {
    /// Pixels with a covered sample.
    pub coverage: u64,
    /// The block of the first sample, before those of the others.
    pub samples: *const PixelBlock,
    pub primitive: *const Primitive,
    /// Planes of the primitive.
    pub planes: *const Plane,
    pub x: i32,
    pub y: i32,
    /// Address of the first pixel in each surface.
    pub surfaces: [*mut u8; SURFACES],
}

/// Offset of a field of [`Args`] for an addressing mode.
macro_rules! at {
    ($($field:tt)+) => { std::mem::offset_of!($crate::program::args::Args, $($field)+) as i32 };
}
pub(crate) use at;

/// Offset of a field of [`Scratch`] for an addressing mode.
macro_rules! scratch_at {
    ($field:ident) => {
        (std::mem::offset_of!($crate::program::args::Frame, scratch)
            + std::mem::offset_of!($crate::program::args::Scratch, $field)) as i32
    };
}
pub(crate) use scratch_at;

/// Offset of surface `number`'s address in a [`BlockArgs`].
pub const fn surface_at(number: usize) -> i32 {
    (offset_of!(BlockArgs, surfaces) + 8 * number) as i32
}

/// Bounds over all blocks of a job.
struct Extent {
    right: u32,
    bottom: u32,
}

/// Checks that everything a kernel of `plan` touches in `job` is there.
pub fn check(plan: &Plan, job: &FragmentJob<'_>) -> Result<(), Unsupported> {
    let samples = plan.samples.count();
    if !job.blocks.len().is_multiple_of(samples) {
        return Err(Unsupported("a block without all of its samples"));
    }
    let (across, down) = (u32::from(plan.samples.across), u32::from(plan.samples.down));
    let fits = |p: &Primitive| (p.first_plane as usize).saturating_add(plan.planes) <= job.planes.len();
    let mut extent = Extent { right: 0, bottom: 0 };
    let (mut left, mut top) = (u32::MAX, u32::MAX);
    let mut previous = u32::MAX;
    for block in job.blocks.iter().step_by(samples) {
        if block.primitive != previous {
            if !job.primitives.get(block.primitive as usize).is_some_and(fits) {
                return Err(Unsupported("a primitive without its planes"));
            }
            previous = block.primitive;
        }
        if (block.x | block.row) & 7 != 0 {
            return Err(Unsupported("a block off the grid"));
        }
        let (x, y) = (u32::from(block.x) * across, u32::from(block.row) * down);
        (left, top) = (left.min(x), top.min(y));
        extent = Extent { right: extent.right.max(x + 8 * across), bottom: extent.bottom.max(y + 8 * down) };
    }
    if job.blocks.is_empty() {
        return Ok(());
    }
    let mut spans: Vec<(u64, u64)> = Vec::new();
    for surface in plan.surfaces.iter().flatten() {
        let (target, bytes) = (surface.of(job), surface.grid.bytes);
        if surface.layout == SurfaceLayout::Pitch && target.pitch < 8 * bytes * across {
            return Err(Unsupported("rows that overlap"));
        }
        let end = end(surface.layout, bytes, target, &extent)?;
        if end > target.window.len() as u64 {
            return Err(Unsupported("a surface that is too small"));
        }
        let base = target.window.as_ptr() as u64;
        let first = match surface.layout {
            SurfaceLayout::Pitch => surface.layout.offset(left, top, bytes, target.pitch),
            _ => 0,
        };
        let span = (base + first, base + end);
        // Four pixels are read before they are written: only the interpreter keeps the order for overlapping surfaces.
        if spans.iter().any(|other| span.0 < other.1 && other.0 < span.1) {
            return Err(Unsupported("overlapping surfaces"));
        }
        spans.push(span);
    }
    check_depth(plan, &job.constants.output)
}

/// Bytes from the beginning of a surface to the last one that blocks up to `extent` touch.
fn end(layout: SurfaceLayout, bytes: u32, surface: &Surface<'_>, extent: &Extent) -> Result<u64, Unsupported> {
    let Extent { right, bottom } = *extent;
    match layout {
        SurfaceLayout::Pitch => {
            if surface.pitch > 1 << 24 {
                return Err(Unsupported("rows that lie far apart"));
            }
            Ok(u64::from(bottom - 1) * u64::from(surface.pitch) + u64::from(right) * u64::from(bytes))
        }
        SurfaceLayout::Swizzled { log2_width, log2_height } => Ok(u64::from(bytes) << (log2_width + log2_height)),
        SurfaceLayout::BlockLinear { log2_gobs } => {
            let rows = u64::from((bottom - 1) / (8 << log2_gobs));
            let block = rows * u64::from(surface.pitch) + u64::from((right * bytes - 1) / 64);
            Ok(((block + 1) << log2_gobs) * 512)
        }
        SurfaceLayout::BlockSlice { log2_gobs, log2_slices } => {
            let rows = u64::from((bottom - 1) / (8 << log2_gobs));
            let block = rows * u64::from(surface.pitch) + u64::from((right * bytes - 1) / 64);
            // The last block may be partial.
            Ok((((block << log2_slices) + 1) << log2_gobs) * 512)
        }
    }
}

/// Depths outside the range of an unsigned format are unsupported.
fn check_depth(plan: &Plan, constants: &OutputConstants) -> Result<(), Unsupported> {
    let [low, high] = constants.depth_range;
    let inside = low >= 0.0 && high <= 1.0 && low <= high;
    use DepthFormat::{F32, F32S8, S8};
    let signed = plan.depth.is_none_or(|key| matches!(key.format, F32 | F32S8 | S8));
    if inside || signed { Ok(()) } else { Err(Unsupported("depths outside of 0 to 1")) }
}

impl Args {
    /// The arguments of a job that has been checked.
    pub fn new(plan: &Plan, pool: &[[u8; 16]; POOL], job: &FragmentJob<'_>) -> Args {
        let c = job.constants;
        let output = &c.output;
        let clamp = |v: f32| {
            let v = if 0.0 < v { v } else { 0.0 };
            if v < 1.0 { v } else { 1.0 }
        };
        let mut args = Args {
            blocks: std::ptr::null(),
            end: std::ptr::null(),
            table: std::ptr::null(),
            tables: &raw const TABLES,
            textures: std::ptr::null(),
            maxwell: std::ptr::null_mut(),
            passed: [0; 4],
            down: [0; SURFACES],
            quads: [[0; 16]; SURFACES],
            samples: [[0; MAX_SAMPLES]; SURFACES],
            sample_offsets: c.sample_offsets.map(|offset| offset.map(|v| [v; 4])),
            alpha_reference: [output.alpha_reference; 4],
            blend: [output.blend.map(|v| [v; 4]), output.blend.map(|v| [clamp(v); 4])],
            depth_range: output.depth_range.map(|v| [v; 4]),
            depth_bounds: output.depth_bounds.map(|v| [v; 4]),
            stencil: output.stencil.map(|side| [side.reference, side.mask, side.write_mask].map(|v| [v; 4])),
            position_offset: c.position_offset.map(|v| [v; 4]),
            position_scale_y: [c.position_scale_y; 4],
            fog: c.fog.map(|v| [v; 4]),
            pool: *pool,
        };
        for (number, surface) in plan.surfaces.iter().enumerate() {
            let Some(surface) = surface else { continue };
            let pitch = surface.of(job).pitch;
            let (across, down) = (u32::from(plan.samples.across), u32::from(plan.samples.down));
            let offset = |x, y| surface.layout.offset(x, y, surface.grid.bytes, pitch) as u32;
            args.down[number] = pitch * down;
            args.quads[number] = std::array::from_fn(|quad| {
                let (x, y) = unmorton(quad as u32);
                offset(2 * x * across, 2 * y * down)
            });
            for sample in 0..across * down {
                args.samples[number][sample as usize] = offset(sample % across, sample / across);
            }
        }
        args
    }

    /// The table of program constants, each in four lanes.
    pub fn table(constants: &Constants, job: &FragmentJob<'_>) -> Result<Vec<Vec4<f32>>, Unsupported> {
        let value = |&(number, component): &(u16, u8)| {
            let constant = job.program_constants.get(usize::from(number))?;
            Some([constant[usize::from(component & 3)]; 4])
        };
        constants.iter().map(value).collect::<Option<_>>().ok_or(Unsupported("constants that are not there"))
    }

    /// The state of the units that are sampled.
    pub fn textures(plan: &Plan, job: &FragmentJob<'_>) -> Result<Vec<TextureArgs>, Unsupported> {
        plan.textures.iter().map(|&(unit, ref key)| TextureArgs::new(key, &job.textures[unit])).collect()
    }
}

/// Blocks translated at a time.
pub const CHUNK: usize = 32;

/// Translates the first of `blocks`, which have been checked, and computes their addresses; the blocks of a pixel's
/// samples become one. Returns the number of translated blocks.
pub fn translate(
    plan: &Plan,
    job: &FragmentJob<'_>,
    blocks: &[PixelBlock],
    out: &mut [MaybeUninit<BlockArgs>; CHUNK],
) -> usize {
    let (across, down) = (u32::from(plan.samples.across), u32::from(plan.samples.down));
    let mut count = 0;
    for (samples, out) in blocks.chunks_exact(plan.samples.count()).zip(out) {
        let block = &samples[0];
        let primitive = &job.primitives[block.primitive as usize];
        let (x, y) = (u32::from(block.x), u32::from(block.row));
        let mut surfaces = [std::ptr::null_mut(); SURFACES];
        for (address, surface) in surfaces.iter_mut().zip(&plan.surfaces) {
            if let Some(surface) = surface {
                let Surface { window, pitch } = *surface.of(job);
                let offset = surface.layout.offset(x * across, y * down, surface.grid.bytes, pitch);
                *address = place(&window, offset);
            }
        }
        out.write(BlockArgs {
            coverage: samples.iter().fold(0, |covered, sample| covered | sample.coverage),
            samples: samples.as_ptr(),
            primitive,
            planes: job.planes[primitive.first_plane as usize..].as_ptr(),
            x: x as i32,
            y: y as i32,
            surfaces,
        });
        count += 1;
    }
    count
}

/// The address `offset` bytes into a window.
fn place(window: &Window<'_>, offset: u64) -> *mut u8 {
    window.as_ptr().wrapping_add(offset as usize)
}
