//! What a guest gets wrong: counted by kind, the first ones kept in full.

use std::fmt;

/// The kinds of trouble a guest can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FaultKind {
    /// A read from memory that is not mapped or not readable; it yields zeros.
    UnmappedRead,
    /// A write to memory that is not mapped or not writable; it is dropped.
    UnmappedWrite,
    /// A command word, header or submission that makes no sense.
    BadCommand,
    /// A register or method that does not exist, or a value that it does not take.
    BadMethod,
    /// A shader instruction that does not exist, or a program that cannot be entered.
    BadShader,
    /// A program, list or macro that ran longer than it may.
    OutOfFuel,
    /// Something real that is not emulated yet.
    Unimplemented,
}

impl FaultKind {
    /// Every kind.
    pub const ALL: [FaultKind; 7] = [
        FaultKind::UnmappedRead,
        FaultKind::UnmappedWrite,
        FaultKind::BadCommand,
        FaultKind::BadMethod,
        FaultKind::BadShader,
        FaultKind::OutOfFuel,
        FaultKind::Unimplemented,
    ];

    /// A short name: `unmapped-read`.
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::UnmappedRead => "unmapped-read",
            FaultKind::UnmappedWrite => "unmapped-write",
            FaultKind::BadCommand => "bad-command",
            FaultKind::BadMethod => "bad-method",
            FaultKind::BadShader => "bad-shader",
            FaultKind::OutOfFuel => "out-of-fuel",
            FaultKind::Unimplemented => "unimplemented",
        }
    }
}

/// One thing that the guest got wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// What happened, for people.
    pub what: String,
    /// The guest address, register or method concerned.
    pub address: u64,
    /// Where in the command stream: the byte offset in its list, or the address of the command word.
    pub command: u64,
}

/// Faults counted by kind, and the first few in full.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    counts: [u64; FaultKind::ALL.len()],
    first: Vec<Fault>,
}

impl Faults {
    /// How many faults are kept in full.
    pub const KEPT: usize = 64;

    /// Counts a fault and keeps it if it is among the first.
    pub fn report(&mut self, fault: Fault) {
        self.count_only(fault.kind, 1);
        if self.first.len() < Self::KEPT {
            self.first.push(fault);
        }
    }

    /// Counts a fault at a guest address, register or method, with its position in the command stream; the text is only
    /// made when the fault is kept.
    #[cold]
    pub fn record(&mut self, kind: FaultKind, address: u64, command: u64, what: impl fmt::Display) {
        match self.first.len() < Self::KEPT {
            true => self.report(Fault { kind, what: what.to_string(), address, command }),
            false => self.count_only(kind, 1),
        }
    }

    /// Counts `times` faults of a kind without keeping any.
    pub fn count_only(&mut self, kind: FaultKind, times: u64) {
        let count = &mut self.counts[kind as usize];
        *count = count.saturating_add(times);
    }

    /// How many of a kind there were.
    pub fn count(&self, kind: FaultKind) -> u64 {
        self.counts[kind as usize]
    }

    /// How many there were in all.
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// The first ones, at most [`Self::KEPT`], oldest first.
    pub fn first(&self) -> &[Fault] {
        &self.first
    }

    /// Adds the faults of another, which came later.
    pub fn merge(&mut self, later: &Faults) {
        for (count, more) in self.counts.iter_mut().zip(later.counts) {
            *count = count.saturating_add(more);
        }
        let room = Self::KEPT.saturating_sub(self.first.len());
        self.first.extend(later.first.iter().take(room).cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_keep_the_first_and_count_all() {
        let mut faults = Faults::default();
        for command in 0..100 {
            let what = "bad".to_owned();
            faults.report(Fault { kind: FaultKind::BadMethod, what, address: 1, command });
        }
        assert_eq!(faults.total(), 100);
        assert_eq!(faults.count(FaultKind::BadMethod), 100);
        assert_eq!(faults.first().len(), Faults::KEPT);
        let mut sum = Faults::default();
        sum.merge(&faults);
        sum.merge(&faults);
        assert_eq!(sum.total(), 200);
        assert_eq!(sum.first().len(), Faults::KEPT);
    }
}
