//! Instructions in guest memory, found by their bit patterns.

use triglyph::Machine;
use triglyph_guest::tegra::shader::isa;

use super::image::MEM_HEADER;
use super::{Isa, Order, Site, Sites, What};
use crate::document::{Document, long};

/// Bytes of a group: a word of scheduling, then three instructions.
const GROUP: usize = 32;

/// Groups in a row that are taken for a program.
const GROUPS: usize = 4;

/// Shaders in the bytes that a record stores: rows of groups whose instructions all exist. Programs begin at multiples
/// of half a group.
pub fn find_maxwell(document: &Document, record: usize, address: u64, sites: &mut Sites) {
    if document.header.machine != Machine::TegraX1 {
        return;
    }
    let bytes = &document.blocks[record].payload;
    let is_instruction = |at: usize| {
        let word = long(bytes, at);
        word != 0 && isa::decode(word).is_some()
    };
    let is_group = |at: usize| at + GROUP <= bytes.len() && (1..4).all(|slot| is_instruction(at + 8 * slot));
    let mut at = MEM_HEADER + (16 - (address as usize & 15)) % 16;
    while at + GROUP * GROUPS <= bytes.len() {
        let groups = (0..).take_while(|group| is_group(at + GROUP * group)).count();
        if groups < GROUPS {
            at += GROUP / 2;
            continue;
        }
        let what = What::Instruction(Isa::Maxwell);
        for place in (0..groups * GROUP).step_by(8).filter(|place| place % GROUP != 0) {
            sites.instructions.push(Site { record, at: at + place, order: Order::Little, what, name: "shader" });
        }
        at += groups * GROUP;
    }
}
