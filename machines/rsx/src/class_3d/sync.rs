//! Reports, conditional rendering, semaphores, notifiers.

use triglyph_guest::rsx::enums::{RenderMode, ReportType};
use triglyph_guest::rsx::methods::{Trigger, curie};

use super::Curie;
use crate::core::Core;
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::GuestAddr;

impl Curie {
    /// A place in the object that method `object` names; a fault when there is none.
    fn place(&self, core: &mut Core, object: usize, offset: u32, bytes: u64, what: &str) -> Option<GuestAddr> {
        let place = core.dma(self.get(object), what)?.range(offset.into(), bytes);
        if place.is_none() {
            core.fault(
                FaultKind::UnmappedWrite,
                offset.into(),
                format_args!("the {what} at {offset:#x} is beyond the end of its DMA object"),
            );
        }
        place
    }

    /// NOTIFY: a record at the start of DMA_NOTIFIES.
    pub(super) fn notify(&mut self, core: &mut Core) {
        if let Some(place) = self.place(core, curie::set_context_dma_notifies::ID, 0, 16, "notifier") {
            core.write_record(place, 0, 0, "notifier");
        }
    }

    /// CLEAR_REPORT_VALUE: a counter begins anew. Those of depth culling are always 0.
    pub(super) fn clear_report_value(&mut self, core: &mut Core, word: u32) {
        match curie::clear_report_value::kind(word) {
            Some(ReportType::ZpassPixelCount) => {
                self.finish(core);
                self.samples = 0;
            }
            Some(_) => {}
            None => core.fault(
                FaultKind::BadMethod,
                word.into(),
                format_args!("the report type of {word:#x} does not exist"),
            ),
        }
    }

    /// GET_REPORT: a record of time and count, after everything drawn before.
    pub(super) fn get_report(&mut self, core: &mut Core, word: u32) {
        let (offset, kind) = (curie::get_report::offset(word), curie::get_report::kind(word));
        let value = match kind {
            Some(ReportType::ZpassPixelCount) => {
                self.finish(core);
                self.samples as u32
            }
            // Depth culling is not modelled; type 0 is the time alone (RPCS3).
            Some(_) => 0,
            None if word >> 24 == 0 => 0,
            None => {
                return core.fault(
                    FaultKind::BadMethod,
                    word.into(),
                    format_args!("the report type of {word:#x} does not exist"),
                );
            }
        };
        if let Some(place) = self.place(core, curie::set_context_dma_report::ID, offset, 16, "report") {
            core.write_record(place, value, 0, "report");
        }
    }

    /// SET_RENDER_ENABLE: draws and clears from here on happen always, or if the value of a report is not zero now.
    /// Without a report they happen. Other modes leave everything as it is.
    pub(super) fn set_render_enable(&mut self, core: &mut Core, word: u32) {
        let Some(mode) = curie::set_render_enable::mode(word) else {
            return core.fault(
                FaultKind::BadMethod,
                word.into(),
                format_args!("SET_RENDER_ENABLE: the mode of {word:#x} does not exist"),
            );
        };
        self.before_change(core, u32::MAX);
        self.registers.set(curie::set_render_enable::ID as u32, word);
        self.renders = match mode {
            RenderMode::Always => true,
            RenderMode::Conditional => self.has_passed(core, curie::set_render_enable::offset(word)),
        };
    }

    /// Whether the report at an offset has a value other than zero.
    fn has_passed(&self, core: &mut Core, offset: u32) -> bool {
        let place = self.place(core, curie::set_context_dma_report::ID, offset.wrapping_add(8), 4, "condition");
        place.is_none_or(|place| core.read_word(place, "condition") != 0)
    }

    /// A semaphore of the 3D class.
    pub(super) fn release_semaphore(&mut self, core: &mut Core, trigger: Trigger, word: u32) {
        let value = match trigger {
            Trigger::BackEndWriteSemaphoreRelease => core.chip().back_end_semaphore(word),
            _ => word,
        };
        let offset = self.get(curie::set_semaphore_offset::ID);
        if !offset.is_multiple_of(16) {
            let what = format_args!("semaphore offset {offset:#x}");
            return core.fault(FaultKind::BadMethod, offset.into(), what);
        }
        if let Some(place) = self.place(core, curie::set_context_dma_semaphore::ID, offset, 4, "semaphore") {
            core.write_words(place, &[value], "semaphore");
        }
    }
}
