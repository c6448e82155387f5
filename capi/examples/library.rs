//! The library for the tests: see `triglyph_testkit::library`.

#[path = "../src/lib.rs"]
pub mod library;

// Paths from the root of the crate are the same here.
use library::*;
