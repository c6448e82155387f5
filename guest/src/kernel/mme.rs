//! Macro kernels: programs of the Tegra X1's macro method expander, [`crate::tegra::mme`], which turn one method into
//! many.
//!
//! A call begins at [`MmeKey::entry`] with r1 = the first parameter and everything else 0: registers, carry, address,
//! increment. A fetch beyond the last parameter gives 0. `read` gives the live register.
//!
//! A send to method m with datum v: when [`MmeJob::direct`] is set and [`MmeJob::groups`] of m is not [`CALL`], live
//! and shadow register m become v and the groups of m are added to [`MmeJob::dirty`]; else the machine is called, which
//! may change registers, `dirty` and `direct`. The address is increased after that.
//!
//! The program ends after the delay slot of an exit, and stops where [`MmeStop`] says. Branches that are taken are
//! taken off [`MmeJob::branches`], and the first one for which none is left stops it: what lies between two of them is
//! bounded by the size of the code.

use borsh::{BorshDeserialize, BorshSerialize};
use std::cell::Cell;

use super::code::MachineCode;
use super::unsupported::Unsupported;
use crate::tegra::mme::isa::{branch_offset, exits, is_branch};

/// Method addresses of a class.
pub const METHODS: usize = 0x1000;

/// Branches that one call may take at most. (A macro that draws instances takes one for each.)
pub const BRANCHES: u32 = 1 << 24;

/// In [`MmeJob::groups`]: the machine has to be called.
pub const CALL: u32 = u32::MAX;

/// The key of a macro kernel: the words that the program can reach, wherever they were in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct MmeKey {
    /// From the lowest reachable word to the highest one. Words in between may belong to others.
    pub code: Vec<u32>,
    /// Index of the first instruction.
    pub entry: u32,
}

impl MmeKey {
    /// The key of the program that begins at word `start` of `memory`, and the word at which its code begins. What lies
    /// outside of memory cannot be reached.
    pub fn new(memory: &[u32], start: usize) -> (Self, usize) {
        let mut seen = vec![false; memory.len()];
        let (mut low, mut high) = (start.min(memory.len()), start.min(memory.len()));
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            let Some(&word) = memory.get(at).filter(|_| !seen[at]) else { continue };
            seen[at] = true;
            // The word after it exists at least as a delay slot.
            (low, high) = (low.min(at), high.max(at + 2));
            if is_branch(word) {
                open.extend(at.checked_add_signed(branch_offset(word) as isize));
            }
            if !exits(word) {
                open.push(at + 1);
            }
        }
        let code = memory[low..high.min(memory.len())].to_vec();
        (MmeKey { code, entry: start.saturating_sub(low) as u32 }, low)
    }
}

/// The receiver of a macro's methods.
pub trait MmeMachine {
    /// Does what method `method`, below [`METHODS`], does with `datum`.
    fn send(&mut self, method: u32, datum: u32);
}

/// One call of a macro.
pub struct MmeJob<'a> {
    /// The call's parameters; the first one goes to r1.
    pub parameters: &'a [u32],
    /// What `read` gives.
    pub live: &'a [Cell<u32>; METHODS],
    /// The copy that the expander keeps to replay.
    pub shadow: &'a [Cell<u32>; METHODS],
    /// Groups of state that a write of each method makes dirty, or [`CALL`].
    pub groups: &'a [u32; METHODS],
    /// Groups that are dirty.
    pub dirty: &'a Cell<u32>,
    /// Whether methods without effect may be stored without asking the machine.
    pub direct: &'a Cell<bool>,
    /// Branches that the call may still take; the machine may lower it meanwhile.
    pub branches: &'a Cell<u32>,
    /// The machine.
    pub machine: &'a mut dyn MmeMachine,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MmeEnd {
    /// Why.
    pub stop: MmeStop,
    /// Fetches that found no parameter.
    pub missing: u32,
    /// Parameters that were not fetched.
    pub unused: u32,
}

/// Why a macro ended. `at` is an index into [`MmeKey::code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MmeStop {
    /// By an exit.
    Exit,
    /// At a word that is no instruction.
    Illegal {
        /// Which.
        at: u32,
    },
    /// At a branch in a delay slot; nothing of it happened, the instruction before it is done.
    BranchInDelaySlot {
        /// Which.
        at: u32,
    },
    /// Beyond its code: the hardware's memory ends there.
    OffTheEnd,
    /// It took more branches than it may.
    OutOfBranches,
}

/// Runs a macro.
pub trait MmeKernel: Send + Sync {
    /// Does one call, or refuses it before anything happens.
    fn run(&self, job: &mut MmeJob<'_>) -> Result<MmeEnd, Unsupported>;
    /// Its machine code; an interpreter has none.
    fn code(&self) -> MachineCode {
        MachineCode::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tegra::mme::assemble_program;

    #[test]
    fn keys_hold_what_is_reachable() {
        let code = assemble_program(include_str!("mme_test.txt")).unwrap();
        let (key, low) = MmeKey::new(&code, 4);
        assert_eq!((low, key.entry, &key.code[..]), (2, 2, &code[2..8]));
        // The same words elsewhere are the same program.
        let moved = [&[0; 7][..], &code].concat();
        assert_eq!(MmeKey::new(&moved, 11), (key, 9));
        assert_eq!(MmeKey::new(&code, 1000).0.code, []);
    }
}
