//! Draws that get into a scene in several goes, because interrupts end them between two primitives.

use std::sync::Arc;

use super::assemble::{Shape, Topology, first_piece, primitives};
use super::projected::ProjectedVertices;
use super::setup::{Binner, Drawn, ProgramSetup};
use super::shade::Records;
use crate::scene::program::ProgramScene;

/// Vertices that are projected at once: some microseconds, as the pieces of primitives.
const VERTICES: usize = 512;

/// Shapes that are set up at once.
const SHAPES: usize = 32;

/// A draw of shaded vertices, and how far it is.
#[derive(Debug)]
pub struct UnfinishedDraw {
    setup: Arc<ProgramSetup>,
    primitives: OwnedPrimitives,
    /// Vertices of an order, or shapes, that are done.
    done: usize,
    records: Records,
    projected: ProjectedVertices,
    /// As in a [`Binner`].
    stipple: u32,
    drawn: Drawn,
}

/// The primitives of a draw.
#[derive(Debug)]
pub enum OwnedPrimitives {
    /// As [`ProgramSetup::draw`] takes them.
    Order(Topology, Vec<u32>),
    /// As [`ProgramSetup::draw_shapes`] takes them.
    Shapes(Vec<(Shape, u32)>),
}

impl OwnedPrimitives {
    fn len(&self) -> usize {
        match self {
            OwnedPrimitives::Order(_, order) => order.len(),
            OwnedPrimitives::Shapes(shapes) => shapes.len(),
        }
    }
}

impl UnfinishedDraw {
    /// A draw of which nothing is done; `projected` is room for its vertices.
    pub fn new(
        setup: Arc<ProgramSetup>,
        primitives: OwnedPrimitives,
        records: Records,
        mut projected: ProjectedVertices,
    ) -> Self {
        projected.clear();
        UnfinishedDraw { setup, primitives, done: 0, records, projected, stipple: 0, drawn: Drawn::default() }
    }

    /// Puts what is left into `scene`, until that is interrupted. Returns whether all of it is there.
    pub fn go_on(&mut self, scene: &mut ProgramScene, is_interrupted: impl Fn() -> bool) -> bool {
        let UnfinishedDraw { setup, primitives: all, done, records, projected, stipple, drawn } = self;
        if setup.clip.is_none() || records.stride == 0 {
            return true;
        }
        for piece in records.floats[projected.len() * records.stride..].chunks(VERTICES * records.stride) {
            if is_interrupted() {
                return false;
            }
            setup.projection.vertices(piece, records.stride, projected);
        }
        while *done < all.len() {
            if is_interrupted() {
                return false;
            }
            let mut binner = Binner { setup, records, projected, scene, stipple: *stipple, id: 0, drawn: *drawn };
            *done += match all {
                OwnedPrimitives::Order(topology, order) => {
                    let (end, next) = first_piece(*topology, &order[*done..]);
                    primitives(*topology, setup.provoking, &order[*done..][..end], |shape| binner.shape(shape));
                    next
                }
                OwnedPrimitives::Shapes(shapes) => {
                    let piece = &shapes[*done..(*done + SHAPES).min(shapes.len())];
                    binner.shapes(piece);
                    piece.len()
                }
            };
            (*stipple, *drawn) = (binner.stipple, binner.drawn);
        }
        true
    }

    /// What has come of it so far.
    pub fn drawn(&self) -> Drawn {
        self.drawn
    }

    /// What came of it, and the allocations.
    pub fn finish(self) -> (Drawn, Records, ProjectedVertices) {
        (self.drawn, self.records, self.projected)
    }
}
