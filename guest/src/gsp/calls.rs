//! The calls of the 3DS's hardware, which GSP, GX commands and the host make: one row each, of
//! [`table::calls`](crate::table::calls). GX commands themselves are a capture's SUBMIT.
//!
//! Queues of clients are not in recordings. A machine that replays one leaves its own alone, once it has been told that
//! the host has chosen something.

use std::slice::Iter;

use crate::table::calls::{Argument, describe_calls};

/// The top screen, 0, or the bottom one, 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScreenNumber(pub usize);

impl Argument for ScreenNumber {
    fn put(&self, words: &mut Vec<u64>) {
        words.push(self.0 as u64);
    }

    /// `None` for screens that do not exist.
    fn take(words: &mut Iter<'_, u64>) -> Option<Self> {
        words.next().filter(|&&word| word < 2).map(|&word| ScreenNumber(word as usize))
    }
}

/// Hands the rows of the table to the macro `$then`.
#[macro_export]
macro_rules! n3ds_calls {
    ($then:ident) => {
        $then! {
            /// Writes a register with all effects, by its offset in bytes from physical address 0x10000000: the GPU's
            /// begin at 0x400000, those that cover the screens are 0x202204 and 0x202A04. The answer says which unit
            /// finishes because of it; no interrupt is queued.
            inner 0 write_register(offset: u32, value: u32) -> Option<Event> as executed;

            /// Reads a register, by its offset as in [`Self::write_register`]. Recorded are the reads that change
            /// something.
            inner 1 read_register(offset: u32) -> u32 as value;

            /// Copies bytes between physical addresses with the processors' DMA engine. The answer is how many ticks of
            /// the main processor that takes.
            inner 2 dma(source: u32, target: u32, size: u32) -> u64 as ticks;

            /// A screen has shown a frame.
            replay 3 vblank(screen: ScreenNumber);

            /// A bounded run, by the words that it did; all ones if it went on until nothing could.
            device_work 4 run_for(words: u64);

            /// Everything is in memory: work that was deferred, too.
            device_work 5 finish();

            /// A command is executed at once, while submissions are deferred.
            replay 6 execute(command: [u32; 8]);

            /// A bounded run has found a command in a client's queue, and will execute it after others.
            replay 7 queued(command: [u32; 8]);

            /// The host's options: submissions are deferred, bad addresses fail, frozen units hang.
            replay 8 choices(deferred: bool, fail: bool, hang: bool);

            /// The maximum cost of each submission, in units of fuel, the low word first.
            replay 9 set_fuel(low: u32, high: u32);
        }
    };
}

macro_rules! describe {
    ($($row:tt)+) => {
        describe_calls!($($row)+);
    };
}
n3ds_calls!(describe);
