//! Sequence kernels: packets of a push buffer or command list that come again and again with the same headers, as one piece
//! of code.
//!
//! A job has words, and a machine with registers. The packets of the key are done in order; each is one of these ([`Act`]):
//!
//! * `Store`: its stores ([`Store`]) happen in order. A store of words puts word `at + i` into register `register + i`, for each
//!   `i` below the number of its groups; of the register's bits only those of `mask` change. A store of a field puts bits
//!   `shift` to `shift + bits - 1` of word `at` into one register, as a number.
//! * `Checked`: as `Store` if each of its `expected` words is there, otherwise as `Call`.
//! * `Call`: the machine does it ([`SequenceMachine::call`]), and says whether to go on.
//!
//! With [`SequenceKey::copies`] whatever a store puts into a register goes to the copy of the same number too. Groups of a
//! stored register are added to the stale ones; with [`SequenceKey::changes`] only if the store changed the register.
//! Stale groups are complete whenever the machine is called, and at the end.
//!
//! **Guards.** A packet has a header: under `mask`, word `header` has to be `word`. Headers of `Store` packets are looked at
//! [`GROUP`] at a time, before any of them is done: packets that follow each other are taken in groups, the first one after a
//! packet of another kind (or at the beginning) opens a group, and so does the one behind a full group. If one header of a
//! group is not as it should be, the sequence ends before the group. Packets of other kinds are groups of their own. `expected`
//! words are no guards.
//!
//! What a run returns is the number of packets that were done: all, those before the group whose guard failed, or those up to
//! the call that ended it, which counts.

use std::cell::Cell;

use borsh::{BorshDeserialize, BorshSerialize};

use super::tier::Refused;

/// `Store` packets whose headers are looked at together.
pub const GROUP: usize = 16;

/// What a sequence kernel is specialised to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct SequenceKey {
    /// Words of the whole sequence.
    pub words: u32,
    /// Registers of the machine: stores are to smaller numbers.
    pub registers: u32,
    /// Whether registers have copies.
    pub copies: bool,
    /// Whether groups count for registers that change only.
    pub changes: bool,
    /// The packets.
    pub packets: Vec<Packet>,
}

/// A packet: a header and what it announces. Places of words count from the beginning of the sequence.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Packet {
    /// Where the header stands.
    pub header: u32,
    /// Bits of the header that are compared.
    pub mask: u32,
    /// What they have to be.
    pub word: u32,
    /// What is done.
    pub act: Act,
}

/// What is done with a packet.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Act {
    /// Words go to registers.
    Store(Vec<Store>),
    /// Words go to registers if some of them are known ones.
    Checked {
        /// Where words stand, and what they are.
        expected: Vec<(u32, u32)>,
        /// What happens then.
        stores: Vec<Store>,
    },
    /// The machine does it.
    Call,
}

/// Words, or a part of one, for registers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Store {
    /// Words for registers that follow each other.
    Words {
        /// Where the first word stands.
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
        /// Where the word stands.
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

impl SequenceKey {
    /// Whether all words and registers that it names are there.
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

    /// How many packets from packet `first` on have their headers looked at together.
    pub fn group(&self, first: usize) -> usize {
        let is_store = |packet: &&Packet| matches!(packet.act, Act::Store(_));
        self.packets.iter().skip(first).take(GROUP).take_while(is_store).count().max(1)
    }

    /// Words that packets store by themselves.
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

/// Where stores go.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The registers, as many as the key says.
    pub registers: &'a [Cell<u32>],
    /// Their copies, as many; none where the key has no copies.
    pub copies: &'a [Cell<u32>],
    /// The stale groups.
    pub stale: &'a Cell<u32>,
}

/// The machine behind a sequence.
pub trait SequenceMachine {
    /// Its registers. They stay where they are until the next call.
    fn place(&mut self) -> Place<'_>;
    /// Does packet `packet`, by number, and whatever else is due by then. False: the sequence ends behind it.
    fn call(&mut self, packet: u32) -> bool;
}

/// A run of a sequence.
pub struct SequenceJob<'a> {
    /// Its words; there may be more behind them.
    pub words: &'a [u32],
    /// What it works on.
    pub machine: &'a mut dyn SequenceMachine,
}

/// Does sequences.
pub trait SequenceKernel: Send + Sync {
    /// Does the packets, and says how many; or refuses before anything happens: where words or registers are too few.
    fn run(&self, job: &mut SequenceJob<'_>) -> Result<u32, Refused>;
    /// Bytes of machine code, 0 for an interpreter.
    fn code_bytes(&self) -> usize {
        0
    }
}
