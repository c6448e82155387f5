//! Random fills, copies and conversions.

use std::fmt::Write as _;

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::random_transfer::{Case, case};
use triglyph_interp::Interpreter;
use triglyph_jit::Jit;

use super::Outcome;
use triglyph_testkit::random::Random;

/// A transfer within memory; all of the memory is compared, so what lies around the target counts as well.
pub fn transfers(seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    let case = case(&mut || random.word());
    let reference = Interpreter.transfer(&case.key).expect("the reference never refuses");
    let (want, answer) = case.run(|job| reference.run(job));
    answer.expect("the reference never refuses");
    let kernel = match Jit::new().and_then(|jit| jit.transfer(&case.key)) {
        Ok(kernel) => kernel,
        Err(refused) => return Outcome::Unsupported(refused),
    };
    let (got, answer) = case.run(|job| kernel.run(job));
    match answer {
        Err(_) if got != case.before() => Outcome::Different(report(&case, &case.before(), &got, "a refused job")),
        Err(refused) => Outcome::Unsupported(refused),
        Ok(()) if got == want => Outcome::Equal(1.0),
        Ok(()) => Outcome::Different(report(&case, &want, &got, "the job")),
    }
}

fn report(case: &Case, want: &[u8], got: &[u8], what: &str) -> String {
    const ROW: usize = 16;
    let mut report = format!("{what}: {:?} {:?}\n", case.key, case.job);
    let _ = writeln!(report, "source {:x?}, target {:x?} (begin, length)", case.source(), case.target());
    let _ = writeln!(report, "at       before / interp / jit");
    let before = case.before();
    let rows = (0..want.len()).step_by(ROW).filter(|&at| {
        let end = (at + ROW).min(want.len());
        want[at..end] != got[at..end]
    });
    for at in rows.take(8) {
        let end = (at + ROW).min(want.len());
        for bytes in [&before, want, got] {
            let _ = writeln!(report, "{at:6x}   {:02x?}", &bytes[at..end]);
        }
        let stars: String = (at..end).map(|at| if want[at] == got[at] { "    " } else { " ** " }).collect();
        let _ = writeln!(report, "         {stars}");
    }
    report
}
