//! Whole fragment programs as text.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::instruction::{Flow, Instruction, Words, has_constant};
use super::program::instructions;
use super::syntax;
use crate::rsx::asm::{self, AsmError, Dialect};

/// The listing of a program. [`assemble_program`] makes the same words of it if the last instruction is there whole.
pub fn disassemble_program(code: &[u32]) -> String {
    let starts: BTreeSet<u32> = instructions(code).map(|(at, _)| at as u32).chain([code.len() as u32]).collect();
    let targets: BTreeSet<u32> = instructions(code)
        .filter_map(|(_, words)| Instruction::decode(words).ok())
        .flat_map(|instruction| match instruction {
            Instruction::Flow(flow) => targets(&flow),
            Instruction::Compute(_) => Vec::new(),
        })
        .filter(|target| starts.contains(target))
        .collect();
    let name = |target: u32| match targets.contains(&target) {
        true => format!("L{}", target / 4),
        false => target.to_string(),
    };
    let mut out = String::new();
    for (at, words) in instructions(code) {
        if targets.contains(&(at as u32)) {
            let _ = writeln!(out, "L{}:", at / 4);
        }
        let constant: Words = [4, 5, 6, 7].map(|i| code.get(at + i).copied().unwrap_or(0));
        match syntax::print(words, constant, &name) {
            Some(text) => {
                let _ = writeln!(out, "    {text}");
            }
            None => {
                let _ = writeln!(out, "    {}", syntax::word_line(words));
                if has_constant(&words) {
                    let _ = writeln!(out, "    {}", syntax::word_line(constant));
                }
            }
        }
    }
    if targets.contains(&(code.len() as u32)) {
        let _ = writeln!(out, "L{}:", code.len() / 4);
    }
    out
}

/// The offsets that an instruction names.
fn targets(flow: &Flow) -> Vec<u32> {
    let target = flow.op.has_target().then_some(flow.target);
    let end = flow.op.has_end().then_some(flow.end_offset);
    target.into_iter().chain(end).collect()
}

/// Assembles a program; the form of the text is told in [`asm`](crate::rsx::asm), that of instructions in
/// [`syntax`](super::syntax). Labels are offsets in words.
///
/// # Errors
/// The first line that does not assemble.
pub fn assemble_program(text: &str) -> Result<Vec<u32>, AsmError> {
    let size = |statement: &str| if statement.contains('{') { 8 } else { 4 };
    asm::assemble(text, &Dialect { step: 1, size, parse: syntax::parse }).map(|assembled| assembled.words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_step_over_constants() {
        let text =
            "mov r0, {1, 2, 3, 4}\nife else, over [if gt.x]\nmul r0, r0, {5, 6, 7, 8}\nelse: nop\nover: nop [end]";
        let code = assemble_program(text).expect("the program is valid");
        assert_eq!(code.len(), 4 * 7);
        assert_eq!(code[8 + 2..8 + 4], [1 << 31 | 20, 24]);
        let listing = disassemble_program(&code);
        assert!(
            listing.contains("ife L5, L6  [if gt.x]\n    mul r0, r0, {5, 6, 7, 8}\nL5:\n    nop\nL6:"),
            "{listing}"
        );
        assert_eq!(assemble_program(&listing), Ok(code));
    }
}
