//! Random programs of the stages between vertices and pixels: compiled kernels against the reference.
//!
//! `TRIGLYPH_SEEDS=first:count` runs that many of each.

<<<<<<< HEAD:jit/tests/maxwell_stages.rs
mod maxwell_support;

use maxwell_support::stages::run;
use triglyph_guest::kernel::program::stage::Stage;
=======
use triglyph_guest::kernel::maxwell::Stage;
use triglyph_testkit::maxwell::stages::run;
>>>>>>> 88429a9 (Tests: one binary a crate and machine, and what they share in testkit):jit/tests/jit/maxwell/stages.rs

#[test]
fn control_programs() {
    run(Stage::TessControl);
}

#[test]
fn evaluation_programs() {
    run(Stage::TessEvaluation);
}

#[test]
fn geometry_programs() {
    run(Stage::Geometry);
}
