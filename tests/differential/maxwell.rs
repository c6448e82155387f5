//! Random programs of the Tegra X1: vertices, pixels, threads, and the stages between vertices and pixels.

use super::Outcome;
use triglyph_guest::kernel::program::stage::Stage;
use triglyph_guest::tegra::shader::random::Options;
use triglyph_jit::{Effort, Jit};

use triglyph_testkit::maxwell::{self as support, fragments as pixel_cases, stages, vertices as vertex_cases};

/// Runs a case with a compiler that the seed chooses.
fn with_compiler(seed: u64, check: impl FnOnce(&Jit) -> support::Outcome) -> Outcome {
    with_one_of(8, seed, check)
}

/// Runs a case with a compiler that the seed chooses: one in so many makes optimized code.
fn with_one_of(compilers: u64, seed: u64, check: impl FnOnce(&Jit) -> support::Outcome) -> Outcome {
    let effort = if seed.is_multiple_of(compilers) { Effort::Optimized } else { Effort::Baseline };
    let narrow = seed.is_multiple_of(3 * compilers);
    let made = if narrow { Jit::with_narrow_vectors(effort) } else { Jit::with_effort(effort) };
    let jit = match made {
        Ok(jit) => jit,
        Err(refused) => return Outcome::Unsupported(refused),
    };
    match check(&jit) {
        support::Outcome::Same => Outcome::Equal(1.0),
        support::Outcome::Unsupported(refused) => Outcome::Unsupported(refused),
        support::Outcome::Different(report) => {
            Outcome::Different(format!("{effort:?}, narrow vectors: {narrow}\n{report}"))
        }
    }
}

/// A vertex program of all operations.
pub fn vertices(seed: u64) -> Outcome {
    let ragged = seed % 8 == 5;
    let options = Options { allowed: &vertex_cases::usual, length: 25, ragged, ..Options::default() };
    with_compiler(seed, |jit| vertex_cases::check(jit, seed, options))
}

/// A pixel program in a scene.
pub fn pixels(seed: u64) -> Outcome {
    with_compiler(seed, |jit| pixel_cases::check(jit, seed))
}

/// A block of threads. Optimized code is another one, for two slices at once.
pub fn threads(seed: u64) -> Outcome {
    with_one_of(2, seed, |jit| stages::check(jit, seed, Stage::Compute))
}

/// A program of the stages between vertices and pixels.
pub fn between(seed: u64) -> Outcome {
    let stage = [Stage::TessControl, Stage::TessEvaluation, Stage::Geometry][(seed % 3) as usize];
    with_compiler(seed, |jit| stages::check(jit, seed, stage))
}
