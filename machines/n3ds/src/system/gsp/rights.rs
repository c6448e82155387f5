//! Who may use the GPU, and who is told about it.

use std::collections::VecDeque;

use super::shared::CLIENTS;

/// A process's connection to GSP, named by the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Session(pub u32);

/// A session that takes part in the shared page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Client {
    /// Whose.
    pub session: Session,
    /// What the host signals: the handle that came with the registration.
    pub event: u32,
    /// Whether its part of VRAM may be saved for others (bit 0 of the registration's flags).
    pub allows_vram_save: bool,
}

/// A set of clients, by index in the shared page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClientSet(u8);

impl ClientSet {
    /// Adds a client.
    pub fn insert(&mut self, client: usize) {
        self.0 |= 1 << (client % CLIENTS);
    }

    /// Whether a client is in it.
    pub fn contains(self, client: usize) -> bool {
        client < CLIENTS && self.0 >> client & 1 != 0
    }

    /// The clients, in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..CLIENTS).filter(move |&client| self.contains(client))
    }

    /// Whether it is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// What asking for the rendering right came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Acquire {
    /// The caller has it now.
    Granted,
    /// The caller had it before.
    AlreadyHeld,
    /// Another has it; the caller waits in line.
    Waiting,
}

/// The rendering right and those who wait for it.
#[derive(Clone, Debug, Default)]
pub(super) struct RenderingRight {
    holder: Option<Session>,
    waiting: VecDeque<Session>,
}

impl RenderingRight {
    pub(super) fn holder(&self) -> Option<Session> {
        self.holder
    }

    pub(super) fn acquire(&mut self, session: Session, wait: bool) -> Acquire {
        match self.holder {
            None => {
                self.holder = Some(session);
                Acquire::Granted
            }
            Some(holder) if holder == session => Acquire::AlreadyHeld,
            Some(_) => {
                if wait && !self.waiting.contains(&session) {
                    self.waiting.push_back(session);
                }
                Acquire::Waiting
            }
        }
    }

    /// Gives the right back; returns who gets it next. Nothing happens when the caller does not hold it.
    pub(super) fn release(&mut self, session: Session) -> Option<Session> {
        if self.holder != Some(session) {
            return None;
        }
        self.holder = self.waiting.pop_front();
        self.holder
    }

    /// Who waits, the first to be served first.
    pub(super) fn waiting(&self) -> impl Iterator<Item = Session> {
        self.waiting.iter().copied()
    }

    /// A right as it was.
    pub(super) fn restore(holder: Option<Session>, waiting: impl Iterator<Item = Session>) -> Self {
        RenderingRight { holder, waiting: waiting.collect() }
    }

    /// Takes a session out of the line.
    pub(super) fn forget(&mut self, session: Session) {
        self.waiting.retain(|&waiting| waiting != session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_is_passed_on_in_order() {
        let mut right = RenderingRight::default();
        let [a, b, c] = [1, 2, 3].map(Session);
        assert_eq!(right.acquire(a, true), Acquire::Granted);
        assert_eq!(right.acquire(a, true), Acquire::AlreadyHeld);
        assert_eq!(right.acquire(b, false), Acquire::Waiting);
        assert_eq!(right.acquire(c, true), Acquire::Waiting);
        assert_eq!(right.acquire(b, true), Acquire::Waiting);
        assert_eq!(right.acquire(c, true), Acquire::Waiting);
        assert_eq!(right.release(b), None);
        assert_eq!(right.holder(), Some(a));
        assert_eq!(right.release(a), Some(c));
        right.forget(b);
        assert_eq!(right.release(c), None);
        assert_eq!(right.holder(), None);
    }
}
