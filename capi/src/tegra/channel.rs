//! Channels, syncpoints and events: `/dev/nvhost-gpu`, `/dev/nvhost-ctrl`, `/dev/nvhost-ctrl-gpu`.

use triglyph::tegra::{Wait, submit_flags};

use super::triglyph_tegra;
use crate::error::triglyph_status;
use crate::forward::Tell;
use crate::handle::{MachineHandle, with_machine, with_state};
use crate::pointer::{Out, copied, store};

/// The work begins when the given fence has been reached.
pub const TRIGLYPH_TEGRA_SUBMIT_FENCE_WAIT: u32 = 0x1;
/// The channel's syncpoint counts the end of the work.
pub const TRIGLYPH_TEGRA_SUBMIT_FENCE_GET: u32 = 0x2;
/// Fences are syncpoints.
pub const TRIGLYPH_TEGRA_SUBMIT_HARDWARE_FORMAT: u32 = 0x4;
/// The end does not wait for the engines.
pub const TRIGLYPH_TEGRA_SUBMIT_SUPPRESS_WFI: u32 = 0x10;
/// The value of the given fence says how often the work itself counts the channel's syncpoint.
pub const TRIGLYPH_TEGRA_SUBMIT_INCREMENT_VALUE: u32 = 0x100;

const _: () = {
    assert!(TRIGLYPH_TEGRA_SUBMIT_FENCE_WAIT == submit_flags::FENCE_WAIT);
    assert!(TRIGLYPH_TEGRA_SUBMIT_FENCE_GET == submit_flags::FENCE_GET);
    assert!(TRIGLYPH_TEGRA_SUBMIT_HARDWARE_FORMAT == submit_flags::HARDWARE_FORMAT);
    assert!(TRIGLYPH_TEGRA_SUBMIT_SUPPRESS_WFI == submit_flags::SUPPRESS_WFI);
    assert!(TRIGLYPH_TEGRA_SUBMIT_INCREMENT_VALUE == submit_flags::INCREMENT_VALUE);
};

// GET_CHARACTERISTICS answers with the chip's own structure.
pub use triglyph::tegra::Characteristics as triglyph_tegra_characteristics;

/// The result of EVENT_WAIT.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_tegra_wait {
    /// 1 when the event of `slot` is armed, which the guest is told as TIMEOUT; 0 when the fence has been reached.
    pub armed: u32,
    /// The slot.
    pub slot: u32,
    /// The result of the call: the syncpoint's value, or the name of the event for QueryEvent.
    pub value: u32,
}

impl Tell<(triglyph_tegra_wait,)> for Wait {
    fn tell(self) -> (triglyph_tegra_wait,) {
        (match self {
            Wait::Reached(value) => triglyph_tegra_wait { armed: 0, slot: 0, value },
            Wait::Armed { slot, value } => triglyph_tegra_wait { armed: 1, slot: slot.get(), value },
        },)
    }
}

/// Appends GPFIFO entries to a channel of the address space of captures, without the driver, and works until everything
/// is done or waits. A recording that is under way contains it.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a channel beyond those there can be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_tegra_submit_entries(
    tegra: Option<&triglyph_tegra>,
    channel: u32,
    entries: *const u64,
    count: usize,
) -> triglyph_status {
    with_state(tegra, |state| {
        // SAFETY: the header asks callers for that many entries.
        let entries = unsafe { copied(entries, count, "entries") }?;
        let head = u64::from(channel).to_le_bytes();
        let payload: Vec<u8> = head.into_iter().chain(entries.iter().flat_map(|entry| entry.to_le_bytes())).collect();
        let device = triglyph_tegra::recorded(state)?;
        Ok(device.submit_with(&payload, |tegra| tegra.submit_entries(channel.into(), entries.iter().copied()))?)
    })
}

/// GET_CHARACTERISTICS.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_get_characteristics(
    tegra: Option<&triglyph_tegra>,
    characteristics: Out<'_, triglyph_tegra_characteristics>,
) -> triglyph_status {
    with_machine(tegra, |tegra| store(characteristics, *tegra.characteristics(), "characteristics"))
}
