//! Control flow as far as it is not the blocks': conditions of branches, KIL.

use cranelift_codegen::ir::InstBuilder;
use triglyph_guest::kernel::Refused;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::table::{Fields, Shape, flags};
use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::CcTest;

use super::{Done, Lanes, Loc, Lower, Number, When};
use crate::lane::I32x4;

impl Lower<'_, '_> {
    /// The lanes for which guard and test of a branch hold.
    pub(super) fn branch_condition(&mut self, address: u32, word: u64) -> When {
        self.at = address;
        self.gate = None;
        let Some(form) = form(word) else { return When::Never };
        let leave = Leave::decode(Fields::new(word, &form.pattern));
        let test = if form.has(flags::BRANCH | flags::ENDS) { leave.test } else { CcTest::True };
        let guard = self.predicate(leave.guard.0);
        let test = self.condition_test(test).unwrap_or(When::Never);
        match (guard, test) {
            (When::Never, _) | (_, When::Never) => When::Never,
            (When::Always, other) | (other, When::Always) => other,
            (When::Lanes(a), When::Lanes(b)) => When::Lanes(self.e().and(a, b)),
        }
    }

    /// Where BRX goes in each lane.
    pub(super) fn branch_address(&mut self, address: u32, word: u64) -> I32x4 {
        let Some((op, form)) = decode(word).zip(form(word)) else { return self.e().i(-1) };
        let fields = Fields::new(word, &form.pattern);
        let (a, base) = if op == Op::jmx {
            let jump = JumpIndexed::decode(fields);
            let AbsoluteTarget::Address(base) = jump.target else { return self.e().i(-1) };
            (jump.a, base)
        } else {
            let branch = BranchIndexed::decode(fields);
            let Target::Relative(distance) = branch.target else { return self.e().i(-1) };
            (branch.a, address.wrapping_add(8).wrapping_add(distance as u32))
        };
        let index = self.reg_int(a);
        let e = self.e();
        let base = e.i(base as i32);
        e.iadd(index, base)
    }
}

fn absolute(target: AbsoluteTarget) -> Done {
    match target {
        AbsoluteTarget::Address(_) => Ok(()),
        AbsoluteTarget::Constant(_) => Err(Refused("a branch to a constant")),
    }
}

/// Instructions whose effect is in the blocks' edges, or that have none.
macro_rules! nothing {
    ($($name:ident: $Shape:ty;)+) => { $(
        fn $name(&mut self, _: $Shape) -> Done {
            Ok(())
        }
    )+ };
}

impl ControlVisitor for Lower<'_, '_> {
    type Output = Done;

    nothing! {
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

    fn bra(&mut self, i: Branch) -> Done {
        match i.target {
            Target::Relative(_) => Ok(()),
            Target::Constant(_) => Err(Refused("a branch to a constant")),
        }
    }

    fn brx(&mut self, i: BranchIndexed) -> Done {
        match i.target {
            Target::Relative(_) => Ok(()),
            Target::Constant(_) => Err(Refused("a branch to a constant")),
        }
    }

    fn jmp(&mut self, i: Jump) -> Done {
        absolute(i.target)
    }

    fn jmx(&mut self, i: JumpIndexed) -> Done {
        absolute(i.target)
    }

    fn jcal(&mut self, i: JumpCall) -> Done {
        absolute(i.target)
    }

    fn sam(&mut self, _: Plain) -> Done {
        Ok(())
    }

    fn ram(&mut self, _: Plain) -> Done {
        Ok(())
    }

    fn kil(&mut self, i: Leave) -> Done {
        if !self.kills || self.lanes != Lanes::Quad {
            return Ok(());
        }
        let active = self.active();
        let lanes = match (self.condition_test(i.test)?, active) {
            (When::Never, _) => return Ok(()),
            (When::Always, None) => When::Always,
            (When::Always, Some(lanes)) => When::Lanes(lanes),
            (When::Lanes(test), None) => When::Lanes(test),
            (When::Lanes(test), Some(lanes)) => When::Lanes(self.e().and(test, lanes)),
        };
        self.needs.kills = true;
        let lanes = self.when_mask(lanes);
        let before = self.mask(Loc::Helper);
        let helpers = self.e().or(before, lanes);
        self.put(Loc::Helper, Number::int(I32x4(helpers.0)));
        if let Some(end) = self.host.all_helpers() {
            let e = self.e();
            let all = e.b.ins().vall_true(helpers.0);
            let on = e.block(&[]);
            e.branch(all, (end, &[]), (on, &[]));
            e.switch_to(on);
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
