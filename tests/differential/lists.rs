//! Whole states: the first frame of a bundled capture with some of its state registers changed, on every tier and
//! number of threads.

use std::sync::LazyLock;

use triglyph::GuestAddr;
use triglyph::n3ds::gsp::{Command, to_physical};
use triglyph_guest::pica::command::Packets;
use triglyph_guest::pica::regs::{self, Effect};

use super::Outcome;
use super::frames::{Run, captures, changed, first_frame, pick};
use triglyph_testkit::random::Random;

/// The bundled captures by name.
static CAPTURES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| captures("3ds"));

/// Changes some registers and compares what all runs leave in memory: before each command list is executed, one in so
/// many of its state words is changed.
pub fn mutated_captures(seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    let (name, capture) = pick(&CAPTURES, &mut random);
    let rate = random.pick(&[20, 60, 200, 600]);
    first_frame((name, &capture), &random, |run, payload, random| {
        let word = |i: usize| u32::from_le_bytes(payload[4 * i..4 * i + 4].try_into().expect("four bytes"));
        let words: [u32; 8] = std::array::from_fn(word);
        if let Some(Command::ProcessCommandList { address, size, .. }) = Command::from_words(&words) {
            change(run, address, size, random, rate);
        }
    })
}

fn change(run: &mut Run, address: u32, size: u32, random: &mut Random, rate: u32) {
    let address = u64::from(to_physical(address).expect("a list in memory"));
    let mut bytes = vec![0; size as usize];
    run.device.read(GuestAddr::new(0, address), &mut bytes).expect("a list in memory");
    let mut words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let mut places = Vec::new();
    for packet in Packets::new(&words) {
        for (index, write) in packet.writes().enumerate() {
            if is_state(write.id) {
                let place = packet.offset + if index == 0 { 0 } else { index + 1 };
                places.push((place, write.id));
            }
        }
    }
    for (place, id) in places {
        if !random.one_in(rate) {
            continue;
        }
        let old = words[place];
        words[place] = changed(old, random);
        let name = regs::REGISTERS.iter().find(|register| register.id == id).map_or("?", |register| register.name);
        run.changes.push(format!("word {place:#x}: {name} {old:#010x} becomes {:#010x}", words[place]));
    }
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    run.device.write(GuestAddr::new(0, address), &bytes).expect("a list in memory");
}

/// Registers that hold state: neither ports and triggers nor addresses and sizes of what is in memory.
fn is_state(id: usize) -> bool {
    let addresses = [regs::color_addr::ID, regs::depth_addr::ID, regs::attr_base::ID, regs::fb_dim::ID];
    let buffers: [usize; regs::attrbuf_offset::COUNT] = std::array::from_fn(regs::attrbuf_offset::id);
    let lists: [&[usize]; 4] = [&regs::tex_addr::IDS, &regs::tex0_face_addr::IDS, &buffers, &addresses];
    id < regs::COUNT && matches!(regs::EFFECTS[id], Effect::Dirty(_)) && !lists.iter().any(|list| list.contains(&id))
}
