//! Integer sequences: values of 2^b, 3 * 2^b or 5 * 2^b levels, of which five (three) share the bits of their digits of
//! base 3 (5). (Khronos Data Format Specification, ASTC: integer sequence encoding, endpoint and weight
//! unquantization.)

use super::super::bits::BitReader;

/// How many levels a value has: `digits * 2^bits`.
#[derive(Clone, Copy)]
pub(super) struct Range {
    /// 1, 3 or 5.
    digits: u32,
    bits: u32,
}

const fn range(digits: u32, bits: u32) -> Range {
    Range { digits, bits }
}

/// All ranges, 2 to 256 levels.
pub(super) const RANGES: [Range; 21] = [
    range(1, 1),
    range(3, 0),
    range(1, 2),
    range(5, 0),
    range(3, 1),
    range(1, 3),
    range(5, 1),
    range(3, 2),
    range(1, 4),
    range(5, 2),
    range(3, 3),
    range(1, 5),
    range(5, 3),
    range(3, 4),
    range(1, 6),
    range(5, 4),
    range(3, 5),
    range(1, 7),
    range(5, 5),
    range(3, 6),
    range(1, 8),
];

/// The first range that end points may have, that of 6 levels.
pub(super) const FIRST_OF_ENDS: usize = 4;

/// A value: its digit and the bits below.
#[derive(Clone, Copy, Default)]
pub(super) struct Value {
    digit: u32,
    low: u32,
}

impl Range {
    /// Bits that `count` values take.
    pub(super) const fn size(self, count: u32) -> u32 {
        let digits = match self.digits {
            3 => (8 * count).div_ceil(5),
            5 => (7 * count).div_ceil(3),
            _ => 0,
        };
        digits + count * self.bits
    }

    /// Reads values from the lowest bits of `word`, as many as `out` has, at most 64. The last group may be cut off;
    /// its missing bits are zeros.
    pub(super) fn read(self, word: u128, out: &mut [Value]) {
        let size = self.size(out.len() as u32);
        let mut bits = BitReader::new(word & ((1 << size.min(127)) - 1));
        // How many bits of the digits follow each value's own bits.
        let shares: &[u32] = match self.digits {
            3 => &[2, 2, 1, 2, 1],
            5 => &[3, 2, 2],
            _ => &[0],
        };
        for group in out.chunks_mut(shares.len()) {
            let (mut packed, mut shift) = (0, 0);
            let mut lows = [0; 5];
            for (low, share) in lows.iter_mut().zip(shares) {
                *low = bits.take(self.bits);
                packed |= bits.take(*share) << shift;
                shift += share;
            }
            let digits = match self.digits {
                3 => trits(packed),
                5 => quints(packed),
                _ => [0; 5],
            };
            for ((value, digit), low) in group.iter_mut().zip(digits).zip(lows) {
                *value = Value { digit, low };
            }
        }
    }

    /// A value of an end point as 0 to 255.
    pub(super) fn color(self, Value { digit, low }: Value) -> u32 {
        let x = low >> 1;
        let (factor, add) = match (self.digits, self.bits) {
            (3, 1) => (204, 0),
            (3, 2) => (93, x << 8 | x << 4 | x << 2 | x << 1),
            (3, 3) => (44, x << 7 | x << 2 | x),
            (3, 4) => (22, x << 6 | x),
            (3, 5) => (11, x << 5 | x >> 2),
            (3, _) => (5, x << 4 | x >> 4),
            (5, 1) => (113, 0),
            (5, 2) => (54, x << 8 | x << 3 | x << 2),
            (5, 3) => (26, x << 7 | x << 1 | x >> 1),
            (5, 4) => (13, x << 6 | x >> 1),
            (5, _) => (6, x << 5 | x >> 3),
            _ => return repeated(low, self.bits, 8),
        };
        let all = if low & 1 != 0 { 0x1FF } else { 0 };
        let mixed = (digit * factor + add) ^ all;
        all & 0x80 | mixed >> 2
    }

    /// A value of a weight as 0 to 64.
    pub(super) fn weight(self, Value { digit, low }: Value) -> u32 {
        let x = low >> 1;
        let scaled = |factor: u32, add: u32| {
            let all = if low & 1 != 0 { 0x7F } else { 0 };
            let mixed = (digit * factor + add) ^ all;
            all & 0x20 | mixed >> 2
        };
        let weight = match (self.digits, self.bits) {
            (3, 0) => [0, 32, 63, 63, 63][digit as usize % 5],
            (5, 0) => [0, 16, 32, 47, 63][digit as usize % 5],
            (3, 1) => scaled(50, 0),
            (3, 2) => scaled(23, x << 6 | x << 2 | x),
            (3, _) => scaled(11, x << 5 | x),
            (5, 1) => scaled(28, 0),
            (5, _) => scaled(13, x << 6 | x << 1),
            _ => repeated(low, self.bits, 6),
        };
        if weight > 32 { weight + 1 } else { weight }
    }
}

/// `value` of `bits` bits as `width` bits, repeated from the top.
fn repeated(value: u32, bits: u32, width: u32) -> u32 {
    let (mut out, mut filled) = (0, 0);
    while filled < width && bits != 0 {
        let rest = width - filled;
        out |= if bits <= rest { value << (rest - bits) } else { value >> (bits - rest) };
        filled += bits;
    }
    out
}

/// Five digits of base 3 from 8 bits.
fn trits(packed: u32) -> [u32; 5] {
    let bit = |word: u32, n: u32| word >> n & 1;
    let (rest, t3, t4) = if packed >> 2 & 7 == 7 {
        (packed >> 5 << 2 | packed & 3, 2, 2)
    } else if packed >> 5 & 3 == 3 {
        (packed & 31, bit(packed, 7), 2)
    } else {
        (packed & 31, packed >> 5 & 3, bit(packed, 7))
    };
    let and_not = |high: u32, low: u32| high << 1 | low & !high & 1;
    let (t0, t1, t2) = if rest & 3 == 3 {
        (and_not(bit(rest, 3), bit(rest, 2)), bit(rest, 4), 2)
    } else if rest >> 2 & 3 == 3 {
        (rest & 3, 2, 2)
    } else {
        (and_not(bit(rest, 1), bit(rest, 0)), rest >> 2 & 3, bit(rest, 4))
    };
    [t0, t1, t2, t3, t4]
}

/// Three digits of base 5 from 7 bits.
fn quints(packed: u32) -> [u32; 5] {
    let low = packed & 1;
    if packed >> 1 & 3 == 3 && packed >> 5 & 3 == 0 {
        let (b4, b3) = (packed >> 4 & 1, packed >> 3 & 1);
        let q2 = low << 2 | (b4 & !low & 1) << 1 | (b3 & !low & 1);
        return [4, 4, q2, 0, 0];
    }
    let (rest, q2) = if packed >> 1 & 3 == 3 {
        ((packed >> 3 & 3) << 3 | (!(packed >> 5) & 3) << 1 | low, 4)
    } else {
        (packed & 31, packed >> 5 & 3)
    };
    let (q0, q1) = if rest & 7 == 5 { (rest >> 3 & 3, 4) } else { (rest & 7, rest >> 3 & 3) };
    [q0, q1, q2, 0, 0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every combination of digits has a code: 243 of five trits, 125 of three quints.
    #[test]
    fn codes_cover_all_digits() {
        let mut all: Vec<_> = (0..256).map(trits).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 243);
        assert!(all.iter().flatten().all(|&digit| digit < 3));
        let mut all: Vec<_> = (0..128).map(quints).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 125);
        assert!(all.iter().flatten().all(|&digit| digit < 5));
    }

    #[test]
    fn values_reach_both_ends_and_are_all_different() {
        for (i, range) in RANGES.iter().enumerate() {
            let values = |of: &dyn Fn(Value) -> u32| {
                let digits = 0..range.digits;
                let mut all: Vec<u32> = digits
                    .flat_map(|digit| (0..1 << range.bits).map(move |low| Value { digit, low }))
                    .map(of)
                    .collect();
                all.sort_unstable();
                all
            };
            let levels = (range.digits << range.bits) as usize;
            if i >= FIRST_OF_ENDS {
                let mut colors = values(&|value| range.color(value));
                assert_eq!((colors[0], colors[levels - 1]), (0, 255), "{levels} levels");
                colors.dedup();
                assert_eq!(colors.len(), levels);
            }
            if levels <= 32 {
                let mut weights = values(&|value| range.weight(value));
                assert_eq!((weights[0], weights[levels - 1]), (0, 64), "{levels} levels");
                weights.dedup();
                assert_eq!(weights.len(), levels);
            }
        }
    }
}
