//! Handles in registers: the constants that they come from, where instructions show it.
//!
//! Compilers load the handle from a constant, or join a texture's and a sampler's with OR, right before they use it.

use triglyph_guest::table::Fields;
use triglyph_guest::tegra::shader::isa::{Op, form};
use triglyph_guest::tegra::shader::program::{Flow, Instruction, Program};

/// Instructions that are looked at.
const LOOKED_AT: usize = 256;

/// Where the handle of a texture or image is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum HandleSource {
    /// Word of the buffer of handles.
    Bound(u16),
    /// Byte of a constant buffer: slot, offset.
    Constant(u8, u32),
    /// Two such words joined with OR.
    Joined([(u8, u32); 2]),
    /// Known when the program runs.
    Dynamic,
}

/// Where the handle of instruction number `index`, one that takes it from a register, comes from.
pub(super) fn trace(program: &Program, index: usize) -> HandleSource {
    let instruction = &program.instructions[index];
    let Some(fields) = fields(instruction) else { return HandleSource::Dynamic };
    let letter = match instruction.op {
        Op::txd | Op::txq => b'a',
        Op::tex | Op::tld | Op::tld4 | Op::tmml => b'b',
        _ => b'c',
    };
    match writer(program, index, fields.byte(letter)).and_then(|(at, fields)| source(program, at, fields)) {
        Some(source) => source,
        None => HandleSource::Dynamic,
    }
}

/// What an instruction leaves in its register, if it is a handle from constants.
fn source(program: &Program, at: usize, fields: Fields<'static>) -> Option<HandleSource> {
    if let Some((slot, offset)) = constant(&program.instructions[at], fields) {
        return Some(HandleSource::Constant(slot, offset));
    }
    if program.instructions[at].op != Op::lop {
        return None;
    }
    let of = |register: u8| {
        let (at, fields) = writer(program, at, register)?;
        constant(&program.instructions[at], fields)
    };
    let second = match fields.width(b's') == 5 && fields.width(b'w') == 14 {
        true => Some((fields.byte(b's'), 4 * fields.get(b'w') as u32)),
        false => of(fields.byte(b'b')),
    };
    Some(HandleSource::Joined([of(fields.byte(b'a'))?, second?]))
}

/// The constant that an instruction copies to its register.
fn constant(instruction: &Instruction, fields: Fields<'static>) -> Option<(u8, u32)> {
    match instruction.op {
        Op::mov if fields.width(b's') == 5 => Some((fields.byte(b's'), 4 * fields.get(b'w') as u32)),
        Op::ldc if fields.byte(b'a') == 0xFF => Some((fields.byte(b's'), u32::try_from(fields.signed(b'w')).ok()?)),
        _ => None,
    }
}

/// The last instruction before number `index` that writes a register, as long as control flow is straight.
fn writer(program: &Program, index: usize, register: u8) -> Option<(usize, Fields<'static>)> {
    for at in (index.saturating_sub(LOOKED_AT)..index).rev() {
        let instruction = &program.instructions[at];
        if !matches!(instruction.step.flow, Flow::Next | Flow::Push(..)) {
            return None;
        }
        let Some(fields) = fields(instruction) else { continue };
        if fields.has(b'd') && fields.byte(b'd') == register {
            return Some((at, fields));
        }
    }
    None
}

fn fields(instruction: &Instruction) -> Option<Fields<'static>> {
    Some(Fields::new(instruction.word, &form(instruction.word)?.pattern))
}
