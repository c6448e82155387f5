//! Control flow of a program, resolved while compiling.
//!
//! What is on a lane's stack is known everywhere but for the targets of its entries: a node is an instruction and the kinds of
//! the entries. Which targets an entry can have is found by walking through the program until nothing changes; where a pop finds more
//! than one the code keeps the target of that depth in a register of its own. Nodes that only follow each other are blocks, which
//! stand in the order of the contract: the most entries first, then by address. Of the lanes of a warp those run whose block
//! has the lowest number.

use std::collections::{BTreeSet, HashMap, HashSet};

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::maxwell::{Code, FUEL, LANES, STACK};
use triglyph_guest::tegra::shader::isa::{Op, decode};
use triglyph_guest::tegra::shader::program::{Destination, Flow, Token, is_control, next, settle, step};

/// Instructions with different stacks above which a program is refused.
const MAX_NODES: usize = 12_000;

/// A program as blocks.
#[derive(Debug)]
pub struct Graph {
    /// In the order of execution.
    pub blocks: Vec<Block>,
    /// The block that lanes begin in.
    pub first: To,
    /// Whether instructions have to be counted, because the program may take too many.
    pub counted: bool,
    /// Depths of the stack whose target is known only when the program runs.
    pub dynamic: Vec<bool>,
    /// Instructions in all blocks.
    pub size: usize,
    /// At some place and depth lanes may be with different stacks.
    pub ambiguous: bool,
}

/// What an operation shares with lanes that execute the same block after its own lanes, or before: what decides which operations may be in a
/// block together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    /// It looks at registers of others as they are when the block begins: nothing is before it.
    pub first: bool,
    /// Lanes wait behind it: nothing comes after it.
    pub last: bool,
    /// Memories that it reads and writes, a bit each.
    pub reads: u8,
    pub writes: u8,
}

/// What the operations of a block share.
#[derive(Default)]
struct Together {
    any: bool,
    all: Sharing,
}

impl Together {
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

/// A block, or `None` where the lane ends.
pub type To = Option<usize>;

/// An instruction of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub address: u32,
    pub word: u64,
    /// What it pushes: at which depth, with which target.
    pub push: Option<(usize, To)>,
}

/// Instructions that lanes execute one after the other.
#[derive(Debug)]
pub struct Block {
    pub steps: Vec<Step>,
    /// Where lanes go behind the last instruction, or if that has a condition, those for which it holds.
    pub taken: Taken,
    /// Whether instructions are counted there, see the contract.
    pub check: bool,
    /// Where the others go, if the last instruction has a condition.
    pub other: Option<To>,
}

/// Where lanes go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    To(To),
    /// To what the stack has at a depth, one of these.
    Stack(usize, Vec<To>),
    /// To the address that the instruction computes, if it is one of these.
    Computed(Vec<(u32, To)>),
}

impl Block {
    /// Every block that may be next.
    pub fn targets(&self) -> Vec<usize> {
        let taken: Vec<To> = match &self.taken {
            Taken::To(to) => vec![*to],
            Taken::Stack(_, all) => all.clone(),
            Taken::Computed(all) => all.iter().map(|(_, to)| *to).collect(),
        };
        taken.into_iter().chain([self.other.flatten()]).flatten().collect()
    }
}

/// A place in the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Place {
    pc: u32,
    kinds: Vec<Token>,
}

/// Targets that entries of the stack may have.
type Targets = Vec<BTreeSet<u32>>;

/// What becomes of a lane: a place and what it brings there.
type Go = Option<(Place, Targets)>;

/// What an instruction does with lanes.
struct Outcome {
    taken: Leave,
    check: bool,
    other: Option<Go>,
    push: Option<(usize, Option<Place>)>,
}

enum Leave {
    /// To the next instruction, or to one that is named.
    Next(Go),
    To(Go),
    Stack(usize, Vec<Go>),
    Computed(Vec<(u32, Go)>),
}

impl Leave {
    fn all(&self) -> Vec<&Go> {
        match self {
            Leave::Next(go) | Leave::To(go) => vec![go],
            Leave::Stack(_, all) => all.iter().collect(),
            Leave::Computed(all) => all.iter().map(|(_, go)| go).collect(),
        }
    }
}

struct Walker<'c> {
    code: &'c Code,
    ids: HashMap<Place, usize>,
    places: Vec<Place>,
    targets: Vec<Targets>,
}

impl Graph {
    /// The blocks of a program. `sharing` says what operations share with lanes that execute a block later.
    pub fn new(code: &Code, sharing: impl Fn(Op) -> Sharing) -> Result<Graph, Unsupported> {
        let mut walker = Walker { code, ids: HashMap::new(), places: Vec::new(), targets: Vec::new() };
        let Some(first) = walker.place(settle(0), &[]) else { return Ok(Graph::empty()) };
        let mut open = vec![walker.id(&first)];
        let mut seen = HashSet::from([open[0]]);
        while let Some(id) = open.pop() {
            let outcome = walker.step(id)?;
            for (place, targets) in outcome.taken.all().into_iter().chain(&outcome.other).flatten() {
                let to = walker.id(place);
                if walker.learn(to, targets) | seen.insert(to) {
                    open.push(to);
                }
            }
            if let Some((_, Some(place))) = &outcome.push {
                walker.id(place);
            }
            if walker.places.len() > MAX_NODES {
                return Err(Unsupported("a program with too many states of its stack"));
            }
        }
        walker.graph(&first, sharing)
    }

    fn empty() -> Graph {
        Graph { blocks: Vec::new(), first: None, counted: false, dynamic: Vec::new(), size: 0, ambiguous: false }
    }

    /// One block, all lanes end behind it.
    pub fn is_straight(&self) -> bool {
        self.blocks.len() <= 1 && self.blocks.iter().all(|block| block.targets().is_empty())
    }
}

impl Walker<'_> {
    /// The place of an address, if there is code.
    fn place(&self, pc: u32, kinds: &[Token]) -> Option<Place> {
        let there = pc.is_multiple_of(8) && (pc as usize / 8) < self.code.words.len();
        there.then(|| Place { pc, kinds: kinds.to_vec() })
    }

    fn id(&mut self, place: &Place) -> usize {
        if let Some(&id) = self.ids.get(place) {
            return id;
        }
        let id = self.places.len();
        self.places.push(place.clone());
        self.targets.push(vec![BTreeSet::new(); place.kinds.len()]);
        self.ids.insert(place.clone(), id);
        id
    }

    /// Whether that is news.
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
        let (place, targets) = (self.places[id].clone(), self.targets[id].clone());
        let word = self.code.words[place.pc as usize / 8];
        let to = |this: &Self, pc: u32, depth: usize| -> Go {
            Some((this.place(pc, &place.kinds[..depth])?, targets[..depth].to_vec()))
        };
        let depth = place.kinds.len();
        let after = next(place.pc);
        let plain =
            |this: &Self| Outcome { taken: Leave::Next(to(this, after, depth)), check: false, other: None, push: None };
        let Some(step) = step(place.pc, word) else { return Ok(plain(self)) };
        let other = step.condition.then(|| to(self, after, depth));
        let pushed = |this: &Self, token: Token, target: u32, pc: u32| -> Go {
            if depth >= STACK {
                return None;
            }
            let (kinds, mut targets) = ([&place.kinds[..], &[token]].concat(), targets.clone());
            targets.push([target].into());
            Some((this.place(pc, &kinds)?, targets))
        };
        Ok(match step.flow {
            Flow::Next => plain(self),
            Flow::Branch(Destination::Address(pc)) => {
                Outcome { taken: Leave::To(to(self, pc, depth)), check: pc <= place.pc, other, push: None }
            }
            Flow::Branch(Destination::Computed) => {
                let all: Vec<u32> = self.code.targets.iter().map(|&target| settle(target)).collect();
                let check = all.iter().any(|&target| target <= place.pc);
                let all = all.into_iter().map(|target| (target, to(self, target, depth))).collect();
                Outcome { taken: Leave::Computed(all), check, other, push: None }
            }
            Flow::Call(Destination::Address(pc)) => Outcome {
                taken: Leave::To(pushed(self, Token::Return, after, pc)),
                check: true,
                other: None,
                push: Some((depth, self.place(after, &place.kinds))),
            },
            Flow::Push(token, Destination::Address(target)) if !step.condition => Outcome {
                taken: Leave::Next(pushed(self, token, target, after)),
                check: false,
                other: None,
                push: Some((depth, self.place(target, &place.kinds))),
            },
            Flow::Call(_) | Flow::Push(..) => return Err(Unsupported("a computed target on the stack")),
            Flow::Pop(token) => self.pop(&place, &targets, token, other),
            Flow::Exit => self.pop(&place, &targets, Token::Exit, other),
        })
    }

    fn pop(&self, place: &Place, targets: &Targets, token: Token, other: Option<Go>) -> Outcome {
        let counts = matches!(token, Token::Break | Token::Continue | Token::Return | Token::LongJump);
        let Some(level) = place.kinds.iter().rposition(|&kind| kind == token) else {
            return Outcome { taken: Leave::To(None), check: counts, other, push: None };
        };
        let to = |&pc: &u32| -> Go { Some((self.place(pc, &place.kinds[..level])?, targets[..level].to_vec())) };
        let check = counts || targets[level].iter().any(|&pc| pc <= place.pc);
        let mut all: Vec<Go> = targets[level].iter().map(to).collect();
        let taken = if all.len() == 1 { Leave::To(all.remove(0)) } else { Leave::Stack(level, all) };
        Outcome { taken, check, other, push: None }
    }

    /// Joins nodes to blocks, and puts these in order.
    fn graph(mut self, first: &Place, sharing: impl Fn(Op) -> Sharing) -> Result<Graph, Unsupported> {
        let first = self.id(first);
        let outcomes = (0..self.places.len()).map(|id| self.step(id)).collect::<Result<Vec<_>, _>>()?;
        let reached = self.reached(first, &outcomes);
        let mut leaders = HashSet::from([first]);
        let mut entries = vec![0u32; self.places.len()];
        for &id in &reached {
            let outcome = &outcomes[id];
            for place in outcome.taken.all().into_iter().chain(&outcome.other).flatten() {
                entries[self.ids[&place.0]] += 1;
            }
            let plain = matches!(outcome.taken, Leave::Next(_)) && outcome.other.is_none();
            for place in outcome.taken.all().into_iter().chain(&outcome.other).flatten() {
                if !plain {
                    leaders.insert(self.ids[&place.0]);
                }
            }
        }
        leaders.extend(reached.iter().copied().filter(|&id| entries[id] > 1));
        self.part(&mut leaders, &outcomes, sharing);
        let mut order: Vec<usize> = leaders.into_iter().collect();
        let key = |id: usize| (usize::MAX - self.places[id].kinds.len(), self.places[id].pc, &self.places[id].kinds);
        order.sort_by(|&a, &b| key(a).cmp(&key(b)));
        let index: HashMap<usize, usize> = order.iter().enumerate().map(|(index, &id)| (id, index)).collect();
        let at = |place: &Place| index.get(&self.ids[place]).copied();
        let go = |go: &Go| go.as_ref().and_then(|(place, _)| at(place));
        let mut blocks = Vec::with_capacity(order.len());
        for &leader in &order {
            let (mut steps, mut id) = (Vec::new(), leader);
            let last = loop {
                let (outcome, place) = (&outcomes[id], &self.places[id]);
                let push = outcome.push.as_ref().map(|(level, place)| (*level, place.as_ref().and_then(&at)));
                steps.push(Step { address: place.pc, word: self.code.words[place.pc as usize / 8], push });
                match &outcome.taken {
                    Leave::Next(Some((place, _))) if outcome.other.is_none() && at(place).is_none() => {
                        id = self.ids[place];
                    }
                    _ => break outcome,
                }
            };
            let taken = match &last.taken {
                Leave::Next(to) | Leave::To(to) => Taken::To(go(to)),
                Leave::Stack(level, all) => Taken::Stack(*level, all.iter().map(go).collect()),
                Leave::Computed(all) => Taken::Computed(all.iter().map(|(pc, to)| (*pc, go(to))).collect()),
            };
            blocks.push(Block { steps, taken, check: last.check, other: last.other.as_ref().map(go) });
        }
        let mut dynamic = vec![false; STACK];
        for block in &blocks {
            if let Taken::Stack(level, _) = block.taken {
                dynamic[level] = true;
            }
        }
        let size: usize = blocks.iter().map(|block| block.steps.len()).sum();
        let counted = cyclic(&blocks) || size * LANES > FUEL as usize;
        let mut seen = HashSet::new();
        let ambiguous = reached.iter().any(|&id| !seen.insert((self.places[id].pc, self.places[id].kinds.len())));
        Ok(Graph { blocks, first: index.get(&first).copied(), counted, dynamic, size, ambiguous })
    }

    /// Begins new blocks where operations may not be in one.
    fn part(&self, leaders: &mut HashSet<usize>, outcomes: &[Outcome], sharing: impl Fn(Op) -> Sharing) {
        let mut open: Vec<usize> = leaders.iter().copied().collect();
        while let Some(leader) = open.pop() {
            let (mut together, mut id) = (Together::default(), leader);
            loop {
                if !together.takes(self.op(id).map(&sharing).unwrap_or_default()) {
                    leaders.insert(id);
                    open.push(id);
                    break;
                }
                let outcome = &outcomes[id];
                id = match &outcome.taken {
                    Leave::Next(Some((place, _))) if outcome.other.is_none() => self.ids[place],
                    _ => break,
                };
                if leaders.contains(&id) {
                    break;
                }
            }
        }
    }

    fn op(&self, id: usize) -> Option<Op> {
        let pc = self.places[id].pc;
        if is_control(pc) { None } else { decode(self.code.words[pc as usize / 8]) }
    }

    /// Nodes that lanes can get to.
    fn reached(&self, first: usize, outcomes: &[Outcome]) -> Vec<usize> {
        let mut reached = vec![false; self.places.len()];
        let mut open = vec![first];
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut reached[id], true) {
                continue;
            }
            let outcome = &outcomes[id];
            let places = outcome.taken.all().into_iter().chain(&outcome.other).flatten();
            open.extend(places.map(|(place, _)| self.ids[place]));
        }
        (0..reached.len()).filter(|&id| reached[id]).collect()
    }
}

/// Whether lanes can come back to a block.
fn cyclic(blocks: &[Block]) -> bool {
    // Blocks without a way in are taken away until none is left, or only cycles are.
    let mut entries = vec![0usize; blocks.len()];
    for target in blocks.iter().flat_map(Block::targets) {
        entries[target] += 1;
    }
    let mut open: Vec<usize> = (0..blocks.len()).filter(|&block| entries[block] == 0).collect();
    let mut left = blocks.len();
    while let Some(block) = open.pop() {
        left -= 1;
        for target in blocks[block].targets() {
            entries[target] -= 1;
            if entries[target] == 0 {
                open.push(target);
            }
        }
    }
    left > 0
}
