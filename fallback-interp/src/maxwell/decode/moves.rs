//! Moves, predicates, the condition code, special registers.

use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::PrmtMode;

use super::{join, set_both, truth};
use crate::maxwell::context::Context;
use crate::maxwell::lane::{Condition, Lane};
use crate::maxwell::program::{Decoder, Op};

impl MoveVisitor for Decoder<'_> {
    type Output = Op;

    fn mov(&mut self, i: Mov) -> Op {
        self.lane(i.guard, move |lane, context| {
            if i.quad_mask >> (lane.id & 3) & 1 != 0 {
                lane.write(i.dst, lane.operand(i.b, context));
            }
        })
    }

    fn sel(&mut self, i: Sel) -> Op {
        self.lane(i.guard, move |lane, context| {
            let value = if lane.pred(i.pred) { lane.read(i.a) } else { lane.operand(i.b, context) };
            lane.write(i.dst, value);
        })
    }

    fn p2r(&mut self, i: PredToReg) -> Op {
        self.lane(i.guard, move |lane, context| {
            let mask = lane.operand(i.b, context) & 0xFF;
            let source = if i.cc_source { lane.condition.bits() } else { lane.predicates() };
            let shift = 8 * u32::from(i.byte);
            lane.write(i.dst, lane.read(i.a) & !(mask << shift) | (source & mask) << shift);
        })
    }

    fn r2p(&mut self, i: RegToPred) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (value, mask) = (lane.read(i.a) >> (8 * i.byte), lane.operand(i.b, context));
            if i.cc_target {
                let mask = mask & 15;
                lane.condition = Condition::from_bits(lane.condition.bits() & !mask | value & mask);
                return;
            }
            for pred in (0..7).filter(|pred| mask >> pred & 1 != 0) {
                lane.set_pred(Pred(pred), value >> pred & 1 != 0);
            }
        })
    }

    fn prmt(&mut self, i: Permute) -> Op {
        self.lane(i.guard, move |lane, context| {
            let (low, selector, high) = (lane.read(i.a), lane.operand(i.b, context), lane.operand(i.c, context));
            lane.write(i.dst, permute(i.mode, low, high, selector));
        })
    }

    fn pset(&mut self, i: PredSet) -> Op {
        self.lane(i.guard, move |lane, _| {
            let first = join(i.op1, lane.pred(i.a), lane.pred(i.b));
            let value = truth(join(i.op2, first, lane.pred(i.c)), i.bf);
            lane.result(i.dst, value, i.cc);
        })
    }

    fn psetp(&mut self, i: PredSetPred) -> Op {
        self.lane(i.guard, move |lane, _| {
            let [a, b, c] = [i.a, i.b, i.c].map(|source| lane.pred(source));
            lane.set_pred(i.dst, join(i.op2, join(i.op1, a, b), c));
            lane.set_pred(i.dst_not, join(i.op2, join(i.op1, !a, b), c));
        })
    }

    fn cset(&mut self, i: CcSet) -> Op {
        self.lane(i.guard, move |lane, _| {
            let value = truth(join(i.bop, lane.condition.holds(i.test), lane.pred(i.pred)), i.bf);
            lane.result(i.dst, value, i.cc);
        })
    }

    fn csetp(&mut self, i: CcSetPred) -> Op {
        self.lane(i.guard, move |lane, _| {
            let holds = lane.condition.holds(i.test);
            set_both(lane, i.dst, i.dst_not, holds, i.bop, i.pred);
        })
    }

    fn s2r(&mut self, i: ReadSpecial) -> Op {
        self.lane(i.guard, move |lane, context| lane.write(i.dst, special(lane, i.source, context)))
    }

    fn cs2r(&mut self, i: ReadSpecial) -> Op {
        self.s2r(i)
    }
}

/// A special register.
fn special(lane: &Lane, register: SpecialRegister, context: &Context<'_>) -> u32 {
    let own = 1u32 << (lane.id & 31);
    match register {
        SpecialRegister::LaneId => lane.id,
        SpecialRegister::EqMask => own,
        SpecialRegister::LtMask => own - 1,
        SpecialRegister::LeMask => own | (own - 1),
        SpecialRegister::GtMask => !(own | (own - 1)),
        SpecialRegister::GeMask => !(own - 1),
        SpecialRegister::YDirection => context.environment.y_direction.to_bits(),
        SpecialRegister::ThreadKill => truth(lane.helper, false),
        SpecialRegister::Clock | SpecialRegister::ClockLo | SpecialRegister::GlobalTimerLo => clock(context) as u32,
        SpecialRegister::ClockHi | SpecialRegister::GlobalTimerHi => (clock(context) >> 32) as u32,
        SpecialRegister::WScaleFactorXy | SpecialRegister::WScaleFactorZ => 1f32.to_bits(),
        other => context.stage.special(lane, other),
    }
}

fn clock(context: &Context<'_>) -> u64 {
    context.environment.clock.wrapping_add(context.executed.into())
}

/// Bytes of `high:low` by a selector.
fn permute(mode: PrmtMode, low: u32, high: u32, selector: u32) -> u32 {
    let source = (u64::from(high) << 32 | u64::from(low)).to_le_bytes();
    let k = (selector & 3) as i32;
    let byte = |place: i32| -> u8 {
        let number = match mode {
            PrmtMode::Index => {
                let code = selector >> (4 * place) & 15;
                let byte = source[(code & 7) as usize];
                return match code & 8 {
                    0 => byte,
                    _ => (byte as i8 >> 7) as u8,
                };
            }
            PrmtMode::F4e => k + place,
            PrmtMode::B4e => k - place,
            PrmtMode::Rc8 => k,
            PrmtMode::Ecl => place.max(k),
            PrmtMode::Ecr => place.min(k),
            PrmtMode::Rc16 => (k & 1) * 2 + (place & 1),
            PrmtMode::Unknown(_) => place,
        };
        source[(number & 7) as usize]
    };
    u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
}
