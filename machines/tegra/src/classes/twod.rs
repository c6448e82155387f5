//! The 2D class.

use triglyph_guest::tegra::methods::MethodTable;
use triglyph_guest::tegra::methods::twod::{METHODS, Trigger};

use super::{ClassDispatch, EngineClass};

/// The 2D class.
pub(super) struct TwoD;

impl EngineClass for TwoD {
    type Trigger = Trigger;
    const METHODS: &'static MethodTable<Trigger> = &METHODS;

    fn trigger(dispatch: &mut ClassDispatch<'_>, trigger: Trigger, method: u32, datum: u32) {
        let (enabled, registers) = (dispatch.is_enabled(), dispatch.registers());
        dispatch.work.twod.trigger(dispatch.core, registers, trigger, method, datum, enabled);
    }

    fn is_stream(trigger: Trigger) -> bool {
        trigger == Trigger::CpuData
    }

    fn stream(dispatch: &mut ClassDispatch<'_>, data: &[u32]) {
        let (enabled, registers) = (dispatch.is_enabled(), dispatch.registers());
        dispatch.work.twod.cpu_data(dispatch.core, registers, data, enabled);
    }
}
