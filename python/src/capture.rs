//! Captures and their contents.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use triglyph::capture::{CaptureFile, Kind, Prepared, Reader, Record as Parsed};

use crate::error::raise;
use crate::options::options;
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
    /// What the META records say, as JSON texts.
    #[pyo3(get)]
    meta: Vec<String>,
    /// The records of each frame, up to its last picture.
    frames: Vec<Range<usize>>,
}

/// What is read when a capture is opened.
struct Opened {
    file: CaptureFile,
    records: Vec<Record>,
    outputs: Vec<Output>,
    meta: Vec<String>,
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
    let mut records = Vec::new();
    for raw in reader.raw_records() {
        let raw = raw?;
        let kind = raw.known_kind().map_or_else(|| format!("{:#x}", raw.kind), |kind: Kind| kind.name().to_owned());
        records.push(Record { index: raw.index, kind, offset: raw.offset, stored: raw.stored.len() });
    }
    let (mut outputs, mut meta): (Vec<Output>, Vec<String>) = (Vec::new(), Vec::new());
    for entry in capture.entries() {
        match &entry.record {
            Parsed::Meta(value) => meta.push(value.to_string()),
            Parsed::Present(present) => match outputs.iter_mut().find(|output| output.label == present.label) {
                Some(output) => output.pictures += 1,
                None => outputs.push(Output {
                    label: present.label.clone(),
                    width: present.width,
                    height: present.height,
                    pictures: 1,
                }),
            },
            _ => {}
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

#[pymethods]
impl Capture {
    /// Opens a capture: a path, or bytes.
    #[new]
    fn new(py: Python<'_>, source: Source) -> PyResult<Self> {
        let Opened { file, records, outputs, meta, frames, machine, big_endian } =
            py.detach(|| open(source)).map_err(raise)?;
        Ok(Capture { file: Arc::new(file), machine, big_endian, records, outputs, meta, frames })
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
        let payload = py.detach(decode).map_err(raise)?.ok_or_else(none)?;
        Ok(PyBytes::new(py, &payload))
    }

    /// Replays it: an iterator over its pictures, which are drawn as they are asked for.
    ///
    /// tier: "auto" (the interpreter at once, compiled code when it is ready), "interp", "jit".
    /// threads: 0 takes one for each core.
    /// accuracy: "fast", or "exact" as the hardware's documentation and tests say.
    /// frames: how many, or (first, end); all without it. Frames before the first are drawn, too.
    #[pyo3(signature = (*, tier = "auto", threads = 0, accuracy = "fast", frames = None))]
    fn replay(
        &self,
        py: Python<'_>,
        tier: &str,
        threads: usize,
        accuracy: &str,
        frames: Option<Frames>,
    ) -> PyResult<Replay> {
        let options = options(tier, threads, accuracy)?;
        let records = Frames::records(frames, &self.frames)?;
        let file = self.file.clone();
        py.detach(|| Replay::new(file, &options, &self.frames, records)).map_err(raise)
    }

    /// Replays it once and lists what its commands do: a session that can be brought to any event.
    ///
    /// The arguments are those of replay.
    #[pyo3(signature = (*, tier = "auto", threads = 0, accuracy = "fast"))]
    fn inspect(&self, py: Python<'_>, tier: &str, threads: usize, accuracy: &str) -> PyResult<Session> {
        let options = options(tier, threads, accuracy)?;
        let file = self.file.clone();
        py.detach(|| Session::open(file, options)).map_err(raise)
    }

    fn __repr__(&self) -> String {
        format!("<Capture: {}, {} records, {} frames>", self.machine, self.records.len(), self.frames.len())
    }
}
