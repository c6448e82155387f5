//! The calls of the kernel's interface: those of every DRM device, those of nouveau, those of a display.
//!
//! Source: the kernel's interface headers, and what libdrm and Mesa's drivers ask for.

pub mod abi;
pub mod argument;
mod classes;
mod common;
mod modes;
mod nouveau;
mod nvif;
mod pushbuf;
pub mod refusals;
#[cfg(test)]
mod tests;

use argument::{Answer, Argument, Errno};

use crate::state::{State, Wait};

/// What is left to do when a call has been answered.
pub enum Next {
    Nothing,
    /// Wait for commands, without the lock.
    Wait(Vec<Wait>),
    /// Fail with `EBUSY` if a command is not done.
    Check(Vec<Wait>),
}

/// What drivers begin with, and programs that only look at the device do not call.
const CHANNEL_ALLOC: u32 = 0x42;
const NVIF: u32 = 0x47;
const VM_INIT: u32 = 0x50;

/// Answers a call by its number.
///
/// # Errors
/// What the kernel would answer; `EINVAL` for calls that a nouveau device does not have.
pub fn call(state: &mut State, number: u32, argument: &mut Argument) -> Answer<Next> {
    state.was_tried |= matches!(number, CHANNEL_ALLOC | NVIF | VM_INIT);
    let answered = match state.settings.refuse.contains(&number) {
        true => Err(Errno(libc::EINVAL)),
        false => answer(state, number, argument),
    };
    if let Err(errno) = answered {
        state.refusals.note(number, argument, errno);
    }
    answered
}

fn answer(state: &mut State, number: u32, argument: &mut Argument) -> Answer<Next> {
    let answered = match number {
        0x00..=0x3F => common::call(state, number, argument),
        0x81 => return pushbuf::call(state, argument),
        0x82 => return nouveau::prepare(state, argument),
        0x40..=0x8F => nouveau::call(state, number, argument),
        0xA0..=0xCF => modes::call(state, number, argument),
        _ => Err(Errno(libc::EINVAL)),
    };
    answered.map(|()| Next::Nothing)
}
