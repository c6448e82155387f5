//! A file of kernel keys, so that a second start compiles what the first one needed before anybody asks.
//!
//! Keys are stored, never code: what is read here goes through the compiler like any other key, so a file can cost time but not
//! correctness. The file only grows while it is used; every record has a checksum of its own. A record that is cut
//! short or damaged, and what another version wrote, is skipped and reported, and what follows it is found again.
//!
//! ```text
//! record.rs   the bytes of the file
//! read.rs     everything that a file holds, and what is wrong with it
//! append.rs   adding to it; making it smaller
//! lock.rs     one writer at a time
//! ```
//!
//! Several processes may use one file: each append is one write under a lock, and pruning replaces the file as a whole
//! under the same lock.

mod append;
mod lock;
mod read;
mod record;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use append::Pruned;
pub use read::{Contents, Damage, StoredKey, identity};
#[cfg(test)]
pub(super) use record::ENCODING;
pub use record::{KeyKind, VERSION};

/// A file of keys.
#[derive(Clone, Debug)]
pub struct KeyStore {
    path: PathBuf,
}

/// Why a file cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system says no.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The file cannot be opened or mapped.
    #[error(transparent)]
    Open(#[from] crate::Error),
    /// Something else has this name. It is left alone.
    #[error("{0}: not a file of kernel keys")]
    Foreign(PathBuf),
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
