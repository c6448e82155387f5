//! Packet trace kernels: what recurring packets of a push buffer or command list store, compiled as one piece.
//!
//! A run has the packets' words and the registers of a machine. The stores of the key happen in order. With
//! [`PacketTraceKey::copies`] each store also goes to the copy of the same number, and its groups are added to the
//! dirty ones; without, the groups are only added if the store changed the register.

use std::cell::Cell;

use borsh::{BorshDeserialize, BorshSerialize};

use super::code::MachineCode;
use super::unsupported::Unsupported;

/// The key of a packet trace kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct PacketTraceKey {
    /// Words of the whole trace.
    pub words: u32,
    /// Registers of the machine: stores are to smaller numbers.
    pub registers: u32,
    /// Whether registers have copies, and every store makes its groups dirty.
    pub copies: bool,
    /// The stores.
    pub stores: Vec<Store>,
}

/// Consecutive words for consecutive registers, or a field of one word for one register.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Store {
    /// Index of the first word.
    pub at: u32,
    /// The lowest bit of each word that is stored, as a number, and how many bits: 0 and 32 except for a single word.
    pub field: (u8, u8),
    /// The first register.
    pub register: u32,
    /// Bits of registers that change.
    pub mask: u32,
    /// The groups of each register.
    pub groups: Vec<u32>,
}

impl Store {
    /// Words from index `at` on, one for each of `groups`.
    pub fn words(at: u32, register: u32, groups: Vec<u32>) -> Store {
        Store { at, field: (0, 32), register, mask: u32::MAX, groups }
    }
}

impl PacketTraceKey {
    /// Whether all words and registers that it names are in range.
    pub fn is_sound(&self) -> bool {
        self.stores.iter().all(|store| {
            let (count, (shift, bits)) = (store.groups.len(), store.field);
            let field = (shift, bits) == (0, 32) || count == 1 && (1..32).contains(&bits) && shift <= 32 - bits;
            let words = store.at as usize + count <= self.words as usize;
            words && store.register as usize + count <= self.registers as usize && count != 0 && field
        })
    }

    /// Whether there are all words and registers that the key may name.
    pub fn fits(&self, words: &[u32], target: TraceRegisters<'_>) -> bool {
        let count = self.registers as usize;
        let copies = !self.copies || target.copies.len() >= count;
        words.len() >= self.words as usize && target.registers.len() >= count && copies
    }

    /// How many words it stores.
    pub fn stored(&self) -> usize {
        self.stores.iter().map(|store| store.groups.len()).sum()
    }
}

/// Registers of a machine that a trace stores to.
#[derive(Clone, Copy, Debug)]
pub struct TraceRegisters<'a> {
    /// The registers, as many as the key says.
    pub registers: &'a [Cell<u32>],
    /// Their copies, as many; none where the key has no copies.
    pub copies: &'a [Cell<u32>],
    /// The dirty groups.
    pub dirty: &'a Cell<u32>,
}

/// Executes a packet trace.
pub trait PacketTraceKernel: Send + Sync {
    /// Stores what the first ones of `words` say.
    ///
    /// # Errors
    ///
    /// [`Unsupported`], before anything happens, for fewer words or registers than the key says.
    fn run(&self, words: &[u32], target: TraceRegisters<'_>) -> Result<(), Unsupported>;
    /// Its machine code; an interpreter has none.
    fn code(&self) -> MachineCode {
        MachineCode::default()
    }
}
