//! Push buffers: bundled captures of the RSX with some of their words and some of their memory changed, on every tier
//! and number of threads.

use std::sync::LazyLock;

use triglyph::GuestAddr;
use triglyph_guest::rsx::fifo::Command;
use triglyph_guest::rsx::methods::{CURIE, curie};

use super::Outcome;
use super::frames::{Run, captures, changed, first_frame, pick};
use triglyph_testkit::random::Random;

/// The bundled captures by name.
static CAPTURES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| captures("rsx"));

/// What is changed.
#[derive(Clone, Copy)]
struct Rates {
    /// One of as many words of methods.
    words: u32,
    /// One of as many headers.
    headers: u32,
    /// One of as many words of memory that is not a push buffer: microcode, vertices, textures.
    memory: u32,
}

/// Changes some words and compares what all runs leave in memory.
pub fn mutated_captures(seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    let (name, capture) = pick(&CAPTURES, &mut random);
    let big_endian = capture.header().big_endian;
    let rates = Rates {
        words: random.pick(&[50, 200, 1000]),
        headers: random.pick(&[2000, 20_000, u32::MAX]),
        memory: random.pick(&[300, 3000, 30_000]),
    };
    first_frame((name, &capture), &random, |run, payload, random| {
        let long = |at: usize| u64::from_le_bytes(payload[at..at + 8].try_into().expect("eight bytes"));
        let space = long(0) >> 32;
        for at in (8..payload.len()).step_by(16) {
            change(run, space as u32, long(at), long(at + 8), big_endian, random, rates);
        }
    })
}

/// Changes one stretch of a push buffer, and the memory around it that programs and vertices come from.
fn change(run: &mut Run, space: u32, address: u64, bytes: u64, big_endian: bool, random: &mut Random, rates: Rates) {
    let mut stored = vec![0; bytes as usize];
    run.device.read(GuestAddr::new(space, address), &mut stored).expect("a push buffer in memory");
    let mut words: Vec<u32> = stored.as_chunks().0.iter().map(|&b| load(b, big_endian)).collect();
    let mut at = 0;
    while at < words.len() {
        let header = words[at];
        if random.one_in(rates.headers) {
            replace(run, &mut words[at], at, "a header", random);
        }
        at += 1;
        let Command::Methods(methods) = Command::decode(header) else { continue };
        for i in 0..methods.count.min((words.len() - at) as u32) {
            let method = methods.method + if methods.increasing { 4 * i } else { 0 };
            let rate = if is_place(method) { rates.words.saturating_mul(20) } else { rates.words };
            if random.one_in(rate) {
                let name = CURIE.find(method).map_or("?", |found| found.method.name);
                replace(run, &mut words[at + i as usize], at + i as usize, name, random);
            }
            if methods.subchannel == 7 && method as usize == curie::set_shader_program::ID {
                memory(run, words[at + i as usize] & !63, random, rates);
            }
        }
        at += methods.count as usize;
    }
    let bytes: Vec<u8> =
        words.into_iter().flat_map(|word| load(word.to_ne_bytes(), big_endian).to_ne_bytes()).collect();
    run.device.write(GuestAddr::new(space, address), &bytes).expect("a push buffer in memory");
}

/// A word as the channel has it; the other way as well.
fn load(bytes: [u8; 4], big_endian: bool) -> u32 {
    if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
}

/// Objects, surfaces, arrays and textures: elsewhere there is nothing to be seen.
fn is_place(method: u32) -> bool {
    let row = CURIE.find(method).map(|found| found.method.id);
    method < 0x220 || row == Some(curie::set_vertex_data_array_offset::ID) || row == Some(curie::set_texture_offset::ID)
}

fn replace(run: &mut Run, word: &mut u32, at: usize, name: &str, random: &mut Random) {
    let old = *word;
    *word = changed(old, random);
    run.changes.push(format!("word {at:#x}: {name} {old:#010x} becomes {word:#010x}"));
}

/// Flips bits of a fragment program.
fn memory(run: &mut Run, address: u32, random: &mut Random, rates: Rates) {
    let mut bytes = vec![0; 1024];
    if run.device.read(GuestAddr::new(0, address.into()), &mut bytes).is_err() {
        return;
    }
    for at in 0..bytes.len() / 4 {
        if random.one_in(rates.memory) {
            let bit = random.below(32) as usize;
            bytes[4 * at + bit / 8] ^= 1 << (bit % 8);
            run.changes.push(format!("microcode at {address:#x}, word {at}: bit {bit}"));
        }
    }
    run.device.write(GuestAddr::new(0, address.into()), &bytes).expect("memory that was read");
}
