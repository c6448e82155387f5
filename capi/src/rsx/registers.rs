//! The chip's registers and instance memory: there with `TRIGLYPH_ACCURACY_EXACT`.

use super::triglyph_rsx;
use crate::error::triglyph_status;
use crate::handle::with_machine;
use crate::pointer::{Out, put_found, store};

/// Reads a word of instance memory; 0 beyond its end.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_rsx_pramin_read(
    rsx: Option<&triglyph_rsx>,
    offset: u32,
    word: Out<'_, u32>,
) -> triglyph_status {
    with_machine(rsx, |rsx| store(word, rsx.pramin_read(offset), "word"))
}

/// Reads a word of the bus: registers, instance memory or local memory at the hypervisor's addresses. `found` is false
/// outside of all three.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_rsx_bus_read(
    rsx: Option<&triglyph_rsx>,
    address: u64,
    word: Out<'_, u32>,
    found: Out<'_, bool>,
) -> triglyph_status {
    with_machine(rsx, |rsx| put_found(rsx.bus_read(address), word, found))
}
