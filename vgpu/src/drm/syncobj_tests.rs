//! Descriptors of synchronisation objects, as programs pass them on.

#![allow(unsafe_code)]

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use bytemuck::Zeroable;

use super::abi::*;
use super::argument::{Answer, Argument, Errno};
use super::sync_files;
use super::tests::{buffer, gpu, make_as};
use crate::chip::Chip;
use crate::state::State;
use crate::sync_file::SyncFile;
use crate::syncobjs::Fence;
use crate::watches::Until;

const EINVAL: Answer = Err(Errno(libc::EINVAL));

/// Flags of descriptors.
const SYNC_FILE: u32 = 1;
const TIMELINE: u32 = 2;

fn make<T: bytemuck::Pod>(state: &mut State, number: u32, value: &mut T) -> Answer {
    make_as(state, 1, number, value)
}

fn syncobj(state: &mut State) -> u32 {
    let mut made = SyncobjHandle::zeroed();
    make(state, 0xBF, &mut made).unwrap();
    made.handle
}

/// Signals a point from the processor.
fn signal(state: &mut State, handle: u32, point: u64) {
    let (handles, points) = ([handle], [point]);
    let (handles, points) = (handles.as_ptr().addr() as u64, points.as_ptr().addr() as u64);
    make(state, 0xCD, &mut TimelineArray { handles, points, count: 1, flags: 0 }).unwrap();
}

fn value(state: &mut State, handle: u32) -> u64 {
    let (handles, mut points) = ([handle], [0u64]);
    let (handles, points_at) = (handles.as_ptr().addr() as u64, points.as_mut_ptr().addr() as u64);
    make(state, 0xCB, &mut TimelineArray { handles, points: points_at, count: 1, flags: 0 }).unwrap();
    points[0]
}

fn export(state: &mut State, handle: u32, flags: u32, point: u64) -> Answer<OwnedFd> {
    let mut asked = SyncobjDescriptor { handle, flags, point, ..SyncobjDescriptor::zeroed() };
    make(state, 0xC1, &mut asked)?;
    // SAFETY: a new descriptor.
    Ok(unsafe { OwnedFd::from_raw_fd(asked.fd) })
}

fn import(state: &mut State, handle: u32, flags: u32, point: u64, descriptor: &OwnedFd) -> Answer<u32> {
    let mut asked = SyncobjDescriptor { handle, flags, fd: descriptor.as_raw_fd(), pad: 0, point };
    make(state, 0xC2, &mut asked)?;
    Ok(asked.handle)
}

/// A call on a sync file or the file of a buffer.
fn file_call<T: bytemuck::Pod>(state: &mut State, kind: u8, descriptor: i32, number: u8, value: &mut T) -> Answer {
    // SAFETY: the bytes of a value that no other code accesses.
    let mut argument = unsafe { Argument::new(std::ptr::from_mut(value).cast(), size_of::<T>()) };
    match kind {
        sync_files::BUFFER => sync_files::buffer_call(state, number, &mut argument),
        _ => sync_files::call(state, descriptor, number, &mut argument),
    }
}

fn is_reached(file: &OwnedFd) -> bool {
    SyncFile::received(file.as_raw_fd()).unwrap().is_reached()
}

#[test]
fn processes_share_an_object() {
    let (mut one, mut other) = (gpu(Chip::Gm20b), gpu(Chip::Nv47));
    let line = syncobj(&mut one);
    signal(&mut one, line, 3);
    let file = export(&mut one, line, 0, 0).unwrap();
    let same = import(&mut other, 0, 0, 0, &file).unwrap();
    assert_eq!(value(&mut other, same), 3);
    signal(&mut other, same, 8);
    assert_eq!(value(&mut one, line), 8);
    // Also by a second descriptor, and in the same process.
    let again = export(&mut other, same, 0, 0).unwrap();
    let third = import(&mut one, 0, 0, 0, &again).unwrap();
    assert!(third != line && value(&mut one, third) == 8);
    signal(&mut one, third, 9);
    assert_eq!(value(&mut other, same), 9);
    let handles = [same];
    let mut reset = SyncobjArray { handles: handles.as_ptr().addr() as u64, count: 1, pad: 0 };
    make(&mut other, 0xC4, &mut reset).unwrap();
    assert_eq!(value(&mut one, line), 0);
    // Whatever is no descriptor of one.
    let wrong = OwnedFd::from(std::fs::File::open("/dev/null").unwrap());
    assert_eq!(import(&mut one, 0, 0, 0, &wrong), Err(Errno(libc::EINVAL)));
    assert_eq!(import(&mut one, line, SYNC_FILE, 0, &wrong), Err(Errno(libc::EINVAL)));
    assert_eq!(export(&mut one, 99, 0, 0).unwrap_err(), Errno(libc::ENOENT));
    for (flags, point) in [(4, 0), (TIMELINE, 1), (0, 1), (SYNC_FILE, 1)] {
        assert_eq!(export(&mut one, line, flags, point).unwrap_err(), Errno(libc::EINVAL), "{flags} {point}");
    }
}

#[test]
fn a_fence_goes_through_a_sync_file() {
    let (mut one, mut other) = (gpu(Chip::Gm20b), gpu(Chip::Gm20b));
    let (from, to) = (syncobj(&mut one), syncobj(&mut other));
    assert_eq!(export(&mut one, from, SYNC_FILE, 0).unwrap_err(), Errno(libc::EINVAL), "there is no fence");
    // One that is not reached, as of a process that is not done.
    let (pending, end) = SyncFile::new().unwrap();
    one.set_fence(from, 0, Fence { files: vec![pending], ..Fence::default() }).unwrap();
    let file = export(&mut one, from, SYNC_FILE, 0).unwrap();
    import(&mut other, to, SYNC_FILE | TIMELINE, 6, &file).unwrap();
    assert!(!is_reached(&file) && value(&mut other, to) == 0);
    // What becomes of the object later does not matter.
    signal(&mut one, from, 1);
    assert!(!is_reached(&file));
    drop(end);
    assert!(is_reached(&file) && value(&mut other, to) == 6);
    let point = export(&mut other, to, SYNC_FILE | TIMELINE, 6).unwrap();
    assert!(is_reached(&point));
    assert_eq!(export(&mut other, to, SYNC_FILE | TIMELINE, 7).unwrap_err(), Errno(libc::EINVAL));
}

#[test]
fn sync_files_are_merged_and_described() {
    let mut state = gpu(Chip::Gm20b);
    let (first, end) = SyncFile::new().unwrap();
    let done = syncobj(&mut state);
    signal(&mut state, done, 0);
    let done = export(&mut state, done, SYNC_FILE, 0).unwrap();
    let descriptor = first.hand_out().unwrap();
    let mut merge = SyncMerge { fd: done.as_raw_fd(), ..SyncMerge::zeroed() };
    file_call(&mut state, sync_files::SYNC_FILE, descriptor, 3, &mut merge).unwrap();
    let mut fences = [FenceInfo::zeroed()];
    let at = fences.as_mut_ptr().addr() as u64;
    let mut info = SyncFileInfo { fence_count: 1, fences: at, ..SyncFileInfo::zeroed() };
    file_call(&mut state, sync_files::SYNC_FILE, merge.fence, 4, &mut { info }).unwrap();
    assert_eq!((fences[0].status, &fences[0].driver[..8]), (0, &b"nouveau\0"[..]));
    // A deadline.
    file_call(&mut state, sync_files::SYNC_FILE, merge.fence, 5, &mut [0u64; 2]).unwrap();
    drop(end);
    file_call(&mut state, sync_files::SYNC_FILE, merge.fence, 4, &mut info).unwrap();
    assert_eq!((info.status, info.fence_count, fences[0].status), (1, 1, 1));
    merge.flags = 1;
    assert_eq!(file_call(&mut state, sync_files::SYNC_FILE, descriptor, 3, &mut merge), EINVAL);
    let unknown = file_call(&mut state, sync_files::SYNC_FILE, descriptor, 9, &mut 0u32);
    assert_eq!(unknown, Err(Errno(libc::ENOTTY)));
}

#[test]
fn shared_buffers_have_fences_that_are_reached() {
    let mut state = gpu(Chip::Gm20b);
    let handle = buffer(&mut state, 4).handle;
    let mut prime = Prime { handle, flags: 0, fd: 0 };
    make(&mut state, 0x2D, &mut prime).unwrap();
    let mut asked = BufferSync { flags: 3, fd: 0 };
    file_call(&mut state, sync_files::BUFFER, prime.fd, 2, &mut asked).unwrap();
    // SAFETY: a new descriptor.
    assert!(is_reached(&unsafe { OwnedFd::from_raw_fd(asked.fd) }));
    let (pending, end) = SyncFile::new().unwrap();
    drop(end);
    let mut given = BufferSync { flags: 2, fd: pending.hand_out().unwrap() };
    file_call(&mut state, sync_files::BUFFER, prime.fd, 3, &mut given).unwrap();
    assert_eq!(file_call(&mut state, sync_files::BUFFER, prime.fd, 2, &mut BufferSync { flags: 0, fd: 0 }), EINVAL);
    file_call(&mut state, sync_files::BUFFER, prime.fd, 0, &mut 4u64).unwrap();
}

#[test]
fn events_tell_of_points() {
    let (mut state, mut other) = (gpu(Chip::Gm20b), gpu(Chip::Gm20b));
    // SAFETY: a system call; no other code has the descriptor.
    let event = unsafe { OwnedFd::from_raw_fd(libc::eventfd(0, libc::EFD_NONBLOCK)) };
    let fd = event.as_raw_fd();
    let count = || {
        let mut number = 0u64;
        // SAFETY: a system call on the bytes of a number.
        unsafe { libc::read(fd, (&raw mut number).cast(), 8) };
        number
    };
    let line = syncobj(&mut state);
    let watch = SyncobjEvent { handle: line, flags: 0, point: 5, fd, pad: 0 };
    make(&mut state, 0xCF, &mut { watch }).unwrap();
    make(&mut state, 0xCF, &mut SyncobjEvent { flags: 4, point: 6, ..watch }).unwrap();
    assert_eq!((count(), state.tell_watchers()), (0, Until::Calls));
    signal(&mut state, line, 5);
    assert_eq!((state.tell_watchers(), count()), (Until::Calls, 1));
    // A fence that is set is enough for the second.
    let (pending, end) = SyncFile::new().unwrap();
    state.set_fence(line, 7, Fence { files: vec![pending], ..Fence::default() }).unwrap();
    make(&mut state, 0xCF, &mut SyncobjEvent { point: 7, ..watch }).unwrap();
    assert_eq!((state.tell_watchers(), count()), (Until::Time, 1));
    drop(end);
    assert_eq!((state.tell_watchers(), count()), (Until::Calls, 1));
    // One that another process sets.
    let file = export(&mut state, line, 0, 0).unwrap();
    let same = import(&mut other, 0, 0, 0, &file).unwrap();
    make(&mut state, 0xCF, &mut SyncobjEvent { point: 9, ..watch }).unwrap();
    assert_eq!(state.tell_watchers(), Until::Time);
    signal(&mut other, same, 9);
    assert_eq!((state.tell_watchers(), count()), (Until::Calls, 1));
    for (bad, errno) in [
        (SyncobjEvent { handle: 99, ..watch }, libc::ENOENT),
        (SyncobjEvent { fd: -1, ..watch }, libc::EBADF),
        (SyncobjEvent { fd: file.as_raw_fd(), ..watch }, libc::EINVAL),
        (SyncobjEvent { flags: 1, ..watch }, libc::EINVAL),
    ] {
        assert_eq!(make(&mut state, 0xCF, &mut { bad }), Err(Errno(errno)));
    }
}
