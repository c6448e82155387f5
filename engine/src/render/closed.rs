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
use crate::scene::{Kind, Scene};
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

/// Takes a scene, and leaves an empty one with the same target.
pub(super) fn take<K: Kind>(scene: &mut Scene<K>, spare: &mut Vec<Scene<K>>) -> Scene<K> {
    let mut empty = spare.pop().unwrap_or_else(|| Scene::new(scene.target));
    empty.reset(scene.target);
    std::mem::replace(scene, empty)
}

impl ClosedWork {
    #[inline]
    fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.setup.is_none() && self.accounts.is_empty()
    }

    /// Notes a transfer that comes after what is closed.
    pub(super) fn push_transfer(&mut self, request: &Request) {
        self.queue.push_back(Work::Transfer(request.clone(), Progress::default()));
    }

    /// A scene that is older than all others comes back from the background.
    pub(super) fn take_back(&mut self, scene: Box<Scene>, drawing: Drawing<PreparedState>) {
        if drawing.is_complete() {
            self.keep_spare(*scene);
        } else {
            self.queue.push_front(Work::Scene(scene, drawing));
        }
    }

    /// What the states of a scene hold is let go.
    fn keep_spare(&mut self, mut scene: Scene) {
        scene.reset(scene.target);
        self.spare.push(scene);
    }

    /// The first is done.
    fn remove_first(&mut self) {
        match self.queue.pop_front() {
            Some(Work::Scene(scene, _)) => self.keep_spare(*scene),
            Some(Work::Programs(mut scene, _)) => {
                scene.reset(scene.target);
                self.spare_programs.push(*scene);
            }
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
