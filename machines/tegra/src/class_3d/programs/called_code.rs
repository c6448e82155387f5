//! Code outside of a program that it calls by address: JCAL and JMP count from the code segment's start.
//!
//! Drivers keep functions that many programs need, such as f64 division, once in the segment. They are put after the
//! program's own code, and what leads there becomes a relative call or branch, so that kernels see one piece of code.

use triglyph_guest::table::{Fields, Shape as _};
use triglyph_guest::tegra::shader::isa::{AbsoluteTarget, Jump, JumpCall, Op, decode, form};
use triglyph_guest::tegra::shader::program::{MAX_WORDS, Program, is_control, settle};
use xxhash_rust::xxh3::xxh3_64;

use crate::core::{ADDRESS_MASK, Core};
use triglyph_engine::mem::GuestAddr;

/// Bytes of a bundle: functions keep their place in one.
const BUNDLE: u32 = 32;

/// Words of a function that are read at first.
const FIRST_READ: usize = 256;

/// Opcodes of BRA and CAL with a distance, in the word's highest bits, and where the distance is.
const BRA: u64 = 0xE24 << 52;
const CAL: u64 = 0xE26 << 52;
const DISTANCE: (u32, u64) = (20, 0xFF_FFFF);

/// Guard, condition and hints: what the forms of a branch have in common.
const COMMON: u64 = 0xF_FFDF;

/// NOP, and EXIT without guard and condition, whose bits are [`CONDITION`].
const NOP: u64 = 0x50B0_0000_0007_0F00;
const EXIT: u64 = 0xE300_0000_0000_0000;
const CONDITION: u64 = 0xF_001F;

/// Something wrong with a program: where it is, and what.
#[derive(Debug)]
pub(crate) struct Problem {
    pub address: u64,
    pub what: String,
}

/// Where code is in memory, and in the code that kernels see.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Byte address in the code segment.
    pub segment: u32,
    /// Byte address in the code that kernels see.
    pub at: u32,
    /// Words in the code that kernels see; 0 if there is no instruction.
    pub words: usize,
    /// Words up to the last one that control flow reaches, whether or not it is an instruction; 0 without memory.
    reached_words: usize,
    /// Hash of the reached words as they are in memory.
    hash: u64,
}

impl Piece {
    /// The program's own code.
    pub(crate) fn own(segment: u32, words: usize) -> Piece {
        Piece { segment, at: 0, words, reached_words: words, hash: 0 }
    }

    /// Whether the words in memory are still the same.
    pub(crate) fn is_same(&self, core: &mut Core, segment: u64) -> bool {
        let address = segment.wrapping_add(self.segment.into()) & ADDRESS_MASK;
        if self.reached_words == 0 {
            return core.memory.readable(GuestAddr::new(core.space, address)).is_empty();
        }
        let mut bytes = vec![0; 8 * self.reached_words];
        core.read_code(address, &mut bytes);
        core.note_dependency(address, &bytes);
        xxh3_64(&bytes) == self.hash
    }

    /// Where an address of the segment is in the code, if it is in this piece.
    fn place(&self, address: u32) -> Option<u32> {
        let offset = address.checked_sub(self.segment)?;
        (offset < 8 * self.words as u32).then(|| self.at + offset)
    }
}

/// Code as control flow in it goes without what lies elsewhere: calls of that come back at once, jumps there end.
pub(crate) fn alone(code: &[u64]) -> Vec<u64> {
    let word = |(at, &word): (usize, &u64)| match leads_to(at, word) {
        Some((_, CAL)) => NOP,
        Some(_) => EXIT | word & CONDITION,
        None => word,
    };
    code.iter().enumerate().map(word).collect()
}

/// Puts what `code`, the reached words of the piece `own`, calls of the code segment at `segment` after it. Returns
/// the pieces; what is wrong goes to `problems`.
pub(crate) fn link(
    core: &mut Core,
    segment: u64,
    own: Piece,
    code: &mut Vec<u64>,
    problems: &mut Vec<Problem>,
) -> Vec<Piece> {
    let mut pieces = vec![own];
    let mut at = 0;
    // Words are appended while this goes on, at most as many as any code has.
    while at < code.len() {
        if let Some((target, opcode)) = leads_to(at, code[at]) {
            // Only what is reached otherwise is there.
            let is_there = |&place: &u32| code.get(settle(place) as usize / 8).is_some_and(|&word| word != 0);
            let known = pieces.iter().filter_map(|piece| piece.place(target)).find(is_there);
            let place = known.or_else(|| {
                let piece = append(core, segment, target, code, problems);
                pieces.push(piece);
                piece.place(target)
            });
            if let Some(place) = place {
                let distance = u64::from(place.wrapping_sub(8 * at as u32 + 8)) & DISTANCE.1;
                code[at] = opcode | distance << DISTANCE.0 | code[at] & COMMON;
            }
        }
        at += 1;
    }
    pieces.split_off(1)
}

/// The address that a word leads to, and the opcode of the relative form.
fn leads_to(at: usize, word: u64) -> Option<(u32, u64)> {
    if word == 0 || is_control(8 * at as u32) {
        return None;
    }
    let (op, form) = (decode(word)?, form(word)?);
    let fields = Fields::new(word, &form.pattern);
    let (target, opcode) = match op {
        Op::jmp => (Jump::decode(fields).target, BRA),
        Op::jcal => (JumpCall::decode(fields).target, CAL),
        _ => return None,
    };
    match target {
        AbsoluteTarget::Address(address) => Some((address, opcode)),
        AbsoluteTarget::Constant(_) => None,
    }
}

/// Appends the function at an address of the segment, as far as control flow reaches it; nothing when it is empty or
/// too long.
fn append(core: &mut Core, segment: u64, target: u32, code: &mut Vec<u64>, problems: &mut Vec<Problem>) -> Piece {
    let start = target & !(BUNDLE - 1);
    let address = segment.wrapping_add(start.into()) & ADDRESS_MASK;
    if core.memory.readable(GuestAddr::new(core.space, address)).is_empty() {
        problems.push(Problem { address, what: "the called function is not in mapped memory".to_owned() });
        return Piece { segment: start, at: 0, words: 0, reached_words: 0, hash: 0 };
    }
    let mut count = FIRST_READ;
    let (found, bytes, program) = loop {
        let mut bytes = vec![0; 8 * count];
        core.read_code(address, &mut bytes);
        let words: Vec<u64> = bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect();
        let program = Program::reach(&alone(&words), &[target - start]);
        if program.leaving.is_empty() || count >= MAX_WORDS {
            break (words, bytes, program);
        }
        count *= 4;
    };
    let reached_words = program.reached_words().min(found.len());
    let reached = &bytes[..8 * reached_words];
    core.note_dependency(address, reached);
    let (words, hash) = (program.words(), xxh3_64(reached));
    code.resize(code.len().next_multiple_of(BUNDLE as usize / 8), 0);
    if words == 0 || code.len() + words > MAX_WORDS {
        return Piece { segment: start, at: 0, words: 0, reached_words, hash };
    }
    let first = code.len();
    code.resize(first + words, 0);
    for instruction in &program.instructions {
        let at = instruction.address as usize / 8;
        code[first + at] = found[at];
    }
    Piece { segment: start, at: 8 * first as u32, words, reached_words, hash }
}
