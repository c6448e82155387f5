//! The pixel pipeline of the RSX and the Tegra X1: pixels are shaded by programs.

use std::mem::{offset_of, size_of};
use std::ops::Range;

use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::maxwell::{FUEL_UNIT, MAX_UNITS, PIXEL_FUEL};
use triglyph_guest::kernel::program::fragment::{FragmentKey, Samples};

use super::{BlockAddress, Contract, Early, Layout};
use crate::interleave::has_loop;
use crate::lane::{Emit, F32x4, I32x4, LANES, Mask};
use crate::maxwell::Context;
use crate::pixel::args::programs::{self as args, BlockArgs, POOL, at};
use crate::pixel::args::tables::Tables;
use crate::pixel::depth_stencil::plan::DepthPlan;
use crate::pixel::plan::programs::{DEPTH, PLANES, Plan, ProgramPlan};
use crate::pixel::quad::programs::{Needs, Programs, Quad, QuadPlace, QuadValues, Results};
use crate::pixel::quads::{AT_ONCE, CoveredQuad, PrivateMemory, QuadCount};
use crate::pixel::setup::programs::{self as setup, BlockOrigin};
use crate::pixel::target::surface::QuadAddress;

/// Quads of a block.
const QUADS_OF_BLOCK: u32 = 16;

impl Contract for Programs {
    type Key = FragmentKey;
    type Plan = Plan;
    type Needs = Needs;
    type Frame = args::Frame;
    type Block = BlockOrigin;
    type QuadPlace = QuadPlace;
    type QuadValues = QuadValues;
    type Shaded = Results;

    const LANES: usize = LANES;
    const QUADS: usize = AT_ONCE;
    const LEARNS: bool = true;
    const DEPTH: usize = DEPTH;
    const LAYOUT: Layout = Layout {
        pool: (at!(pool), POOL),
        blocks: at!(blocks),
        end: at!(end),
        block_bytes: size_of::<BlockArgs>(),
        coverage: offset_of!(BlockArgs, coverage) as i32,
    };

    fn size(plan: &Plan) -> u32 {
        plan.size
    }

    fn private_memory(e: &mut Emit<'_>, plan: &Plan) -> PrivateMemory {
        let storage = match &plan.program {
            ProgramPlan::Maxwell(_) => Some(storage_of_quads(e)),
            ProgramPlan::Rsx(_) => None,
        };
        PrivateMemory { own: args::own_of_quads(), counters: args::COUNTERS, storage }
    }

    fn primitive(e: &mut Emit<'_>, block: Value) -> Value {
        e.load_i64(block, offset_of!(BlockArgs, primitive) as i32)
    }

    fn block(e: &mut Emit<'_>, _: &FragmentKey, plan: &Plan, place: BlockAddress) -> BlockOrigin {
        if let ProgramPlan::Maxwell(program) = &plan.program
            && program.graph.counted
        {
            let times = if program.code.per_sample { plan.samples.count() } else { 1 };
            limit_quads(e, times as u32);
        }
        BlockOrigin { address: place.block, distance: setup::distance(e, place) }
    }

    fn set_up(
        e: &mut Emit<'_>,
        _: &FragmentKey,
        _: &Plan,
        needs: &Needs,
        place: BlockAddress,
    ) -> Result<(), Unsupported> {
        if needs.planes.len() > PLANES {
            return Err(Unsupported("too many varyings"));
        }
        setup::set_up(e, &needs.planes, place);
        Ok(())
    }

    /// What computes much needs its registers for two quads, and blocks at the edges of primitives have few of them.
    fn four(e: &Emit<'_>, plan: &Plan, body: Range<Block>) -> QuadCount {
        let waits = !plan.textures.is_empty() && plan.samples == Samples::ONE;
        if waits && !has_loop(e.b.func, body.start, body.end) { QuadCount::FourInCoveredBlocks } else { QuadCount::Two }
    }

    fn place(e: &mut Emit<'_>, _: &FragmentKey, _: &BlockOrigin, quad: CoveredQuad) -> QuadPlace {
        let args = e.args;
        let tables = e.load_i64(args, at!(tables));
        let row = e.b.ins().ishl_imm_u(quad.pixels, 3);
        let row = e.b.ins().iadd(tables, row);
        QuadPlace { inside: [e.load_ints(row, 0), e.load_ints(row, 16)], sample: 0 }
    }

    fn mask(e: &mut Emit<'_>, cover: Value) -> Mask {
        let args = e.args;
        let tables = e.load_i64(args, at!(tables));
        let mask = e.scale(cover, 16);
        let masks = e.b.ins().iadd(tables, mask);
        Mask(e.load_ints(masks, offset_of!(Tables, masks) as i32).0)
    }

    fn draw(quad: Quad<'_, '_>) -> Result<(), Unsupported> {
        if quad.plan.samples == Samples::ONE { quad.phases() } else { quad.whole_of_samples() }
    }

    fn early(quad: &Quad<'_, '_>) -> Early {
        quad.plan.early
    }

    fn counts_early(plan: &Plan) -> bool {
        plan.counts_early
    }

    fn address(quad: &mut Quad<'_, '_>, number: usize) -> Option<QuadAddress> {
        quad.surface_address(number)
    }

    fn depth_plan(plan: &Plan) -> Option<DepthPlan> {
        plan.depth
    }

    fn test_first(_: &mut Quad<'_, '_>) {}

    fn depth(quad: &mut Quad<'_, '_>) -> F32x4 {
        quad.depth()
    }

    fn shaded_depth(quad: &mut Quad<'_, '_>, results: &Results) -> Option<F32x4> {
        let depth = results.depth.filter(|_| quad.plan.depth.is_some());
        depth.map(|depth| quad.clamp_depth(depth))
    }

    fn depth_bounds(quad: &mut Quad<'_, '_>) -> [F32x4; 2] {
        quad.depth_bounds()
    }

    fn stencil_values(quad: &mut Quad<'_, '_>) -> [I32x4; 3] {
        quad.stencil_values()
    }

    fn shows_front(quad: &mut Quad<'_, '_>) -> Mask {
        quad.shows_front()
    }

    fn shade(quad: &mut Quad<'_, '_>) -> Result<Results, Unsupported> {
        quad.program()
    }

    fn discard(quad: &mut Quad<'_, '_>, results: &Results) {
        quad.kill(results);
        quad.alpha_test(results);
    }

    fn count(quad: &mut Quad<'_, '_>) {
        quad.count_alive();
    }

    fn survivors(quad: &mut Quad<'_, '_>) -> Option<Value> {
        quad.plan.tells_survivors.then(|| {
            let (e, block) = (&mut *quad.e, quad.block.address);
            let args = e.args;
            let samples = e.load_i64(block, offset_of!(BlockArgs, samples) as i32);
            let distance = e.load_i64(args, at!(to_survivors));
            e.b.ins().iadd(samples, distance)
        })
    }

    fn write(quad: &mut Quad<'_, '_>, results: &Results) {
        quad.colors(results);
    }
}

/// Sets how many instructions each quad of a block may execute, `times` as often.
fn limit_quads(e: &mut Emit<'_>, times: u32) {
    let args = e.args;
    let context = e.load_i64(args, at!(maxwell));
    let reserve = e.load_i32(context, offset_of!(Context, reserve) as i32);
    let mut taken = e.load_i32(args, at!(taken));
    for quad in 1..AT_ONCE as i32 {
        let more = e.load_i32(args, at!(taken) + 16 * quad);
        taken = e.b.ins().iadd(taken, more);
    }
    let most = e.b.ins().umax(reserve, taken);
    let left = e.b.ins().isub(most, taken);
    // Numbers of samples are powers of two, and vectors of 256 bits are not for code with divisions.
    let part = e.b.ins().ushr_imm_u(left, i64::from((QUADS_OF_BLOCK * times).ilog2()));
    let most = e.i32(MAX_UNITS as i32);
    let units = e.b.ins().umin(part, most);
    let more = e.b.ins().ishl_imm_u(units, i64::from(FUEL_UNIT.trailing_zeros()));
    let limit = e.b.ins().iadd_imm_u(more, i64::from(PIXEL_FUEL));
    e.store(limit, context, offset_of!(Context, limit) as i32);
}

/// Where each of the quads that are drawn at once stores what a Maxwell program keeps between its blocks.
fn storage_of_quads(e: &mut Emit<'_>) -> [Value; AT_ONCE] {
    let args = e.args;
    let context = e.load_i64(args, at!(maxwell));
    let first = e.load_i64(context, offset_of!(Context, storage) as i32);
    // The first one is a value of its own, too: where registers need no memory, nothing may use it but their slots.
    std::array::from_fn(|quad| e.b.ins().iadd_imm_u(first, 16 * quad as i64))
}
