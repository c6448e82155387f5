//! The Nintendo 3DS GPU (PICA200): shader instruction set, registers, command lists.
//!
//! ```text
//! isa.rs         the instruction table; operand.rs and shape.rs its operands, descriptor.rs
//!                masks and swizzles
//! syntax/        instructions as text; asm.rs and listing.rs whole programs; shbin.rs program files
//! random.rs      programs for differential tests
//! regs/          the register tables and what writes do; command.rs packets of command lists
//! list.rs        command lists in the making; state.rs state of several registers; texture.rs textures for them, and their texels in memory
//! external.rs    registers beside the PICA200's own: fills, LCD controllers, transfers, command lists
//! ```

pub mod asm;
pub mod command;
pub mod descriptor;
pub mod external;
pub mod isa;
pub mod list;
mod listing;
pub mod operand;
#[cfg(feature = "random")]
pub mod random;
pub mod regs;
mod shape;
pub mod shbin;
pub mod state;
pub mod syntax;
pub mod texture;

pub use asm::{AsmError, Assembler, Program};
pub use list::{List, ListError, Unit};
pub use listing::disassemble_program;
pub use state::output;
pub use texture::Texture;
