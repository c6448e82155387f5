//! Functions that take descriptors.

use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use libc::{c_int, c_ulong, c_void, size_t, ssize_t};

use super::files::{note, opened};
use super::real::real;
use super::watcher::{self, STEP};
use super::{Process, begin, device};
use crate::drm::abi::FlipEvent;
use crate::drm::argument::{Answer, Argument, Errno};
use crate::drm::syncobj::{Waited, Waiting};
use crate::drm::{self, Next, sync_files};
use crate::shared_file::SharedFile;
use crate::state::State;
use crate::sync_file::SyncFile;

fn answer(process: &'static Process, client: u32, number: u32, argument: &mut Argument) -> Answer {
    let mut state = process.state.lock().unwrap_or_else(PoisonError::into_inner);
    let answered = drm::call(&mut state, client, number, argument);
    if state.settings.trace {
        let result = answered.as_ref().map_or_else(|Errno(number)| -number, |_| 0);
        eprintln!("triglyph-vgpu: call {number:#04x}: {result}");
    }
    // It may be what another thread waits for.
    process.changed.notify_all();
    watcher::begin(process, &mut state);
    let next = answered?;
    if let Next::Sync(waiting) = next {
        let first = wait(process, state, &waiting)?;
        return waiting.answer(argument, first);
    }
    drop(state);
    match next {
        Next::Nothing | Next::Sync(_) => Ok(()),
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

/// Waits for synchronisation objects. Returns the index of the first that is reached.
///
/// # Errors
/// `ETIME` when the time is over, and those of [`Waiting::look`].
fn wait<'a>(process: &'a Process, mut state: MutexGuard<'a, State>, waiting: &Waiting) -> Answer<u32> {
    /// Condition variables add it to a time.
    const LONG: Duration = Duration::from_secs(1 << 20);
    loop {
        let waited = waiting.look(&state)?;
        let left = waiting.left();
        state = match waited {
            Waited::Over(first) => return Ok(first),
            _ if left.is_zero() => return Err(Errno(libc::ETIME)),
            Waited::For(pause) => {
                drop(state);
                pause.wait(if waiting.is_for_all() { left } else { left.min(STEP) });
                process.state.lock().unwrap_or_else(PoisonError::into_inner)
            }
            Waited::ForSubmission { by_others } => {
                let waited = process.changed.wait_timeout(state, left.min(if by_others { STEP } else { LONG }));
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
    }
}

/// Whose call it is: by its type, and by what the descriptor is of. A descriptor of another process's may be the first
/// that this one has of the GPU.
fn called(kind: u8, descriptor: c_int) -> Option<&'static Process> {
    /// The type of a DRM device's calls.
    const DRM: u8 = b'd';
    match kind {
        DRM => device(descriptor),
        sync_files::SYNC_FILE if SyncFile::is_one(descriptor) => begin(),
        sync_files::BUFFER if SharedFile::description(descriptor).is_ok() => begin(),
        _ => None,
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn ioctl(descriptor: c_int, request: c_ulong, argument: *mut c_void) -> c_int {
    let [number, kind, ..] = request.to_le_bytes();
    let Some(process) = called(kind, descriptor) else {
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
    let locked = || process.state.lock().unwrap_or_else(PoisonError::into_inner);
    let answered = match kind {
        sync_files::SYNC_FILE => sync_files::call(&mut locked(), descriptor, number, &mut argument),
        sync_files::BUFFER => sync_files::buffer_call(&mut locked(), number, &mut argument),
        _ => answer(process, opened(descriptor).client, number.into(), &mut argument),
    };
    match answered {
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

/// Functions of the C library by two names, the second for files of 64 bits.
macro_rules! by_two_names {
    ($does:ident: $name:ident, $name_64:ident $arguments:tt -> $result:ty) => {
        by_two_names!($does: $name $arguments -> $result);
        by_two_names!($does: $name_64 $arguments -> $result);
    };
    ($does:ident: $name:ident($($argument:ident: $ty:ty),*) -> $result:ty) => {
        #[cfg_attr(not(test), unsafe(no_mangle))]
        unsafe extern "C" fn $name($($argument: $ty),*) -> $result {
            // SAFETY: the caller's promise.
            unsafe { $does($($argument),*) }
        }
    };
}

by_two_names!(map: mmap, mmap64(address: *mut c_void, length: size_t, protection: c_int, flags: c_int,
    descriptor: c_int, offset: i64) -> *mut c_void);

/// Events of page flips; other reads of a node find nothing.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn read(descriptor: c_int, buffer: *mut c_void, size: size_t) -> ssize_t {
    let Some(process) = device(descriptor) else {
        // SAFETY: the caller's promise.
        return unsafe { libc::syscall(libc::SYS_read, descriptor, buffer, size) as ssize_t };
    };
    let mut state = process.state.lock().unwrap_or_else(PoisonError::into_inner);
    let (client, now, mut written) = (opened(descriptor).client, state.now(), 0);
    while written + size_of::<FlipEvent>() <= size
        && let Some(event) = state.display.next_event(client, now)
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
    note(copy, opened(descriptor));
    copy
}

/// # Safety
/// As for `fcntl`.
unsafe fn control(descriptor: c_int, command: c_int, argument: *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    let result = unsafe { libc::syscall(libc::SYS_fcntl, descriptor, command, argument) as c_int };
    if matches!(command, libc::F_DUPFD | libc::F_DUPFD_CLOEXEC) {
        note(result, opened(descriptor));
    }
    result
}

by_two_names!(control: fcntl, fcntl64(descriptor: c_int, command: c_int, argument: *mut c_void) -> c_int);
