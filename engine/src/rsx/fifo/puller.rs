//! The puller: methods of its own, the rest goes to the objects on the subchannels.

use triglyph_guest::rsx::fifo::METHOD_SPACE;

use super::{Channel, Stop};
use crate::device::FaultKind;
use crate::rsx::core::Core;
use crate::rsx::graph::{Graph, Run};

/// Where data words go.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// Subchannel, 0 to 7.
    pub subchannel: u32,
    /// Byte address of the first word's method.
    pub method: u32,
    /// Whether it moves on with each word.
    pub increasing: bool,
}

/// Methods below this are the puller's own.
const OWN: u32 = 0x100;

/// Offsets of a semaphore that the hardware takes.
const SEMAPHORE_OFFSETS: u32 = 0xFFC;

/// The puller at work.
#[derive(Debug)]
pub struct Puller<'a> {
    /// What everything works on.
    pub core: &'a mut Core,
    /// The objects of the channel.
    pub graph: &'a mut Graph,
}

impl Puller<'_> {
    /// Executes data words. Returns how many were taken, and why no more: a word that blocks counts as taken, it is
    /// waited for in the channel's state.
    #[inline]
    pub fn methods(&mut self, channel: &mut Channel, to: Method, words: &[u32]) -> (usize, Option<Stop>) {
        let Method { subchannel, method, increasing } = to;
        if method < OWN {
            return self.own(channel, to, words);
        }
        // Where the method space ends, the next word is the subchannel's method 0.
        let count = match increasing {
            true => words.len().min((METHOD_SPACE - method) as usize / 4),
            false => words.len(),
        };
        self.graph.run(self.core, subchannel, Run { method, words: &words[..count], increasing });
        (count, None)
    }

    /// Methods of the puller, one by one.
    #[cold]
    fn own(&mut self, channel: &mut Channel, to: Method, words: &[u32]) -> (usize, Option<Stop>) {
        let Method { subchannel, mut method, increasing } = to;
        for (i, &word) in words.iter().enumerate() {
            if method >= OWN {
                return (i, None);
            }
            let stop = self.own_method(channel, subchannel, method, word);
            if stop.is_some() {
                return (i + 1, stop);
            }
            method += if increasing { 4 } else { 0 };
        }
        (words.len(), None)
    }

    fn own_method(&mut self, channel: &mut Channel, subchannel: u32, method: u32, word: u32) -> Option<Stop> {
        match method {
            0x000 => self.bind(subchannel, word),
            0x050 => {
                // Who sees the new value may look at what was drawn before.
                self.graph.finish(self.core);
                channel.reference = word;
            }
            0x060 => channel.semaphore = word,
            0x064 => self.set_semaphore_offset(channel, word),
            0x068 if !self.acquire(channel, word) => return Some(Stop::Blocked),
            0x068 => {}
            0x06C => self.release(channel, word),
            0x080 => return Some(Stop::Yielded),
            _ => {
                let what = format_args!("method {method:#x}, which no puller has");
                self.core.fault(FaultKind::BadMethod, u64::from(method), what);
            }
        }
        None
    }

    fn bind(&mut self, subchannel: u32, handle: u32) {
        match self.core.class_of(handle) {
            Some(class) if self.graph.bind(subchannel, handle, class) => {}
            Some(_) => {
                let what = format_args!("object {handle:#x}: more than a channel can hold");
                self.core.fault(FaultKind::BadMethod, u64::from(handle), what);
            }
            None => {
                let what = format_args!("no object {handle:#x} to bind to subchannel {subchannel}");
                self.core.fault(FaultKind::BadMethod, u64::from(handle), what);
            }
        }
    }

    fn set_semaphore_offset(&mut self, channel: &mut Channel, offset: u32) {
        if offset & !SEMAPHORE_OFFSETS != 0 {
            let what = format_args!("semaphore offset {offset:#x}");
            return self.core.fault(FaultKind::BadMethod, u64::from(offset), what);
        }
        channel.semaphore_offset = offset;
    }

    /// Whether the semaphore has `value`; if not, it is waited for.
    pub fn acquire(&mut self, channel: &mut Channel, value: u32) -> bool {
        let object = self.core.dma(channel.semaphore, "semaphore");
        // Without memory there is nothing to wait for.
        let found = match object.and_then(|object| object.range(channel.semaphore_offset.into(), 4)) {
            Some(place) => self.core.read_word(place, "semaphore") == value,
            None => true,
        };
        channel.acquire = if found { None } else { Some(value) };
        found
    }

    fn release(&mut self, channel: &Channel, value: u32) {
        let Some(object) = self.core.dma(channel.semaphore, "semaphore") else { return };
        match object.range(channel.semaphore_offset.into(), 4) {
            Some(place) => self.core.write_words(place, &[value], "semaphore"),
            None => {
                let offset = channel.semaphore_offset;
                let what = format_args!("semaphore {offset:#x} beyond its object");
                self.core.fault(FaultKind::UnmappedWrite, u64::from(offset), what);
            }
        }
    }
}
