//! The chip's registers and instance memory: there with `TRIGLYPH_ACCURACY_EXACT`.

use super::{triglyph_rsx, with_rsx};
use crate::error::triglyph_status;
use crate::pointer::{Out, put, required};

/// Reads a word of instance memory; 0 beyond its end.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_rsx_pramin_read(
    rsx: Option<&triglyph_rsx>,
    offset: u32,
    word: Out<'_, u32>,
) -> triglyph_status {
    with_rsx(rsx, |rsx| {
        required(word, "word")?.write(rsx.pramin_read(offset));
        Ok(())
    })
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
    with_rsx(rsx, |rsx| {
        let read = rsx.bus_read(address);
        put(word, read.unwrap_or(0));
        put(found, read.is_some());
        Ok(())
    })
}
