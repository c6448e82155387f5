//! The lock of a file of keys: a file of its own beside it, as the file itself is replaced when it is made smaller, and
//! whoever waited for a lock on it would write to one that is no more.

use std::fs::{File, OpenOptions, TryLockError};
use std::time::{Duration, Instant};

use super::{KeyStore, StoreError};

/// How long to wait for other processes: they write a few kilobytes, or, rarely, a file of some megabytes. One that was
/// stopped in the middle of it must not stop others.
const PATIENCE: Duration = Duration::from_secs(1);

/// A lock that is held until this is dropped.
pub(super) struct Lock(#[allow(dead_code, reason = "closing it unlocks")] File);

impl KeyStore {
    /// Takes the lock, alone or together with others who only read. Makes the folder and the lock's file when alone.
    pub(super) fn lock(&self, alone: bool) -> Result<Lock, StoreError> {
        let file = self.open_lock(alone).map_err(|error| self.io(error))?;
        let start = Instant::now();
        loop {
            let locked = if alone { file.try_lock() } else { file.try_lock_shared() };
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

    fn open_lock(&self, make: bool) -> std::io::Result<File> {
        let mut path = self.path().as_os_str().to_owned();
        path.push(".lock");
        if let Some(folder) = self.path().parent().filter(|folder| make && !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)?;
        }
        OpenOptions::new().read(true).write(make).create(make).truncate(false).open(path)
    }
}
