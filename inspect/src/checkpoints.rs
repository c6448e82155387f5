//! Checkpoints: snapshots of the device, so that any event is reached by a short replay.

use std::time::Duration;

use triglyph::SnapshotOptions;

use crate::options::SessionOptions;

/// The device before a record, or inside of one.
pub(crate) struct Checkpoint {
    pub record: usize,
    /// Whether a part of the record is done; the rest waits in the device.
    pub is_inside: bool,
    /// Commands before it.
    pub order: u64,
    pub state: Vec<u8>,
}

/// Checkpoints are made by LZ4.
pub(crate) const STATE: SnapshotOptions = SnapshotOptions::REGISTERS.with_memory(true);

/// Checkpoints that are due by the number of commands alone may take so long; then only as long as replaying has.
const FREE_TIME: Duration = Duration::from_secs(1);

/// When checkpoints are made: as often as they are worth it, and after a number of commands, unless they have taken
/// longer than replaying.
pub(crate) struct Pace<'o> {
    options: &'o SessionOptions,
    /// What the last one took.
    cost: Duration,
    /// What all have taken, and what replaying has.
    spent: Duration,
    replayed: Duration,
    /// Replaying since the last one.
    since: Duration,
}

impl<'o> Pace<'o> {
    pub fn new(options: &'o SessionOptions, first: Duration) -> Self {
        Pace { options, cost: first, spent: first, replayed: Duration::ZERO, since: Duration::ZERO }
    }

    /// Something was replayed.
    pub fn replayed(&mut self, time: Duration) {
        self.since += time;
        self.replayed += time;
    }

    /// A checkpoint was made.
    pub fn made(&mut self, time: Duration) {
        (self.cost, self.since) = (time, Duration::ZERO);
        self.spent += time;
    }

    /// Whether one is due, by what was replayed since the last one, and at least `least`; or by `commands`.
    pub fn is_due(&self, least: Duration, commands: u64) -> bool {
        let is_worth_it = self.since > least.max(self.cost * self.options.checkpoint_worth);
        let is_far = commands > self.options.max_commands;
        is_worth_it || is_far && self.spent <= self.replayed + FREE_TIME
    }
}

/// Drops every second checkpoint until they take at most so many bytes; the first one stays.
pub(crate) fn thin(checkpoints: &mut Vec<Checkpoint>, bytes: usize) {
    while checkpoints.len() > 1 && checkpoints.iter().map(|kept| kept.state.len()).sum::<usize>() > bytes {
        let mut number = 0;
        checkpoints.retain(|_| {
            number += 1;
            number % 2 == 1
        });
    }
}
