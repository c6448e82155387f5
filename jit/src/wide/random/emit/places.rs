//! Loads and stores.

use super::*;
use crate::wide::random::memory::{COUNTER, COUNTERS, FROM, SLOTS, TO};
use crate::wide::random::program::MemoryOperand;
use cranelift_codegen::ir::types::{I8X16, I32X4};

/// An address, and what is added to it.
struct Address {
    base: Value,
    offset: i32,
    area: Area,
    shared: bool,
}

impl Emitter<'_, '_> {
    /// The address that an area begins at, an offset from it, and the area itself: one that is there.
    pub(super) fn base(&mut self, area: Area) -> (Value, i32, Area) {
        match (area, self.iteration) {
            (Area::From, Some(Iteration { item, .. })) => (item, FROM, area),
            (Area::To, Some(Iteration { item, reads_back: true, .. })) => (item, TO, area),
            (Area::Scratch, Some(Iteration { storage: Some(storage), .. })) => (storage, 0, area),
            (Area::Outside, None) => (self.e.args, at!(outside), area),
            _ => (self.e.args, at!(shared), Area::Shared),
        }
    }

    /// The address of what may be written; `None` if nothing may.
    pub(super) fn written(&self, area: Area) -> Option<(Value, i32, Area)> {
        match (area, self.iteration) {
            (Area::Scratch, Some(Iteration { storage: Some(storage), .. })) => Some((storage, 0, area)),
            (_, Some(Iteration { item, .. })) => Some((item, TO, Area::To)),
            (_, None) => Some((self.e.args, at!(outside), Area::Outside)),
        }
    }

    /// Slots are accessed as a whole.
    fn is_slot(area: Area) -> bool {
        area == Area::Scratch
    }

    /// The address of a place: sums of all forms that the code generator takes apart.
    fn address(&mut self, place: &MemoryOperand, (base, start, area): (Value, i32, Area)) -> Address {
        let size = area.size() as i32;
        let is_shared = area == Area::Shared;
        if Self::is_slot(area) {
            let offset = start + i32::from(place.offset) % SLOTS as i32 * 16;
            return Address { base, offset, area, shared: false };
        }
        let Some((index, shift, form)) = &place.index else {
            let offset = start + i32::from(place.offset) % (size - 15);
            return Address { base, offset, area, shared: is_shared };
        };
        let shift = shift % 5;
        let mask = 63 >> shift;
        let ty = if form & 1 == 0 { I64 } else { I32 };
        let index = self.exact(index, ty);
        let masked = self.e.b.ins().band_imm_u(index.value, mask);
        let long = if ty == I32 { self.e.b.ins().uextend(I64, masked) } else { masked };
        let long = if shift == 0 { long } else { self.e.b.ins().ishl_imm_u(long, i64::from(shift)) };
        let sum = if form & 2 == 0 { self.e.b.ins().iadd(base, long) } else { self.e.b.ins().iadd(long, base) };
        let offset = start + i32::from(place.offset) % (size - 15 - 63);
        // A part of the offset is added before.
        let early = if form & 4 == 0 { 0 } else { offset / 2 };
        let sum = match (early, form & 8) {
            (0, _) => sum,
            (early, 0) => self.e.b.ins().iadd_imm_u(sum, i64::from(early)),
            (early, _) => {
                let early = self.e.i64(i64::from(early));
                self.e.b.ins().iadd(early, sum)
            }
        };
        Address { base: sum, offset: offset - early, area, shared: is_shared && index.shared }
    }

    pub(super) fn load(&mut self, id: Id, row: &Row, place: &MemoryOperand) {
        let base = self.base(place.area);
        let Address { base, offset, area, shared } = self.address(place, base);
        let is_whole = row.opcode == Opcode::Load && row.ctrl.bytes() == 16;
        if Self::is_slot(area) && !is_whole {
            return;
        }
        if let Some(value) = row.build(&mut self.e.b, &[base], Immediate { offset, bytes: [0; 16] }) {
            self.know(id, value, true, shared);
        }
    }

    pub(super) fn store(&mut self, row: &Row, value: &Operand, place: &MemoryOperand) {
        let Some(base) = self.written(place.area) else { return };
        let [ty, _] = row.args[..] else { return };
        let is_whole = row.opcode == Opcode::Store && ty.is_vector() && ty.bytes() == 16;
        if (Self::is_slot(base.2) || self.mask.is_some()) && !is_whole {
            return;
        }
        let value = self.exact(value, ty).value;
        let Address { base, offset, .. } = self.address(place, base);
        let value = match self.mask {
            Some(mask) => {
                let old = self.e.b.ins().load(ty, flags(), base, offset);
                self.masked(mask, value, old)
            }
            None => value,
        };
        row.build(&mut self.e.b, &[value, base], Immediate { offset, bytes: [0; 16] });
    }

    /// One vector in the lanes of a mask, another one of the same type in the others.
    pub(super) fn masked(&mut self, mask: Value, yes: Value, no: Value) -> Value {
        let ty = self.e.b.func.dfg.value_type(yes);
        let of = if ty == F64X2 { I64X2 } else { ty };
        let [mask, yes, no] = [mask, yes, no].map(|value| self.e.cast(value, of));
        let selected = self.e.b.ins().bitselect(mask, yes, no);
        self.e.cast(selected, ty)
    }

    pub(super) fn store_high(&mut self, value: &Operand, place: &MemoryOperand) {
        let Some(base) = self.written(place.area).filter(|_| self.mask.is_none()) else { return };
        if Self::is_slot(base.2) {
            return;
        }
        let vector = self.exact(value, F64X2).value;
        let Address { base, offset, .. } = self.address(place, base);
        let high = self.e.b.ins().extractlane(vector, 1);
        self.e.b.ins().store(flags(), high, base, offset);
    }

    pub(super) fn count(&mut self, counter: u8, value: &Operand) {
        // What may be stored once more must not be added to.
        let adds = self.iteration.is_some_and(|iteration| iteration.reads_back);
        if !adds || self.mask.is_some() {
            return;
        }
        let offset = at!(counters) + COUNTER * (i32::from(counter) % COUNTERS as i32);
        let value = self.exact(value, I32X4).value;
        let (args, ty) = (self.e.args, I32X4);
        let before = self.e.b.ins().load(ty, flags(), args, offset);
        let sum = self.e.b.ins().iadd(before, value);
        self.e.b.ins().store(flags(), sum, args, offset);
    }

    /// Writes all of an iteration's storage.
    pub(super) fn clear_storage(&mut self) {
        let Some(Iteration { storage: Some(storage), .. }) = self.iteration else { return };
        for slot in 0..SLOTS {
            let value = self.constant([slot as u8; 16], I8X16).value;
            self.e.b.ins().store(flags(), value, storage, 16 * slot as i32);
        }
    }
}
