//! Programs as text: lines, labels, comments. Vertex and fragment programs share everything but the instructions.
//!
//! ```text
//! .at 504                  ; index of the next instruction in the vertex program store; before the first one
//! main:
//!     mul r0, v[0], c[465]
//!     bri main             ; labels may be used before they are defined
//! .word 0x40401f9c, 0x6c, 0, 1   ; four words of any instruction
//! ```

use std::collections::BTreeMap;

pub use crate::table::AsmError;
use crate::table::{Cursor, TextError};

/// A program from text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// The value of `.at`, 0 without.
    pub first: u32,
    /// All words.
    pub words: Vec<u32>,
    /// The value of each label: an index into the store, or an offset in words.
    pub labels: BTreeMap<String, u32>,
}

/// The values of labels.
pub type Labels<'a> = &'a dyn Fn(&str) -> Option<u32>;

/// An instruction set, as far as the assembler must know.
pub(super) struct Dialect {
    /// How many words one step of a label is: 4 where labels count instructions, 1 where they count words.
    pub(super) step: usize,
    /// How many words a statement makes.
    pub(super) size: fn(&str) -> usize,
    /// The words of a statement.
    pub(super) parse: fn(&str, Labels<'_>) -> Result<Vec<u32>, TextError>,
}

/// A name or a number from 0 to `max`.
pub(super) fn parse_target(text: &mut Cursor<'_>, labels: Labels<'_>, max: u32) -> Result<u32, TextError> {
    match text.name() {
        Some(name) => labels(name).ok_or_else(|| TextError::UnknownLabel(name.to_owned())),
        None => Ok(text.number("a target", max.into())? as u32),
    }
}

/// Four words after `.word`.
fn parse_words(text: &str) -> Result<Vec<u32>, TextError> {
    let mut cursor = Cursor::new(text);
    let mut words = Vec::new();
    for i in 0..4 {
        if i > 0 {
            cursor.expect(",")?;
        }
        words.push(cursor.number("a word", u32::MAX.into())? as u32);
    }
    cursor.finish()?;
    Ok(words)
}

/// Assembles a program.
pub(super) fn assemble(source: &str, dialect: &Dialect) -> Result<Assembled, AsmError> {
    let mut program = Assembled::default();
    let mut statements: Vec<(usize, &str)> = Vec::new();
    let mut count = 0;
    for (index, text) in source.lines().enumerate() {
        let line = index + 1;
        let mut take = || -> Result<(), TextError> {
            let mut cursor = Cursor::of_line(text);
            cursor.labels(&mut program.labels, program.first + (count / dialect.step) as u32)?;
            if cursor.at_end() {
                return Ok(());
            }
            if cursor.eat(".at") {
                if count != 0 || !program.labels.is_empty() {
                    return Err(TextError::Rule("`.at` must precede everything else".to_owned()));
                }
                program.first = cursor.number("an index", 0xFFFF)? as u32;
                return cursor.finish();
            }
            let statement = cursor.rest();
            count += if statement.starts_with(".word") { 4 } else { (dialect.size)(statement) };
            statements.push((line, statement));
            Ok(())
        };
        take().map_err(|error| AsmError::new(source, line, error))?;
    }
    let labels = |name: &str| program.labels.get(name).copied();
    let mut words = Vec::with_capacity(count);
    for (line, statement) in statements {
        let parsed = match statement.strip_prefix(".word") {
            Some(rest) => parse_words(rest),
            None => (dialect.parse)(statement, &labels),
        };
        words.extend(parsed.map_err(|error| AsmError::new(source, line, error))?);
    }
    program.words = words;
    Ok(program)
}
