//! Draws an open scene for code that inspects memory, and leaves it open: where scenes end decides about what their
//! textures cost, and with which scene later draws are compared.
//!
//! Where tiles are independent the scene stays open and its tiles note how many primitives they have drawn; the
//! counters of those are held back until the scene is over. Tiles that share memory have to be drawn in their order,
//! each as a whole: such a scene is drawn for the observer alone, and its surfaces are restored.

use super::Renderer;
use super::pipeline::Pipeline;
use crate::cache::Removal;
use crate::mem::{GuestAddr, GuestRange, Memory};
use crate::raster::{DrawContext, Drawing, RasterStats};

/// Bytes from an address on.
type SavedBytes = (GuestAddr, Vec<u8>);

/// How far an open scene is drawn whose states are prepared as `S`, and the counters of that part.
#[derive(Debug)]
pub(super) struct OpenDrawing<S> {
    drawing: Drawing<S>,
    done: RasterStats,
    /// Bytes of textures to be charged.
    pub(super) charged: u64,
}

impl<S> Default for OpenDrawing<S> {
    fn default() -> Self {
        OpenDrawing { drawing: Drawing::default(), done: RasterStats::default(), charged: 0 }
    }
}

impl<S> OpenDrawing<S> {
    /// Keeps the allocations of a drawing for the next one.
    pub(super) fn keep(&mut self, mut drawing: Drawing<S>) {
        drawing.reset();
        self.drawing = drawing;
    }
}

impl<P: Pipeline> Renderer<P> {
    /// Draws everything for an observer, then calls `look`.
    pub(crate) fn show_open(&mut self, memory: &Memory, look: impl FnOnce(&mut Self)) {
        self.finish_closed(memory);
        let kept = if self.scene.is_empty() { Vec::new() } else { self.draw_for_look(memory) };
        look(self);
        for (start, bytes) in kept {
            let window = memory.writable(start);
            (0..).zip(bytes).for_each(|(at, byte)| window.write(at, &[byte]));
        }
    }

    /// Whether the open scene is drawn for observers alone.
    pub(crate) fn is_open_ordered(&self, memory: &Memory) -> bool {
        !self.scene.is_empty() && P::is_ordered(&self.scene, memory)
    }

    /// Returns copies of the surfaces if they have to be restored.
    fn draw_for_look(&mut self, memory: &Memory) -> Vec<SavedBytes> {
        memory.note_host_writes();
        let context = DrawContext {
            memory,
            scheduler: &self.scheduler,
            interrupter: None,
            removal: (Removal::Never, &self.kernels),
            undo: None,
        };
        if P::is_ordered(&self.scene, memory) {
            let kept = P::surfaces(&self.scene.target).map(|range| keep(memory, range)).collect();
            self.kernels.set_watching(false);
            let draw = |textures: &mut _| {
                P::draw(&self.scene, &mut Drawing::default(), &context, textures);
            };
            self.textures.without_charges(draw);
            self.kernels.set_watching(true);
            return kept;
        }
        let before = self.textures.take_charged();
        let OpenDrawing { drawing, done, charged } = &mut self.pending.open;
        // A state without primitives may still be replaced by another one.
        let unused = self.scene.take_unused_state();
        done.add(&P::draw(&self.scene, drawing, &context, &mut self.textures));
        drawing.pause(&self.scene);
        self.scene.states.extend(unused);
        *charged += self.textures.take_charged();
        self.textures.charge(before);
        Vec::new()
    }

    /// Holds the counters of a drawn part of the open scene back until the scene is over.
    pub(super) fn hold_back(&mut self, done: &RasterStats) {
        self.add_work(done);
        self.pending.open.done.add(&done.without_work());
    }

    /// Ends the open scene and adds the counters that were held back. Returns how far it is drawn.
    pub(super) fn end_open(&mut self) -> Drawing<P::Prepared> {
        let OpenDrawing { drawing, done, charged } = std::mem::take(&mut self.pending.open);
        self.textures.charge(charged);
        self.add_raster(&done);
        drawing
    }
}

/// The content of those parts of a range that the GPU may write.
fn keep(memory: &Memory, range: GuestRange) -> SavedBytes {
    let window = memory.writable(range.start).first(usize::try_from(range.size).unwrap_or(usize::MAX));
    (range.start, (0..window.len()).map(|at| window.read::<1>(at)[0]).collect())
}
