//! Words for the selected constant buffer. They go to its memory at once, in order with everything else: draws that
//! came before have their constants already.

use triglyph_guest::tegra::methods::threed::regs;

use crate::core::{ADDRESS_MASK, Core, bytes_of};
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;

/// Bytes of the largest constant buffer: offsets wrap there.
const MAX_BYTES: u32 = 0x1_0000;

/// LOAD_CONSTANT_BUFFER: stores words at the load offset, which moves on after them. What lies after the size of the
/// buffer is dropped.
pub fn load(core: &mut Core, registers: &Registers, mut words: &[u32]) {
    while !words.is_empty() {
        let offset = registers.get(regs::load_constant_buffer_offset::ID);
        let room = (MAX_BYTES - start(offset)) as usize / 4;
        let (piece, rest) = words.split_at(words.len().min(room));
        load_piece(core, registers, piece, offset);
        words = rest;
    }
}

/// Where in the buffer a load offset is.
fn start(offset: u32) -> u32 {
    offset & (MAX_BYTES - 4)
}

/// Words before the offset wraps.
fn load_piece(core: &mut Core, registers: &Registers, words: &[u32], offset: u32) {
    let size =
        u64::from(regs::set_constant_buffer_selector_a::size(registers.get(regs::set_constant_buffer_selector_a::ID)));
    let start = u64::from(start(offset));
    let bytes = bytes_of(words);
    let room = usize::try_from(size.saturating_sub(start)).unwrap_or(usize::MAX).min(bytes.len()) & !3;
    let beyond = (bytes.len() - room) / 4;
    if beyond != 0 {
        let what = format_args!("{beyond} words beyond a constant buffer of {size:#x} bytes");
        core.fault(FaultKind::BadMethod, regs::load_constant_buffer_offset::ID as u64, what);
        // Each word counts, as a bounded run may end between any two.
        core.faults.count_only(FaultKind::BadMethod, beyond as u64 - 1);
    }
    let address = registers.address(regs::set_constant_buffer_selector_b::ID);
    core.write_unseen(address.wrapping_add(start) & ADDRESS_MASK, &bytes[..room], "a constant buffer");
    registers.set(regs::load_constant_buffer_offset::ID, offset.wrapping_add(bytes.len() as u32));
}
