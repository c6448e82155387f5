//! Faults: errors of a guest, counted by kind; the first ones are kept in full.

use std::collections::HashSet;
use std::fmt;
use std::ops::Deref;

use crate::trace;

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
    /// A program, list or macro that ran longer than it may, or a channel that waits for something which no other
    /// channel can do any more.
    OutOfFuel,
    /// A feature of the hardware that is not emulated yet.
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
#[non_exhaustive]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// Description for people.
    pub what: String,
    /// The guest address, register or method concerned.
    pub address: u64,
    /// Where in the command stream: the byte offset in its list, or the address of the command word.
    pub command: u64,
}

impl Fault {
    /// A fault of a kind: what was wrong, the guest address, register or method concerned, and where in the command
    /// stream it was.
    pub const fn new(kind: FaultKind, what: String, address: u64, command: u64) -> Self {
        Fault { kind, what, address, command }
    }
}

/// Faults of one kind that a command has caused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandFaults {
    /// The kind.
    pub kind: FaultKind,
    /// How many.
    pub count: u64,
    /// The description of the first of them, if the device has kept it: it keeps
    /// [`Faults::KEPT`] in all.
    pub what: Option<String>,
}

/// Faults counted by kind, and the first few in full.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    counts: [u64; FaultKind::ALL.len()],
    first: Vec<Fault>,
}

/// The number of faults of each kind at some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultMark {
    counts: [u64; FaultKind::ALL.len()],
    /// How many were kept in full.
    kept: usize,
}

impl Faults {
    /// How many faults are kept in full.
    pub const KEPT: usize = 64;

    /// Counts a fault and keeps it if it is among the first.
    #[doc(hidden)]
    pub fn report(&mut self, fault: Fault) {
        self.count_only(fault.kind, 1);
        if self.first.len() < Self::KEPT {
            self.first.push(fault);
        }
    }

    /// Counts `times` faults of a kind without keeping any.
    #[doc(hidden)]
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

    /// How many of each kind there are, to be compared with later ones.
    #[doc(hidden)]
    pub fn mark(&self) -> FaultMark {
        FaultMark { counts: self.counts, kept: self.first.len() }
    }

    /// The faults since a mark, by kind.
    #[doc(hidden)]
    pub fn since(&self, mark: &FaultMark) -> impl Iterator<Item = CommandFaults> + use<'_> {
        let (counts, kept) = (mark.counts, self.first.get(mark.kept..).unwrap_or_default());
        let new = FaultKind::ALL.into_iter().zip(self.counts).zip(counts).filter(|((_, now), before)| now > before);
        new.map(move |((kind, now), before)| CommandFaults {
            kind,
            count: now - before,
            what: kept.iter().find(|fault| fault.kind == kind).map(|fault| fault.what.clone()),
        })
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

/// Is called with each fault as it happens.
pub type FaultHandler = Box<dyn FnMut(&Fault) + Send>;

/// The faults of a device, and a handler that is called with each.
#[derive(Default)]
pub struct FaultLog {
    faults: Faults,
    handler: Option<FaultHandler>,
    parts: Parts,
}

/// Faults of a command that are known in its later parts. Those beyond them count in each part.
const MAX_SEEN: usize = 1 << 12;

/// A command that is done in parts, each of which may have the same fault.
#[derive(Debug, Default)]
struct Parts {
    is_open: bool,
    is_later: bool,
    /// Kinds and places of its faults so far: the first [`MAX_SEEN`].
    seen: HashSet<(FaultKind, u64)>,
    /// Faults that were not counted again.
    repeated: u64,
}

impl Parts {
    /// Whether an earlier part of the command has had this fault.
    fn repeats(&mut self, kind: FaultKind, address: u64) -> bool {
        if !self.is_open {
            return false;
        }
        let repeats = self.is_later && self.seen.contains(&(kind, address));
        if self.seen.len() < MAX_SEEN {
            self.seen.insert((kind, address));
        }
        self.repeated += u64::from(repeats);
        repeats
    }
}

impl FaultLog {
    /// Sets or removes the handler.
    pub fn set_handler(&mut self, handler: Option<FaultHandler>) {
        self.handler = handler;
    }

    /// Counts a fault, keeps it if it is among the first, and calls the handler.
    pub fn report(&mut self, fault: Fault) {
        trace::fault(fault.kind.name(), fault.address, fault.command, &fault.what);
        if let Some(handler) = &mut self.handler {
            handler(&fault);
        }
        self.faults.report(fault);
    }

    /// Reports a fault at a guest address, register or method, with its position in the command stream. The text is
    /// only made when the fault is kept or handled.
    #[cold]
    pub fn record(&mut self, kind: FaultKind, address: u64, command: u64, what: impl fmt::Display) {
        if self.parts.repeats(kind, address) {
            return;
        }
        let wanted = self.handler.is_some() || trace::ENABLED || self.faults.first.len() < Faults::KEPT;
        match wanted {
            true => self.report(Fault { kind, what: what.to_string(), address, command }),
            false => self.faults.count_only(kind, 1),
        }
    }

    /// Counts `times` faults of a kind whose places are not known, such as those of shaders. The handler is not called.
    pub fn count_only(&mut self, kind: FaultKind, times: u64) {
        self.faults.count_only(kind, times);
    }

    /// Begins a command that may be done in parts: what is [recorded](Self::record) in one of them is not counted again
    /// in those after it.
    pub fn begin_parts(&mut self) {
        self.end_parts();
        self.parts.is_open = true;
    }

    /// Another part of the command begins.
    pub fn begin_later_part(&mut self) {
        self.parts.is_later = self.parts.is_open;
    }

    /// The command ends.
    pub fn end_parts(&mut self) {
        (self.parts.is_open, self.parts.is_later) = (false, false);
        self.parts.seen.clear();
    }

    /// The number of all faults so far, including those that were not counted again.
    pub fn raised(&self) -> u64 {
        self.faults.total().saturating_add(self.parts.repeated)
    }
}

impl Deref for FaultLog {
    type Target = Faults;
    fn deref(&self) -> &Faults {
        &self.faults
    }
}

impl fmt::Debug for FaultLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultLog").field("faults", &self.faults).field("handler", &self.handler.is_some()).finish()
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

    #[test]
    fn faults_since_a_mark_are_told_by_kind() {
        let mut faults = Faults::default();
        let report = |faults: &mut Faults, kind, what: &str| {
            faults.report(Fault { kind, what: what.to_owned(), address: 0, command: 0 });
        };
        report(&mut faults, FaultKind::BadMethod, "before");
        let mark = faults.mark();
        assert_eq!(faults.since(&mark).count(), 0);
        report(&mut faults, FaultKind::BadShader, "first");
        report(&mut faults, FaultKind::BadShader, "second");
        faults.count_only(FaultKind::BadMethod, 3);
        let told: Vec<CommandFaults> = faults.since(&mark).collect();
        let faults = |kind, count, what: Option<&str>| CommandFaults { kind, count, what: what.map(str::to_owned) };
        let wanted = [faults(FaultKind::BadMethod, 3, None), faults(FaultKind::BadShader, 2, Some("first"))];
        assert_eq!(told, wanted);
    }

    #[test]
    fn parts_of_a_command_have_each_fault_once() {
        let mut log = FaultLog::default();
        let both = |log: &mut FaultLog| [1, 1, 2].map(|at| log.record(FaultKind::BadMethod, at, 0, "bad"));
        log.begin_parts();
        both(&mut log);
        assert_eq!((log.total(), log.raised()), (3, 3), "the first part counts all of its own");
        log.begin_later_part();
        both(&mut log);
        log.record(FaultKind::BadMethod, 3, 0, "bad");
        log.record(FaultKind::BadShader, 1, 0, "bad");
        assert_eq!((log.total(), log.raised()), (5, 8));
        log.end_parts();
        log.begin_later_part();
        both(&mut log);
        assert_eq!((log.total(), log.raised()), (8, 11), "without parts all count");
    }

    #[test]
    fn as_many_faults_of_a_command_are_known_as_are_stated() {
        let mut log = FaultLog::default();
        let count = MAX_SEEN as u64 + 10;
        let all = |log: &mut FaultLog| (0..count).for_each(|at| log.record(FaultKind::BadMethod, at, 0, "bad"));
        log.begin_parts();
        all(&mut log);
        log.begin_later_part();
        all(&mut log);
        assert_eq!(log.total(), count + 10);
        assert_eq!(log.raised(), 2 * count);
    }

    #[test]
    fn a_handler_hears_of_every_fault() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut log = FaultLog::default();
        log.set_handler(Some(Box::new(move |fault: &Fault| sender.send(fault.command).unwrap())));
        (0..100).for_each(|command| log.record(FaultKind::BadCommand, 0, command, "bad"));
        assert!(receiver.try_iter().eq(0..100));
        assert_eq!((log.total(), log.first().len()), (100, Faults::KEPT));
    }
}
