//! Arithmetic of pairs of f16, computed in f32: sums and products of halves that are rounded again, to a half, are as
//! if rounded once (24 bits are twice 11 and two more). A product and an addend are rounded to odd first.

use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::{BoolOp, FloatCompare, Fmz, HalfMerge, HalfSwizzle, Rounding};

use super::float::{either_zero, flushes};
use super::lane_value::flush;
use super::{Done, Lower, exact};
use crate::lane::{F32x4, I32x4, Mask};

/// The lower and the upper lane of a source.
#[derive(Clone, Copy)]
struct Pair {
    lanes: [F32x4; 2],
    /// Whether the values are halves.
    halves: bool,
}

/// How results are stored.
#[derive(Clone, Copy)]
struct Store {
    dst: Reg,
    merge: HalfMerge,
    ftz: bool,
    sat: bool,
}

impl Lower<'_, '_> {
    fn pair_of(&mut self, bits: I32x4, source: HalfSrc<()>, ftz: bool) -> Pair {
        let HalfSrc { swizzle, neg, abs, .. } = source;
        let half = |this: &mut Self, high: bool| {
            let value = this.half_float(bits, high);
            if !ftz {
                return value;
            }
            let e = this.e();
            let (magnitude, least) = (e.abs(value), e.f(2f32.powi(-14)));
            let tiny = e.lt(magnitude, least);
            let (bits, sign) = (e.bits(value), e.i(i32::MIN));
            let none = e.iand(bits, sign);
            let none = e.float_of_bits(none);
            e.select(tiny, none, value)
        };
        let lanes = match swizzle {
            HalfSwizzle::H1H0 => [half(self, false), half(self, true)],
            HalfSwizzle::H0H0 => [half(self, false); 2],
            HalfSwizzle::H1H1 => [half(self, true); 2],
            HalfSwizzle::F32 => {
                let e = self.e();
                let value = e.float_of_bits(bits);
                [if ftz { flush(e, value) } else { value }; 2]
            }
        };
        let e = self.e();
        let lanes = lanes.map(|value| {
            let value = if abs { e.abs(value) } else { value };
            if neg { e.neg(value) } else { value }
        });
        Pair { lanes, halves: swizzle != HalfSwizzle::F32 }
    }

    fn half_reg(&mut self, source: HalfSrc<Reg>, ftz: bool) -> Pair {
        let bits = self.reg_int(source.value);
        let HalfSrc { swizzle, neg, abs, .. } = source;
        self.pair_of(bits, HalfSrc { value: (), swizzle, neg, abs }, ftz)
    }

    fn half_operand(&mut self, source: HalfSrc<Operand>, ftz: bool) -> Pair {
        let bits = self.operand_int(source.value);
        let HalfSrc { swizzle, neg, abs, .. } = source;
        self.pair_of(bits, HalfSrc { value: (), swizzle, neg, abs }, ftz)
    }

    /// The bits of a lane's result as a half.
    fn stored_half(&mut self, value: F32x4, store: Store) -> I32x4 {
        let value = if store.sat { self.e().clamp(value, 0.0, 1.0) } else { value };
        let bits = self.half_bits(value);
        if !store.ftz {
            return bits;
        }
        let e = self.e();
        let (exponent, sign, zero) = (e.i(0x7C00), e.i(0x8000), e.i(0));
        let exponent = e.iand(bits, exponent);
        let tiny = e.ieq(exponent, zero);
        let none = e.iand(bits, sign);
        e.iselect(tiny, none, bits)
    }

    /// Stores the lanes of a result that are wanted.
    fn store_halves(&mut self, store: Store, mut lane: impl FnMut(&mut Self, usize) -> F32x4) {
        match store.merge {
            HalfMerge::Pack => {
                let (low, high) = (lane(self, 0), lane(self, 1));
                let (low, high) = (self.stored_half(low, store), self.stored_half(high, store));
                let e = self.e();
                let high = e.ishl(high, 16);
                let value = e.ior(low, high);
                self.set_int(store.dst, value);
            }
            HalfMerge::F32 => {
                let mut value = lane(self, 0);
                let e = self.e();
                if store.sat {
                    value = e.clamp(value, 0.0, 1.0);
                }
                if store.ftz {
                    value = flush(e, value);
                }
                self.set_reg(store.dst, super::LaneValue::float(value));
            }
            HalfMerge::H0 | HalfMerge::H1 => {
                let upper = store.merge == HalfMerge::H1;
                let value = lane(self, upper.into());
                let half = self.stored_half(value, store);
                let old = self.reg_int(store.dst);
                let e = self.e();
                let keep = e.i(if upper { 0xFFFF } else { 0xFFFF_0000_u32 as i32 });
                let kept = e.iand(old, keep);
                let half = if upper { e.ishl(half, 16) } else { half };
                let value = e.ior(kept, half);
                self.set_int(store.dst, value);
            }
        }
    }

    /// Factors of a product with its sign, and the lanes where one of them counts as 0.
    fn half_factors(&mut self, fmz: Fmz, a: F32x4, b: F32x4, neg: bool) -> (F32x4, Option<Mask>) {
        let e = self.e();
        let none = (fmz == Fmz::Fmz).then(|| either_zero(e, a, b));
        (if neg { e.neg(a) } else { a }, none)
    }

    fn half_compare(
        &mut self,
        (compare, bop, pred): (FloatCompare, BoolOp, PredSource),
        (a, b): (Pair, Pair),
    ) -> [Mask; 2] {
        let when = self.predicate(pred);
        [0, 1].map(|lane| {
            let mask = self.float_compare(compare, a.lanes[lane], b.lanes[lane]);
            self.join_when(bop, mask, when)
        })
    }
}

impl HalfVisitor for Lower<'_, '_> {
    type Output = Done;

    fn hadd2(&mut self, i: HalfAdd) -> Done {
        let (a, b) = (self.half_reg(i.a, i.ftz), self.half_operand(i.b, i.ftz));
        let store = Store { dst: i.dst, merge: i.merge, ftz: i.ftz, sat: i.sat };
        self.store_halves(store, |this, lane| this.e().add(a.lanes[lane], b.lanes[lane]));
        Ok(())
    }

    fn hmul2(&mut self, i: HalfMul) -> Done {
        let ftz = flushes(i.fmz);
        let (a, b) = (self.half_reg(i.a, ftz), self.half_operand(i.b, ftz));
        let store = Store { dst: i.dst, merge: i.merge, ftz, sat: i.sat };
        self.store_halves(store, |this, lane| {
            let (factor, none) = this.half_factors(i.fmz, a.lanes[lane], b.lanes[lane], i.neg);
            let e = this.e();
            let value = e.mul(factor, b.lanes[lane]);
            match none {
                Some(none) => {
                    let zero = e.f(0.0);
                    e.select(none, zero, value)
                }
                None => value,
            }
        });
        Ok(())
    }

    fn hfma2(&mut self, i: HalfFma) -> Done {
        let ftz = flushes(i.fmz);
        let (a, b, c) = (self.half_reg(i.a, ftz), self.half_operand(i.b, ftz), self.half_operand(i.c, ftz));
        let store = Store { dst: i.dst, merge: i.merge, ftz, sat: i.sat };
        let odd = a.halves && b.halves && c.halves && i.merge != HalfMerge::F32;
        self.store_halves(store, |this, lane| {
            let (factor, none) = this.half_factors(i.fmz, a.lanes[lane], b.lanes[lane], i.neg);
            let (b, c) = (b.lanes[lane], c.lanes[lane]);
            let e = this.e();
            let value =
                if odd { exact::fused_odd(e, factor, b, c) } else { exact::fused(e, Rounding::Nearest, factor, b, c) };
            match none {
                Some(none) => {
                    let zero = e.f(0.0);
                    let alone = e.add(zero, c);
                    e.select(none, alone, value)
                }
                None => value,
            }
        });
        Ok(())
    }

    fn hset2(&mut self, i: HalfSet) -> Done {
        let sources = (self.half_reg(i.a, i.ftz), self.half_operand(i.b, i.ftz));
        let [low, high] = self.half_compare((i.compare, i.bop, i.pred), sources);
        let e = self.e();
        let truth = if i.bf { 0x3C00 } else { 0xFFFF };
        let (one, other) = (e.i(truth), e.i(truth << 16));
        let (low, high) = (e.iand(I32x4(low.0), one), e.iand(I32x4(high.0), other));
        let value = e.ior(low, high);
        self.set_int(i.dst, value);
        Ok(())
    }

    fn hsetp2(&mut self, i: HalfSetPred) -> Done {
        let (a, b) = (self.half_reg(i.a, i.ftz), self.half_operand(i.b, i.ftz));
        if i.both {
            let [low, high] = [0, 1].map(|lane| self.float_compare(i.compare, a.lanes[lane], b.lanes[lane]));
            let both = self.e().and(low, high);
            let first = self.join(i.bop, both, i.pred);
            let second = self.e().not(first);
            self.set_predicate(i.dst, first);
            self.set_predicate(i.dst_second, second);
        } else {
            let [low, high] = self.half_compare((i.compare, i.bop, i.pred), (a, b));
            self.set_predicate(i.dst, low);
            self.set_predicate(i.dst_second, high);
        }
        Ok(())
    }
}
