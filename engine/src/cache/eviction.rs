//! Eviction of the least recently used kernels when the tables exceed the budget.

use std::sync::Arc;

use super::counters::Counters;
use super::shared::Shared;
use super::tables::{Evicted, Tables};

/// Keys that an engine holds at most, with or without code. A game has some thousand.
pub(super) const MAX_KEYS: usize = 1 << 15;

/// What to remove: all slots with code, or all slots, that were last used at `age` or before.
#[derive(Debug, PartialEq, Eq)]
struct Limit {
    age: u64,
    without_code: bool,
}

impl Tables {
    /// While the tables hold more code than the budget or more keys than [`MAX_KEYS`], removes the least recently used
    /// slots of all kinds, down to three quarters. The slot used last stays.
    pub(super) fn evict(&self, shared: &Arc<Shared>) {
        if !shared.is_over_budget() && shared.counters.slots() <= MAX_KEYS as u64 {
            return;
        }
        let mut ages = Vec::new();
        self.all().iter().for_each(|table| table.ages(&mut ages));
        let Some(Limit { age, without_code }) = find_limit(ages, shared.budget as u64, MAX_KEYS) else { return };
        let mut evicted = Evicted::default();
        self.all().iter().for_each(|table| table.evict(age, without_code, &mut evicted));
        Counters::add(&shared.counters.evicted, evicted.count as u64);
        if shared.log.is_some() && !evicted.keys.is_empty() {
            let owner = shared.clone();
            shared.worker.spawn_later(move || {
                if let Some(log) = &owner.log {
                    log.note_used(evicted.keys);
                }
            });
        }
    }
}

/// Which of the slots in `ages` (time of the last use, bytes of code) have to be removed. Code that only scenes hold is
/// not counted: it is not in the tables any more.
fn find_limit(mut ages: Vec<(u64, u64)>, budget: u64, max_keys: usize) -> Option<Limit> {
    ages.sort_unstable();
    let mut bytes: u64 = ages.iter().map(|(_, bytes)| bytes).sum();
    let mut count = ages.len();
    let too_many = count > max_keys;
    if bytes <= budget && !too_many {
        return None;
    }
    let mut limit = None;
    for &(age, code) in &ages[..ages.len() - 1] {
        if bytes <= budget / 4 * 3 && (!too_many || count <= max_keys / 4 * 3) {
            break;
        }
        (bytes, count, limit) = (bytes - code, count - 1, Some(Limit { age, without_code: too_many }));
    }
    limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_go_down_to_three_quarters() {
        let ages = |bytes: u64| (0..8).rev().map(|age| (age, bytes)).collect::<Vec<_>>();
        let limit = |age, without_code| Some(Limit { age, without_code });
        assert_eq!(find_limit(ages(10), 80, 8), None);
        assert_eq!(find_limit(ages(10), 79, 8), limit(2, false), "80 bytes to at most 57");
        assert_eq!(find_limit(ages(0), 100, 7), limit(4, true), "8 keys to at most 3: a quarter of 7 is rounded down");
        assert_eq!(find_limit(ages(10), 1, 8), limit(6, false), "the last one stays");
    }
}
