//! Control flow graph of a program, built while compiling.
//!
//! A lane's stack is known statically but for the targets of its entries: a node is an instruction and the tokens of
//! the stack entries. The targets that an entry can have are found by a data-flow analysis over the program; where a
//! pop finds more than one, the code keeps the target of that depth in a register of its own. So entries keep their
//! depth: where SYNC takes one from below others, a gap stays until those above are gone. Chains of nodes are blocks,
//! in the contract's order: the most entries first, then by address. Of the lanes of a warp those run whose block has
//! the lowest number.

use std::collections::{BTreeSet, HashMap, HashSet};

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::maxwell::{Code, FUEL, LANES, STACK};
use triglyph_guest::tegra::shader::isa::{Op, decode};
use triglyph_guest::tegra::shader::program::{Destination, Flow, Token, is_control, next, settle, step};
use triglyph_guest::tegra::shader::special::reads_clock;

use super::Lanes;
use crate::cfg::order::is_cyclic;

/// Programs with more pairs of instruction and stack are unsupported.
const MAX_NODES: usize = 12_000;

/// A program as blocks.
#[derive(Debug)]
pub struct Graph {
    /// In order of priority.
    pub blocks: Vec<Block>,
    /// The block that lanes begin in.
    pub first: BlockRef,
    /// Whether instructions have to be counted, because the program may take too many or asks for the time.
    pub counted: bool,
    /// Whether what warps count beyond the words of the code is reported; see [`Graph::reporting`].
    pub reports: bool,
    /// Whether one lane may execute more instructions than the code has words.
    repeats: bool,
    /// Stack depths whose target is known only at run time.
    pub dynamic: Vec<bool>,
    /// Instructions in all blocks.
    pub size: usize,
    /// Whether lanes at the same address and depth may have different stacks.
    pub ambiguous: bool,
}

/// State that an operation shares with lanes that execute the same block before or after its own; decides which
/// operations may be in one block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    /// It reads registers of other lanes as they are when the block begins: it must be the first.
    pub first: bool,
    /// Lanes wait after it: it must be the last.
    pub last: bool,
    /// Memories that it reads and writes, a bit each.
    pub reads: u8,
    pub writes: u8,
}

/// Shared state of the operations of a block.
#[derive(Default)]
struct BlockSharing {
    any: bool,
    all: Sharing,
}

impl BlockSharing {
    /// Adds an operation, if it may be in the block.
    fn takes(&mut self, op: Sharing) -> bool {
        let all = &mut self.all;
        let conflict = op.writes & (all.reads | all.writes) != 0 || op.reads & all.writes != 0;
        if conflict || all.last || op.first && self.any {
            return false;
        }
        self.any = true;
        *all = Sharing { first: false, last: op.last, reads: all.reads | op.reads, writes: all.writes | op.writes };
        true
    }
}

/// A block by its index, or `None` where the lane ends.
pub type BlockRef = Option<usize>;

/// An instruction of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub address: u32,
    pub word: u64,
    /// The stack entry that it pushes: its depth and target.
    pub push: Option<(usize, BlockRef)>,
}

/// A basic block.
#[derive(Debug)]
pub struct Block {
    pub steps: Vec<Step>,
    /// Where lanes continue after the last instruction; if that is conditional, the lanes for which the condition
    /// holds.
    pub taken: BranchTarget,
    /// Whether fuel is checked at its end, see the contract.
    pub check: bool,
    /// Where the other lanes continue, if the last instruction is conditional.
    pub not_taken: Option<BlockRef>,
}

/// The target of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchTarget {
    Block(BlockRef),
    /// The stack entry at a depth, one of these.
    Stack(usize, Vec<BlockRef>),
    /// The address that the instruction computes, if it is one of these.
    Computed(Vec<(u32, BlockRef)>),
}

impl Block {
    /// All successors.
    pub fn targets(&self) -> Vec<usize> {
        let taken: Vec<BlockRef> = match &self.taken {
            BranchTarget::Block(to) => vec![*to],
            BranchTarget::Stack(_, all) => all.clone(),
            BranchTarget::Computed(all) => all.iter().map(|(_, to)| *to).collect(),
        };
        taken.into_iter().chain([self.not_taken.flatten()]).flatten().collect()
    }
}

/// A point in the program: an address and the tokens on the stack, without gaps at its end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct ProgramPoint {
    pc: u32,
    kinds: Vec<Option<Token>>,
}

impl ProgramPoint {
    /// Entries of the stack.
    fn entries(&self) -> usize {
        self.kinds.iter().flatten().count()
    }
}

/// Possible targets of the stack's entries.
type Targets = Vec<BTreeSet<u32>>;

/// An edge of the graph: the next point with the possible targets of its stack, or `None` where the lane ends.
type Edge = Option<(ProgramPoint, Targets)>;

/// The control flow of an instruction.
struct Outcome {
    taken: Successors,
    check: bool,
    not_taken: Option<Edge>,
    push: Option<(usize, Option<ProgramPoint>)>,
}

enum Successors {
    /// The next instruction.
    Next(Edge),
    To(Edge),
    Stack(usize, Vec<Edge>),
    Computed(Vec<(u32, Edge)>),
}

impl Successors {
    fn all(&self) -> Vec<&Edge> {
        match self {
            Successors::Next(go) | Successors::To(go) => vec![go],
            Successors::Stack(_, all) => all.iter().collect(),
            Successors::Computed(all) => all.iter().map(|(_, go)| go).collect(),
        }
    }
}

struct Walker<'c> {
    code: &'c Code,
    ids: HashMap<ProgramPoint, usize>,
    points: Vec<ProgramPoint>,
    targets: Vec<Targets>,
}

impl Graph {
    /// The graph of a program. `sharing` tells what operations share with lanes that execute a block later.
    pub fn new(code: &Code, sharing: impl Fn(Op) -> Sharing) -> Result<Graph, Unsupported> {
        let mut walker = Walker { code, ids: HashMap::new(), points: Vec::new(), targets: Vec::new() };
        let Some(first) = walker.point(settle(0), &[]) else { return Ok(Graph::empty()) };
        let mut open = vec![walker.id(&first)];
        let mut seen = HashSet::from([open[0]]);
        while let Some(id) = open.pop() {
            let outcome = walker.step(id)?;
            for (point, targets) in outcome.taken.all().into_iter().chain(&outcome.not_taken).flatten() {
                let to = walker.id(point);
                if walker.learn(to, targets) | seen.insert(to) {
                    open.push(to);
                }
            }
            if let Some((_, Some(point))) = &outcome.push {
                walker.id(point);
            }
            if walker.points.len() > MAX_NODES {
                return Err(Unsupported("a program with too many states of its stack"));
            }
        }
        walker.graph(&first, sharing)
    }

    fn empty() -> Graph {
        Graph {
            blocks: Vec::new(),
            first: None,
            counted: false,
            reports: false,
            repeats: false,
            dynamic: Vec::new(),
            size: 0,
            ambiguous: false,
        }
    }

    /// The graph of a stage whose warps report what they count beyond the words of the code. It counts where there may
    /// be something to report: lanes of a warp that part execute blocks one after the other.
    pub fn reporting(mut self, lanes: Lanes) -> Graph {
        self.reports = self.repeats || lanes == Lanes::WarpSlice && self.blocks.len() > 1;
        self.counted |= self.reports;
        self
    }

    /// The graph of quads of pixels, whose lanes execute no instruction twice but in programs that repeat some.
    pub fn counting_repeats(mut self) -> Graph {
        self.counted |= self.repeats;
        self
    }

    /// Whether the program is one block, after which all lanes end.
    pub fn is_straight(&self) -> bool {
        self.blocks.len() <= 1 && self.blocks.iter().all(|block| block.targets().is_empty())
    }
}

impl Walker<'_> {
    /// The point at an address, if that is in the code.
    fn point(&self, pc: u32, kinds: &[Option<Token>]) -> Option<ProgramPoint> {
        let there = pc.is_multiple_of(8) && (pc as usize / 8) < self.code.words.len();
        there.then(|| ProgramPoint { pc, kinds: kinds.to_vec() })
    }

    fn id(&mut self, point: &ProgramPoint) -> usize {
        if let Some(&id) = self.ids.get(point) {
            return id;
        }
        let id = self.points.len();
        self.points.push(point.clone());
        self.targets.push(vec![BTreeSet::new(); point.kinds.len()]);
        self.ids.insert(point.clone(), id);
        id
    }

    /// Adds possible targets to a node; returns whether any was new.
    fn learn(&mut self, id: usize, targets: &Targets) -> bool {
        let mut news = false;
        for (known, new) in self.targets[id].iter_mut().zip(targets) {
            let before = known.len();
            known.extend(new);
            news |= known.len() != before;
        }
        news
    }

    fn step(&mut self, id: usize) -> Result<Outcome, Unsupported> {
        let (point, targets) = (self.points[id].clone(), self.targets[id].clone());
        let word = self.code.words[point.pc as usize / 8];
        let to = |this: &Self, pc: u32, depth: usize| -> Edge {
            Some((this.point(pc, &point.kinds[..depth])?, targets[..depth].to_vec()))
        };
        let depth = point.kinds.len();
        let after = next(point.pc);
        let plain = |this: &Self| Outcome {
            taken: Successors::Next(to(this, after, depth)),
            check: false,
            not_taken: None,
            push: None,
        };
        let Some(step) = step(point.pc, word) else { return Ok(plain(self)) };
        let not_taken = step.condition.then(|| to(self, after, depth));
        let is_full = point.entries() >= STACK;
        let pushed = |this: &Self, token: Token, target: u32, pc: u32| -> Edge {
            if is_full {
                return None;
            }
            let (kinds, mut targets) = ([&point.kinds[..], &[Some(token)]].concat(), targets.clone());
            targets.push([target].into());
            Some((this.point(pc, &kinds)?, targets))
        };
        if depth >= STACK && !is_full {
            return Err(Unsupported("a stack with too many gaps"));
        }
        Ok(match step.flow {
            Flow::Next => plain(self),
            Flow::Branch(Destination::Address(pc)) => {
                Outcome { taken: Successors::To(to(self, pc, depth)), check: pc <= point.pc, not_taken, push: None }
            }
            Flow::Branch(Destination::Computed) => {
                let all: Vec<u32> = self.code.targets.iter().map(|&target| settle(target)).collect();
                let check = all.iter().any(|&target| target <= point.pc);
                let all = all.into_iter().map(|target| (target, to(self, target, depth))).collect();
                Outcome { taken: Successors::Computed(all), check, not_taken, push: None }
            }
            Flow::Call(Destination::Address(pc)) => Outcome {
                taken: Successors::To(pushed(self, Token::Return, after, pc)),
                check: true,
                not_taken: None,
                push: Some((depth, self.point(after, &point.kinds))),
            },
            Flow::Push(token, Destination::Address(target)) if !step.condition => Outcome {
                taken: Successors::Next(pushed(self, token, target, after)),
                check: false,
                not_taken: None,
                push: Some((depth, self.point(target, &point.kinds))),
            },
            Flow::Call(_) | Flow::Push(..) => return Err(Unsupported("a computed target on the stack")),
            Flow::Pop(token) => self.pop(&point, &targets, token, not_taken)?,
            Flow::Exit => self.pop(&point, &targets, Token::Exit, not_taken)?,
        })
    }

    fn pop(
        &self,
        point: &ProgramPoint,
        targets: &Targets,
        token: Token,
        not_taken: Option<Edge>,
    ) -> Result<Outcome, Unsupported> {
        let counts = matches!(token, Token::Break | Token::Continue | Token::Return | Token::LongJump);
        let Some(level) = point.kinds.iter().rposition(|&kind| kind == Some(token)) else {
            return Ok(Outcome { taken: Successors::To(None), check: counts, not_taken, push: None });
        };
        let mut kinds = point.kinds.clone();
        match token {
            Token::Sync => kinds[level] = None,
            _ => kinds.truncate(level),
        }
        kinds.truncate(kinds.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
        let left = |n: usize| if kinds[n].is_some() { targets[n].clone() } else { BTreeSet::new() };
        let left: Targets = (0..kinds.len()).map(left).collect();
        // A target that is known only at run time is the block for the stack that its entry was pushed on.
        let is_as_pushed = kinds.len() == level && kinds.iter().all(Option::is_some);
        if targets[level].len() > 1 && !is_as_pushed {
            return Err(Unsupported("an entry with several targets on a stack with gaps"));
        }
        let to = |&pc: &u32| -> Edge { Some((self.point(pc, &kinds)?, left.clone())) };
        let check = counts || targets[level].iter().any(|&pc| pc <= point.pc);
        let mut all: Vec<Edge> = targets[level].iter().map(to).collect();
        let taken = if all.len() == 1 { Successors::To(all.remove(0)) } else { Successors::Stack(level, all) };
        Ok(Outcome { taken, check, not_taken, push: None })
    }

    /// Forms blocks from nodes and orders them.
    fn graph(mut self, first: &ProgramPoint, sharing: impl Fn(Op) -> Sharing) -> Result<Graph, Unsupported> {
        let first = self.id(first);
        let outcomes = (0..self.points.len()).map(|id| self.step(id)).collect::<Result<Vec<_>, _>>()?;
        let reached = self.reached(first, &outcomes);
        let mut leaders = HashSet::from([first]);
        let mut entries = vec![0u32; self.points.len()];
        for &id in &reached {
            let outcome = &outcomes[id];
            for point in outcome.taken.all().into_iter().chain(&outcome.not_taken).flatten() {
                entries[self.ids[&point.0]] += 1;
            }
            let plain = matches!(outcome.taken, Successors::Next(_)) && outcome.not_taken.is_none();
            for point in outcome.taken.all().into_iter().chain(&outcome.not_taken).flatten() {
                if !plain {
                    leaders.insert(self.ids[&point.0]);
                }
            }
        }
        leaders.extend(reached.iter().copied().filter(|&id| entries[id] > 1));
        self.split(&mut leaders, &outcomes, sharing);
        let mut order: Vec<usize> = leaders.into_iter().collect();
        let key = |id: usize| (usize::MAX - self.points[id].entries(), self.points[id].pc, &self.points[id].kinds);
        order.sort_by(|&a, &b| key(a).cmp(&key(b)));
        let index: HashMap<usize, usize> = order.iter().enumerate().map(|(index, &id)| (id, index)).collect();
        let at = |point: &ProgramPoint| index.get(&self.ids[point]).copied();
        let go = |go: &Edge| go.as_ref().and_then(|(point, _)| at(point));
        let mut blocks = Vec::with_capacity(order.len());
        for &leader in &order {
            let (mut steps, mut id) = (Vec::new(), leader);
            let last = loop {
                let (outcome, point) = (&outcomes[id], &self.points[id]);
                let push = outcome.push.as_ref().map(|(level, point)| (*level, point.as_ref().and_then(&at)));
                steps.push(Step { address: point.pc, word: self.code.words[point.pc as usize / 8], push });
                match &outcome.taken {
                    Successors::Next(Some((point, _))) if outcome.not_taken.is_none() && at(point).is_none() => {
                        id = self.ids[point];
                    }
                    _ => break outcome,
                }
            };
            let taken = match &last.taken {
                Successors::Next(to) | Successors::To(to) => BranchTarget::Block(go(to)),
                Successors::Stack(level, all) => BranchTarget::Stack(*level, all.iter().map(go).collect()),
                Successors::Computed(all) => BranchTarget::Computed(all.iter().map(|(pc, to)| (*pc, go(to))).collect()),
            };
            blocks.push(Block { steps, taken, check: last.check, not_taken: last.not_taken.as_ref().map(go) });
        }
        let mut dynamic = vec![false; STACK];
        for block in &blocks {
            if let BranchTarget::Stack(level, _) = block.taken {
                dynamic[level] = true;
            }
        }
        let size: usize = blocks.iter().map(|block| block.steps.len()).sum();
        let cyclic = is_cyclic(blocks.len(), |i| blocks[i].targets().into_iter());
        let reads_clock = || blocks.iter().flat_map(|block| &block.steps).any(|step| reads_clock(step.word));
        let counted = cyclic || size * LANES > FUEL as usize || reads_clock();
        // Without cycles a lane executes no block twice.
        let repeats = cyclic || size > self.code.words.len();
        let mut seen = HashSet::new();
        let ambiguous = reached.iter().any(|&id| !seen.insert((self.points[id].pc, self.points[id].entries())));
        let first = index.get(&first).copied();
        Ok(Graph { blocks, first, counted, reports: false, repeats, dynamic, size, ambiguous })
    }

    /// Splits blocks between operations that must not share one.
    fn split(&self, leaders: &mut HashSet<usize>, outcomes: &[Outcome], sharing: impl Fn(Op) -> Sharing) {
        let mut open: Vec<usize> = leaders.iter().copied().collect();
        while let Some(leader) = open.pop() {
            let (mut sharing_so_far, mut id) = (BlockSharing::default(), leader);
            loop {
                if !sharing_so_far.takes(self.op(id).map(&sharing).unwrap_or_default()) {
                    leaders.insert(id);
                    open.push(id);
                    break;
                }
                let outcome = &outcomes[id];
                id = match &outcome.taken {
                    Successors::Next(Some((point, _))) if outcome.not_taken.is_none() => self.ids[point],
                    _ => break,
                };
                if leaders.contains(&id) {
                    break;
                }
            }
        }
    }

    fn op(&self, id: usize) -> Option<Op> {
        let pc = self.points[id].pc;
        if is_control(pc) { None } else { decode(self.code.words[pc as usize / 8]) }
    }

    /// The reachable nodes.
    fn reached(&self, first: usize, outcomes: &[Outcome]) -> Vec<usize> {
        let mut reached = vec![false; self.points.len()];
        let mut open = vec![first];
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut reached[id], true) {
                continue;
            }
            let outcome = &outcomes[id];
            let points = outcome.taken.all().into_iter().chain(&outcome.not_taken).flatten();
            open.extend(points.map(|(point, _)| self.ids[point]));
        }
        (0..reached.len()).filter(|&id| reached[id]).collect()
    }
}
