//! Captures: a GPU's input in a file (`.tgc`), and everything that reads, writes or replays one.
//!
//! ```text
//! file ─► reader ─► format::Record ─► player ─► Device ─► picture ─► expect
//! Device calls ─► recorder ─► writer ─► file
//! ```
//!
//! The format is written down in `docs/reference/captures.md`.

pub mod expect;
pub mod file;
pub mod format;
pub mod meta;
pub mod picture;
pub mod player;
pub mod reader;
pub mod recorder;
pub mod recording_device;
pub mod writer;

mod call_log;
mod host_memory;
mod known_pages;
mod layout;
mod ranges;
#[cfg(test)]
mod tests;

pub use expect::{Comparison, Expected};
pub use file::CaptureFile;
pub use format::{Bytes, Expect, Hash, Header, Kind, Map, Mem, Present, Record};
pub use meta::Meta;
pub use picture::Picture;
pub use player::{Checks, Event, Finished, Hashed, Player, Prepared};
pub use ranges::Ranges;
pub use reader::{Entry, Limits, RawRecord, Reader};
pub use recorder::Recorder;
pub use recording_device::{Expectation, RecordingDevice};
pub use writer::{Compression, Writer};
