//! An instruction in its place in a program.

use super::instruction::Instruction;

/// An instruction in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The operation. Offsets in it are as the words have them.
    pub instruction: Instruction,
    /// Index of its inline constant among those of the program, if it has one.
    pub constant: Option<u16>,
    /// IFE: index of the else part. CAL: index of the routine; the length of the code or above ends the program.
    pub target: u16,
    /// IFE, LOOP and REP: index of the instruction after it.
    pub end: u16,
    /// Offset of the instruction, in slots of four words.
    pub slot: u16,
    /// Its role in a reciprocal square root that is written with logarithms.
    pub root: Option<RootPart>,
}

/// The role of an instruction in a reciprocal square root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RootPart {
    /// LG2 of |x|, halved. Its result is what it always is.
    Logarithm,
    /// EX2 of the negated result of the last such LG2.
    Exponential,
}
