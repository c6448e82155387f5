//! The macro instruction set.
//!
//! Source of the whole table: envytools, envydis macro.c. In the formulas `a` and `b` are the sources, `c` is the carry
//! flag, `m(n) = (1 << n) - 1`; all numbers have 32 bits. What becomes of the result is said by [`Assign`]. The letters
//! of the patterns are explained in `shape.rs`. Words of operation 6 and of other arithmetic functions are in no row:
//! the program stops there.
//!
//! A branch that is taken without annulling and an exit have one delay slot: the next word in memory runs before
//! control moves. An exit bit in the delay slot of a taken branch is ignored; a branch in a delay slot stops the
//! program.

pub use super::operand::{Alu, Assign, Bits, Branch, Immediate, Reg, Target};
use super::syntax::{Assembly, Listing};
use crate::table::{TextError, isa};

isa! {
    word u32, 5 top bits;
    listing Listing<'_>;
    assembly Assembly<'_>;

    /// Executes or translates macro instructions, one method per row of the table.
    family Visitor {
        /// `a + b`, `c =` carry out
        add "---------- 00000 bbb aaa ddd x sss - 000" Alu: CONDITION;
        /// `a + b + c`, `c =` carry out
        adc "---------- 00001 bbb aaa ddd x sss - 000" Alu: CONDITION;
        /// `a - b`, `c = a >= b` (no borrow)
        sub "---------- 00010 bbb aaa ddd x sss - 000" Alu: CONDITION;
        /// `a - b - (1 - c)`, `c =` no borrow
        sbb "---------- 00011 bbb aaa ddd x sss - 000" Alu: CONDITION;
        /// `a ^ b`
        xor "---------- 01000 bbb aaa ddd x sss - 000" Alu;
        /// `a | b`
        or "---------- 01001 bbb aaa ddd x sss - 000" Alu;
        /// `a & b`
        and "---------- 01010 bbb aaa ddd x sss - 000" Alu;
        /// `a & ~b`
        andn "---------- 01011 bbb aaa ddd x sss - 000" Alu;
        /// `~(a & b)`
        nand "---------- 01100 bbb aaa ddd x sss - 000" Alu;
        /// `a + value`; the carry flag stays
        addi "iiiiiiiiiiiiiiiiii aaa ddd x sss - 001" Immediate;
        /// `a & ~(m(size) << at) | (b >> from & m(size)) << at`
        insert "ppppp nnnnn qqqqq bbb aaa ddd x sss - 010" Bits;
        /// `(b >> (a & 31) & m(size)) << at`
        extract "ppppp nnnnn ----- bbb aaa ddd x sss - 011" Bits;
        /// `(b >> from & m(size)) << (a & 31)`
        deposit "----- nnnnn qqqqq bbb aaa ddd x sss - 100" Bits;
        /// The register of the class at the method address `(a + value) & 0xFFF`
        read "iiiiiiiiiiiiiiiiii aaa ddd x sss - 101" Immediate: LOADS;
        /// Goes to the target if `a == 0`
        bz "iiiiiiiiiiiiiiiiii aaa --- x - n 0 - 111" Branch: BRANCH;
        /// Goes to the target if `a != 0`
        bnz "iiiiiiiiiiiiiiiiii aaa --- x - n 1 - 111" Branch: BRANCH;
    }
}

/// The text of one instruction with its target as a distance, as [`assemble`] reads it. An unknown word is a `.word`
/// line.
pub fn disassemble(word: u32) -> String {
    print_instruction(word, &Listing::new()).unwrap_or_else(|| format!(".word 0x{word:08x}"))
}

/// Reads one instruction of text without labels.
pub fn assemble(text: &str) -> Result<u32, TextError> {
    parse_instruction(text, &mut Assembly::new())
}

/// Whether the program ends after the instruction that follows this word, if no branch is taken.
pub const fn exits(word: u32) -> bool {
    word & 0x80 != 0
}

/// Whether the word is a branch.
pub const fn is_branch(word: u32) -> bool {
    word & 7 == 7
}

/// Instructions from a branch to its target.
pub const fn branch_offset(word: u32) -> i32 {
    word as i32 >> 14
}
