//! Fences: what synchronisation objects and sync files wait for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use libc::c_int;

use super::{State, Wait};
use crate::drm::argument::{Answer, Errno};
use crate::memory::Identity;
use crate::shared_syncobj::SharedSyncobj;
use crate::sync_file::SyncFile;
use crate::syncobjs::{Fence, Part, Progress};
use crate::watches::{Until, Watch};

/// Fences by their sync files, as long as they are not reached: a program that takes its own descriptor back need not
/// wait where order is enough.
pub type Exported = BTreeMap<Identity, Fence>;

/// A part of a fence to wait for.
pub enum Pause {
    Command(Wait),
    File(Arc<SyncFile>),
}

impl Pause {
    /// Waits, at most for `timeout`. Returns whether the part is reached.
    pub fn wait(&self, timeout: Duration) -> bool {
        match self {
            Pause::Command((board, number)) => board.wait(*number, timeout),
            Pause::File(file) => file.wait(timeout),
        }
    }
}

impl State {
    /// How far a point of a synchronisation object is.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn progress(&self, handle: u32, point: Option<u64>) -> Answer<Progress> {
        self.syncobjs.progress(handle, point, |last| Self::is_over(&self.boards, last))
    }

    /// The point that a synchronisation object has reached, or the last one that was set.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn value(&self, handle: u32, last_set: bool) -> Answer<u64> {
        self.syncobjs.value(handle, last_set, |last| Self::is_over(&self.boards, last))
    }

    /// Sets the fence of a point of a synchronisation object. One that other processes may have is waited for.
    ///
    /// # Errors
    /// `ENOENT`.
    pub fn set_fence(&mut self, handle: u32, point: u64, fence: Fence) -> Answer {
        if self.syncobjs.is_shared(handle)? {
            self.wait_for_fence(&fence);
        }
        let State { syncobjs, boards, .. } = self;
        syncobjs.set(handle, point, fence, |last| Self::is_over(boards, last))
    }

    /// Waits for everything that a fence waits for, which is submitted already and ends in finite time.
    pub fn wait_for_fence(&self, fence: &Fence) {
        fence.commands.iter().for_each(|command| self.wait_for(command));
        for file in &fence.files {
            file.wait(Duration::MAX);
        }
    }

    /// Whether everything that a fence waits for is done.
    pub fn is_reached(&self, fence: &Fence) -> bool {
        fence.pending(|last| Self::is_over(&self.boards, last)).is_none()
    }

    /// A synchronisation object as other processes have it. What it waits for is done first.
    ///
    /// # Errors
    /// `ENOENT`, and what the system says.
    pub fn share_syncobj(&mut self, handle: u32) -> Answer<Arc<SharedSyncobj>> {
        if let Some(fence) = self.syncobjs.fence(handle, None)? {
            self.wait_for_fence(&fence);
        }
        self.syncobjs.share(handle)
    }

    /// A sync file for a fence.
    ///
    /// # Errors
    /// What the system says; `ENODEV` when a board is gone.
    pub fn sync_file(&mut self, fence: &Fence) -> Answer<Arc<SyncFile>> {
        self.forget_reached();
        let is_over = |last| Self::is_over(&self.boards, last);
        let boards: Vec<u32> = fence.commands.iter().filter(|&last| !is_over(last)).map(|last| last.board).collect();
        let mut files = fence.files.iter().filter(|file| !file.is_reached());
        match files.next() {
            Some(file) if boards.is_empty() && files.next().is_none() => return Ok(file.clone()),
            _ => self.wait_for_fence(&Fence { files: fence.files.clone(), ..Fence::default() }),
        }
        let (file, signal) = SyncFile::new()?;
        // It is gone when the last board has dropped it.
        let signal = Arc::new(signal);
        for board in boards.iter().filter_map(|board| self.boards.get(board)) {
            board.drop_after(Box::new(signal.clone()))?;
        }
        if !boards.is_empty() {
            self.exported.insert(file.identity, fence.clone());
        }
        Ok(file)
    }

    /// The fence of a descriptor of a sync file.
    ///
    /// # Errors
    /// Those of [`SyncFile::received`].
    pub fn fence_of(&mut self, descriptor: c_int) -> Answer<Fence> {
        self.forget_reached();
        let file = SyncFile::received(descriptor)?;
        let known = self.exported.get(&file.identity).cloned();
        let pending = || if file.is_reached() { Vec::new() } else { vec![Arc::new(file)] };
        Ok(known.unwrap_or_else(|| Fence { files: pending(), ..Fence::default() }))
    }

    /// The system may give the identity of a file that is reached to another one.
    fn forget_reached(&mut self) {
        let boards = &self.boards;
        self.exported.retain(|_, fence| fence.pending(|last| Self::is_over(boards, last)).is_some());
    }

    /// The fence of a point that was set; `None` is the last one.
    ///
    /// # Errors
    /// `ENOENT`, and `EINVAL` if it was not set.
    pub fn fence(&self, handle: u32, point: Option<u64>) -> Answer<Fence> {
        self.syncobjs.fence(handle, point)?.ok_or(Errno(libc::EINVAL))
    }

    /// What waits for a part of a fence without the lock; nothing if its board is gone.
    pub fn pause(&self, part: Part) -> Option<Pause> {
        match part {
            Part::Command(command) => self.command(command).map(Pause::Command),
            Part::File(file) => Some(Pause::File(file)),
        }
    }

    /// Tells programs of points that are reached, which are watched no longer, and says what the others wait for.
    pub fn tell_watchers(&mut self) -> Until {
        let (mut until, mut open) = (Until::Calls, Vec::new());
        for watch in std::mem::take(&mut self.watches.list) {
            match self.watched(&watch) {
                Ok(None) => watch.tell(),
                Ok(Some(needed)) => {
                    until = if needed == Until::Time { needed } else { until };
                    open.push(watch);
                }
                // An object that is gone is never reached.
                Err(_) => {}
            }
        }
        self.watches.list = open;
        until
    }

    /// What a watch waits for; nothing when it is over.
    fn watched(&self, watch: &Watch) -> Answer<Option<Until>> {
        Ok(match self.progress(watch.handle, watch.point)? {
            Progress::Unset if self.syncobjs.is_shared(watch.handle)? => Some(Until::Time),
            Progress::Unset => Some(Until::Calls),
            Progress::Pending(_) if !watch.is_for_set => Some(Until::Time),
            Progress::Pending(_) | Progress::Done => None,
        })
    }
}
