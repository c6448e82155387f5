//! Sets of accessed ranges, collected one by one and compared at the end.

use std::ops::Range;

/// Ranges of numbers. They are collected cheaply, and merged when asked for or when there are many.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    ranges: Vec<Range<u64>>,
    merged: usize,
}

/// Ranges added last that a new one is joined with, if they touch: instructions take turns.
const RECENT: usize = 4;

/// Unmerged ranges that are tolerated before merging.
const SLACK: usize = 256;

impl Ranges {
    pub(super) fn insert(&mut self, new: Range<u64>) {
        let touches = |known: &&mut Range<u64>| known.start <= new.end && new.start <= known.end;
        if let Some(known) = self.ranges.iter_mut().rev().take(RECENT).find(touches) {
            *known = known.start.min(new.start)..known.end.max(new.end);
            return;
        }
        self.ranges.push(new);
        if self.ranges.len() > 2 * self.merged + SLACK {
            self.merge();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// All of them: sorted, disjoint.
    pub(super) fn merge(&mut self) -> &[Range<u64>] {
        self.ranges.sort_unstable_by_key(|range| (range.start, range.end));
        self.ranges.dedup_by(|next, kept| {
            let touches = next.start <= kept.end;
            if touches {
                kept.end = kept.end.max(next.end);
            }
            touches
        });
        self.merged = self.ranges.len();
        &self.ranges
    }
}

/// The ranges that a part has loaded and stored.
#[derive(Debug, Default)]
pub(super) struct LoadsAndStores {
    pub loads: Ranges,
    pub stores: Ranges,
}

/// Stores of several users with their users, sorted; `None` if two have stored to one place, or if one has loaded what
/// another one has stored.
pub(super) fn independent(users: &mut [&mut LoadsAndStores]) -> Option<Vec<Range<u64>>> {
    let mut stores = Vec::new();
    for (user, used) in users.iter_mut().enumerate() {
        stores.extend(used.stores.merge().iter().map(|range| (range.clone(), user)));
    }
    stores.sort_unstable_by_key(|(range, _)| range.start);
    if stores.windows(2).any(|pair| pair[1].0.start < pair[0].0.end) {
        return None;
    }
    for (user, used) in users.iter_mut().enumerate() {
        for load in used.loads.merge() {
            let first = stores.partition_point(|(store, _)| store.end <= load.start);
            let mut overlapping = stores[first..].iter().take_while(|(store, _)| store.start < load.end);
            if overlapping.any(|&(_, by)| by != user) {
                return None;
            }
        }
    }
    Some(stores.into_iter().map(|(range, _)| range).collect())
}

/// Whether a range has a number of sorted, disjoint ones.
pub(super) fn overlaps(sorted: &[Range<u64>], range: &Range<u64>) -> bool {
    let first = sorted.partition_point(|known| known.end <= range.start);
    sorted.get(first).is_some_and(|known| known.start < range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(loads: &[(u64, u64)], stores: &[(u64, u64)]) -> LoadsAndStores {
        let mut used = LoadsAndStores::default();
        loads.iter().for_each(|&(start, end)| used.loads.insert(start..end));
        stores.iter().for_each(|&(start, end)| used.stores.insert(start..end));
        used
    }

    fn are_independent(mut users: [LoadsAndStores; 2]) -> bool {
        independent(&mut users.each_mut().map(|user| user)).is_some()
    }

    #[test]
    fn ranges_are_merged() {
        let mut ranges = Ranges::default();
        for n in (0..1000).rev() {
            ranges.insert(10 * n..10 * n + 5);
        }
        ranges.insert(5..9_000);
        assert_eq!(ranges.merge().len(), 1 + 99);
        assert!(overlaps(ranges.merge(), &(9_994..9_995)) && overlaps(ranges.merge(), &(7..8)));
        assert!(!overlaps(ranges.merge(), &(9_995..20_000)) && !overlaps(ranges.merge(), &(9_005..9_010)));
    }

    #[test]
    fn users_are_independent_of_what_they_do_alone() {
        let own = || used(&[(0, 10), (100, 200)], &[(0, 10)]);
        assert!(are_independent([own(), used(&[(100, 200), (10, 20)], &[(10, 20)])]));
        assert!(!are_independent([own(), used(&[], &[(9, 20)])]), "both store");
        assert!(!are_independent([own(), used(&[(9, 20)], &[(10, 20)])]), "one loads what the other stores");
        assert!(!are_independent([own(), used(&[], &[(10, 20), (199, 201)])]), "one stores what the other loads");
        assert!(!are_independent([own(), used(&[(0, 20)], &[(10, 20)])]), "its own store does not hide the other's");
    }
}
