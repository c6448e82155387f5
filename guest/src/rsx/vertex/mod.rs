//! Vertex programs of the RSX (NV40): instructions, programs, text.
//!
//! ```text
//! ops.rs          what the vector and the scalar unit can do, as formulas
//! fields.rs       the fields of the four words; instruction.rs what they mean, and back
//! program.rs      the instructions that a program can reach, targets resolved
//! syntax.rs       one instruction as text; listing.rs whole programs and their assembler
//! random.rs       instructions and programs for differential tests
//! ```
//!
//! # How an instruction executes
//!
//! All arithmetic is IEEE f32, rounded to nearest, nothing fused, subnormals kept. Comparisons with NaN are false but
//! for `!=`. Both units read everything (sources, address and condition registers) before either writes.
//!
//! 1. **Sources** are loaded, swizzled, made absolute, negated; the last two change sign bits only.
//!    * input: `v[input]`, relative: `v[(input + a) & 15]` with `a` the selected address component;
//!    * constant: `c[constant]`, relative: `c[constant + a]`, the sum wrapping in 32 bits. A number outside of 0 to 467
//!      reads (0, 0, 0, 0) (unverified); INDEXED_CONSTANT_READ_LIMITS has no effect;
//!    * temporaries 0 to 63 exist; 63 cannot be written.
//! 2. **Results** are computed by the formulas of [`VectorOp`] and [`ScalarOp`]. With `saturate` every component
//!    becomes `v > 0 ? (v < 1 ? v : 1) : 0`, so NaN becomes 0; address registers are not clamped.
//! 3. **Writes.** A unit writes the components of its mask to its temporary and to its output, each if there is one;
//!    the scalar unit after the vector unit. If `update` names a unit, the components of that unit's mask go to the
//!    condition register as well. With a condition, component `i` is written (also of address and condition registers)
//!    only if the test holds for component `swizzle[i]` of the condition register as it was before the instruction.
//! 4. **Flow.** A branch or call goes to its target, a return back, if there is no condition or its test holds for
//!    component `swizzle[0]`. BRB and CLB test TRANSFORM_BRANCH_BITS only. The vector unit's half executes in any case.
//!    A call keeps the index of the next instruction; with [`CALL_DEPTH`] kept already the program ends. A return
//!    without a call ends the program. [`Instruction::end`] comes before all of that. PSH and POP do not depend on the
//!    condition, but what POP writes does.
//!
//! A vertex begins with temporaries, address and condition registers 0 and outputs (0, 0, 0, 1). It ends at END, past
//! the last instruction, or when TRANSFORM_TIMEOUT instructions are executed; outputs are then what was written so far.
//!
//! Outputs: 0 position, 1 and 2 front colours, 3 and 4 back colours, 5 fog coordinate in x and clip distances 0 to 2, 6
//! point size in x and clip distances 3 to 5, 7 to 14 texture coordinates 0 to 7, 15 texture coordinate 8. Sources:
//! Mesa nvfx_vertprog, RPCS3.

pub mod fields;
pub mod instruction;
mod listing;
pub mod ops;
pub mod program;
#[cfg(feature = "random")]
pub mod random;
pub mod syntax;

pub use instruction::{Instruction, Register, Scalar, Source, Unit, UnknownInstruction, Vector, Words};
pub use listing::{assemble_program, disassemble_program};
pub use ops::{BranchVisitor, RCC_MAX, RCC_MIN, ScalarOp, ScalarVisitor, VectorOp, VectorVisitor};
pub use program::{Program, Summary};

/// Instructions that the program store holds. START reaches 512 of them, the others are reached by running on (RPCS3).
pub const STORE: usize = 544;
/// Constants that exist.
pub const CONSTANTS: usize = 468;
/// Calls that may be open at once, and address registers that the address stack holds. Source: RPCS3 accepts 8;
/// NV_vertex_program2 promises 4.
pub const CALL_DEPTH: usize = 8;
/// Temporaries that can be named.
pub const TEMPS: usize = 64;
