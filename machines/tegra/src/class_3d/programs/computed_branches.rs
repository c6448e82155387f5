//! Computed branches: where they can go.
//!
//! Compilers make of a `switch` (Ryujinx and yuzu know the same pattern):
//!
//! ```text
//! imnmx.u32 r, r, last, pt      shl r, r, 2      ldc r, c[slot][r + table]      brx r + base
//! ```
//! The table's words are added to the place after the branch plus its distance.

use triglyph_guest::table::Fields;
use triglyph_guest::tegra::shader::isa::{LdcMode, Op, form};
use triglyph_guest::tegra::shader::program::{Instruction, Program, target};

/// A table of distances in a constant buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JumpTable {
    /// Byte address of the branch.
    pub address: u32,
    /// Its distance.
    pub distance: i32,
    /// Constant buffer.
    pub slot: u8,
    /// Its byte where the table begins.
    pub offset: u32,
    /// Words.
    pub count: u32,
}

/// Instructions before a branch that are looked at.
const LOOKED_AT: usize = 16;
/// Words of the largest table.
const MAX_TABLE_WORDS: u32 = 1024;

impl JumpTable {
    /// Where the branch goes with a word of the table.
    pub(crate) fn target(&self, word: u32) -> u32 {
        target(self.address, self.distance.wrapping_add(word as i32))
    }
}

/// The tables of all computed branches that have one.
pub(crate) fn jump_tables(program: &Program) -> Vec<JumpTable> {
    let find = |address: &u32| {
        let index = program.instructions.binary_search_by_key(address, |i| i.address).ok()?;
        table(program, index)
    };
    program.computed.iter().filter_map(find).collect()
}

fn table(program: &Program, index: usize) -> Option<JumpTable> {
    let branch = &program.instructions[index];
    let fields = fields(branch)?;
    if branch.op != Op::brx || !fields.has(b'i') {
        return None;
    }
    let (register, distance) = (fields.byte(b'a'), fields.signed(b'i') as i32);
    let before = &program.instructions[index.saturating_sub(LOOKED_AT)..index];
    let load =
        before.iter().rev().find(|i| i.op == Op::ldc && self::fields(i).is_some_and(|f| f.byte(b'd') == register))?;
    let load = self::fields(load)?;
    if load.get(b'z') != LdcMode::Plain as u64 {
        return None;
    }
    let last = before.iter().rev().find_map(|i| {
        let fields = self::fields(i).filter(|f| i.op == Op::imnmx && f.width(b'i') == 20)?;
        Some(fields.get(b'i') as u32)
    })?;
    let count = last.saturating_add(1).min(MAX_TABLE_WORDS);
    let offset = u32::try_from(load.signed(b'w')).ok()?;
    Some(JumpTable { address: branch.address, distance, slot: load.byte(b's'), offset, count })
}

fn fields(instruction: &Instruction) -> Option<Fields<'static>> {
    Some(Fields::new(instruction.word, &form(instruction.word)?.pattern))
}
