//! Instructions with their operands.

use regalloc2::{Operand, PReg, RegClass, VReg};

use super::{Address, RegMem, Selector};
use crate::wide::machine::{self, Encoded, Immediate, InstKind, MachineInst, Memory, OperandIndex, Reg, Rm};
use crate::wide::opcode::{self, Opcode as Machine};

impl Selector<'_> {
    pub(super) fn push(&mut self, kind: InstKind, operands: &[Operand]) {
        let from = self.machine.operands.len();
        self.machine.operands.extend_from_slice(operands);
        self.buffer.push(MachineInst { kind, operands: from..self.machine.operands.len() });
    }

    /// Appends the registers of `right` to `operands`.
    pub(super) fn right(operands: &mut Vec<Operand>, right: RegMem) -> Rm {
        let mut place = |operand: Operand| {
            operands.push(operand);
            (operands.len() - 1) as OperandIndex
        };
        match right {
            RegMem::Register(register) => Rm::Register(place(Operand::reg_use(register))),
            RegMem::Anywhere(register) => Rm::Anywhere(place(Operand::any_use(register))),
            RegMem::Constant(constant) => Rm::Constant(constant),
            RegMem::Memory(Address { base, index, shift, offset }) => {
                let mut place = |register| place(Operand::reg_use(register));
                Rm::Memory(Memory { base: place(base), index: index.map(place), shift, offset })
            }
        }
    }

    /// An instruction that writes a register, from up to two operands.
    pub(super) fn emit(
        &mut self,
        opcode: Machine,
        wide: bool,
        to: VReg,
        second: Option<VReg>,
        right: RegMem,
        immediate: Immediate,
    ) {
        let mut operands = vec![Operand::reg_def(to)];
        operands.extend(second.map(Operand::reg_use));
        let rm = Self::right(&mut operands, right);
        let second = second.map(|_| 1);
        let inst = Encoded { opcode, wide, reg: Reg::Operand(0), second, rm, immediate };
        self.push(InstKind::Encoded(inst), &operands);
    }

    /// An instruction that changes a register, `from` before and `to` after it.
    pub(super) fn change(
        &mut self,
        opcode: Machine,
        wide: bool,
        (to, from): (VReg, VReg),
        second: Option<VReg>,
        right: RegMem,
    ) {
        let mut operands = vec![Operand::reg_reuse_def(to, 1), Operand::reg_use(from)];
        operands.extend(second.map(Operand::reg_use));
        let rm = Self::right(&mut operands, right);
        let second = second.map(|_| 2);
        let inst = Encoded { opcode, wide, reg: Reg::Operand(0), second, rm, immediate: Immediate::None };
        self.push(InstKind::Encoded(inst), &operands);
    }

    /// An instruction that changes a register by an immediate, which its extension tells from others.
    pub(super) fn change_by(
        &mut self,
        (opcode, extension): (Machine, u8),
        (to, from): (VReg, VReg),
        immediate: Immediate,
    ) {
        let operands = [Operand::reg_reuse_def(to, 1), Operand::reg_use(from)];
        let (reg, rm) = (Reg::Extension(extension), Rm::Register(0));
        self.push(InstKind::Encoded(Encoded { opcode, wide: false, reg, second: None, rm, immediate }), &operands);
    }

    /// An instruction whose result is its operand `rm`: a register, and `from` is what it is made from.
    pub(super) fn emit_to_rm(&mut self, opcode: Machine, wide: bool, to: VReg, from: VReg, immediate: Immediate) {
        let operands = [Operand::reg_def(to), Operand::reg_use(from)];
        let (reg, rm) = (Reg::Operand(1), Rm::Register(0));
        self.push(InstKind::Encoded(Encoded { opcode, wide, reg, second: None, rm, immediate }), &operands);
    }

    /// An instruction that only reads: it writes memory, or flags.
    pub(super) fn emit_read(&mut self, opcode: Machine, wide: bool, first: VReg, right: RegMem, immediate: Immediate) {
        let mut operands = vec![Operand::reg_use(first)];
        let rm = Self::right(&mut operands, right);
        let inst = Encoded { opcode, wide, reg: Reg::Operand(0), second: None, rm, immediate };
        self.push(InstKind::Encoded(inst), &operands);
    }

    /// A move to a register of its own.
    pub(super) fn copy(&mut self, to: VReg, from: VReg) {
        match to.class() {
            RegClass::Int => {
                self.emit(opcode::LOAD.with_w(true), false, to, None, RegMem::Register(from), Immediate::None);
            }
            _ => self.emit(opcode::MOVAPS, true, to, None, RegMem::Register(from), Immediate::None),
        }
    }

    /// A general purpose register that must be a certain one there.
    pub(super) fn fixed(register: VReg, number: usize, is_result: bool) -> Operand {
        let place: PReg = machine::general(number);
        if is_result { Operand::reg_fixed_def(register, place) } else { Operand::reg_fixed_use(register, place) }
    }
}
