//! Segments of push buffers that captures submit.

use std::collections::VecDeque;

use super::fifo::CHANNELS;
use triglyph_engine::snapshot::state;

/// A part of a push buffer: its space, first byte and bytes, multiples of 4 that stay within 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub space: u32,
    pub start: u32,
    pub length: u32,
}

/// What a channel has still to do, because it waits for a semaphore.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Segments {
    queues: [VecDeque<Segment>; CHANNELS as usize],
    /// Bit n: it was said that channel n waits for a semaphore that nobody has released.
    reported: u32,
}

/// Segments that may wait on a channel.
const MOST: usize = 1 << 16;

impl Segments {
    /// Appends a segment; false when too many wait.
    pub(super) fn push(&mut self, channel: u32, segment: Segment) -> bool {
        match self.queues.get_mut(channel as usize) {
            Some(queue) if queue.len() < MOST => {
                queue.push_back(segment);
                true
            }
            _ => false,
        }
    }

    /// The next segment of a channel.
    pub(super) fn pop(&mut self, channel: u32) -> Option<Segment> {
        self.queues.get_mut(channel as usize)?.pop_front()
    }

    /// Forgets what a channel has still to do.
    pub(super) fn clear(&mut self, channel: u32) {
        if let Some(queue) = self.queues.get_mut(channel as usize) {
            queue.clear();
        }
    }

    /// Whether nobody was told yet that a channel waits.
    pub(super) fn first_report(&mut self, channel: u32) -> bool {
        let first = self.reported >> channel & 1 == 0;
        self.reported |= 1 << channel;
        first
    }

    /// The channel waits no more.
    pub(super) fn goes_on(&mut self, channel: u32) {
        self.reported &= !(1 << channel);
    }
}

state! {
    /// The segments of all channels in a snapshot.
    pub(super) struct SavedSegments { queues: Vec<Vec<[u32; 3]>>, reported: u32 }
}

impl Segments {
    pub(super) fn save(&self) -> SavedSegments {
        let save = |&Segment { space, start, length }: &Segment| [space, start, length];
        let queues = self.queues.iter().map(|queue| queue.iter().map(save).collect()).collect();
        SavedSegments { queues, reported: self.reported }
    }

    /// `None` for segments that no submission makes.
    pub(super) fn restore(saved: SavedSegments) -> Option<Self> {
        let mut segments = Segments { reported: saved.reported, ..Segments::default() };
        if saved.queues.len() != segments.queues.len() {
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
        Some(segments)
    }
}
