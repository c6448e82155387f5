//! The queue in which a client hands GX commands to GSP.
//!
//! Source: 3dbrew GSP Shared Memory (newest revision), Command Queue.

use super::errors::ResultCode;
use super::shared::{CLIENTS, SharedPage};

/// Commands a queue holds.
pub const SLOTS: u8 = 15;

/// Processing is halted until the client clears this and triggers again.
pub const STATUS_HALTED: u8 = 1;
/// A command has failed.
pub const STATUS_FATAL: u8 = 0x80;
/// The client wants processing to halt.
pub const CONTROL_HALT: u8 = 1;

/// The first word of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueHeader {
    /// Slot of the next command.
    pub current: u8,
    /// Commands that wait.
    pub count: u8,
    /// [`STATUS_HALTED`], [`STATUS_FATAL`].
    pub status: u8,
    /// [`CONTROL_HALT`].
    pub control: u8,
}

impl QueueHeader {
    /// From its word.
    pub const fn from_word(word: u32) -> Self {
        let [current, count, status, control] = word.to_le_bytes();
        QueueHeader { current, count, status, control }
    }

    /// As a word.
    pub const fn word(self) -> u32 {
        u32::from_le_bytes([self.current, self.count, self.status, self.control])
    }
}

/// What GSP finds in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A command; it is out of the queue already.
    Command([u32; 8]),
    /// Nothing.
    Empty,
    /// Commands, but processing is halted.
    Halted,
}

/// The client's queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the GX command queue is full")]
pub struct QueueFull;

/// The command queue of one client.
#[derive(Clone, Copy, Debug)]
pub struct CommandQueue<'p> {
    page: &'p SharedPage,
    base: usize,
}

impl<'p> CommandQueue<'p> {
    /// The queue of `client`, 0 to 3.
    pub fn new(page: &'p SharedPage, client: usize) -> Self {
        CommandQueue { page, base: 0x800 + client % CLIENTS * 0x200 }
    }

    /// The header as it is now.
    pub fn header(&self) -> QueueHeader {
        QueueHeader::from_word(self.page.load(self.base))
    }

    /// Why the last command that failed did.
    pub fn result(&self) -> ResultCode {
        ResultCode(self.page.load(self.base + 4))
    }

    /// GSP's side: takes the next command, unless processing is halted.
    pub fn next(&self) -> Next {
        let mut next = Next::Empty;
        self.page.change(self.base, |word| {
            let mut header = QueueHeader::from_word(word);
            next = Next::Empty;
            if header.count == 0 {
                return None;
            }
            if header.control & CONTROL_HALT != 0 {
                next = Next::Halted;
                header.status |= STATUS_HALTED;
                return Some(header.word());
            }
            // GSP compares the whole byte: after a failure, which sets bit 7, the halt does not hold any more.
            if header.status == STATUS_HALTED {
                next = Next::Halted;
                return None;
            }
            // A position after the last slot is nothing GSP could have written; it wraps.
            let slot = header.current % SLOTS;
            next = Next::Command(self.slot(slot));
            header.current = (slot + 1) % SLOTS;
            header.count -= 1;
            Some(header.word())
        });
        next
    }

    /// GSP's side: notes that a command failed.
    pub fn fail(&self, result: ResultCode) {
        // The result is there before the flag that announces it.
        self.page.store(self.base + 4, result.0);
        self.change(|header| header.status |= STATUS_FATAL);
    }

    /// GSP's side: stops after a command that asks for it.
    pub fn halt(&self) {
        self.change(|header| header.status |= STATUS_HALTED);
    }

    /// The client's side: puts a command at the end. Returns whether GSP is to be triggered: it is when the queue was
    /// empty.
    ///
    /// # Errors
    /// [`QueueFull`] when 15 commands wait.
    pub fn submit(&self, words: &[u32; 8]) -> Result<bool, QueueFull> {
        let header = self.header();
        if header.count >= SLOTS {
            return Err(QueueFull);
        }
        let slot = self.slot_offset((header.current % SLOTS + header.count) % SLOTS);
        words.iter().zip((slot..).step_by(4)).for_each(|(&word, offset)| self.page.store(offset, word));
        Ok(self.change(|header| header.count = header.count.saturating_add(1)).count == 0)
    }

    /// The client's side: takes back a halt, both its own request and GSP's flag.
    pub fn resume(&self) {
        self.change(|header| {
            header.status &= !STATUS_HALTED;
            header.control &= !CONTROL_HALT;
        });
    }

    /// The client's side: asks GSP to halt before the next command.
    pub fn request_halt(&self) {
        self.change(|header| header.control |= CONTROL_HALT);
    }

    /// Empties the queue and forgets its last error.
    pub(super) fn clear(&self) {
        [0, 4].into_iter().for_each(|offset| self.page.store(self.base + offset, 0));
    }

    /// Changes the header in one step; returns the old one.
    fn change(&self, f: impl Fn(&mut QueueHeader)) -> QueueHeader {
        let old = self.page.change(self.base, |word| {
            let mut header = QueueHeader::from_word(word);
            f(&mut header);
            Some(header.word())
        });
        QueueHeader::from_word(old)
    }

    fn slot_offset(&self, slot: u8) -> usize {
        self.base + 0x20 + usize::from(slot % SLOTS) * 0x20
    }

    fn slot(&self, slot: u8) -> [u32; 8] {
        let offset = self.slot_offset(slot);
        std::array::from_fn(|i| self.page.load(offset + i * 4))
    }
}
