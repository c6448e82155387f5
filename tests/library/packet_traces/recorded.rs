//! Push buffers and command lists of the bundled captures, as words.

use triglyph::Machine;
use triglyph::capture::{Mem, Prepared, Reader, Record};
use triglyph::device::ObjectEntry;
use triglyph_guest::tegra::fifo::Entry;
use triglyph_testkit::data::captures;

/// What captures of a machine submit.
#[derive(Default)]
pub struct Recorded {
    /// Words of segments and lists.
    pub segments: Vec<Vec<u32>>,
    /// Objects of the RSX.
    pub objects: Vec<ObjectEntry>,
}

/// Memory as captures store it.
type Memory = Vec<(u32, u64, Vec<u8>)>;

fn words(memory: &Memory, space: u32, address: u64, bytes: u64, big_endian: bool) -> Vec<u32> {
    let found = memory.iter().rev().find_map(|(in_space, start, stored)| {
        let at = usize::try_from(address.checked_sub(*start)?).ok()?;
        if *in_space == space { stored.get(at..)?.get(..bytes as usize) } else { None }
    });
    let word = |&bytes: &[u8; 4]| if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
    found.unwrap_or_default().as_chunks().0.iter().map(word).collect()
}

fn long(bytes: &[u8]) -> u64 {
    bytes[..8].iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Everything that the bundled captures of a machine submit, as far as it stood in memory when they began.
pub fn recorded(machine: Machine) -> Recorded {
    let folder = match machine {
        Machine::N3ds => "3ds",
        Machine::Ps3 => "rsx",
        Machine::TegraX1 => "tegra",
    };
    let mut recorded = Recorded::default();
    for path in captures(folder) {
        let file = std::fs::read(path).expect("a file");
        let capture = Prepared::new(&Reader::new(&file[..]).expect("a capture")).expect("a sound capture");
        let big_endian = capture.header().big_endian;
        let mut memory = Memory::new();
        for entry in capture.entries() {
            match &entry.record {
                Record::Mem(Mem { space, address, bytes }) => memory.push((*space, *address, bytes.to_vec())),
                Record::Object(object) if !recorded.objects.contains(object) => recorded.objects.push(*object),
                Record::Submit(payload) => {
                    for (space, address, bytes) in pieces(machine, payload) {
                        let words = words(&memory, space, address, bytes, big_endian);
                        if words.len() > 8 && !recorded.segments.contains(&words) {
                            recorded.segments.push(words);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    recorded
}

/// Space, address and bytes of what a payload submits.
fn pieces(machine: Machine, payload: &[u8]) -> Vec<(u32, u64, u64)> {
    match machine {
        Machine::N3ds => {
            let word = |i: usize| long(&[&payload[4 * i..4 * i + 4], &[0; 4]].concat());
            let offset = if word(1) >= 0x3000_0000 { 0x1000_0000 } else { 0xF400_0000 };
            let list = word(0) & 0xFF == 1;
            list.then(|| (0, (word(1) as u32).wrapping_sub(offset).into(), word(2))).into_iter().collect()
        }
        Machine::Ps3 => {
            let space = (long(payload) >> 32) as u32;
            payload[8..].chunks_exact(16).map(|segment| (space, long(segment), long(&segment[8..]))).collect()
        }
        Machine::TegraX1 => {
            let entries = payload[8..].chunks_exact(8).map(|entry| Entry::decode(long(entry)));
            let segment = |entry| match entry {
                Entry::Segment(segment) => Some((0, segment.address, 4 * u64::from(segment.words))),
                Entry::Control { .. } => None,
            };
            entries.filter_map(segment).collect()
        }
    }
}
