//! Segments of push buffers that captures submit.

use std::collections::VecDeque;

use super::CHANNELS;
use triglyph_engine::snapshot::state;

/// A part of a push buffer: its space, first byte and bytes, multiples of 4 that stay within 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub space: u32,
    pub start: u32,
    pub length: u32,
}

/// What a channel has still to do, because it waits for a semaphore.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Segments {
    queues: [VecDeque<Segment>; CHANNELS as usize],
    /// Bit n: channel n is in the middle of a segment.
    active: u32,
    /// Bit n: it was said that channel n waits for a semaphore that is not released.
    reported: u32,
    round: Round,
    /// Something was submitted since the round began.
    fresh: bool,
}

/// All channels have their turn, one after the other, until a round has changed nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Round {
    /// Whose turn is next.
    next: u32,
    /// The time when it began, 0 between two rounds.
    began: u64,
    /// Bit n: channel n waited when it had its turn last.
    waiting: u32,
}

/// Segments that may wait on a channel.
const MAX_SEGMENTS: usize = 1 << 16;

impl Segments {
    /// Appends a segment; false when too many wait.
    pub(crate) fn push(&mut self, channel: u32, segment: Segment) -> bool {
        match self.queues.get_mut(channel as usize) {
            Some(queue) if queue.len() < MAX_SEGMENTS => {
                queue.push_back(segment);
                self.fresh = true;
                true
            }
            _ => false,
        }
    }

    /// The channel whose turn it is, at this time; `None` once all have had theirs and nothing changes any more.
    pub(crate) fn turn(&mut self, now: u64) -> Option<u32> {
        if self.round.next == CHANNELS {
            self.round.next = 0;
            if !self.fresh && (self.round.waiting == 0 || now == self.round.began) {
                self.round.began = 0;
                return None;
            }
        }
        if self.round.next == 0 {
            (self.round.began, self.fresh) = (now, false);
        }
        Some(self.round.next)
    }

    /// Whether a channel has segments to execute, or is in the middle of one. Others are not ours.
    pub(crate) fn has(&self, channel: u32) -> bool {
        self.channels() >> channel & 1 != 0
    }

    /// The channel has had its turn, and waits or not.
    pub(crate) fn took_turn(&mut self, waits: bool) {
        let bit = 1 << self.round.next;
        let set = |bits: u32| if waits { bits | bit } else { bits & !bit };
        (self.round.waiting, self.active) = (set(self.round.waiting), set(self.active));
        self.round.next += 1;
    }

    /// The channels that wait.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = u32> + use<> {
        let waiting = self.round.waiting;
        (0..CHANNELS).filter(move |channel| waiting >> channel & 1 != 0)
    }

    /// Bit n: channel n has segments to execute, or is in the middle of one.
    pub(crate) fn channels(&self) -> u32 {
        let queues = self.queues.iter().zip(0..).filter(|(queue, _)| !queue.is_empty());
        queues.fold(self.active, |channels, (_, channel)| channels | 1 << channel)
    }

    /// The next segment of a channel.
    pub(crate) fn pop(&mut self, channel: u32) -> Option<Segment> {
        let segment = self.queues.get_mut(channel as usize)?.pop_front()?;
        self.active |= 1 << channel;
        Some(segment)
    }

    /// Forgets what a channel has still to do.
    pub(crate) fn clear(&mut self, channel: u32) {
        if let Some(queue) = self.queues.get_mut(channel as usize) {
            queue.clear();
        }
    }

    /// Whether the host was not told yet that a channel waits.
    pub(crate) fn first_report(&mut self, channel: u32) -> bool {
        let first = self.reported >> channel & 1 == 0;
        self.reported |= 1 << channel;
        first
    }

    /// The channel waits no more.
    pub(crate) fn goes_on(&mut self, channel: u32) {
        self.reported &= !(1 << channel);
    }
}

state! {
    /// The segments of all channels in a snapshot.
    pub(crate) struct SavedSegments {
        queues: Vec<Vec<[u32; 3]>>,
        active: u32,
        reported: u32,
        next: u32,
        began: u64,
        waiting: u32,
        fresh: bool,
    }
}

impl Segments {
    pub(crate) fn save(&self) -> SavedSegments {
        let save = |&Segment { space, start, length }: &Segment| [space, start, length];
        let queues = self.queues.iter().map(|queue| queue.iter().map(save).collect()).collect();
        let Round { next, began, waiting } = self.round;
        SavedSegments { queues, active: self.active, reported: self.reported, next, began, waiting, fresh: self.fresh }
    }

    /// `None` for segments that no submission makes.
    pub(crate) fn restore(saved: SavedSegments) -> Option<Self> {
        let round = Round { next: saved.next, began: saved.began, waiting: saved.waiting };
        let mut segments = Segments { active: saved.active, reported: saved.reported, round, ..Segments::default() };
        if saved.queues.len() != segments.queues.len() || saved.next > CHANNELS {
            return None;
        }
        for (channel, queue) in (0..).zip(saved.queues) {
            for [space, start, length] in queue {
                let sound = space < 2 && start & 3 == 0 && length & 3 == 0 && start.checked_add(length).is_some();
                if !sound || !segments.push(channel, Segment { space, start, length }) {
                    return None;
                }
            }
        }
        segments.fresh = saved.fresh;
        Some(segments)
    }
}
