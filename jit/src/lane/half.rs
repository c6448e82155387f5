//! Half floats in the low 16 bits of lanes. The code generator does not have the hosts' conversion instructions, so
//! they are computed.

use super::*;

impl Emit<'_> {
    /// The bits of the nearest half, ties to even, overflow to infinity, NaN 0x7E00.
    pub fn half_of(&mut self, x: F32x4) -> I32x4 {
        let bits = self.bits(x);
        let low = self.i(0x7FFF_FFFF);
        let magnitude = self.iand(bits, low);
        // Normal ones: round in front of bit 13, move the exponent.
        let odd = self.ushr(magnitude, 13);
        let one = self.i(1);
        let odd = self.iand(odd, one);
        let bias = self.i(0xFFF - (112 << 23));
        let normal = self.iadd(magnitude, bias);
        let normal = self.iadd(normal, odd);
        let normal = self.ushr(normal, 13);
        let infinity = self.i(0x7C00);
        let normal = self.imin(normal, infinity);
        // Subnormal ones: the sum with 0.5 has them in the last bits of its mantissa.
        let half = self.f(0.5);
        let small = self.float_of_bits(magnitude);
        let small = self.add(small, half);
        let (small, half) = (self.bits(small), self.bits(half));
        let small = self.isub(small, half);
        let least = self.i(113 << 23);
        let is_small = self.ilt(magnitude, least);
        let result = self.iselect(is_small, small, normal);
        let sign = self.ushr(bits, 16);
        let top = self.i(0x8000);
        let sign = self.iand(sign, top);
        let result = self.ior(result, sign);
        let nan = self.unordered(x, x);
        let quiet = self.i(0x7E00);
        self.iselect(nan, quiet, result)
    }

    /// The bits of the half next to zero: finite numbers stay finite, NaN becomes its sign and 0x7FFF.
    pub fn cut_half_of(&mut self, x: F32x4) -> I32x4 {
        let bits = self.bits(x);
        let magnitude = self.cut_magnitude_of(x);
        let sign = self.ushr(bits, 16);
        let top = self.i(0x8000);
        let sign = self.iand(sign, top);
        self.ior(magnitude, sign)
    }

    /// As [`Self::cut_half_of`] without sign and with `mantissa` bits of mantissa; 0 for negative values.
    pub fn cut_small_float_of(&mut self, x: F32x4, mantissa: u8) -> I32x4 {
        let zero = self.f(0.0);
        let negative = self.lt(x, zero);
        let x = self.select(negative, zero, x);
        let half = self.cut_magnitude_of(x);
        self.ushr(half, 10 - u32::from(mantissa))
    }

    /// The lower 15 bits of [`Self::cut_half_of`].
    fn cut_magnitude_of(&mut self, x: F32x4) -> I32x4 {
        let bits = self.bits(x);
        let low = self.i(0x7FFF_FFFF);
        let magnitude = self.iand(bits, low);
        // Normal ones: move the exponent, cut.
        let bias = self.i(112 << 23);
        let normal = self.isub(magnitude, bias);
        let normal = self.ushr(normal, 13);
        let largest = self.i(0x7BFF);
        let normal = self.imin(normal, largest);
        // Subnormal ones are multiples of the smallest.
        let scale = self.f(2f32.powi(24));
        let small = self.float_of_bits(magnitude);
        let small = self.mul(small, scale);
        let small = self.truncate_to_int(small);
        let least = self.i(113 << 23);
        let is_small = self.ilt(magnitude, least);
        let result = self.iselect(is_small, small, normal);
        // One more than the largest number is infinity.
        let finite = self.i(0x7F7F_FFFF);
        let special = self.ilt(finite, magnitude);
        let special = self.mask_ints(special);
        let result = self.isub(result, special);
        let nan = self.unordered(x, x);
        let nan = self.mask_ints(nan);
        let ones = self.i(0x7FFF);
        let ones = self.iand(nan, ones);
        self.ior(result, ones)
    }

    /// The values of halves whose upper 16 bits are zero; a NaN of whatever bits for NaN.
    pub fn float_of_half(&mut self, half: I32x4) -> F32x4 {
        let low = self.i(0x7FFF);
        let magnitude = self.iand(half, low);
        let shifted = self.ishl(magnitude, 13);
        let value = self.float_of_bits(shifted);
        // Moves the exponent, of subnormals too.
        let scale = self.f(2f32.powi(112));
        let value = self.mul(value, scale);
        let limit = self.f(65536.0);
        let special = self.le(limit, value);
        let special = self.mask_ints(special);
        let exponent = self.i(0x7F80_0000);
        let exponent = self.iand(special, exponent);
        let value = self.bits(value);
        let value = self.ior(value, exponent);
        let sign = self.ixor(half, magnitude);
        let sign = self.ishl(sign, 16);
        let value = self.ior(value, sign);
        self.float_of_bits(value)
    }

    /// The bits of the nearest unsigned float of five bits of exponent and `mantissa` of mantissa, ties to even,
    /// overflow to infinity; 0 for negative values, all ones for NaN.
    pub fn small_float_of(&mut self, x: F32x4, mantissa: u8) -> I32x4 {
        let lost = 23 - u32::from(mantissa);
        let zero = self.f(0.0);
        let magnitude = self.max(x, zero);
        let bits = self.bits(magnitude);
        let odd = self.ushr(bits, lost);
        let one = self.i(1);
        let odd = self.iand(odd, one);
        let bias = self.i((1 << (lost - 1)) - 1 - (112 << 23));
        let normal = self.iadd(bits, bias);
        let normal = self.iadd(normal, odd);
        let normal = self.ushr(normal, lost);
        let infinity = self.i(31 << mantissa);
        let normal = self.imin(normal, infinity);
        // Subnormal results have the steps of numbers from here on.
        let base = self.f(2f32.powi(9 - i32::from(mantissa)));
        let small = self.add(magnitude, base);
        let (small, base) = (self.bits(small), self.bits(base));
        let small = self.isub(small, base);
        let least = self.i(113 << 23);
        let is_small = self.ilt(bits, least);
        let result = self.iselect(is_small, small, normal);
        let nan = self.unordered(x, x);
        let ones = self.i((1 << (mantissa + 5)) - 1);
        self.iselect(nan, ones, result)
    }

    /// The value of such a float.
    pub fn float_of_small(&mut self, bits: I32x4, mantissa: u8) -> F32x4 {
        // As a half without sign.
        let half = self.ishl(bits, 10 - u32::from(mantissa));
        self.float_of_half(half)
    }

    /// Every NaN as 0x7FC00000.
    pub fn canonical(&mut self, x: F32x4) -> F32x4 {
        let nan = self.unordered(x, x);
        let quiet = self.f(f32::from_bits(0x7FC0_0000));
        self.select(nan, quiet, x)
    }
}
