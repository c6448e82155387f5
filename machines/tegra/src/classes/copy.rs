//! The class of copies.

use triglyph_guest::tegra::methods::MethodTable;
use triglyph_guest::tegra::methods::copy::{METHODS, Trigger};

use super::{ClassDispatch, EngineClass};
use crate::copy;

/// The class of copies.
pub(super) struct Copies;

impl EngineClass for Copies {
    type Trigger = Trigger;
    const METHODS: &'static MethodTable<Trigger> = &METHODS;

    fn trigger(dispatch: &mut ClassDispatch<'_>, trigger: Trigger, _method: u32, datum: u32) {
        match trigger {
            Trigger::Launch => copy::launch(dispatch.core, dispatch.registers(), datum, dispatch.is_enabled()),
        }
    }
}
