//! Vertex kernels against the reference: random programs, inputs and output maps, equal to the bit.

use crate::vertex::support::{Tally, compare};
use triglyph_guest::kernel::random_vertex::{Mix, case};
use triglyph_guest::kernel::vertex::Numbers;
use triglyph_guest::pica::random::Options;
use triglyph_jit::Effort;
use triglyph_testkit::random::Random;

/// Compares `count` random cases and says what became of them.
fn differential(seed: u64, count: usize, mix: impl Fn(&mut Random) -> Mix) -> Tally {
    let mut noise = Random::new(seed);
    let mut tally = Tally::default();
    for i in 0..count {
        let mix = mix(&mut noise);
        let (key, batch) = case(&mut || noise.word(), mix);
        let effort = if i % 2 == 0 { Effort::Baseline } else { Effort::Optimized };
        compare(&key, &batch, effort, &mut tally);
    }
    println!("{tally:?}");
    tally
}

fn length(noise: &mut Random, most: u32) -> usize {
    1 + noise.below(most) as usize
}

#[test]
fn straight_programs() {
    let tally = differential(1, 400, |noise| {
        let program = Options { length: length(noise, 40), flow: false, ..Options::default() };
        Mix { program, special: 0, holes: false, ..Mix::default() }
    });
    assert_eq!(tally.unsupported, 0);
    assert!(tally.compiled > tally.reference);
}

#[test]
fn short_programs_on_special_values() {
    let tally = differential(2, 1200, |noise| {
        let program = Options { length: length(noise, 4), flow: false, ..Options::default() };
        Mix { program, special: 3, ..Mix::default() }
    });
    assert_eq!(tally.unsupported, 0);
}

#[test]
fn programs_in_24_bit_floats() {
    for (seed, special) in [(6, 0), (7, 3), (8, 40)] {
        let tally = differential(seed, 300, |noise| {
            let program = Options { length: length(noise, 40), flow: special == 40, ..Options::default() };
            Mix { program, special, holes: false, numbers: Numbers::F24, ..Mix::default() }
        });
        assert!(tally.unsupported * 20 < tally.cases);
        // Without special numbers few results are out of range.
        assert!(special > 0 || tally.reference * 10 < tally.compiled, "{tally:?}");
    }
}

#[test]
fn structured_programs() {
    let tally = differential(3, 500, |noise| {
        let program = Options { length: length(noise, 120), ..Options::default() };
        Mix { program, special: 40, ..Mix::default() }
    });
    assert!(tally.unsupported * 5 < tally.cases);
}

#[test]
fn ragged_programs() {
    differential(4, 300, |noise| {
        let program = Options { length: length(noise, 60), ragged: true, ..Options::default() };
        Mix { program, special: 40, vertices: 6, ..Mix::default() }
    });
}

#[test]
fn programs_with_garbage() {
    differential(5, 200, |noise| {
        let program = Options { length: length(noise, 60), garbage: true, ragged: true, ..Options::default() };
        Mix { program, special: 40, vertices: 6, ..Mix::default() }
    });
}
