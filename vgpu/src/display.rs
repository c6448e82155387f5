//! A display without a screen: one connector, one encoder, one CRTC, one mode. Page flips are complete at once.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use crate::drm::abi::{FlipEvent, Mode};

/// The identifiers.
pub const CRTC: u32 = 10;
pub const CONNECTOR: u32 = 20;
pub const ENCODER: u32 = 30;

/// The first identifier of frame buffers.
const FIRST_FRAME_BUFFER: u32 = 100;

/// Flips of which a program has not read the event; older ones are forgotten.
const MAX_EVENTS: usize = 64;

/// A buffer that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameBuffer {
    /// The buffer's handle.
    pub handle: u32,
    pub width: u32,
    pub height: u32,
    pub pitch: u32,
    /// The four-character code of the pixel format.
    pub format: u32,
}

/// See the module.
#[derive(Debug)]
pub struct Display {
    mode: [u16; 2],
    frame_buffers: BTreeMap<u32, FrameBuffer>,
    /// The frame buffer that is shown.
    pub shown: u32,
    events: VecDeque<(u64, u32)>,
    flips: u32,
    /// When the first and the last page flip were.
    between: Option<[Instant; 2]>,
}

impl Display {
    /// A display of so many pixels across and down.
    pub fn new(mode: [u16; 2]) -> Self {
        let (frame_buffers, events) = (BTreeMap::new(), VecDeque::new());
        Display { mode, frame_buffers, shown: 0, events, flips: 0, between: None }
    }

    /// Its mode, at 60 Hz.
    pub fn mode(&self) -> Mode {
        let [width, height] = self.mode;
        let horizontal = [width, width + 16, width + 32, width + 64, 0];
        let vertical = [height, height + 4, height + 8, height + 16, 0];
        let mut name = [0; 32];
        name.iter_mut().zip(format!("{width}x{height}").bytes()).for_each(|(to, from)| *to = from);
        // Preferred, and the driver's own.
        let kind = 8 | 64;
        let clock = u32::from(horizontal[3]) * u32::from(vertical[3]) * 60 / 1000;
        Mode { clock, horizontal, vertical, refresh: 60, flags: 0, kind, name }
    }

    /// Adds a frame buffer and returns its identifier.
    pub fn add(&mut self, frame_buffer: FrameBuffer) -> u32 {
        let last = self.frame_buffers.last_key_value().map_or(FIRST_FRAME_BUFFER, |(&last, _)| last);
        self.frame_buffers.insert(last + 1, frame_buffer);
        last + 1
    }

    /// Removes a frame buffer.
    pub fn remove(&mut self, id: u32) -> Option<FrameBuffer> {
        self.frame_buffers.remove(&id)
    }

    /// Shows a frame buffer; `event` is the user data of the event that the program wants. `None` if there is no such
    /// frame buffer.
    pub fn flip(&mut self, id: u32, event: Option<u64>) -> Option<FrameBuffer> {
        let frame_buffer = *self.frame_buffers.get(&id)?;
        self.shown = id;
        self.flips += 1;
        let now = Instant::now();
        self.between = Some([self.between.map_or(now, |[first, _]| first), now]);
        if let Some(user_data) = event {
            if self.events.len() == MAX_EVENTS {
                self.events.pop_front();
            }
            self.events.push_back((user_data, self.flips));
        }
        Some(frame_buffer)
    }

    /// Page flips so far.
    pub fn flips(&self) -> u32 {
        self.flips
    }

    /// Page flips a second, from the first one to the last.
    pub fn rate(&self) -> Option<f64> {
        let [first, last] = self.between?;
        let seconds = last.duration_since(first).as_secs_f64();
        (seconds > 0.0).then(|| f64::from(self.flips - 1) / seconds)
    }

    /// The next event, at a time in nanoseconds.
    pub fn next_event(&mut self, time: u64) -> Option<FlipEvent> {
        let (user_data, sequence) = self.events.pop_front()?;
        let (seconds, microseconds) = ((time / 1_000_000_000) as u32, (time / 1000 % 1_000_000) as u32);
        let length = size_of::<FlipEvent>() as u32;
        Some(FlipEvent { kind: 2, length, user_data, seconds, microseconds, sequence, crtc: CRTC })
    }
}
