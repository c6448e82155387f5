//! Synchronisation objects that are watched for programs, which are told by an event descriptor.

#![allow(unsafe_code)]

use std::os::fd::{AsRawFd, OwnedFd};

/// One point of an object.
#[derive(Debug)]
pub struct Watch {
    pub handle: u32,
    /// `None` is the last one that was set.
    pub point: Option<u64>,
    /// Whether it is enough that the point is set.
    pub is_for_set: bool,
    /// A descriptor of an `eventfd`.
    pub event: OwnedFd,
}

impl Watch {
    /// Tells the program.
    pub fn tell(&self) {
        let one = 1u64;
        // SAFETY: a system call on the bytes of a number.
        unsafe { libc::write(self.event.as_raw_fd(), (&raw const one).cast(), size_of_val(&one)) };
    }
}

/// All of a process.
#[derive(Debug, Default)]
pub struct Watches {
    pub list: Vec<Watch>,
    /// Whether a thread looks at them.
    pub has_thread: bool,
}

/// What a watch goes on for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Calls of this process.
    Calls,
    /// Commands or other processes, whose ends are not told.
    Time,
}
