//! The class of copies.

use triglyph_guest::tegra::methods::classes::Copy;
use triglyph_guest::tegra::methods::copy::Trigger;

use super::{ClassDispatch, EngineClass};
use crate::copy;

impl EngineClass for Copy {
    fn trigger(dispatch: &mut ClassDispatch<'_>, trigger: Trigger, _method: u32, datum: u32) {
        match trigger {
            Trigger::Launch => copy::launch(dispatch.core, dispatch.registers(), datum, dispatch.is_enabled()),
        }
    }
}
