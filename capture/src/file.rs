//! The bytes of a capture file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use triglyph_engine::error::Error;

/// The bytes of a file, read into memory: other processes that write the file later change nothing.
#[derive(Debug)]
pub struct CaptureFile(Vec<u8>);

impl CaptureFile {
    /// Largest file taken from a pipe, in bytes.
    pub const PIPE_LIMIT: u64 = 1 << 30;

    /// Reads a file, or a pipe to its end. Its contents are not checked.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be opened or read, when memory does not suffice, or for a pipe that gives more than
    /// [`Self::PIPE_LIMIT`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        let failed = |error| Error::io(path, error);
        let mut file = File::open(path).map_err(failed)?;
        let mut bytes = Vec::new();
        if file.metadata().map_err(failed)?.is_file() {
            file.read_to_end(&mut bytes).map_err(failed)?;
            return Ok(CaptureFile(bytes));
        }
        file.take(Self::PIPE_LIMIT + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > Self::PIPE_LIMIT {
            return Err(failed(std::io::ErrorKind::FileTooLarge.into()));
        }
        Ok(CaptureFile(bytes))
    }
}

impl From<Vec<u8>> for CaptureFile {
    fn from(bytes: Vec<u8>) -> Self {
        CaptureFile(bytes)
    }
}

impl std::ops::Deref for CaptureFile {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}
