//! Fragment programs of the RSX (NV40): instructions, programs, text.
//!
//! ```text
//! ops.rs          what instructions can do, as formulas
//! fields.rs       the fields of the four words; operand.rs registers, sources, precision
//! instruction.rs  what four words mean, and back
//! step.rs         an instruction in its place
//! storage.rs      which registers share storage
//! roots.rs        reciprocal square roots by way of logarithms
//! memory.rs       programs in guest memory; program.rs instructions in order, offsets resolved
//! syntax.rs       one instruction as text; listing.rs whole programs and their assembler
//! random.rs       instructions and programs for differential tests
//! ```
//!
//! # How an instruction executes
//!
//! All arithmetic is IEEE f32, rounded to nearest, nothing fused, subnormals kept. Comparisons with NaN are false but
//! for `!=`.
//!
//! 1. **Sources** are loaded, swizzled, modified, made absolute, negated: SAT comes before ABS (a test on the console,
//!    RPCS3 #19326), and so, unverified, do the other modifiers, which share its field. Absolute value
//!    and negation change sign bits only. All of them are read before anything is written. A half is widened to f32.
//! 2. **The result** r is computed by the formula of [`Op`], that of a texture lookup with `expand` by the conversion
//!    that [`TextureKey::expanded`](crate::kernel::program::sampler::TextureKey::expanded) says; then, component by
//!    component: times the factor of `scale` (not where that is 1); with `saturate` `r > 0 ? (r < 1 ? r : 1) : 0`, so
//!    NaN becomes 0; rounded or clamped to `precision`; rounded to half if the destination is an H register.
//! 3. **Writes.** The components of the mask go to the destination and to condition register `set_condition`, each if
//!    there is one. With a condition component `i` is written only if the test holds for component `swizzle[i]` of
//!    the condition register as it was before the instruction. Writing R changes the H registers that share its
//!    storage, and the other way round.
//!
//! Registers and condition registers begin as 0. KIL marks the fragment as discarded; it goes on.
//!
//! # How a quad executes
//!
//! [`kernel::program::fragment`](crate::kernel::program::fragment) says what four lanes do at flow control, what
//! differences between them are, and which NaN an instruction gives.
//!
//! Results: H0, H4, H6, H8 or R0, R2, R3, R4 by SHADER_CONTROL; depth is R1.z.

pub mod fields;
pub mod instruction;
mod listing;
pub mod memory;
pub mod operand;
pub mod ops;
pub mod program;
#[cfg(feature = "random")]
pub mod random;
mod roots;
mod step;
mod storage;
pub mod syntax;

pub use instruction::{Compute, Flow, Instruction, UnknownInstruction, Words};
pub use listing::{assemble_program, disassemble_program};
pub use operand::{FX9, FX12, Input, Modifier, Precision, Register, Scale, Source, Temp};
pub use ops::{EffectVisitor, FlowOp, FlowVisitor, FragmentVisitor, Op, QuadVisitor};
pub use program::{Program, Summary};
pub use step::{RootPart, Step};
pub use storage::{Storage, Word, word_of};

/// Calls that may be open at once. Source: NV_fragment_program2.
pub const CALL_DEPTH: usize = 4;
/// R registers that can be named.
pub const REGISTERS: usize = 64;
/// H registers that can be named; they share storage with the lower half of the R registers.
pub const HALF_REGISTERS: usize = 64;
