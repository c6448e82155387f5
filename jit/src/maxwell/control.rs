//! Control flow instructions: conditions of branches, KIL.

use cranelift_codegen::ir::InstBuilder;
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::table::{Fields, Shape, flags};
use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::CcTest;

use super::{Done, LaneMask, LaneValue, Lanes, Loc, Lower};
use crate::lane::I32x4;

impl Lower<'_, '_> {
    /// The lanes for which guard and test of a branch hold.
    pub(super) fn branch_condition(&mut self, address: u32, word: u64) -> LaneMask {
        self.at = address;
        self.guard = None;
        let Some(form) = form(word) else { return LaneMask::Empty };
        let leave = Leave::decode(Fields::new(word, &form.pattern));
        let test = if form.has(flags::BRANCH | flags::ENDS) { leave.test } else { CcTest::True };
        let guard = self.predicate(leave.guard.0);
        let test = self.condition_test(test).unwrap_or(LaneMask::Empty);
        match (guard, test) {
            (LaneMask::Empty, _) | (_, LaneMask::Empty) => LaneMask::Empty,
            (LaneMask::All, other) | (other, LaneMask::All) => other,
            (LaneMask::Lanes(a), LaneMask::Lanes(b)) => LaneMask::Lanes(self.e().and(a, b)),
        }
    }

    /// The target of a computed branch, for each lane.
    pub(super) fn branch_address(&mut self, address: u32, word: u64) -> I32x4 {
        let Some((op, form)) = decode(word).zip(form(word)) else { return self.e().i(-1) };
        let fields = Fields::new(word, &form.pattern);
        let next = address.wrapping_add(8);
        let near = |target| match target {
            Target::Relative(distance) => (next.wrapping_add(distance as u32), None),
            Target::Constant(constant) => (next, Some(constant)),
        };
        let far = |target| match target {
            AbsoluteTarget::Address(base) => (base, None),
            AbsoluteTarget::Constant(constant) => (0, Some(constant)),
        };
        let ((base, constant), register) = match op {
            Op::bra => (near(Branch::decode(fields).target), Reg::RZ),
            Op::brx => (near(BranchIndexed::decode(fields).target), BranchIndexed::decode(fields).a),
            Op::jmp => (far(Jump::decode(fields).target), Reg::RZ),
            Op::jmx => (far(JumpIndexed::decode(fields).target), JumpIndexed::decode(fields).a),
            _ => return self.e().i(-1),
        };
        let mut to = self.reg_int(register);
        if let Some(constant) = constant {
            let number = self.constant(constant);
            let value = self.value_int(number);
            to = self.e().iadd(to, value);
        }
        let base = self.e().i(base as i32);
        self.e().iadd(to, base)
    }
}

/// Instructions that the graph's edges already express, or that have no effect.
macro_rules! nothing {
    ($($name:ident: $Shape:ty;)+) => { $(
        fn $name(&mut self, _: $Shape) -> Done {
            Ok(())
        }
    )+ };
}
pub(super) use nothing;

impl ControlVisitor for Lower<'_, '_> {
    type Output = Done;

    nothing! {
        bra: Branch;
        brx: BranchIndexed;
        jmp: Jump;
        jmx: JumpIndexed;
        jcal: JumpCall;
        cal: PushTarget;
        ssy: PushTarget;
        pbk: PushTarget;
        pcnt: PushTarget;
        pret: PushTarget;
        plongjmp: PushTarget;
        pexit: PushTarget;
        sync: Leave;
        brk: Leave;
        cont: Leave;
        ret: Leave;
        longjmp: Leave;
        exit: Leave;
        rtt: TrapReturn;
        ide: InterruptEnable;
        bpt: Breakpoint;
        setcrsptr: WritePointer;
        setlmembase: WritePointer;
    }

    fn sam(&mut self, _: Plain) -> Done {
        if !self.lanes.are_warp() || self.guard.is_some() || self.brought.is_some() {
            return Err(Unsupported("lanes that are brought in by a guarded instruction, or in other quads"));
        }
        self.bring();
        Ok(())
    }

    fn ram(&mut self, _: Plain) -> Done {
        if self.guard.is_some() {
            return Err(Unsupported("lanes that go back under a guard"));
        }
        self.leave_brought();
        Ok(())
    }

    fn kil(&mut self, i: Leave) -> Done {
        if !self.kills || self.lanes != Lanes::Quad {
            return Ok(());
        }
        if self.brought.is_some() {
            return Err(Unsupported("KIL of lanes that are brought in"));
        }
        let active = self.active();
        let lanes = match (self.condition_test(i.test)?, active) {
            (LaneMask::Empty, _) => return Ok(()),
            (LaneMask::All, None) => LaneMask::All,
            (LaneMask::All, Some(lanes)) => LaneMask::Lanes(lanes),
            (LaneMask::Lanes(test), None) => LaneMask::Lanes(test),
            (LaneMask::Lanes(test), Some(lanes)) => LaneMask::Lanes(self.e().and(test, lanes)),
        };
        self.needs.kills = true;
        let lanes = self.mask_of(lanes);
        let before = self.mask(Loc::Helper);
        let helpers = self.e().or(before, lanes);
        self.put(Loc::Helper, LaneValue::int(I32x4(helpers.0)));
        if let Some(next) = self.host.all_helpers() {
            let all = self.e().b.ins().vall_true(helpers.0);
            self.end_if_helpers(all, next);
        }
        Ok(())
    }

    fn getcrsptr(&mut self, i: ReadPointer) -> Done {
        let zero = self.e().i(0);
        self.set_int(i.dst, zero);
        Ok(())
    }

    fn getlmembase(&mut self, i: ReadPointer) -> Done {
        self.getcrsptr(i)
    }
}
