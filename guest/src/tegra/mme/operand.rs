//! Operands of macro instructions, as plain structures. Source: envytools, envydis macro.c.

use crate::listed;

/// A register, 0 to 7. Register 0 reads 0 and keeps nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reg(pub u8);

listed! {
    /// The assignment of the result, in the order of the numbers. "Fetch" is the next parameter of the call; "send"
    /// calls the method at the current address with a datum and adds the increment to the address; "address" sets both,
    /// the address from bits 11:0 and the increment from bits 17:12.
    pub enum Assign {
        /// `dst = fetch`; the result is lost.
        Fetch,
        /// `dst = result`
        Move,
        /// `dst = result`, `address = result`
        Address,
        /// `send(result)`, then `dst = fetch`
        FetchSend,
        /// `dst = result`, `send(result)`
        Send,
        /// `address = result`, `dst = fetch`
        FetchAddress,
        /// `dst = result`, `address = result`, `send(fetch)`
        AddressFetchSend,
        /// `dst = result`, `address = result`, `send(result >> 12 & 0x3F)`
        AddressSendHigh,
    }
}

impl Assign {
    /// From the three bits of an instruction.
    #[inline]
    pub const fn from_bits(bits: u8) -> Self {
        Self::ALL[(bits & 7) as usize]
    }

    /// Whether a parameter is fetched.
    pub const fn fetches(self) -> bool {
        matches!(self, Assign::Fetch | Assign::FetchSend | Assign::FetchAddress | Assign::AddressFetchSend)
    }

    /// Whether a method is sent.
    pub const fn sends(self) -> bool {
        matches!(self, Assign::FetchSend | Assign::Send | Assign::AddressFetchSend | Assign::AddressSendHigh)
    }
}

/// The fields that all instructions except branches have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The register that is assigned.
    pub dst: Reg,
    /// The assignment of the result, and other effects.
    pub assign: Assign,
    /// Whether the program ends after the next instruction.
    pub exit: bool,
}

/// Two registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Alu {
    /// Where the result goes.
    pub to: Target,
    /// First source.
    pub a: Reg,
    /// Second source.
    pub b: Reg,
}

/// A register and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Immediate {
    /// Where the result goes.
    pub to: Target,
    /// The register.
    pub a: Reg,
    /// The number, -131072 to 131071.
    pub value: i32,
}

/// Fields of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bits {
    /// Where the result goes.
    pub to: Target,
    /// First source: a value or a distance, as the instruction has it.
    pub a: Reg,
    /// The value that the field is in.
    pub b: Reg,
    /// Lowest bit of the field in `b`, 0 to 31; zero where `a` says it.
    pub from: u8,
    /// Bits of the field, 0 to 31.
    pub size: u8,
    /// Lowest bit of the field in the result, 0 to 31; zero where `a` says it.
    pub at: u8,
}

/// A branch. Its delay slot is the next instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Branch {
    /// The register that is tested.
    pub a: Reg,
    /// Instructions from this one to the target, -131072 to 131071.
    pub offset: i32,
    /// Whether the delay slot is left out when the branch is taken.
    pub annul: bool,
    /// Whether the program ends after the next instruction, if the branch is not taken.
    pub exit: bool,
}
