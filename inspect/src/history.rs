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
    /// What became of the fragments that its draws have there; see [`Draw::fragments`](triglyph::probe::Draw).
    pub fragments: Vec<Fragment>,
}

impl Change {
    /// Whether the event changed the pixel. One that stored the same value again did not.
    pub fn is_changed(&self) -> bool {
        self.before != self.after
    }

    /// Whether it changed the pixel or tried to.
    pub fn concerns(&self) -> bool {
        self.is_changed() || !self.fragments.is_empty()
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
    session.tour(first, last, Box::new(Watcher { pixel, orders, changes: changes.clone() }))?;
    let mut changes = changes.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *changes))
}

struct Watcher {
    pixel: GuestRange,
    /// Events by the order of their commands.
    orders: BTreeMap<u64, usize>,
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
            change.fragments.extend_from_slice(fragments);
        }
    }

    fn seen(&mut self, mut seen: Seen) {
        let Some(&event) = self.orders.get(&seen.order) else { return };
        let bytes = seen.ranges.pop().unwrap_or_default();
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        match seen.moment {
            Moment::Before => changes.push(Change { event, before: bytes, after: Vec::new(), fragments: Vec::new() }),
            Moment::After => {
                if let Some(change) = changes.last_mut().filter(|change| change.event == event) {
                    change.after = bytes;
                }
            }
        }
    }
}
