//! Functions that wait until descriptors are ready. Those of the device are descriptors of a file, which is always
//! ready; programs count on a node that is ready when it has an event.

use std::sync::PoisonError;

use libc::{c_int, c_void, epoll_event, nfds_t, pollfd, sigset_t, size_t, timespec};

use super::device;
use super::files::opened;
use super::real::real;

/// What is ready in place of a descriptor, if that is one of the device's that this process has opened.
fn in_place_of(descriptor: c_int) -> Option<c_int> {
    let client = opened(descriptor).client;
    if client == 0 {
        return None;
    }
    // The number may be that of another file by now.
    let process = device(descriptor)?;
    let mut state = process.state.lock().unwrap_or_else(PoisonError::into_inner);
    state.display.events.descriptor(client).ok()
}

/// Waits for a list, in which descriptors of the device are replaced.
///
/// # Safety
/// `files` are `count` elements, or none.
unsafe fn poll_files(files: *mut pollfd, count: nfds_t, wait: impl FnOnce(*mut pollfd) -> c_int) -> c_int {
    let list: &mut [pollfd] = match files.is_null() {
        true => &mut [],
        // SAFETY: the caller's promise.
        false => unsafe { std::slice::from_raw_parts_mut(files, count as usize) },
    };
    let mut replaced: Option<Vec<pollfd>> = None;
    for (at, file) in list.iter().enumerate() {
        if let Some(other) = in_place_of(file.fd) {
            replaced.get_or_insert_with(|| list.to_vec())[at].fd = other;
        }
    }
    let Some(mut replaced) = replaced else { return wait(files) };
    let result = wait(replaced.as_mut_ptr());
    list.iter_mut().zip(&replaced).for_each(|(file, other)| file.revents = other.revents);
    result
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn poll(files: *mut pollfd, count: nfds_t, timeout: c_int) -> c_int {
    let wait =
        |files| real!(c"poll" as unsafe extern "C" fn(*mut pollfd, nfds_t, c_int) -> c_int, files, count, timeout);
    // SAFETY: the caller's promise.
    unsafe { poll_files(files, count, wait) }
}

/// As `poll`, with the size of the list.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn __poll_chk(files: *mut pollfd, count: nfds_t, timeout: c_int, _size: size_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { poll(files, count, timeout) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn ppoll(
    files: *mut pollfd,
    count: nfds_t,
    timeout: *const timespec,
    signals: *const sigset_t,
) -> c_int {
    type Own = unsafe extern "C" fn(*mut pollfd, nfds_t, *const timespec, *const sigset_t) -> c_int;
    let wait = |files| real!(c"ppoll" as Own, files, count, timeout, signals);
    // SAFETY: the caller's promise.
    unsafe { poll_files(files, count, wait) }
}

/// As `ppoll`, with the size of the list.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn __ppoll_chk(
    files: *mut pollfd,
    count: nfds_t,
    timeout: *const timespec,
    signals: *const sigset_t,
    _size: size_t,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { ppoll(files, count, timeout, signals) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn epoll_ctl(list: c_int, what: c_int, descriptor: c_int, event: *mut epoll_event) -> c_int {
    let descriptor = in_place_of(descriptor).unwrap_or(descriptor);
    real!(
        c"epoll_ctl" as unsafe extern "C" fn(c_int, c_int, c_int, *mut c_void) -> c_int,
        list,
        what,
        descriptor,
        event.cast()
    )
}
