//! Conditional rendering: every class has a condition of its own, and one that counts for all.
//!
//! The condition is what the words in memory say when SET_RENDER_ENABLE_C is written (as yuzu has it; drivers write it
//! again after each report). A channel begins with conditions that hold.

use triglyph_guest::tegra::methods::values::{RenderEnableMode, RenderEnableOverride};
use triglyph_guest::tegra::methods::{Class, copy, inline, threed, twod};

use super::registers::Registers;
use crate::core::{ADDRESS_MASK, Core};
use triglyph_engine::device::FaultKind;
use triglyph_engine::snapshot::state;

/// What the conditions came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// Of each class, by [`index`](super::unit::index).
    pub classes: [bool; Class::ALL.len()],
    /// Of all classes: SET_GLOBAL_RENDER_ENABLE.
    pub global: bool,
}

impl Default for Conditions {
    fn default() -> Self {
        Conditions { classes: [true; Class::ALL.len()], global: true }
    }
}

state! {
    /// Conditions in a snapshot.
    pub(crate) struct SavedConditions { classes: [bool; Class::ALL.len()], global: bool }
}

impl Conditions {
    pub(crate) fn save(&self) -> SavedConditions {
        let Conditions { classes, global } = *self;
        SavedConditions { classes, global }
    }

    pub(crate) fn restore(saved: SavedConditions) -> Self {
        let SavedConditions { classes, global } = saved;
        Conditions { classes, global }
    }
}

/// The first of the three registers of a class's condition.
const fn registers_of(class: Class) -> usize {
    match class {
        Class::ThreeD | Class::Compute | Class::Inline => threed::regs::set_render_enable_a::ID,
        Class::TwoD => twod::regs::set_render_enable_a::ID,
        Class::Copy => copy::regs::set_render_enable_a::ID,
    }
}

/// SET_GLOBAL_RENDER_ENABLE_A; the copy class has none.
const GLOBAL: usize = inline::regs::set_global_render_enable_a::ID;

impl Conditions {
    /// What a write of `method`, one of those with an effect on conditions, does. `index` is the class's number.
    pub fn write(&mut self, core: &mut Core, registers: &Registers, class: Class, index: usize, method: u32) {
        let method = method as usize;
        if class != Class::Copy && method == GLOBAL + 2 {
            self.global = holds(core, registers, GLOBAL);
        } else if method == registers_of(class) + 2 {
            self.classes[index] = holds(core, registers, registers_of(class));
        }
        // The override is looked at when something is to be done.
    }

    /// Whether a class does what is conditional.
    pub fn hold(&self, registers: &Registers, class: Class, index: usize) -> bool {
        let condition = self.global && self.classes[index];
        let word = match class {
            Class::ThreeD | Class::Compute | Class::Inline => {
                registers.get(threed::regs::set_render_enable_override::ID)
            }
            Class::TwoD => registers.get(twod::regs::set_render_enable_override::ID),
            Class::Copy => return condition,
        };
        match RenderEnableOverride::from_register(word & 3) {
            Some(RenderEnableOverride::Always) => true,
            Some(RenderEnableOverride::Never) => false,
            Some(RenderEnableOverride::UseRenderEnable) | None => condition,
        }
    }
}

/// Evaluates the condition whose registers begin at `first`.
fn holds(core: &mut Core, registers: &Registers, first: usize) -> bool {
    let address = registers.address(first) & ADDRESS_MASK;
    let mut report = |offset: u64| {
        let mut words = [0; 2];
        core.read_words(address.wrapping_add(offset) & ADDRESS_MASK, &mut words, "the condition of rendering");
        words
    };
    let word = registers.get(first + 2);
    match RenderEnableMode::from_register(word & 7) {
        Some(RenderEnableMode::Never) => false,
        Some(RenderEnableMode::Always) => true,
        Some(RenderEnableMode::Conditional) => report(0) != [0; 2],
        Some(RenderEnableMode::IfEqual) => report(0) == report(16),
        Some(RenderEnableMode::IfNotEqual) => report(0) != report(16),
        None => {
            core.fault(
                FaultKind::BadMethod,
                first as u64 + 2,
                format_args!("SET_RENDER_ENABLE_C: mode {word:#x} does not exist"),
            );
            true
        }
    }
}

const _: () = assert!(
    threed::regs::set_render_enable_a::ID == inline::regs::set_render_enable_a::ID
        && threed::regs::set_render_enable_override::ID == inline::regs::set_render_enable_override::ID
        && GLOBAL == threed::regs::set_global_render_enable_a::ID
        && GLOBAL == twod::regs::set_global_render_enable_a::ID
);
