//! Comparing two sessions, event by event; or one with hashes that another build has left.
//!
//! Each is gone through once, in pieces of some hundred events. After each event the memory that it may have written is
//! hashed, before it the registers of its class; so the event found is the first, whatever later ones write over. Where
//! that takes too long, bisection looks at a few events only, as `triglyph inspect --compare` does.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use triglyph::probe::{Effect, Surface as Stored, View};
use triglyph::{Error, GuestRange};
use triglyph_inspect::{Ask, Event, Moment, Outcome, Seen, Tour, first_difference, first_unlike};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::error::raise;
use crate::event::Surface;
use crate::guard::{Reporter, detached};
use crate::session::{Looking, Session, warn};

/// A surface that differs after an event.
#[pyclass(frozen, get_all, module = "triglyph")]
#[derive(Clone)]
pub struct SurfaceDifference {
    /// The surface.
    surface: Surface,
    /// How many of its stored pixels differ.
    pixels: usize,
    /// The first of them, row by row: (x, y).
    first: (u32, u32),
}

#[pymethods]
impl SurfaceDifference {
    fn __repr__(&self) -> String {
        let SurfaceDifference { surface, pixels, first: (x, y) } = self;
        format!("<{pixels} pixels, first ({x}, {y}), of {} {:#x}>", surface.role, surface.address)
    }
}

/// Memory that differs after an event.
#[pyclass(frozen, get_all, module = "triglyph")]
#[derive(Clone)]
pub struct MemoryDifference {
    /// The address space.
    space: u32,
    /// The first byte that differs.
    address: u64,
    /// How many bytes differ.
    bytes: usize,
    /// The range that was looked at: address and size.
    range: (u64, u64),
}

#[pymethods]
impl MemoryDifference {
    fn __repr__(&self) -> String {
        let MemoryDifference { space, address, bytes, range: (start, size) } = self;
        format!("<{bytes} bytes, first {address:#x}, of space {space} {start:#x}+{size:#x}>")
    }
}

/// The first event that differs.
#[pyclass(frozen, get_all, module = "triglyph")]
#[derive(Default)]
pub struct Difference {
    /// Its number, in both.
    event: usize,
    /// How it differs: "command" (another one, or one did something else), "state" (registers before it), "memory"
    /// (bytes that it wrote), "end" (only one has it), "hash" (any of these but the last, as hashes say).
    kind: &'static str,
    /// What differs, in words, as `triglyph inspect --compare` says it; empty for "end" and "hash".
    what: Vec<String>,
    /// Registers of its class that differ before it: name to the words of both.
    registers: BTreeMap<String, (u32, u32)>,
    /// Surfaces that it may have written and that differ after it.
    surfaces: Vec<SurfaceDifference>,
    /// All memory that it is known to have written and that differs after it, that of surfaces included.
    memory: Vec<MemoryDifference>,
}

#[pymethods]
impl Difference {
    fn __repr__(&self) -> String {
        let registers: Vec<&str> = self.registers.keys().map(String::as_str).collect();
        let surfaces: Vec<String> = self.surfaces.iter().map(SurfaceDifference::__repr__).collect();
        let (event, kind) = (self.event, self.kind);
        format!("<Difference of event {event}: {kind}; registers {registers:?}; {}>", surfaces.join(", "))
    }
}

/// Surfaces that a session knows at most.
const MAX_SURFACES: usize = 256;

/// Events that are compared at once.
const PIECE: usize = 256;

/// Compares two sessions of one machine: the first event that differs, or None.
///
/// state: whether registers count. Without it, another word in a register is found at the first event whose memory
/// differs by it, if there is one. Warns if there are more surfaces than it looks at.
///
/// bisect: whether memory is compared after some events only, which are found by bisection, and registers before all of
/// them, whatever state says. That takes a few looks in captures of any length, but may pass over a difference of
/// memory that vanishes again. It warns of surfaces that it does not compare, as they are too many or too large.
///
/// progress is called with the events that are compared, and how many there are; with bisect with the record that is
/// replayed, and how many there are.
#[pyfunction]
#[pyo3(signature = (left, right, *, state = false, bisect = false, progress = None))]
pub fn compare(
    py: Python<'_>,
    left: &Session,
    right: &Session,
    state: bool,
    bisect: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Option<Difference>> {
    if left.names() != right.names() {
        return Err(PyValueError::new_err("sessions of different machines"));
    }
    if std::ptr::eq(left, right) {
        return Ok(None);
    }
    if bisect {
        let reporter = Reporter::new(progress);
        let (found, left_out) = detached(py, || bisected(left, right, &reporter))?;
        warn(py, &left_out)?;
        return Ok(found);
    }
    if left.known().len() >= MAX_SURFACES {
        let what = format!("after events that may write anything, {MAX_SURFACES} surfaces are compared and no more");
        warn(py, &[what])?;
    }
    let (ours, theirs) = (left.all(), right.all());
    let shorter = ours.len().min(theirs.len());
    let reporter = Reporter::new(progress);
    for first in (0..shorter).step_by(PIECE) {
        reporter.tell(py, first, shorter)?;
        let end = (first + PIECE).min(shorter);
        // From the first command that differs on, events are not the same.
        let same = (first..end).find(|&at| !is_alike(&ours[at], &theirs[at])).unwrap_or(end);
        let found = detached(py, || piece(left, right, first, same, state))?;
        if let Some((event, kind)) = found {
            return detached(py, || describe(left, right, event, kind)).map(Some);
        }
        if same < end {
            return detached(py, || describe(left, right, same, "command")).map(Some);
        }
    }
    reporter.tell(py, shorter, shorter)?;
    Ok((ours.len() != theirs.len()).then(|| at_end(shorter)))
}

/// Compares a session with what `Session.write_hashes` or `triglyph inspect --hashes` of another build has written: the
/// first event that differs, or None. Warns of what limits leave out.
#[pyfunction]
pub fn compare_hashes(py: Python<'_>, session: &Session, path: PathBuf) -> PyResult<Option<Difference>> {
    let text = std::fs::read(&path).map_err(|error| raise(Error::io(&path, error)))?;
    let wrong = |error| raise(Error::InvalidArgument(format!("{}: no hashes of a run: {error}", path.display())));
    let hashes: triglyph_inspect::Hashes = serde_json::from_slice(&text).map_err(wrong)?;
    let unlike = |session: &mut Looking<'_>| first_unlike(session, &hashes).map_err(raise);
    let found = detached(py, || session.locked(unlike))?;
    warn(py, &found.left_out)?;
    Ok(found.first.map(|found| match found.is_end {
        true => at_end(session.all().len().min(hashes.count)),
        false => Difference { event: found.event, kind: "hash", ..Difference::default() },
    }))
}

fn at_end(event: usize) -> Difference {
    Difference { event, kind: "end", ..Difference::default() }
}

/// Locks both sessions, in the order of their addresses, so that two threads cannot wait for each other.
fn both<T>(
    left: &Session,
    right: &Session,
    action: impl FnOnce(&mut Looking<'_>, &mut Looking<'_>) -> PyResult<T>,
) -> PyResult<T> {
    match std::ptr::from_ref(left) < std::ptr::from_ref(right) {
        true => left.locked(|left| right.locked(|right| action(left, right))),
        false => right.locked(|right| left.locked(|left| action(left, right))),
    }
}

/// The first event that differs, by bisection, and what is left out.
fn bisected(left: &Session, right: &Session, reporter: &Arc<Reporter>) -> PyResult<(Option<Difference>, Vec<String>)> {
    let differing = |left: &mut Looking<'_>, right: &mut Looking<'_>| {
        left.set_progress(Some(reporter.progress()));
        right.set_progress(Some(reporter.progress()));
        let found = first_difference(left, right);
        left.set_progress(None);
        right.set_progress(None);
        reporter.result(found)
    };
    let Outcome { first, left_out } = both(left, right, differing)?;
    let Some(found) = first else { return Ok((None, left_out)) };
    if found.is_end {
        return Ok((Some(at_end(left.all().len().min(right.all().len()))), left_out));
    }
    let mut difference = describe(left, right, found.event, "memory")?;
    difference.kind = match is_alike(&left.all()[found.event], &right.all()[found.event]) {
        false => "command",
        true if !difference.registers.is_empty() => "state",
        true => "memory",
    };
    Ok((Some(difference), left_out))
}

/// Whether two events are the same command with the same effects. What pixels of a draw become of a fragment is not
/// asked for, and a kernel's key depends on the options.
fn is_alike(left: &Event, right: &Event) -> bool {
    let effect = |(a, b): (&Effect, &Effect)| match (a, b) {
        (Effect::Draw(a), Effect::Draw(b)) => {
            (a.topology, a.vertices, a.primitives) == (b.topology, b.vertices, b.primitives)
                && a.surfaces == b.surfaces
                && a.textures == b.textures
        }
        (a, b) => a == b,
    };
    let (a, b) = (&left.command, &right.command);
    (a.class, a.method, a.value) == (b.class, b.method, b.value)
        && left.effects.len() == right.effects.len()
        && left.effects.iter().zip(&right.effects).all(effect)
}

/// The first event from `first` up to `end` whose registers or memory differ.
fn piece(
    left: &Session,
    right: &Session,
    first: usize,
    end: usize,
    state: bool,
) -> PyResult<Option<(usize, &'static str)>> {
    if first == end {
        return Ok(None);
    }
    let (ours, theirs) = (hashes(left, first, end, state)?, hashes(right, first, end, state)?);
    let kind = |moment: &Moment| if *moment == Moment::Before { "state" } else { "memory" };
    let differs = |key: &&(usize, Moment)| ours.get(*key) != theirs.get(*key);
    Ok(ours.keys().filter(differs).min().map(|(event, moment)| (*event, kind(moment))))
}

/// Hashes of events, of registers before them and of memory after them.
type Hashes = HashMap<(usize, Moment), u64>;

fn hashes(session: &Session, first: usize, end: usize, state: bool) -> PyResult<Hashes> {
    let events = &session.all()[first..end];
    let hashes = Arc::new(Mutex::new(Hashes::new()));
    let orders = events.iter().map(|event| (event.order, event.clone())).collect();
    // What may have been written anywhere is looked for in all surfaces.
    let everywhere = session.known().iter().map(Stored::range).collect();
    let tour = Hasher { orders, everywhere, state, hashes: hashes.clone() };
    session.locked(|session| session.tour(first, end - 1, Box::new(tour)).map_err(raise))?;
    let mut hashes = hashes.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *hashes))
}

struct Hasher {
    orders: HashMap<u64, Arc<Event>>,
    everywhere: Vec<GuestRange>,
    state: bool,
    hashes: Arc<Mutex<Hashes>>,
}

impl Tour for Hasher {
    fn ask(&mut self, order: u64, moment: Moment) -> Option<Ask> {
        let is_wanted = self.orders.contains_key(&order) && (self.state || moment == Moment::After);
        is_wanted.then(Ask::default)
    }

    fn look(&mut self, order: u64, moment: Moment, view: &View<'_>) {
        let Some(event) = self.orders.get(&order) else { return };
        let hash = match moment {
            Moment::Before => {
                let words = view.registers.iter().flat_map(|word| word.get().to_le_bytes());
                xxh3_64(&words.collect::<Vec<_>>())
            }
            Moment::After => {
                let hashes = self.ranges(event).into_iter().flat_map(|range| hash_of(view, range).to_le_bytes());
                xxh3_64(&hashes.collect::<Vec<_>>())
            }
        };
        self.hashes.lock().unwrap_or_else(PoisonError::into_inner).insert((event.number, moment), hash);
    }

    fn seen(&mut self, _: Seen) {}
}

impl Hasher {
    /// Memory that an event may have written.
    fn ranges(&self, event: &Event) -> Vec<GuestRange> {
        let mut ranges: Vec<GuestRange> = event.written().collect();
        ranges.extend(self.everywhere.iter().filter(|range| event.may_write(**range)));
        ranges.sort_by_key(|range| (range.start.space, range.start.address, range.size));
        ranges.dedup();
        ranges
    }
}

/// Bytes of memory that are read at once: a range may have any number.
const READ: u64 = 1 << 16;

/// The hash of a range of memory.
fn hash_of(view: &View<'_>, range: GuestRange) -> u64 {
    let (mut hasher, mut bytes) = (Xxh3::new(), vec![0; READ.min(range.size) as usize]);
    for at in (0..range.size).step_by(READ as usize) {
        let bytes = &mut bytes[..READ.min(range.size - at) as usize];
        view.memory.read_pieces(range.start.after(at), bytes);
        hasher.update(bytes);
    }
    hasher.digest()
}

/// What differs at an event.
fn describe(left: &Session, right: &Session, event: usize, kind: &'static str) -> PyResult<Difference> {
    let (ours, theirs) = (&left.all()[event], &right.all()[event]);
    let may_write = |surface: &&Stored| ours.may_write(surface.range());
    let written: Vec<Stored> = left.known().iter().filter(may_write).copied().collect();
    let mut ranges: Vec<GuestRange> = written.iter().map(Stored::range).chain(ours.written()).collect();
    ranges.sort_by_key(|range| (range.start.space, range.start.address, range.size));
    ranges.dedup();
    let what = both(left, right, |left, right| triglyph_inspect::describe(left, right, event, &ranges).map_err(raise))?;
    let look = |session: &Session| {
        session.locked(|session| {
            let registers = Ask { registers: true, ranges: Vec::new() };
            let before = session.show(event, Moment::Before, registers).map_err(raise)?.registers;
            let memory = Ask { registers: false, ranges: ranges.clone() };
            Ok((before, session.show(event, Moment::After, memory).map_err(raise)?.ranges))
        })
    };
    let ((our_words, our_bytes), (their_words, their_bytes)) = (look(left)?, look(right)?);
    let class = ours.command.class;
    let mut registers = BTreeMap::new();
    if theirs.command.class == class {
        let theirs = right.named(class, &their_words);
        for (name, (_, word)) in left.named(class, &our_words) {
            match theirs.get(&name) {
                Some((_, other)) if *other != word => _ = registers.insert(name, (word, *other)),
                _ => {}
            }
        }
    }
    let surfaces = written.iter().filter_map(|surface| {
        let at = ranges.iter().position(|range| *range == surface.range())?;
        differing(surface, &our_bytes[at], &their_bytes[at])
    });
    let memory = ranges.iter().zip(our_bytes.iter().zip(&their_bytes)).filter_map(|(range, (a, b))| {
        let first = a.iter().zip(b).position(|(a, b)| a != b)?;
        let GuestRange { start, size } = *range;
        let bytes = a.iter().zip(b).filter(|(a, b)| a != b).count();
        let (space, address) = (start.space, start.address + first as u64);
        Some(MemoryDifference { space, address, bytes, range: (start.address, size) })
    });
    Ok(Difference { event, kind, what, registers, surfaces: surfaces.collect(), memory: memory.collect() })
}

/// The stored pixels of a surface that differ; `None` if there are none.
fn differing(surface: &Stored, a: &[u8], b: &[u8]) -> Option<SurfaceDifference> {
    if a == b {
        return None;
    }
    let pixels = [a, b].map(|bytes| crate::pixels::stored(surface, bytes));
    let size = surface.bytes.max(1) as usize;
    let pairs = pixels[0].chunks_exact(size).zip(pixels[1].chunks_exact(size)).enumerate();
    let differing: Vec<usize> = pairs.filter(|(_, (a, b))| a != b).map(|(at, _)| at).collect();
    let first = *differing.first()? as u32;
    let first = (first % surface.width.max(1), first / surface.width.max(1));
    Some(SurfaceDifference { surface: Surface::new(surface), pixels: differing.len(), first })
}
