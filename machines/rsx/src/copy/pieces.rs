//! Ranges of guest memory, piece by piece, for operations that do not go through transfer requests.

use crate::core::Core;
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::GuestAddr;

/// Reads a range into `out`; zeros and one fault for what is not there.
pub(crate) fn gather(core: &mut Core, place: GuestAddr, out: &mut [u8], what: &str) {
    let missing = core.memory.read_pieces(place, out);
    if missing > 0 {
        let what = format_args!("{what}: {missing:#x} bytes are not in mapped memory");
        core.fault_at(FaultKind::UnmappedRead, place, what);
    }
}

/// Stores a range; one fault for what has no place.
pub(crate) fn scatter(core: &mut Core, place: GuestAddr, bytes: &[u8], what: &str) {
    let missing = core.memory.write_pieces(place, bytes);
    core.note_store(place, bytes.len() as u64);
    if missing > 0 {
        let what = format_args!("{what}: {missing:#x} bytes are not in mapped memory");
        core.fault_at(FaultKind::UnmappedWrite, place, what);
    }
}
