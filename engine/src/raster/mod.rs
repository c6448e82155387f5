//! Drawing a scene: tiles in parallel, primitives of a tile in submission order.
//!
//! ```text
//! scene ─► prepare (kernels, decoded textures) ─► tiles ─► coverage ─► blocks of one state ─► pixel kernel
//! ```
//! Walking tiles is the same for every kind of scene; a `TileRenderer` computes coverage and shades blocks.
//!
//! **Invariant**: tiles are independent. Where two would share memory they are drawn one after the other instead; where
//! a program could load what another tile writes, but hardly ever does, tiles are drawn speculatively and undone if one
//! does.

mod arena;
mod background;
mod context;
mod cost;
mod cover;
mod coverage;
mod divided;
mod drawing;
mod fixed;
mod program;
mod runaway;
mod stats;
mod tile_renderer;
mod undo;
mod visibility;
mod walk;

use std::fmt::Debug;

use triglyph_guest::kernel::pixel::PixelBlock;

use self::tile_renderer::TileRendererUser;
use crate::cache::PixelCost;
use crate::cache::texture_cache::{Source, TextureCache};
use crate::mem::Memory;
use crate::probe::FragmentCounts;
use crate::scene::{Rect, Scene, SceneKind};
pub use background::BackgroundScene;
pub use context::DrawContext;
pub use drawing::Drawing;
pub use stats::RasterStats;
pub use undo::Undo;

/// A kind of scene that can be drawn.
pub trait RasterKind: SceneKind {
    /// A texture of a state.
    type Texture: Source;
    /// A state that is ready to be drawn with.
    type Prepared: Debug + Send + Sync;

    /// Draws what is not drawn yet of `scene`, until that is interrupted.
    fn draw(
        scene: &Scene<Self>,
        drawing: &mut Drawing<Self::Prepared>,
        context: &DrawContext<'_>,
        textures: &mut TextureCache<Self::Texture>,
    ) -> RasterStats;

    /// Prepares the states of a scene that are not ready yet. False if that was interrupted.
    fn prepare(
        scene: &Scene<Self>,
        drawing: &mut Drawing<Self::Prepared>,
        context: &DrawContext<'_>,
        textures: &mut TextureCache<Self::Texture>,
    ) -> bool;

    /// Whether tiles are drawn one after the other, because they may share memory.
    fn is_ordered(scene: &Scene<Self>, memory: &Memory) -> bool;

    /// Calls `user` with the tile renderer of a scene. Returns the tile renderer's counts as well.
    fn with_tile_renderer<U: TileRendererUser<Self>>(
        scene: &Scene<Self>,
        prepared: &[Self::Prepared],
        memory: &Memory,
        user: U,
    ) -> (U::Output, RasterStats);

    /// Notes what drawing a scene has written.
    fn mark_written(scene: &Scene<Self>, memory: &Memory);

    /// Estimated time of a pixel of a state, in parts of a nanosecond ([`PixelCost::PARTS`]).
    fn expected_pixel_cost(state: &Self::State) -> u64;

    /// The blocks of an area that a primitive of the last state covers, each for every sample.
    fn cover(scene: &Scene<Self>, index: u32, area: Rect) -> Vec<PixelBlock>;

    /// Whether a primitive shows its back.
    fn is_back(primitive: &Self::Primitive) -> bool;

    /// Items for each block that [`Self::cover`] finds.
    fn samples(target: &Self::Target) -> usize;
}

/// Counts the fragments that the primitives from `first` on have at each pixel, before any test. Samples of a pixel are
/// one fragment.
pub(crate) fn count_fragments<K: RasterKind>(scene: &Scene<K>, first: usize, counts: &mut FragmentCounts) {
    for index in first..scene.primitives.len() {
        counts.add(&K::cover(scene, index as u32, scene.bounds[index]), K::samples(&scene.target));
    }
}

/// Notes the shape of a primitive of the last state.
pub(crate) fn add_shape<K: RasterKind>(scene: &Scene<K>, index: usize, counts: &mut FragmentCounts) {
    let blocks = K::cover(scene, index as u32, scene.bounds[index]);
    counts.add_shape(&blocks, K::is_back(&scene.primitives[index]));
}

/// Estimated time for drawing primitives of a state with these bounds, in nanoseconds.
pub(crate) fn expected_cost<K: RasterKind>(bounds: &[Rect], state: &K::State) -> u64 {
    let pixels = cost::pixels_of(bounds, bounds.len() / cost::LOOKED_AT + 1);
    pixels.saturating_mul(K::expected_pixel_cost(state)) / PixelCost::PARTS + bounds.len() as u64 * cost::PRIMITIVE
}
