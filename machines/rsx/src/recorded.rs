//! Calls of the PS3 in recordings.
//!
//! | number | call, with its arguments |
//! |---|---|
//! | 0 | a hypercall: number, eight arguments |
//! | 1 | `run` |
//! | 2 | `run_for`: words that it did, all ones for until nothing could go on |
//! | 3, 4 | `vblank`, `second_vblank`: head, time |
//! | 5 | `set_clock`: nanoseconds |
//! | 6, 7 | `mmio_write`, `mmio_read`: address, word |
//! | 8 | `pramin_write`: offset, word |
//! | 9 | `clear_error`: channel |
//! | 10 | submissions are deferred: whether |
//! | 11 | `finish` |
//! | 12 | `bus_write` to local memory: address, word |
//! | 13 | `set_fuel`: units |

use super::Rsx;
use triglyph_engine::device::calls::{self, CallKind, CallLog, RecordsCalls};
use triglyph_engine::device::{Device, RunLimit};
use triglyph_engine::error::Error;
use triglyph_engine::frontend::budget::Budget;
use triglyph_engine::mem::Memory;
use triglyph_guest::listed;

listed! {
    /// What hosts call.
    pub(super) enum Recorded: u64 {
        Hypercall = 0,
        Run = 1,
        RunFor = 2,
        Vblank = 3,
        SecondVblank = 4,
        SetClock = 5,
        MmioWrite = 6,
        MmioRead = 7,
        PraminWrite = 8,
        ClearError = 9,
        SetDeferred = 10,
        Finish = 11,
        BusWrite = 12,
        SetFuel = 13,
    }
}

impl From<Recorded> for CallKind {
    fn from(call: Recorded) -> CallKind {
        CallKind {
            number: call as u64,
            work: matches!(call, Recorded::Run | Recorded::MmioWrite | Recorded::Hypercall | Recorded::Finish),
        }
    }
}

impl RecordsCalls for Rsx {
    fn recording(&mut self) -> (&mut CallLog, &Memory, &Budget) {
        (&mut self.calls, &self.core.memory, &self.core.budget)
    }
}

impl Rsx {
    /// Makes a call of a recording.
    pub(super) fn replay(&mut self, call: &[u8]) -> Result<(), Error> {
        let bad = || Error::InvalidArgument(format!("a call of {} bytes, which no PS3 has", call.len()));
        let (number, arguments) = calls::decode(call).ok_or_else(bad)?;
        match (Recorded::from_number(number).ok_or_else(bad)?, &arguments[..]) {
            (Recorded::Hypercall, &[number, ref parameters @ ..]) => {
                let parameters: [u64; 8] = parameters.try_into().map_err(|_| bad())?;
                self.hypercall(number as u32, parameters);
            }
            (Recorded::Run, []) => self.run(),
            (Recorded::RunFor, &[words]) => {
                self.run_for(RunLimit::of_words(words));
            }
            (Recorded::Vblank, &[head, time]) => self.vblank(head as u32, time),
            (Recorded::SecondVblank, &[head, time]) => self.second_vblank(head as u32, time),
            (Recorded::SetClock, &[nanoseconds]) => self.set_clock(nanoseconds),
            (Recorded::MmioWrite, &[address, word]) => self.mmio_write(address as u32, word as u32),
            (Recorded::MmioRead, &[address]) => {
                self.mmio_read(address as u32);
            }
            (Recorded::PraminWrite, &[offset, word]) => self.pramin_write(offset as u32, word as u32),
            (Recorded::ClearError, &[channel]) => self.clear_error(channel as u32),
            (Recorded::SetDeferred, &[deferred]) => self.set_deferred(deferred != 0),
            (Recorded::Finish, []) => self.finish(),
            (Recorded::BusWrite, &[address, word]) => {
                self.bus_write(address, word as u32);
            }
            (Recorded::SetFuel, &[fuel]) => self.set_fuel(fuel),
            _ => return Err(bad()),
        }
        Ok(())
    }
}
