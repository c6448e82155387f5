//! Words of a push buffer. Source: NVIDIA clb06f.h for all forms, the legacy ones included.
//!
//! Bits 31:29 say what a word is where a header is expected:
//!
//! | bits 31:29 | meaning |
//! |---|---|
//! | 0 | by bits 17:16: 0 legacy incrementing run, 1 to 3 sub-device masks. The zero word does nothing |
//! | 1 | a run of data words for consecutive methods |
//! | 2 | with bits 17:16 = 0 a legacy run for one method |
//! | 3 | a run for one method |
//! | 4 | one method with the datum in bits 28:16 |
//! | 5 | a run whose first word goes to the method and all others to the next one |
//! | 6 | malformed |
//! | 7 | the rest of the segment is ignored |
//!
//! Runs have their method (a dword address) in bits 11:0, the subchannel in 15:13 and the number of words in 28:16.
//! Legacy runs have a byte address in bits 12:2 and the number of words in 28:18.

/// Method addresses are dword addresses of 12 bits and wrap there.
pub const METHOD_MASK: u32 = 0xFFF;

/// Most data words of a run.
pub const MAX_COUNT: u32 = 0x1FFF;

/// Most data words of a legacy run.
pub const MAX_LEGACY_COUNT: u32 = 0x7FF;

/// Where the words of a run go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stepping {
    /// To consecutive methods.
    Each,
    /// All to one method.
    Never,
    /// The first one to the method, all others to the one after it.
    Once,
}

/// Data words that a header announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// Subchannel, 0 to 7.
    pub subchannel: u32,
    /// The method of the next word: a dword address, 0 to 0xFFF.
    pub method: u32,
    /// Words still to come. A header with 0 does nothing.
    pub count: u32,
    /// Which methods the words go to.
    pub stepping: Stepping,
}

impl Run {
    /// The run after so many of its words.
    pub const fn after(self, words: u32) -> Run {
        let (advance, stepping) = match self.stepping {
            Stepping::Each => (words, Stepping::Each),
            Stepping::Never => (0, Stepping::Never),
            Stepping::Once if words == 0 => (0, Stepping::Once),
            Stepping::Once => (1, Stepping::Never),
        };
        Run {
            method: self.method.wrapping_add(advance) & METHOD_MASK,
            count: self.count.saturating_sub(words),
            stepping,
            subchannel: self.subchannel,
        }
    }

    /// The run after one of its words: the method of the next one, one word less.
    pub const fn step(self) -> Run {
        self.after(1)
    }
}

/// The effect of a word on the mask of sub-devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubDevice {
    /// Methods count from here on only for the devices in this mask of 12 bits.
    Set(u32),
    /// Remembers a mask of 12 bits.
    Store(u32),
    /// As `Set` with the remembered mask.
    Use,
}

/// The meaning of a word where a header is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Nothing: the zero word.
    Nop,
    /// Data words follow.
    Run(Run),
    /// Data words follow; the form of earlier generations, which has no [`Stepping::Once`].
    Legacy(Run),
    /// One method with its datum.
    Immediate {
        /// Subchannel, 0 to 7.
        subchannel: u32,
        /// Dword address of the method, 0 to 0xFFF.
        method: u32,
        /// The datum, 0 to 0x1FFF.
        data: u32,
    },
    /// Masks of sub-devices.
    SubDevice(SubDevice),
    /// The rest of the segment is ignored.
    EndSegment,
    /// No header: a channel error.
    Malformed,
}

impl Command {
    /// Reads a word.
    pub const fn decode(word: u32) -> Command {
        let subchannel = word >> 13 & 7;
        match (word >> 29, word >> 16 & 3) {
            _ if word == 0 => Command::Nop,
            (0, 0) => Command::Legacy(legacy(word, Stepping::Each)),
            (0, 1) => Command::SubDevice(SubDevice::Set(word >> 4 & METHOD_MASK)),
            (0, 2) => Command::SubDevice(SubDevice::Store(word >> 4 & METHOD_MASK)),
            (0, _) => Command::SubDevice(SubDevice::Use),
            (1, _) => Command::Run(modern(word, Stepping::Each)),
            (2, 0) => Command::Legacy(legacy(word, Stepping::Never)),
            (3, _) => Command::Run(modern(word, Stepping::Never)),
            (4, _) => Command::Immediate { subchannel, method: word & METHOD_MASK, data: word >> 16 & MAX_COUNT },
            (5, _) => Command::Run(modern(word, Stepping::Once)),
            (7, _) => Command::EndSegment,
            _ => Command::Malformed,
        }
    }

    /// The word that says this; values are cut to their fields. `None` for what no word says: a legacy run that steps
    /// once, and a malformed header, of which there are many.
    pub const fn encode(self) -> Option<u32> {
        Some(match self {
            Command::Nop => 0,
            Command::Run(run) => {
                let operation = match run.stepping {
                    Stepping::Each => 1,
                    Stepping::Never => 3,
                    Stepping::Once => 5,
                };
                operation << 29 | (run.count & MAX_COUNT) << 16 | place(run.subchannel, run.method)
            }
            Command::Legacy(run) => {
                let operation = match run.stepping {
                    Stepping::Each => 0,
                    Stepping::Never => 2,
                    Stepping::Once => return None,
                };
                let method = (run.method & 0x7FF) << 2;
                operation << 29 | (run.count & MAX_LEGACY_COUNT) << 18 | (run.subchannel & 7) << 13 | method
            }
            Command::Immediate { subchannel, method, data } => {
                4 << 29 | (data & MAX_COUNT) << 16 | place(subchannel, method)
            }
            Command::SubDevice(SubDevice::Set(mask)) => 1 << 16 | (mask & METHOD_MASK) << 4,
            Command::SubDevice(SubDevice::Store(mask)) => 2 << 16 | (mask & METHOD_MASK) << 4,
            Command::SubDevice(SubDevice::Use) => 3 << 16,
            Command::EndSegment => 7 << 29,
            Command::Malformed => return None,
        })
    }
}

const fn place(subchannel: u32, method: u32) -> u32 {
    (subchannel & 7) << 13 | method & METHOD_MASK
}

const fn modern(word: u32, stepping: Stepping) -> Run {
    Run { subchannel: word >> 13 & 7, method: word & METHOD_MASK, count: word >> 16 & MAX_COUNT, stepping }
}

const fn legacy(word: u32, stepping: Stepping) -> Run {
    Run { subchannel: word >> 13 & 7, method: word >> 2 & 0x7FF, count: word >> 18 & MAX_LEGACY_COUNT, stepping }
}
