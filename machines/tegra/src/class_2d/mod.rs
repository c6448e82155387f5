//! The 2D class: blits, solid primitives, pixels from the push buffer.
//!
//! ```text
//! blit.rs   ──► as it is ──────────────────────────────────► image.rs ─► transfer requests
//!           ├─► bands.rs, rows by a kernel ─────────────────────┤
//!           └─► scaled, filtered, converted ─┐                  │
//! solid.rs  points, lines, triangles, rects ─┼─► canvas.rs ─ rows
//! cpu.rs    pixels from the push buffer ─────┘      └─► operation.rs: the result of source and destination
//! ```
//! Sources: NVIDIA cl902d.h for registers and values; deko3d and Mesa's nvc0 and nv50 drivers for how they are used;
//! envytools for the operations, which come from NV04; yuzu and Ryujinx. Arithmetic is f32; what the hardware's is is
//! not known.

mod bands;
mod blit;
mod canvas;
mod cpu;
mod operation;
mod pattern;
mod pixel;
mod solid;
mod surface;

use triglyph_guest::tegra::methods::twod::Trigger;

use crate::core::Core;
use crate::front_end::registers::Registers;
use cpu::{CpuImage, SavedCpuImage};
use solid::{SavedSolid, Solid};
use triglyph_engine::snapshot::state;

/// What the class has besides registers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TwoD {
    /// Points of the primitive that is being given.
    solid: Solid,
    /// How far the image from the push buffer has come.
    cpu: CpuImage,
}

state! {
    /// What the class has besides registers in a snapshot.
    pub(super) struct SavedTwoD { solid: SavedSolid, cpu: SavedCpuImage }
}

impl TwoD {
    /// Does what `trigger`, by method `method`, asks for. `enabled`: whether the condition of rendering holds.
    pub fn trigger(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        trigger: Trigger,
        method: u32,
        datum: u32,
        enabled: bool,
    ) {
        match trigger {
            Trigger::Blit => blit::blit(core, registers, enabled),
            Trigger::SolidPoint => self.solid.point(core, registers, method, datum, enabled),
            Trigger::CpuBegin => self.cpu.begin(),
            Trigger::CpuData => self.cpu_data(core, registers, &[datum], enabled),
        }
    }

    /// Pixels from the push buffer.
    pub fn cpu_data(&mut self, core: &mut Core, registers: &Registers, words: &[u32], enabled: bool) {
        self.cpu.data(core, registers, words, enabled);
    }

    pub(super) fn save(&self) -> SavedTwoD {
        SavedTwoD { solid: self.solid.save(), cpu: self.cpu.save() }
    }

    /// What was saved, if it is possible.
    pub(super) fn restore(saved: SavedTwoD) -> Option<Self> {
        Some(TwoD { solid: Solid::restore(saved.solid)?, cpu: CpuImage::restore(saved.cpu) })
    }
}
