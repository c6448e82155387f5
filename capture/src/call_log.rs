//! The recorder that a recording shares with the calls of its machine.

use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::format::Map;
use super::host_memory::HostMemory;
use super::recorder::Recorder;
use triglyph_engine::device::{Access, CallRecorder};
use triglyph_engine::error::Error;
use triglyph_engine::mem::{GuestAddr, GuestRange, Memory, RecordedWords};

/// A recording under way, and the host's memory as it knows it.
#[derive(Debug)]
pub(super) struct Recording<W: Write> {
    pub recorder: Recorder<W>,
    pub host_memory: HostMemory,
}

impl<W: Write> Recording<W> {
    /// Records what the host has changed in its memory, for devices that do not do so themselves.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn look(&mut self, read: impl FnMut(GuestAddr, &mut [u8]) -> Result<(), Error>) -> Result<(), Error> {
        let Recording { recorder, host_memory } = self;
        host_memory.update(read, |at, page| recorder.put(|writer| writer.mem(at, page)))
    }

    /// The same, for others.
    ///
    /// # Errors
    /// When memory cannot be read.
    pub fn look_in(&mut self, memory: &Memory) -> Result<(), Error> {
        let Recording { recorder, host_memory } = self;
        host_memory.update_written(memory, |at, page| recorder.put(|writer| writer.mem(at, page)))
    }

    /// Records what the host has mapped since.
    fn find_mapped(&mut self, memory: &Memory) {
        let new: Vec<GuestRange> = memory.host_ranges().filter(|&range| !self.host_memory.has(range)).collect();
        for range in new {
            self.host_memory.note(range, true);
            self.recorder.put(|writer| writer.map(&Map { range, access: Access::READ_WRITE }));
        }
    }
}

/// The same for both.
#[derive(Debug)]
pub(super) struct Shared<W: Write>(Arc<Mutex<Recording<W>>>);

impl<W: Write> Clone for Shared<W> {
    fn clone(&self) -> Self {
        Shared(self.0.clone())
    }
}

impl<W: Write> Shared<W> {
    pub fn new(recorder: Recorder<W>, host_memory: HostMemory) -> Self {
        Shared(Arc::new(Mutex::new(Recording { recorder, host_memory })))
    }

    pub fn lock(&self) -> MutexGuard<'_, Recording<W>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the parts, if this is the last reference.
    pub fn into_parts(self) -> Option<(Recorder<W>, HostMemory)> {
        let recording = Arc::into_inner(self.0)?.into_inner().unwrap_or_else(PoisonError::into_inner);
        Some((recording.recorder, recording.host_memory))
    }
}

impl<W: Write + Send> RecordedWords for Shared<W> {
    fn differ(&self, memory: &Memory, range: GuestRange) -> bool {
        // The host may have unmapped it meanwhile: what is there then is the run's to find.
        self.lock().host_memory.differs(memory, range).unwrap_or(false)
    }
}

impl<W: Write + Send + 'static> CallRecorder for Shared<W> {
    fn begin(&mut self, memory: &Memory, work: bool) {
        let mut recording = self.lock();
        recording.find_mapped(memory);
        if work {
            // Memory that the host has unmapped meanwhile is skipped.
            let _: Result<(), Error> = recording.look_in(memory);
        }
    }

    fn begin_run(&mut self, memory: &Memory) -> bool {
        let mut recording = self.lock();
        recording.find_mapped(memory);
        let asks = recording.host_memory.may_ask(memory);
        if asks {
            // What the host has announced all the same.
            let Recording { recorder, host_memory } = &mut *recording;
            let _: Result<(), Error> =
                host_memory.update_marked(memory, |at, page| recorder.put(|writer| writer.mem(at, page)));
            drop(recording);
            memory.begin_on_demand(Arc::new(self.clone()));
        } else {
            let _: Result<(), Error> = recording.look_in(memory);
        }
        asks
    }

    fn end_run(&mut self, memory: &Memory) {
        let changes = memory.end_on_demand();
        let Recording { recorder, host_memory } = &mut *self.lock();
        let host = |at, bytes: &[u8]| recorder.put(|writer| writer.mem(at, bytes));
        let _: Result<(), Error> = host_memory.end_run(memory, &changes, host);
    }

    fn call(&mut self, call: &[u8]) {
        self.lock().recorder.put(|writer| writer.call(call));
    }

    fn submit(&mut self, payload: &[u8]) {
        self.lock().recorder.put(|writer| writer.submit(payload));
    }

    fn end(&mut self, memory: &Memory) {
        let _: Result<(), Error> = self.lock().host_memory.update_marked(memory, |_, _| {});
    }
}
