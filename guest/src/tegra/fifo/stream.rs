//! The decoder from word to word. Its state outlives segments: a header may be the last word of one and its data the
//! next one, which is how drivers let the GPU read the arguments of indirect draws straight from a buffer (deko3d).

use super::command::{Command, Run, SubDevice};

/// A method with its datum, on its way to the host or to the engine of its subchannel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Write {
    /// Subchannel, 0 to 7.
    pub subchannel: u32,
    /// Dword address of the method, 0 to 0xFFF; below 0x40 the host's.
    pub method: u32,
    /// The datum.
    pub data: u32,
    /// Whether no more data of the same header follow. Hardware does not know this; it tells when a macro has all
    /// parameters that its caller wrote.
    pub last: bool,
}

/// The result of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// Nothing for an engine: a header, a mask, or a datum that is not for this device.
    None,
    /// A method.
    Write(Write),
    /// The rest of this segment is ignored.
    EndSegment,
    /// The word is no header: a channel error. Decoding may go on with the next word.
    Malformed,
}

/// This device in masks of sub-devices; there is only one.
const THIS_DEVICE: u32 = 1;

/// The state of a channel's decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream {
    /// Data words that are still to come.
    pub pending: Option<Run>,
    /// The sub-devices that methods are for, 12 bits.
    pub mask: u32,
    /// The mask that a word stored, 12 bits.
    pub stored: u32,
}

impl Default for Stream {
    fn default() -> Self {
        Stream { pending: None, mask: 0xFFF, stored: 0xFFF }
    }
}

impl Stream {
    /// Takes the next word.
    #[inline]
    pub fn word(&mut self, word: u32) -> Event {
        match self.pending {
            Some(run) => self.datum(run, word),
            None => self.header(word),
        }
    }

    /// Whether methods are for this device.
    #[inline]
    pub const fn active(&self) -> bool {
        self.mask & THIS_DEVICE != 0
    }

    /// Data words still to come, 0 between headers.
    pub fn pending_words(&self) -> u32 {
        self.pending.map_or(0, |run| run.count)
    }

    fn datum(&mut self, run: Run, data: u32) -> Event {
        let next = run.step();
        self.pending = (next.count != 0).then_some(next);
        self.deliver(Write { subchannel: run.subchannel, method: run.method, data, last: next.count == 0 })
    }

    fn header(&mut self, word: u32) -> Event {
        match self.open(word) {
            Ok(run) => {
                self.pending = Some(run);
                Event::None
            }
            Err(event) => event,
        }
    }

    /// Takes a word where a header is expected. A run with words to come is given to the caller, who sees to its words
    /// and notes what is left of it; anything else is what [`Self::word`] says.
    ///
    /// # Errors
    /// A word that is no header of a run with words, which is no error.
    #[inline]
    pub fn open(&mut self, word: u32) -> Result<Run, Event> {
        match Command::decode(word) {
            Command::Run(run) | Command::Legacy(run) if run.count != 0 => return Ok(run),
            Command::Nop | Command::Run(_) | Command::Legacy(_) => {}
            Command::Immediate { subchannel, method, data } => {
                return Err(self.deliver(Write { subchannel, method, data, last: true }));
            }
            Command::SubDevice(SubDevice::Set(mask)) => self.mask = mask,
            Command::SubDevice(SubDevice::Store(mask)) => self.stored = mask,
            Command::SubDevice(SubDevice::Use) => self.mask = self.stored,
            Command::EndSegment => return Err(Event::EndSegment),
            Command::Malformed => return Err(Event::Malformed),
        }
        Err(Event::None)
    }

    fn deliver(&self, write: Write) -> Event {
        if self.active() { Event::Write(write) } else { Event::None }
    }
}
