//! Shader programs: the instruction set of the second Maxwell generation (SM 5.3).
//!
//! ```text
//! isa.rs        the instruction table
//! shape/        operands of each kind of instruction; operand.rs, source.rs, number.rs their parts,
//!               modifiers.rs and special.rs their values, part.rs how parts form a structure
//! syntax.rs     how instructions are written
//! program.rs    addresses of instructions, control flow, decoding of whole programs
//! asm.rs        whole programs as text and back
//! random.rs     instructions and programs for differential tests
//! unsupported.rs  instructions without known meaning
//! ```

pub mod asm;
pub mod isa;
pub mod modifiers;
mod number;
pub mod operand;
mod part;
pub mod program;
#[cfg(feature = "random")]
pub mod random;
pub mod shape;
mod source;
pub mod special;
pub mod syntax;
pub mod unsupported;

pub use asm::{AsmError, assemble, assemble_program, disassemble, disassemble_program};
pub use program::Program;
