//! Integers in general purpose registers.

use cranelift_codegen::ir::types::{F32, F64, I8, I16, I32, I64};
use cranelift_codegen::ir::{InstructionData, Opcode, Value};
use regalloc2::VReg;

use super::*;
use crate::wide::opcode::Condition;

impl Selector<'_> {
    /// Makes a scalar.
    pub(super) fn scalar(&mut self, inst: Inst, to: VReg) -> Option<()> {
        let ty = self.ty(self.result(inst));
        let arguments = self.function.dfg.inst_args(inst).to_vec();
        let is_word = ty == I32 || ty == I64;
        match self.data(inst).opcode() {
            Opcode::Iadd if is_word => self.add(to, [arguments[0], arguments[1]], ty),
            Opcode::Isub if is_word => self.alu(to, opcode::SUB, [arguments[0], arguments[1]], ty),
            Opcode::Band if ty.is_int() => self.and_scalar(to, [arguments[0], arguments[1]], ty),
            Opcode::Bor if ty.is_int() => self.alu(to, opcode::OR, [arguments[0], arguments[1]], ty),
            Opcode::Bxor if ty.is_int() => self.alu(to, opcode::XOR, [arguments[0], arguments[1]], ty),
            Opcode::Imul if is_word => self.multiply(to, [arguments[0], arguments[1]], ty),
            Opcode::Bnot if ty.is_int() => self.unary(to, arguments[0], 2, ty),
            Opcode::Ineg if is_word => self.unary(to, arguments[0], 3, ty),
            Opcode::Ishl if is_word => self.shift_scalar(to, [arguments[0], arguments[1]], (opcode::SHLX, 4), ty),
            Opcode::Ushr if is_word => self.shift_scalar(to, [arguments[0], arguments[1]], (opcode::SHRX, 5), ty),
            Opcode::Sshr if is_word => self.shift_scalar(to, [arguments[0], arguments[1]], (opcode::SARX, 7), ty),
            Opcode::Ctz if is_word => self.one_operand(to, arguments[0], opcode::TZCNT.with_w(is_64(ty))),
            Opcode::Clz if is_word => self.one_operand(to, arguments[0], opcode::LZCNT.with_w(is_64(ty))),
            Opcode::Popcnt if is_word => self.one_operand(to, arguments[0], opcode::POPCNT.with_w(is_64(ty))),
            Opcode::Uextend => {
                let extend = match self.ty(arguments[0]) {
                    I8 => opcode::MOVZX_8,
                    I16 => opcode::MOVZX_16,
                    // A move of 32 bits clears the rest.
                    I32 => opcode::LOAD,
                    _ => return None,
                };
                self.one_operand(to, arguments[0], extend)
            }
            Opcode::Sextend => {
                let extend = match self.ty(arguments[0]) {
                    I8 => opcode::MOVSX_8,
                    I16 => opcode::MOVSX_16,
                    I32 => opcode::MOVSX_32,
                    _ => return None,
                };
                self.one_operand(to, arguments[0], extend.with_w(is_64(ty)))
            }
            Opcode::Uload8 | Opcode::Sload8 | Opcode::Uload16 | Opcode::Sload16 | Opcode::Uload32 | Opcode::Sload32 => {
                self.load_extended(to, inst, ty)
            }
            Opcode::Bitcast => self.cast_scalar(to, arguments[0], ty),
            Opcode::Icmp | Opcode::VanyTrue | Opcode::VallTrue => {
                let condition = self.condition(self.result(inst))?;
                let inst = Encoded {
                    opcode: opcode::SETCC.with_condition(condition),
                    wide: false,
                    reg: Reg::Extension(0),
                    second: None,
                    rm: Rm::Register(0),
                    immediate: Immediate::None,
                };
                self.push(InstKind::Encoded(inst), &[Operand::reg_def(to)]);
                Some(())
            }
            Opcode::Select if ty.is_int() => {
                let [yes, no] = [arguments[1], arguments[2]].map(|value| self.register(value));
                let condition = self.condition(arguments[0])?;
                let select = opcode::CMOVCC.with_condition(condition).with_w(is_64(ty));
                self.change(select, false, (to, no), None, RegMem::Register(yes));
                Some(())
            }
            Opcode::Smin | Opcode::Smax | Opcode::Umin | Opcode::Umax if is_word => self.extremum(to, inst, ty),
            _ => None,
        }
    }

    fn one_operand(&mut self, to: VReg, value: Value, opcode: Machine) -> Option<()> {
        let value = self.register(value);
        self.emit(opcode, false, to, None, RegMem::Register(value), Immediate::None);
        Some(())
    }

    /// An addition that leaves its operands as they are.
    fn add(&mut self, to: VReg, [a, b]: [Value; 2], ty: Type) -> Option<()> {
        let (base, index, offset) = match (self.immediate(a, ty), self.immediate(b, ty)) {
            (_, Some(b)) => (self.register(a), None, b),
            (Some(a), None) => (self.register(b), None, a),
            (None, None) => (self.register(a), Some(self.register(b)), 0),
        };
        let sum = RegMem::Memory(Address { base, index, shift: 0, offset });
        self.emit(opcode::LEA.with_w(is_64(ty)), false, to, None, sum, Immediate::None);
        Some(())
    }

    /// The operand of an instruction with an immediate: what sign-extends to the bits of `ty`.
    pub(super) fn immediate(&self, value: Value, ty: Type) -> Option<i32> {
        let value = self.integer(value)?;
        if is_64(ty) { i32::try_from(value).ok() } else { Some(value as i32) }
    }

    fn alu(&mut self, to: VReg, opcode: Machine, [a, b]: [Value; 2], ty: Type) -> Option<()> {
        let from = self.register(a);
        if let Some(immediate) = self.immediate(b, ty) {
            let by = opcode::ALU_IMMEDIATE.with_w(is_64(ty));
            self.change_by((by, opcode.immediate_extension()), (to, from), Immediate::Word(immediate));
        } else {
            let b = self.register(b);
            self.change(opcode.with_w(is_64(ty)), false, (to, from), None, RegMem::Register(b));
        }
        Some(())
    }

    /// An intersection, with the complement of an operand if it is made by a `bnot`.
    fn and_scalar(&mut self, to: VReg, [a, b]: [Value; 2], ty: Type) -> Option<()> {
        let Some([inverted]) = self.made_by(b, Opcode::Bnot) else { return self.alu(to, opcode::AND, [a, b], ty) };
        let [a, inverted] = [a, inverted].map(|value| self.register(value));
        self.emit(opcode::ANDN.with_w(is_64(ty)), false, to, Some(inverted), RegMem::Register(a), Immediate::None);
        Some(())
    }

    fn multiply(&mut self, to: VReg, [a, b]: [Value; 2], ty: Type) -> Option<()> {
        if let Some(immediate) = self.immediate(b, ty) {
            let (a, by) = (self.register(a), opcode::IMUL_IMMEDIATE.with_w(is_64(ty)));
            self.emit(by, false, to, None, RegMem::Register(a), Immediate::Word(immediate));
        } else {
            let [a, b] = [a, b].map(|value| self.register(value));
            self.change(opcode::IMUL.with_w(is_64(ty)), false, (to, a), None, RegMem::Register(b));
        }
        Some(())
    }

    fn unary(&mut self, to: VReg, value: Value, extension: u8, ty: Type) -> Option<()> {
        let from = self.register(value);
        self.change_by((opcode::UNARY.with_w(is_64(ty)), extension), (to, from), Immediate::None);
        Some(())
    }

    /// A shift; the processor takes the count modulo the width, as CLIF does.
    fn shift_scalar(
        &mut self,
        to: VReg,
        [value, count]: [Value; 2],
        (by_register, extension): (Machine, u8),
        ty: Type,
    ) -> Option<()> {
        let from = self.register(value);
        if let Some(count) = self.integer(count) {
            let count = Immediate::Byte(count as u8 & (ty.bits() - 1) as u8);
            self.change_by((opcode::SHIFT.with_w(is_64(ty)), extension), (to, from), count);
            return Some(());
        }
        let count = self.register(count);
        let operands = [Operand::reg_def(to), Operand::reg_use(from), Operand::reg_use(count)];
        let inst = Encoded {
            opcode: by_register.with_w(is_64(ty)),
            wide: false,
            reg: Reg::Operand(0),
            second: Some(2),
            rm: Rm::Register(1),
            immediate: Immediate::None,
        };
        self.push(InstKind::Encoded(inst), &operands);
        Some(())
    }

    fn load_extended(&mut self, to: VReg, inst: Inst, ty: Type) -> Option<()> {
        let opcode = match self.data(inst).opcode() {
            Opcode::Uload8 => opcode::MOVZX_8,
            Opcode::Uload16 => opcode::MOVZX_16,
            Opcode::Uload32 => opcode::LOAD,
            Opcode::Sload8 => opcode::MOVSX_8.with_w(is_64(ty)),
            Opcode::Sload16 => opcode::MOVSX_16.with_w(is_64(ty)),
            Opcode::Sload32 => opcode::MOVSX_32.with_w(true),
            _ => return None,
        };
        let address = self.accessed(inst)?;
        self.emit(opcode, false, to, None, RegMem::Memory(address), Immediate::None);
        Some(())
    }

    /// The bits of a scalar in a register of the other kind.
    fn cast_scalar(&mut self, to: VReg, value: Value, ty: Type) -> Option<()> {
        let from = self.register(value);
        match (self.ty(value), ty) {
            (I32 | I64, F32 | F64) => {
                let opcode = opcode::MOVD_FROM.with_w(ty == F64);
                self.emit(opcode, false, to, None, RegMem::Register(from), Immediate::None);
            }
            (F32 | F64, I32 | I64) => {
                self.emit_to_rm(opcode::MOVD_TO.with_w(is_64(ty)), false, to, from, Immediate::None);
            }
            (a, b) if a == b => self.copy(to, from),
            _ => return None,
        }
        Some(())
    }

    fn extremum(&mut self, to: VReg, inst: Inst, ty: Type) -> Option<()> {
        let InstructionData::Binary { opcode, args, .. } = *self.data(inst) else { return None };
        let [a, b] = args.map(|value| self.register(value));
        let condition = match opcode {
            Opcode::Smin => Condition::Less,
            Opcode::Smax => Condition::Greater,
            Opcode::Umin => Condition::Below,
            Opcode::Umax => Condition::Above,
            _ => return None,
        };
        self.emit_read(opcode::CMP.with_w(is_64(ty)), false, a, RegMem::Register(b), Immediate::None);
        let select = opcode::CMOVCC.with_condition(condition).with_w(is_64(ty));
        self.change(select, false, (to, b), None, RegMem::Register(a));
        Some(())
    }
}
