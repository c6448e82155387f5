//! What a sequence consists of: packets from some word on, as far as they can stand in one.

use triglyph_guest::kernel::hash::ContentHash;
use triglyph_guest::kernel::packet_trace::{Act, Packet, PacketTraceKey};

/// Words of a sequence at most. Push buffers are read about a thousand words at a time, and a sequence has to be in one piece.
pub const MOST_WORDS: usize = 256;

/// Packets at most.
const MOST_PACKETS: usize = 128;

/// What a machine says of a packet.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The packet; places count from the beginning of the sequence.
    pub packet: Packet,
    /// Its words, header and padding included.
    pub words: usize,
    /// The word whose place faults name, from the beginning of the sequence.
    pub position: u32,
    /// Whether nothing may follow it: a draw ends here, say.
    pub last: bool,
}

/// A sequence: what is compiled, and what the engine wants to know of it besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    /// What is compiled.
    pub key: PacketTraceKey,
    /// The word at which each packet begins, and the one behind the last.
    starts: Vec<u32>,
    /// For each packet the word whose place faults name.
    positions: Vec<u32>,
    /// It may have ended because no more words were there.
    cut: bool,
}

impl Sequence {
    /// Packets from the beginning of `words` on: what `see` says of each, by the word where it stands. `key` says what all of
    /// the machine's sequences have in common. `None` where not even one packet can stand in a sequence.
    pub fn observe(
        key: PacketTraceKey,
        words: &[u32],
        mut see: impl FnMut(&[u32], usize) -> Option<Seen>,
    ) -> Option<Sequence> {
        let words = &words[..words.len().min(MOST_WORDS)];
        let mut sequence = Sequence { key, starts: vec![0], positions: Vec::new(), cut: words.len() < MOST_WORDS };
        let mut at = 0;
        while sequence.positions.len() < MOST_PACKETS {
            let Some(seen) = see(words, at).filter(|seen| at + seen.words <= words.len()) else { break };
            at += seen.words;
            sequence.key.packets.push(seen.packet);
            sequence.starts.push(at as u32);
            sequence.positions.push(seen.position);
            if seen.last {
                sequence.cut = false;
                break;
            }
        }
        sequence.key.words = at as u32;
        (at != 0).then_some(sequence)
    }

    /// Its words.
    pub fn words(&self) -> usize {
        self.key.words as usize
    }

    /// The word at which packet `packet` begins; behind the last one the number of words.
    pub fn start(&self, packet: usize) -> usize {
        self.starts.get(packet).map_or(self.words(), |&start| start as usize)
    }

    /// The word whose place faults of a packet name.
    pub fn position(&self, packet: usize) -> usize {
        self.positions.get(packet).map_or(0, |&word| word as usize)
    }

    /// Whether code stores a packet's words without asking the machine.
    pub fn stores(&self, packet: usize) -> bool {
        self.key.packets.get(packet).is_some_and(|packet| !matches!(packet.act, Act::Call))
    }

    /// Whether `words` look like it: its first packets and the last ones have their headers there. There have to be as many
    /// words as it has; where there are enough for any sequence, those that were cut short begin nowhere.
    #[inline]
    pub fn begins(&self, words: &[u32]) -> bool {
        const FIRST: usize = 3;
        const LAST: usize = 2;
        if self.words() > words.len() || self.cut && words.len() >= MOST_WORDS {
            return false;
        }
        let holds = |packet: &Packet| words.get(packet.header as usize).is_some_and(|w| w & packet.mask == packet.word);
        let packets = &self.key.packets;
        packets.iter().take(FIRST).all(holds) && packets.iter().rev().take(LAST).all(holds)
    }

    /// The first packet from `packet` on whose header is not there, or the number of packets.
    pub fn differs(&self, packet: usize, words: &[u32]) -> usize {
        let packets = self.key.packets.iter().enumerate().skip(packet);
        let differs =
            |packet: &Packet| words.get(packet.header as usize).is_none_or(|w| w & packet.mask != packet.word);
        packets.into_iter().find(|(_, packet)| differs(packet)).map_or(self.key.packets.len(), |(number, _)| number)
    }

    /// What its headers hash to, and everything else that code depends on.
    pub fn hash(&self) -> ContentHash {
        ContentHash::of(&self.key)
    }
}
