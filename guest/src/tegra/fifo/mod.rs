//! Command submission: GPFIFO entries, words of push buffers, the methods of the host itself.
//!
//! ```text
//! entry.rs     GPFIFO entries: pieces of a push buffer in memory
//! command.rs   words of a push buffer: headers of all forms
//! push.rs      push buffers in the making
//! stream.rs    the decoder's state from word to word, across pieces
//! host.rs      methods below 0x40: semaphores, syncpoints, cache operations
//! text.rs      a push buffer as lines of text
//! ```

mod command;
mod entry;
pub mod host;
mod push;
mod stream;
mod text;

pub use command::{Command, MAX_COUNT, MAX_LEGACY_COUNT, METHOD_MASK, Run, Stepping, SubDevice};
pub use entry::{Control, Entry, Segment};
pub use push::{MAX_ENTRY_WORDS, PushBuffer, PushError};
pub use stream::{Event, Stream, Write};
pub use text::lines;

/// Subchannels of a channel.
pub const SUBCHANNELS: usize = 8;
