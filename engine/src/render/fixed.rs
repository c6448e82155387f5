//! The renderer of fixed-function fragments.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

use super::Renderer;
use super::pipeline::Pipeline;
use super::setup::FixedDraw;
use crate::device::DroppedPrimitives;
use crate::draw::{Assembler, Batch, Setup, Shaded, shade};
use crate::mem::{GuestRange, Memory};
use crate::probe::Effect;
use crate::scene::{Allowance, DrawState, Fixed, Scene, SceneTarget};
use crate::sched::Scheduler;
use crate::trace;

impl Pipeline for Fixed {
    /// Vertices of the draw before, for their memory.
    type Extra = Shaded;
    type Setup = FixedDraw;
    type Outcome = Infallible;

    const NOWHERE: SceneTarget = SceneTarget::NOWHERE;

    fn surfaces(target: &SceneTarget) -> impl Iterator<Item = GuestRange> {
        target.ranges()
    }

    fn touches(target: &SceneTarget, _extra: &Shaded, memory: &Memory, range: GuestRange) -> bool {
        target.touches(memory, range)
    }

    /// Textures are checked when the scene is drawn, and the 3DS draws everything before it writes.
    fn reads(_extra: &Shaded, _memory: &Memory, _range: GuestRange) -> bool {
        false
    }

    fn end_scene(_extra: &mut Shaded) {}

    fn set_up(
        setup: &mut FixedDraw,
        scene: &mut Scene,
        _extra: &mut Shaded,
        _scheduler: &Scheduler,
        is_interrupted: impl Fn() -> bool + Sync,
    ) -> (u64, bool) {
        setup.go_on(scene, is_interrupted)
    }

    fn finish(setup: FixedDraw, extra: &mut Shaded) -> Option<Infallible> {
        *extra = setup.into_shaded();
        None
    }
}

/// A draw call after shading: state, and the order in which vertices form primitives.
#[derive(Debug)]
pub struct DrawCall<'a> {
    /// Surfaces.
    pub target: SceneTarget,
    /// What its pixels need.
    pub state: Arc<DrawState>,
    /// What its primitives need.
    pub setup: &'a Setup,
    /// Numbers of the shaded vertices, in drawing order.
    pub order: &'a [u32],
    /// Triangles of the order whose winding is turned over, by number, ascending; only geometry programs have any.
    pub turned: &'a [u32],
    /// Fuel for its primitives.
    pub allowance: Allowance,
}

/// Vertices of a draw that are set up between two checks whether its scene is full.
const AT_ONCE: usize = 1 << 14;

impl DrawCall<'_> {
    /// Calls `triangle` with the vertices of each triangle that is complete with the vertices in a range.
    #[inline(always)]
    pub(super) fn assemble(&self, range: Range<usize>, assembler: &mut Assembler, mut triangle: impl FnMut([u32; 3])) {
        let before = self.turned.partition_point(|&turned| 3 * (turned as usize) < range.start);
        let mut turned = self.turned[before..].iter().peekable();
        for (number, &vertex) in range.clone().zip(&self.order[range]) {
            if turned.next_if(|&&turned| 3 * turned as usize == number).is_some() {
                assembler.turn();
            }
            assembler.submit(vertex, &mut triangle);
        }
    }
}

impl Renderer<Fixed> {
    /// Shades a batch of vertices.
    pub fn shade(&mut self, batch: &Batch<'_>) -> Shaded {
        let timer = self.start_vertices(batch.vertices.len());
        let shaded = shade(&self.scheduler, batch, std::mem::take(&mut self.extra));
        self.end_vertices(timer, batch.vertices.len());
        shaded
    }

    /// Assembles and bins a draw; the scene before it is over when the target is another one.
    pub fn draw(&mut self, memory: &Memory, call: &DrawCall<'_>, mut shaded: Shaded, assembler: &mut Assembler) {
        self.finish_setup();
        if self.scene.target != call.target || self.scene.is_full() || call.state.feedback {
            self.close_scene(memory);
            self.scene.reset(call.target);
            self.target_number += 1;
        }
        self.scene.set_state(call.state.clone());
        self.scene.allowance = call.allowance;

        if self.needs_drawn_scene() {
            self.show_open(memory, |_| {});
        }
        let mut first = self.scene.primitives.len();
        let _span = trace::draw(call.order.len());
        let timer = self.setup_clock.start(call.order.len());
        assembler.begin(&mut shaded);
        if self.wants_inputs() {
            self.note_fixed_inputs(memory, call, &shaded, assembler.clone());
        }
        self.stats.draws += 1;
        if !call.state.feedback && self.is_setup_left(call.order.len()) {
            let mut triangles = Vec::with_capacity(call.order.len() / 3);
            call.assemble(0..call.order.len(), assembler, |triangle| triangles.push(triangle));
            let dropped = DroppedPrimitives::default();
            self.note_fixed_draw(memory, call, (triangles.len() as u64, dropped), usize::MAX);
            assembler.end(&shaded);
            self.pending.setup = Some(FixedDraw::new(call.setup, triangles, shaded));
            self.stats.stages.setup += timer.time();
            return;
        }
        let (mut triangles, mut dropped) = (0, DroppedPrimitives::default());
        for start in (0..call.order.len()).step_by(AT_ONCE) {
            // An observed draw is drawn completely. One that reads its own target reads its content before the draw.
            if self.scene.is_full() && !self.is_observed() && !call.state.feedback {
                dropped.add(&self.take_dropped());
                self.close_scene(memory);
                self.scene.set_state(call.state.clone());
                first = 0;
            }
            let (range, scene) = (start..call.order.len().min(start + AT_ONCE), &mut self.scene);
            call.assemble(range, assembler, |t| triangles += u64::from(call.setup.triangle(&shaded, t, scene)));
        }
        assembler.end(&shaded);
        self.extra = shaded;

        dropped.add(&self.take_dropped());
        self.stats.triangles += triangles;
        self.stats.stages.setup += timer.time();
        self.note_fixed_draw(memory, call, (triangles, dropped), first);
        if call.state.feedback {
            self.close_scene(memory);
        } else {
            self.note_drawn(memory, first, &call.state);
        }
    }

    #[inline(always)]
    fn note_fixed_draw(
        &mut self,
        memory: &Memory,
        call: &DrawCall<'_>,
        (primitives, dropped): (u64, DroppedPrimitives),
        first: usize,
    ) {
        if self.is_observed() {
            call.state.drawn_with().note_use();
            let mut draw = call.effect(primitives, dropped);
            if let Some(at) = self.asked_pixel(&draw.surfaces) {
                draw.fragments = self.fragment_history(memory, &draw.surfaces, at, first);
            }
            self.count_fragments(memory, &draw.surfaces, first);
            self.note_effect(Effect::Draw(draw));
        }
    }
}
