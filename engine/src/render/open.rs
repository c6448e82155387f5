//! Drawing an open scene for who looks at memory, so that nothing else notices: where scenes end decides about what
//! their textures cost, and what of it draws later are compared with.
//!
//! Where tiles are independent the scene stays open and its tiles note how many primitives they have drawn; what came
//! of those is held back until the scene is over. Tiles that share memory have to be drawn in their order, each as a
//! whole: such a scene is drawn for the look alone, and its surfaces are put back.

use super::Renderer;
use crate::cache::Removal;
use crate::mem::{GuestAddr, GuestRange, Memory};
use crate::raster::{self, DrawContext, Drawing, PreparedProgramState, PreparedState, RasterStats};
use crate::scene::program::Surfaces;

/// Bytes from an address on.
type Kept = (GuestAddr, Vec<u8>);

/// How far an open scene is drawn, and what came of that.
#[derive(Debug)]
pub(super) struct OpenDrawing<P> {
    drawing: Drawing<P>,
    done: RasterStats,
    /// Bytes of textures to be charged.
    charged: u64,
}

impl<P> Default for OpenDrawing<P> {
    fn default() -> Self {
        OpenDrawing { drawing: Drawing::default(), done: RasterStats::default(), charged: 0 }
    }
}

impl Renderer {
    /// Draws everything for a look: calls `look` when memory shows it.
    pub(crate) fn show_open(&mut self, memory: &Memory, look: impl FnOnce(&mut Self)) {
        self.draw_closed_until(memory, None);
        let kept = match (self.scene.is_empty(), self.programs.is_empty()) {
            (true, true) => Vec::new(),
            (false, _) => self.draw_open_fixed(memory),
            (true, false) => self.draw_open_programs(memory),
        };
        look(self);
        for (start, bytes) in kept {
            let window = memory.writable(start);
            (0..).zip(bytes).for_each(|(at, byte)| window.write(at, &[byte]));
        }
    }

    /// Whether the scene in the making is one that is drawn for looks alone.
    pub(crate) fn is_open_ordered(&self, memory: &Memory) -> bool {
        let fixed = !self.scene.is_empty() && self.scene.target.tiles_alias(memory);
        fixed || !self.programs.is_empty() && raster::is_ordered(&self.programs, memory)
    }

    /// Returns the surfaces as they were if they are to be put back.
    fn draw_open_fixed(&mut self, memory: &Memory) -> Vec<Kept> {
        memory.note_host_writes();
        let context = DrawContext {
            memory,
            scheduler: &self.scheduler,
            interrupter: None,
            removal: (Removal::Never, &self.kernels),
            undo: None,
        };
        if self.scene.target.tiles_alias(memory) {
            let kept = self.scene.target.ranges().map(|range| keep(memory, range)).collect();
            self.kernels.set_watching(false);
            raster::draw(&self.scene, &mut Drawing::default(), &context, &mut self.textures);
            self.kernels.set_watching(true);
            return kept;
        }
        let OpenDrawing { drawing, done, .. } = &mut self.open;
        // A state without primitives may still give way to another one.
        let unused = self.scene.take_unused_state();
        done.add(&raster::draw(&self.scene, drawing, &context, &mut self.textures));
        drawing.pause(&self.scene);
        self.scene.states.extend(unused);
        Vec::new()
    }

    fn draw_open_programs(&mut self, memory: &Memory) -> Vec<Kept> {
        memory.note_host_writes();
        let context = DrawContext {
            memory,
            scheduler: &self.scheduler,
            interrupter: None,
            removal: (Removal::Never, &self.kernels),
            undo: None,
        };
        let (charged, target) = (self.images.take_charged(), self.programs.target);
        let kept = if raster::is_ordered(&self.programs, memory) {
            let ranges = target.ranges(Surfaces::ALL, 0, target.rows.saturating_sub(1));
            let kept = ranges.map(|range| keep(memory, range)).collect();
            self.kernels.set_watching(false);
            raster::draw_programs(&self.programs, &mut Drawing::default(), &context, &mut self.images);
            self.kernels.set_watching(true);
            self.images.take_charged();
            kept
        } else {
            let OpenDrawing { drawing, done, charged } = &mut self.open_programs;
            let unused = self.programs.take_unused_state();
            done.add(&raster::draw_programs(&self.programs, drawing, &context, &mut self.images));
            drawing.pause(&self.programs);
            self.programs.states.extend(unused);
            *charged += self.images.take_charged();
            Vec::new()
        };
        self.images.charge(charged);
        kept
    }

    /// The scene of fixed-function fragments is over: what came of the part that is drawn counts now. Returns how far
    /// it is drawn.
    pub(super) fn end_open_fixed(&mut self) -> Drawing<PreparedState> {
        let OpenDrawing { drawing, done, .. } = std::mem::take(&mut self.open);
        self.add_raster(&done);
        drawing
    }

    /// The same for the scene of programs.
    pub(super) fn end_open_programs(&mut self) -> Drawing<PreparedProgramState> {
        let OpenDrawing { drawing, done, charged } = std::mem::take(&mut self.open_programs);
        self.images.charge(charged);
        self.add_programs(&done);
        drawing
    }

    /// Keeps the memory of what drew a scene of fixed-function fragments for the next one.
    pub(super) fn keep_fixed(&mut self, mut drawing: Drawing<PreparedState>) {
        drawing.reset();
        self.open.drawing = drawing;
    }

    /// The same for a scene of programs.
    pub(super) fn keep_programs(&mut self, mut drawing: Drawing<PreparedProgramState>) {
        drawing.reset();
        self.open_programs.drawing = drawing;
    }
}

/// What the GPU may write of a range, as it is.
fn keep(memory: &Memory, range: GuestRange) -> Kept {
    let window = memory.writable(range.start).first(usize::try_from(range.size).unwrap_or(usize::MAX));
    (range.start, (0..window.len()).map(|at| window.read::<1>(at)[0]).collect())
}
