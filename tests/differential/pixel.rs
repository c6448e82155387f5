//! Random pixel states and scenes.

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::pixel::PixelKey;
use triglyph_guest::kernel::random_pixel::{RandomPixel, Surfaces};
use triglyph_interp::Interpreter;

use super::{Outcome, compiler};
use triglyph_testkit::random::Random;

/// A state, primitives and the memory they work on.
pub fn states(seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    let case = RandomPixel::new(&mut || random.word());
    let (jit, effort) = compiler(&mut random);
    let reference = Interpreter.pixel(&case.key).expect("the reference never refuses");
    let want = case.run(&*reference).expect("the reference never refuses");
    let compiled = jit.and_then(|jit| jit.pixel(&case.key)).and_then(|kernel| case.run(&*kernel));
    if let Some(simpler) = case.with_known_alpha() {
        let kernel = Interpreter.pixel(&simpler).expect("the reference never refuses");
        let got = case.run(&*kernel).expect("the reference never refuses");
        if let Some(report) = case.compare(["whole", "with known alpha"], [&want, &got]) {
            return Outcome::Different(format!("{:?}\n{report}", simpler.output));
        }
    }
    if let Some(divided) = case.key.divide() {
        let make = |key: Option<PixelKey>| key.map(|key| Interpreter.pixel(&key).expect("the reference never refuses"));
        let (tests, shading) = (make(divided.tests), make(divided.shading));
        let parts = case.run_divided(tests.as_deref(), shading.as_deref()).expect("the reference never refuses");
        let whole = Surfaces { survivors: Vec::new(), ..want.clone() };
        if let Some(report) = case.compare(["whole", "divided"], [&whole, &parts]) {
            return Outcome::Different(report);
        }
    }
    Outcome::compared(compiled.map(|got| case.compare(["interp", "jit"], [&want, &got])), effort)
}
