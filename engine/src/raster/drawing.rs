//! How far a scene is drawn.

use smallvec::SmallVec;

use super::context::DrawContext;
use super::walk::{TileList, Walk};
use crate::scene::{Scene, SceneKind};

/// A value for each state of a scene: many scenes have one state.
pub(super) type OfState<T> = SmallVec<[T; 1]>;

/// How far a scene is drawn whose states are prepared as `P`.
#[derive(Debug)]
pub struct Drawing<P> {
    /// States that are ready, the first ones.
    pub(super) prepared: OfState<P>,
    pub(super) walk: Option<Walk>,
    /// Primitives of each tile that were drawn before the walk; tiles beyond have none.
    pub(super) before: Vec<u32>,
    /// An empty list for the next walk.
    pub(super) tiles: TileList,
}

impl<P> Default for Drawing<P> {
    fn default() -> Self {
        Drawing { prepared: SmallVec::new(), walk: None, before: Vec::new(), tiles: SmallVec::new() }
    }
}

impl<P> Drawing<P> {
    /// Whether all of the scene is drawn.
    pub fn is_complete(&self) -> bool {
        self.walk.as_ref().is_some_and(|walk| walk.tiles.is_empty())
    }

    /// Notes that all of a scene is drawn, while more may be added to it.
    pub fn pause<K: SceneKind>(&mut self, scene: &Scene<K>) {
        self.walk = None;
        self.before.clear();
        self.before.extend(scene.bins.iter().map(|bin| bin.len() as u32));
    }

    /// Resets it to a scene of which nothing is drawn, and keeps its allocations.
    pub fn reset(&mut self) {
        self.prepared.clear();
        self.before.clear();
        if let Some(walk) = self.walk.take() {
            self.tiles = walk.tiles;
            self.tiles.clear();
        }
    }

    /// Prepares states, in order. False if that was interrupted.
    pub(super) fn prepare<S>(
        &mut self,
        states: &[S],
        context: &DrawContext<'_>,
        mut prepare: impl FnMut(&S) -> P,
    ) -> bool {
        self.prepared.reserve_exact(states.len() - self.prepared.len());
        for state in &states[self.prepared.len()..] {
            if context.is_interrupted() {
                return false;
            }
            self.prepared.push(prepare(state));
        }
        true
    }
}
