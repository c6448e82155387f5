//! Control flow.

use crate::table::{Cursor, Encoder, Fields, TextError};
use crate::tegra::shader::modifiers::CcTest;
use crate::tegra::shader::number::{Number, Small};
use crate::tegra::shader::operand::{Constant, Reg, parse_constant, print_constant};
use crate::tegra::shader::part::{Part, shapes};
use crate::tegra::shader::syntax::{Assembly, Listing};

/// Where a branch goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Bytes from the word after the branch, -0x800000 to 0x7FFFFF. A target that is a control word means the
    /// instruction after it.
    Relative(i32),
    /// The word of a constant buffer says it; not seen in programs.
    Constant(Constant),
}

/// Distance or constant: `i s w`.
impl Part for Target {
    type Value = Target;
    const BITS: &'static [(u32, u32)] = &[(0, 24), (0, 5), (0, 16)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> Target {
        let &[i, s, w] = letters else { return Target::Relative(0) };
        match fields.has(i) {
            true => Target::Relative(fields.signed(i) as i32),
            false => Target::Constant(Constant { slot: fields.byte(s), offset: fields.get(w) as u16 }),
        }
    }

    fn write(value: &Target, word: &mut Encoder<'_>, letters: &[u8]) {
        let &[i, s, w] = letters else { return };
        match *value {
            Target::Relative(distance) if word.has(i) => word.put_signed(i, distance.into()),
            Target::Constant(constant) if word.has(s) => {
                word.put(s, constant.slot.into());
                word.put(w, constant.offset.into());
            }
            _ => word.reject(i, 0),
        }
    }

    fn print(value: &Target, listing: &Listing<'_>, out: &mut String) {
        match *value {
            Target::Relative(distance) => out.push_str(&listing.target(distance)),
            Target::Constant(constant) => print_constant(constant, out),
        }
    }

    fn parse(text: &mut Cursor<'_>, assembly: &Assembly<'_>) -> Result<Target, TextError> {
        if text.eat("c[") {
            return parse_constant(text).map(Target::Constant);
        }
        assembly.target(text).map(Target::Relative)
    }
}

/// Where a jump goes in the code segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AbsoluteTarget {
    /// Byte address in the code segment.
    Address(u32),
    /// The word of a constant buffer says it; not seen in programs.
    Constant(Constant),
}

/// Address or constant: `i s w`.
impl Part for AbsoluteTarget {
    type Value = AbsoluteTarget;
    const BITS: &'static [(u32, u32)] = &[(0, 32), (0, 5), (0, 16)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> AbsoluteTarget {
        let &[i, s, w] = letters else { return AbsoluteTarget::Address(0) };
        match fields.has(i) {
            true => AbsoluteTarget::Address(fields.get(i) as u32),
            false => AbsoluteTarget::Constant(Constant { slot: fields.byte(s), offset: fields.get(w) as u16 }),
        }
    }

    fn write(value: &AbsoluteTarget, word: &mut Encoder<'_>, letters: &[u8]) {
        let &[i, s, w] = letters else { return };
        match *value {
            AbsoluteTarget::Address(address) if word.has(i) => word.put(i, address.into()),
            AbsoluteTarget::Constant(constant) if word.has(s) => {
                word.put(s, constant.slot.into());
                word.put(w, constant.offset.into());
            }
            _ => word.reject(i, 0),
        }
    }

    fn print(value: &AbsoluteTarget, _: &Listing<'_>, out: &mut String) {
        match *value {
            AbsoluteTarget::Address(address) => out.push_str(&format!("{address:#x}")),
            AbsoluteTarget::Constant(constant) => print_constant(constant, out),
        }
    }

    fn parse(text: &mut Cursor<'_>, _: &Assembly<'_>) -> Result<AbsoluteTarget, TextError> {
        if text.eat("c[") {
            return parse_constant(text).map(AbsoluteTarget::Constant);
        }
        text.number("an address", u32::MAX.into()).map(|address| AbsoluteTarget::Address(address as u32))
    }
}

shapes! {
    /// A branch.
    Branch {
        flags {
            /// A hint.
            limit x "lmt",
            /// All lanes agree; a hint.
            uniform y "u",
        }
        modifiers { test: CcTest[z] }
        operands { target: Target[i s w] }
    }

    /// A branch with a register added to its target.
    BranchIndexed {
        flags { limit x "lmt" }
        modifiers { test: CcTest[z] }
        operands { a: Reg[a], target: Target[i s w] }
    }

    /// A jump.
    Jump {
        flags { limit x "lmt", uniform y "u" }
        modifiers { test: CcTest[z] }
        operands { target: AbsoluteTarget[i s w] }
    }

    /// A jump with a register added to its target.
    JumpIndexed {
        flags { limit x "lmt" }
        modifiers { test: CcTest[z] }
        operands { a: Reg[a], target: AbsoluteTarget[i s w] }
    }

    /// A call of an absolute address.
    JumpCall {
        flags {
            /// Counts the depth of the hardware's stack.
            inc x "inc",
        }
        operands { target: AbsoluteTarget[i s w] }
    }

    /// An entry for the stack with this target, or a call.
    PushTarget {
        flags {
            /// Counts the depth of the hardware's stack.
            inc x "inc",
        }
        operands { target: Target[i s w] }
    }

    /// The end of a lane's path here: back to an entry of the stack, or out of the program.
    Leave {
        flags { keep_refs x "keeprefs" }
        modifiers { test: CcTest[z] }
    }

    /// A pointer of the hardware to a register.
    ReadPointer {
        operands { dst: Reg[d] }
    }

    /// A register to a pointer of the hardware.
    WritePointer {
        operands { a: Reg[a] }
    }

    /// No operands.
    Plain {}

    /// A return from a trap.
    TrapReturn {
        operands { mode: u8 = Small[z] }
    }

    /// Interrupts on or off.
    InterruptEnable {
        flags { disable x "disable" }
        operands { value: u32 = Number[i] }
    }

    /// A breakpoint.
    Breakpoint {
        operands { mode: u8 = Small[z], value: u32 = Number[i] }
    }
}
