//! Random pixel programs in random scenes: compiled kernels against the reference, bit for bit.
//!
//! `TRIGLYPH_SEEDS=first:count` runs that many.

mod maxwell_support;

use maxwell_support::fragments::check;
use maxwell_support::{all_same, seeds};

#[test]
fn random_scenes() {
    all_same("scenes", seeds(150), 6, check);
}
