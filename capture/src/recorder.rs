//! Writes a capture record by record, for devices and programs that record themselves.

use std::io::{self, Write};

use super::format::Header;
use super::meta::Meta;
use super::writer::{Compression, Writer};
use triglyph_engine::device::Device;
use triglyph_engine::error::Error;
use triglyph_engine::mem::GuestRange;

/// Writes records and keeps the first error of the sink, so that a full disk never disturbs the one who is recorded.
#[derive(Debug)]
pub struct Recorder<W: Write> {
    writer: Option<Writer<W>>,
    error: Option<io::Error>,
    /// Bytes beyond which nothing more is recorded.
    limit: u64,
}

impl<W: Write> Recorder<W> {
    /// Begins a capture with its header and META.
    pub fn new(sink: W, header: Header, compression: Compression, meta: &Meta) -> Self {
        let mut recorder = match Writer::new(sink, header, compression) {
            Ok(writer) => Recorder { writer: Some(writer), error: None, limit: u64::MAX },
            Err(error) => Recorder { writer: None, error: Some(error), limit: u64::MAX },
        };
        recorder.put(|writer| writer.meta(meta));
        recorder
    }

    /// Records nothing more once the capture has so many bytes: what is there by then replays.
    pub fn set_limit(&mut self, bytes: u64) {
        self.limit = bytes;
    }

    /// Whether the limit is reached.
    pub fn is_full(&self) -> bool {
        self.writer.as_ref().is_some_and(|writer| writer.written() >= self.limit)
    }

    /// Writes something, unless an earlier write has failed or the limit is reached.
    pub fn put(&mut self, write: impl FnOnce(&mut Writer<W>) -> io::Result<()>) {
        if self.is_full() {
            return;
        }
        if let Some(writer) = &mut self.writer
            && let Err(error) = write(writer)
        {
            self.error = Some(error);
            self.writer = None;
        }
    }

    /// Writes what a range holds, leaving out pages that are all zero (as a MAP leaves them).
    ///
    /// # Errors
    /// The error of the device when it cannot be read.
    pub fn snapshot(&mut self, device: &mut dyn Device, range: GuestRange) -> Result<(), Error> {
        const PAGE: usize = 4096;
        const PIECE: u64 = 256 * PAGE as u64;
        let mut piece = vec![0; PIECE.min(range.size) as usize];
        let mut done = 0;
        while done < range.size {
            let length = PIECE.min(range.size - done) as usize;
            let (bytes, start) = (&mut piece[..length], range.start.after(done));
            device.read(start, bytes)?;
            let empty = |page: &[u8]| page.iter().all(|byte| *byte == 0);
            let mut at = 0;
            for run in bytes.chunk_by_pages(PAGE, empty) {
                if !empty(run) {
                    self.put(|writer| writer.mem(start.after(at as u64), run));
                }
                at += run.len();
            }
            done += length as u64;
        }
        Ok(())
    }

    /// Ends the capture.
    ///
    /// # Errors
    /// The first error of the sink.
    pub fn finish(self) -> io::Result<W> {
        match (self.error, self.writer) {
            (None, Some(writer)) => writer.finish(),
            (Some(error), _) => Err(error),
            (None, None) => Err(io::ErrorKind::Other.into()),
        }
    }
}

/// Splits bytes into runs of pages that are alike.
trait ChunkByPages {
    fn chunk_by_pages(&self, page: usize, alike: impl Fn(&[u8]) -> bool) -> impl Iterator<Item = &[u8]>;
}

impl ChunkByPages for [u8] {
    fn chunk_by_pages(&self, page: usize, alike: impl Fn(&[u8]) -> bool) -> impl Iterator<Item = &[u8]> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let first = alike(rest.chunks(page).next()?);
            let pages = rest.chunks(page).take_while(|next| alike(next) == first).count();
            let (run, after) = rest.split_at((pages * page).min(rest.len()));
            rest = after;
            Some(run)
        })
    }
}
