//! Results beside those of software and beside the list of known failures.

use std::fmt::Write;

use crate::cases::Case;
use crate::results::Results;

/// What came of a run.
#[derive(Default)]
pub struct Verdict {
    passed: usize,
    unsupported: usize,
    known: usize,
    /// Those that fail in software, too.
    everywhere: usize,
    /// What the list does not have, or has and is not so.
    pub wrong: Vec<String>,
}

/// Whether it takes the result in software to judge a case: it fails, and not as the list has it.
pub fn needs_software(case: &Case, on_chip: &Results) -> bool {
    let failed = on_chip.of(&case.name).filter(|outcome| outcome.is_failure() && !outcome.is_missing());
    failed.is_some_and(|outcome| !case.known.as_ref().is_some_and(|known| known.is(&outcome.result)))
}

impl Verdict {
    pub fn of(cases: &[Case], on_chip: &Results, software: &Results) -> Self {
        let mut verdict = Self::default();
        for case in cases {
            verdict.judge(case, on_chip, software);
        }
        verdict
    }

    fn judge(&mut self, case: &Case, on_chip: &Results, software: &Results) {
        let name = &case.name;
        let Some(outcome) = on_chip.of(name) else {
            self.wrong.push(format!("{name}: has no result"));
            return;
        };
        let said = format!("{} ({})", outcome.result, outcome.detail);
        match &case.known {
            Some(known) if known.is(&outcome.result) => self.known += 1,
            Some(known) => {
                let listed = format!("{} ({})", known.result, known.reason);
                let then = if outcome.is_failure() { "" } else { ": take it out of the list" };
                self.wrong.push(format!("{name}: {said}, but it is listed as {listed}{then}"));
            }
            None if outcome.is_unsupported() => self.unsupported += 1,
            None if !outcome.is_failure() => self.passed += 1,
            None => match software.of(name) {
                Some(other) if other.is_failure() && !outcome.is_missing() => self.everywhere += 1,
                Some(other) => self.wrong.push(format!("{name}: {said}, in software {}", other.result)),
                None => self.wrong.push(format!("{name}: {said}")),
            },
        }
    }

    /// The numbers, in a line.
    pub fn summary(&self) -> String {
        let Self { passed, unsupported, known, everywhere, wrong } = self;
        let all = passed + unsupported + known + everywhere + wrong.len();
        let mut text = format!("{all} cases: {passed} pass, {unsupported} are not supported, {known} fail as listed, ");
        write!(text, "{everywhere} fail in software as well, {} are wrong", wrong.len()).expect("a string");
        text
    }
}
