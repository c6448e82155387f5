//! Programs decoded once: operands with their descriptors, arithmetic as functions.

use std::marker::PhantomData;

use triglyph_guest::kernel::vertex::Numbers;
use triglyph_guest::pica::isa::{
    self, Arith1, Arith2, Arith3, Branch, Compare, Descriptor, Dst, Flow0, MovA, SetEmit, Src, Uniform, Visitor,
};

use super::alu::{self, Arithmetic, Comparison};
use super::flow::{Flow, Test};
use super::{Unit, Vector};

/// A source with its swizzle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) register: Src,
    /// Component of the register for each component of the source, 0 x to 3 w.
    pub(super) select: [u8; 4],
    /// Whether the sign is flipped after the swizzle.
    pub(super) negate: bool,
}

/// A destination with its write mask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) register: Dst,
    pub(super) mask: [bool; 4],
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    /// Also what words mean that are no instruction.
    Nop,
    One {
        function: fn(Vector) -> Vector,
        source: Operand,
        target: Target,
    },
    Two {
        function: fn(Vector, Vector) -> Vector,
        sources: [Operand; 2],
        target: Target,
    },
    Three {
        function: fn(Vector, Vector, Vector) -> Vector,
        sources: [Operand; 3],
        target: Target,
    },
    Litp {
        source: Operand,
        target: Target,
    },
    MoveAddress {
        source: Operand,
        /// Whether a0.x and a0.y are written.
        mask: [bool; 2],
    },
    Compare {
        /// For cmp.x and cmp.y.
        functions: [Comparison; 2],
        sources: [Operand; 2],
    },
    End,
    Flow(Flow),
    SetEmit(SetEmit),
    Emit,
}

/// A program ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    instructions: Vec<Instruction>,
    /// Code memory after the instructions: zero words.
    rest: Instruction,
    /// Words of code memory.
    limit: u16,
}

impl Program {
    /// Decodes code words and operand descriptors; what is missing of either is zero, what does not fit is ignored.
    pub fn decode(code: &[u32], descriptors: &[u32], unit: Unit, numbers: Numbers) -> Self {
        match numbers {
            Numbers::F32 => Self::decode_with(code, unit, Decoder::<alu::F32> { descriptors, numbers: PhantomData }),
            Numbers::F24 => Self::decode_with(code, unit, Decoder::<alu::F24> { descriptors, numbers: PhantomData }),
        }
    }

    fn decode_with<N: Arithmetic>(code: &[u32], unit: Unit, mut decoder: Decoder<'_, N>) -> Self {
        // Unknown words do nothing.
        let mut decode = |word: u32| isa::visit(word, &mut decoder).unwrap_or(Instruction::Nop);
        let limit = unit.code_words();
        Program {
            instructions: code.iter().take(usize::from(limit)).map(|&word| decode(word)).collect(),
            rest: decode(0),
            limit,
        }
    }

    /// The instruction at `pc`; `None` beyond code memory, where programs end.
    pub(super) fn fetch(&self, pc: u16) -> Option<&Instruction> {
        (pc < self.limit).then(|| self.instructions.get(usize::from(pc)).unwrap_or(&self.rest))
    }
}

struct Decoder<'a, N> {
    descriptors: &'a [u32],
    numbers: PhantomData<N>,
}

impl<N> Decoder<'_, N> {
    fn descriptor(&self, number: u8) -> Descriptor {
        Descriptor(self.descriptors.get(usize::from(number)).copied().unwrap_or(0))
    }

    /// Source `number`, 1 to 3, of an instruction.
    fn operand(&self, descriptor: u8, number: usize, register: Src) -> Operand {
        let descriptor = self.descriptor(descriptor);
        Operand {
            register,
            select: std::array::from_fn(|component| descriptor.select(number, component)),
            negate: descriptor.negate(number),
        }
    }

    fn target(&self, descriptor: u8, register: Dst) -> Target {
        Target { register, mask: self.descriptor(descriptor).mask() }
    }

    fn one(&self, i: Arith1, function: alu::One) -> Instruction {
        let (source, target) = (self.operand(i.desc, 1, i.src1), self.target(i.desc, i.dst));
        Instruction::One { function, source, target }
    }

    fn two(&self, i: Arith2, function: alu::Two) -> Instruction {
        let sources = [self.operand(i.desc, 1, i.src1), self.operand(i.desc, 2, i.src2)];
        Instruction::Two { function, sources, target: self.target(i.desc, i.dst) }
    }

    fn three(&self, i: Arith3, function: alu::Three) -> Instruction {
        let sources =
            [self.operand(i.desc, 1, i.src1), self.operand(i.desc, 2, i.src2), self.operand(i.desc, 3, i.src3)];
        Instruction::Three { function, sources, target: self.target(i.desc, i.dst) }
    }
}

fn call(target: u16, count: u8, test: Test) -> Instruction {
    Instruction::Flow(Flow::Call { test, target, end: target + u16::from(count) })
}

fn branch(else_at: u16, count: u8, test: Test) -> Instruction {
    Instruction::Flow(Flow::If { test, else_at, end: else_at + u16::from(count) })
}

/// Operations that are a function of their sources: name, form, function.
macro_rules! functions {
    ($($name:ident: $form:ident($Operands:ty) $function:expr;)+) => {
        $(fn $name(&mut self, i: $Operands) -> Instruction {
            self.$form(i, $function)
        })+
    };
}

impl<N: Arithmetic> Visitor for Decoder<'_, N> {
    type Output = Instruction;

    functions! {
        add: two(Arith2) alu::add::<N>;
        dp3: two(Arith2) alu::dp3::<N>;
        dp4: two(Arith2) alu::dp4::<N>;
        dph: two(Arith2) alu::dph::<N>;
        dst: two(Arith2) alu::dst::<N>;
        ex2: one(Arith1) alu::ex2::<N>;
        lg2: one(Arith1) alu::lg2::<N>;
        mul: two(Arith2) alu::mul::<N>;
        sge: two(Arith2) alu::sge;
        slt: two(Arith2) alu::slt;
        flr: one(Arith1) alu::flr::<N>;
        max: two(Arith2) alu::max;
        min: two(Arith2) alu::min;
        rcp: one(Arith1) alu::rcp::<N>;
        rsq: one(Arith1) alu::rsq::<N>;
        mov: one(Arith1) alu::mov;
        dphi: two(Arith2) alu::dph::<N>;
        dsti: two(Arith2) alu::dst::<N>;
        sgei: two(Arith2) alu::sge;
        slti: two(Arith2) alu::slt;
        madi: three(Arith3) alu::mad::<N>;
        mad: three(Arith3) alu::mad::<N>;
    }

    fn litp(&mut self, i: Arith1) -> Instruction {
        Instruction::Litp { source: self.operand(i.desc, 1, i.src1), target: self.target(i.desc, i.dst) }
    }
    fn mova(&mut self, i: MovA) -> Instruction {
        let [x, y, _, _] = self.descriptor(i.desc).mask();
        Instruction::MoveAddress { source: self.operand(i.desc, 1, i.src1), mask: [x, y] }
    }
    fn break_(&mut self, _: Flow0) -> Instruction {
        Instruction::Flow(Flow::Break { test: Test::Always })
    }
    fn nop(&mut self, _: Flow0) -> Instruction {
        Instruction::Nop
    }
    fn end(&mut self, _: Flow0) -> Instruction {
        Instruction::End
    }
    fn breakc(&mut self, i: Branch) -> Instruction {
        Instruction::Flow(Flow::Break { test: Test::Flags(i.cond) })
    }
    fn call(&mut self, i: Branch) -> Instruction {
        call(i.target, i.count, Test::Always)
    }
    fn callc(&mut self, i: Branch) -> Instruction {
        call(i.target, i.count, Test::Flags(i.cond))
    }
    fn callu(&mut self, i: Uniform) -> Instruction {
        call(i.target, i.count, Test::Bool { number: i.id, is: true })
    }
    fn ifu(&mut self, i: Uniform) -> Instruction {
        branch(i.target, i.count, Test::Bool { number: i.id, is: true })
    }
    fn ifc(&mut self, i: Branch) -> Instruction {
        branch(i.target, i.count, Test::Flags(i.cond))
    }
    fn loop_(&mut self, i: Uniform) -> Instruction {
        Instruction::Flow(Flow::Loop { integer: i.id, last: i.target })
    }
    fn emit(&mut self, _: Flow0) -> Instruction {
        Instruction::Emit
    }
    fn setemit(&mut self, i: SetEmit) -> Instruction {
        Instruction::SetEmit(i)
    }
    fn jmpc(&mut self, i: Branch) -> Instruction {
        Instruction::Flow(Flow::Jump { test: Test::Flags(i.cond), target: i.target })
    }
    fn jmpu(&mut self, i: Uniform) -> Instruction {
        Instruction::Flow(Flow::Jump { test: Test::Bool { number: i.id, is: i.count & 1 == 0 }, target: i.target })
    }
    fn cmp(&mut self, i: Compare) -> Instruction {
        Instruction::Compare {
            functions: [alu::comparison(i.op_x), alu::comparison(i.op_y)],
            sources: [self.operand(i.desc, 1, i.src1), self.operand(i.desc, 2, i.src2)],
        }
    }
}
