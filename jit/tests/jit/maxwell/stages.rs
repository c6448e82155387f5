//! Random programs of the stages between vertices and pixels: compiled kernels against the reference.
//!
//! `TRIGLYPH_SEEDS=first:count` runs that many of each.

use triglyph_guest::kernel::program::stage::Stage;
use triglyph_testkit::maxwell::stages::run;

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
