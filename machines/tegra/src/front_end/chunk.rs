//! Words of a push buffer that were read at once: packets that are only stored or run as code, and the others word by
//! word.

use super::channel::Channel;
use super::packet_trace::Source;
use crate::core::Core;
use triglyph_engine::frontend::packet_trace::{Next, PacketSource, advance};

impl Channel {
    /// Executes some words of the segment, those at `address`. False when the fuel is used up: the rest of what was
    /// submitted is dropped.
    pub(super) fn chunk(&mut self, core: &mut Core, address: u64, words: &[u32]) -> bool {
        self.packet_traces.begin_here();
        let mut source = Source { channel: self, core, address, words, at: 0, end: None };
        while source.at < words.len() {
            let rest = &words[source.at..];
            let in_packet = source.channel.stream.pending.is_some();
            if in_packet || advance(&mut source, rest, false) == Next::Packet {
                source.execute(words, 1);
            }
            if let Some(on) = source.end {
                return on;
            }
            if source.stops() {
                break;
            }
        }
        let done = source.at;
        self.advance(done);
        true
    }
}
