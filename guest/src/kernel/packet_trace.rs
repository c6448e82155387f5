//! Packet trace kernels: packets of a push buffer or command list that recur with the same headers, compiled as one
//! piece.
//!
//! A run has words, and a machine with registers. The packets of the key are done in order. A packet with stores
//! ([`Store`]) whose `expected` words all have their values is stored: its stores happen in order. Any other packet is
//! executed by the machine ([`PacketTraceMachine::call`]), which says whether to go on.
//!
//! With [`PacketTraceKey::copies`] each store to a register also goes to the copy of the same number, and its groups
//! are added to the dirty ones; without, the groups are only added if the store changed the register. Dirty groups are
//! complete whenever the machine is called, and at the end.
//!
//! **Guards.** A packet has a header: under `mask`, word `header` has to equal `word`. Headers of packets with stores
//! and without `expected` words are compared [`GROUP`] at a time, before any packet of the group is done: consecutive
//! packets form groups. The first packet after one of another kind (or at the beginning) opens a group, and so does the
//! one after a full group. If one header of a group differs, the trace ends before the group. Packets of other kinds
//! are groups of their own. `expected` words are no guards.
//!
//! A run returns the number of packets that were done: all, those before the group whose guard failed, or those up to
//! and including the call that ended it.

use std::cell::Cell;

use borsh::{BorshDeserialize, BorshSerialize};

use super::code::MachineCode;
use super::unsupported::Unsupported;

/// Packets whose headers are compared together.
pub const GROUP: usize = 16;

/// The key of a packet trace kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct PacketTraceKey {
    /// Words of the whole trace.
    pub words: u32,
    /// Registers of the machine: stores are to smaller numbers.
    pub registers: u32,
    /// Whether registers have copies, and every store makes its groups dirty.
    pub copies: bool,
    /// The packets.
    pub packets: Vec<Packet>,
}

/// A packet: a header and what follows it. Indices of words count from the beginning of the trace.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Packet {
    /// Index of the header's word.
    pub header: u32,
    /// Bits of the header that are compared.
    pub mask: u32,
    /// Their value.
    pub word: u32,
    /// Indices of words and the values that they need to have; otherwise the machine executes the packet.
    pub expected: Vec<(u32, u32)>,
    /// Its stores; without any the machine executes it.
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
        let word = |at: u32, count: usize| at as usize + count <= self.words as usize;
        let store = |store: &Store| {
            let (count, (shift, bits)) = (store.groups.len(), store.field);
            let field = (shift, bits) == (0, 32) || count == 1 && (1..32).contains(&bits) && shift <= 32 - bits;
            let registers = store.register as usize + count <= self.registers as usize;
            word(store.at, count) && registers && count != 0 && field
        };
        self.packets.iter().all(|packet| {
            let expected = packet.expected.iter().all(|&(at, _)| word(at, 1));
            word(packet.header, 1) && expected && packet.stores.iter().all(store)
        })
    }

    /// Whether a machine has all registers that the key may name.
    pub fn fits(&self, target: TraceRegisters<'_>) -> bool {
        let count = self.registers as usize;
        target.registers.len() >= count && (!self.copies || target.copies.len() >= count)
    }

    /// How many packets from packet `first` on have their headers compared together.
    pub fn group(&self, first: usize) -> usize {
        let is_stored = |packet: &&Packet| !packet.stores.is_empty() && packet.expected.is_empty();
        self.packets.iter().skip(first).take(GROUP).take_while(is_stored).count().max(1)
    }

    /// Words that packets store without a call.
    pub fn stored(&self) -> usize {
        self.packets.iter().flat_map(|packet| &packet.stores).map(|store| store.groups.len()).sum()
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

/// The machine that a trace runs on.
pub trait PacketTraceMachine {
    /// Its registers. They keep their address until the next call.
    fn registers(&mut self) -> TraceRegisters<'_>;
    /// Executes packet `packet`, by number, and everything else that is due by then. False: the trace ends after it.
    fn call(&mut self, packet: u32) -> bool;
}

/// Executes a packet trace.
pub trait PacketTraceKernel: Send + Sync {
    /// Executes the packets, whose words are the first ones of `words`, and returns their number.
    ///
    /// # Errors
    ///
    /// [`Unsupported`], before anything happens, for fewer words or registers than the key says.
    fn run(&self, words: &[u32], machine: &mut dyn PacketTraceMachine) -> Result<u32, Unsupported>;
    /// Its machine code; an interpreter has none.
    fn code(&self) -> MachineCode {
        MachineCode::default()
    }
}
