//! Pending work of commands, in their order: a scene that is drawn in the background, closed scenes and transfers, the
//! setup of a large draw, and the open scene that it belongs to.
//!
//! A bounded run returns soon after an interrupt, so it draws in pieces. Between two commands that is simple: the scene
//! is closed, and what is left of it is drawn by the next run, before its first command. Commands are not left in the
//! middle. A draw that does not belong to the scene before it (another target, a texture that lies in it) only closes
//! that scene; it is drawn after the command, which does not depend on it: programs sample when their own scene is
//! drawn. Large clears and copies are done after their command as well, in order with the scenes, and so is the setup
//! of a large draw, whose scene stays open. Everything else that reads memory finishes pending work first, however long
//! that takes.

use std::collections::VecDeque;
use std::time::Instant;

use super::open::OpenDrawing;
use super::pipeline::Pipeline;
use super::{Background, Renderer};
use crate::mem::{GuestRange, Memory};
use crate::raster::{DrawContext, Drawing};
use crate::scene::{FULL, FULL_VARYINGS, Scene, SceneKind};
use crate::sched::Interrupter;
use crate::trace;
use crate::transfer::{Progress, Request, Transfers};

/// A piece of pending work, and its progress.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all pending work is scenes, and the list of it is kept")]
enum Work<P: Pipeline> {
    Scene(Box<Scene<P>>, Drawing<P::Prepared>),
    Transfer(Request, Progress),
}

/// See the module's documentation. The open scene itself is the renderer's.
#[derive(Debug)]
pub(super) struct Pending<P: Pipeline> {
    pub(super) background: Background<P>,
    /// Closed scenes and transfers after them, oldest first.
    closed: VecDeque<Work<P>>,
    /// A draw in the open scene.
    pub(super) setup: Option<P::Setup>,
    /// Outcomes of draws that were set up, until the machine takes them.
    pub(super) outcomes: Vec<P::Outcome>,
    /// The part of the open scene that is drawn for observers.
    pub(super) open: OpenDrawing<P::Prepared>,
    /// Empty scenes, kept for their allocations.
    spare: Vec<Scene<P>>,
}

/// How much pending work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// Everything before the open scene.
    Open,
    /// Everything.
    Idle,
}

/// Closed scenes from which on they are drawn even if that lets an interrupt wait: one command may make any number.
const MAX_SCENES: usize = 64;

/// The same of their primitives.
const MAX_PRIMITIVES: usize = 2 * FULL;

/// The same of their varyings.
const MAX_VARYINGS: usize = 2 * FULL_VARYINGS;

/// The same of scenes with programs that may run long: each may use a half of the fuel.
const MAX_LOOPING: usize = 4;

/// Bytes of the allocations of empty scenes that are kept.
const MAX_SPARE: usize = 64 << 20;

/// Size of the closed scenes.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    primitives: usize,
    varyings: usize,
    looping: usize,
}

impl Load {
    fn add<K: SceneKind>(&mut self, scene: &Scene<K>) {
        self.primitives += scene.primitives.len();
        self.varyings += scene.varyings.len();
        self.looping += usize::from(scene.reserve != 0);
    }

    /// Whether it should be drawn.
    fn is_full(self) -> bool {
        self.primitives >= MAX_PRIMITIVES || self.varyings >= MAX_VARYINGS || self.looping >= MAX_LOOPING
    }
}

impl<P: Pipeline> Default for Pending<P> {
    fn default() -> Self {
        Pending {
            background: Background::default(),
            closed: VecDeque::new(),
            setup: None,
            outcomes: Vec::new(),
            open: OpenDrawing::default(),
            spare: Vec::new(),
        }
    }
}

impl<P: Pipeline> Pending<P> {
    /// Whether there is nothing before the open scene.
    #[inline]
    fn is_open(&self) -> bool {
        self.closed.is_empty() && self.setup.is_none() && self.outcomes.is_empty()
    }

    /// Whether the closed scenes are so large that they should be drawn.
    fn is_full(&self) -> bool {
        let mut load = Load::default();
        for work in &self.closed {
            if let Work::Scene(scene, _) = work {
                load.add(scene);
            }
        }
        self.closed.len() >= MAX_SCENES || load.is_full()
    }

    /// An empty scene, for one that is taken.
    pub(super) fn empty(&mut self) -> Scene<P> {
        self.spare.pop().unwrap_or_else(|| Scene::new(P::NOWHERE))
    }

    /// Empties a scene and keeps it for its allocations, unless there are so many bytes of those already. The contents
    /// of its states are dropped.
    fn keep_spare(&mut self, mut scene: Scene<P>) {
        let kept: usize = self.spare.iter().map(Scene::room).sum();
        if kept + scene.room() <= MAX_SPARE {
            scene.reset(scene.target);
            self.spare.push(scene);
        }
    }

    /// Adds a transfer after the other closed work.
    pub(super) fn push_transfer(&mut self, request: &Request) {
        self.closed.push_back(Work::Transfer(request.clone(), Progress::default()));
    }

    /// Takes a scene back from the background, as the oldest one.
    pub(super) fn take_back(&mut self, scene: Box<Scene<P>>, drawing: Drawing<P::Prepared>) {
        if drawing.is_complete() {
            self.keep_spare(*scene);
        } else {
            self.closed.push_front(Work::Scene(scene, drawing));
        }
    }

    /// Removes the first item, which is done.
    fn remove_first(&mut self) {
        if let Some(Work::Scene(scene, _)) = self.closed.pop_front() {
            self.keep_spare(*scene);
        }
    }
}

impl<P: Pipeline> Renderer<P> {
    /// Begins a bounded run, which may be interrupted, or ends it with `None`.
    pub fn set_interrupter(&mut self, interrupter: Option<Interrupter>) {
        self.interrupter = interrupter;
    }

    /// Whether scenes are closed and not drawn yet, transfers wait for them, or a draw has not been set up or
    /// [taken](Self::take_outcomes).
    #[inline]
    pub fn has_closed(&self) -> bool {
        !self.pending.is_open()
    }

    /// Draws everything that is not drawn yet. Nothing interrupts that.
    #[inline]
    pub fn flush(&mut self, memory: &Memory) {
        self.restart_clocks();
        if self.has_scenes() {
            self.advance(memory, Until::Idle, None);
        }
    }

    /// Does closed work, which nothing interrupts. Returns whether there was any.
    #[inline]
    pub fn flush_closed(&mut self, memory: &Memory) -> bool {
        self.has_closed() && self.advance(memory, Until::Open, None)
    }

    /// Does closed work, and the deferred setup of the open scene.
    pub(super) fn finish_closed(&mut self, memory: &Memory) {
        self.advance(memory, Until::Open, None);
    }

    /// Draws everything that writes any byte of a range, there or where else it is mapped, before the range is read.
    /// Returns whether anything was drawn.
    pub fn flush_overlapping(&mut self, memory: &Memory, range: GuestRange) -> bool {
        let had_closed = self.flush_closed(memory);
        let touched = self.scene_touches(memory, range);
        if touched {
            self.flush(memory);
        }
        touched || had_closed
    }

    /// Draws everything that reads or writes any byte of a range, before the range is written.
    pub fn flush_before_write(&mut self, memory: &Memory, range: GuestRange) {
        self.flush_closed(memory);
        if self.scene_reads(memory, range) {
            self.flush(memory);
        }
        self.flush_overlapping(memory, range);
    }

    /// Does closed work. False if that was interrupted.
    pub fn draw_closed(&mut self, memory: &Memory) -> bool {
        if !self.has_closed() {
            return true;
        }
        let interrupter = self.interrupter.take();
        let is_drawn = self.advance(memory, Until::Open, interrupter.as_ref());
        self.interrupter = interrupter;
        is_drawn
    }

    /// Draws everything before a command that reads memory. False if that was interrupted: the command has to wait, and
    /// this has to be called again. Not for use in the middle of a command.
    pub fn draw_all(&mut self, memory: &Memory) -> bool {
        // A draw that has not been set up is not finished at once, as closing its scene would.
        if !self.draw_closed(memory) {
            return false;
        }
        self.close_scene(memory);
        self.draw_closed(memory)
    }

    /// Closes the scene. In bounded runs it is drawn after the command, otherwise at once.
    pub fn close_scene(&mut self, memory: &Memory) {
        self.finish_setup();
        if self.interrupter.is_none() {
            return self.flush(memory);
        }
        self.restart_clocks();
        self.leave_background(memory);
        if !self.is_scene_empty() {
            let drawing = self.end_open();
            let scene = self.scene.take(self.pending.empty());
            self.pending.closed.push_back(Work::Scene(Box::new(scene), drawing));
        }
        self.end_scene();
        if self.pending.is_full() {
            self.advance(memory, Until::Open, None);
        }
    }

    /// Whether anything may not be drawn yet. Scenes also have states without primitives.
    #[inline]
    fn has_scenes(&self) -> bool {
        !self.scene.states.is_empty() || self.scene.is_continued() || self.has_closed()
    }

    /// Does pending work, oldest first. False if that was interrupted.
    #[inline(never)]
    fn advance(&mut self, memory: &Memory, until: Until, interrupter: Option<&Interrupter>) -> bool {
        self.end_background(memory, interrupter);
        while !self.pending.closed.is_empty() {
            if !self.advance_first(memory, interrupter) {
                return false;
            }
            self.pending.remove_first();
        }
        let is_set_up = self.set_up_until(interrupter);
        if until == Until::Idle {
            self.draw_open(memory);
        }
        is_set_up
    }

    /// Does the rest of the oldest closed work. False if that was interrupted.
    fn advance_first(&mut self, memory: &Memory, interrupter: Option<&Interrupter>) -> bool {
        let _span = trace::flush();
        memory.note_host_writes();
        // A part that an interrupt has left, of a scene that is still open.
        let is_part = self.scene.is_continued();
        let charged = self.textures.take_charged();
        let is_done = match self.pending.closed.front_mut() {
            None => true,
            Some(Work::Scene(scene, drawing)) => {
                let context = DrawContext {
                    memory,
                    scheduler: &self.scheduler,
                    interrupter,
                    removal: (self.removal, &self.kernels),
                    undo: Some(&self.undo),
                };
                let done = P::draw(scene, drawing, &context, &mut self.textures);
                let is_done = drawing.is_complete();
                if is_part {
                    self.hold_back(&done);
                    self.pending.open.charged += self.textures.take_charged();
                } else {
                    self.add_raster(&done);
                }
                is_done
            }
            Some(Work::Transfer(request, progress)) => {
                let transfers = Transfers::new(memory, &self.kernels, &self.scheduler);
                let start = Instant::now();
                transfers.go_on(request, progress, interrupter);
                self.stats.stages.transfer += start.elapsed();
                progress.is_complete()
            }
        };
        self.textures.charge(charged);
        is_done
    }

    /// Draws the open scene and starts an empty one.
    fn draw_open(&mut self, memory: &Memory) {
        if !self.is_scene_empty() {
            let _span = trace::flush();
            // The host may wait for this drawing, and write memory as an answer.
            memory.note_host_writes();
            let mut drawing = self.end_open();
            let context = DrawContext {
                memory,
                scheduler: &self.scheduler,
                interrupter: None,
                removal: (self.removal, &self.kernels),
                undo: Some(&self.undo),
            };
            let done = P::draw(&self.scene, &mut drawing, &context, &mut self.textures);
            self.add_raster(&done);
            self.pending.open.keep(drawing);
        }
        self.end_scene();
    }

    /// Notes that the open scene was drawn, or is closed. States without primitives are dropped as well.
    fn end_scene(&mut self) {
        let target = self.scene.target;
        self.scene.reset(target);
        P::end_scene(&mut self.extra);
    }

    /// Whether the open scene has no primitives, in no part of it.
    #[inline]
    pub(super) fn is_scene_empty(&self) -> bool {
        self.scene.is_empty() && !self.scene.is_continued()
    }

    /// Whether the scene writes any byte of a range, there or where else it is mapped.
    pub(super) fn scene_touches(&mut self, memory: &Memory, range: GuestRange) -> bool {
        !self.is_scene_empty()
            && self.may_touch(memory, range)
            && P::touches(&self.scene.target, &self.extra, memory, range)
    }

    /// Whether the scene reads any byte of a range.
    pub(super) fn scene_reads(&self, memory: &Memory, range: GuestRange) -> bool {
        !self.is_scene_empty() && P::reads(&self.extra, memory, range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::program::{ProgramScene, ProgramTarget, Programs};

    /// The closed scenes, for tests.
    fn closed(scenes: usize, fill: impl Fn(&mut ProgramScene)) -> Pending<Programs> {
        let mut pending = Pending::default();
        for _ in 0..scenes {
            let mut scene = ProgramScene::new(ProgramTarget::NOWHERE);
            fill(&mut scene);
            pending.closed.push_back(Work::Scene(Box::new(scene), Drawing::default()));
        }
        pending
    }

    #[test]
    fn scenes_with_many_values_wait_no_longer() {
        let values = |scene: &mut ProgramScene| scene.varyings.resize(FULL_VARYINGS / 2, [0.0; 3]);
        assert!(!closed(3, values).is_full() && closed(4, values).is_full());
        assert!(!closed(MAX_SCENES - 1, |_| {}).is_full() && closed(MAX_SCENES, |_| {}).is_full());
    }

    #[test]
    fn few_scenes_that_may_run_long_wait() {
        assert!(!closed(3, |scene| scene.reserve = 1).is_full() && closed(4, |scene| scene.reserve = 1).is_full());
    }

    #[test]
    fn large_scenes_are_not_kept() {
        let mut pending = closed(40, |scene| scene.varyings.reserve_exact(FULL_VARYINGS / 8));
        (0..40).for_each(|_| pending.remove_first());
        let kept: usize = pending.spare.iter().map(Scene::room).sum();
        assert!((MAX_SPARE / 2..=MAX_SPARE).contains(&kept), "{kept}");
    }
}
