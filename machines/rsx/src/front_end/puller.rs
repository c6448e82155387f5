//! The puller: methods of its own, the rest goes to the objects on the subchannels.

use triglyph_guest::rsx::fifo::{METHOD_SPACE, Methods};
use triglyph_guest::rsx::methods::{self as tables, PULLER, puller as methods};
use triglyph_guest::rsx::ramht::engine;
use triglyph_guest::rsx::registers::pfifo_interrupt;

use super::graph::{Bound, Graph};
use super::words::{Object, Run};
use super::{Channel, Stop};
use crate::core::{Core, RsxMode};
use crate::system::host_events::HostEvents;
use triglyph_engine::device::{FaultKind, SoftwareMethod};
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::probe::{Command, Effect};

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

impl Method {
    /// Where the next word of a packet goes.
    #[inline(always)]
    pub fn of(packet: Methods) -> Method {
        Method { subchannel: packet.subchannel, method: packet.method, increasing: packet.increasing }
    }
}

/// Methods below this are the puller's own.
const OWN: u32 = 0x100;
/// Object methods: their data are handles, which the hardware replaces by instance addresses.
pub(super) const OBJECTS: std::ops::Range<u32> = 0x180..0x200;

/// Offsets of a semaphore that the hardware takes.
const SEMAPHORE_OFFSETS: u32 = 0xFFC;

/// The words up to the end of the method space: the next one is the subchannel's method 0.
#[inline(always)]
fn to_the_end(words: &[u32], method: u32, increasing: bool) -> &[u32] {
    let room = (METHOD_SPACE - method) as usize / 4;
    if increasing && words.len() > room { &words[..room] } else { words }
}

/// Whether a method of the puller lets others see what was drawn before it.
fn shows_drawing(method: u32) -> bool {
    let effect = PULLER.find(method).map(|found| found.method.effect);
    matches!(effect, Some(tables::Effect::Trigger(trigger)) if trigger.shows_drawing())
}

/// The puller at work.
#[derive(Debug)]
pub struct Puller<'a> {
    /// What everything works on.
    pub core: &'a mut Core,
    /// The objects of the channel.
    pub graph: &'a mut Graph,
    /// Who answers software methods and interrupts.
    pub host_events: &'a mut HostEvents,
    /// The channel's number.
    pub id: u32,
}

impl Puller<'_> {
    /// Executes data words. Returns how many were taken, and why no more: a word that blocks counts as taken, it is
    /// waited for in the channel's state; one before which a bounded run was interrupted does not.
    #[inline]
    pub fn methods(&mut self, channel: &mut Channel, to: Method, words: &[u32]) -> (usize, Option<Stop>) {
        let Method { subchannel, method, increasing } = to;
        if method < OBJECTS.end || self.graph.bound(subchannel) == Bound::Software {
            return self.special(channel, to, words);
        }
        channel.engine = engine::GRAPH as u8;
        let words = to_the_end(words, method, increasing);
        self.object(subchannel, Run { method, words, increasing })
    }

    /// Gives words to the object on a subchannel.
    fn object(&mut self, subchannel: u32, run: Run<'_>) -> (usize, Option<Stop>) {
        let taken = self.graph.run(self.core, subchannel, run);
        (taken, (taken < run.words.len()).then_some(Stop::SliceOver))
    }

    /// Executes packets of the 3D object's that are only stored, as many whole ones as `words` begins with: the path of
    /// nearly all words. Returns how many words that were, headers included, and the last header.
    pub fn plain(&mut self, words: &[u32]) -> (usize, Methods) {
        let subchannels = self.graph.curie_subchannels();
        self.graph.curie.store_packets(words, subchannels, OBJECTS.end)
    }

    /// Whether so many data words are all the 3D object's, and nothing is to be looked at.
    #[inline]
    pub fn is_whole(&self, to: Method, words: usize) -> bool {
        let end = to.method as usize + 4 * words;
        to.method >= OBJECTS.end && end <= METHOD_SPACE as usize && self.graph.bound(to.subchannel) == Bound::Curie
    }

    /// Executes data words of [`Self::is_whole`], and returns how many were taken: all unless a bounded run was
    /// interrupted.
    #[inline]
    pub fn whole(&mut self, channel: &mut Channel, to: Method, words: &[u32]) -> usize {
        let Method { subchannel: _, method, increasing } = to;
        channel.engine = engine::GRAPH as u8;
        self.graph.curie.run(self.core, Run { method, words, increasing })
    }

    /// Methods that are not simply an object's.
    fn special(&mut self, channel: &mut Channel, to: Method, words: &[u32]) -> (usize, Option<Stop>) {
        let Method { subchannel, method, increasing } = to;
        let mut words = to_the_end(words, method, increasing);
        if method < OWN {
            return self.own(channel, to, words);
        }
        if self.core.mode() == RsxMode::Exact {
            if OBJECTS.contains(&method) {
                return self.object_methods(to, words);
            }
            if increasing && method < OBJECTS.start {
                words = &words[..words.len().min((OBJECTS.start - method) as usize / 4)];
            }
        }
        if self.graph.bound(subchannel) == Bound::Software {
            return self.software(to, words);
        }
        channel.engine = engine::GRAPH as u8;
        self.object(subchannel, Run { method, words, increasing })
    }

    /// Methods whose data are handles, one by one: the object gets instance addresses instead.
    fn object_methods(&mut self, to: Method, words: &[u32]) -> (usize, Option<Stop>) {
        let Method { subchannel, mut method, increasing } = to;
        let before = self.core.words_before;
        for (i, &handle) in words.iter().enumerate() {
            self.core.words_before = before + i as u64;
            if !OBJECTS.contains(&method) {
                return (i, None);
            }
            if self.graph.bound(subchannel) == Bound::Software {
                return self.software(to, &words[..1]);
            }
            let stop = match self.core.lookup(self.id, handle) {
                Some(named) => match self.object(subchannel, Run { method, words: &[named.name], increasing }) {
                    (0, stop) => return (i, stop),
                    (_, stop) => stop,
                },
                None => {
                    let what = format_args!("no object {handle:#x} for method {method:#x}");
                    self.core.fault(FaultKind::BadMethod, u64::from(handle), what);
                    self.cache_error(SoftwareMethod { channel: self.id.into(), subchannel, method, data: handle }, true)
                }
            };
            if stop.is_some() {
                return (i + 1, stop);
            }
            method += if increasing { 4 } else { 0 };
        }
        (words.len(), None)
    }

    /// Methods for the software engine, one by one: each is executed before the next.
    #[cold]
    fn software(&mut self, to: Method, words: &[u32]) -> (usize, Option<Stop>) {
        let Method { subchannel, mut method, increasing } = to;
        for (i, &data) in words.iter().enumerate() {
            if method >= METHOD_SPACE {
                return (i, None);
            }
            if !self.core.draw_all() {
                return (i, Some(Stop::SliceOver));
            }
            self.graph.finish(self.core);
            let call = SoftwareMethod { channel: self.id.into(), subchannel, method, data };
            if self.host_events.handles(pfifo_interrupt::CACHE_ERROR) {
                return (i + 1, self.cache_error(call, false));
            }
            self.host_events.software(self.core, call);
            method += if increasing { 4 } else { 0 };
        }
        (words.len(), None)
    }

    /// A method that the puller does not send on: the processor has to. Without a handler of the guest's it is over
    /// with it.
    fn cache_error(&mut self, call: SoftwareMethod, hash_failed: bool) -> Option<Stop> {
        self.host_events.raise(pfifo_interrupt::CACHE_ERROR);
        if self.host_events.handles(pfifo_interrupt::CACHE_ERROR) {
            self.host_events.stalled = Some((call, hash_failed));
            return Some(Stop::Stalled);
        }
        None
    }

    /// Methods of the puller, one by one.
    #[cold]
    fn own(&mut self, channel: &mut Channel, to: Method, words: &[u32]) -> (usize, Option<Stop>) {
        let Method { subchannel, mut method, increasing } = to;
        for (i, &word) in words.iter().enumerate() {
            if method >= OWN {
                return (i, None);
            }
            if shows_drawing(method) && !self.core.draw_all() {
                return (i, Some(Stop::SliceOver));
            }
            let stop = self.observed(channel, subchannel, method, word);
            if stop.is_some() {
                return (i + 1, stop);
            }
            method += if increasing { 4 } else { 0 };
        }
        (words.len(), None)
    }

    /// A method of the puller, for an observer to see if there is one.
    fn observed(&mut self, channel: &mut Channel, subchannel: u32, method: u32, word: u32) -> Option<Stop> {
        if !self.core.renderer.is_observed() {
            return self.own_method(channel, subchannel, method, word);
        }
        let command = Command { class: 0, method, value: word, position: self.core.position };
        self.core.begin_command(&command, &[]);
        let stop = self.own_method(channel, subchannel, method, word);
        if method as usize == methods::set_reference::ID {
            self.core.renderer.note_effect(Effect::Signal);
        }
        self.core.end_command(&command, &[]);
        stop
    }

    fn own_method(&mut self, channel: &mut Channel, subchannel: u32, method: u32, word: u32) -> Option<Stop> {
        self.core.budget.charge(cost::COMMAND);
        let call = SoftwareMethod { channel: self.id.into(), subchannel, method, data: word };
        match method as usize {
            methods::set_object::ID => return self.bind(channel, call),
            methods::set_reference::ID => {
                // Who sees the new value may look at what was drawn before.
                self.graph.finish(self.core);
                channel.reference = word;
                self.host_events.reference(self.core, self.id, word);
            }
            methods::set_context_dma_semaphore::ID => return self.set_semaphore(channel, call),
            methods::semaphore_offset::ID => self.set_semaphore_offset(channel, word),
            methods::semaphore_acquire::ID => return self.acquire(channel, word),
            methods::semaphore_release::ID => self.release(channel, word),
            methods::channel_yield::ID => return Some(Stop::Yielded),
            _ => {
                let what = format_args!("method {method:#x}, which no puller has");
                self.core.fault(FaultKind::BadMethod, u64::from(method), what);
                return self.cache_error(call, false);
            }
        }
        None
    }

    /// Method 0: an object for a subchannel.
    fn bind(&mut self, channel: &mut Channel, call: SoftwareMethod) -> Option<Stop> {
        let SoftwareMethod { subchannel, data: handle, .. } = call;
        let Some(named) = self.core.lookup(self.id, handle) else {
            let what = format_args!("no object {handle:#x} to bind to subchannel {subchannel}");
            self.core.fault(FaultKind::BadMethod, u64::from(handle), what);
            // In fast mode a channel that GCM has set up keeps its fixed bindings.
            return self.cache_error(call, true);
        };
        if !self.graph.bind(subchannel, named.name, named.class) {
            let what = format_args!("object {handle:#x}: more than a channel can hold");
            self.core.fault(FaultKind::BadMethod, u64::from(handle), what);
        }
        if let Some(engine) = channel.engines.get_mut(subchannel as usize) {
            *engine = named.engine as u8;
        }
        None
    }

    fn set_semaphore(&mut self, channel: &mut Channel, call: SoftwareMethod) -> Option<Stop> {
        match self.core.lookup(self.id, call.data) {
            Some(named) => {
                channel.semaphore = named.name;
                None
            }
            None => {
                let what = format_args!("no object {:#x} for semaphores", call.data);
                self.core.fault(FaultKind::BadMethod, call.data.into(), what);
                self.cache_error(call, true)
            }
        }
    }

    /// After an offset that is none there is no semaphore until the next one: releases do nothing (a console's log,
    /// elad335/myps3tests FIFO Semaphores data).
    fn set_semaphore_offset(&mut self, channel: &mut Channel, offset: u32) {
        channel.semaphore_offset = (offset & !SEMAPHORE_OFFSETS == 0).then_some(offset);
        if channel.semaphore_offset.is_none() {
            let what = format_args!("semaphore offset {offset:#x}");
            self.core.fault(FaultKind::BadMethod, u64::from(offset), what);
            self.host_events.raise(pfifo_interrupt::SEMAPHORE);
        }
    }

    /// Goes on if the semaphore has `value`; if not, it is waited for. A run ends here whose recording has to look at
    /// memory before.
    pub fn acquire(&mut self, channel: &mut Channel, value: u32) -> Option<Stop> {
        let object = self.core.dma(channel.semaphore, "semaphore").filter(|object| object.read);
        let place = object.zip(channel.semaphore_offset).and_then(|(object, offset)| object.range(offset.into(), 4));
        // Without memory there is nothing to wait for.
        let found = match place {
            Some(place) if self.core.memory.is_unrecorded(place.range(4)) => {
                self.core.budget.cut();
                channel.acquire = Some(value);
                return Some(Stop::SliceOver);
            }
            Some(place) => self.core.read_word(place, "semaphore") == value,
            None => true,
        };
        // Who releases it may be the host's processor, and have written more than that.
        self.core.memory.note_host_writes();
        channel.acquire = if found { None } else { Some(value) };
        (!found).then_some(Stop::Blocked)
    }

    fn release(&mut self, channel: &Channel, value: u32) {
        let Some(offset) = channel.semaphore_offset else { return };
        let Some(object) = self.core.dma(channel.semaphore, "semaphore") else { return };
        match object.range(offset.into(), 4).filter(|_| object.write) {
            Some(place) => self.core.write_words(place, &[value], "semaphore"),
            None => {
                let what = format_args!("semaphore {offset:#x} outside of its object");
                self.core.fault(FaultKind::UnmappedWrite, u64::from(offset), what);
            }
        }
    }
}
