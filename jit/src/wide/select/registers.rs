//! Registers of values, and of constants.

use cranelift_codegen::ir::{Type, Value};
use regalloc2::{Operand, RegClass, VReg};

use super::{Half, Operation, RegMem, Selector};
use crate::wide::machine::{Encoded, Immediate, InstKind, Reg, Rm};
use crate::wide::opcode::{self, Opcode as Machine};

impl Selector<'_> {
    pub(super) fn new_register(&mut self, class: RegClass) -> VReg {
        self.machine.registers += 1;
        VReg::new(self.machine.registers - 1, class)
    }

    pub(super) fn new_vector(&mut self) -> VReg {
        self.new_register(RegClass::Float)
    }

    pub(super) fn new_general(&mut self) -> VReg {
        self.new_register(RegClass::Int)
    }

    pub(super) fn new_register_of(&mut self, ty: Type) -> VReg {
        self.new_register(if ty.is_int() && !ty.is_vector() { RegClass::Int } else { RegClass::Float })
    }

    /// The register with a value: its lower half, if it has 256 bits.
    pub(super) fn register(&mut self, value: Value) -> VReg {
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
    pub(super) fn both(&mut self, first: Value, second: Value) -> VReg {
        let values = [first, second].map(|value| self.root(value));
        if let [Some(Half { wide, upper: false }), Some(Half { wide: other, upper: true })] =
            values.map(|value| self.halves.get(value))
            && wide == other
        {
            self.halves.need_together(wide);
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
        let are_apart = self.halves.are_apart(first, second);
        if are_apart && let Some(&(known, _)) = self.joined.get(&second) {
            return known;
        }
        let to = self.new_vector();
        let registers = values.map(|value| self.register(value));
        if are_apart {
            // Once for all who need it, where the second one is made, which comes after the first.
            self.joined.insert(second, (to, registers));
        } else {
            self.join(to, registers[0], registers[1]);
        }
        to
    }

    /// The values of both iterations from two registers.
    pub(super) fn join(&mut self, to: VReg, first: VReg, second: VReg) {
        self.emit(opcode::INSERTF128, true, to, Some(first), RegMem::Register(second), Immediate::Byte(1));
    }

    pub(super) fn wide_register(&mut self, wide: usize) -> VReg {
        if let Some(known) = self.halves.register(wide) {
            return known;
        }
        let register = self.new_vector();
        self.halves.set_register(wide, register);
        register
    }

    pub(super) fn argument(&self, operation: Operation, index: usize) -> [Value; 2] {
        let of = |inst| self.function.dfg.inst_args(inst)[index];
        [of(operation.first), of(operation.second.unwrap_or(operation.first))]
    }

    /// The register of an argument, in the form that the operation needs.
    pub(super) fn operand(&mut self, operation: Operation, index: usize) -> VReg {
        let [first, second] = self.argument(operation, index);
        if operation.is_wide() { self.both(first, second) } else { self.register(first) }
    }

    pub(super) fn general_constant(&mut self, value: i64, ty: Type) -> VReg {
        let bits = ty.bits();
        let value = if bits < 64 { value & ((1 << bits) - 1) } else { value };
        let to = self.new_general();
        self.push(InstKind::Constant(value), &[Operand::reg_def(to)]);
        to
    }

    /// A constant that is cheaper to make than to keep.
    pub(super) fn cheap_constant(&self, value: Value) -> Option<[u8; 16]> {
        self.vector_constant(value).filter(|bytes| [[0; 16], [0xFF; 16]].contains(bytes))
    }

    pub(super) fn made_constant(&mut self, bytes: [u8; 16], wide: bool) -> VReg {
        let to = self.new_vector();
        if bytes == [0; 16] {
            self.zero(to);
        } else if bytes == [0xFF; 16] {
            self.ones(to);
        } else {
            let constant = self.constant(bytes);
            let load = opcode::MOVUPS_LOAD;
            self.emit(load, wide, to, None, RegMem::Constant(constant), Immediate::None);
        }
        to
    }

    /// Clears a vector. The operand only says which register: it has no value that matters.
    pub(super) fn zero(&mut self, to: VReg) {
        self.same(opcode::PXOR, to);
    }

    pub(super) fn ones(&mut self, to: VReg) {
        self.same(opcode::PCMPEQ[2], to);
    }

    /// An operation on a register and itself whose result does not depend on it.
    pub(super) fn same(&mut self, opcode: Machine, to: VReg) {
        let inst = Encoded {
            opcode,
            wide: true,
            reg: Reg::Operand(0),
            second: Some(0),
            rm: Rm::Register(0),
            immediate: Immediate::None,
        };
        self.push(InstKind::Encoded(inst), &[Operand::reg_def(to)]);
    }

    /// A constant in memory, twice.
    pub(super) fn constant(&mut self, bytes: [u8; 16]) -> usize {
        let mut twice = [0; 32];
        twice.chunks_exact_mut(16).for_each(|half| half.copy_from_slice(&bytes));
        let constants = &mut self.machine.constants;
        *self.constants.entry(twice).or_insert_with(|| {
            constants.push(twice);
            constants.len() - 1
        })
    }

    pub(super) fn words_constant(&mut self, word: u32) -> usize {
        let mut bytes = [0; 16];
        bytes.chunks_exact_mut(4).for_each(|lane| lane.copy_from_slice(&word.to_le_bytes()));
        self.constant(bytes)
    }
}
