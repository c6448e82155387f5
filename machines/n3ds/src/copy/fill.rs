//! The memory fill units, PSC0 and PSC1.

use triglyph_guest::pica::external::{FillWidth, psc_control, psc_end, psc_start, psc_value};

use crate::system::external::{CommandProcessor, Event, External, perform, physical, timing};
use crate::system::gsp::Interrupt;
use triglyph_engine::transfer::{Fill, Request};

const BUSY: u32 = 1;
const FINISHED: u32 = 2;

impl External {
    /// A write to a unit's control register.
    pub(crate) fn fill_control<C: CommandProcessor + ?Sized>(
        &mut self,
        core: &mut C,
        unit: usize,
        control: u32,
    ) -> Option<Event> {
        if control & BUSY == 0 {
            *self.word_mut(psc_control::IDS[unit]) = control;
            return None;
        }
        *self.word_mut(psc_control::IDS[unit]) = control & !BUSY | FINISHED;
        let (start, end) = (
            psc_start::address(self.word(psc_start::IDS[unit])) as u32,
            psc_end::address(self.word(psc_end::IDS[unit])) as u32,
        );
        // Without an address the flags change, but no interrupt comes (the latter unverified).
        if start == 0 {
            return None;
        }
        let size = u64::from(end.saturating_sub(start));
        if size != 0 {
            let value = self.word(psc_value::IDS[unit]);
            // All values have a meaning.
            let bytes = psc_control::width(control).map_or(2, FillWidth::bytes);
            let fill = Fill { target: physical(start), size, bytes, value };
            perform(core, "memory fill", &Request::Fill(fill));
        }
        Some(Event {
            interrupt: if unit == 0 { Interrupt::Psc0 } else { Interrupt::Psc1 },
            ticks: timing::moving(timing::Mover::Gpu, start, start, size),
        })
    }
}
