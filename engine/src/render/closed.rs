//! Scenes that are closed and not drawn yet.
//!
//! A bounded run returns soon after an interrupt, so it draws in pieces. Between two commands that is simple: the scene
//! is closed, and what is left of it is drawn by the next run, before its first command. Commands are not left in the
//! middle. A draw that does not belong to the scene before it (another target, a texture that lies in it) only closes
//! that scene; it is drawn after the command, which does not depend on it: programs sample when their own scene is
//! drawn. Everything else that looks at memory has closed scenes drawn first, however long that takes.

use std::collections::VecDeque;

use super::Renderer;
use crate::mem::Memory;
use crate::raster::{self, DrawContext, Drawing};
use crate::scene::{Kind, Scene};
use crate::sched::Interrupter;
use crate::trace;

/// Closed scenes of a kind, oldest first.
#[derive(Debug)]
pub(super) struct ClosedScenes<K: Kind, P> {
    scenes: VecDeque<(Scene<K>, Drawing<P>)>,
    /// Empty scenes, kept for their allocations.
    spare: Vec<Scene<K>>,
}

impl<K: Kind, P> Default for ClosedScenes<K, P> {
    fn default() -> Self {
        ClosedScenes { scenes: VecDeque::new(), spare: Vec::new() }
    }
}

impl<K: Kind, P> ClosedScenes<K, P> {
    /// Closes a scene, which is empty then.
    pub(super) fn close(&mut self, scene: &mut Scene<K>) {
        let mut empty = self.spare.pop().unwrap_or_else(|| Scene::new(scene.target));
        empty.reset(scene.target);
        self.scenes.push_back((std::mem::replace(scene, empty), Drawing::default()));
    }

    fn remove_first(&mut self) {
        if let Some((mut scene, _)) = self.scenes.pop_front() {
            // What its states hold is let go.
            scene.reset(scene.target);
            self.spare.push(scene);
        }
    }
}

impl Renderer {
    /// A bounded run begins, which may be interrupted; or, with `None`, it ends.
    pub fn set_interrupter(&mut self, interrupter: Option<Interrupter>) {
        self.interrupter = interrupter;
    }

    /// Whether scenes are closed and not drawn yet.
    #[inline]
    pub fn has_closed_scenes(&self) -> bool {
        !self.closed.scenes.is_empty() || !self.closed_programs.scenes.is_empty()
    }

    /// Draws closed scenes. False if that was interrupted.
    pub fn draw_closed(&mut self, memory: &Memory) -> bool {
        if !self.has_closed_scenes() {
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
        self.close_scene(memory);
        self.draw_closed(memory)
    }

    /// The scene is over. In bounded runs it is drawn after the command, otherwise at once.
    pub(super) fn close_scene(&mut self, memory: &Memory) {
        if self.interrupter.is_none() {
            return self.flush(memory);
        }
        self.restart_clocks();
        if !self.scene.is_empty() {
            self.closed.close(&mut self.scene);
        }
        if !self.programs.is_empty() {
            self.closed_programs.close(&mut self.programs);
        }
        self.end_programs();
    }

    /// Draws closed scenes, which nothing interrupts. Returns whether there were any.
    #[inline]
    pub fn flush_closed(&mut self, memory: &Memory) -> bool {
        self.has_closed_scenes() && self.draw_closed_until(memory, None)
    }

    /// Draws closed scenes, oldest first. False if that was interrupted.
    pub(super) fn draw_closed_until(&mut self, memory: &Memory, interrupter: Option<&Interrupter>) -> bool {
        while let Some((scene, drawing)) = self.closed.scenes.front_mut() {
            let _span = trace::flush();
            memory.note_host_writes();
            let context = DrawContext { memory, scheduler: &self.scheduler, interrupter };
            let done = raster::draw(scene, drawing, &context, &mut self.textures);
            let is_drawn = drawing.is_complete();
            self.add_raster(&done);
            if !is_drawn {
                return false;
            }
            self.closed.remove_first();
        }
        while let Some((scene, drawing)) = self.closed_programs.scenes.front_mut() {
            let _span = trace::flush();
            memory.note_host_writes();
            let context = DrawContext { memory, scheduler: &self.scheduler, interrupter };
            let done = raster::draw_programs(scene, drawing, &context, &mut self.images);
            let is_drawn = drawing.is_complete();
            self.add_programs(&done);
            if !is_drawn {
                return false;
            }
            self.closed_programs.remove_first();
        }
        true
    }
}
