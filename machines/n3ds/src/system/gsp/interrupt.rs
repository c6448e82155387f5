//! Interrupts and the relay queues that bring them to clients.
//!
//! Source: 3dbrew GSP Shared Memory (newest revision), Interrupt Queue.

use super::shared::{CLIENTS, SharedPage};
use triglyph_guest::listed;

listed! {
    /// What the GPU's units raise, numbered as clients see them.
    #[derive(PartialOrd, Ord)]
    pub enum Interrupt: u8 {
        /// Memory fill unit 0 has finished.
        Psc0 = 0,
        /// Memory fill unit 1 has finished.
        Psc1 = 1,
        /// VBlank of the top screen.
        Pdc0 = 2,
        /// VBlank of the bottom screen.
        Pdc1 = 3,
        /// The transfer engine has finished.
        Ppf = 4,
        /// A command list has finished.
        P3d = 5,
        /// A DMA request has finished.
        Dma = 6,
    }
}

impl Interrupt {
    /// Whether it is a VBlank, which goes to every client.
    pub const fn is_vblank(self) -> bool {
        matches!(self, Interrupt::Pdc0 | Interrupt::Pdc1)
    }
}

/// Slots of a queue.
const SLOTS: u32 = 0x34;
/// Interrupts that wait from which on VBlanks are dropped; the rest of the slots is for the others.
const VBLANK_LIMIT: u8 = 0x20;
/// Offset of the first slot.
const SLOT: usize = 0xC;

/// The first word of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RelayHeader {
    /// Slot of the oldest interrupt that waits.
    pub first: u8,
    /// How many wait.
    pub count: u8,
    /// Set to 1 when an interrupt other than a VBlank was dropped.
    pub missed_other: u8,
    /// Bit 0: the client wants no VBlanks.
    pub flags: u8,
}

impl RelayHeader {
    /// From its word.
    pub const fn from_word(word: u32) -> Self {
        let [first, count, missed_other, flags] = word.to_le_bytes();
        RelayHeader { first, count, missed_other, flags }
    }

    /// As a word.
    pub const fn word(self) -> u32 {
        u32::from_le_bytes([self.first, self.count, self.missed_other, self.flags])
    }
}

/// The relay queue of one client.
#[derive(Clone, Copy, Debug)]
pub struct RelayQueue<'p> {
    page: &'p SharedPage,
    base: usize,
}

/// What a full queue does to an interrupt.
enum Room {
    Yes,
    /// The client does not want it.
    Skip,
    Full,
}

impl<'p> RelayQueue<'p> {
    /// The queue of `client`, 0 to 3.
    pub fn new(page: &'p SharedPage, client: usize) -> Self {
        RelayQueue { page, base: client % CLIENTS * 0x40 }
    }

    /// The header as it is now.
    pub fn header(&self) -> RelayHeader {
        RelayHeader::from_word(self.page.load(self.base))
    }

    /// VBlanks of the top (0) and bottom screen (1) that were dropped.
    pub fn missed_vblanks(&self, screen: usize) -> u32 {
        self.page.load(self.missed(screen))
    }

    fn missed(&self, screen: usize) -> usize {
        self.base + 4 + (screen & 1) * 4
    }

    /// GSP's side: queues an interrupt. Returns whether the client's event is to be signalled.
    pub fn push(&self, interrupt: Interrupt) -> bool {
        let mut room = Room::Yes;
        self.page.change(self.base, |word| {
            let mut header = RelayHeader::from_word(word);
            room = room_for(header, interrupt);
            match room {
                Room::Yes => {
                    // Taking one from the front moves `first` and `count` alike: the slot stays the same.
                    let slot = (u32::from(header.first) + u32::from(header.count)) % SLOTS;
                    self.page.store_byte(self.base + SLOT + slot as usize, interrupt as u8);
                    header.count += 1;
                }
                Room::Full if !interrupt.is_vblank() && header.missed_other == 0 => header.missed_other = 1,
                Room::Full | Room::Skip => return None,
            }
            Some(header.word())
        });
        if let (Room::Full, true) = (&room, interrupt.is_vblank()) {
            let screen = usize::from(interrupt == Interrupt::Pdc1);
            self.page.change(self.missed(screen), |missed| Some(missed.wrapping_add(1)));
        }
        matches!(room, Room::Yes)
    }

    /// The client's side: takes the oldest interrupt's number.
    pub fn pop(&self) -> Option<u8> {
        let mut taken = None;
        self.page.change(self.base, |word| {
            let mut header = RelayHeader::from_word(word);
            taken = None;
            header.count = header.count.checked_sub(1)?;
            let slot = header.first % SLOTS as u8;
            taken = Some(self.page.load_byte(self.base + SLOT + usize::from(slot)));
            header.first = (slot + 1) % SLOTS as u8;
            header.missed_other = 0;
            Some(header.word())
        });
        taken
    }

    /// The client's side: says whether VBlanks are wanted.
    pub fn skip_vblanks(&self, skip: bool) {
        self.page.change(self.base, |word| {
            let header = RelayHeader::from_word(word);
            Some(RelayHeader { flags: header.flags & !1 | u8::from(skip), ..header }.word())
        });
    }

    /// Empties the queue.
    pub(super) fn clear(&self) {
        (0..0x40).step_by(4).for_each(|offset| self.page.store(self.base + offset, 0));
    }
}

fn room_for(header: RelayHeader, interrupt: Interrupt) -> Room {
    if interrupt.is_vblank() {
        match header.flags & 1 != 0 {
            true => Room::Skip,
            false if header.count >= VBLANK_LIMIT => Room::Full,
            false => Room::Yes,
        }
    } else if u32::from(header.count) >= SLOTS {
        Room::Full
    } else {
        Room::Yes
    }
}
