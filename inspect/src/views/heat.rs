//! Heat maps: how often the pixels of a surface were drawn to in a range of events.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use triglyph::Error;
use triglyph::probe::{FragmentCounts, Surface};

use crate::replay::Session;
use crate::surfaces::is_same;
use crate::tour::{Ask, Moment, Seen, Tour};

/// How often each stored pixel of a surface was drawn to, row after row as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Heat {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub rows: u32,
    /// Draws that were counted.
    pub draws: usize,
    /// Fragments before any test: the depth complexity.
    pub fragments: Vec<u32>,
    /// Events that changed the pixel's bytes: the overdraw, as far as it shows.
    pub changes: Vec<u32>,
}

/// Stored pixels of the largest surface that is counted.
const MAX_PIXELS: u64 = 1 << 23;

impl Session<'_> {
    /// Counts for a surface what the draws of some events do to its pixels. Fragments are those of draws that have the
    /// surface, changes those of any of their events that draw to it.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for no events, and for surfaces of more than 2^23 pixels; otherwise as
    /// [`Self::tour`].
    pub fn heat(&mut self, surface: &Surface, events: Range<usize>) -> Result<Heat, Error> {
        let pixels = u64::from(surface.width) * u64::from(surface.rows);
        let none = || Error::InvalidArgument(format!("events {events:?}, a surface of {pixels} pixels"));
        let listed = self.events().get(events.clone()).filter(|_| pixels <= MAX_PIXELS).ok_or_else(none)?;
        let concerned = listed.iter().filter(|event| event.surfaces().any(|found| is_same(found, surface)));
        let orders: HashMap<u64, usize> = concerned.map(|event| (event.order, event.number)).collect();
        let empty = || vec![0; pixels as usize];
        let (fragments, changes) = (empty(), empty());
        let heat = Heat { width: surface.width, rows: surface.rows, draws: 0, fragments, changes };
        let (Some(&first), Some(&last)) = (orders.values().min(), orders.values().max()) else { return Ok(heat) };
        let found = Arc::new(Mutex::new(heat));
        let counter = Counter { surface: *surface, orders, before: Vec::new(), found: found.clone() };
        self.tour(first, last, Box::new(counter))?;
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut *found))
    }
}

struct Counter {
    surface: Surface,
    orders: HashMap<u64, usize>,
    /// The surface before the event.
    before: Vec<u8>,
    found: Arc<Mutex<Heat>>,
}

impl Tour for Counter {
    fn ask(&mut self, order: u64, _: Moment) -> Option<Ask> {
        self.orders.contains_key(&order).then(|| Ask { registers: false, ranges: vec![self.surface.range()] })
    }

    fn wants_counts(&mut self, order: u64) -> bool {
        self.orders.contains_key(&order)
    }

    fn counts(&mut self, _: u64, counts: &FragmentCounts) {
        if !counts.surfaces.iter().any(|found| is_same(found, &self.surface)) {
            return;
        }
        let mut heat = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        heat.draws += 1;
        let [across, down] = self.surface.samples.map(u32::from);
        let width = heat.width;
        for (y, row) in (0..).zip(counts.counts.chunks(counts.width.max(1) as usize)) {
            for (x, &count) in (0..).zip(row).filter(|(_, count)| **count != 0) {
                // All samples of a pixel have its fragments.
                for at in (0..down).flat_map(|dy| (0..across).map(move |dx| (x * across + dx, y * down + dy))) {
                    if let Some(pixel) = heat.fragments.get_mut((at.1 * width + at.0) as usize) {
                        *pixel += count;
                    }
                }
            }
        }
    }

    fn seen(&mut self, mut seen: Seen) {
        let now = seen.ranges.pop().unwrap_or_default();
        if seen.moment == Moment::Before {
            self.before = now;
            return;
        }
        let mut heat = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let (width, bytes) = (heat.width, self.surface.bytes as usize);
        if now == self.before {
            return;
        }
        for (index, changes) in (0..).zip(&mut heat.changes) {
            let at = self.surface.offset(index % width, index / width) as usize;
            if now.get(at..at + bytes) != self.before.get(at..at + bytes) {
                *changes += 1;
            }
        }
    }
}
