//! Finding room in an address space.

use std::collections::BTreeMap;

/// The first place from `from` on, a multiple of `align`, at which `size` bytes are free and end at or before `end`.
/// `taken` holds what is not free: the end after each start, disjoint.
pub(super) fn first_fit(taken: &BTreeMap<u64, u64>, from: u64, end: u64, size: u64, align: u64) -> Option<u64> {
    let up = |address: u64| address.checked_next_multiple_of(align);
    let mut at = up(from)?;
    for (&start, &stop) in taken {
        if stop > at {
            if start >= at && start - at >= size {
                break;
            }
            at = up(at.max(stop))?;
        }
    }
    let last = at.checked_add(size)?;
    (last <= end).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled() {
        let taken = BTreeMap::from([(0x1000, 0x2000), (0x3000, 0x5000)]);
        let find = |from, size, align| first_fit(&taken, from, 0x8000, size, align);
        assert_eq!(find(0, 0x1000, 0x1000), Some(0));
        assert_eq!(find(0x1000, 0x1000, 0x1000), Some(0x2000));
        assert_eq!(find(0x1000, 0x1001, 0x1000), Some(0x5000));
        assert_eq!(find(0x2000, 0x1000, 0x4000), None);
        assert_eq!(find(0, 0x1000, 0x8000), Some(0));
        assert_eq!(find(0x1000, 0x3001, 0x1000), None);
        assert_eq!(find(0, u64::MAX, 1), None);
    }
}
