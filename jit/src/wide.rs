//! Code generator with vectors of 256 bits, for loops that do several iterations at once.
//!
//! Cranelift has vectors of 128 bits. Where [`interleave`](crate::interleave) has unrolled and jammed a loop, most
//! instructions occur in pairs, one for each iteration: here a pair becomes one instruction with 256-bit operands. The
//! upper half of a vector is the second iteration's, and each half computes what it would compute by itself, so that
//! results are the same to the bit. Scalar instructions, and those on single lanes, stay pairs.
//!
//! ```text
//! CLIF with two copies -> select.rs: machine instructions -> regalloc2 (Cranelift's own allocator)
//!   -> emit.rs: code; encode.rs, opcode.rs: bytes
//! ```
//!
//! It is for x86-64 with AVX2, FMA and BMI2, and System V's calling convention. It supports the instructions that
//! kernels consist of; functions with others fall back to Cranelift.

use cranelift_codegen::ir::{Function, Opcode, Type};
use cranelift_codegen::isa::{CallConv, TargetIsa};
use regalloc2::RegallocOptions;
use target_lexicon::Architecture;

use crate::convention::convention;
use crate::interleave::{InstPairs, NotInterleaved};

mod check;
mod emit;
mod encode;
mod machine;
mod opcode;
#[cfg(all(any(test, feature = "random"), not(feature = "check-win64")))]
pub(crate) mod random;
mod select;
#[cfg(test)]
mod tests;

/// Whether the host can run what [`compile`] makes.
pub(crate) fn is_supported(isa: &dyn TargetIsa) -> bool {
    const NEEDED: [&str; 7] = ["has_avx", "has_avx2", "has_fma", "has_bmi1", "has_bmi2", "has_lzcnt", "has_popcnt"];
    let flags = isa.isa_flags();
    let has = |name: &str| flags.iter().any(|flag| flag.name == name && flag.as_bool() == Some(true));
    isa.triple().architecture == Architecture::X86_64
        && convention(isa) == CallConv::SystemV
        && NEEDED.into_iter().all(has)
}

/// Why a function has no code with vectors of 256 bits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// An instruction, or a form of it, that [`select`] does not have; and the type of its result.
    #[error("no 256-bit code for {0} {1}")]
    Instruction(Opcode, Type),
    /// A loop that was not interleaved.
    #[error("one iteration at a time: {0}")]
    NotInterleaved(#[from] NotInterleaved),
    /// A function without blocks, or with other parameters than one address.
    #[error("a function of another form")]
    Function,
    /// More stack than allowed, in bytes.
    #[error("a frame of {0} bytes")]
    Frame(u64),
    /// What the allocator of registers says. Only a fault of this module leads to it.
    #[error("register allocation: {0}")]
    Registers(String),
    /// An instruction with other operands than it has to have. Only a fault of this module leads to it.
    #[error("emission: {0}")]
    Emission(&'static str),
}

impl Refusal {
    /// Whether this is a fault of the code generator, not of the function.
    pub fn is_fault(&self) -> bool {
        matches!(self, Refusal::Registers(_) | Refusal::Emission(_))
    }
}

/// Machine code followed by its constants.
pub(crate) struct WideCode {
    pub bytes: Vec<u8>,
    /// Where the constants begin.
    pub constants: usize,
}

/// The machine code of a function, with vectors of 256 bits for `inst_pairs`. `check` verifies what the allocator of
/// registers has made.
///
/// # Errors
/// When the function contains what is not supported, or needs more than `max_frame` bytes of stack.
pub(crate) fn compile(
    function: &Function,
    inst_pairs: &InstPairs,
    max_frame: u32,
    check: bool,
) -> Result<WideCode, Refusal> {
    let machine = select::select(function, inst_pairs)?;
    let environment = machine::environment();
    let options = RegallocOptions { validate_ssa: check, ..RegallocOptions::default() };
    let output = regalloc2::run(&machine, &environment, &options).map_err(|e| Refusal::Registers(e.to_string()))?;
    if check {
        check::check(&machine, &environment, &output)?;
    }
    emit::emit(&machine, &output, max_frame)
}
