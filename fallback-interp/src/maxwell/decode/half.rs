//! Arithmetic of pairs of f16.

use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::{Fmz, HalfMerge, HalfSwizzle, Rounding};

use super::float::{factors, flushes};
use super::join;
use crate::maxwell::context::Context;
use crate::maxwell::lane::Lane;
use crate::maxwell::number::{self, compare, flush_half, flush_if, from_half, odd_sum, saturate, to_f32, to_half};
use crate::maxwell::program::{Decoder, Op};

/// The values of a source for both lanes.
#[derive(Clone, Copy)]
struct Pair {
    lanes: [f32; 2],
    /// Whether they are halves.
    halves: bool,
}

/// A source, flushed if `ftz`.
fn pair(bits: u32, swizzle: HalfSwizzle, neg: bool, abs: bool, ftz: bool) -> Pair {
    let sign = |v: f32| {
        let v = if abs { v.abs() } else { v };
        if neg { -v } else { v }
    };
    let half = |bits: u32| from_half(if ftz { flush_half(bits & 0xFFFF) } else { bits });
    let (low, high) = (half(bits), half(bits >> 16));
    let lanes = match swizzle {
        HalfSwizzle::H1H0 => [low, high],
        HalfSwizzle::F32 => [flush_if(ftz, f32::from_bits(bits)); 2],
        HalfSwizzle::H0H0 => [low; 2],
        HalfSwizzle::H1H1 => [high; 2],
    };
    Pair { lanes: lanes.map(sign), halves: swizzle != HalfSwizzle::F32 }
}

fn reg(lane: &Lane, source: HalfSrc<Reg>, ftz: bool) -> Pair {
    pair(lane.read(source.value), source.swizzle, source.neg, source.abs, ftz)
}

fn second(lane: &Lane, source: HalfSrc<Operand>, ftz: bool, context: &Context<'_>) -> Pair {
    pair(lane.operand(source.value, context), source.swizzle, source.neg, source.abs, ftz)
}

/// How results become what is stored.
#[derive(Clone, Copy)]
struct Result {
    dst: Reg,
    merge: HalfMerge,
    ftz: bool,
    sat: bool,
}

impl Result {
    /// Stores what is exact or odd; `halves`: nothing was an f32.
    fn store(self, lane: &mut Lane, exact: [f64; 2], halves: bool) {
        let single = |v: f64| {
            let v = to_f32(v, Rounding::Nearest);
            if self.sat { saturate(v) } else { v }
        };
        let half = |v: f64| {
            let v = match (halves, self.sat) {
                (true, false) => v,
                // What is odd in f64 and within 0 and 1 stays odd.
                (true, true) => {
                    if v > 0.0 {
                        v.min(1.0)
                    } else {
                        0.0
                    }
                }
                (false, _) => single(v).into(),
            };
            let bits = to_half(v, Rounding::Nearest);
            if self.ftz { flush_half(bits) } else { bits }
        };
        let old = lane.read(self.dst);
        let value = match self.merge {
            HalfMerge::Pack => half(exact[0]) | half(exact[1]) << 16,
            HalfMerge::F32 => number::bits(flush_if(self.ftz, single(exact[0]))),
            HalfMerge::H0 => old & 0xFFFF_0000 | half(exact[0]),
            HalfMerge::H1 => old & 0xFFFF | half(exact[1]) << 16,
        };
        lane.write(self.dst, value);
    }
}

/// A product: exact.
fn product(fmz: Fmz, a: f32, b: f32, neg: bool) -> f64 {
    let [a, b] = factors(fmz, a, b, neg);
    f64::from(a) * f64::from(b)
}

impl HalfVisitor for Decoder<'_> {
    type Output = Op;

    fn hadd2(&mut self, i: HalfAdd) -> Op {
        let result = Result { dst: i.dst, merge: i.merge, ftz: i.ftz, sat: i.sat };
        self.lane(i.guard, move |lane, context| {
            let (a, b) = (reg(lane, i.a, i.ftz), second(lane, i.b, i.ftz, context));
            let sum = [0, 1].map(|k| odd_sum(a.lanes[k].into(), b.lanes[k].into()));
            result.store(lane, sum, a.halves && b.halves);
        })
    }

    fn hmul2(&mut self, i: HalfMul) -> Op {
        let result = Result { dst: i.dst, merge: i.merge, ftz: flushes(i.fmz), sat: i.sat };
        self.lane(i.guard, move |lane, context| {
            let (a, b) = (reg(lane, i.a, result.ftz), second(lane, i.b, result.ftz, context));
            let products = [0, 1].map(|k| product(i.fmz, a.lanes[k], b.lanes[k], i.neg));
            result.store(lane, products, a.halves && b.halves);
        })
    }

    fn hfma2(&mut self, i: HalfFma) -> Op {
        let result = Result { dst: i.dst, merge: i.merge, ftz: flushes(i.fmz), sat: i.sat };
        self.lane(i.guard, move |lane, context| {
            let (a, b) = (reg(lane, i.a, result.ftz), second(lane, i.b, result.ftz, context));
            let c = second(lane, i.c, result.ftz, context);
            let sums = [0, 1].map(|k| odd_sum(product(i.fmz, a.lanes[k], b.lanes[k], i.neg), c.lanes[k].into()));
            result.store(lane, sums, a.halves && b.halves && c.halves);
        })
    }

    fn hset2(&mut self, i: HalfSet) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (a, b) = (reg(lane, i.a, i.ftz), second(lane, i.b, i.ftz, context));
            let with = lane.pred(i.pred);
            let half = |k: usize| {
                let compared = compare(i.compare, a.lanes[k].into(), b.lanes[k].into());
                match (join(i.bop, compared, with), i.bf) {
                    (false, _) => 0,
                    (true, false) => 0xFFFF,
                    (true, true) => 0x3C00,
                }
            };
            lane.write(i.dst, half(0) | half(1) << 16);
        })
    }

    fn hsetp2(&mut self, i: HalfSetPred) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (a, b) = (reg(lane, i.a, i.ftz), second(lane, i.b, i.ftz, context));
            let with = lane.pred(i.pred);
            let [low, high] = [0, 1].map(|k| compare(i.compare, a.lanes[k].into(), b.lanes[k].into()));
            let (first, second) = if i.both {
                let both = join(i.bop, low && high, with);
                (both, !both)
            } else {
                (join(i.bop, low, with), join(i.bop, high, with))
            };
            lane.set_pred(i.dst, first);
            lane.set_pred(i.dst_second, second);
        })
    }
}
