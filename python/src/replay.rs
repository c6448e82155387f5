//! Replays: the pictures of a capture, one after the other.

use std::ops::Range;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use triglyph::capture::{CaptureFile, Checks, Event, Finished, Hashed, Player, Reader, hash_memory};
use triglyph::{Device, Faults, GuestRange, Options, new_device};
use xxhash_rust::xxh3::Xxh3;

use crate::error::raise;
use crate::finding::{Finding, findings};
use crate::guard::{Guarded, Reporter};
use crate::picture::Picture;

/// Which frames are asked for.
#[derive(FromPyObject)]
pub enum Frames {
    #[pyo3(transparent)]
    Count(usize),
    #[pyo3(transparent)]
    Range((usize, usize)),
}

impl Frames {
    /// The records that pictures are taken from; the replay ends with the last. `all` are those of each frame, up to
    /// its last picture.
    ///
    /// # Errors
    /// `ValueError` for frames that there are not.
    pub fn records(frames: Option<Self>, all: &[Range<usize>]) -> PyResult<Range<usize>> {
        let (first, end) = match frames {
            None => return Ok(0..usize::MAX),
            Some(Frames::Count(count)) => (0, count),
            Some(Frames::Range(range)) => range,
        };
        if first >= end || end > all.len() {
            return Err(PyValueError::new_err(format!("frames {first} to {end} of {}", all.len())));
        }
        Ok(all[first].start..all[end - 1].end)
    }
}

/// A way through a file.
type Playing<'a> = Player<'a, 'a>;

self_cell::self_cell!(
    struct Played {
        owner: Arc<CaptureFile>,
        #[not_covariant]
        dependent: Playing,
    }
);

/// What a replay consists of.
struct State {
    player: Played,
    device: Box<dyn Device>,
    /// Records that pictures are taken from.
    records: Range<usize>,
    frames: Vec<Range<usize>>,
    hashes: Vec<Hash>,
    done: bool,
    /// The record that it has come to, and the one after the last.
    at: (usize, usize),
}

/// What a step of a replay has brought.
enum Step {
    Picture(Box<Finished>),
    /// Nothing that is shown.
    Other,
    End,
}

impl State {
    fn step(&mut self) -> Result<Step, triglyph::Error> {
        let State { player, device, .. } = self;
        let event = match self.done {
            true => None,
            false => player.with_dependent_mut(|_, player| player.next(&mut **device))?,
        };
        match &event {
            Some(Event::Submitted { record }) => self.at.0 = *record,
            Some(Event::Picture(finished)) => self.at.0 = finished.record,
            Some(Event::Hash(hashed)) => self.at.0 = hashed.record,
            _ => {}
        }
        Ok(match event {
            None => {
                self.done = true;
                Step::End
            }
            Some(Event::Picture(finished)) if finished.record >= self.records.start => {
                self.done = finished.record + 1 == self.records.end;
                Step::Picture(Box::new(finished))
            }
            Some(Event::Hash(hashed)) => {
                self.hashes.push(Hash::from(hashed));
                Step::Other
            }
            Some(_) => Step::Other,
        })
    }

    fn memory_hash(&mut self) -> Result<u64, triglyph::Error> {
        let mut hasher = Xxh3::new();
        let maps = self.player.with_dependent(|_, player| player.maps());
        for (range, _) in maps {
            hasher.update(&hash_memory(&mut *self.device, range)?.to_le_bytes());
        }
        Ok(hasher.digest())
    }
}

/// A replay: an iterator over a capture's pictures. Python's lock is free while it draws.
#[pyclass(frozen, module = "triglyph")]
pub struct Replay {
    state: Guarded<State>,
    reporter: Arc<Reporter>,
}

impl Replay {
    /// A replay that has not begun.
    ///
    /// # Errors
    /// What is wrong with the file's header; a tier that this host does not have.
    pub fn new(
        file: Arc<CaptureFile>,
        options: &Options,
        frames: &[Range<usize>],
        (records, last): (Range<usize>, usize),
        reporter: Arc<Reporter>,
    ) -> Result<Self, triglyph::Error> {
        let device = new_device(Reader::new(&file)?.header().machine, options)?;
        let player = Played::try_new(file, |file| Ok(Player::new(&Reader::new(file)?, Checks::ALL)))?;
        let (frames, hashes) = (frames.to_vec(), Vec::new());
        let state = State { player, device, records, frames, hashes, done: false, at: (0, last) };
        Ok(Replay { state: Guarded::new(state), reporter })
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        action: impl FnOnce(&mut State) -> Result<T, triglyph::Error> + Send,
    ) -> PyResult<T> {
        self.state.with(py, |state| action(state).map_err(raise))
    }
}

#[pymethods]
impl Replay {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (at, last) = self.with(py, |state| Ok(state.at))?;
        Ok(format!("<Replay at record {at} of {last}>"))
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<CapturePicture>>> {
        loop {
            let (step, (at, last)) = self.with(py, |state| Ok((state.step()?, state.at)))?;
            match step {
                Step::End => {
                    self.reporter.tell(py, last, last)?;
                    return Ok(None);
                }
                Step::Other => self.reporter.tell(py, at.min(last.saturating_sub(1)), last)?,
                Step::Picture(finished) => {
                    let record = finished.record;
                    let frame = self.with(py, |state| Ok(state.frames.partition_point(|frame| frame.end <= record)))?;
                    return Ok(Some(CapturePicture::new(py, *finished, frame)?));
                }
            }
        }
    }

    /// Draws what is left, without its pictures.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        while self.__next__(py)?.is_some() {}
        Ok(())
    }

    /// The hashes of the capture that have been checked so far.
    #[getter]
    fn hashes(&self, py: Python<'_>) -> PyResult<Vec<Hash>> {
        self.with(py, |state| Ok(state.hashes.clone()))
    }

    /// How often the guest has done something wrong so far.
    #[getter]
    fn fault_count(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |state| Ok(state.device.faults().total()))
    }

    /// What the guest has done wrong so far: the first 64.
    #[getter]
    fn faults(&self, py: Python<'_>) -> PyResult<Vec<Fault>> {
        self.with(py, |state| Ok(faults(state.device.faults())))
    }

    /// What has made draws invisible or suspicious since the last call, oldest first. There is nothing without
    /// validate.
    fn take_findings(&self, py: Python<'_>) -> PyResult<Vec<Finding>> {
        self.with(py, |state| Ok(findings(&mut *state.device)))
    }

    /// XXH3 (64 bits) of the hashes of all memory that the capture maps, by space and address, as it is now. Equal
    /// for every tier and every number of threads.
    fn memory_hash(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, State::memory_hash)
    }

    /// The bytes of guest memory as they are now.
    #[pyo3(signature = (address, size, space = 0))]
    fn read<'py>(&self, py: Python<'py>, address: u64, size: u64, space: u32) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let read = |state: &mut State| {
            let range = GuestRange::new(space, address, size);
            let length = usize::try_from(size).ok().filter(|length| *length <= MAX_READ);
            let mut bytes = vec![0; length.ok_or(triglyph::Error::Unmapped(range))?];
            state.device.read(range.start, &mut bytes).map(|()| bytes)
        };
        Ok(self.with(py, read)?.into_pyarray(py))
    }
}

/// Bytes that are read at once at most.
pub const MAX_READ: usize = 1 << 32;

/// A finished picture of a capture.
#[pyclass(extends = Picture, frozen, get_all, module = "triglyph")]
pub struct CapturePicture {
    /// Index of the record that presents it.
    record: usize,
    /// Counts the pictures of the capture from 0.
    index: usize,
    /// The frame that it is of, from 0.
    frame: usize,
    /// How it compares with the one that the capture expects; None if it expects none.
    expectation: Option<Expectation>,
    /// The picture that the capture expects; None if it expects none.
    expected: Option<Py<Picture>>,
}

/// How a picture compares with the expected one.
#[pyclass(frozen, get_all, module = "triglyph")]
#[derive(Clone)]
pub struct Expectation {
    /// Whether it is close enough.
    ok: bool,
    /// The largest difference of a channel that is allowed, in steps of 8 bits.
    tolerance: u32,
    /// Pixels that differ by more.
    over: u64,
    /// The largest difference of a channel.
    max_difference: u8,
}

#[pymethods]
impl Expectation {
    fn __repr__(&self) -> String {
        let Expectation { ok, tolerance, over, max_difference } = self;
        let ok = if *ok { "True" } else { "False" };
        format!("Expectation(ok={ok}, tolerance={tolerance}, over={over}, max_difference={max_difference})")
    }
}

/// A hash of memory that a capture has had checked.
#[pyclass(frozen, get_all, module = "triglyph")]
#[derive(Clone)]
pub struct Hash {
    /// Index of the record.
    record: usize,
    /// Address space of the memory.
    space: u32,
    /// Its first byte.
    address: u64,
    /// Its bytes.
    size: u64,
    /// The hash that the capture has: XXH3, 64 bits.
    expected: u64,
    /// The hash found.
    found: u64,
}

#[pymethods]
impl Hash {
    /// Whether both are equal.
    #[getter]
    fn ok(&self) -> bool {
        self.expected == self.found
    }

    fn __repr__(&self) -> String {
        let Hash { record, address, size, expected, found, .. } = self;
        format!(
            "Hash(record={record}, address={address:#x}, size={size}, expected={expected:016x}, found={found:016x})"
        )
    }
}

impl From<Hashed> for Hash {
    fn from(hashed: Hashed) -> Self {
        let Hashed { record, hash, got, .. } = hashed;
        let GuestRange { start, size } = hash.range;
        Hash { record, space: start.space, address: start.address, size, expected: hash.xxh3, found: got }
    }
}

/// Something that the guest has done wrong.
#[pyclass(frozen, get_all, module = "triglyph")]
#[derive(Clone)]
pub struct Fault {
    /// Its kind: unmapped-read, unmapped-write, bad-command, bad-method, bad-shader, out-of-fuel, unimplemented.
    kind: &'static str,
    /// What happened.
    text: String,
    /// The guest address, register or method concerned.
    address: u64,
    /// Where in the command stream: the byte offset in its list, or the address of the command word.
    position: u64,
}

#[pymethods]
impl Fault {
    fn __repr__(&self) -> String {
        format!("Fault(kind='{}', text='{}')", self.kind, self.text)
    }
}

/// The first faults.
pub fn faults(faults: &Faults) -> Vec<Fault> {
    let fault = |fault: &triglyph::Fault| Fault {
        kind: fault.kind.name(),
        text: fault.what.clone(),
        address: fault.address,
        position: fault.command,
    };
    faults.first().iter().map(fault).collect()
}

impl CapturePicture {
    fn new(py: Python<'_>, finished: Finished, frame: usize) -> PyResult<Py<Self>> {
        let Finished { record, index, present, picture, expectation, .. } = finished;
        let (expectation, expected) = expectation.map_or((None, None), |(expected, comparison)| {
            let expectation = Expectation {
                ok: comparison.ok,
                tolerance: expected.tolerance,
                over: comparison.over,
                max_difference: comparison.max_difference,
            };
            (Some(expectation), Some(expected.picture))
        });
        let expected = expected.map(|expected| Py::new(py, Picture::of(py, expected, present.label.clone())?));
        let expected = expected.transpose()?;
        let none = || triglyph::capture::Picture { width: 0, height: 0, rgba: Vec::new() };
        let picture = Picture::of(py, picture.unwrap_or_else(none), present.label)?;
        Py::new(py, (CapturePicture { record, index, frame, expectation, expected }, picture))
    }
}

#[pymethods]
impl CapturePicture {
    fn __repr__(slf: PyRef<'_, Self>) -> String {
        format!("<Picture {} of frame {} on {}>", slf.index, slf.frame, slf.as_super().label())
    }
}
