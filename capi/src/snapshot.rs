//! Save states.

use triglyph::SnapshotOptions;

use super::buffer::triglyph_buffer;
use super::error::{Failure, triglyph_status};
use super::handle::{triglyph_device, with_device};
use super::pointer::{Out, required, slice};

/// Leaves guest memory out of a snapshot: the host saves it, and puts it back before it restores.
pub const TRIGLYPH_SNAPSHOT_WITHOUT_MEMORY: u32 = 0x1;
/// Does not compress the snapshot, for hosts that compress it themselves or keep it in memory.
pub const TRIGLYPH_SNAPSHOT_UNCOMPRESSED: u32 = 0x2;

/// The whole state of a device, as if everything that was submitted had finished: one that restores it goes on exactly
/// as this one does. `flags`: `TRIGLYPH_SNAPSHOT_WITHOUT_MEMORY`, `TRIGLYPH_SNAPSHOT_UNCOMPRESSED`, or 0. The buffer
/// belongs to the caller, who destroys it with `triglyph_buffer_destroy`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_snapshot(
    device: Option<&triglyph_device>,
    flags: u32,
    snapshot: Out<'_, *mut triglyph_buffer>,
) -> triglyph_status {
    with_device(device, |state| {
        let out = required(snapshot, "snapshot")?;
        if flags & !(TRIGLYPH_SNAPSHOT_WITHOUT_MEMORY | TRIGLYPH_SNAPSHOT_UNCOMPRESSED) != 0 {
            return Err(Failure::invalid(format!("snapshot flags {flags:#x}")));
        }
        let options = SnapshotOptions::default()
            .with_memory(flags & TRIGLYPH_SNAPSHOT_WITHOUT_MEMORY == 0)
            .with_compression(flags & TRIGLYPH_SNAPSHOT_UNCOMPRESSED == 0);
        triglyph_buffer::give(state.gpu.device().snapshot(options)?, out);
        Ok(())
    })
}

/// Takes the state of a snapshot over. With guest memory in it, guest memory is as the snapshot has it, in memory of
/// the library's own, and nothing else is mapped: hosts that map their own memory use snapshots without. What the host
/// has chosen, counters and faults stay; events that were not taken go.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SNAPSHOT`; `TRIGLYPH_STATUS_UNSUPPORTED` when guest memory cannot be mapped as the
/// snapshot has it. Nothing has changed then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_restore(
    device: Option<&triglyph_device>,
    snapshot: *const u8,
    size: usize,
) -> triglyph_status {
    with_device(device, |state| {
        // SAFETY: the header asks callers for an array of that size.
        let snapshot = unsafe { slice(snapshot, size, "snapshot") }?;
        state.gpu.device().restore(snapshot)?;
        state.events.clear();
        state.gsp = Default::default();
        Ok(())
    })
}
