//! Programs of the PICA200 in reports: made small, and as text.

use std::fmt::Write as _;
use std::sync::Arc;

use triglyph_guest::kernel::vertex::{PicaProgram, Program};
use triglyph_guest::pica::{disassemble_program, isa};
use triglyph_jit::Effort;

use super::Outcome;

/// The program of a key.
pub fn program(code: &Program) -> &PicaProgram {
    let Program::Pica(program) = code;
    program
}

/// The key with as many instructions as possible made NOP, the tiers still differing: `with` is the key with another
/// program.
pub fn minimised<K>(code: &Program, with: impl Fn(Program) -> K, compare: impl Fn(&K) -> Outcome) -> K {
    let key = |program: PicaProgram| with(Program::Pica(Arc::new(program)));
    let differ = |program: &PicaProgram| matches!(compare(&key(program.clone())), Outcome::Different(_));
    key(shortest(program(code), differ))
}

fn shortest(program: &PicaProgram, differ: impl Fn(&PicaProgram) -> bool) -> PicaProgram {
    const NOP: u32 = 0x21 << 26;
    let mut smallest = program.clone();
    for at in 0..program.code.len() {
        if smallest.code[at] == NOP || isa::decode(smallest.code[at]) == Some(isa::Op::end) {
            continue;
        }
        let mut candidate = smallest.clone();
        candidate.code[at] = NOP;
        if differ(&candidate) {
            smallest = candidate;
        }
    }
    smallest
}

/// A program, and how it was compiled and called.
pub fn report(code: &Program, effort: Effort) -> String {
    let program = program(code);
    let PicaProgram { numbers, entry, bools, .. } = program;
    format!("{}{effort:?}, {numbers:?}, entry {entry}, bools {bools:#06x}\n", listing(program))
}

/// The program as text; runs of equal lines, which minimising leaves, are one.
fn listing(program: &PicaProgram) -> String {
    let mut text = String::new();
    let listing = disassemble_program(&program.code, &program.descriptors);
    let lines: Vec<&str> = listing.lines().collect();
    for run in lines.chunk_by(|a, b| a == b && a.trim() == "nop") {
        let times = if run.len() > 1 { format!("    ; {} times", run.len()) } else { String::new() };
        let _ = writeln!(text, "{}{times}", run[0]);
    }
    text
}

/// The constants of floats that programs reach by name.
pub fn constants(floats: &[[f32; 4]]) -> String {
    let constant = |(number, value): (usize, &[f32; 4])| format!("c{number} = {value:?}\n");
    floats[..96].iter().enumerate().map(constant).collect()
}
