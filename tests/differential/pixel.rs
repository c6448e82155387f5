//! Random pixel states and scenes.

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::random_pixel::RandomPixel;
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};

use super::Outcome;
use triglyph_testkit::random::Random;

/// A state, primitives and the memory they work on.
pub fn states(seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    let case = RandomPixel::new(&mut || random.word());
    let effort = if random.one_in(8) { Effort::Optimized } else { Effort::Baseline };
    let reference = Interpreter.pixel(&case.key).expect("the reference never refuses");
    let want = case.run(&*reference).expect("the reference never refuses");
    let jit = if random.one_in(3) { Jit::with_narrow_vectors(effort) } else { Jit::with_effort(effort) };
    let compiled = jit.and_then(|jit| jit.pixel(&case.key)).and_then(|kernel| case.run(&*kernel));
    match compiled {
        Err(refused) => Outcome::Unsupported(refused),
        Ok(got) => match case.compare(["interp", "jit"], [&want, &got]) {
            None => Outcome::Equal(1.0),
            Some(report) => Outcome::Different(format!("{effort:?}\n{report}")),
        },
    }
}
