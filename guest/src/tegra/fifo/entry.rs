//! GPFIFO entries. Source: NVIDIA clb06f.h.
//!
//! | bits | field |
//! |---|---|
//! | 0 | 1 fetch only if the sub-device mask is active |
//! | 39:2 | address of the first word, bits 39:2; in a control entry bits 39:32 are the operation |
//! | 40 | privileged |
//! | 41 | level: 0 main, 1 subroutine; progress reports only |
//! | 62:42 | words, 0 to 2097151; 0 makes it a control entry |
//! | 63 | 1 do not fetch before everything earlier is processed |

/// A piece of a push buffer: consecutive words in GPU memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    /// GPU virtual address of the first word, 40 bits, a multiple of 4.
    pub address: u64,
    /// Words, 1 to 2097151.
    pub words: u32,
    /// Whether its words may be read only after everything earlier has been processed: the GPU may still write them.
    pub sync: bool,
    /// Whether it is a called command list. Executed like any other.
    pub subroutine: bool,
    /// Whether it is fetched only while the sub-device mask is active.
    pub conditional: bool,
}

/// The operation of a control entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Control {
    /// Nothing.
    Nop,
    /// A channel error.
    Illegal,
    /// A checksum of entries; without effect on the work.
    EntryCrc,
    /// A checksum of push-buffer words; without effect on the work.
    PushBufferCrc,
    /// An operation that does not exist, with its number: a channel error.
    Unknown(u8),
}

/// One entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// Words to process.
    Segment(Segment),
    /// No words.
    Control {
        /// The operation.
        operation: Control,
        /// Whether to wait for everything earlier.
        sync: bool,
    },
}

const ADDRESS: u64 = 0xFF_FFFF_FFFC;
const MAX_WORDS: u32 = 0x1F_FFFF;
const SYNC: u64 = 1 << 63;

impl Entry {
    /// Reads an entry.
    pub const fn decode(bits: u64) -> Entry {
        let words = (bits >> 42) as u32 & MAX_WORDS;
        let sync = bits & SYNC != 0;
        if words == 0 {
            let operation = match (bits >> 32) as u8 {
                0 => Control::Nop,
                1 => Control::Illegal,
                2 => Control::EntryCrc,
                3 => Control::PushBufferCrc,
                other => Control::Unknown(other),
            };
            return Entry::Control { operation, sync };
        }
        Entry::Segment(Segment {
            address: bits & ADDRESS,
            words,
            sync,
            subroutine: bits >> 41 & 1 != 0,
            conditional: bits & 1 != 0,
        })
    }

    /// The bits of the entry. Address and number of words are cut to their fields.
    pub const fn encode(self) -> u64 {
        match self {
            Entry::Segment(segment) => {
                segment.address & ADDRESS
                    | ((segment.words & MAX_WORDS) as u64) << 42
                    | (segment.sync as u64) << 63
                    | (segment.subroutine as u64) << 41
                    | segment.conditional as u64
            }
            Entry::Control { operation, sync } => {
                let number = match operation {
                    Control::Nop => 0,
                    Control::Illegal => 1,
                    Control::EntryCrc => 2,
                    Control::PushBufferCrc => 3,
                    Control::Unknown(number) => number,
                };
                (number as u64) << 32 | (sync as u64) << 63
            }
        }
    }
}
