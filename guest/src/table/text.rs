//! Pieces of assembler text: a cursor over a line, the traits of operand shapes, errors.

use std::collections::BTreeMap;

use super::info::OpInfo;
use super::pattern::{DoesNotFit, Shape};

/// Writes the operands of an instruction. `L` is what a listing needs to know beyond the word.
pub trait PrintOperands<L: ?Sized>: Shape {
    /// Appends the operands to `out`, as the assembler reads them.
    fn print(&self, op: &OpInfo, listing: &L, out: &mut String);
}

/// Reads the operands of an instruction. `A` is what an assembler knows beyond the line.
pub trait ParseOperands<A: ?Sized>: Shape {
    /// Reads the operands at the cursor.
    fn parse(op: &OpInfo, text: &mut Cursor<'_>, assembly: &mut A) -> Result<Self, TextError>;
}

/// An error in a line of assembler text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// No row has this name.
    #[error("unknown instruction `{0}`")]
    UnknownInstruction(String),
    /// Something else was expected here.
    #[error("expected {expected}, found `{found}`")]
    Expected {
        /// The expected text.
        expected: &'static str,
        /// The rest of the line.
        found: String,
    },
    /// A number or register beyond its range.
    #[error("{what} {value} is beyond {max}")]
    Range {
        /// The role of the number.
        what: &'static str,
        /// The number.
        value: u64,
        /// The largest possible.
        max: u64,
        /// The rest of the line, from the number on.
        found: String,
    },
    /// An operand is too wide for its place in this instruction.
    #[error(transparent)]
    DoesNotFit(#[from] DoesNotFit),
    /// A label that the program does not define.
    #[error("unknown label `{0}`")]
    UnknownLabel(String),
    /// A rule of one instruction set is broken.
    #[error("{0}")]
    Rule(String),
}

impl TextError {
    /// The column of the error in the line that it is about, in characters from 1: that of the text that was found
    /// instead, of the number, of the unknown name; of rules that an instruction breaks as a whole that of the
    /// instruction.
    pub fn column(&self, line: &str) -> usize {
        let code = line.split(';').next().unwrap_or("").trim_end();
        let at = match self {
            TextError::Expected { found, .. } | TextError::Range { found, .. } => {
                code.ends_with(found.as_str()).then(|| code.len() - found.len())
            }
            TextError::UnknownInstruction(name) | TextError::UnknownLabel(name) => word_at(code, name),
            TextError::DoesNotFit(_) | TextError::Rule(_) => None,
        };
        let at = at.unwrap_or_else(|| statement_at(code));
        line[..at].chars().count() + 1
    }
}

/// Where `name` begins as a word of its own in a line.
fn word_at(code: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = code.match_indices(name).map(|(at, _)| at);
    let mut whole =
        starts.filter(|at| !code[..*at].ends_with(is_part) && !code[at + name.len()..].starts_with(is_part));
    whole.next()
}

/// Where the statement begins after blanks and labels.
fn statement_at(code: &str) -> usize {
    let mut cursor = Cursor::new(code);
    loop {
        let mut ahead = cursor.clone();
        match ahead.name().filter(|_| ahead.eat(":")) {
            Some(_) if !ahead.at_end() => cursor = ahead,
            _ => return code.trim_end().len() - cursor.rest().len(),
        }
    }
}

/// An error of an assembler, and where in the text it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {error}")]
pub struct AsmError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The column in characters, from 1; see [`TextError::column`].
    pub column: usize,
    /// The error.
    pub error: TextError,
}

impl AsmError {
    /// An error in the line `number`, from 1, of a text.
    pub fn new(text: &str, number: usize, error: TextError) -> Self {
        let line = text.lines().nth(number.saturating_sub(1)).unwrap_or("");
        AsmError { line: number, column: error.column(line), error }
    }
}

/// A position in a line of text. Every method first skips blanks.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    /// At the start of `line`.
    pub fn new(line: &'a str) -> Self {
        Cursor { rest: line.trim() }
    }

    /// The rest of the text.
    pub fn rest(&self) -> &'a str {
        self.rest
    }

    /// Whether everything is read.
    pub fn at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Steps over `token` if it comes next.
    pub fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    /// Steps over `token`, which must come next.
    pub fn expect(&mut self, token: &'static str) -> Result<(), TextError> {
        if self.eat(token) { Ok(()) } else { Err(self.expected(token)) }
    }

    /// The error that something else was to come here.
    pub fn expected(&self, expected: &'static str) -> TextError {
        TextError::Expected { expected, found: self.rest.to_owned() }
    }

    /// Reads a name: a letter or `_`, then letters, digits and `_`.
    pub fn name(&mut self) -> Option<&'a str> {
        if !self.rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return None;
        }
        Some(self.take(|c| c.is_ascii_alphanumeric() || c == '_'))
    }

    /// Reads the digits or letters that `accept` takes, possibly none.
    pub fn take(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !accept(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        taken
    }

    /// Reads a decimal number or a hexadecimal one with `0x`, at most `max`.
    pub fn number(&mut self, what: &'static str, max: u64) -> Result<u64, TextError> {
        let mut ahead = self.clone();
        let value = if ahead.eat("0x") {
            u64::from_str_radix(ahead.take(|c| c.is_ascii_hexdigit()), 16)
        } else {
            ahead.take(|c| c.is_ascii_digit()).parse()
        };
        let value = value.map_err(|_| self.expected(what))?;
        if value > max {
            return Err(TextError::Range { what, value, max, found: self.rest.to_owned() });
        }
        *self = ahead;
        Ok(value)
    }

    /// Reads a distance, a sign and a number of at most `max`.
    pub(crate) fn distance(&mut self, what: &'static str, max: u64) -> Result<i32, TextError> {
        let back = self.eat("-");
        if !back {
            self.expect("+")?;
        }
        let distance = self.number(what, max)? as i32;
        Ok(if back { -distance } else { distance })
    }

    /// At the start of a line of a program, before its comment.
    pub(crate) fn of_line(line: &'a str) -> Self {
        Cursor::new(line.split(';').next().unwrap_or(""))
    }

    /// Reads the labels that come next, which name this place.
    pub(crate) fn labels<L: Ord + From<&'a str>, P: Copy>(
        &mut self,
        labels: &mut BTreeMap<L, P>,
        place: P,
    ) -> Result<(), TextError> {
        while let Some(name) = self.label() {
            if labels.insert(name.into(), place).is_some() {
                return Err(TextError::Rule(format!("label `{name}` is defined twice")));
            }
        }
        Ok(())
    }

    fn label(&mut self) -> Option<&'a str> {
        let mut ahead = self.clone();
        let name = ahead.name().filter(|_| ahead.eat(":"))?;
        *self = ahead;
        Some(name)
    }

    /// Checks that nothing is left.
    pub fn finish(&self) -> Result<(), TextError> {
        if self.at_end() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_what_is_wrong() {
        let expected = |found: &str| TextError::Expected { expected: "a register", found: found.to_owned() };
        assert_eq!(expected("q0").column("  mov r0, q0  ; q0"), 11);
        assert_eq!(expected("").column("mov r0,"), 8);
        let range = TextError::Range { what: "a register", value: 99, max: 15, found: "99, v0".to_owned() };
        assert_eq!(range.column("mov r99, v0"), 6);
        assert_eq!(TextError::UnknownInstruction("fro".to_owned()).column("from: fro r0"), 7);
        assert_eq!(TextError::UnknownLabel("there".to_owned()).column("jmp there"), 5);
        let rule = TextError::Rule("it cannot".to_owned());
        assert_eq!((rule.column("a: b: nop"), rule.column("a: b:"), rule.column("")), (7, 4, 1));
        assert_eq!(AsmError::new("nop\n\u{e4}: nop", 2, rule).to_string(), "line 2, column 1: it cannot");
    }
}
