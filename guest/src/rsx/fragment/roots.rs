//! Reciprocal square roots by way of logarithms.
//!
//! The NV40 has no RSQ: compilers write LG2 of an absolute value with the factor 1/2, then EX2 of its negation (Mesa's
//! nvfx_fragprog.c does). [`Accuracy::Fast`](crate::kernel::Accuracy::Fast) computes the root itself.

use super::operand::{Modifier, Register, Scale, Temp};
use super::step::{RootPart, Step};
use super::storage::word_of;
use super::{Compute, Instruction, Op, Precision};

/// Marks the parts of reciprocal square roots: an EX2 always executes right after its LG2, by the same lanes, with
/// nothing in between that decides what comes next or writes its operand.
pub(super) fn mark(code: &mut [Step]) {
    let targets: Vec<usize> = code
        .iter()
        .filter(|step| matches!(step.instruction, Instruction::Flow(_)))
        .flat_map(|step| [usize::from(step.target), usize::from(step.end)])
        .collect();
    for first in 0..code.len() {
        let Some((temp, logarithm)) = logarithm(&code[first]) else { continue };
        for at in first + 1..code.len() {
            let Instruction::Compute(compute) = &code[at].instruction else { break };
            if targets.contains(&at) || matches!(&code[at - 1].instruction, Instruction::Compute(c) if c.end) {
                break;
            }
            if is_exponential(compute, temp, logarithm) {
                code[first].root = Some(RootPart::Logarithm);
                code[at].root = Some(RootPart::Exponential);
            }
            let Instruction::Compute(compute) = &code[at].instruction else { break };
            if self::logarithm(&code[at]).is_some() || overwrites(compute, temp) {
                break;
            }
        }
    }
}

/// The register and the components that hold the halved logarithm of an absolute value.
fn logarithm(step: &Step) -> Option<(Temp, [bool; 4])> {
    let Instruction::Compute(compute) = &step.instruction else { return None };
    let source = &compute.sources[0];
    let halved = compute.op == Op::lg2 && compute.scale == Scale::Half && !compute.saturate && !compute.expand;
    let rounded = matches!(compute.precision, Precision::Fx12 | Precision::Fx9);
    let of_magnitude = source.absolute && !source.negate;
    let always = compute.condition.is_none();
    (halved && !rounded && of_magnitude && always)
        .then_some((compute.destination?, [0, 1, 2, 3].map(|c| compute.mask.has(c))))
}

fn is_exponential(compute: &Compute, temp: Temp, components: [bool; 4]) -> bool {
    let source = &compute.sources[0];
    compute.op == Op::ex2
        && source.register == Register::Temp(temp)
        && components[usize::from(source.swizzle.0[0] & 3)]
        && source.negate
        && !source.absolute
        && matches!(source.modifier, Modifier::Full | Modifier::Half)
}

/// Whether an instruction may change the storage of a register.
fn overwrites(compute: &Compute, temp: Temp) -> bool {
    compute.destination.is_some_and(|other| word_of(other, 0).0.0 == word_of(temp, 0).0.0)
}
