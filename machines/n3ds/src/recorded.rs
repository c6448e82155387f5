//! Calls to the 3DS's hardware, by GSP, by commands or by the host: recording them, and making those of a recording.
//! Their rows are `triglyph_guest::gsp::calls`.

use crate::N3ds;
use crate::device::HostChoices;
use crate::system::call_recorder::call;
use crate::system::external::{Event, FreezePolicy};
use crate::system::gx::BadAddress;
use crate::system::lcd::Screen;
use triglyph_engine::calls_of_rows;
use triglyph_engine::device::calls::{CallLog, RecordsCalls};
use triglyph_engine::device::{Device, RunLimit};
use triglyph_engine::error::Error;
use triglyph_engine::frontend::budget::Budget;
use triglyph_engine::mem::Memory;
use triglyph_guest::gsp::calls::{CALLS, ScreenNumber, call as row};
use triglyph_guest::n3ds_calls;
use triglyph_guest::table::calls;

macro_rules! methods {
    ($($row:tt)+) => {
        calls_of_rows!(N3ds: $($row)+);
    };
}
n3ds_calls!(methods);

impl RecordsCalls for N3ds {
    fn recording(&mut self) -> (&mut CallLog, &Memory, &Budget) {
        (&mut self.core.calls, &self.core.memory, &self.core.budget)
    }

    fn draw_everything(&mut self) {
        self.core.renderer.flush(&self.core.memory);
    }
}

impl N3ds {
    /// Records the host's options, if the recording has others.
    pub(super) fn record_choices(&mut self) {
        if self.core.calls.is_recording() {
            let choices = HostChoices {
                deferred: self.gsp.is_deferred(),
                fail: self.gsp.bad_address() == BadAddress::Fail,
                hang: self.external.freeze_policy() == FreezePolicy::Hang,
            };
            if std::mem::replace(&mut self.recorded_choices, choices) != choices {
                let HostChoices { deferred, fail, hang } = choices;
                call(&mut self.core, const { row("choices") }, &[deferred, fail, hang].map(u32::from));
            }
        }
    }

    /// Makes a call of a recording.
    pub(super) fn replay(&mut self, call: &[u8]) -> Result<(), Error> {
        let bad = || Error::InvalidArgument(format!("{}, which no 3DS has", calls::recorded_text(CALLS, call)));
        let (number, arguments) = calls::decode(call).ok_or_else(bad)?;
        replay(self, number, &arguments).ok_or_else(bad)
    }
}

impl Calls for N3ds {
    fn write_register(&mut self, offset: u32, value: u32) -> Option<Event> {
        self.with_gsp(|_, hardware| hardware.write_register(offset, value))
    }

    fn read_register(&mut self, offset: u32) -> u32 {
        self.with_gsp(|_, hardware| hardware.read_register(offset))
    }

    fn dma(&mut self, source: u32, target: u32, size: u32) -> u64 {
        self.with_gsp(|_, hardware| hardware.dma(source, target, size))
    }

    fn vblank(&mut self, screen: ScreenNumber) {
        self.with_gsp(|_, hardware| hardware.vblank(Screen::ALL[screen.0]));
    }

    fn run_for(&mut self, words: u64) {
        Device::run_for(self, RunLimit::of_words(words));
    }

    fn finish(&mut self) {
        Device::finish(self);
    }

    fn execute(&mut self, command: [u32; 8]) {
        N3ds::execute(self, &command);
    }

    fn queued(&mut self, command: [u32; 8]) {
        self.gsp.submit(command);
    }

    fn choices(&mut self, deferred: bool, fail: bool, hang: bool) {
        self.gsp.replay_deferred(deferred);
        self.gsp.set_bad_address(if fail { BadAddress::Fail } else { BadAddress::Zero });
        self.external.set_freeze_policy(if hang { FreezePolicy::Hang } else { FreezePolicy::Complete });
    }

    fn set_fuel(&mut self, low: u32, high: u32) {
        N3ds::set_fuel(self, u64::from(high) << 32 | u64::from(low));
    }
}
