//! From CLIF to instructions of the processor.
//!
//! Blocks are gone through from the last one to the first, and each from its end: what uses a value is seen before what
//! makes it, so that values nobody needs cost nothing, and each is made in the forms that are needed: one vector of 128
//! bits; half of a vector of 256 bits, whose other half is the value of the other iteration ([`Halves`]); or both
//! halves of one, for a value that the iterations share.

use std::collections::{HashMap, HashSet};

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, Function, Inst, InstructionData, Opcode, Type, Value};
use regalloc2::{Operand, PReg, RegClass, VReg};

use self::halves::{Half, Halves};
use super::machine::{Encoded, Immediate, Kind, MachineFunction, MachineInst, Memory, Place, Reg, Rm};
use super::opcode::{self, Opcode as Machine};
use crate::interleave::Twins;

mod address;
mod compare;
mod control;
mod halves;
mod lanes;
mod scalar;
mod shuffle;
mod vector;

/// The operand of an instruction that may be in memory.
#[derive(Clone, Copy, Debug)]
enum Right {
    Register(VReg),
    Memory(Address),
    Constant(usize),
}

/// A place in memory.
#[derive(Clone, Copy, Debug)]
struct Address {
    base: VReg,
    index: Option<VReg>,
    shift: u8,
    offset: i32,
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
    /// Registers of values, where somebody needs them.
    narrow: SecondaryMap<Value, Option<VReg>>,
    /// Values whose registers have them in both halves, because somebody needs that.
    doubled: HashSet<Value>,
    /// Instructions that were done together with the second iteration's.
    done: HashSet<Inst>,
    /// The instructions of one CLIF instruction.
    buffer: Vec<MachineInst>,
    machine: MachineFunction,
    constants: HashMap<[u8; 32], usize>,
}

/// The instructions of `function`; `None` if it contains what is not supported.
pub(super) fn select(function: &Function, twins: &Twins) -> Option<MachineFunction> {
    let mut selector = Selector {
        function,
        halves: Halves::new(function, twins),
        uses: SecondaryMap::new(),
        writes: SecondaryMap::new(),
        narrow: SecondaryMap::new(),
        doubled: HashSet::new(),
        done: HashSet::new(),
        buffer: Vec::new(),
        machine: MachineFunction::default(),
        constants: HashMap::new(),
    };
    selector.count();
    selector.blocks()?;
    selector.machine.number_insts();
    Some(selector.machine)
}

impl Selector<'_> {
    /// Finds out how often values are used, and where memory is written.
    fn count(&mut self) {
        for block in self.function.layout.blocks() {
            let mut writes = 0;
            for inst in self.function.layout.block_insts(block) {
                self.writes[inst] = writes;
                for value in self.function.dfg.inst_values(inst) {
                    self.uses[value] += 1;
                }
                let opcode = self.function.dfg.insts[inst].opcode();
                writes += u32::from(opcode.can_store() || opcode.is_call());
            }
        }
    }

    // What the function says.

    fn data(&self, inst: Inst) -> &InstructionData {
        &self.function.dfg.insts[inst]
    }

    fn ty(&self, value: Value) -> Type {
        self.function.dfg.value_type(value)
    }

    fn result(&self, inst: Inst) -> Value {
        self.function.dfg.first_result(inst)
    }

    /// The instruction that makes a value, and its opcode.
    fn definition(&self, value: Value) -> Option<(Inst, Opcode)> {
        let inst = self.function.dfg.value_def(value).inst()?;
        Some((inst, self.data(inst).opcode()))
    }

    /// The arguments of the instruction that makes `value`, if its opcode is `opcode`.
    fn made_by<const N: usize>(&self, value: Value, opcode: Opcode) -> Option<[Value; N]> {
        let (inst, found) = self.definition(value)?;
        let arguments = self.function.dfg.inst_args(inst);
        if found != opcode {
            return None;
        }
        Some(std::array::from_fn(|index| self.root(arguments[index])))
    }

    /// The integer that a value always is.
    fn integer(&self, value: Value) -> Option<i64> {
        let (inst, _) = self.definition(self.root(value))?;
        match self.data(inst) {
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => Some(imm.bits()),
            _ => None,
        }
    }

    /// The vector that a value always is.
    fn vector_constant(&self, value: Value) -> Option<[u8; 16]> {
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
    fn root(&self, value: Value) -> Value {
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
    fn is_first_float(&self, inst: Inst) -> bool {
        let is_first = matches!(self.data(inst), InstructionData::BinaryImm8 { imm: 0, .. });
        is_first && self.ty(self.result(inst)).is_float()
    }

    /// Whether the upper half of the register of an integer of 32 bits is clear.
    fn clears_upper_half(&self, value: Value) -> bool {
        use Opcode::{Band, Bnot, Bor, Bxor, Extractlane, Iadd, Iconst, Imul, Ishl, Isub, Load, Sshr, Ushr, VhighBits};
        let made = |(_, opcode): (Inst, Opcode)| {
            matches!(opcode, Iadd | Isub | Imul | Band | Bor | Bxor | Bnot | Ishl | Ushr | Sshr | Load)
                || matches!(opcode, Opcode::Uload8 | Opcode::Uload16 | Extractlane | VhighBits | Iconst)
        };
        self.definition(value).is_some_and(made)
    }

    // Registers.

    fn new_register(&mut self, class: RegClass) -> VReg {
        self.machine.registers += 1;
        VReg::new(self.machine.registers - 1, class)
    }

    fn new_vector(&mut self) -> VReg {
        self.new_register(RegClass::Float)
    }

    fn new_general(&mut self) -> VReg {
        self.new_register(RegClass::Int)
    }

    fn new_register_of(&mut self, ty: Type) -> VReg {
        self.new_register(if ty.is_int() && !ty.is_vector() { RegClass::Int } else { RegClass::Float })
    }

    /// The register with a value: its lower half, if it has 256 bits.
    fn register(&mut self, value: Value) -> VReg {
        let value = self.root(value);
        if let Some(constant) = self.integer(value) {
            return self.general_constant(constant, self.ty(value));
        }
        if let Some(Half { wide, upper: false }) = self.halves.get(value) {
            return self.wide_register(wide);
        }
        if let Some(constant) = self.cheap_constant(value) {
            return self.made_constant(constant, false);
        }
        if let Some(known) = self.narrow[value] {
            return known;
        }
        let register = self.new_register_of(self.ty(value));
        self.narrow[value] = Some(register);
        register
    }

    /// The register with the values of both iterations.
    fn both(&mut self, first: Value, second: Value) -> VReg {
        let values = [first, second].map(|value| self.root(value));
        if let [Some(Half { wide, upper: false }), Some(Half { wide: other, upper: true })] =
            values.map(|value| self.halves.get(value))
            && wide == other
        {
            return self.wide_register(wide);
        }
        let [first, second] = values;
        if first == second && self.halves.get(first).is_none() {
            if let Some(constant) = self.cheap_constant(first) {
                return self.made_constant(constant, true);
            }
            self.doubled.insert(first);
            return self.register(first);
        }
        let [first, second] = values.map(|value| self.register(value));
        let to = self.new_vector();
        self.join(to, first, second);
        to
    }

    /// The values of both iterations from two registers.
    fn join(&mut self, to: VReg, first: VReg, second: VReg) {
        self.emit(opcode::INSERTF128, true, to, Some(first), Right::Register(second), Immediate::Byte(1));
    }

    fn wide_register(&mut self, wide: usize) -> VReg {
        if let Some(known) = self.halves.register(wide) {
            return known;
        }
        let register = self.new_vector();
        self.halves.set_register(wide, register);
        register
    }

    fn argument(&self, operation: Operation, index: usize) -> [Value; 2] {
        let of = |inst| self.function.dfg.inst_args(inst)[index];
        [of(operation.first), of(operation.second.unwrap_or(operation.first))]
    }

    /// The register of an argument, in the form that the operation needs.
    fn operand(&mut self, operation: Operation, index: usize) -> VReg {
        let [first, second] = self.argument(operation, index);
        if operation.is_wide() { self.both(first, second) } else { self.register(first) }
    }

    // Constants.

    fn general_constant(&mut self, value: i64, ty: Type) -> VReg {
        let bits = ty.bits();
        let value = if bits < 64 { value & ((1 << bits) - 1) } else { value };
        let to = self.new_general();
        self.push(Kind::Constant(value), &[Operand::reg_def(to)]);
        to
    }

    /// A constant that is cheaper to make than to keep.
    fn cheap_constant(&self, value: Value) -> Option<[u8; 16]> {
        self.vector_constant(value).filter(|bytes| [[0; 16], [0xFF; 16]].contains(bytes))
    }

    fn made_constant(&mut self, bytes: [u8; 16], wide: bool) -> VReg {
        let to = self.new_vector();
        if bytes == [0; 16] {
            self.zero(to);
        } else if bytes == [0xFF; 16] {
            self.ones(to);
        } else {
            let constant = self.constant(bytes);
            let load = opcode::MOVUPS_LOAD;
            self.emit(load, wide, to, None, Right::Constant(constant), Immediate::None);
        }
        to
    }

    /// Clears a vector. The operand only says which register: it has no value that matters.
    fn zero(&mut self, to: VReg) {
        self.same(opcode::PXOR, to);
    }

    fn ones(&mut self, to: VReg) {
        self.same(opcode::PCMPEQ[2], to);
    }

    /// An operation on a register and itself whose result does not depend on it.
    fn same(&mut self, opcode: Machine, to: VReg) {
        let inst = Encoded {
            opcode,
            wide: true,
            reg: Reg::Operand(0),
            second: Some(0),
            rm: Rm::Register(0),
            immediate: Immediate::None,
        };
        self.push(Kind::Encoded(inst), &[Operand::reg_def(to)]);
    }

    /// A constant in memory, twice.
    fn constant(&mut self, bytes: [u8; 16]) -> usize {
        let mut twice = [0; 32];
        twice.chunks_exact_mut(16).for_each(|half| half.copy_from_slice(&bytes));
        let constants = &mut self.machine.constants;
        *self.constants.entry(twice).or_insert_with(|| {
            constants.push(twice);
            constants.len() - 1
        })
    }

    fn words_constant(&mut self, word: u32) -> usize {
        let mut bytes = [0; 16];
        bytes.chunks_exact_mut(4).for_each(|lane| lane.copy_from_slice(&word.to_le_bytes()));
        self.constant(bytes)
    }

    // Instructions.

    fn push(&mut self, kind: Kind, operands: &[Operand]) {
        let from = self.machine.operands.len();
        self.machine.operands.extend_from_slice(operands);
        self.buffer.push(MachineInst { kind, operands: from..self.machine.operands.len() });
    }

    /// Appends the registers of `right` to `operands`.
    fn right(operands: &mut Vec<Operand>, right: Right) -> Rm {
        let mut place = |register: VReg| {
            operands.push(Operand::reg_use(register));
            (operands.len() - 1) as Place
        };
        match right {
            Right::Register(register) => Rm::Register(place(register)),
            Right::Constant(constant) => Rm::Constant(constant),
            Right::Memory(Address { base, index, shift, offset }) => {
                Rm::Memory(Memory { base: place(base), index: index.map(place), shift, offset })
            }
        }
    }

    /// An instruction that writes a register, from up to two operands.
    fn emit(
        &mut self,
        opcode: Machine,
        wide: bool,
        to: VReg,
        second: Option<VReg>,
        right: Right,
        immediate: Immediate,
    ) {
        let mut operands = vec![Operand::reg_def(to)];
        operands.extend(second.map(Operand::reg_use));
        let rm = Self::right(&mut operands, right);
        let second = second.map(|_| 1);
        let inst = Encoded { opcode, wide, reg: Reg::Operand(0), second, rm, immediate };
        self.push(Kind::Encoded(inst), &operands);
    }

    /// An instruction that changes a register, `from` before and `to` after it.
    fn change(&mut self, opcode: Machine, wide: bool, (to, from): (VReg, VReg), second: Option<VReg>, right: Right) {
        let mut operands = vec![Operand::reg_reuse_def(to, 1), Operand::reg_use(from)];
        operands.extend(second.map(Operand::reg_use));
        let rm = Self::right(&mut operands, right);
        let second = second.map(|_| 2);
        let inst = Encoded { opcode, wide, reg: Reg::Operand(0), second, rm, immediate: Immediate::None };
        self.push(Kind::Encoded(inst), &operands);
    }

    /// An instruction that changes a register by an immediate, which its extension tells from others.
    fn change_by(&mut self, (opcode, extension): (Machine, u8), (to, from): (VReg, VReg), immediate: Immediate) {
        let operands = [Operand::reg_reuse_def(to, 1), Operand::reg_use(from)];
        let (reg, rm) = (Reg::Extension(extension), Rm::Register(0));
        self.push(Kind::Encoded(Encoded { opcode, wide: false, reg, second: None, rm, immediate }), &operands);
    }

    /// An instruction whose result is its operand `rm`: a register, and `from` is what it is made from.
    fn emit_to_rm(&mut self, opcode: Machine, wide: bool, to: VReg, from: VReg, immediate: Immediate) {
        let operands = [Operand::reg_def(to), Operand::reg_use(from)];
        let (reg, rm) = (Reg::Operand(1), Rm::Register(0));
        self.push(Kind::Encoded(Encoded { opcode, wide, reg, second: None, rm, immediate }), &operands);
    }

    /// An instruction that only reads: it writes memory, or flags.
    fn emit_read(&mut self, opcode: Machine, wide: bool, first: VReg, right: Right, immediate: Immediate) {
        let mut operands = vec![Operand::reg_use(first)];
        let rm = Self::right(&mut operands, right);
        let inst = Encoded { opcode, wide, reg: Reg::Operand(0), second: None, rm, immediate };
        self.push(Kind::Encoded(inst), &operands);
    }

    /// A move to a register of its own.
    fn copy(&mut self, to: VReg, from: VReg) {
        match to.class() {
            RegClass::Int => {
                self.emit(opcode::LOAD.with_w(true), false, to, None, Right::Register(from), Immediate::None);
            }
            _ => self.emit(opcode::MOVAPS, true, to, None, Right::Register(from), Immediate::None),
        }
    }

    /// A general purpose register that must be a certain one there.
    fn fixed(register: VReg, number: usize, is_result: bool) -> Operand {
        let place: PReg = super::machine::general(number);
        if is_result { Operand::reg_fixed_def(register, place) } else { Operand::reg_fixed_use(register, place) }
    }

    // Blocks and what they contain.

    /// Makes the instructions of one CLIF instruction, or of the same one of two iterations.
    fn lower(&mut self, inst: Inst) -> Option<()> {
        if self.done.contains(&inst) {
            return Some(());
        }
        if let Some(first) = self.halves.first_of(inst) {
            self.done.insert(first);
            return self.lower_both(Operation { first, second: Some(inst) });
        }
        let operation = Operation { first: inst, second: None };
        let Some(&result) = self.function.dfg.inst_results(inst).first() else { return self.effect(inst) };
        if self.data(inst).opcode().is_call() {
            return self.effect(inst);
        }
        let Some(to) = self.narrow[result] else { return Some(()) };
        if !self.doubled.contains(&result) {
            return self.value(operation, to);
        }
        if self.doubled_value(operation, to) {
            return Some(());
        }
        if halves::is_wide(self.function, inst) {
            return self.value(Operation { first: inst, second: Some(inst) }, to);
        }
        let single = self.new_vector();
        self.value(operation, single)?;
        self.join(to, single, single);
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

    fn block_insts(&self, block: Block) -> Vec<Inst> {
        self.function.layout.block_insts(block).collect()
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
