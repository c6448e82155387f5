//! Instruction selection: CLIF to machine instructions with virtual registers.
//!
//! Blocks and instructions are visited backwards, so that uses are seen before definitions: unused values cost nothing,
//! and each value is made in the forms that its uses need: a vector of 128 bits; half of a vector of 256 bits, whose
//! other half is the value of the other iteration ([`Halves`]); or both halves of one, for a value that the iterations
//! share.

use std::collections::{HashMap, HashSet};

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::types::{F32, F32X4, F64, F64X2, I8, I8X16, I16, I16X8, I32, I32X4, I64, I64X2, INVALID};
use cranelift_codegen::ir::{Function, Inst, Opcode, Type, Value};
use regalloc2::{Operand, VReg};

use self::halves::{Half, Halves};
use super::Refusal;
use super::machine::{Encoded, Immediate, InstKind, MachineFunction, MachineInst, Reg, Rm};
use super::opcode::{self, Opcode as Machine};
use crate::interleave::InstPairs;

mod address;
mod compare;
mod control;
mod double;
mod function;
mod halves;
mod instructions;
mod lanes;
mod registers;
mod scalar;
mod shuffle;
mod vector;

/// The types that values may have: what a general purpose register holds, or a vector of 128 bits or its first lane.
const TYPES: [Type; 12] = [I8, I16, I32, I64, F32, F64, I8X16, I16X8, I32X4, I64X2, F32X4, F64X2];

/// An operand in a register or in memory (`r/m`).
#[derive(Clone, Copy, Debug)]
enum RegMem {
    Register(VReg),
    /// A vector that may stay on the stack.
    Anywhere(VReg),
    Memory(Address),
    Constant(usize),
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Address {
    base: VReg,
    index: Option<VReg>,
    shift: u8,
    offset: i32,
}

impl Address {
    /// Whether this is the address of the 16 bytes that follow the 16 bytes at `other`.
    fn follows(self, other: Address) -> bool {
        other.offset.checked_add(16).is_some_and(|offset| self == Address { offset, ..other })
    }
}

/// One CLIF instruction, or the same one of two iterations.
#[derive(Clone, Copy, Debug)]
struct Operation {
    first: Inst,
    second: Option<Inst>,
}

impl Operation {
    fn is_wide(self) -> bool {
        self.second.is_some()
    }
}

/// Makes the instructions of a function.
struct Selector<'f> {
    function: &'f Function,
    halves: Halves,
    /// How often each value is used.
    uses: SecondaryMap<Value, u32>,
    /// How many instructions that write memory precede each instruction in its block.
    writes: SecondaryMap<Inst, u32>,
    /// Registers of values that are used.
    narrow: SecondaryMap<Value, Option<VReg>>,
    /// Values whose registers have them in both halves, because a use needs that.
    doubled: HashSet<Value>,
    /// Registers with the values of both iterations, by those of the second, that are made apart: and those registers.
    joined: HashMap<Value, (VReg, [VReg; 2])>,
    /// Instructions that were done together with the second iteration's.
    done: HashSet<Inst>,
    /// The instructions of one CLIF instruction.
    buffer: Vec<MachineInst>,
    machine: MachineFunction,
    constants: HashMap<[u8; 32], usize>,
}

/// The instructions of `function`.
///
/// # Errors
/// The first instruction that is not supported.
pub(super) fn select(function: &Function, inst_pairs: &InstPairs) -> Result<MachineFunction, Refusal> {
    let mut selector = Selector {
        function,
        halves: Halves::new(function, inst_pairs),
        uses: SecondaryMap::new(),
        writes: SecondaryMap::new(),
        narrow: SecondaryMap::new(),
        doubled: HashSet::new(),
        joined: HashMap::new(),
        done: HashSet::new(),
        buffer: Vec::new(),
        machine: MachineFunction::default(),
        constants: HashMap::new(),
    };
    selector.count()?;
    selector.blocks()?;
    selector.machine.number_insts();
    Ok(selector.machine)
}

impl Selector<'_> {
    /// Finds out how often values are used, and where memory is written. Refuses what has values of other types.
    fn count(&mut self) -> Result<(), Refusal> {
        for block in self.function.layout.blocks() {
            let mut writes = 0;
            for inst in self.function.layout.block_insts(block) {
                self.writes[inst] = writes;
                for value in self.function.dfg.inst_values(inst) {
                    self.uses[value] += 1;
                }
                let results = self.function.dfg.inst_results(inst).iter().copied();
                if !self.function.dfg.inst_values(inst).chain(results).all(|value| TYPES.contains(&self.ty(value))) {
                    return Err(self.refuse(inst));
                }
                let opcode = self.function.dfg.insts[inst].opcode();
                writes += u32::from(opcode.can_store() || opcode.is_call());
            }
        }
        Ok(())
    }

    /// That an instruction is not supported.
    fn refuse(&self, inst: Inst) -> Refusal {
        let result = self.function.dfg.inst_results(inst).first();
        let argument = self.function.dfg.inst_args(inst).first();
        Refusal::Instruction(self.data(inst).opcode(), result.or(argument).map_or(INVALID, |&value| self.ty(value)))
    }

    /// Makes the instructions of one CLIF instruction, or of the same one of two iterations. `None` if it is not
    /// supported.
    fn lower(&mut self, inst: Inst) -> Option<()> {
        if self.done.contains(&inst) {
            return Some(());
        }
        if let Some(first) = self.halves.first_of(inst) {
            self.done.insert(first);
            return self.lower_both(Operation { first, second: Some(inst) });
        }
        if let Some(first) = self.halves.first_store(inst)
            && self.store_both(first, inst)
        {
            self.done.insert(first);
            return Some(());
        }
        let operation = Operation { first: inst, second: None };
        let Some(&result) = self.function.dfg.inst_results(inst).first() else { return self.effect(inst) };
        if self.data(inst).opcode().is_call() {
            return self.effect(inst);
        }
        let Some(to) = self.narrow[result] else { return Some(()) };
        if !self.doubled.contains(&result) {
            self.value(operation, to)?;
        } else if !self.doubled_value(operation, to) {
            if halves::is_wide(self.function, inst) {
                self.value(Operation { first: inst, second: Some(inst) }, to)?;
            } else {
                let single = self.new_vector();
                self.value(operation, single)?;
                self.join(to, single, single);
            }
        }
        // Of a value that is doubled, too.
        if let Some(&(both, [lower, upper])) = self.joined.get(&result) {
            self.join(both, lower, upper);
        }
        Some(())
    }

    fn lower_both(&mut self, operation: Operation) -> Option<()> {
        let Operation { first, second: Some(second) } = operation else { return None };
        let Half { wide, .. } = self.halves.get(self.result(first))?;
        let upper = self.narrow[self.result(second)];
        if self.halves.register(wide).is_none() && upper.is_none() {
            return Some(());
        }
        let to = self.wide_register(wide);
        if let Some(upper) = upper
            && !self.halves.is_together(wide)
            && self.data(first).opcode() == Opcode::Load
        {
            self.value(Operation { first, second: None }, to)?;
            return self.value(Operation { first: second, second: None }, upper);
        }
        self.value(operation, to)?;
        if let Some(upper) = upper {
            self.emit_to_rm(opcode::EXTRACTF128, true, upper, to, Immediate::Byte(1));
        }
        Some(())
    }

    /// Makes the value of an operation in a register.
    fn value(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let ty = self.ty(self.result(operation.first));
        match self.data(operation.first).opcode() {
            Opcode::Load | Opcode::Uload16x4 => self.load(operation, to),
            Opcode::Splat | Opcode::ScalarToVector | Opcode::Insertlane | Opcode::Extractlane | Opcode::VhighBits => {
                self.lanes(operation, to)
            }
            Opcode::Shuffle => self.shuffle(operation, to),
            _ if ty.is_vector() => self.vector(operation, to),
            _ => self.scalar(operation.first, to),
        }
    }
}

/// The position of a type of lanes of 1, 2, 4 or 8 bytes in tables of opcodes.
fn lane_index(ty: Type) -> usize {
    ty.lane_type().bytes().trailing_zeros() as usize
}

/// Whether a general purpose register's operation has 64 bits; those of fewer bits are done with 32.
fn is_64(ty: Type) -> bool {
    ty == I64
}
