//! Random pixel programs in random scenes: compiled kernels against the reference, bit for bit.
//!
//! `TRIGLYPH_SEEDS=first:count` runs that many.

use triglyph_testkit::maxwell::all_same;
use triglyph_testkit::maxwell::fragments::check;
use triglyph_testkit::random::seeds;

#[test]
fn random_scenes() {
    all_same("scenes", seeds(150), 6, check);
}
