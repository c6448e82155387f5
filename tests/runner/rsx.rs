//! Coverage of the RSX's files: every operation of its programs needs one.

use std::collections::BTreeSet;
use std::sync::Arc;

use libtest_mimic::Failed;
use triglyph_guest::kernel::Tier;
use triglyph_guest::rsx::{fragment, vertex};

use crate::parse::File;
use crate::{rsx_fragment, rsx_vertex};

/// Whether a tier makes the kernels that a command runs, as far as one can tell from an empty program.
pub fn takes(tier: &dyn Tier, command: &str) -> bool {
    match command {
        "vertex" => tier.program_vertex(&rsx_vertex::key(&Default::default(), Vec::new(), 0)).is_ok(),
        "fragment" => tier.fragment(&rsx_fragment::key(&Default::default(), Vec::new(), "r")).is_ok(),
        _ => true,
    }
}

fn with_command<'f>(files: &'f [Arc<File>], command: &str) -> impl Iterator<Item = &'f Arc<File>> {
    files.iter().filter(move |file| file.commands.iter().any(|other| other.name == command))
}

/// Names the operations that no file executes.
pub fn covered(files: &[Arc<File>]) -> Result<(), Failed> {
    let mut executed = BTreeSet::new();
    for file in with_command(files, "vertex") {
        let (code, start) = rsx_vertex::assemble(file).map_err(|error| format!("{}: {error}", file.name()))?;
        for instruction in vertex::Program::decode(&code, start, |_, _| {}).code {
            executed.insert(format!("vertex {:?}", instruction.vector.op));
            executed.insert(format!("scalar {:?}", instruction.scalar.op));
        }
    }
    for file in with_command(files, "fragment") {
        let code = rsx_fragment::assemble(file).map_err(|error| format!("{}: {error}", file.name()))?;
        for step in fragment::Program::decode(&code, |_, _| {}).code {
            executed.insert(match step.instruction {
                fragment::Instruction::Compute(compute) => format!("fragment {:?}", compute.op),
                fragment::Instruction::Flow(flow) => format!("fragment {:?}", flow.op),
            });
        }
    }
    let vectors = vertex::VectorOp::ALL.iter().map(|op| format!("vertex {op:?}"));
    let scalars = vertex::ScalarOp::ALL.iter().map(|op| format!("scalar {op:?}"));
    let computes = fragment::Op::ALL.iter().map(|op| format!("fragment {op:?}"));
    let flows = fragment::FlowOp::ALL.iter().map(|op| format!("fragment {op:?}"));
    let all = vectors.chain(scalars).chain(computes).chain(flows);
    let missing: Vec<String> = all.filter(|op| !executed.contains(op)).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("no file executes\n  {}", missing.join("\n  ")).into()) }
}
