//! Emission of a macro.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I64};
use cranelift_codegen::ir::{AbiParam, Block, InstBuilder, SigRef, Signature, Value};
use cranelift_frontend::Variable;
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::mme::{CALL, METHODS, MmeKey};
use triglyph_guest::tegra::mme::isa::{
    self, Alu, Assign, Bits, Branch, Immediate, Reg, Target, Visitor, branch_offset, exits, is_branch,
};

use crate::lane::{Emit, memory};

use super::*;

pub(super) fn build(e: &mut Emit<'_>, key: &MmeKey) -> Result<(), Unsupported> {
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
        dirty_groups: variable(),
    };
    let (heads, known) = (heads(key), KnownState::default());
    let mut lower =
        Lower { e, key, state, signature, heads, known, blocks: BTreeMap::new(), open: Vec::new(), beyond: Vec::new() };
    lower.program();
    Ok(())
}

/// State of the unit, and counters. All 32 bits wide.
struct State {
    registers: [Variable; 7],
    /// 0 or 1.
    carry: Variable,
    address: Variable,
    increment: Variable,
    fetched: Variable,
    /// Groups that stores have made dirty since `dirty` was written last.
    dirty_groups: Variable,
}

/// Statically known state of the unit at the point of emission.
#[derive(Clone, Default)]
struct KnownState {
    registers: [Option<u32>; 7],
    /// Address and increment.
    address: Option<(u32, u32)>,
    fetched: Option<u32>,
}

impl KnownState {
    /// Before the first instruction: one parameter is fetched, everything else is 0.
    const BEGIN: KnownState = KnownState {
        registers: [None, Some(0), Some(0), Some(0), Some(0), Some(0), Some(0)],
        address: Some((0, 0)),
        fetched: Some(1),
    };
}

/// Instructions with several predecessors, or that are branch targets: they begin blocks.
fn heads(key: &MmeKey) -> BTreeSet<u32> {
    let (mut heads, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut open = vec![key.entry];
    while let Some(at) = open.pop() {
        let Some(&word) = key.code.get(at as usize) else { continue };
        if !seen.insert(at) {
            heads.insert(at);
            continue;
        }
        if is_branch(word)
            && let Some(target) = at.checked_add_signed(branch_offset(word))
        {
            heads.insert(target);
            open.push(target);
        }
        if !exits(word) {
            open.push(at + 1);
        }
    }
    heads
}

struct Lower<'e, 'a> {
    e: &'e mut Emit<'a>,
    key: &'e MmeKey,
    state: State,
    signature: SigRef,
    heads: BTreeSet<u32>,
    known: KnownState,
    /// The block of each branch target.
    blocks: BTreeMap<u32, Block>,
    /// Blocks that are still to be filled.
    open: Vec<u32>,
    /// Blocks of branches beyond the program, still to be filled.
    beyond: Vec<Block>,
}

/// An instruction whose result is in a register, before it is assigned.
enum Outcome {
    /// With its value, if known.
    Result(Value, Option<u32>, Target),
    Branch(Value, Branch),
}

impl Lower<'_, '_> {
    fn program(&mut self) {
        let zero = self.e.i32(0);
        let State { registers, carry, address, increment, fetched, dirty_groups } = &self.state;
        for &variable in registers.iter().chain([carry, address, increment, fetched, dirty_groups]) {
            self.e.b.def_var(variable, zero);
        }
        self.known.fetched = Some(0);
        let first = self.fetch();
        self.set(Reg(1), first, None);
        self.known = KnownState::BEGIN;
        self.from(self.key.entry);
        while let Some(at) = self.open.pop() {
            let block = self.blocks[&at];
            self.e.switch_to(block);
            self.known = KnownState::default();
            self.instructions(at);
        }
        for block in std::mem::take(&mut self.beyond) {
            self.e.switch_to(block);
            self.known = KnownState::default();
            self.stop(OFF_THE_END, 0);
        }
    }

    /// Continues at `at`: in a block of its own if that has another predecessor.
    fn from(&mut self, at: u32) {
        match self.heads.contains(&at) {
            true => self.go_to(at.into()),
            false => self.instructions(at),
        }
    }

    /// The block of the instruction at `at`; beyond the program, one that ends it.
    fn block(&mut self, at: i64) -> Block {
        match u32::try_from(at).ok().filter(|&at| (at as usize) < self.key.code.len()) {
            Some(at) => *self.blocks.entry(at).or_insert_with(|| {
                self.open.push(at);
                self.e.block(&[])
            }),
            None => {
                // The current block may hold a delay slot already, and has to be filled first.
                let block = self.e.cold_block(&[]);
                self.beyond.push(block);
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
        self.flush();
        let args = self.e.args;
        let fetched = self.fetched();
        self.e.b.ins().store(memory(), fetched, args, offset_of!(MacroArgs, fetched) as i32);
        let status = self.e.i64((why | u64::from(at) << 32) as i64);
        self.e.finish(status);
    }

    fn visit(&mut self, at: u32) -> Result<Outcome, u64> {
        let word = *self.key.code.get(at as usize).ok_or(OFF_THE_END)?;
        isa::visit(word, self).ok_or(ILLEGAL)
    }

    /// The instructions from `at` to the end of the block.
    fn instructions(&mut self, mut at: u32) {
        loop {
            let exit = match self.visit(at) {
                Err(OFF_THE_END) => return self.stop(OFF_THE_END, 0),
                Err(why) => return self.stop(why, at),
                Ok(Outcome::Result(value, known, target)) => {
                    self.assign(value, known, target);
                    target.exit
                }
                Ok(Outcome::Branch(taken, branch)) => {
                    let (yes, no) = (self.e.block(&[]), self.e.block(&[]));
                    self.e.branch(taken, (yes, &[]), (no, &[]));
                    self.e.seal(&[yes, no]);
                    self.e.switch_to(yes);
                    let known = self.known.clone();
                    self.taken(at, branch);
                    self.known = known;
                    self.e.switch_to(no);
                    branch.exit
                }
            };
            at += 1;
            if exit {
                return self.exit(at);
            }
            if self.heads.contains(&at) {
                return self.go_to(at.into());
            }
        }
    }

    /// A branch that is taken.
    fn taken(&mut self, at: u32, branch: Branch) {
        // In memory: the machine may lower it.
        let place = self.pointer(offset_of!(MacroArgs, branches));
        let count = self.e.b.ins().load(I32, memory(), place, 0);
        let over = self.e.b.ins().icmp_imm_u(IntCC::Equal, count, 0);
        let left = self.e.b.ins().iadd_imm_s(count, -1);
        let left = self.e.b.ins().select(over, count, left);
        self.e.b.ins().store(memory(), left, place, 0);
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
            Ok(Outcome::Result(value, known, target)) => {
                self.assign(value, known, target);
                return true;
            }
            Ok(Outcome::Branch(..)) => self.stop(BRANCH_IN_SLOT, at),
            Err(OFF_THE_END) => self.stop(OFF_THE_END, 0),
            Err(why) => self.stop(why, at),
        }
        false
    }

    fn known(&self, register: Reg) -> Option<u32> {
        match register.0 & 7 {
            0 => Some(0),
            n => self.known.registers[usize::from(n) - 1],
        }
    }

    fn get(&mut self, register: Reg) -> Value {
        match self.known(register) {
            Some(value) => self.e.i32(value as i32),
            None => self.e.b.use_var(self.state.registers[usize::from(register.0 & 7) - 1]),
        }
    }

    fn set(&mut self, register: Reg, value: Value, known: Option<u32>) {
        if let Some(index) = usize::from(register.0 & 7).checked_sub(1) {
            self.e.b.def_var(self.state.registers[index], value);
            self.known.registers[index] = known;
        }
    }

    fn pointer(&mut self, offset: usize) -> Value {
        let args = self.e.args;
        self.e.load_i64(args, offset as i32)
    }

    fn fetched(&mut self) -> Value {
        match self.known.fetched {
            Some(count) => self.e.i32(count as i32),
            None => self.e.b.use_var(self.state.fetched),
        }
    }

    /// The next parameter; zeros follow the last one.
    fn fetch(&mut self) -> Value {
        let (args, index) = (self.e.args, self.fetched());
        let known = self.known.fetched.map(|index| index + 1);
        let next = match known {
            Some(next) => self.e.i32(next as i32),
            None => self.e.b.ins().iadd_imm_u(index, 1),
        };
        self.e.b.def_var(self.state.fetched, next);
        self.known.fetched = known;
        let count = self.e.b.ins().load(I32, memory(), args, offset_of!(MacroArgs, count) as i32);
        let there = self.e.b.ins().icmp(IntCC::UnsignedLessThan, index, count);
        let zero = self.e.i32(0);
        let index = self.e.b.ins().select(there, index, zero);
        let parameters = self.pointer(offset_of!(MacroArgs, parameters));
        let address = self.e.address(parameters, index, 2);
        let value = self.e.b.ins().load(I32, memory(), address, 0);
        self.e.b.ins().select(there, value, zero)
    }

    fn set_address(&mut self, value: Value, known: Option<u32>) {
        let (address, increment) = match known {
            Some(value) => (self.e.i32((value & 0xFFF) as i32), self.e.i32((value >> 12 & 0x3F) as i32)),
            None => (self.e.b.ins().band_imm_u(value, 0xFFF), self.high(value)),
        };
        self.e.b.def_var(self.state.address, address);
        self.e.b.def_var(self.state.increment, increment);
        self.known.address = known.map(|value| (value & 0xFFF, value >> 12 & 0x3F));
    }

    /// Bits 17:12.
    fn high(&mut self, value: Value) -> Value {
        let value = self.e.b.ins().ushr_imm_u(value, 12);
        self.e.b.ins().band_imm_u(value, 0x3F)
    }

    /// Adds the dirty groups of stores to the machine's.
    fn flush(&mut self) {
        let dirty_groups = self.e.b.use_var(self.state.dirty_groups);
        let dirty = self.pointer(offset_of!(MacroArgs, dirty));
        let before = self.e.b.ins().load(I32, memory(), dirty, 0);
        let dirty_groups = self.e.b.ins().bor(before, dirty_groups);
        self.e.b.ins().store(memory(), dirty_groups, dirty, 0);
    }

    /// The word of the method at `address` in one of the arrays.
    fn method(&mut self, array: usize, address: Value) -> (Value, i32) {
        let array = self.pointer(array);
        match self.known.address {
            Some((address, _)) => (array, 4 * address as i32),
            None => (self.e.address(array, address, 2), 0),
        }
    }

    fn send(&mut self, datum: Value) {
        let address = match self.known.address {
            Some((address, _)) => self.e.i32(address as i32),
            None => self.e.b.use_var(self.state.address),
        };
        let (groups, offset) = self.method(offset_of!(MacroArgs, groups), address);
        let groups = self.e.b.ins().load(I32, memory(), groups, offset);
        let direct = self.pointer(offset_of!(MacroArgs, direct));
        let direct = self.e.b.ins().load(I8, memory(), direct, 0);
        let call = self.e.i32(CALL as i32);
        let plain = self.e.b.ins().icmp(IntCC::NotEqual, groups, call);
        let plain = self.e.b.ins().band(plain, direct);
        let (store, machine, done) = (self.e.block(&[]), self.e.block(&[]), self.e.block(&[]));
        self.e.branch(plain, (store, &[]), (machine, &[]));
        self.e.seal(&[store, machine]);

        self.e.switch_to(store);
        for array in [offset_of!(MacroArgs, live), offset_of!(MacroArgs, shadow)] {
            let (place, offset) = self.method(array, address);
            self.e.b.ins().store(memory(), datum, place, offset);
        }
        let dirty_groups = self.e.b.use_var(self.state.dirty_groups);
        let dirty_groups = self.e.b.ins().bor(dirty_groups, groups);
        self.e.b.def_var(self.state.dirty_groups, dirty_groups);
        self.e.jump(done, &[]);

        self.e.switch_to(machine);
        self.flush();
        let (function, pointer) =
            (self.pointer(offset_of!(MacroArgs, send)), self.pointer(offset_of!(MacroArgs, machine)));
        self.e.b.ins().call_indirect(self.signature, function, &[pointer, address, datum]);
        let nothing = self.e.i32(0);
        self.e.b.def_var(self.state.dirty_groups, nothing);
        self.e.jump(done, &[]);

        self.e.switch_to(done);
        self.e.seal(&[done]);
        let next = match &mut self.known.address {
            Some((address, increment)) => {
                *address = (*address + *increment) % METHODS as u32;
                let next = *address;
                self.e.i32(next as i32)
            }
            None => {
                let increment = self.e.b.use_var(self.state.increment);
                let next = self.e.b.ins().iadd(address, increment);
                self.e.b.ins().band_imm_u(next, METHODS as i64 - 1)
            }
        };
        self.e.b.def_var(self.state.address, next);
    }

    fn assign(&mut self, result: Value, known: Option<u32>, target: Target) {
        let assign = target.assign;
        let keeps_result = !assign.fetches() || assign == Assign::AddressFetchSend;
        if keeps_result {
            self.set(target.dst, result, known);
        }
        match assign {
            Assign::Move => {}
            Assign::Fetch => self.fetch_to(target.dst),
            Assign::Address => self.set_address(result, known),
            Assign::Send => self.send(result),
            Assign::FetchSend => {
                self.send(result);
                self.fetch_to(target.dst);
            }
            Assign::FetchAddress => {
                self.set_address(result, known);
                self.fetch_to(target.dst);
            }
            Assign::AddressFetchSend => {
                self.set_address(result, known);
                let datum = self.fetch();
                self.send(datum);
            }
            Assign::AddressSendHigh => {
                self.set_address(result, known);
                let datum = self.high(result);
                self.send(datum);
            }
        }
    }

    fn fetch_to(&mut self, dst: Reg) {
        let value = self.fetch();
        self.set(dst, value, None);
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
        Outcome::Result(sum, None, i.to)
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
        Outcome::Result(self.e.b.ins().ireduce(I32, sum), None, i.to)
    }
    fn sub(&mut self, i: Alu) -> Outcome {
        let (a, b) = self.sources(i);
        let fits = self.e.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, a, b);
        self.carry(fits);
        Outcome::Result(self.e.b.ins().isub(a, b), None, i.to)
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
        Outcome::Result(self.e.b.ins().ireduce(I32, difference), None, i.to)
    }
    fn xor(&mut self, i: Alu) -> Outcome {
        let (a, b) = self.sources(i);
        Outcome::Result(self.e.b.ins().bxor(a, b), None, i.to)
    }
    fn or(&mut self, i: Alu) -> Outcome {
        let (a, b) = self.sources(i);
        Outcome::Result(self.e.b.ins().bor(a, b), None, i.to)
    }
    fn and(&mut self, i: Alu) -> Outcome {
        let (a, b) = self.sources(i);
        Outcome::Result(self.e.b.ins().band(a, b), None, i.to)
    }
    fn andn(&mut self, i: Alu) -> Outcome {
        let (a, b) = self.sources(i);
        let b = self.e.b.ins().bnot(b);
        Outcome::Result(self.e.b.ins().band(a, b), None, i.to)
    }
    fn nand(&mut self, i: Alu) -> Outcome {
        let (a, b) = self.sources(i);
        let both = self.e.b.ins().band(a, b);
        Outcome::Result(self.e.b.ins().bnot(both), None, i.to)
    }
    fn addi(&mut self, i: Immediate) -> Outcome {
        if let Some(a) = self.known(i.a) {
            let sum = a.wrapping_add_signed(i.value);
            return Outcome::Result(self.e.i32(sum as i32), Some(sum), i.to);
        }
        let (a, value) = (self.get(i.a), self.e.i32(i.value));
        Outcome::Result(self.e.b.ins().iadd(a, value), None, i.to)
    }
    fn insert(&mut self, i: Bits) -> Outcome {
        let (a, b) = (self.get(i.a), self.get(i.b));
        let from = self.e.i32(i.from.into());
        let field = self.field(b, from, i.size);
        let field = self.e.b.ins().ishl_imm_u(field, i64::from(i.at));
        let hole = ((1u32 << (i.size & 31)) - 1) << i.at;
        let keep = self.e.b.ins().band_imm_u(a, i64::from(!hole));
        Outcome::Result(self.e.b.ins().bor(keep, field), None, i.to)
    }
    // The shifts below take the distance modulo 32, as the unit does.
    fn extract(&mut self, i: Bits) -> Outcome {
        let (a, b) = (self.get(i.a), self.get(i.b));
        let field = self.field(b, a, i.size);
        Outcome::Result(self.e.b.ins().ishl_imm_u(field, i64::from(i.at)), None, i.to)
    }
    fn deposit(&mut self, i: Bits) -> Outcome {
        let (a, b) = (self.get(i.a), self.get(i.b));
        let from = self.e.i32(i.from.into());
        let field = self.field(b, from, i.size);
        Outcome::Result(self.e.b.ins().ishl(field, a), None, i.to)
    }
    fn read(&mut self, i: Immediate) -> Outcome {
        let live = self.pointer(offset_of!(MacroArgs, live));
        let (place, offset) = match self.known(i.a) {
            Some(a) => (live, 4 * (a.wrapping_add_signed(i.value) % METHODS as u32) as i32),
            None => {
                let (a, value) = (self.get(i.a), self.e.i32(i.value));
                let method = self.e.b.ins().iadd(a, value);
                let method = self.e.b.ins().band_imm_u(method, METHODS as i64 - 1);
                (self.e.address(live, method, 2), 0)
            }
        };
        Outcome::Result(self.e.b.ins().load(I32, memory(), place, offset), None, i.to)
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
