//! Random fragment programs for differential tests.
//!
//! Structured programs nest as compilers do and end by themselves: loops count, routines call later ones only. Ragged
//! ones have offsets to anywhere and ENDs in between.

use super::CALL_DEPTH;
use super::instruction::{Compute, Flow, Instruction, Words};
use super::operand::{Input, Modifier, Precision, Register, Scale, Source, Temp};
use super::ops::{FlowOp, Op};
use crate::dice::Dice;
use crate::rsx::operand::{Condition, Mask, Swizzle, Test};
use crate::table::flags;

/// Options of random programs.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Number of instructions to aim at, routines included; 1 to 1000.
    pub length: usize,
    /// IFE, LOOP, REP, BRK, CAL, RET.
    pub flow: bool,
    /// H registers and results of less precision.
    pub halves: bool,
    /// Packing and unpacking: registers then hold any bits.
    pub packing: bool,
    /// Texture units that are read, a bit for each.
    pub textures: u16,
    /// SIN, COS, EX2, LG2, POW, LIT, LIF and sRGB: slow in a reference.
    pub transcendental: bool,
    /// KIL.
    pub kill: bool,
    /// Inputs relative to a loop's index.
    pub relative: bool,
    /// Offsets to anywhere, ENDs and RETs in between.
    pub ragged: bool,
    /// Random words, one in 16.
    pub garbage: bool,
}

impl Options {
    /// Straight programs of registers, products and sums alone.
    pub const PLAIN: Options = Options {
        length: 12,
        flow: false,
        halves: false,
        packing: false,
        textures: 0,
        transcendental: false,
        kill: false,
        relative: false,
        ragged: false,
        garbage: false,
    };
}

impl Default for Options {
    fn default() -> Self {
        Options {
            length: 40,
            flow: true,
            halves: true,
            packing: true,
            textures: 0xFFFF,
            transcendental: true,
            kill: true,
            relative: true,
            ragged: false,
            garbage: false,
        }
    }
}

/// A random program, constants in place; `rng` gives 32 random bits a call.
pub fn program(rng: &mut impl FnMut() -> u32, options: Options) -> Vec<u32> {
    let mut builder = Builder { rng, options, code: Vec::new(), calls: Vec::new(), routines: 0 };
    builder.main();
    builder.code
}

/// A random instruction that computes, with its constant if it has one; nothing in it is idle.
pub fn instruction(rng: &mut impl FnMut() -> u32, options: Options) -> Vec<u32> {
    let mut builder = Builder { rng, options, code: Vec::new(), calls: Vec::new(), routines: 0 };
    builder.plain();
    builder.code
}

/// Registers that random instructions use: few, so that values meet and halves share storage with them.
const REGISTERS: usize = 6;
/// Operations whose results show most of what goes into them.
const PLAIN: [Op; 8] = [Op::mov, Op::mul, Op::add, Op::mad, Op::dp3, Op::lrp, Op::frc, Op::tex];
/// Deepest nesting of structures.
const DEPTH: usize = 4;

struct Builder<'r, R> {
    rng: &'r mut R,
    options: Options,
    code: Vec<u32>,
    /// Calls whose target is not known yet: the index of their first word, and the routine.
    calls: Vec<(usize, usize)>,
    routines: usize,
}

/// A point of a program at which instructions are generated.
#[derive(Clone, Copy)]
struct GenerationPoint {
    depth: usize,
    in_loop: bool,
    /// The first routine that may be called.
    callees: usize,
}

impl<R: FnMut() -> u32> Builder<'_, R> {
    fn main(&mut self) {
        self.routines = if self.options.flow { self.rng.below(CALL_DEPTH + 1) } else { 0 };
        let share = self.options.length.clamp(1, 1000) / (self.routines + 1);
        self.load();
        self.block(share, GenerationPoint { depth: 0, in_loop: false, callees: 0 });
        let mut last = self.moving();
        last.end = true;
        self.put(&Instruction::Compute(last));
        let starts: Vec<usize> = (0..self.routines).map(|routine| self.routine(routine, share)).collect();
        for (at, routine) in std::mem::take(&mut self.calls) {
            self.patch(at, |flow| flow.target = starts[routine] as u32);
        }
    }

    /// Gives most registers and condition registers a value, so that there is something to compute with.
    fn load(&mut self) {
        for number in (0..REGISTERS as u8).filter(|number| number % 4 != 3) {
            let destination = Some(Temp::Full(number));
            let mut load = Compute { op: Op::mov, destination, mask: Mask::ALL, ..Compute::NOP };
            load.sources[0] = Source::new(if self.rng.chance(4) { Register::Constant } else { Register::Input });
            load.input = Input::Register(self.rng.below(16) as u8);
            load.has_constant = load.reads(Register::Constant);
            load.set_condition = if self.rng.chance(2) { Some(self.rng.below(2) as u8) } else { None };
            self.put(&Instruction::Compute(load));
        }
    }

    /// A copy to the first output, half or full.
    fn moving(&mut self) -> Compute {
        let destination = if self.rng.chance(2) { Temp::Half(0) } else { Temp::Full(0) };
        let mut last = Compute { op: Op::mov, destination: Some(destination), mask: Mask::ALL, ..Compute::NOP };
        last.sources[0] = Source::new(Register::Temp(Temp::Full(self.rng.below(REGISTERS) as u8)));
        last
    }

    fn routine(&mut self, routine: usize, length: usize) -> usize {
        let start = self.code.len();
        self.block(length.clamp(1, 40), GenerationPoint { depth: 2, in_loop: false, callees: routine + 1 });
        self.put(&Instruction::Flow(Flow::new(FlowOp::ret)));
        start
    }

    /// About `length` instructions.
    fn block(&mut self, length: usize, place: GenerationPoint) {
        let mut left = length.max(1);
        while left > 0 {
            let used = match self.rng.below(if self.options.flow && left > 2 { 10 } else { 5 }) {
                5 | 6 if place.depth < DEPTH => self.branch(left, place),
                7 if place.depth < DEPTH => self.repeat(left, place),
                8 if place.callees < self.routines => self.call(place),
                9 if place.in_loop || self.options.ragged || place.callees > 0 => self.leave(place),
                _ if self.options.transcendental && self.rng.chance(24) => self.root(),
                _ => self.plain(),
            };
            left = left.saturating_sub(used);
        }
    }

    fn branch(&mut self, left: usize, place: GenerationPoint) -> usize {
        let inner = GenerationPoint { depth: place.depth + 1, ..place };
        let length = 1 + self.rng.below(left.min(12));
        let at = self.flow(FlowOp::ife);
        self.block(length, inner);
        let target = self.code.len();
        let other = self.rng.chance(2);
        if other {
            self.block(length, inner);
        }
        let (target, end) = (self.offset(target), self.offset(self.code.len()));
        self.patch(at, |flow| (flow.target, flow.end_offset) = (target, end));
        1 + length * (1 + usize::from(other))
    }

    fn repeat(&mut self, left: usize, place: GenerationPoint) -> usize {
        let length = 1 + self.rng.below(left.min(10));
        let op = if self.rng.chance(2) { FlowOp::loop_ } else { FlowOp::rep };
        let at = self.flow(op);
        self.block(length, GenerationPoint { depth: place.depth + 1, in_loop: true, ..place });
        let end = self.offset(self.code.len());
        let bits = (self.rng)();
        self.patch(at, |flow| {
            (flow.end_offset, flow.count) = (end, (bits & 3) as u8);
            if op.has_index() {
                (flow.init, flow.increment) = ((bits >> 8) as u8 % 8, (bits >> 16) as i8 % 4);
            }
        });
        1 + length
    }

    /// An offset, or in ragged programs any other at times.
    fn offset(&mut self, right: usize) -> u32 {
        if self.options.ragged && self.rng.chance(4) {
            return self.rng.below(8 * self.options.length) as u32;
        }
        right as u32
    }

    fn call(&mut self, place: GenerationPoint) -> usize {
        let routine = place.callees + self.rng.below(self.routines - place.callees);
        let at = self.flow(FlowOp::cal);
        self.calls.push((at, routine));
        1
    }

    /// BRK or RET under a condition.
    fn leave(&mut self, place: GenerationPoint) -> usize {
        let op = if place.in_loop && !self.rng.chance(4) { FlowOp::brk } else { FlowOp::ret };
        let at = self.flow(op);
        if self.options.ragged && self.rng.chance(4) {
            self.patch(at, |flow| flow.end = true);
        } else {
            let condition = self.condition();
            let (test, swizzle) = (condition.test, Swizzle::all(condition.swizzle.0[0]));
            let test = if test == Test::TRUE { Test::GREATER } else { test };
            self.patch(at, |flow| flow.condition = Some(Condition { test, swizzle }));
        }
        1
    }

    /// Appends an instruction of flow control and gives the index of its first word.
    fn flow(&mut self, op: FlowOp) -> usize {
        let mut flow = Flow::new(op);
        if !self.rng.chance(5) {
            flow.condition = Some(self.condition());
            flow.condition_register = self.rng.below(2) as u8;
        }
        let at = self.code.len();
        self.put(&Instruction::Flow(flow));
        at
    }

    fn condition(&mut self) -> Condition {
        let bits = (self.rng)();
        Condition { test: Test::from_bits(bits), swizzle: Swizzle::from_bits(bits >> 8 & 0xFF) }
    }

    /// Whether random instructions may do this.
    fn allowed(&self, op: Op) -> bool {
        let options = &self.options;
        let excluded = [
            (flags::EFFECT, options.kill),
            (flags::PACKS | flags::UNPACKS, options.packing),
            (flags::TRANSCENDENTAL, options.transcendental),
            (flags::LOADS, options.textures != 0),
        ];
        excluded.iter().all(|&(kind, wanted)| wanted || !op.has(kind))
    }

    /// One instruction that computes, or random words. Gives 1.
    fn plain(&mut self) -> usize {
        if self.options.garbage && self.rng.chance(16) {
            for _ in 0..4 {
                let word = (self.rng)();
                self.code.push(word);
            }
            return 1;
        }
        let op = loop {
            let op = if self.rng.chance(2) {
                PLAIN[self.rng.below(PLAIN.len())]
            } else {
                Op::ALL[self.rng.below(Op::ALL.len())]
            };
            // Half of the textures are rolled again: there are many operations for them.
            if self.allowed(op) && (!op.is_texture() || self.rng.chance(2)) {
                break op;
            }
        };
        let mut compute = Compute { op, mask: Mask::ALL, ..Compute::NOP };
        let bits = (self.rng)();
        if op.has_result() {
            compute.destination = Some(self.temp()).filter(|_| bits & 15 != 0);
            compute.set_condition = (bits & 0x70 == 0 || compute.destination.is_none()).then_some(bits as u8 >> 7);
            compute.mask = if bits & 0x300 == 0 { Mask::new((bits >> 10) as u8) } else { Mask::ALL };
            compute.saturate = bits & 0xE000 == 0;
            compute.scale = if bits & 0x7_0000 == 0 { Scale::ALL[self.rng.below(8)] } else { Scale::One };
            if self.options.halves && bits & 0x38_0000 == 0 {
                compute.precision = Precision::ALL[self.rng.below(4)];
            }
        }
        if op.discards() || bits & 0x1C0_0000 == 0 {
            compute.condition = Some(self.condition());
            compute.condition_register = (bits >> 25) as u8 & 1;
        }
        if op.is_texture() {
            compute.texture = self.unit();
            compute.expand = bits >> 26 & 7 == 0;
        }
        compute.end = self.options.ragged && bits >> 26 == 0;
        self.sources(&mut compute);
        self.put(&Instruction::Compute(compute));
        1
    }

    /// A reciprocal square root as compilers write it, with at most one instruction in it that may spoil it.
    fn root(&mut self) -> usize {
        let temp = self.temp();
        let component = self.rng.below(4) as u8;
        let mut logarithm = Compute { op: Op::lg2, destination: Some(temp), mask: Mask::ALL, ..Compute::NOP };
        logarithm.scale = Scale::Half;
        logarithm.sources[0] = Source { absolute: true, ..Source::new(Register::Temp(self.temp())) };
        self.put(&Instruction::Compute(logarithm));
        let between = if self.rng.chance(3) { self.plain() } else { 0 };
        let mut exponential = Compute { op: Op::ex2, mask: Mask::ALL, ..Compute::NOP };
        exponential.destination = Some(self.temp());
        let swizzle = Swizzle([component; 4]);
        exponential.sources[0] = Source { negate: true, swizzle, ..Source::new(Register::Temp(temp)) };
        self.put(&Instruction::Compute(exponential));
        2 + between
    }

    fn unit(&mut self) -> u8 {
        loop {
            let unit = self.rng.below(16) as u8;
            if self.options.textures >> unit & 1 != 0 || self.options.textures == 0 {
                return unit;
            }
        }
    }

    fn temp(&mut self) -> Temp {
        let half = self.options.halves && self.rng.chance(3);
        if half { Temp::Half(self.rng.below(2 * REGISTERS) as u8) } else { Temp::Full(self.rng.below(REGISTERS) as u8) }
    }

    fn sources(&mut self, compute: &mut Compute) {
        let bits = (self.rng)();
        compute.input = match self.options.relative && bits & 7 == 0 {
            true => Input::Relative((bits >> 8) as i16 % 12 - 2),
            false => Input::Register((bits >> 8) as u8 & 15),
        };
        compute.linear = bits & 0x70 == 0;
        for n in (0..3).filter(|&n| compute.op.reads(n)) {
            compute.sources[n] = self.source();
        }
        if compute.op.has(flags::OPTIONAL_B) && bits >> 31 != 0 {
            compute.sources[1] = Source::UNUSED;
        }
        compute.has_constant = compute.reads(Register::Constant) || bits >> 27 & 15 == 0;
    }

    fn source(&mut self) -> Source {
        let bits = (self.rng)();
        let register = match bits & 7 {
            0 | 1 => Register::Input,
            2 | 3 => Register::Constant,
            4 if bits & 0xF0 == 0 => Register::Unknown,
            _ => Register::Temp(self.temp()),
        };
        let swizzle = match bits >> 8 & 3 {
            0 => Swizzle::from_bits(bits >> 24),
            1 => Swizzle::all((bits >> 24) as u8 & 3),
            _ => Swizzle::IDENTITY,
        };
        let (absolute, negate) = (bits & 0x1C00 == 0, bits & 0x6000 == 0);
        let modifier = match bits >> 15 & 15 {
            0 if self.options.halves => Modifier::Half,
            1 => Modifier::Fx12,
            2 => Modifier::Fx9,
            3 => Modifier::Saturate,
            4 => Modifier::Unknown(5 + (bits >> 20 & 1) as u8),
            _ => Modifier::Full,
        };
        Source { register, swizzle, absolute, modifier, negate }
    }

    /// Appends an instruction without what is idle in it, and a constant if it has one.
    fn put(&mut self, instruction: &Instruction) {
        let words = instruction.encode();
        let words = Instruction::decode(words).map_or(words, |instruction| instruction.encode());
        self.code.extend(words);
        if super::instruction::has_constant(&words) {
            let constant = self.constant();
            self.code.extend(constant);
        }
    }

    /// Small numbers, a special one at times.
    fn constant(&mut self) -> Words {
        [0; 4].map(|_| {
            let bits = (self.rng)();
            let value = match bits & 127 {
                0 => f32::INFINITY,
                1 => f32::NAN,
                2 => -0.0,
                3 => 1e-40,
                4 => 7e4,
                5..=20 => (bits >> 16 & 7) as f32 - 3.0,
                _ => (bits >> 8) as f32 * (8.0 / 16_777_216.0) - 4.0,
            };
            value.to_bits()
        })
    }

    fn patch(&mut self, at: usize, change: impl FnOnce(&mut Flow)) {
        let words: Words = [0, 1, 2, 3].map(|i| self.code[at + i]);
        if let Ok(Instruction::Flow(mut flow)) = Instruction::decode(words) {
            change(&mut flow);
            self.code[at..at + 4].copy_from_slice(&Instruction::Flow(flow).encode());
        }
    }
}
