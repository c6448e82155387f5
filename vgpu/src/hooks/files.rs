//! Functions that take paths.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use libc::{AT_FDCWD, DIR, FILE, O_CLOEXEC, O_CREAT, O_LARGEFILE, O_RDWR, O_TMPFILE, c_char, c_int, c_uint, ssize_t};

use super::real::real;
use super::{begin, passed_on, redirected};
use crate::nodes::Node;

/// The file that a descriptor of the device's refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    pub node: Node,
    /// Counts the openings of nodes; copies of a descriptor have the same number. 0 is one that is not known.
    pub client: u32,
}

/// Files of the device, by descriptor: twice the client, and 1 for the card; 0 for a render node of no known
/// client.
static OPENED: [AtomicU32; 4096] = [const { AtomicU32::new(0) }; 4096];

/// The last client.
static CLIENTS: AtomicU32 = AtomicU32::new(0);

/// Notes the file of a descriptor.
pub fn note(descriptor: c_int, Opened { node, client }: Opened) {
    if let Some(place) = usize::try_from(descriptor).ok().and_then(|at| OPENED.get(at)) {
        place.store(client << 1 | u32::from(node == Node::Card), Relaxed);
    }
}

/// The file that a descriptor of the device's refers to.
pub fn opened(descriptor: c_int) -> Opened {
    let place = usize::try_from(descriptor).ok().and_then(|at| OPENED.get(at));
    let noted = place.map_or(0, |place| place.load(Relaxed));
    Opened { node: if noted & 1 == 0 { Node::Render } else { Node::Card }, client: noted >> 1 }
}

/// Opens a node: another description of the memory's file.
fn open_node(node: Node, flags: c_int) -> c_int {
    let Some(process) = begin() else {
        // SAFETY: sets the calling thread's error number.
        unsafe { *libc::__errno_location() = libc::ENODEV };
        return -1;
    };
    let state = process.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let path = format!("/proc/self/fd/{}\0", state.memory.descriptor());
    drop(state);
    let flags = flags & O_CLOEXEC | O_RDWR;
    // SAFETY: a path that is terminated.
    let opened = unsafe { libc::syscall(libc::SYS_openat, AT_FDCWD, path.as_ptr(), flags, 0) } as c_int;
    note(opened, Opened { node, client: CLIENTS.fetch_add(1, Relaxed) + 1 });
    opened
}

/// # Safety
/// As for `openat`.
unsafe fn open_at(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    if !path.is_null()
        // SAFETY: a string, as for `openat`.
        && let Some(node) = Node::of(unsafe { std::ffi::CStr::from_ptr(path) })
    {
        return open_node(node, flags);
    }
    let mode = if flags & O_CREAT != 0 || flags & O_TMPFILE == O_TMPFILE { mode } else { 0 };
    // SAFETY: as promised.
    let other = unsafe { redirected(path) };
    // SAFETY: as promised.
    unsafe { libc::syscall(libc::SYS_openat, folder, passed_on(&other, path), flags, mode) as c_int }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { open_at(AT_FDCWD, path, flags, mode) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { open_at(AT_FDCWD, path, flags | O_LARGEFILE, mode) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn __open_2(path: *const c_char, flags: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { open_at(AT_FDCWD, path, flags, 0) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn __open64_2(path: *const c_char, flags: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { open_at(AT_FDCWD, path, flags | O_LARGEFILE, 0) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn openat(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { open_at(folder, path, flags, mode) }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn openat64(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { open_at(folder, path, flags | O_LARGEFILE, mode) }
}

/// Functions that get a path first, and whose C library's own work with the redirected one.
macro_rules! redirect {
    ($($name:ident $text:literal ($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {$(
        #[cfg_attr(not(test), unsafe(no_mangle))]
        unsafe extern "C" fn $name(path: *const c_char $(, $argument: $ty)*) -> $result {
            // SAFETY: the caller's promise.
            let other = unsafe { redirected(path) };
            real!($text as unsafe extern "C" fn(*const c_char $(, $ty)*) -> $result,
                passed_on(&other, path) $(, $argument)*)
        }
    )*};
}

/// Functions that scandir calls, whatever they get.
type Callback = Option<unsafe extern "C" fn()>;

redirect! {
    fopen c"fopen" (mode: *const c_char) -> *mut FILE;
    fopen64 c"fopen64" (mode: *const c_char) -> *mut FILE;
    opendir c"opendir" () -> *mut DIR;
    scandir c"scandir" (list: *mut *mut *mut libc::dirent, filter: Callback, compare: Callback) -> c_int;
    access c"access" (mode: c_int) -> c_int;
    realpath c"realpath" (resolved: *mut c_char) -> *mut c_char;
    __realpath_chk c"__realpath_chk" (resolved: *mut c_char, length: usize) -> *mut c_char;
    readlink c"readlink" (buffer: *mut c_char, size: usize) -> ssize_t;
    __readlink_chk c"__readlink_chk" (buffer: *mut c_char, size: usize, length: usize) -> ssize_t;
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn faccessat(folder: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int {
    // SAFETY: the caller's promise.
    let other = unsafe { redirected(path) };
    real!(
        c"faccessat" as unsafe extern "C" fn(c_int, *const c_char, c_int, c_int) -> c_int,
        folder,
        passed_on(&other, path),
        mode,
        flags
    )
}
