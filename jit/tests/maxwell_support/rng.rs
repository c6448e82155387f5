//! Random numbers.

/// SplitMix64, upper half.
pub struct Rng(pub u64);

impl Rng {
    pub fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 32) as u32
    }

    pub fn below(&mut self, n: u32) -> u32 {
        self.word() % n
    }

    /// Numbers as registers hold them.
    pub fn value(&mut self) -> u32 {
        const SPECIAL: [u32; 24] = [
            0,
            1,
            2,
            31,
            32,
            0x80,
            0xFF,
            0x7FFF,
            0x8000,
            0xFFFF,
            0x1_0000,
            0x7FFF_FFFF,
            0x8000_0000,
            0xFFFF_FFFF,
            0x3F80_0000,
            0xBF80_0000,
            0x7F80_0000,
            0xFF80_0000,
            0x7FC0_0000,
            0x0080_0000,
            0x007F_FFFF,
            0x8000_0001,
            0x3C00_7BFF,
            0x7C00_FC01,
        ];
        match self.word() % 8 {
            0 | 1 => SPECIAL[self.word() as usize % SPECIAL.len()],
            2 => self.word(),
            3 => self.word() % 64,
            4 => (self.word() as i32 as f32 / 2f32.powi(31)).to_bits(),
            5 => (self.word() as i32 as f32 / 2f32.powi(20)).to_bits(),
            6 => self.word() & 0x7FFF_7FFF,
            _ => ((self.word() as i32) >> (self.word() & 31)) as u32,
        }
    }
}
