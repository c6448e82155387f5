//! Random functions, compiled by this code generator and by Cranelift and compared.
//!
//! ```text
//! choices -> choose.rs: Program, lists of steps -> emit.rs: CLIF -> run.rs: both code generators, all of memory
//!   rows.rs: what the code generator knows, which it is asked    ^- shrink.rs: as few steps as possible
//! ```
//!
//! A function loads and stores in memory of its own ([`memory`]). It is compiled three times: by Cranelift with one
//! iteration at a time, by this code generator likewise, and by this one with several at once. All three have to leave
//! the same memory, byte for byte, and return the same. Each step of the latter two is verified: the function that is
//! emitted, after slots have become values, after iterations were joined, and what the allocator of registers made.

mod choices;
mod choose;
mod emit;
mod functions;
mod memory;
mod program;
pub(super) mod rows;
mod run;
mod shrink;
mod visit;

use choices::Choices;
use program::Program;
use run::Failure;
pub(crate) use run::Outcome;
#[cfg(test)]
pub(super) use run::is_possible;

/// Compiles and runs the function that words say.
///
/// # Errors
/// What two ways have left, or which step of compiling failed, and the smallest function that was found for which it
/// still is so, as text.
#[cfg(feature = "random")]
pub(crate) fn check(words: impl FnMut() -> u32) -> Result<Outcome, String> {
    check_program(Program::choose(&mut Choices::of(words)))
}

/// The opcodes of the function that a seed names.
#[cfg(test)]
pub(super) fn opcodes(seed: u64) -> Vec<cranelift_codegen::ir::Opcode> {
    let function = run::function(&Program::choose(&mut Choices::new(seed)));
    let insts = function.layout.blocks().flat_map(|block| function.layout.block_insts(block));
    insts.map(|inst| function.dfg.insts[inst].opcode()).collect()
}

/// Compiles and runs the function that a seed names. Errors are those of `check`.
#[cfg(test)]
pub(super) fn check_seed(seed: u64) -> Result<Outcome, String> {
    check_program(Program::choose(&mut Choices::new(seed)))
}

fn check_program(program: Program) -> Result<Outcome, String> {
    let failure = match run::check(&program) {
        Ok(outcome) => return Ok(outcome),
        Err(failure) => failure,
    };
    let mut last = failure.clone();
    // Panics of smaller functions are of no interest but the last one, which is reported.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let small = shrink::shrink(program, &mut |program| match run::check(program) {
        Err(smaller) if smaller.is_like(&failure) => {
            last = smaller;
            true
        }
        _ => false,
    });
    std::panic::set_hook(hook);
    Err(report(&small, &last))
}

/// A failing function as text.
fn report(program: &Program, failure: &Failure) -> String {
    let at_once: Vec<String> = program.loops.iter().map(|body| format!("{:?}", body.at_once)).collect();
    let repeatable: Vec<bool> = program.loops.iter().map(|body| body.is_repeatable).collect();
    let function = run::function(program);
    format!("{}\nat once: {}, repeatable: {repeatable:?}\n{}", failure.text(), at_once.join(", "), function.display())
}
