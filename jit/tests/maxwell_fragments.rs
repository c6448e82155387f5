//! Random pixel programs in random scenes: compiled kernels against the reference, bit for bit.
//!
//! `TRIGLYPH_SEEDS=first:count` runs that many.

mod maxwell_support;

use std::collections::BTreeMap;

use maxwell_support::Outcome;
use maxwell_support::fragments::check;
use triglyph_jit::Jit;

#[test]
fn random_scenes() {
    let given = std::env::var("TRIGLYPH_SEEDS").ok();
    let given = given.as_deref().and_then(|text| text.split_once(':'));
    let given = given.and_then(|(first, count)| Some((first.parse().ok()?, count.parse().ok()?)));
    let (first, count): (u64, u64) = given.unwrap_or((0, 150));
    let jit = Jit::new().unwrap();
    let (mut same, mut refused) = (0, BTreeMap::new());
    for seed in first..first + count {
        match check(&jit, seed) {
            Outcome::Same => same += 1,
            Outcome::Refused(why) => *refused.entry(why.0).or_insert(0) += 1,
            Outcome::Different(report) => panic!("{report}"),
        }
    }
    println!("{same} the same, refused {refused:?}");
    let refusals: u64 = refused.values().sum();
    assert!(same > 6 * refusals, "{same} the same, refused {refused:?}");
}
