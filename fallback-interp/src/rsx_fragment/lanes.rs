//! Sets of lanes of a quad.

/// A set of lanes: bit i is lane i; 0 is the upper left one, 1 the upper right one, 2 and 3 are below.
pub(super) type Lanes = u8;

/// The lanes of a set.
pub(super) fn members(lanes: Lanes) -> impl Iterator<Item = usize> {
    (0..4).filter(move |i| lanes >> i & 1 != 0)
}

/// The left and the right lane of a lane's row.
pub(super) fn row(lane: usize) -> [usize; 2] {
    [lane & 2, lane | 1]
}

/// The upper and the lower lane of a lane's column.
pub(super) fn column(lane: usize) -> [usize; 2] {
    [lane & 1, lane | 2]
}

/// Whether both lanes are in a set.
pub(super) fn both(lanes: Lanes, pair: [usize; 2]) -> bool {
    pair.iter().all(|lane| lanes >> lane & 1 != 0)
}
