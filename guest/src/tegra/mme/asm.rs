//! Whole macros as text.
//!
//! ```text
//! ; writes its argument and the parameters that follow to eight consecutive registers
//!     addi.addr r0, r0, 0x1d00
//!     addi r2, r0, 7
//! next:
//!     addi.fetch_send r1, r1, 0
//!     bnz r2, next
//!     addi r2, r2, -1             ; delay slot
//!     addi.exit r0, r0, 0
//!     .word 0x00000011            ; any instruction word
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::CODE_WORDS_ACCEPTED;
use super::isa::{branch_offset, decode, is_branch, parse_instruction, print_instruction};
use super::syntax::{Assembly, Listing};
pub use crate::table::AsmError;
use crate::table::{Cursor, TextError};

/// The words of a program.
///
/// # Errors
/// The first line that does not assemble.
pub fn assemble_program(source: &str) -> Result<Vec<u32>, AsmError> {
    let mut labels = BTreeMap::new();
    let mut statements = Vec::new();
    for (index, line) in source.lines().enumerate() {
        let statement = read_labels(line, statements.len(), &mut labels);
        let statement = statement.map_err(|error| AsmError::new(source, index + 1, error))?;
        if !statement.is_empty() {
            statements.push((index + 1, statement));
        }
    }
    let find = |name: &str| labels.get(name).copied();
    let word = |(at, &(line, text)): (usize, &(usize, &str))| {
        let word = read_statement(text, &mut Assembly::with_labels(at, &find));
        word.map_err(|error| AsmError::new(source, line, error))
    };
    statements.iter().enumerate().map(word).collect()
}

/// Notes the labels at the start of a line and returns the rest without its comment.
fn read_labels<'a>(line: &'a str, at: usize, labels: &mut BTreeMap<&'a str, usize>) -> Result<&'a str, TextError> {
    let mut cursor = Cursor::of_line(line);
    cursor.labels(labels, at)?;
    if !cursor.at_end() && at >= CODE_WORDS_ACCEPTED {
        return Err(TextError::Rule(format!("the program is longer than {CODE_WORDS_ACCEPTED} instructions")));
    }
    Ok(cursor.rest())
}

fn read_statement(text: &str, assembly: &mut Assembly<'_>) -> Result<u32, TextError> {
    let mut cursor = Cursor::new(text);
    if cursor.eat(".word") {
        let word = cursor.number("an instruction word", u32::MAX.into())?;
        return cursor.finish().map(|()| word as u32);
    }
    parse_instruction(text, assembly)
}

/// The text of a program, which assembles to the same words. Those that text cannot express bit for bit are `.word`
/// lines with the instruction as a comment.
pub fn disassemble_program(code: &[u32]) -> String {
    let targets: BTreeSet<i64> = (0i64..)
        .zip(code)
        .filter(|(_, word)| decode(**word).is_some() && is_branch(**word))
        .map(|(at, word)| at + i64::from(branch_offset(*word)))
        .filter(|target| (0..=code.len() as i64).contains(target))
        .collect();
    let label = |at: i64| targets.contains(&at).then(|| format!("L{at}"));
    let find = |name: &str| name.strip_prefix('L')?.parse().ok();
    let mut out = String::new();
    for (at, &word) in code.iter().enumerate() {
        if let Some(label) = label(at as i64) {
            let _ = writeln!(out, "{label}:");
        }
        let text = print_instruction(word, &Listing::with_labels(at, &label));
        let again = text.as_ref().map(|text| parse_instruction(text, &mut Assembly::with_labels(at, &find)));
        let _ = match text {
            Some(text) if again == Some(Ok(word)) => writeln!(out, "    {text}"),
            Some(text) => writeln!(out, "    .word 0x{word:08x} ; {text}"),
            None => writeln!(out, "    .word 0x{word:08x}"),
        };
    }
    if let Some(label) = label(code.len() as i64) {
        let _ = writeln!(out, "{label}:");
    }
    out
}
