//! Curie, the RSX's 3D class (0x4097).

use super::core::Core;
use super::graph::{Object, Run};
use super::registers::{Effects, Registers};
use crate::snapshot::state;

/// What writes to methods do.
static EFFECTS: Effects = [0; triglyph_guest::rsx::fifo::METHODS];

/// The 3D state of a channel.
#[derive(Debug, Default)]
pub struct Curie {
    registers: Registers,
}

impl Curie {
    /// The registers, by method.
    pub fn registers(&self) -> &Registers {
        &self.registers
    }
}

impl Object for Curie {
    fn run(&mut self, _core: &mut Core, run: Run<'_>) {
        if run.increasing {
            self.registers.store_plain(&EFFECTS, run.method, run.words);
        } else if let Some(&last) = run.words.last() {
            self.registers.set(run.method, last);
        }
    }
}

state! {
    /// The 3D state in a snapshot.
    pub(super) struct SavedCurie { registers: Box<[u32; triglyph_guest::rsx::fifo::METHODS]> }
}

impl Curie {
    pub(super) fn save(&self) -> SavedCurie {
        SavedCurie { registers: self.registers.save() }
    }

    /// The 3D state that was saved; `None` when there is no such state.
    pub(super) fn restore(saved: SavedCurie) -> Option<Self> {
        Some(Curie { registers: Registers::restore(saved.registers) })
    }
}
