//! The 3D class, Curie (0x4097), one table per unit. Array registers are `id(index)`, see
//! [`regs!`](crate::table::regs).
//!
//! Sources: GCM headers and initialisation, RPCS3 gcm_enums.h, envytools nv30-40_3d.xml, Mesa nv30. Names are GCM's.

mod output;
mod program;
mod raster;
mod surface;
mod sync;
mod texture;
mod vertex;

pub use output::*;
pub use program::*;
pub use raster::*;
pub use surface::*;
pub use sync::*;
pub use texture::*;
pub use vertex::*;

use super::Method;
use crate::table::regs::{flatten, total};

const UNITS: &[&[Method]] = &[
    sync::REGISTERS,
    surface::REGISTERS,
    output::REGISTERS,
    raster::REGISTERS,
    texture::REGISTERS,
    vertex::REGISTERS,
    program::REGISTERS,
];

/// All methods of the class, unit by unit.
pub const REGISTERS: &[Method] = &flatten::<_, { total(UNITS) }>(UNITS);

/// Registers, from the first to the last address in ascending order, that are locked while a draw is open: writes to
/// them between BEGIN and END do nothing, as in OpenGL. (An NV40's, envytools' hwtest, which counts them as invalid
/// operations.)
const LOCKED_IN_DRAWS: [(u32, u32); 12] = [
    // Tests, blending, masks, shade mode.
    (0x0300, 0x0368),
    (0x0374, 0x037C),
    // Depth range, lines.
    (0x0394, 0x0398),
    (0x03B8, 0x03BC),
    // Fog.
    (0x08CC, 0x08D8),
    // Viewport, polygon offset, depth test.
    (0x0A20, 0x0A3C),
    (0x0A60, 0x0A7C),
    // Lighting.
    (0x1428, 0x142C),
    (0x1454, 0x1454),
    (0x1478, 0x1478),
    // Polygons, points.
    (0x1828, 0x183C),
    (0x1EE0, 0x1EE4),
];

/// The byte address of the first register from `address` on that is locked while a draw is open.
pub fn next_locked_in_draws(address: u32) -> Option<u32> {
    LOCKED_IN_DRAWS.iter().find(|(_, last)| address <= *last).map(|(first, _)| address.max(*first))
}

/// Registers of an array that GCM initialises with values of their own.
pub(super) const INITIAL: &[(usize, &[u32])] = &[
    (set_viewport_offset::ID, &[0x4500_0000, 0x4500_0000, 0x3F00_0000, 0]),
    (set_viewport_scale::ID, &[0x4500_0000, 0x4500_0000, 0x3F00_0000, 0]),
    (
        unknown_0440::ID,
        &[
            0x9AAB_AA98,
            0x6666_6789,
            0x9876_6666,
            0x89AA_BAA9,
            0x9999_9999,
            0x8888_8889,
            0x9888_8888,
            0x9999_9999,
            0x5667_6654,
            0x3333_3345,
            0x5433_3333,
            0x4566_7665,
            0xAABB_BA99,
            0x6666_7899,
            0x9987_6666,
            0x99AB_BBAA,
        ],
    ),
];
