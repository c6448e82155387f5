//! The compute class.

use triglyph_guest::tegra::methods::classes::Compute;
use triglyph_guest::tegra::methods::compute::Trigger;

use super::{ClassDispatch, EngineClass};

impl EngineClass for Compute {
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
