//! Events of page flips, for each client of the node.

#![allow(unsafe_code)]

use std::collections::{BTreeMap, VecDeque};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use libc::c_int;

use crate::drm::argument::Answer;
use crate::memory::moved_up;

/// Events that a client has not read; older ones are forgotten.
const MAX_EVENTS: usize = 64;

/// Those of all clients.
#[derive(Debug, Default)]
pub struct Events(BTreeMap<u32, Queue>);

/// Those of a client: user data and the number of the flip.
#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<(u64, u32)>,
    /// What can be waited for in place of the node's descriptor, which is one of a file: its count is that of the
    /// events. It is made when a program first waits.
    count: Option<OwnedFd>,
}

impl Queue {
    fn add_to_count(&self, number: u64) {
        if let Some(count) = &self.count {
            // SAFETY: a system call on the bytes of a number.
            unsafe { libc::write(count.as_raw_fd(), (&raw const number).cast(), size_of_val(&number)) };
        }
    }

    fn take_from_count(&self) {
        let mut number = 0u64;
        if let Some(count) = &self.count {
            let to = &raw mut number;
            // As a system call: the function of this name is one that this library replaces.
            // SAFETY: a system call on the bytes of a number.
            unsafe { libc::syscall(libc::SYS_read, count.as_raw_fd(), to, size_of_val(&number)) };
        }
    }
}

impl Events {
    /// Enters an event.
    pub fn push(&mut self, client: u32, user_data: u64, flip: u32) {
        let queue = self.0.entry(client).or_default();
        if queue.waiting.len() == MAX_EVENTS {
            queue.waiting.pop_front();
            queue.take_from_count();
        }
        queue.waiting.push_back((user_data, flip));
        queue.add_to_count(1);
    }

    /// Takes a client's oldest event; that of any client for a descriptor whose client is not known.
    pub fn pop(&mut self, client: u32) -> Option<(u64, u32)> {
        let is_asked = |other: u32| client == 0 || other == client;
        let queue = self.0.iter_mut().find(|(other, queue)| is_asked(**other) && !queue.waiting.is_empty())?.1;
        let event = queue.waiting.pop_front()?;
        queue.take_from_count();
        Some(event)
    }

    /// A descriptor that can be read from as long as a client has events.
    ///
    /// # Errors
    /// What the system says.
    pub fn descriptor(&mut self, client: u32) -> Answer<c_int> {
        let queue = self.0.entry(client).or_default();
        if queue.count.is_none() {
            let flags = libc::EFD_CLOEXEC | libc::EFD_NONBLOCK | libc::EFD_SEMAPHORE;
            // SAFETY: a system call; no other code has the descriptor.
            let low = unsafe {
                match libc::eventfd(0, flags) {
                    low if low < 0 => return Err(crate::errno()),
                    low => OwnedFd::from_raw_fd(low),
                }
            };
            queue.count = Some(moved_up(low).map_err(|_| crate::errno())?);
            queue.add_to_count(queue.waiting.len() as u64);
        }
        queue.count.as_ref().map(|count| count.as_raw_fd()).ok_or_else(crate::errno)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_waits_for_its_own_events() {
        let mut events = Events::default();
        let is_ready = |descriptor: c_int| {
            let mut file = libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
            // SAFETY: one element.
            unsafe { libc::poll(&raw mut file, 1, 0) == 1 }
        };
        events.push(1, 7, 1);
        let [first, second] = [1, 2].map(|client| events.descriptor(client).unwrap());
        assert!(is_ready(first) && !is_ready(second));
        (0..100).for_each(|flip| events.push(2, 9, flip));
        assert_eq!((events.pop(1), events.pop(1)), (Some((7, 1)), None));
        assert!(!is_ready(first));
        let read = std::iter::from_fn(|| is_ready(second).then(|| events.pop(2).unwrap())).collect::<Vec<_>>();
        assert_eq!((read.len(), read[0], events.pop(2)), (MAX_EVENTS, (9, 36), None));
        events.push(2, 5, 101);
        assert_eq!((events.pop(0), events.pop(0)), (Some((5, 101)), None));
    }
}
