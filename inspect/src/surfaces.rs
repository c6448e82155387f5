//! The surfaces of a capture.

use triglyph::probe::{Role, Stored, Surface};

use crate::events::Event;
use crate::limits::MAX_CANVASES;

/// The surfaces that draws of these events use, each once, in the order in which they are first drawn to. What is the
/// same memory in the same form is one surface; what its pixels mean is what the first draw says that knows it. At most
/// 256, the first ones.
pub fn surfaces_of(events: &[Event]) -> Vec<Surface> {
    first_surfaces(events.iter().flat_map(Event::surfaces)).0
}

/// The same for some surfaces, and whether there are more.
pub(crate) fn first_surfaces<'e>(surfaces: impl Iterator<Item = &'e Surface>) -> (Vec<Surface>, bool) {
    let (mut found, mut has_more): (Vec<Surface>, bool) = (Vec::new(), false);
    for surface in surfaces {
        match found.iter().position(|known| is_same(known, surface)) {
            Some(known) if found[known].stored == Stored::Unknown => found[known].stored = surface.stored,
            None if found.len() < MAX_CANVASES => found.push(*surface),
            None => has_more = true,
            Some(_) => {}
        }
    }
    (found, has_more)
}

/// Whether both are the same memory in the same form, both of colours or both of depth.
pub(crate) fn is_same(a: &Surface, b: &Surface) -> bool {
    let known = a.stored == Stored::Unknown || b.stored == Stored::Unknown || a.stored == b.stored;
    a.is_same_place(b) && (a.role == Role::Depth) == (b.role == Role::Depth) && known
}
