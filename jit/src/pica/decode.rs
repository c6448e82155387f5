//! Decoder of PICA200 programs: one [`Instruction`] for each word, operands with their descriptors, arithmetic as
//! functions that emit it. One method per row of the table.

use triglyph_guest::kernel::vertex::PicaProgram;
use triglyph_guest::num::ops::{self, Ops};
use triglyph_guest::pica::isa::{
    self, Arith1, Arith2, Arith3, Branch, Compare, Descriptor, Dst, Flow0, MovA, SetEmit, Src, Uniform, Visitor,
};
use triglyph_guest::table::{OpInfo, flags};

use super::flow::{Flow, Test};
use super::instruction::Compute::{self, PerComponent, Same};
use super::instruction::{Arithmetic, Dot, Instruction, Operand};

/// The kind of unit that executes a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// 512 words of code; EMIT and SETEMIT do nothing.
    Vertex,
    /// 4096 words of code.
    Geometry,
}

/// A program's instructions.
#[derive(Debug)]
pub(crate) struct Code {
    instructions: Vec<Instruction>,
    /// Words of code memory.
    words: u16,
    /// What follows them in code memory: zero words.
    rest: Instruction,
}

impl Code {
    /// The instructions of a program whose boolean uniforms are `bools`.
    pub fn new(program: &PicaProgram, unit: Unit, bools: u16) -> Code {
        let mut decoder = Decoder { program, unit, bools, row: isa::Op::nop.info() };
        let words = match unit {
            Unit::Vertex => 512,
            Unit::Geometry => 4096,
        };
        // Unknown words do nothing.
        let mut decode = |word| {
            decoder.row = isa::form(word).unwrap_or(isa::Op::nop.info());
            isa::visit(word, &mut decoder).unwrap_or(Instruction::Flow(Flow::Next))
        };
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
    /// The row of the current word.
    row: &'static OpInfo,
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

    fn arithmetic(&self, compute: Compute, descriptor: u8, registers: &[Src], target: Dst) -> Arithmetic {
        let per_component = matches!(compute, Compute::PerComponent(_));
        debug_assert_eq!(per_component, self.row.has(flags::PER_COMPONENT), "{}", self.row.name);
        let operand = |n: usize| self.operand(descriptor, n + 1, registers[n]);
        let count = registers.len();
        let sources = [0, 1, 2].map(|n| operand(if n < count { n } else { 0 }));
        let mask = self.descriptor(descriptor).mask();
        Arithmetic { row: self.row, compute, count, sources, target, mask, signs: None }
    }

    fn one(&self, i: Arith1, compute: Compute) -> Instruction {
        Instruction::Arithmetic(self.arithmetic(compute, i.desc, &[i.src1], i.dst))
    }

    fn two(&self, i: Arith2, compute: Compute) -> Instruction {
        Instruction::Arithmetic(self.arithmetic(compute, i.desc, &[i.src1, i.src2], i.dst))
    }

    fn three(&self, i: Arith3, compute: Compute) -> Instruction {
        Instruction::Arithmetic(self.arithmetic(compute, i.desc, &[i.src1, i.src2, i.src3], i.dst))
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
        self.two(i, PerComponent(|lower, [a, b, _], c| lower.sum(a, b, c)))
    }
    fn dp3(&mut self, i: Arith2) -> Instruction {
        self.two(i, Same(|lower, [a, b, _]| lower.dot(a, b, Dot::Xyz)))
    }
    fn dp4(&mut self, i: Arith2) -> Instruction {
        self.two(i, Same(|lower, [a, b, _]| lower.dot(a, b, Dot::Xyzw)))
    }
    fn dph(&mut self, i: Arith2) -> Instruction {
        self.two(i, Same(|lower, [a, b, _]| lower.dot(a, b, Dot::Homogeneous)))
    }
    fn dst(&mut self, i: Arith2) -> Instruction {
        self.two(i, PerComponent(|lower, [a, b, _], c| lower.distance(a, b, c)))
    }
    fn ex2(&mut self, i: Arith1) -> Instruction {
        self.one(i, Same(|lower, [a, ..]| lower.function(a, 0, |e, x| ops::exp2(e, x))))
    }
    fn lg2(&mut self, i: Arith1) -> Instruction {
        self.one(i, Same(|lower, [a, ..]| lower.function(a, 0, |e, x| ops::log2(e, x))))
    }
    fn litp(&mut self, i: Arith1) -> Instruction {
        let compute = PerComponent(|lower, [a, ..], c| lower.litp(a, c));
        let arithmetic = self.arithmetic(compute, i.desc, &[i.src1], i.dst);
        Instruction::Arithmetic(Arithmetic { signs: Some([0, 3]), ..arithmetic })
    }
    fn mul(&mut self, i: Arith2) -> Instruction {
        self.two(i, PerComponent(|lower, [a, b, _], c| lower.product(a, b, c)))
    }
    fn sge(&mut self, i: Arith2) -> Instruction {
        self.two(i, PerComponent(|lower, [a, b, _], c| lower.set(a, b, c, |e, a, b| e.le(b, a))))
    }
    fn slt(&mut self, i: Arith2) -> Instruction {
        self.two(i, PerComponent(|lower, [a, b, _], c| lower.set(a, b, c, |e, a, b| e.lt(a, b))))
    }
    fn flr(&mut self, i: Arith1) -> Instruction {
        self.one(i, PerComponent(|lower, [a, ..], c| lower.function(a, c, |e, x| e.floor(x))))
    }
    fn max(&mut self, i: Arith2) -> Instruction {
        self.two(i, PerComponent(|lower, [a, b, _], c| lower.extremum(a, b, c, |e, a, b| e.max(a, b))))
    }
    fn min(&mut self, i: Arith2) -> Instruction {
        self.two(i, PerComponent(|lower, [a, b, _], c| lower.extremum(a, b, c, |e, a, b| e.min(a, b))))
    }
    fn rcp(&mut self, i: Arith1) -> Instruction {
        self.one(i, Same(|lower, [a, ..]| lower.reciprocal(a)))
    }
    fn rsq(&mut self, i: Arith1) -> Instruction {
        self.one(i, Same(|lower, [a, ..]| lower.reciprocal_root(a)))
    }
    fn mova(&mut self, i: MovA) -> Instruction {
        let [x, y, _, _] = self.descriptor(i.desc).mask();
        Instruction::Address { source: self.operand(i.desc, 1, i.src1), mask: [x, y] }
    }
    fn mov(&mut self, i: Arith1) -> Instruction {
        self.one(i, PerComponent(|lower, [a, ..], c| lower.moved(a, c)))
    }
    fn dphi(&mut self, i: Arith2) -> Instruction {
        self.two(i, Same(|lower, [a, b, _]| lower.dot(a, b, Dot::Homogeneous)))
    }
    fn dsti(&mut self, i: Arith2) -> Instruction {
        self.two(i, PerComponent(|lower, [a, b, _], c| lower.distance(a, b, c)))
    }
    fn sgei(&mut self, i: Arith2) -> Instruction {
        self.two(i, PerComponent(|lower, [a, b, _], c| lower.set(a, b, c, |e, a, b| e.le(b, a))))
    }
    fn slti(&mut self, i: Arith2) -> Instruction {
        self.two(i, PerComponent(|lower, [a, b, _], c| lower.set(a, b, c, |e, a, b| e.lt(a, b))))
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
        self.three(i, PerComponent(|lower, [a, b, addend], c| lower.multiply_add(a, b, addend, c)))
    }
    fn mad(&mut self, i: Arith3) -> Instruction {
        self.three(i, PerComponent(|lower, [a, b, addend], c| lower.multiply_add(a, b, addend, c)))
    }
}
