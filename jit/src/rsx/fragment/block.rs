//! Blocks of a fragment program, and the edges between them.

use std::ops::Deref;

use crate::cfg;

/// Instructions that lanes execute one after the other, by their indices, those of flow control included.
pub type Steps = cfg::Block<u16, Exit>;

/// A block.
#[derive(Debug)]
pub struct Block {
    pub block: Steps,
    /// The index register in here: that of the loop in this slot, begun by this instruction.
    pub index: Option<(usize, u16)>,
    /// All lanes are in it whenever it runs.
    pub full: bool,
    /// The next block in which there may be lanes when there are none in this one; the number of blocks at the end.
    pub skip: usize,
}

impl Deref for Block {
    type Target = Steps;

    fn deref(&self) -> &Steps {
        &self.block
    }
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The lanes end.
    End,
    Go(Edge),
    /// By the condition of the block's last instruction.
    Fork {
        yes: Edge,
        no: Edge,
    },
    /// A pass of the loop in `slot` is done: another one, or out of it.
    Pass {
        slot: usize,
        again: usize,
        out: Edge,
    },
}

/// An edge: its target, and its effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    End,
    To(usize),
    /// Begins the loop of an instruction in a slot.
    Enter {
        slot: usize,
        by: u16,
        to: usize,
    },
}

impl Edge {
    /// The block, if there is one.
    pub fn target(self) -> Option<usize> {
        match self {
            Edge::End => None,
            Edge::To(to) | Edge::Enter { to, .. } => Some(to),
        }
    }

    pub fn map(self, f: impl Fn(usize) -> usize) -> Edge {
        match self {
            Edge::End => self,
            Edge::To(to) => Edge::To(f(to)),
            Edge::Enter { slot, by, to } => Edge::Enter { slot, by, to: f(to) },
        }
    }
}

impl cfg::Exit for Exit {
    fn targets(self) -> impl Iterator<Item = usize> {
        let edges = match self {
            Exit::End => [None; 2],
            Exit::Go(edge) => [edge.target(), None],
            Exit::Fork { yes, no } => [yes.target(), no.target()],
            Exit::Pass { again, out, .. } => [Some(again), out.target()],
        };
        edges.into_iter().flatten()
    }

    fn map(self, f: impl Fn(usize) -> usize) -> Exit {
        match self {
            Exit::End => Exit::End,
            Exit::Go(edge) => Exit::Go(edge.map(f)),
            Exit::Fork { yes, no } => Exit::Fork { yes: yes.map(&f), no: no.map(&f) },
            Exit::Pass { slot, again, out } => Exit::Pass { slot, again: f(again), out: out.map(&f) },
        }
    }
    fn next(self) -> Option<usize> {
        if let Exit::Go(Edge::To(to)) = self { Some(to) } else { None }
    }
}

impl Exit {
    /// Every edge that goes on to later blocks.
    pub fn onwards(self) -> impl Iterator<Item = Edge> {
        let edges = match self {
            Exit::End => [Some(Edge::End), None],
            Exit::Go(edge) | Exit::Pass { out: edge, .. } => [Some(edge), None],
            Exit::Fork { yes, no } => [Some(yes), Some(no)],
        };
        edges.into_iter().flatten()
    }
}
