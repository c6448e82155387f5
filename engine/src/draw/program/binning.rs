//! Setting up the primitives of a draw, and putting them into a scene.

use super::pieces::{Primitives, SetupThreads, Source};
use super::point::SIDES;
use super::projected::ProjectedVertices;
use super::setup::{Drawn, ProgramSetup};
use super::shade::Records;
use crate::scene::program::ProgramScene;

/// Where the primitives of a draw go.
#[derive(Debug)]
pub struct Binned<'a> {
    /// The scene.
    pub scene: &'a mut ProgramScene,
    /// Room for projected vertices.
    pub projected: &'a mut ProjectedVertices,
    /// Who sets them up.
    pub threads: SetupThreads<'a>,
}

/// Primitives that the shapes of a draw may become before it is seen whether their scene is full.
const MAX_PRIMITIVES: usize = 1 << 20;

/// Vertices of an order, or shapes, that are not divided.
const ALONE: usize = 512;

impl ProgramSetup {
    /// Shapes that are drawn before it is seen whether their scene is full, where one may become very many primitives:
    /// the dashes of a line, the slices of a disc.
    pub(crate) fn shapes_at_once(&self) -> usize {
        let edge = self.clip.map_or(0, |clip| clip.width().max(clip.height())) as usize;
        // Two triangles for each dash of a polygon's three edges.
        let dashes = self.line_stipple.map_or(0, |stipple| 6 * (edge / (2 * stipple.factor.max(1) as usize) + 2));
        let slices = if self.round_points { SIDES } else { 0 };
        match dashes.max(slices) {
            0 => usize::MAX,
            primitives => (MAX_PRIMITIVES / primitives).max(1),
        }
    }

    /// Puts primitives of vertices in `records` into a scene. The first line may go on with a stipple that has come so
    /// many pixels far.
    pub fn draw(&self, primitives: Primitives<'_>, stipple: u32, records: &Records, out: &mut Binned<'_>) -> Drawn {
        if self.clip.is_none() || records.stride == 0 {
            return Drawn::default();
        }
        let Binned { scene, projected, threads } = out;
        projected.clear();
        self.projection.vertices(&records.floats, records.stride, projected, threads.scheduler);
        let source = Source { setup: self, primitives, records, projected };
        let mut so_far = Drawn { stipple, ..Drawn::default() };
        if primitives.len() <= ALONE || threads.scheduler.threads() == 1 {
            source.set_up(0..primitives.len(), scene, &mut so_far);
        } else {
            source.set_up_pieces(&primitives.pieces(), (scene, &mut so_far), threads, &|| false);
        }
        so_far
    }
}
