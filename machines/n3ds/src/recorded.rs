//! Calls to the 3DS's hardware, by GSP, by commands or by the host: recording them, and making those of a recording.
//! Their rows are `triglyph_guest::gsp::calls`.

use crate::N3ds;
use crate::device::HostChoices;
use crate::system::external::{CommandProcessor, Event, FreezePolicy};
use crate::system::gsp::hardware::GPU;
use crate::system::gx::BadAddress;
use crate::system::lcd::{Screen, offset};
use triglyph_engine::calls_of_rows;
use triglyph_engine::device::calls::{CallLog, RecordsCalls};
use triglyph_engine::device::{Device, RecordedCall, RunLimit};
use triglyph_engine::error::Error;
use triglyph_engine::frontend::budget::Budget;
use triglyph_engine::mem::Memory;
use triglyph_guest::gsp::calls::{CALLS, ScreenNumber, call as row};
use triglyph_guest::n3ds_calls;
use triglyph_guest::table::calls::{self, CallInfo};

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
}

fn encode(call: &CallInfo, arguments: &[u64]) -> Vec<u8> {
    calls::encode(call.number.unwrap_or_default(), arguments)
}

/// Records a call that is made now, unless a command makes it.
pub(crate) fn call<C: CommandProcessor + ?Sized>(core: &mut C, what: &CallInfo, arguments: &[u32]) {
    if let Some((log, memory)) = core.calls()
        && log.is_recording()
    {
        let arguments: Vec<u64> = arguments.iter().copied().map(u64::from).collect();
        let call = encode(what, &arguments);
        log.begin(memory, false);
        log.end(memory, false, Some(RecordedCall::Call(&call)));
    }
}

/// Records that a register is read, if that changes anything.
pub(crate) fn read<C: CommandProcessor + ?Sized>(core: &mut C, at: u32) {
    let data = |screen: Screen| GPU + screen.base() + offset::CLUT_DATA;
    if Screen::ALL.into_iter().any(|screen| data(screen) == at & !3) {
        call(core, const { row("read_register") }, &[at]);
    }
}

/// A GX command begins, or several of them.
pub(crate) fn begin<C: CommandProcessor + ?Sized>(core: &mut C) {
    if let Some((log, memory)) = core.calls() {
        log.begin(memory, false);
    }
}

/// It has ended. Others may be deferred meanwhile.
pub(crate) fn command<C: CommandProcessor + ?Sized>(core: &mut C, words: &[u32; 8], is_deferred: bool) {
    if let Some((log, memory)) = core.calls() {
        match is_deferred {
            true => log.end(
                memory,
                false,
                Some(RecordedCall::Call(&encode(const { row("execute") }, &words.map(u64::from)))),
            ),
            false => log.end(memory, false, Some(RecordedCall::Submit(words.map(u32::to_le_bytes).as_flattened()))),
        }
    }
}

/// It is left to the host, who does it outside of the device's calls.
pub(crate) fn left<C: CommandProcessor + ?Sized>(core: &mut C) {
    if let Some((log, memory)) = core.calls() {
        log.end(memory, false, None);
    }
}

/// All commands that waited have ended.
pub(crate) fn finished<C: CommandProcessor + ?Sized>(core: &mut C) {
    if let Some((log, memory)) = core.calls() {
        log.end(memory, false, Some(RecordedCall::Call(&encode(const { row("finish") }, &[]))));
    }
}

/// A command was found in a queue.
pub(crate) fn queued<C: CommandProcessor + ?Sized>(core: &mut C, words: &[u32; 8]) {
    if let Some((log, _)) = core.calls() {
        log.note(RecordedCall::Call(&encode(const { row("queued") }, &words.map(u64::from))));
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
