//! The memory fill units, PSC0 and PSC1.

use super::{CommandProcessor, Event, External, perform, physical, timing};
use crate::gsp::Interrupt;
use triglyph_engine::transfer::{Fill, Request};

/// First register of unit 0; unit 1 follows 0x10 later.
const START: u32 = 0x010;
const END: u32 = 0x014;
const VALUE: u32 = 0x018;
const CONTROL: u32 = 0x01C;

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
        let register = |offset: u32| offset + unit as u32 * 0x10;
        if control & BUSY == 0 {
            *self.word_mut(register(CONTROL)) = control;
            return None;
        }
        *self.word_mut(register(CONTROL)) = control & !BUSY | FINISHED;
        let (start, end) = (self.word(register(START)) << 3, self.word(register(END)) << 3);
        // Without an address the flags change, but no interrupt comes (the latter unverified).
        if start == 0 {
            return None;
        }
        let size = u64::from(end.saturating_sub(start));
        if size != 0 {
            let value = self.word(register(VALUE));
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
