//! Properties of a control flow graph: blocks that all lanes execute together, and blocks that may be skipped.

use super::block::{Block, Exit};
use crate::cfg::Exit as _;
use crate::cfg::order::{dominators, post_dominators};

/// Fills [`Block::full`] and [`Block::skip`]. Blocks are in the order of execution.
pub fn complete(blocks: &mut [Block]) {
    let count = blocks.len();
    let dominators = dominators(count, |i| blocks[i].exit.targets());
    let post = post_dominators(count, |i| blocks[i].exit.onwards().map(move |edge| edge.target().unwrap_or(count)));
    // The loop around each block that lanes can leave one by one, if there is one.
    let mut ragged = vec![false; count];
    for latch in 0..count {
        let Exit::Pass { again, .. } = blocks[latch].exit else { continue };
        let uneven = (again..latch).any(|i| leaves(&blocks[i], again, latch));
        if uneven {
            ragged[again..=latch].fill(true);
        }
    }
    for i in 0..count {
        blocks[i].full = post_dominates(&post, i) && !ragged[i];
    }
    for i in 0..count {
        let dominated = |mut other: usize| loop {
            match other {
                _ if other == i => return true,
                0 => return false,
                _ => other = dominators[other],
            }
        };
        // A loop that lanes leave one by one may dominate a full block after it. That is never skipped: what it
        // computes is known to all that follow.
        blocks[i].skip = (i + 1..count).find(|&other| blocks[other].full || !dominated(other)).unwrap_or(count);
    }
}

/// Whether lanes can leave the loop of blocks `first` to `latch` from a block before the latch.
fn leaves(block: &Block, first: usize, latch: usize) -> bool {
    let inside = |to: usize| (first..=latch).contains(&to);
    block.exit.onwards().any(|edge| edge.target().is_none()) || block.exit.targets().any(|to| !inside(to))
}

/// Whether block `i` is on every path from the first block to the end.
fn post_dominates(post: &[usize], i: usize) -> bool {
    let mut at = 0;
    while at < i {
        at = post[at];
    }
    at == i
}

#[cfg(test)]
mod tests {
    use super::super::block::{Block, Edge, Exit, Steps};
    use super::complete;

    fn block(exit: Exit) -> Block {
        Block { block: Steps { steps: Vec::new(), exit, entries: 1 }, index: None, full: false, skip: 0 }
    }

    /// REP whose body has a BRK for some lanes; all of them reconverge after it.
    #[test]
    fn a_full_block_behind_a_loop_is_not_skipped() {
        let mut blocks = [
            block(Exit::Go(Edge::Enter { slot: 0, by: 0, to: 1 })),
            block(Exit::Fork { yes: Edge::To(3), no: Edge::To(2) }),
            block(Exit::Pass { slot: 0, again: 1, out: Edge::To(3) }),
            block(Exit::End),
        ];
        complete(&mut blocks);
        assert_eq!([true, false, false, true], blocks.each_ref().map(|block| block.full));
        assert_eq!([3, 3], [blocks[1].skip, blocks[2].skip]);
    }
}
