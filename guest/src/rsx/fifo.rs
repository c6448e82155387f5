//! Words of a push buffer.
//!
//! Sources: envytools "DMA pusher" for forms, order of tests and error codes; quirks where emulators differ are named
//! at the row concerned. A push buffer is a sequence of 32-bit words in the channel's byte order: a header, the words
//! it announces, the next header.

use crate::listed;

/// Methods of one subchannel, as registers of 32 bits: byte addresses 0 to 0x1FFC.
pub const METHODS: usize = 0x800;

/// Bytes of a subchannel's method space; addresses wrap there.
pub const METHOD_SPACE: u32 = 0x2000;

/// Subchannels of a channel.
pub const SUBCHANNELS: usize = 8;

/// The header of a run of data words.
///
/// | bits | field |
/// |---|---|
/// | 12:2 | method, a byte address in the subchannel |
/// | 15:13 | subchannel |
/// | 28:18 | data words, 0 to 2047 |
/// | 30 | all data words go to the same method |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Methods {
    /// Byte address of the first method, a multiple of 4 below 0x2000.
    pub method: u32,
    /// Subchannel, 0 to 7.
    pub subchannel: u32,
    /// Data words that follow, 0 to 2047; with 0 the header does nothing.
    pub count: u32,
    /// Whether the method moves on by 4 with each word; otherwise all words go to the same one.
    pub increasing: bool,
}

/// The meaning of a word where a header is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Data words follow.
    Methods(Methods),
    /// Go on at this byte offset.
    Jump(u32),
    /// Go on at this byte offset and remember where we were; one level deep.
    Call(u32),
    /// Return to the word after the call.
    Return,
    /// No header ([`PusherError::InvalidCommand`]).
    Invalid,
}

impl Command {
    /// Reads a word. Every word means something; the order of the tests is the hardware's (envytools).
    #[inline]
    pub const fn decode(word: u32) -> Command {
        if let Some(methods) = Methods::decode(word) {
            return Command::Methods(methods);
        }
        if word & 0xE000_0003 == 0x2000_0000 {
            return Command::Jump(word & 0x1FFF_FFFC);
        }
        match word & 3 {
            1 => Command::Jump(word & !3),
            // A console calls 0 with 0xE000_0002 (elad335/myps3tests, call offset); envytools has bits 31:2.
            2 => Command::Call(word & 0x1FFF_FFFC),
            // A console's log calls 0x0002_0050 a return (the same, RET command opcode); envytools knows 0x0002_0000
            // alone.
            0 if word & 0xFFFF_0003 == 0x0002_0000 => Command::Return,
            _ => Command::Invalid,
        }
    }
}

impl Methods {
    /// The header of a word; `None` for words that are something else.
    #[inline(always)]
    pub const fn decode(word: u32) -> Option<Methods> {
        if word & 0xA003_0003 != 0 {
            return None;
        }
        Some(Methods {
            method: word & 0x1FFC,
            subchannel: word >> 13 & 7,
            count: word >> 18 & 0x7FF,
            increasing: word & 0x4000_0000 == 0,
        })
    }

    /// The header of what is left when `count` data words are taken, not more than there are.
    #[inline(always)]
    pub const fn after(self, count: u32) -> Methods {
        let method = if self.increasing { (self.method + 4 * count) & 0x1FFC } else { self.method };
        Methods { method, count: self.count - count, ..self }
    }

    /// The word that decodes to this header.
    pub const fn encode(self) -> u32 {
        self.method & 0x1FFC
            | (self.subchannel & 7) << 13
            | (self.count & 0x7FF) << 18
            | (!self.increasing as u32) << 30
    }
}

listed! {
    /// Why a pusher stopped; the code in bits 31:29 of its state (envytools).
    pub enum PusherError: u32 {
        /// A call inside of a called piece.
        CallActive = 1,
        /// The puller did not take a method.
        InvalidMethod = 2,
        /// A return without a call.
        ReturnInactive = 3,
        /// A word that is no header.
        InvalidCommand = 4,
        /// The push buffer could not be read.
        MemoryFault = 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back() {
        for word in [0x0004_0100, 0x0010_0A20, 0x401C_1818, 0x0020_230C, 0x1FFC_1F00, 0] {
            let Command::Methods(methods) = Command::decode(word) else { panic!("{word:#x}") };
            assert_eq!(methods.encode(), word);
        }
    }

    /// The tests in the order in which envytools lists them, one by one.
    fn listed(word: u32) -> Command {
        let methods = |increasing| {
            let (method, subchannel, count) = (word & 0x1FFC, word >> 13 & 7, word >> 18 & 0x7FF);
            Command::Methods(Methods { method, subchannel, count, increasing })
        };
        match word {
            w if w & 0xE000_0003 == 0x2000_0000 => Command::Jump(w & 0x1FFF_FFFC),
            w if w & 3 == 1 => Command::Jump(w & 0xFFFF_FFFC),
            w if w & 3 == 2 => Command::Call(w & 0x1FFF_FFFC),
            w if w & 0xFFFF_0003 == 0x0002_0000 => Command::Return,
            w if w & 0xE003_0003 == 0 => methods(true),
            w if w & 0xE003_0003 == 0x4000_0000 => methods(false),
            _ => Command::Invalid,
        }
    }

    #[test]
    fn the_order_of_the_tests_does_not_show() {
        // All values of the bits that decide, with three patterns in the others.
        for bits in 0..1u32 << 12 {
            for rest in [0, 0x0AA5_5AA4, 0x1FFC_FFFC] {
                let word = (bits & 7) << 29 | (bits >> 3 & 0x1F) << 13 | (bits >> 8 & 3) | (bits >> 10 & 3) << 2 | rest;
                assert_eq!(Command::decode(word), listed(word), "{word:#010x}");
            }
        }
    }
}
