//! Local value numbering: an operation that has just been emitted for the same operands is not emitted again.
//!
//! Programs of guests have little that could be shared between blocks, and the code generator's own passes cost more
//! time than they save.

use cranelift_codegen::ir::{InstructionData, Opcode};

use super::*;

/// What makes two operations equal: what they do, to which operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Operation {
    opcode: Opcode,
    ty: Type,
    condition: Option<Condition>,
    arguments: [Option<Value>; 3],
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Condition {
    Float(FloatCC),
    Int(IntCC),
}

/// Instructions after which a value is computed again rather than kept in a register.
const RECENT: usize = 96;

impl Emit<'_> {
    /// `value`, the result of the last instruction, or an equal value of before in its place.
    pub(super) fn once(&mut self, value: Value) -> Value {
        let dfg = &self.b.func.dfg;
        let Some(inst) = dfg.value_def(value).inst() else { return value };
        let (opcode, condition, arguments) = match dfg.insts[inst] {
            InstructionData::Unary { opcode, arg } => (opcode, None, [Some(arg), None, None]),
            InstructionData::LoadNoOffset { opcode: Opcode::Bitcast, arg, .. } => {
                (Opcode::Bitcast, None, [Some(arg), None, None])
            }
            InstructionData::Binary { opcode, args: [a, b] } => (opcode, None, [Some(a), Some(b), None]),
            InstructionData::Ternary { opcode, args } => (opcode, None, args.map(Some)),
            InstructionData::FloatCompare { opcode, args: [a, b], cond } => {
                (opcode, Some(Condition::Float(cond)), [Some(a), Some(b), None])
            }
            InstructionData::IntCompare { opcode, args: [a, b], cond } => {
                (opcode, Some(Condition::Int(cond)), [Some(a), Some(b), None])
            }
            _ => return value,
        };
        let operation = Operation { opcode, ty: dfg.value_type(value), condition, arguments };
        let now = dfg.num_insts();
        match self.operations.get(&operation) {
            Some(&(known, then)) if now - then < RECENT => {
                self.b.func.layout.remove_inst(inst);
                known
            }
            _ => {
                self.operations.insert(operation, (value, now));
                value
            }
        }
    }
}
