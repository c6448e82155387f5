//! Random vertex programs for differential tests.
//!
//! Structured programs end by themselves: backward branches count in r62, which nothing else writes, routines call
//! later ones only, everything else goes forward. Ragged ones branch and call anywhere and need a limit.

use super::instruction::{Instruction, Register, Source, Unit, Words};
use super::ops::{ScalarOp, VectorOp};
use super::{CONSTANTS, STORE};
use crate::dice::Dice;
use crate::rsx::operand::{Condition, Mask, Swizzle, Test};
use crate::table::flags;

/// Options of random programs.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Number of instructions to aim at, routines included; 1 to 480.
    pub length: usize,
    /// Branches and calls.
    pub flow: bool,
    /// Constants and inputs with relative numbers.
    pub relative: bool,
    /// TXL.
    pub textures: bool,
    /// SIN, COS, EX2, LG2 and operations that use them: slow in a reference.
    pub transcendental: bool,
    /// Branches and calls to anywhere. Such a program may run for ever.
    pub ragged: bool,
    /// Random words, one in 16. Such a program may run for ever.
    pub garbage: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            length: 48,
            flow: true,
            relative: true,
            textures: false,
            transcendental: true,
            ragged: false,
            garbage: false,
        }
    }
}

/// A program in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generated {
    /// The store from index 0 on, at most [`STORE`] instructions.
    pub code: Vec<Words>,
    /// Where the program begins.
    pub start: usize,
}

/// A random program; `rng` gives 32 random bits a call.
pub fn program(rng: &mut impl FnMut() -> u32, options: Options) -> Generated {
    let mut builder = Builder { rng, options, code: Vec::new(), calls: Vec::new(), routines: 0 };
    builder.main();
    let Builder { code, .. } = builder;
    Generated { code, start: 0 }
}

/// A random instruction without flow, encoded; nothing in it is idle.
pub fn instruction(rng: &mut impl FnMut() -> u32, options: Options) -> Words {
    let mut builder = Builder { rng, options, code: Vec::new(), calls: Vec::new(), routines: 0 };
    builder.plain();
    builder.code[0]
}

/// Counts passes of loops, one component for each level.
const COUNTER: u8 = 62;
/// Holds 1 in all components.
const ONE: u8 = 61;
/// Temporaries that random instructions use: few, so that values meet.
const TEMPS: usize = 12;
/// Operations whose results show most of what goes into them.
const PLAIN: [VectorOp; 6] = [VectorOp::mov, VectorOp::mul, VectorOp::add, VectorOp::mad, VectorOp::dp4, VectorOp::frc];
/// Loops within loops.
const LOOPS: usize = 3;
/// Routines; each calls later ones only, so this is the depth of calls as well.
const ROUTINES: usize = 4;

const X: Mask = Mask::new(1);

struct Builder<'r, R> {
    rng: &'r mut R,
    options: Options,
    code: Vec<Words>,
    /// Calls whose target is not known yet: their index, and the routine.
    calls: Vec<(usize, usize)>,
    routines: usize,
}

impl<R: FnMut() -> u32> Builder<'_, R> {
    fn main(&mut self) {
        self.routines = if self.options.flow { self.rng.below(ROUTINES + 1) } else { 0 };
        let share = self.options.length.clamp(1, 480) / (self.routines + 1);
        if self.options.flow {
            self.put(Instruction { vector: vector(VectorOp::str, ONE), ..Instruction::NOP });
        }
        self.load();
        self.block(share, 0, 0);
        // What temporaries hold shows in the outputs; the last instruction is the end.
        for output in (0..16).rev() {
            let mut show = Instruction { end: output == 0, ..Instruction::NOP };
            show.vector.op = VectorOp::mov;
            (show.vector.output, show.vector.mask) = (Some(output), Mask::ALL);
            show.sources[0] = Source::new(Register::Temp(self.rng.below(TEMPS) as u8));
            if output == 0 || !self.rng.chance(3) {
                self.put(show);
            }
        }
        let starts: Vec<usize> = (0..self.routines).map(|routine| self.routine(routine, share)).collect();
        for (at, routine) in std::mem::take(&mut self.calls) {
            self.patch(at, starts[routine]);
        }
        self.code.truncate(STORE);
    }

    /// Gives most temporaries and a condition register a value, so that there is something to compute with.
    fn load(&mut self) {
        for temp in 0..TEMPS {
            let mut load = Instruction { vector: vector(VectorOp::mov, temp as u8), ..Instruction::NOP };
            load.condition_register = self.rng.below(2) as u8;
            load.update = if self.rng.chance(TEMPS / 2) { Some(Unit::Vector) } else { None };
            load.input = self.rng.below(16) as u8;
            load.constant = self.rng.below(CONSTANTS) as u16;
            load.sources[0] = Source::new(if self.rng.chance(2) { Register::Input } else { Register::Constant });
            if !self.rng.chance(4) {
                self.put(load);
            }
        }
    }

    fn routine(&mut self, routine: usize, length: usize) -> usize {
        let start = self.code.len();
        self.block(length.clamp(1, 40), LOOPS, routine + 1);
        let mut back = Instruction::NOP;
        back.scalar.op = ScalarOp::ret;
        self.put(back);
        start
    }

    /// About `length` instructions, within `loops` loops, calling routines from `callees` on.
    fn block(&mut self, length: usize, loops: usize, callees: usize) {
        let end = self.code.len() + length.max(1);
        while self.code.len() < end {
            let left = end - self.code.len();
            match self.rng.below(if self.options.flow && left > 3 { 8 } else { 4 }) {
                4 if callees < self.routines => self.call(callees),
                5 if loops < LOOPS && left > 8 => self.repeat(left / 2, loops, callees),
                6 | 7 => self.jump_over(left),
                _ => self.plain(),
            }
        }
    }

    /// A branch over some instructions.
    fn jump_over(&mut self, left: usize) {
        let at = self.code.len();
        let ops: &[ScalarOp] = &[ScalarOp::bri, ScalarOp::bri, ScalarOp::brb, ScalarOp::bra];
        let op = ops[self.rng.below(ops.len())];
        self.branch(op);
        for _ in 0..1 + self.rng.below(left.min(6)) {
            self.plain();
        }
        let target = if self.options.ragged { self.rng.below(self.options.length + 4) } else { self.code.len() };
        self.patch(at, target);
    }

    fn call(&mut self, callees: usize) {
        if self.options.flow && self.rng.chance(8) {
            // A return on a condition, out of the main program as well: then it ends there.
            let mut back = self.gated();
            back.scalar.op = ScalarOp::ret;
            return self.put(back);
        }
        let routine = callees + self.rng.below(self.routines - callees);
        self.calls.push((self.code.len(), routine));
        let ops: &[ScalarOp] = &[ScalarOp::cli, ScalarOp::clb, ScalarOp::cal];
        let op = ops[self.rng.below(ops.len())];
        self.branch(op);
    }

    /// A block that is executed once or twice.
    fn repeat(&mut self, length: usize, level: usize, callees: usize) {
        let component = level as u8;
        let here = Mask::new(1 << component);
        let mut clear = Instruction { vector: vector(VectorOp::sfl, COUNTER), ..Instruction::NOP };
        clear.vector.mask = here;
        self.put(clear);
        let start = self.code.len();
        self.block(length, level + 1, callees);
        let one = Source { swizzle: Swizzle::all(component), ..Source::new(Register::Temp(ONE)) };
        let counter = Source { swizzle: Swizzle::all(component), ..Source::new(Register::Temp(COUNTER)) };
        let mut count = Instruction { vector: vector(VectorOp::add, COUNTER), ..Instruction::NOP };
        count.vector.mask = here;
        (count.sources[0], count.sources[2]) = (counter, one);
        self.put(count);
        // Limit minus counter, above zero as long as there is another pass; the limit is 1, or 2 in component w.
        let mut limit = one;
        if self.rng.chance(2) {
            let mut double = Instruction { vector: vector(VectorOp::add, COUNTER), ..Instruction::NOP };
            double.vector.mask = Mask::new(8);
            (double.sources[0], double.sources[2]) = (one, one);
            self.put(double);
            limit = Source { swizzle: Swizzle::all(3), ..counter };
        }
        let mut test = Instruction { update: Some(Unit::Vector), ..Instruction::NOP };
        (test.vector.op, test.vector.mask) = (VectorOp::add, X);
        (test.sources[0], test.sources[2]) = (Source { negate: true, ..counter }, limit);
        self.put(test);
        let mut back = Instruction::NOP;
        back.scalar.op = ScalarOp::bri;
        back.condition = Some(Condition { test: Test::GREATER, swizzle: Swizzle::all(0) });
        back.scalar.target = start as u16;
        self.put(back);
    }

    /// A branch or call on a random condition, with work for the vector unit at times.
    fn branch(&mut self, op: ScalarOp) {
        let mut branch = self.gated();
        branch.scalar.op = op;
        let bits = (self.rng)();
        if op.tests_branch_bit() {
            (branch.scalar.branch_bit, branch.scalar.branch_value) = (bits as u8 & 31, bits & 32 != 0);
        }
        if bits & 0x300 == 0 {
            // Source 2 is where the target is.
            let ops = [VectorOp::mov, VectorOp::mul, VectorOp::dp4, VectorOp::slt, VectorOp::flr];
            branch.vector = vector(ops[self.rng.below(ops.len())], self.rng.below(TEMPS) as u8);
            self.fill_sources(&mut branch);
        }
        self.put(branch);
    }

    /// Nothing, under a random condition.
    fn gated(&mut self) -> Instruction {
        let mut gated = Instruction::NOP;
        if !self.rng.chance(4) {
            gated.condition = Some(self.condition());
            gated.condition_register = self.rng.below(2) as u8;
        }
        gated
    }

    fn condition(&mut self) -> Condition {
        let bits = (self.rng)();
        Condition { test: Test::from_bits(bits), swizzle: Swizzle::from_bits(bits >> 8 & 0xFF) }
    }

    /// One instruction without flow, or random words.
    fn plain(&mut self) {
        if self.options.garbage && self.rng.chance(16) {
            let words = [0; 4].map(|_| (self.rng)());
            return self.code.push(words);
        }
        let mut plain = Instruction::NOP;
        let scalar_alone = self.rng.chance(4);
        if !scalar_alone {
            self.vector_half(&mut plain);
        }
        if scalar_alone || self.rng.chance(4) {
            self.scalar_half(&mut plain);
        }
        self.fill_sources(&mut plain);
        let bits = (self.rng)();
        if bits & 7 == 0 {
            plain.condition = Some(self.condition());
        }
        if bits & 0x70 == 0 {
            plain.update = Some(if scalar_alone { Unit::Scalar } else { Unit::Vector });
        } else if bits & 0xF0 == 0x10 && !plain.vector.is_idle() && plain.scalar.op.has_result() {
            // Only a unit without another destination can be the other one of two.
            plain.update = Some(Unit::Scalar);
            (plain.scalar.temp, plain.scalar.output) = (None, None);
        }
        plain.condition_register = (bits >> 8) as u8 & 1;
        plain.saturate = bits & 0xE00 == 0;
        self.put(plain);
    }

    fn vector_half(&mut self, plain: &mut Instruction) {
        let op = loop {
            let any = VectorOp::ALL[self.rng.below(VectorOp::ALL.len())];
            let op = if self.rng.chance(2) { PLAIN[self.rng.below(PLAIN.len())] } else { any };
            if !op.is_texture() || self.options.textures {
                break op;
            }
        };
        plain.vector = vector(op, self.rng.below(TEMPS) as u8);
        plain.vector.mask = self.mask();
        plain.vector.address = self.rng.below(2) as u8;
        plain.vector.texture = self.rng.below(4) as u8;
        plain.address_register = self.rng.below(2) as u8;
        if self.rng.chance(4) {
            plain.vector.output = Some(self.rng.below(16) as u8);
            plain.vector.temp = plain.vector.temp.filter(|temp| temp & 1 == 0);
        }
    }

    fn scalar_half(&mut self, plain: &mut Instruction) {
        let op = loop {
            let op = ScalarOp::ALL[self.rng.below(ScalarOp::ALL.len())];
            let slow = op.has(flags::TRANSCENDENTAL);
            if op != ScalarOp::nop && !op.has(flags::BRANCH) && (!slow || self.options.transcendental) {
                break op;
            }
        };
        plain.scalar.op = op;
        plain.scalar.mask = self.mask();
        plain.address_register = self.rng.below(2) as u8;
        if plain.vector.output.is_none() && self.rng.chance(3) {
            plain.scalar.output = Some(self.rng.below(16) as u8);
        } else {
            plain.scalar.temp = Some(self.rng.below(TEMPS) as u8);
        }
    }

    fn mask(&mut self) -> Mask {
        let bits = (self.rng)();
        if bits & 0x30 == 0 { Mask::new(bits as u8) } else { Mask::ALL }
    }

    fn fill_sources(&mut self, plain: &mut Instruction) {
        let bits = (self.rng)();
        plain.input = bits as u8 & 15;
        plain.constant = (bits >> 8) as u16 % CONSTANTS as u16;
        plain.address_component = (bits >> 28) as u8 & 3;
        if self.options.relative {
            plain.relative_constant = bits & 0x0300_0000 == 0;
            plain.relative_input = bits & 0x0C00_0000 == 0;
        }
        for n in 0..3 {
            let bits = (self.rng)();
            let register = match bits & 7 {
                0 | 1 => Register::Input,
                2 | 3 => Register::Constant,
                4 if bits & 0x70 == 0 => Register::None,
                _ => Register::Temp((bits >> 8) as u8 % TEMPS as u8),
            };
            let swizzle = match bits >> 16 & 3 {
                0 => Swizzle::from_bits(bits >> 24),
                1 => Swizzle::all((bits >> 24) as u8 & 3),
                _ => Swizzle::IDENTITY,
            };
            let (absolute, negate) = (bits & 0x38_0000 == 0, bits & 0xC0_0000 == 0);
            plain.sources[n] = Source { register, swizzle, absolute, negate };
        }
    }

    /// Appends an instruction without what is idle in it.
    fn put(&mut self, instruction: Instruction) {
        let words = instruction.encode();
        self.code.push(Instruction::decode(words).map_or(words, |instruction| instruction.encode()));
    }

    fn patch(&mut self, at: usize, target: usize) {
        if let Ok(mut instruction) = Instruction::decode(self.code[at]) {
            instruction.scalar.target = target as u16;
            self.code[at] = instruction.encode();
        }
    }
}

/// Writes all components of a temporary.
fn vector(op: VectorOp, temp: u8) -> super::Vector {
    super::Vector { op, temp: Some(temp), output: None, address: 0, mask: Mask::ALL, texture: 0 }
}
