//! Arithmetic in 24-bit floats ([`Numbers::F24`](triglyph_guest::kernel::vertex::Numbers::F24)).
//!
//! Registers are f32 lanes as everywhere, for they hold every 24-bit float. An operation is that of f32, which has as
//! many bits as the console's is taken to keep inside ([`f24::INSIDE`]), and a cut. What else belongs to it, +0 for
//! results that are too small and infinity for those that are too large, costs three times as much, so there are two
//! forms:
//!
//! * *Exact*: each operation does all of that.
//! * *Plain*: operations only cut. What they take has to be [ordinary](Lower::ordinary): 0, or of a magnitude from
//!   2^-33 to 2^31; uniforms from 2^-29 on ([`Range`]). Groups with a number that is not, are done again by the exact
//!   form or the reference.
//!
//! # What has to be checked
//!
//! Nothing overflows inside an instruction of the plain form: four products stay below 2^64 in sum. What should be 0
//! because it is below 2^-62 is found, or makes no difference:
//!
//! * A product with a uniform is 0 or at least 2^-62: it is [right](Trust::Right). Another one may be too small, and is
//!   right if it is ordinary.
//! * A sum of two ordinary numbers is a multiple of 2^-49, the last bit of 2^-33: it is right.
//! * So is the sum of an ordinary number and a right product. If one of them is 0, it is the other. Else the number is
//!   at least 2^-33: if the product is less than half of it, the sum is at least 2^-34; otherwise both are multiples of
//!   2^-50.
//! * A product that is too small makes no difference to an ordinary number other than 0, whose last bit inside is at
//!   least 2^-56. So the sum of such a number and any product is right if it is ordinary.
//! * A sum of two right products is a multiple of 2^-78, and may be too small itself. To a third product of at least
//!   2^-37 that makes no difference; with a smaller one the sum is not ordinary. So sums of three products have to be
//!   ordinary, whatever comes next. If one of the first two is not known to be right, their sum has to be, too.
//!
//! What is right is checked where arithmetic takes it or blocks end: comparisons, moves and outputs take it as it is.

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use triglyph_guest::num::f24;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::pica::isa::{Dst, Index, Src};

use super::Lower;
use super::instruction::{Dot, Operand};
use super::registers::Constant;
use super::tracked::{TrackedValue, Trust, clean, normal};
use crate::lane::{Emit, F32x4, I32x4, Mask};

/// Operations have as many bits as singles before they are cut.
const _: () = assert!(f24::INSIDE == f32::MANTISSA_DIGITS);

/// 2 to this power.
const fn power(exponent: i32) -> f32 {
    f32::from_bits(((127 + exponent) as u32) << 23)
}

/// Magnitudes from the first to below the second number; 0 is in each range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range(f32, f32);

impl Range {
    /// Numbers with which plain operations are exact.
    pub const ORDINARY: Range = Range(power(-33), power(31));
    /// Uniforms: products with ordinary numbers are not below 2^-62.
    pub const UNIFORMS: Range = Range(power(-29), power(31));

    /// Whether `value` lies in it; NaN does not.
    pub fn has(self, value: f32) -> bool {
        value == 0.0 || (self.0..self.1).contains(&value.abs())
    }
}

/// Added to an ordinary number's bits it makes the exponent 0b10xxxxxx, and 0b00100010 of 0; of all other numbers that
/// a product, sum or reciprocal of ordinary ones gives, 0bx1xxxxxx.
pub(super) const BIAS: f32 = f32::from_bits((128 - (127 - 33)) << 23);
/// The bits that 24-bit floats have.
pub(super) const KEPT: f32 = f32::from_bits(!f24::CUT);

/// Set by [`BIAS`] in numbers that are not ordinary.
const ODD: i32 = 1 << 29;

impl Lower<'_, '_> {
    /// Whether this is the plain form of a program in 24-bit floats.
    pub fn is_plain_f24(&self) -> bool {
        self.is_f24() && !self.exact
    }

    /// A rounded product or sum of the plain forms, cut where the numbers are 24-bit floats.
    pub fn cut(&mut self, value: F32x4) -> F32x4 {
        if !self.is_f24() {
            return value;
        }
        let kept = self.constant(Constant::Kept, 0);
        let [bits, kept] = [value, kept].map(|value| self.e.bits(value));
        let bits = self.e.iand(bits, kept);
        self.e.float_of_bits(bits)
    }

    /// As the guest has it: what plain operations give is +0 where it is -0. Other numbers stay.
    pub fn settled(&mut self, number: TrackedValue) -> TrackedValue {
        if number.clean || !self.is_f24() {
            return number;
        }
        let zero = self.e.f(0.0);
        TrackedValue { trust: number.trust, ..clean(self.e.add(number.value, zero)) }
    }

    /// A number of plain code that arithmetic can take, and registers across blocks can hold.
    pub fn made_ordinary(&mut self, number: TrackedValue) -> TrackedValue {
        if !self.is_plain_f24() || number.trust <= Trust::Ordinary {
            return number;
        }
        self.ordinary(number.value);
        TrackedValue { trust: Trust::Ordinary, ..number }
    }

    /// Plain code: lets arithmetic take component `c` of a source.
    pub fn take_ordinary(&mut self, a: &Operand, c: usize) {
        if let Src::Temp(n) = a.register
            && self.is_plain_f24()
        {
            let (of, component) = (Dst::Temp(n), a.select[c].into());
            let number = self.register(of, component);
            let number = self.made_ordinary(number);
            *self.file.known(of.into(), component) = Some(number);
        }
    }

    /// Plain code: notes lanes in which a product or sum of ordinary numbers is not ordinary.
    pub fn ordinary(&mut self, value: F32x4) {
        let bias = self.constant(Constant::Bias, 0);
        let [bits, bias] = [value, bias].map(|value| self.e.bits(value));
        let biased = self.e.iadd(bits, bias);
        self.suspect_bits(Mask(biased.0));
    }

    /// Plain code: notes lanes in which one of these numbers, which may be anything, is not ordinary.
    pub fn ordinary_among(&mut self, values: impl IntoIterator<Item = F32x4>) {
        for value in values {
            let e = &mut *self.e;
            let (bits, sign, one) = (e.bits(value), e.i(i32::MAX), e.i(1));
            let magnitude = e.iand(bits, sign);
            // 0 becomes the largest of all.
            let less = e.isub(magnitude, one);
            self.file.bounds = Some(match self.file.bounds {
                Some((low, high)) => (I32x4(e.b.ins().umin(low.0, less.0)), I32x4(e.b.ins().umax(high.0, magnitude.0))),
                None => (less, magnitude),
            });
        }
    }

    /// Notes what [`Self::ordinary_among`] has collected.
    pub fn compare_bounds(&mut self) {
        let Some((low, high)) = self.file.bounds.take() else { return };
        let e = &mut *self.e;
        let smallest = e.i(Range::ORDINARY.0.to_bits() as i32 - 1);
        let largest = e.i(Range::ORDINARY.1.to_bits() as i32 - 1);
        let small = Mask(e.b.ins().icmp(IntCC::UnsignedLessThan, low.0, smallest.0));
        let large = Mask(e.b.ins().icmp(IntCC::SignedGreaterThan, high.0, largest.0));
        let odd = e.or(small, large);
        self.suspect_bits(odd);
    }

    /// The lanes in which `bits` say that a number was not ordinary.
    pub fn odd_lanes(&mut self, bits: Mask) -> Mask {
        let e = &mut *self.e;
        let (odd, zero) = (e.i(ODD), e.i(0));
        let odd = e.iand(I32x4(bits.0), odd);
        Mask(e.b.ins().icmp(IntCC::NotEqual, odd.0, zero.0))
    }

    fn suspect_bits(&mut self, bits: Mask) {
        self.file.suspect = Some(match self.file.suspect {
            Some(suspect) => self.e.or(suspect, bits),
            None => bits,
        });
    }

    /// Exact form: component `c` of a source of arithmetic. Uniforms are made operands once for each job.
    pub fn f24_source(&mut self, a: &Operand, c: usize) -> TrackedValue {
        match a.register {
            Src::Const(n, Index::None) if !self.wide() => {
                let value = self.constant(Constant::Operand(n & 0x7F), a.select[c]);
                normal(if a.negate { self.e.neg(value) } else { value })
            }
            _ => self.source(a, c),
        }
    }

    /// Products from x on, then their sums from x on, each of them cut. The exact form.
    pub fn f24_dot(&mut self, a: &Operand, b: &Operand, terms: Dot) -> TrackedValue {
        let last = if terms == Dot::Xyz { 2 } else { 3 };
        let mut total: Option<TrackedValue> = None;
        for c in 0..=last {
            let one = terms == Dot::Homogeneous && c == 3;
            let a = if one { normal(self.e.f(1.0)) } else { self.f24_source(a, c) };
            let b = self.f24_source(b, c);
            let product = product(self.e, a, b);
            total = Some(match total {
                Some(total) => sum(self.e, total, product),
                None => product,
            });
        }
        total.unwrap_or_else(|| normal(self.e.f(0.0)))
    }

    /// A function of one number that is computed in f32; its result is cut.
    pub fn f24_function(&mut self, x: TrackedValue, of: impl Fn(&mut Emit<'_>, F32x4) -> F32x4) -> TrackedValue {
        if self.exact {
            let x = operand(self.e, x);
            let value = of(self.e, x);
            return normal(result(self.e, value));
        }
        let value = of(self.e, x.value);
        let value = self.cut(value);
        self.ordinary_among([value]);
        self.settled(TrackedValue { clean: false, ..clean(value) })
    }

    /// 1 / x.
    pub fn f24_reciprocal(&mut self, x: TrackedValue) -> TrackedValue {
        if self.exact {
            return self.f24_function(x, |e, x| {
                let one = e.f(1.0);
                e.div(one, x)
            });
        }
        let (zero, one) = (self.e.f(0.0), self.e.f(1.0));
        let infinite = self.e.feq(x.value, zero);
        self.suspect_bits(infinite);
        let value = self.e.div(one, x.value);
        let value = self.cut(value);
        self.ordinary(value);
        clean(value)
    }

    /// 1 / sqrt(x), which is ordinary for all ordinary x above 0.
    pub fn f24_reciprocal_root(&mut self, x: TrackedValue) -> TrackedValue {
        if self.exact {
            return self.f24_function(x, |e, x| {
                let (one, root) = (e.f(1.0), e.sqrt(x));
                e.div(one, root)
            });
        }
        let (zero, one) = (self.e.f(0.0), self.e.f(1.0));
        let has_none = self.e.le(x.value, zero);
        self.suspect_bits(has_none);
        let root = self.e.sqrt(x.value);
        let value = self.e.div(one, root);
        clean(self.cut(value))
    }
}

/// What is known of a product: one with a uniform is 0 or large enough.
pub(super) fn product_trust(a: TrackedValue, b: TrackedValue) -> Trust {
    if a.trust == Trust::Uniform || b.trust == Trust::Uniform { Trust::Right } else { Trust::Doubtful }
}

/// The exact form of a sum.
pub fn sum(e: &mut Emit<'_>, a: TrackedValue, b: TrackedValue) -> TrackedValue {
    let [a, b] = [a, b].map(|number| operand(e, number));
    let sum = e.add(a, b);
    normal(result(e, sum))
}

/// The exact form of a product: 0 * infinity is 0.
pub fn product(e: &mut Emit<'_>, a: TrackedValue, b: TrackedValue) -> TrackedValue {
    let [a, b] = [a, b].map(|number| operand(e, number));
    let product = e.mul(a, b);
    let value = result(e, product);
    // NaN without a NaN among the factors is 0 * infinity, which is 0.
    let (nan, given) = (e.unordered(value, value), e.unordered(a, b));
    let wrong = e.and_not(nan, given);
    let bits = e.bits(value);
    let bits = e.and_not(Mask(bits.0), wrong);
    normal(e.float_of_bits(I32x4(bits.0)))
}

/// Without the bits of the mantissa that 24-bit floats do not have. A quiet NaN stays one.
fn cut(e: &mut Emit<'_>, value: F32x4) -> F32x4 {
    let (bits, kept) = (e.bits(value), e.i(!f24::CUT as i32));
    let cut = e.iand(bits, kept);
    e.float_of_bits(cut)
}

/// A number as arithmetic takes it: subnormals are +0, as is -0.
fn operand(e: &mut Emit<'_>, number: TrackedValue) -> F32x4 {
    if number.normal { number.value } else { flush(e, number.value) }
}

/// The value, +0 below the smallest normal magnitude.
fn flush(e: &mut Emit<'_>, value: F32x4) -> F32x4 {
    let (magnitude, smallest) = (e.abs(value), e.f(f24::SMALLEST));
    let small = e.lt(magnitude, smallest);
    let bits = e.bits(value);
    let kept = e.and_not(Mask(bits.0), small);
    e.float_of_bits(I32x4(kept.0))
}

/// The value, infinity from 2^64 on.
fn overflow(e: &mut Emit<'_>, value: F32x4) -> F32x4 {
    // In f32 2^64 times itself is infinity.
    let (up, down) = (e.f(f24::OVERFLOW), e.f(1.0 / f24::OVERFLOW));
    let value = e.mul(value, up);
    e.mul(value, down)
}

/// A rounded result: cut, +0 below the smallest normal magnitude and infinity above the largest. A NaN is quiet, as all
/// are that operations give.
fn result(e: &mut Emit<'_>, value: F32x4) -> F32x4 {
    let kept = cut(e, value);
    let (magnitude, smallest) = (e.abs(value), e.f(f24::SMALLEST));
    let small = e.lt(magnitude, smallest);
    let bits = e.bits(kept);
    let kept = e.and_not(Mask(bits.0), small);
    let kept = e.float_of_bits(I32x4(kept.0));
    overflow(e, kept)
}

/// What a register holds of floats that come from an array, see [`f24::load`].
pub(super) fn load(e: &mut Emit<'_>, value: F32x4) -> F32x4 {
    // Subnormals as multiples of the smallest one.
    let (up, down) = (e.f(power(78)), e.f(power(-78)));
    let units = e.mul(value, up);
    let units = F32x4(e.b.ins().trunc(units.0));
    let subnormal = e.mul(units, down);

    // Arithmetic makes NaN quiet, of which the cut leaves one.
    let value = overflow(e, value);
    let cut = cut(e, value);

    let (magnitude, smallest) = (e.abs(value), e.f(f24::SMALLEST));
    let small = e.lt(magnitude, smallest);
    e.select(small, subnormal, cut)
}
