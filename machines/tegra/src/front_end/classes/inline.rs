//! The class of inline transfers. It has no methods of its own.

use std::convert::Infallible;

use triglyph_guest::tegra::methods::classes::Inline;

use super::{ClassDispatch, EngineClass};

impl EngineClass for Inline {
    fn trigger(_dispatch: &mut ClassDispatch<'_>, trigger: Infallible, _method: u32, _datum: u32) {
        match trigger {}
    }
}
