//! Emission of basic blocks.
//!
//! Every block is emitted twice. The fast version is for uniform control flow: no masks, and a host branch where the
//! lanes agree. Where they do not agree, a vector with the block of each lane goes to the dispatcher, which selects the
//! lowest block and the lanes that are in it. If these are all lanes it continues in the fast version, otherwise in the
//! masked one, which stores for its lanes alone and returns to the dispatcher. The contract's order of execution is
//! that of the blocks' numbers.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{Block as Code, BlockArg, InstBuilder, JumpTableData, Value};
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::maxwell::FUEL;
use triglyph_guest::num::ops::Ops;

use super::graph::{Block, BlockRef, BranchTarget};
use super::{Constants, Context, Done, LaneMask, LaneValue, Lanes, Loc, Lower};
use crate::lane::{Emit, I32x4, Mask};
use crate::promote::Slots;

/// The block of a lane that has ended.
pub const END: i32 = 1 << 28;
/// The code of all blocks.
pub struct Walk {
    fast: Vec<Code>,
    masked: Vec<Code>,
    /// Takes the block of each lane.
    dispatch: Code,
    done: Code,
    /// In the dispatcher: block of each lane, lanes that run.
    at: Option<(I32x4, Mask)>,
}

impl Walk {
    /// The walk of one warp slice: the blocks of its lanes, its running lanes, and the block of code that follows.
    pub fn of_slice(at: (I32x4, Mask), next: Code) -> Walk {
        Walk { fast: Vec::new(), masked: Vec::new(), dispatch: next, done: next, at: Some(at) }
    }
}

fn number(to: BlockRef) -> i32 {
    to.map_or(END, |block| block as i32)
}

impl Lower<'_, '_> {
    /// Emits the program; emission continues after it. `last` are the locations that are read afterwards, `lanes` those
    /// that exist (`None` for all).
    pub(super) fn run(&mut self, last: &[Loc], lanes: Option<Mask>) -> Done {
        if self.file.is_straight() {
            let graph = self.graph;
            self.exec = lanes;
            if self.uses_local() {
                self.clear_local();
            }
            for block in &graph.blocks {
                self.file.begin(0);
                self.steps(block)?;
            }
            return Ok(());
        }
        if self.graph.ambiguous && self.lanes != Lanes::Alone {
            return Err(Unsupported("lanes at one place with different stacks"));
        }
        self.find_storage();
        // Locations that are read after the program have a slot, whether they are written or not.
        let reports = self.graph.reports;
        let last = &[last, if reports { &[Loc::Count] } else { &[] }].concat();
        self.file.keep(last);
        let blocks = self.graph.blocks.len();
        let e = self.e();
        let start = e.block(&[]);
        let walk = Walk {
            fast: (0..blocks).map(|_| e.block(&[])).collect(),
            masked: (0..blocks).map(|_| e.cold_block(&[])).collect(),
            dispatch: e.cold_block(&[I32X4]),
            done: e.block(&[]),
            at: None,
        };
        e.jump(start, &[]);
        if let Some(base) = self.file.storage {
            self.e().slots.push(Slots { base, start });
        }
        let walk = self.dispatcher(walk);
        self.done = Some(walk.done);
        for i in 0..blocks {
            self.copy(&walk, i, false)?;
            self.copy(&walk, i, true)?;
        }
        self.e().switch_to(start);
        self.fresh(usize::MAX);
        self.start(&walk, last, lanes);
        self.e().switch_to(walk.done);
        self.fresh(usize::MAX);
        self.exec = None;
        self.guard = None;
        if self.counts_quads() {
            let (address, at) = self.count_place();
            let count = self.e().load_i32(address, at);
            self.host.take_fuel(count);
        }
        if reports {
            self.report_excess(lanes);
        }
        Ok(())
    }

    /// Adds what lanes that are warps of their own have counted beyond the words of the code. `lanes` are those that
    /// exist.
    fn report_excess(&mut self, lanes: Option<Mask>) {
        let (count, words) = (self.int(Loc::Count), self.code.words.len() as i32);
        let context = self.host.context();
        let e = self.e();
        let (words, zero) = (e.i(words), e.i(0));
        let over = e.isub(count, words);
        let over = e.imax(over, zero);
        let over = lanes.map_or(over, |lanes| e.iand(over, I32x4(lanes.0)));
        let excess = offset_of!(Context, excess) as i32;
        let mut sum = e.load_i64(context, excess);
        for lane in 0..4 {
            let own = e.lane(over, lane);
            let own = e.b.ins().uextend(I64, own);
            sum = e.b.ins().iadd(sum, own);
        }
        e.store(sum, context, excess);
    }

    /// A block begins: nothing is known.
    pub(super) fn fresh(&mut self, block: usize) {
        self.file.begin(block);
        self.constants = Constants::default();
        self.host.begin();
        self.guard = None;
        self.may_restart = true;
    }

    /// What registers hold at the beginning, and the first block.
    fn start(&mut self, walk: &Walk, last: &[Loc], lanes: Option<Mask>) {
        let mut places = self.finish_file(last);
        if self.lanes == Lanes::AloneInQuad {
            // Others of the quad read them without ever having written them.
            places.extend(self.file.shared_places().filter(|place| !places.contains(place)).collect::<Vec<_>>());
        }
        let Some(storage) = self.file.storage else { return };
        for (loc, slot) in places {
            let value = match self.initials.get(&loc) {
                Some(&value) => value,
                None => self.e().i(0),
            };
            let at = self.file.offset(slot);
            self.e().store(value.0, storage, at);
        }
        if self.uses_local() {
            self.clear_local();
        }
        if self.counts_quads() {
            let (address, at) = self.count_place();
            let zero = self.e().i32(0);
            self.e().store(zero, address, at);
        }
        let first = number(self.graph.first);
        match (lanes, self.graph.first) {
            (None, Some(block)) => self.e().jump(walk.fast[block], &[]),
            (None, None) => self.e().jump(walk.done, &[]),
            (Some(lanes), block) => {
                let e = self.e();
                let all = e.b.ins().vall_true(lanes.0);
                let (first, end) = (e.i(first), e.i(END));
                let at = e.iselect(lanes, first, end);
                let code = block.map_or(walk.done, |block| walk.fast[block]);
                e.branch(all, (code, &[]), (walk.dispatch, &[at.0]));
            }
        }
    }

    fn dispatcher(&mut self, mut walk: Walk) -> Walk {
        let part = self.parts_together();
        let e = self.e();
        e.switch_to(walk.dispatch);
        let at = I32x4(e.parameter(walk.dispatch, 0));
        let least = least(e, at);
        let block = e.lane(least, 0);
        // Quads that go together go to the lowest block of any.
        e.use_minimum();
        let least = e.splat_i32(block);
        let mask = e.ieq(at, least);
        let all = e.b.ins().vall_true(mask.0);
        let (fast, masked) = (e.cold_block(&[]), e.cold_block(&[]));
        e.branch_if_all(all, (fast, &[]), (masked, &[]));
        for (from, blocks) in [(fast, &walk.fast), (masked, &walk.masked)] {
            e.switch_to(from);
            match blocks.len() {
                ..=TREE if part => jump_tree(e, block, 0, &[blocks, &[walk.done][..]].concat()),
                _ => jump_table(e, block, blocks, walk.done),
            }
        }
        walk.at = Some((at, mask));
        walk
    }

    /// Whether several quads go to the dispatcher together where lanes part, instead of one by one: in programs with
    /// loops they part again and again.
    fn parts_together(&self) -> bool {
        self.counts_quads()
    }

    /// Whether the instructions of quads are counted.
    fn counts_quads(&self) -> bool {
        self.graph.counted && self.lanes == Lanes::Quad
    }

    /// Jumps to the end of the program, where all lanes of a quad are helpers if that is what `all` says.
    pub(super) fn end_if_helpers(&mut self, all: Value, next: Code) {
        let on = self.e().block(&[]);
        let Some(done) = self.done.filter(|_| self.counts_quads()) else {
            let e = self.e();
            e.branch(all, (next, &[]), (on, &[]));
            return e.switch_to(on);
        };
        let e = self.e();
        let end = e.cold_block(&[]);
        e.branch(all, (end, &[]), (on, &[]));
        e.switch_to(end);
        // The rest of the block is not executed.
        let (address, at) = self.count_place();
        let rest = i64::from(self.step);
        let e = self.e();
        let count = e.load_i32(address, at);
        let count = e.b.ins().iadd_imm_s(count, rest);
        e.store(count, address, at);
        self.flush_copy();
        self.e().jump(done, &[]);
        self.e().switch_to(on);
    }

    /// One of the two copies of a block.
    fn copy(&mut self, walk: &Walk, i: usize, masked: bool) -> Done {
        let block = &self.graph.blocks[i];
        let code = if masked { walk.masked[i] } else { walk.fast[i] };
        self.e().switch_to(code);
        self.fresh(i);
        self.exec = walk.at.filter(|_| masked).map(|(_, mask)| mask);
        self.count(block);
        self.steps(block)?;
        self.leave(walk, block, masked)
    }

    /// The instructions of a block.
    pub(super) fn steps(&mut self, block: &Block) -> Done {
        for (n, step) in block.steps.iter().enumerate() {
            self.step = n as i32 + 1 - if self.file.is_straight() { 0 } else { block.steps.len() as i32 };
            self.instruction(step.address, step.word)?;
            if let Some((level, to)) = step.push
                && self.graph.dynamic.get(level) == Some(&true)
            {
                let to = self.e().i(number(to));
                self.put(Loc::Level(level as u8), LaneValue::int(to));
            }
        }
        match self.brought {
            Some(_) => Err(Unsupported("lanes that are brought in beyond a block")),
            None => Ok(()),
        }
    }

    /// Counts the instructions of a block.
    pub(super) fn count(&mut self, block: &Block) {
        if !self.graph.counted {
            return;
        }
        let steps = block.steps.len();
        match self.lanes {
            Lanes::Alone | Lanes::AloneInQuad => {
                let count = self.int(Loc::Count);
                let e = self.e();
                let more = e.i(steps as i32);
                let count = e.iadd(count, more);
                self.put(Loc::Count, LaneValue::int(count));
            }
            Lanes::Quad | Lanes::WarpSlice => {
                let (address, offset) = self.count_place();
                let exec = self.exec.filter(|_| self.lanes == Lanes::Quad);
                let e = self.e();
                let mut more = e.i32(steps as i32);
                // Of quads that go together, some may have no lane here.
                if let Some(exec) = exec {
                    let (any, none) = (e.any(exec), e.i32(0));
                    more = e.b.ins().select(any, more, none);
                }
                let count = e.load_i32(address, offset);
                let count = e.b.ins().iadd(count, more);
                e.store(count, address, offset);
            }
        }
    }

    /// The instructions that each lane's warp has executed, this one included.
    pub(super) fn executed(&mut self) -> I32x4 {
        if self.file.is_straight() {
            let step = self.step;
            return self.e().i(step);
        }
        // All of the block have been counted.
        let counted = match self.lanes {
            Lanes::Alone | Lanes::AloneInQuad => self.int(Loc::Count),
            Lanes::Quad | Lanes::WarpSlice => {
                let (address, offset) = self.count_place();
                self.e().load_splat_i32(address, offset)
            }
        };
        let step = self.step;
        let e = self.e();
        let rest = e.i(step);
        e.iadd(counted, rest)
    }

    /// Where the number of instructions is that lanes have executed together: an address and an offset.
    fn count_place(&mut self) -> (Value, i32) {
        match (self.lanes, self.file.storage) {
            (Lanes::Quad, Some(storage)) => (storage, self.file.place(Loc::Count)),
            _ => (self.host.context(), offset_of!(Context, count) as i32),
        }
    }

    /// The lanes in which the branch at the end of a block is taken.
    pub(super) fn condition(&mut self, block: &Block) -> LaneMask {
        match (block.not_taken, block.steps.last()) {
            (Some(_), Some(last)) => self.branch_condition(last.address, last.word),
            _ => LaneMask::All,
        }
    }

    /// The target of the taken branch, for each lane.
    fn branch_target(&mut self, block: &Block) -> I32x4 {
        match &block.taken {
            BranchTarget::Block(to) => self.e().i(number(*to)),
            BranchTarget::Stack(level, _) => self.int(Loc::Level(*level as u8)),
            BranchTarget::Computed(all) => {
                let address = match block.steps.last() {
                    Some(last) => self.branch_address(last.address, last.word),
                    None => self.e().i(0),
                };
                let e = self.e();
                let mut at = e.i(END);
                for &(pc, to) in all {
                    // The address of a control word names the instruction after it.
                    let places = if pc % 32 == 8 { vec![pc, pc - 8] } else { vec![pc] };
                    for place in places {
                        let (place, to) = (e.i(place as i32), e.i(number(to)));
                        let here = e.ieq(address, place);
                        at = e.iselect(here, to, at);
                    }
                }
                at
            }
        }
    }

    /// Ends a block whose lanes are warps of their own, or a quad.
    fn leave(&mut self, walk: &Walk, block: &Block, masked: bool) -> Done {
        let when = self.condition(block);
        let check = block.check && self.graph.counted;
        let plain = matches!(block.taken, BranchTarget::Block(_));
        if masked || !plain || check {
            let at = self.next_blocks(walk, block, when, check);
            self.flush_file();
            // The common case of loops: straight to the target, without the dispatcher.
            if let (false, BranchTarget::Block(Some(to)), true) = (masked, &block.taken, check) {
                let e = self.e();
                let there = e.i(*to as i32);
                let same = e.ieq(at, there);
                let all = e.b.ins().vall_true(same.0);
                e.branch_if_all(all, (walk.fast[*to], &[]), (walk.dispatch, &[at.0]));
            } else {
                self.e().jump(walk.dispatch, &[at.0]);
            }
            return Ok(());
        }
        self.flush_file();
        let code = |to: BlockRef| to.map_or(walk.done, |to| walk.fast[to]);
        let BranchTarget::Block(to) = block.taken else { return Ok(()) };
        match (when, block.not_taken) {
            (LaneMask::Empty, Some(not_taken)) => self.e().jump(code(not_taken), &[]),
            (LaneMask::Lanes(mask), Some(not_taken)) => {
                let part = self.parts_together();
                let e = self.e();
                let bits = e.mask_bits(mask);
                let all = e.b.ins().icmp_imm_u(IntCC::Equal, bits, 15);
                let (rest, mixed) = (e.block(&[]), e.cold_block(&[]));
                if part {
                    e.branch_if_all(all, (code(to), &[]), (rest, &[]));
                    e.switch_to(rest);
                    e.branch_if_any(bits, (mixed, &[]), (code(not_taken), &[]));
                } else {
                    e.branch(all, (code(to), &[]), (rest, &[]));
                    e.switch_to(rest);
                    e.branch_if_rare(bits, mixed, (code(not_taken), &[]));
                }
                e.switch_to(mixed);
                let (yes, no) = (e.i(number(to)), e.i(number(not_taken)));
                let at = e.iselect(mask, yes, no);
                e.jump(walk.dispatch, &[at.0]);
            }
            _ => self.e().jump(code(to), &[]),
        }
        Ok(())
    }

    /// The block of each lane after this one.
    pub(super) fn next_blocks(&mut self, walk: &Walk, block: &Block, when: LaneMask, check: bool) -> I32x4 {
        let mut at = self.branch_target(block);
        let mut lanes = self.exec;
        if let LaneMask::Lanes(_) | LaneMask::Empty = when {
            let mask = self.mask_of(when);
            lanes = Some(match lanes {
                Some(exec) => self.e().and(exec, mask),
                None => mask,
            });
            let e = self.e();
            let not_taken = e.i(number(block.not_taken.flatten()));
            at = e.iselect(mask, at, not_taken);
        }
        if let (Some(exec), Some((before, _))) = (self.exec, walk.at) {
            at = self.e().iselect(exec, at, before);
        }
        if check { self.spend(walk, at, lanes) } else { at }
    }

    /// Ends lanes that are out of fuel, if they are among `lanes`.
    fn spend(&mut self, walk: &Walk, at: I32x4, lanes: Option<Mask>) -> I32x4 {
        let context = self.host.context();
        let exhausted = offset_of!(Context, exhausted) as i32;
        match self.lanes {
            Lanes::Alone | Lanes::AloneInQuad => {
                let count = self.int(Loc::Count);
                let e = self.e();
                let most = e.i(FUEL as i32);
                let mut over = e.ilt(most, count);
                if let Some(lanes) = lanes {
                    over = e.and(over, lanes);
                }
                let end = e.i(END);
                let at = e.iselect(over, end, at);
                let bits = e.mask_bits(over);
                let number = e.b.ins().popcnt(bits);
                let before = e.load_i32(context, exhausted);
                let after = e.b.ins().iadd(before, number);
                e.store(after, context, exhausted);
                at
            }
            Lanes::Quad => {
                let over = self.is_over(lanes);
                let e = self.e();
                let (end, on) = (e.cold_block(&[]), e.block(&[]));
                e.branch_if_rare(over, end, (on, &[]));
                e.switch_to(end);
                let before = e.load_i32(context, exhausted);
                let after = e.b.ins().iadd_imm_u(before, 1);
                e.store(after, context, exhausted);
                self.flush_copy();
                self.e().jump(walk.done, &[]);
                self.e().switch_to(on);
                at
            }
            // The other slices have yet to execute the block.
            Lanes::WarpSlice => {
                let over = self.is_over(lanes);
                let e = self.e();
                let flag = offset_of!(Context, over) as i32;
                let before = e.load_i32(context, flag);
                let over = e.b.ins().uextend(I32, over);
                let after = e.b.ins().bor(before, over);
                e.store(after, context, flag);
                at
            }
        }
    }

    /// Whether lanes that share an instruction count are out of fuel, and some of them are among `lanes`.
    fn is_over(&mut self, lanes: Option<Mask>) -> Value {
        let (address, offset) = self.count_place();
        let any = lanes.map(|lanes| self.e().any(lanes));
        let context = self.host.context();
        let e = self.e();
        let count = e.load_i32(address, offset);
        let limit = e.load_i32(context, offset_of!(Context, limit) as i32);
        let over = e.b.ins().icmp(IntCC::UnsignedGreaterThan, count, limit);
        let Some(any) = any else { return over };
        let any = e.b.ins().icmp_imm_u(IntCC::NotEqual, any, 0);
        e.b.ins().band(over, any)
    }

    /// Stores the written locations in a side block that ends the program; later blocks store them again.
    fn flush_copy(&mut self) {
        let cache = self.file.snapshot();
        self.flush_file();
        self.file.restore(cache);
    }
}

/// The minimum of all lanes, in all lanes.
pub fn least(e: &mut Emit<'_>, a: I32x4) -> I32x4 {
    let swapped = e.shuffle(a.0, a.0, [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7]);
    let a = e.imin(a, I32x4(swapped));
    let swapped = e.shuffle(a.0, a.0, [4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11]);
    e.imin(a, I32x4(swapped))
}

/// Most blocks that comparisons find, which several quads can do together.
const TREE: usize = 64;

/// Jumps to the target of a number, which all quads have: the first of `targets` is that of number `first`, and the
/// last one that of all beyond it, too.
fn jump_tree(e: &mut Emit<'_>, number: Value, first: usize, targets: &[Code]) {
    if let [only] = targets {
        return e.jump(*only, &[]);
    }
    let (lower, upper) = targets.split_at(targets.len() / 2);
    let middle = first + lower.len();
    let halves = [(first, lower), (middle, upper)];
    let ways = halves.map(|(_, half)| if half.len() == 1 { half[0] } else { e.cold_block(&[]) });
    let is_lower = e.b.ins().icmp_imm_s(IntCC::SignedLessThan, number, middle as i64);
    e.branch_together(is_lower, (ways[0], &[]), (ways[1], &[]));
    for (way, (first, half)) in ways.into_iter().zip(halves).filter(|(_, (_, half))| half.len() > 1) {
        e.switch_to(way);
        jump_tree(e, number, first, half);
    }
}

/// Jumps to the block of a number; beyond the table to `default`.
pub fn jump_table(e: &mut Emit<'_>, index: Value, table: &[Code], default: Code) {
    let none: [BlockArg; 0] = [];
    let default = e.b.func.dfg.block_call(default, &none);
    let calls: Vec<_> = table.iter().map(|&block| e.b.func.dfg.block_call(block, &none)).collect();
    let data = JumpTableData::new(default, &calls);
    let table = e.b.create_jump_table(data);
    e.b.ins().br_table(index, table);
}
