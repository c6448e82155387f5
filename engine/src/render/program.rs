//! The renderer of shader pipelines.

use std::sync::Arc;

use super::pipeline::Pipeline;
use super::{DeferredDrawCost, Renderer};
use crate::cache::image::{DecodedImage, ImageSource};
use crate::cost;
use crate::device::DroppedPrimitives;
pub use crate::draw::program::Primitives;
use crate::draw::program::{
    Binned, Drawn, ProgramBatch, ProgramSetup, ProjectedVertices, Records, SetupThreads, UnfinishedDraw, compact,
    primitives, shade_programs,
};
use crate::mem::{Footprint, GuestRange, Memory, UnmappedAccesses};
use crate::probe::Effect;
use crate::scene::Allowance;
use crate::scene::program::{ProgramScene, ProgramState, ProgramTarget, Programs, Surfaces};
use crate::sched::Scheduler;
use crate::trace;

/// Programs of a scene may take one part in so many of the fuel that is left when the first one with a loop draws,
/// beyond what each has: then there is some left for what comes after one without end.
const RESERVE: u64 = 2;

/// Words that the records of a segment's vertices may have: 8 MiB.
const MAX_WORDS: usize = 1 << 21;

/// Vertices of a segment, whatever words their records have. Draws of titles are seldom split: each segment shades the
/// vertices that it shares with another one once more.
const MAX_SEGMENT: usize = 1 << 16;

/// Faults of shader programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShaderFaults {
    /// Accesses to unmapped memory.
    pub unmapped: UnmappedAccesses,
    /// Programs that did not end.
    pub exhausted: u32,
    /// Instructions that programs with loops of pixels have executed beyond those that were paid before.
    pub excess: u64,
    /// Tiles in which such programs had no instructions left.
    pub unfinished: u32,
}

impl ShaderFaults {
    /// Adds the faults of other programs.
    pub fn add(&mut self, more: ShaderFaults) {
        let ShaderFaults { unmapped, exhausted, excess, unfinished } = self;
        *unmapped = unmapped.join(more.unmapped);
        *exhausted = exhausted.wrapping_add(more.exhausted);
        *excess = excess.wrapping_add(more.excess);
        *unfinished = unfinished.wrapping_add(more.unfinished);
    }
}

/// A draw call after shading: state, and the order in which vertices form primitives.
#[derive(Debug)]
pub struct ProgramCall<'a> {
    /// Surfaces.
    pub target: &'a ProgramTarget,
    /// What its pixels need.
    pub state: &'a Arc<ProgramState>,
    /// What its primitives need.
    pub setup: &'a Arc<ProgramSetup>,
    /// Its primitives.
    pub primitives: Primitives<'a>,
    /// Pixels of the stippled line that its first primitive goes on with, if it does.
    pub stipple: u32,
    /// For [`Renderer::take_outcomes`], where the result of the draw may be known only after the command.
    pub deferred_cost: Option<DeferredDrawCost>,
    /// Fuel for its primitives.
    pub allowance: Allowance,
}

/// The memory that the programs in a scene read.
#[derive(Debug, Default)]
struct Reads {
    images: Footprint,
    /// Whether any reads memory by address.
    memory: bool,
    /// Textures that were noted last: many states have the same.
    last: Option<Arc<ProgramState>>,
    /// The surfaces that these are known not to lie in.
    clear_of: Option<Surfaces>,
}

impl Reads {
    fn clear(&mut self) {
        (self.memory, self.last, self.clear_of) = (false, None, None);
        self.images.clear();
    }

    /// Notes what a state reads.
    fn note(&mut self, memory: &Memory, state: &Arc<ProgramState>) {
        self.memory |= state.reaches_memory();
        if self.has_noted(state) {
            return;
        }
        for image in state.images() {
            self.images.add(memory, image.range());
        }
        (self.last, self.clear_of) = (Some(state.clone()), None);
    }

    /// Whether the textures of a state are those that were noted last.
    fn has_noted(&self, state: &ProgramState) -> bool {
        self.last.as_ref().is_some_and(|last| last.has_textures_of(state))
    }

    fn touch(&self, memory: &Memory, range: GuestRange) -> bool {
        self.memory || self.images.touches(memory, range)
    }
}

/// State of a renderer of programs beside the scene.
#[derive(Debug)]
pub struct ProgramExtra {
    /// What the programs in the scene read: images, and whether other memory as well.
    reads: Reads,
    /// Surfaces that the scene touches.
    touched: Surfaces,
    /// Vertices of a segment of a draw, at most.
    max_segment: usize,
    /// Kept for their memory.
    records: Records,
    projected: ProjectedVertices,
    setup_scenes: Vec<ProgramScene>,
}

impl Default for ProgramExtra {
    fn default() -> Self {
        ProgramExtra {
            reads: Reads::default(),
            touched: Surfaces::default(),
            max_segment: MAX_SEGMENT,
            records: Records::default(),
            projected: ProjectedVertices::default(),
            setup_scenes: Vec::new(),
        }
    }
}

impl Pipeline for Programs {
    type Extra = ProgramExtra;
    type Setup = (Box<UnfinishedDraw>, DeferredDrawCost);
    type Outcome = (Drawn, DeferredDrawCost);

    const NOWHERE: ProgramTarget = ProgramTarget::NOWHERE;

    fn surfaces(target: &ProgramTarget) -> impl Iterator<Item = GuestRange> {
        let all = target.rows.checked_sub(1).map(|last| target.ranges(Surfaces::ALL, 0, last));
        all.into_iter().flatten()
    }

    fn touches(target: &ProgramTarget, extra: &ProgramExtra, memory: &Memory, range: GuestRange) -> bool {
        let mut surfaces = target.ranges(extra.touched, 0, target.rows.saturating_sub(1));
        target.overlaps(extra.touched, range) || surfaces.any(|surface| memory.share(surface, range))
    }

    fn reads(extra: &ProgramExtra, memory: &Memory, range: GuestRange) -> bool {
        extra.reads.touch(memory, range)
    }

    fn end_scene(extra: &mut ProgramExtra) {
        extra.touched = Surfaces::default();
        extra.reads.clear();
    }

    fn set_up(
        (draw, _): &mut Self::Setup,
        scene: &mut ProgramScene,
        extra: &mut ProgramExtra,
        scheduler: &Scheduler,
        is_interrupted: impl Fn() -> bool + Sync,
    ) -> (u64, bool) {
        let before = draw.drawn().primitives;
        let threads = SetupThreads { scheduler, scenes: &mut extra.setup_scenes };
        let is_done = draw.go_on(scene, threads, is_interrupted);
        (draw.drawn().primitives - before, is_done)
    }

    fn finish((draw, deferred_cost): Self::Setup, extra: &mut ProgramExtra) -> Option<Self::Outcome> {
        let drawn;
        (drawn, extra.records, extra.projected) = draw.finish();
        Some((drawn, deferred_cost))
    }
}

impl Renderer<Programs> {
    /// Shades a batch of vertices.
    pub fn shade_programs(&mut self, batch: &ProgramBatch<'_>) -> Records {
        let timer = self.start_vertices(batch.vertices.len());
        let records = shade_programs(&self.scheduler, batch, std::mem::take(&mut self.extra.records));
        self.end_vertices(timer, batch.vertices.len());
        records
    }

    /// Bins a draw. The scene before it is over when its target is another one, or when one of the draw's textures lies
    /// in what it writes: textures are what memory holds before a draw. In bounded runs a large one may be set up after
    /// the command; then the result is empty, and its records are kept.
    pub fn draw_programs(&mut self, memory: &Memory, call: &ProgramCall<'_>, records: Records) -> Drawn {
        let (drawn, records) = self.draw_shapes(memory, call, records);
        if records.stride != 0 {
            self.extra.records = records;
        }
        drawn
    }

    /// As [`Self::draw_programs`], for callers that have more to draw of the same vertices.
    pub fn draw_shapes(&mut self, memory: &Memory, call: &ProgramCall<'_>, records: Records) -> (Drawn, Records) {
        let at_once = call.setup.shapes_at_once();
        if call.primitives.len() <= at_once {
            return self.draw_whole(memory, call, records);
        }
        let mut assembled = Vec::new();
        let shapes = match call.primitives {
            Primitives::Shapes(shapes) => shapes,
            Primitives::Order(topology, order) => {
                primitives(topology, call.setup.provoking, order, |shape| assembled.push((shape, 0)));
                &assembled
            }
        };
        let (mut drawn, mut left) = (Drawn { stipple: call.stipple, ..Drawn::default() }, call.allowance);
        for (number, part) in shapes.chunks(at_once).enumerate() {
            let is_last = (number + 1) * at_once >= shapes.len();
            let (own, part) = compact(&records, part);
            let before = |deferred_cost: DeferredDrawCost| DeferredDrawCost {
                pixels_before: deferred_cost.pixels_before + drawn.pixels,
                ..deferred_cost
            };
            let call = ProgramCall {
                primitives: Primitives::Shapes(&part),
                stipple: drawn.stipple,
                deferred_cost: call.deferred_cost.filter(|_| is_last).map(before),
                allowance: left,
                ..*call
            };
            let excess = self.shader_faults.excess;
            drawn.add(self.draw_whole(memory, &call, own).0);
            left = self.scene.allowance;
            left.take_work(self.fuel_since(excess));
        }
        (drawn, records)
    }

    /// Fuel for what programs with loops have executed since they had executed so much.
    fn fuel_since(&self, excess: u64) -> u64 {
        cost::quads(self.shader_faults.excess.wrapping_sub(excess))
    }

    fn draw_whole(&mut self, memory: &Memory, call: &ProgramCall<'_>, records: Records) -> (Drawn, Records) {
        let excess = self.shader_faults.excess;
        self.finish_setup();
        if self.scene.target != *call.target {
            self.close_scene(memory);
            self.scene.reset(*call.target);
            self.target_number += 1;
        } else if self.scene.is_full() || self.reads_scene(memory, call.state) || call.state.reaches_memory() {
            self.close_scene(memory);
        }
        self.extra.reads.note(memory, call.state);
        if self.needs_drawn_scene() {
            self.show_open(memory, |_| {});
        }
        if self.wants_inputs() {
            self.note_program_inputs(memory, call, &records);
        }
        let first = self.scene.primitives.len();
        self.scene.set_state(call.state.clone());
        self.scene.allowance = call.allowance;
        if self.scene.reserve == 0 && call.state.loops() {
            // Fuel that the scene before has taken is not paid yet, if it was drawn just now.
            self.scene.reserve = call.allowance.left().saturating_sub(self.fuel_since(excess)) / RESERVE;
        }
        self.extra.touched = self.extra.touched.union(call.state.surfaces);

        let vertices = match call.primitives {
            Primitives::Order(_, order) => order.len(),
            Primitives::Shapes(shapes) => 3 * shapes.len(),
        };
        let _span = trace::draw(vertices);
        self.stats.draws += 1;
        if let Some(deferred_cost) = call.deferred_cost
            && self.is_setup_left(vertices)
            && !call.state.reaches_memory()
        {
            self.note_program_draw(memory, call, (0, DroppedPrimitives::default()), usize::MAX);
            let (primitives, room) = (call.primitives.into(), std::mem::take(&mut self.extra.projected));
            let draw = UnfinishedDraw::new(call.setup.clone(), primitives, call.stipple, records, room);
            self.pending.setup = Some((Box::new(draw), deferred_cost));
            return (Drawn::default(), Records::default());
        }
        let timer = self.setup_clock.start(vertices);
        let mut out = Binned {
            scene: &mut self.scene,
            projected: &mut self.extra.projected,
            threads: SetupThreads { scheduler: &self.scheduler, scenes: &mut self.extra.setup_scenes },
        };
        let drawn = call.setup.draw(call.primitives, call.stipple, &records, &mut out);
        self.stats.triangles += drawn.primitives;
        self.stats.stages.setup += timer.time();
        let dropped = self.take_dropped();
        self.note_program_draw(memory, call, (drawn.primitives, dropped), first);
        if call.state.reaches_memory() {
            // Later draws write what it reads, or read what it writes.
            self.close_scene(memory);
        } else {
            self.note_drawn(memory, first, call.state);
        }
        (drawn, records)
    }

    #[inline(always)]
    fn note_program_draw(
        &mut self,
        memory: &Memory,
        call: &ProgramCall<'_>,
        (primitives, dropped): (u64, DroppedPrimitives),
        first: usize,
    ) {
        if self.is_observed() {
            call.state.kernel.note_use();
            let mut draw = call.effect(primitives, dropped);
            if let Some(at) = self.asked_pixel(&draw.surfaces) {
                draw.fragments = self.fragment_history(memory, &draw.surfaces, at, first);
            }
            self.count_fragments(memory, &draw.surfaces, first);
            self.note_effect(Effect::Draw(draw));
        }
    }

    /// Vertices of a segment of a draw whose records have so many words: larger draws are split, so that their memory
    /// does not depend on the number of vertices.
    pub fn segment_len(&self, words: usize) -> usize {
        (MAX_WORDS / words.max(1)).clamp(1 << 10, MAX_SEGMENT).min(self.extra.max_segment)
    }

    /// Splits draws of more vertices than this, for tests.
    pub fn set_max_segment(&mut self, vertices: usize) {
        self.extra.max_segment = vertices;
    }

    /// Samples that have passed the tests of draws that count them since the last call, all drawing done.
    pub fn take_samples(&mut self, memory: &Memory) -> u64 {
        self.flush(memory);
        std::mem::take(&mut self.samples)
    }

    /// Pixels of programs with declared resources since the last call, as far as they are drawn.
    pub fn take_pixels(&mut self) -> u64 {
        std::mem::take(&mut self.pixels)
    }

    /// Bytes of textures that were used since the last call, each once per scene.
    pub fn take_texture_bytes(&mut self) -> u64 {
        self.textures.take_charged()
    }

    /// An image as it is in memory now, for vertex programs.
    pub fn image(&mut self, memory: &Memory, source: &Arc<ImageSource>) -> Option<Arc<DecodedImage>> {
        self.flush_overlapping(memory, source.range());
        self.textures.get_alone(memory, &self.scheduler, source, ())
    }

    /// Whether the scene writes memory of a draw's textures.
    fn reads_scene(&mut self, memory: &Memory, state: &ProgramState) -> bool {
        let known = self.extra.reads.has_noted(state);
        if self.scene.is_empty()
            || known && self.extra.reads.clear_of == Some(self.extra.touched) && !self.state_cache_disabled
        {
            return false;
        }
        let reads = state.images().any(|image| self.scene_touches(memory, image.range()));
        if known && !reads {
            self.extra.reads.clear_of = Some(self.extra.touched);
        }
        reads
    }

    /// The faults of programs since the last call.
    pub fn take_shader_faults(&mut self) -> ShaderFaults {
        std::mem::take(&mut self.shader_faults)
    }

    /// Adds the faults of programs of other stages, or of a scene's fragments.
    pub fn add_shader_faults(&mut self, more: ShaderFaults) {
        self.shader_faults.add(more);
    }
}
