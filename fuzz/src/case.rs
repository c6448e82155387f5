//! Cases by number: which capture, which edits, which oracle.

use super::choices::Choices;
use super::edit::Edit;
use super::mutate::Base;
use super::oracle::{Allowed, Oracle, Report};

/// A case.
#[derive(Clone, Debug)]
pub struct Case<'b> {
    /// Its number.
    pub seed: u64,
    /// The edit.
    pub base: &'b Base,
    /// How.
    pub edits: Vec<Edit>,
    /// The oracle.
    pub oracle: Oracle,
}

impl<'b> Case<'b> {
    /// The case of a number; `None` without bases. It asks what the number chooses, unless an oracle is given.
    pub fn new(bases: &'b [Base], seed: u64, oracle: Option<Oracle>) -> Option<Self> {
        Self::chosen(bases, seed, oracle, &mut Choices::new(seed))
    }

    /// The case that some choices make.
    pub fn chosen(bases: &'b [Base], seed: u64, oracle: Option<Oracle>, choices: &mut Choices) -> Option<Self> {
        let base = choices.pick(bases)?;
        let chosen = Oracle::chosen(choices);
        Some(Case { seed, base, edits: base.edits(choices), oracle: oracle.unwrap_or(chosen) })
    }

    /// The mutant.
    pub fn mutant(&self) -> Vec<u8> {
        self.base.document.mutant(&self.edits)
    }

    /// Asks in this process.
    pub fn check(&self, allowed: Allowed) -> Report {
        self.oracle.check(&self.mutant(), self.seed, allowed)
    }
}
