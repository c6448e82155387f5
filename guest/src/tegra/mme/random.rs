//! Random macros for differential tests.
//!
//! Structured programs end by themselves: branches go forward or count a register down that nothing else writes, delay
//! slots hold no branches, and an exit is always reached. Ragged ones break all of those rules and need a limit of
//! steps.

use super::isa::{Op, canonical, decode, is_branch, random_word};
use super::operand::{Assign, Branch, Immediate, Reg, Target};
use crate::dice::Dice;
use crate::table::{Encoder, Shape};

/// Options of random programs.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Number of instructions to aim at, 1 to 2000.
    pub length: usize,
    /// Branches and early exits.
    pub flow: bool,
    /// Break the rules of structure: branches to anywhere, also in delay slots, no exit at the end, random words. Such
    /// a program may run for ever or stop at an illegal instruction.
    pub ragged: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { length: 40, flow: true, ragged: false }
    }
}

/// The register that loops count in.
const COUNTER: u8 = 7;

/// A random program. It begins at word 0; `rng` gives 32 random bits a call.
pub fn program(rng: &mut impl FnMut() -> u32, options: Options) -> Vec<u32> {
    let mut builder = Builder { rng, options, code: Vec::new() };
    builder.set_address();
    builder.block(options.length.clamp(1, 2000), true);
    if !(options.ragged && builder.rng.chance(2)) {
        let nothing = Target { dst: Reg(0), assign: Assign::Move, exit: true };
        builder.put(Op::addi, &Immediate { to: nothing, a: Reg(0), value: 0 });
        builder.plain();
    }
    builder.code
}

/// A random instruction of `op`. Bits that mean nothing are zero, so that listings stay readable.
pub fn instruction(op: Op, rng: &mut impl FnMut() -> u32) -> u32 {
    let word = random_word(op, rng);
    canonical(word).unwrap_or(word)
}

struct Builder<'r, R> {
    rng: &'r mut R,
    options: Options,
    code: Vec<u32>,
}

impl<R: FnMut() -> u32> Builder<'_, R> {
    /// Generates about `length` instructions, loops among them if `loops`.
    fn block(&mut self, length: usize, loops: bool) {
        let end = self.code.len() + length;
        while self.code.len() < end {
            let left = end - self.code.len();
            if !self.options.flow || left < 5 || !self.rng.chance(4) {
                self.plain();
                continue;
            }
            match self.rng.below(if self.options.ragged { 5 } else { 4 }) {
                0 if loops => self.counted_loop(left.min(20) - 4),
                1 => self.early_exit(),
                4 => self.branch_anywhere(),
                _ => self.skip(left.min(20) - 3),
            }
        }
    }

    /// A forward branch over some instructions; the first one of these is its delay slot.
    fn skip(&mut self, length: usize) {
        let at = self.code.len();
        let length = 1 + self.rng.below(length);
        self.plain();
        self.plain();
        self.block(length, false);
        self.plain();
        let branch = self.branch((self.code.len() - at) as i32);
        let op = if self.rng.chance(2) { Op::bz } else { Op::bnz };
        self.code[at] = encode(op, &branch);
    }

    /// A loop of one to four rounds.
    fn counted_loop(&mut self, length: usize) {
        let rounds = 1 + self.rng.below(4) as i32;
        let counter = Target { dst: Reg(COUNTER), assign: Assign::Move, exit: false };
        self.put(Op::addi, &Immediate { to: counter, a: Reg(0), value: rounds });
        let top = self.code.len() as i32;
        let length = 1 + self.rng.below(length);
        self.block(length, false);
        self.put(Op::addi, &Immediate { to: counter, a: Reg(COUNTER), value: -1 });
        let offset = top - self.code.len() as i32;
        let branch = Branch { a: Reg(COUNTER), annul: self.rng.chance(2), exit: false, offset };
        self.put(Op::bnz, &branch);
        self.plain();
    }

    /// An exit that is taken or not: the exit bit of a branch that may go on.
    fn early_exit(&mut self) {
        let branch = Branch { exit: true, offset: 2, ..self.branch(2) };
        let op = if self.rng.chance(4) { Op::bz } else { Op::bnz };
        self.put(op, &branch);
        self.plain();
    }

    fn branch_anywhere(&mut self) {
        let (length, here) = (self.options.length as i32, self.code.len() as i32);
        let target = (self.rng)() as i32 % length.max(1);
        let branch = self.branch(target - here);
        let op = if self.rng.chance(2) { Op::bz } else { Op::bnz };
        self.put(op, &branch);
    }

    fn branch(&mut self, offset: i32) -> Branch {
        let bits = (self.rng)();
        Branch { a: Reg((bits & 7) as u8), annul: bits & 8 != 0, exit: bits & 0x30 == 0, offset }
    }

    /// Sets the method address to something that a test can watch: scratch registers, increment 0 to 3.
    fn set_address(&mut self) {
        let address = 0xD00 + self.rng.below(0x80) as i32 + ((self.rng.below(4) as i32) << 12);
        let to = Target { dst: Reg(0), assign: Assign::Address, exit: false };
        self.put(Op::addi, &Immediate { to, a: Reg(0), value: address });
    }

    /// One instruction that is no branch, or a random word.
    fn plain(&mut self) {
        if self.options.ragged && self.rng.chance(24) {
            let word = (self.rng)();
            return self.code.push(word);
        }
        if self.rng.chance(12) {
            return self.set_address();
        }
        let all = Op::all();
        let word = loop {
            let at = self.rng.below(all.len());
            let Some(op) = all.clone().nth(at) else { continue };
            let word = instruction(op, self.rng);
            if !is_branch(word) {
                break word;
            }
        };
        self.code.push(tame(word, self.options.ragged));
    }

    fn put(&mut self, op: Op, operands: &impl Shape) {
        self.code.push(encode(op, operands));
    }
}

/// The word of an instruction; its operands fit by construction.
fn encode(op: Op, operands: &impl Shape) -> u32 {
    let mut encoder = Encoder::new(&op.info().pattern);
    operands.encode(&mut encoder);
    encoder.finish().unwrap_or(op.info().pattern.value) as u32
}

/// `word` without its exit bit and, unless everything is allowed, with another destination than the loop counter.
fn tame(word: u32, ragged: bool) -> u32 {
    const DST: u32 = 7 << 8;
    let clobbers = !ragged && decode(word).is_some() && word & DST == u32::from(COUNTER) << 8;
    let word = if clobbers { word & !DST } else { word };
    word & !0x80
}
