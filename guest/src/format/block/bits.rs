//! Fields of a block, least significant bit first.

/// The unread bits of a block. Reads after its end return zeros.
#[derive(Clone, Copy)]
pub(super) struct BitReader(u128);

impl BitReader {
    pub(super) const fn new(word: u128) -> BitReader {
        BitReader(word)
    }

    /// The next `bits` bits, at most 32.
    pub(super) const fn take(&mut self, bits: u32) -> u32 {
        let value = self.0 & ((1 << bits) - 1);
        self.0 >>= bits;
        value as u32
    }
}

/// `bits` bits of `word` from bit `shift` on.
pub(super) const fn field(word: u64, shift: u32, bits: u32) -> u32 {
    (word >> shift) as u32 & ((1 << bits) - 1)
}

/// `value` of `bits` bits, the highest of which is the sign.
pub(super) const fn signed(value: u32, bits: u32) -> i32 {
    let unused = 32 - bits;
    (value << unused) as i32 >> unused
}

/// `value` of 4 to 8 bits as 8 bits: its highest bits follow it.
pub(super) const fn replicate(value: u32, bits: u32) -> u32 {
    value << (8 - bits) | value >> (2 * bits - 8)
}
