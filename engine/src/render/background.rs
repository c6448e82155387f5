//! Drawing in the background: while the caller sets up draws, other threads draw what it has set up before.
//!
//! An open scene whose primitives take long enough to draw leaves the renderer, and the next draw goes on with the rest
//! of it. At most one part is in the background. It is finished before anything reads memory, and before the rest of
//! the scene is drawn or closed. Where scenes are divided depends on time, so it must not change any result: counters
//! of a part are added when the scene is over, its textures are charged once, and a scene is as full as all of its
//! parts.

use std::sync::{Arc, Mutex, PoisonError};

use super::Renderer;
use super::pipeline::Pipeline;
use crate::mem::{GuestRange, Memory};
use crate::raster::{self, BackgroundScene, DrawContext};
use crate::sched::pieces::End;
use crate::sched::{BackgroundWorkers, Interrupter};

/// Nanoseconds that an open scene should take to draw before it goes to the background: more than walking over
/// the tiles of a screen takes. While one is drawn the next one grows, so that only the first ones of a frame are that
/// small. Fewer surfaces hide each other within such parts of a scene, but a thread that draws them while another sets
/// up the next ones gains more than it loses by that.
const LONG: u64 = 25_000;

/// State of drawing in the background.
#[derive(Debug)]
pub(super) struct Background<P: Pipeline> {
    /// The workers, inside of [`Renderer::with_background`].
    workers: Option<BackgroundWorkers>,
    /// Ranges that the caller reads meanwhile without a call.
    reads: Option<GuestRange>,
    scene: Option<Arc<BackgroundScene<P>>>,
    /// The same, for the workers.
    shared: Arc<Mutex<Option<Arc<BackgroundScene<P>>>>>,
    /// Scenes so far.
    count: u64,
}

impl<P: Pipeline> Default for Background<P> {
    fn default() -> Self {
        Background { workers: None, reads: None, scene: None, shared: Arc::default(), count: 0 }
    }
}

impl<P: Pipeline> Background<P> {
    fn set(&mut self, scene: Option<Arc<BackgroundScene<P>>>) {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&scene);
        self.scene = scene;
    }

    /// The scene, once no other thread draws it.
    fn take(&mut self) -> Option<BackgroundScene<P>> {
        let mut scene = self.scene.clone()?;
        self.set(None);
        loop {
            if let Some(workers) = &self.workers {
                workers.clear();
            }
            match Arc::try_unwrap(scene) {
                Ok(scene) => return Some(scene),
                // A worker that has just left.
                Err(shared) => scene = shared,
            }
        }
    }
}

impl<P: Pipeline> Renderer<P> {
    /// Runs `run` with the owner of a renderer. Other threads may begin with what it draws while it goes on; none of
    /// them draws when this returns.
    pub fn with_background<T, R>(
        owner: &mut T,
        renderer: impl Fn(&mut T) -> &mut Self,
        memory: &Memory,
        run: impl FnOnce(&mut T) -> R,
    ) -> R {
        let this = renderer(owner);
        let Some(workers) = this.scheduler.background_workers().filter(|_| !this.is_observed()) else {
            return run(owner);
        };
        let shared = this.pending.background.shared.clone();
        let work = |leave: &dyn Fn() -> bool| {
            let scene = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
            scene.is_some_and(|scene| {
                scene.draw(memory, End::Front, leave);
                !scene.is_taken()
            })
        };
        workers.clone().run(&work, || {
            renderer(owner).pending.background.workers = Some(workers);
            let result = run(owner);
            let this = renderer(owner);
            this.leave_background(memory);
            this.pending.background.workers = None;
            this.pending.background.reads = None;
            result
        })
    }

    /// Notes that the caller reads a range from now on without a call: scenes that touch it are not drawn in the
    /// background.
    pub fn set_background_reads(&mut self, range: GuestRange) {
        self.pending.background.reads = Some(range);
    }

    /// Scenes that were drawn in the background so far, for tests.
    pub fn background_scenes(&self) -> u64 {
        self.pending.background.count
    }

    /// Notes that a draw has added primitives from `first` on to the open scene. If they take long enough, the scene
    /// goes to the background.
    #[inline]
    pub(super) fn note_drawn(&mut self, memory: &Memory, first: usize, state: &P::State) {
        if self.pending.background.workers.is_some() {
            self.scene.cost += raster::expected_cost::<P>(self.scene.bounds.get(first..).unwrap_or_default(), state);
            if self.scene.cost >= LONG && self.pending.background.scene.as_ref().is_none_or(|scene| scene.is_drawn()) {
                self.draw_in_background(memory);
            }
        }
    }

    fn draw_in_background(&mut self, memory: &Memory) {
        self.scene.cost = 0;
        self.end_background(memory, None);
        let is_written = |range| P::touches(&self.scene.target, &self.extra, memory, range);
        let is_read = self.pending.background.reads.is_some_and(is_written);
        // Closed scenes are drawn first.
        let stays = self.scene.reserve != 0 || P::is_ordered(&self.scene, memory);
        if self.has_closed() || is_read || stays {
            return;
        }
        let scene = Box::new(self.scene.take_part(self.pending.empty()));
        let context = DrawContext {
            memory,
            scheduler: &self.scheduler,
            interrupter: self.interrupter.as_ref(),
            removal: (self.removal, &self.kernels),
            undo: None,
        };
        let charged = self.textures.take_charged();
        let scene = BackgroundScene::new(scene, &context, &mut self.textures);
        self.pending.open.charged += self.textures.take_charged();
        self.textures.charge(charged);
        self.pending.background.set(Some(Arc::new(scene)));
        self.pending.background.count += 1;
        if let Some(workers) = &self.pending.background.workers {
            workers.want();
        }
    }

    /// Finishes the scene in the background, with the caller's help; what an interrupt leaves of it becomes the oldest
    /// closed scene.
    #[inline]
    pub(super) fn end_background(&mut self, memory: &Memory, interrupter: Option<&Interrupter>) {
        if let Some(scene) = &self.pending.background.scene {
            scene.draw(memory, End::Back, &|| interrupter.is_some_and(Interrupter::is_set));
            self.take_background(memory);
        }
    }

    /// Makes the rest of the scene in the background the oldest closed scene.
    pub(super) fn leave_background(&mut self, memory: &Memory) {
        if let Some(scene) = &self.pending.background.scene {
            scene.stop();
            self.take_background(memory);
        }
    }

    fn take_background(&mut self, memory: &Memory) {
        if let Some(scene) = self.pending.background.take() {
            let (scene, drawing, done) = scene.end(memory);
            self.hold_back(&done);
            self.pending.take_back(scene, drawing);
        }
    }
}
