//! The macro method expander (MME): small programs that turn one method into many. It is between the host and the 3D
//! and 2D engines.
//!
//! ```text
//! isa.rs        the instruction table; operand.rs and shape.rs its operands, syntax.rs their text
//! asm.rs        whole programs as text and back
//! random.rs     programs for differential tests
//! ```

pub mod asm;
pub mod isa;
pub mod operand;
#[cfg(feature = "random")]
pub mod random;
mod shape;
pub mod syntax;

pub use asm::{AsmError, assemble_program, disassemble_program};

/// Words of instruction memory that the hardware has (envytools, Mesa). All macros of a channel share them.
pub const CODE_WORDS: usize = 0x800;

/// Words that uploads are accepted for; emulators reserve as much.
pub const CODE_WORDS_ACCEPTED: usize = 0x1_0000;

/// Macros of a channel, each with the word it begins at.
pub const MACROS: usize = 0x80;

/// Instructions that one call may run before it is stopped. Hardware has a limit of its own, which drivers raise.
pub const MAX_STEPS: u32 = 1 << 26;
