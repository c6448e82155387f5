//! The surfaces of a capture.

use triglyph::probe::{Role, Stored, Surface};

use crate::events::Event;

/// The surfaces that draws of these events use, each once, in the order in which they are first drawn to. What is the
/// same memory in the same form is one surface; what its pixels mean is what the first draw says that knows it.
pub fn surfaces_of(events: &[Event]) -> Vec<Surface> {
    let mut found: Vec<Surface> = Vec::new();
    for surface in events.iter().flat_map(Event::surfaces) {
        match found.iter_mut().find(|known| is_same(known, surface)) {
            Some(known) if known.stored == Stored::Unknown => known.stored = surface.stored,
            Some(_) => {}
            None => found.push(*surface),
        }
    }
    found
}

/// Whether both are the same memory in the same form, both of colours or both of depth.
pub(crate) fn is_same(a: &Surface, b: &Surface) -> bool {
    let known = a.stored == Stored::Unknown || b.stored == Stored::Unknown || a.stored == b.stored;
    a.is_same_place(b) && (a.role == Role::Depth) == (b.role == Role::Depth) && known
}
