//! Calls of the 3DS in recordings: what the hardware is told, by whichever door. GX commands are submissions.
//!
//! | number | call, with its arguments |
//! |---|---|
//! | 0 | a register is written: offset from 0x10000000, value |
//! | 1 | a register is read that moves on by that: offset |
//! | 2 | DMA: source, target, bytes |
//! | 3 | a screen has shown a frame: its number |
//! | 4 | `run_for`: words that it did, all ones for until nothing could go on |
//! | 5 | `finish` |
//! | 6 | a command is executed at once, while submissions are deferred: its eight words |
//! | 7 | a bounded run has found a command in a client's queue, and will execute it after others: its eight words |
//! | 8 | what the host has chosen: whether submissions are deferred, bad addresses fail, frozen units hang |
//! | 9 | `set_fuel`: units, low word first |
//!
//! Queues of clients are not in recordings. A machine that replays one leaves its own alone, once it has been told that
//! the host has chosen something.

use super::N3ds;
use super::external::{CommandProcessor, FreezePolicy};
use super::gsp::hardware::GPU;
use super::gx::BadAddress;
use super::lcd::{Screen, offset};
use triglyph_engine::device::calls::{self, CallKind, CallLog, RecordsCalls};
use triglyph_engine::device::{Device, RunLimit, Said};
use triglyph_engine::error::Error;
use triglyph_engine::frontend::budget::Budget;
use triglyph_engine::mem::Memory;
use triglyph_guest::listed;

listed! {
    /// What the hardware is told.
    pub(crate) enum Recorded: u64 {
        WriteRegister = 0,
        ReadRegister = 1,
        Dma = 2,
        Vblank = 3,
        RunFor = 4,
        Finish = 5,
        Execute = 6,
        Queued = 7,
        Choices = 8,
        SetFuel = 9,
    }
}

impl From<Recorded> for CallKind {
    fn from(call: Recorded) -> CallKind {
        CallKind { number: call as u64, work: matches!(call, Recorded::RunFor | Recorded::Finish) }
    }
}

impl RecordsCalls for N3ds {
    fn recording(&mut self) -> (&mut CallLog, &Memory, &Budget) {
        (&mut self.core.calls, &self.core.memory, &self.core.budget)
    }
}

/// Records a call that is made now, unless a command makes it.
pub(crate) fn call<C: CommandProcessor + ?Sized>(core: &mut C, what: Recorded, arguments: &[u32]) {
    if let Some((log, memory)) = core.calls()
        && log.is_recording()
    {
        let arguments: Vec<u64> = arguments.iter().copied().map(u64::from).collect();
        let call = calls::encode(what as u64, &arguments);
        log.begin(memory, false);
        log.end(memory, false, Some(Said::Call(&call)));
    }
}

/// Records that a register is read, if that changes anything.
pub(crate) fn read<C: CommandProcessor + ?Sized>(core: &mut C, at: u32) {
    let data = |screen: Screen| GPU + screen.base() + offset::CLUT_DATA;
    if Screen::ALL.into_iter().any(|screen| data(screen) == at & !3) {
        call(core, Recorded::ReadRegister, &[at]);
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
                Some(Said::Call(&calls::encode(Recorded::Execute as u64, &words.map(u64::from)))),
            ),
            false => log.end(memory, false, Some(Said::Submit(words.map(u32::to_le_bytes).as_flattened()))),
        }
    }
}

/// All commands that waited have ended.
pub(crate) fn finished<C: CommandProcessor + ?Sized>(core: &mut C) {
    if let Some((log, memory)) = core.calls() {
        log.end(memory, false, Some(Said::Call(&calls::encode(Recorded::Finish as u64, &[]))));
    }
}

/// A command was found in a queue.
pub(crate) fn queued<C: CommandProcessor + ?Sized>(core: &mut C, words: &[u32; 8]) {
    if let Some((log, _)) = core.calls() {
        log.note(Said::Call(&calls::encode(Recorded::Queued as u64, &words.map(u64::from))));
    }
}

impl N3ds {
    /// Records what the host has chosen, if the recording has something else.
    pub(super) fn record_choices(&mut self) {
        if self.core.calls.is_recording() {
            let fail = self.gsp.bad_address() == BadAddress::Fail;
            let hang = self.external.freeze_policy() == FreezePolicy::Hang;
            let choices = [self.gsp.is_deferred(), fail, hang];
            if std::mem::replace(&mut self.recorded_choices, choices) != choices {
                call(&mut self.core, Recorded::Choices, &choices.map(u32::from));
            }
        }
    }

    /// Makes a call of a recording.
    pub(super) fn replay(&mut self, call: &[u8]) -> Result<(), Error> {
        let bad = || Error::InvalidArgument(format!("a call of {} bytes, which no 3DS has", call.len()));
        let (number, arguments) = calls::decode(call).ok_or_else(bad)?;
        let what = Recorded::from_number(number).ok_or_else(bad)?;
        if let (Recorded::RunFor, &[words]) = (what, &arguments[..]) {
            self.run_for(RunLimit::of_words(words));
            return Ok(());
        }
        let arguments: Vec<u32> = arguments.into_iter().map(|word| word as u32).collect();
        match (what, &arguments[..]) {
            (Recorded::Finish, []) => self.finish(),
            (Recorded::Execute, words) => {
                self.execute(words.try_into().map_err(|_| bad())?);
            }
            (Recorded::Queued, words) => self.gsp.submit(words.try_into().map_err(|_| bad())?),
            (Recorded::Choices, &[deferred, fail, hang]) => {
                self.gsp.replay_deferred(deferred != 0);
                self.gsp.set_bad_address(if fail != 0 { BadAddress::Fail } else { BadAddress::Zero });
                let policy = if hang != 0 { FreezePolicy::Hang } else { FreezePolicy::Complete };
                self.external.set_freeze_policy(policy);
            }
            (Recorded::SetFuel, &[low, high]) => self.set_fuel(u64::from(high) << 32 | u64::from(low)),
            (what, arguments) => return self.replay_hardware(what, arguments).ok_or_else(bad),
        }
        Ok(())
    }

    /// A call of the hardware's. `None` for what is none.
    fn replay_hardware(&mut self, what: Recorded, arguments: &[u32]) -> Option<()> {
        self.with_gsp(|_, hardware| match (what, arguments) {
            (Recorded::WriteRegister, &[offset, value]) => {
                hardware.write_register(offset, value);
                Some(())
            }
            (Recorded::ReadRegister, &[offset]) => {
                hardware.read_register(offset);
                Some(())
            }
            (Recorded::Dma, &[source, target, size]) => {
                hardware.dma(source, target, size);
                Some(())
            }
            (Recorded::Vblank, &[screen]) => {
                hardware.vblank(*Screen::ALL.get(screen as usize)?);
                Some(())
            }
            _ => None,
        })
    }
}
