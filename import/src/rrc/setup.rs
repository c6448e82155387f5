//! A push buffer that leaves the channel as a recording begins.

use triglyph_guest::rsx::fifo::{METHOD_SPACE, METHODS, Methods};
use triglyph_guest::rsx::lv1::handle;
use triglyph_guest::rsx::methods::{CURIE, Effect, curie, initialised};
use triglyph_guest::rsx::objects::class;
use triglyph_guest::rsx::two_d;

use super::format::State;

/// Words of data that a port of programs or constants takes at once.
const PORT_WORDS: usize = 32;
/// Instructions of a vertex program, and words of each.
const PROGRAM_WORDS: usize = 512 * 4;

/// The 3D registers at the beginning.
pub fn registers(state: Option<&State>) -> Vec<u32> {
    match state {
        Some(state) => state.registers[..METHODS].to_vec(),
        None => initialised(class::CURIE).map_or_else(|| vec![0; METHODS], |words| words.to_vec()),
    }
}

/// The words: the vertex program and constants through their ports, then registers that only store and are not what GCM
/// has left there.
pub fn words(state: Option<&State>) -> Vec<u32> {
    let mut list = Vec::new();
    let Some(state) = state else { return list };
    let program = &state.program[..state.program.len().min(PROGRAM_WORDS)];
    let constants = &state.constants;
    let ports = [
        (program, curie::set_transform_program_load::ID, curie::set_transform_program::id(0)),
        (constants, curie::set_transform_constant_load::ID, curie::set_transform_constant::id(0)),
    ];
    for (words, load, port) in ports {
        for (index, part) in words.chunks(PORT_WORDS).enumerate() {
            // Four words are an instruction or a constant.
            write(&mut list, 0, load as u32, &[(index * PORT_WORDS / 4) as u32]);
            write(&mut list, 0, port as u32, part);
        }
    }
    for object in handle::ENGINE {
        let Some(left) = initialised(object.class) else { continue };
        let first = (object.subchannel * METHOD_SPACE / 4) as usize;
        let registers = &state.registers[first..first + METHODS];
        for (index, (word, left)) in registers.iter().zip(left.iter()).enumerate() {
            let method = 4 * index as u32;
            // Handles of objects that GCM would have set are never 0.
            let is_handle = (0x180..0x200).contains(&method);
            if word != left && is_state(object.class, method) && !(is_handle && *word == 0) {
                write(&mut list, object.subchannel, method, &[*word]);
            }
        }
    }
    list
}

/// Whether a method's word is all there is to it.
fn is_state(number: u32, method: u32) -> bool {
    match number {
        class::CURIE => {
            CURIE.find(method).is_some_and(|found| matches!(found.method.effect, Effect::None | Effect::Dirty(_)))
        }
        _ => two_d::info(number, method).is_some_and(|info| matches!(info.effect, two_d::Effect::None)),
    }
}

fn write(list: &mut Vec<u32>, subchannel: u32, method: u32, words: &[u32]) {
    list.push(Methods { method, subchannel, count: words.len() as u32, increasing: true }.encode());
    list.extend(words);
}
