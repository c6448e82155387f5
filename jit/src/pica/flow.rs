//! Control flow of PICA200 programs, resolved while compiling.
//!
//! A PICA200 unit has no blocks: after every instruction it compares the next address with the tops of three stacks
//! (calls, ifs, loops). The contents of the stacks are known statically, all but the counters of loops, so the states
//! "address and stacks" that a program can be in are enumerated:
//!
//! ```text
//! entry state -> step(instruction) -> after(stacks) -> states -> ...
//! ```
//!
//! Calls are thereby inlined, conditions on boolean uniforms are constant, and every quirk of the hardware's stacks is
//! reproduced. What remains are branches on flags and on the counters of loops. A program with unusual use of the
//! stacks has many states; above [`MAX_STEPS`] it is unsupported.

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::pica::isa::Condition;

use crate::cfg::{self, Node, States, Walk};

/// Programs with more instructions, inlined calls counted each time, are unsupported.
pub(crate) const MAX_STEPS: usize = 2048;

/// Entries that the loop stack holds; also the number of loop slots in [`Enter`] and [`Edge`].
pub(crate) const LOOPS: usize = 4;
const CALLS: usize = 4;
const IFS: usize = 8;

/// A condition of a control instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    /// Known: unconditional, or on a boolean uniform.
    Known(bool),
    /// On cmp.x and cmp.y.
    Flags(Condition),
}

/// The control flow of an instruction. `end` is the address after a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Next,
    End,
    Break { test: Test },
    Call { test: Test, target: u16, end: u16 },
    If { test: Test, else_at: u16, end: u16 },
    Loop { integer: u8, last: u16 },
    Jump { test: Test, target: u16 },
}

/// A program as blocks.
pub(crate) type Graph = cfg::Graph<Step, Exit>;

/// A block of it.
pub(crate) type Block = cfg::Block<Step, Exit>;

/// One instruction of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub pc: u16,
    /// It is a LOOP and begins this loop.
    pub enter: Option<Enter>,
}

/// The start of a loop: its counter goes to `slot`, its numbers are those of integer uniform `integer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Enter {
    pub slot: u8,
    pub integer: u8,
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The program ends.
    End,
    Go(Edge),
    Flags {
        condition: Condition,
        yes: Edge,
        no: Edge,
    },
}

/// An edge, and its effect on the innermost loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    To(usize),
    /// The loop ends: aL grows, then has its value from before if the loop is within another.
    Leave {
        inner: Inner,
        to: usize,
    },
    /// aL grows. With iterations left one is counted and `again` is next, else the loop ends as above.
    Repeat {
        inner: Inner,
        again: usize,
        out: usize,
    },
}

/// The innermost loop of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inner {
    pub slot: u8,
    pub integer: u8,
    /// Within another loop.
    pub nested: bool,
}

impl Edge {
    fn targets(self) -> impl Iterator<Item = usize> {
        let (a, b) = match self {
            Edge::To(to) | Edge::Leave { to, .. } => (to, None),
            Edge::Repeat { again, out, .. } => (again, Some(out)),
        };
        std::iter::once(a).chain(b)
    }

    fn map(self, f: impl Fn(usize) -> usize) -> Edge {
        match self {
            Edge::To(to) => Edge::To(f(to)),
            Edge::Leave { inner, to } => Edge::Leave { inner, to: f(to) },
            Edge::Repeat { inner, again, out } => Edge::Repeat { inner, again: f(again), out: f(out) },
        }
    }
}

impl cfg::Exit for Exit {
    fn targets(self) -> impl Iterator<Item = usize> {
        let (a, b) = match self {
            Exit::End => (None, None),
            Exit::Go(edge) => (Some(edge), None),
            Exit::Flags { yes, no, .. } => (Some(yes), Some(no)),
        };
        a.into_iter().chain(b).flat_map(Edge::targets)
    }

    fn map(self, f: impl Fn(usize) -> usize) -> Exit {
        match self {
            Exit::End => Exit::End,
            Exit::Go(edge) => Exit::Go(edge.map(f)),
            Exit::Flags { condition, yes, no } => Exit::Flags { condition, yes: yes.map(&f), no: no.map(&f) },
        }
    }

    fn next(self) -> Option<usize> {
        if let Exit::Go(Edge::To(to)) = self { Some(to) } else { None }
    }
}

/// The three stacks, oldest entries first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Stacks {
    /// At `.0` goes on at `.1`.
    calls: Vec<(u16, u16)>,
    /// At `.0` goes on at `.1`.
    ifs: Vec<(u16, u16)>,
    loops: Vec<LoopEntry>,
    /// Slot of the next loop: entries keep their slot when the oldest one is forgotten.
    slot: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct LoopEntry {
    first: u16,
    end: u16,
    integer: u8,
    slot: u8,
}

fn push<T>(stack: &mut Vec<T>, limit: usize, entry: T) {
    if stack.len() == limit {
        stack.remove(0);
    }
    stack.push(entry);
}

/// A state: what is executed next, and with which stacks. Programs end in a state that has no place.
type State = Option<(u16, usize)>;

struct Walker<F> {
    flow: F,
    states: States<State>,
    stacks: States<Stacks>,
}

/// The blocks of a program that begins at `entry`. `flow` tells what the instruction at an address does, `None` beyond
/// code memory, where programs end.
pub(crate) fn graph(entry: u16, flow: impl FnMut(u16) -> Option<Flow>) -> Result<Graph, Unsupported> {
    let mut walker = Walker { flow, states: States::default(), stacks: States::default() };
    let start = walker.node(entry, Stacks::default());
    Ok(Graph::new(&walker.walk(MAX_STEPS)?, start))
}

impl<F: FnMut(u16) -> Option<Flow>> Walk for Walker<F> {
    type State = State;
    type Node = Node<Step, Exit>;

    fn states(&self) -> &States<State> {
        &self.states
    }

    fn step(&mut self, state: State) -> Node<Step, Exit> {
        match state {
            None => Node { step: None, exit: Exit::End },
            Some((pc, stack)) => self.instruction(pc, self.stacks[stack].clone()),
        }
    }
}

impl<F: FnMut(u16) -> Option<Flow>> Walker<F> {
    /// The node of a place with its stacks.
    fn node(&mut self, pc: u16, stacks: Stacks) -> usize {
        let state = (self.flow)(pc).map(|_| (pc, self.stacks.id(stacks)));
        self.states.id(state)
    }

    fn end(&mut self) -> Edge {
        Edge::To(self.states.id(None))
    }

    /// Executes one instruction.
    fn instruction(&mut self, pc: u16, stacks: Stacks) -> Node<Step, Exit> {
        let mut enter = None;
        let exit = match (self.flow)(pc).unwrap_or(Flow::End) {
            Flow::Next => Exit::Go(self.after(pc, stacks, pc + 1, false)),
            Flow::End => Exit::Go(self.end()),
            Flow::Loop { integer, last } => {
                let (first, end, slot) = (pc + 1, last + 1, stacks.slot);
                let mut inside = stacks;
                push(&mut inside.loops, LOOPS, LoopEntry { first, end, integer, slot });
                inside.slot = (slot + 1) % LOOPS as u8;
                enter = Some(Enter { slot, integer });
                Exit::Go(self.after(pc, inside, pc + 1, false))
            }
            Flow::Break { test } => self.test(test, pc, stacks, |walker, stacks| match stacks.loops.is_empty() {
                // Hardware hangs.
                true => walker.end(),
                false => walker.after(pc, stacks, pc + 1, true),
            }),
            Flow::Jump { test, target } => {
                self.test(test, pc, stacks, |walker, stacks| walker.after(pc, stacks, target, false))
            }
            Flow::Call { test, target, end } => self.test(test, pc, stacks, |walker, mut stacks| {
                push(&mut stacks.calls, CALLS, (end, pc + 1));
                walker.after(pc, stacks, target, false)
            }),
            Flow::If { test, else_at, end } => self.branch(
                test,
                stacks,
                |walker, mut stacks| {
                    push(&mut stacks.ifs, IFS, (else_at, end));
                    walker.after(pc, stacks, pc + 1, false)
                },
                |walker, stacks| walker.after(pc, stacks, else_at, false),
            ),
        };
        Node { step: Some(Step { pc, enter }), exit }
    }

    /// Both ways of an instruction that does nothing when its condition does not hold.
    fn test(&mut self, test: Test, pc: u16, stacks: Stacks, yes: impl FnOnce(&mut Self, Stacks) -> Edge) -> Exit {
        self.branch(test, stacks, yes, |walker, stacks| walker.after(pc, stacks, pc + 1, false))
    }

    fn branch(
        &mut self,
        test: Test,
        stacks: Stacks,
        yes: impl FnOnce(&mut Self, Stacks) -> Edge,
        no: impl FnOnce(&mut Self, Stacks) -> Edge,
    ) -> Exit {
        match test {
            Test::Known(true) => Exit::Go(yes(self, stacks)),
            Test::Known(false) => Exit::Go(no(self, stacks)),
            Test::Flags(condition) => {
                let yes = yes(self, stacks.clone());
                let no = no(self, stacks);
                if yes == no { Exit::Go(yes) } else { Exit::Flags { condition, yes, no } }
            }
        }
    }

    /// The edge after the instruction at `pc`, which leads to `next`: the stacks are compared in order, CALL first and
    /// LOOP last, and the last match decides. `leave`: a BREAK was executed.
    fn after(&mut self, pc: u16, mut stacks: Stacks, mut next: u16, leave: bool) -> Edge {
        // Compares the following address, not the target of a jump: a jump at the end of a block is lost.
        let following = pc + 1;
        let mut reached = following;
        for ended in 0..4 {
            let Some(&(_, back)) = stacks.calls.last().filter(|(end, _)| *end == reached) else { break };
            // The fourth return in a row is not taken, a quirk of the hardware.
            if ended < 3 {
                (next, reached) = (back, back);
            }
            stacks.calls.pop();
        }
        if let Some(&(_, end)) = stacks.ifs.last().filter(|(else_at, _)| *else_at == following) {
            next = end;
            stacks.ifs.pop();
        }
        let Some(&innermost) = stacks.loops.last().filter(|l| leave || l.end == following) else {
            return Edge::To(self.node(next, stacks));
        };
        let LoopEntry { first, end, integer, slot } = innermost;
        let inner = Inner { slot, integer, nested: stacks.loops.len() > 1 };
        let again = (!leave).then(|| self.node(first, stacks.clone()));
        stacks.loops.pop();
        stacks.slot = slot;
        let out = self.node(end, stacks);
        match again {
            Some(again) => Edge::Repeat { inner, again, out },
            None => Edge::Leave { inner, to: out },
        }
    }
}

#[cfg(test)]
mod tests;
