//! The macro method expander (Tegra X1): one instruction after the other, as envytools and the emulators describe it.

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::mme::{CALL, METHODS, MmeEnd, MmeJob, MmeKernel, MmeKey, MmeStop};
use triglyph_guest::tegra::mme::isa::{self, Alu, Assign, Bits, Branch, Immediate, Reg, Target, Visitor};

/// A macro kernel: its code, decoded.
#[derive(Clone)]
pub struct Kernel {
    entry: u32,
    /// `None` for words that are no instructions.
    code: Vec<Option<Instruction>>,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel").field("entry", &self.entry).field("words", &self.code.len()).finish()
    }
}

impl Kernel {
    /// The kernel of `key`.
    pub fn new(key: &MmeKey) -> Self {
        let code = key.code.iter().map(|&word| isa::visit(word, &mut Decoder)).collect();
        Kernel { entry: key.entry, code }
    }

    /// Runs a call on a unit whose state can be inspected afterwards.
    pub fn call(&self, unit: &mut Unit, job: &mut MmeJob<'_>) -> MmeEnd {
        *unit = Unit::default();
        let mut call = Call { unit, job, fetched: 0 };
        call.unit.registers[1] = call.fetch();
        let stop = call.run(self);
        let (fetched, given) = (call.fetched, call.job.parameters.len());
        let (missing, unused) = (fetched.saturating_sub(given), given.saturating_sub(fetched));
        MmeEnd { stop, missing: missing as u32, unused: unused as u32 }
    }
}

impl MmeKernel for Kernel {
    fn run(&self, job: &mut MmeJob<'_>) -> Result<MmeEnd, Unsupported> {
        Ok(self.call(&mut Unit::default(), job))
    }
}

/// The state of the unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// r0 to r7; r0 stays 0.
    pub registers: [u32; 8],
    /// The carry flag.
    pub carry: bool,
    /// Where the next send goes, 12 bits.
    pub address: u32,
    /// The increment of the address for each send, 6 bits.
    pub increment: u32,
}

/// A call in progress.
struct Call<'c, 'a> {
    unit: &'c mut Unit,
    job: &'c mut MmeJob<'a>,
    /// Fetches so far, with those that found nothing.
    fetched: usize,
}

/// The result of an instruction before the assignment.
enum Outcome {
    Result(u32, Target),
    Branch { taken: bool, branch: Branch },
}

impl Call<'_, '_> {
    fn run(&mut self, kernel: &Kernel) -> MmeStop {
        let mut at = kernel.entry;
        loop {
            let Some(instruction) = kernel.code.get(at as usize) else { return MmeStop::OffTheEnd };
            let exit = match instruction.as_ref().map(|instruction| instruction.execute(self)) {
                None => return MmeStop::Illegal { at },
                Some(Outcome::Result(value, target)) => {
                    self.assign(value, target);
                    target.exit
                }
                Some(Outcome::Branch { taken: true, branch }) => {
                    let Some(left) = self.job.branches.get().checked_sub(1) else { return MmeStop::OutOfBranches };
                    self.job.branches.set(left);
                    if !branch.annul
                        && let Err(stop) = self.slot(kernel, at + 1)
                    {
                        return stop;
                    }
                    let Some(target) = at.checked_add_signed(branch.offset) else { return MmeStop::OffTheEnd };
                    at = target;
                    continue;
                }
                Some(Outcome::Branch { taken: false, branch }) => branch.exit,
            };
            at += 1;
            if exit {
                return self.slot(kernel, at).err().unwrap_or(MmeStop::Exit);
            }
        }
    }

    /// Executes a delay slot; its exit bit means nothing.
    fn slot(&mut self, kernel: &Kernel, at: u32) -> Result<(), MmeStop> {
        let instruction = kernel.code.get(at as usize).ok_or(MmeStop::OffTheEnd)?;
        match instruction.as_ref().map(|instruction| instruction.execute(self)) {
            None => Err(MmeStop::Illegal { at }),
            Some(Outcome::Branch { .. }) => Err(MmeStop::BranchInDelaySlot { at }),
            Some(Outcome::Result(value, target)) => {
                self.assign(value, target);
                Ok(())
            }
        }
    }

    fn get(&self, register: Reg) -> u32 {
        self.unit.registers[usize::from(register.0 & 7)]
    }

    fn set(&mut self, register: Reg, value: u32) {
        if register.0 & 7 != 0 {
            self.unit.registers[usize::from(register.0 & 7)] = value;
        }
    }

    /// The next parameter.
    fn fetch(&mut self) -> u32 {
        let value = self.job.parameters.get(self.fetched).copied().unwrap_or(0);
        self.fetched += 1;
        value
    }

    fn set_address(&mut self, value: u32) {
        self.unit.address = value & 0xFFF;
        self.unit.increment = value >> 12 & 0x3F;
    }

    fn send(&mut self, datum: u32) {
        let Unit { address, increment, .. } = *self.unit;
        let job = &mut *self.job;
        let (method, groups) = (address as usize, job.groups[address as usize]);
        if job.direct.get() && groups != CALL {
            job.live[method].set(datum);
            job.shadow[method].set(datum);
            job.dirty.set(job.dirty.get() | groups);
        } else {
            job.machine.send(address, datum);
        }
        self.unit.address = (address + increment) & 0xFFF;
    }

    fn assign(&mut self, result: u32, target: Target) {
        let dst = target.dst;
        match target.assign {
            Assign::Fetch => {
                let value = self.fetch();
                self.set(dst, value);
            }
            Assign::Move => self.set(dst, result),
            Assign::Address => {
                self.set(dst, result);
                self.set_address(result);
            }
            Assign::FetchSend => {
                self.send(result);
                let value = self.fetch();
                self.set(dst, value);
            }
            Assign::Send => {
                self.set(dst, result);
                self.send(result);
            }
            Assign::FetchAddress => {
                self.set_address(result);
                let value = self.fetch();
                self.set(dst, value);
            }
            Assign::AddressFetchSend => {
                self.set(dst, result);
                self.set_address(result);
                let value = self.fetch();
                self.send(value);
            }
            Assign::AddressSendHigh => {
                self.set(dst, result);
                self.set_address(result);
                self.send(result >> 12 & 0x3F);
            }
        }
    }

    /// a + b + carry in, and the carry out.
    fn sum(&mut self, i: Alu, b: u32, carry: bool) -> Outcome {
        let sum = u64::from(self.get(i.a)) + u64::from(b) + u64::from(carry);
        self.unit.carry = sum >> 32 != 0;
        Outcome::Result(sum as u32, i.to)
    }

    fn logic(&self, i: Alu, function: fn(u32, u32) -> u32) -> Outcome {
        Outcome::Result(function(self.get(i.a), self.get(i.b)), i.to)
    }
}

/// The lowest `size` bits.
fn mask(size: u8) -> u32 {
    (1 << (size & 31)) - 1
}

/// An instruction: what it does, and its operands.
#[derive(Clone, Copy)]
enum Instruction {
    Alu(fn(&mut Call<'_, '_>, Alu) -> Outcome, Alu),
    Immediate(fn(&mut Call<'_, '_>, Immediate) -> Outcome, Immediate),
    Bits(fn(&mut Call<'_, '_>, Bits) -> Outcome, Bits),
    Branch(fn(&mut Call<'_, '_>, Branch) -> Outcome, Branch),
}

impl Instruction {
    fn execute(&self, call: &mut Call<'_, '_>) -> Outcome {
        match *self {
            Instruction::Alu(execute, operands) => execute(call, operands),
            Instruction::Immediate(execute, operands) => execute(call, operands),
            Instruction::Bits(execute, operands) => execute(call, operands),
            Instruction::Branch(execute, operands) => execute(call, operands),
        }
    }
}

/// Makes instructions of words.
struct Decoder;

impl Visitor for Decoder {
    type Output = Instruction;

    fn add(&mut self, operands: Alu) -> Instruction {
        Instruction::Alu(|call, operands| call.add(operands), operands)
    }
    fn adc(&mut self, operands: Alu) -> Instruction {
        Instruction::Alu(|call, operands| call.adc(operands), operands)
    }
    fn sub(&mut self, operands: Alu) -> Instruction {
        Instruction::Alu(|call, operands| call.sub(operands), operands)
    }
    fn sbb(&mut self, operands: Alu) -> Instruction {
        Instruction::Alu(|call, operands| call.sbb(operands), operands)
    }
    fn xor(&mut self, operands: Alu) -> Instruction {
        Instruction::Alu(|call, operands| call.xor(operands), operands)
    }
    fn or(&mut self, operands: Alu) -> Instruction {
        Instruction::Alu(|call, operands| call.or(operands), operands)
    }
    fn and(&mut self, operands: Alu) -> Instruction {
        Instruction::Alu(|call, operands| call.and(operands), operands)
    }
    fn andn(&mut self, operands: Alu) -> Instruction {
        Instruction::Alu(|call, operands| call.andn(operands), operands)
    }
    fn nand(&mut self, operands: Alu) -> Instruction {
        Instruction::Alu(|call, operands| call.nand(operands), operands)
    }
    fn addi(&mut self, operands: Immediate) -> Instruction {
        Instruction::Immediate(|call, operands| call.addi(operands), operands)
    }
    fn insert(&mut self, operands: Bits) -> Instruction {
        Instruction::Bits(|call, operands| call.insert(operands), operands)
    }
    fn extract(&mut self, operands: Bits) -> Instruction {
        Instruction::Bits(|call, operands| call.extract(operands), operands)
    }
    fn deposit(&mut self, operands: Bits) -> Instruction {
        Instruction::Bits(|call, operands| call.deposit(operands), operands)
    }
    fn read(&mut self, operands: Immediate) -> Instruction {
        Instruction::Immediate(|call, operands| call.read(operands), operands)
    }
    fn bz(&mut self, operands: Branch) -> Instruction {
        Instruction::Branch(|call, operands| call.bz(operands), operands)
    }
    fn bnz(&mut self, operands: Branch) -> Instruction {
        Instruction::Branch(|call, operands| call.bnz(operands), operands)
    }
}

/// The operations of instructions, by their names in the table.
impl Call<'_, '_> {
    fn add(&mut self, i: Alu) -> Outcome {
        self.sum(i, self.get(i.b), false)
    }
    fn adc(&mut self, i: Alu) -> Outcome {
        self.sum(i, self.get(i.b), self.unit.carry)
    }
    // a - b is a + !b + 1, so the carry out says that nothing was borrowed.
    fn sub(&mut self, i: Alu) -> Outcome {
        self.sum(i, !self.get(i.b), true)
    }
    fn sbb(&mut self, i: Alu) -> Outcome {
        self.sum(i, !self.get(i.b), self.unit.carry)
    }
    fn xor(&mut self, i: Alu) -> Outcome {
        self.logic(i, |a, b| a ^ b)
    }
    fn or(&mut self, i: Alu) -> Outcome {
        self.logic(i, |a, b| a | b)
    }
    fn and(&mut self, i: Alu) -> Outcome {
        self.logic(i, |a, b| a & b)
    }
    fn andn(&mut self, i: Alu) -> Outcome {
        self.logic(i, |a, b| a & !b)
    }
    fn nand(&mut self, i: Alu) -> Outcome {
        self.logic(i, |a, b| !(a & b))
    }
    fn addi(&mut self, i: Immediate) -> Outcome {
        Outcome::Result(self.get(i.a).wrapping_add_signed(i.value), i.to)
    }
    fn insert(&mut self, i: Bits) -> Outcome {
        let field = self.get(i.b) >> i.from & mask(i.size);
        Outcome::Result(self.get(i.a) & !(mask(i.size) << i.at) | field << i.at, i.to)
    }
    fn extract(&mut self, i: Bits) -> Outcome {
        Outcome::Result((self.get(i.b) >> (self.get(i.a) & 31) & mask(i.size)) << i.at, i.to)
    }
    fn deposit(&mut self, i: Bits) -> Outcome {
        Outcome::Result((self.get(i.b) >> i.from & mask(i.size)) << (self.get(i.a) & 31), i.to)
    }
    fn read(&mut self, i: Immediate) -> Outcome {
        let method = self.get(i.a).wrapping_add_signed(i.value) as usize % METHODS;
        Outcome::Result(self.job.live[method].get(), i.to)
    }
    fn bz(&mut self, branch: Branch) -> Outcome {
        Outcome::Branch { taken: self.get(branch.a) == 0, branch }
    }
    fn bnz(&mut self, branch: Branch) -> Outcome {
        Outcome::Branch { taken: self.get(branch.a) != 0, branch }
    }
}
