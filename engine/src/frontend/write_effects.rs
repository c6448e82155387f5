//! Effects of writes to the registers of a class, as tables that are built once from the register tables of `guest`.

use std::ops::Range;

/// In the entry of a register: a write does more than being stored, so the machine has to handle it.
pub const TRIGGER: u32 = 1 << 31;

/// Effects of a write to each of `N` registers.
#[derive(Debug)]
pub struct WriteEffects<const N: usize> {
    /// Bits 0 to 30: the groups of state that the write makes dirty. Bit 31: [`TRIGGER`].
    entries: [u32; N],
    /// How many registers from each one on are only stored.
    plain: [u16; N],
    /// See [`Self::with_group_ranges`].
    ranges: Vec<GroupRange>,
}

/// Registers near each other that make the same groups dirty, and those between them.
#[derive(Debug)]
pub(super) struct GroupRange {
    pub groups: u32,
    pub registers: Range<usize>,
}

/// Registers of other groups that a range may include: comparing a few more costs less than another range.
const MAX_GAP: usize = 8;

impl<const N: usize> WriteEffects<N> {
    /// The table with these entries: dirty groups, and [`TRIGGER`].
    pub const fn new(entries: [u32; N]) -> Self {
        let mut plain = [0; N];
        let (mut register, mut following) = (N, 0);
        while register > 0 {
            register -= 1;
            following = if entries[register] & TRIGGER != 0 { 0 } else { following + 1 };
            plain[register] = following;
        }
        WriteEffects { entries, plain, ranges: Vec::new() }
    }

    /// Adds the ranges of registers by group, which snapshots of groups need
    /// ([`RegisterFile::renew`](super::RegisterFile::renew)).
    pub fn with_group_ranges(mut self) -> Self {
        let stored = |&(_, &entry): &(usize, &u32)| entry & TRIGGER == 0 && entry != 0;
        for (register, &groups) in self.entries.iter().enumerate().filter(stored) {
            match self.ranges.last_mut() {
                Some(last) if last.groups == groups && register - last.registers.end <= MAX_GAP => {
                    last.registers.end = register + 1;
                }
                _ => self.ranges.push(GroupRange { groups, registers: register..register + 1 }),
            }
        }
        self
    }

    /// The ranges whose registers make one of `groups` dirty.
    pub(super) fn ranges(&self, groups: u32) -> impl Iterator<Item = &GroupRange> {
        self.ranges.iter().filter(move |range| range.groups & groups != 0)
    }

    /// Groups and [`TRIGGER`] of each register.
    #[inline(always)]
    pub const fn entries(&self) -> &[u32; N] {
        &self.entries
    }

    /// The groups that a write of `register` makes dirty.
    #[inline(always)]
    pub const fn groups(&self, register: usize) -> u32 {
        self.entries[register] & !TRIGGER
    }

    /// Whether a write of `register` does more than being stored.
    #[inline(always)]
    pub const fn is_trigger(&self, register: usize) -> bool {
        self.entries[register] & TRIGGER != 0
    }

    /// How many registers from `register` on are only stored; 0 for a register beyond the file.
    #[inline(always)]
    pub fn plain_from(&self, register: usize) -> usize {
        self.plain.get(register).map_or(0, |&count| count.into())
    }
}
