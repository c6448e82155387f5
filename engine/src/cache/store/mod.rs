//! Key files: the keys of one run, so that the next one compiles their kernels before they are needed.
//!
//! Keys are stored, never code: a key of a file goes through the compiler like any other key, so a file can cost time
//! but not correctness. The file only grows while it is used; every record has its own checksum. A record that is cut
//! off or damaged, or of another version, is skipped and reported; reading goes on at the next intact record.
//!
//! ```text
//! record.rs   the bytes of the file
//! read.rs     the contents of a file, and what is damaged
//! append.rs   appending and pruning
//! lock.rs     one writer at a time
//! open.rs     regular files only, up to a maximum size
//! ```
//!
//! Several processes may use one file: each append is one write under a lock, and pruning replaces the file as a whole
//! under the same lock.

mod append;
mod lock;
mod open;
mod read;
mod record;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use super::kinds::KeyKind;
pub use append::Pruned;
pub use open::MAX_FILE_BYTES;
pub use read::{Contents, Damage, KeyError, StoredKey, identity};
#[cfg(test)]
pub(super) use record::ENCODING;
pub use record::VERSION;

/// A file of keys.
#[derive(Clone, Debug)]
pub struct KeyStore {
    path: PathBuf,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file system reports an error.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// The file is of another kind. It is left alone.
    #[error("{0}: not a file of kernel keys")]
    Foreign(PathBuf),
    /// It is a folder, a pipe or a device. It is not opened.
    #[error("{0}: not a regular file")]
    NotRegular(PathBuf),
    /// The file is larger than [`MAX_FILE_BYTES`]. It is left alone.
    #[error("{path}: {bytes} bytes, more than the {MAX_FILE_BYTES} of the largest key file")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// Another process has had it locked for a second.
    #[error("{0}: in use by another process")]
    Busy(PathBuf),
}

impl KeyStore {
    /// The file at `path`, which need not be there yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        KeyStore { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn io(&self, error: std::io::Error) -> StoreError {
        StoreError::Io { path: self.path.clone(), error }
    }
}
