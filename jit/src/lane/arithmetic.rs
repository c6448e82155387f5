//! Arithmetic of floats, integers and masks.

use super::*;

/// Methods that are one instruction, or its result of before: operands, their type, the instruction with what it has
/// besides operands.
macro_rules! once {
    ($($(#[$doc:meta])* $vis:vis fn $name:ident($($a:ident),+): $A:ident -> $R:ident
        = $instruction:ident $([$code:expr])?;)+
    ) => {$(
        $(#[$doc])*
        $vis fn $name(&mut self, $($a: $A),+) -> $R {
            let value = self.b.ins().$instruction($($code,)? $($a.0),+);
            $R(self.once(value))
        }
    )+};
}

impl Emit<'_> {
    // Floats.

    /// a without its sign.
    pub fn abs(&mut self, a: F32x4) -> F32x4 {
        let (bits, magnitude) = (self.bits(a), self.i(i32::MAX));
        let bits = self.iand(bits, magnitude);
        self.float_of_bits(bits)
    }

    /// a with the other sign.
    pub fn neg(&mut self, a: F32x4) -> F32x4 {
        let (bits, sign) = (self.bits(a), self.i(i32::MIN));
        let bits = self.ixor(bits, sign);
        self.float_of_bits(bits)
    }

    /// As [`Self::neg`], for operands of fused multiply-add, which can negate them by itself.
    pub fn neg_operand(&mut self, a: F32x4) -> F32x4 {
        F32x4(self.b.ins().fneg(a.0))
    }

    /// `low < v ? v : low`, then `v < high ? v : high`: NaN becomes `low`.
    pub fn clamp(&mut self, v: F32x4, low: f32, high: f32) -> F32x4 {
        let low = self.f(low);
        let v = self.max(v, low);
        let high = self.f(high);
        self.min(v, high)
    }

    /// Conversion toward zero of values within the range of i32; others give anything.
    pub fn truncate_to_int(&mut self, a: F32x4) -> I32x4 {
        I32x4(if self.caps.x86 {
            self.b.ins().x86_cvtt2dq(I32X4, a.0)
        } else {
            self.b.ins().fcvt_to_sint_sat(I32X4, a.0)
        })
    }

    once! {
        /// The next whole number from `a` on.
        pub fn ceil(a): F32x4 -> F32x4 = ceil;
    }

    /// Conversion of whole numbers; those outside of i32 become its limits, NaN 0.
    pub fn saturating_int(&mut self, a: F32x4) -> I32x4 {
        if !self.caps.x86 {
            return I32x4(self.b.ins().fcvt_to_sint_sat(I32X4, a.0));
        }
        // The host instruction gives i32::MIN for everything out of range.
        let value = self.truncate_to_int(a);
        let limit = self.f(2_147_483_648.0);
        let above = self.le(limit, a);
        let value = self.ixor(value, I32x4(above.0));
        let nan = self.unordered(a, a);
        let value = self.b.ins().band_not(value.0, nan.0);
        I32x4(self.once(value))
    }

    once! {
        /// a <= b, false when either is NaN.
        pub fn le(a, b): F32x4 -> Mask = fcmp [FloatCC::LessThanOrEqual];
        /// a == b, false when either is NaN.
        pub fn feq(a, b): F32x4 -> Mask = fcmp [FloatCC::Equal];
        /// a and b differ, or one is NaN.
        pub fn fne(a, b): F32x4 -> Mask = fcmp [FloatCC::NotEqual];
    }

    // Integers.

    /// Logical a >> n.
    pub fn ushr(&mut self, a: I32x4, n: u32) -> I32x4 {
        I32x4(self.b.ins().ushr_imm_u(a.0, i64::from(n)))
    }

    once! {
        /// a * b, wrapping. Slow: prefer shifts.
        pub fn imul(a, b): I32x4 -> I32x4 = imul;
        /// a ^ b
        pub fn ixor(a, b): I32x4 -> I32x4 = bxor;
        /// The smaller one, signed.
        pub fn imin(a, b): I32x4 -> I32x4 = smin;
        /// The larger one, signed.
        pub fn imax(a, b): I32x4 -> I32x4 = smax;
        /// The smaller one, unsigned.
        pub fn umin(a, b): I32x4 -> I32x4 = umin;
        /// The larger one, unsigned.
        pub fn imax_unsigned(a, b): I32x4 -> I32x4 = umax;
        /// a == b
        pub fn ieq(a, b): I32x4 -> Mask = icmp [IntCC::Equal];
    }

    /// Unsigned integers as the nearest floats: their halves are floats, and only the sum is rounded.
    pub fn float_of_unsigned(&mut self, a: I32x4) -> F32x4 {
        let (upper, mask) = (self.ushr(a, 16), self.i(0xFFFF));
        let lower = self.iand(a, mask);
        let [upper, lower] = [upper, lower].map(|half| self.to_float(half));
        let unit = self.f(65536.0);
        let upper = self.mul(upper, unit);
        self.add(upper, lower)
    }

    /// The upper words of products.
    pub fn imul_high(&mut self, a: I32x4, b: I32x4, signed: bool) -> I32x4 {
        // The code generator has an instruction for the product of widened words.
        let low = [a, b].map(|v| match signed {
            true => self.b.ins().swiden_low(v.0),
            false => self.b.ins().uwiden_low(v.0),
        });
        let high = [a, b].map(|v| match signed {
            true => self.b.ins().swiden_high(v.0),
            false => self.b.ins().uwiden_high(v.0),
        });
        let [low, high] = [low, high].map(|[a, b]| self.b.ins().imul(a, b)).map(|wide| self.cast(wide, I32X4));
        I32x4(self.odd_words(low, high))
    }

    /// a < b, signed.
    pub fn ilt(&mut self, a: I32x4, b: I32x4) -> Mask {
        let value = self.b.ins().icmp(IntCC::SignedGreaterThan, b.0, a.0);
        Mask(self.once(value))
    }

    /// m ? a : b
    pub fn iselect(&mut self, m: Mask, a: I32x4, b: I32x4) -> I32x4 {
        if a == b {
            return a;
        }
        let value = self.b.ins().bitselect(m.0, a.0, b.0);
        I32x4(self.once(value))
    }

    /// a * b of lanes from 0 to 32767, which is one operation.
    pub fn imul_small(&mut self, a: I32x4, b: I32x4) -> I32x4 {
        let [a, b] = [a, b].map(|v| I16x8(self.cast(v.0, I16X8)));
        self.madd16(a, b)
    }

    /// Lane `lane` as a 32-bit scalar.
    pub fn lane(&mut self, a: I32x4, lane: u8) -> Value {
        self.b.ins().extractlane(a.0, lane)
    }

    // Masks.

    once! {
        /// Both.
        pub fn and(a, b): Mask -> Mask = band;
        /// Either.
        pub fn or(a, b): Mask -> Mask = bor;
        /// a but not b.
        pub fn and_not(a, b): Mask -> Mask = band_not;
        /// The other lanes.
        pub fn not(a): Mask -> Mask = bnot;
    }

    /// A scalar that is not zero when any lane is set, for [`Self::branch`].
    pub fn any(&mut self, a: Mask) -> Value {
        self.b.ins().vany_true(a.0)
    }

    /// Bit i of the 32-bit scalar is lane i.
    pub fn mask_bits(&mut self, a: Mask) -> Value {
        self.b.ins().vhigh_bits(I32, a.0)
    }

    /// The mask as integers: -1 or 0.
    pub fn mask_ints(&mut self, a: Mask) -> I32x4 {
        I32x4(a.0)
    }
}

impl Ops for Emit<'_> {
    type F = F32x4;
    type I = I32x4;
    type M = Mask;

    fn f(&mut self, value: f32) -> F32x4 {
        self.floats([value; 4])
    }
    fn i(&mut self, value: i32) -> I32x4 {
        self.ints([value; 4])
    }
    once! {
        fn add(a, b): F32x4 -> F32x4 = fadd;
        fn sub(a, b): F32x4 -> F32x4 = fsub;
        fn mul(a, b): F32x4 -> F32x4 = fmul;
        fn div(a, b): F32x4 -> F32x4 = fdiv;
        fn sqrt(a): F32x4 -> F32x4 = sqrt;
        fn floor(a): F32x4 -> F32x4 = floor;
        fn nearest(a): F32x4 -> F32x4 = nearest;
    }
    fn min(&mut self, a: F32x4, b: F32x4) -> F32x4 {
        let m = self.lt(a, b);
        self.select(m, a, b)
    }
    fn max(&mut self, a: F32x4, b: F32x4) -> F32x4 {
        let m = self.lt(b, a);
        self.select(m, a, b)
    }
    once! {
        fn lt(a, b): F32x4 -> Mask = fcmp [FloatCC::LessThan];
        fn unordered(a, b): F32x4 -> Mask = fcmp [FloatCC::Unordered];
    }
    fn select(&mut self, m: Mask, a: F32x4, b: F32x4) -> F32x4 {
        if a == b {
            return a;
        }
        let m = self.cast(m.0, F32X4);
        let value = self.b.ins().bitselect(m, a.0, b.0);
        F32x4(self.once(value))
    }
    fn to_int(&mut self, a: F32x4) -> I32x4 {
        self.truncate_to_int(a)
    }
    once! {
        fn to_float(a): I32x4 -> F32x4 = fcvt_from_sint [F32X4];
    }
    fn bits(&mut self, a: F32x4) -> I32x4 {
        I32x4(self.cast(a.0, I32X4))
    }
    fn float_of_bits(&mut self, a: I32x4) -> F32x4 {
        F32x4(self.cast(a.0, F32X4))
    }
    once! {
        fn iadd(a, b): I32x4 -> I32x4 = iadd;
        fn isub(a, b): I32x4 -> I32x4 = isub;
        fn iand(a, b): I32x4 -> I32x4 = band;
        fn ior(a, b): I32x4 -> I32x4 = bor;
    }
    fn ishl(&mut self, a: I32x4, n: u32) -> I32x4 {
        I32x4(self.b.ins().ishl_imm_u(a.0, i64::from(n)))
    }
    fn ishr(&mut self, a: I32x4, n: u32) -> I32x4 {
        I32x4(self.b.ins().sshr_imm_u(a.0, i64::from(n)))
    }
}
