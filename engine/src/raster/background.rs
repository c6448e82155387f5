//! A scene that threads draw while the caller sets up the next one.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bumpalo::Bump;

use super::fixed::{PreparedState, Tiles, mark_written};
use super::{DrawContext, Drawing, LOOKED_AT, OfState, PRIMITIVE, RasterStats, TileContext, Walk, arena, pixels_of};
use crate::cache::texture::TextureSource;
use crate::cache::texture_cache::TextureCache;
use crate::cache::{PixelCost, Removal};
use crate::mem::Memory;
use crate::scene::{DrawState, Rect, Scene};
use crate::sched::Interrupter;
use crate::sched::pieces::{End, Pieces};

/// A scene whose states are ready, and whose tiles any thread may take.
#[derive(Debug)]
pub struct BackgroundScene {
    scene: Box<Scene>,
    prepared: OfState<PreparedState>,
    walk: Walk,
    /// Time for decoded textures.
    texture: Duration,
    pieces: Pieces,
    /// Tiles that are not drawn yet.
    left: AtomicUsize,
    stop: AtomicBool,
    interrupter: Option<Interrupter>,
    removal: Removal,
    /// The first panic of a thread that drew.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl BackgroundScene {
    /// Makes a scene ready whose tiles are independent; an interrupt stops those that draw it.
    pub fn new(scene: Box<Scene>, context: &DrawContext<'_>, textures: &mut TextureCache<TextureSource>) -> Self {
        let DrawContext { memory, interrupter, .. } = *context;
        let removal = context.removal_of(&scene, true);
        let mut drawing = Drawing::default();
        let start = Instant::now();
        // Making it ready is not interrupted.
        drawing.prepare_fixed(&scene, &DrawContext { interrupter: None, ..*context }, removal, textures);
        let texture = start.elapsed();
        let prepared = drawing.prepared;
        let walk = arena::with(|arena| {
            let tiles = Tiles::new(&scene, &prepared, memory, arena);
            Walk::new(&scene, &tiles, &[], drawing.tiles)
        });
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
        let draw = |arena: &Bump| {
            let tiles = Tiles::new(&self.scene, &self.prepared, memory, arena);
            let interrupter = self.interrupter.as_ref();
            let context = TileContext { interrupter, stop: Some(&self.stop), removal: self.removal };
            while !leave() {
                let Some(tile) = self.pieces.take(end) else { break };
                self.walk.draw(&self.scene, &tiles, tile, &context);
                self.left.fetch_sub(1, Ordering::Relaxed);
            }
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| arena::with(draw))) {
            self.stop();
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        }
    }

    /// Stops all threads that draw, in the middle of a tile if need be. What is left stays undrawn.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.pieces.close();
    }

    /// Takes the scene apart once no thread draws it: the scene, how far it is drawn, and what was done. A panic of a
    /// thread that drew is passed on.
    pub fn end(self, memory: &Memory) -> (Box<Scene>, Drawing<PreparedState>, RasterStats) {
        let BackgroundScene { scene, prepared, mut walk, texture, panic, .. } = self;
        if let Some(panic) = panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(panic);
        }
        let stats = arena::with(|arena| walk.end(&scene, &Tiles::new(&scene, &prepared, memory, arena)));
        let stats = RasterStats { texture, ..stats };
        mark_written(&scene, memory);
        (scene, Drawing { prepared, walk: Some(walk), ..Drawing::default() }, stats)
    }
}

/// Nanoseconds that primitives of a state with these bounds should take to draw.
pub fn expected_cost(bounds: &[Rect], state: &DrawState) -> u64 {
    let pixels = pixels_of(bounds, bounds.len() / LOOKED_AT + 1);
    pixels.saturating_mul(state.drawn_with().expected_pixel_cost()) / PixelCost::PARTS + bounds.len() as u64 * PRIMITIVE
}
