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
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{AbiParam, Block, InstBuilder, MemFlagsData, SigRef, Signature, Type, Value};
use triglyph_guest::kernel::packet_trace::{
    Act, PacketTraceJob, PacketTraceKernel, PacketTraceKey, PacketTraceMachine, Store,
};
use triglyph_guest::kernel::{MachineCode, Unsupported};

use crate::code::{Code, Compiler};
use crate::convention::host_convention;
use crate::guard::guarded;
use crate::lane::{Emit, I32x4, memory};

/// Longer traces are unsupported.
const MAX_SIZE: usize = 1 << 14;

/// Arguments of the code.
#[repr(C)]
struct TraceArgs {
    words: *const u32,
    registers: *const Cell<u32>,
    copies: *const Cell<u32>,
    dirty: *const Cell<u32>,
    call: host_convention!(fn(*mut TraceArgs, u32) -> u32),
    machine: *mut u8,
}

/// The machine, as a pointer to a trait object in a single register, and the number of registers that the code relies
/// on.
struct Machine<'a> {
    machine: &'a mut dyn PacketTraceMachine,
    registers: usize,
    copies: usize,
}

impl Machine<'_> {
    /// Writes the registers' addresses into `args`. False when there are fewer registers than the key says.
    fn resolve(&mut self, args: &mut TraceArgs) -> bool {
        let target = self.machine.registers();
        args.registers = target.registers.as_ptr();
        args.copies = target.copies.as_ptr();
        args.dirty = target.dirty;
        target.registers.len() >= self.registers && target.copies.len() >= self.copies
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
    words: usize,
    registers: usize,
    copies: usize,
}

impl CompiledTrace {
    pub fn new(compiler: &Compiler, key: &PacketTraceKey) -> Result<Self, Unsupported> {
        let stores = key.stored() + key.packets.len();
        if !key.is_sound() || stores > MAX_SIZE || key.registers as usize > MAX_SIZE || key.words as usize > MAX_SIZE {
            return Err(Unsupported("a packet trace that is too long, or not sound"));
        }
        let registers = key.registers as usize;
        Ok(CompiledTrace {
            code: compiler.compile(stores as u32, |e| build(e, key))?,
            words: key.words as usize,
            registers,
            copies: if key.copies { registers } else { 0 },
        })
    }
}

impl PacketTraceKernel for CompiledTrace {
    fn run(&self, job: &mut PacketTraceJob<'_>) -> Result<u32, Unsupported> {
        let mut machine = Machine { machine: &mut *job.machine, registers: self.registers, copies: self.copies };
        let mut args = TraceArgs {
            words: job.words.as_ptr(),
            registers: std::ptr::null(),
            copies: std::ptr::null(),
            dirty: std::ptr::null(),
            call,
            machine: std::ptr::null_mut(),
        };
        if job.words.len() < self.words || !machine.resolve(&mut args) {
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
    let convention = e.b.func.signature.call_conv;
    let mut signature = Signature::new(convention);
    signature.params.extend([I64, I32].map(AbiParam::new));
    signature.returns.push(AbiParam::new(I32));
    let signature = e.b.import_signature(signature);
    let end = e.cold_block(&[I64]);
    let mut lower = Lower { pointers: Pointers::load(e), e, key, signature, end, dirty: Dirty::default() };
    lower.packets();
    Ok(())
}

/// Addresses, in the current block.
#[derive(Clone, Copy)]
struct Pointers {
    words: Value,
    registers: Value,
    copies: Value,
    dirty: Value,
}

impl Pointers {
    fn load(e: &mut Emit<'_>) -> Pointers {
        let args = e.args;
        let mut pointer = |offset: usize| e.load_i64(args, offset as i32);
        Pointers {
            words: pointer(offset_of!(TraceArgs, words)),
            registers: pointer(offset_of!(TraceArgs, registers)),
            copies: pointer(offset_of!(TraceArgs, copies)),
            dirty: pointer(offset_of!(TraceArgs, dirty)),
        }
    }
}

/// Groups that the packets of a group have made dirty so far.
#[derive(Default)]
struct Dirty {
    /// Unconditionally.
    always: u32,
    /// By groups: changed bits of registers, as words and as vectors of four.
    words: BTreeMap<u32, Value>,
    vectors: BTreeMap<u32, Value>,
    /// Groups themselves, one for each lane.
    mixed: Option<Value>,
}

struct Lower<'e, 'a> {
    e: &'e mut Emit<'a>,
    key: &'e PacketTraceKey,
    signature: SigRef,
    /// Ends the run with the number of packets that it is given.
    end: Block,
    pointers: Pointers,
    dirty: Dirty,
}

impl Lower<'_, '_> {
    fn packets(&mut self) {
        let packets = &self.key.packets;
        let mut first = 0;
        while first < packets.len() {
            let count = self.key.group(first);
            self.guard(first, count);
            for packet in &packets[first..first + count] {
                match &packet.act {
                    Act::Store(stores) => self.stores(stores),
                    Act::Checked { expected, stores } => self.checked(first, expected, stores),
                    Act::Call => self.call(first),
                }
            }
            self.flush();
            first += count;
        }
        let all = self.e.i64(packets.len() as i64);
        let end = self.end;
        self.e.jump(end, &[all]);
        self.e.switch_to(end);
        let done = self.e.parameter(end, 0);
        self.e.finish(done);
    }

    fn go_to(&mut self, block: Block) {
        self.e.switch_to(block);
        self.pointers = Pointers::load(self.e);
    }

    fn load(&mut self, ty: Type, base: Value, index: u32) -> Value {
        self.e.b.ins().load(ty, memory(), base, 4 * index as i32)
    }

    /// Ends the run before a group unless all its headers match.
    fn guard(&mut self, first: usize, count: usize) {
        let mut wrong: Option<Value> = None;
        for packet in &self.key.packets[first..first + count] {
            let found = self.load(I32, self.pointers.words, packet.header);
            let mut bits = self.e.b.ins().bxor_imm_u(found, i64::from(packet.word));
            if packet.mask != u32::MAX {
                bits = self.e.b.ins().band_imm_u(bits, i64::from(packet.mask));
            }
            wrong = Some(wrong.map_or(bits, |wrong| self.e.b.ins().bor(wrong, bits)));
        }
        if let Some(wrong) = wrong {
            self.end_if(wrong, first);
        }
    }

    /// Ends the run after `done` packets if a word is not 0.
    fn end_if(&mut self, condition: Value, done: usize) {
        let done = self.e.i64(done as i64);
        let (on, end) = (self.e.block(&[]), self.end);
        self.e.branch(condition, (end, &[done]), (on, &[]));
        self.go_to(on);
    }

    /// Has the machine execute a packet; the run ends after it if the machine says so.
    fn call(&mut self, packet: usize) {
        self.flush();
        let args = self.e.args;
        let function = self.e.load_i64(args, offset_of!(TraceArgs, call) as i32);
        let number = self.e.i32(packet as i32);
        let call = self.e.b.ins().call_indirect(self.signature, function, &[args, number]);
        let on = self.e.b.inst_results(call)[0];
        let zero = self.e.i32(0);
        let stops = self.e.b.ins().icmp(IntCC::Equal, on, zero);
        self.end_if(stops, packet + 1);
    }

    /// Stores if the expected words match; otherwise the machine executes the packet.
    fn checked(&mut self, packet: usize, expected: &[(u32, u32)], stores: &[Store]) {
        let mut wrong: Option<Value> = None;
        for &(at, word) in expected {
            let found = self.load(I32, self.pointers.words, at);
            let bits = self.e.b.ins().bxor_imm_u(found, i64::from(word));
            wrong = Some(wrong.map_or(bits, |wrong| self.e.b.ins().bor(wrong, bits)));
        }
        let Some(wrong) = wrong else { return self.stores(stores) };
        let (other, known, done) = (self.e.cold_block(&[]), self.e.block(&[]), self.e.block(&[]));
        self.e.branch(wrong, (other, &[]), (known, &[]));
        self.go_to(other);
        self.call(packet);
        self.e.jump(done, &[]);
        self.go_to(known);
        self.stores(stores);
        self.flush();
        self.e.jump(done, &[]);
        self.go_to(done);
    }

    fn stores(&mut self, stores: &[Store]) {
        for store in stores {
            match store {
                Store::Words { at, register, mask, groups } => self.words(*at, *register, *mask, groups),
                &Store::Field { at, shift, bits, register, groups } => {
                    let word = self.load(I32, self.pointers.words, at);
                    let value = self.e.b.ins().ushr_imm_u(word, i64::from(shift));
                    let value = self.e.b.ins().band_imm_u(value, (1 << bits) - 1);
                    self.word(value, register, u32::MAX, groups);
                }
            }
        }
    }

    fn words(&mut self, mut at: u32, mut register: u32, mask: u32, mut groups: &[u32]) {
        while let Some((four, rest)) = groups.split_first_chunk::<4>() {
            self.four(at, register, mask, four);
            (at, register, groups) = (at + 4, register + 4, rest);
        }
        // Two at a time where words are only copied.
        if let &[a, b, ref rest @ ..] = groups
            && mask == u32::MAX
            && (!self.key.changes || a | b == 0)
        {
            let words = self.load(I64, self.pointers.words, at);
            self.put(words, register);
            self.dirty.always |= a | b;
            (at, register, groups) = (at + 2, register + 2, rest);
        }
        for &groups in groups {
            let value = self.load(I32, self.pointers.words, at);
            self.word(value, register, mask, groups);
            (at, register) = (at + 1, register + 1);
        }
    }

    /// Stores a value of any width in registers and their copies.
    fn put(&mut self, value: Value, register: u32) {
        let offset = 4 * register as i32;
        let flags: MemFlagsData = memory();
        self.e.b.ins().store(flags, value, self.pointers.registers, offset);
        if self.key.copies {
            self.e.b.ins().store(flags, value, self.pointers.copies, offset);
        }
    }

    /// Bits that a value changes in a register, or in four, and the new value.
    fn change(&mut self, ty: Type, value: Value, register: u32, mask: u32) -> (Value, Value) {
        let old = self.load(ty, self.pointers.registers, register);
        let mut bits = self.e.b.ins().bxor(value, old);
        if mask == u32::MAX {
            return (bits, value);
        }
        let mask = if ty == I32X4 { self.e.ints([mask as i32; 4]).0 } else { self.e.i32(mask as i32) };
        bits = self.e.b.ins().band(bits, mask);
        (bits, self.e.b.ins().bxor(old, bits))
    }

    fn word(&mut self, value: Value, register: u32, mask: u32, groups: u32) {
        let watched = self.key.changes && groups != 0;
        if !watched {
            self.dirty.always |= groups;
        }
        if !watched && mask == u32::MAX {
            return self.put(value, register);
        }
        let (bits, value) = self.change(I32, value, register, mask);
        self.put(value, register);
        if watched {
            let sum = self.dirty.words.get(&groups).map_or(bits, |&sum| self.e.b.ins().bor(sum, bits));
            self.dirty.words.insert(groups, sum);
        }
    }

    fn four(&mut self, at: u32, register: u32, mask: u32, groups: &[u32; 4]) {
        let value = self.load(I32X4, self.pointers.words, at);
        let any = groups.iter().fold(0, |any, groups| any | groups);
        let watched = self.key.changes && any != 0;
        if !watched {
            self.dirty.always |= any;
        }
        if !watched && mask == u32::MAX {
            return self.put(value, register);
        }
        let (bits, value) = self.change(I32X4, value, register, mask);
        self.put(value, register);
        if !watched {
            return;
        }
        if groups.iter().all(|&one| one == any) {
            let sum = self.dirty.vectors.get(&any).map_or(bits, |&sum| self.e.b.ins().bor(sum, bits));
            self.dirty.vectors.insert(any, sum);
            return;
        }
        let zero = self.e.ints([0; 4]).0;
        let same = self.e.b.ins().icmp(IntCC::Equal, bits, zero);
        let I32x4(groups) = self.e.ints(groups.map(|groups| groups as i32));
        let added = self.e.b.ins().band_not(groups, same);
        self.dirty.mixed = Some(self.dirty.mixed.map_or(added, |sum| self.e.b.ins().bor(sum, added)));
    }

    /// Adds the dirty groups to the machine's.
    fn flush(&mut self) {
        let Dirty { always, words, vectors, mixed } = std::mem::take(&mut self.dirty);
        let mut sum: Option<Value> = None;
        let mut add = |e: &mut Emit<'_>, value: Value| {
            sum = Some(sum.map_or(value, |sum| e.b.ins().bor(sum, value)));
        };
        if always != 0 {
            let always = self.e.i32(always as i32);
            add(self.e, always);
        }
        for (groups, bits) in words {
            let (groups, zero) = (self.e.i32(groups as i32), self.e.i32(0));
            let changed = self.e.b.ins().icmp(IntCC::NotEqual, bits, zero);
            let groups = self.e.b.ins().select(changed, groups, zero);
            add(self.e, groups);
        }
        for (groups, bits) in vectors {
            let (groups, zero) = (self.e.i32(groups as i32), self.e.i32(0));
            let changed = self.e.b.ins().vany_true(bits);
            let groups = self.e.b.ins().select(changed, groups, zero);
            add(self.e, groups);
        }
        if let Some(mixed) = mixed {
            for lane in 0..4 {
                let groups = self.e.b.ins().extractlane(mixed, lane);
                add(self.e, groups);
            }
        }
        if let Some(sum) = sum {
            let dirty = self.load(I32, self.pointers.dirty, 0);
            let dirty = self.e.b.ins().bor(dirty, sum);
            self.e.store(dirty, self.pointers.dirty, 0);
        }
    }
}
