//! The fragments of events, draw by draw, and their outcomes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use triglyph::probe::{Counting, FragmentCounts, Surface};
use triglyph::{Error, GuestRange};

use crate::events::Event;
use crate::limits::MAX_LOOK_BYTES;
use crate::replay::Session;
use crate::surfaces::is_same;
use crate::tour::{Ask, Moment, Seen, Tour};

/// An event whose draws have told of their fragments.
#[derive(Debug, Default)]
pub struct Counted {
    /// Its number.
    pub event: usize,
    /// Its draws: as many as there is room for.
    pub draws: Vec<FragmentCounts>,
    /// How many draws there is no room for, and their fragments.
    pub left_out: usize,
    pub left_out_fragments: u64,
    /// The surfaces that are shown, by their numbers.
    pub shown: Vec<usize>,
    /// Their bytes before it.
    pub before: Vec<Vec<u8>>,
    /// The same after it.
    pub after: Vec<Vec<u8>>,
    /// Bytes of the counts of its draws.
    bytes: usize,
}

/// Bytes of the counts of an event's draws.
const MAX_COUNT_BYTES: usize = 256 << 20;

impl Counted {
    /// Adds a draw.
    fn add(&mut self, counts: &FragmentCounts) {
        let bytes = counts.judged.as_ref().map_or(0, |judged| {
            let verdicts = judged.verdicts.iter().map(|found| size_of_val(&**found)).sum::<usize>();
            verdicts + size_of_val(&*judged.primitives)
        });
        let bytes = bytes + size_of_val(&*counts.counts) + counts.shapes.len();
        // Draws of too many pixels have none, though they have an area.
        let is_counted = !counts.counts.is_empty() || counts.area[2] == 0;
        if !is_counted || self.bytes + bytes > MAX_COUNT_BYTES {
            self.left_out += 1;
            self.left_out_fragments += counts.counts.iter().map(|&count| u64::from(count)).sum::<u64>();
            return;
        }
        self.bytes += bytes;
        self.draws.push(counts.clone());
    }
}

impl Session<'_> {
    /// Has the draws of some events tell of their fragments, in one replay, and calls `each` with what they say, in
    /// order, until it says that it has enough. Of `surfaces`, those that an event draws to are shown before and after
    /// it, as far as they may be looked at together.
    ///
    /// # Errors
    /// As [`Self::tour`].
    pub(super) fn count_fragments(
        &mut self,
        events: Range<usize>,
        (surfaces, counting): (&[Surface], Counting),
        each: impl FnMut(&Counted) -> bool + Send + 'static,
    ) -> Result<(), Error> {
        let none = || Error::InvalidArgument(format!("events {events:?} of {}", self.events().len()));
        let drawn =
            self.events().get(events.clone()).ok_or_else(none)?.iter().filter(|event| event.draws().count() > 0);
        let orders: BTreeMap<u64, (usize, Vec<usize>)> =
            drawn.map(|event| (event.order, (event.number, shown_at(event, surfaces)))).collect();
        let numbers = || orders.values().map(|(number, _)| *number);
        let (Some(first), Some(last)) = (numbers().next(), numbers().next_back()) else { return Ok(()) };
        let ranges = surfaces.iter().map(Surface::range).collect();
        let counter = Counter { counting, orders, ranges, counted: Counted::default(), is_over: false, each };
        self.tour(first, last, Box::new(counter))
    }

    /// What [`Self::count_fragments`] says, put together by `add`.
    pub(super) fn fold_fragments<T: Send + 'static>(
        &mut self,
        events: Range<usize>,
        surfaces: &[Surface],
        start: T,
        add: fn(&mut T, &Counted),
    ) -> Result<T, Error> {
        self.fold_counts(events, (surfaces, Counting::Verdicts), start, add)
    }

    /// The same with more or fewer facts of fragments.
    pub(super) fn fold_counts<T: Send + 'static>(
        &mut self,
        events: Range<usize>,
        counted: (&[Surface], Counting),
        start: T,
        add: fn(&mut T, &Counted),
    ) -> Result<T, Error> {
        let sum = Arc::new(Mutex::new(Some(start)));
        let each = sum.clone();
        self.count_fragments(events, counted, move |counted| {
            if let Some(sum) = each.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                add(sum, counted);
            }
            true
        })?;
        let sum = sum.lock().unwrap_or_else(PoisonError::into_inner).take();
        sum.ok_or_else(|| Error::InvalidArgument("a sum that was taken".to_owned()))
    }
}

/// Surfaces that are shown at an event: those that it draws to, as far as they may be looked at together.
fn shown_at(event: &Event, surfaces: &[Surface]) -> Vec<usize> {
    let mut left = MAX_LOOK_BYTES;
    let mut is_shown = |number: &usize| {
        let surface = &surfaces[*number];
        if surface.size > left || !event.surfaces().any(|drawn| is_same(drawn, surface)) {
            return false;
        }
        left -= surface.size;
        true
    };
    (0..surfaces.len()).filter(|number| is_shown(number)).collect()
}

struct Counter<F> {
    counting: Counting,
    /// Events with draws, and which surfaces are shown at them, by the order of their commands.
    orders: BTreeMap<u64, (usize, Vec<usize>)>,
    ranges: Vec<GuestRange>,
    counted: Counted,
    is_over: bool,
    each: F,
}

impl<F: FnMut(&Counted) -> bool + Send> Tour for Counter<F> {
    fn is_over(&mut self) -> bool {
        self.is_over
    }

    fn ask(&mut self, order: u64, _: Moment) -> Option<Ask> {
        let (_, shown) = self.orders.get(&order)?;
        Some(Ask { registers: false, ranges: shown.iter().map(|&number| self.ranges[number]).collect() })
    }

    fn wants_counts(&mut self, order: u64) -> Counting {
        if self.orders.contains_key(&order) { self.counting } else { Counting::Nothing }
    }

    fn counts(&mut self, _: u64, counts: &FragmentCounts) {
        self.counted.add(counts);
    }

    fn seen(&mut self, seen: Seen) {
        let Some((event, shown)) = self.orders.get(&seen.order) else { return };
        match seen.moment {
            Moment::Before => {
                let (event, shown) = (*event, shown.clone());
                self.counted = Counted { event, shown, before: seen.ranges, ..Counted::default() };
            }
            Moment::After => {
                self.counted.after = seen.ranges;
                self.is_over = !(self.each)(&self.counted);
            }
        }
    }
}
