//! Sources of random choices.

use triglyph_guest::dice::EDGES;

/// A source of choices: the same source gives the same ones in every run.
pub(super) struct Choices<'w>(Box<dyn FnMut() -> u32 + 'w>);

impl<'w> Choices<'w> {
    /// The choices of a seed.
    #[cfg(test)]
    pub fn new(seed: u64) -> Self {
        Choices::of(triglyph_testkit::random::words(seed))
    }

    /// The choices that words say.
    pub fn of(words: impl FnMut() -> u32 + 'w) -> Self {
        Choices(Box::new(words))
    }

    pub fn word(&mut self) -> u32 {
        (self.0)()
    }

    /// A number below `limit`; 0 if that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.word() as usize % limit.max(1)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of `choices`, of which there are some.
    pub fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    /// A word: small ones, edges of integers and floats, any bits.
    fn edge(&mut self) -> u32 {
        const FLOATS: [u32; 14] = [
            0x7F80_0000, // Infinities.
            0xFF80_0000,
            0x7FC0_0000, // NaN, quiet and signalling.
            0xFFC1_2345,
            0x7F80_0001,
            0xFFA5_A5A5,
            0x8000_0000, // -0, which also is the least integer.
            0x0000_0001, // Denormals.
            0x807F_FFFF,
            0x4F00_0000, // The limits of 32-bit integers, and what is beyond them.
            0xCF00_0000,
            0xCF00_0001,
            0x3F00_0000, // Halves, for rounding.
            0xC020_0000,
        ];
        match self.below(7) {
            0 => self.below(9) as u32,
            1 => (self.below(70) as u32).wrapping_sub(3),
            2 => EDGES[self.below(EDGES.len())],
            3 => FLOATS[self.below(FLOATS.len())],
            4 => (self.word() as i32 as f32 / 2f32.powi(20)).to_bits(),
            // Low bits that are zero, for what looks at them alone.
            5 => self.word() << self.pick(&[8, 16, 24]),
            _ => self.word(),
        }
    }

    /// The bytes of a vector, or of the scalar that its first lane is.
    pub fn bytes(&mut self) -> [u8; 16] {
        const DOUBLES: [u64; 6] =
            [0x7FF8_0000_0000_0000, 0xFFF0_0000_0000_0001, 1 << 63, 1, 0x7FF0_0000_0000_0000, !0 >> 1];
        match self.below(8) {
            0 => [0; 16],
            1 => [0xFF; 16],
            2 => bytemuck::cast([self.edge(); 4]),
            3 => {
                let half = self.edge() & 0xFFFF;
                bytemuck::cast([half << 16 | half; 4])
            }
            4 => bytemuck::cast([self.pick(&DOUBLES), self.pick(&DOUBLES)]),
            5 => bytemuck::cast([self.below(130) as u64; 2]),
            6 => bytemuck::cast([self.edge(), self.edge(), self.edge(), self.edge()]),
            _ => bytemuck::cast([self.word(), self.word(), self.word(), self.word()]),
        }
    }
}
