//! Programs taken apart: one [`Instruction`] for each word, operands with their descriptors.

use triglyph_guest::kernel::vertex::PicaProgram;
use triglyph_guest::pica::isa::{
    self, Arith1, Arith2, Arith3, Branch, Compare, Descriptor, Dst, Flow0, MovA, SetEmit, Src, Uniform, Visitor,
};

use crate::flow::{Flow, Test};

/// The kind of unit that executes a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// 512 words of code; EMIT and SETEMIT do nothing.
    Vertex,
    /// 4096 words of code.
    Geometry,
}

/// A source with its swizzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operand {
    pub register: Src,
    /// Component of the register for each component of the source.
    pub select: [u8; 4],
    /// Whether the sign is flipped after the swizzle.
    pub negate: bool,
}

/// What an arithmetic instruction computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alu {
    Add,
    Dp3,
    Dp4,
    Dph,
    Dst,
    Ex2,
    Lg2,
    Litp,
    Mul,
    Sge,
    Slt,
    Flr,
    Max,
    Min,
    Rcp,
    Rsq,
    Mov,
    Mad,
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instruction {
    /// `target = op(sources)`; sources that `op` has not are repetitions of the first.
    Arithmetic { op: Alu, sources: [Operand; 3], target: Dst, mask: [bool; 4] },
    /// Writes a0.x and a0.y.
    Address { source: Operand, mask: [bool; 2] },
    /// Writes cmp.x and cmp.y with the comparisons of these numbers.
    Compare { sources: [Operand; 2], comparisons: [u8; 2] },
    /// Hands the outputs out and exchanges their banks.
    Emit,
    /// Says what the next EMITs do.
    SetEmit(SetEmit),
    /// Control flow, or nothing at all.
    Flow(Flow),
}

/// A program's instructions.
#[derive(Debug)]
pub(crate) struct Code {
    instructions: Vec<Instruction>,
    /// Words of code memory.
    words: u16,
    /// What stands in code memory behind them: zero words.
    rest: Instruction,
}

impl Code {
    /// The instructions of a program whose boolean uniforms are `bools`.
    pub fn new(program: &PicaProgram, unit: Unit, bools: u16) -> Code {
        let mut decoder = Decoder { program, unit, bools };
        let words = match unit {
            Unit::Vertex => 512,
            Unit::Geometry => 4096,
        };
        // Unknown words do nothing.
        let mut decode = |word| isa::visit(word, &mut decoder).unwrap_or(Instruction::Flow(Flow::Next));
        Code {
            instructions: program.code.iter().take(words.into()).map(|&word| decode(word)).collect(),
            words,
            rest: decode(0),
        }
    }

    /// The instruction at `pc`; `None` beyond code memory.
    pub(super) fn get(&self, pc: u16) -> Option<&Instruction> {
        (pc < self.words).then(|| self.instructions.get(usize::from(pc)).unwrap_or(&self.rest))
    }

    /// What the instruction at `pc` does to control flow.
    pub fn flow(&self, pc: u16) -> Option<Flow> {
        self.get(pc).map(|instruction| match instruction {
            Instruction::Flow(flow) => *flow,
            _ => Flow::Next,
        })
    }
}

struct Decoder<'a> {
    program: &'a PicaProgram,
    unit: Unit,
    bools: u16,
}

impl Decoder<'_> {
    fn descriptor(&self, number: u8) -> Descriptor {
        Descriptor(self.program.descriptors.get(usize::from(number)).copied().unwrap_or(0))
    }

    /// Source `number`, 1 to 3, of an instruction.
    fn operand(&self, descriptor: u8, number: usize, register: Src) -> Operand {
        let descriptor = self.descriptor(descriptor);
        let select = [0, 1, 2, 3].map(|component| descriptor.select(number, component));
        Operand { register, select, negate: descriptor.negate(number) }
    }

    fn arithmetic(&self, op: Alu, descriptor: u8, registers: &[Src], target: Dst) -> Instruction {
        let operand = |n: usize| self.operand(descriptor, n + 1, registers[n]);
        let sources = [0, 1, 2].map(|n| operand(if n < registers.len() { n } else { 0 }));
        Instruction::Arithmetic { op, sources, target, mask: self.descriptor(descriptor).mask() }
    }

    fn one(&self, op: Alu, i: Arith1) -> Instruction {
        self.arithmetic(op, i.desc, &[i.src1], i.dst)
    }

    fn two(&self, op: Alu, i: Arith2) -> Instruction {
        self.arithmetic(op, i.desc, &[i.src1, i.src2], i.dst)
    }

    fn three(&self, op: Alu, i: Arith3) -> Instruction {
        self.arithmetic(op, i.desc, &[i.src1, i.src2, i.src3], i.dst)
    }

    fn boolean(&self, id: u8) -> bool {
        self.bools >> (id & 15) & 1 != 0
    }
}

fn call(test: Test, target: u16, count: u8) -> Instruction {
    Instruction::Flow(Flow::Call { test, target, end: target + u16::from(count) })
}

fn branch(test: Test, else_at: u16, count: u8) -> Instruction {
    Instruction::Flow(Flow::If { test, else_at, end: else_at + u16::from(count) })
}

impl Visitor for Decoder<'_> {
    type Output = Instruction;

    fn add(&mut self, i: Arith2) -> Instruction {
        self.two(Alu::Add, i)
    }
    fn dp3(&mut self, i: Arith2) -> Instruction {
        self.two(Alu::Dp3, i)
    }
    fn dp4(&mut self, i: Arith2) -> Instruction {
        self.two(Alu::Dp4, i)
    }
    fn dph(&mut self, i: Arith2) -> Instruction {
        self.two(Alu::Dph, i)
    }
    fn dst(&mut self, i: Arith2) -> Instruction {
        self.two(Alu::Dst, i)
    }
    fn ex2(&mut self, i: Arith1) -> Instruction {
        self.one(Alu::Ex2, i)
    }
    fn lg2(&mut self, i: Arith1) -> Instruction {
        self.one(Alu::Lg2, i)
    }
    fn litp(&mut self, i: Arith1) -> Instruction {
        self.one(Alu::Litp, i)
    }
    fn mul(&mut self, i: Arith2) -> Instruction {
        self.two(Alu::Mul, i)
    }
    fn sge(&mut self, i: Arith2) -> Instruction {
        self.two(Alu::Sge, i)
    }
    fn slt(&mut self, i: Arith2) -> Instruction {
        self.two(Alu::Slt, i)
    }
    fn flr(&mut self, i: Arith1) -> Instruction {
        self.one(Alu::Flr, i)
    }
    fn max(&mut self, i: Arith2) -> Instruction {
        self.two(Alu::Max, i)
    }
    fn min(&mut self, i: Arith2) -> Instruction {
        self.two(Alu::Min, i)
    }
    fn rcp(&mut self, i: Arith1) -> Instruction {
        self.one(Alu::Rcp, i)
    }
    fn rsq(&mut self, i: Arith1) -> Instruction {
        self.one(Alu::Rsq, i)
    }
    fn mova(&mut self, i: MovA) -> Instruction {
        let [x, y, _, _] = self.descriptor(i.desc).mask();
        Instruction::Address { source: self.operand(i.desc, 1, i.src1), mask: [x, y] }
    }
    fn mov(&mut self, i: Arith1) -> Instruction {
        self.one(Alu::Mov, i)
    }
    fn dphi(&mut self, i: Arith2) -> Instruction {
        self.two(Alu::Dph, i)
    }
    fn dsti(&mut self, i: Arith2) -> Instruction {
        self.two(Alu::Dst, i)
    }
    fn sgei(&mut self, i: Arith2) -> Instruction {
        self.two(Alu::Sge, i)
    }
    fn slti(&mut self, i: Arith2) -> Instruction {
        self.two(Alu::Slt, i)
    }
    fn break_(&mut self, _: Flow0) -> Instruction {
        Instruction::Flow(Flow::Break { test: Test::Known(true) })
    }
    fn nop(&mut self, _: Flow0) -> Instruction {
        Instruction::Flow(Flow::Next)
    }
    fn end(&mut self, _: Flow0) -> Instruction {
        Instruction::Flow(Flow::End)
    }
    fn breakc(&mut self, i: Branch) -> Instruction {
        Instruction::Flow(Flow::Break { test: Test::Flags(i.cond) })
    }
    fn call(&mut self, i: Branch) -> Instruction {
        call(Test::Known(true), i.target, i.count)
    }
    fn callc(&mut self, i: Branch) -> Instruction {
        call(Test::Flags(i.cond), i.target, i.count)
    }
    fn callu(&mut self, i: Uniform) -> Instruction {
        call(Test::Known(self.boolean(i.id)), i.target, i.count)
    }
    fn ifu(&mut self, i: Uniform) -> Instruction {
        branch(Test::Known(self.boolean(i.id)), i.target, i.count)
    }
    fn ifc(&mut self, i: Branch) -> Instruction {
        branch(Test::Flags(i.cond), i.target, i.count)
    }
    fn loop_(&mut self, i: Uniform) -> Instruction {
        Instruction::Flow(Flow::Loop { integer: i.id & 3, last: i.target })
    }
    fn emit(&mut self, _: Flow0) -> Instruction {
        match self.unit {
            Unit::Vertex => Instruction::Flow(Flow::Next),
            Unit::Geometry => Instruction::Emit,
        }
    }
    fn setemit(&mut self, setting: SetEmit) -> Instruction {
        match self.unit {
            Unit::Vertex => Instruction::Flow(Flow::Next),
            Unit::Geometry => Instruction::SetEmit(setting),
        }
    }
    fn jmpc(&mut self, i: Branch) -> Instruction {
        Instruction::Flow(Flow::Jump { test: Test::Flags(i.cond), target: i.target })
    }
    fn jmpu(&mut self, i: Uniform) -> Instruction {
        let test = Test::Known(self.boolean(i.id) == (i.count & 1 == 0));
        Instruction::Flow(Flow::Jump { test, target: i.target })
    }
    fn cmp(&mut self, i: Compare) -> Instruction {
        let sources = [self.operand(i.desc, 1, i.src1), self.operand(i.desc, 2, i.src2)];
        Instruction::Compare { sources, comparisons: [i.op_x, i.op_y] }
    }
    fn madi(&mut self, i: Arith3) -> Instruction {
        self.three(Alu::Mad, i)
    }
    fn mad(&mut self, i: Arith3) -> Instruction {
        self.three(Alu::Mad, i)
    }
}
