//! A whole fragment program: instructions in order, offsets resolved, what it uses.
//!
//! # Structure
//!
//! Whatever the words say, a decoded program is nested: the parts of an IFE are `i + 1..target` and `target..end`, the
//! body of a LOOP or REP is `i + 1..end`, and each lies within the part around it. An offset that leads out of the part
//! around it stops at that part's end, one that leads back stops right after its instruction. So a repetition whose
//! end lies before it has an empty body, and what follows runs once (Mesa's compiler writes such). Only CAL goes
//! anywhere.

use super::instruction::{Instruction, UnknownInstruction, Words};
use super::operand::{Input, Register, Temp};
use super::step::Step;
use super::storage::Storage;

/// A program, ready to execute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Program {
    /// The instructions in order.
    pub code: Vec<Step>,
    /// Number of inline constants.
    pub constants: u16,
    /// The resources that the code uses.
    pub summary: Summary,
}

/// The resources that a program uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Summary {
    /// Inputs that are read: bit n for input n. All if one is read with a relative number.
    pub inputs: u16,
    /// Texture units that are read.
    pub textures: u16,
    /// R registers used, as SHADER_CONTROL counts them: all are below this number, H registers counted as the R
    /// register that holds them.
    pub registers: u8,
    /// Whether fragments may be discarded.
    pub kills: bool,
    /// Whether R1.z is written, which is the depth where SHADER_CONTROL asks for it.
    pub writes_depth: bool,
    /// Whether a result depends on the other fragments of the quad.
    pub needs_quad: bool,
    /// Whether there is control flow.
    pub flow: bool,
    /// Whether there are repetitions or calls, so that instructions may execute more than once.
    pub repeats: bool,
}

/// Words in logical order, cut into instructions: index of the first word, the four words.
pub(super) fn instructions(code: &[u32]) -> impl Iterator<Item = (usize, Words)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let words: Words = code.get(at..at + 4)?.try_into().ok()?;
        let place = at;
        at += if super::instruction::has_constant(&words) { 8 } else { 4 };
        Some((place, words))
    })
}

/// The inline constants of a program, in the order of their instructions; words that are missing at the end are zero.
pub fn constants(code: &[u32]) -> impl Iterator<Item = Words> {
    let with_constant = instructions(code).filter(|(_, words)| super::instruction::has_constant(words));
    with_constant.map(|(at, _)| [0, 1, 2, 3].map(|i| code.get(at + 4 + i).copied().unwrap_or(0)))
}

/// Sets the inline constants of a program to zero: programs that differ in them alone are then equal.
pub fn clear_constants(code: &mut [u32]) {
    let mut at = 0;
    while let Some(words) = code.get(at..).and_then(<[u32]>::first_chunk).copied() {
        at += 4;
        if super::instruction::has_constant(&words) {
            let end = code.len().min(at + 4);
            code[at..end].fill(0);
            at = end;
        }
    }
}

impl Program {
    /// Decodes a program as [`memory::read`](super::memory::read) gives it; words beyond the first 4096 slots and an
    /// instruction that is not there whole are left out. Instructions without a row do nothing; each is reported to
    /// `unknown` with the index of its first word.
    pub fn decode(code: &[u32], mut unknown: impl FnMut(usize, UnknownInstruction)) -> Self {
        let code = &code[..code.len().min(4 * super::memory::MAX_SLOTS)];
        let mut program = Program::default();
        for (at, words) in instructions(code) {
            let instruction = Instruction::decode(words).unwrap_or_else(|error| {
                unknown(at, error);
                nop(&words)
            });
            let constant = instruction.has_constant().then_some(program.constants);
            program.constants += u16::from(constant.is_some());
            program.code.push(Step { instruction, constant, target: 0, end: 0, slot: (at / 4) as u16, root: None });
        }
        program.resolve();
        super::roots::mark(&mut program.code);
        program.summary = Summary::of(&program.code);
        program
    }

    /// How it uses storage, with these exports.
    pub fn storage(&self, exports: &[Temp], export_depth: bool) -> Storage {
        Storage::of(&self.code, exports, export_depth)
    }

    /// The index of the instruction at an offset in words, or of the next one.
    fn index_of(&self, offset: u32) -> usize {
        self.code.partition_point(|step| u32::from(step.slot) * 4 < offset)
    }

    fn resolve(&mut self) {
        // Ends of the parts around an instruction, innermost last.
        let mut parts: Vec<usize> = vec![self.code.len()];
        for index in 0..self.code.len() {
            while parts.len() > 1 && parts.last().is_some_and(|&end| end <= index) {
                parts.pop();
            }
            let Instruction::Flow(flow) = self.code[index].instruction else { continue };
            let limit = parts.last().copied().unwrap_or(index + 1);
            let (target, end) = (self.index_of(flow.target), self.index_of(flow.end_offset));
            let (target, end) = match (flow.op.has_target(), flow.op.has_end()) {
                (true, true) => {
                    let target = target.clamp(index + 1, limit);
                    let end = end.clamp(target, limit);
                    parts.extend([end, target]);
                    (target, end)
                }
                (false, true) => {
                    let end = end.clamp(index + 1, limit);
                    parts.push(end);
                    (0, end)
                }
                (true, false) => (target, 0),
                (false, false) => (0, 0),
            };
            (self.code[index].target, self.code[index].end) = (target as u16, end as u16);
        }
    }
}

/// An instruction without a row: it has no effect, but its constant and its END count.
fn nop(words: &Words) -> Instruction {
    let constant = super::instruction::has_constant(words);
    let end = super::fields::END.is_set(words);
    Instruction::Compute(super::Compute { has_constant: constant, end, ..super::Compute::NOP })
}

impl Summary {
    fn of(code: &[Step]) -> Self {
        let mut summary = Summary::default();
        for step in code {
            match &step.instruction {
                Instruction::Compute(compute) => summary.add(compute),
                Instruction::Flow(flow) => {
                    summary.flow = true;
                    summary.repeats |= flow.op.repeats() || flow.op.is_call();
                }
            }
        }
        summary
    }

    fn add(&mut self, compute: &super::Compute) {
        if compute.reads(Register::Input) {
            self.inputs |= match compute.input {
                Input::Register(number) => 1 << number,
                Input::Relative(_) => u16::MAX,
            };
        }
        if compute.op.is_texture() {
            self.textures |= 1 << compute.texture;
        }
        let read = compute.sources.iter().filter_map(|source| match source.register {
            Register::Temp(temp) => Some(temp),
            _ => None,
        });
        for temp in read.chain(compute.destination) {
            self.registers = self.registers.max(temp.storage() + 1);
        }
        self.kills |= compute.op.discards();
        self.writes_depth |= match compute.destination {
            Some(Temp::Full(1)) => compute.mask.has(2),
            Some(Temp::Half(3)) => compute.mask.has(0) || compute.mask.has(1),
            _ => false,
        };
        self.needs_quad |= compute.op.needs_quad();
    }
}
