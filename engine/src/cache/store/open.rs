//! Opening key files and their locks: only regular files, as a pipe would block and a device may never end.

use std::fs::{File, OpenOptions};
use std::path::Path;

use super::{KeyStore, StoreError};

/// The largest key file that is read or appended to. Files stay far below it: they are pruned to the limit that their
/// writer has.
pub const MAX_FILE_BYTES: u64 = 256 << 20;

impl KeyStore {
    /// Opens the key file with `options`.
    ///
    /// # Errors
    /// [`StoreError::NotRegular`], [`StoreError::TooLarge`], or what the file system reports.
    pub(super) fn open(&self, options: &OpenOptions) -> Result<File, StoreError> {
        let file = self.open_regular(options, self.path())?;
        let bytes = file.metadata().map_err(|error| self.io(error))?.len();
        if bytes > MAX_FILE_BYTES {
            return Err(StoreError::TooLarge { path: self.path().to_owned(), bytes });
        }
        Ok(file)
    }

    /// Opens a regular file. Other kinds of file are detected before they are opened, as opening them can block.
    ///
    /// # Errors
    /// [`StoreError::NotRegular`], or what the file system reports.
    pub(super) fn open_regular(&self, options: &OpenOptions, path: &Path) -> Result<File, StoreError> {
        check_regular(path)?;
        let file = options.open(path).map_err(|error| self.io(error))?;
        // Another file may have taken its place in between.
        match file.metadata().map_err(|error| self.io(error))?.is_file() {
            true => Ok(file),
            false => Err(StoreError::NotRegular(path.to_owned())),
        }
    }
}

/// Whether a path is that of a regular file, or does not exist.
///
/// # Errors
/// [`StoreError::NotRegular`].
pub(super) fn check_regular(path: &Path) -> Result<(), StoreError> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(StoreError::NotRegular(path.to_owned())),
        _ => Ok(()),
    }
}
