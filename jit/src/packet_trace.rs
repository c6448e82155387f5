//! Packet traces: words copied four at a time, and one store for all dirty groups.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::collections::BTreeMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{InstBuilder, Type, Value};
use triglyph_guest::kernel::packet_trace::{PacketTraceKernel, PacketTraceKey, Store, TraceRegisters};
use triglyph_guest::kernel::{MachineCode, Unsupported};

use crate::code::{Code, Compiler};
use crate::lane::{Emit, memory};

/// Longer traces are unsupported.
const MAX_SIZE: usize = 1 << 14;

/// Arguments of the code: addresses of [`WORDS`], [`REGISTERS`], [`COPIES`] and [`DIRTY`] groups.
type TraceArgs = [*const Cell<u32>; 4];

const WORDS: usize = 0;
const REGISTERS: usize = 1;
const COPIES: usize = 2;
const DIRTY: usize = 3;

/// A packet trace as machine code.
pub(crate) struct CompiledTrace {
    code: Code<TraceArgs>,
    /// Its key without the stores.
    key: PacketTraceKey,
}

impl CompiledTrace {
    pub fn new(compiler: &Compiler, key: &PacketTraceKey) -> Result<Self, Unsupported> {
        let stored = key.stored();
        if !key.is_sound() || stored.max(key.words as usize).max(key.registers as usize) > MAX_SIZE {
            return Err(Unsupported("a packet trace that is too long, or not sound"));
        }
        let code = compiler.compile(stored as u32, |e| {
            let args = e.args;
            let addresses = std::array::from_fn(|i| e.load_i64(args, 8 * i as i32));
            Lower { e, copies: key.copies, addresses, always: 0, changed: BTreeMap::new() }.stores(&key.stores);
            Ok(())
        })?;
        Ok(CompiledTrace { code, key: PacketTraceKey { stores: Vec::new(), ..*key } })
    }
}

impl PacketTraceKernel for CompiledTrace {
    fn run(&self, words: &[u32], target: TraceRegisters<'_>) -> Result<(), Unsupported> {
        if !self.key.fits(words, target) {
            return Err(Unsupported("words or registers that are not there"));
        }
        let TraceRegisters { registers, copies, dirty } = target;
        let mut args: TraceArgs = [words.as_ptr().cast(), registers.as_ptr(), copies.as_ptr(), dirty];
        // SAFETY: the key is sound, so indices of words and registers are below the lengths that were compared;
        // registers, copies and groups are cells of this thread.
        unsafe { self.code.call(&raw mut args) };
        Ok(())
    }

    fn code(&self) -> MachineCode {
        self.code.made()
    }
}

struct Lower<'e, 'a> {
    e: &'e mut Emit<'a>,
    copies: bool,
    addresses: [Value; 4],
    /// Groups that are dirty in any case.
    always: u32,
    /// Others, and whether they are vectors of four: changed bits of their registers.
    changed: BTreeMap<(u32, bool), Value>,
}

impl Lower<'_, '_> {
    fn load(&mut self, ty: Type, base: usize, index: u32) -> Value {
        self.e.b.ins().load(ty, memory(), self.addresses[base], 4 * index as i32)
    }

    /// Stores words: four at a time, two where they are only copied, or one.
    fn stores(mut self, stores: &[Store]) {
        for &Store { at, field: (shift, bits), register, mask, ref groups } in stores {
            let mut done = 0;
            while done < groups.len() {
                let rest = &groups[done..];
                let copied = mask == u32::MAX && (self.copies || rest.iter().take(2).all(|&groups| groups == 0));
                let (count, ty) = match rest.len() {
                    4.. => (4, I32X4),
                    2.. if copied => (2, I64),
                    _ => (1, I32),
                };
                let mut value = self.load(ty, WORDS, at + done as u32);
                if bits != 32 {
                    value = self.e.b.ins().ushr_imm_u(value, i64::from(shift));
                    value = self.e.b.ins().band_imm_u(value, (1 << bits) - 1);
                }
                self.store(ty, value, register + done as u32, mask, &rest[..count]);
                done += count;
            }
        }
        self.finish();
    }

    /// Stores the bits of a value under `mask` in registers of these groups, and in their copies.
    fn store(&mut self, ty: Type, mut value: Value, register: u32, mask: u32, groups: &[u32]) {
        let any = groups.iter().fold(0, |any, groups| any | groups);
        let watched = !self.copies && any != 0;
        if !watched {
            self.always |= any;
        }
        let mut changed = None;
        if watched || mask != u32::MAX {
            let old = self.load(ty, REGISTERS, register);
            let mut bits = self.e.b.ins().bxor(value, old);
            if mask != u32::MAX {
                let mask = self.lanes(ty, [mask; 4]);
                bits = self.e.b.ins().band(bits, mask);
                value = self.e.b.ins().bxor(old, bits);
            }
            changed = Some(bits);
        }
        for base in if self.copies { &[REGISTERS, COPIES][..] } else { &[REGISTERS] } {
            self.e.store(value, self.addresses[*base], 4 * register as i32);
        }
        if let Some(bits) = changed.filter(|_| watched) {
            self.watch(ty, bits, groups);
        }
    }

    /// Notes the changed bits of registers for their groups.
    fn watch(&mut self, ty: Type, bits: Value, groups: &[u32]) {
        let mut noted = vec![0];
        for &one in groups {
            if noted.contains(&one) {
                continue;
            }
            noted.push(one);
            let mut bits = bits;
            if groups.iter().any(|&other| other != one) {
                let lanes = std::array::from_fn(|lane| if groups[lane] == one { u32::MAX } else { 0 });
                let lanes = self.lanes(ty, lanes);
                bits = self.e.b.ins().band(bits, lanes);
            }
            let key = (one, ty == I32X4);
            let sum = self.changed.get(&key).map_or(bits, |&sum| self.e.b.ins().bor(sum, bits));
            self.changed.insert(key, sum);
        }
    }

    /// A constant word, or four of them.
    fn lanes(&mut self, ty: Type, words: [u32; 4]) -> Value {
        if ty == I32X4 { self.e.ints(words.map(|word| word as i32)).0 } else { self.e.i32(words[0] as i32) }
    }

    /// Adds the dirty groups to the machine's, and returns.
    fn finish(mut self) {
        let mut sum = self.load(I32, DIRTY, 0);
        sum = self.e.b.ins().bor_imm_u(sum, i64::from(self.always));
        for ((groups, vectors), bits) in std::mem::take(&mut self.changed) {
            let (groups, zero) = (self.e.i32(groups as i32), self.e.i32(0));
            let changed = match vectors {
                true => self.e.b.ins().vany_true(bits),
                false => self.e.b.ins().icmp(IntCC::NotEqual, bits, zero),
            };
            let groups = self.e.b.ins().select(changed, groups, zero);
            sum = self.e.b.ins().bor(sum, groups);
        }
        self.e.store(sum, self.addresses[DIRTY], 0);
        let status = self.e.i64(0);
        self.e.finish(status);
    }
}
