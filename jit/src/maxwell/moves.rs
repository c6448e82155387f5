//! Moves, predicates, the condition code, special registers.

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::types::I8X16;
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::{CcTest, PrmtMode};

use super::libcalls::Libcall;
use super::{Context, Done, LaneMask, LaneValue, Lanes, Loc, Lower};
use crate::lane::{I32x4, Mask};

impl Lower<'_, '_> {
    /// A test of the condition code.
    pub(super) fn condition_test(&mut self, test: CcTest) -> Result<LaneMask, Unsupported> {
        use CcTest as T;
        let mut flag = |n: u8| self.mask(Loc::Cc(n));
        // Ordered by the flags that they need.
        let mask = match test {
            T::True => return Ok(LaneMask::All),
            T::Unknown(_) | T::False | T::CsmTa | T::CsmTr | T::CsmMx | T::FcsmTa | T::FcsmTr | T::FcsmMx => {
                return Ok(LaneMask::Empty);
            }
            T::NotEqual => (flag(0), true),
            T::EqualU => (flag(0), false),
            T::NoSign => (flag(1), true),
            T::Sign => (flag(1), false),
            T::Lower => (flag(2), true),
            T::HigherOrSame => (flag(2), false),
            T::NoOverflow => (flag(3), true),
            T::Overflow => (flag(3), false),
            _ => return self.compound_test(test),
        };
        Ok(LaneMask::Lanes(if mask.1 { self.e().not(mask.0) } else { mask.0 }))
    }

    fn compound_test(&mut self, test: CcTest) -> Result<LaneMask, Unsupported> {
        use CcTest as T;
        let [z, s, c, o] = [0, 1, 2, 3].map(|n| match (n, test) {
            (2, T::LowerOrSame | T::Higher) | (0 | 1, _) => self.mask(Loc::Cc(n)),
            (2, _) => Mask(self.e().i(0).0),
            (_, T::Equal | T::Num | T::Nan | T::NotEqualU | T::Rle | T::Rgt | T::LowerOrSame | T::Higher) => {
                Mask(self.e().i(0).0)
            }
            _ => self.mask(Loc::Cc(n)),
        });
        let e = self.e();
        let (not_z, not_s, not_c) = (e.not(z), e.not(s), e.not(c));
        let xor = |e: &mut crate::lane::Emit<'_>, a: Mask, b: Mask| Mask(e.ixor(I32x4(a.0), I32x4(b.0)).0);
        Ok(LaneMask::Lanes(match test {
            T::Less => {
                let a = e.and(s, not_z);
                xor(e, a, o)
            }
            T::Equal => e.and(not_s, z),
            T::LessOrEqual => {
                let a = e.or(z, o);
                xor(e, s, a)
            }
            T::Greater => {
                let a = xor(e, not_s, o);
                e.and(a, not_z)
            }
            T::GreaterOrEqual => {
                let a = xor(e, s, o);
                e.not(a)
            }
            T::Num => e.or(not_s, not_z),
            T::Nan => e.and(s, z),
            T::LessU => xor(e, s, o),
            T::LessOrEqualU => {
                let a = xor(e, s, o);
                e.or(a, z)
            }
            T::GreaterU => {
                let a = e.or(z, o);
                xor(e, not_s, a)
            }
            T::NotEqualU => e.or(s, not_z),
            T::GreaterOrEqualU => {
                let a = e.or(not_s, z);
                xor(e, a, o)
            }
            T::LowerOrSame => e.or(z, not_c),
            T::Higher => e.and(c, not_z),
            T::Rle => e.or(s, z),
            T::Rgt => e.and(not_s, not_z),
            _ => return Ok(LaneMask::Empty),
        }))
    }

    /// Indices of the four lanes in a quad.
    fn in_quad(&self) -> [i32; 4] {
        match self.lanes {
            Lanes::Alone => [0; 4],
            Lanes::Quad | Lanes::WarpSlice | Lanes::AloneInQuad => [0, 1, 2, 3],
        }
    }

    /// `(a op1 b) op2 c`, and with the inverse of the inner result.
    fn three_predicates(
        &mut self,
        [a, b, c]: [PredSource; 3],
        op1: triglyph_guest::tegra::shader::modifiers::BoolOp,
        op2: triglyph_guest::tegra::shader::modifiers::BoolOp,
    ) -> [Mask; 2] {
        let a = self.predicate_mask(a);
        let not = self.e().not(a);
        let when = self.predicate(c);
        [a, not].map(|a| {
            let inner = self.join(op1, a, b);
            self.join_when(op2, inner, when)
        })
    }

    pub(super) fn special(&mut self, source: SpecialRegister) -> Result<I32x4, Unsupported> {
        use SpecialRegister as S;
        if let Some(value) = self.host.special(source) {
            return Ok(value);
        }
        let masks = |f: fn(u32) -> u32| self.in_quad().map(|lane| f(1 << lane) as i32);
        let lanes = match source {
            S::LaneId => self.in_quad(),
            S::EqMask => masks(|bit| bit),
            S::LtMask => masks(|bit| bit - 1),
            S::LeMask => masks(|bit| bit | (bit - 1)),
            S::GtMask => masks(|bit| !(bit | (bit - 1))),
            S::GeMask => masks(|bit| !(bit - 1)),
            S::WScaleFactorXy | S::WScaleFactorZ => [1f32.to_bits() as i32; 4],
            S::YDirection => {
                let context = self.host.context();
                return Ok(self.e().load_splat_i32(context, std::mem::offset_of!(Context, y_direction) as i32));
            }
            S::Clock | S::ClockLo | S::GlobalTimerLo => return Ok(self.clock()[0]),
            S::ClockHi | S::GlobalTimerHi => return Ok(self.clock()[1]),
            S::ThreadKill if self.lanes == Lanes::Quad => return Ok(self.int(Loc::Helper)),
            _ => [0; 4],
        };
        Ok(self.e().ints(lanes))
    }

    /// The environment's clock and the instructions that were executed since: lower word, upper word.
    fn clock(&mut self) -> [I32x4; 2] {
        let executed = self.executed();
        let context = self.host.context();
        let at = std::mem::offset_of!(Context, clock) as i32;
        let e = self.e();
        let [low, high] = [at, at + 4].map(|at| e.load_splat_i32(context, at));
        let sum = e.iadd(low, executed);
        // Fuel never reaches the sign, so that a carry is where the sum loses it.
        let changed = e.ixor(low, sum);
        let lost = e.iand(changed, low);
        let carry = e.ushr(lost, 31);
        [sum, e.iadd(high, carry)]
    }

    /// Bits 0.. of predicates or of the condition code.
    fn flag_bits(&mut self, condition: bool, wanted: u32) -> I32x4 {
        let count = if condition { 4 } else { 7 };
        let mut bits = self.e().i(0);
        for n in (0..count).filter(|n| wanted >> n & 1 != 0) {
            let mask = self.mask(if condition { Loc::Cc(n) } else { Loc::Pred(n) });
            let e = self.e();
            let bit = e.i(1 << n);
            let bit = e.iand(I32x4(mask.0), bit);
            bits = e.ior(bits, bit);
        }
        bits
    }
}

impl MoveVisitor for Lower<'_, '_> {
    type Output = Done;

    fn mov(&mut self, i: Mov) -> Done {
        let lanes = self.in_quad().map(|lane| if i.quad_mask >> lane & 1 != 0 { -1 } else { 0 });
        if i.dst.is_zero() || lanes == [0; 4] {
            return Ok(());
        }
        let value = self.operand(i.b);
        if lanes == [-1; 4] {
            self.set_reg(i.dst, value);
            return Ok(());
        }
        let (new, old) = (self.value_int(value), self.reg_int(i.dst));
        let e = self.e();
        let lanes = Mask(e.ints(lanes).0);
        let value = e.iselect(lanes, new, old);
        self.set_int(i.dst, value);
        Ok(())
    }

    fn sel(&mut self, i: Sel) -> Done {
        let value = match self.predicate(i.pred) {
            LaneMask::All => self.reg(i.a),
            LaneMask::Empty => self.operand(i.b),
            LaneMask::Lanes(mask) => {
                let (a, b) = (self.reg(i.a), self.operand(i.b));
                self.merge(mask, a, b)
            }
        };
        self.set_reg(i.dst, value);
        Ok(())
    }

    fn p2r(&mut self, i: PredToReg) -> Done {
        let shift = 8 * u32::from(i.byte & 3);
        let (a, mask) = (self.reg_int(i.a), self.operand_int(i.b));
        let wanted = Self::known(i.b).unwrap_or(0x7F);
        let bits = self.flag_bits(i.cc_source, wanted);
        let e = self.e();
        let low = e.i(0xFF);
        let mask = e.iand(mask, low);
        let bits = e.iand(bits, mask);
        let (mask, bits) = (e.ishl(mask, shift), e.ishl(bits, shift));
        let kept = I32x4(e.b.ins().band_not(a.0, mask.0));
        let value = e.ior(kept, bits);
        self.set_int(i.dst, value);
        Ok(())
    }

    fn r2p(&mut self, i: RegToPred) -> Done {
        let (a, b) = (self.reg_int(i.a), self.operand_int(i.b));
        let shift = 8 * u32::from(i.byte & 3);
        let known = Self::known(i.b);
        for n in 0..if i.cc_target { 4u8 } else { 7 } {
            if known.is_some_and(|bits| bits >> n & 1 == 0) {
                continue;
            }
            let loc = if i.cc_target { Loc::Cc(n) } else { Loc::Pred(n) };
            let e = self.e();
            let bit = e.ishl(a, 31 - shift - u32::from(n));
            let mut value = e.ishr(bit, 31);
            if known.is_none() {
                let wanted = e.ishl(b, 31 - u32::from(n));
                let wanted = Mask(e.ishr(wanted, 31).0);
                let old = self.int(loc);
                value = self.e().iselect(wanted, value, old);
            }
            self.set(loc, LaneValue::int(value));
        }
        Ok(())
    }

    fn prmt(&mut self, i: Permute) -> Done {
        let (a, b, c) = (self.reg_int(i.a), self.operand_int(i.b), self.operand_int(i.c));
        if let (Some(selector), PrmtMode::Index) = (Self::known(i.b), i.mode) {
            let place = |byte: u32| selector >> (4 * byte) & 15;
            let order: [u8; 16] = std::array::from_fn(|at| {
                let (lane, n) = (at as u32 / 4, place(at as u32 % 4));
                (4 * lane + (n & 3) + if n & 4 != 0 { 16 } else { 0 }) as u8
            });
            let e = self.e();
            let mut value = I32x4(e.shuffle(a.0, c.0, order));
            let signs = (0..4).fold(0u32, |signs, byte| signs | ((place(byte) >> 3) * 0xFF) << (8 * byte));
            if signs != 0 {
                let bytes = e.cast(value.0, I8X16);
                let zero = e.bytes([0; 16]);
                let negative = e.b.ins().icmp(cranelift_codegen::ir::condcodes::IntCC::SignedGreaterThan, zero, bytes);
                let negative = I32x4(e.cast(negative, cranelift_codegen::ir::types::I32X4));
                let which = Mask(e.i(signs as i32).0);
                value = e.iselect(which, negative, value);
            }
            self.set_int(i.dst, value);
            return Ok(());
        }
        if let PrmtMode::Unknown(_) = i.mode {
            self.set_int(i.dst, a);
            return Ok(());
        }
        let [value] = self.libcall(Libcall::Permute, i.mode.bits().into(), &[a, b, c]);
        self.set_int(i.dst, value);
        Ok(())
    }

    fn pset(&mut self, i: PredSet) -> Done {
        let [mask, _] = self.three_predicates([i.a, i.b, i.c], i.op1, i.op2);
        self.set_truth(i.dst, mask, i.bf, i.cc);
        Ok(())
    }

    fn psetp(&mut self, i: PredSetPred) -> Done {
        let [yes, no] = self.three_predicates([i.a, i.b, i.c], i.op1, i.op2);
        self.set_predicate(i.dst, yes);
        self.set_predicate(i.dst_not, no);
        Ok(())
    }

    fn cset(&mut self, i: CcSet) -> Done {
        let when = self.condition_test(i.test)?;
        let mask = self.mask_of(when);
        let mask = self.join(i.bop, mask, i.pred);
        self.set_truth(i.dst, mask, i.bf, i.cc);
        Ok(())
    }

    fn csetp(&mut self, i: CcSetPred) -> Done {
        let when = self.condition_test(i.test)?;
        let mask = self.mask_of(when);
        self.set_predicates((i.dst, i.dst_not), mask, i.bop, i.pred)
    }

    fn s2r(&mut self, i: ReadSpecial) -> Done {
        let value = self.special(i.source)?;
        self.set_int(i.dst, value);
        Ok(())
    }

    fn cs2r(&mut self, i: ReadSpecial) -> Done {
        self.s2r(i)
    }
}
