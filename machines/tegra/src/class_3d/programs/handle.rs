//! Handles in registers: the constants that they come from, where instructions show it.
//!
//! Compilers load the handle from a constant, or make it of a few, right before they use it: with OR of a texture's
//! handle and a sampler's, with AND of what is the texture's part, or of both parts (NVK). Where the constant is known
//! only when the program runs, as in an array of handles, at least the buffer is known.

use triglyph_guest::table::{Fields, Shape};
use triglyph_guest::tegra::shader::isa::{IntAdd, LdcMode, LoadConstant, LogicTwo, Mov, Op, form};
use triglyph_guest::tegra::shader::isa::{MemorySize, Operand, Reg};
use triglyph_guest::tegra::shader::modifiers::LogicOp;
use triglyph_guest::tegra::shader::program::{Flow, Instruction, Program};

/// Instructions that are looked at.
const LOOKED_AT: usize = 256;

/// Moves between registers that are followed.
const MOVES: usize = 8;

/// Steps of a formula at most.
const STEPS: usize = 6;

/// Where the handle of a texture or image is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum HandleSource {
    /// Word of the buffer of handles.
    Bound(u16),
    /// Made of constants.
    Made(Formula),
    /// Made of a word that is somewhere in a constant buffer, this slot's.
    Within(u8, Formula),
    /// Known when the program runs.
    Dynamic,
}

/// What is done to 0, step by step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Formula([Option<Step>; STEPS]);

/// An operation with what was before it and an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Step {
    operation: Operation,
    operand: Leaf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Operation {
    Add,
    And,
    Or,
    Xor,
}

/// What formulas are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Leaf {
    Number(u32),
    /// Slot and byte.
    Constant(u8, u32),
    /// Slot, byte, and the bits that are taken of it.
    Masked(u8, u32, u32),
    /// A word somewhere in a slot.
    Within(u8),
}

impl Formula {
    fn leaf(leaf: Leaf) -> Self {
        let mut steps = [None; STEPS];
        steps[0] = Some(Step { operation: Operation::Add, operand: leaf });
        Formula(steps)
    }

    /// The formula with one more step, if there is room.
    fn then(mut self, operation: Operation, operand: Leaf) -> Option<Self> {
        let free = self.0.iter_mut().find(|step| step.is_none())?;
        *free = Some(Step { operation, operand });
        Some(self)
    }

    fn leaves(&self) -> impl Iterator<Item = Leaf> {
        self.0.into_iter().flatten().map(|step| step.operand)
    }

    /// Slots of the constants in it, bit by bit.
    pub(crate) fn slots(&self) -> u32 {
        let bit = |leaf| match leaf {
            Leaf::Number(_) => 0,
            Leaf::Constant(slot, _) | Leaf::Masked(slot, ..) | Leaf::Within(slot) => {
                1u32.checked_shl(slot.into()).unwrap_or(0)
            }
        };
        self.leaves().fold(0, |slots, leaf| slots | bit(leaf))
    }

    /// The value of it. `constant` reads slot, byte; `within` is what the word is that may be any.
    pub(crate) fn value(&self, mut constant: impl FnMut(u8, u32) -> u32, within: u32) -> u32 {
        let mut value = 0u32;
        for Step { operation, operand } in self.0.into_iter().flatten() {
            let operand = match operand {
                Leaf::Number(number) => number,
                Leaf::Constant(slot, offset) => constant(slot, offset),
                Leaf::Masked(slot, offset, mask) => constant(slot, offset) & mask,
                Leaf::Within(_) => within,
            };
            value = match operation {
                Operation::Add => value.wrapping_add(operand),
                Operation::And => value & operand,
                Operation::Or => value | operand,
                Operation::Xor => value ^ operand,
            };
        }
        value
    }
}

/// Where the handle of instruction number `index`, one that takes it from a register, comes from.
pub(crate) fn trace(program: &Program, index: usize) -> HandleSource {
    let instruction = &program.instructions[index];
    let Some(fields) = fields(instruction) else { return HandleSource::Dynamic };
    let letter = match instruction.op {
        Op::txd | Op::txq => b'a',
        Op::tex | Op::tld | Op::tld4 | Op::tmml => b'b',
        _ => b'c',
    };
    let Some(formula) = register(program, index, Reg(fields.byte(letter))) else { return HandleSource::Dynamic };
    let mut within = formula.leaves().filter_map(|leaf| match leaf {
        Leaf::Within(slot) => Some(slot),
        _ => None,
    });
    match (within.next(), within.next()) {
        (None, _) => HandleSource::Made(formula),
        (Some(slot), None) => HandleSource::Within(slot, formula),
        _ => HandleSource::Dynamic,
    }
}

/// What instruction number `index` finds in a register, if it is made of constants.
fn register(program: &Program, mut index: usize, mut wanted: Reg) -> Option<Formula> {
    // What is done to it, the last step first.
    let mut steps: Vec<(Operation, Leaf)> = Vec::new();
    let first = loop {
        let (at, found) = origin(program, index, wanted)?;
        let (operation, a, b) = match found {
            Origin::Leaf(leaf) => break leaf,
            Origin::Of(operation, a, b) => (operation, a, b),
        };
        // One of the two is a constant, or comes from one.
        let constant = |reg| match origin(program, at, reg)? {
            (_, Origin::Leaf(leaf)) => Some(leaf),
            (at, Origin::Of(Operation::And, a, b)) => masked(program, at, a, b),
            (_, Origin::Of(..)) => None,
        };
        let (from, leaf) = match b {
            Operand::Reg(b) => constant(b).map(|leaf| (a, leaf)).or_else(|| constant(a).map(|leaf| (b, leaf)))?,
            b => (a, leaf(b)?),
        };
        steps.push((operation, leaf));
        if steps.len() == STEPS {
            return None;
        }
        (index, wanted) = (at, from);
    };
    steps.iter().rev().try_fold(Formula::leaf(first), |formula, &(operation, leaf)| formula.then(operation, leaf))
}

/// The bits of a constant that AND leaves, if the operands of instruction number `index` are that and a number.
fn masked(program: &Program, index: usize, a: Reg, b: Operand) -> Option<Leaf> {
    let of = |reg| match origin(program, index, reg)?.1 {
        Origin::Leaf(leaf) => Some(leaf),
        Origin::Of(..) => None,
    };
    let b = match b {
        Operand::Reg(reg) => of(reg)?,
        b => leaf(b)?,
    };
    match (of(a)?, b) {
        (Leaf::Constant(slot, offset), Leaf::Number(mask)) | (Leaf::Number(mask), Leaf::Constant(slot, offset)) => {
            Some(Leaf::Masked(slot, offset, mask))
        }
        _ => None,
    }
}

/// Where a register's value comes from, through moves between registers.
enum Origin {
    Leaf(Leaf),
    Of(Operation, Reg, Operand),
}

/// Where the value comes from that instruction number `index` finds in a register, and the number of the instruction
/// that made it.
fn origin(program: &Program, mut index: usize, mut wanted: Reg) -> Option<(usize, Origin)> {
    for _ in 0..MOVES {
        if wanted.is_zero() {
            return Some((index, Origin::Leaf(Leaf::Number(0))));
        }
        let (at, fields) = writer(program, index, wanted)?;
        match program.instructions[at].op {
            Op::mov => match Mov::decode(fields) {
                Mov { b: Operand::Reg(from), quad_mask: 0xF, .. } => wanted = from,
                Mov { b, quad_mask: 0xF, .. } => return Some((at, Origin::Leaf(leaf(b)?))),
                _ => return None,
            },
            Op::ldc => return Some((at, Origin::Leaf(load(LoadConstant::decode(fields))?))),
            Op::lop => {
                let LogicTwo { op, a, b, x, .. } = LogicTwo::decode(fields);
                let operation = match op {
                    LogicOp::And => Operation::And,
                    LogicOp::Or => Operation::Or,
                    LogicOp::Xor => Operation::Xor,
                    LogicOp::PassB => return None,
                };
                let plain = !a.invert && !b.invert && !x;
                return plain.then_some((at, Origin::Of(operation, a.value, b.value)));
            }
            Op::iadd => {
                let IntAdd { a, b, x, sat, .. } = IntAdd::decode(fields);
                let plain = !a.neg && !b.neg && !x && !sat;
                return plain.then_some((at, Origin::Of(Operation::Add, a.value, b.value)));
            }
            _ => return None,
        }
        index = at;
    }
    None
}

fn leaf(operand: Operand) -> Option<Leaf> {
    match operand {
        Operand::Reg(reg) => reg.is_zero().then_some(Leaf::Number(0)),
        Operand::Constant(constant) => Some(Leaf::Constant(constant.slot, constant.offset.into())),
        Operand::Immediate(number) => Some(Leaf::Number(number)),
    }
}

fn load(LoadConstant { mode, size, source, .. }: LoadConstant) -> Option<Leaf> {
    if size != MemorySize::B32 && size != MemorySize::B64 {
        return None;
    }
    match u32::try_from(source.offset) {
        Ok(offset) if source.index.is_zero() => {
            Some(Leaf::Constant(source.slot, offset & !(u32::from(size.bytes()) - 1)))
        }
        _ if mode != LdcMode::Plain => None,
        _ => Some(Leaf::Within(source.slot)),
    }
}

/// The last instruction before number `index` that writes a register, as long as control flow is straight.
fn writer(program: &Program, index: usize, register: Reg) -> Option<(usize, Fields<'static>)> {
    for at in (index.saturating_sub(LOOKED_AT)..index).rev() {
        let instruction = &program.instructions[at];
        if !matches!(instruction.step.flow, Flow::Next | Flow::Push(..)) {
            return None;
        }
        let Some(fields) = fields(instruction) else { continue };
        if let Some(place) = written(instruction.op, fields).position(|written| written == register.0) {
            // What happens for some lanes only leaves the others what they had.
            return (place == 0 && !instruction.step.condition).then_some((at, fields));
        }
    }
    None
}

/// Registers that an instruction writes, the one of its field first.
fn written(op: Op, fields: Fields<'_>) -> impl Iterator<Item = u8> {
    let size = |letter| match fields.get(letter) {
        0..5 => 1,
        5 => 2,
        _ => 4,
    };
    let (first, second) = match op {
        _ if !fields.has(b'd') => (0, 0),
        Op::st | Op::stg | Op::stl | Op::sts | Op::ast | Op::sust_p | Op::sust_d | Op::red => (0, 0),
        Op::texs | Op::tlds | Op::tld4s => (2, 2),
        Op::tex | Op::tld | Op::tld4 | Op::txd | Op::txq | Op::tmml | Op::suld_p => (fields.get(b'm').count_ones(), 0),
        Op::ldc => (size(b'y'), 0),
        Op::ld | Op::ldg | Op::ldg_p | Op::ldl | Op::lds => (size(b'z'), 0),
        Op::ald => (fields.get(b'z') as u32 + 1, 0),
        Op::suld_d => (4, 0),
        Op::dadd | Op::dmul | Op::dfma | Op::dmnmx | Op::f2f | Op::f2i | Op::i2f | Op::i2i => (2, 0),
        Op::atom | Op::atom_cas | Op::atoms | Op::atoms_cas | Op::suatom | Op::suatom_cas => (2, 0),
        _ => (1, 0),
    };
    let from = |letter: u8, count: u32| (0..count).map(move |n| fields.byte(letter).saturating_add(n as u8));
    from(b'd', first).chain(from(b'e', second))
}

fn fields(instruction: &Instruction) -> Option<Fields<'static>> {
    Some(Fields::new(instruction.word, &form(instruction.word)?.pattern))
}
