//! A scene that threads draw while the caller sets up the next one.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::RasterKind;
use super::context::DrawContext;
use super::drawing::{Drawing, OfState};
use super::stats::RasterStats;
use super::tile_renderer::{TileContext, TileRenderer, TileRendererUser};
use super::walk::{TileList, Walk};
use crate::cache::Removal;
use crate::cache::texture_cache::TextureCache;
use crate::mem::Memory;
use crate::scene::Scene;
use crate::sched::Interrupter;
use crate::sched::pieces::{End, Pieces};

/// A scene whose states are prepared, and whose tiles any thread may take.
#[derive(Debug)]
pub struct BackgroundScene<K: RasterKind> {
    scene: Box<Scene<K>>,
    prepared: OfState<K::Prepared>,
    walk: Walk,
    /// Time for decoded textures.
    texture: Duration,
    pieces: Pieces,
    /// Tiles that are not drawn yet.
    left: AtomicUsize,
    stop: AtomicBool,
    interrupter: Option<Interrupter>,
    removal: Removal,
    /// What the tile renderers of threads have counted.
    counted: Mutex<RasterStats>,
    /// The first panic of a thread that drew.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl<K: RasterKind> BackgroundScene<K> {
    /// Prepares a scene whose tiles are independent; an interrupt stops the threads that draw it.
    pub fn new(scene: Box<Scene<K>>, context: &DrawContext<'_>, textures: &mut TextureCache<K::Texture>) -> Self {
        let DrawContext { memory, interrupter, .. } = *context;
        let removal = context.removal_of(&scene, true);
        let mut drawing = Drawing::default();
        let start = Instant::now();
        // Preparing it is not interrupted.
        K::prepare(&scene, &mut drawing, &DrawContext { interrupter: None, ..*context }, textures);
        let texture = start.elapsed();
        let prepared = drawing.prepared;
        let begin = Begin { scene: &scene, tiles: drawing.tiles };
        let (walk, _) = K::with_tile_renderer(&scene, &prepared, memory, begin);
        let (pieces, left) = (Pieces::new(walk.tiles.len() as u32), AtomicUsize::new(walk.tiles.len()));
        BackgroundScene {
            scene,
            prepared,
            walk,
            texture,
            pieces,
            left,
            stop: AtomicBool::new(false),
            interrupter: interrupter.cloned(),
            removal,
            counted: Mutex::default(),
            panic: Mutex::default(),
        }
    }

    /// Whether no tile is left to take.
    pub fn is_taken(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Whether all tiles are drawn.
    pub fn is_drawn(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    /// Draws tiles until none is left or, between two tiles, the caller wants to `leave`.
    pub fn draw(&self, memory: &Memory, end: End, leave: &dyn Fn() -> bool) {
        let draw = || K::with_tile_renderer(&self.scene, &self.prepared, memory, TakeTiles { of: self, end, leave }).1;
        match catch_unwind(AssertUnwindSafe(draw)) {
            Ok(counted) => self.counted.lock().unwrap_or_else(PoisonError::into_inner).add(&counted),
            Err(panic) => {
                self.stop();
                self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
            }
        }
    }

    /// Stops all threads that draw, in the middle of a tile if need be. What is left stays undrawn.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.pieces.close();
    }

    /// Takes the scene apart once no thread draws it: the scene, how far it is drawn, and what was done. A panic of a
    /// thread that drew is passed on.
    pub fn end(self, memory: &Memory) -> (Box<Scene<K>>, Drawing<K::Prepared>, RasterStats) {
        let BackgroundScene { scene, prepared, mut walk, texture, counted, panic, .. } = self;
        if let Some(panic) = panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(panic);
        }
        let (mut stats, _) =
            K::with_tile_renderer(&scene, &prepared, memory, Finish { scene: &scene, walk: &mut walk });
        stats.add(&counted.into_inner().unwrap_or_else(PoisonError::into_inner));
        stats.texture += texture;
        K::mark_written(&scene, memory);
        (scene, Drawing { prepared, walk: Some(walk), ..Drawing::default() }, stats)
    }
}

/// Begins the walk over the tiles of a scene.
struct Begin<'s, K: RasterKind> {
    scene: &'s Scene<K>,
    tiles: TileList,
}

impl<K: RasterKind> TileRendererUser<K> for Begin<'_, K> {
    type Output = Walk;

    fn call<P: TileRenderer<Kind = K>>(self, renderer: &P) -> Walk {
        Walk::new(self.scene, renderer, &[], self.tiles)
    }
}

/// Draws tiles until none is left, or the thread leaves.
struct TakeTiles<'s, K: RasterKind> {
    of: &'s BackgroundScene<K>,
    end: End,
    leave: &'s dyn Fn() -> bool,
}

impl<K: RasterKind> TileRendererUser<K> for TakeTiles<'_, K> {
    type Output = ();

    fn call<P: TileRenderer<Kind = K>>(self, renderer: &P) {
        let BackgroundScene { scene, walk, pieces, left, stop, interrupter, removal, .. } = self.of;
        let context = TileContext { interrupter: interrupter.as_ref(), stop: Some(stop), removal: *removal };
        while !(self.leave)() {
            let Some(tile) = pieces.take(self.end) else { break };
            walk.draw(scene, renderer, tile, &context);
            left.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Ends the walk, once no thread draws.
struct Finish<'s, K: RasterKind> {
    scene: &'s Scene<K>,
    walk: &'s mut Walk,
}

impl<K: RasterKind> TileRendererUser<K> for Finish<'_, K> {
    type Output = RasterStats;

    fn call<P: TileRenderer<Kind = K>>(self, renderer: &P) -> RasterStats {
        self.walk.end(self.scene, renderer)
    }
}
