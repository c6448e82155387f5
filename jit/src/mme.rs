//! Macros of the Tegra X1: one block for each instruction that control can reach by itself, delay slots inside the block
//! they belong to, registers as variables.
//!
//! Methods without effect are stored in line, the others call the machine: the only call that compiled code makes, through
//! the address among its arguments.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I64};
use cranelift_codegen::ir::{AbiParam, Block, InstBuilder, SigRef, Signature, Value};
use cranelift_frontend::Variable;
use triglyph_guest::kernel::Refused;
use triglyph_guest::kernel::mme::{BRANCHES, CALL, METHODS, MmeEnd, MmeJob, MmeKernel, MmeKey, MmeMachine, MmeStop};
use triglyph_guest::tegra::mme::isa::{self, Alu, Assign, Bits, Branch, Immediate, Reg, Target, Visitor};

use crate::code::{Code, Compiler};
use crate::lane::{Emit, memory};

/// Longer programs are left to the reference. Twice what hardware can hold.
const LONGEST: usize = 4096;

/// What compiled code gets.
#[repr(C)]
struct Args {
    /// `count` parameters and a 0 behind them.
    parameters: *const u32,
    count: u32,
    /// Fetches, those beyond the last parameter included. Written at the end.
    fetched: u32,
    live: *const Cell<u32>,
    shadow: *const Cell<u32>,
    groups: *const u32,
    dirty: *const Cell<u32>,
    direct: *const Cell<bool>,
    send: extern "C" fn(*mut Machine<'_>, u32, u32),
    machine: *mut u8,
}

/// The machine behind a pointer that fits a register.
struct Machine<'a>(&'a mut dyn MmeMachine);

extern "C" fn send(machine: *mut Machine<'_>, method: u32, datum: u32) {
    // SAFETY: compiled code passes on what `run` gave it, which lives until the code returns.
    unsafe { &mut *machine }.0.send(method, datum);
}

/// A macro as machine code.
pub(crate) struct Kernel {
    code: Code,
}

impl Kernel {
    pub fn new(compiler: &Compiler, key: &MmeKey) -> Result<Self, Refused> {
        if key.code.len() > LONGEST {
            return Err(Refused("a macro longer than the hardware's memory"));
        }
        Ok(Kernel { code: compiler.compile(key.code.len() as u32, |e| build(e, key))? })
    }
}

/// Status words: why a program ended, and where.
const EXIT: u64 = 0;
const ILLEGAL: u64 = 1;
const BRANCH_IN_SLOT: u64 = 2;
const OFF_THE_END: u64 = 3;
const OUT_OF_BRANCHES: u64 = 4;

impl MmeKernel for Kernel {
    fn run(&self, job: &mut MmeJob<'_>) -> Result<MmeEnd, Refused> {
        let parameters: Vec<u32> = job.parameters.iter().copied().chain([0]).collect();
        let count = u32::try_from(job.parameters.len()).map_err(|_| Refused("too many parameters"))?;
        let mut machine = Machine(&mut *job.machine);
        let mut args = Args {
            parameters: parameters.as_ptr(),
            count,
            fetched: 0,
            live: job.live.as_ptr(),
            shadow: job.shadow.as_ptr(),
            groups: job.groups.as_ptr(),
            dirty: job.dirty,
            direct: job.direct,
            send,
            machine: (&raw mut machine).cast(),
        };
        // SAFETY: method addresses are masked to the `METHODS` elements of the three arrays, the parameter's index is at most
        // `count`; registers, `dirty` and `direct` are cells of this thread, so the machine may change them meanwhile.
        let status = unsafe { self.code.call(&raw mut args) };
        let at = (status >> 32) as u32;
        let stop = match status & 0xFF {
            EXIT => MmeStop::Exit,
            ILLEGAL => MmeStop::Illegal { at },
            BRANCH_IN_SLOT => MmeStop::BranchInDelaySlot { at },
            OFF_THE_END => MmeStop::OffTheEnd,
            _ => MmeStop::OutOfBranches,
        };
        let (missing, unused) = (args.fetched.saturating_sub(count), count.saturating_sub(args.fetched));
        Ok(MmeEnd { stop, missing, unused })
    }

    fn code_bytes(&self) -> usize {
        self.code.bytes()
    }
}

fn build(e: &mut Emit<'_>, key: &MmeKey) -> Result<(), Refused> {
    let convention = e.b.func.signature.call_conv;
    let mut signature = Signature::new(convention);
    signature.params.extend([I64, I32, I32].map(AbiParam::new));
    let signature = e.b.import_signature(signature);
    let mut variable = || e.b.declare_var(I32);
    let state = State {
        registers: std::array::from_fn(|_| variable()),
        carry: variable(),
        address: variable(),
        increment: variable(),
        fetched: variable(),
        branches: variable(),
    };
    let mut lower = Lower { e, key, state, signature, blocks: BTreeMap::new(), open: Vec::new() };
    lower.program();
    Ok(())
}

/// What the unit holds, and counts. All 32 bits wide.
struct State {
    registers: [Variable; 7],
    /// 0 or 1.
    carry: Variable,
    address: Variable,
    increment: Variable,
    fetched: Variable,
    branches: Variable,
}

struct Lower<'e, 'a> {
    e: &'e mut Emit<'a>,
    key: &'e MmeKey,
    state: State,
    signature: SigRef,
    /// The block of each instruction that control goes to.
    blocks: BTreeMap<u32, Block>,
    /// Those that are still to be filled.
    open: Vec<u32>,
}

/// An instruction whose result is in a register, before it is assigned.
enum Outcome {
    Result(Value, Target),
    Branch(Value, Branch),
}

impl Lower<'_, '_> {
    fn program(&mut self) {
        let zero = self.e.i32(0);
        let State { registers, carry, address, increment, fetched, branches } = &self.state;
        for &variable in registers.iter().chain([carry, address, increment, fetched, branches]) {
            self.e.b.def_var(variable, zero);
        }
        let first = self.fetch();
        self.set(Reg(1), first);
        self.go_to(self.key.entry.into());
        while let Some(at) = self.open.pop() {
            let block = self.blocks[&at];
            self.e.switch_to(block);
            self.instruction(at);
        }
    }

    /// The block of the instruction at `at`; where there is none, one that ends the program.
    fn block(&mut self, at: i64) -> Block {
        match u32::try_from(at).ok().filter(|&at| (at as usize) < self.key.code.len()) {
            Some(at) => *self.blocks.entry(at).or_insert_with(|| {
                self.open.push(at);
                self.e.block(&[])
            }),
            None => {
                let current = self.e.b.current_block();
                let block = self.e.cold_block(&[]);
                self.e.switch_to(block);
                self.stop(OFF_THE_END, 0);
                if let Some(current) = current {
                    self.e.switch_to(current);
                }
                block
            }
        }
    }

    fn go_to(&mut self, at: i64) {
        let block = self.block(at);
        self.e.jump(block, &[]);
    }

    /// Ends the program.
    fn stop(&mut self, why: u64, at: u32) {
        let args = self.e.args;
        let fetched = self.e.b.use_var(self.state.fetched);
        self.e.b.ins().store(memory(), fetched, args, offset_of!(Args, fetched) as i32);
        let status = self.e.i64((why | u64::from(at) << 32) as i64);
        self.e.finish(status);
    }

    fn visit(&mut self, at: u32) -> Result<Outcome, u64> {
        let word = *self.key.code.get(at as usize).ok_or(OFF_THE_END)?;
        isa::visit(word, self).ok_or(ILLEGAL)
    }

    /// An instruction and what follows it, to the end of the block.
    fn instruction(&mut self, at: u32) {
        match self.visit(at) {
            Err(why) => self.stop(why, at),
            Ok(Outcome::Result(value, target)) => {
                self.assign(value, target);
                if target.exit { self.exit(at + 1) } else { self.go_to(i64::from(at) + 1) }
            }
            Ok(Outcome::Branch(taken, branch)) => {
                let (yes, no) = (self.e.block(&[]), self.e.block(&[]));
                self.e.branch(taken, (yes, &[]), (no, &[]));
                self.e.switch_to(yes);
                self.taken(at, branch);
                self.e.switch_to(no);
                if branch.exit { self.exit(at + 1) } else { self.go_to(i64::from(at) + 1) }
            }
        }
    }

    /// A branch that is taken.
    fn taken(&mut self, at: u32, branch: Branch) {
        let count = self.e.b.use_var(self.state.branches);
        let count = self.e.b.ins().iadd_imm_u(count, 1);
        self.e.b.def_var(self.state.branches, count);
        let limit = self.e.i32(BRANCHES as i32);
        let over = self.e.b.ins().icmp(IntCC::UnsignedGreaterThan, count, limit);
        let (end, on) = (self.e.cold_block(&[]), self.e.block(&[]));
        self.e.branch(over, (end, &[]), (on, &[]));
        self.e.switch_to(end);
        self.stop(OUT_OF_BRANCHES, 0);
        self.e.switch_to(on);
        if branch.annul || self.slot(at + 1) {
            self.go_to(i64::from(at) + i64::from(branch.offset));
        }
    }

    /// The delay slot of an exit, and the end.
    fn exit(&mut self, slot: u32) {
        if self.slot(slot) {
            self.stop(EXIT, 0);
        }
    }

    /// A delay slot. False when the program stops there.
    fn slot(&mut self, at: u32) -> bool {
        match self.visit(at) {
            Ok(Outcome::Result(value, target)) => {
                self.assign(value, target);
                return true;
            }
            Ok(Outcome::Branch(..)) => self.stop(BRANCH_IN_SLOT, at),
            Err(why) => self.stop(why, at),
        }
        false
    }

    fn get(&mut self, register: Reg) -> Value {
        match register.0 & 7 {
            0 => self.e.i32(0),
            n => self.e.b.use_var(self.state.registers[usize::from(n) - 1]),
        }
    }

    fn set(&mut self, register: Reg, value: Value) {
        if let Some(index) = usize::from(register.0 & 7).checked_sub(1) {
            self.e.b.def_var(self.state.registers[index], value);
        }
    }

    fn pointer(&mut self, offset: usize) -> Value {
        let args = self.e.args;
        self.e.load_i64(args, offset as i32)
    }

    /// The next parameter; behind the last one stands a 0.
    fn fetch(&mut self) -> Value {
        let (args, index) = (self.e.args, self.e.b.use_var(self.state.fetched));
        let next = self.e.b.ins().iadd_imm_u(index, 1);
        self.e.b.def_var(self.state.fetched, next);
        let count = self.e.b.ins().load(I32, memory(), args, offset_of!(Args, count) as i32);
        let index = self.e.b.ins().umin(index, count);
        let parameters = self.pointer(offset_of!(Args, parameters));
        let address = self.e.address(parameters, index, 2);
        self.e.b.ins().load(I32, memory(), address, 0)
    }

    fn set_address(&mut self, value: Value) {
        let address = self.e.b.ins().band_imm_u(value, 0xFFF);
        self.e.b.def_var(self.state.address, address);
        let increment = self.high(value);
        self.e.b.def_var(self.state.increment, increment);
    }

    /// Bits 17:12.
    fn high(&mut self, value: Value) -> Value {
        let value = self.e.b.ins().ushr_imm_u(value, 12);
        self.e.b.ins().band_imm_u(value, 0x3F)
    }

    fn send(&mut self, datum: Value) {
        let address = self.e.b.use_var(self.state.address);
        let groups = self.pointer(offset_of!(Args, groups));
        let groups = self.e.address(groups, address, 2);
        let groups = self.e.b.ins().load(I32, memory(), groups, 0);
        let direct = self.pointer(offset_of!(Args, direct));
        let direct = self.e.b.ins().load(I8, memory(), direct, 0);
        let call = self.e.i32(CALL as i32);
        let plain = self.e.b.ins().icmp(IntCC::NotEqual, groups, call);
        let plain = self.e.b.ins().band(plain, direct);
        let (store, machine, done) = (self.e.block(&[]), self.e.block(&[]), self.e.block(&[]));
        self.e.branch(plain, (store, &[]), (machine, &[]));

        self.e.switch_to(store);
        for array in [offset_of!(Args, live), offset_of!(Args, shadow)] {
            let array = self.pointer(array);
            let place = self.e.address(array, address, 2);
            self.e.b.ins().store(memory(), datum, place, 0);
        }
        let dirty = self.pointer(offset_of!(Args, dirty));
        let stale = self.e.b.ins().load(I32, memory(), dirty, 0);
        let stale = self.e.b.ins().bor(stale, groups);
        self.e.b.ins().store(memory(), stale, dirty, 0);
        self.e.jump(done, &[]);

        self.e.switch_to(machine);
        let (function, pointer) = (self.pointer(offset_of!(Args, send)), self.pointer(offset_of!(Args, machine)));
        self.e.b.ins().call_indirect(self.signature, function, &[pointer, address, datum]);
        self.e.jump(done, &[]);

        self.e.switch_to(done);
        let increment = self.e.b.use_var(self.state.increment);
        let next = self.e.b.ins().iadd(address, increment);
        let next = self.e.b.ins().band_imm_u(next, METHODS as i64 - 1);
        self.e.b.def_var(self.state.address, next);
    }

    fn assign(&mut self, result: Value, target: Target) {
        let assign = target.assign;
        let keeps_result = !assign.fetches() || assign == Assign::AddressFetchSend;
        if keeps_result {
            self.set(target.dst, result);
        }
        match assign {
            Assign::Move => {}
            Assign::Fetch => self.fetch_to(target.dst),
            Assign::Address => self.set_address(result),
            Assign::Send => self.send(result),
            Assign::FetchSend => {
                self.send(result);
                self.fetch_to(target.dst);
            }
            Assign::FetchAddress => {
                self.set_address(result);
                self.fetch_to(target.dst);
            }
            Assign::AddressFetchSend => {
                self.set_address(result);
                let datum = self.fetch();
                self.send(datum);
            }
            Assign::AddressSendHigh => {
                self.set_address(result);
                let datum = self.high(result);
                self.send(datum);
            }
        }
    }

    fn fetch_to(&mut self, dst: Reg) {
        let value = self.fetch();
        self.set(dst, value);
    }

    fn sources(&mut self, i: Alu) -> (Value, Value) {
        (self.get(i.a), self.get(i.b))
    }

    fn carry(&mut self, condition: Value) {
        let carry = self.e.b.ins().uextend(I32, condition);
        self.e.b.def_var(self.state.carry, carry);
    }

    fn field(&mut self, value: Value, from: Value, size: u8) -> Value {
        let value = self.e.b.ins().ushr(value, from);
        self.e.b.ins().band_imm_u(value, (1i64 << (size & 31)) - 1)
    }
}

impl Visitor for Lower<'_, '_> {
    type Output = Outcome;

    fn add(&mut self, i: Alu) -> Outcome {
        let (a, b) = self.sources(i);
        let sum = self.e.b.ins().iadd(a, b);
        let wrapped = self.e.b.ins().icmp(IntCC::UnsignedLessThan, sum, a);
        self.carry(wrapped);
        Outcome::Result(sum, i.to)
    }
    fn adc(&mut self, i: Alu) -> Outcome {
        let (a, b) = self.sources(i);
        let carry = self.e.b.use_var(self.state.carry);
        let [a, b, carry] = [a, b, carry].map(|value| self.e.b.ins().uextend(I64, value));
        let sum = self.e.b.ins().iadd(a, b);
        let sum = self.e.b.ins().iadd(sum, carry);
        let high = self.e.b.ins().ushr_imm_u(sum, 32);
        let high = self.e.b.ins().ireduce(I32, high);
        self.e.b.def_var(self.state.carry, high);
        Outcome::Result(self.e.b.ins().ireduce(I32, sum), i.to)
    }
    fn sub(&mut self, i: Alu) -> Outcome {
        let (a, b) = self.sources(i);
        let fits = self.e.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, a, b);
        self.carry(fits);
        Outcome::Result(self.e.b.ins().isub(a, b), i.to)
    }
    fn sbb(&mut self, i: Alu) -> Outcome {
        let (a, b) = self.sources(i);
        let carry = self.e.b.use_var(self.state.carry);
        let borrow = self.e.b.ins().bxor_imm_u(carry, 1);
        let [a, b, borrow] = [a, b, borrow].map(|value| self.e.b.ins().uextend(I64, value));
        let taken = self.e.b.ins().iadd(b, borrow);
        let fits = self.e.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, a, taken);
        self.carry(fits);
        let difference = self.e.b.ins().isub(a, taken);
        Outcome::Result(self.e.b.ins().ireduce(I32, difference), i.to)
    }
    fn xor(&mut self, i: Alu) -> Outcome {
        let (a, b) = self.sources(i);
        Outcome::Result(self.e.b.ins().bxor(a, b), i.to)
    }
    fn or(&mut self, i: Alu) -> Outcome {
        let (a, b) = self.sources(i);
        Outcome::Result(self.e.b.ins().bor(a, b), i.to)
    }
    fn and(&mut self, i: Alu) -> Outcome {
        let (a, b) = self.sources(i);
        Outcome::Result(self.e.b.ins().band(a, b), i.to)
    }
    fn andn(&mut self, i: Alu) -> Outcome {
        let (a, b) = self.sources(i);
        let b = self.e.b.ins().bnot(b);
        Outcome::Result(self.e.b.ins().band(a, b), i.to)
    }
    fn nand(&mut self, i: Alu) -> Outcome {
        let (a, b) = self.sources(i);
        let both = self.e.b.ins().band(a, b);
        Outcome::Result(self.e.b.ins().bnot(both), i.to)
    }
    fn addi(&mut self, i: Immediate) -> Outcome {
        let (a, value) = (self.get(i.a), self.e.i32(i.value));
        Outcome::Result(self.e.b.ins().iadd(a, value), i.to)
    }
    fn insert(&mut self, i: Bits) -> Outcome {
        let (a, b) = (self.get(i.a), self.get(i.b));
        let from = self.e.i32(i.from.into());
        let field = self.field(b, from, i.size);
        let field = self.e.b.ins().ishl_imm_u(field, i64::from(i.at));
        let hole = ((1u32 << (i.size & 31)) - 1) << i.at;
        let keep = self.e.b.ins().band_imm_u(a, i64::from(!hole));
        Outcome::Result(self.e.b.ins().bor(keep, field), i.to)
    }
    // The shifts below take the distance modulo 32, as the unit does.
    fn extract(&mut self, i: Bits) -> Outcome {
        let (a, b) = (self.get(i.a), self.get(i.b));
        let field = self.field(b, a, i.size);
        Outcome::Result(self.e.b.ins().ishl_imm_u(field, i64::from(i.at)), i.to)
    }
    fn deposit(&mut self, i: Bits) -> Outcome {
        let (a, b) = (self.get(i.a), self.get(i.b));
        let from = self.e.i32(i.from.into());
        let field = self.field(b, from, i.size);
        Outcome::Result(self.e.b.ins().ishl(field, a), i.to)
    }
    fn read(&mut self, i: Immediate) -> Outcome {
        let (a, value) = (self.get(i.a), self.e.i32(i.value));
        let method = self.e.b.ins().iadd(a, value);
        let method = self.e.b.ins().band_imm_u(method, METHODS as i64 - 1);
        let live = self.pointer(offset_of!(Args, live));
        let place = self.e.address(live, method, 2);
        Outcome::Result(self.e.b.ins().load(I32, memory(), place, 0), i.to)
    }
    fn bz(&mut self, branch: Branch) -> Outcome {
        let a = self.get(branch.a);
        let zero = self.e.i32(0);
        Outcome::Branch(self.e.b.ins().icmp(IntCC::Equal, a, zero), branch)
    }
    fn bnz(&mut self, branch: Branch) -> Outcome {
        Outcome::Branch(self.get(branch.a), branch)
    }
}
