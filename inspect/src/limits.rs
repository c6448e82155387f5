//! Limits of memory and time for inspecting a capture: a few bytes of a capture can ask for any amount of either.

use std::time::Duration;

/// Limits of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLimits {
    /// How long what is in the page may be gathered, and of a page that is served each answer. It is looked at between
    /// commands, and between primitives that are judged: each of these is drawn up to eight times. A submission in
    /// progress is replayed to its end.
    pub time: Duration,
    /// Bytes of events, registers, programs and pictures, about. Inputs of draws and outcomes of fragments have
    /// limits of their own.
    pub bytes: usize,
    /// Events.
    pub events: usize,
}

impl Default for PageLimits {
    /// A minute, 64 MiB, 65,536 events.
    fn default() -> Self {
        PageLimits { time: Duration::from_secs(60), bytes: 64 << 20, events: 1 << 16 }
    }
}

/// Bytes of the largest surface or output that is shown, and of all that are shown before or after one event.
pub(crate) const MAX_LOOK_BYTES: u64 = 1 << 28;

/// Surfaces and outputs that are shown: surfaces that are drawn to first.
pub(crate) const MAX_CANVASES: usize = 256;

/// As many of these are outputs, however many surfaces there are.
pub(crate) const OUTPUT_PLACES: usize = 64;

/// Bytes of memory that runs are compared by at one event.
pub(crate) const MAX_COMPARED: u64 = 1 << 30;

/// Bytes that a tour may ask for at one event.
pub(crate) const MAX_ASKED: u64 = 1 << 32;

/// What is left of a number of bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room(usize);

impl Room {
    pub fn new(bytes: usize) -> Self {
        Room(bytes)
    }

    /// Takes bytes, if there are as many.
    #[must_use]
    pub fn take(&mut self, bytes: usize) -> bool {
        match self.0.checked_sub(bytes) {
            Some(left) => self.0 = left,
            None => return false,
        }
        true
    }
}
