//! Programs of the PICA200 in reports: made small, and as text.

use std::fmt::Write as _;

use triglyph_guest::kernel::vertex::PicaProgram;
use triglyph_guest::pica::{disassemble_program, isa};

/// The program with as many instructions as possible made NOP, the tiers still differing.
pub fn minimised(program: &PicaProgram, differ: impl Fn(&PicaProgram) -> bool) -> PicaProgram {
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

/// The program as text; runs of equal lines, which minimising leaves, are one.
pub fn listing(program: &PicaProgram) -> String {
    let mut text = String::new();
    let listing = disassemble_program(&program.code, &program.descriptors);
    let lines: Vec<&str> = listing.lines().collect();
    for run in lines.chunk_by(|a, b| a == b && a.trim() == "nop") {
        let times = if run.len() > 1 { format!("    ; {} times", run.len()) } else { String::new() };
        let _ = writeln!(text, "{}{times}", run[0]);
    }
    text
}
