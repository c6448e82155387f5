//! Page kinds: how linear accesses see a page.
//!
//! Compression is transparent, so all that matters is whether a kind is a pitch kind: lines that the copy engine moves
//! between pages of one and of the other sort change their order inside of each GOB (yuzu and Ryujinx agree).

use std::collections::BTreeMap;

use triglyph_engine::snapshot::state;

/// Kind of plain pages.
pub const PITCH: u8 = 0x00;
/// Kind of plain pages, too.
pub const PITCH_NO_SWIZZLE: u8 = 0xFD;
/// Kind of block-linear surfaces, and of memory without a kind of its own.
pub const GENERIC_16BX2: u8 = 0xFE;

/// Whether linear accesses see the bytes of such a page in the order in which they are stored.
pub const fn is_pitch(kind: u8) -> bool {
    matches!(kind, PITCH | PITCH_NO_SWIZZLE)
}

/// The kinds of ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// By space and first address: the address after the range, and its kind. Disjoint.
    ranges: BTreeMap<(u32, u64), (u64, u8)>,
}

state! {
    /// The kind of a range in a snapshot.
    pub(crate) struct SavedKind { space: u32, address: u64, end: u64, kind: u8 }
}

impl Kinds {
    pub(crate) fn save(&self) -> Vec<SavedKind> {
        let save = |(&(space, address), &(end, kind)): (_, &(u64, u8))| SavedKind { space, address, end, kind };
        self.ranges.iter().map(save).collect()
    }

    /// What was saved, if ranges do not overlap.
    pub(crate) fn restore(saved: &[SavedKind]) -> Option<Self> {
        let sound = saved.iter().all(|range| range.address < range.end);
        if !sound || !saved.is_sorted_by(|a, b| (a.space, a.end) <= (b.space, b.address)) {
            return None;
        }
        Some(Kinds {
            ranges: saved.iter().map(|range| ((range.space, range.address), (range.end, range.kind))).collect(),
        })
    }

    /// Gives a range a kind.
    pub fn set(&mut self, space: u32, address: u64, size: u64, kind: u8) {
        self.clear(space, address, size);
        if size != 0 {
            self.ranges.insert((space, address), (address.saturating_add(size), kind));
        }
    }

    /// Takes the kind from a range.
    pub fn clear(&mut self, space: u32, address: u64, size: u64) {
        let end = address.saturating_add(size);
        // The one that begins before may reach into the range.
        let before = self.ranges.range(..(space, address)).next_back().map(|(&key, &value)| (key, value));
        if let Some((key, (last, kind))) = before.filter(|&((s, _), (last, _))| s == space && last > address) {
            self.ranges.insert(key, (address, kind));
            if last > end {
                self.ranges.insert((space, end), (last, kind));
            }
        }
        let inside: Vec<u64> =
            self.ranges.range((space, address)..(space, end)).map(|(&(_, first), _)| first).collect();
        for first in inside {
            if let Some((last, kind)) = self.ranges.remove(&(space, first))
                && last > end
            {
                self.ranges.insert((space, end), (last, kind));
            }
        }
    }

    /// The kind at an address, and the address up to which it is the same.
    pub fn at(&self, space: u32, address: u64) -> (u8, u64) {
        let before = self.ranges.range(..=(space, address)).next_back();
        if let Some((_, &(last, kind))) = before.filter(|&(&(s, _), &(last, _))| s == space && last > address) {
            return (kind, last);
        }
        let next = self.ranges.range((space, address)..).next();
        let border = next.filter(|&(&(s, _), _)| s == space).map_or(u64::MAX, |(&(_, first), _)| first);
        (GENERIC_16BX2, border)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_and_replaced() {
        let mut kinds = Kinds::default();
        kinds.set(0, 0x1000, 0x4000, PITCH);
        kinds.set(1, 0x2000, 0x1000, 7);
        kinds.set(0, 0x2000, 0x1000, 9);
        assert_eq!(kinds.at(0, 0), (GENERIC_16BX2, 0x1000));
        assert_eq!(kinds.at(0, 0x1FFF), (PITCH, 0x2000));
        assert_eq!(kinds.at(0, 0x2000), (9, 0x3000));
        assert_eq!(kinds.at(0, 0x3000), (PITCH, 0x5000));
        assert_eq!(kinds.at(0, 0x5000), (GENERIC_16BX2, u64::MAX));
        assert_eq!(kinds.at(1, 0x2800), (7, 0x3000));
        assert_eq!(Kinds::restore(&kinds.save()), Some(kinds.clone()));
        let mut crossed = kinds.save();
        crossed.swap(0, 1);
        assert_eq!(Kinds::restore(&crossed), None);
        kinds.clear(0, 0x1800, 0x2000);
        assert_eq!(kinds.at(0, 0x1800), (GENERIC_16BX2, 0x3800));
        assert_eq!((kinds.at(0, 0x17FF), kinds.at(0, 0x3800)), ((PITCH, 0x1800), (PITCH, 0x5000)));
        kinds.clear(0, 0, u64::MAX);
        assert_eq!((kinds.at(0, 0), kinds.at(1, 0).1), ((GENERIC_16BX2, u64::MAX), 0x2000));
    }
}
