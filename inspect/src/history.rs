//! Pixel history: which events changed a pixel.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use triglyph::probe::{Fragment, Surface};
use triglyph::{Error, GuestAddr, GuestRange};

use crate::replay::Session;
use crate::tour::{Ask, Moment, Seen, Tour};

/// An event that may have written a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The event.
    pub event: usize,
    /// The pixel's bytes before it.
    pub before: Vec<u8>,
    /// The pixel's bytes after it.
    pub after: Vec<u8>,
    /// Outcomes of the fragments that its draws have there; see [`Draw::fragments`](triglyph::probe::Draw).
    pub fragments: Vec<Fragment>,
    /// How many fragments are left out of the list: of one event it has at most 1,024, and with those of all events
    /// before it 65,536.
    pub left_out: usize,
}

/// Fragments of an event's draws that are kept, and of all events.
const MAX_EACH: usize = 1 << 10;
const MAX_ALL: usize = 1 << 16;

impl Change {
    /// Whether the event changed the pixel. One that stored the same value again did not.
    pub fn is_changed(&self) -> bool {
        self.before != self.after
    }

    /// Whether it changed the pixel or tried to.
    pub fn concerns(&self) -> bool {
        self.is_changed() || !self.fragments.is_empty() || self.left_out > 0
    }
}

/// The events that may have written the stored pixel (`x`, `y`) of a surface, with its value before and after each:
/// those that drew to the surface, wherever, and those that wrote any of its pixel's memory otherwise. Between two of
/// them only the host can have changed it. Fragments say what draws would have stored and why they did not.
///
/// # Errors
/// [`Error::InvalidArgument`] for a pixel outside of the surface; otherwise as [`Session::tour`].
pub fn history(session: &mut Session<'_>, surface: &Surface, x: u32, y: u32) -> Result<Vec<Change>, Error> {
    if x >= surface.width || y >= surface.rows {
        return Err(Error::InvalidArgument(format!("pixel ({x}, {y}) of {}x{}", surface.width, surface.rows)));
    }
    let pixel = surface.start.after(surface.offset(x, y)).range(surface.bytes.into());
    let events = session.events().iter().filter(|event| event.may_write(pixel));
    let orders: BTreeMap<u64, usize> = events.map(|event| (event.order, event.number)).collect();
    let (Some(&first), Some(&last)) = (orders.values().next(), orders.values().next_back()) else {
        return Ok(Vec::new());
    };
    let changes = Arc::new(Mutex::new(Vec::new()));
    session.tour(first, last, Box::new(Watcher { pixel, orders, room: MAX_ALL, changes: changes.clone() }))?;
    let mut changes = changes.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *changes))
}

struct Watcher {
    pixel: GuestRange,
    /// Events by the order of their commands.
    orders: BTreeMap<u64, usize>,
    /// How many more fragments are kept.
    room: usize,
    changes: Arc<Mutex<Vec<Change>>>,
}

impl Tour for Watcher {
    fn ask(&mut self, order: u64, _: Moment) -> Option<Ask> {
        self.orders.contains_key(&order).then(|| Ask { registers: false, ranges: vec![self.pixel] })
    }

    fn pixel(&mut self, order: u64) -> Option<GuestAddr> {
        self.orders.contains_key(&order).then_some(self.pixel.start)
    }

    fn fragments(&mut self, order: u64, fragments: &[Fragment]) {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(change) = changes.last_mut().filter(|change| self.orders.get(&order) == Some(&change.event)) {
            let kept = fragments.len().min(MAX_EACH.saturating_sub(change.fragments.len())).min(self.room);
            self.room -= kept;
            change.fragments.extend_from_slice(&fragments[..kept]);
            change.left_out += fragments.len() - kept;
        }
    }

    fn seen(&mut self, mut seen: Seen) {
        let Some(&event) = self.orders.get(&seen.order) else { return };
        let bytes = seen.ranges.pop().unwrap_or_default();
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        match seen.moment {
            Moment::Before => {
                let (after, fragments) = (Vec::new(), Vec::new());
                changes.push(Change { event, before: bytes, after, fragments, left_out: 0 });
            }
            Moment::After => {
                if let Some(change) = changes.last_mut().filter(|change| change.event == event) {
                    change.after = bytes;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use triglyph::probe::Verdict;

    use super::*;

    #[test]
    fn fragments_are_few() {
        let changes = Arc::new(Mutex::new(Vec::new()));
        let orders = (0..100).map(|event| (event, event as usize)).collect();
        let mut watcher = Watcher { pixel: GuestRange::new(0, 0, 4), orders, room: MAX_ALL, changes: changes.clone() };
        let fragment = Fragment { primitive: 0, shaded: None, verdict: Verdict::Passed };
        for order in 0..100 {
            let seen = |moment| Seen { order, moment, registers: Vec::new(), ranges: vec![vec![0; 4]] };
            watcher.seen(seen(Moment::Before));
            for _ in 0..3 {
                watcher.fragments(order, &vec![fragment.clone(); 600]);
            }
            watcher.seen(seen(Moment::After));
        }
        let changes = changes.lock().unwrap();
        assert_eq!((changes[0].fragments.len(), changes[0].left_out), (1024, 776));
        assert_eq!((changes[63].fragments.len(), changes[64].fragments.len()), (1024, 0));
        assert!(changes.iter().all(|change| change.fragments.len() + change.left_out == 1800));
    }
}
