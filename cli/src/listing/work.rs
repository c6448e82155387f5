//! The work in SUBMIT payloads, in words: GX commands by name, push buffers by size.

use serde::Serialize;
use triglyph::Machine;

/// One SUBMIT, described.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Work {
    /// The command's name, or the kind of submission.
    pub name: &'static str,
    /// Its parameters, for people.
    pub parameters: String,
    /// Words of the command lists or push buffers that it names.
    pub words: u64,
}

/// Describes a payload; one too short reads as zeros.
pub fn describe(machine: Machine, payload: &[u8]) -> Work {
    match machine {
        Machine::N3ds => gx(payload),
        Machine::Ps3 => {
            let segments = payload.get(8..).unwrap_or(&[]).chunks_exact(16);
            let words = segments.clone().map(|segment| long(segment, 8) / 4).fold(0, u64::saturating_add);
            let (channel, space) = (word(payload, 0), word(payload, 1));
            let parameters = format!("channel {channel}, space {space}, {} segments", segments.len());
            Work { name: "PushBuffer", parameters, words }
        }
        Machine::TegraX1 => {
            let entries = payload.get(8..).unwrap_or(&[]).chunks_exact(8);
            // A GPFIFO entry's length in words is bits 10 to 30 of its second word.
            let words = entries.clone().map(|entry| long(entry, 0) >> 42 & 0x1F_FFFF).sum();
            let parameters = format!("channel {}, {} entries", word(payload, 0), entries.len());
            Work { name: "GpFifo", parameters, words }
        }
        _ => Work { name: "Submission", parameters: format!("{} bytes", payload.len()), words: 0 },
    }
}

fn gx(payload: &[u8]) -> Work {
    let w: [u32; 8] = std::array::from_fn(|index| word(payload, index));
    let size = |value: u32| format!("{}x{}", value & 0xFFFF, value >> 16);
    let flush = if w[7] != 0 { ", flush" } else { "" };
    let (name, parameters, words) = match w[0] & 0xFF {
        0 => ("RequestDma", format!("{:#x} to {:#x}, {:#x} bytes{flush}", w[1], w[2], w[3]), 0),
        1 => {
            let gas = if w[3] & 1 != 0 { ", update gas results" } else { "" };
            ("ProcessCommandList", format!("{:#x}, {:#x} bytes{gas}{flush}", w[1], w[2]), w[2] / 4)
        }
        2 => {
            let unit = |start: u32, value: u32, end: u32, control: u32| {
                let width = ["16", "24", "32", "24"][(control >> 8 & 3) as usize];
                (start != 0).then(|| format!("{start:#x} to {end:#x} with {value:#x}, {width} bits"))
            };
            let units = [unit(w[1], w[2], w[3], w[7]), unit(w[4], w[5], w[6], w[7] >> 16)];
            ("MemoryFill", units.into_iter().flatten().collect::<Vec<_>>().join("; "), 0)
        }
        3 => {
            let (from, to) = (size(w[3]), size(w[4]));
            ("DisplayTransfer", format!("{:#x} {from} to {:#x} {to}, flags {:#x}", w[1], w[2], w[5]), 0)
        }
        4 => {
            let line = |value: u32| format!("line {:#x} gap {:#x}", (value & 0xFFFF) << 4, value >> 16 << 4);
            let (from, to) = (line(w[4]), line(w[5]));
            let text = format!("{:#x} {from} to {:#x} {to}, {:#x} bytes, flags {:#x}", w[1], w[2], w[3], w[6]);
            ("TextureCopy", text, 0)
        }
        5 => {
            let regions = [(w[1], w[2]), (w[3], w[4]), (w[5], w[6])];
            let used = regions.into_iter().take_while(|(_, size)| *size != 0);
            let text: Vec<_> = used.map(|(start, size)| format!("{start:#x}, {size:#x} bytes")).collect();
            ("FlushCacheRegions", text.join("; "), 0)
        }
        _ => ("Unknown", format!("{w:#x?}").split_whitespace().collect::<Vec<_>>().join(" "), 0),
    };
    Work { name, parameters, words: words.into() }
}

fn word(bytes: &[u8], index: usize) -> u32 {
    bytes.get(4 * index..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

fn long(bytes: &[u8], offset: usize) -> u64 {
    bytes.get(offset..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn gx_commands_read_as_they_are() {
        let list = describe(Machine::N3ds, &payload(&[0x0100_0101, 0x3000_0000, 0x40, 0, 0, 0, 0, 1]));
        assert_eq!((list.name, list.words), ("ProcessCommandList", 16));
        assert_eq!(list.parameters, "0x30000000, 0x40 bytes, flush");
        let fill = describe(Machine::N3ds, &payload(&[2, 0x1F00_0000, 7, 0x1F00_0100, 0, 0, 0, 0x201]));
        assert_eq!(fill.parameters, "0x1f000000 to 0x1f000100 with 0x7, 32 bits");
        assert_eq!(describe(Machine::N3ds, &[]).name, "RequestDma");
        assert_eq!(describe(Machine::N3ds, &payload(&[9])).name, "Unknown");
    }

    #[test]
    fn push_buffers_count_their_words() {
        let rsx = describe(Machine::Ps3, &payload(&[1, 1, 0, 0, 64, 0, 0x100, 0, 16, 0]));
        assert_eq!((rsx.words, rsx.parameters.as_str()), (20, "channel 1, space 1, 2 segments"));
        let tegra = describe(Machine::TegraX1, &payload(&[3, 0, 0x1000, 1 | 25 << 10]));
        assert_eq!((tegra.words, tegra.parameters.as_str()), (25, "channel 3, 1 entries"));
    }
}
