//! Control flow of a vertex program, resolved while compiling.
//!
//! What calls are open is known everywhere, so the states "place and open calls" that a program can be in are walked
//! through once: calls are inlined, branches on branch bits are gone, what is left are branches on condition
//! registers.

use std::collections::HashMap;

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::rsx::operand::Test;
use triglyph_guest::rsx::vertex::{BranchVisitor, CALL_DEPTH, Instruction, Program};
use triglyph_guest::table::flags;

use crate::flow::{chains, reverse_postorder};

/// Instructions, inlined calls counted each time, above which a program is refused.
const MAX_STEPS: usize = 4096;

/// A program as blocks. Block 0 is the first one.
#[derive(Debug)]
pub struct Graph {
    /// Ordered so that edges to the same or an earlier block are the only ones that close cycles.
    pub blocks: Vec<Block>,
    /// Whether there are cycles.
    pub cyclic: bool,
    /// Instructions in all blocks.
    pub size: u32,
}

/// Instructions executed one after the other.
#[derive(Debug)]
pub struct Block {
    /// Indices of instructions, and how many address registers are on the stack before each.
    pub steps: Vec<(u16, u8)>,
    pub exit: Exit,
    /// Edges that lead here; the program's start is one.
    pub entries: u32,
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The program ends.
    End,
    Go(usize),
    /// By the condition of the last instruction.
    Fork {
        yes: usize,
        no: usize,
    },
}

impl Exit {
    /// Every block that may be next.
    pub fn targets(self) -> impl Iterator<Item = usize> {
        let (a, b) = match self {
            Exit::End => (None, None),
            Exit::Go(to) => (Some(to), None),
            Exit::Fork { yes, no } => (Some(yes), Some(no)),
        };
        a.into_iter().chain(b)
    }

    fn map(self, f: impl Fn(usize) -> usize) -> Exit {
        match self {
            Exit::End => Exit::End,
            Exit::Go(to) => Exit::Go(f(to)),
            Exit::Fork { yes, no } => Exit::Fork { yes: f(yes), no: f(no) },
        }
    }
}

/// What is executed next, which calls are open, and how many address registers are on the stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    pc: u16,
    calls: Vec<u16>,
    pushed: u8,
}

struct Node {
    step: Option<(u16, u8)>,
    exit: Exit,
}

struct Walker<'p> {
    code: &'p [Instruction],
    branch_bits: u32,
    nodes: Vec<Node>,
    states: Vec<State>,
    ids: HashMap<State, usize>,
}

/// The node where programs end.
const END: usize = 0;

impl Graph {
    /// The blocks of a program under these branch bits.
    pub fn new(program: &Program, branch_bits: u32) -> Result<Graph, Unsupported> {
        let none = State { pc: u16::MAX, calls: Vec::new(), pushed: 0 };
        let mut walker = Walker {
            code: &program.code,
            branch_bits,
            nodes: vec![Node { step: None, exit: Exit::End }],
            states: vec![none],
            ids: HashMap::new(),
        };
        let start = walker.node(program.entry, Vec::new(), 0);
        while walker.nodes.len() < walker.states.len() {
            if walker.states.len() > MAX_STEPS {
                return Err(Unsupported("a program that is too long with its calls"));
            }
            let node = walker.step(walker.states[walker.nodes.len()].clone());
            walker.nodes.push(node);
        }
        Ok(blocks(&walker.nodes, start))
    }

    /// The most instructions that a vertex can take; `None` where there are cycles.
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

impl Walker<'_> {
    /// The node of a state; a new one is worked off later.
    fn node(&mut self, pc: u16, calls: Vec<u16>, pushed: u8) -> usize {
        if usize::from(pc) >= self.code.len() {
            return END;
        }
        let state = State { pc, calls, pushed };
        if let Some(&id) = self.ids.get(&state) {
            return id;
        }
        self.states.push(state.clone());
        self.ids.insert(state, self.states.len() - 1);
        self.states.len() - 1
    }

    /// Executes one instruction.
    fn step(&mut self, State { pc, calls, mut pushed }: State) -> Node {
        let code = self.code;
        let instruction = &code[usize::from(pc)];
        let step = Some((pc, pushed));
        let scalar = instruction.scalar;
        if instruction.end {
            return Node { step, exit: Exit::Go(END) };
        }
        if scalar.op.has(flags::PUSHES) {
            pushed = (pushed + 1).min(CALL_DEPTH as u8);
        } else if scalar.op.has(flags::POPS) {
            pushed = pushed.saturating_sub(1);
        }
        let no = self.node(pc + 1, calls.clone(), pushed);
        let mut branch = Branch { walker: self, instruction, pc, calls, pushed, no };
        let exit = branch.visit(scalar.op, [(); 3]).unwrap_or(Exit::Go(no));
        Node { step, exit }
    }
}

/// A branch in a state.
struct Branch<'w, 'p> {
    walker: &'w mut Walker<'p>,
    instruction: &'p Instruction,
    pc: u16,
    calls: Vec<u16>,
    pushed: u8,
    /// The node of the next instruction.
    no: usize,
}

impl BranchVisitor for Branch<'_, '_> {
    type Source = ();
    type Output = Exit;

    fn bra(&mut self) -> Exit {
        self.exit(self.condition(), Self::jump)
    }
    fn bri(&mut self) -> Exit {
        self.exit(self.condition(), Self::jump)
    }
    fn cal(&mut self) -> Exit {
        self.exit(self.condition(), Self::call)
    }
    fn cli(&mut self) -> Exit {
        self.exit(self.condition(), Self::call)
    }
    fn ret(&mut self) -> Exit {
        self.exit(self.condition(), |this| match this.calls.pop() {
            Some(back) => this.node(back),
            None => END,
        })
    }
    fn brb(&mut self) -> Exit {
        self.exit(Some(self.branch_bit()), Self::jump)
    }
    fn clb(&mut self) -> Exit {
        self.exit(Some(self.branch_bit()), Self::call)
    }
}

impl Branch<'_, '_> {
    /// Whether the condition holds; `None` if that is known only when the program runs.
    fn condition(&self) -> Option<bool> {
        match self.instruction.condition.map(|condition| condition.test) {
            None | Some(Test::TRUE) => Some(true),
            Some(Test::FALSE) => Some(false),
            Some(_) => None,
        }
    }

    fn branch_bit(&self) -> bool {
        let scalar = &self.instruction.scalar;
        (self.walker.branch_bits >> scalar.branch_bit & 1 != 0) == scalar.branch_value
    }

    fn node(&mut self, pc: u16) -> usize {
        self.walker.node(pc, std::mem::take(&mut self.calls), self.pushed)
    }

    /// The node that a branch leads to.
    fn jump(&mut self) -> usize {
        self.node(self.instruction.scalar.target)
    }

    /// The node that a call leads to.
    fn call(&mut self) -> usize {
        if self.calls.len() >= CALL_DEPTH {
            return END;
        }
        self.calls.push(self.pc + 1);
        self.node(self.instruction.scalar.target)
    }

    /// The exit to the node `yes` or to the next instruction.
    fn exit(&mut self, taken: Option<bool>, yes: impl FnOnce(&mut Self) -> usize) -> Exit {
        let no = self.no;
        if taken == Some(false) {
            return Exit::Go(no);
        }
        let yes = yes(self);
        if taken == Some(true) || yes == no { Exit::Go(yes) } else { Exit::Fork { yes, no } }
    }
}

/// Joins nodes that can only follow each other, and puts the blocks in order.
fn blocks(nodes: &[Node], start: usize) -> Graph {
    let reachable = reverse_postorder(nodes.len(), start, |node| nodes[node].exit.targets());
    let mut entries = vec![0u32; nodes.len()];
    entries[start] = 1;
    for to in reachable.iter().flat_map(|&node| nodes[node].exit.targets()) {
        entries[to] += 1;
    }
    // The node that goes on a node's block.
    let joined = |node: usize| match nodes[node].exit {
        Exit::Go(to) if entries[to] == 1 && to != start => Some(to),
        _ => None,
    };
    let chains = chains(nodes.len(), start, joined, |node| nodes[node].exit.targets());
    let block = |chain: &Vec<usize>| Block {
        steps: chain.iter().filter_map(|&node| nodes[node].step).collect(),
        exit: nodes[chain[chain.len() - 1]].exit.map(|to| chains.index[to]),
        entries: entries[chain[0]],
    };
    let blocks: Vec<Block> = chains.order.iter().map(block).collect();
    let cyclic = blocks.iter().enumerate().any(|(i, block)| block.exit.targets().any(|to| to <= i));
    let size = blocks.iter().map(|block| block.steps.len() as u32).sum();
    Graph { blocks, cyclic, size }
}
