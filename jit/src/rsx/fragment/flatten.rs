//! If-conversion: short IFEs become masks, and programs without other branches straight code.
//!
//! Lanes that skip a few instructions save less than the branch costs: it needs the mask, a test whether any lane is in
//! it, and registers that both paths agree on. Where nothing in an IFE depends on the other lanes, both parts are
//! executed one after the other, with writes in the lanes that take them.

use triglyph_guest::rsx::fragment::{FlowOp, Instruction, Program};

use super::graph::Graph;

/// Longest part of an IFE that is executed whether lanes take it or not, in instructions.
const MAX_FLATTENED: usize = 12;

/// A step of a program without branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flat {
    /// An instruction that computes.
    Step(u16),
    /// What follows is for lanes in which the condition of this IFE holds,
    If(u16),
    /// and this for those in which it does not,
    Else,
    /// up to here.
    End,
}

/// The steps of a program that needs no branches.
pub fn flatten(program: &Program, graph: &Graph) -> Option<Vec<Flat>> {
    if let [only] = &graph.blocks[..] {
        let computes = |step: &&u16| matches!(program.code[usize::from(**step)].instruction, Instruction::Compute(_));
        return Some(only.steps.iter().filter(computes).map(|&step| Flat::Step(step)).collect());
    }
    let mut steps = Vec::new();
    append(program, 0..program.code.len(), 0, &mut steps)?;
    Some(steps)
}

/// Appends a part of a program. IFEs around it: `depth`.
fn append(program: &Program, part: std::ops::Range<usize>, depth: usize, steps: &mut Vec<Flat>) -> Option<()> {
    let mut at = part.start;
    while at < part.end {
        let step = &program.code[at];
        match &step.instruction {
            Instruction::Compute(compute) => {
                if depth > 0 && (compute.end || compute.op.needs_quad()) {
                    return None;
                }
                steps.push(Flat::Step(at as u16));
                if compute.end {
                    return Some(());
                }
                at += 1;
            }
            Instruction::Flow(flow) => {
                let (target, end) = (usize::from(step.target), usize::from(step.end));
                let parts = [at + 1..target, target..end];
                if flow.op != FlowOp::ife || parts.iter().any(|part| part.len() > MAX_FLATTENED) {
                    return None;
                }
                let [then, otherwise] = parts;
                steps.push(Flat::If(at as u16));
                append(program, then, depth + 1, steps)?;
                steps.push(Flat::Else);
                append(program, otherwise, depth + 1, steps)?;
                steps.push(Flat::End);
                at = end;
            }
        }
    }
    Some(())
}
