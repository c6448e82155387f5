//! The 2D class.

use triglyph_guest::tegra::methods::classes::TwoD;
use triglyph_guest::tegra::methods::twod::Trigger;

use super::{ClassDispatch, EngineClass};

impl EngineClass for TwoD {
    fn trigger(dispatch: &mut ClassDispatch<'_>, trigger: Trigger, method: u32, datum: u32) {
        let (enabled, registers) = (dispatch.is_enabled(), dispatch.registers());
        dispatch.work.twod.trigger(dispatch.core, registers, trigger, method, datum, enabled);
    }

    fn stream(dispatch: &mut ClassDispatch<'_>, data: &[u32]) {
        let (enabled, registers) = (dispatch.is_enabled(), dispatch.registers());
        dispatch.work.twod.cpu_data(dispatch.core, registers, data, enabled);
    }
}
