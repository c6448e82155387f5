//! A draw between BEGIN and END: the vertices gathered so far.

use triglyph_guest::tegra::methods::threed::Topology;

use super::indices::{MAX_VERTICES, Numbers, Order};
use triglyph_engine::draw::program::RESTART;

/// A draw that has begun. It is one draw of all vertices from BEGIN to END, in whatever pieces they come: Mesa's driver
/// cuts a primitive into pieces where edge flags change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Open {
    /// Of BEGIN.
    pub topology: Option<Topology>,
    /// Vertices that have come.
    pub vertices: Order,
    /// Indices after them that came as data of methods.
    pub indices: Vec<u32>,
    /// Places among all of these from which on the edge flag is the other one. It is on at first.
    pub turns: Vec<u32>,
}

impl Open {
    pub(crate) fn new(topology: Option<Topology>) -> Self {
        Open { topology, ..Open::default() }
    }

    /// How many more vertices there may be.
    pub(crate) fn room(&self) -> usize {
        (MAX_VERTICES as usize).saturating_sub(self.count())
    }

    /// Notes the edge flag of vertices that come now.
    pub(crate) fn note_flag(&mut self, flag: bool) {
        let place = self.count() as u32;
        if self.turns.len().is_multiple_of(2) == flag {
            return;
        }
        if self.turns.last() == Some(&place) {
            self.turns.pop();
        } else {
            self.turns.push(place);
        }
    }

    /// Adds vertices, as far as there is room. Those of a later piece have the first one's offset of numbers that
    /// programs see. `room` gives an empty list.
    pub(crate) fn add(&mut self, order: Order, room: impl FnOnce() -> Vec<u32>) {
        if self.vertices.numbers.is_empty() {
            self.vertices = order;
            return;
        }
        let left = self.room();
        let shift = order.base.wrapping_sub(self.vertices.base);
        let moved = |number: u32| match number {
            RESTART => RESTART,
            _ => number.wrapping_add(shift).min(RESTART - 1),
        };
        let mut numbers = std::mem::take(&mut self.vertices.numbers).into_list(room);
        match order.numbers {
            Numbers::Sequence { first, count } => numbers.extend((first..first + count).take(left).map(moved)),
            Numbers::List(list) => numbers.extend(list.into_iter().take(left).map(moved)),
        }
        self.vertices.numbers = Numbers::List(numbers);
        self.vertices.indexed = true;
    }

    fn count(&self) -> usize {
        self.vertices.numbers.len() + self.indices.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(numbers: &[u32], base: u32) -> Order {
        Order { numbers: Numbers::List(numbers.to_vec()), base, ..Order::default() }
    }

    #[test]
    fn pieces_are_one_order_and_flags_turn_where_vertices_come() {
        let mut open = Open::new(None);
        open.note_flag(true);
        open.add(piece(&[4, 5], 10), Vec::new);
        for flag in [false, true, false] {
            open.note_flag(flag);
        }
        open.add(piece(&[RESTART, 1], 13), Vec::new);
        open.note_flag(true);
        assert_eq!((open.vertices.numbers, open.vertices.base), (Numbers::List(vec![4, 5, RESTART, 4]), 10));
        assert_eq!(open.turns, [2, 4]);
    }

    #[test]
    fn sequences_become_lists_where_another_piece_follows() {
        let sequence = |first, count| Order { numbers: Numbers::Sequence { first, count }, ..Order::default() };
        let mut open = Open::new(None);
        open.add(sequence(7, 3), Vec::new);
        assert_eq!((open.count(), &open.vertices), (3, &sequence(7, 3)));
        open.add(piece(&[1], 2), Vec::new);
        open.add(sequence(0, 2), Vec::new);
        assert_eq!(open.vertices.numbers, Numbers::List(vec![7, 8, 9, 3, 0, 1]));
    }
}
