//! The functions of the C library that this library replaces.
//!
//! A call that is not about the device goes on to the C library. Opening, status and reading are made as system calls:
//! the C library's own functions would not come through here, and those of this library's own code do. Functions with
//! variable arguments are defined with as many as callers may pass: on the processors that Linux and this library run
//! on, both are passed alike.

#![allow(unsafe_code)]

mod descriptors;
mod files;
mod readiness;
mod real;
mod status;
mod verdict;
mod watcher;

use std::cell::Cell;
use std::ffi::{CStr, CString};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use libc::{c_char, c_int};

use crate::memory::FileStatus;
use crate::nodes::{Tree, is_ours};
use crate::settings::Settings;
use crate::state::State;

/// The GPU of this process.
struct Process {
    state: Mutex<State>,
    /// A call was answered that may set a fence.
    changed: Condvar,
    tree: Tree,
    /// The file of its memory.
    memory: FileStatus,
    /// The number of the process: a child has the same memory, and nothing to end.
    owner: u32,
}

static PROCESS: OnceLock<Option<Process>> = OnceLock::new();

thread_local! {
    /// Whether this thread is setting the GPU up, for which it opens files itself.
    static BEGINNING: Cell<bool> = const { Cell::new(false) };
}

/// The GPU, set up when the program first looks at a path of the device's. `None` if that failed, which is said once.
fn begin() -> Option<&'static Process> {
    if BEGINNING.get() {
        return None;
    }
    let process = PROCESS.get_or_init(|| {
        BEGINNING.set(true);
        let made = make();
        BEGINNING.set(false);
        made.map_err(|error| eprintln!("triglyph-vgpu: {error}")).ok()
    });
    process.as_ref()
}

fn make() -> Result<Process, String> {
    let settings = Settings::new(|name| std::env::var(name).ok())?;
    let tree = Tree::new(settings.chip).map_err(|error| format!("the device's files: {error}"))?;
    let state = State::new(settings).map_err(|error| format!("the GPU's memory: {error}"))?;
    let memory = state.memory.file();
    // SAFETY: functions of this library, which is never unloaded.
    unsafe {
        libc::atexit(end);
        libc::pthread_atfork(Some(pause), Some(go_on), Some(forget));
    }
    Ok(Process { state: Mutex::new(state), changed: Condvar::new(), tree, memory, owner: std::process::id() })
}

/// The GPU, if it is set up.
fn known() -> Option<&'static Process> {
    PROCESS.get().and_then(Option::as_ref)
}

/// The GPU, if a descriptor of such a status is one of its node's. Another process with a GPU may have passed it, as a
/// display server does: for this one it is the node of its own GPU, which begins then.
fn device_of(descriptor: c_int, status: FileStatus) -> Option<&'static Process> {
    match known() {
        Some(process) if status == process.memory => Some(process),
        Some(process) if status.size != process.memory.size => None,
        _ if status.is_memory(descriptor) => begin().filter(|process| status.size == process.memory.size),
        _ => None,
    }
}

/// The GPU, if a descriptor is one of its node's.
fn device(descriptor: c_int) -> Option<&'static Process> {
    device_of(descriptor, FileStatus::of(descriptor)?)
}

/// Ends captures and says what was counted.
extern "C" fn end() {
    /// Milliseconds to wait for a thread that looks at something. One that holds the lock for good is no reason not to
    /// end.
    const PATIENCE: u32 = 200;
    let Some(process) = known().filter(|process| process.owner == std::process::id()) else { return };
    for _ in 0..PATIENCE {
        if let Ok(state) = process.state.try_lock() {
            state.end();
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    process.tree.remove();
}

/// The GPU of a program that leaves without what the C library does at the end.
///
/// # Safety
/// As for `_exit`.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn _exit(status: c_int) -> ! {
    let status = verdict::of_end(status);
    end();
    loop {
        // SAFETY: does not return.
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}

/// As [`_exit`].
///
/// # Safety
/// As for `_Exit`.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[cfg_attr(test, expect(non_snake_case, reason = "the C library's name"))]
unsafe extern "C" fn _Exit(status: c_int) -> ! {
    // SAFETY: as promised.
    unsafe { _exit(status) }
}

thread_local! {
    /// The lock of a thread that forks: no other one holds it then, as it would for good in the child.
    static PAUSED: Cell<Option<MutexGuard<'static, State>>> = const { Cell::new(None) };
}

/// Before a fork.
extern "C" fn pause() {
    let state = known().map(|process| process.state.lock().unwrap_or_else(PoisonError::into_inner));
    PAUSED.set(state);
}

/// After a fork, in the parent.
extern "C" fn go_on() {
    drop(PAUSED.take());
}

/// After a fork, in the child. The thread of a board stays with the parent: a child's GPU has none, and its calls fail.
extern "C" fn forget() {
    if let Some(mut state) = PAUSED.take() {
        state.lose_boards();
    }
}

/// A path as the file system has it: redirected if it is one of the device's.
///
/// # Safety
/// `path` is null or a string.
unsafe fn redirected(path: *const c_char) -> Option<CString> {
    if path.is_null() {
        return None;
    }
    // SAFETY: as promised.
    let path = unsafe { CStr::from_ptr(path) };
    if !is_ours(path) {
        return None;
    }
    begin()?.tree.redirect(path)
}

/// The path to pass on: the redirected one, if there is one.
fn passed_on(redirected: &Option<CString>, path: *const c_char) -> *const c_char {
    redirected.as_ref().map_or(path, |path| path.as_ptr())
}
