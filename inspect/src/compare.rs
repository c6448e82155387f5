//! Two runs event by event: two captures, two tiers, or two builds, one of which has left a file of hashes.
//!
//! Lists of events are at hand, and registers are few: those are compared for all events. The first event whose memory
//! differs is found by bisection before that: each step brings both devices to one event and compares all surfaces as
//! it leaves them. A difference is taken to stay until the event that is known to differ; only where none is known and
//! the ends of pictures show nothing are all events looked at.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use triglyph::probe::ContentHash;
use triglyph::{Error, GuestRange};

use crate::canvas::Canvas;
use crate::events::Event;
use crate::limits::MAX_LOOK_BYTES;
use crate::names::Names;
use crate::replay::Session;
use crate::tour::{Ask, Moment, Seen, Tour};

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
    /// What the file is: 1.
    pub version: u32,
    /// The memory that is hashed: space, address, bytes.
    pub ranges: Vec<(u32, u64, u64)>,
    /// For each event what it is, the registers that it finds and the memory that it leaves, in hexadecimal.
    pub events: Vec<String>,
}

/// The first event at which two runs differ; `None` if none is found.
///
/// # Errors
/// As [`Session::show`].
pub fn first_difference(a: &mut Session<'_>, b: &mut Session<'_>) -> Result<Option<Difference>, Error> {
    let ranges = ranges_of(a);
    let common = a.events().len().min(b.events().len());
    let unlike = (0..common).find(|&event| !is_alike(&a.events()[event], &b.events()[event]));
    let lengths = (a.events().len() != b.events().len()).then_some(common);
    let end = unlike.or(lengths).unwrap_or(common);
    let registers = [states(a, 0..end, &[], hash)?, states(b, 0..end, &[], hash)?];
    let registers = registers[0].iter().zip(&registers[1]).position(|(a, b)| a != b);
    let known = registers.or(unlike).or(lengths);
    let (ends, mut looks) = (ends(a, common), 0);
    let found = bisect(known, &ends, |event| {
        looks += 1;
        Ok(state(a, event, &ranges)?.1 != state(b, event, &ranges)?.1)
    })?;
    let found = match found {
        Some(event) => Some(event),
        None => {
            let all = [states(a, 0..common, &ranges, hash)?, states(b, 0..common, &ranges, hash)?];
            all[0].iter().zip(&all[1]).position(|(a, b)| a != b)
        }
    };
    let Some(event) = found else { return Ok(None) };
    if event >= common {
        let what = format!("one run has {} events, the other {}", a.events().len(), b.events().len());
        return Ok(Some(Difference { event: common.saturating_sub(1), what: vec![what], looks, is_end: true }));
    }
    let what = describe(a, b, event, &ranges)?;
    Ok(Some(Difference { event, what, looks, is_end: false }))
}

/// The hashes of a run, all of them in one replay.
///
/// # Errors
/// As [`Session::tour`].
pub fn hashes(session: &mut Session<'_>) -> Result<Hashes, Error> {
    let ranges = ranges_of(session);
    let events = states(session, 0..session.events().len(), &ranges, hash)?;
    let ranges = ranges.iter().map(|range| (range.start.space, range.start.address, range.size)).collect();
    Ok(Hashes { version: 1, ranges, events })
}

/// The first event at which a run differs from one that has left hashes.
///
/// # Errors
/// [`Error::InvalidArgument`] for hashes of another version; otherwise as [`Session::show`].
pub fn first_unlike(session: &mut Session<'_>, other: &Hashes) -> Result<Option<Difference>, Error> {
    if other.version != 1 {
        return Err(Error::InvalidArgument(format!("hashes of version {}", other.version)));
    }
    let range = |&(space, address, size): &(u32, u64, u64)| GuestRange::new(space, address, size);
    let ranges: Vec<GuestRange> = other.ranges.iter().map(range).collect();
    let common = session.events().len().min(other.events.len());
    let lengths = (session.events().len() != other.events.len()).then_some(common);
    let mut looks = 0;
    let ends = ends(session, common);
    let found = bisect(lengths, &ends, |event| {
        looks += 1;
        let state = state(session, event, &ranges)?;
        Ok(hash(&session.events()[event], state) != other.events[event])
    })?;
    let found = match found {
        Some(event) => Some(event),
        None => {
            let all = states(session, 0..common, &ranges, hash)?;
            all.iter().zip(&other.events).position(|(a, b)| a != b)
        }
    };
    Ok(found.map(|event| {
        let what = match event < common {
            true => "what it is, the registers that it finds, or the memory that it leaves".to_owned(),
            false => format!("this run has {} events, the other {}", session.events().len(), other.events.len()),
        };
        Difference { event: event.min(common.saturating_sub(1)), what: vec![what], looks, is_end: event >= common }
    }))
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
    let mut ends: Vec<usize> = session.pictures().iter().filter_map(|(record, _)| before(*record)).collect();
    ends.extend(count.checked_sub(1));
    ends.dedup();
    let step = ends.len().div_ceil(MAX_ENDS).max(1);
    ends.into_iter().rev().step_by(step).collect::<Vec<_>>().into_iter().rev().collect()
}

/// Whether two events are the same command and did the same.
fn is_alike(a: &Event, b: &Event) -> bool {
    a.command == b.command && a.effects == b.effects
}

/// All surfaces and outputs, once each; those that are too large together are left out.
fn ranges_of(session: &Session<'_>) -> Vec<GuestRange> {
    let mut ranges: Vec<GuestRange> = Canvas::all(session).iter().map(Canvas::range).collect();
    ranges.sort_by_key(|range| (range.start.space, range.start.address, range.size));
    ranges.dedup();
    let mut left = MAX_LOOK_BYTES;
    ranges.retain(|range| match left.checked_sub(range.size) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    });
    ranges
}

/// The registers that an event finds, and the memory that it leaves.
type State = (Vec<u32>, Vec<Vec<u8>>);

fn hash(event: &Event, state: State) -> String {
    let command = event.command;
    format!("{:032x}", ContentHash::of(&(command.class, command.method, command.value, &state)).0)
}

fn state(session: &mut Session<'_>, event: usize, ranges: &[GuestRange]) -> Result<State, Error> {
    let mut found = states(session, event..event + 1, ranges, |_, state| state)?;
    found.pop().ok_or_else(|| Error::InvalidArgument(format!("event {event} does not come again")))
}

/// What `make` makes of the states of some events, in one replay.
fn states<T: Send + 'static>(
    session: &mut Session<'_>,
    events: Range<usize>,
    ranges: &[GuestRange],
    make: fn(&Event, State) -> T,
) -> Result<Vec<T>, Error> {
    let Some(last) = events.clone().next_back() else { return Ok(Vec::new()) };
    let made = Arc::new(Mutex::new(Vec::new()));
    let listed = session.events()[events.clone()].to_vec();
    let states =
        States { events: listed, next: 0, registers: Vec::new(), ranges: ranges.to_vec(), make, made: made.clone() };
    session.tour(events.start, last, Box::new(states))?;
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *made))
}

struct States<T> {
    events: Vec<Event>,
    next: usize,
    registers: Vec<u32>,
    ranges: Vec<GuestRange>,
    make: fn(&Event, State) -> T,
    made: Arc<Mutex<Vec<T>>>,
}

impl<T: Send> Tour for States<T> {
    fn ask(&mut self, order: u64, moment: Moment) -> Option<Ask> {
        let wanted = self.events.get(self.next).is_some_and(|event| event.order == order);
        let ranges = if moment == Moment::After { self.ranges.clone() } else { Vec::new() };
        wanted.then_some(Ask { registers: moment == Moment::Before, ranges })
    }

    fn seen(&mut self, seen: Seen) {
        if seen.moment == Moment::Before {
            self.registers = seen.registers;
            return;
        }
        let state = (std::mem::take(&mut self.registers), seen.ranges);
        let made = (self.make)(&self.events[self.next], state);
        self.made.lock().unwrap_or_else(PoisonError::into_inner).push(made);
        self.next += 1;
    }
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
    let ((registers, memory), (others, other_memory)) = (state(a, event, ranges)?, state(b, event, ranges)?);
    for (number, (word, other)) in registers.iter().zip(&others).enumerate().filter(|(_, (a, b))| a != b) {
        let name = names.name(class, names.method_of(number));
        what.push(format!("register {name}: {word:#010x} and {other:#010x}"));
    }
    for (range, (bytes, others)) in ranges.iter().zip(memory.iter().zip(&other_memory)) {
        let count = bytes.iter().zip(others).filter(|(a, b)| a != b).count();
        if let Some(first) = bytes.iter().zip(others).position(|(a, b)| a != b) {
            let (address, size) = (range.start.address, range.size);
            what.push(format!("memory {address:#x}+{size:#x}: {count} bytes, the first at {first:#x}"));
        }
    }
    Ok(what)
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
