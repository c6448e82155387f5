//! The calls of the kernel's interface: those of every DRM device, those of nouveau, those of a display.
//!
//! Source: the kernel's interface headers, and the calls of libdrm and Mesa's drivers.

pub mod abi;
pub mod argument;
mod atomic;
#[cfg(test)]
mod atomic_tests;
mod classes;
mod common;
mod modes;
mod nouveau;
mod nvif;
mod objects;
mod present;
mod properties;
mod pushbuf;
pub mod refusals;
pub mod sync_files;
pub mod syncobj;
#[cfg(test)]
mod syncobj_tests;
#[cfg(test)]
mod tests;
mod vm;
#[cfg(test)]
mod vm_tests;

use argument::{Answer, Argument, Errno};
use syncobj::Waiting;

use crate::state::{State, Wait};

/// What is left to do when a call has been answered.
pub enum Next {
    Nothing,
    /// Wait for commands, without the lock.
    Wait(Vec<Wait>),
    /// Fail with `EBUSY` if a command is not done.
    Check(Vec<Wait>),
    /// Wait for synchronisation objects, and answer then.
    Sync(Waiting),
}

/// What drivers begin with, and programs that only look at the device do not call.
const CHANNEL_ALLOC: u32 = 0x42;
const NVIF: u32 = 0x47;
const VM_INIT: u32 = 0x50;

/// Answers a call by its number. The client is the one that has opened the node; 0 is one that is not known.
///
/// # Errors
/// What the kernel would answer; `EINVAL` for calls that a nouveau device does not have.
pub fn call(state: &mut State, client: u32, number: u32, argument: &mut Argument) -> Answer<Next> {
    state.was_tried |= matches!(number, CHANNEL_ALLOC | NVIF | VM_INIT);
    let answered = match state.settings.refuse.contains(&number) {
        true => Err(Errno(libc::EINVAL)),
        false => answer(state, client, number, argument),
    };
    if let Err(errno) = answered {
        state.refusals.note(number, argument, errno);
    }
    answered
}

fn answer(state: &mut State, client: u32, number: u32, argument: &mut Argument) -> Answer<Next> {
    let answered = match number {
        0x00..=0x3F => common::call(state, client, number, argument),
        CHANNEL_ALLOC => nouveau::channel_alloc(state, client, argument),
        VM_INIT => vm::init(state, client, argument.read()),
        0x51 => vm::bind(state, client, argument),
        0x52 => return vm::exec(state, client, argument),
        0x81 => return pushbuf::call(state, argument),
        0x82 => return nouveau::prepare(state, argument),
        0x40..=0x8F => nouveau::call(state, number, argument),
        number if syncobj::is_one(number) => return syncobj::call(state, number, argument),
        0xA0..=0xCF => modes::call(state, client, number, argument),
        _ => Err(Errno(libc::EINVAL)),
    };
    answered.map(|()| Next::Nothing)
}
