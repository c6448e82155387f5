//! Basic blocks from nodes.

use super::order::reverse_postorder;

/// How a node or a block ends.
pub trait Exit: Copy {
    /// Every node or block that may be next.
    fn targets(self) -> impl Iterator<Item = usize>;

    /// The same with other numbers.
    fn map(self, number: impl Fn(usize) -> usize) -> Self;

    /// The only successor, if the edge to it has no effect.
    fn next(self) -> Option<usize>;
}

/// An instruction in one of the states that reach it.
#[derive(Debug)]
pub struct Node<S, X> {
    /// `None` where something ends that is no instruction.
    pub step: Option<S>,
    pub exit: X,
}

/// Instructions executed one after the other.
#[derive(Debug, PartialEq, Eq)]
pub struct Block<S, X> {
    pub steps: Vec<S>,
    pub exit: X,
    /// Edges that lead here; the program's start is one.
    pub entries: u32,
}

/// A program as blocks. Block 0 is the first one.
#[derive(Debug, PartialEq, Eq)]
pub struct Graph<S, X> {
    /// Ordered so that edges to the same or an earlier block are the only ones that close cycles.
    pub blocks: Vec<Block<S, X>>,
    /// Whether there are cycles.
    pub cyclic: bool,
    /// Instructions in all blocks.
    pub size: u32,
}

impl<S: Copy, X: Exit> Graph<S, X> {
    /// Joins nodes that can only follow each other.
    pub fn new(nodes: &[Node<S, X>], start: usize) -> Self {
        let reachable = reverse_postorder(nodes.len(), start, |node| nodes[node].exit.targets());
        let entries = count_entries(nodes, start, &reachable);
        let joined = |node: usize| nodes[node].exit.next().filter(|&to| entries[to] == 1 && to != start);
        let last = |leader: usize| std::iter::successors(Some(leader), |&node| joined(node)).last().unwrap_or(leader);
        let leaders = reverse_postorder(nodes.len(), start, |leader| nodes[last(leader)].exit.targets());
        let blocks = form(nodes, &entries, &leaders, joined);
        let cyclic = blocks.iter().enumerate().any(|(i, block)| block.exit.targets().any(|to| to <= i));
        let size = blocks.iter().map(|block| block.steps.len() as u32).sum();
        Graph { blocks, cyclic, size }
    }

    /// The most instructions that a run can take; `None` where there are cycles.
    pub fn longest(&self) -> Option<u32> {
        if self.cyclic {
            return None;
        }
        let mut longest = vec![0u32; self.blocks.len()];
        for (i, block) in self.blocks.iter().enumerate().rev() {
            let rest = block.exit.targets().map(|to| longest[to]).max().unwrap_or(0);
            longest[i] = rest + block.steps.len() as u32;
        }
        longest.first().copied()
    }
}

/// Edges of reachable nodes that lead to each node, and the program's start.
pub fn count_entries<S, X: Exit>(nodes: &[Node<S, X>], start: usize, reachable: &[usize]) -> Vec<u32> {
    let mut entries = vec![0; nodes.len()];
    entries[start] = 1;
    for to in reachable.iter().flat_map(|&node| nodes[node].exit.targets()) {
        entries[to] += 1;
    }
    entries
}

/// The blocks that begin with these nodes, in this order; `joined` is the node that goes on a node's block.
pub fn form<S: Copy, X: Exit>(
    nodes: &[Node<S, X>],
    entries: &[u32],
    leaders: &[usize],
    joined: impl Fn(usize) -> Option<usize>,
) -> Vec<Block<S, X>> {
    let mut index = vec![usize::MAX; nodes.len()];
    for (i, &leader) in leaders.iter().enumerate() {
        index[leader] = i;
    }
    let block = |&leader: &usize| {
        let chain: Vec<usize> = std::iter::successors(Some(leader), |&node| joined(node)).collect();
        let last = chain.last().copied().unwrap_or(leader);
        Block {
            steps: chain.iter().filter_map(|&node| nodes[node].step).collect(),
            exit: nodes[last].exit.map(|to| index[to]),
            entries: entries[leader],
        }
    };
    leaders.iter().map(block).collect()
}
