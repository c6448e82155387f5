//! A capture file in memory, without copying it.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::Read;
use std::path::Path;

use memmap2::Mmap;

use triglyph_engine::error::Error;

/// The bytes of a file: mapped when it is an ordinary one, read otherwise (a pipe, an empty file).
#[derive(Debug)]
pub struct CaptureFile(Storage);

#[derive(Debug)]
enum Storage {
    Mapped(Mmap),
    Read(Vec<u8>),
}

impl CaptureFile {
    /// Largest file taken from a pipe, in bytes.
    pub const PIPE_LIMIT: u64 = 1 << 30;

    /// Opens a file. Its contents are not looked at.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be opened, mapped or read.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let failed = |error| Error::io(path, error);
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_file() && metadata.len() > 0 {
            // SAFETY: the mapping is private and read-only and lives as long as the bytes borrowed from it. Another
            // process that writes the file meanwhile can change what is read, which every parser here tolerates
            // (each value is checked after it has been copied out); one that truncates it ends this process with a
            // bus error, as it would any program that maps files.
            let mapped = unsafe { Mmap::map(&file) };
            return Ok(CaptureFile(Storage::Mapped(mapped.map_err(failed)?)));
        }
        let mut bytes = Vec::new();
        file.take(Self::PIPE_LIMIT + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > Self::PIPE_LIMIT {
            return Err(failed(std::io::ErrorKind::FileTooLarge.into()));
        }
        Ok(CaptureFile(Storage::Read(bytes)))
    }
}

impl From<Vec<u8>> for CaptureFile {
    fn from(bytes: Vec<u8>) -> Self {
        CaptureFile(Storage::Read(bytes))
    }
}

impl std::ops::Deref for CaptureFile {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Storage::Mapped(map) => map,
            Storage::Read(bytes) => bytes,
        }
    }
}
