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
