//! What stands in the PS3's push buffers: methods by name, with the fields of their data.
//!
//! Memory is followed as the capture stores it: what the GPU itself would write is not seen.

use std::collections::HashMap;
use std::ops::Range;

use serde::Serialize;
use triglyph::capture::{Mem, Record};
use triglyph::{GuestAddr, GuestRange, ObjectEntry};
use triglyph_guest::rsx::fifo::{Command, Methods};
use triglyph_guest::rsx::methods::{PULLER, SOFTWARE, describe};
use triglyph_guest::rsx::objects::class;
use triglyph_guest::table::FieldInfo;

/// Words that are listed of a submission at most: jumps may go round in circles.
const MOST: usize = 1 << 22;

/// One word of data, or a word that leads elsewhere.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    event: &'static str,
    /// Index of the SUBMIT.
    record: usize,
    /// Where the word stands.
    address: u64,
    channel: u32,
    subchannel: u32,
    /// The class of the object on the subchannel.
    class: String,
    /// The method's name, or what the word does.
    method: String,
    value: u32,
    /// The fields of the value that have a name.
    fields: String,
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Line { record, address, channel, subchannel, class, method, value, fields, .. } = self;
        write!(f, "{record:>5} {address:#010x} {channel}.{subchannel} {class:<16} {method:<40} {value:#010x}")?;
        if fields.is_empty() { Ok(()) } else { write!(f, "  {fields}") }
    }
}

/// A channel between two words.
#[derive(Default)]
struct Channel {
    /// Classes of the objects on the subchannels.
    bound: [Option<u32>; 8],
    packet: Methods,
    /// Where a return leads.
    caller: Option<u64>,
}

/// Memory, objects and channels of a capture.
#[derive(Default)]
pub struct PushBuffers {
    big_endian: bool,
    /// Mapped memory.
    maps: Vec<GuestRange>,
    /// What was stored in it, the latest last.
    memory: Vec<(GuestAddr, Vec<u8>)>,
    classes: HashMap<u32, u32>,
    channels: HashMap<u32, Channel>,
}

impl PushBuffers {
    pub fn new(big_endian: bool) -> Self {
        PushBuffers { big_endian, ..PushBuffers::default() }
    }

    /// Takes a record in; returns the lines of a SUBMIT.
    pub fn add(&mut self, index: usize, record: &Record<'_>) -> Vec<Line> {
        match record {
            Record::Map(map) => self.maps.push(map.range),
            Record::Mem(Mem { at, bytes }) => self.memory.push((*at, bytes.to_vec())),
            Record::Object(ObjectEntry { handle, class, .. }) => drop(self.classes.insert(*handle, *class)),
            Record::Submit(payload) => return self.submission(index, payload),
            _ => {}
        }
        Vec::new()
    }

    fn submission(&mut self, record: usize, payload: &[u8]) -> Vec<Line> {
        let word = |at: usize| payload.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        let long = |at: usize| payload.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let (Some(number), Some(space)) = (word(0), word(4)) else { return Vec::new() };
        let mut channel = self.channels.remove(&number).unwrap_or_default();
        let mut lines = Vec::new();
        for at in (8..payload.len()).step_by(16) {
            if let (Some(start), Some(length)) = (long(at), long(at + 8)) {
                let end = start.saturating_add(length);
                self.segment(&mut channel, (record, number, space), start..end, &mut lines);
            }
        }
        self.channels.insert(number, channel);
        lines
    }

    /// A word of memory, which is zero at first; `None` where there is none.
    fn word(&self, at: GuestAddr) -> Option<u32> {
        let mut bytes = [0; 4];
        for (byte, offset) in bytes.iter_mut().zip(0..) {
            *byte = self.byte(at.after(offset))?;
        }
        Some(if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    fn byte(&self, at: GuestAddr) -> Option<u8> {
        let of_space = self.memory.iter().rev().filter(|(start, _)| start.space == at.space);
        let mut stored = of_space.filter_map(|(start, bytes)| {
            let offset = usize::try_from(at.address.checked_sub(start.address)?).ok()?;
            bytes.get(offset).copied()
        });
        let mapped = || self.maps.iter().any(|range| range.overlaps(at.range(1)));
        stored.next().or_else(|| mapped().then_some(0))
    }

    fn segment(
        &self,
        channel: &mut Channel,
        (record, number, space): (usize, u32, u32),
        range: Range<u64>,
        lines: &mut Vec<Line>,
    ) {
        let mut at = range.start;
        for _ in 0..MOST {
            if at == range.end {
                return;
            }
            let Some(word) = self.word(GuestAddr::new(space, at)) else { return };
            let address = at;
            at = at.saturating_add(4);
            let packet = channel.packet;
            if packet.count > 0 {
                let (class, method, fields) = self.data(channel, packet, word);
                let subchannel = packet.subchannel;
                let event = "method";
                lines.push(Line {
                    event,
                    record,
                    address,
                    channel: number,
                    subchannel,
                    class,
                    method,
                    value: word,
                    fields,
                });
                channel.packet = packet.after(1);
                continue;
            }
            let method = match Command::decode(word) {
                Command::Methods(packet) => {
                    channel.packet = packet;
                    continue;
                }
                Command::Jump(target) => {
                    at = target.into();
                    "jump"
                }
                Command::Call(target) => {
                    channel.caller = Some(at);
                    at = target.into();
                    "call"
                }
                Command::Return => {
                    let Some(caller) = channel.caller.take() else { return };
                    at = caller;
                    "return"
                }
                Command::Invalid => "no header",
            };
            lines.push(Line {
                event: "method",
                record,
                address,
                channel: number,
                subchannel: 0,
                class: String::new(),
                method: method.to_owned(),
                value: word,
                fields: String::new(),
            });
            // A jump to itself waits; behind a word that is no header nothing is known.
            if at == address || method == "no header" {
                return;
            }
        }
    }

    /// Class, name and fields of a data word.
    fn data(&self, channel: &mut Channel, packet: Methods, word: u32) -> (String, String, String) {
        let Methods { method, subchannel, .. } = packet;
        if method == 0 {
            channel.bound[subchannel as usize] = self.classes.get(&word).copied();
        }
        let bound = channel.bound[subchannel as usize];
        let class = match bound {
            Some(number) => class::name(number).map_or_else(|| format!("{number:#x}"), str::to_owned),
            None => "-".to_owned(),
        };
        let found = match bound {
            _ if method < 0x100 => PULLER.find(method).map(|found| (found.to_string(), found.method.fields)),
            Some(class::SOFTWARE) => SOFTWARE.find(method).map(|found| (found.to_string(), found.method.fields)),
            Some(number) => describe(number, method),
            None => None,
        };
        match found {
            Some((name, fields)) => (class, name, show(fields, word)),
            None => (class, format!("{method:#x}"), String::new()),
        }
    }
}

/// The fields of a word: names of values where they have some. A field that is all of the word says nothing.
fn show(fields: &[FieldInfo], word: u32) -> String {
    let partial = fields.iter().filter(|field| field.lo > 0 || field.hi < 31 || !field.values.is_empty());
    let text = partial.map(|field| {
        let value = field.get(word);
        let name = field.values.iter().find(|(number, _)| i64::from(*number) == value).map(|(_, name)| *name);
        match name {
            Some(name) => format!("{} {name}", field.name),
            None => format!("{} {value}", field.name),
        }
    });
    text.collect::<Vec<_>>().join(", ")
}
