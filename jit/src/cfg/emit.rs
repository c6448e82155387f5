//! Emission of a guest program's blocks, each as a block of host code.
//!
//! What is known of registers at a block's end holds at the start of the blocks that only it leads to. Everywhere else
//! registers come from variables.

use cranelift_codegen::ir;

use super::{Block, Exit};
use crate::lane::Emit;

/// The host's block of each guest block, and how many edges to it are not emitted yet.
#[derive(Default)]
pub struct HostBlocks {
    blocks: Vec<ir::Block>,
    pending: Vec<u32>,
}

impl HostBlocks {
    /// The host's block of guest block `i`.
    pub fn get(&self, i: usize) -> ir::Block {
        self.blocks[i]
    }

    /// Emits a jump to guest block `to`.
    pub fn jump(&mut self, e: &mut Emit<'_>, to: usize) {
        e.jump(self.blocks[to], &[]);
        self.entered(e, to);
    }

    /// An edge to guest block `to` is emitted; seals it after the last one.
    pub fn entered(&mut self, e: &mut Emit<'_>, to: usize) {
        self.pending[to] -= 1;
        if self.pending[to] == 0 {
            e.b.seal_block(self.blocks[to]);
        }
    }
}

/// Emits the blocks of a program.
pub trait BlockEmitter<'a> {
    /// What is known of registers at a place.
    type Registers: Clone;
    /// The emitter and the blocks.
    fn parts(&mut self) -> (&mut Emit<'a>, &mut HostBlocks);
    /// A block begins. `known` is what the only block that leads here knew at its end. `start`: the current block goes
    /// on as this one, the program's first.
    fn begin(&mut self, start: bool, known: Option<Self::Registers>);
    /// Emits guest block `i` with its exit.
    fn block(&mut self, i: usize);
    /// What is known at the end of the block that was emitted.
    fn end(&mut self) -> Self::Registers;
}

/// Emits all blocks, in the order of the graph.
pub fn emit_all<'a, E: BlockEmitter<'a>>(emitter: &mut E, blocks: &[Block<impl Copy, impl Exit>]) {
    let mut ends: Vec<Option<E::Registers>> = blocks.iter().map(|_| None).collect();
    let only_one_leads_to = |to: usize| blocks[to].entries == 1;
    let mut parents = vec![None; blocks.len()];
    for (i, block) in blocks.iter().enumerate() {
        for to in block.exit.targets().filter(|&to| only_one_leads_to(to)) {
            parents[to] = Some(i);
        }
    }
    let alone = only_one_leads_to(0);
    let (e, host) = emitter.parts();
    let current = e.b.current_block().filter(|_| alone);
    host.blocks = (0..blocks.len())
        .map(|i| match current.filter(|_| i == 0) {
            Some(current) => current,
            None => e.block(&[]),
        })
        .collect();
    host.pending = blocks.iter().map(|block| block.entries).collect();
    if !alone {
        host.jump(e, 0);
    }
    for (i, block) in blocks.iter().enumerate() {
        let start = i == 0 && alone;
        if !start {
            let (e, host) = emitter.parts();
            e.switch_to(host.blocks[i]);
        }
        emitter.begin(start, parents[i].and_then(|parent: usize| ends[parent].clone()));
        emitter.block(i);
        if block.exit.targets().any(only_one_leads_to) {
            ends[i] = Some(emitter.end());
        }
    }
}
