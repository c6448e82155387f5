//! Captures and their contents.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use triglyph::capture::{CaptureFile, Header, Kind, Prepared, Reader, Record as Parsed};

use crate::entry::{Entry, compression, file_of, from_json, kind_name};
use crate::error::raise;
use crate::guard::{Reporter, detached};
use crate::options::{machine, options};
use crate::replay::{Frames, Replay};
use crate::session::Session;

/// A capture's input: a path, or its bytes.
#[derive(FromPyObject)]
pub enum Source {
    #[pyo3(transparent)]
    Bytes(Vec<u8>),
    #[pyo3(transparent)]
    Path(PathBuf),
}

/// A record of a capture.
#[pyclass(frozen, get_all, module = "triglyph")]
#[derive(Clone)]
pub struct Record {
    /// Its index, from 0; errors and events name it.
    index: usize,
    /// Its kind: META, MAP, MEM, OBJECT, SUBMIT, PRESENT, EXPECT, HASH, SNAPSHOT, CALL, or a number.
    kind: String,
    /// Where its header is in the file, in bytes.
    offset: u64,
    /// Bytes of its payload in the file, perhaps compressed.
    stored: usize,
}

#[pymethods]
impl Record {
    fn __repr__(&self) -> String {
        let Record { index, kind, offset, stored } = self;
        format!("Record(index={index}, kind='{kind}', offset={offset:#x}, stored={stored})")
    }
}

/// An output that a capture presents pictures on.
#[pyclass(frozen, get_all, module = "triglyph")]
#[derive(Clone, PartialEq)]
pub struct Output {
    /// Its label: top, top-right, bottom, main.
    label: String,
    /// Pixels from left to right, as a person sees it.
    width: u32,
    /// Pixels from top to bottom.
    height: u32,
    /// How many pictures there are.
    pictures: usize,
}

#[pymethods]
impl Output {
    fn __repr__(&self) -> String {
        let Output { label, width, height, pictures } = self;
        format!("Output(label='{label}', width={width}, height={height}, pictures={pictures})")
    }
}

/// A capture: the input of a console's GPU, from a .tgc file.
///
/// All of it is decoded and checked when it is opened.
#[pyclass(frozen, module = "triglyph")]
pub struct Capture {
    file: Arc<CaptureFile>,
    /// The machine: "3ds", "ps3", "tegra-x1".
    #[pyo3(get)]
    machine: &'static str,
    /// Whether the words in guest memory are big-endian.
    #[pyo3(get)]
    big_endian: bool,
    /// The records, in their order.
    #[pyo3(get)]
    records: Vec<Record>,
    /// The outputs, in the order in which they are first presented on.
    #[pyo3(get)]
    outputs: Vec<Output>,
    /// The payload of its META record, if it has one: a JSON object.
    meta: Option<Vec<u8>>,
    /// The records of each frame, up to its last picture.
    frames: Vec<Range<usize>>,
}

/// What is read when a capture is opened.
struct Opened {
    file: CaptureFile,
    records: Vec<Record>,
    outputs: Vec<Output>,
    meta: Option<Vec<u8>>,
    frames: Vec<Range<usize>>,
    machine: &'static str,
    big_endian: bool,
}

fn open(source: Source) -> Result<Opened, triglyph::Error> {
    let file = match source {
        Source::Path(path) => CaptureFile::open(&path)?,
        Source::Bytes(bytes) => CaptureFile::from(bytes),
    };
    let reader = Reader::new(&file)?;
    let capture = Prepared::new(&reader)?;
    let (mut records, mut meta) = (Vec::new(), None);
    for raw in reader.raw_records() {
        let raw = raw?;
        if raw.known_kind() == Some(Kind::Meta) {
            meta = Some(raw.decode(reader.limits().payload)?.into_owned());
        }
        let kind = kind_name(raw.kind);
        records.push(Record { index: raw.index, kind, offset: raw.offset, stored: raw.stored.len() });
    }
    let mut outputs: Vec<Output> = Vec::new();
    for entry in capture.entries() {
        let Parsed::Present(present) = &entry.record else { continue };
        match outputs.iter_mut().find(|output| output.label == present.label) {
            Some(output) => output.pictures += 1,
            None => outputs.push(Output {
                label: present.label.clone(),
                width: present.width,
                height: present.height,
                pictures: 1,
            }),
        }
    }
    let header = capture.header();
    let is_picture = |record: &usize| matches!(capture.entries()[*record].record, Parsed::Present(_));
    let up_to_picture = |frame: Range<usize>| {
        let last = frame.clone().rev().find(is_picture);
        frame.start..last.map_or(frame.end, |last| last + 1)
    };
    let frames = capture.frames().into_iter().map(up_to_picture).collect();
    let (machine, big_endian) = (header.machine.name(), header.big_endian);
    drop(capture);
    Ok(Opened { file, records, outputs, meta, frames, machine, big_endian })
}

impl Capture {
    fn of(py: Python<'_>, source: Source) -> PyResult<Self> {
        let Opened { file, records, outputs, meta, frames, machine, big_endian } =
            detached(py, || open(source).map_err(raise))?;
        Ok(Capture { file: Arc::new(file), machine, big_endian, records, outputs, meta, frames })
    }

    /// Opens a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn open(py: Python<'_>, path: &Path) -> PyResult<Self> {
        Self::of(py, Source::Path(path.to_owned()))
    }

    /// Its bytes.
    pub fn file(&self) -> Arc<CaptureFile> {
        self.file.clone()
    }
}

#[pymethods]
impl Capture {
    /// Opens a capture: a path, or bytes.
    #[new]
    fn new(py: Python<'_>, source: Source) -> PyResult<Self> {
        Self::of(py, source)
    }

    /// Makes a capture of records: those of another one that were changed, or new ones. It is checked as any other.
    /// meta: facts that come first, instead of a META entry. compression: zstd's level, 1 to 22, or 0.
    #[staticmethod]
    #[pyo3(signature = (machine, entries, *, meta = None, big_endian = false, compression = 3))]
    fn build(
        py: Python<'_>,
        machine: &str,
        entries: Vec<PyRef<'_, Entry>>,
        meta: Option<&Bound<'_, PyDict>>,
        big_endian: bool,
        compression: i32,
    ) -> PyResult<Self> {
        let header = Header { machine: self::machine(machine)?, big_endian };
        self::compression(compression).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let facts = meta.map(Entry::of_meta).transpose()?;
        let is_kept = |entry: &Entry| facts.is_none() || entry.number != Kind::Meta as u32;
        let rest = entries.iter().map(|entry| (**entry).clone()).filter(is_kept);
        let entries: Vec<Entry> = facts.iter().cloned().chain(rest).collect();
        let file = detached(py, || file_of(header, &entries, compression))?;
        Self::of(py, Source::Bytes(file))
    }

    /// What its META record says; empty without one.
    #[getter]
    fn meta<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.meta {
            Some(text) => from_json(py, text),
            None => Ok(PyDict::new(py).into_any()),
        }
    }

    /// What its records say, to be looked at, changed and built into another capture.
    fn entries(&self, py: Python<'_>) -> PyResult<Vec<Entry>> {
        let decode = || {
            let reader = Reader::new(&self.file)?;
            let limit = reader.limits().payload;
            let entry = |raw: triglyph::capture::RawRecord<'_>| {
                Ok(Entry { number: raw.kind, payload: raw.decode(limit)?.into_owned() })
            };
            reader.raw_records().map(|raw| raw.and_then(entry)).collect::<Result<_, triglyph::Error>>()
        };
        detached(py, || decode().map_err(raise))
    }

    /// Writes its file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let failed = |error| raise(triglyph::Error::io(&path, error));
        detached(py, || std::fs::write(&path, &**self.file).map_err(failed))
    }

    /// How many frames it has. A frame ends after its last picture, before an output comes round again.
    #[getter]
    fn frames(&self) -> usize {
        self.frames.len()
    }

    /// The bytes of its file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.file)
    }

    /// What is in a record: its payload, decoded. docs/reference/captures.md says what the bytes of each kind mean.
    fn payload<'py>(&self, py: Python<'py>, record: usize) -> PyResult<Bound<'py, PyBytes>> {
        let none = || PyIndexError::new_err(format!("record {record} of {}", self.records.len()));
        let decode = || {
            let reader = Reader::new(&self.file)?;
            let raw = reader.raw_records().nth(record).transpose()?;
            raw.map(|raw| raw.decode(reader.limits().payload).map(|payload| payload.into_owned())).transpose()
        };
        let payload = detached(py, || decode().map_err(raise))?.ok_or_else(none)?;
        Ok(PyBytes::new(py, &payload))
    }

    /// Replays it: an iterator over its pictures, which are drawn as they are asked for.
    ///
    /// tier: "auto" (the interpreter at once, compiled code when it is ready), "interp", "jit".
    /// threads: 0 takes one for each core.
    /// accuracy: "fast", or "exact" as the hardware's documentation and tests say.
    /// frames: how many, or (first, end); all without it. Frames before the first are drawn, too.
    /// validate: whether draws are checked for what makes them invisible or suspicious (take_findings of the replay),
    /// which takes many times as long.
    /// progress: is called with the record that is drawn and how many there are, at most 20 times in a second, and at
    /// the end. An exception of it ends the call that draws.
    #[pyo3(signature = (*, tier = "auto", threads = 0, accuracy = "fast", frames = None, validate = false,
                        progress = None))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn replay(
        &self,
        py: Python<'_>,
        tier: &str,
        threads: usize,
        accuracy: &str,
        frames: Option<Frames>,
        validate: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Replay> {
        let mut options = options(tier, threads, accuracy)?;
        options.validate = validate;
        let records = Frames::records(frames, &self.frames)?;
        let file = self.file.clone();
        let last = records.end.min(self.records.len());
        let reporter = Reporter::new(progress);
        detached(py, || Replay::new(file, &options, &self.frames, (records, last), reporter).map_err(raise))
    }

    /// Replays it once and lists what its commands do: a session that can be brought to any event.
    ///
    /// The arguments are as for replay.
    #[pyo3(signature = (*, tier = "auto", threads = 0, accuracy = "fast", progress = None))]
    fn inspect(
        &self,
        py: Python<'_>,
        tier: &str,
        threads: usize,
        accuracy: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Session> {
        let options = options(tier, threads, accuracy)?;
        let (file, reporter) = (self.file.clone(), Reporter::new(progress));
        detached(py, || Session::open(file, options, &reporter))
    }

    fn __repr__(&self) -> String {
        format!("<Capture: {}, {} records, {} frames>", self.machine, self.records.len(), self.frames.len())
    }
}
