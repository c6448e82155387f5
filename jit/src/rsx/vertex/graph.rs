//! Control flow graph of a vertex program, resolved at compile time.
//!
//! What calls are open is known everywhere, so the states "place and open calls" that a program can be in are walked
//! through once: calls are inlined, branches on branch bits are gone, what is left are branches on condition
//! registers.

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::rsx::operand::Test;
use triglyph_guest::rsx::vertex::{BranchVisitor, CALL_DEPTH, Instruction, Program};
use triglyph_guest::table::flags;

use crate::cfg::{self, Node, States, Walk};

/// Instructions, inlined calls counted each time, above which a program is unsupported.
const MAX_STEPS: usize = 4096;

/// A program as blocks. Steps are indices of instructions, and how many address registers are on the stack before each.
pub type Graph = cfg::Graph<(u16, u8), Exit>;

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

impl cfg::Exit for Exit {
    fn targets(self) -> impl Iterator<Item = usize> {
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

    fn next(self) -> Option<usize> {
        if let Exit::Go(to) = self { Some(to) } else { None }
    }
}

/// What is executed next, which calls are open, and how many address registers are on the stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    pc: u16,
    calls: Vec<u16>,
    pushed: u8,
}

struct Walker<'p> {
    code: &'p [Instruction],
    branch_bits: u32,
    /// Programs end in none.
    states: States<Option<State>>,
}

/// The blocks of a program under these branch bits.
pub fn graph(program: &Program, branch_bits: u32) -> Result<Graph, Unsupported> {
    let mut walker = Walker { code: &program.code, branch_bits, states: States::default() };
    let start = walker.node(program.entry, Vec::new(), 0);
    Ok(Graph::new(&walker.walk(MAX_STEPS)?, start))
}

impl Walk for Walker<'_> {
    type State = Option<State>;
    type Node = Node<(u16, u8), Exit>;

    fn states(&self) -> &States<Option<State>> {
        &self.states
    }

    fn step(&mut self, state: Option<State>) -> Self::Node {
        match state {
            None => Node { step: None, exit: Exit::End },
            Some(state) => self.instruction(state),
        }
    }
}

impl Walker<'_> {
    /// The node of a place.
    fn node(&mut self, pc: u16, calls: Vec<u16>, pushed: u8) -> usize {
        let is_there = usize::from(pc) < self.code.len();
        self.states.id(is_there.then_some(State { pc, calls, pushed }))
    }

    fn end(&mut self) -> usize {
        self.states.id(None)
    }

    /// Executes one instruction.
    fn instruction(&mut self, State { pc, calls, mut pushed }: State) -> Node<(u16, u8), Exit> {
        let code = self.code;
        let instruction = &code[usize::from(pc)];
        let step = Some((pc, pushed));
        let scalar = instruction.scalar;
        if instruction.end {
            return Node { step, exit: Exit::Go(self.end()) };
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
            None => this.walker.end(),
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
            return self.walker.end();
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
