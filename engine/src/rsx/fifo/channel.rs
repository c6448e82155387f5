//! The state of a channel that lasts from one word to the next.

use triglyph_guest::rsx::fifo::{Methods, PusherError};

use crate::rsx::dma::{DmaObject, space};

/// The state of a channel's pusher and puller.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The memory that the push buffer stands in; GET, PUT, jumps and calls are offsets in it.
    pub buffer: DmaObject,
    /// Offset of the next word to fetch.
    pub get: u32,
    /// Offset at which the words end that are valid.
    pub put: u32,
    /// What the last REF_CNT method stored.
    pub reference: u32,
    /// The packet that is being executed: the next method, and how many words are still to come.
    pub packet: Methods,
    /// Where a return goes, inside of a call.
    pub subroutine: Option<u32>,
    /// Why the pusher stands still.
    pub error: Option<PusherError>,
    /// The object that semaphore methods work on, as an object method names it.
    pub semaphore: u32,
    /// Byte offset of the semaphore in it.
    pub semaphore_offset: u32,
    /// The value that an acquire waits for.
    pub acquire: Option<u32>,
}

impl Default for Channel {
    fn default() -> Self {
        Channel {
            buffer: DmaObject::whole(space::MAIN),
            get: 0,
            put: 0,
            reference: 0,
            packet: Methods::default(),
            subroutine: None,
            error: None,
            semaphore: 0,
            semaphore_offset: 0,
            acquire: None,
        }
    }
}

impl Channel {
    /// GET of the main level: inside of a call the place where it returns to.
    pub fn main_get(&self) -> u32 {
        self.subroutine.unwrap_or(self.get)
    }
}
