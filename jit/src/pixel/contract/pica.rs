//! The pixel pipeline of the 3DS: everything is state.

use std::mem::{offset_of, size_of};
use std::ops::Range;

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::pixel::{Compare, PixelBlock, PixelKey, Primitive};
use triglyph_guest::num::ops::Ops;

use super::{BlockAddress, Contract, Early, Layout};
use crate::lane::{Emit, F32x4, I32x4, LANES, Mask, Pair};
use crate::pixel::args::pica::{self as args, POOL, at, scratch_at};
use crate::pixel::depth_stencil::plan::DepthPlan;
use crate::pixel::interpolate::pica::{edges, edges_of_picked, picked};
use crate::pixel::plan::pica::Plan;
use crate::pixel::quad::pica::{COLOR, Corner, DEPTH, Edges, Pica, Quad, QuadPlace, QuadValues};
use crate::pixel::quads::{AT_ONCE, CoveredQuad, PrivateMemory, QuadCount, Stream};
use crate::pixel::setup::pica::{self as setup, planes::Planes};
use crate::pixel::target::surface::QuadAddress;

impl Contract for Pica {
    type Key = PixelKey;
    type Plan = Plan;
    type Needs = ();
    type Frame = args::Frame;
    type Block = Corner;
    type QuadPlace = QuadPlace;
    type QuadValues = QuadValues;
    /// The combined colour, if anything is done with it.
    type Shaded = Option<Pair>;

    const LANES: usize = LANES;
    const QUADS: usize = AT_ONCE;
    const LEARNS: bool = false;
    const DEPTH: usize = DEPTH;
    const LAYOUT: Layout = Layout {
        pool: (at!(pool), POOL),
        blocks: at!(blocks),
        end: at!(end),
        block_bytes: size_of::<PixelBlock>(),
        coverage: offset_of!(PixelBlock, coverage) as i32,
    };

    fn size(plan: &Plan) -> u32 {
        plan.size
    }

    fn picks_pixels(plan: &Plan) -> bool {
        plan.picks_pixels
    }

    fn stream(plan: &Plan) -> Option<Stream> {
        let stream = Stream { blocks: at!(blocks), end: at!(end), are_apart: at!(blocks_are_apart) };
        (plan.picks_pixels && !plan.has_lod).then_some(stream)
    }

    fn private_memory(e: &mut Emit<'_>, _: &Plan) -> PrivateMemory {
        // Where each quad keeps its texels.
        let (first, size) = (i64::from(scratch_at!(quads)), size_of::<args::QuadScratch>() as i64);
        let storage = std::array::from_fn(|quad| e.b.ins().iadd_imm_u(e.args, first + size * quad as i64));
        PrivateMemory { own: args::own_of_quads(), counters: 0..0, storage: Some(storage) }
    }

    fn primitive(e: &mut Emit<'_>, block: Value) -> Value {
        let index = e.load_i32(block, offset_of!(PixelBlock, primitive) as i32);
        let args = e.args;
        let primitives = e.load_i64(args, at!(primitives));
        let index = e.b.ins().uextend(I64, index);
        let offset = e.b.ins().imul_imm_u(index, size_of::<Primitive>() as i64);
        e.b.ins().iadd(primitives, offset)
    }

    fn block(e: &mut Emit<'_>, key: &PixelKey, plan: &Plan, place: BlockAddress) -> Corner {
        let edges = match plan.picks_pixels {
            true => Edges::Anywhere(place),
            false => Edges::Corner(setup::edges(e, place.primitive, place.block)),
        };
        let [color, depth] = setup::addresses(e, key, plan, place.block);
        let survivors = plan.tells_survivors.then(|| {
            let args = e.args;
            let distance = e.load_i64(args, at!(to_survivors));
            e.b.ins().iadd(place.block, distance)
        });
        Corner { edges, color, depth, survivors, planes: Planes::new(e, plan, place.primitive) }
    }

    fn set_up(e: &mut Emit<'_>, key: &PixelKey, plan: &Plan, (): &(), place: BlockAddress) -> Result<(), Unsupported> {
        setup::set_up(e, key, plan, place.primitive);
        Ok(())
    }

    fn four(_: &Emit<'_>, plan: &Plan, _: Range<Block>) -> QuadCount {
        // Texels are waited for, and noise is one long chain of operations.
        let waits = plan.textures.contains(&true) || plan.procedural.any();
        if waits { QuadCount::Four } else { QuadCount::Two }
    }

    fn place(e: &mut Emit<'_>, _: &PixelKey, corner: &Corner, quad: CoveredQuad) -> QuadPlace {
        match corner.edges {
            Edges::Corner(corner) => QuadPlace { edges: edges(e, corner, quad.pixels), picked: None },
            Edges::Anywhere(place) => {
                let picked = picked(e, quad.pixels);
                QuadPlace { edges: edges_of_picked(e, place, picked), picked: Some(picked) }
            }
        }
    }

    fn mask(e: &mut Emit<'_>, cover: Value) -> Mask {
        let mask = e.scale(cover, 16);
        let masks = e.b.ins().iadd(e.args, mask);
        Mask(e.load_ints(masks, at!(masks)).0)
    }

    /// Stencil and depth read and write nothing that the alpha test has not passed, so they come first as a whole when
    /// there is no alpha test, and the depth test alone when it has no side effects.
    fn early(quad: &Quad<'_, '_>) -> Early {
        match quad.key.alpha_test {
            Compare::Always => Early::All,
            _ if quad.plan.depth.is_some_and(|depth| depth.stencil.is_none() && depth.test.is_some()) => Early::Test,
            _ => Early::Nothing,
        }
    }

    fn counts_early(_: &Plan) -> bool {
        false
    }

    /// Targets store the pixels of a block in Morton order: those of a quad are neighbours.
    fn address(quad: &mut Quad<'_, '_>, number: usize) -> Option<QuadAddress> {
        let (base, bytes) = match number {
            COLOR => (quad.block.color?, quad.key.color_format?.bytes()),
            _ => (quad.block.depth?, quad.key.depth_format?.bytes()),
        };
        if let Some(picked) = quad.place.picked {
            let addresses = picked.map(|pixel| {
                let offset = quad.e.scale(pixel, bytes);
                quad.e.b.ins().iadd(base, offset)
            });
            return Some(QuadAddress::scattered(bytes, addresses));
        }
        let offset = quad.e.scale(quad.pixels, bytes);
        Some(QuadAddress::contiguous(bytes, quad.e.b.ins().iadd(base, offset)))
    }

    fn depth_plan(plan: &Plan) -> Option<DepthPlan> {
        plan.depth
    }

    fn test_first(quad: &mut Quad<'_, '_>) {
        if quad.key.shadow.is_some() {
            quad.shadow_test();
        }
    }

    fn depth(quad: &mut Quad<'_, '_>) -> F32x4 {
        quad.depth()
    }

    fn shaded_depth(_: &mut Quad<'_, '_>, _: &Option<Pair>) -> Option<F32x4> {
        None
    }

    /// There are none.
    fn depth_bounds(quad: &mut Quad<'_, '_>) -> [F32x4; 2] {
        [0.0, 1.0].map(|bound| quad.e.f(bound))
    }

    fn stencil_values(quad: &mut Quad<'_, '_>) -> [I32x4; 3] {
        quad.stencil_values()
    }

    /// Both sides are alike.
    fn shows_front(quad: &mut Quad<'_, '_>) -> Mask {
        Mask(quad.e.i(-1).0)
    }

    fn shade(quad: &mut Quad<'_, '_>) -> Result<Option<Pair>, Unsupported> {
        let used = quad.plan.stages[5].any() || quad.plan.gas(quad.key).is_some();
        Ok(used.then(|| quad.combine()))
    }

    fn discard(quad: &mut Quad<'_, '_>, color: &Option<Pair>) {
        if let Some(color) = color.filter(|_| quad.key.alpha_test != Compare::Always) {
            quad.alpha_test(color);
        }
    }

    fn count(_: &mut Quad<'_, '_>) {}

    fn survivors(quad: &mut Quad<'_, '_>) -> Option<Value> {
        quad.block.survivors
    }

    fn write(quad: &mut Quad<'_, '_>, color: &Option<Pair>) {
        let Some(color) = *color else { return };
        if quad.key.shadow.is_some() {
            quad.write_shadow(color);
        } else if let Some(density) = quad.key.density {
            quad.write_density(density.compare, color);
        } else if quad.plan.color_write {
            let color = match quad.plan.gas(quad.key) {
                Some(gas) => quad.gas(gas),
                None if quad.plan.fog(quad.key) => quad.fog(color),
                None => color,
            };
            quad.write(color);
        }
    }
}
