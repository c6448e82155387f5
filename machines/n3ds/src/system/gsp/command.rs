//! GX commands: eight words in a queue, and what they say.
//!
//! Source: 3dbrew GSP Shared Memory, Commands. All addresses are virtual ones of the client.

use triglyph_guest::pica::external::TransferFormat;

/// Word 0 of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Header {
    /// Which command.
    pub id: u8,
    /// GSP stops processing the queue after this command (byte 2, bit 0).
    pub stop: bool,
    /// The command fails while *any* other runs (byte 3), not only one of its kind. Commands are over at once here, so
    /// neither happens; which result code it would give is unknown.
    pub exclusive: bool,
}

impl Header {
    /// From word 0.
    pub const fn from_word(word: u32) -> Self {
        let [id, _, stop, exclusive] = word.to_le_bytes();
        Header { id, stop: stop & 1 != 0, exclusive: exclusive != 0 }
    }

    /// As word 0.
    pub const fn word(self) -> u32 {
        u32::from_le_bytes([self.id, 0, self.stop as u8, self.exclusive as u8])
    }
}

/// What one memory fill unit is to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FillUnit {
    /// First byte; 0 leaves the unit alone.
    pub start: u32,
    /// The pattern.
    pub value: u32,
    /// End, exclusive.
    pub end: u32,
    /// The unit's control register: bit 0 start, bits 8-9 width.
    pub control: u16,
}

/// A GX command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// 0: copies bytes with the processors' DMA engine; ends with DMA.
    RequestDma {
        /// From here.
        source: u32,
        /// To here.
        target: u32,
        /// Bytes.
        size: u32,
        /// Whether the source is flushed from the data cache first.
        flush: bool,
    },
    /// 1: executes a PICA command list; ends with P3D.
    ProcessCommandList {
        /// The list.
        address: u32,
        /// Its size in bytes.
        size: u32,
        /// Whether the gas unit's results are brought up to date afterwards.
        update_gas: bool,
        /// Whether the list is flushed from the data cache first.
        flush: bool,
    },
    /// 2: fills one or two ranges; ends with PSC0, or with PSC1 when only unit 1 is used.
    MemoryFill {
        /// The two units.
        units: [FillUnit; 2],
    },
    /// 3: starts the transfer engine for an image; ends with PPF.
    DisplayTransfer {
        /// From here.
        source: u32,
        /// To here.
        target: u32,
        /// Pixels of the source: width in bits 0-15, height above.
        source_size: u32,
        /// Pixels of the target, before scaling.
        target_size: u32,
        /// The engine's flags register.
        flags: u32,
    },
    /// 4: starts the transfer engine for bytes; ends with PPF. Without bit 3 of the flags the engine does a display
    /// transfer of whatever size its registers hold.
    TextureCopy {
        /// From here.
        source: u32,
        /// To here.
        target: u32,
        /// Bytes, gaps not counted.
        size: u32,
        /// Source line in bits 0-15 and gap above, 16-byte units.
        source_lines: u32,
        /// The same for the target.
        target_lines: u32,
        /// The engine's flags register.
        flags: u32,
    },
    /// 5: flushes up to three ranges from the data cache; raises nothing.
    FlushCacheRegions {
        /// Address and size of each.
        regions: [(u32, u32); 3],
    },
}

impl FillUnit {
    /// Fills bytes from `start` up to `end`, both multiples of 16, with a pattern of 32 bits.
    pub const fn words(start: u32, end: u32, value: u32) -> Self {
        // Bit 0 starts the unit, 2 from bit 8 on is a pattern of 32 bits.
        FillUnit { start, value, end, control: 1 | 2 << 8 }
    }
}

impl Command {
    /// Fills one range.
    pub fn fill(unit: FillUnit) -> Self {
        Command::MemoryFill { units: [unit, FillUnit::default()] }
    }

    /// Executes a PICA command list of `size` bytes.
    pub const fn list(address: u32, size: u32) -> Self {
        Command::ProcessCommandList { address, size, update_gas: false, flush: false }
    }

    /// Copies a tiled picture of `width` x `height` pixels of RGBA8 to rows of another format, for a screen.
    pub const fn display(source: u32, target: u32, width: u16, height: u16, format: TransferFormat) -> Self {
        let size = width as u32 | (height as u32) << 16;
        let flags = format.bits() << 12;
        Command::DisplayTransfer { source, target, source_size: size, target_size: size, flags }
    }

    /// From the words of a queue slot; `None` for ids that do not exist.
    pub fn from_words(words: &[u32; 8]) -> Option<Self> {
        let [header, w1, w2, w3, w4, w5, w6, w7] = *words;
        Some(match Header::from_word(header).id {
            0 => Command::RequestDma { source: w1, target: w2, size: w3, flush: w7 != 0 },
            1 => Command::ProcessCommandList { address: w1, size: w2, update_gas: w3 & 1 != 0, flush: w7 != 0 },
            2 => Command::MemoryFill {
                units: [
                    FillUnit { start: w1, value: w2, end: w3, control: w7 as u16 },
                    FillUnit { start: w4, value: w5, end: w6, control: (w7 >> 16) as u16 },
                ],
            },
            3 => Command::DisplayTransfer { source: w1, target: w2, source_size: w3, target_size: w4, flags: w5 },
            4 => {
                Command::TextureCopy { source: w1, target: w2, size: w3, source_lines: w4, target_lines: w5, flags: w6 }
            }
            5 => Command::FlushCacheRegions { regions: [(w1, w2), (w3, w4), (w5, w6)] },
            _ => return None,
        })
    }

    /// The id in word 0.
    pub const fn id(&self) -> u8 {
        match self {
            Command::RequestDma { .. } => 0,
            Command::ProcessCommandList { .. } => 1,
            Command::MemoryFill { .. } => 2,
            Command::DisplayTransfer { .. } => 3,
            Command::TextureCopy { .. } => 4,
            Command::FlushCacheRegions { .. } => 5,
        }
    }

    /// As the words of a queue slot, with the flags of `header`, whose id does not matter.
    pub fn to_words(&self, header: Header) -> [u32; 8] {
        let [w1, w2, w3, w4, w5, w6, w7] = match *self {
            Command::RequestDma { source, target, size, flush } => [source, target, size, 0, 0, 0, flush.into()],
            Command::ProcessCommandList { address, size, update_gas, flush } => {
                [address, size, update_gas.into(), 0, 0, 0, flush.into()]
            }
            Command::MemoryFill { units: [a, b] } => {
                let control = u32::from(a.control) | u32::from(b.control) << 16;
                [a.start, a.value, a.end, b.start, b.value, b.end, control]
            }
            Command::DisplayTransfer { source, target, source_size, target_size, flags } => {
                [source, target, source_size, target_size, flags, 0, 0]
            }
            Command::TextureCopy { source, target, size, source_lines, target_lines, flags } => {
                [source, target, size, source_lines, target_lines, flags, 0]
            }
            Command::FlushCacheRegions { regions: [a, b, c] } => [a.0, a.1, b.0, b.1, c.0, c.1, 0],
        };
        [Header { id: self.id(), ..header }.word(), w1, w2, w3, w4, w5, w6, w7]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_back() {
        for id in 0..6 {
            // Words that a command does not use are 0, flags are 0 or 1.
            let words = match id {
                0 => [0x0100_0000, 1, 2, 3, 0, 0, 0, 1],
                1 => [0x0101_0001, 1, 2, 1, 0, 0, 0, 1],
                2 => [0x0000_0002, 1, 2, 3, 4, 5, 6, 0x0201_0101],
                3 => [0x0001_0003, 1, 2, 3, 4, 5, 0, 0],
                4 => [0x0000_0004, 1, 2, 3, 4, 5, 6, 0],
                _ => [0x0100_0005, 1, 2, 3, 4, 5, 6, 0],
            };
            let command = Command::from_words(&words).unwrap();
            assert_eq!(u32::from(command.id()), id);
            assert_eq!(command.to_words(Header::from_word(words[0])), words);
        }
        assert_eq!(Command::from_words(&[6; 8]), None);
    }

    #[test]
    fn short_forms_have_the_fields_of_the_registers() {
        use triglyph_guest::pica::external::{FillWidth, ppf_flags, psc_control};
        let unit = FillUnit::words(0x1F00_0000, 0x1F00_0100, 7);
        assert!(psc_control::busy(unit.control.into()));
        assert_eq!(psc_control::width(unit.control.into()), Some(FillWidth::Bits32));
        let display = Command::display(1, 2, 240, 400, TransferFormat::Rgb565);
        let Command::DisplayTransfer { source_size, target_size, flags, .. } = display else { panic!("{display:?}") };
        assert_eq!((source_size, target_size), (240 | 400 << 16, source_size));
        let formats = (ppf_flags::input(flags), ppf_flags::output(flags));
        assert_eq!(formats, (Some(TransferFormat::Rgba8), Some(TransferFormat::Rgb565)));
    }

    #[test]
    fn headers_ignore_byte_one() {
        let header = Header::from_word(0x0100_0100 + 3);
        assert_eq!(header, Header { id: 3, stop: false, exclusive: true });
        assert!(Header::from_word(0x0001_0000).stop);
        assert!(!Header::from_word(0x0002_0000).stop);
    }
}
