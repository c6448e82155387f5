//! Packet traces: guards that compare all headers of a group at once, words copied four at a time, merged dirty groups.
//!
//! ```text
//! group:  (header ^ word | header ^ word ...) == 0, or end          one branch
//!         load, store ...                                           words to registers
//!         dirty |= groups                                           one store
//! call:   the machine, through an address among the arguments
//! ```

#![allow(unsafe_code)]

use std::cell::Cell;
use std::collections::BTreeMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{AbiParam, Block, InstBuilder, SigRef, Signature, Type, Value};
use triglyph_guest::kernel::packet_trace::{Packet, PacketTraceKernel, PacketTraceKey, PacketTraceMachine, Store};
use triglyph_guest::kernel::{MachineCode, Unsupported};

use crate::code::{Code, Compiler};
use crate::convention::host_convention;
use crate::guard::guarded;
use crate::lane::{Emit, memory};

/// Longer traces are unsupported.
const MAX_SIZE: usize = 1 << 14;

/// Arguments of the code.
#[repr(C)]
struct TraceArgs {
    /// [`WORDS`], [`REGISTERS`], [`COPIES`] and [`DIRTY`] groups: what code has at hand in each block.
    addresses: [*const Cell<u32>; 4],
    call: host_convention!(fn(*mut TraceArgs, u32) -> u32),
    machine: *mut u8,
}

const WORDS: usize = 0;
const REGISTERS: usize = 1;
const COPIES: usize = 2;
const DIRTY: usize = 3;

/// The machine, as a pointer to a trait object in a single register, and the key that its registers have to fit.
struct Machine<'a> {
    machine: &'a mut dyn PacketTraceMachine,
    key: &'a PacketTraceKey,
}

impl Machine<'_> {
    /// Writes the registers' addresses into `args`. False when there are fewer registers than the key says.
    fn resolve(&mut self, args: &mut TraceArgs) -> bool {
        let target = self.machine.registers();
        args.addresses[REGISTERS] = target.registers.as_ptr();
        args.addresses[COPIES] = target.copies.as_ptr();
        args.addresses[DIRTY] = target.dirty;
        self.key.fits(target)
    }
}

host_convention! {
    fn call(args: *mut TraceArgs, packet: u32) -> u32 {
        // SAFETY: compiled code passes on what `run` gave it, which lives until the code returns and is not accessed
        // otherwise meanwhile.
        let args = unsafe { &mut *args };
        // SAFETY: as above; `run` stored a pointer to a `Machine`.
        let machine = unsafe { &mut *args.machine.cast::<Machine<'_>>() };
        guarded(0, || {
            let on = machine.machine.call(packet);
            // Earlier pointers are invalid after a call.
            u32::from(machine.resolve(args) && on)
        })
    }
}

/// A packet trace as machine code.
pub(crate) struct CompiledTrace {
    code: Code<TraceArgs>,
    /// Its key without the packets.
    key: PacketTraceKey,
}

impl CompiledTrace {
    pub fn new(compiler: &Compiler, key: &PacketTraceKey) -> Result<Self, Unsupported> {
        let stores = key.stored() + key.packets.len();
        if !key.is_sound() || stores.max(key.words as usize).max(key.registers as usize) > MAX_SIZE {
            return Err(Unsupported("a packet trace that is too long, or not sound"));
        }
        let code = compiler.compile(stores as u32, |e| build(e, key))?;
        Ok(CompiledTrace { code, key: PacketTraceKey { packets: Vec::new(), ..*key } })
    }
}

impl PacketTraceKernel for CompiledTrace {
    fn run(&self, words: &[u32], machine: &mut dyn PacketTraceMachine) -> Result<u32, Unsupported> {
        let mut machine = Machine { machine, key: &self.key };
        let mut args = TraceArgs { addresses: [words.as_ptr().cast(); 4], call, machine: std::ptr::null_mut() };
        if words.len() < self.key.words as usize || !machine.resolve(&mut args) {
            return Err(Unsupported("words or registers that are not there"));
        }
        args.machine = (&raw mut machine).cast();
        // SAFETY: the key is sound, so indices of words and registers are below the lengths that were compared, again
        // after every call; registers, copies and groups are cells of this thread.
        Ok(unsafe { self.code.call(&raw mut args) } as u32)
    }

    fn code(&self) -> MachineCode {
        self.code.made()
    }
}

fn build(e: &mut Emit<'_>, key: &PacketTraceKey) -> Result<(), Unsupported> {
    let mut signature = Signature::new(e.b.func.signature.call_conv);
    signature.params.extend([I64, I32].map(AbiParam::new));
    signature.returns.push(AbiParam::new(I32));
    let signature = e.b.import_signature(signature);
    let end = e.cold_block(&[I64]);
    let mut lower = Lower { addresses: addresses(e), e, copies: key.copies, signature, end, dirty: Dirty::default() };
    lower.packets(key);
    Ok(())
}

/// The addresses of the arguments, in the current block.
fn addresses(e: &mut Emit<'_>) -> [Value; 4] {
    let args = e.args;
    std::array::from_fn(|i| e.load_i64(args, 8 * i as i32))
}

/// Groups that packets have made dirty since the last call.
#[derive(Default)]
struct Dirty {
    /// Unconditionally.
    always: u32,
    /// By groups, and whether they are vectors of four: changed bits of registers.
    changed: BTreeMap<(u32, bool), Value>,
}

struct Lower<'e, 'a> {
    e: &'e mut Emit<'a>,
    copies: bool,
    signature: SigRef,
    /// Ends the run with the number of packets that it is given.
    end: Block,
    addresses: [Value; 4],
    dirty: Dirty,
}

impl Lower<'_, '_> {
    fn packets(&mut self, key: &PacketTraceKey) {
        let mut first = 0;
        while first < key.packets.len() {
            let group = &key.packets[first..first + key.group(first)];
            let headers = group.iter().map(|packet| (packet.header, packet.mask, packet.word));
            if let Some(wrong) = self.wrong(headers) {
                self.end_if(wrong, first);
            }
            for packet in group {
                self.packet(packet, first);
            }
            self.flush();
            first += group.len();
        }
        let (all, end) = (self.e.i64(first as i64), self.end);
        self.e.jump(end, &[all]);
        self.e.switch_to(end);
        let done = self.e.parameter(end, 0);
        self.e.finish(done);
    }

    fn go_to(&mut self, block: Block) {
        self.e.switch_to(block);
        self.addresses = addresses(self.e);
    }

    fn load(&mut self, ty: Type, base: usize, index: u32) -> Value {
        self.e.b.ins().load(ty, memory(), self.addresses[base], 4 * index as i32)
    }

    /// Not 0 if one of some words (index, mask, value) is not what it should be.
    fn wrong(&mut self, words: impl Iterator<Item = (u32, u32, u32)>) -> Option<Value> {
        let mut wrong = None;
        for (at, mask, word) in words {
            let found = self.load(I32, WORDS, at);
            let mut bits = self.e.b.ins().bxor_imm_u(found, i64::from(word));
            if mask != u32::MAX {
                bits = self.e.b.ins().band_imm_u(bits, i64::from(mask));
            }
            wrong = Some(self.or(wrong, bits));
        }
        wrong
    }

    fn or(&mut self, sum: Option<Value>, value: Value) -> Value {
        sum.map_or(value, |sum| self.e.b.ins().bor(sum, value))
    }

    /// Ends the run after `done` packets if a word is not 0.
    fn end_if(&mut self, condition: Value, done: usize) {
        let done = self.e.i64(done as i64);
        let (on, end) = (self.e.block(&[]), self.end);
        self.e.branch(condition, (end, &[done]), (on, &[]));
        self.go_to(on);
    }

    /// Has the machine execute packet `number`; the run ends after it if the machine says so.
    fn call(&mut self, number: usize) {
        self.flush();
        let args = self.e.args;
        let function = self.e.load_i64(args, std::mem::offset_of!(TraceArgs, call) as i32);
        let packet = self.e.i32(number as i32);
        let call = self.e.b.ins().call_indirect(self.signature, function, &[args, packet]);
        let (on, zero) = (self.e.b.inst_results(call)[0], self.e.i32(0));
        let stops = self.e.b.ins().icmp(IntCC::Equal, on, zero);
        self.end_if(stops, number + 1);
    }

    /// Stores what packet `number` stores if its expected words match; otherwise the machine executes it.
    fn packet(&mut self, packet: &Packet, number: usize) {
        if packet.stores.is_empty() {
            return self.call(number);
        }
        let expected = packet.expected.iter().map(|&(at, word)| (at, u32::MAX, word));
        let Some(wrong) = self.wrong(expected) else { return self.stores(&packet.stores) };
        let (other, known, done) = (self.e.cold_block(&[]), self.e.block(&[]), self.e.block(&[]));
        self.e.branch(wrong, (other, &[]), (known, &[]));
        self.go_to(other);
        self.call(number);
        self.e.jump(done, &[]);
        self.go_to(known);
        self.stores(&packet.stores);
        self.flush();
        self.e.jump(done, &[]);
        self.go_to(done);
    }

    /// Stores words: four at a time, two where they are only copied, or one.
    fn stores(&mut self, stores: &[Store]) {
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
    }

    /// Stores the bits of a value under `mask` in registers of these groups, and in their copies.
    fn store(&mut self, ty: Type, mut value: Value, register: u32, mask: u32, groups: &[u32]) {
        let any = groups.iter().fold(0, |any, groups| any | groups);
        let watched = !self.copies && any != 0;
        if !watched {
            self.dirty.always |= any;
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
            let sum = self.dirty.changed.get(&key).copied();
            let sum = self.or(sum, bits);
            self.dirty.changed.insert(key, sum);
        }
    }

    /// A constant word, or four of them.
    fn lanes(&mut self, ty: Type, words: [u32; 4]) -> Value {
        if ty == I32X4 { self.e.ints(words.map(|word| word as i32)).0 } else { self.e.i32(words[0] as i32) }
    }

    /// Adds the dirty groups to the machine's.
    fn flush(&mut self) {
        let Dirty { always, changed } = std::mem::take(&mut self.dirty);
        let mut sum = (always != 0).then(|| self.e.i32(always as i32));
        for ((groups, vectors), bits) in changed {
            let (groups, zero) = (self.e.i32(groups as i32), self.e.i32(0));
            let changed = match vectors {
                true => self.e.b.ins().vany_true(bits),
                false => self.e.b.ins().icmp(IntCC::NotEqual, bits, zero),
            };
            let groups = self.e.b.ins().select(changed, groups, zero);
            sum = Some(self.or(sum, groups));
        }
        if let Some(sum) = sum {
            let dirty = self.load(I32, DIRTY, 0);
            let dirty = self.e.b.ins().bor(dirty, sum);
            self.e.store(dirty, self.addresses[DIRTY], 0);
        }
    }
}
