//! Reductions: atomics whose result is not used, and whose order makes no difference (sums, minima, maxima and logic of
//! integers).
//!
//! They may be gathered in memory of their own, which begins with [`Reduction::identity`], and joined with the memory
//! that they are for when all are done.

use crate::tegra::shader::isa::{AtomicOp, AtomicType};

/// The operation on integers in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// How two values become one.
    pub operation: Operation,
    /// Whether values have 64 bits, not 32.
    pub wide: bool,
}

/// How two values become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The sum without its carry.
    Add,
    /// The smaller of unsigned ones.
    MinUnsigned,
    /// The larger of unsigned ones.
    MaxUnsigned,
    /// The smaller of signed ones.
    MinSigned,
    /// The larger of signed ones.
    MaxSigned,
    /// Bits of both.
    And,
    /// Bits of either.
    Or,
    /// Bits of one alone.
    Xor,
}

impl Reduction {
    /// The reduction that an atomic is; `None` for one whose order shows (exchanges, INC and DEC, sums of floats), and
    /// for one that only loads.
    pub fn of(ty: AtomicType, op: AtomicOp) -> Option<Reduction> {
        let (wide, signed) = match ty {
            AtomicType::U32 => (false, false),
            AtomicType::S32 => (false, true),
            AtomicType::U64 => (true, false),
            AtomicType::S64 => (true, true),
            AtomicType::F32 | AtomicType::F16x2 | AtomicType::Unknown(_) => return None,
        };
        let operation = match op {
            AtomicOp::Add | AtomicOp::And | AtomicOp::Or | AtomicOp::Xor if wide && signed => return None,
            AtomicOp::Add => Operation::Add,
            AtomicOp::Min if signed => Operation::MinSigned,
            AtomicOp::Max if signed => Operation::MaxSigned,
            AtomicOp::Min => Operation::MinUnsigned,
            AtomicOp::Max => Operation::MaxUnsigned,
            AtomicOp::And => Operation::And,
            AtomicOp::Or => Operation::Or,
            AtomicOp::Xor => Operation::Xor,
            AtomicOp::Inc | AtomicOp::Dec | AtomicOp::Exchange | AtomicOp::SafeAdd | AtomicOp::Unknown(_) => {
                return None;
            }
        };
        Some(Reduction { operation, wide })
    }

    /// Bytes of a value.
    pub const fn bytes(self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    /// The value that changes none it is joined with.
    pub const fn identity(self) -> u64 {
        let mask = u64::MAX >> (64 - 8 * self.bytes());
        match self.operation {
            Operation::Add | Operation::Or | Operation::Xor | Operation::MaxUnsigned => 0,
            Operation::And | Operation::MinUnsigned => mask,
            Operation::MinSigned => mask >> 1,
            Operation::MaxSigned => (mask >> 1) + 1,
        }
    }

    /// Joins a value in memory and a gathered one. Of 32 bits the upper halves do not count.
    pub fn join(self, old: u64, gathered: u64) -> u64 {
        let signed = |value: u64| if self.wide { value as i64 } else { i64::from(value as i32) };
        match self.operation {
            Operation::Add => old.wrapping_add(gathered),
            Operation::MinUnsigned => old.min(gathered),
            Operation::MaxUnsigned => old.max(gathered),
            Operation::MinSigned => signed(old).min(signed(gathered)) as u64,
            Operation::MaxSigned => signed(old).max(signed(gathered)) as u64,
            Operation::And => old & gathered,
            Operation::Or => old | gathered,
            Operation::Xor => old ^ gathered,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: [AtomicType; 4] = [AtomicType::U32, AtomicType::S32, AtomicType::U64, AtomicType::S64];
    const OPS: [AtomicOp; 6] =
        [AtomicOp::Add, AtomicOp::Min, AtomicOp::Max, AtomicOp::And, AtomicOp::Or, AtomicOp::Xor];

    #[test]
    fn values_may_be_gathered_in_any_order() {
        let values = [0, 1, 7, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 1 << 63, u64::MAX, i64::MAX as u64];
        let reductions = TYPES.iter().flat_map(|&ty| OPS.map(|op| Reduction::of(ty, op))).flatten();
        // Six of each type but S64, which has its extremes alone.
        assert_eq!(reductions.clone().count(), 20);
        for reduction in reductions {
            let mask = u64::MAX >> (64 - 8 * reduction.bytes());
            let join = |a: u64, b: u64| reduction.join(a & mask, b & mask) & mask;
            for a in values {
                assert_eq!(join(a, reduction.identity()), a & mask, "{reduction:?} {a:#x}");
                for b in values {
                    assert_eq!(join(a, b), join(b, a), "{reduction:?} {a:#x} {b:#x}");
                    for c in values {
                        assert_eq!(join(join(a, b), c), join(a, join(b, c)), "{reduction:?} {a:#x} {b:#x} {c:#x}");
                    }
                }
            }
        }
        let smallest = |ty| Reduction::of(ty, AtomicOp::Min).expect("a reduction").join(1, 0xFFFF_FFFF) as u32;
        assert_eq!((smallest(AtomicType::U32), smallest(AtomicType::S32)), (1, u32::MAX));
    }

    #[test]
    fn atomics_whose_order_shows_are_no_reductions() {
        let ops = [AtomicOp::Inc, AtomicOp::Dec, AtomicOp::Exchange, AtomicOp::SafeAdd];
        assert!(TYPES.iter().all(|&ty| ops.iter().all(|&op| Reduction::of(ty, op).is_none())));
        assert!(Reduction::of(AtomicType::F32, AtomicOp::Add).is_none());
    }
}
