//! Push buffers of the Tegra X1: methods by class and name.

use std::collections::HashMap;

use triglyph::GuestAddr;
use triglyph_guest::tegra::fifo::host;
use triglyph_guest::tegra::fifo::{Entry, Event, Stream, Write};
use triglyph_guest::tegra::methods::{Class, SUBCHANNEL_CLASSES, find, method_text};

use super::memory::CaptureMemory;
use super::{Line, MAX_WORDS, Port, payload_long, payload_word, show};

/// A channel between two words.
struct Channel {
    stream: Stream,
    /// Classes of the subchannels.
    bound: [Option<Class>; 8],
}

impl Default for Channel {
    fn default() -> Self {
        Channel { stream: Stream::default(), bound: SUBCHANNEL_CLASSES }
    }
}

/// The channels of a capture.
#[derive(Default)]
pub struct PushBuffers {
    channels: HashMap<u32, Channel>,
}

impl PushBuffers {
    /// The methods of a SUBMIT.
    pub fn lines(&mut self, memory: &CaptureMemory, record: usize, payload: &[u8]) -> Vec<Line> {
        let Some(number) = payload_word(payload, 0) else { return Vec::new() };
        let channel = self.channels.entry(number).or_default();
        let mut lines = Vec::new();
        for at in (8..payload.len()).step_by(8) {
            let Some(Entry::Segment(segment)) = payload_long(payload, at).map(Entry::decode) else { continue };
            for index in 0..u64::from(segment.words) {
                let address = segment.address + 4 * index;
                let Some(word) = memory.word(GuestAddr::new(0, address)) else { break };
                let what = match channel.stream.word(word) {
                    Event::None => continue,
                    Event::Write(write) => channel.write(write),
                    Event::EndSegment => break,
                    Event::Malformed => Method { method: "no header".to_owned(), value: word, ..Method::default() },
                };
                let Method { subchannel, class, method, value, fields } = what;
                let port = Some(Port { channel: number, subchannel });
                lines.push(Line { event: "method", record, address, port, class, method, value, fields });
                if lines.len() == MAX_WORDS {
                    return lines;
                }
            }
        }
        lines
    }
}

#[derive(Default)]
struct Method {
    subchannel: u32,
    class: String,
    method: String,
    value: u32,
    fields: String,
}

impl Channel {
    fn write(&mut self, write: Write) -> Method {
        let Write { subchannel, method, data, .. } = write;
        let bound = &mut self.bound[subchannel as usize & 7];
        if method == host::set_object::ID as u32 {
            *bound = Class::from_id(data);
        }
        let class = bound.map_or_else(|| "-".to_owned(), |class| format!("{class:?}"));
        let fields = find(*bound, method).map_or(String::new(), |name| show(name.fields, data));
        Method { subchannel, class, method: method_text(*bound, method), value: data, fields }
    }
}
