//! Sources of random choices: a seed, or the bytes of a fuzzer that looks for new ones itself.

use triglyph_guest::dice::EDGES;

/// A source of choices. The same source gives the same ones in every run.
#[derive(Clone, Debug)]
pub struct Choices {
    /// Bytes that are used up first.
    bytes: Vec<u8>,
    at: usize,
    /// State of SplitMix64.
    state: u64,
}

impl Choices {
    /// The choices of a seed.
    pub fn new(seed: u64) -> Self {
        Choices { bytes: Vec::new(), at: 0, state: seed }
    }

    /// Choices from bytes, four for each. When they are used up, those of a seed follow: the generators of programs
    /// choose again until a value is valid, and would never end if all choices were the same.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Choices { bytes: bytes.to_vec(), at: 0, state: bytes.len() as u64 }
    }

    /// 32 bits.
    pub fn word(&mut self) -> u32 {
        if let Some(bytes) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
            self.at += 4;
            return u32::from_le_bytes(*bytes);
        }
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ self.state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) >> 32) as u32
    }

    /// 64 bits.
    pub fn long(&mut self) -> u64 {
        u64::from(self.word()) << 32 | u64::from(self.word())
    }

    /// A number below `limit`; 0 if that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.word() as usize % limit.max(1)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of `choices`; `None` if there are none.
    pub fn pick<'c, T>(&mut self, choices: &'c [T]) -> Option<&'c T> {
        let at = self.below(choices.len());
        choices.get(at)
    }

    /// A word as registers have it: bits of `old` flipped, small numbers, edges of formats, bits of floats.
    pub fn value(&mut self, old: u32) -> u32 {
        match self.below(10) {
            0 => self.word(),
            1 => EDGES[self.below(EDGES.len())],
            2 => self.word() % 64,
            3 => old.wrapping_add(self.word() % 33).wrapping_sub(16),
            4 => old ^ 1 << self.below(32) ^ 1 << self.below(32),
            5 => u32::MAX << self.below(32),
            6 => old.rotate_left(self.word()),
            _ => old ^ 1 << self.below(32),
        }
    }

    /// As [`Self::value`], in 64 bits.
    pub fn long_value(&mut self, old: u64) -> u64 {
        match self.below(8) {
            0 => self.long(),
            1 => 1 << self.below(64),
            2 => u64::MAX << self.below(64),
            3 => old ^ 1 << self.below(64),
            4 => old.wrapping_add(u64::from(self.word() % 0x2001)).wrapping_sub(0x1000),
            5 => self.long() & 0xFFFF_F000,
            _ => old & !0xFFFF_FFFF | u64::from(self.value(old as u32)),
        }
    }

    /// `count` bytes.
    pub fn some_bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.word() as u8).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_used_up() {
        let mut choices = Choices::of_bytes(&[1, 0, 0, 0, 2, 0, 0]);
        assert_eq!(choices.word(), 1);
        let seeded = Choices::new(7).word();
        assert_eq!(choices.word(), seeded);
        assert_ne!(choices.word(), seeded);
        assert!(choices.pick::<u32>(&[]).is_none());
        assert_eq!(Choices::new(3).word(), Choices::new(3).word());
    }
}
