//! Lane insertion and extraction.

use cranelift_codegen::ir::types::{F32, F32X4, F64, I8X16, I32X4, I64X2};
use cranelift_codegen::ir::{InstructionData, Opcode};
use regalloc2::VReg;

use super::*;

impl Selector<'_> {
    pub(super) fn lanes(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let first = operation.first;
        match self.data(first).opcode() {
            Opcode::Splat => {
                let Some(second) = operation.second else { return self.splat(first, false, to) };
                let [lower, upper] = [self.new_vector(), self.new_vector()];
                self.splat(first, false, lower)?;
                self.splat(second, false, upper)?;
                self.join(to, lower, upper);
                Some(())
            }
            Opcode::ScalarToVector => self.first_lane(first, to),
            Opcode::Insertlane => self.insert(first, to),
            Opcode::Extractlane => self.extract(first, to),
            Opcode::VhighBits => self.high_bits(first, to),
            _ => None,
        }
    }

    /// A scalar in all lanes.
    pub(super) fn splat(&mut self, inst: Inst, wide: bool, to: VReg) -> Option<()> {
        let scalar = self.function.dfg.inst_args(inst)[0];
        let ty = self.ty(scalar);
        let lanes = lane_index(ty);
        let memory = if lanes >= 2 { self.loaded_for(inst, scalar) } else { None };
        let double = if wide { opcode::BROADCASTSD } else { opcode::MOVDDUP };
        let opcode = match ty {
            F32 => opcode::BROADCASTSS,
            F64 => double,
            _ => opcode::PBROADCAST[lanes],
        };
        let right = match memory {
            Some(address) => RegMem::Memory(address),
            None if ty.is_float() => RegMem::Register(self.register(scalar)),
            None => {
                let (scalar, moved) = (self.register(scalar), self.new_vector());
                let move_to = opcode::MOVD_FROM.with_w(is_64(ty));
                self.emit(move_to, false, moved, None, RegMem::Register(scalar), Immediate::None);
                RegMem::Register(moved)
            }
        };
        self.emit(opcode, wide, to, None, right, Immediate::None);
        Some(())
    }

    /// A scalar in the first lane, zeros in the others.
    fn first_lane(&mut self, inst: Inst, to: VReg) -> Option<()> {
        let scalar = self.function.dfg.inst_args(inst)[0];
        let ty = self.ty(scalar);
        if let Some(address) = self.loaded_for(inst, scalar) {
            let load = match ty.bits() {
                32 => opcode::MOVSS_LOAD,
                64 => opcode::MOVSD_LOAD,
                _ => return None,
            };
            self.emit(load, false, to, None, RegMem::Memory(address), Immediate::None);
            return Some(());
        }
        let from = self.register(scalar);
        match ty {
            F32 => {
                // Clears the lanes of its lowest four bits.
                let clear = Immediate::Byte(0b1110);
                self.emit(opcode::INSERTPS, false, to, Some(from), RegMem::Register(from), clear);
            }
            F64 => {
                let zero = self.new_vector();
                self.zero(zero);
                self.emit(opcode::MOVSD_LOAD, false, to, Some(zero), RegMem::Register(from), Immediate::None);
            }
            _ if ty.bits() >= 32 => {
                let move_to = opcode::MOVD_FROM.with_w(is_64(ty));
                self.emit(move_to, false, to, None, RegMem::Register(from), Immediate::None);
            }
            _ => return None,
        }
        Some(())
    }

    fn insert(&mut self, inst: Inst, to: VReg) -> Option<()> {
        let InstructionData::TernaryImm8 { args: [vector, scalar], imm, .. } = *self.data(inst) else { return None };
        let ty = self.ty(scalar);
        let memory = self.loaded_for(inst, scalar);
        let vector = self.register(vector);
        let right = match memory {
            Some(address) => RegMem::Memory(address),
            None => RegMem::Register(self.register(scalar)),
        };
        let (opcode, immediate) = match (ty, imm, right) {
            // From memory, the whole vector would have to be there.
            (F64, 0, RegMem::Register(_)) => (opcode::MOVSD_LOAD, Immediate::None),
            (F64, 1, RegMem::Register(_)) => (opcode::packed(opcode::UNPCKLP, true), Immediate::None),
            // These take the half that they keep from a register, the other one from memory.
            (F64, 0, RegMem::Memory(_)) => (opcode::MOVLPS, Immediate::None),
            (F64, _, _) => (opcode::MOVHPS, Immediate::None),
            (F32, lane, _) => (opcode::INSERTPS, Immediate::Byte(lane << 4)),
            (_, lane, _) => (opcode::PINSR[lane_index(ty)], Immediate::Byte(lane)),
        };
        self.emit(opcode, false, to, Some(vector), right, immediate);
        Some(())
    }

    fn extract(&mut self, inst: Inst, to: VReg) -> Option<()> {
        let InstructionData::BinaryImm8 { arg, imm, .. } = *self.data(inst) else { return None };
        let ty = self.ty(self.result(inst));
        let vector = self.register(arg);
        match (ty, imm) {
            (F32, lane) => {
                self.emit(opcode::PERMILPS, false, to, None, RegMem::Register(vector), Immediate::Byte(lane));
            }
            (F64, _) => {
                let unpack = opcode::packed(opcode::UNPCKHP, true);
                self.emit(unpack, false, to, Some(vector), RegMem::Register(vector), Immediate::None);
            }
            (_, 0) if ty.bits() >= 32 => {
                self.emit_to_rm(opcode::MOVD_TO.with_w(is_64(ty)), false, to, vector, Immediate::None);
            }
            (_, lane) => self.emit_to_rm(opcode::PEXTR[lane_index(ty)], false, to, vector, Immediate::Byte(lane)),
        }
        Some(())
    }

    /// The highest bit of each lane, as an integer.
    fn high_bits(&mut self, inst: Inst, to: VReg) -> Option<()> {
        let vector = self.function.dfg.inst_args(inst)[0];
        let opcode = match self.ty(vector) {
            F32X4 | I32X4 => opcode::MOVMSKPS,
            I64X2 => opcode::MOVMSKPD,
            I8X16 => opcode::PMOVMSKB,
            _ => return None,
        };
        let vector = self.register(vector);
        self.emit(opcode, false, to, None, RegMem::Register(vector), Immediate::None);
        Some(())
    }
}
