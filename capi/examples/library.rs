//! The library for the tests. Cargo builds examples before it runs tests, but no libraries that Rust cannot link; and a
//! build by itself would choose other features of the crates below, which means to compile all of them again.

#[path = "../src/lib.rs"]
pub mod library;

// Paths from the root of the crate are the same here.
use library::*;
