//! How a session is set up.

use std::time::Duration;

use triglyph::Options;

use crate::progress::Progress;

/// How a session is set up.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// How the device is set up.
    pub device: Options,
    /// How many events are kept: each counts one, and one more for each effect and for each surface, texture and
    /// fragment that an effect names. What commands do after that is not listed.
    pub event_room: usize,
    /// A checkpoint is kept when replaying since the last one has taken so many times as long as making one takes.
    pub checkpoint_worth: u32,
    /// Bytes of checkpoints at most; beyond, every second one is dropped.
    pub checkpoint_bytes: usize,
    /// Submissions that take longer have checkpoints inside, as far apart.
    pub longest_run: Duration,
    /// Words of push buffers and lists between two of these at least.
    pub run_words: u64,
    /// Commands from one checkpoint to the next, and those of a run: whatever the time that they take, but not once
    /// checkpoints have taken longer than replaying, and a second.
    pub max_commands: u64,
    /// Is told how far replays are, from the first on: see [`Session::set_progress`](crate::Session::set_progress).
    pub progress: Option<Progress>,
}

impl Default for SessionOptions {
    /// Some 200,000 draws, checkpoints of at most 256 MiB, and no more than about 50 ms and 2048 commands to replay
    /// from one to the next.
    fn default() -> Self {
        SessionOptions {
            device: Options::default(),
            event_room: 1 << 20,
            checkpoint_worth: 4,
            checkpoint_bytes: 256 << 20,
            longest_run: Duration::from_millis(50),
            run_words: 4096,
            max_commands: 2048,
            progress: None,
        }
    }
}
