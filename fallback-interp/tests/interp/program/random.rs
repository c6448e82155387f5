//! Random programs and states: every one of them ends, stays inside of its memory and gives the same twice.

use std::sync::Arc;

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::program::fragment::FragmentKey;
use triglyph_guest::kernel::program::output::Compare;
use triglyph_guest::kernel::program::random_fragment::RandomFragment;
use triglyph_guest::kernel::program::random_vertex::{self, Mix, UNWRITTEN};
use triglyph_guest::kernel::program::{FragmentKernel, VertexKernel};
use triglyph_guest::rsx::{fragment, vertex};
use triglyph_interp::{Interpreter, program};
use triglyph_testkit::random::words;

fn kernel(key: &FragmentKey) -> Arc<dyn FragmentKernel> {
    Interpreter.fragment(key).expect("the reference supports everything")
}

fn fragments(seeds: std::ops::Range<u64>, options: fragment::random::Options) {
    let mut drawn = 0;
    for seed in seeds {
        let case = RandomFragment::new(&mut words(seed), options);
        let kernel = kernel(&case.key);
        let first = case.run(&*kernel).unwrap();
        let second = case.run(&*kernel).unwrap();
        assert!(case.compare(["first", "second"], [&first, &second]).is_none(), "seed {seed}");
        drawn += u32::from(first.passed != 0);
    }
    assert!(drawn > 200, "{drawn} of 300 cases drew something");
}

#[test]
fn structured_fragment_programs() {
    fragments(0..300, fragment::random::Options::default());
}

#[test]
fn fragment_programs_without_structure() {
    let options = fragment::random::Options { ragged: true, garbage: true, ..Default::default() };
    fragments(1000..1300, options);
}

fn vertices(seeds: std::ops::Range<u64>, mix: Mix) -> (u32, u32) {
    let (mut exhausted, mut written) = (0, 0);
    for seed in seeds {
        let (key, batch) = random_vertex::case(&mut words(seed), mix);
        let kernel = program::vertex::Kernel::new(&key);
        let (first, finished) = batch.run(&key, |job| kernel.shade(job, 0));
        let (second, _) = batch.run(&key, |job| kernel.shade(job, 0));
        assert_eq!(finished, batch.vertices.len());
        assert!(first.same(&second), "seed {seed}");
        assert!(!first.values.contains(&UNWRITTEN), "seed {seed}: a record was not written");
        exhausted += first.exhausted;
        written += u32::from(first.values.iter().any(|v| *v != 0.0 && *v != 1.0));
    }
    (exhausted, written)
}

#[test]
fn an_alpha_test_that_always_passes_is_none() {
    // Without one depth and stencil are asked first. Everything is unequal to NaN.
    let mut compared = 0;
    for seed in 5000..5400 {
        let mut case = RandomFragment::new(&mut words(seed), fragment::random::Options::default());
        if case.key.output.alpha_test != Compare::Always {
            continue;
        }
        let first = case.run(&*kernel(&case.key)).unwrap();
        case.key.output.alpha_test = Compare::NotEqual;
        case.constants.output.alpha_reference = f32::NAN;
        let second = case.run(&*kernel(&case.key)).unwrap();
        let report = case.compare(["without", "with"], [&first, &second]);
        assert!(report.is_none(), "seed {seed}\n{}", report.unwrap_or_default());
        compared += 1;
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn structured_vertex_programs() {
    let (exhausted, written) = vertices(0..300, Mix { short_of_fuel: false, ..Mix::default() });
    assert_eq!(exhausted, 0);
    assert!(written > 250, "{written} of 300 programs did something");
}

#[test]
fn vertex_programs_without_structure() {
    let program = vertex::random::Options { ragged: true, garbage: true, textures: true, ..Default::default() };
    let (exhausted, written) = vertices(1000..1300, Mix { program, ..Mix::default() });
    assert!(exhausted > 0 && written > 100, "{exhausted}, {written}");
}
