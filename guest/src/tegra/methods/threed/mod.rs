//! MAXWELL_B (0xB197), the 3D class.
//!
//! ```text
//! control.rs    macros, inline transfers, synchronisation, firmware
//! target.rs     colour and zeta targets, samples, clears
//! viewport.rs   viewports, clipping, scissors
//! vertex.rs     attributes, streams, indices, draws, transform feedback
//! raster.rs     points, lines, polygons
//! fragment.rs   tests, blending, writing
//! program.rs    programs, constant buffers, textures
//! report.rs     reports, counters, conditional rendering
//! hint.rs       registers without visible effect
//! ```
//! Source of names, positions and values: NVIDIA clb197.h. What registers hold when a channel is made is not
//! documented; reset values are those that emulators and drivers rely on.

mod control;
mod fragment;
mod hint;
pub mod output_values;
mod program;
mod raster;
mod report;
mod target;
pub mod values;
mod vertex;
mod viewport;

pub use output_values::*;
pub use values::*;

use super::common::{THREED, joined};
use super::{ADDRESSES, Effect, MethodInfo, MethodTable};
use crate::table::regs::total;

/// The registers, as modules: `regs::set_color_target_format::v(word)`.
pub mod regs {
    pub use super::super::common::channel::*;
    pub use super::super::common::inline::*;
    pub use super::super::common::macros::*;
    pub use super::super::common::shader::*;
    pub use super::control::*;
    pub use super::fragment::*;
    pub use super::hint::*;
    pub use super::program::*;
    pub use super::raster::*;
    pub use super::report::*;
    pub use super::target::*;
    pub use super::vertex::*;
    pub use super::viewport::*;

    use super::{MethodInfo, THREED, Trigger, joined, total};

    const PARTS: &[&[MethodInfo<Trigger>]] = &[
        super::control::REGISTERS,
        super::target::REGISTERS,
        super::viewport::REGISTERS,
        super::vertex::REGISTERS,
        super::raster::REGISTERS,
        super::fragment::REGISTERS,
        super::program::REGISTERS,
        super::report::REGISTERS,
        super::hint::REGISTERS,
    ];

    /// All registers, part by part.
    pub const REGISTERS: &[MethodInfo<Trigger>] = &joined::<_, { total(THREED) + total(PARTS) }>(THREED, PARTS);
}

/// Groups of state that a write makes dirty.
pub mod dirty {
    crate::table::effect::groups! {
        /// Colour and zeta targets, surface clip, samples.
        TARGET,
        /// Viewports, clipping, scissors, window rectangles.
        VIEWPORT,
        /// Attributes, streams, base indices.
        VERTEX_INPUT,
        /// Culling, polygon modes, lines, points, depth bias, what becomes of vertex outputs.
        RASTER,
        /// Depth, stencil, alpha tests, blending, masks.
        FRAGMENT,
        /// Programs, tessellation.
        PROGRAM,
        /// Pools of headers and samplers, where handles are.
        TEXTURE,
        /// Transform feedback.
        STREAM_OUT,
    }
}

/// What a write does at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// Increments a syncpoint.
    IncrementSyncpoint,
    /// Draws vertices that all have index 0.
    DrawZero,
    /// Sets where transform feedback writes next.
    StreamOutPointer,
    /// Draws vertices.
    DrawArray,
    /// Makes earlier writes of programs visible.
    FlushWrites,
    /// Stores an instruction of the blend program.
    BlendInstruction,
    /// Unbinds all constant buffers.
    UnbindAll,
    /// Begins, draws vertices, ends.
    DrawArrayOnce,
    /// Draws what transform feedback wrote.
    DrawAuto,
    /// Indices in the datum.
    DrawInline,
    /// Sets a counter to 0.
    ClearReport,
    /// Ends a draw.
    End,
    /// Begins a draw.
    Begin,
    /// Changes the primitive id.
    PrimitiveId,
    /// Draws indices.
    DrawIndexed,
    /// Begins, draws indices, ends.
    DrawIndexedOnce,
    /// Clears targets.
    Clear,
    /// Calls into firmware.
    Firmware,
    /// Stores a word of the selected constant buffer.
    LoadConstant,
    /// Binds the selected constant buffer.
    BindConstant,
    /// Draws a rectangle of texels.
    DrawTexture,
}

/// The methods by address.
pub static METHODS: MethodTable<Trigger> = MethodTable::new(regs::REGISTERS);

/// What each register holds when a channel is made. Every program begins with the constant buffers of its own stage:
/// Mesa and deko3d never write SET_PIPELINE_BINDING.
pub static RESET: [u32; ADDRESSES] = {
    let mut values = MethodTable::new(regs::REGISTERS).reset();
    let groups = [0, 0, 1, 2, 3, 4];
    let mut i = 0;
    while i < groups.len() {
        values[regs::set_pipeline_binding::id(i)] = groups[i];
        i += 1;
    }
    values
};

/// The group of registers that a method belongs to is dirty after a write: bits of [`dirty`].
#[inline]
pub fn groups(method: u32) -> u32 {
    match METHODS.effect(method) {
        Effect::Dirty(groups) => groups,
        Effect::None | Effect::Common(_) | Effect::Trigger(_) => 0,
    }
}
