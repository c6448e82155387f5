//! The lock of a key file. It is a separate file: pruning replaces the key file, and a process that waited for a lock
//! on the old one would write to a deleted file.

use std::fs::{File, OpenOptions, TryLockError};
use std::time::{Duration, Instant};

use super::open::check_regular;
use super::{KeyStore, StoreError};

/// How long to wait for other processes. They write a few kilobytes or, rarely, a file of some megabytes; one that was
/// stopped in the middle of that must not block the others.
const PATIENCE: Duration = Duration::from_secs(1);

/// A lock that is held until this is dropped.
pub(super) struct Lock(#[allow(dead_code, reason = "closing it unlocks")] File);

impl KeyStore {
    /// Takes the lock: exclusive for writers, shared for readers. A writer creates the folder and the lock file.
    pub(super) fn lock(&self, exclusive: bool) -> Result<Lock, StoreError> {
        let file = self.open_lock(exclusive)?;
        let start = Instant::now();
        loop {
            let locked = if exclusive { file.try_lock() } else { file.try_lock_shared() };
            match locked {
                Ok(()) => return Ok(Lock(file)),
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(TryLockError::WouldBlock) => return Err(StoreError::Busy(self.path().to_owned())),
                Err(TryLockError::Error(error)) => return Err(self.io(error)),
            }
        }
    }

    pub(super) fn open_lock(&self, create: bool) -> Result<File, StoreError> {
        check_regular(self.path())?;
        let mut path = self.path().as_os_str().to_owned();
        path.push(".lock");
        if let Some(folder) = self.path().parent().filter(|folder| create && !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| self.io(error))?;
        }
        self.open_regular(OpenOptions::new().read(true).write(create).create(create).truncate(false), path.as_ref())
    }
}
