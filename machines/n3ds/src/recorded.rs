//! Calls of the 3DS in recordings: what the hardware is told, by whichever door. GX commands are submissions.
//!
//! | number | call, with its arguments |
//! |---|---|
//! | 0 | a register is written: offset from 0x10000000, value |
//! | 1 | a register is read that moves on by that: offset |
//! | 2 | DMA: source, target, bytes |
//! | 3 | a screen has shown a frame: its number |

use super::N3ds;
use super::external::CommandProcessor;
use super::gsp::hardware::GPU;
use super::lcd::{Screen, offset};
use triglyph_engine::device::{Said, calls};
use triglyph_engine::error::Error;
use triglyph_guest::listed;

listed! {
    /// What the hardware is told.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Recorded: u64 {
        WriteRegister = 0,
        ReadRegister = 1,
        Dma = 2,
        Vblank = 3,
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

/// A GX command begins.
pub(crate) fn begin<C: CommandProcessor + ?Sized>(core: &mut C) {
    if let Some((log, memory)) = core.calls() {
        log.begin(memory, false);
    }
}

/// It has ended.
pub(crate) fn command<C: CommandProcessor + ?Sized>(core: &mut C, words: &[u32; 8]) {
    if let Some((log, memory)) = core.calls() {
        let payload = words.map(u32::to_le_bytes);
        log.end(memory, false, Some(Said::Submit(payload.as_flattened())));
    }
}

impl N3ds {
    /// Makes a call of a recording.
    pub(super) fn replay(&mut self, call: &[u8]) -> Result<(), Error> {
        let bad = || Error::InvalidArgument(format!("a call of {} bytes, which no 3DS has", call.len()));
        let (number, arguments) = calls::decode(call).ok_or_else(bad)?;
        let arguments: Vec<u32> = arguments.into_iter().map(|word| word as u32).collect();
        let what = Recorded::from_number(number).ok_or_else(bad)?;
        self.with_gsp(|_, hardware| match (what, &arguments[..]) {
            (Recorded::WriteRegister, &[offset, value]) => {
                hardware.write_register(offset, value);
                Ok(())
            }
            (Recorded::ReadRegister, &[offset]) => {
                hardware.read_register(offset);
                Ok(())
            }
            (Recorded::Dma, &[source, target, size]) => {
                hardware.dma(source, target, size);
                Ok(())
            }
            (Recorded::Vblank, &[screen]) => {
                hardware.vblank(*Screen::ALL.get(screen as usize).ok_or_else(bad)?);
                Ok(())
            }
            _ => Err(bad()),
        })
    }
}
