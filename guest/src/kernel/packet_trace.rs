//! Packet trace kernels: packets of a push buffer or command list that recur with the same headers, compiled as one
//! piece.
//!
//! A job has words, and a machine with registers. The packets of the key are done in order; each is one of these
//! ([`Act`]):
//!
//! * `Store`: its stores ([`Store`]) happen in order. A store of words puts word `at + i` into register `register + i`,
//!   for each `i` below the number of its groups; of the register's bits only those of `mask` change. A store of a
//!   field puts bits `shift` to `shift + bits - 1` of word `at` into one register, as a number.
//! * `Checked`: as `Store` if each of its `expected` words has its value, otherwise as `Call`.
//! * `Call`: the machine executes it ([`PacketTraceMachine::call`]), and says whether to go on.
//!
//! With [`PacketTraceKey::copies`] each store to a register also goes to the copy of the same number. The groups of a
//! stored register are added to the dirty ones; with [`PacketTraceKey::changes`] only if the store changed the
//! register. Dirty groups are complete whenever the machine is called, and at the end.
//!
//! **Guards.** A packet has a header: under `mask`, word `header` has to equal `word`. Headers of `Store` packets are
//! compared [`GROUP`] at a time, before any packet of the group is done: consecutive packets form groups. The first
//! packet after one of another kind (or at the beginning) opens a group, and so does the one after a full group. If one
//! header of a group differs, the trace ends before the group. Packets of other kinds are groups of their own.
//! `expected` words are no guards.
//!
//! A run returns the number of packets that were done: all, those before the group whose guard failed, or those up to
//! and including the call that ended it.

use std::cell::Cell;

use borsh::{BorshDeserialize, BorshSerialize};

use super::code::MachineCode;
use super::unsupported::Unsupported;

/// `Store` packets whose headers are compared together.
pub const GROUP: usize = 16;

/// The key of a packet trace kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct PacketTraceKey {
    /// Words of the whole trace.
    pub words: u32,
    /// Registers of the machine: stores are to smaller numbers.
    pub registers: u32,
    /// Whether registers have copies.
    pub copies: bool,
    /// Whether only registers that change make their groups dirty.
    pub changes: bool,
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
    /// The action.
    pub act: Act,
}

/// The action of a packet.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Act {
    /// Words go to registers.
    Store(Vec<Store>),
    /// Words go to registers if some of them have the expected values.
    Checked {
        /// Indices of words, and their values.
        expected: Vec<(u32, u32)>,
        /// The stores if all are equal.
        stores: Vec<Store>,
    },
    /// The machine executes it.
    Call,
}

/// Words, or a part of one, for registers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Store {
    /// Words for consecutive registers.
    Words {
        /// Index of the first word.
        at: u32,
        /// The first register.
        register: u32,
        /// Bits that are stored.
        mask: u32,
        /// The groups of each register.
        groups: Vec<u32>,
    },
    /// A part of a word for one register.
    Field {
        /// Index of the word.
        at: u32,
        /// Its lowest bit.
        shift: u8,
        /// How many bits, 1 to 31.
        bits: u8,
        /// The register.
        register: u32,
        /// Its groups.
        groups: u32,
    },
}

impl PacketTraceKey {
    /// Whether all words and registers that it names are in range.
    pub fn is_sound(&self) -> bool {
        let word = |at: u32, count: usize| at as usize + count <= self.words as usize;
        let register = |first: u32, count: usize| first as usize + count <= self.registers as usize;
        let store = |store: &Store| match store {
            Store::Words { at, register: first, groups, .. } => {
                word(*at, groups.len()) && register(*first, groups.len()) && !groups.is_empty()
            }
            Store::Field { at, shift, bits, register: first, .. } => {
                word(*at, 1) && register(*first, 1) && (1..32).contains(bits) && *shift <= 32 - bits
            }
        };
        self.packets.iter().all(|packet| {
            word(packet.header, 1)
                && match &packet.act {
                    Act::Store(stores) => stores.iter().all(store),
                    Act::Checked { expected, stores } => {
                        stores.iter().all(store) && expected.iter().all(|&(at, _)| word(at, 1))
                    }
                    Act::Call => true,
                }
        })
    }

    /// How many packets from packet `first` on have their headers compared together.
    pub fn group(&self, first: usize) -> usize {
        let is_store = |packet: &&Packet| matches!(packet.act, Act::Store(_));
        self.packets.iter().skip(first).take(GROUP).take_while(is_store).count().max(1)
    }

    /// Words that packets store without a call.
    pub fn stored(&self) -> usize {
        let store = |store: &Store| match store {
            Store::Words { groups, .. } => groups.len(),
            Store::Field { .. } => 1,
        };
        let packet = |packet: &Packet| match &packet.act {
            Act::Store(stores) | Act::Checked { stores, .. } => stores.iter().map(store).sum(),
            Act::Call => 0,
        };
        self.packets.iter().map(packet).sum()
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

/// A run of a trace.
pub struct PacketTraceJob<'a> {
    /// Its words; more may follow them.
    pub words: &'a [u32],
    /// The machine.
    pub machine: &'a mut dyn PacketTraceMachine,
}

/// Executes a packet trace.
pub trait PacketTraceKernel: Send + Sync {
    /// Executes the packets and returns their number.
    ///
    /// # Errors
    ///
    /// [`Unsupported`], before anything happens, for fewer words or registers than the key says.
    fn run(&self, job: &mut PacketTraceJob<'_>) -> Result<u32, Unsupported>;
    /// Its machine code; an interpreter has none.
    fn code(&self) -> MachineCode {
        MachineCode::default()
    }
}
