//! Work in bounded pieces: how much one call may do, and why it returned.

use std::time::Duration;

use triglyph_guest::id::{ChannelId, SyncpointId};

use crate::address::GuestAddr;

/// Limits of one bounded run: the first one that is reached ends it. It ends between two commands, so the last one may
/// go beyond; a run does at least one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct RunLimit {
    /// Time of the machine: estimates of what the work takes the console, in whole nanoseconds, not time of the host.
    pub time: Duration,
    /// Words of push buffers and command lists.
    pub words: u64,
}

impl RunLimit {
    /// No limit: only an interrupt ends a run that has something to do.
    pub const NONE: RunLimit = RunLimit { time: Duration::MAX, words: u64::MAX };

    /// Time of the machine.
    pub const fn of_time(time: Duration) -> Self {
        RunLimit { time, ..Self::NONE }
    }

    /// Words of push buffers and command lists.
    pub const fn of_words(words: u64) -> Self {
        RunLimit { words, ..Self::NONE }
    }

    /// What is left of it after some words and nanoseconds; `None` if that is nothing.
    pub(crate) fn after(self, words: u64, nanoseconds: u64) -> Option<Self> {
        let is_endless = self.time == Duration::MAX;
        let time = if is_endless { self.time } else { self.time.saturating_sub(Duration::from_nanos(nanoseconds)) };
        let words = if self.words == u64::MAX { self.words } else { self.words.saturating_sub(words) };
        (words != 0 && !time.is_zero()).then_some(RunLimit { time, words })
    }

    /// The same, and ended by so many words as well.
    pub const fn with_words(self, words: u64) -> Self {
        RunLimit { words, ..self }
    }
}

/// What a device waits for when none of its channels can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Waiting {
    /// A word of guest memory does not have the value that a channel waits for.
    Semaphore {
        /// The channel.
        channel: ChannelId,
        /// Where the word is.
        place: GuestAddr,
        /// The value that it is compared with.
        value: u32,
    },
    /// A counter has not reached a value: on the Tegra X1 a syncpoint.
    Counter {
        /// The channel.
        channel: ChannelId,
        /// The counter.
        counter: SyncpointId,
        /// The value that it is to reach, modulo 2^32.
        value: u32,
    },
    /// A push buffer jumps to itself until its owner overwrites the jump.
    PushBuffer {
        /// The channel.
        channel: ChannelId,
        /// Offset of the jump, as the channel counts.
        offset: u32,
    },
    /// A channel is stopped by an error, or until the guest's own interrupt handler acts. On the 3DS commands are in
    /// the queue of a client that was halted, or has not the rendering right.
    Processor {
        /// The channel; on the 3DS the client.
        channel: ChannelId,
    },
}

/// Why a bounded run returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RunEnd {
    /// Everything that was submitted is done, and its results are in guest memory.
    Done,
    /// Nothing can go on before the host, or the guest's processor, has acted. If several channels wait, the first of
    /// them.
    Waiting(Waiting),
    /// The limit is reached, and there is more to do.
    BudgetUsed,
    /// An interrupt ended the run; there may be more to do. What was drawn last may not be in guest memory yet.
    Interrupted,
}
