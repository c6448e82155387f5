//! Setup of large draws in bounded runs: it is done after the command, as interrupts divide it.
//!
//! The scene that a draw belongs to stays open meanwhile. Everything that inspects the scene, or draws it, finishes the
//! draw first, and so does the next draw.

use std::time::Instant;

use super::Renderer;
use super::pipeline::Pipeline;
use crate::draw::{Setup, Shaded};
use crate::scene::Scene;
use crate::sched::Interrupter;

/// Minimum number of vertices of a draw whose setup an interrupt can end. So many take two microseconds.
const LARGE: usize = 64;

/// Maximum number of vertices of such a draw: the rest of a draw is held in memory, and all of it goes to one scene.
const MAX_LEFT: usize = 1 << 18;

/// Triangles that are set up at once.
const TRIANGLES: usize = 32;

/// What a machine does with the result of a draw whose setup is deferred until after the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeferredDrawCost {
    /// Nanoseconds of the machine's clock for 64 pixels of bounding boxes.
    pub block_time: u64,
    /// Whether primitives are counted.
    pub counts: bool,
    /// Pixels in the bounding boxes of the draw's segments before, whose time has passed already.
    pub pixels_before: u64,
}

impl<P: Pipeline> Renderer<P> {
    /// Whether the setup of a draw of so many vertices is deferred to [`Self::draw_closed`]. An observed draw is set up
    /// before its command ends.
    #[inline]
    pub(super) fn is_setup_left(&self, vertices: usize) -> bool {
        (LARGE..=MAX_LEFT).contains(&vertices) && self.interrupter.is_some() && !self.is_asked_about_draws()
    }

    /// Finishes the deferred setup of a draw, because its scene is about to be inspected.
    #[inline]
    pub(super) fn finish_setup(&mut self) {
        if self.pending.setup.is_some() {
            self.set_up_until(None);
        }
    }

    /// Sets up the rest of a draw. False if that was interrupted.
    pub(super) fn set_up_until(&mut self, interrupter: Option<&Interrupter>) -> bool {
        let Some(mut setup) = self.pending.setup.take() else { return true };
        let start = Instant::now();
        let is_interrupted = || interrupter.is_some_and(Interrupter::is_set);
        let (primitives, is_done) =
            P::set_up(&mut setup, &mut self.scene, &mut self.extra, &self.scheduler, is_interrupted);
        self.stats.triangles += primitives;
        self.take_dropped();
        self.stats.stages.setup += start.elapsed();
        if is_done {
            self.pending.outcomes.extend(P::finish(setup, &mut self.extra));
        } else {
            self.pending.setup = Some(setup);
        }
        is_done
    }

    /// The results of draws that were set up after their commands, since the last call.
    pub fn take_outcomes(&mut self) -> impl Iterator<Item = P::Outcome> + use<P> {
        std::mem::take(&mut self.pending.outcomes).into_iter()
    }
}

/// A draw of fixed-function fragments whose vertices are shaded, and how far its setup is.
#[derive(Debug)]
pub struct FixedDraw {
    setup: Setup,
    triangles: Vec<[u32; 3]>,
    /// Triangles that are done.
    done: usize,
    shaded: Shaded,
}

impl FixedDraw {
    pub(super) fn new(setup: &Setup, triangles: Vec<[u32; 3]>, shaded: Shaded) -> Self {
        FixedDraw { setup: setup.clone(), triangles, done: 0, shaded }
    }

    /// Sets up the rest of it. Returns the number of primitives, and whether all of it is set up.
    pub(super) fn go_on(&mut self, scene: &mut Scene, is_interrupted: impl Fn() -> bool) -> (u64, bool) {
        let mut primitives = 0;
        while self.done < self.triangles.len() && !is_interrupted() {
            let end = (self.done + TRIANGLES).min(self.triangles.len());
            for &triangle in &self.triangles[self.done..end] {
                primitives += u64::from(self.setup.triangle(&self.shaded, triangle, scene));
            }
            self.done = end;
        }
        (primitives, self.done == self.triangles.len())
    }

    /// Its vertices, for their memory.
    pub(super) fn into_shaded(self) -> Shaded {
        self.shaded
    }
}
