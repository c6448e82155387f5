//! Seeded random numbers, and helpers of random tests.

use std::ops::Range;

use triglyph_guest::dice::EDGES;

/// Seeds of random runs: the first `count`, or those that TRIGLYPH_SEEDS names as start:count.
pub fn seeds(count: u64) -> Range<u64> {
    let Ok(text) = std::env::var("TRIGLYPH_SEEDS") else { return 0..count };
    let (start, count) = text.split_once(':').expect("TRIGLYPH_SEEDS=start:count");
    let [start, count] = [start, count].map(|text| text.parse::<u64>().expect("a number"));
    start..start + count
}

/// A stream of numbers that is the same in every run (SplitMix64, the upper half of each number).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// 32 random bits.
    pub fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) >> 32) as u32
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        self.word() % limit
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// One of `choices`.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// `count` random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.word() as u8).collect()
    }

    /// A float from -1 to 1.
    pub fn unit(&mut self) -> f32 {
        self.word() as i32 as f32 / 2f32.powi(31)
    }

    /// A float between `low` and `high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.word() >> 8) as f32 / (1 << 24) as f32
    }

    /// A float: an everyday one, a whole one, or one of those with which arithmetic goes wrong.
    pub fn float(&mut self) -> f32 {
        const SPECIAL: [f32; 20] = [
            0.0,
            -0.0,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            1e-40,
            -1e-40,
            f32::MIN_POSITIVE,
            1e38,
            -1e38,
            1.0,
            -1.0,
            0.5,
            127.0,
            -128.0,
            1e10,
            // The edges of f16.
            65504.0,
            65520.0,
            6e-8,
            f32::from_bits(0xFFC1_2345),
        ];
        match self.below(16) {
            0 => self.pick(&SPECIAL),
            1 => f32::from_bits(self.word()),
            2..5 => self.below(257) as f32 - 128.0,
            _ => (self.word() as i32 as f32) / (1u32 << 29) as f32,
        }
    }

    /// A vector of [`Self::float`]s.
    pub fn vector(&mut self) -> [f32; 4] {
        std::array::from_fn(|_| self.float())
    }

    /// A number as registers hold them: small ones, edges of formats, bits of floats.
    pub fn value(&mut self) -> u32 {
        match self.word() % 8 {
            0 | 1 => EDGES[self.word() as usize % EDGES.len()],
            2 => self.word(),
            3 => self.word() % 64,
            4 => (self.word() as i32 as f32 / 2f32.powi(31)).to_bits(),
            5 => (self.word() as i32 as f32 / 2f32.powi(20)).to_bits(),
            6 => self.word() & 0x7FFF_7FFF,
            _ => ((self.word() as i32) >> (self.word() & 31)) as u32,
        }
    }
}

/// The words of [`Random`], as the generators of `guest` want them.
pub fn words(seed: u64) -> impl FnMut() -> u32 {
    let mut random = Random::new(seed);
    move || random.word()
}

/// `count` bytes without a pattern.
pub fn noise(count: usize, seed: u64) -> Vec<u8> {
    Random::new(seed).bytes(count)
}

/// Asserts that two memories are the same.
#[track_caller]
pub fn assert_same([a, b]: [&[u8]; 2], what: &str) {
    let difference = a.iter().zip(b).position(|(a, b)| a != b);
    assert_eq!((difference, a.len()), (None, b.len()), "{what}: the first byte that is different");
}
