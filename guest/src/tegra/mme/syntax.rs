//! How macro instructions are written.
//!
//! ```text
//! add r3, r1, r2                      addi.addr r0, r0, 0x14d8       read r2, r1, 0xd00
//! insert r1, r2, r3, 8, 12, 4         extract.send r0, r2, r3, 1, 4  deposit r0, r1, r2, 4, 8
//! bz r1, +3                           bnz.annul.exit r7, loop
//! ```
//! Registers are destination, `a`, `b`; the numbers of `insert` are `from`, `size`, `at`, those of `extract` `size`,
//! `at`, those of `deposit` `from`, `size`. The name of an instruction is followed by the assignment of its result, if
//! it is not `move`, then by `.exit`. Targets are labels or distances in instructions.

use super::operand::{Alu, Assign, Bits, Branch, Immediate, Reg, Target};
use crate::table::{Cursor, OpInfo, ParseOperands, PrintOperands, TextError};

/// The context of a listing beyond the word.
#[derive(Clone, Copy, Default)]
pub struct Listing<'a> {
    at: i64,
    label: Option<&'a dyn Fn(i64) -> Option<String>>,
}

impl<'a> Listing<'a> {
    /// With distances as targets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Of the instruction with index `at`; `label` names targets by index.
    pub fn with_labels(at: usize, label: &'a dyn Fn(i64) -> Option<String>) -> Self {
        Listing { at: at as i64, label: Some(label) }
    }

    fn target(&self, offset: i32) -> String {
        let name = self.label.and_then(|label| label(self.at + i64::from(offset)));
        name.unwrap_or_else(|| format!("{offset:+}"))
    }
}

/// The instruction indices of a program's labels.
pub type Labels<'a> = &'a dyn Fn(&str) -> Option<usize>;

/// The context of an assembler beyond the line.
#[derive(Clone, Copy, Default)]
pub struct Assembly<'a> {
    at: i64,
    labels: Option<Labels<'a>>,
}

impl<'a> Assembly<'a> {
    /// Without labels.
    pub fn new() -> Self {
        Self::default()
    }

    /// Of the instruction with index `at`; `labels` gives the index of a label.
    pub fn with_labels(at: usize, labels: Labels<'a>) -> Self {
        Assembly { at: at as i64, labels: Some(labels) }
    }

    fn target(&self, text: &mut Cursor<'_>) -> Result<i32, TextError> {
        if let Some(name) = text.name() {
            let at = self.labels.and_then(|labels| labels(name));
            return at.map(|at| (at as i64 - self.at) as i32).ok_or_else(|| TextError::UnknownLabel(name.to_owned()));
        }
        text.distance("a distance in instructions", 0x2_0000)
    }
}

const ASSIGNMENTS: [&str; 8] =
    ["fetch", "", "addr", "fetch_send", "send", "fetch_addr", "addr_fetch_send", "addr_send_high"];

/// The names after the dots that follow the instruction's own name.
fn parse_suffixes<'a>(text: &mut Cursor<'a>, mut take: impl FnMut(&'a str) -> bool) -> Result<(), TextError> {
    while text.eat(".") {
        let before = text.clone();
        match text.name() {
            Some(name) if take(name) => {}
            _ => return Err(before.expected("an assignment, annul or exit")),
        }
    }
    Ok(())
}

fn print_target(target: Target, out: &mut String) {
    if target.assign != Assign::Move {
        out.push('.');
        out.push_str(ASSIGNMENTS[target.assign as usize]);
    }
    if target.exit {
        out.push_str(".exit");
    }
    out.push_str(&format!(" r{}", target.dst.0));
}

fn parse_target(text: &mut Cursor<'_>) -> Result<Target, TextError> {
    let (mut assign, mut exit) = (Assign::Move, false);
    parse_suffixes(text, |name| match ASSIGNMENTS.iter().position(|known| *known == name) {
        Some(number) => {
            assign = Assign::ALL[number];
            true
        }
        None if name == "exit" => {
            exit = true;
            true
        }
        None => false,
    })?;
    Ok(Target { dst: parse_register(text)?, assign, exit })
}

fn parse_register(text: &mut Cursor<'_>) -> Result<Reg, TextError> {
    text.expect("r")?;
    text.number("a register", 7).map(|number| Reg(number as u8))
}

fn parse_next_register(text: &mut Cursor<'_>) -> Result<Reg, TextError> {
    text.expect(",")?;
    parse_register(text)
}

impl PrintOperands<Listing<'_>> for Alu {
    fn print(&self, _: &OpInfo, _: &Listing<'_>, out: &mut String) {
        print_target(self.to, out);
        out.push_str(&format!(", r{}, r{}", self.a.0, self.b.0));
    }
}

impl ParseOperands<Assembly<'_>> for Alu {
    fn parse(_: &OpInfo, text: &mut Cursor<'_>, _: &mut Assembly<'_>) -> Result<Self, TextError> {
        Ok(Alu { to: parse_target(text)?, a: parse_next_register(text)?, b: parse_next_register(text)? })
    }
}

impl PrintOperands<Listing<'_>> for Immediate {
    fn print(&self, _: &OpInfo, _: &Listing<'_>, out: &mut String) {
        print_target(self.to, out);
        let sign = if self.value < 0 { "-" } else { "" };
        out.push_str(&format!(", r{}, {sign}{:#x}", self.a.0, self.value.unsigned_abs()));
    }
}

impl ParseOperands<Assembly<'_>> for Immediate {
    fn parse(_: &OpInfo, text: &mut Cursor<'_>, _: &mut Assembly<'_>) -> Result<Self, TextError> {
        let to = parse_target(text)?;
        let a = parse_next_register(text)?;
        text.expect(",")?;
        let negative = text.eat("-");
        let number = text.number("a number", 0x2_0000)? as i32;
        Ok(Immediate { to, a, value: if negative { -number } else { number } })
    }
}

/// The numbers that a row has, by the letters of their fields.
fn numbers(op: &OpInfo) -> impl Iterator<Item = u8> {
    let pattern = op.pattern;
    [b'q', b'n', b'p'].into_iter().filter(move |&letter| pattern.field(letter) != 0)
}

impl PrintOperands<Listing<'_>> for Bits {
    fn print(&self, op: &OpInfo, _: &Listing<'_>, out: &mut String) {
        print_target(self.to, out);
        out.push_str(&format!(", r{}, r{}", self.a.0, self.b.0));
        for letter in numbers(op) {
            let number = match letter {
                b'q' => self.from,
                b'n' => self.size,
                _ => self.at,
            };
            out.push_str(&format!(", {number}"));
        }
    }
}

impl ParseOperands<Assembly<'_>> for Bits {
    fn parse(op: &OpInfo, text: &mut Cursor<'_>, _: &mut Assembly<'_>) -> Result<Self, TextError> {
        let to = parse_target(text)?;
        let (a, b) = (parse_next_register(text)?, parse_next_register(text)?);
        let mut bits = Bits { to, a, b, from: 0, size: 0, at: 0 };
        for letter in numbers(op) {
            text.expect(",")?;
            let number = text.number("a bit position or size", 31)? as u8;
            match letter {
                b'q' => bits.from = number,
                b'n' => bits.size = number,
                _ => bits.at = number,
            }
        }
        Ok(bits)
    }
}

impl PrintOperands<Listing<'_>> for Branch {
    fn print(&self, _: &OpInfo, listing: &Listing<'_>, out: &mut String) {
        let annul = if self.annul { ".annul" } else { "" };
        let exit = if self.exit { ".exit" } else { "" };
        out.push_str(&format!("{annul}{exit} r{}, {}", self.a.0, listing.target(self.offset)));
    }
}

impl ParseOperands<Assembly<'_>> for Branch {
    fn parse(_: &OpInfo, text: &mut Cursor<'_>, assembly: &mut Assembly<'_>) -> Result<Self, TextError> {
        let (mut annul, mut exit) = (false, false);
        parse_suffixes(text, |name| {
            annul |= name == "annul";
            exit |= name == "exit";
            matches!(name, "annul" | "exit")
        })?;
        let a = parse_register(text)?;
        text.expect(",")?;
        Ok(Branch { a, offset: assembly.target(text)?, annul, exit })
    }
}
