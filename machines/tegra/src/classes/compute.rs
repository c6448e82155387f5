//! The compute class.

use triglyph_guest::tegra::methods::MethodTable;
use triglyph_guest::tegra::methods::compute::{METHODS, Trigger};

use super::{ClassDispatch, EngineClass};

/// The compute class.
pub(super) struct Compute;

impl EngineClass for Compute {
    type Trigger = Trigger;
    const METHODS: &'static MethodTable<Trigger> = &METHODS;

    fn shows_drawing(trigger: Trigger) -> bool {
        trigger == Trigger::Launch
    }

    fn trigger(dispatch: &mut ClassDispatch<'_>, trigger: Trigger, _method: u32, datum: u32) {
        match trigger {
            Trigger::Launch => {
                let (enabled, registers) = (dispatch.is_enabled(), dispatch.registers());
                dispatch.work.compute.launch(dispatch.core, registers, datum, enabled);
                dispatch.settle();
            }
        }
    }
}
