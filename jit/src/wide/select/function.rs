//! Types, definitions and constants of CLIF values.

use cranelift_codegen::ir::types::I32;
use cranelift_codegen::ir::{Block, Inst, InstructionData, Opcode, Type, Value};

use super::Selector;

impl Selector<'_> {
    pub(super) fn data(&self, inst: Inst) -> &InstructionData {
        &self.function.dfg.insts[inst]
    }

    pub(super) fn ty(&self, value: Value) -> Type {
        self.function.dfg.value_type(value)
    }

    pub(super) fn result(&self, inst: Inst) -> Value {
        self.function.dfg.first_result(inst)
    }

    /// The instruction that makes a value, and its opcode.
    pub(super) fn definition(&self, value: Value) -> Option<(Inst, Opcode)> {
        let inst = self.function.dfg.value_def(value).inst()?;
        Some((inst, self.data(inst).opcode()))
    }

    /// The arguments of the instruction that makes `value`, if its opcode is `opcode`.
    pub(super) fn made_by<const N: usize>(&self, value: Value, opcode: Opcode) -> Option<[Value; N]> {
        let (inst, found) = self.definition(value)?;
        let arguments = self.function.dfg.inst_args(inst);
        if found != opcode {
            return None;
        }
        Some(std::array::from_fn(|index| self.root(arguments[index])))
    }

    /// The integer that a value always is.
    pub(super) fn integer(&self, value: Value) -> Option<i64> {
        let (inst, _) = self.definition(self.root(value))?;
        match self.data(inst) {
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => Some(imm.bits()),
            _ => None,
        }
    }

    /// The vector that a value always is.
    pub(super) fn vector_constant(&self, value: Value) -> Option<[u8; 16]> {
        let (inst, _) = self.definition(value)?;
        match self.data(inst) {
            InstructionData::UnaryConst { opcode: Opcode::Vconst, constant_handle } => {
                self.function.dfg.constants.get(*constant_handle).as_slice().try_into().ok()
            }
            _ => None,
        }
    }

    /// The value that has the bits of another one: casts of vectors, and of integers to fewer bits, change nothing.
    /// Neither do casts to more bits of what an instruction has made: with 32 bits it clears the other half.
    pub(super) fn root(&self, value: Value) -> Value {
        let mut value = value;
        while let Some((inst, opcode)) = self.definition(value) {
            let argument = || self.function.dfg.inst_args(inst)[0];
            value = match opcode {
                Opcode::Bitcast if self.ty(value).is_vector() && self.ty(argument()).is_vector() => argument(),
                Opcode::Ireduce => argument(),
                Opcode::Extractlane if self.is_first_float(inst) => argument(),
                Opcode::Uextend if self.ty(argument()) == I32 && self.clears_upper_half(argument()) => argument(),
                _ => break,
            };
        }
        value
    }

    /// Whether an instruction takes the first lane of a vector, which is a float: no other register has it.
    pub(super) fn is_first_float(&self, inst: Inst) -> bool {
        let is_first = matches!(self.data(inst), InstructionData::BinaryImm8 { imm: 0, .. });
        is_first && self.ty(self.result(inst)).is_float()
    }

    /// Whether the upper half of the register of an integer of 32 bits is clear.
    pub(super) fn clears_upper_half(&self, value: Value) -> bool {
        use Opcode::{Band, Bnot, Bor, Bxor, Extractlane, Iadd, Iconst, Imul, Ishl, Isub, Load, Sshr, Ushr, VhighBits};
        let made = |(_, opcode): (Inst, Opcode)| {
            matches!(opcode, Iadd | Isub | Imul | Band | Bor | Bxor | Bnot | Ishl | Ushr | Sshr | Load)
                || matches!(opcode, Opcode::Uload8 | Opcode::Uload16 | Extractlane | VhighBits | Iconst)
        };
        self.definition(value).is_some_and(made)
    }

    pub(super) fn block_insts(&self, block: Block) -> Vec<Inst> {
        self.function.layout.block_insts(block).collect()
    }
}
