//! Geometry units: EMIT, SETEMIT, and registers that keep their values from one primitive to the next.
//!
//! An EMIT stores a record in each lane and a byte in a log; the caller reads from the log which vertices are
//! triangles. The banks of output registers change places while compiling: it is the names of values that are
//! exchanged.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F32, I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::geometry::GeometryRegisters;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::pica::isa::SetEmit;

use super::Lower;
use super::args::{EmitEntry, GeometryArgs, Pointer};
use super::live::Live;
use super::registers::Register;
use super::tracked::TrackedValue;
use crate::lane::{F32x4, I32x4, Mask, memory};

/// Offset of a component in [`GeometryRegisters`].
fn place(of: Register, component: usize) -> i32 {
    const BANK: usize = size_of::<[[f32; 4]; 16]>();
    let (file, n) = match of {
        Register::Temp(n) => (offset_of!(GeometryRegisters, temporaries), n),
        Register::Output(n) => (offset_of!(GeometryRegisters, outputs), n),
        Register::Other(n) => (offset_of!(GeometryRegisters, outputs) + BANK, n),
    };
    (file + 16 * usize::from(n & 15) + 4 * component) as i32
}

const ADDRESS: usize = offset_of!(GeometryRegisters, address);
const COUNTER: usize = offset_of!(GeometryRegisters, loop_counter);
const FLAGS: usize = offset_of!(GeometryRegisters, flags);

impl Lower<'_, '_> {
    /// What SETEMIT says.
    pub fn set_emit(&mut self, setting: SetEmit) {
        self.file.setting = Some(setting);
        if let Some(variables) = &self.variables {
            let setting = self.e.i32(EmitEntry::new(setting).0.into());
            self.e.b.def_var(variables.setting, setting);
        }
    }

    /// What SETEMIT said last, as the log has it.
    fn setting(&mut self) -> Value {
        match (self.file.setting, &self.variables) {
            (Some(setting), _) => self.e.i32(EmitEntry::new(setting).0.into()),
            (None, Some(variables)) if !self.file.start => self.e.b.use_var(variables.setting),
            _ => self.initial_setting(),
        }
    }

    /// The number of EMITs so far.
    fn emitted(&mut self) -> Value {
        match &self.variables {
            Some(variables) => self.e.b.use_var(variables.emitted),
            None => self.e.i32(self.file.emitted as i32),
        }
    }

    /// Stores a vertex of each lane and exchanges the banks; `live` is what is live after it.
    pub fn emit(&mut self, live: &Live) {
        self.note_exports();
        let (args, number) = (self.e.args, self.emitted());
        self.leave_if_full(number);
        let stride = 4 * self.source.outputs.stride() as i64;
        let offset = self.e.b.ins().uextend(I64, number);
        let offset = self.e.b.ins().imul_imm_u(offset, stride);
        let lanes = if self.source.is_sequential() { 1 } else { 4 };
        let rows: Vec<(Value, i32)> = (0..lanes)
            .map(|lane| {
                let records = self.e.load_i64(args, GeometryArgs::lane(lane));
                (self.e.b.ins().iadd(records, offset), 0)
            })
            .collect();
        let codes = self.vertex(&rows);
        let codes_at = self.e.load_i64(args, GeometryArgs::CODES);
        let codes_at = self.e.address(codes_at, number, 2);
        self.e.store(codes, codes_at, 0);
        let (log, setting) = (self.e.load_i64(args, GeometryArgs::LOG), self.setting());
        let log = self.e.address(log, number, 0);
        self.e.b.ins().istore8(memory(), setting, log, 0);
        self.file.emitted += 1;
        if let Some(variables) = &self.variables {
            let next = self.e.b.ins().iadd_imm_s(number, 1);
            self.e.b.def_var(variables.emitted, next);
        }
        self.exchange(live);
    }

    /// Leaves the kernel when there is no room for another vertex. Where nothing is repeated the caller has given room
    /// for every EMIT there is.
    fn leave_if_full(&mut self, number: Value) {
        if !self.source.graph.cyclic {
            return;
        }
        let args = self.e.args;
        let capacity = self.e.load_i32(args, GeometryArgs::CAPACITY);
        let room = self.e.b.ins().icmp(IntCC::UnsignedLessThan, number, capacity);
        let (fine, full) = (self.e.block(&[]), self.exits.full);
        self.e.branch(room, (fine, &[]), (full, &[]));
        self.e.b.seal_block(fine);
        self.e.switch_to(fine);
    }

    /// Exchanges the banks.
    fn exchange(&mut self, live: &Live) {
        // Variables do not change places: what matters has to be known here.
        let after = Live { outputs: live.others, others: live.outputs, ..Live::default() };
        for (of, component) in after.components() {
            self.register(of, component);
        }
        let file = &mut self.file;
        std::mem::swap(&mut file.outputs, &mut file.others);
        (file.dirty.outputs, file.dirty.others) = (live.outputs, live.others);
    }

    /// Ends the run of a primitive: registers that outlive it are stored, the status is the number of vertices.
    pub fn end_primitive(&mut self) {
        let kept = self.source.kept;
        let numbers: Vec<_> =
            kept.components().map(|(of, component)| (of, component, self.register(of, component))).collect();
        let doubtful: Vec<TrackedValue> =
            numbers.iter().map(|(.., number)| *number).filter(|number| !number.clean).collect();
        self.note_all(&doubtful);
        let address = [0, 1].map(|i| kept.address[i].then(|| self.address(i)));
        let flags = [0, 1].map(|i| kept.flags[i].then(|| self.flag(i)));
        let (counter, setting, emitted) = (kept.counter.then(|| self.counter()), self.setting(), self.emitted());
        self.leave_if_doubtful();
        // Nothing was stored before and nothing is read any more.
        for (of, component, number) in numbers {
            let scalar = self.e.b.ins().extractlane(number.value.0, 0);
            debug_assert_eq!(self.e.b.func.dfg.value_type(scalar), F32);
            self.store_register(scalar, place(of, component));
        }
        for (i, offset) in address.into_iter().enumerate() {
            if let Some(offset) = offset {
                let offset = self.e.lane(offset, 0);
                self.store_register(offset, (ADDRESS + 4 * i) as i32);
            }
        }
        for (i, flag) in flags.into_iter().enumerate() {
            if let Some(flag) = flag {
                let flag = self.e.lane(I32x4(flag.0), 0);
                let flag = self.e.b.ins().band_imm_u(flag, 1);
                let base = self.pointer(Pointer::Registers);
                self.e.b.ins().istore8(memory(), flag, base, (FLAGS + i) as i32);
            }
        }
        if let Some(counter) = counter {
            self.store_register(counter, COUNTER as i32);
        }
        let args = self.e.args;
        self.e.store(setting, args, GeometryArgs::SETTING);
        let status = self.e.b.ins().uextend(I64, emitted);
        self.e.finish(status);
    }

    fn store_register(&mut self, value: Value, offset: i32) {
        let base = self.pointer(Pointer::Registers);
        self.e.store(value, base, offset);
    }

    /// A component of a register at the program's start: of a geometry unit what was left there, else 0.
    pub fn initial(&mut self, of: Register, component: usize) -> F32x4 {
        if !self.source.is_geometry() {
            return self.e.f(0.0);
        }
        let base = self.pointer(Pointer::Registers);
        self.e.load_splat_f32(base, place(of, component))
    }

    /// As [`Self::initial`], cmp.x or cmp.y.
    pub fn initial_flag(&mut self, number: usize) -> Mask {
        if !self.source.is_geometry() {
            return Mask(self.e.i(0).0);
        }
        let base = self.pointer(Pointer::Registers);
        let flag = self.e.b.ins().uload8(I32, memory(), base, (FLAGS + number) as i32);
        let flag = self.e.b.ins().ineg(flag);
        Mask(self.e.splat_i32(flag).0)
    }

    /// As [`Self::initial`], a0.x or a0.y. Offsets beyond 8 bits count as 0.
    pub fn initial_address(&mut self, number: usize) -> I32x4 {
        if !self.source.is_geometry() {
            return self.e.i(0);
        }
        let base = self.pointer(Pointer::Registers);
        let offset = self.e.load_i32(base, (ADDRESS + 4 * number) as i32);
        let shifted = self.e.b.ins().iadd_imm_u(offset, 128);
        let inside = self.e.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, shifted, 256);
        let zero = self.e.i32(0);
        let offset = self.e.b.ins().select(inside, offset, zero);
        self.e.splat_i32(offset)
    }

    /// As [`Self::initial`], aL.
    pub fn initial_counter(&mut self) -> Value {
        if !(self.source.is_geometry() && self.source.reads_counter) {
            return self.e.i32(0);
        }
        let base = self.pointer(Pointer::Registers);
        self.e.load_i32(base, COUNTER as i32)
    }

    /// As [`Self::initial`], what SETEMIT said last.
    pub fn initial_setting(&mut self) -> Value {
        if !self.source.is_geometry() {
            return self.e.i32(0);
        }
        let args = self.e.args;
        self.e.load_i32(args, GeometryArgs::SETTING)
    }
}
