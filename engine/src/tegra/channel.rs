//! A channel: GPFIFO entries, the words of its push buffers, and where their methods go.

use std::collections::VecDeque;

use triglyph_guest::tegra::fifo::{Control, Entry, Event, SUBCHANNELS, Segment, Stream, Write, host as methods};
use triglyph_guest::tegra::methods::{Class, SUBCHANNEL_CLASSES};

use super::core::{ADDRESS_MASK, Core};
pub use super::host::Blocked;
use super::host::Host;
use super::unit::Units;
use crate::device::FaultKind;

/// Words that are read from memory at once.
const CHUNK: usize = 1024;

/// A channel with its units.
#[derive(Debug)]
pub struct Channel {
    /// Entries that were submitted and not begun.
    entries: VecDeque<u64>,
    /// The segment that is being executed: where its next word is, and how many are left.
    current: Option<(u64, u32)>,
    stream: Stream,
    classes: [Option<Class>; SUBCHANNELS],
    host: Host,
    units: Units,
    blocked: Option<Blocked>,
}

impl Default for Channel {
    fn default() -> Self {
        Channel {
            entries: VecDeque::new(),
            current: None,
            stream: Stream::default(),
            classes: SUBCHANNEL_CLASSES,
            host: Host::default(),
            units: Units::default(),
            blocked: None,
        }
    }
}

impl Channel {
    /// Appends GPFIFO entries.
    pub fn submit(&mut self, entries: impl IntoIterator<Item = u64>) {
        self.entries.extend(entries);
    }

    /// What the channel waits for.
    pub fn blocked(&self) -> Option<Blocked> {
        self.blocked
    }

    /// The units.
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// What SET_REFERENCE stored last.
    pub fn reference(&self) -> u32 {
        self.host.reference
    }

    /// Works until everything submitted is done, something has to be waited for, or the fuel is used up. Returns whether
    /// anything was done.
    pub fn run(&mut self, core: &mut Core) -> bool {
        let mut worked = false;
        loop {
            if let Some(blocked) = self.blocked {
                if !blocked.is_over(core) {
                    return worked;
                }
                self.blocked = None;
            }
            if self.current.is_none() && !self.next_entry(core) {
                // Nothing more was submitted: a macro that waits for parameters gets none.
                worked |= self.units.finish_macro(core);
                return worked;
            }
            worked = true;
            if !self.chunk(core) {
                return worked;
            }
        }
    }

    /// Begins the next entry that has words. False when there is none.
    fn next_entry(&mut self, core: &mut Core) -> bool {
        while let Some(bits) = self.entries.pop_front() {
            match Entry::decode(bits) {
                Entry::Segment(Segment { conditional: true, .. }) if !self.stream.active() => {}
                Entry::Segment(segment) => {
                    self.current = Some((segment.address, segment.words));
                    return true;
                }
                Entry::Control { operation: Control::Illegal | Control::Unknown(_), .. } => {
                    core.fault(FaultKind::BadCommand, bits, format_args!("GPFIFO entry {bits:#018x}"));
                }
                Entry::Control { .. } => {}
            }
        }
        false
    }

    /// Executes some words of the segment. False when the fuel is used up: the rest of what was submitted is dropped.
    fn chunk(&mut self, core: &mut Core) -> bool {
        let Some((address, left)) = self.current else { return true };
        let mut words = [0; CHUNK];
        let count = CHUNK.min(left as usize);
        core.position = address;
        core.read_words(address, &mut words[..count], "a push buffer");
        for (i, &word) in words[..count].iter().enumerate() {
            core.position = address.wrapping_add(4 * i as u64) & ADDRESS_MASK;
            if !core.spend(1) {
                core.fault(FaultKind::OutOfFuel, address, format_args!("push buffers without end"));
                self.entries.clear();
                self.current = None;
                return false;
            }
            match self.stream.word(word) {
                Event::None => continue,
                Event::Write(write) => self.deliver(core, write),
                Event::EndSegment => {
                    self.current = None;
                    return true;
                }
                Event::Malformed => {
                    core.fault(FaultKind::BadCommand, word.into(), format_args!("no method header: {word:#010x}"));
                }
            }
            if self.blocked.is_some() {
                self.advance(i + 1);
                return true;
            }
        }
        self.advance(count);
        true
    }

    /// Leaves `words` of the segment behind.
    fn advance(&mut self, words: usize) {
        self.current = self.current.and_then(|(address, left)| {
            let left = left - words as u32;
            (left != 0).then_some((address.wrapping_add(4 * words as u64) & ADDRESS_MASK, left))
        });
    }

    #[inline]
    fn deliver(&mut self, core: &mut Core, write: Write) {
        let Write { subchannel, method, data, .. } = write;
        if method < methods::END {
            self.units.finish_macro(core);
            if method == 0 {
                self.bind(core, subchannel, data);
            }
            self.blocked = self.host.write(core, method, data).filter(|blocked| !blocked.is_over(core));
        } else if let Some(class) = self.classes[subchannel as usize % SUBCHANNELS] {
            self.units.write(core, class, method, data);
        } else {
            let what = format_args!("method {method:#x} on subchannel {subchannel}, which nothing is bound to");
            core.fault(FaultKind::BadMethod, method.into(), what);
        }
    }

    fn bind(&mut self, core: &mut Core, subchannel: u32, object: u32) {
        let class = Class::from_id(object);
        if class.is_none() {
            core.fault(FaultKind::BadMethod, object.into(), format_args!("no class {:#06x}", object & 0xFFFF));
        }
        self.classes[subchannel as usize % SUBCHANNELS] = class;
    }
}
