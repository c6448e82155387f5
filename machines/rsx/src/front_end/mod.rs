//! PFIFO: from words in memory to methods of objects.
//!
//! ```text
//! push buffer ──► fetch.rs ──► pusher.rs ──► header.rs (methods, jumps, calls) ──► puller.rs ─┬─► semaphores, reference
//!                 1 Ki words     runs of data words                                          ├─► Graph: objects
//!                                                                                            └─► HostEvents: driver, interrupts
//! switcher.rs: which channel's words; in exact mode the others are in RAMFC        cache.rs: methods that wait
//! ```
//! Sources: envytools "FIFO", "DMA pusher", "Puller"; nouveau's `nvkm/engine/fifo/nv40`.

mod cache;
mod channel;
pub mod dma;
mod fetch;
pub mod graph;
mod header;
mod packet_trace;
pub(crate) mod packets;
mod puller;
mod pusher;
pub mod ramin;
pub mod registers;
mod saved;
pub(crate) mod segments;
mod switcher;
pub(crate) mod valid_words;
pub mod words;

pub(super) use cache::Cache;
pub(super) use channel::SavedChannel;
pub use channel::{Channel, PushBuffer};
pub(super) use fetch::Fetch;
pub(super) use puller::{Method, Puller};
pub(super) use pusher::run;
pub(super) use saved::SavedFifo;
pub use switcher::{CHANNELS, Fifo, Switches};

/// Why the pusher of a channel stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// GET has reached PUT.
    Idle,
    /// A jump to itself: the guest parks the pusher there until it replaces the word.
    Parked,
    /// An error; the channel stops until it is cleared.
    Error,
    /// A semaphore does not have the value that is waited for.
    Blocked,
    /// The guest gave the rest of its time away.
    Yielded,
    /// A method waits for the guest's own interrupt handler.
    Stalled,
    /// More work than one run may do.
    OutOfFuel,
    /// A bounded run is over: the channel goes on with the next one.
    SliceOver,
}
