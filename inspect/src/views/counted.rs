//! The fragments of events, draw by draw, and what became of them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use triglyph::probe::{Counting, FragmentCounts, Surface};
use triglyph::{Error, GuestRange};

use crate::replay::Session;
use crate::tour::{Ask, Moment, Seen, Tour};

/// An event whose draws have told of their fragments.
#[derive(Debug, Default)]
pub struct Counted {
    /// Its number.
    pub event: usize,
    /// Its draws.
    pub draws: Vec<FragmentCounts>,
    /// The surfaces that were asked for before it.
    pub before: Vec<Vec<u8>>,
    /// The same after it.
    pub after: Vec<Vec<u8>>,
}

impl Session<'_> {
    /// Has the draws of some events tell of their fragments, in one replay, and calls `each` with what they say, in
    /// order. `surfaces` are shown before and after each event.
    ///
    /// # Errors
    /// As [`Self::tour`].
    pub(super) fn count_fragments(
        &mut self,
        events: Range<usize>,
        surfaces: &[Surface],
        each: impl FnMut(&Counted) + Send + 'static,
    ) -> Result<(), Error> {
        let none = || Error::InvalidArgument(format!("events {events:?} of {}", self.events().len()));
        let drawn =
            self.events().get(events.clone()).ok_or_else(none)?.iter().filter(|event| event.draws().count() > 0);
        let orders: BTreeMap<u64, usize> = drawn.map(|event| (event.order, event.number)).collect();
        let (Some(&first), Some(&last)) = (orders.values().next(), orders.values().next_back()) else { return Ok(()) };
        let ranges = surfaces.iter().map(Surface::range).collect();
        self.tour(first, last, Box::new(Counter { orders, ranges, counted: Counted::default(), each }))
    }

    /// What [`Self::count_fragments`] says, put together by `add`.
    pub(super) fn fold_fragments<T: Send + 'static>(
        &mut self,
        events: Range<usize>,
        surfaces: &[Surface],
        start: T,
        add: fn(&mut T, &Counted),
    ) -> Result<T, Error> {
        let sum = Arc::new(Mutex::new(Some(start)));
        let each = sum.clone();
        self.count_fragments(events, surfaces, move |counted| {
            if let Some(sum) = each.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                add(sum, counted);
            }
        })?;
        let sum = sum.lock().unwrap_or_else(PoisonError::into_inner).take();
        sum.ok_or_else(|| Error::InvalidArgument("a sum that was taken".to_owned()))
    }
}

struct Counter<F> {
    /// Events with draws by the order of their commands.
    orders: BTreeMap<u64, usize>,
    ranges: Vec<GuestRange>,
    counted: Counted,
    each: F,
}

impl<F: FnMut(&Counted) + Send> Tour for Counter<F> {
    fn ask(&mut self, order: u64, _: Moment) -> Option<Ask> {
        self.orders.contains_key(&order).then(|| Ask { registers: false, ranges: self.ranges.clone() })
    }

    fn wants_counts(&mut self, order: u64) -> Counting {
        if self.orders.contains_key(&order) { Counting::Verdicts } else { Counting::Nothing }
    }

    fn counts(&mut self, _: u64, counts: &FragmentCounts) {
        self.counted.draws.push(counts.clone());
    }

    fn seen(&mut self, seen: Seen) {
        let Some(&event) = self.orders.get(&seen.order) else { return };
        match seen.moment {
            Moment::Before => self.counted = Counted { event, before: seen.ranges, ..Counted::default() },
            Moment::After => {
                self.counted.after = seen.ranges;
                (self.each)(&self.counted);
            }
        }
    }
}
