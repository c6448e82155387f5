//! Array elements that draws to the current target cannot write.

use crate::mem::{Epoch, GuestRange, Memory};
use crate::render::{Pipeline, Renderer};

/// How many elements of a draw's arrays are known not to share memory with the target of scenes. Draws that stay within
/// them need not check whether the scene has to be drawn before the arrays are read.
#[derive(Debug, Default)]
pub struct NonAliasingRange(Option<Found>);

#[derive(Debug)]
struct Found {
    /// The target's number.
    target: u64,
    /// When it was found, for changes of mappings.
    epoch: Epoch,
    /// The last element.
    last: u32,
}

impl NonAliasingRange {
    /// Whether the elements up to `last` are in the range.
    pub fn covers<P: Pipeline>(&self, renderer: &Renderer<P>, memory: &Memory, last: u32) -> bool {
        let current = |found: &Found| {
            last <= found.last && found.target == renderer.target_number() && !memory.mapped_since(found.epoch)
        };
        self.0.as_ref().is_some_and(current) && !renderer.state_cache_disabled()
    }

    /// Finds a range that covers the elements up to `last`, and some more if possible, so that draws that advance
    /// through arrays need not search each time. `ranges` gives the memory of all elements up to a number, `None` for
    /// memory that has to be checked for each draw.
    pub fn find<P: Pipeline, I: Iterator<Item = Option<GuestRange>>>(
        renderer: &mut Renderer<P>,
        memory: &Memory,
        last: u32,
        ranges: impl Fn(u32) -> I,
    ) -> Self {
        let more = last.saturating_add(1).checked_next_power_of_two().map_or(last, |power| 2 * (power - 1));
        let mut is_clear = |range: Option<GuestRange>| range.is_some_and(|range| !renderer.may_touch(memory, range));
        let last = [more.max(last), last].into_iter().find(|&last| ranges(last).all(&mut is_clear));
        NonAliasingRange(last.map(|last| Found { target: renderer.target_number(), epoch: memory.epoch(), last }))
    }
}
