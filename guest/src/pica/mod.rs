//! The Nintendo 3DS GPU (PICA200): shader instruction set, registers, command lists.

pub mod asm;
pub mod descriptor;
pub mod isa;
pub mod operand;
pub mod regs;
mod syntax;
