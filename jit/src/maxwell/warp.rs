//! Communication between the lanes of a warp: shuffles, votes, barriers.

use cranelift_codegen::ir::InstBuilder;
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::table::{Fields, Shape};
use triglyph_guest::tegra::shader::isa::*;

use super::call::exchange_at;
use super::compute::{Join, Wait};
use super::control::nothing;
use super::{Done, LaneMask, LaneValue, Lanes, Loc, Lower};
use crate::lane::{I32x4, Mask};

impl Lower<'_, '_> {
    fn reg_or_number(&mut self, value: RegOrNumber) -> I32x4 {
        match value {
            RegOrNumber::Reg(reg) => self.reg_int(reg),
            RegOrNumber::Number(number) => self.e().i(number.into()),
        }
    }

    /// A register in all lanes, inactive ones included.
    fn reg_of_all(&mut self, reg: Reg) -> I32x4 {
        if reg.is_zero() { self.e().i(0) } else { self.int_of_all(Loc::Reg(reg.0)) }
    }

    /// The lane that each one reads, and whether it is in the segment.
    fn shuffled_lane(&mut self, i: &Shuffle, own: I32x4) -> (I32x4, Mask) {
        let (index, mask) = (self.reg_or_number(i.index), self.reg_or_number(i.mask));
        let e = self.e();
        let five = e.i(31);
        let index = e.iand(index, five);
        let clamp = e.iand(mask, five);
        let segment = e.ushr(mask, 8);
        let segment = e.iand(segment, five);
        let first = e.iand(own, segment);
        let last = I32x4(e.b.ins().band_not(clamp.0, segment.0));
        let last = e.ior(first, last);
        let lane = match i.mode {
            ShflMode::Index => {
                let inside = I32x4(e.b.ins().band_not(index.0, segment.0));
                e.ior(first, inside)
            }
            ShflMode::Up => e.isub(own, index),
            ShflMode::Down => e.iadd(own, index),
            ShflMode::Butterfly => e.ixor(own, index),
        };
        let beyond = if i.mode == ShflMode::Up { e.ilt(lane, last) } else { e.ilt(last, lane) };
        (lane, e.not(beyond))
    }
}

/// How a barrier reduces the predicates of its lanes, if it does.
fn joins(i: &Barrier) -> Option<Join> {
    match (i.op, i.reduction) {
        (BarOp::Reduce, BarReduction::PopCount | BarReduction::Unknown(_)) => Some(Join::Count),
        (BarOp::Reduce, BarReduction::And) => Some(Join::All),
        (BarOp::Reduce, BarReduction::Or) => Some(Join::Any),
        _ => None,
    }
}

impl Lower<'_, '_> {
    /// Whether some barrier of the program reduces predicates.
    fn reduces(&self) -> bool {
        self.code.words.iter().any(|&word| {
            let (op, form) = (decode(word), form(word));
            let fields = form.map(|form| Fields::new(word, &form.pattern));
            op == Some(Op::bar) && fields.is_some_and(|fields| joins(&Barrier::decode(fields)).is_some())
        })
    }

    /// Stores what the lanes wait for, for the kernel.
    fn note_wait(&mut self, i: &Barrier) {
        let number = self.reg_or_number(i.number);
        let holds = self.predicate_mask(i.pred);
        let e = self.e();
        let (low, pred, join) = (e.i(Wait::BARRIERS - 1), e.i(Wait::PRED), e.i(joins(i).map_or(0, |join| join as i32)));
        let number = e.iand(number, low);
        let pred = e.iand(I32x4(holds.0), pred);
        let wait = e.ior(number, pred);
        let wait = e.ior(wait, join);
        self.set(Loc::Wait, LaneValue::int(wait));
        let slots = [Loc::Wait, Loc::Reduced].map(|loc| self.file.shared_slot(loc));
        self.needs.waits = Some(slots);
    }
}

impl WarpVisitor for Lower<'_, '_> {
    type Output = Done;

    fn shfl(&mut self, i: Shuffle) -> Done {
        let value = if self.lanes == Lanes::WarpSlice { self.reg_int(i.a) } else { self.reg_of_all(i.a) };
        let own = self.special(SpecialRegister::LaneId)?;
        let (lane, inside) = self.shuffled_lane(&i, own);
        let (alone, part) = (self.lanes == Lanes::Alone, self.lanes == Lanes::WarpSlice);
        let e = self.e();
        // Lanes that do not exist read as 0.
        let mut found = e.i(0);
        if alone {
            let itself = e.ieq(lane, own);
            found = e.iselect(itself, value, found);
        } else if part {
            if !i.a.is_zero() {
                let (all, context) = (e.i(31), self.host.context());
                let e = self.host.e();
                let lane = e.iand(lane, all);
                let base = e.b.ins().iadd_imm_u(context, i64::from(exchange_at(0)));
                found = e.gather32_unclamped(base, lane);
            }
        } else {
            for n in 0..4u8 {
                let (number, scalar) = (e.i(n.into()), e.lane(value, n));
                let (here, all) = (e.ieq(lane, number), e.splat_i32(scalar));
                found = e.iselect(here, all, found);
            }
        }
        let result = self.e().iselect(inside, found, value);
        self.set_int(i.dst, result);
        self.set_predicate(i.pred, inside);
        Ok(())
    }

    fn vote(&mut self, i: Vote) -> Done {
        let when = self.predicate(i.source);
        let holds = self.mask_of(when);
        match self.lanes {
            Lanes::WarpSlice => {
                let (ballot, result) = self.voted(i.mode)?;
                self.set_int(i.dst, ballot);
                self.set_predicate(i.pred, result);
            }
            Lanes::Alone => {
                let e = self.e();
                let (all, one) = (e.i(-1), e.i(1));
                let result = if i.mode == VoteMode::Equal { Mask(all.0) } else { holds };
                let ballot = e.iand(I32x4(holds.0), one);
                self.set_int(i.dst, ballot);
                self.set_predicate(i.pred, result);
            }
            Lanes::Quad | Lanes::AloneInQuad => {
                let active = match self.active() {
                    Some(mask) => LaneMask::Lanes(mask),
                    None => LaneMask::All,
                };
                let active = self.mask_of(active);
                let e = self.e();
                let yes = e.and(holds, active);
                let no = e.and_not(active, holds);
                // All ones if the mask is empty.
                let none = |e: &mut crate::lane::Emit<'_>, mask: Mask| {
                    let bits = e.mask_bits(mask);
                    let zero = e.i(0);
                    let bits = e.splat_i32(bits);
                    e.ieq(bits, zero)
                };
                let (no_yes, no_no) = (none(e, yes), none(e, no));
                let result = match i.mode {
                    VoteMode::All | VoteMode::Unknown(_) => no_no,
                    VoteMode::Any => e.not(no_yes),
                    VoteMode::Equal => e.or(no_yes, no_no),
                };
                let bits = e.mask_bits(yes);
                let ballot = e.splat_i32(bits);
                self.set_int(i.dst, ballot);
                self.set_predicate(i.pred, result);
            }
        }
        Ok(())
    }

    fn vote_vtg(&mut self, _: VoteVtg) -> Done {
        Ok(())
    }

    fn bar(&mut self, i: Barrier) -> Done {
        match (self.lanes, i.op) {
            (_, BarOp::Arrive) => Ok(()),
            // A warp of one lane is a whole block: it never waits.
            (Lanes::Alone | Lanes::AloneInQuad, _) => {
                if joins(&i).is_some() {
                    let holds = self.predicate_mask(i.pred);
                    let one = self.e().i(1);
                    let joined = self.e().iand(I32x4(holds.0), one);
                    self.set(Loc::Reduced, LaneValue::int(joined));
                }
                Ok(())
            }
            (Lanes::WarpSlice, _) => {
                if self.reduces() {
                    self.note_wait(&i);
                }
                self.wait();
                Ok(())
            }
            (Lanes::Quad, _) => Err(Unsupported("a barrier of pixels")),
        }
    }

    fn b2r(&mut self, i: BarrierToReg) -> Done {
        let value = match i.mode {
            B2rMode::Result if self.lanes == Lanes::Quad => self.e().i(0),
            B2rMode::Result => self.int(Loc::Reduced),
            _ => self.e().i(0),
        };
        let e = self.e();
        let zero = e.i(0);
        let none = e.ieq(value, zero);
        let some = e.not(none);
        self.set_int(i.dst, value);
        self.set_predicate(i.pred, some);
        Ok(())
    }

    nothing! {
        r2b: RegToBarrier;
        depbar: DependencyBarrier;
        nop: Nothing;
    }

    fn lepc(&mut self, i: ProgramCounter) -> Done {
        let address = self.at as i32;
        let address = self.e().i(address);
        self.set_int(i.dst, address);
        Ok(())
    }
}
