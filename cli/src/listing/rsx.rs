//! Push buffers of the PS3: methods by name, over channels and objects.

use std::collections::HashMap;
use std::ops::Range;

use triglyph::{GuestAddr, ObjectEntry};
use triglyph_guest::rsx::fifo::{Command, Methods};
use triglyph_guest::rsx::methods::{PULLER, SOFTWARE, describe};
use triglyph_guest::rsx::objects::class;

use super::memory::CaptureMemory;
use super::{Line, MAX_WORDS, Port, payload_long, payload_word, show};

/// A channel between two words.
#[derive(Default)]
struct Channel {
    /// Classes of the objects on the subchannels.
    bound: [Option<u32>; 8],
    packet: Methods,
    /// Where a return leads.
    caller: Option<u64>,
}

/// Objects and channels of a capture.
#[derive(Default)]
pub struct PushBuffers {
    classes: HashMap<u32, u32>,
    channels: HashMap<u32, Channel>,
}

/// Where a segment is from.
#[derive(Clone, Copy)]
struct Source<'a> {
    memory: &'a CaptureMemory,
    record: usize,
    channel: u32,
    space: u32,
}

impl Source<'_> {
    fn line(&self, address: u64, value: u32, data: Data) -> Line {
        let Data { subchannel, class, method, fields } = data;
        let port = Some(Port { channel: self.channel, subchannel });
        Line { event: "method", record: self.record, address, port, class, method, value, fields }
    }
}

/// What is known of a word.
#[derive(Default)]
struct Data {
    subchannel: u32,
    class: String,
    method: String,
    fields: String,
}

impl PushBuffers {
    /// An entry of the object table.
    pub fn add_object(&mut self, object: &ObjectEntry) {
        self.classes.insert(object.handle, object.class);
    }

    /// The methods of a SUBMIT.
    pub fn lines(&mut self, memory: &CaptureMemory, record: usize, payload: &[u8]) -> Vec<Line> {
        let (Some(number), Some(space)) = (payload_word(payload, 0), payload_word(payload, 4)) else {
            return Vec::new();
        };
        let mut channel = self.channels.remove(&number).unwrap_or_default();
        let source = Source { memory, record, channel: number, space };
        let mut lines = Vec::new();
        for at in (8..payload.len()).step_by(16) {
            if let (Some(start), Some(length)) = (payload_long(payload, at), payload_long(payload, at + 8)) {
                self.segment(&mut channel, source, start..start.saturating_add(length), &mut lines);
            }
        }
        self.channels.insert(number, channel);
        lines
    }

    fn segment(&self, channel: &mut Channel, source: Source<'_>, range: Range<u64>, lines: &mut Vec<Line>) {
        let mut at = range.start;
        for _ in 0..MAX_WORDS {
            if at == range.end {
                return;
            }
            let Some(word) = source.memory.word(GuestAddr::new(source.space, at)) else { return };
            let address = at;
            at = at.saturating_add(4);
            let packet = channel.packet;
            if packet.count > 0 {
                lines.push(source.line(address, word, self.data(channel, packet, word)));
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
            lines.push(source.line(address, word, Data { method: method.to_owned(), ..Data::default() }));
            // A jump to itself waits; after a word that is no header nothing is known.
            if at == address || method == "no header" {
                return;
            }
        }
    }

    /// What is known of a data word.
    fn data(&self, channel: &mut Channel, packet: Methods, word: u32) -> Data {
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
        let (method, fields) = match found {
            Some((name, fields)) => (name, show(fields, word)),
            None => (format!("{method:#x}"), String::new()),
        };
        Data { subchannel, class, method, fields }
    }
}
