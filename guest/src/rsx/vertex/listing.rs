//! Whole vertex programs as text.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::instruction::{Instruction, Words};
use super::syntax;
use crate::rsx::asm::{self, AsmError, Assembled, Dialect};

/// The listing of instructions from index `first` of the program store on. [`assemble_program`] converts it back to the
/// same words.
pub fn disassemble_program(code: &[Words], first: usize) -> String {
    let range = first..first + code.len();
    let targets: BTreeSet<usize> = code
        .iter()
        .filter_map(|&words| Instruction::decode(words).ok())
        .filter(|instruction| instruction.scalar.op.has_target())
        .map(|instruction| usize::from(instruction.scalar.target))
        .filter(|target| range.contains(target))
        .collect();
    let name = |target: u16| match targets.contains(&usize::from(target)) {
        true => format!("L{target}"),
        false => target.to_string(),
    };
    let mut out = String::new();
    if first != 0 {
        let _ = writeln!(out, ".at {first}");
    }
    for (index, &words) in range.zip(code) {
        if targets.contains(&index) {
            let _ = writeln!(out, "L{index}:");
        }
        let text = syntax::print(words, &name).unwrap_or_else(|| syntax::disassemble(words));
        let _ = writeln!(out, "    {text}");
    }
    out
}

/// Assembles a program; the form of the text is told in [`asm`](crate::rsx::asm), that of instructions in
/// [`syntax`](super::syntax).
///
/// # Errors
/// The first line that does not assemble.
pub fn assemble_program(text: &str) -> Result<(usize, Vec<Words>), AsmError> {
    let dialect = Dialect { step: 4, size: |_| 4, parse: |text, labels| syntax::parse(text, labels).map(Vec::from) };
    let Assembled { first, words, .. } = asm::assemble(text, &dialect)?;
    let code = words.chunks_exact(4).map(|words| [words[0], words[1], words[2], words[3]]);
    Ok((first as usize, code.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_reach_both_ways_from_where_the_program_stands() {
        let text =
            ".at 504\nmain: nop ; forward\n bri over [if gt]\nback: nop\nover: clb !b3, back\n cli 7\n nop [end]";
        let (first, code) = assemble_program(text).expect("the program is valid");
        let targets: Vec<_> = code
            .iter()
            .map(|&words| Instruction::decode(words).expect("all are known"))
            .filter(|instruction| instruction.scalar.op.has_target())
            .map(|instruction| instruction.scalar.target)
            .collect();
        assert_eq!((first, targets), (504, vec![507, 506, 7]));
        let listing = disassemble_program(&code, first);
        assert!(listing.starts_with(".at 504\n    nop\n    bri L507  [if gt]\nL506:\n"), "{listing}");
        assert_eq!(assemble_program(&listing), Ok((first, code)));
    }
}
