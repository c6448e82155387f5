//! State of a draw, derived from registers where groups of them are dirty.
//!
//! ```text
//! target.rs     surfaces                     ─► ProgramTarget
//! vertex.rs     vertex_program.rs, arrays    ─► VertexKey, streams
//! fragment.rs   code.rs, inputs              ─► FragmentCode, varyings
//! texture.rs    texture units                ─► TextureKey, images
//! output.rs     tests, blending              ─► OutputKey, constants
//! setup.rs      viewport, facing, lines, ... ─► ProgramSetup
//! pixels.rs     all of it together           ─► ProgramState
//! ```

mod fragment;
mod output;
mod pixels;
mod setup;
pub(crate) mod target;
pub(crate) mod texture;
pub(crate) mod vertex;

pub(super) use setup::scissor;

use std::sync::Arc;

use triglyph_guest::kernel::program::fragment::FragmentKey;
use triglyph_guest::rsx::methods::dirty;

use super::programs::fragment_code::FragmentPrograms;
use super::programs::vertex_code::{Store, VertexProgram, VertexPrograms};
use crate::core::Core;
use crate::front_end::registers::Registers;
use target::Target;
use texture::TextureUnits;
use triglyph_engine::cache::{Handle, Recent, kinds};
use triglyph_engine::draw::program::{ProgramSetup, Topology};
use triglyph_engine::frontend::{Derived, Recycled};
use triglyph_engine::mem::Epoch;
use triglyph_engine::scene::program::ProgramState;
use vertex::VertexState;

/// What the last draw used.
#[derive(Debug)]
pub(super) struct State {
    pub target: Target,
    pub vertex: Derived<VertexState>,
    vertex_programs: VertexPrograms,
    vertex_program: Option<VertexProgram>,
    programs: FragmentPrograms,
    textures: TextureUnits,
    /// Without a value, draws have no effect.
    pub pixels: Derived<Pixels>,
    kernels: Recent<FragmentKey, Handle<kinds::Fragment>>,
    states: Recycled<ProgramState>,
    setups: Recycled<ProgramSetup>,
    /// When it was last checked whether memory is mapped otherwise.
    mapped: Epoch,
    /// Whether the last draw was one of points, when that makes a difference.
    points: bool,
    /// Whether faults were found when state was derived. Then nothing of it is remembered, so that they are counted for
    /// each draw, as on a device that goes on with a snapshot.
    faulty: bool,
}

/// State of fragments and primitives.
#[derive(Debug)]
pub(super) struct Pixels {
    pub state: Arc<ProgramState>,
    pub setup: Arc<ProgramSetup>,
    /// Instructions that a fragment executes at most.
    pub instructions: u64,
}

/// Groups that fragments and primitives depend on.
const PIXEL_GROUPS: u32 = dirty::SURFACE
    | dirty::VIEWPORT
    | dirty::RASTER
    | dirty::FRAGMENT_PROGRAM
    | dirty::TEXTURE
    | dirty::OUTPUT
    | dirty::DEPTH_STENCIL
    | dirty::FOG
    | dirty::QUERY;
/// Groups that vertices depend on.
const VERTEX_GROUPS: u32 = dirty::VERTEX_ARRAY | dirty::VERTEX_PROGRAM | dirty::VERTEX_TEXTURE;

impl Default for State {
    fn default() -> Self {
        State {
            target: Target::default(),
            vertex: Derived::new(VERTEX_GROUPS),
            vertex_programs: VertexPrograms::default(),
            vertex_program: None,
            programs: FragmentPrograms::default(),
            textures: TextureUnits::default(),
            pixels: Derived::new(PIXEL_GROUPS),
            kernels: Recent::default(),
            states: Recycled::default(),
            setups: Recycled::default(),
            mapped: Epoch::default(),
            points: false,
            faulty: false,
        }
    }
}

impl State {
    /// Takes over the groups that changed since the last draw. Memory that is mapped otherwise may be a surface or a
    /// texture.
    pub(super) fn take_dirty(&mut self, core: &Core, registers: &Registers) {
        let mut dirty = registers.take_dirty();
        let is_faulty = std::mem::take(&mut self.faulty);
        if core.memory.mapped_since(self.mapped) || core.renderer.state_cache_disabled() || is_faulty {
            dirty = u32::MAX;
            self.mapped = core.memory.epoch();
        }
        self.vertex.note(dirty);
        self.pixels.note(dirty);
    }

    /// The target that the registers describe.
    pub(super) fn refresh_target(&mut self, core: &mut Core, registers: &Registers) {
        // The group stays dirty until primitives and fragments are derived from it as well.
        if self.pixels.dirty() & dirty::SURFACE != 0 {
            let faults = core.faults.raised();
            self.target = registers.file().deriving(dirty::SURFACE, || Target::new(core, registers));
            self.faulty |= core.faults.raised() != faults;
        }
    }

    /// Everything fragments and primitives need, the vertex program being up to date; `None` when the draw can have no
    /// effect.
    pub(super) fn refresh_pixels(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        topology: Topology,
    ) -> Option<&Pixels> {
        self.refresh_target(core, registers);
        let faults = core.faults.raised();
        let same_place = self.pixels.dirty() & dirty::FRAGMENT_PROGRAM == 0;
        let reread = self.programs.refresh(core, registers, same_place);
        let points = topology == Topology::Points;
        let sprites = fragment::sprites(registers) && points != self.points;
        self.points = points;
        if self.pixels.dirty() & dirty::TEXTURE != 0 {
            self.textures.forget();
        }
        if !self.pixels.is_valid(core, registers.file()) || reread || sprites {
            self.pixels.invalidate();
            let derive = || pixels::derive(self, core, registers);
            if let Some(pixels) = registers.file().deriving(PIXEL_GROUPS, derive) {
                self.pixels.set(pixels);
            }
        }
        self.faulty |= core.faults.raised() != faults;
        self.pixels.value()
    }

    /// The vertex program and its arrays.
    pub(super) fn refresh_vertex(&mut self, core: &mut Core, registers: &Registers, store: &Store) {
        if self.vertex.dirty() & dirty::VERTEX_PROGRAM != 0 {
            self.vertex_program = None;
        }
        if self.vertex.is_valid(core, registers.file()) {
            return;
        }
        let faults = core.faults.raised();
        let program = match self.vertex_program.take() {
            Some(program) => program,
            None => self.vertex_programs.get(core, registers, store),
        };
        let before = self.vertex.take();
        let output_mask = before.as_ref().map(|before| before.output_mask);
        let derive = || VertexState::new(core, registers, &program, before);
        let state = registers.file().deriving(VERTEX_GROUPS, derive);
        // Varyings and points depend on what the program gives, not on the program.
        if output_mask != Some(state.output_mask) {
            self.pixels.invalidate();
        }
        self.vertex_program = Some(program);
        self.vertex.set(state);
        self.faulty |= core.faults.raised() != faults;
    }
}
