//! The driver information of a context, as it is in its page.

use triglyph_guest::rsx::lv1::info::{self, head, interrupt};
use triglyph_guest::rsx::lv1::{flags, handle};

use super::{Allocation, channel, info_page, set_word, word};
use crate::core::Core;
use triglyph_engine::mem::GuestAddr;

/// A driver information.
#[derive(Clone, Copy, Debug)]
pub(super) struct Info {
    page: GuestAddr,
}

impl Info {
    /// That of a context, by number.
    pub(super) fn of(slot: usize) -> Info {
        Info { page: info_page(slot) }
    }

    /// Fills it for a new context. The page is zero.
    pub(super) fn fill(self, core: &Core, slot: usize, memory: &Allocation, context_flags: u64) {
        let set = |offset: u32, value: u32| set_word(core, self.page, offset, value);
        for (offset, value) in [info::VERSION_DRIVER, info::VERSION_GPU, info::CORE_FREQUENCY, info::MEMORY_FREQUENCY] {
            set(offset, value);
        }
        set(info::MEMORY_SIZE, memory.size as u32);
        set(info::HARDWARE_CHANNEL, channel(slot));
        let [p1, p2, p3, p4] = memory.parameters;
        for (offset, value) in info::MEMORY_PARAMETERS.into_iter().zip([p3, p4, p1, p2]) {
            set(offset, value as u32);
        }
        for (offset, value) in info::REPORTS_OFFSETS {
            set(offset, value);
        }
        set(info::CONTEXT_FLAGS, context_flags as u32);
        for (offset, value) in (info::HANDLES..).step_by(4).zip(info::DMA_HANDLES) {
            set(offset, value);
        }
        if context_flags & flags::MAIN_REPORTS != 0 {
            set(info::MAIN_REPORTS_HANDLE, handle::MAIN_REPORTS);
        }
        for (offset, value) in (info::ENGINE_HANDLES_AT..).step_by(4).zip(info::ENGINE_HANDLES) {
            set(offset, value);
        }
        for index in 0..16 {
            set(info::NOTIFIER_HANDLES + 4 * index, handle::NOTIFIERS + index);
        }
        // The heads that there are (hardware dump: flags and 1 in the word after the field).
        for number in 0..2 {
            self.set_head(core, number, head::FLAGS, head::QUEUED);
            self.set_head(core, number, head::VBLANK_TIME_LOW, 1);
        }
        let mask = if context_flags & flags::MASK_INTERRUPTS != 0 { 0 } else { u32::MAX };
        set(info::INTERRUPTS + interrupt::MASK, mask);
    }

    /// A word of a head.
    pub(super) fn head(self, core: &Core, number: u32, field: u32) -> u32 {
        word(core, self.page, info::HEADS + number * head::BYTES + field)
    }

    /// Sets a word of a head.
    pub(super) fn set_head(self, core: &Core, number: u32, field: u32, value: u32) {
        set_word(core, self.page, info::HEADS + number * head::BYTES + field, value);
    }

    /// Sets two words of a head, the high one first.
    pub(super) fn set_head_long(self, core: &Core, number: u32, field: u32, value: u64) {
        self.set_head(core, number, field, (value >> 32) as u32);
        self.set_head(core, number, field + 4, value as u32);
    }

    /// A word of the interrupt block.
    pub(super) fn interrupt(self, core: &Core, field: u32) -> u32 {
        word(core, self.page, info::INTERRUPTS + field)
    }

    /// Sets a word of the interrupt block.
    pub(super) fn set_interrupt(self, core: &Core, field: u32, value: u32) {
        set_word(core, self.page, info::INTERRUPTS + field, value);
    }
}
