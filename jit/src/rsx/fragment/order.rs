//! What follows from the shape of a graph: blocks that all lanes run together, and what may be skipped.

use super::block::{Block, Exit};

/// Fills [`Block::full`] and [`Block::skip`]. Blocks are in the order of execution.
pub fn complete(blocks: &mut [Block]) {
    let count = blocks.len();
    let dominators = dominators(blocks);
    let post = post_dominators(blocks);
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
        // A loop that lanes leave one by one may dominate a full block behind it. That is never skipped: what it
        // computes is known to all that follow.
        blocks[i].skip = (i + 1..count).find(|&other| blocks[other].full || !dominated(other)).unwrap_or(count);
    }
}

/// Whether lanes can leave the loop of blocks `first` to `latch` from a block before the latch.
fn leaves(block: &Block, first: usize, latch: usize) -> bool {
    let inside = |to: usize| (first..=latch).contains(&to);
    let ends = match block.exit {
        Exit::End => true,
        Exit::Go(edge) => edge.target().is_none(),
        Exit::Fork { yes, no } => yes.target().is_none() || no.target().is_none(),
        Exit::Pass { out, .. } => out.target().is_none(),
    };
    ends || block.exit.targets().any(|to| !inside(to))
}

/// The immediate dominator of each block, 0 for the first one.
fn dominators(blocks: &[Block]) -> Vec<usize> {
    let mut result: Vec<Option<usize>> = vec![None; blocks.len()];
    if let Some(first) = result.first_mut() {
        *first = Some(0);
    }
    // Edges back do not matter: they lead to blocks that dominate where they come from.
    for i in 0..blocks.len() {
        if result[i].is_none() {
            continue;
        }
        for to in blocks[i].exit.targets().filter(|&to| to > i) {
            result[to] = Some(match result[to] {
                None => i,
                Some(other) => {
                    let (mut a, mut b) = (i, other);
                    while a != b {
                        if a > b {
                            a = result[a].unwrap_or(0);
                        } else {
                            b = result[b].unwrap_or(0);
                        }
                    }
                    a
                }
            });
        }
    }
    result.into_iter().map(|dominator| dominator.unwrap_or(0)).collect()
}

/// The immediate post-dominator of each block; the number of blocks stands for the program's end.
fn post_dominators(blocks: &[Block]) -> Vec<usize> {
    let end = blocks.len();
    let mut result = vec![end; end + 1];
    let meet = |result: &[usize], mut a: usize, mut b: usize| {
        while a != b {
            if a < b {
                a = result[a];
            } else {
                b = result[b];
            }
        }
        a
    };
    for i in (0..end).rev() {
        let edges = match blocks[i].exit {
            Exit::End => vec![end],
            Exit::Go(edge) => vec![edge.target().unwrap_or(end)],
            Exit::Fork { yes, no } => [yes, no].map(|edge| edge.target().unwrap_or(end)).to_vec(),
            Exit::Pass { out, .. } => vec![out.target().unwrap_or(end)],
        };
        result[i] = edges.into_iter().reduce(|a, b| meet(&result, a, b)).unwrap_or(end);
    }
    result
}

/// Whether every way from the first block to the end leads through block `i`.
fn post_dominates(post: &[usize], i: usize) -> bool {
    let mut at = 0;
    while at < i {
        at = post[at];
    }
    at == i
}

#[cfg(test)]
mod tests {
    use super::super::block::{Block, Edge, Exit};
    use super::complete;

    fn block(exit: Exit) -> Block {
        Block { steps: Vec::new(), exit, index: None, full: false, skip: 0, entries: 1 }
    }

    /// REP whose body has a BRK for some lanes; all of them meet behind it.
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
