//! Command lists of the 3DS.

use triglyph::GuestAddr;
use triglyph::n3ds::gsp::{Command, to_physical};
use triglyph_guest::pica::command::Packets;
use triglyph_guest::pica::regs;

use super::image::Image;
use super::{Isa, Order, Site, Sites, What};
use crate::document::{Document, word};

/// The command list that a GX command names, if it names one.
pub fn find(document: &Document, image: &Image, payload: &[u8], sites: &mut Sites) {
    let words: [u32; 8] = std::array::from_fn(|i| word(payload, 4 * i));
    let Some(Command::ProcessCommandList { address, size, .. }) = Command::from_words(&words) else { return };
    let Some(address) = to_physical(address) else { return };
    let mut words = Vec::new();
    let mut places = Vec::new();
    for piece in image.pieces(GuestAddr::new(0, address.into()), size.into()) {
        let bytes = &document.blocks[piece.record].payload[piece.at..piece.at + piece.length];
        words.extend(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)));
        places.extend((0..piece.length / 4).map(|word| (piece.record, piece.at + 4 * word)));
    }
    let site = |place: usize, what, name| {
        let (record, at) = places[place];
        Site { record, at, order: Order::Little, what, name }
    };
    for packet in Packets::new(&words) {
        sites.headers.push(site(packet.offset + 1, What::Header, "header"));
        for (index, write) in packet.writes().enumerate() {
            let place = packet.offset + if index == 0 { 0 } else { index + 1 };
            let info = regs::info(write.id);
            let name = info.map_or("?", |info| info.name);
            if is_code(write.id) {
                sites.instructions.push(site(place, What::Instruction(Isa::Pica), name));
            } else {
                sites.data.push(site(place, What::Datum(info.map_or(&[], |info| info.fields)), name));
            }
        }
    }
}

/// Whether a register takes instructions.
fn is_code(id: usize) -> bool {
    let registers = |first: usize| first..first + regs::vsh_code_data::COUNT;
    registers(regs::vsh_code_data::id(0)).contains(&id) || registers(regs::gsh_code_data::id(0)).contains(&id)
}
