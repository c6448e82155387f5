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
//! Source of names, positions and values: NVIDIA clb197.h. What registers hold when a channel is made is the list
//! `sw_method_init` of the firmware that NVIDIA publishes for the kernel's driver (linux-firmware, `nvidia/gm20b/gr`,
//! the same file as the GM200's), which is also what Ryujinx begins the console's channels with; see `set_srgb_write`
//! for the one exception.

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
use super::{ADDRESSES, ClassTrigger, Effect, MethodInfo, MethodTable};
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

/// The immediate effect of a write.
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

impl ClassTrigger for Trigger {
    fn shows_drawing(self) -> bool {
        matches!(self, Trigger::IncrementSyncpoint | Trigger::ClearReport | Trigger::Clear)
    }

    fn is_stream(self) -> bool {
        self == Trigger::LoadConstant
    }
}

/// The methods by address.
pub static METHODS: MethodTable<Trigger> = MethodTable::new(regs::REGISTERS);

/// The initial value of each register of a channel: the rows' values, and those of rows whose registers differ.
/// Programs vertex B and pixel are on, and every program begins with the constant buffers of its own stage.
pub static RESET: [u32; ADDRESSES] = {
    let mut values = MethodTable::new(regs::REGISTERS).reset();
    let (groups, shaders) = ([0, 0, 1, 2, 3, 4], [0, 0x11, 0x20, 0x30, 0x40, 0x51]);
    let mut i = 0;
    while i < groups.len() {
        values[regs::set_pipeline_binding::id(i)] = groups[i];
        values[regs::set_pipeline_shader::id(i)] = shaders[i];
        i += 1;
    }
    let edges = [0x3020_1000, 0x7060_5040, 0xB8A8_9888, 0xF8E8_D8C8];
    let coefficients = [0x2018_1008, 0x4038_3028, 0x6058_5048, 0x8078_7068];
    i = 0;
    while i < edges.len() {
        values[regs::set_line_smooth_edge_table::id(i)] = edges[i];
        values[regs::set_tir_modulation_coefficient_table::id(i)] = coefficients[i];
        i += 1;
    }
    values[regs::set_ct_write::id(0)] = 0x1111;
    // A8R8G8B8.
    values[regs::set_color_target_format::id(0)] = 0xCF;
    values[regs::set_l2_cache_control_for_rop_interlocked_write_requests::ID] = 0x10;
    values[regs::set_ps_warp_watermarks::ID] = 0x0040_0008;
    values[regs::set_ps_register_watermarks::ID] = 0x0800_0080;
    values[regs::set_shader_cache_control::ID] = 1;
    values[regs::set_tiled_cache_unknown_a::ID] = 0x2212;
    values[regs::set_tiled_cache_unknown_b::ID] = 0x0808_0203;
    values[regs::set_tiled_cache_unknown_c::ID] = 0x0008_0001;
    values[regs::set_tiled_cache_unknown_d::ID] = 8;
    i = 0;
    while i < UNNAMED.len() {
        let (first, words) = UNNAMED[i];
        let mut n = 0;
        while n < words.len() {
            values[first + n] = words[n];
            n += 1;
        }
        i += 1;
    }
    values
};

/// Methods of the list that no source has a name for, and that have no row: the first address of each group, and what
/// the registers of the group hold when a channel is made. Macros may read them; what they do is not known, so a write
/// is a fault. Those that begin as 0 are 0x1D4 and 0x511 to 0x513. Source besides the list: envytools, which has four
/// bits of each byte of the words from 0x1DC and from 0x1F4.
const UNNAMED: &[(usize, &[u32])] = &[
    (0x0B0, &[1]),
    (0x1D8, &[0x3929_1909, 0x7969_5949, 0xB9A9_9989, 0xF9E9_D9C9]),
    (0x1DC, &[0x3020_1000, 0x7060_5040, 0x9080]),
    (0x1E0, &[0x3929_1909, 0x7969_5949, 0xB9A9_9989, 0xF9E9_D9C9]),
    (0x1F4, &[0x3020_1000, 0x7060_5040, 0x9080]),
];

/// The group of registers that a method belongs to is dirty after a write: bits of [`dirty`].
#[inline]
pub fn groups(method: u32) -> u32 {
    match METHODS.effect(method) {
        Effect::Dirty(groups) => groups,
        Effect::None | Effect::Common(_) | Effect::Trigger(_) => 0,
    }
}
