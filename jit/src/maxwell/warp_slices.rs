//! Emission of blocks for warps of up to 32 lanes: eight slices of four lanes.
//!
//! Lane values are in memory between blocks, slice after slice. A block is a loop over the slices that have lanes in
//! it, with one version for slices that are entirely in it and a masked one for the others; then the dispatcher selects
//! the lowest block of all slices. A block is split where a later slice would observe writes of an earlier one, see
//! [`sharing`], so that an instruction happens in all lanes before the next one does. Lanes that wait at a barrier hold
//! the number of the block after it plus [`WAITS`]; the code returns when no lane can run.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block as Code, InstBuilder, Value};
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::table::{Fields, Shape, flags};
use triglyph_guest::tegra::shader::isa::{Op, Shuffle, Vote, decode, form};
use triglyph_guest::tegra::shader::operand::PredSource;
use triglyph_guest::tegra::shader::shape::Plain;

use super::call::exchange_at;
use super::flow::{Walk, jump_table, least};
use super::graph::{Block, Sharing, Step};
use super::vectors::SLICES;
use super::{Context, Done, Loc, Lower};
use crate::lane::{I32x4, Mask};

/// Added to the block of a lane that waits at a barrier.
pub const WAITS: i32 = 1 << 29;
/// Return value of the code: no lane can run, or all have ended because they ran out of fuel.
pub const PAUSED: i64 = 0;
pub const EXHAUSTED: i64 = 1;
/// Slot of [`Loc::At`] in a slice's storage.
pub const AT_SLOT: usize = 0;

/// Global memory and images, shared memory, the outputs of a patch.
const GLOBAL: u8 = 1;
const SHARED: u8 = 2;
const OUTPUTS: u8 = 4;

/// State that an operation shares with other slices.
pub fn sharing(op: Op) -> Sharing {
    let (mut reads, mut writes) = (0, 0);
    match op {
        Op::shfl | Op::vote => return Sharing { first: true, ..Sharing::default() },
        Op::bar => return Sharing { last: true, ..Sharing::default() },
        Op::lds => reads = SHARED,
        Op::sts | Op::atoms | Op::atoms_cas => writes = SHARED,
        Op::ld | Op::ldg | Op::ldg_p | Op::suld_p | Op::suld_d => reads = GLOBAL,
        Op::ald => reads = OUTPUTS,
        Op::ast => writes = OUTPUTS,
        Op::stl => {}
        _ if op.info().has(flags::STORES) => writes = GLOBAL,
        _ => {}
    }
    Sharing { first: false, last: false, reads, writes }
}

/// Ballot of a vote, counted before its block: lanes that vote, and those for which the predicate holds, as 32-bit
/// scalars.
#[derive(Clone, Copy)]
pub struct Ballot {
    pub active: Value,
    pub yes: Value,
}

impl Lower<'_, '_> {
    /// Emits the program and the rest of the function.
    pub(super) fn run_slices(&mut self) -> Done {
        if self.graph.ambiguous {
            return Err(Unsupported("lanes at one place with different stacks"));
        }
        self.file.keep(&[Loc::At]);
        let blocks = self.graph.blocks.len();
        let e = self.e();
        let heads: Vec<Code> = (0..blocks).map(|_| e.block(&[])).collect();
        let (dispatch, paused, over) = (e.block(&[]), e.block(&[]), e.cold_block(&[]));
        e.jump(dispatch, &[]);
        e.switch_to(dispatch);
        self.fresh(usize::MAX);
        let block = self.lowest();
        jump_table(self.e(), block, &heads, paused);
        for (i, &head) in heads.iter().enumerate() {
            self.e().switch_to(head);
            self.fresh(i);
            self.emit_sliced_block(i, dispatch, over)?;
        }
        // Values read from lanes that never run are 0 as well.
        let mut cleared: Vec<usize> = self.finish_file(&[]).into_iter().map(|(_, slot)| slot).collect();
        cleared.extend(self.file.shared_slots());
        cleared.sort_unstable();
        cleared.dedup();
        self.needs.cleared = cleared;
        for (block, status) in [(paused, PAUSED), (over, EXHAUSTED)] {
            self.e().switch_to(block);
            let context = self.host.context();
            let e = self.e();
            if status == EXHAUSTED {
                let (over, exhausted) = (offset_of!(Context, over) as i32, offset_of!(Context, exhausted) as i32);
                let zero = e.i32(0);
                e.store(zero, context, over);
                let before = e.load_i32(context, exhausted);
                let after = e.b.ins().iadd_imm_u(before, 1);
                e.store(after, context, exhausted);
            }
            let status = e.i64(status);
            e.finish(status);
        }
        Ok(())
    }

    fn slice_bytes(&mut self) -> Value {
        self.context_pointer(offset_of!(Context, slice_bytes))
    }

    /// The lowest block of all lanes.
    fn lowest(&mut self) -> Value {
        let (mut base, stride) = (self.context_pointer(offset_of!(Context, storage)), self.slice_bytes());
        let e = self.e();
        let mut at = e.load_ints(base, 16 * AT_SLOT as i32);
        for _ in 1..SLICES {
            base = e.b.ins().iadd(base, stride);
            let other = e.load_ints(base, 16 * AT_SLOT as i32);
            at = e.imin(at, other);
        }
        let at = least(e, at);
        e.lane(at, 0)
    }

    /// Emits a block: its loop over the slices.
    fn emit_sliced_block(&mut self, i: usize, dispatch: Code, over: Code) -> Done {
        let graph = self.graph;
        let block = &graph.blocks[i];
        self.count(block);
        self.prepare(i, block);
        let (first, stride) = (self.context_pointer(offset_of!(Context, storage)), self.slice_bytes());
        let local = self.context_pointer(offset_of!(Context, all_local));
        let e = self.e();
        let (part, some, next) = (e.block(&[I64, I64]), e.block(&[]), e.block(&[]));
        let (fast, masked) = (e.block(&[]), e.block(&[]));
        let zero = e.i64(0);
        e.jump(part, &[first, zero]);

        e.switch_to(part);
        let (base, place) = (e.parameter(part, 0), e.parameter(part, 1));
        let before = e.load_ints(base, 16 * AT_SLOT as i32);
        let own = e.i(i as i32);
        let mask = e.ieq(before, own);
        let any = e.any(mask);
        e.branch(any, (some, &[]), (next, &[]));
        e.switch_to(some);
        if self.uses_local() {
            let context = self.host.context();
            let e = self.e();
            let bytes = e.load_u32(context, offset_of!(Context, local_bytes) as i32);
            let offset = e.b.ins().imul(bytes, place);
            let offset = e.b.ins().ushr_imm_u(offset, 2);
            let own = e.b.ins().iadd(local, offset);
            e.store(own, context, offset_of!(Context, local) as i32);
        }
        let e = self.e();
        let all = e.b.ins().vall_true(mask.0);
        e.branch(all, (fast, &[]), (masked, &[]));
        for (code, exec) in [(fast, None), (masked, Some(mask))] {
            self.e().switch_to(code);
            self.fresh(i);
            self.host.set_slice(place);
            self.exec = exec;
            self.file.storage = Some(base);
            self.steps(block)?;
            let when = self.condition(block);
            let check = block.check && self.graph.counted;
            let walk = Walk::of_slice((before, mask), next);
            let mut at = self.next_blocks(&walk, block, when, check);
            if let Some(waiting) = self.waiting.take() {
                let e = self.e();
                let more = e.i(WAITS);
                let waits = e.iadd(at, more);
                at = match waiting {
                    None => waits,
                    Some(lanes) => e.iselect(lanes, waits, at),
                };
            }
            self.flush_file();
            let e = self.e();
            e.store(at.0, base, 16 * AT_SLOT as i32);
            e.jump(next, &[]);
        }
        self.exec = None;
        let check = block.check && self.graph.counted;
        let e = self.e();
        e.switch_to(next);
        let base = e.b.ins().iadd(base, stride);
        let place = e.b.ins().iadd_imm_u(place, 16);
        let more = e.b.ins().icmp_imm_u(IntCC::NotEqual, place, 16 * SLICES as i64);
        if !check {
            e.branch(more, (part, &[base, place]), (dispatch, &[]));
            return Ok(());
        }
        let all = e.block(&[]);
        e.branch(more, (part, &[base, place]), (all, &[]));
        e.switch_to(all);
        let context = self.host.context();
        let e = self.e();
        let out_of_fuel = e.load_i32(context, offset_of!(Context, over) as i32);
        e.branch(out_of_fuel, (over, &[]), (dispatch, &[]));
        Ok(())
    }

    /// Computes what the first instruction needs from all slices before any of them executes it.
    fn prepare(&mut self, i: usize, block: &Block) {
        let Some(&Step { word, .. }) = block.steps.first() else { return };
        let Some((op, form)) = decode(word).zip(form(word)) else { return };
        let fields = Fields::new(word, &form.pattern);
        match op {
            Op::shfl => {
                let source = Shuffle::decode(fields).a;
                if !source.is_zero() {
                    self.exchange(Loc::Reg(source.0));
                }
            }
            Op::vote => {
                let guard = Plain::decode(fields).guard;
                self.ballot = Some(self.count_votes(i, guard.0, Vote::decode(fields).source));
            }
            _ => {}
        }
    }

    /// Addresses of the storage of all slices.
    fn all_slices(&mut self) -> [Value; SLICES] {
        let (first, stride) = (self.context_pointer(offset_of!(Context, storage)), self.slice_bytes());
        let e = self.e();
        let mut base = first;
        std::array::from_fn(|n| {
            if n > 0 {
                base = e.b.ins().iadd(base, stride);
            }
            base
        })
    }

    /// Copies a register of all slices to the exchange vectors of the context.
    fn exchange(&mut self, loc: Loc) {
        let slot = self.file.shared_slot(loc);
        let context = self.host.context();
        for (n, base) in self.all_slices().into_iter().enumerate() {
            let e = self.e();
            let value = e.load_ints(base, 16 * slot as i32);
            e.store(value.0, context, exchange_at(n));
        }
    }

    /// Lanes in this block whose guard holds, and those of them for which a predicate does.
    fn count_votes(&mut self, i: usize, guard: PredSource, source: PredSource) -> Ballot {
        let slots =
            [guard, source].map(|pred| (pred.pred.0 < 7).then(|| self.file.shared_slot(Loc::Pred(pred.pred.0))));
        let parts = self.all_slices();
        let e = self.e();
        let (mut active, mut yes) = (e.i32(0), e.i32(0));
        for (n, base) in parts.into_iter().enumerate() {
            let at = e.load_ints(base, 16 * AT_SLOT as i32);
            let own = e.i(i as i32);
            let mut mask = e.ieq(at, own);
            for (pred, slot, sum) in [(guard, slots[0], &mut active), (source, slots[1], &mut yes)] {
                let holds = slot.map(|slot| Mask(e.load_ints(base, 16 * slot as i32).0));
                mask = match (holds, pred.not) {
                    (None, false) => mask,
                    (None, true) => Mask(e.i(0).0),
                    (Some(holds), false) => e.and(mask, holds),
                    (Some(holds), true) => e.and_not(mask, holds),
                };
                let bits = e.mask_bits(mask);
                let bits = e.b.ins().ishl_imm_u(bits, 4 * n as i64);
                *sum = e.b.ins().bor(*sum, bits);
            }
        }
        Ballot { active, yes }
    }

    /// Marks the active lanes as waiting at a barrier.
    pub(super) fn wait(&mut self) {
        let lanes = self.active();
        self.waiting = Some(lanes);
    }

    /// The result of a vote of the whole warp, in all lanes.
    pub(super) fn voted(
        &mut self,
        mode: triglyph_guest::tegra::shader::isa::VoteMode,
    ) -> Result<(I32x4, Mask), Unsupported> {
        use triglyph_guest::tegra::shader::isa::VoteMode;
        let Some(Ballot { active, yes }) = self.ballot else { return Err(Unsupported("a vote without votes")) };
        let e = self.e();
        let no = e.b.ins().band_not(active, yes);
        let [yes, no] = [yes, no].map(|bits| e.splat_i32(bits));
        let zero = e.i(0);
        let (no_yes, no_no) = (e.ieq(yes, zero), e.ieq(no, zero));
        let result = match mode {
            VoteMode::All | VoteMode::Unknown(_) => no_no,
            VoteMode::Any => e.not(no_yes),
            VoteMode::Equal => e.or(no_yes, no_no),
        };
        Ok((yes, result))
    }
}
