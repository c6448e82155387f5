//! Scenes that are closed and not drawn yet, transfers that come after them, and the setup of a large draw.
//!
//! A bounded run returns soon after an interrupt, so it draws in pieces. Between two commands that is simple: the scene
//! is closed, and what is left of it is drawn by the next run, before its first command. Commands are not left in the
//! middle. A draw that does not belong to the scene before it (another target, a texture that lies in it) only closes
//! that scene; it is drawn after the command, which does not depend on it: programs sample when their own scene is
//! drawn. Large clears and copies are done after their command as well, in order with the scenes, and so is the setup
//! of a large draw, whose scene stays open. Everything else that looks at memory has closed work done first, however
//! long that takes.

use std::collections::VecDeque;
use std::time::Instant;

use super::Renderer;
use super::setup::{Account, SetupWork};
use crate::draw::program::Drawn;
use crate::mem::Memory;
use crate::raster::{self, DrawContext, Drawing, PreparedProgramState, PreparedState};
use crate::scene::program::ProgramScene;
use crate::scene::{FULL, FULL_VARYINGS, Kind, Scene};
use crate::sched::Interrupter;
use crate::trace;
use crate::transfer::{Progress, Request, Transfers};

/// What commands have left to be done, and how far it is.
#[derive(Debug)]
enum Work {
    Scene(Box<Scene>, Drawing<PreparedState>),
    Programs(Box<ProgramScene>, Drawing<PreparedProgramState>),
    Transfer(Request, Progress),
}

/// Closed scenes and transfers after them, oldest first.
#[derive(Debug, Default)]
pub(super) struct ClosedWork {
    queue: VecDeque<Work>,
    /// A draw in the scene that comes after them.
    pub(super) setup: Option<SetupWork>,
    /// What came of such draws and no machine has taken yet.
    pub(super) accounts: Vec<(Drawn, Account)>,
    /// Empty scenes, kept for their allocations.
    pub(super) spare: Vec<Scene>,
    spare_programs: Vec<ProgramScene>,
}

/// Takes a scene, and leaves an empty one with the same target and fuel.
pub(super) fn take<K: Kind>(scene: &mut Scene<K>, spare: &mut Vec<Scene<K>>) -> Scene<K> {
    let mut empty = spare.pop().unwrap_or_else(|| Scene::new(scene.target));
    empty.reset(scene.target);
    (empty.allowance, empty.taken) = (scene.allowance, std::mem::take(&mut scene.taken));
    std::mem::replace(scene, empty)
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

/// Empties a scene and keeps it for its allocations, unless there are so many bytes of those already. What its states
/// hold is let go.
fn keep_spare<K: Kind>(mut scene: Scene<K>, spare: &mut Vec<Scene<K>>) {
    let kept: usize = spare.iter().map(Scene::room).sum();
    if kept + scene.room() <= MAX_SPARE {
        scene.reset(scene.target);
        spare.push(scene);
    }
}

/// What closed scenes amount to.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    primitives: usize,
    varyings: usize,
    looping: usize,
}

impl Load {
    fn add<K: Kind>(&mut self, scene: &Scene<K>) {
        self.primitives += scene.primitives.len();
        self.varyings += scene.varyings.len();
        self.looping += usize::from(scene.reserve != 0);
    }

    /// Whether it should be drawn.
    fn is_full(self) -> bool {
        self.primitives >= MAX_PRIMITIVES || self.varyings >= MAX_VARYINGS || self.looping >= MAX_LOOPING
    }
}

impl ClosedWork {
    #[inline]
    fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.setup.is_none() && self.accounts.is_empty()
    }

    /// Whether so much is closed that it should be drawn.
    fn is_full(&self) -> bool {
        let mut load = Load::default();
        for work in &self.queue {
            match work {
                Work::Scene(scene, _) => load.add(scene),
                Work::Programs(scene, _) => load.add(scene),
                Work::Transfer(..) => {}
            }
        }
        self.queue.len() >= MAX_SCENES || load.is_full()
    }

    /// Notes a transfer that comes after what is closed.
    pub(super) fn push_transfer(&mut self, request: &Request) {
        self.queue.push_back(Work::Transfer(request.clone(), Progress::default()));
    }

    /// A scene that is older than all others comes back from the background.
    pub(super) fn take_back(&mut self, scene: Box<Scene>, drawing: Drawing<PreparedState>) {
        if drawing.is_complete() {
            keep_spare(*scene, &mut self.spare);
        } else {
            self.queue.push_front(Work::Scene(scene, drawing));
        }
    }

    /// The first is done.
    fn remove_first(&mut self) {
        match self.queue.pop_front() {
            Some(Work::Scene(scene, _)) => keep_spare(*scene, &mut self.spare),
            Some(Work::Programs(scene, _)) => keep_spare(*scene, &mut self.spare_programs),
            Some(Work::Transfer(..)) | None => {}
        }
    }
}

impl Renderer {
    /// A bounded run begins, which may be interrupted; or, with `None`, it ends.
    pub fn set_interrupter(&mut self, interrupter: Option<Interrupter>) {
        self.interrupter = interrupter;
    }

    /// Whether scenes are closed and not drawn yet, transfers wait for them, or a draw has not been set up or
    /// [taken](Self::take_accounts).
    #[inline]
    pub fn has_closed(&self) -> bool {
        !self.closed.is_empty()
    }

    /// Does what is closed. False if that was interrupted.
    pub fn draw_closed(&mut self, memory: &Memory) -> bool {
        if !self.has_closed() {
            return true;
        }
        let interrupter = self.interrupter.take();
        let is_drawn = self.draw_closed_until(memory, interrupter.as_ref());
        self.interrupter = interrupter;
        is_drawn
    }

    /// Draws everything, so that memory shows it, before a command that looks at it. False if that was interrupted: the
    /// command has to wait, and this to be called again. Not for use in the middle of a command.
    pub fn draw_all(&mut self, memory: &Memory) -> bool {
        // A draw that has not been set up is not finished at once, as closing its scene would.
        if !self.draw_closed(memory) {
            return false;
        }
        self.close_scene(memory);
        self.draw_closed(memory)
    }

    /// The scene is over. In bounded runs it is drawn after the command, otherwise at once.
    pub fn close_scene(&mut self, memory: &Memory) {
        self.finish_setup();
        if self.interrupter.is_none() {
            return self.flush(memory);
        }
        self.restart_clocks();
        self.leave_background(memory);
        if !self.scene.is_empty() {
            let drawing = self.end_open_fixed();
            let ClosedWork { queue, spare, .. } = &mut self.closed;
            queue.push_back(Work::Scene(Box::new(take(&mut self.scene, spare)), drawing));
        }
        if !self.programs.is_empty() {
            let drawing = self.end_open_programs();
            let ClosedWork { queue, spare_programs, .. } = &mut self.closed;
            queue.push_back(Work::Programs(Box::new(take(&mut self.programs, spare_programs)), drawing));
        }
        self.end_programs();
        if self.closed.is_full() {
            self.draw_closed_until(memory, None);
        }
    }

    /// Does what is closed, which nothing interrupts. Returns whether there was anything.
    #[inline]
    pub fn flush_closed(&mut self, memory: &Memory) -> bool {
        self.has_closed() && self.draw_closed_until(memory, None)
    }

    /// Does what is closed, oldest first. False if that was interrupted.
    pub(super) fn draw_closed_until(&mut self, memory: &Memory, interrupter: Option<&Interrupter>) -> bool {
        self.end_background(memory, interrupter);
        while let Some(work) = self.closed.queue.front_mut() {
            let _span = trace::flush();
            memory.note_host_writes();
            let context = DrawContext {
                memory,
                scheduler: &self.scheduler,
                interrupter,
                removal: (self.removal, &self.kernels),
                undo: Some(&self.undo),
            };
            let is_done = match work {
                Work::Scene(scene, drawing) => {
                    let done = raster::draw(scene, drawing, &context, &mut self.textures);
                    let is_done = drawing.is_complete();
                    self.add_raster(&done);
                    is_done
                }
                Work::Programs(scene, drawing) => {
                    let done = raster::draw_programs(scene, drawing, &context, &mut self.images);
                    let is_done = drawing.is_complete();
                    self.add_programs(&done);
                    is_done
                }
                Work::Transfer(request, progress) => {
                    let transfers = Transfers::new(memory, &self.kernels, &self.scheduler);
                    let start = Instant::now();
                    transfers.go_on(request, progress, interrupter);
                    self.stats.stages.transfer += start.elapsed();
                    progress.is_complete()
                }
            };
            if !is_done {
                return false;
            }
            self.closed.remove_first();
        }
        self.set_up_until(interrupter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::program::ProgramTarget;

    /// Closed scenes that are made so.
    fn closed(scenes: usize, fill: impl Fn(&mut ProgramScene)) -> ClosedWork {
        let mut closed = ClosedWork::default();
        for _ in 0..scenes {
            let mut scene = ProgramScene::new(ProgramTarget::NOWHERE);
            fill(&mut scene);
            closed.queue.push_back(Work::Programs(Box::new(scene), Drawing::default()));
        }
        closed
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
        let mut closed = closed(40, |scene| scene.varyings.reserve_exact(FULL_VARYINGS / 8));
        (0..40).for_each(|_| closed.remove_first());
        let kept: usize = closed.spare_programs.iter().map(Scene::room).sum();
        assert!((MAX_SPARE / 2..=MAX_SPARE).contains(&kept), "{kept}");
    }
}
