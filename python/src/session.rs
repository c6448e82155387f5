//! Sessions: a capture that can be brought to any event.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use triglyph::capture::CaptureFile;
use triglyph::probe::{self, Verdict};
use triglyph::{Error, GuestRange, Options};
use triglyph_inspect::{
    Ask, Names, PageLimits, PageOptions, Seen, SessionOptions, history, pixel_text, surfaces_of, to_rgba,
};

use crate::event::{Event, Surface};
use crate::guard::{Guarded, Reporter, detached};
use crate::inputs::{Inputs, NamesAt, Program};
use crate::options::moment;
use crate::pixels;
use crate::replay::{Fault, faults};

/// A session on a file.
pub type Looking<'a> = triglyph_inspect::Session<'a>;

self_cell::self_cell!(
    struct Looked {
        owner: Arc<CaptureFile>,
        #[covariant]
        dependent: Looking,
    }
);

/// A capture, replayed once, that can be brought to any of its events.
///
/// Pictures of surfaces are stored pixels: row 0 is the first in memory, which on the 3DS is the lowest.
#[pyclass(frozen, module = "triglyph")]
pub struct Session {
    looked: Guarded<Looked>,
    names: Names,
    /// The machine: "3ds", "ps3", "tegra-x1".
    #[pyo3(get)]
    machine: &'static str,
    /// All events, in their order.
    events: Vec<Arc<triglyph_inspect::Event>>,
    /// The surfaces of all draws.
    known: Vec<probe::Surface>,
}

impl Session {
    /// Replays a capture and lists its events.
    ///
    /// # Errors
    /// What is wrong with the capture.
    pub fn open(file: Arc<CaptureFile>, device: Options, reporter: &Arc<Reporter>) -> PyResult<Self> {
        let options = SessionOptions { device, progress: Some(reporter.progress()), ..SessionOptions::default() };
        let looked = Looked::try_new(file, |file| triglyph_inspect::Session::open(file, &options));
        let mut looked = reporter.result(looked)?;
        looked.with_dependent_mut(|_, session| session.set_progress(None));
        let session = looked.borrow_dependent();
        let machine = session.machine();
        let events = session.events().iter().cloned().map(Arc::new).collect();
        let known = surfaces_of(session.events());
        Ok(Session { looked: Guarded::new(looked), names: Names(machine), machine: machine.name(), events, known })
    }

    /// Does something with the session itself, on a thread that does not have the interpreter's lock.
    ///
    /// # Errors
    /// Those of the action, and as [`Guarded::enter`].
    pub fn locked<T>(&self, action: impl FnOnce(&mut Looking<'_>) -> PyResult<T>) -> PyResult<T> {
        self.looked.enter(|looked| looked.with_dependent_mut(|_, session| action(session)))
    }

    /// Does something that may take long, and tells how far it is.
    fn reported<T: Send>(
        &self,
        py: Python<'_>,
        progress: Option<Py<PyAny>>,
        action: impl FnOnce(&mut Looking<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let reporter = Reporter::new(progress);
        let act = |session: &mut Looking<'_>| {
            session.set_progress(Some(reporter.progress()));
            let done = action(session);
            session.set_progress(None);
            reporter.result(done)
        };
        detached(py, || self.locked(act))
    }

    /// What goes into the draws of an event, one texture with its texels.
    pub fn inputs_of(
        &self,
        py: Python<'_>,
        event: usize,
        texture: Option<usize>,
    ) -> PyResult<triglyph_inspect::Inputs> {
        self.event(event)?;
        self.reported(py, None, |session| session.inputs(event, texture))
    }

    /// The machine's names, and the class of an event's command.
    pub fn names_at(&self, event: usize) -> PyResult<NamesAt> {
        Ok((self.names, self.event(event)?.command.class))
    }

    /// All events.
    pub fn all(&self) -> &[Arc<triglyph_inspect::Event>] {
        &self.events
    }

    /// The surfaces of all draws.
    pub fn known(&self) -> &[probe::Surface] {
        &self.known
    }

    /// The names of its registers.
    pub fn names(&self) -> Names {
        self.names
    }

    fn event(&self, number: usize) -> PyResult<&triglyph_inspect::Event> {
        self.events.get(number).map(|event| &**event).ok_or_else(|| self.no_event(number))
    }

    fn no_event(&self, number: impl std::fmt::Display) -> PyErr {
        PyIndexError::new_err(format!("event {number} of {}", self.events.len()))
    }

    fn show(&self, py: Python<'_>, event: usize, when: &str, ask: Ask) -> PyResult<Seen> {
        self.event(event)?;
        let moment = moment(when)?;
        self.reported(py, None, |session| session.show(event, moment, ask))
    }

    fn surface(&self, surface: &Surface) -> PyResult<&probe::Surface> {
        let found = self.known.iter().find(|known| Surface::new(known) == *surface);
        found.ok_or_else(|| PyValueError::new_err("a surface that is not of this session"))
    }

    /// A surface, and its stored pixels at an event.
    fn pixels(
        &self,
        py: Python<'_>,
        event: usize,
        surface: &Surface,
        when: &str,
    ) -> PyResult<(&probe::Surface, Vec<u8>)> {
        let surface = self.surface(surface)?;
        let seen = self.show(py, event, when, Ask { registers: false, ranges: vec![surface.range()] })?;
        let stored = || Ok(pixels::stored(surface, seen.ranges.first().map_or(&[], Vec::as_slice)));
        Ok((surface, detached(py, stored)?))
    }

    /// Register numbers, methods and names that tables have, with their words.
    pub fn named(&self, class: u32, words: &[u32]) -> BTreeMap<String, (u32, u32)> {
        let name = |(register, word): (usize, &u32)| {
            let method = self.names.method_of(register);
            self.names.find(class, method).map(|(name, _)| (name, (method, *word)))
        };
        words.iter().enumerate().filter_map(name).collect()
    }
}

/// Warns of what limits have left out.
pub fn warn(py: Python<'_>, left_out: &[String]) -> PyResult<()> {
    let category = py.get_type::<PyUserWarning>();
    left_out.iter().try_for_each(|what| {
        let text = CString::new(what.replace('\0', " ")).unwrap_or_default();
        PyErr::warn(py, &category, &text, 1)
    })
}

fn shape(surface: &probe::Surface) -> [usize; 2] {
    [surface.rows as usize, surface.width as usize]
}

/// An array of the caller's, or why there is none.
type Array1<'py> = PyResult<Bound<'py, PyArray1<u8>>>;
type Array2<'py, T> = PyResult<Bound<'py, PyArray2<T>>>;
type Array3<'py> = PyResult<Bound<'py, PyArray3<u8>>>;

fn no_depth() -> PyErr {
    PyValueError::new_err("a surface without depth")
}

#[pymethods]
impl Session {
    /// All events, in their order.
    #[getter]
    fn events(&self) -> Vec<Event> {
        self.events.iter().map(|event| Event::new(self.names, event)).collect()
    }

    fn __len__(&self) -> usize {
        self.events.len()
    }

    fn __getitem__(&self, number: isize) -> PyResult<Event> {
        let from_end = if number < 0 { number + self.events.len() as isize } else { number };
        let event = usize::try_from(from_end).ok().and_then(|number| self.events.get(number));
        Ok(Event::new(self.names, event.ok_or_else(|| self.no_event(number))?))
    }

    /// The surfaces that draws use, each once, in the order in which they are first drawn to.
    #[getter]
    fn surfaces(&self) -> Vec<Surface> {
        self.known.iter().map(Surface::new).collect()
    }

    /// What the guest did wrong: the first 64.
    #[getter]
    fn faults(&self, py: Python<'_>) -> PyResult<Vec<Fault>> {
        detached(py, || self.locked(|session| Ok(faults(session.faults()))))
    }

    /// The registers of an event's class by name, before it or after it; those that the machine's tables have.
    #[pyo3(signature = (event, when = "before"))]
    fn registers(&self, py: Python<'_>, event: usize, when: &str) -> PyResult<BTreeMap<String, u32>> {
        let seen = self.show(py, event, when, Ask { registers: true, ranges: Vec::new() })?;
        let named = self.named(self.event(event)?.command.class, &seen.registers);
        Ok(named.into_iter().map(|(name, (_, word))| (name, word)).collect())
    }

    /// The fields of those registers as text, for registers that have some.
    #[pyo3(signature = (event, when = "before"))]
    fn state(&self, py: Python<'_>, event: usize, when: &str) -> PyResult<BTreeMap<String, String>> {
        let seen = self.show(py, event, when, Ask { registers: true, ranges: Vec::new() })?;
        let class = self.event(event)?.command.class;
        let named = self.named(class, &seen.registers).into_iter();
        let fields = named.map(|(name, (method, word))| (name, self.names.fields(class, method, word)));
        Ok(fields.filter(|(_, text)| !text.is_empty()).collect())
    }

    /// A surface as a picture: (height, width, 4), uint8, RGBA. Of depth 24 bits, the highest in R.
    #[pyo3(signature = (event, surface, when = "after"))]
    fn picture<'py>(&self, py: Python<'py>, event: usize, surface: &Surface, when: &str) -> Array3<'py> {
        let (surface, pixels) = self.pixels(py, event, surface, when)?;
        let [rows, width] = shape(surface);
        detached(py, || Ok(pixels::rgba(surface, &pixels)))?.into_pyarray(py).reshape([rows, width, 4])
    }

    /// A surface as it is stored: (height, width, bytes of a pixel), uint8.
    #[pyo3(signature = (event, surface, when = "after"))]
    fn stored<'py>(&self, py: Python<'py>, event: usize, surface: &Surface, when: &str) -> Array3<'py> {
        let (surface, pixels) = self.pixels(py, event, surface, when)?;
        let [rows, width] = shape(surface);
        pixels.into_pyarray(py).reshape([rows, width, surface.bytes as usize])
    }

    /// Depth: (height, width), float32, from 0 to 1; stored floats as they are.
    #[pyo3(signature = (event, surface, when = "after"))]
    fn depth<'py>(&self, py: Python<'py>, event: usize, surface: &Surface, when: &str) -> Array2<'py, f32> {
        let (surface, pixels) = self.pixels(py, event, surface, when)?;
        pixels::depth(surface, &pixels).ok_or_else(no_depth)?.into_pyarray(py).reshape(shape(surface))
    }

    /// The bits of depth as they are stored, without stencil: (height, width), uint32.
    #[pyo3(signature = (event, surface, when = "after"))]
    fn depth_bits<'py>(&self, py: Python<'py>, event: usize, surface: &Surface, when: &str) -> Array2<'py, u32> {
        let (surface, pixels) = self.pixels(py, event, surface, when)?;
        pixels::depth_bits(surface, &pixels).ok_or_else(no_depth)?.into_pyarray(py).reshape(shape(surface))
    }

    /// Guest memory at an event: size bytes, uint8; zeros where nothing is mapped.
    #[pyo3(signature = (event, address, size, space = 0, when = "after"))]
    fn memory<'py>(
        &self,
        py: Python<'py>,
        event: usize,
        address: u64,
        size: u64,
        space: u32,
        when: &str,
    ) -> Array1<'py> {
        if size > MAX_MEMORY {
            return Err(PyValueError::new_err(format!("{size} bytes are more than {MAX_MEMORY}")));
        }
        let ranges = vec![GuestRange::new(space, address, size)];
        let mut seen = self.show(py, event, when, Ask { registers: false, ranges })?;
        Ok(seen.ranges.pop().unwrap_or_default().into_pyarray(py))
    }

    /// The history of a stored pixel: the events that may have written it, with its value before and after each.
    /// progress is called with the record that is replayed, and how many there are.
    #[pyo3(signature = (surface, x, y, *, progress = None))]
    fn history(
        &self,
        py: Python<'_>,
        surface: &Surface,
        x: u32,
        y: u32,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Change>> {
        let surface = self.surface(surface)?;
        let changes = self.reported(py, progress, |session| history(session, surface, x, y))?;
        Ok(changes.into_iter().map(|change| Change { change, stored: surface.stored }).collect())
    }

    /// Programs that an event runs, in the order in which they are first called.
    fn programs(&self, py: Python<'_>, event: usize) -> PyResult<Vec<Program>> {
        self.event(event)?;
        let programs = self.reported(py, None, |session| triglyph_inspect::programs(session, event))?;
        Ok(programs.into_iter().map(Program::from).collect())
    }

    /// What goes into the draws of an event: vertices and meshes, textures, constants.
    fn inputs(slf: &Bound<'_, Self>, event: usize) -> PyResult<Inputs> {
        Inputs::of(slf, event)
    }

    /// Writes a page for a browser that needs nothing else; events are (first, end), all without it. time_limit is in
    /// seconds, size_limit in bytes, about. Returns what limits have left out, in words. progress is called with the
    /// record that is replayed, and how many there are.
    #[pyo3(signature = (path, *, title = "capture".to_owned(), events = None, time_limit = 60.0, size_limit = 1 << 26,
                        progress = None))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn write_page(
        &self,
        py: Python<'_>,
        path: PathBuf,
        title: String,
        events: Option<(usize, usize)>,
        time_limit: f64,
        size_limit: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<String>> {
        let time = Duration::try_from_secs_f64(time_limit)
            .map_err(|error| PyValueError::new_err(format!("a limit of {time_limit} s: {error}")))?;
        let limits = PageLimits { time, bytes: size_limit, ..PageLimits::default() };
        let events = events.map(|(first, end)| first..end);
        let options = PageOptions { title, events, limits, ..PageOptions::default() };
        let write = |session: &mut Looking<'_>| {
            let page = triglyph_inspect::write_page(session, &options)?;
            std::fs::write(&path, page.html).map_err(|error| Error::io(&path, error))?;
            Ok(page.left_out)
        };
        self.reported(py, progress, write)
    }

    /// Writes hashes of what each event finds and leaves, for `compare_hashes` of another build. Warns of what limits
    /// leave out.
    fn write_hashes(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let write = |session: &mut Looking<'_>| {
            let found = triglyph_inspect::hashes(session)?;
            let hashes = serde_json::to_vec(&found);
            let hashes = hashes.map_err(|error| Error::InvalidArgument(error.to_string()))?;
            std::fs::write(&path, hashes).map_err(|error| Error::io(&path, error))?;
            Ok(found.left_out)
        };
        let left_out = self.reported(py, None, write)?;
        warn(py, &left_out)
    }

    fn __repr__(&self) -> String {
        format!("<Session: {}, {} events>", self.machine, self.events.len())
    }
}

/// Bytes of memory that are looked at at once at most.
const MAX_MEMORY: u64 = 1 << 32;

/// Red, green, blue and alpha.
type Rgba = (u8, u8, u8, u8);

/// An event that may have written a pixel.
#[pyclass(frozen, module = "triglyph")]
pub struct Change {
    change: triglyph_inspect::Change,
    stored: probe::Stored,
}

#[pymethods]
impl Change {
    /// The event's number.
    #[getter]
    fn event(&self) -> usize {
        self.change.event
    }

    /// The pixel's bytes before it.
    #[getter]
    fn before<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.change.before)
    }

    /// The pixel's bytes after it.
    #[getter]
    fn after<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.change.after)
    }

    /// The pixel before and after it: RGBA of 8 bits, as in pictures.
    #[getter]
    fn rgba(&self) -> (Rgba, Rgba) {
        let [before, after] =
            [&self.change.before, &self.change.after].map(|bytes| to_rgba(&self.stored, bytes).into());
        (before, after)
    }

    /// The pixel before and after it, as text: its value, and its bytes.
    #[getter]
    fn text(&self) -> (String, String) {
        (pixel_text(&self.stored, &self.change.before), pixel_text(&self.stored, &self.change.after))
    }

    /// Whether it changed the pixel.
    #[getter]
    fn changed(&self) -> bool {
        self.change.is_changed()
    }

    /// Outcomes of the fragments that its draws have there: of one event at most 1,024, of a history 65,536.
    #[getter]
    fn fragments(&self) -> Vec<Fragment> {
        self.change.fragments.iter().cloned().map(Fragment).collect()
    }

    /// How many fragments are left out of them.
    #[getter]
    fn left_out(&self) -> usize {
        self.change.left_out
    }

    fn __repr__(&self) -> String {
        let (before, after) = self.text();
        format!("<Change by event {}: {before} to {after}>", self.change.event)
    }
}

/// A fragment of a draw at a pixel.
#[pyclass(frozen, module = "triglyph")]
pub struct Fragment(probe::Fragment);

#[pymethods]
impl Fragment {
    /// Which primitive of the draw it is of, in the order in which they were set up.
    #[getter]
    fn primitive(&self) -> u32 {
        self.0.primitive
    }

    /// What the surface would hold without tests, blending and masks: a colour, or depth beside the stencil that is
    /// there; of shadow maps what an empty one would hold, of densities what is added. None if nothing would be stored
    /// even so, and for surfaces that the draw does not look at.
    #[getter]
    fn shaded<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.0.shaded.as_ref().map(|bytes| PyBytes::new(py, bytes))
    }

    /// Its outcome: passed, or the first test that it failed: discarded, alpha, bounds, stencil, depth.
    #[getter]
    fn verdict(&self) -> &'static str {
        match self.0.verdict {
            Verdict::Passed => "passed",
            Verdict::Discarded => "discarded",
            Verdict::Alpha => "alpha",
            Verdict::Bounds => "bounds",
            Verdict::Stencil => "stencil",
            Verdict::Depth => "depth",
            _ => "unknown",
        }
    }

    fn __repr__(&self) -> String {
        format!("<Fragment of primitive {}: {}>", self.0.primitive, self.verdict())
    }
}
