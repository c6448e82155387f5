//! Setup of large draws in bounded runs: it is done after the command, as interrupts divide it.
//!
//! The scene that a draw belongs to stays open meanwhile. Everything that looks at the scene, or has it drawn, finishes
//! the draw first, and so does the next draw.

use std::time::Instant;

use super::Renderer;
use super::program::ProgramCall;
use crate::draw::program::{Drawn, Records, SetupThreads, UnfinishedDraw};
use crate::draw::{Setup, Shaded};
use crate::sched::Interrupter;

/// Vertices from which on an interrupt does not wait for the setup of a draw. Of so many it takes two microseconds.
const LARGE: usize = 64;

/// Vertices of a draw up to which it does not: what is left of a draw is held, and all of it goes to one scene.
const MAX_LEFT: usize = 1 << 18;

/// Triangles that are set up at once.
const TRIANGLES: usize = 32;

/// What a machine does with what comes of a draw, when that is known after the command only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// Nanoseconds of the machine's clock for 64 pixels of bounding boxes.
    pub block_time: u64,
    /// Whether primitives are counted.
    pub counts: bool,
    /// Pixels in the bounding boxes of the draw's segments before, whose time has passed already.
    pub pixels_before: u64,
}

/// A draw whose vertices are shaded.
#[derive(Debug)]
pub(super) enum SetupWork {
    Fixed(FixedDraw),
    Programs(Box<UnfinishedDraw>, Account),
}

/// A draw of fixed-function fragments, and how far it is.
#[derive(Debug)]
pub(super) struct FixedDraw {
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
}

impl Renderer {
    /// Whether the setup of a draw of so many vertices is left for [`Self::draw_closed`]. Who asks about the draw hears
    /// of it before its command ends.
    #[inline]
    pub(super) fn is_setup_left(&self, vertices: usize) -> bool {
        (LARGE..=MAX_LEFT).contains(&vertices) && self.interrupter.is_some() && !self.is_asked_about_draws()
    }

    /// Leaves a draw of fixed-function fragments for it.
    pub(super) fn leave_fixed(&mut self, draw: FixedDraw) {
        self.closed.setup = Some(SetupWork::Fixed(draw));
    }

    /// Leaves a draw of programs for it.
    pub(super) fn leave_programs(&mut self, call: &ProgramCall<'_>, records: Records, account: Account) {
        let room = std::mem::take(&mut self.projected);
        let draw =
            Box::new(UnfinishedDraw::new(call.setup.clone(), call.primitives.into(), call.stipple, records, room));
        self.closed.setup = Some(SetupWork::Programs(draw, account));
    }

    /// Finishes the setup of the draw that was left, for someone looks at its scene.
    #[inline]
    pub(super) fn finish_setup(&mut self) {
        if self.closed.setup.is_some() {
            self.set_up_until(None);
        }
    }

    /// Sets up what is left of a draw. False if that was interrupted.
    pub(super) fn set_up_until(&mut self, interrupter: Option<&Interrupter>) -> bool {
        let Some(mut work) = self.closed.setup.take() else { return true };
        let start = Instant::now();
        let is_interrupted = || interrupter.is_some_and(Interrupter::is_set);
        let is_done = match &mut work {
            SetupWork::Fixed(draw) => {
                while draw.done < draw.triangles.len() && !is_interrupted() {
                    let end = (draw.done + TRIANGLES).min(draw.triangles.len());
                    for &triangle in &draw.triangles[draw.done..end] {
                        let set_up = draw.setup.triangle(&draw.shaded, triangle, &mut self.scene);
                        self.stats.triangles += u64::from(set_up);
                    }
                    draw.done = end;
                }
                draw.done == draw.triangles.len()
            }
            SetupWork::Programs(draw, _) => {
                let before = draw.drawn().primitives;
                let threads = SetupThreads { scheduler: &self.scheduler, scenes: &mut self.setup_scenes };
                let is_done = draw.go_on(&mut self.programs, threads, is_interrupted);
                self.stats.triangles += draw.drawn().primitives - before;
                is_done
            }
        };
        self.stats.stages.setup += start.elapsed();
        match work {
            work if !is_done => self.closed.setup = Some(work),
            SetupWork::Fixed(draw) => self.scratch = draw.shaded,
            SetupWork::Programs(draw, account) => {
                let drawn;
                (drawn, self.record_scratch, self.projected) = draw.finish();
                self.closed.accounts.push((drawn, account));
            }
        }
        is_done
    }

    /// What came of the draws that were set up after their commands, since the last call.
    pub fn take_accounts(&mut self) -> impl Iterator<Item = (Drawn, Account)> + use<> {
        std::mem::take(&mut self.closed.accounts).into_iter()
    }
}
