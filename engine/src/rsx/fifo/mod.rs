//! PFIFO: from words in memory to methods of objects.
//!
//! ```text
//! push buffer ──► fetch.rs ──► pusher.rs (headers, jumps, calls) ──► puller.rs ─┬─► semaphores, reference
//!                 1 Ki words     runs of data words                            └─► Graph: objects
//! ```
//! Sources: envytools "FIFO", "DMA pusher", "Puller".

mod channel;
mod fetch;
mod puller;
mod pusher;

pub use channel::Channel;
pub(super) use fetch::Fetch;
pub(super) use puller::{Method, Puller};
pub(super) use pusher::run;

/// Why the pusher of a channel stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// GET has reached PUT.
    Idle,
    /// A jump to itself: the guest parks the pusher there until it replaces the word.
    Parked,
    /// An error; the channel stands still until the host clears it.
    Error,
    /// A semaphore does not have the value that is waited for.
    Blocked,
    /// The guest gave the rest of its time away.
    Yielded,
    /// More work than one run may do.
    OutOfFuel,
}
