//! A recorded packet trace: consecutive packets, as many as a trace can contain.

use triglyph_guest::kernel::packet_trace::{Packet, PacketTraceKey};

/// Most words of a trace. Push buffers are read about a thousand words at a time, and a trace has to be in one piece.
pub const MAX_WORDS: usize = 256;

/// Most packets of a trace.
const MAX_PACKETS: usize = 128;

/// What a packet's header says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its words, header and padding included.
    pub words: usize,
    /// It ends a draw, or cannot be part of a trace: traces end with it, and may begin after it.
    pub ends: bool,
}

/// What the packets of a trace before some packet mean for it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Before {
    /// The machine has to execute it: a draw is open, or a macro may wait for parameters.
    pub calls: bool,
    /// The registers that they store to.
    pub bank: Option<usize>,
}

/// A packet trace: the key of its code, and the other data for running it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacketTrace {
    /// The key of the compiled code.
    pub key: PacketTraceKey,
    /// The registers that it stores to, if the machine has several banks of them.
    pub bank: usize,
    /// Words of a packet before its header.
    before_header: u32,
    /// It may have ended only because there were no more words.
    truncated: bool,
}

impl PacketTrace {
    /// Records the packets from the beginning of `words` on. `analyze` gets all words, the index at which a packet
    /// begins, and what those before mean for it; it returns `None` where no packet of a trace begins. Headers are the
    /// words of packets with index `before_header`. Returns `None` where the very first packet cannot be part of a
    /// trace.
    pub fn record(
        before_header: usize,
        words: &[u32],
        mut analyze: impl FnMut(&[u32], usize, &mut Before) -> Option<(Packet, Shape)>,
    ) -> Option<PacketTrace> {
        let words = &words[..words.len().min(MAX_WORDS)];
        let mut trace = PacketTrace {
            before_header: before_header as u32,
            truncated: words.len() < MAX_WORDS,
            ..PacketTrace::default()
        };
        let (mut at, mut before) = (0, Before::default());
        while trace.packets() < MAX_PACKETS {
            let Some((packet, shape)) = analyze(words, at, &mut before) else { break };
            at += shape.words;
            trace.key.packets.push(packet);
            if shape.ends {
                trace.truncated = false;
                break;
            }
        }
        trace.key.words = at as u32;
        trace.bank = before.bank.unwrap_or(0);
        (at != 0).then_some(trace)
    }

    /// The number of its words.
    pub fn words(&self) -> usize {
        self.key.words as usize
    }

    /// The number of its packets.
    pub fn packets(&self) -> usize {
        self.key.packets.len()
    }

    /// The word at which packet `packet` begins; the number of words for the number of packets.
    pub fn start(&self, packet: usize) -> usize {
        self.key.packets.get(packet).map_or(self.words(), |packet| (packet.header - self.before_header) as usize)
    }

    /// Whether `words` match it: the headers of its first and last packets match, and there are as many words as it
    /// has. A truncated trace never matches where there are enough words for a trace of any length.
    #[inline]
    pub fn begins(&self, words: &[u32]) -> bool {
        const FIRST: usize = 3;
        const LAST: usize = 2;
        if self.words() > words.len() || self.truncated && words.len() >= MAX_WORDS {
            return false;
        }
        let packets = &self.key.packets;
        let matches = |packet: &Packet| matches(packet, words);
        packets.iter().take(FIRST).all(matches) && packets.iter().rev().take(LAST).all(matches)
    }

    /// The first packet from `packet` on whose header does not match, or the number of packets.
    pub fn first_mismatch(&self, packet: usize, words: &[u32]) -> usize {
        (packet..self.packets()).find(|&at| !matches(&self.key.packets[at], words)).unwrap_or(self.packets())
    }
}

/// Whether a packet's header is in `words`.
#[inline]
fn matches(packet: &Packet, words: &[u32]) -> bool {
    words.get(packet.header as usize).is_some_and(|word| word & packet.mask == packet.word)
}
