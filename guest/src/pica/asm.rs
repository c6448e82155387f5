//! Whole shader programs as text.
//!
//! ```text
//! ; a comment
//! main:
//!     mov r0, c95.x
//!     loop i0, last            ; targets are labels or numbers
//!     add r0, r0, c0[aL]  @3   ; with operand descriptor 3; without @ one is found
//! last:
//!     nop
//!     end
//! .descriptor 4, 0x0d86c36f    ; sets a descriptor
//! .word 0xa8000000             ; any instruction word
//! ```

use std::collections::BTreeMap;

use super::descriptor::{DescriptorPool, Wanted};
use super::isa::parse_instruction;
use super::syntax::Assembly;
pub use crate::table::AsmError;
use crate::table::{Cursor, TextError};

/// Number of instructions that a shader unit can address.
pub const CODE_WORDS: usize = 4096;

/// A shader program as the unit holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Instructions.
    pub code: Vec<u32>,
    /// Operand descriptors, at most 128.
    pub descriptors: Vec<u32>,
    /// Instruction index of each label; entry points among them.
    pub labels: BTreeMap<String, u16>,
}

impl Program {
    /// Assembles a text.
    pub fn assemble(text: &str) -> Result<Program, AsmError> {
        let mut assembler = Assembler::new();
        for line in text.lines() {
            assembler.line(line)?;
        }
        assembler.finish()
    }
}

/// A line with an instruction or a directive.
#[derive(Clone, Debug)]
struct Statement {
    line: usize,
    /// The whole line.
    source: String,
    /// The line without labels and comment.
    text: String,
}

/// Takes a program line by line. Labels may be used before they are defined.
#[derive(Clone, Debug, Default)]
pub struct Assembler {
    labels: BTreeMap<String, u16>,
    statements: Vec<Statement>,
    lines: usize,
    words: usize,
}

impl Assembler {
    /// Of an empty program.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next line: labels, then at most one instruction or directive, then a comment.
    pub fn line(&mut self, text: &str) -> Result<(), AsmError> {
        self.lines += 1;
        let line = self.lines;
        self.take(text).map_err(|error| AsmError { line, column: error.column(text), error })
    }

    fn take(&mut self, source: &str) -> Result<(), TextError> {
        let mut cursor = Cursor::of_line(source);
        cursor.labels(&mut self.labels, self.words as u16)?;
        if cursor.at_end() {
            return Ok(());
        }
        if !cursor.rest().starts_with(".descriptor") {
            self.words += 1;
        }
        if self.words > CODE_WORDS {
            return Err(TextError::Rule(format!("the program is longer than {CODE_WORDS} instructions")));
        }
        let text = cursor.rest().to_owned();
        self.statements.push(Statement { line: self.lines, source: source.to_owned(), text });
        Ok(())
    }

    /// The program.
    pub fn finish(self) -> Result<Program, AsmError> {
        let mut pool = DescriptorPool::default();
        let mut code = Vec::with_capacity(self.words);
        for Statement { line, source, text } in &self.statements {
            match self.statement(text, &mut pool) {
                Ok(word) => code.extend(word),
                Err(error) => return Err(AsmError { line: *line, column: error.column(source), error }),
            }
        }
        Ok(Program { code, descriptors: pool.words(), labels: self.labels })
    }

    /// The word of a statement if it is not a directive without one.
    fn statement(&self, text: &str, pool: &mut DescriptorPool) -> Result<Option<u32>, TextError> {
        let mut cursor = Cursor::new(text);
        if cursor.eat(".word") {
            let word = cursor.number("an instruction word", u32::MAX.into())?;
            return cursor.finish().map(|()| Some(word as u32));
        }
        if cursor.eat(".descriptor") {
            let index = cursor.number("a descriptor number", 127)? as usize;
            cursor.expect(",")?;
            let value = cursor.number("a descriptor", u32::MAX.into())? as u32;
            cursor.finish()?;
            let placed = pool.place(index, Wanted { value, care: u32::MAX }, 128);
            return placed.map(|_| None).map_err(|error| TextError::Rule(error.to_string()));
        }
        let labels = |name: &str| self.labels.get(name).copied();
        parse_instruction(text, &mut Assembly::with_labels(pool, &labels)).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_reach_both_ways() {
        let program = Program::assemble(
            "main: jmpc cmp.x, over ; forward\n\
             back:\n nop\n\
             over: jmpu !b3, back\n\
             call sub..sub_end\n\
             end\n\
             sub: mov o0, v0\n\
             nop\n\
             sub_end:",
        )
        .expect("the program is valid");
        assert_eq!(program.code[0], 0xB280_0800);
        assert_eq!(program.code[2], 0xB4C0_0401);
        assert_eq!(program.code[3], 0x9000_1402);
        assert_eq!(program.labels["sub_end"], 7);
        assert_eq!(program.descriptors, [0x0000_036F]);
    }

    #[test]
    fn errors_name_their_line() {
        let fails = |text: &str| Program::assemble(text).expect_err("this does not assemble").to_string();
        assert_eq!(fails("nop\nfrob r0, r1"), "line 2, column 1: unknown instruction `frob`");
        assert_eq!(fails("a: nop\na: nop"), "line 2, column 4: label `a` is defined twice");
        assert_eq!(fails("\n\njmpc cmp.x, there"), "line 3, column 13: unknown label `there`");
        assert_eq!(fails("add r0, c1, c2"), "line 1, column 1: source 2 of add cannot be a constant register");
        assert_eq!(fails("mov r16, v0"), "line 1, column 6: a destination register 16 is beyond 15");
        assert_eq!(fails("mov r0, v0 v1"), "line 1, column 12: expected the end of the line, found `v1`");
        assert_eq!(fails("mov r0.yx, v0"), "line 1, column 1: the components of a write mask come in order, each once");
        assert_eq!(fails("call 5..300"), "line 1, column 1: a block of 5..300 is not 0 to 255 instructions");
        assert_eq!(fails("jmpc cmp.x, 4096"), "line 1, column 1: operand value 4096 does not fit field 't' of 12 bits");
    }

    #[test]
    fn mad_reaches_32_descriptors_and_the_others_128() {
        let source = |i: usize| format!("{}v0.{}", if i & 1 == 0 { "" } else { "-" }, LETTERS[i / 2 % 64]);
        let text: String = (0..128).map(|i| format!("mov r0{}, {}\n", MASKS[i / 32], source(i % 32))).collect();
        let program = Program::assemble(&text).expect("128 descriptors are enough");
        assert_eq!(program.descriptors.len(), 128);
        let full = Program::assemble(&(text.clone() + "mov r0, v0.wzyx")).expect_err("none is free");
        assert_eq!(
            full.to_string(),
            "line 129, column 1: all 128 operand descriptors that this instruction can name are in use"
        );
        let mad = Program::assemble(&(text + "mad r0, v0.wzyx, v0, v0")).expect_err("none is free for mad");
        assert_eq!(
            mad.to_string(),
            "line 129, column 1: all 32 operand descriptors that this instruction can name are in use"
        );
    }

    const MASKS: [&str; 4] = [".x", ".y", ".z", ".w"];
    const LETTERS: [&str; 16] = [
        "xxxx", "xxxy", "xxxz", "xxxw", "xxyx", "xxyy", "xxyz", "xxyw", "xxzx", "xxzy", "xxzz", "xxzw", "xxwx", "xxwy",
        "xxwz", "xxww",
    ];

    #[test]
    fn descriptor_and_word_lines() {
        let program = Program::assemble(".descriptor 2, 0x36f\nmov r0, v0\n.word 0x40000000\nmov r0, v0 @1")
            .expect("the program is valid");
        assert_eq!(program.code, [0x4E00_0002, 0x4000_0000, 0x4E00_0001]);
        assert_eq!(program.descriptors, [0, 0x36F, 0x36F]);
        let taken = Program::assemble("mov r0, v0 @1\nmov r0, -v0 @1").expect_err("descriptor 1 is another");
        assert_eq!(taken.to_string(), "line 2, column 1: operand descriptor 1 is already in use with other contents");
    }
}
