//! A recorded packet trace: consecutive packets that only store.

use triglyph_guest::kernel::packet_trace::{PacketTraceKey, Store};

/// Traces end after so many words. Push buffers are read about a thousand words at a time, and a trace has to be in one
/// piece.
pub const MAX_WORDS: usize = 256;

/// A word that a trace depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Its index.
    pub at: u32,
    /// Bits that are compared.
    pub mask: u32,
    /// Their value.
    pub word: u32,
}

/// A packet that only stores, as long as its guards hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Its words, header and padding included.
    pub words: usize,
    /// The registers that it stores to, if the machine has several banks of them.
    pub bank: usize,
    /// Its header, and data words that decide what it does.
    pub guards: Vec<Guard>,
    /// Its stores.
    pub stores: Vec<Store>,
}

/// A packet trace: the key of its code, and the other data for running it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacketTrace {
    /// The key of the compiled code.
    pub key: PacketTraceKey,
    /// The registers that it stores to.
    pub bank: usize,
    /// The number of its packets.
    pub packets: usize,
    /// The word at which the last packet begins.
    pub last: usize,
    guards: Vec<Guard>,
}

impl PacketTrace {
    /// Records the packets from the beginning of `words` on. `analyze` gets all words and the index at which a packet
    /// begins; it returns `None` where no packet of a trace does.
    pub fn record(words: &[u32], mut analyze: impl FnMut(&[u32], usize) -> Option<Packet>) -> PacketTrace {
        let mut trace = PacketTrace::default();
        while trace.words() < MAX_WORDS
            && let Some(packet) = analyze(words, trace.words())
            && (trace.packets == 0 || trace.bank == packet.bank)
        {
            (trace.bank, trace.last) = (packet.bank, trace.words());
            trace.packets += 1;
            trace.key.words += packet.words as u32;
            trace.key.stores.extend(packet.stores);
            trace.guards.extend(packet.guards);
        }
        trace
    }

    /// The number of its words.
    pub fn words(&self) -> usize {
        self.key.words as usize
    }

    /// Whether `words` begin with its packets.
    #[inline]
    pub fn begins(&self, words: &[u32]) -> bool {
        let holds = |guard: &Guard| words.get(guard.at as usize).is_some_and(|word| word & guard.mask == guard.word);
        words.len() >= self.words() && self.guards.iter().all(holds)
    }
}
