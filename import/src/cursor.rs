//! Little-endian numbers from bytes; an error has the offset of the missing ones.

use super::ImportError;

/// A place in a file.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    file: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The beginning.
    pub fn new(file: &'a [u8]) -> Self {
        Cursor { file, at: 0 }
    }

    /// Where it is, in bytes.
    pub fn offset(&self) -> u64 {
        self.at as u64
    }

    /// Bytes that follow.
    pub fn left(&self) -> usize {
        self.file.len() - self.at
    }

    /// An error about this place.
    pub fn error(&self, what: impl Into<String>) -> ImportError {
        ImportError::new(self.offset(), what)
    }

    /// Goes on elsewhere. `what` is there, for the error.
    pub fn seek(&mut self, offset: u64, what: &str) -> Result<(), ImportError> {
        match usize::try_from(offset) {
            Ok(at) if at <= self.file.len() => {
                self.at = at;
                Ok(())
            }
            _ => Err(self.error(format!("{what} begins at {offset:#x}, the file ends at {:#x}", self.file.len()))),
        }
    }

    /// The next bytes.
    pub fn bytes(&mut self, size: u64, what: &str) -> Result<&'a [u8], ImportError> {
        let left = self.left();
        match usize::try_from(size) {
            Ok(size) if size <= left => {
                let bytes = &self.file[self.at..self.at + size];
                self.at += size;
                Ok(bytes)
            }
            _ => Err(self.error(format!("{what} has {size} bytes, {left} are left"))),
        }
    }

    /// The next byte.
    pub fn byte(&mut self, what: &str) -> Result<u8, ImportError> {
        Ok(self.bytes(1, what)?[0])
    }

    /// The next `u32`.
    pub fn word(&mut self, what: &str) -> Result<u32, ImportError> {
        let bytes = self.bytes(4, what)?;
        Ok(bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)))
    }

    /// The next `u64`.
    pub fn long(&mut self, what: &str) -> Result<u64, ImportError> {
        let bytes = self.bytes(8, what)?;
        Ok(bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)))
    }

    /// The next words.
    pub fn words(&mut self, count: u64, what: &str) -> Result<Vec<u32>, ImportError> {
        let size = count.checked_mul(4).ok_or_else(|| self.error(format!("{what} has {count} words")))?;
        let bytes = self.bytes(size, what)?;
        Ok(bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
    }
}
