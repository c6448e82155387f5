//! Random programs of the stages between vertices and pixels, and of compute: compiled kernels against the reference.
//!
//! `TRIGLYPH_SEEDS=first:count` runs that many of each.

mod maxwell_support;

use std::collections::BTreeMap;

use maxwell_support::Outcome;
use maxwell_support::stages::check;
use triglyph_guest::kernel::maxwell::Stage;
use triglyph_jit::Jit;

fn run(stage: Stage) {
    let given = std::env::var("TRIGLYPH_SEEDS").ok();
    let given = given.as_deref().and_then(|text| text.split_once(':'));
    let given = given.and_then(|(first, count)| Some((first.parse().ok()?, count.parse().ok()?)));
    let (first, count): (u64, u64) = given.unwrap_or((0, 100));
    let jit = Jit::new().unwrap();
    let (mut same, mut refused) = (0, BTreeMap::new());
    for seed in first..first + count {
        match check(&jit, seed, stage) {
            Outcome::Same => same += 1,
            Outcome::Refused(why) => *refused.entry(why.0).or_insert(0) += 1,
            Outcome::Different(report) => panic!("{report}"),
        }
    }
    println!("{stage:?}: {same} the same, refused {refused:?}");
    let refusals: u64 = refused.values().sum();
    assert!(same > 4 * refusals, "{same} the same, refused {refused:?}");
}

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

#[test]
fn compute_programs() {
    run(Stage::Compute);
}
