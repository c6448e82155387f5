//! A row of an instruction table, as data.

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
    /// Component i of the result depends on component i of the sources alone. Without it each component depends on all
    /// that are read.
    pub const PER_COMPONENT: u32 = 1 << 7;
    /// Has no result for a register.
    pub const NO_RESULT: u32 = 1 << 8;
    /// The result depends on other fragments of the quad: differences, and levels of detail that follow from them.
    pub const QUAD: u32 = 1 << 9;
    /// Computes an exponential, a logarithm, a sine or an sRGB curve: slow in the interpreter.
    pub const TRANSCENDENTAL: u32 = 1 << 10;
    /// The result is a word of packed bits.
    pub const PACKS: u32 = 1 << 11;
    /// The source is a word of packed bits.
    pub const UNPACKS: u32 = 1 << 12;
    /// Source b of a texture lookup may be missing.
    pub const OPTIONAL_B: u32 = 1 << 13;
    /// Writes an address register.
    pub const WRITES_ADDRESS: u32 = 1 << 14;
    /// Uses the whole address register that the instruction selects.
    pub const SELECTS_ADDRESS: u32 = 1 << 15;
    /// Puts an address register on the address stack.
    pub const PUSHES: u32 = 1 << 16;
    /// Takes an address register from the address stack.
    pub const POPS: u32 = 1 << 17;
    /// The instruction names a target.
    pub const TARGET: u32 = 1 << 18;
    /// The instruction names the end of a structure that it begins.
    pub const BLOCK_END: u32 = 1 << 19;
    /// Begins a loop; the instruction names its number of passes.
    pub const REPEATS: u32 = 1 << 20;
    /// The loop has an index register.
    pub const INDEXES: u32 = 1 << 21;
    /// Comes back from the target.
    pub const CALL: u32 = 1 << 22;
    /// Comes back from a call.
    pub const RETURNS: u32 = 1 << 23;
    /// A branch bit decides, not a condition register.
    pub const BRANCH_BIT: u32 = 1 << 24;
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
    /// The family it belongs to.
    pub family: &'static str,
    /// Components that are read of each source after its swizzle, bit 0 being x; all where the row does not say. Means
    /// something for instruction sets with vector registers only.
    pub reads: [u8; 3],
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

/// The set of components that a row spells, bit 0 being x.
///
/// # Panics
/// For other letters than x, y, z and w. In a `const` that is a compile error.
pub const fn components(letters: &str) -> u8 {
    let (letters, mut set, mut i) = (letters.as_bytes(), 0, 0);
    while i < letters.len() {
        set |= match letters[i] {
            b'x' => 1,
            b'y' => 2,
            b'z' => 4,
            b'w' => 8,
            _ => panic!("components are called x, y, z and w"),
        };
        i += 1;
    }
    set
}

/// The components of three sources; all of those for which there are no letters.
pub const fn component_sets(letters: &[&str]) -> [u8; 3] {
    let (mut sets, mut i) = ([0xF; 3], 0);
    while i < letters.len() {
        sets[i] = components(letters[i]);
        i += 1;
    }
    sets
}

/// The mnemonic of a method name: `break_` is written `break`.
pub const fn mnemonic(method: &'static str) -> &'static str {
    let bytes = method.as_bytes();
    if bytes.is_empty() || bytes[bytes.len() - 1] != b'_' {
        return method;
    }
    method.split_at(bytes.len() - 1).0
}
