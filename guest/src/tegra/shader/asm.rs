//! Single instructions and whole programs as text.
//!
//! ```text
//!     s2r r0, sr_laneid            ; a comment
//!     isetp.gt.and p0, pt, r0, 0x7, pt
//!     ssy join
//!     @p0 bra other                ; targets are labels or distances
//!     mov r1, 0x1, 0xf
//!     sync
//! other:
//!     mov r1, 0x2, 0xf
//!     sync
//! join:
//!     exit
//! .sched 0x001fbc00fde007ef        ; the control word of the bundle that the next instruction begins
//! .word 0x50b0000000070f00         ; any instruction word
//! ```
//! Control words are put in by the assembler, neutral ones where no `.sched` says otherwise.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::isa::{form, parse_instruction, print_instruction};
use super::operand::{Guard, PredSource};
use super::part::Part;
use super::program::{BUNDLE, Destination, Flow, MAX_WORDS, NEUTRAL_CONTROL, is_control, settle, step};
use super::syntax::{Assembly, Listing};
pub use crate::table::AsmError;
use crate::table::{Cursor, Fields, TextError};

/// The bits of the guard where an instruction has one.
const GUARD: u64 = 0xF << 16;

/// The text of one instruction with its guard and targets as distances, as [`assemble`] reads it. An unknown word is a
/// `.word` line.
pub fn disassemble(word: u64) -> String {
    print(word, &Listing::new()).unwrap_or_else(|| format!(".word 0x{word:016x}"))
}

/// Reads one instruction of text without labels.
pub fn assemble(text: &str) -> Result<u64, TextError> {
    parse(text, &mut Assembly::new())
}

fn print(word: u64, listing: &Listing<'_>) -> Option<String> {
    let text = print_instruction(word, listing)?;
    let guard = Guard::read(Fields::new(word, &form(word)?.pattern), b"g");
    if guard == Guard::ALWAYS {
        return Some(text);
    }
    let mut out = String::from("@");
    PredSource::print(&guard.0, listing, &mut out);
    Some(out + " " + &text)
}

fn parse(text: &str, assembly: &mut Assembly<'_>) -> Result<u64, TextError> {
    let mut cursor = Cursor::new(text);
    if !cursor.eat("@") {
        return parse_instruction(text, assembly);
    }
    let guard = PredSource::parse(&mut cursor, assembly)?;
    let word = parse_instruction(cursor.rest(), assembly)?;
    if form(word).is_none_or(|form| form.pattern.field(b'g') == 0) {
        return Err(TextError::Rule("this instruction has no guard".to_owned()));
    }
    Ok(word & !GUARD | (u64::from(guard.pred.0) | u64::from(guard.not) << 3) << 16)
}

/// The words of a program, control words among them.
///
/// # Errors
/// The first line that does not assemble.
pub fn assemble_program(text: &str) -> Result<Vec<u64>, AsmError> {
    let mut source = Source::default();
    for (index, line) in text.lines().enumerate() {
        source.line(index + 1, line).map_err(|error| AsmError::new(text, index + 1, error))?;
    }
    let labels = |name: &str| source.labels.get(name).copied();
    let mut code = Vec::new();
    for (number, statement) in source.statements.iter().enumerate() {
        let address = address_of(number);
        if is_control(address - 8) {
            code.push(source.controls.get(&(address - 8)).copied().unwrap_or(NEUTRAL_CONTROL));
        }
        let (line, instruction) = statement;
        let word = read_statement(instruction, &mut Assembly::with_labels(address, &labels));
        code.push(word.map_err(|error| AsmError::new(text, *line, error))?);
    }
    Ok(code)
}

/// The address of instruction number `number`.
fn address_of(number: usize) -> u32 {
    (number / 3) as u32 * BUNDLE + 8 + (number % 3) as u32 * 8
}

/// A program's lines.
#[derive(Default)]
struct Source<'a> {
    labels: BTreeMap<&'a str, u32>,
    controls: BTreeMap<u32, u64>,
    statements: Vec<(usize, &'a str)>,
}

impl<'a> Source<'a> {
    fn line(&mut self, line: usize, text: &'a str) -> Result<(), TextError> {
        let mut cursor = Cursor::of_line(text);
        let address = address_of(self.statements.len());
        cursor.labels(&mut self.labels, address)?;
        if cursor.eat(".sched") {
            if !is_control(address - 8) {
                return Err(TextError::Rule("no bundle begins here".to_owned()));
            }
            self.controls.insert(address - 8, cursor.number("a control word", u64::MAX)?);
            return cursor.finish();
        }
        if !cursor.at_end() {
            self.statements.push((line, cursor.rest()));
        }
        match self.statements.len() * 4 / 3 < MAX_WORDS {
            true => Ok(()),
            false => Err(TextError::Rule(format!("the program is longer than {MAX_WORDS} words"))),
        }
    }
}

fn read_statement(text: &str, assembly: &mut Assembly<'_>) -> Result<u64, TextError> {
    let mut cursor = Cursor::new(text);
    if cursor.eat(".word") {
        let word = cursor.number("an instruction word", u64::MAX)?;
        return cursor.finish().map(|()| word);
    }
    parse(text, assembly)
}

/// The text of a program, which assembles to the same words. Those that text cannot express bit for bit (unknown ones,
/// bits that the hardware ignores) are `.word` lines with the instruction as a comment.
pub fn disassemble_program(code: &[u64]) -> String {
    let instructions = || (0..).map(|index| index * 8).zip(code).filter(|(address, _)| !is_control(*address));
    let end = settle(code.len() as u32 * 8);
    let destination = |(address, word): (u32, &u64)| match step(address, *word)?.flow {
        Flow::Branch(Destination::Address(to)) | Flow::Call(Destination::Address(to)) => Some(to),
        Flow::Push(_, Destination::Address(to)) => Some(to),
        _ => None,
    };
    let mut targets: Vec<u32> = instructions().filter_map(destination).collect();
    targets.retain(|target| *target <= end && target.is_multiple_of(8));
    targets.sort_unstable();
    let is_target = |address: u32| targets.binary_search(&address).is_ok();
    let label = |address: u32| is_target(address).then(|| format!("L{address:x}"));
    let find = |name: &str| u32::from_str_radix(name.strip_prefix('L')?, 16).ok();
    let mut out = String::new();
    for (address, &word) in instructions() {
        if let Some(label) = label(address) {
            let _ = writeln!(out, "{label}:");
        }
        let control = code[address as usize / 8 - 1];
        if is_control(address - 8) && control != NEUTRAL_CONTROL {
            let _ = writeln!(out, "    .sched 0x{control:016x}");
        }
        let text = print(word, &Listing::with_labels(address, &label));
        let again = text.as_ref().map(|text| parse(text, &mut Assembly::with_labels(address, &find)));
        let _ = match text {
            Some(text) if again == Some(Ok(word)) => writeln!(out, "    {text}"),
            Some(text) => writeln!(out, "    .word 0x{word:016x} ; {text}"),
            None => writeln!(out, "    .word 0x{word:016x}"),
        };
    }
    if let Some(label) = label(end) {
        let _ = writeln!(out, "{label}:");
    }
    out
}
