//! Random shader programs for differential tests.
//!
//! Structured programs nest as compilers do: no two scopes end at the same instruction, no scope ends in a flow
//! instruction, the hardware's stacks (8 ifs, 4 loops, 4 calls) never overflow, backward jumps run their block twice.
//! They end by themselves, after at most as many loop iterations as the integer uniforms say. Ragged ones break all of
//! those rules and need fuel.

use super::asm::Program;
use super::descriptor::{DESCRIPTORS, Descriptor};
use super::isa::{Op, canonical, decode, random_word};
use super::operand::{Branch, Compare, Condition, ConditionOp, SetEmit, Src, Uniform};
use crate::dice::Dice;
use crate::table::{Encoder, OpInfo, Shape, flags};

/// Options of random programs.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Number of instructions to aim at, procedures included; 1 to 3000. Programs of 512 fit the vertex units.
    pub length: usize,
    /// Ifs, loops, calls and jumps.
    pub flow: bool,
    /// Constant registers with a0.x, a0.y or aL added.
    pub relative: bool,
    /// `emit` and `setemit`.
    pub geometry: bool,
    /// Break the rules of structure: scopes that end together or in a jump, breaks out of ifs, jumps to anywhere. Such
    /// a program may run for ever.
    pub ragged: bool,
    /// Random words, one in 16. Such a program may run for ever.
    pub garbage: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { length: 64, flow: true, relative: true, geometry: false, ragged: false, garbage: false }
    }
}

/// A random program. It begins at instruction 0; `rng` gives 32 random bits a call.
pub fn program(rng: &mut impl FnMut() -> u32, options: Options) -> Program {
    let descriptors = descriptors(rng, options);
    let mut builder = Builder {
        rng,
        options,
        descriptors: descriptors.len() as u32,
        code: Vec::new(),
        calls: Vec::new(),
        procedures: 0,
    };
    builder.main();
    let code = builder.code;
    Program { code, descriptors, ..Program::default() }
}

/// A random instruction of `op` whose descriptor is below `descriptors`. Bits that mean nothing are zero, so that
/// listings stay readable.
pub fn instruction(op: Op, rng: &mut impl FnMut() -> u32, descriptors: u32, relative: bool) -> u32 {
    let info = op.info();
    let random = random_word(op, rng);
    let mut word = canonical(random).unwrap_or(random);
    let reach = 1 << info.pattern.field_width(b'p');
    let descriptor = rng() % descriptors.clamp(1, reach);
    word = with_field(info, word, b'p', descriptor);
    if !relative && info.pattern.field(b'a') != 0 {
        word = with_field(info, word, b'i', 0);
    }
    word
}

/// `word` with another value of a field, if its row has that field.
fn with_field(info: &OpInfo, word: u32, letter: u8, value: u32) -> u32 {
    let mask = info.pattern.field(letter) as u32;
    if mask == 0 { word } else { word & !mask | value << mask.trailing_zeros() & mask }
}

/// Descriptor 0 is the identity; the others are random, most of them with a full or plausible mask.
fn descriptors(rng: &mut impl FnMut() -> u32, options: Options) -> Vec<u32> {
    let count = (options.length / 2).clamp(8, DESCRIPTORS);
    let random = |_| match rng() % 4 {
        0 => (Descriptor::IDENTITY.0 & !0xF) | (rng() % 16),
        1 => rng() | 0xF,
        _ => rng(),
    };
    std::iter::once(Descriptor::IDENTITY.0).chain((1..count).map(random)).map(|bits| bits & 0x7FFF_FFFF).collect()
}

/// Deepest nesting of ifs and loops in the main program and in a procedure: together they fit the stacks.
const IFS: [usize; 2] = [3, 1];
const LOOPS: [usize; 2] = [2, 1];
/// Procedures that may hold a loop; later ones may be reached with four loops open already.
const LOOPING_PROCEDURES: usize = 2;
/// Procedures call later ones only, so this is the depth of calls as well.
const PROCEDURES: usize = 4;

struct Builder<'r, R> {
    rng: &'r mut R,
    options: Options,
    descriptors: u32,
    code: Vec<u32>,
    /// Calls whose target is not known yet: their index and the procedure that they call.
    calls: Vec<(usize, usize)>,
    procedures: usize,
}

/// A point of a program at which instructions are generated.
#[derive(Clone, Copy)]
struct GenerationPoint {
    ifs: usize,
    loops: usize,
    /// Directly in the body of a loop.
    in_loop: bool,
    /// The first procedure that may be called.
    callees: usize,
    /// 0 in the main program, 1 in procedures.
    level: usize,
}

impl<R: FnMut() -> u32> Builder<'_, R> {
    fn main(&mut self) {
        self.procedures = if self.options.flow { self.rng.below(PROCEDURES + 1) } else { 0 };
        let share = self.options.length.clamp(1, 3000) / (self.procedures + 1);
        self.block(share, GenerationPoint { ifs: IFS[0], loops: LOOPS[0], in_loop: false, callees: 0, level: 0 });
        self.put(Op::end);
        let starts: Vec<_> = (0..self.procedures).map(|procedure| self.procedure(procedure, share)).collect();
        for (at, procedure) in std::mem::take(&mut self.calls) {
            let (start, end) = starts[procedure];
            self.patch(at, start, (end - start).min(255));
        }
    }

    /// Generates a procedure and returns where it begins and ends.
    fn procedure(&mut self, procedure: usize, length: usize) -> (usize, usize) {
        let start = self.code.len();
        let loops = if procedure < LOOPING_PROCEDURES { LOOPS[1] } else { 0 };
        let callees = procedure + 1;
        self.block(length.clamp(1, 60), GenerationPoint { ifs: IFS[1], loops, in_loop: false, callees, level: 1 });
        (start, self.code.len())
    }

    /// Generates about `length` instructions. In structured programs the last one is no flow instruction.
    fn block(&mut self, length: usize, place: GenerationPoint) {
        let end = self.code.len() + length.max(1);
        while self.code.len() < end {
            let left = end - self.code.len();
            if self.options.flow && left > 4 && self.rng.chance(4) {
                self.flow(left, place);
                if !self.options.ragged {
                    self.put(Op::nop);
                }
            } else {
                self.plain();
            }
        }
    }

    fn flow(&mut self, left: usize, place: GenerationPoint) {
        let budget = 1 + self.rng.below(left.min(40) - 2);
        match self.rng.below(if self.options.ragged { 9 } else { 8 }) {
            0 | 1 if place.ifs > 0 => self.if_else(budget, place),
            2 | 3 if place.loops > 0 => self.hardware_loop(budget, place),
            4 if place.callees < self.procedures => self.call(place),
            5 => self.jump_over(budget),
            6 => self.twice(budget),
            7 if place.in_loop || (self.options.ragged && place.loops < LOOPS[place.level]) => {
                let branch = self.branch();
                self.put_operands(Op::breakc, &branch);
            }
            8 => self.jump_anywhere(),
            _ => self.plain(),
        }
    }

    fn if_else(&mut self, budget: usize, place: GenerationPoint) {
        let inner = GenerationPoint { ifs: place.ifs - 1, in_loop: self.options.ragged && place.in_loop, ..place };
        let at = self.code.len();
        if self.rng.chance(2) {
            let branch = self.branch();
            self.put_operands(Op::ifc, &branch);
        } else {
            let uniform = self.uniform(16);
            self.put_operands(Op::ifu, &uniform);
        }
        self.block(budget / 2 + 1, inner);
        let other = self.code.len();
        if self.rng.chance(2) {
            self.block(budget / 2 + 1, inner);
        }
        self.patch(at, other, (self.code.len() - other).min(255));
    }

    fn hardware_loop(&mut self, budget: usize, place: GenerationPoint) {
        let at = self.code.len();
        let uniform = self.uniform(4);
        self.put_operands(Op::loop_, &uniform);
        self.block(budget, GenerationPoint { loops: place.loops - 1, in_loop: true, ..place });
        self.patch(at, self.code.len() - 1, 0);
    }

    fn call(&mut self, place: GenerationPoint) {
        let procedure = place.callees + self.rng.below(self.procedures - place.callees);
        self.calls.push((self.code.len(), procedure));
        match self.rng.below(3) {
            0 => {
                let branch = Branch { cond: ALWAYS, ..self.branch() };
                self.put_operands(Op::call, &branch);
            }
            1 => {
                let branch = self.branch();
                self.put_operands(Op::callc, &branch);
            }
            _ => {
                let uniform = self.uniform(16);
                self.put_operands(Op::callu, &uniform);
            }
        }
    }

    /// A jump over some plain instructions.
    fn jump_over(&mut self, budget: usize) {
        let at = self.code.len();
        self.jump();
        self.plain_block(budget.min(8));
        self.patch_target(at, self.code.len());
    }

    /// A block that a backward jump runs twice: the flags are set before it and cleared before the jump.
    fn twice(&mut self, budget: usize) {
        self.compare_with_itself(TRUE);
        let start = self.code.len();
        for _ in 0..budget.min(8) {
            self.arithmetic(|op| !op.info().has(flags::CONDITION));
        }
        let exit = self.code.len();
        let cleared = Condition { op: ConditionOp::X, ref_x: false, ref_y: false };
        self.put_operands(Op::jmpc, &Branch { target: 0, count: 0, cond: cleared });
        self.compare_with_itself(LESS);
        self.put_operands(Op::jmpc, &Branch { target: start as u16, count: 0, cond: cleared });
        self.patch_target(exit, self.code.len());
    }

    fn jump_anywhere(&mut self) {
        let at = self.code.len();
        self.jump();
        let target = self.rng.below(self.options.length + 1);
        self.patch_target(at, target);
    }

    fn jump(&mut self) {
        if self.rng.chance(2) {
            let branch = self.branch();
            self.put_operands(Op::jmpc, &branch);
        } else {
            let invert = self.rng.below(2) as u8;
            let uniform = Uniform { count: invert, ..self.uniform(16) };
            self.put_operands(Op::jmpu, &uniform);
        }
    }

    /// Sets both flags to a comparison of a register with itself; the identity descriptor makes both sides equal.
    fn compare_with_itself(&mut self, op: u8) {
        let register = match self.rng.below(2) {
            0 => Src::Input(self.rng.below(16) as u8),
            _ => Src::Temp(self.rng.below(16) as u8),
        };
        self.put_operands(Op::cmp, &Compare { src1: register, src2: register, desc: 0, op_x: op, op_y: op });
    }

    fn plain_block(&mut self, length: usize) {
        for _ in 0..length {
            self.plain();
        }
    }

    /// One instruction without control flow, or a random word.
    fn plain(&mut self) {
        if self.options.garbage && self.rng.chance(16) {
            let word = (self.rng)();
            self.code.push(word);
        } else if self.options.geometry && self.rng.chance(12) {
            self.geometry();
        } else {
            self.arithmetic(|_| true);
        }
    }

    fn geometry(&mut self) {
        if self.rng.chance(2) {
            return self.put(Op::emit);
        }
        let bits = (self.rng)();
        let emit = SetEmit { vertex: (bits % 3) as u8, primitive: bits & 8 != 0, winding: bits & 16 != 0 };
        self.put_operands(Op::setemit, &emit);
    }

    /// One arithmetic instruction that is `wanted`. Two `mova` in a row stop the hardware and are not made.
    fn arithmetic(&mut self, wanted: impl Fn(Op) -> bool) {
        let last = self.code.last().and_then(|&word| decode(word));
        let all = Op::all();
        let op = loop {
            let at = self.rng.below(all.len());
            let Some(op) = all.clone().nth(at) else { continue };
            let again = op == Op::mova && last == Some(Op::mova);
            // Only arithmetic refers to descriptors.
            if op.info().pattern.field(b'p') != 0 && wanted(op) && !again {
                break op;
            }
        };
        let mut word = instruction(op, self.rng, self.descriptors, self.options.relative);
        // Outputs cannot be read: three of four results go to temporaries.
        let info = op.info();
        if info.pattern.field(b'd') != 0 && !self.rng.chance(4) {
            let temporary = 0x10 + self.rng.below(16) as u32;
            word = with_field(info, word, b'd', temporary);
        }
        self.code.push(word);
    }

    fn branch(&mut self) -> Branch {
        let bits = (self.rng)();
        let op = [ConditionOp::Or, ConditionOp::And, ConditionOp::X, ConditionOp::Y][(bits & 3) as usize];
        Branch { target: 0, count: 0, cond: Condition { op, ref_x: bits & 4 != 0, ref_y: bits & 8 != 0 } }
    }

    fn uniform(&mut self, number: usize) -> Uniform {
        Uniform { target: 0, count: 0, id: self.rng.below(number) as u8 }
    }

    fn put(&mut self, op: Op) {
        self.code.push(op.info().pattern.value as u32);
    }

    /// Appends an instruction; its operands fit by construction.
    fn put_operands(&mut self, op: Op, operands: &impl Shape) {
        let mut encoder = Encoder::new(&op.info().pattern);
        operands.encode(&mut encoder);
        let word = encoder.finish().unwrap_or(op.info().pattern.value);
        self.code.push(word as u32);
    }

    fn patch_target(&mut self, at: usize, target: usize) {
        if let Some(op) = decode(self.code[at]) {
            self.code[at] = with_field(op.info(), self.code[at], b't', target as u32);
        }
    }

    fn patch(&mut self, at: usize, target: usize, count: usize) {
        self.patch_target(at, target);
        if let Some(op) = decode(self.code[at]) {
            self.code[at] = with_field(op.info(), self.code[at], b'n', count as u32);
        }
    }
}

/// The condition bits of an unconditional call.
const ALWAYS: Condition = Condition { op: ConditionOp::Or, ref_x: false, ref_y: false };
/// Comparison that is always true.
const TRUE: u8 = 6;
/// Comparison `<`; false for a register and itself.
const LESS: u8 = 2;
