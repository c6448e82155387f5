//! The trait of a tile renderer, one for each pipeline.

use std::sync::atomic::{AtomicBool, Ordering};

use triglyph_guest::kernel::divided::Survivors;
use triglyph_guest::kernel::pixel::PixelBlock;

use super::runaway::Runaways;
use crate::cache::{Division, Removal, SceneKernel};
use crate::scene::{Rect, Scene, SceneKind};
use crate::sched::Interrupter;

/// Draws the tiles of a scene.
pub trait TileRenderer: Sync {
    /// The kind.
    type Kind: SceneKind;

    /// Adds the blocks of primitive `index`, drawn with state number `state`, that lie in `area`.
    fn cover(&self, index: u32, state: usize, area: Rect, blocks: &mut Vec<PixelBlock>);

    /// The kernel that draws pixels of a state.
    fn kernel(&self, state: usize) -> &dyn SceneKernel;

    /// Shades blocks of one state, in a tile with these runaways.
    fn shade(&self, state: usize, blocks: &[PixelBlock], runaways: &Runaways);

    /// Whether the program of a state may take fuel from the scene's reserve.
    fn loops(&self, state: usize) -> bool {
        let _ = state;
        false
    }

    /// How a state is divided, if there are kernels for its parts.
    fn division(&self, state: usize) -> Option<Division>;

    /// Does the tests of blocks of a divided state.
    fn test(&self, state: usize, blocks: &[PixelBlock], survivors: &[Survivors]);

    /// Counts blocks of a divided state, whose pixels have passed all tests.
    fn count(&self, state: usize, blocks: &[PixelBlock]);

    /// Shades blocks of a divided state, whose pixels have passed all tests.
    fn shade_survivors(&self, state: usize, blocks: &[PixelBlock]);

    /// Notes how long the kernels of a divided state have run for its tests and its shading, in nanoseconds.
    fn note_times_of_parts(&self, state: usize, tests: u64, shading: u64);
}

/// A function that is called with a tile renderer, whose type only the kind of scene knows.
pub trait TileRendererUser<K: SceneKind> {
    /// What it returns.
    type Output;

    /// Calls the tile renderer.
    fn call<P: TileRenderer<Kind = K>>(self, renderer: &P) -> Self::Output;
}

/// Target time of one call of a kernel, in nanoseconds: an interrupt waits that long.
pub(super) const AT_ONCE: u64 = 40_000;

/// How a tile is drawn: what ends it early, and when its hidden surfaces are removed.
#[derive(Clone, Copy, Debug)]
pub(super) struct TileContext<'a> {
    pub(super) interrupter: Option<&'a Interrupter>,
    /// Set to stop early.
    pub(super) stop: Option<&'a AtomicBool>,
    pub(super) removal: Removal,
}

impl TileContext<'_> {
    #[inline]
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupter.is_some_and(Interrupter::is_set) || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// The state of a primitive, which is `state` or one after it.
pub(super) fn state_of<K: SceneKind>(scene: &Scene<K>, mut state: usize, primitive: u32) -> usize {
    while scene.states.get(state + 1).is_some_and(|next| next.first <= primitive) {
        state += 1;
    }
    state
}
