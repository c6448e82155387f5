//! A recorded packet trace: consecutive packets, as many as a trace can contain.

use triglyph_guest::kernel::hash::ContentHash;
use triglyph_guest::kernel::packet_trace::{Act, Packet, PacketTraceKey};

/// Most words of a trace. Push buffers are read about a thousand words at a time, and a trace has to be in one piece.
pub const MAX_WORDS: usize = 256;

/// Most packets of a trace.
const MAX_PACKETS: usize = 128;

/// The result of a machine's analyzer for a packet.
#[derive(Clone, Debug)]
pub struct AnalyzedPacket {
    /// The packet; indices of words count from the beginning of the trace.
    pub packet: Packet,
    /// Its words, header and padding included.
    pub words: usize,
    /// Index of the word that is the position of faults.
    pub position: u32,
    /// Whether the trace has to end after it, because a draw ends here, for example.
    pub ends_trace: bool,
}

/// A packet trace: the key of its code, and the other data for running it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacketTrace {
    /// The key of the compiled code.
    pub key: PacketTraceKey,
    /// The word at which each packet begins, and the number of words.
    starts: Vec<u32>,
    /// For each packet the index of the word that is the position of faults.
    positions: Vec<u32>,
    /// It may have ended only because there were no more words.
    truncated: bool,
}

impl PacketTrace {
    /// Records the packets from the beginning of `words` on. `analyze` gets all words and the index at which a packet
    /// begins; it returns `None` where no packet of a trace begins. `key` is what all traces of the machine have in
    /// common. Returns `None` where the very first packet cannot be part of a trace.
    pub fn record(
        key: PacketTraceKey,
        words: &[u32],
        mut analyze: impl FnMut(&[u32], usize) -> Option<AnalyzedPacket>,
    ) -> Option<PacketTrace> {
        let words = &words[..words.len().min(MAX_WORDS)];
        let mut trace = PacketTrace { key, starts: vec![0], positions: Vec::new(), truncated: words.len() < MAX_WORDS };
        let mut at = 0;
        while trace.positions.len() < MAX_PACKETS {
            let fits = |packet: &AnalyzedPacket| at + packet.words <= words.len();
            let Some(analyzed) = analyze(words, at).filter(fits) else { break };
            at += analyzed.words;
            trace.key.packets.push(analyzed.packet);
            trace.starts.push(at as u32);
            trace.positions.push(analyzed.position);
            if analyzed.ends_trace {
                trace.truncated = false;
                break;
            }
        }
        trace.key.words = at as u32;
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
        self.starts.get(packet).map_or(self.words(), |&start| start as usize)
    }

    /// The word that is the position of a packet's faults.
    pub fn position(&self, packet: usize) -> usize {
        self.positions.get(packet).map_or(0, |&word| word as usize)
    }

    /// Whether the code stores a packet's words without calling the machine.
    pub fn stores(&self, packet: usize) -> bool {
        self.key.packets.get(packet).is_some_and(|packet| !matches!(packet.act, Act::Call))
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
        let mut packets = self.key.packets.iter().enumerate().skip(packet);
        packets.find(|(_, packet)| !matches(packet, words)).map_or(self.packets(), |(index, _)| index)
    }

    /// A hash of everything that the code depends on.
    pub fn hash(&self) -> ContentHash {
        ContentHash::of(&self.key)
    }
}

/// Whether a packet's header is in `words`.
#[inline]
fn matches(packet: &Packet, words: &[u32]) -> bool {
    words.get(packet.header as usize).is_some_and(|word| word & packet.mask == packet.word)
}
