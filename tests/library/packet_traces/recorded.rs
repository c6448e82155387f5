//! Push buffers and command lists of the bundled captures, as words.

use triglyph::capture::{Mem, Prepared, Reader, Record};
use triglyph::{GuestAddr, GuestRange, Machine, ObjectEntry};
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
type Memory = Vec<(GuestAddr, Vec<u8>)>;

fn words(memory: &Memory, range: GuestRange, big_endian: bool) -> Vec<u32> {
    let found = memory.iter().rev().find_map(|(start, stored)| {
        let offset = usize::try_from(range.start.address.checked_sub(start.address)?).ok()?;
        let same_space = start.space == range.start.space;
        if same_space { stored.get(offset..)?.get(..range.size as usize) } else { None }
    });
    let word = |&bytes: &[u8; 4]| if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
    found.unwrap_or_default().as_chunks().0.iter().map(word).collect()
}

fn long(bytes: &[u8]) -> u64 {
    bytes[..8].iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Everything that the bundled captures of a machine submit, as far as it was in memory when they began.
pub fn recorded(machine: Machine) -> Recorded {
    let folder = match machine {
        Machine::N3ds => "3ds",
        Machine::Ps3 => "rsx",
        Machine::TegraX1 => "tegra",
        other => panic!("no captures of the {other}"),
    };
    let mut recorded = Recorded::default();
    for path in captures(folder) {
        let file = std::fs::read(path).expect("a file");
        let capture = Prepared::new(&Reader::new(&file[..]).expect("a capture")).expect("a sound capture");
        let big_endian = capture.header().big_endian;
        let mut memory = Memory::new();
        for entry in capture.entries() {
            match &entry.record {
                Record::Mem(Mem { at, bytes }) => memory.push((*at, bytes.to_vec())),
                Record::Object(object) if !recorded.objects.contains(object) => recorded.objects.push(*object),
                Record::Submit(payload) => {
                    for piece in pieces(machine, payload) {
                        let words = words(&memory, piece, big_endian);
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

/// The memory of what a payload submits.
fn pieces(machine: Machine, payload: &[u8]) -> Vec<GuestRange> {
    match machine {
        Machine::N3ds => {
            let word = |i: usize| long(&[&payload[4 * i..4 * i + 4], &[0; 4]].concat());
            let offset = if word(1) >= 0x3000_0000 { 0x1000_0000 } else { 0xF400_0000 };
            let list = word(0) & 0xFF == 1;
            let list = list.then(|| GuestRange::new(0, (word(1) as u32).wrapping_sub(offset).into(), word(2)));
            list.into_iter().collect()
        }
        Machine::Ps3 => {
            let space = (long(payload) >> 32) as u32;
            let segment = |bytes: &[u8]| GuestRange::new(space, long(bytes), long(&bytes[8..]));
            payload[8..].chunks_exact(16).map(segment).collect()
        }
        _ => {
            let entries = payload[8..].chunks_exact(8).map(|entry| Entry::decode(long(entry)));
            let segment = |entry| match entry {
                Entry::Segment(segment) => Some(GuestRange::new(0, segment.address, 4 * u64::from(segment.words))),
                Entry::Control { .. } => None,
            };
            entries.filter_map(segment).collect()
        }
    }
}
