//! Random numbers that a seed names.

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// 32 random bits.
    pub fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 32) as u32
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(limit)) >> 32) as u32
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

    /// A float: an everyday one, a whole one, or one of those with which arithmetic goes wrong.
    pub fn float(&mut self) -> f32 {
        const SPECIAL: [f32; 16] = [
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
        ];
        match self.below(16) {
            0 => self.pick(&SPECIAL),
            1 => f32::from_bits(self.word()),
            2..5 => self.below(257) as f32 - 128.0,
            _ => (self.word() as i32 as f32) / (1u32 << 29) as f32,
        }
    }

    /// A float without surprises.
    pub fn plain_float(&mut self) -> f32 {
        (self.word() as i32 as f32) / (1u32 << 29) as f32
    }

    /// A vector of [`Self::float`]s.
    pub fn vector(&mut self) -> [f32; 4] {
        std::array::from_fn(|_| self.float())
    }
}
