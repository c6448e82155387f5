//! Control flow.

use triglyph_guest::tegra::shader::isa::{self, *};
use triglyph_guest::tegra::shader::modifiers::CcTest;
use triglyph_guest::tegra::shader::program::{Token, settle, target};

use crate::maxwell::program::{Decoder, Flow, Op, Target};

impl Decoder<'_> {
    /// A target by distance or constant.
    fn near(&self, source: isa::Target) -> Target {
        match source {
            isa::Target::Relative(distance) => Target::Fixed(self.number(target(self.address, distance))),
            isa::Target::Constant(constant) => self.far(None, Some(constant)),
        }
    }

    /// A target that counts from the next word.
    fn far(&self, register: Option<Reg>, constant: Option<Constant>) -> Target {
        Target::Computed { base: self.address + 8, register, constant }
    }

    /// A target that counts from the start of the code.
    fn absolute(&self, source: AbsoluteTarget, register: Option<Reg>) -> Target {
        match source {
            AbsoluteTarget::Address(address) if register.is_none() => Target::Fixed(self.number(settle(address))),
            AbsoluteTarget::Address(base) => Target::Computed { base, register, constant: None },
            AbsoluteTarget::Constant(constant) => Target::Computed { base: 0, register, constant: Some(constant) },
        }
    }

    fn push(&self, i: PushTarget, token: Token) -> Op {
        self.flow(i.guard, CcTest::True, Flow::Push(token, self.near(i.target)))
    }

    fn pop(&self, i: Leave, token: Token) -> Op {
        self.flow(i.guard, i.test, Flow::Pop(token))
    }
}

impl ControlVisitor for Decoder<'_> {
    type Output = Op;

    nothing! {
        rtt: TrapReturn;
        ide: InterruptEnable;
        bpt: Breakpoint;
        setcrsptr: WritePointer;
        setlmembase: WritePointer;
    }

    fn bra(&mut self, i: Branch) -> Op {
        self.flow(i.guard, i.test, Flow::Branch(self.near(i.target)))
    }

    fn brx(&mut self, i: BranchIndexed) -> Op {
        let target = match i.target {
            isa::Target::Constant(constant) => self.far(Some(i.a), Some(constant)),
            isa::Target::Relative(distance) => Target::Computed {
                base: (self.address + 8).wrapping_add(distance as u32),
                register: Some(i.a),
                constant: None,
            },
        };
        self.flow(i.guard, i.test, Flow::Branch(target))
    }

    fn jmp(&mut self, i: Jump) -> Op {
        self.flow(i.guard, i.test, Flow::Branch(self.absolute(i.target, None)))
    }

    fn jmx(&mut self, i: JumpIndexed) -> Op {
        self.flow(i.guard, i.test, Flow::Branch(self.absolute(i.target, Some(i.a))))
    }

    fn cal(&mut self, i: PushTarget) -> Op {
        self.flow(i.guard, CcTest::True, Flow::Call(self.near(i.target)))
    }

    fn jcal(&mut self, i: JumpCall) -> Op {
        self.flow(i.guard, CcTest::True, Flow::Call(self.absolute(i.target, None)))
    }

    fn ssy(&mut self, i: PushTarget) -> Op {
        self.push(i, Token::Sync)
    }

    fn pbk(&mut self, i: PushTarget) -> Op {
        self.push(i, Token::Break)
    }

    fn pcnt(&mut self, i: PushTarget) -> Op {
        self.push(i, Token::Continue)
    }

    fn pret(&mut self, i: PushTarget) -> Op {
        self.push(i, Token::Return)
    }

    fn plongjmp(&mut self, i: PushTarget) -> Op {
        self.push(i, Token::LongJump)
    }

    fn pexit(&mut self, i: PushTarget) -> Op {
        self.push(i, Token::Exit)
    }

    fn sync(&mut self, i: Leave) -> Op {
        self.pop(i, Token::Sync)
    }

    fn brk(&mut self, i: Leave) -> Op {
        self.pop(i, Token::Break)
    }

    fn cont(&mut self, i: Leave) -> Op {
        self.pop(i, Token::Continue)
    }

    fn ret(&mut self, i: Leave) -> Op {
        self.pop(i, Token::Return)
    }

    fn longjmp(&mut self, i: Leave) -> Op {
        self.pop(i, Token::LongJump)
    }

    fn exit(&mut self, i: Leave) -> Op {
        self.flow(i.guard, i.test, Flow::Exit)
    }

    fn kil(&mut self, i: Leave) -> Op {
        self.flow(i.guard, i.test, Flow::Kill)
    }

    fn sam(&mut self, i: Plain) -> Op {
        self.flow(i.guard, CcTest::True, Flow::BringQuad)
    }

    fn ram(&mut self, i: Plain) -> Op {
        self.flow(i.guard, CcTest::True, Flow::LeaveQuad)
    }

    fn getcrsptr(&mut self, i: ReadPointer) -> Op {
        self.lane(i.guard, move |lane, _| lane.write(i.dst, 0))
    }

    fn getlmembase(&mut self, i: ReadPointer) -> Op {
        self.getcrsptr(i)
    }
}
