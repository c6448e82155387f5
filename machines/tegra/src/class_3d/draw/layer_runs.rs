//! From shapes to a scene: runs of primitives of one layer and one viewport.

use std::borrow::Cow;

use smallvec::{SmallVec, smallvec};
use triglyph_guest::tegra::header::program::attribute;
use triglyph_guest::tegra::methods::threed::{ReportKind, regs as r};

use super::geometry::{LAYER, VIEWPORT, VIEWPORT_MASK};
use super::shapes::Shapes;
use super::statistics;
use crate::class_3d::ThreeD;
use crate::class_3d::programs::stage::Records;
use crate::class_3d::state::pixels::TargetView;
use crate::class_3d::state::setup;
use crate::class_3d::state::setup::VIEWPORTS;
use crate::class_3d::state::target::Targets;
use crate::core::Core;
use crate::front_end::registers::Registers;
use crate::front_end::report::Counters;
use triglyph_engine::draw::program::{Drawn, Records as Floats, Shape, compact, has_most};
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::render::DeferredDrawCost;
use triglyph_engine::render::program::{Primitives, ProgramCall};
use triglyph_engine::scene::Allowance;

/// What 64 pixels of a bounding box cost, in nanoseconds of the clock, besides instructions.
const BLOCK: u64 = 8;
/// What an instruction costs for 64 pixels.
const INSTRUCTION: u64 = 4;

impl ThreeD {
    /// Draws shapes.
    pub(crate) fn rasterise(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        records: Records,
        shapes: &Shapes,
    ) {
        if shapes.is_empty() {
            return;
        }
        let targets = self.targets(core, registers);
        if targets.clip.is_none() {
            core.renderer.note_draw_without_target();
            return;
        }
        let runs = runs(registers, &targets, &records, shapes);
        // All shapes of a draw are of one kind.
        let points = match shapes.first() {
            Some((Shape::Point(_), _)) => true,
            Some((Shape::Triangle { .. }, _)) => setup::fills_with_points(registers),
            _ => false,
        };
        let instructions = self.refresh_pixels(core, registers, &targets, &records.set, points);
        let Some(instructions) = instructions else { return };
        let block_time = BLOCK + INSTRUCTION * instructions;
        let counts = statistics::counts(registers, ReportKind::ClipperPrimitivesGenerated);
        let deferred_cost = DeferredDrawCost { block_time, counts, pixels_before: 0 };
        let mut records = floats(registers, records);
        let count = runs.len();
        for (number, (place, shapes)) in runs.into_iter().enumerate() {
            let run =
                Run { place, shapes, is_alone: count == 1, is_last: self.progress.is_last && number + 1 == count };
            let drawn = self.draw_run(core, registers, (&targets, instructions), &run, deferred_cost, &mut records);
            // The next one may find the same wrong.
            core.faults.begin_later_part();
            let Some((drawn, deferred_cost)) = drawn else { continue };
            statistics::count(registers, counters, ReportKind::ClipperPrimitivesGenerated, 0, drawn.primitives);
            let is_paid = core.spend_drawing_time(drawn, deferred_cost);
            self.pay_programs(core);
            if !is_paid {
                break;
            }
        }
        self.vertex_buffers.release_outputs(bytemuck::allocation::cast_vec(records.floats));
    }

    /// Draws a run of the shapes whose vertices `records` are. Its result, and its deferred cost; `None`
    /// where nothing can be drawn.
    fn draw_run(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        (targets, instructions): (&Targets, u64),
        run: &Run<'_>,
        deferred_cost: DeferredDrawCost,
        records: &mut Floats,
    ) -> Option<(Drawn, DeferredDrawCost)> {
        let Run { place, ref shapes, is_alone, is_last } = *run;
        // A run that a segment has begun goes on.
        let mut so_far = self.progress.drawn_at(place);
        let deferred_cost = DeferredDrawCost { pixels_before: so_far.pixels, ..deferred_cost };
        self.progress.run = Some((place, so_far));
        let placed = self.pixels.view(core, registers, targets, place)?;
        let call = ProgramCall {
            target: &placed.target,
            state: &placed.state,
            setup: &placed.setup,
            primitives: Primitives::Shapes(shapes),
            stipple: so_far.stipple,
            deferred_cost: is_last.then_some(deferred_cost),
            allowance: Allowance::new(core.budget.fuel(), cost::pixel(instructions)),
        };
        if !is_alone {
            core.budget.charge(cost::DRAW);
        }
        // As many runs as shapes would otherwise each look at all vertices.
        let drawn = if is_alone || has_most(records, shapes) {
            let (drawn, left) = core.renderer.draw_shapes(&core.memory, &call, std::mem::take(records));
            *records = left;
            drawn
        } else {
            let (own, shapes) = compact(records, shapes);
            let call = ProgramCall { primitives: Primitives::Shapes(&shapes), ..call };
            core.renderer.draw_shapes(&core.memory, &call, own).0
        };
        so_far.add(drawn);
        self.progress.run = Some((place, so_far));
        Some((drawn, deferred_cost))
    }
}

/// Records as floats. Fixed-function colours are limited to 0..1 if registers say so, NaN being 0 (Mesa: vertex colour
/// clamp).
fn floats(registers: &Registers, records: Records) -> Floats {
    let stride = records.set.len();
    let mut floats: Vec<f32> = bytemuck::allocation::cast_vec(records.words);
    if r::set_color_clamp::enable(registers.get(r::set_color_clamp::ID)) {
        let colors = (attribute::FRONT_DIFFUSE..attribute::CLIP_DISTANCE).step_by(4);
        for at in colors.filter_map(|address| setup::at(&records.set, address)) {
            floats.iter_mut().skip(at).step_by(stride).for_each(|v| *v = if *v > 0.0 { v.min(1.0) } else { 0.0 });
        }
    }
    Floats { floats, stride, exhausted: 0, excess: 0 }
}

fn provoking(shape: &Shape) -> u32 {
    match *shape {
        Shape::Point(vertex) => vertex,
        Shape::Line { provoking, .. } | Shape::Triangle { provoking, .. } => provoking,
    }
}

/// Consecutive shapes of one place.
struct Run<'s> {
    place: TargetView,
    shapes: Cow<'s, Shapes>,
    /// The shapes have no other run.
    is_alone: bool,
    /// Nothing of the draw comes after it.
    is_last: bool,
}

/// Shapes by their place: nearly always there is one.
type Runs<'s> = SmallVec<[(TargetView, Cow<'s, Shapes>); 1]>;

/// Consecutive shapes of the same place. A primitive with a viewport mask is in all of its viewports, one after
/// another.
fn runs<'s>(registers: &Registers, targets: &Targets, records: &Records, shapes: &'s Shapes) -> Runs<'s> {
    let index = |word: u8| records.set.index(word);
    let (layer_at, viewport_at, mask_at) = (index(LAYER), index(VIEWPORT), index(VIEWPORT_MASK));
    let layer_at = layer_at.filter(|_| targets.layer.is_none());
    let by_viewport =
        r::set_offset_render_target_index::by_viewport_index(registers.get(r::set_offset_render_target_index::ID));
    if layer_at.is_none() && viewport_at.is_none() && mask_at.is_none() {
        let place = TargetView { layer: targets.layer.unwrap_or(0), viewport: 0 };
        return smallvec![(place, Cow::Borrowed(shapes))];
    }
    let mut runs = Runs::new();
    for &(shape, id) in shapes {
        let record = records.get(provoking(&shape));
        let layer = targets.layer.or(layer_at.map(|at| record[at])).unwrap_or(0);
        let viewport = viewport_at.map_or(0, |at| record[at] as usize);
        let viewport = if viewport < VIEWPORTS { viewport } else { 0 };
        let mask = mask_at.map_or(0, |at| record[at] & 0xFFFF);
        let viewports = (0..VIEWPORTS).filter(|&v| if mask == 0 { v == viewport } else { mask >> v & 1 != 0 });
        for viewport in viewports {
            let layer = if by_viewport { layer.wrapping_add(viewport as u32) } else { layer };
            let place = TargetView { layer, viewport };
            match runs.last_mut() {
                Some((last, shapes)) if *last == place => shapes.to_mut().push((shape, id)),
                _ => runs.push((place, Cow::Owned(vec![(shape, id)]))),
            }
        }
    }
    runs
}
