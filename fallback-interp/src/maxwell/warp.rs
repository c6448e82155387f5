//! Warps: the order in which lanes execute.

use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::maxwell::{FUEL, FUEL_UNIT, LANES};
use triglyph_guest::tegra::shader::modifiers::CcTest;
use triglyph_guest::tegra::shader::program::Token;

use super::context::Context;
use super::lane::{Lane, Reduction, State};
use super::program::{Action, Flow, NOWHERE, Op, Program, Target, address};
use crate::trace::Watch;

/// Lanes that share an execution order.
#[derive(Clone, Debug)]
pub struct Warp {
    /// The lanes.
    pub lanes: Vec<Lane>,
    /// Instructions that it may count.
    pub limit: u32,
    executed: u32,
}

impl Default for Warp {
    fn default() -> Self {
        Warp { lanes: Vec::new(), limit: FUEL, executed: 0 }
    }
}

/// Lanes that execute together.
struct Group {
    /// Bit i: lane i.
    set: u32,
    /// The instruction that they execute next.
    at: u32,
    /// Where others wait for them.
    meeting: u32,
}

impl Warp {
    /// A warp that may count so many instructions.
    pub fn limited(limit: u32) -> Self {
        Warp { limit, ..Warp::default() }
    }

    /// Lanes at the start of a program, at most 32. Where the program may bring in others, the last quad is whole:
    /// lanes that do not exist have ended.
    pub fn start(&mut self, count: usize, program: &Program) {
        let count = count.min(LANES);
        let all = if program.brings_quads { count.next_multiple_of(4) } else { count };
        self.lanes.resize_with(all, Lane::default);
        for (id, lane) in self.lanes.iter_mut().enumerate() {
            lane.reset(id as u32, program.local_bytes);
        }
        self.lanes[count..].iter_mut().for_each(|lane| (lane.state, lane.helper) = (State::Ended, true));
        self.executed = 0;
    }

    /// Runs until all lanes have ended or wait.
    pub fn run(&mut self, program: &Program, context: &mut Context<'_>, watch: &mut impl Watch<Self>) {
        while let Some(group) = self.select() {
            self.together(group, program, context, watch);
        }
    }

    /// Runs until all lanes have ended; the warp is alone, so barriers only reconverge its lanes.
    pub fn finish(&mut self, program: &Program, context: &mut Context<'_>, watch: &mut impl Watch<Self>) {
        self.run(program, context, watch);
        while self.waits() {
            release(std::slice::from_mut(self));
            self.run(program, context, watch);
        }
    }

    /// Whole units of fuel that it has counted since it started.
    pub fn units(&self) -> u32 {
        self.executed / FUEL_UNIT
    }

    /// Instructions that it has counted beyond the words of its program, `times` as many.
    pub fn excess(&self, program: &Program, times: u64) -> u64 {
        u64::from(self.executed).saturating_sub(times * program.words as u64)
    }

    /// Whether a lane waits.
    pub fn waits(&self) -> bool {
        self.lanes.iter().any(|lane| lane.state == State::Waiting)
    }

    /// The lanes whose turn it is: the most entries, then the lowest address.
    fn select(&self) -> Option<Group> {
        let running = || self.lanes.iter().enumerate().filter(|(_, lane)| lane.state == State::Running);
        let depth = running().map(|(_, lane)| lane.depth()).max()?;
        let mut group = Group { set: 0, at: NOWHERE, meeting: NOWHERE };
        for (i, lane) in running().filter(|(_, lane)| lane.depth() == depth) {
            if lane.at < group.at || group.set == 0 {
                group = Group { set: 1 << i, at: lane.at, meeting: group.at };
            } else if lane.at == group.at {
                group.set |= 1 << i;
            } else {
                group.meeting = group.meeting.min(lane.at);
            }
        }
        Some(group)
    }

    /// Executes until control flow, or until the lanes meet others.
    fn together(&mut self, group: Group, program: &Program, context: &mut Context<'_>, watch: &mut impl Watch<Self>) {
        let Group { set, mut at, meeting } = group;
        while let Some(op) = program.ops.get(at as usize) {
            self.executed += 1;
            context.executed = self.executed;
            let active = self.active(set, op);
            match &op.action {
                Action::Nothing => {}
                Action::Lane(act) => {
                    for i in lanes_of(active) {
                        act(&mut self.lanes[i], context);
                    }
                }
                Action::Warp(act) if active != 0 => act(&mut self.lanes, active, context),
                Action::Warp(_) => {}
                Action::Flow(test, flow) => {
                    lanes_of(set).for_each(|i| self.lanes[i].at = at + 1);
                    let taken = self.tested(active, *test);
                    self.flow(flow, taken, at, program, context);
                    return watch.executed(address(at), taken, self);
                }
            }
            watch.executed(address(at), active, self);
            at += 1;
            if at == meeting {
                lanes_of(set).for_each(|i| self.lanes[i].at = at);
                return;
            }
        }
        // Outside of the code.
        self.end(set);
    }

    /// Those of a set whose guard holds.
    fn active(&self, set: u32, op: &Op) -> u32 {
        let guard = op.guard.0;
        if guard.pred.0 == 7 {
            return if guard.not { 0 } else { set };
        }
        lanes_of(set).filter(|&i| self.lanes[i].pred(guard)).fold(0, |set, i| set | 1 << i)
    }

    /// Those of a set whose condition code passes a test.
    fn tested(&self, set: u32, test: CcTest) -> u32 {
        if test == CcTest::True {
            return set;
        }
        lanes_of(set).filter(|&i| self.lanes[i].condition.holds(test)).fold(0, |set, i| set | 1 << i)
    }

    fn end(&mut self, set: u32) {
        lanes_of(set).for_each(|i| self.lanes[i].state = State::Ended);
    }

    fn end_all(&mut self) {
        self.lanes.iter_mut().for_each(|lane| lane.state = State::Ended);
    }

    /// Control flow for the lanes of a set, the others having gone on.
    fn flow(&mut self, flow: &Flow, set: u32, own: u32, program: &Program, context: &mut Context<'_>) {
        let limited = match flow {
            Flow::Kill => return self.kill(set, context),
            Flow::BringQuad => return self.bring_quads(set),
            Flow::LeaveQuad => return lanes_of(in_quads_of(set)).for_each(|i| self.leave(i)),
            Flow::Call(_) => true,
            Flow::Pop(token) => *token != Token::Sync,
            Flow::Branch(_) | Flow::Push(..) | Flow::Exit | Flow::Wait(_) => false,
        };
        let mut limited = limited && set != 0;
        for i in lanes_of(set) {
            let lane = &mut self.lanes[i];
            let target = match flow {
                Flow::Branch(target) => place(lane, target, program, context),
                Flow::Call(target) => {
                    let target = place(lane, target, program, context);
                    lane.push(Token::Return, own + 1);
                    target
                }
                Flow::Push(token, target) => {
                    let target = place(lane, target, program, context);
                    lane.push(*token, target);
                    continue;
                }
                Flow::Pop(token) => lane.pop(*token).unwrap_or(NOWHERE),
                Flow::Exit => lane.pop(Token::Exit).unwrap_or(NOWHERE),
                Flow::Wait(act) => {
                    if let Some(wait) = act(lane) {
                        lane.wait = wait;
                        lane.state = State::Waiting;
                    }
                    continue;
                }
                Flow::Kill | Flow::BringQuad | Flow::LeaveQuad => continue,
            };
            if target == NOWHERE {
                lane.state = State::Ended;
            }
            limited |= target <= own;
            lane.at = target;
        }
        if limited && self.executed > self.limit {
            self.end_all();
            context.environment.exhausted.fetch_add(1, Relaxed);
        }
    }

    /// Lanes of quads that have lanes in a set join these.
    fn bring_quads(&mut self, set: u32) {
        for i in lanes_of(in_quads_of(set) & !set).filter(|&i| i < self.lanes.len()).collect::<Vec<_>>() {
            let Some(leader) = lanes_of(set).find(|leader| leader / 4 == i / 4) else { continue };
            let leader = self.lanes[leader].clone();
            if !self.lanes[i].is_with(&leader) {
                self.lanes[i].join(&leader);
            }
        }
    }

    fn leave(&mut self, i: usize) {
        if let Some(lane) = self.lanes.get_mut(i) {
            lane.leave();
        }
    }

    fn kill(&mut self, set: u32, context: &Context<'_>) {
        if !context.stage.kills() {
            return;
        }
        lanes_of(set).for_each(|i| self.lanes[i].helper = true);
        if self.lanes.iter().all(|lane| lane.helper) {
            self.end_all();
        }
    }
}

/// The instruction that a target is.
fn place(lane: &Lane, target: &Target, program: &Program, context: &Context<'_>) -> u32 {
    match *target {
        Target::Fixed(number) => number,
        Target::Computed { base, register, constant } => {
            let register = register.map_or(0, |register| lane.read(register));
            let constant = constant.map_or(0, |constant| context.constant(constant));
            program.computed(base.wrapping_add(register).wrapping_add(constant))
        }
    }
}

/// The numbers of the lanes of a set, ascending; those that no warp has are left out by the caller's sets.
pub fn lanes_of(set: u32) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

/// The lanes of all quads that have a lane in a set.
fn in_quads_of(set: u32) -> u32 {
    let any = (set | set >> 1 | set >> 2 | set >> 3) & 0x1111_1111;
    any * 15
}

/// Barriers of a block.
const BARRIERS: usize = 16;

/// The result of the predicates at a barrier.
#[derive(Clone, Copy)]
struct Joined {
    count: u32,
    all: bool,
}

/// Lets all lanes that wait go on, with what their predicates give together.
pub fn release(warps: &mut [Warp]) {
    let barrier = |lane: &Lane| lane.wait.number as usize % BARRIERS;
    let mut joined = [Joined { count: 0, all: true }; BARRIERS];
    for lane in warps.iter().flat_map(|warp| &warp.lanes).filter(|lane| lane.state == State::Waiting) {
        let joined = &mut joined[barrier(lane)];
        joined.count += u32::from(lane.wait.pred);
        joined.all &= lane.wait.pred;
    }
    let waiting = warps.iter_mut().flat_map(|warp| &mut warp.lanes).filter(|lane| lane.state == State::Waiting);
    for lane in waiting {
        let joined = joined[barrier(lane)];
        match lane.wait.reduction {
            Some(Reduction::Count) => lane.reduced = joined.count,
            Some(Reduction::All) => lane.reduced = joined.all.into(),
            Some(Reduction::Any) => lane.reduced = (joined.count != 0).into(),
            None => {}
        }
        lane.state = State::Running;
    }
}
