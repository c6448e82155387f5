//! The class of inline transfers. It has no methods of its own.

use std::convert::Infallible;

use triglyph_guest::tegra::methods::MethodTable;
use triglyph_guest::tegra::methods::inline::METHODS;

use super::{ClassDispatch, EngineClass};

/// The class of inline transfers.
pub(super) struct Inline;

impl EngineClass for Inline {
    type Trigger = Infallible;
    const METHODS: &'static MethodTable<Infallible> = &METHODS;

    fn trigger(_dispatch: &mut ClassDispatch<'_>, trigger: Infallible, _method: u32, _datum: u32) {
        match trigger {}
    }
}
