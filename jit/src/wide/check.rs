//! Verification of register allocation by regalloc2's checker, which follows each value through moves and blocks to the
//! operands that use it.

use regalloc2::checker::Checker;
use regalloc2::{Block, Function as _, Inst, MachineEnv, Output, ProgPoint};

use super::Refusal;
use super::machine::{MachineBlock, MachineFunction};
use crate::cfg::order::reverse_postorder;

/// Proves that each instruction finds its operands where the allocator says that they are.
pub(super) fn check(function: &MachineFunction, environment: &MachineEnv, output: &Output) -> Result<(), Refusal> {
    let (function, output) = in_order(function, output);
    let mut checker = Checker::new(&function, environment);
    checker.prepare(&output);
    checker.run().map_err(|errors| Refusal::Registers(format!("{errors:?}")))
}

/// A function and its allocation with each block after one that leads to it. The checker takes the numbers of blocks
/// as the order of its first visits, and for a block without a visited predecessor it knows of no value.
fn in_order(function: &MachineFunction, output: &Output) -> (MachineFunction, Output) {
    let successors = |block: usize| function.blocks[block].successors.iter().map(|next| next.index());
    let order = reverse_postorder(function.blocks.len(), 0, successors);
    let mut places = vec![Block::invalid(); function.blocks.len()];
    for (place, &block) in order.iter().enumerate() {
        places[block] = Block::new(place);
    }
    let renumbered = |blocks: &[Block]| blocks.iter().map(|block| places[block.index()]).collect();
    let mut made = MachineFunction { starts: vec![0], ..MachineFunction::default() };
    (made.registers, made.operands) = (function.registers, function.operands.clone());
    let mut allocated = Output { num_spillslots: output.num_spillslots, ..Output::default() };
    for block in order {
        let MachineBlock { parameters, successors, predecessors, arguments, cold, .. } = function.blocks[block].clone();
        let (successors, predecessors) = (renumbered(&successors), renumbered(&predecessors));
        made.blocks.push(MachineBlock { insts: Vec::new(), parameters, successors, predecessors, arguments, cold });
        let insts = function.block_insns(Block::new(block));
        let (from, to) = (insts.first().index(), made.insts.len());
        for inst in insts.iter() {
            allocated.inst_alloc_offsets.push(allocated.allocs.len() as u32);
            allocated.allocs.extend_from_slice(output.inst_allocs(inst));
            made.insts.push(function.insts[inst.index()].clone());
        }
        let end = from + insts.len();
        let first = output.edits.partition_point(|(point, _)| point.inst().index() < from);
        let edits = output.edits[first..].iter().take_while(|(point, _)| point.inst().index() < end);
        allocated.edits.extend(edits.map(|(point, edit)| {
            let inst = Inst::new(point.inst().index() - from + to);
            (ProgPoint::new(inst, point.pos()), edit.clone())
        }));
        made.starts.push(made.insts.len());
    }
    (made, allocated)
}
