//! The instructions of the program store that one program can reach.
//!
//! Only those decide what a program does, wherever it is in the store. So a [`Program`] is a good key for
//! compiled code: instructions in order without the gaps between them, targets as indices into that list.

use super::instruction::{Instruction, Register, UnknownInstruction, Words};
use super::ops::ScalarOp;

/// A program, ready to execute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Program {
    /// The instructions that can be reached, in the order of the store. After instruction `i` comes `i + 1`, or
    /// [`Scalar::target`](super::Scalar), which here is an index into this list. An index that is its length or above
    /// ends the program.
    pub code: Vec<Instruction>,
    /// Index of the first instruction that executes.
    pub entry: u16,
    /// The resources that the code uses.
    pub summary: Summary,
}

/// The resources that a program uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Summary {
    /// Inputs that are read: bit n for v\[n\]. All if one is read with a relative number.
    pub inputs: u16,
    /// Outputs that are written.
    pub outputs: u16,
    /// Constants named without an index: all are below this number.
    pub constants: u16,
    /// Whether constants are read with a relative number: then any may be.
    pub relative_constants: bool,
    /// Temporaries used: all are below this number.
    pub temps: u8,
    /// Texture units used.
    pub textures: u8,
    /// Branch bits that decide something.
    pub branch_bits: u32,
    /// Whether the order of instructions may be another than theirs in the list.
    pub flow: bool,
    /// Whether a target lies at or before its branch.
    pub backward: bool,
}

impl Program {
    /// Decodes the program that begins at `start`. Instructions without a row do nothing; each that can be reached is
    /// reported to `unknown` with its index in the store. A start beyond the store gives an empty program.
    pub fn decode(store: &[Words], start: usize, unknown: impl FnMut(usize, UnknownInstruction)) -> Self {
        Self::without_gaps(&Self::reached(store, start, unknown), start)
    }

    /// Where in the store each instruction of [`code`](Self::code) is.
    pub fn places(store: &[Words], start: usize) -> Vec<u16> {
        let reached = Self::reached(store, start, |_, _| {});
        (0..).zip(&reached).filter(|(_, instruction)| instruction.is_some()).map(|(place, _)| place).collect()
    }

    /// The instructions of the store that the program can reach.
    fn reached(
        store: &[Words],
        start: usize,
        mut unknown: impl FnMut(usize, UnknownInstruction),
    ) -> Vec<Option<Instruction>> {
        let mut at: Vec<Option<Instruction>> = vec![None; store.len()];
        let mut open = vec![start];
        while let Some(index) = open.pop() {
            let (Some(words), Some(slot)) = (store.get(index), at.get_mut(index)) else { continue };
            if slot.is_some() {
                continue;
            }
            let instruction = Instruction::decode(*words).unwrap_or_else(|error| {
                unknown(index, error);
                Instruction::NOP
            });
            *slot = Some(instruction);
            if instruction.runs_on() {
                open.push(index + 1);
            }
            if instruction.scalar.op.has_target() && !instruction.end {
                open.push(instruction.scalar.target.into());
            }
        }
        at
    }

    fn without_gaps(store: &[Option<Instruction>], start: usize) -> Self {
        // Number of reachable instructions before each index.
        let mut before = Vec::with_capacity(store.len() + 1);
        let mut count = 0u16;
        for slot in store {
            before.push(count);
            count += u16::from(slot.is_some());
        }
        let index_of = |index: usize| before.get(index).copied().unwrap_or(count);
        let mut code: Vec<Instruction> = store.iter().flatten().copied().collect();
        for instruction in code.iter_mut().filter(|instruction| instruction.scalar.op.has_target()) {
            instruction.scalar.target = match instruction.end {
                // Never taken, so that its target may not be in the list.
                true => 0,
                false => index_of(instruction.scalar.target.into()),
            };
        }
        let summary = Summary::of(&code);
        Program { code, entry: index_of(start), summary }
    }
}

impl Instruction {
    /// Does nothing.
    pub const NOP: Instruction = {
        use super::instruction::{Scalar, Source, Vector};
        use super::ops::VectorOp;
        use crate::rsx::operand::Mask;
        Instruction {
            vector: Vector { op: VectorOp::nop, temp: None, output: None, address: 0, mask: Mask::NONE, texture: 0 },
            scalar: Scalar {
                op: ScalarOp::nop,
                temp: None,
                output: None,
                mask: Mask::NONE,
                target: 0,
                branch_bit: 0,
                branch_value: false,
            },
            sources: [Source::UNUSED; 3],
            input: 0,
            constant: 0,
            relative_input: false,
            relative_constant: false,
            address_register: 0,
            address_component: 0,
            condition: None,
            condition_register: 0,
            update: None,
            saturate: false,
            end: false,
        }
    };

    /// Whether the instruction after this one may be executed next, or when a call returns.
    fn runs_on(&self) -> bool {
        !(self.end || self.scalar.op.jumps() && self.condition.is_none())
    }
}

impl Summary {
    fn of(code: &[Instruction]) -> Self {
        let mut summary = Summary::default();
        for (index, instruction) in code.iter().enumerate() {
            summary.add(index, instruction);
        }
        summary
    }

    fn add(&mut self, index: usize, instruction: &Instruction) {
        let (vector, scalar) = (&instruction.vector, &instruction.scalar);
        if instruction.reads(Register::Input) {
            self.inputs |= if instruction.relative_input { u16::MAX } else { 1 << instruction.input };
        }
        if instruction.reads(Register::Constant) {
            self.relative_constants |= instruction.relative_constant;
            if !instruction.relative_constant {
                self.constants = self.constants.max(instruction.constant + 1);
            }
        }
        for temp in [vector.temp, scalar.temp].into_iter().flatten() {
            self.temps = self.temps.max(temp + 1);
        }
        for source in &instruction.sources {
            if let Register::Temp(temp) = source.register {
                self.temps = self.temps.max(temp + 1);
            }
        }
        for output in [vector.output, scalar.output].into_iter().flatten() {
            self.outputs |= 1 << output;
        }
        if vector.op.is_texture() {
            self.textures |= 1 << vector.texture;
        }
        if scalar.op.tests_branch_bit() {
            self.branch_bits |= 1 << scalar.branch_bit;
        }
        self.flow |= (scalar.op.has_target() || scalar.op.returns()) && !instruction.end;
        self.backward |= scalar.op.has_target() && !instruction.end && usize::from(scalar.target) <= index;
    }
}
