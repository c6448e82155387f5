//! Memory: addresses, loads, stores.

use cranelift_codegen::ir::types::{F32, F64, I8, I16, I64};
use cranelift_codegen::ir::{Inst, InstructionData, Opcode, Value};
use regalloc2::VReg;

use super::*;

impl Selector<'_> {
    /// The address that an instruction accesses.
    pub(super) fn accessed(&mut self, inst: Inst) -> Option<Address> {
        let offset = self.data(inst).load_store_offset()?;
        let address = *self.function.dfg.inst_args(inst).last()?;
        Some(self.address(address, offset))
    }

    /// An address as the processor adds it up: a register, another one shifted by up to three bits, a distance.
    fn address(&mut self, address: Value, offset: i32) -> Address {
        let (mut base, mut offset) = (self.root(address), offset);
        let mut index = None;
        // Each step takes one addition apart.
        for _ in 0..4 {
            let Some([a, b]) = self.sum(base) else { break };
            if let Some(sum) = self.distance(b).and_then(|distance| offset.checked_add(distance)) {
                (base, offset) = (a, sum);
            } else if let Some(sum) = self.distance(a).and_then(|distance| offset.checked_add(distance)) {
                (base, offset) = (b, sum);
            } else if index.is_some() {
                break;
            } else if let Some(shifted) = self.shifted(b) {
                (base, index) = (a, Some(shifted));
            } else if let Some(shifted) = self.shifted(a) {
                (base, index) = (b, Some(shifted));
            } else {
                (base, index) = (a, Some((b, 0)));
            }
        }
        // So that what lies next to each other has the same registers.
        while let Some((sum, shift)) = index
            && let Some([value, distance]) = self.sum(sum)
            && let Some(distance) = self.distance(distance).and_then(|distance| distance.checked_mul(1 << shift))
            && let Some(sum) = offset.checked_add(distance)
        {
            (index, offset) = (Some((value, shift)), sum);
        }
        let shift = index.map_or(0, |(_, shift)| shift);
        let base = self.register(base);
        Address { base, index: index.map(|(value, _)| self.register(value)), shift, offset }
    }

    /// The summands of an address.
    fn sum(&self, value: Value) -> Option<[Value; 2]> {
        self.made_by(value, Opcode::Iadd).filter(|_| self.ty(value) == I64)
    }

    fn distance(&self, value: Value) -> Option<i32> {
        self.integer(value).and_then(|value| i32::try_from(value).ok())
    }

    /// What is shifted by 1 to 3 bits, and by how many.
    fn shifted(&self, value: Value) -> Option<(Value, u8)> {
        let [shifted, by] = self.made_by(value, Opcode::Ishl).filter(|_| self.ty(value) == I64)?;
        let by = self.integer(by).filter(|by| (1..=3).contains(by))?;
        Some((shifted, by as u8))
    }

    /// The address of a value that is loaded for `user` alone, in the same block, and not changed before it.
    pub(super) fn loaded_for(&mut self, user: Inst, value: Value) -> Option<Address> {
        let (load, opcode) = self.definition(value)?;
        let layout = &self.function.layout;
        let is_same = layout.inst_block(load) == layout.inst_block(user) && self.writes[load] == self.writes[user];
        if opcode != Opcode::Load || self.uses[value] != 1 || !is_same {
            return None;
        }
        self.accessed(load)
    }

    pub(super) fn load(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let first = operation.first;
        let ty = self.ty(self.result(first));
        let address = self.accessed(first)?;
        let opcode = match self.data(first).opcode() {
            Opcode::Uload16x4 => opcode::PMOVZXWD,
            _ if ty.is_vector() && ty.bits() == 128 => opcode::MOVUPS_LOAD,
            _ if ty == F32 => opcode::MOVSS_LOAD,
            _ if ty == F64 => opcode::MOVSD_LOAD,
            _ if ty == I8 => opcode::MOVZX_8,
            _ if ty == I16 => opcode::MOVZX_16,
            _ if ty.is_int() => opcode::LOAD.with_w(is_64(ty)),
            _ => return None,
        };
        let Some(second) = operation.second else {
            self.emit(opcode, false, to, None, RegMem::Memory(address), Immediate::None);
            return Some(());
        };
        let second = self.accessed(second)?;
        if opcode == opcode::MOVUPS_LOAD && second.follows(address) {
            self.emit(opcode, true, to, None, RegMem::Memory(address), Immediate::None);
            return Some(());
        }
        let lower = self.new_vector();
        self.emit(opcode, false, lower, None, RegMem::Memory(address), Immediate::None);
        self.emit(opcode::INSERTF128, true, to, Some(lower), RegMem::Memory(second), Immediate::Byte(1));
        Some(())
    }

    /// Makes a value in both halves of a vector if there is an instruction for that. Returns whether there was.
    pub(super) fn doubled_value(&mut self, operation: Operation, to: VReg) -> bool {
        let ty = self.ty(self.result(operation.first));
        match self.data(operation.first).opcode() {
            Opcode::Load if ty.is_vector() => {
                let Some(address) = self.accessed(operation.first) else { return false };
                self.emit(opcode::BROADCASTF128, true, to, None, RegMem::Memory(address), Immediate::None);
                true
            }
            Opcode::Splat => self.splat(operation.first, true, to).is_some(),
            Opcode::Vconst => {
                let Some(bytes) = self.vector_constant(self.result(operation.first)) else { return false };
                let constant = self.constant(bytes);
                self.emit(opcode::MOVUPS_LOAD, true, to, None, RegMem::Constant(constant), Immediate::None);
                true
            }
            _ => false,
        }
    }

    /// The vector whose second lane of 64 bits a value is.
    fn second_double(&self, value: Value) -> Option<Value> {
        let (inst, _) = self.definition(value)?;
        match *self.data(inst) {
            InstructionData::BinaryImm8 { opcode: Opcode::Extractlane, arg, imm: 1 } if self.ty(value) == F64 => {
                Some(arg)
            }
            _ => None,
        }
    }

    /// Stores the vectors of both iterations with one store of 256 bits, if their addresses are adjacent. A load of 256
    /// bits cannot be forwarded from two stores of 128. Returns whether they are adjacent.
    pub(super) fn store_both(&mut self, first: Inst, second: Inst) -> bool {
        let [Some(lower), Some(upper)] = [first, second].map(|inst| self.accessed(inst)) else { return false };
        let [lower_value, upper_value] = [first, second].map(|inst| self.function.dfg.inst_args(inst)[0]);
        let ty = self.ty(lower_value);
        if !ty.is_vector() || ty.bits() != 128 || !upper.follows(lower) {
            return false;
        }
        let register = self.both(lower_value, upper_value);
        self.emit_read(opcode::MOVUPS_STORE, true, register, RegMem::Memory(lower), Immediate::None);
        true
    }

    pub(super) fn store(&mut self, inst: Inst) -> Option<()> {
        let InstructionData::Store { opcode, args: [value, _], .. } = *self.data(inst) else { return None };
        let address = self.accessed(inst)?;
        let value = self.root(value);
        let ty = self.function.dfg.value_type(self.function.dfg.inst_args(inst)[0]);
        if ty.is_vector()
            && let Some(Half { wide, upper: true }) = self.halves.get(value)
            && self.narrow[value].is_none()
        {
            self.halves.need_together(wide);
            let wide = self.wide_register(wide);
            let memory = RegMem::Memory(address);
            self.emit_read(opcode::EXTRACTF128, true, wide, memory, Immediate::Byte(1));
            return Some(());
        }
        if let Some(vector) = self.second_double(value) {
            let vector = self.register(vector);
            self.emit_read(opcode::MOVHPS_STORE, false, vector, RegMem::Memory(address), Immediate::None);
            return Some(());
        }
        let store = match opcode {
            Opcode::Istore8 => opcode::STORE_8,
            Opcode::Istore16 => opcode::STORE_16,
            Opcode::Istore32 => opcode::STORE,
            _ if ty.is_vector() && ty.bits() == 128 => opcode::MOVUPS_STORE,
            _ if ty == F32 => opcode::MOVSS_STORE,
            _ if ty == F64 => opcode::MOVSD_STORE,
            _ if ty == I8 => opcode::STORE_8,
            _ if ty == I16 => opcode::STORE_16,
            _ if ty.is_int() && !ty.is_vector() => opcode::STORE.with_w(is_64(ty)),
            _ => return None,
        };
        let value = self.register(value);
        self.emit_read(store, false, value, RegMem::Memory(address), Immediate::None);
        Some(())
    }
}
