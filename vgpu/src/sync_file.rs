//! Sync files: fences with a descriptor, for other drivers and other processes.
//!
//! One is the end of a pipe. It is waited for, by `poll` as well, until there is something to read, which stays there.
//! The other end writes when the fence is reached. It is closed then, and when its process is killed, which ends every
//! wait, too.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use libc::c_int;

use crate::drm::argument::{Answer, Errno};
use crate::memory::{Identity, PAGE, hand_out, kept, moved_up};

/// The end that waits.
#[derive(Debug)]
pub struct SyncFile {
    descriptor: OwnedFd,
    pub identity: Identity,
}

/// The end that writes: what waits goes on when this is dropped.
#[derive(Debug)]
pub struct Signal {
    /// Keeps the end that waits open: writing to a pipe without one ends a process.
    _waiting: Arc<SyncFile>,
    end: OwnedFd,
}

fn failed(error: &io::Error) -> Errno {
    Errno(error.raw_os_error().unwrap_or(libc::EMFILE))
}

impl SyncFile {
    /// A file, and what is to be dropped when its fence is reached.
    ///
    /// # Errors
    /// What the system says.
    pub fn new() -> Answer<(Arc<SyncFile>, Signal)> {
        let mut ends = [0; 2];
        // SAFETY: the system calls write two descriptors, which no other code has, and set a size by which these pipes
        // are told from most others.
        let [waiting, end] = unsafe {
            if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) < 0 {
                return Err(crate::errno());
            }
            libc::syscall(libc::SYS_fcntl, ends[0], libc::F_SETPIPE_SZ, PAGE);
            ends.map(|end| OwnedFd::from_raw_fd(end))
        };
        let moved = |end| moved_up(end).map_err(|error| failed(&error));
        let waiting = Arc::new(Self::of(moved(waiting)?)?);
        Ok((waiting.clone(), Signal { _waiting: waiting, end: moved(end)? }))
    }

    /// The sync file of any process.
    ///
    /// # Errors
    /// `EBADF` if the descriptor is not open, `EINVAL` if it is of another file.
    pub fn received(descriptor: c_int) -> Answer<SyncFile> {
        let own = kept(descriptor).map_err(|error| failed(&error))?;
        if !Self::is_one(descriptor) {
            return Err(Errno(libc::EINVAL));
        }
        Self::of(own)
    }

    /// Whether a descriptor is one of a sync file.
    pub fn is_one(descriptor: c_int) -> bool {
        // SAFETY: system calls on a number.
        unsafe {
            let flags = libc::syscall(libc::SYS_fcntl, descriptor, libc::F_GETFL) as c_int;
            let size = libc::syscall(libc::SYS_fcntl, descriptor, libc::F_GETPIPE_SZ);
            flags >= 0 && flags & libc::O_ACCMODE == libc::O_RDONLY && size == PAGE as i64
        }
    }

    fn of(descriptor: OwnedFd) -> Answer<SyncFile> {
        let identity = Identity::of(descriptor.as_raw_fd()).ok_or_else(crate::errno)?;
        Ok(SyncFile { descriptor, identity })
    }

    /// Waits until the fence is reached, at most for `timeout`. Returns whether it was.
    pub fn wait(&self, timeout: Duration) -> bool {
        let mut file = libc::pollfd { fd: self.descriptor.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let tv_sec = timeout.as_secs().try_into().unwrap_or(i64::MAX);
        let mut time = libc::timespec { tv_sec, tv_nsec: timeout.subsec_nanos().into() };
        let (file, time, signals) = (&raw mut file, &raw mut time, std::ptr::null::<libc::sigset_t>());
        loop {
            // As a system call: the function of this name is one that this library replaces.
            // SAFETY: one element, and a time, from which the system takes what has passed.
            match unsafe { libc::syscall(libc::SYS_ppoll, file, 1usize, time, signals, 0usize) } {
                1 => return true,
                0 => return false,
                // A signal's handler was called.
                _ if crate::errno() == Errno(libc::EINTR) => {}
                _ => return false,
            }
        }
    }

    /// Whether the fence is reached.
    pub fn is_reached(&self) -> bool {
        self.wait(Duration::ZERO)
    }

    /// A descriptor for the program.
    ///
    /// # Errors
    /// What the system says.
    pub fn hand_out(&self) -> Answer<c_int> {
        hand_out(self.descriptor.as_raw_fd(), true).map_err(|error| failed(&error))
    }
}

impl Drop for Signal {
    fn drop(&mut self) {
        // A child of the process may have this end as well, so closing it alone would not do.
        // SAFETY: a system call on a byte, for which there is room.
        unsafe { libc::write(self.end.as_raw_fd(), c"".as_ptr().cast(), 1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_reached_when_its_signal_is_gone() {
        let (file, signal) = SyncFile::new().unwrap();
        let received = SyncFile::received(file.hand_out().unwrap()).unwrap();
        assert_eq!(received.identity, file.identity);
        assert!(!file.is_reached() && !received.wait(Duration::from_millis(1)));
        drop(file);
        drop(signal);
        assert!(received.is_reached() && received.wait(Duration::MAX));
        let other = std::fs::File::open("/dev/null").unwrap();
        assert_eq!(SyncFile::received(other.as_raw_fd()).unwrap_err(), Errno(libc::EINVAL));
        assert_eq!(SyncFile::received(-1).unwrap_err(), Errno(libc::EBADF));
    }
}
