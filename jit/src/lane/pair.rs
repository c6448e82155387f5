//! 8-bit colours of four pixels as two vectors of 16-bit lanes.
//!
//! Of a word `0xRRGGBBAA`, `br` holds blue in the low and red in the high half of each pixel's 32 bits, `ag` alpha
//! and green. All arithmetic is exact on 0..255 with intermediate results below 65536.

use super::*;

/// The channels of four pixels, each in 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    /// Blue (even lanes) and red (odd lanes).
    pub br: I16x8,
    /// Alpha (even lanes) and green (odd lanes).
    pub ag: I16x8,
}

/// Methods that are one instruction on vectors of 16-bit lanes.
macro_rules! each_lane {
    ($($(#[$doc:meta])* $name:ident: $instruction:ident;)+) => {$(
        $(#[$doc])*
        pub fn $name(&mut self, a: I16x8, b: I16x8) -> I16x8 {
            I16x8(self.b.ins().$instruction(a.0, b.0))
        }
    )+};
}

impl Emit<'_> {
    /// Takes four words `0xRRGGBBAA` apart.
    pub fn unpack(&mut self, words: I32x4) -> Pair {
        let words = I16x8(self.cast(words.0, I16X8));
        Pair { br: self.shr16(words, 8), ag: self.low_bytes(words) }
    }

    /// The low byte of each lane.
    pub fn low_bytes(&mut self, a: I16x8) -> I16x8 {
        let low = self.short(0xFF);
        self.and16(a, low)
    }

    /// Puts channels (0..255) together to words.
    pub fn pack(&mut self, pair: Pair) -> I32x4 {
        let br = self.shl16(pair.br, 8);
        let words = self.or16(br, pair.ag);
        I32x4(self.cast(words.0, I32X4))
    }

    /// Even lanes of `even`, odd lanes of `odd`.
    pub fn merge16(&mut self, even: I16x8, odd: I16x8) -> I16x8 {
        if even == odd {
            return even;
        }
        I16x8(self.shuffle(even.0, odd.0, [0, 1, 18, 19, 4, 5, 22, 23, 8, 9, 26, 27, 12, 13, 30, 31]))
    }

    /// The even lanes in their odd neighbours as well.
    pub fn splat_even(&mut self, a: I16x8) -> I16x8 {
        I16x8(self.shuffle(a.0, a.0, [0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13]))
    }

    /// The odd lanes in their even neighbours as well.
    pub fn splat_odd(&mut self, a: I16x8) -> I16x8 {
        I16x8(self.shuffle(a.0, a.0, [2, 3, 2, 3, 6, 7, 6, 7, 10, 11, 10, 11, 14, 15, 14, 15]))
    }

    /// The even lanes as 32-bit integers.
    pub fn even_ints(&mut self, a: I16x8) -> I32x4 {
        let a = I32x4(self.cast(a.0, I32X4));
        let low = self.i(0xFFFF);
        self.iand(a, low)
    }

    /// The odd lanes as 32-bit integers.
    pub fn odd_ints(&mut self, a: I16x8) -> I32x4 {
        let a = I32x4(self.cast(a.0, I32X4));
        self.ushr(a, 16)
    }

    /// 32-bit integers below 65536 as even and odd lanes.
    pub fn join_ints(&mut self, even: I32x4, odd: I32x4) -> I16x8 {
        let odd = self.ishl(odd, 16);
        let both = self.ior(even, odd);
        I16x8(self.cast(both.0, I16X8))
    }

    /// Signed 32-bit integers as even and odd lanes, each brought to 0..65535.
    pub fn join_saturated(&mut self, even: I32x4, odd: I32x4) -> I16x8 {
        let apart = self.b.ins().unarrow(even.0, odd.0);
        I16x8(self.pick_bytes(apart, [0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15]))
    }

    /// The low byte of each 32-bit integer as even and as odd lane.
    pub fn low_bytes_twice(&mut self, a: I32x4) -> I16x8 {
        const NONE: u8 = Emit::NO_BYTE;
        let a = self.cast(a.0, I16X8);
        I16x8(self.pick_bytes(a, [0, NONE, 0, NONE, 4, NONE, 4, NONE, 8, NONE, 8, NONE, 12, NONE, 12, NONE]))
    }

    /// a[0] * b[0] + a[1] * b[1] of each pair of signed lanes.
    pub fn madd16(&mut self, a: I16x8, b: I16x8) -> I32x4 {
        let [low_a, low_b] = [a, b].map(|v| self.b.ins().swiden_low(v.0));
        let [high_a, high_b] = [a, b].map(|v| self.b.ins().swiden_high(v.0));
        let low = self.b.ins().imul(low_a, low_b);
        let high = self.b.ins().imul(high_a, high_b);
        I32x4(self.b.ins().iadd_pairwise(low, high))
    }

    /// Lanes 0 to 3 of two vectors in turn, and lanes 4 to 7.
    pub fn interleave16(&mut self, a: I16x8, b: I16x8) -> [I16x8; 2] {
        const LOW: [u8; 16] = [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23];
        const HIGH: [u8; 16] = [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31];
        [LOW, HIGH].map(|order| I16x8(self.shuffle(a.0, b.0, order)))
    }

    /// trunc(p / 255) for p below 65535: (p + (p >> 8) + 1) >> 8, with a sum of 17 bits.
    pub fn div255(&mut self, p: I16x8) -> I16x8 {
        let high = self.shr16(p, 8);
        let half = I16x8(self.b.ins().avg_round(p.0, high.0));
        self.shr16(half, 7)
    }

    /// 255 - a for 0..255.
    pub fn invert(&mut self, a: I16x8) -> I16x8 {
        let all = self.short(255);
        self.xor16(a, all)
    }

    each_lane! {
        /// a + b, wrapping.
        add16: iadd;
        /// a - b, wrapping.
        sub16: isub;
        /// The low 16 bits of a * b.
        mul16: imul;
        /// min(a + b, 65535), unsigned.
        add16_saturate: uadd_sat;
        /// max(a - b, 0), unsigned.
        sub16_saturate: usub_sat;
        /// The smaller one, unsigned.
        min16: umin;
        /// The larger one, unsigned.
        max16: umax;
        /// a & b
        and16: band;
        /// a | b
        or16: bor;
        /// a ^ b
        xor16: bxor;
    }

    /// a << n
    pub fn shl16(&mut self, a: I16x8, n: u32) -> I16x8 {
        I16x8(self.b.ins().ishl_imm_u(a.0, i64::from(n)))
    }

    /// Logical a >> n
    pub fn shr16(&mut self, a: I16x8, n: u32) -> I16x8 {
        I16x8(self.b.ins().ushr_imm_u(a.0, i64::from(n)))
    }
}
