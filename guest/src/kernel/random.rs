//! Random choices for the random cases of kernels.

/// A stream of random words and what is drawn from it.
pub(in crate::kernel) struct Random<'r, R: FnMut() -> u32> {
    pub(in crate::kernel) word: &'r mut R,
}

impl<R: FnMut() -> u32> Random<'_, R> {
    pub(in crate::kernel) fn word(&mut self) -> u32 {
        (self.word)()
    }

    /// 0 to `n` - 1.
    pub(in crate::kernel) fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(n)) >> 32) as u32
    }

    pub(in crate::kernel) fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    pub(in crate::kernel) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// A float between `low` and `high`.
    pub(in crate::kernel) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.word() >> 8) as f32 / (1 << 24) as f32
    }

    /// Mostly between `low` and `high`, sometimes a limit, rarely anything at all.
    pub(in crate::kernel) fn float(&mut self, low: f32, high: f32) -> f32 {
        match self.below(200) {
            0 => f32::from_bits(self.word()),
            1 => self.pick(&[
                0.0,
                -0.0,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::NAN,
                1e30,
                -1e30,
                1e-30,
                f32::MIN_POSITIVE,
            ]),
            2..30 => self.pick(&[low, high, 0.0, 1.0, 0.5, -1.0]),
            _ => self.between(low, high),
        }
    }
}
