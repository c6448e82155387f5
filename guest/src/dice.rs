//! Choices that generators of random programs and inputs make.

/// A source of 32 random bits a call, and choices from them.
pub(crate) trait Dice {
    /// A number below `limit`; 0 if that is 0.
    fn below(&mut self, limit: usize) -> usize;

    /// True in one of `one_in` calls.
    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

impl<R: FnMut() -> u32> Dice for R {
    fn below(&mut self, limit: usize) -> usize {
        self() as usize % limit.max(1)
    }
}

/// Words at which registers, counts and the bits of floats go over an edge.
pub const EDGES: [u32; 24] = [
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
