//! Captures of one long submission.

use triglyph::GuestAddr;
use triglyph::capture::{Compression, Mem, Reader, Record, Writer};
use triglyph_testkit::data::captures;

/// Where the list goes: memory that the capture leaves alone.
const LIST: u32 = 0x2080_0000;
/// The device's addresses of the same memory.
const LINEAR: u32 = 0x1000_0000;
/// The words that end a list: a write of IRQ_REQ.
const END: [u32; 2] = [0x1234_5678, 0x000F_0010];

/// The first frame's list of 22-city, without its end.
fn frame(memory: &Mem<'_>, size: usize) -> Vec<u8> {
    let end: Vec<u8> = END.iter().flat_map(|word| word.to_le_bytes()).collect();
    let list = &memory.bytes[..size];
    let at = list.chunks_exact(8).position(|pair| pair == end).expect("an end of the list");
    list[..8 * at].to_vec()
}

/// 22-city, its first frame so many times in one list, edited by `edit` before.
pub fn capture(frames: usize, edit: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let path = captures("3ds").into_iter().find(|path| path.ends_with("22-city.tgc")).unwrap();
    let file = std::fs::read(path).unwrap();
    let reader = Reader::new(&file).unwrap();
    let mut writer = Writer::new(Vec::new(), reader.header(), Compression::None).unwrap();
    let mut lists = Vec::new();
    for entry in reader.records() {
        match entry.unwrap().record {
            Record::Map(map) => writer.map(&map).unwrap(),
            Record::Mem(memory) => {
                writer.mem(memory.at, &memory.bytes).unwrap();
                lists.push((memory.at.address as u32, memory));
            }
            Record::Submit(words) => {
                let word = |at: usize| u32::from_le_bytes(words[4 * at..4 * at + 4].try_into().unwrap());
                if word(0) & 0xFF != 1 {
                    // Clears come before.
                    writer.submit(&words).unwrap();
                    continue;
                }
                let (start, size) = (word(1) - LINEAR, word(2) as usize);
                let (_, memory) = lists.iter().find(|(at, _)| *at == start).unwrap();
                let frame = frame(memory, size);
                let mut list = edit(&frame).repeat(frames);
                list.extend(END.iter().flat_map(|word| word.to_le_bytes()));
                list.resize(list.len().next_multiple_of(16), 0);
                writer.mem(GuestAddr::new(0, LIST.into()), &list).unwrap();
                let mut command = words.to_vec();
                command[4..8].copy_from_slice(&(LIST + LINEAR).to_le_bytes());
                command[8..12].copy_from_slice(&(list.len() as u32).to_le_bytes());
                writer.submit(&command).unwrap();
                break;
            }
            _ => {}
        }
    }
    writer.finish().unwrap()
}

/// A list with another colour buffer before each of its draws; `edge`: how many pixels each has across and down, or as
/// many as before.
#[allow(dead_code, reason = "not every test needs it")]
pub fn with_other_surfaces(list: &[u8], edge: Option<u32>) -> Vec<u8> {
    const COLOR_ADDRESS: u32 = 0x000F_011D;
    const SIZES: [u32; 2] = [0x000F_011E, 0x000F_006E];
    const DRAWS: [u32; 2] = [0x22E, 0x22F];
    let (mut edited, mut at, mut draws) = (Vec::new(), 0, 0);
    let word = |at: usize| u32::from_le_bytes(list[at..at + 4].try_into().unwrap());
    while at + 8 <= list.len() {
        let header = word(at + 4);
        let size = (8 + 4 * (header >> 20 & 0xFF) as usize).next_multiple_of(8);
        if DRAWS.contains(&(header & 0xFFFF)) {
            let mut words = vec![(0x1800_0000 + 0x1000 * draws) >> 3, COLOR_ADDRESS];
            if let Some(edge) = edge {
                words.extend(SIZES.iter().flat_map(|&header| [1 << 24 | (edge - 1) << 12 | edge, header]));
            }
            edited.extend(words.iter().flat_map(|word: &u32| word.to_le_bytes()));
            draws += 1;
        }
        edited.extend_from_slice(&list[at..at + size]);
        at += size;
    }
    assert!(draws > 350, "{draws} draws");
    edited
}
