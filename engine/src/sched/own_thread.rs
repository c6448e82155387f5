//! Threads of the engine's own.

use std::process;

use crate::sync::thread::{self, JoinHandle};

/// A thread that its owner waits for. It exists in the process that has started it alone: `fork` copies the calling
/// thread and no other one. Locks that it held then stay held in the copy, where nothing may wait for them.
#[derive(Debug)]
pub(super) struct OwnThread<T> {
    handle: JoinHandle<T>,
    process: u32,
}

impl<T: Send + 'static> OwnThread<T> {
    /// Starts a thread with this name.
    pub fn start(name: String, run: impl FnOnce() -> T + Send + 'static) -> std::io::Result<Self> {
        let handle = thread::Builder::new().name(name).spawn(run)?;
        Ok(OwnThread { handle, process: process::id() })
    }
}

impl<T> OwnThread<T> {
    /// Whether the thread exists in this process.
    pub fn is_here(&self) -> bool {
        self.process == process::id()
    }

    /// Waits for its end. `None` if it ended by a panic, or does not exist in this process: at once then.
    pub fn join(self) -> Option<T> {
        if self.is_here() {
            return self.handle.join().ok();
        }
        // There is nothing to detach either.
        std::mem::forget(self.handle);
        None
    }
}
