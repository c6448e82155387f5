//! Functions that take descriptors.

use std::sync::PoisonError;
use std::time::Duration;

use libc::{c_int, c_ulong, c_void, size_t, ssize_t};

use super::files::{node, note};
use super::real::real;
use super::{Process, device_of};
use crate::drm::abi::FlipEvent;
use crate::drm::argument::{Answer, Argument, Errno};
use crate::drm::{self, Next};
use crate::memory::FileStatus;

/// The GPU, if a descriptor is one of its node's.
fn device(descriptor: c_int) -> Option<&'static Process> {
    device_of(descriptor, FileStatus::of(descriptor)?)
}

fn answer(process: &Process, number: u32, argument: &mut Argument) -> Answer {
    let mut state = process.state.lock().unwrap_or_else(PoisonError::into_inner);
    let answered = drm::call(&mut state, number, argument);
    if state.settings.trace {
        let result = answered.as_ref().map_or_else(|Errno(number)| -number, |_| 0);
        eprintln!("triglyph-vgpu: call {number:#04x}: {result}");
    }
    drop(state);
    match answered? {
        Next::Nothing => Ok(()),
        Next::Wait(waits) => {
            for (board, number) in waits {
                board.wait(number, Duration::MAX);
            }
            Ok(())
        }
        Next::Check(waits) if waits.iter().all(|(board, number)| board.wait(*number, Duration::ZERO)) => Ok(()),
        Next::Check(_) => Err(Errno(libc::EBUSY)),
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn ioctl(descriptor: c_int, request: c_ulong, argument: *mut c_void) -> c_int {
    /// The type of a DRM device's calls.
    const DRM: u8 = b'd';
    let [number, kind, ..] = request.to_le_bytes();
    let process = if kind == DRM { device(descriptor) } else { None };
    let Some(process) = process else {
        return real!(
            c"ioctl" as unsafe extern "C" fn(c_int, c_ulong, *mut c_void) -> c_int,
            descriptor,
            request,
            argument
        );
    };
    let size = (request >> 16) as usize & 0x3FFF;
    // SAFETY: the program promises a structure of the size that the call's number says.
    let mut argument = unsafe { Argument::new(argument.cast(), size) };
    match answer(process, number.into(), &mut argument) {
        Ok(()) => 0,
        Err(Errno(number)) => {
            // SAFETY: sets the calling thread's error number.
            unsafe { *libc::__errno_location() = number };
            -1
        }
    }
}

/// A mapping, of which notice is taken if it is one of a buffer.
///
/// # Safety
/// As for `mmap`.
unsafe fn map(
    address: *mut c_void,
    length: size_t,
    protection: c_int,
    flags: c_int,
    descriptor: c_int,
    offset: i64,
) -> *mut c_void {
    let process = if descriptor >= 0 { device(descriptor) } else { None };
    let mut state = process.map(|process| process.state.lock().unwrap_or_else(PoisonError::into_inner));
    // The buffer's file, or that of this process's memory: the descriptor may be another process's.
    let (descriptor, offset) = match &mut state {
        None => (descriptor, offset),
        Some(state) => match state.buffers.note_mapping(offset as u64) {
            Some((file, offset)) => (file.descriptor(), offset as i64),
            None => (state.memory.descriptor(), offset),
        },
    };
    // SAFETY: the caller's promise.
    unsafe { libc::syscall(libc::SYS_mmap, address, length, protection, flags, descriptor, offset) as *mut c_void }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn mmap(
    address: *mut c_void,
    length: size_t,
    protection: c_int,
    flags: c_int,
    descriptor: c_int,
    offset: i64,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { map(address, length, protection, flags, descriptor, offset) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn mmap64(
    address: *mut c_void,
    length: size_t,
    protection: c_int,
    flags: c_int,
    descriptor: c_int,
    offset: i64,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { map(address, length, protection, flags, descriptor, offset) }
}

/// Events of page flips; other reads of a node find nothing.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn read(descriptor: c_int, buffer: *mut c_void, size: size_t) -> ssize_t {
    let Some(process) = device(descriptor) else {
        // SAFETY: the caller's promise.
        return unsafe { libc::syscall(libc::SYS_read, descriptor, buffer, size) as ssize_t };
    };
    let mut state = process.state.lock().unwrap_or_else(PoisonError::into_inner);
    let (now, mut written) = (state.now(), 0);
    while written + size_of::<FlipEvent>() <= size
        && let Some(event) = state.display.next_event(now)
    {
        // SAFETY: the caller promises `size` bytes.
        unsafe { buffer.byte_add(written).cast::<FlipEvent>().write_unaligned(event) };
        written += size_of::<FlipEvent>();
    }
    if written == 0 {
        // SAFETY: sets the calling thread's error number.
        unsafe { *libc::__errno_location() = libc::EAGAIN };
        return -1;
    }
    written as ssize_t
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn dup(descriptor: c_int) -> c_int {
    // SAFETY: a system call on a number.
    let copy = unsafe { libc::syscall(libc::SYS_dup, descriptor) as c_int };
    note(copy, node(descriptor));
    copy
}

fn control(descriptor: c_int, command: c_int, argument: *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    let result = unsafe { libc::syscall(libc::SYS_fcntl, descriptor, command, argument) as c_int };
    if matches!(command, libc::F_DUPFD | libc::F_DUPFD_CLOEXEC) {
        note(result, node(descriptor));
    }
    result
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn fcntl(descriptor: c_int, command: c_int, argument: *mut c_void) -> c_int {
    control(descriptor, command, argument)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn fcntl64(descriptor: c_int, command: c_int, argument: *mut c_void) -> c_int {
    control(descriptor, command, argument)
}
