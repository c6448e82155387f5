//! Control flow graph of a fragment program, resolved at compile time.
//!
//! A fragment's stack of open structures is known everywhere but for the passes that loops have left. So the states
//! "place and stack" that a program can be in are walked through once, calls are thereby inlined, and what is
//! left is a graph of blocks whose only cycles are passes of loops. Its blocks are in the order in which the contract
//! says that lanes run: then all lanes that can reach a block in a pass have arrived when its turn comes, and a walk
//! through the blocks with a mask for each executes them together as they should be.

use std::collections::HashSet;

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::program::fragment::FUEL;
use triglyph_guest::rsx::fragment::{CALL_DEPTH, Flow, FlowVisitor, Instruction, Program, Step};
use triglyph_guest::rsx::operand::Test;

use super::block::Steps;
pub use super::block::{Block, Edge, Exit};
use crate::cfg::order::reverse_postorder;
use crate::cfg::{Exit as _, Node, States, Walk, count_entries, form};

/// Instructions, inlined calls counted each time, above which a program is unsupported.
const MAX_STEPS: usize = 4096;

/// Loops inside of each other above which a program is unsupported.
const MAX_LOOPS: usize = 16;

/// A program as blocks. Block 0 is the first one.
#[derive(Debug)]
pub struct Graph {
    /// In the order of execution: edges to the same or an earlier block are those of loops.
    pub blocks: Vec<Block>,
    /// Loops that can be open at once.
    pub loops: usize,
    /// Whether instructions have to be counted, because the program may take too many.
    pub counted: bool,
    /// Instructions in all blocks.
    pub size: usize,
}

/// An open structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Open {
    If { first: u16, target: u16, end: u16 },
    Loop { by: u16, end: u16 },
    Call { site: u16 },
}

/// A place: before an instruction, or at the end of a loop's pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    pc: u16,
    pass_done: bool,
    stack: Vec<Open>,
}

/// The position of a state among the others: places of open calls, then its own, a finished pass before what follows.
/// At the same instruction fewer open structures come first; of passes that end at the same place the inner one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Order {
    place: Vec<u32>,
    open: isize,
}

impl State {
    fn order(&self) -> Order {
        let calls = self.stack.iter().filter_map(|open| match open {
            Open::Call { site } => Some(2 * u32::from(*site) + 1),
            _ => None,
        });
        let here = 2 * u32::from(self.pc) + 1 - u32::from(self.pass_done);
        let open = self.stack.len() as isize;
        Order { place: calls.chain([here]).collect(), open: if self.pass_done { -open } else { open } }
    }

    fn loops(&self) -> usize {
        self.stack.iter().filter(|open| matches!(open, Open::Loop { .. })).count()
    }
}

struct Walker<'p> {
    code: &'p [Step],
    states: States<State>,
}

impl Walk for Walker<'_> {
    type State = State;
    type Node = Node<u16, Exit>;

    fn states(&self) -> &States<State> {
        &self.states
    }

    fn step(&mut self, state: State) -> Node<u16, Exit> {
        let step = (!state.pass_done).then_some(state.pc);
        Node { step, exit: if state.pass_done { self.pass(state) } else { self.instruction(state) } }
    }
}

impl Graph {
    /// The blocks of a program.
    pub fn new(program: &Program) -> Result<Graph, Unsupported> {
        let mut walker = Walker { code: &program.code, states: States::default() };
        let Some(start) = walker.arrive(0, Vec::new()) else {
            let block = Steps { steps: Vec::new(), exit: Exit::End, entries: 1 };
            let blocks = vec![Block { block, index: None, full: true, skip: 1 }];
            return Ok(Graph { blocks, loops: 0, counted: false, size: 0 });
        };
        let nodes = walker.walk(MAX_STEPS)?;
        walker.graph(&nodes, start)
    }
}

/// Whether an instruction is a CAL.
pub fn is_call(step: &Step) -> bool {
    matches!(step.instruction, Instruction::Flow(flow) if flow.op.is_call())
}

impl Walker<'_> {
    /// The node of a place, once structures that end there are closed; `None` at the program's end.
    fn arrive(&mut self, mut pc: u16, mut stack: Vec<Open>) -> Option<usize> {
        let mut pass_done = false;
        while let Some(&open) = stack.last() {
            match open {
                Open::If { target, end, .. } if pc == target => {
                    pc = end;
                    stack.pop();
                }
                Open::If { first, target, .. } if pc < first || pc > target => {
                    stack.pop();
                }
                Open::Loop { end, .. } if pc == end => {
                    pass_done = true;
                    break;
                }
                Open::Loop { by, end } if pc <= by || pc > end => {
                    stack.pop();
                }
                _ => break,
            }
        }
        if !pass_done && usize::from(pc) >= self.code.len() {
            return None;
        }
        Some(self.states.id(State { pc, pass_done, stack }))
    }

    fn to(&mut self, pc: u16, stack: Vec<Open>) -> Edge {
        self.arrive(pc, stack).map_or(Edge::End, Edge::To)
    }

    /// Ends a pass of the innermost loop.
    fn pass(&mut self, state: State) -> Exit {
        let slot = state.loops() - 1;
        let State { pc, mut stack, .. } = state;
        let Some(Open::Loop { by, .. }) = stack.last().copied() else { return Exit::End };
        let again = self.arrive(by + 1, stack.clone());
        stack.pop();
        let out = self.to(pc, stack);
        again.map_or(Exit::End, |again| Exit::Pass { slot, again, out })
    }

    /// Executes one instruction.
    fn instruction(&mut self, State { pc, stack, .. }: State) -> Exit {
        match self.code[usize::from(pc)].instruction {
            instruction if instruction.ends() => Exit::End,
            Instruction::Compute(_) => Exit::Go(self.to(pc + 1, stack)),
            Instruction::Flow(flow) => self.flow(pc, &flow, stack),
        }
    }

    fn flow(&mut self, pc: u16, flow: &Flow, stack: Vec<Open>) -> Exit {
        let Step { target, end, .. } = self.code[usize::from(pc)];
        let mut step = FlowStep { walker: self, flow, stack, pc, target, end };
        let Some(Targets { yes, no }) = step.visit(flow.op, [(); 3]) else { return Exit::End };
        match flow.condition.map(|condition| condition.test) {
            None => Exit::Go(yes),
            Some(Test::FALSE) => Exit::Go(no),
            Some(_) if yes == no => Exit::Go(yes),
            Some(_) => Exit::Fork { yes, no },
        }
    }
}

/// Where lanes go for which the condition of an instruction holds, and the others.
struct Targets {
    yes: Edge,
    no: Edge,
}

impl Targets {
    /// The same for all lanes.
    fn both(to: Edge) -> Targets {
        Targets { yes: to, no: to }
    }
}

/// An instruction of flow control in a state.
struct FlowStep<'w, 'p> {
    walker: &'w mut Walker<'p>,
    flow: &'w Flow,
    stack: Vec<Open>,
    pc: u16,
    /// As in [`Step`].
    target: u16,
    end: u16,
}

impl FlowVisitor for FlowStep<'_, '_> {
    type Source = ();
    type Output = Targets;

    fn brk(&mut self) -> Targets {
        let no = self.next();
        let open = self.stack.iter().rposition(|open| !matches!(open, Open::If { .. }));
        match open.map(|at| (at, self.stack[at])) {
            Some((at, Open::Loop { end, .. })) => {
                self.stack.truncate(at);
                Targets { yes: self.to(end), no }
            }
            _ => Targets::both(no),
        }
    }
    fn cal(&mut self) -> Targets {
        let no = self.next();
        if self.stack.iter().filter(|open| matches!(open, Open::Call { .. })).count() >= CALL_DEPTH {
            return Targets::both(no);
        }
        self.stack.push(Open::Call { site: self.pc });
        Targets { yes: self.to(self.target), no }
    }
    fn ife(&mut self) -> Targets {
        let (first, target, end) = (self.pc + 1, self.target, self.end);
        let mut inside = self.stack.clone();
        inside.push(Open::If { first, target, end });
        let yes = self.walker.to(first, inside);
        Targets { yes, no: self.to(target) }
    }
    fn loop_(&mut self) -> Targets {
        self.repeat()
    }
    fn rep(&mut self) -> Targets {
        self.repeat()
    }
    fn ret(&mut self) -> Targets {
        let no = self.next();
        let innermost = self.stack.iter().enumerate().rev().find_map(|(at, open)| match open {
            Open::Call { site } => Some((at, *site)),
            Open::If { .. } | Open::Loop { .. } => None,
        });
        let Some((at, site)) = innermost else { return Targets { yes: Edge::End, no } };
        self.stack.truncate(at);
        Targets { yes: self.to(site + 1), no }
    }
}

impl FlowStep<'_, '_> {
    /// To an instruction with the structures that are open.
    fn to(&mut self, pc: u16) -> Edge {
        self.walker.to(pc, self.stack.clone())
    }

    fn next(&mut self) -> Edge {
        self.to(self.pc + 1)
    }

    /// LOOP and REP.
    fn repeat(&mut self) -> Targets {
        let (by, end) = (self.pc, self.end);
        if end <= by + 1 {
            return Targets::both(self.next());
        }
        let slot = State { pc: by, pass_done: false, stack: self.stack.clone() }.loops();
        let mut inside = self.stack.clone();
        inside.push(Open::Loop { by, end });
        let body = self.walker.arrive(by + 1, inside);
        let out = self.to(end);
        let enter = body.map_or(Edge::End, |to| Edge::Enter { slot, by, to });
        Targets { yes: if self.flow.count == 0 { out } else { enter }, no: out }
    }
}

impl Walker<'_> {
    /// Joins nodes that can only follow each other, and puts the blocks in order.
    fn graph(self, nodes: &[Node<u16, Exit>], start: usize) -> Result<Graph, Unsupported> {
        let reachable = reverse_postorder(nodes.len(), start, |node| nodes[node].exit.targets());
        let entries = count_entries(nodes, start, &reachable);
        let order = self.order(reachable)?;
        let mut rank = vec![usize::MAX; nodes.len()];
        for (i, &node) in order.iter().enumerate() {
            rank[node] = i;
        }
        // Only neighbours: blocks between them may have lanes that run first.
        let joins = |node: usize, to: usize| {
            let (from, into) = (&self.states[node], &self.states[to]);
            entries[to] == 1
                && rank[to] == rank[node] + 1
                && !into.pass_done
                && !self.calls(from.pc)
                && self.index_of(&from.stack) == self.index_of(&into.stack)
        };
        let joined = |node: usize| nodes[node].exit.next().filter(|&to| joins(node, to));
        let follows: HashSet<usize> = order.iter().filter_map(|&node| joined(node)).collect();
        let leaders: Vec<usize> = order.iter().copied().filter(|node| !follows.contains(node)).collect();
        if leaders.first() != Some(&start) {
            return Err(Unsupported("a program that does not begin at its beginning"));
        }
        let steps = form(nodes, &entries, &leaders, joined);
        let with_index = |(block, &leader): (Steps, &usize)| Block {
            block,
            index: self.index_of(&self.states[leader].stack),
            full: false,
            skip: 0,
        };
        let mut blocks: Vec<Block> = steps.into_iter().zip(&leaders).map(with_index).collect();
        let loops = order.iter().map(|&node| self.states[node].loops()).max().unwrap_or(0);
        if loops > MAX_LOOPS {
            return Err(Unsupported("too many loops inside of each other"));
        }
        let counted = self.most_instructions(&leaders, &blocks) > u64::from(FUEL);
        let size = blocks.iter().map(|block| block.steps.len()).sum();
        super::order::complete(&mut blocks);
        Ok(Graph { blocks, loops, counted, size })
    }

    /// Whether an instruction is a CAL: fuel is checked after it, so that it ends a block.
    fn calls(&self, pc: u16) -> bool {
        is_call(&self.code[usize::from(pc)])
    }

    /// Nodes in the order of execution.
    fn order(&self, mut nodes: Vec<usize>) -> Result<Vec<usize>, Unsupported> {
        nodes.sort_by_cached_key(|&node| self.states[node].order());
        if nodes.windows(2).any(|pair| self.states[pair[0]].order() == self.states[pair[1]].order()) {
            return Err(Unsupported("different structures around one place"));
        }
        Ok(nodes)
    }

    /// The innermost LOOP of a stack and its slot.
    fn index_of(&self, stack: &[Open]) -> Option<(usize, u16)> {
        let loops = stack.iter().filter_map(|open| match open {
            Open::Loop { by, .. } => Some(*by),
            _ => None,
        });
        let is_loop = |by: u16| match self.code[usize::from(by)].instruction {
            Instruction::Flow(flow) => flow.op.has_index(),
            Instruction::Compute(_) => false,
        };
        loops.enumerate().filter(|&(_, by)| is_loop(by)).last()
    }

    /// An upper bound of the instructions that a quad can execute.
    fn most_instructions(&self, leaders: &[usize], blocks: &[Block]) -> u64 {
        let passes = |by: u16| match self.code[usize::from(by)].instruction {
            Instruction::Flow(flow) => u64::from(flow.count),
            Instruction::Compute(_) => 1,
        };
        let times = |leader: usize| {
            self.states[leader].stack.iter().fold(1u64, |times, open| match open {
                Open::Loop { by, .. } => times.saturating_mul(passes(*by)),
                _ => times,
            })
        };
        // In a loop only calls that it makes itself may be repeated, so that products of the stack are the bound.
        leaders.iter().zip(blocks).fold(0, |sum: u64, (&leader, block)| {
            sum.saturating_add(times(leader).saturating_mul(block.steps.len() as u64))
        })
    }
}
