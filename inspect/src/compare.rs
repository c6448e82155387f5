//! Two runs event by event: two captures, two tiers, or two builds, one of which has left a file of hashes.
//!
//! Lists of events are at hand, and registers are few: those are compared for all events. The first event whose memory
//! differs is found by bisection before that: each step brings both devices to one event and compares all surfaces as
//! it leaves them. A difference is taken to stay until the event that is known to differ; only where none is known and
//! the ends of pictures show nothing are all events looked at.
//!
//! Memory is read a piece at a time and compared by hashes. Where all events are looked at, each has the memory that it
//! may have written hashed, and the first one after the host may have written has all of it.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use triglyph::probe::{ContentHash, View};
use triglyph::{Error, GuestRange};

use crate::canvas::{Canvas, Canvases};
use crate::events::Event;
use crate::limits::{MAX_CANVASES, MAX_COMPARED, MAX_LOOK_BYTES};
use crate::names::Names;
use crate::replay::Session;
use crate::tour::{Ask, Moment, Seen, Tour};

/// What a comparison has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The first event that differs; `None` if none is found.
    pub first: Option<Difference>,
    /// What limits have left out of the comparison, in words: there may be differences that it has not found.
    pub left_out: Vec<String>,
}

/// A comparison, as a page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// What the other run is called.
    pub other: String,
    /// Whether it has pictures: [`Server::with_other`](crate::Server::with_other).
    pub has_pictures: bool,
    /// The first event that differs.
    pub first: Option<Difference>,
    /// What limits have left out of the comparison, in words.
    pub left_out: Vec<String>,
}

/// The first event that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Its number.
    pub event: usize,
    /// What differs there, in words.
    pub what: Vec<String>,
    /// Events at which both runs were looked at.
    pub looks: usize,
    /// Whether the event is alike in both, and the last one of one of them.
    pub is_end: bool,
}

/// What each event of a run leaves, as hashes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hashes {
    /// What the file is: 2.
    pub version: u32,
    /// The memory that is hashed: space, address, bytes.
    pub ranges: Vec<(u32, u64, u64)>,
    /// For each event what it is, the registers that it finds and the memory that it leaves, in hexadecimal.
    pub events: Vec<String>,
    /// How many events the run has: more than are hashed if the session's deadline was over.
    pub count: usize,
    /// What limits have left out, in words.
    pub left_out: Vec<String>,
}

/// The first event at which two runs differ. What is not compared by the sessions' deadlines is said.
///
/// # Errors
/// As [`Session::show`].
pub fn first_difference(a: &mut Session<'_>, b: &mut Session<'_>) -> Result<Outcome, Error> {
    let (ranges, mut left_out) = ranges_of(a);
    let common = a.events().len().min(b.events().len());
    let unlike = (0..common).find(|&event| !is_alike(&a.events()[event], &b.events()[event]));
    let lengths = (a.events().len() != b.events().len()).then_some(common);
    let end = unlike.or(lengths).unwrap_or(common);
    let registers = unlike_hashes(a, b, 0..end, &[])?;
    let known = registers.or(unlike).or(lengths);
    let mut looks = 0;
    let found = first_unlike_memory((a, b), (known, common), &ranges, &mut looks);
    let is_late = a.is_cut() || b.is_cut();
    let found = match found {
        Err(_) if is_late => known,
        found => found?,
    };
    if is_late {
        left_out.push(late(found));
    }
    let Some(event) = found else { return Ok(Outcome { first: None, left_out }) };
    if event >= common {
        let what = format!("one run has {} events, the other {}", a.events().len(), b.events().len());
        let first = Difference { event: common.saturating_sub(1), what: vec![what], looks, is_end: true };
        return Ok(Outcome { first: Some(first), left_out });
    }
    let what = match describe(a, b, event, &ranges) {
        Err(_) if a.is_cut() || b.is_cut() => {
            left_out.push(format!("What differs at event {event} is not known."));
            Vec::new()
        }
        what => what?,
    };
    Ok(Outcome { first: Some(Difference { event, what, looks, is_end: false }), left_out })
}

/// What is not known after the time limit.
fn late(found: Option<usize>) -> String {
    match found {
        Some(event) => format!("The time limit was over: events before {event} may differ, too."),
        None => "The time limit was over: not all events are compared.".to_owned(),
    }
}

/// The first event whose memory differs, or else the one that is known to differ.
fn first_unlike_memory(
    (a, b): (&mut Session<'_>, &mut Session<'_>),
    (known, common): (Option<usize>, usize),
    ranges: &[GuestRange],
    looks: &mut usize,
) -> Result<Option<usize>, Error> {
    let ends = ends(a, common);
    let found = bisect(known, &ends, |event| {
        *looks += 1;
        Ok(memory_hash(a, event, ranges)? != memory_hash(b, event, ranges)?)
    })?;
    match found {
        Some(event) => Ok(Some(event)),
        None => unlike_hashes(a, b, 0..common, ranges),
    }
}

/// The first of some events whose hashes differ.
fn unlike_hashes(
    a: &mut Session<'_>,
    b: &mut Session<'_>,
    events: Range<usize>,
    ranges: &[GuestRange],
) -> Result<Option<usize>, Error> {
    let start = events.start;
    let ours = states(a, events.clone(), ranges, Vec::new())?;
    let theirs = states(b, events, ranges, ours.clone())?;
    Ok(ours.iter().zip(&theirs).position(|(a, b)| a != b).map(|at| start + at))
}

/// The hashes of a run, all of them in one replay. What is missing by the session's deadline they say.
///
/// # Errors
/// As [`Session::tour`].
pub fn hashes(session: &mut Session<'_>) -> Result<Hashes, Error> {
    let (ranges, mut left_out) = ranges_of(session);
    let count = session.events().len();
    let events = states(session, 0..count, &ranges, Vec::new())?;
    if events.len() < count {
        left_out.push(format!("The time limit was over: events from {} on have no hashes.", events.len()));
    }
    let ranges = ranges.iter().map(|range| (range.start.space, range.start.address, range.size)).collect();
    let events = events.iter().map(|hash| format!("{:032x}", hash.0)).collect();
    Ok(Hashes { version: 2, ranges, events, count, left_out })
}

impl Hashes {
    /// The memory that is hashed, if it is what [`hashes`] writes.
    fn checked_ranges(&self) -> Result<Vec<GuestRange>, Error> {
        let wrong = |what: String| Error::InvalidArgument(what);
        if self.version != 2 {
            return Err(wrong(format!("hashes of version {}", self.version)));
        }
        let mut left = MAX_COMPARED;
        for &(_, address, size) in &self.ranges {
            let rest = left.checked_sub(size).filter(|_| address.checked_add(size).is_some());
            left = rest.ok_or_else(|| wrong(format!("hashes of {size} bytes at {address:#x}")))?;
        }
        if self.ranges.len() > MAX_CANVASES {
            return Err(wrong(format!("hashes of {} ranges", self.ranges.len())));
        }
        Ok(self.ranges.iter().map(|&(space, address, size)| GuestRange::new(space, address, size)).collect())
    }
}

/// The first event at which a run differs from one that has left hashes. What is not compared by the session's
/// deadline, or has no hash there, is said.
///
/// # Errors
/// [`Error::InvalidArgument`] for hashes of another version, and for such as [`hashes`] does not write; otherwise as
/// [`Session::tour`].
pub fn first_unlike(session: &mut Session<'_>, other: &Hashes) -> Result<Outcome, Error> {
    let ranges = other.checked_ranges()?;
    let count = session.events().len();
    let common = count.min(other.events.len());
    let theirs: Vec<ContentHash> = other.events[..common].iter().map(|text| parse(text)).collect();
    let ours = states(session, 0..common, &ranges, theirs.clone())?;
    let mut left_out: Vec<String> = other.left_out.iter().map(|what| format!("The other run: {what}")).collect();
    let found = ours.iter().zip(&theirs).position(|(a, b)| a != b);
    if found.is_none() && ours.len() < common {
        left_out.push(late(None));
    }
    let difference = |event, what: &str, is_end| Difference { event, what: vec![what.to_owned()], looks: 0, is_end };
    let first = match found {
        Some(event) => {
            let what = "what it is, the registers that it finds, or the memory that it leaves";
            Some(Difference { looks: event + 1, ..difference(event, what, false) })
        }
        None if count == other.count => None,
        None => {
            let what = format!("this run has {count} events, the other {}", other.count);
            let event = count.min(other.count).saturating_sub(1);
            Some(Difference { looks: ours.len(), ..difference(event, &what, true) })
        }
    };
    Ok(Outcome { first, left_out })
}

/// A hash as text; of other text one that differs from all.
fn parse(text: &str) -> ContentHash {
    ContentHash(u128::from_str_radix(text, 16).unwrap_or(0))
}

/// The first event that differs, given one that does; if none is given, one of `ends`, ascending, may be.
fn bisect(
    known: Option<usize>,
    ends: &[usize],
    mut differs: impl FnMut(usize) -> Result<bool, Error>,
) -> Result<Option<usize>, Error> {
    let (mut low, mut high) = (0, known);
    for &end in ends.iter().filter(|_| known.is_none()) {
        if differs(end)? {
            high = Some(end);
            break;
        }
        low = end + 1;
    }
    let Some(mut high) = high else { return Ok(None) };
    while low < high {
        let middle = (low + high) / 2;
        if differs(middle)? { high = middle } else { low = middle + 1 }
    }
    Ok(Some(high))
}

/// Ends of pictures that are looked at, at most.
const MAX_ENDS: usize = 8;

/// Some of the last events before pictures are presented, and the very last one of `count`.
fn ends(session: &Session<'_>, count: usize) -> Vec<usize> {
    let events = &session.events()[..count];
    let before = |record: usize| events.partition_point(|event| event.record <= record).checked_sub(1);
    let mut ends: Vec<usize> = session.pictures().filter_map(|(record, _)| before(record)).collect();
    ends.extend(count.checked_sub(1));
    ends.dedup();
    let step = ends.len().div_ceil(MAX_ENDS).max(1);
    ends.into_iter().rev().step_by(step).collect::<Vec<_>>().into_iter().rev().collect()
}

/// Whether two events are the same command and did the same.
fn is_alike(a: &Event, b: &Event) -> bool {
    a.command == b.command && a.effects == b.effects
}

/// All surfaces and outputs as ranges that do not overlap, and what is left out, in words: what is too large together.
fn ranges_of(session: &Session<'_>) -> (Vec<GuestRange>, Vec<String>) {
    let Canvases { all, mut left_out } = Canvases::of(session);
    let mut left = MAX_COMPARED;
    let mut ranges = joined(all.iter().map(Canvas::range).collect());
    let count = ranges.len();
    ranges.retain(|range| match left.checked_sub(range.size) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    });
    left_out.iter_mut().for_each(|what| *what = format!("{what} What has none is not compared."));
    if ranges.len() < count {
        let (dropped, most) = (count - ranges.len(), MAX_COMPARED >> 20);
        left_out.push(format!("{dropped} of {count} ranges of memory are not compared: all are more than {most} MiB."));
    }
    (ranges, left_out)
}

/// Ranges in their order, those that overlap as one.
fn joined(mut ranges: Vec<GuestRange>) -> Vec<GuestRange> {
    ranges.sort_by_key(|range| (range.start.space, range.start.address));
    let mut all: Vec<GuestRange> = Vec::new();
    for range in ranges {
        match all.last_mut().filter(|last| last.overlaps(range)) {
            Some(last) => {
                last.size = last.end().max(range.end()) - last.start.address;
            }
            None => all.push(range),
        }
    }
    all
}

/// Bytes of memory that are read and hashed at once.
const PIECE: u64 = 1 << 16;

/// The pieces of ranges.
fn pieces_of(ranges: &[GuestRange]) -> impl Iterator<Item = (usize, GuestRange)> {
    ranges.iter().enumerate().flat_map(|(number, &GuestRange { start, size })| {
        (0..size).step_by(PIECE as usize).map(move |at| (number, start.after(at).range(PIECE.min(size - at))))
    })
}

/// Memory that is hashed piece by piece.
struct Pieces<'v>(&'v View<'v>, &'v [GuestRange]);

impl Hash for Pieces<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut bytes = vec![0; PIECE as usize];
        for (_, piece) in pieces_of(self.1) {
            let bytes = &mut bytes[..piece.size as usize];
            self.0.memory.read_pieces(piece.start, bytes);
            state.write(bytes);
        }
    }
}

/// A hash of the memory that an event leaves.
fn memory_hash(session: &mut Session<'_>, event: usize, ranges: &[GuestRange]) -> Result<ContentHash, Error> {
    let mut found = states(session, event..event + 1, ranges, Vec::new())?;
    found.pop().ok_or_else(|| Error::InvalidArgument(format!("event {event} does not come again")))
}

/// The hashes of some events, in one replay: what they are, registers before them, memory after them. They end with the
/// first that is not as `expected`, where something is, and at the session's deadline.
fn states(
    session: &mut Session<'_>,
    events: Range<usize>,
    ranges: &[GuestRange],
    expected: Vec<ContentHash>,
) -> Result<Vec<ContentHash>, Error> {
    let Some(last) = events.clone().next_back() else { return Ok(Vec::new()) };
    let made = Arc::new(Mutex::new(Vec::new()));
    let (first, listed, ranges) = (events.start, session.shared_events(), ranges.to_vec());
    let states =
        States { listed, events, ranges, before: ContentHash(0), expected, is_over: false, made: made.clone() };
    session.tour(first, last, Box::new(states))?;
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *made))
}

struct States {
    listed: Arc<Vec<Event>>,
    /// Those that are still to come.
    events: Range<usize>,
    ranges: Vec<GuestRange>,
    /// What the event in progress is, and the registers that it has found.
    before: ContentHash,
    expected: Vec<ContentHash>,
    is_over: bool,
    made: Arc<Mutex<Vec<ContentHash>>>,
}

impl States {
    /// The memory that is looked at after an event: what it may have written, or all of it.
    fn ranges_at(&self, event: usize) -> Vec<GuestRange> {
        let here = &self.listed[event];
        let before = event.checked_sub(1).filter(|_| !self.is_first()).map(|before| &self.listed[before]);
        let is_all = before.is_none_or(|before| before.record != here.record);
        self.ranges.iter().filter(|range| is_all || here.may_write(**range)).copied().collect()
    }

    fn is_first(&self) -> bool {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn add(&mut self, hash: ContentHash) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let expected = self.expected.get(made.len());
        self.is_over = expected.is_some_and(|expected| *expected != hash);
        made.push(hash);
        self.events.start += 1;
    }
}

impl Tour for States {
    fn is_over(&mut self) -> bool {
        self.is_over || self.events.is_empty()
    }

    fn ask(&mut self, order: u64, _: Moment) -> Option<Ask> {
        let is_wanted = self.listed.get(self.events.start).is_some_and(|event| event.order == order);
        (is_wanted && !self.is_over()).then(Ask::default)
    }

    fn look(&mut self, _: u64, moment: Moment, view: &View<'_>) {
        let number = self.events.start;
        let Some(event) = self.listed.get(number) else { return };
        if moment == Moment::Before {
            let command = event.command;
            let registers: Vec<u32> = view.registers.iter().map(|cell| cell.get()).collect();
            self.before = ContentHash::of(&(command.class, command.method, command.value, registers));
            return;
        }
        let memory = ContentHash::of(&Pieces(view, &self.ranges_at(number)));
        self.add(ContentHash::of(&(self.before, memory)));
    }

    fn seen(&mut self, _: Seen) {}
}

/// What differs at an event that both runs have, in words: commands, what they do, registers before, memory in `ranges`
/// after.
///
/// # Errors
/// As [`Session::show`].
pub fn describe(
    a: &mut Session<'_>,
    b: &mut Session<'_>,
    event: usize,
    ranges: &[GuestRange],
) -> Result<Vec<String>, Error> {
    let (here, there) = (&a.events()[event], &b.events()[event]);
    let (names, class) = (Names(a.machine()), here.command.class);
    let mut what = Vec::new();
    if here.command != there.command {
        let text = |event: &Event| {
            format!("{} = {:#010x}", names.name(event.command.class, event.command.method), event.command.value)
        };
        what.push(format!("the command: {} and {}", text(here), text(there)));
    }
    if here.effects != there.effects {
        what.push("what the command does: its details".to_owned());
    }
    let ask = Ask { registers: true, ranges: Vec::new() };
    let [ours, others] = [a.show(event, Moment::Before, ask.clone())?, b.show(event, Moment::Before, ask)?];
    for (number, (word, other)) in ours.registers.iter().zip(&others.registers).enumerate().filter(|(_, (a, b))| a != b)
    {
        let name = names.name(class, names.method_of(number));
        what.push(format!("register {name}: {word:#010x} and {other:#010x}"));
    }
    what.extend(describe_memory((a, b), event, ranges)?);
    Ok(what)
}

/// What differs in memory. Pieces that differ are found by hashes; those that are read are few.
fn describe_memory(
    (a, b): (&mut Session<'_>, &mut Session<'_>),
    event: usize,
    ranges: &[GuestRange],
) -> Result<Vec<String>, Error> {
    const MAX_PIECES: u64 = MAX_COMPARED / PIECE;
    let count = pieces_of(ranges).take(MAX_PIECES as usize + 1).count();
    let [ours, theirs] = [piece_hashes(a, event, ranges, MAX_PIECES)?, piece_hashes(b, event, ranges, MAX_PIECES)?];
    let pieces = pieces_of(ranges).zip(ours.iter().zip(&theirs)).filter(|(_, (a, b))| a != b).map(|(piece, _)| piece);
    let mut differing: Vec<(usize, GuestRange)> = pieces.collect();
    let is_cut = differing.len() as u64 > MAX_LOOK_BYTES / PIECE;
    differing.truncate((MAX_LOOK_BYTES / PIECE) as usize);
    let asked: Vec<GuestRange> = differing.iter().map(|(_, piece)| *piece).collect();
    let ask = Ask { registers: false, ranges: asked };
    let [ours, theirs] = [a.show(event, Moment::After, ask.clone())?, b.show(event, Moment::After, ask)?];
    let mut found: BTreeMap<usize, (usize, u64)> = BTreeMap::new();
    for ((number, piece), (bytes, others)) in differing.iter().zip(ours.ranges.iter().zip(&theirs.ranges)) {
        let at = |place: usize| piece.start.address - ranges[*number].start.address + place as u64;
        let mut places = bytes.iter().zip(others).enumerate().filter(|(_, (a, b))| a != b).map(|(place, _)| place);
        let Some(first) = places.next() else { continue };
        found.entry(*number).or_insert((0, at(first))).0 += 1 + places.count();
    }
    let last = found.keys().next_back().copied();
    let line = |(number, (count, first)): (&usize, &(usize, u64))| {
        let GuestRange { start, size } = ranges[*number];
        let more = if is_cut && last == Some(*number) { " or more" } else { "" };
        format!("memory {:#x}+{size:#x}: {count} bytes{more}, the first at {first:#x}", start.address)
    };
    let mut lines: Vec<String> = found.iter().map(line).collect();
    if is_cut || count as u64 > MAX_PIECES {
        lines.push("memory after that is not compared here".to_owned());
    }
    Ok(lines)
}

/// The hashes of the pieces of memory that an event leaves, at most so many.
fn piece_hashes(
    session: &mut Session<'_>,
    event: usize,
    ranges: &[GuestRange],
    most: u64,
) -> Result<Vec<ContentHash>, Error> {
    let found = Arc::new(Mutex::new(None));
    let order = session.events()[event].order;
    let pieces = pieces_of(ranges).take(most as usize).map(|(_, piece)| piece).collect();
    session.tour(event, event, Box::new(PieceHashes { order, pieces, found: found.clone() }))?;
    let found = found.lock().unwrap_or_else(PoisonError::into_inner).take();
    found.ok_or_else(|| Error::InvalidArgument(format!("event {event} does not come again")))
}

struct PieceHashes {
    order: u64,
    pieces: Vec<GuestRange>,
    found: Arc<Mutex<Option<Vec<ContentHash>>>>,
}

impl Tour for PieceHashes {
    fn is_over(&mut self) -> bool {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn ask(&mut self, order: u64, moment: Moment) -> Option<Ask> {
        ((order, moment) == (self.order, Moment::After)).then(Ask::default)
    }

    fn look(&mut self, _: u64, _: Moment, view: &View<'_>) {
        let hash = |piece: &GuestRange| ContentHash::of(&Pieces(view, std::slice::from_ref(piece)));
        let hashes = self.pieces.iter().map(hash).collect();
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(hashes);
    }

    fn seen(&mut self, _: Seen) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bisection_finds_the_first() {
        for count in 1..40 {
            for first in 0..count {
                let mut looks = 0;
                let found = bisect(None, &[count / 2, count - 1], |event| {
                    looks += 1;
                    Ok(event >= first)
                });
                assert_eq!(found.unwrap(), Some(first));
                assert!(looks <= 8, "{looks} looks at {count}");
                assert_eq!(bisect(Some(first), &[], |event| Ok(event >= first)).unwrap(), Some(first));
            }
            assert_eq!(bisect(None, &[count - 1], |_| Ok(false)).unwrap(), None);
        }
    }
}
