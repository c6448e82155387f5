//! Draws that are binned in several parts, because interrupts end them between two pieces.

use std::ops::Range;
use std::sync::Arc;

use super::assemble::{Shape, Topology};
use super::pieces::{Primitives, SetupThreads, Source};
use super::projected::ProjectedVertices;
use super::setup::{Drawn, ProgramSetup};
use super::shade::Records;
use crate::scene::program::ProgramScene;

/// Vertices that each thread projects between two checks for an interrupt: some microseconds, as the pieces of
/// primitives.
const VERTICES: usize = 1024;

/// A draw of shaded vertices, and how far it is.
#[derive(Debug)]
pub struct UnfinishedDraw {
    setup: Arc<ProgramSetup>,
    primitives: OwnedPrimitives,
    pieces: Vec<Range<usize>>,
    /// Pieces that are done.
    done: usize,
    so_far: Drawn,
    records: Records,
    projected: ProjectedVertices,
}

/// The primitives of a draw.
#[derive(Debug)]
pub enum OwnedPrimitives {
    /// See [`Primitives::Order`].
    Order(Topology, Vec<u32>),
    /// See [`Primitives::Shapes`].
    Shapes(Vec<(Shape, u32)>),
}

impl OwnedPrimitives {
    fn borrow(&self) -> Primitives<'_> {
        match self {
            OwnedPrimitives::Order(topology, order) => Primitives::Order(*topology, order),
            OwnedPrimitives::Shapes(shapes) => Primitives::Shapes(shapes),
        }
    }
}

impl From<Primitives<'_>> for OwnedPrimitives {
    fn from(primitives: Primitives<'_>) -> Self {
        match primitives {
            Primitives::Order(topology, order) => OwnedPrimitives::Order(topology, order.to_vec()),
            Primitives::Shapes(shapes) => OwnedPrimitives::Shapes(shapes.to_vec()),
        }
    }
}

impl UnfinishedDraw {
    /// A draw of which nothing is done; `projected` is room for its vertices. Its first line may go on with a stipple
    /// that has come so many pixels far.
    pub fn new(
        setup: Arc<ProgramSetup>,
        primitives: OwnedPrimitives,
        stipple: u32,
        records: Records,
        mut projected: ProjectedVertices,
    ) -> Self {
        projected.clear();
        let pieces = primitives.borrow().pieces();
        let so_far = Drawn { stipple, ..Drawn::default() };
        UnfinishedDraw { setup, primitives, pieces, done: 0, so_far, records, projected }
    }

    /// Bins the rest into `scene`, until an interrupt. Returns whether all of it is binned.
    pub fn go_on(
        &mut self,
        scene: &mut ProgramScene,
        mut threads: SetupThreads<'_>,
        is_interrupted: impl Fn() -> bool + Sync,
    ) -> bool {
        let UnfinishedDraw { setup, primitives, pieces, done, so_far, records, projected } = self;
        let stride = records.stride;
        if setup.clip.is_none() || stride == 0 {
            return true;
        }
        let round = VERTICES * threads.scheduler.threads();
        for records in records.floats[projected.len() * stride..].chunks(round * stride) {
            if is_interrupted() {
                return false;
            }
            setup.projection.vertices(records, stride, projected, threads.scheduler);
        }
        let source = Source { setup, primitives: primitives.borrow(), records, projected };
        *done += source.set_up_pieces(&pieces[*done..], (scene, so_far), &mut threads, &is_interrupted);
        *done == pieces.len()
    }

    /// The result so far.
    pub fn drawn(&self) -> Drawn {
        self.so_far
    }

    /// The result, and the allocations.
    pub fn finish(self) -> (Drawn, Records, ProjectedVertices) {
        (self.so_far, self.records, self.projected)
    }
}
