//! Captures of other emulators as captures of ours.
//!
//! ```text
//! .ctf (Citra and its successors, 3DS)  ─► ctf::import ─┐
//! .rrc, .rrc.gz (RPCS3, PlayStation 3)  ─► rrc::import ─┴─► Imported: the bytes of a .tgc, and what the file lacks
//! ```
//!
//! The formats were learned from the emulators' published sources, which each module names; nothing of theirs is here.
//! Files are not trusted: what they say about their own size is never allocated before it is there.
#![forbid(unsafe_code)]

pub mod ctf;
pub mod rrc;

mod cursor;
mod stored;

use serde_json::json;
use triglyph::capture::{Compression, Header, Meta, Writer};

/// Bytes of a capture before its records.
const HEADER_SIZE: usize = 16;

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// Offset in the file in bytes; in what a compressed file expands to.
    pub offset: u64,
    /// What is wrong there.
    pub what: String,
}

impl ImportError {
    fn new(offset: u64, what: impl Into<String>) -> Self {
        ImportError { offset, what: what.into() }
    }
}

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "at offset {:#x}: {}", self.offset, self.what)
    }
}

impl std::error::Error for ImportError {}

/// A capture made of another emulator's.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The bytes of the `.tgc`.
    pub capture: Vec<u8>,
    /// What the file was.
    pub format: String,
    /// What a replay would need and the file does not have, in sentences; also in META, as `lacks`.
    pub lacks: Vec<String>,
    /// Pictures in the capture.
    pub pictures: usize,
}

/// Whether a file begins as one of a known format does.
pub fn is_known(file: &[u8]) -> bool {
    file.starts_with(&ctf::MAGIC) || rrc::is_one(file)
}

/// Imports a file of any known format.
///
/// # Errors
/// What is wrong with the file, and where.
pub fn import(name: &str, file: &[u8]) -> Result<Imported, ImportError> {
    if file.starts_with(&ctf::MAGIC) {
        ctf::import(name, file)
    } else if rrc::is_one(file) {
        rrc::import(name, file)
    } else {
        Err(ImportError::new(0, "neither a CiTrace file (CiTr) nor an RSX capture (RRC, or compressed)"))
    }
}

impl From<std::io::Error> for ImportError {
    fn from(error: std::io::Error) -> Self {
        ImportError::new(0, format!("the capture cannot be written: {error}"))
    }
}

/// A capture of its META, which is known last, and its other records.
fn assemble(header: Header, meta: &Meta, records: Writer<Vec<u8>>) -> Result<Vec<u8>, ImportError> {
    let mut first = Writer::new(Vec::new(), header, Compression::default())?;
    first.meta(meta)?;
    let mut capture = first.finish()?;
    capture.extend_from_slice(&records.finish()?[HEADER_SIZE..]);
    Ok(capture)
}

/// META of an imported capture.
fn meta(name: &str, format: &str, lacks: &[String]) -> Meta {
    let meta = json!({ "name": name, "source": format, "imported": true, "lacks": lacks });
    Meta::from_json(&meta.to_string()).unwrap_or_default()
}
