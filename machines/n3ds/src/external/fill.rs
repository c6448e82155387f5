//! The memory fill units, PSC0 and PSC1.

use triglyph_guest::pica::external::{psc_control, psc_end, psc_start, psc_value};

use super::{CommandProcessor, Event, External, perform, physical, timing};
use crate::gsp::Interrupt;
use triglyph_engine::transfer::{Fill, Request};

const BUSY: u32 = 1;
const FINISHED: u32 = 2;

impl External {
    /// A write to a unit's control register.
    pub(super) fn fill_control<C: CommandProcessor + ?Sized>(
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
        let (start, end) = (self.word(psc_start::IDS[unit]) << 3, self.word(psc_end::IDS[unit]) << 3);
        // Without an address the flags change, but no interrupt comes (the latter unverified).
        if start == 0 {
            return None;
        }
        let size = u64::from(end.saturating_sub(start));
        if size != 0 {
            let value = self.word(psc_value::IDS[unit]);
            let fill = Fill { target: physical(start), size, bytes: pattern_bytes(control), value };
            perform(core, "memory fill", &Request::Fill(fill));
        }
        Some(Event {
            interrupt: if unit == 0 { Interrupt::Psc0 } else { Interrupt::Psc1 },
            ticks: timing::moving(timing::Mover::Gpu, start, start, size),
        })
    }
}

/// Bytes of the pattern: bit 8 wins over bit 9 (3dbrew: GPU/External Registers, Memory Fill).
fn pattern_bytes(control: u32) -> u8 {
    match control >> 8 & 3 {
        0 => 2,
        2 => 4,
        _ => 3,
    }
}
