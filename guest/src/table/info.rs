//! What a row of an instruction table says, as data.

use super::pattern::{Pattern, low_bits};

/// Properties of a row, or-ed together in [`OpInfo::flags`].
pub mod flags {
    /// The program may continue elsewhere than at the next instruction.
    pub const BRANCH: u32 = 1 << 0;
    /// The program ends here.
    pub const ENDS: u32 = 1 << 1;
    /// Reads memory or textures.
    pub const LOADS: u32 = 1 << 2;
    /// Writes memory.
    pub const STORES: u32 = 1 << 3;
    /// Writes only some components of its destination, the others keep their value.
    pub const PARTIAL: u32 = 1 << 4;
    /// Writes condition flags.
    pub const CONDITION: u32 = 1 << 5;
    /// Has an effect outside the registers of its lane (emits a vertex, discards a fragment).
    pub const EFFECT: u32 = 1 << 6;
}

/// One row of an instruction table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The mnemonic, lower case.
    pub name: &'static str,
    /// Formula and source.
    pub doc: &'static str,
    /// The bit pattern.
    pub pattern: Pattern,
    /// The name of the operand shape.
    pub shape: &'static str,
    /// The family it stands in.
    pub family: &'static str,
    /// Properties, see [`flags`].
    pub flags: u32,
}

impl OpInfo {
    /// A word of this row: fixed bits as drawn, all others random. With overlapping rows the word may belong to a more
    /// specific one.
    pub fn random(&self, rng: &mut (impl FnMut() -> u32 + ?Sized)) -> u64 {
        let noise = u64::from(rng()) << 32 | u64::from(rng());
        self.pattern.value | (noise & !self.pattern.mask & low_bits(self.pattern.width))
    }

    /// Whether one of the properties `flags` is set.
    pub const fn has(&self, flags: u32) -> bool {
        self.flags & flags != 0
    }
}

/// The mnemonic of a method name: `break_` is written `break`.
pub const fn mnemonic(method: &'static str) -> &'static str {
    let bytes = method.as_bytes();
    if bytes.is_empty() || bytes[bytes.len() - 1] != b'_' {
        return method;
    }
    method.split_at(bytes.len() - 1).0
}
