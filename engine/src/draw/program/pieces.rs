//! Setup of a draw's primitives in pieces: an interrupt can end it between two of them, and several threads share them
//! if that is faster. Each thread then sets up consecutive pieces into a scene of its own, and those scenes are put
//! together in the order of the draw.

use std::ops::Range;
use std::time::Duration;

use super::assemble::{Shape, Topology, first_piece, primitives};
use super::projected::ProjectedVertices;
use super::setup::{Binner, Drawn, ProgramSetup};
use super::shade::Records;
use crate::device::DroppedPrimitives;
use crate::scene::program::{ProgramScene, ProgramTarget};
use crate::sched::Scheduler;

/// The primitives of a draw.
#[derive(Clone, Copy, Debug)]
pub enum Primitives<'a> {
    /// How vertices form them, and numbers of the shaded vertices in drawing order,
    /// [`RESTART`](super::RESTART) between primitives.
    Order(Topology, &'a [u32]),
    /// Put together already, with their numbers.
    Shapes(&'a [(Shape, u32)]),
}

/// Shapes of a piece.
const SHAPES: usize = 32;

impl Primitives<'_> {
    /// Vertices of an order, or shapes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Primitives::Order(_, order) => order.len(),
            Primitives::Shapes(shapes) => shapes.len(),
        }
    }

    /// Ranges of an order, or of shapes, which are whole primitives, in their order.
    pub(super) fn pieces(&self) -> Vec<Range<usize>> {
        match self {
            Primitives::Order(topology, order) => {
                let (mut pieces, mut start) = (Vec::new(), 0);
                while start < order.len() {
                    let (end, next) = first_piece(*topology, &order[start..]);
                    pieces.push(start..start + end);
                    start += next;
                }
                pieces
            }
            Primitives::Shapes(shapes) => {
                let count = shapes.len();
                (0..count).step_by(SHAPES).map(|start| start..(start + SHAPES).min(count)).collect()
            }
        }
    }
}

/// Pieces that are worth sharing, at least.
const SHARED: usize = 16;

/// Estimated time of a piece.
const PIECE: Duration = Duration::from_micros(2);

/// Threads that share a draw's setup.
#[derive(Debug)]
pub struct SetupThreads<'a> {
    /// The threads.
    pub scheduler: &'a Scheduler,
    /// Scenes of single threads, kept for their allocations.
    pub scenes: &'a mut Vec<ProgramScene>,
}

/// Primitives and the inputs of their setup.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub setup: &'a ProgramSetup,
    pub primitives: Primitives<'a>,
    pub records: &'a Records,
    pub projected: &'a ProjectedVertices,
}

/// Consecutive pieces, and their results.
struct Part<'a> {
    pieces: &'a [Range<usize>],
    scene: &'a mut ProgramScene,
    /// Pieces that are done.
    done: usize,
    so_far: Drawn,
}

impl Source<'_> {
    /// Sets up a range of whole primitives.
    pub(super) fn set_up(&self, range: Range<usize>, scene: &mut ProgramScene, so_far: &mut Drawn) {
        let Source { setup, records, projected, .. } = *self;
        let mut binner = Binner { setup, records, projected, scene, id: 0, drawn: *so_far };
        match self.primitives {
            Primitives::Order(topology, order) => {
                primitives(topology, setup.provoking, &order[range], |shape| binner.shape(shape));
            }
            Primitives::Shapes(shapes) => binner.shapes(&shapes[range]),
        }
        *so_far = binner.drawn;
    }

    /// Sets up pieces until that is interrupted, and returns how many are done.
    pub(super) fn set_up_pieces(
        &self,
        pieces: &[Range<usize>],
        (scene, so_far): (&mut ProgramScene, &mut Drawn),
        threads: &mut SetupThreads<'_>,
        is_interrupted: &(impl Fn() -> bool + Sync),
    ) -> usize {
        let cost = PIECE * u32::try_from(pieces.len()).unwrap_or(u32::MAX);
        // A stipple goes on from line to line.
        if pieces.len() >= SHARED && self.setup.line_stipple.is_none() && threads.scheduler.shares(cost) {
            return self.share(pieces, (scene, so_far), (threads, cost), is_interrupted);
        }
        let mut part = Part { pieces, scene, done: 0, so_far: *so_far };
        part.set_up(self, is_interrupted);
        *so_far = part.so_far;
        part.done
    }

    fn share(
        &self,
        pieces: &[Range<usize>],
        (scene, so_far): (&mut ProgramScene, &mut Drawn),
        (threads, cost): (&mut SetupThreads<'_>, Duration),
        is_interrupted: &(impl Fn() -> bool + Sync),
    ) -> usize {
        // Two for each thread, as some parts have more that is dropped than others.
        let count = (2 * threads.scheduler.threads()).min(pieces.len() / (SHARED / 2));
        threads.scenes.resize_with(count - 1, || ProgramScene::new(ProgramTarget::NOWHERE));
        for own in &mut *threads.scenes {
            own.reset(ProgramTarget::NOWHERE);
            (own.allowance, own.taken) = (scene.allowance, 0);
            own.dropped = DroppedPrimitives::default();
        }
        let scenes = std::iter::once(&mut *scene).chain(&mut *threads.scenes);
        let ranges = pieces.chunks(pieces.len().div_ceil(count));
        let part = |(number, (pieces, scene))| {
            // The first one goes on from what is there.
            let so_far = if number == 0 { *so_far } else { Drawn::default() };
            Part { pieces, scene, done: 0, so_far }
        };
        let mut parts: Vec<Part<'_>> = ranges.zip(scenes).enumerate().map(part).collect();
        threads.scheduler.for_each_item(parts.iter_mut().collect(), cost, |part| part.set_up(self, is_interrupted));
        self.join(parts, so_far, is_interrupted)
    }

    /// Adds the scenes of all parts to that of the first one, up to where that was interrupted.
    fn join(&self, parts: Vec<Part<'_>>, so_far: &mut Drawn, is_interrupted: &impl Fn() -> bool) -> usize {
        let mut parts = parts.into_iter();
        let Some(mut all) = parts.next() else { return 0 };
        let mut end = all.pieces.len();
        for part in parts {
            let before = all.done;
            if before != end {
                break;
            }
            if all.scene.take_all(part.scene, |primitive, planes| primitive.first_plane += planes) {
                all.done += part.done;
                all.so_far.add(part.so_far);
            } else {
                // Fuel ends among its primitives.
                let Part { scene, so_far, .. } = &mut all;
                let mut again = Part { pieces: part.pieces, scene, done: 0, so_far: *so_far };
                again.set_up(self, is_interrupted);
                (all.done, all.so_far) = (before + again.done, again.so_far);
            }
            end += part.pieces.len();
        }
        *so_far = all.so_far;
        all.done
    }
}

impl Part<'_> {
    fn set_up(&mut self, source: &Source<'_>, is_interrupted: &impl Fn() -> bool) {
        while let Some(piece) = self.pieces.get(self.done)
            && !is_interrupted()
        {
            source.set_up(piece.clone(), self.scene, &mut self.so_far);
            self.done += 1;
        }
    }
}

#[cfg(test)]
mod tests;
