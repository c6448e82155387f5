//! Arithmetic of f32 and f64.

use triglyph_guest::kernel::Accuracy;
use triglyph_guest::num::mufu;
use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::{Fmz, Scale};

use super::{join, set_both, truth};
use crate::maxwell::double;
use crate::maxwell::lane::{Condition, Lane};
use crate::maxwell::number::{self, compare, finish, flush_if, saturate};
use crate::maxwell::program::{Decoder, Op};

/// Stores an f32 result.
fn store(lane: &mut Lane, dst: Reg, bits: u32, cc: bool) {
    lane.write(dst, bits);
    lane.set_condition(cc, Condition::of_float(f32::from_bits(bits).into()));
}

/// Stores an f64 result.
fn store_wide(lane: &mut Lane, dst: Reg, value: f64, cc: bool) {
    lane.write_pair(dst, value.to_bits());
    lane.set_condition(cc, Condition::of_float(value));
}

/// Stores the truth of a comparison.
fn store_truth(lane: &mut Lane, dst: Reg, value: bool, one: bool, cc: bool) {
    let value = truth(value, one);
    lane.write(dst, value);
    let condition = Condition::of(value);
    lane.set_condition(cc, Condition { sign: condition.sign && !one, ..condition });
}

/// Whether denormals are 0.
pub(super) fn flushes(fmz: Fmz) -> bool {
    matches!(fmz, Fmz::Ftz | Fmz::Fmz)
}

/// The factors of a flushed product, its sign given to the first; a zero one makes both +0 where that is wanted.
pub(super) fn factors(fmz: Fmz, a: f32, b: f32, neg: bool) -> [f32; 2] {
    if fmz == Fmz::Fmz && (a == 0.0 || b == 0.0) {
        return [0.0; 2];
    }
    [if neg { -a } else { a }, b]
}

fn factor(scale: Scale) -> f64 {
    match scale {
        Scale::None | Scale::Unknown(_) => 1.0,
        Scale::D2 => 0.5,
        Scale::D4 => 0.25,
        Scale::D8 => 0.125,
        Scale::M8 => 8.0,
        Scale::M4 => 4.0,
        Scale::M2 => 2.0,
    }
}

impl FloatVisitor for Decoder<'_> {
    type Output = Op;

    fn fadd(&mut self, i: FloatAdd) -> Op {
        let ftz = self.flushes(i.ftz);
        self.lane(i.guard, move |lane, context| {
            let [a, b] = [lane.float_reg(i.a), lane.float(i.b, context)].map(|v| flush_if(ftz, v));
            let sum = number::add(a, b, i.rounding);
            store(lane, i.dst, finish(sum, ftz, i.sat), i.cc);
        })
    }

    fn fmul(&mut self, i: FloatMul) -> Op {
        let ftz = self.flushes(flushes(i.fmz));
        let scale = factor(i.scale);
        self.lane(i.guard, move |lane, context| {
            let [a, b] = [lane.read(i.a), lane.operand(i.b, context)];
            let [a, b] = [a, b].map(|bits| flush_if(ftz, f32::from_bits(bits)));
            let [a, b] = factors(i.fmz, a, b, i.neg);
            let product = number::mul(a, b, scale, i.rounding);
            store(lane, i.dst, finish(product, ftz, i.sat), i.cc);
        })
    }

    fn ffma(&mut self, i: FloatFma) -> Op {
        let ftz = self.flushes(flushes(i.fmz));
        self.lane(i.guard, move |lane, context| {
            let [a, b] = [lane.read(i.a), lane.operand(i.b, context)];
            let [a, b] = [a, b].map(|bits| flush_if(ftz, f32::from_bits(bits)));
            let [a, b] = factors(i.fmz, a, b, i.neg);
            let c = flush_if(ftz, lane.float_addend(i.c, context));
            let sum = number::fma(a, b, c, i.rounding);
            store(lane, i.dst, finish(sum, ftz, i.sat), i.cc);
        })
    }

    fn fmnmx(&mut self, i: FloatMinMax) -> Op {
        let ftz = self.flushes(i.ftz);
        self.lane(i.guard, move |lane, context| {
            let [a, b] = [lane.float_reg(i.a), lane.float(i.b, context)].map(|v| f64::from(flush_if(ftz, v)));
            let value = number::choose(lane.pred(i.pred), a, b) as f32;
            store(lane, i.dst, number::bits(value), i.cc);
        })
    }

    fn fset(&mut self, i: FloatSet) -> Op {
        let ftz = self.flushes(i.ftz);
        self.lane(i.guard, move |lane, context| {
            let [a, b] = [lane.float_reg(i.a), lane.float(i.b, context)].map(|v| flush_if(ftz, v).into());
            let value = join(i.bop, compare(i.compare, a, b), lane.pred(i.pred));
            store_truth(lane, i.dst, value, i.bf, i.cc);
        })
    }

    fn fsetp(&mut self, i: FloatSetPred) -> Op {
        let ftz = self.flushes(i.ftz);
        self.lane(i.guard, move |lane, context| {
            let [a, b] = [lane.float_reg(i.a), lane.float(i.b, context)].map(|v| flush_if(ftz, v).into());
            set_both(lane, i.dst, i.dst_not, compare(i.compare, a, b), i.bop, i.pred);
        })
    }

    fn fcmp(&mut self, i: FloatSelect) -> Op {
        let ftz = self.flushes(i.ftz);
        self.lane(i.guard, move |lane, context| {
            let c = flush_if(ftz, f32::from_bits(lane.operand(i.c, context)));
            let first = compare(i.compare, c.into(), 0.0);
            lane.write(i.dst, if first { lane.read(i.a) } else { lane.operand(i.b, context) });
        })
    }

    fn fchk(&mut self, i: FloatCheck) -> Op {
        self.lane(i.guard, move |lane, _| lane.set_pred(i.dst, true))
    }

    fn fswzadd(&mut self, i: FloatSwizzledAdd) -> Op {
        let ftz = self.flushes(i.ftz);
        self.lane(i.guard, move |lane, _| {
            let [a, b] = [i.a, i.b].map(|reg| flush_if(ftz, f32::from_bits(lane.read(reg))));
            let sum = match i.signs >> (6 - 2 * (lane.id & 3)) & 3 {
                0 => number::add(a, b, i.rounding),
                1 => number::add(b, -a, i.rounding),
                2 => number::add(a, -b, i.rounding),
                _ => b,
            };
            store(lane, i.dst, finish(sum, ftz, false), i.cc);
        })
    }

    fn rro(&mut self, i: RangeReduction) -> Op {
        let accuracy = self.code.accuracy;
        self.lane(i.guard, move |lane, context| {
            let bits = lane.float(i.b, context).to_bits();
            lane.write(i.dst, if accuracy == Accuracy::Fast { bits } else { mufu::scalar_rro(i.mode, bits) });
        })
    }

    fn mufu(&mut self, i: MultiFunction) -> Op {
        let accuracy = self.code.accuracy;
        self.lane(i.guard, move |lane, _| {
            let source = lane.float_reg(i.a);
            let fast = if accuracy == Accuracy::Fast { mufu::fast::scalar(i.op, source) } else { None };
            let result = fast.map_or_else(|| mufu::scalar(i.op, source.to_bits()), number::bits);
            let saturated = || saturate(f32::from_bits(result)).to_bits();
            lane.write(i.dst, if i.sat { saturated() } else { result });
        })
    }

    fn dadd(&mut self, i: FloatAdd) -> Op {
        self.lane(i.guard, move |lane, context| {
            let sum = double::add(lane.double_reg(i.a), lane.double(i.b, context), i.rounding);
            store_wide(lane, i.dst, sum, i.cc);
        })
    }

    fn dmul(&mut self, i: FloatMul) -> Op {
        self.lane(i.guard, move |lane, context| {
            let a = f64::from_bits(lane.read_pair(i.a) ^ u64::from(i.neg) << 63);
            let b = f64::from_bits(lane.wide_operand(i.b, context));
            store_wide(lane, i.dst, double::mul(a, b, i.rounding), i.cc);
        })
    }

    fn dfma(&mut self, i: FloatFma) -> Op {
        self.lane(i.guard, move |lane, context| {
            let a = f64::from_bits(lane.read_pair(i.a) ^ u64::from(i.neg) << 63);
            let b = f64::from_bits(lane.wide_operand(i.b, context));
            let c = lane.double(Src { value: i.c.value, neg: i.c.neg, abs: false }, context);
            store_wide(lane, i.dst, double::fma(a, b, c, i.rounding), i.cc);
        })
    }

    fn dmnmx(&mut self, i: FloatMinMax) -> Op {
        self.lane(i.guard, move |lane, context| {
            let value = number::choose(lane.pred(i.pred), lane.double_reg(i.a), lane.double(i.b, context));
            let value = if value.is_nan() { f64::from_bits(double::NAN) } else { value };
            store_wide(lane, i.dst, value, i.cc);
        })
    }

    fn dset(&mut self, i: FloatSet) -> Op {
        self.lane(i.guard, move |lane, context| {
            let compared = compare(i.compare, lane.double_reg(i.a), lane.double(i.b, context));
            let value = join(i.bop, compared, lane.pred(i.pred));
            store_truth(lane, i.dst, value, i.bf, i.cc);
        })
    }

    fn dsetp(&mut self, i: FloatSetPred) -> Op {
        self.lane(i.guard, move |lane, context| {
            let compared = compare(i.compare, lane.double_reg(i.a), lane.double(i.b, context));
            set_both(lane, i.dst, i.dst_not, compared, i.bop, i.pred);
        })
    }
}
