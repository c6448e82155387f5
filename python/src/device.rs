//! Devices: machines that Python code drives itself.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use triglyph::capture::{Checks, Expectation, Player, Prepared, Reader};
use triglyph::{Error, FaultKind, GuestRange, Machine, Mapping, RunLimit, SnapshotOptions};

use crate::capture::Capture;
use crate::entry::compression;
use crate::error::{UnsupportedError, raise};
use crate::finding::{Finding, findings};
use crate::gpu::{Gpu, HostBuffer, recorded};
use crate::guard::{Guarded, Reporter, detached};
use crate::options::options;
use crate::picture::Picture;
use crate::present::{Place, access, access_letters};
use crate::recording::{Recording, meta_of};
use crate::replay::{Fault, MAX_READ, faults};
use crate::signal::{RunEnd, Signal};
use crate::state::{State, range, refused, stats_dict};

/// The GPU of a console, without anything mapped.
///
/// machine: "3ds", "ps3", "tegra-x1". tier, threads, accuracy: as for Capture.replay.
/// big_endian: whether words in guest memory are; by default those of the PS3.
/// deferred: whether submissions wait for run and finish.
/// fuel: what one submission may cost, in units of about a nanosecond of a core; more is a fault.
/// validate: whether draws are checked for what makes them invisible or suspicious (take_findings), which takes many
/// times as long.
///
/// As a context manager it is closed at the end of the block. What the guest does wrong is no exception: see faults.
#[pyclass(frozen, module = "triglyph")]
pub struct Device {
    state: Guarded<Option<State>>,
    machine: Machine,
}

/// How often a run looks for signals.
const LOOK_EVERY: Duration = Duration::from_millis(20);

impl Device {
    /// Calls the library with the machine.
    ///
    /// # Errors
    /// Those of the call, and `ValueError` for a device that is closed.
    pub fn call<T: Send>(&self, py: Python<'_>, call: impl FnOnce(&mut State) -> PyResult<T> + Send) -> PyResult<T> {
        self.state.with(py, |state| match state {
            Some(state) => call(state),
            None => Err(PyValueError::new_err("the device is closed")),
        })
    }

    /// Ends a recording and closes its file.
    pub fn stop_recording(&self, py: Python<'_>, path: &Path) -> PyResult<()> {
        let stop = |state: &mut Option<State>| {
            let Some(state) = state else { return Ok(()) };
            let sink = recorded!(&mut state.gpu, device => device.stop());
            let failed = |source| raise(Error::io(path, source));
            let sink = sink.map_err(|error| match error {
                Error::Io { source, .. } => failed(source),
                error => raise(error),
            })?;
            sink.map_or(Ok(()), |sink| sink.into_inner().map(drop).map_err(|error| failed(error.into_error())))
        };
        self.state.with(py, stop)
    }

    fn submit_bytes(&self, py: Python<'_>, payload: Vec<u8>) -> PyResult<()> {
        self.call(py, |state| state.gpu.device().submit(&payload).map_err(refused))
    }

    fn expect_machine(&self, machine: Machine, what: &str) -> PyResult<()> {
        match self.machine == machine {
            true => Ok(()),
            false => Err(UnsupportedError::new_err(format!("{what} on the {}", self.machine))),
        }
    }

    /// Runs what is submitted on a thread of its own, so that this one can look for signals.
    fn run_within(&self, py: Python<'_>, limit: RunLimit) -> PyResult<RunEnd> {
        let run = |state: &mut State| {
            let device = state.gpu.device();
            let interrupter = device.interrupter();
            thread::scope(|scope| {
                let (sender, receiver) = channel();
                scope.spawn(move || {
                    // Nobody waits for the end of a run whose device panics.
                    let _ = sender.send(device.run_for(limit));
                });
                loop {
                    match receiver.recv_timeout(LOOK_EVERY) {
                        Ok(end) => return Ok(RunEnd::from(end)),
                        Err(RecvTimeoutError::Timeout) => {
                            Python::attach(|py| py.check_signals()).inspect_err(|_| interrupter.interrupt())?;
                        }
                        // The scope passes the panic on.
                        Err(RecvTimeoutError::Disconnected) => return Ok(RunEnd::from(triglyph::RunEnd::Interrupted)),
                    }
                }
            })
        };
        self.call(py, run)
    }
}

#[pymethods]
impl Device {
    #[new]
    #[pyo3(signature = (machine, *, tier = "auto", threads = 0, accuracy = "fast", big_endian = None,
                        deferred = false, fuel = None, validate = false))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        py: Python<'_>,
        machine: &str,
        tier: &str,
        threads: usize,
        accuracy: &str,
        big_endian: Option<bool>,
        deferred: bool,
        fuel: Option<u64>,
        validate: bool,
    ) -> PyResult<Self> {
        let machine = crate::options::machine(machine)?;
        let mut options = options(tier, threads, accuracy)?;
        options.fuel = fuel.unwrap_or(options.fuel);
        options.validate = validate;
        let big_endian = big_endian.unwrap_or(machine == Machine::Ps3);
        let make = || {
            let mut gpu = Gpu::new(machine, &options)?;
            gpu.device().as_replay().set_big_endian(big_endian)?;
            if deferred {
                gpu.device().set_deferred(true);
            }
            Ok(State { gpu, buffers: Vec::new(), big_endian })
        };
        let state = detached(py, || make().map_err(refused))?;
        Ok(Device { state: Guarded::new(Some(state)), machine })
    }

    /// The machine: "3ds", "ps3", "tegra-x1".
    #[getter]
    fn machine(&self) -> &'static str {
        self.machine.name()
    }

    /// Maps memory in an address space; what was mapped there before is replaced. Without memory it is zeros of the
    /// library's own. memory is an object with a writable buffer, such as a bytearray or an array, whose bytes the GPU
    /// reads and writes in place; size is its size then. The object keeps its buffer until all of it is unmapped or
    /// replaced, or the device closed. access: "r", "w" or "rw", of the GPU.
    #[pyo3(signature = (address, size = None, *, space = 0, access = "rw", memory = None))]
    fn map(
        &self,
        py: Python<'_>,
        address: u64,
        size: Option<u64>,
        space: u32,
        access: &str,
        memory: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let access = self::access(access)?;
        let buffer = memory.map(HostBuffer::of).transpose()?;
        let size = size.or(buffer.as_ref().map(HostBuffer::size));
        let size = size.ok_or_else(|| PyValueError::new_err("neither a size nor memory"))?;
        let range = range(space, address, size)?;
        let released = self.call(py, |state| {
            match &buffer {
                None => state.gpu.device().map(range, access),
                Some(buffer) => state.gpu.map_buffer(range, buffer, access),
            }
            .map_err(refused)?;
            let released = state.released(range);
            state.buffers.extend(buffer.map(|buffer| (range, buffer)));
            Ok(released)
        })?;
        drop(released);
        Ok(())
    }

    /// Removes whatever is mapped in a range.
    #[pyo3(signature = (address, size, *, space = 0))]
    fn unmap(&self, py: Python<'_>, address: u64, size: u64, space: u32) -> PyResult<()> {
        let range = range(space, address, size)?;
        let released = self.call(py, |state| {
            state.gpu.unmap(range);
            Ok(state.released(range))
        })?;
        drop(released);
        Ok(())
    }

    /// What is mapped: (space, address, size, access) of each range.
    #[getter]
    fn mappings(&self, py: Python<'_>) -> PyResult<Vec<(u32, u64, u64, &'static str)>> {
        let entry = |Mapping { range, access }: Mapping| {
            (range.start.space, range.start.address, range.size, access_letters(access))
        };
        self.call(py, |state| Ok(state.gpu.device_ref().mappings().0.into_iter().map(entry).collect()))
    }

    /// Stores bytes, or whatever has a contiguous buffer, in guest memory, after everything that was submitted.
    #[pyo3(signature = (address, data, *, space = 0))]
    fn write(&self, py: Python<'_>, address: u64, data: &Bound<'_, PyAny>, space: u32) -> PyResult<()> {
        let bytes = HostBuffer::of(data)?.copy(py)?;
        let at = range(space, address, bytes.len() as u64)?.start;
        self.call(py, |state| state.gpu.device().write(at, &bytes).map_err(refused))
    }

    /// The bytes of guest memory, uint8, after everything that was submitted.
    #[pyo3(signature = (address, size, *, space = 0))]
    fn read<'py>(&self, py: Python<'py>, address: u64, size: u64, space: u32) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let range = range(space, address, size)?;
        let length = usize::try_from(size).ok().filter(|length| *length <= MAX_READ);
        let length = length.ok_or_else(|| PyValueError::new_err(format!("{size} bytes are more than {MAX_READ}")))?;
        let read = |state: &mut State| {
            let mut bytes = vec![0; length];
            state.gpu.device().read(range.start, &mut bytes).map(|()| bytes).map_err(refused)
        };
        Ok(self.call(py, read)?.into_pyarray(py))
    }

    /// Ranges that the GPU has written since the last call: (space, address, size) of each, perhaps more bytes than
    /// were written.
    fn take_written(&self, py: Python<'_>) -> PyResult<Vec<(u32, u64, u64)>> {
        let triple = |range: GuestRange| (range.start.space, range.start.address, range.size);
        self.call(py, |state| Ok(state.gpu.device().take_written().into_iter().map(triple).collect()))
    }

    /// Gives the GPU work: the payload of a SUBMIT record of this machine, bytes or what has a buffer. Unless the
    /// device is deferred the work is done when this returns.
    fn submit(&self, py: Python<'_>, payload: &Bound<'_, PyAny>) -> PyResult<()> {
        let payload = HostBuffer::of(payload)?.copy(py)?;
        self.submit_bytes(py, payload)
    }

    /// Gives the 3DS a GX command of eight words.
    fn submit_command(&self, py: Python<'_>, words: [u32; 8]) -> PyResult<()> {
        self.expect_machine(Machine::N3ds, "GX commands")?;
        self.submit_bytes(py, words.map(u32::to_le_bytes).concat())
    }

    /// Gives the PS3 segments of a push buffer: (start, bytes) of each, in space 0 (local memory) or 1 (IO offsets).
    #[pyo3(signature = (segments, *, channel = 0, space = 1))]
    fn submit_segments(&self, py: Python<'_>, segments: Vec<(u64, u64)>, channel: u32, space: u32) -> PyResult<()> {
        self.expect_machine(Machine::Ps3, "segments of push buffers")?;
        let mut payload = [channel, space].map(u32::to_le_bytes).concat();
        payload.extend(segments.iter().flat_map(|(start, bytes)| [start, bytes]).flat_map(|word| word.to_le_bytes()));
        self.submit_bytes(py, payload)
    }

    /// Gives the Tegra X1 entries of the GPFIFO.
    #[pyo3(signature = (entries, *, channel = 0))]
    fn submit_entries(&self, py: Python<'_>, entries: Vec<u64>, channel: u32) -> PyResult<()> {
        self.expect_machine(Machine::TegraX1, "entries of the GPFIFO")?;
        let mut payload = [channel, 0].map(u32::to_le_bytes).concat();
        payload.extend(entries.iter().flat_map(|entry| entry.to_le_bytes()));
        self.submit_bytes(py, payload)
    }

    /// Goes on with what was submitted to a deferred device, and with channels that wait, until nothing can go on or a
    /// limit is reached: nanoseconds of the machine's time, words of push buffers. Ctrl-C ends it between two commands.
    #[pyo3(signature = (*, nanoseconds = None, words = None))]
    fn run(&self, py: Python<'_>, nanoseconds: Option<u64>, words: Option<u64>) -> PyResult<RunEnd> {
        let limit = nanoseconds.map_or(RunLimit::NONE, |time| RunLimit::of_time(Duration::from_nanos(time)));
        let limit = limit.with_words(words.unwrap_or(u64::MAX));
        self.run_within(py, limit)
    }

    /// Waits until everything submitted is done and in guest memory. Work that is deferred is done first, and Ctrl-C
    /// ends it.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        if self.call(py, |state| Ok(state.gpu.device().is_deferred()))? {
            self.run_within(py, RunLimit::NONE)?;
        }
        self.call(py, |state| {
            state.gpu.device().finish();
            Ok(())
        })
    }

    /// Plays the records of a capture, all or (first, end), without checking its pictures. progress is called with the
    /// record and how many there are.
    #[pyo3(signature = (capture, *, records = None, progress = None))]
    fn play(
        &self,
        py: Python<'_>,
        capture: &Capture,
        records: Option<(usize, usize)>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let (file, reporter) = (capture.file(), Reporter::new(progress));
        let play = |state: &mut State| {
            let prepared = Prepared::new(&Reader::new(&file).map_err(raise)?).map_err(raise)?;
            let (first, end) = records.unwrap_or((0, prepared.entries().len()));
            if first > end || end > prepared.entries().len() {
                return Err(PyValueError::new_err(format!("records {first} to {end} of {}", prepared.entries().len())));
            }
            state.take_header(prepared.header())?;
            for record in first..end {
                Python::attach(|py| reporter.tell(py, record, end))?;
                let mut player = Player::part(&prepared, record..record + 1, Checks::NONE).unfinished();
                while player.next(state.gpu.device()).map_err(raise)?.is_some() {}
            }
            Python::attach(|py| reporter.tell(py, end, end))
        };
        self.call(py, play)
    }

    /// The events since the last call, oldest first; of many that nobody takes the last 4096.
    fn take_events(&self, py: Python<'_>) -> PyResult<Vec<Signal>> {
        self.call(py, |state| Ok(state.gpu.device().take_events().into_iter().map(Signal::from).collect()))
    }

    /// What has made draws invisible or suspicious since the last call, oldest first. There is nothing without
    /// validate.
    fn take_findings(&self, py: Python<'_>) -> PyResult<Vec<Finding>> {
        self.call(py, |state| Ok(findings(state.gpu.device())))
    }

    /// What the guest has done wrong so far: the first 64.
    #[getter]
    fn faults(&self, py: Python<'_>) -> PyResult<Vec<Fault>> {
        self.call(py, |state| Ok(faults(state.gpu.device_ref().faults())))
    }

    /// How often the guest has done something wrong so far, by the kind of fault.
    #[getter]
    fn fault_counts(&self, py: Python<'_>) -> PyResult<BTreeMap<&'static str, u64>> {
        let counts = |state: &mut State| {
            let faults = state.gpu.device_ref().faults();
            FaultKind::ALL.into_iter().map(|kind| (kind.name(), faults.count(kind))).filter(|(_, n)| *n > 0).collect()
        };
        self.call(py, |state| Ok(counts(state)))
    }

    /// Counters of the device's work by name, and times in seconds: names that end with _seconds.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.call(py, |state| Ok(state.gpu.device_ref().stats()))?;
        stats_dict(py, &stats)
    }

    /// Reads a register: on the 3DS by its offset in bytes from physical address 0x10000000, on the PS3 from BAR0,
    /// where accuracy="exact" has them. The Tegra X1 has none: UnsupportedError.
    fn read_register(&self, py: Python<'_>, offset: u32) -> PyResult<u32> {
        self.call(py, |state| state.gpu.read_register(offset).map_err(refused))
    }

    /// Writes a register, with all effects; see read_register.
    fn write_register(&self, py: Python<'_>, offset: u32, value: u32) -> PyResult<()> {
        self.call(py, |state| state.gpu.write_register(offset, value).map_err(refused))
    }

    /// A finished picture in guest memory, of so many pixels as a person sees it.
    ///
    /// format: rgba8, bgr8, rgb565, rgb5a1, rgba4 (those of the 3DS); a8r8g8b8, a8b8g8r8, x8r8g8b8, x8b8g8r8 (words);
    /// r16g16b16a16f. layout: rows; columns (the 3DS's); block-linear, with blocks of block_height GOBs (the Tegra
    /// X1's); swizzled (the PS3's); with -upwards for those whose first row is the lowest. pitch: bytes from row to
    /// row, or from column to column; without it they follow each other.
    ///
    /// While a recording is under way the capture presents the picture on the output label. With expect it expects it
    /// to look as it does now: a channel may differ by tolerance, and of a thousand pixels permille by more.
    #[pyo3(signature = (address, width, height, *, format = "rgba8", pitch = None, layout = "rows", block_height = 1,
                        space = 0, label = "main", expect = false, tolerance = 0, permille = 0))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn present(
        &self,
        py: Python<'_>,
        address: u64,
        width: u32,
        height: u32,
        format: &str,
        pitch: Option<u32>,
        layout: &str,
        block_height: u32,
        space: u32,
        label: &str,
        expect: bool,
        tolerance: u32,
        permille: u32,
    ) -> PyResult<Picture> {
        let place = Place { address, space, size: (width, height), format, pitch, layout, block_height };
        let present = place.present(label.to_owned())?;
        let expectation = match (expect, tolerance, permille) {
            (false, ..) => Expectation::None,
            (true, 0, 0) => Expectation::AsItIs,
            (true, tolerance, permille) => Expectation::About { tolerance, permille },
        };
        let read = |state: &mut State| {
            let big_endian = state.big_endian;
            let picture = triglyph::capture::Picture::read(state.gpu.device(), &present, big_endian)?;
            recorded!(&mut state.gpu, device => device.present(&present, expectation))?;
            Ok(picture)
        };
        let picture = self.call(py, |state| read(state).map_err(refused))?;
        Picture::of(py, picture, label.to_owned())
    }

    /// What a display shows now: "top", "top-right" or "bottom" on the 3DS, "0" or "1" on the PS3, where the guest's
    /// registers and calls say it; None if that is nothing. Displays of the Tegra X1 are the host's: UnsupportedError.
    fn display(&self, py: Python<'_>, name: &str) -> PyResult<Option<Picture>> {
        let shown = self.call(py, |state| state.gpu.display(name).map_err(refused))?;
        shown.map(|picture| Picture::of(py, picture, name.to_owned())).transpose()
    }

    /// The whole state as bytes, with guest memory or without.
    #[pyo3(signature = (*, memory = true, compressed = true))]
    fn snapshot<'py>(&self, py: Python<'py>, memory: bool, compressed: bool) -> PyResult<Bound<'py, PyBytes>> {
        let options = SnapshotOptions::default().with_memory(memory).with_compression(compressed);
        let bytes = self.call(py, |state| state.gpu.device().snapshot(options).map_err(refused))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Takes the state of a snapshot over. With its memory nothing else is mapped, also no memory of Python objects.
    fn restore(&self, py: Python<'_>, snapshot: &Bound<'_, PyAny>) -> PyResult<()> {
        let bytes = HostBuffer::of(snapshot)?.copy(py)?;
        self.call(py, |state| state.gpu.device().restore(&bytes).map_err(refused))
    }

    /// Begins a recording into a .tgc file: first the memory and the state of now, then all calls that change the GPU.
    /// meta: facts for the capture, such as its name. compression: zstd's level, 1 to 22, or 0. limit: bytes after
    /// which nothing more is recorded. A recording that is under way is dropped.
    #[pyo3(signature = (path, *, meta = None, compression = 3, limit = None))]
    fn record(
        slf: PyRef<'_, Self>,
        py: Python<'_>,
        path: PathBuf,
        meta: Option<&Bound<'_, PyDict>>,
        compression: i32,
        limit: Option<u64>,
    ) -> PyResult<Recording> {
        let level = self::compression(compression).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let meta = meta_of(meta)?;
        let start = |state: &mut State| {
            let file = File::create(&path).map_err(|error| Error::io(&path, error))?;
            recorded!(&mut state.gpu, device => {
                device.set_limit(limit.unwrap_or(u64::MAX));
                device.start(BufWriter::new(file), level, meta)
            })
        };
        slf.call(py, |state| start(state).map_err(refused))?;
        Ok(Recording::new(slf.into(), path))
    }

    /// Whether a recording is under way.
    #[getter]
    fn recording(&self, py: Python<'_>) -> PyResult<bool> {
        self.call(py, |state| Ok(recorded!(&mut state.gpu, device => device.is_recording())))
    }

    /// Ends a recording and frees the machine. Memory of Python objects is used no more.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.stop_recording(py, Path::new("the recording"))?;
        let buffers = self.state.with(py, |state| {
            Ok(state.take().map(|State { gpu, buffers, .. }| {
                drop(gpu);
                buffers
            }))
        })?;
        drop(buffers);
        Ok(())
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    fn __repr__(&self) -> String {
        format!("<Device: {}>", self.machine)
    }
}
