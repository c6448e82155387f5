//! Control flow graph of a loop body: where iterations diverge, and where they reconverge.

use std::collections::{HashMap, HashSet};

use cranelift_codegen::ir::{Block, Function, Inst, InstructionData};

use super::{Branches, JointBranch};

/// The blocks of a body.
pub(super) struct Blocks {
    /// In the order of the function.
    pub all: Vec<Block>,
    /// Branches after which iterations go on together, by their blocks.
    pub joint: HashMap<Block, JointBranch>,
    /// Instructions whose integer result is replaced by the minimum over all iterations.
    pub minima: HashSet<Inst>,
    /// Stores and calls that a restarted iteration may execute again.
    pub repeatable: HashSet<Inst>,
    pub has_wide_vectors: bool,
    /// Where branches rarely go, by their blocks. What lies there is no part of the body.
    pub rare: HashMap<Block, Block>,
    /// The reconvergence points of blocks at whose end iterations diverge.
    pub reconvergence: HashMap<Block, Block>,
    /// Blocks that iterations execute one after the other because [`Branches::serialized`] says so.
    pub serialized: HashSet<Block>,
    exit: Block,
    successors: HashMap<Block, Vec<Block>>,
    predecessors: HashMap<Block, Vec<Block>>,
    /// The post-dominators of each block, itself included.
    post_dominators: HashMap<Block, HashSet<Block>>,
}

impl Blocks {
    /// The blocks from `entry` on that lie before `exit`; `None` if diverging iterations might not
    /// reconverge.
    pub fn new(function: &Function, entry: Block, exit: Block, branches: &Branches) -> Option<Blocks> {
        let end = |block: Block| function.layout.last_inst(block);
        let (mut successors, mut rare) = (HashMap::new(), HashMap::new());
        let mut rest = vec![entry];
        while let Some(block) = rest.pop() {
            if block == exit || successors.contains_key(&block) {
                continue;
            }
            let mut next = successors_of(function, block);
            if end(block).is_some_and(|end| branches.rare.contains(&end)) {
                rare.insert(block, next.remove(0));
            }
            rest.extend(&next);
            successors.insert(block, next);
        }
        let all: Vec<Block> = function.layout.blocks().filter(|block| successors.contains_key(block)).collect();
        if all.len() > MAX_BLOCKS {
            return None;
        }
        let mut predecessors: HashMap<Block, Vec<Block>> = HashMap::new();
        for &block in &all {
            successors[&block].iter().for_each(|&next| predecessors.entry(next).or_default().push(block));
        }
        let joint = all.iter().filter_map(|&block| Some((block, *branches.joint.get(&end(block)?)?))).collect();
        let post_dominators = post_dominators(&all, &successors, exit);
        let given: HashMap<Block, Block> =
            all.iter().filter_map(|&block| Some((block, *branches.serialized.get(&end(block)?)?))).collect();
        let of_body = |insts: &HashSet<Inst>| {
            let block = |inst: &Inst| function.layout.inst_block(*inst);
            insts.iter().copied().filter(|inst| block(inst).is_some_and(|it| successors.contains_key(&it))).collect()
        };
        let (minima, repeatable) = (of_body(&branches.minima), of_body(&branches.repeatable));
        let mut blocks = Blocks {
            all,
            joint,
            minima,
            repeatable,
            has_wide_vectors: branches.has_wide_vectors,
            rare,
            reconvergence: HashMap::new(),
            serialized: HashSet::new(),
            exit,
            successors,
            predecessors,
            post_dominators,
        };
        blocks.find_reconvergence(entry, &given)?;
        Some(blocks)
    }

    /// Blocks at whose end a group of iterations may restart, one at a time.
    pub fn ends_of_pairs(&self) -> impl Iterator<Item = Block> {
        let agreed = self.joint.iter().filter(|&(_, &kind)| kind == JointBranch::SplitOnDivergence);
        self.rare.keys().copied().chain(agreed.map(|(&block, _)| block))
    }

    /// Number of edges to a block.
    pub fn entries(&self, block: Block) -> usize {
        self.predecessors.get(&block).map_or(0, Vec::len)
    }

    /// Whether there is a path from a block to another one, or they are the same.
    pub fn leads_to(&self, from: Block, to: Block) -> bool {
        from == to || self.between(from, self.exit).contains(&to)
    }

    /// Whether all predecessors of `to` are in `between`, or `block`.
    pub fn only_from(&self, to: Block, block: Block, between: &[Block]) -> bool {
        let from = self.predecessors.get(&to).into_iter().flatten();
        from.into_iter().all(|from| *from == block || between.contains(from))
    }

    /// The blocks on paths from one block to one of its post-dominators, in the order of the function.
    pub fn between(&self, block: Block, meeting: Block) -> Vec<Block> {
        let mut found = HashSet::new();
        let mut rest = self.successors[&block].clone();
        while let Some(next) = rest.pop() {
            if next != meeting && next != self.exit && found.insert(next) {
                rest.extend(&self.successors[&next]);
            }
        }
        self.all.iter().copied().filter(|block| found.contains(block)).collect()
    }

    /// Finds the reconvergence point of each block at whose end iterations diverge, from `entry` on. `given` has those
    /// of some.
    fn find_reconvergence(&mut self, entry: Block, given: &HashMap<Block, Block>) -> Option<()> {
        let (mut seen, mut rest) = (HashSet::new(), vec![entry]);
        while let Some(block) = rest.pop() {
            if block == self.exit || !seen.insert(block) {
                continue;
            }
            if let Some(&meeting) = given.get(&block) {
                self.reconvergence.insert(block, self.check_given(block, meeting)?);
                self.serialized.extend(self.between(block, meeting));
                rest.push(meeting);
                continue;
            }
            let ways = self.successors[&block].clone();
            if (ways.len() == 1 || self.joint.contains_key(&block)) && ways.iter().all(|&to| self.runs_together(to)) {
                rest.extend(ways);
                continue;
            }
            let meeting = self.reconvergence_of(block)?;
            self.reconvergence.insert(block, meeting);
            rest.push(meeting);
        }
        Some(())
    }

    /// Whether iterations can execute a loop together, if a block is in one: those that diverge in it reconverge in it.
    fn runs_together(&self, block: Block) -> bool {
        if block == self.exit {
            return true;
        }
        let after = self.between(block, self.exit);
        let of_loop = after.iter().filter(|&&next| self.between(next, self.exit).contains(&block));
        let mut branches = of_loop.filter(|next| self.successors[next].len() > 1 && !self.joint.contains_key(next));
        !after.contains(&block)
            || branches.all(|&next| self.reconvergence_of(next).is_some_and(|meeting| meeting != self.exit))
    }

    /// The given reconvergence point, if it post-dominates the block and nothing else leads to the blocks between.
    fn check_given(&self, block: Block, meeting: Block) -> Option<Block> {
        let between = self.between(block, meeting);
        let is_inside = |inner: &Block| self.only_from(*inner, block, &between);
        let is_post_dominator = self.post_dominators[&block].contains(&meeting) && !between.contains(&block);
        (is_post_dominator && between.iter().all(is_inside)).then_some(meeting)
    }

    /// The first post-dominator of a block that has no other entries to the blocks between.
    fn reconvergence_of(&self, block: Block) -> Option<Block> {
        let certain = &self.post_dominators[&block];
        // In a loop blocks may post-dominate each other: the first one has none of the others before it.
        let is_first = |meeting: &Block| {
            let between = self.between(block, *meeting);
            let is_inside = |inner: &Block| !certain.contains(inner) && self.only_from(*inner, block, &between);
            !between.contains(&block) && between.iter().all(is_inside)
        };
        // In the order of the function, so that the same function always becomes the same code.
        let after = self.all.iter().chain([&self.exit]).copied();
        after.filter(|next| *next != block && certain.contains(next)).find(is_first)
    }
}

/// Blocks of a body above which finding out how they follow each other would take longer than it is worth.
const MAX_BLOCKS: usize = 256;

/// Whether there is a loop in what lies between two blocks.
pub(crate) fn has_loop(function: &Function, entry: Block, exit: Block) -> bool {
    // In the order of a walk in depth: blocks are entered and, once all after them is done, left.
    let (mut open, mut seen) = (HashSet::new(), HashSet::from([exit]));
    let mut rest = vec![(entry, false)];
    while let Some((block, left)) = rest.pop() {
        if left {
            open.remove(&block);
        } else if open.contains(&block) {
            return true;
        } else if seen.insert(block) {
            open.insert(block);
            rest.push((block, true));
            rest.extend(successors_of(function, block).into_iter().map(|next| (next, false)));
        }
    }
    false
}

fn successors_of(function: &Function, block: Block) -> Vec<Block> {
    let Some(end) = function.layout.last_inst(block) else { return Vec::new() };
    let lists = &function.dfg.value_lists;
    match &function.dfg.insts[end] {
        InstructionData::Jump { destination, .. } => vec![destination.block(lists)],
        InstructionData::Brif { blocks, .. } => blocks.iter().map(|call| call.block(lists)).collect(),
        _ => Vec::new(),
    }
}

/// The post-dominators of each block, itself included.
fn post_dominators(
    all: &[Block],
    successors: &HashMap<Block, Vec<Block>>,
    exit: Block,
) -> HashMap<Block, HashSet<Block>> {
    let everything: HashSet<Block> = all.iter().copied().chain([exit]).collect();
    let mut certain: HashMap<Block, HashSet<Block>> = all.iter().map(|&block| (block, everything.clone())).collect();
    certain.insert(exit, HashSet::from([exit]));
    let mut changed = true;
    while changed {
        changed = false;
        for &block in all.iter().rev() {
            let mut ways = successors[&block].iter().map(|next| &certain[next]);
            let mut new = ways.next().cloned().unwrap_or_default();
            for way in ways {
                new.retain(|block| way.contains(block));
            }
            new.insert(block);
            if new != certain[&block] {
                certain.insert(block, new);
                changed = true;
            }
        }
    }
    certain
}
