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

use super::Rsx;
use triglyph_engine::device::{Device, RunLimit, Said, calls};
use triglyph_engine::error::Error;

/// What hosts call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recorded {
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
}

impl Rsx {
    /// While a recording is under way and the call is the host's own: makes it by `call` and records it. Otherwise
    /// `None`: the caller goes on.
    #[inline]
    pub(super) fn record<T>(
        &mut self,
        what: Recorded,
        arguments: &[u64],
        call: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        self.calls.is_recording().then(|| self.recorded(what, arguments, call))
    }

    #[cold]
    fn recorded<T>(&mut self, what: Recorded, arguments: &[u64], call: impl FnOnce(&mut Self) -> T) -> T {
        let work = matches!(what, Recorded::Run | Recorded::MmioWrite | Recorded::Hypercall);
        self.calls.begin(&self.core.memory, work);
        let answer = call(self);
        let bytes = calls::encode(what as u64, arguments);
        self.calls.end(&self.core.memory, work, Some(Said::Call(&bytes)));
        answer
    }

    /// Makes a call of a recording.
    pub(super) fn replay(&mut self, call: &[u8]) -> Result<(), Error> {
        let bad = || Error::InvalidArgument(format!("a call of {} bytes, which no PS3 has", call.len()));
        let (number, arguments) = calls::decode(call).ok_or_else(bad)?;
        match (number, &arguments[..]) {
            (0, &[number, ref parameters @ ..]) => {
                let parameters: [u64; 8] = parameters.try_into().map_err(|_| bad())?;
                self.hypercall(number as u32, parameters);
            }
            (1, []) => self.run(),
            (2, &[words]) => {
                self.run_for(RunLimit::of_words(words));
            }
            (3, &[head, time]) => self.vblank(head as u32, time),
            (4, &[head, time]) => self.second_vblank(head as u32, time),
            (5, &[nanoseconds]) => self.set_clock(nanoseconds),
            (6, &[address, word]) => self.mmio_write(address as u32, word as u32),
            (7, &[address]) => {
                self.mmio_read(address as u32);
            }
            (8, &[offset, word]) => self.pramin_write(offset as u32, word as u32),
            (9, &[channel]) => self.clear_error(channel as u32),
            _ => return Err(bad()),
        }
        Ok(())
    }
}
