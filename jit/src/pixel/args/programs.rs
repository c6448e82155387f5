//! Arguments of a compiled fragment kernel, and the checks that make a call sound.

#![allow(unsafe_code)]

use std::mem::{MaybeUninit, offset_of};
use std::ops::Range;

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::program::fragment::{
    FragmentJob, MAX_SAMPLES, PixelBlock, Plane, Primitive, Samples, UNITS,
};
use triglyph_guest::kernel::program::output::{OutputConstants, Surface};
use triglyph_guest::layout::SurfaceLayout;

use super::Vec4;
use super::check::{self, Spans};
use super::tables::{TABLES, Tables};
use crate::maxwell::args::Context;
use crate::pixel::contract::SURFACES;
use crate::pixel::depth_stencil::plan::Coding;
use crate::pixel::plan::programs::{Constants, PLANES, Plan, SurfacePlan};
use crate::pixel::quads::{AT_ONCE, blocks_to_survivors};
use crate::pixel::sample::programs::args::TextureArgs;
use crate::pixel::target::block_places::BlockPlaces;
use crate::pixel::target::extent::Extent;

/// Capacity of the constant pool in the arguments; further constants follow the code.
pub const POOL: usize = 96;

/// The arguments. Pointers are valid for all accesses that [`check`] has checked.
#[repr(C, align(64))]
pub struct FragmentArgs {
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
    /// See [`blocks_to_survivors`].
    pub to_survivors: isize,
    /// Number of samples that passed, by lane, negated; of each of the quads that are drawn at once.
    pub passed: [Vec4<i32>; AT_ONCE],
    /// The fuel of quads, likewise: units that they have taken of the reserve, and what they have counted beyond four
    /// times the words of their code, the sum of the low bits ([`EXCESS_LOW`]) and that of the bits above.
    pub taken: [Vec4<u32>; AT_ONCE],
    /// Bytes from one row of pixels to the next of surfaces with rows.
    pub down: [u32; SURFACES],
    /// Offset of each quad of a block: of its first sample; of the plan's surfaces.
    pub quads: [MaybeUninit<[u32; 16]>; SURFACES],
    /// Bytes from the first sample of a pixel to each of them; of the plan's surfaces.
    pub samples: [MaybeUninit<[u32; MAX_SAMPLES]>; SURFACES],
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
    /// Constants of the code, as many as it has.
    pub pool: [MaybeUninit<[u8; 16]>; POOL],
}

/// Scratch memory; it is written before it is read.
#[repr(C, align(64))]
pub struct Scratch {
    /// Of the quads that are drawn at once.
    pub quads: [QuadScratch; AT_ONCE],
    /// Of the current primitive.
    pub planes: [[Vec4<f32>; 3]; PLANES],
    /// Input registers, for programs with relative addressing: with perspective, and without.
    pub inputs: [[[Vec4<f32>; 4]; 16]; 2],
}

/// Scratch memory of a quad.
#[repr(C, align(16))]
pub struct QuadScratch {
    /// Lane indices that become addresses.
    pub indices: [Vec4<u32>; 4],
    /// Pixels whose sample has passed the tests before the program, by sample.
    pub passed: [Vec4<u32>; MAX_SAMPLES],
}

/// The arguments and the scratch memory: the code's argument is their address.
#[repr(C)]
pub struct Frame {
    pub args: FragmentArgs,
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
    /// Address of the first pixel in each of the plan's surfaces.
    pub surfaces: [MaybeUninit<*mut u8>; SURFACES],
}

/// Offset of a field of [`FragmentArgs`] for an addressing mode.
macro_rules! at {
    ($($field:tt)+) => { std::mem::offset_of!($crate::pixel::args::programs::FragmentArgs, $($field)+) as i32 };
}
pub(crate) use at;

/// Offset of a field of [`Scratch`] for an addressing mode.
macro_rules! scratch_at {
    ($field:ident) => {
        (std::mem::offset_of!($crate::pixel::args::programs::Frame, scratch)
            + std::mem::offset_of!($crate::pixel::args::programs::Scratch, $field)) as i32
    };
}
pub(crate) use scratch_at;

/// Offset of a field of the first [`QuadScratch`] for an addressing mode.
macro_rules! quad_scratch_at {
    ($field:ident) => {
        $crate::pixel::args::programs::scratch_at!(quads)
            + std::mem::offset_of!($crate::pixel::args::programs::QuadScratch, $field) as i32
    };
}
pub(crate) use quad_scratch_at;

/// What each of the quads that are drawn at once has for itself: offsets from the argument, and the distance from those
/// of the first to those of the second.
pub fn own_of_quads() -> Vec<(Range<i32>, i32)> {
    let (passed, taken, quads) = (at!(passed), at!(taken), scratch_at!(quads));
    let (vector, scratch) = (size_of::<Vec4<i32>>() as i32, size_of::<QuadScratch>() as i32);
    vec![(passed..passed + vector, vector), (taken..taken + vector, vector), (quads..quads + scratch, scratch)]
}

/// The low bits of what a quad has counted. Quads of [`CHUNK`] blocks do not overflow their sum.
pub const EXCESS_LOW: u32 = 0xFFFF;

impl FragmentArgs {
    /// What quads have counted beyond four times the words of their code since the last call.
    pub fn take_excess(&mut self) -> u64 {
        self.taken.iter_mut().fold(0, |sum, [_, low, high, _]| {
            let [low, high] = [low, high].map(|count| u64::from(std::mem::take(count)));
            sum + low + (high << EXCESS_LOW.count_ones())
        })
    }
}

/// The parts of them that quads add to.
pub const COUNTERS: Range<i32> = at!(passed)..at!(taken) + size_of::<Vec4<u32>>() as i32;

/// Offset of surface `number`'s address in a [`BlockArgs`].
pub const fn surface_at(number: usize) -> i32 {
    (offset_of!(BlockArgs, surfaces) + 8 * number) as i32
}

/// A surface of a plan.
pub struct UsedSurface {
    number: usize,
    plan: SurfacePlan,
    places: BlockPlaces,
}

/// The surfaces of a plan.
pub fn used_surfaces(plan: &Plan) -> Vec<UsedSurface> {
    let all = plan.surfaces.iter().enumerate();
    let used = all.filter_map(|(number, surface)| Some((number, (*surface)?)));
    used.map(|(number, surface)| UsedSurface {
        number,
        plan: surface,
        places: BlockPlaces::new(&surface, plan.samples),
    })
    .collect()
}

/// Checks that everything a kernel of `plan` touches in `job` is there.
pub fn check(plan: &Plan, job: &FragmentJob<'_>) -> Result<(), Unsupported> {
    let samples = plan.samples.count();
    if !job.blocks.len().is_multiple_of(samples) {
        return Err(Unsupported("a block without all of its samples"));
    }
    if plan.tells_survivors {
        blocks_to_survivors(job.blocks, job.survivors)?;
    }
    let fits = |primitive: usize| {
        let primitive = job.primitives.get(primitive);
        primitive.is_some_and(|p| (p.first_plane as usize).saturating_add(plan.planes) <= job.planes.len())
    };
    let (mut low, mut high) = ([u16::MAX; 2], [0; 2]);
    check::blocks(job.blocks.iter().step_by(samples), fits, |block| {
        for (axis, at) in [block.x, block.row].into_iter().enumerate() {
            (low[axis], high[axis]) = (low[axis].min(at), high[axis].max(at));
        }
    })?;
    if job.blocks.is_empty() {
        return Ok(());
    }
    let (across, down) = (u32::from(plan.samples.across), u32::from(plan.samples.down));
    let (left, top) = (u32::from(low[0]) * across, u32::from(low[1]) * down);
    let extent = Extent { right: (u32::from(high[0]) + 8) * across, bottom: (u32::from(high[1]) + 8) * down };
    let mut spans = Spans::<SURFACES>::new();
    for surface in plan.surfaces.iter().flatten() {
        let (target, bytes) = (surface.of(job), surface.grid.bytes);
        if surface.layout == SurfaceLayout::Pitch && target.pitch < 8 * bytes * across {
            return Err(Unsupported("rows that overlap"));
        }
        let mut end = end(surface.layout, bytes, target, &extent)?;
        if end > target.window.len() as u64 && surface.layout == SurfaceLayout::Pitch {
            end = self::end(surface.layout, bytes, target, &extent.touched(plan.samples, job.blocks))?;
        }
        let first = match surface.layout {
            SurfaceLayout::Pitch => surface.layout.offset(left, top, bytes, target.pitch),
            _ => 0,
        };
        spans.add(target.window, first, end)?;
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
    let signed = plan.depth.is_none_or(|depth| matches!(depth.coding, None | Some(Coding::F32)));
    if inside || signed { Ok(()) } else { Err(Unsupported("depths outside of 0 to 1")) }
}

/// Program constants, each in four lanes.
pub type Table = Vec<Vec4<f32>>;

/// Fills in the program constants of a job.
pub fn fill_table(table: &mut Table, constants: &Constants, job: &FragmentJob<'_>) -> Result<(), Unsupported> {
    table.clear();
    for &(number, component) in constants {
        let constant = job.program_constants.get(usize::from(number));
        let constant = constant.ok_or(Unsupported("constants that are not there"))?;
        table.push([constant[usize::from(component & 3)]; 4]);
    }
    Ok(())
}

/// The state of sampled units, in order.
pub struct Textures([MaybeUninit<TextureArgs>; UNITS]);

impl Textures {
    /// No state yet.
    #[inline(always)]
    pub const fn none() -> Textures {
        Textures([const { MaybeUninit::uninit() }; UNITS])
    }

    /// Fills in the units of a job.
    pub fn fill(&mut self, plan: &Plan, job: &FragmentJob<'_>) -> Result<(), Unsupported> {
        for (to, &(unit, ref key)) in self.0.iter_mut().zip(&plan.textures) {
            to.write(TextureArgs::new(key, &job.textures[unit])?);
        }
        Ok(())
    }
}

impl Frame {
    /// Fills in the frame of a job that has been checked, but for its blocks. It is written in its place: it is large,
    /// and most of it is not needed by most kernels.
    pub fn fill<'f>(
        frame: &'f mut MaybeUninit<Frame>,
        (samples, used): (Samples, &[UsedSurface]),
        pool: &[[u8; 16]],
        (table, textures): (&Table, &Textures),
        job: &FragmentJob<'_>,
    ) -> &'f mut Frame {
        let c = job.constants;
        let output = &c.output;
        let clamp = |v: f32| {
            let v = if 0.0 < v { v } else { 0.0 };
            if v < 1.0 { v } else { 1.0 }
        };
        let args = frame.as_mut_ptr().cast::<FragmentArgs>();
        macro_rules! write {
            ($($field:ident: $value:expr,)*) => {
                // Without a field this pattern is none.
                let _ = |FragmentArgs { $($field: _,)* quads: _, samples: _, pool: _ }: FragmentArgs| {};
                // SAFETY: the arguments are the first field of the frame, which is all borrowed.
                unsafe { $((&raw mut (*args).$field).write($value);)* }
            };
        }
        write! {
            blocks: std::ptr::null(),
            end: std::ptr::null(),
            table: table.as_ptr(),
            tables: &raw const TABLES,
            textures: textures.0.as_ptr().cast(),
            maxwell: std::ptr::null_mut(),
            to_survivors: blocks_to_survivors(job.blocks, job.survivors).unwrap_or(0),
            passed: [[0; 4]; AT_ONCE],
            taken: [[0; 4]; AT_ONCE],
            down: [0; SURFACES],
            sample_offsets: c.sample_offsets.map(|offset| offset.map(|v| [v; 4])),
            alpha_reference: [output.alpha_reference; 4],
            blend: [output.blend.map(|v| [v; 4]), output.blend.map(|v| [clamp(v); 4])],
            depth_range: output.depth_range.map(|v| [v; 4]),
            depth_bounds: output.depth_bounds.map(|v| [v; 4]),
            stencil: output.stencil.map(|side| [side.reference, side.mask, side.write_mask].map(|v| [v; 4])),
            position_offset: c.position_offset.map(|v| [v; 4]),
            position_scale_y: [c.position_scale_y; 4],
            fog: c.fog.map(|v| [v; 4]),
        }
        // SAFETY: all fields of the arguments were written, but those that may be uninitialised; so may the scratch
        // memory.
        let frame = unsafe { frame.assume_init_mut() };
        for (to, from) in frame.args.pool.iter_mut().zip(pool) {
            to.write(*from);
        }
        frame.args.lay_out(samples, used, job);
        frame
    }
}

impl FragmentArgs {
    /// Fills in where the quads and samples of a block are in each surface.
    fn lay_out(&mut self, samples: Samples, used: &[UsedSurface], job: &FragmentJob<'_>) {
        for UsedSurface { number, plan, places } in used {
            let pitch = plan.of(job).pitch;
            self.down[*number] = pitch * u32::from(samples.down);
            self.quads[*number].write(places.quads(pitch));
            self.samples[*number].write(places.samples(pitch));
        }
    }
}

/// Blocks translated at a time.
pub const CHUNK: usize = 32;

/// Translates the first of `blocks`, which have been checked, and computes their addresses; the blocks of a pixel's
/// samples become one. Returns the number of translated blocks.
pub fn translate(
    (samples, used): (Samples, &[UsedSurface]),
    job: &FragmentJob<'_>,
    blocks: &[PixelBlock],
    out: &mut [MaybeUninit<BlockArgs>; CHUNK],
) -> usize {
    match samples {
        Samples::ONE => translate_blocks(used, job, blocks.iter().map(std::slice::from_ref), out),
        _ => translate_blocks(used, job, blocks.chunks_exact(samples.count()), out),
    }
}

/// The same of the blocks of each pixel's samples.
#[inline(always)]
fn translate_blocks<'b>(
    used: &[UsedSurface],
    job: &FragmentJob<'_>,
    blocks: impl Iterator<Item = &'b [PixelBlock]>,
    out: &mut [MaybeUninit<BlockArgs>; CHUNK],
) -> usize {
    let mut count = 0;
    // Blocks come row by row.
    let mut row = None;
    let mut rows = [std::ptr::null_mut(); SURFACES];
    for (samples, out) in blocks.zip(out) {
        let block = &samples[0];
        let primitive = &job.primitives[block.primitive as usize];
        if row != Some(block.row) {
            row = Some(block.row);
            for (surface, row) in used.iter().zip(&mut rows) {
                let Surface { window, pitch } = surface.plan.of(job);
                *row = window.as_ptr().wrapping_add(surface.places.row(block.row, *pitch) as usize);
            }
        }
        let out = out.write(BlockArgs {
            coverage: samples.iter().fold(0, |covered, sample| covered | sample.coverage),
            samples: samples.as_ptr(),
            primitive,
            planes: job.planes[primitive.first_plane as usize..].as_ptr(),
            x: i32::from(block.x),
            y: i32::from(block.row),
            surfaces: [const { MaybeUninit::uninit() }; SURFACES],
        });
        for (surface, row) in used.iter().zip(&rows) {
            out.surfaces[surface.number].write(row.wrapping_add(surface.places.column(block.x) as usize));
        }
        count += 1;
    }
    count
}
