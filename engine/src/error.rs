//! Host errors: what a caller did wrong or what a file got wrong.
//!
//! What the *guest* gets wrong never ends up here; it is counted in [`crate::device::Faults`] and execution goes on.

use std::path::PathBuf;

use crate::address::GuestRange;

/// Why a call did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is no capture at all: too short, a wrong magic, version, machine or flag.
    #[error("not a capture: {what}")]
    Header {
        /// What is wrong with the header.
        what: String,
    },
    /// A record of a capture is malformed.
    #[error("record {record} at file offset {offset:#x}: {what}")]
    Capture {
        /// Index of the record, counted from 0.
        record: usize,
        /// Offset of the record's own header in the file, in bytes.
        offset: u64,
        /// What is wrong with it.
        what: String,
    },
    /// A record is well formed, but the device refused it.
    #[error("record {record} at file offset {offset:#x}: {source}")]
    Record {
        /// Index of the record, counted from 0.
        record: usize,
        /// Offset of the record's own header in the file, in bytes.
        offset: u64,
        /// What the device answered.
        source: Box<Error>,
    },
    /// A snapshot that is broken, of another version or of another machine.
    #[error("snapshot: {what}")]
    Snapshot {
        /// What is wrong with it.
        what: String,
    },
    /// The host named guest memory of which at least a byte is not mapped: the whole range that it asked for.
    #[error("guest memory {:#x}, {:#x} bytes, is not mapped in space {}", .0.start.address, .0.size, .0.start.space)]
    Unmapped(GuestRange),
    /// An argument that no machine accepts.
    #[error("invalid argument: {0}")]
    InvalidArgument(String),
    /// Something that this machine or this build cannot do.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// A file or a stream failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file, or a name for the stream.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Error {
    /// An I/O error about `path`.
    #[doc(hidden)]
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Error::Io { path: path.into(), source }
    }

    /// This error, for record `record` at byte `offset` of the file, which was being executed. Errors that name their
    /// record already stay as they are.
    #[doc(hidden)]
    pub fn at_record(self, record: usize, offset: u64) -> Self {
        match self {
            Error::Capture { .. } | Error::Record { .. } => self,
            other => Error::Record { record, offset, source: Box::new(other) },
        }
    }
}
