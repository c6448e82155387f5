//! Functions that tell what a file is: nodes are character devices.

use libc::{AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW, c_char, c_int, stat as Status};

use super::files::opened;
use super::{device_of, passed_on, redirected};
use crate::memory::FileStatus;
use crate::nodes::{MAJOR, Node};

/// Makes the status of a file that of a node.
fn fake(status: &mut libc::stat, node: Node) {
    const DEVICES: u64 = 5;
    const FIRST: u64 = 4000;
    status.st_mode = libc::S_IFCHR | 0o666;
    status.st_rdev = libc::makedev(MAJOR, node.minor());
    status.st_size = 0;
    status.st_ino = FIRST + u64::from(node.minor());
    status.st_dev = DEVICES;
}

/// # Safety
/// As for `fstatat`.
unsafe fn at(folder: c_int, path: *const c_char, status: *mut libc::stat, flags: c_int) -> c_int {
    // SAFETY: the caller's promise.
    if !path.is_null() && flags & AT_EMPTY_PATH != 0 && unsafe { *path } == 0 {
        // SAFETY: the caller's promise.
        return unsafe { of(folder, status) };
    }
    // SAFETY: the caller's promise.
    let (found, other) = unsafe {
        let node = if path.is_null() { None } else { Node::of(std::ffi::CStr::from_ptr(path)) };
        (node, redirected(path))
    };
    let path = passed_on(&other, path);
    // SAFETY: the caller's promise.
    let result = unsafe { libc::syscall(libc::SYS_newfstatat, folder, path, status, flags) } as c_int;
    if result == 0
        && let Some(node) = found
    {
        // SAFETY: the system has just written it.
        fake(unsafe { &mut *status }, node);
    }
    result
}

/// # Safety
/// As for `fstat`.
unsafe fn of(descriptor: c_int, status: *mut libc::stat) -> c_int {
    let path = c"".as_ptr();
    // SAFETY: the caller's promise.
    let result = unsafe { libc::syscall(libc::SYS_newfstatat, descriptor, path, status, AT_EMPTY_PATH) } as c_int;
    if result == 0
        // SAFETY: the system has just written it.
        && device_of(descriptor, FileStatus::new(unsafe { &*status })).is_some()
    {
        // SAFETY: as above.
        fake(unsafe { &mut *status }, opened(descriptor).node);
    }
    result
}

/// The functions of status have two names each, and older ones with a version first: structures are the same.
macro_rules! status {
    ($($name:ident ($($argument:ident: $ty:ty),*) = $call:expr;)*) => {$(
        #[cfg_attr(not(test), unsafe(no_mangle))]
        unsafe extern "C" fn $name($($argument: $ty),*) -> c_int {
            // SAFETY: the caller's promise.
            unsafe { $call }
        }
    )*};
}

status! {
    stat(path: *const c_char, status: *mut Status) = at(AT_FDCWD, path, status, 0);
    stat64(path: *const c_char, status: *mut Status) = at(AT_FDCWD, path, status, 0);
    lstat(path: *const c_char, status: *mut Status) = at(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
    lstat64(path: *const c_char, status: *mut Status) = at(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
    fstat(descriptor: c_int, status: *mut Status) = of(descriptor, status);
    fstat64(descriptor: c_int, status: *mut Status) = of(descriptor, status);
    fstatat(folder: c_int, path: *const c_char, status: *mut Status, flags: c_int) = at(folder, path, status, flags);
    fstatat64(folder: c_int, path: *const c_char, status: *mut Status, flags: c_int) =
        at(folder, path, status, flags);
    __xstat(_version: c_int, path: *const c_char, status: *mut Status) = at(AT_FDCWD, path, status, 0);
    __xstat64(_version: c_int, path: *const c_char, status: *mut Status) = at(AT_FDCWD, path, status, 0);
    __lxstat(_version: c_int, path: *const c_char, status: *mut Status) =
        at(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
    __lxstat64(_version: c_int, path: *const c_char, status: *mut Status) =
        at(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
    __fxstat(_version: c_int, descriptor: c_int, status: *mut Status) = of(descriptor, status);
    __fxstat64(_version: c_int, descriptor: c_int, status: *mut Status) = of(descriptor, status);
}
