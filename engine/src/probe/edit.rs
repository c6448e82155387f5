//! Edits that precede a command, so that an inspector can show what another register or program draws.

use crate::mem::GuestAddr;

/// An edit of a machine's state before a command.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edit {
    /// A word for a register of the command's class, by its number in [`View::registers`](super::View::registers). It
    /// does what the command stream's word would do; registers that draw, jump, wait or interrupt do nothing but
    /// count a fault.
    Register {
        /// The register.
        register: u32,
        /// The word.
        word: u32,
    },
    /// Bytes of guest memory; where the GPU may not write they are dropped.
    Memory {
        /// Where the first of them goes.
        at: GuestAddr,
        /// The bytes.
        bytes: Vec<u8>,
    },
}
