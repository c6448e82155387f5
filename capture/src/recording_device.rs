//! Recording: a "capture frame" key for a host.
//!
//! A [`RecordingDevice`] is between the host and its device. While it records, everything that passes goes into the
//! capture as well; a recording begins with the memory as it is at that moment. Memory that the host has mapped as its
//! own, and says so, is checked before work is done: pages that have changed go into the capture. If hosts announce
//! their writes, only announced pages are checked.
//!
//! META's `starts` says when that was: `reset` for a new device, `mid-run` for one that has done work. In the latter
//! case the registers at that moment go into a SNAPSHOT record. A device that knows no snapshots goes without: its
//! recording replays faithfully when the client sends its whole state in the first frame.

use std::io::{self, Write};

use super::call_log::{Recording, Shared};
use super::format::{Expect, Hash, Header, Map, Present};
use super::host_memory::HostMemory;
use super::meta::Meta;
use super::picture::Picture;
use super::player::hash_memory;
use super::ranges::Ranges;
use super::recorder::Recorder;
use super::writer::{Compression, Writer};
use triglyph_engine::device::{Access, Device, ObjectEntry, Replay, sealed};
use triglyph_engine::error::Error;
use triglyph_engine::mem::{GuestAddr, GuestRange, Mapping};
use triglyph_engine::snapshot::SnapshotOptions;

/// What a SNAPSHOT record holds: memory has records of its own, and the record is compressed as a whole.
const REGISTERS: SnapshotOptions = SnapshotOptions::REGISTERS.with_compression(false);

/// The expectation for a recorded picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// Nothing is said.
    None,
    /// As it looks now, to the bit.
    AsItIs,
    /// As it looks now, with a tolerance per channel and pixels in a thousand that may exceed it.
    About {
        /// Largest difference per channel.
        tolerance: u32,
        /// Pixels in a thousand that may exceed it.
        permille: u32,
    },
}

/// A device that can record what passes through it, and the calls that only its machine has.
#[derive(Debug)]
pub struct RecordingDevice<D: Device, W: Write + Send + 'static> {
    device: D,
    maps: Ranges<Access>,
    host_memory: HostMemory,
    limit: u64,
    objects: Vec<ObjectEntry>,
    big_endian: bool,
    submitted: bool,
    recording: Option<Shared<W>>,
}

impl<D: Device, W: Write + Send + 'static> RecordingDevice<D, W> {
    /// Wraps a device to which nothing has been mapped yet. Nothing is recorded until [`start`](Self::start).
    pub fn new(device: D) -> Self {
        let (maps, host_memory, objects) = (Ranges::default(), HostMemory::default(), Vec::new());
        let (big_endian, submitted, limit) = (false, false, u64::MAX);
        RecordingDevice { device, maps, host_memory, limit, objects, big_endian, submitted, recording: None }
    }

    /// Whether a recording is under way.
    pub fn is_recording(&self) -> bool {
        self.recording.is_some()
    }

    /// Bounds recordings that begin from now on: they record nothing more once they have so many bytes, and are whole
    /// captures up to there.
    pub fn set_limit(&mut self, bytes: u64) {
        self.limit = bytes;
    }

    /// Whether a recording is under way that has reached its limit.
    pub fn is_full(&self) -> bool {
        self.recording.as_ref().is_some_and(|recording| recording.lock().recorder.is_full())
    }

    /// Bytes of the host's memory that were compared in the recording under way, to find what the host has written.
    #[doc(hidden)]
    pub fn compared(&self) -> u64 {
        self.recording.as_ref().map_or(0, |recording| recording.lock().host_memory.compared())
    }

    /// Begins a recording: META, the maps, the objects, the memory that is not zero and, mid-run, the state of the
    /// device. One under way is dropped.
    /// `starts` is added to `meta`.
    ///
    /// # Errors
    /// The error of the device when its memory cannot be read. Errors of the sink are kept for [`stop`](Self::stop).
    pub fn start(&mut self, sink: W, compression: Compression, mut meta: Meta) -> Result<(), Error> {
        self.drop_recording();
        let (mapped, own) = self.device.mappings();
        for Mapping { range, access } in mapped {
            self.maps.insert(range, access);
        }
        own.into_iter().for_each(|range| self.host_memory.note(range, true));
        let starts = if self.submitted { "mid-run" } else { "reset" };
        meta.set("starts", starts);
        let header = Header { machine: self.device.machine(), big_endian: self.big_endian };
        let mut recorder = Recorder::new(sink, header, compression, &meta);
        recorder.set_limit(self.limit);
        for (range, access) in self.maps.iter() {
            recorder.put(|writer| writer.map(&Map { range, access }));
        }
        for object in &self.objects {
            recorder.put(|writer| writer.object(object));
        }
        for (range, _) in self.maps.iter() {
            recorder.snapshot(&mut self.device, range)?;
        }
        self.host_memory.update(|at, out| self.device.read(at, out), |_, _| {})?;
        if let Some(memory) = self.device.recorded_memory() {
            self.host_memory.has_seen(memory);
        }
        if self.submitted {
            match self.device.snapshot(REGISTERS) {
                Ok(snapshot) => recorder.put(|writer| writer.snapshot(&snapshot)),
                Err(Error::Unsupported(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let recording = Shared::new(recorder, std::mem::take(&mut self.host_memory));
        // It begins with what the host has chosen. What was submitted goes on in it, from wherever it is.
        self.device.set_call_recorder(Some(Box::new(recording.clone())));
        self.recording = Some(recording);
        Ok(())
    }

    /// Says that a picture is finished. Recorded only while a recording is under way.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] or [`Error::Unmapped`] when it is no picture.
    pub fn present(&mut self, present: &Present, expectation: Expectation) -> Result<(), Error> {
        self.look()?;
        let Some(recording) = &self.recording else { return Ok(()) };
        let picture = Picture::read(&mut self.device, present, self.big_endian)?;
        let mut recording = recording.lock();
        let recorder = &mut recording.recorder;
        recorder.put(|writer| writer.present(present));
        let (tolerance, permille) = match expectation {
            Expectation::None => return Ok(()),
            Expectation::AsItIs => (0, 0),
            Expectation::About { tolerance, permille } => (tolerance, permille),
        };
        let png = picture.to_png(true)?;
        recorder.put(|writer| writer.expect(&Expect { tolerance, permille, png: png.as_slice().into() }));
        Ok(())
    }

    /// Records what a range of memory hashes to now.
    ///
    /// # Errors
    /// [`Error::Unmapped`] when it is not all mapped.
    pub fn hash(&mut self, range: GuestRange) -> Result<(), Error> {
        self.look()?;
        let Some(recording) = &self.recording else { return Ok(()) };
        let xxh3 = hash_memory(&mut self.device, range)?;
        recording.lock().recorder.put(|writer| writer.hash(&Hash { range, xxh3 }));
        Ok(())
    }

    /// Ends the recording and returns the sink; `None` when none was under way.
    ///
    /// # Errors
    /// The first error of the sink.
    pub fn stop(&mut self) -> Result<Option<W>, Error> {
        let finished = self.drop_recording().map(Recorder::finish).transpose();
        finished.map_err(|error| Error::io("the recording", error))
    }

    /// The device that is recorded.
    pub fn device(&self) -> &D {
        &self.device
    }

    /// The device that is recorded, for what only its machine has. Calls made there are recorded as well; what a host
    /// writes by itself to memory of the library's is not.
    pub fn device_mut(&mut self) -> &mut D {
        self.submitted = true;
        &mut self.device
    }

    /// Says that a range is memory of the host's with some access of the GPU's, mapped by a call of the machine's own;
    /// or that nothing is mapped there any more, which a capture cannot say. Spaces that captures do not have are
    /// ignored.
    pub fn note_host_memory(&mut self, range: GuestRange, access: Option<Access>) {
        if range.start.space >= self.device.machine().host_spaces() {
            return;
        }
        match &self.recording {
            Some(recording) => recording.lock().host_memory.note(range, access.is_some()),
            None => self.host_memory.note(range, access.is_some()),
        }
        match access {
            Some(access) => {
                self.maps.insert(range, access);
                self.put(|writer| writer.map(&Map { range, access }));
            }
            None => self.maps.remove(range),
        }
    }

    /// Records a submission that `submit` makes, in whatever way the machine has, and what the host has changed in its
    /// memory since the last one.
    ///
    /// # Errors
    /// Those of `submit`, and what the device says when memory cannot be read.
    pub fn submit_with<T>(
        &mut self,
        payload: &[u8],
        submit: impl FnOnce(&mut D) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.submitted = true;
        if self.recording.is_none() || self.device.recorded_memory().is_some() {
            return submit(&mut self.device);
        }
        self.look()?;
        let done = submit(&mut self.device)?;
        if let Some(recording) = &self.recording {
            let Recording { recorder, host_memory } = &mut *recording.lock();
            recorder.put(|writer| writer.submit(payload));
            host_memory.update(|at, out| self.device.read(at, out), |_, _| {})?;
        }
        Ok(done)
    }

    /// Records what the host has changed in its memory.
    fn look(&mut self) -> Result<(), Error> {
        let Some(recording) = &self.recording else { return Ok(()) };
        let mut recording = recording.lock();
        match self.device.recorded_memory() {
            Some(memory) => recording.look_in(memory),
            None => recording.look(|at, out| self.device.read(at, out)),
        }
    }

    /// Ends the recording that is under way.
    fn drop_recording(&mut self) -> Option<Recorder<W>> {
        self.device.set_call_recorder(None);
        let (recorder, host_memory) = self.recording.take()?.into_parts()?;
        self.host_memory = host_memory;
        Some(recorder)
    }

    /// The device; a recording under way is dropped.
    pub fn into_inner(mut self) -> D {
        self.drop_recording();
        self.device
    }

    fn put(&mut self, write: impl FnOnce(&mut Writer<W>) -> io::Result<()>) {
        if let Some(recording) = &self.recording {
            recording.lock().recorder.put(write);
        }
    }
}

impl<D: Device, W: Write + Send + 'static> Replay for RecordingDevice<D, W> {
    /// Must come before a recording starts, as it comes before the first submit.
    fn set_big_endian(&mut self, big_endian: bool) -> Result<(), Error> {
        self.device.as_replay().set_big_endian(big_endian)?;
        self.big_endian = big_endian;
        Ok(())
    }

    fn replay_call(&mut self, call: &[u8]) -> Result<(), Error> {
        self.device.as_replay().replay_call(call)
    }

    fn object(&mut self, object: ObjectEntry) -> Result<(), Error> {
        self.device.as_replay().object(object)?;
        self.objects.retain(|old| old.handle != object.handle);
        self.objects.push(object);
        self.put(|writer| writer.object(&object));
        Ok(())
    }
}

impl<D: Device, W: Write + Send + 'static> sealed::Sealed for RecordingDevice<D, W> {}

impl<D: Device, W: Write + Send + 'static> Device for RecordingDevice<D, W> {
    triglyph_engine::passes_on_calls!(self => self.device);

    fn map(&mut self, range: GuestRange, access: Access) -> Result<(), Error> {
        self.device.map(range, access)?;
        match &self.recording {
            Some(recording) => recording.lock().host_memory.note(range, false),
            None => self.host_memory.note(range, false),
        }
        self.maps.insert(range, access);
        self.put(|writer| writer.map(&Map { range, access }));
        Ok(())
    }

    fn write(&mut self, at: GuestAddr, bytes: &[u8]) -> Result<(), Error> {
        self.device.write(at, bytes)?;
        self.put(|writer| writer.mem(at, bytes));
        Ok(())
    }

    fn submit(&mut self, payload: &[u8]) -> Result<(), Error> {
        self.submit_with(payload, |device| device.submit(payload))
    }

    fn as_replay(&mut self) -> &mut dyn Replay {
        self
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        self.device.restore(snapshot)?;
        self.submitted = true;
        if let Some(maps) = Ranges::of_snapshot(snapshot)? {
            self.maps = maps;
            match &self.recording {
                Some(recording) => recording.lock().host_memory.clear(),
                None => self.host_memory.clear(),
            }
        }
        self.put(|writer| writer.snapshot(snapshot));
        Ok(())
    }
}
