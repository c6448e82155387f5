//! Emission of blocks for warps of up to 32 lanes: eight slices of four lanes.
//!
//! Lane values are in memory between blocks, two slices next to each other. A block is a loop over the slices that have
//! lanes in it, with one version for slices that are entirely in it and a masked one for the others; then the
//! dispatcher selects the lowest block of all slices. With vectors of 256 bits, neighbours that both are entirely in a
//! block execute it at once ([`interleave`](crate::interleave)). A block is split where a later slice would observe
//! writes of an earlier one, see [`sharing`], so that an instruction happens in all lanes before the next one does.
//! Lanes that wait at a barrier hold the number of the block after it plus [`WAITS`]; the code returns when no lane can
//! run.

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
use super::flow::{END, Walk, jump_table, least};
use super::graph::{Block, Sharing, Step};
use super::vectors::SLICES;
use super::{Context, Done, Loc, Lower};
use crate::interleave::Body;
use crate::lane::{Emit, I32x4, Mask, Pairs};

/// Added to the block of a lane that waits at a barrier.
pub const WAITS: i32 = 1 << 29;
/// Return value of the code: no lane can run, or all have ended because they ran out of fuel.
pub const PAUSED: i64 = 0;
pub const EXHAUSTED: i64 = 1;
/// Slot of [`Loc::At`] in a slice's storage.
pub const AT_SLOT: usize = 0;
/// Its offset.
const AT: i32 = 32 * AT_SLOT as i32;

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

/// A slice.
#[derive(Clone, Copy)]
struct Slice {
    /// Address of its storage.
    base: Value,
    /// 16 times its number.
    place: Value,
    /// Address of its lanes' local memory, if the program has any.
    local: Option<Value>,
    /// Where it notes what memory it uses, as an offset from where others do: 0. Where two slices are executed at once,
    /// the second one's are those of the [`UsedRange`](super::direct_args::UsedRange)'s second half.
    distance: Option<Value>,
}

/// The loop over the slices.
#[derive(Clone, Copy)]
struct Loop {
    /// Begins with a slice: the address of its storage, and its place.
    part: Code,
    /// Executes a slice that is entirely in the block, from here to there.
    fast: Code,
    done: Code,
    /// Goes on with the slice that its parameters say, if there is one.
    advance: Code,
    /// Bytes of the storage of two slices.
    pair_bytes: Value,
}

impl Loop {
    /// Goes on after a slice.
    fn step(self, e: &mut Emit<'_>, Slice { base, place, .. }: Slice) {
        let odd = e.b.ins().band_imm_u(place, 16);
        let neighbour = e.b.ins().iadd_imm_u(base, 16);
        let following = e.b.ins().iadd(base, self.pair_bytes);
        let following = e.b.ins().iadd_imm_s(following, -16);
        let base = e.b.ins().select(odd, following, neighbour);
        let place = e.b.ins().iadd_imm_u(place, 16);
        e.jump(self.advance, &[base, place]);
    }
}

impl Lower<'_, '_> {
    /// Emits the program and the rest of the function.
    pub(super) fn run_slices(&mut self) -> Done {
        if self.graph.ambiguous {
            return Err(Unsupported("lanes at one place with different stacks"));
        }
        // The slots of two slices lie next to each other.
        self.file.set_stride(2);
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
                let zero = e.i64(0);
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

    /// The lowest block of all lanes.
    fn lowest(&mut self) -> Value {
        let all = self.all_slices();
        let e = self.e();
        let places = all.map(|base| e.load_ints(base, AT));
        let Some(at) = places.into_iter().reduce(|at, other| e.imin(at, other)) else { return e.i32(END) };
        let at = least(e, at);
        e.lane(at, 0)
    }

    /// Emits a block: its loop over the slices.
    fn emit_sliced_block(&mut self, i: usize, dispatch: Code, over: Code) -> Done {
        let graph = self.graph;
        let block = &graph.blocks[i];
        self.count(block);
        self.prepare(i, block);
        let (first, pair_bytes) = self.first_slices();
        let local = self.uses_local().then(|| self.context_pointer(offset_of!(Context, all_local)));
        let context = self.host.context();
        let e = self.e();
        let has_pairs = e.caps.pairs != Pairs::Never && e.caps.wide;
        let distance = has_pairs.then(|| e.b.ins().iconst(I64, 0));
        let loops = Loop {
            part: e.block(&[I64, I64]),
            fast: e.block(&[]),
            done: e.block(&[]),
            advance: e.block(&[I64, I64]),
            pair_bytes,
        };
        let (partial, masked, next, end) = (e.block(&[]), e.block(&[]), e.block(&[]), e.block(&[]));
        let zero = e.i64(0);
        e.jump(loops.part, &[first, zero]);

        e.switch_to(loops.part);
        let (base, place) = (e.parameter(loops.part, 0), e.parameter(loops.part, 1));
        let local = local.map(|all| {
            // Of four lanes; the place is 16 times the slice's number.
            let bytes = e.load_u32(context, offset_of!(Context, local_bytes) as i32);
            let offset = e.b.ins().imul(bytes, place);
            let offset = e.b.ins().ushr_imm_u(offset, 2);
            e.b.ins().iadd(all, offset)
        });
        let slice = Slice { base, place, local, distance };
        let before = e.load_ints(base, AT);
        let own = e.i(i as i32);
        let mask = e.ieq(before, own);
        let all = e.b.ins().vall_true(mask.0);
        let pair = has_pairs.then(|| e.block(&[]));
        e.branch(all, (pair.unwrap_or(loops.fast), &[]), (partial, &[]));
        e.switch_to(partial);
        let any = e.any(mask);
        e.branch(any, (masked, &[]), (next, &[]));
        for (code, exec, after) in [(loops.fast, None, loops.done), (masked, Some(mask), next)] {
            self.e().switch_to(code);
            self.slice(i, slice, (exec, (before, mask)), after)?;
        }
        self.exec = None;
        let e = self.e();
        e.switch_to(loops.done);
        e.jump(next, &[]);
        e.switch_to(next);
        loops.step(e, slice);
        if let Some(pair) = pair {
            e.switch_to(pair);
            self.two_slices(i, slice, loops);
        }

        let e = self.e();
        e.switch_to(loops.advance);
        let (base, place) = (e.parameter(loops.advance, 0), e.parameter(loops.advance, 1));
        let more = e.b.ins().icmp_imm_u(IntCC::NotEqual, place, 16 * SLICES as i64);
        e.branch(more, (loops.part, &[base, place]), (end, &[]));
        e.switch_to(end);
        if !(block.check && graph.counted) {
            e.jump(dispatch, &[]);
            return Ok(());
        }
        let [first, second] = [0, 4].map(|at| e.load_i32(context, offset_of!(Context, over) as i32 + at));
        let out_of_fuel = e.b.ins().bor(first, second);
        e.branch(out_of_fuel, (over, &[]), (dispatch, &[]));
        Ok(())
    }

    /// Emits what a slice does in a block, then a jump. `exec` are the lanes that are in the block, if not all are, and
    /// the blocks of all and those that are in it.
    fn slice(&mut self, i: usize, slice: Slice, (exec, at): (Option<Mask>, (I32x4, Mask)), after: Code) -> Done {
        let graph = self.graph;
        let block = &graph.blocks[i];
        self.fresh(i);
        self.host.set_slice(slice.place);
        self.exec = exec;
        self.file.storage = Some(slice.base);
        (self.local, self.noted_distance) = (slice.local, slice.distance);
        self.steps(block)?;
        let when = self.condition(block);
        let check = block.check && graph.counted;
        let walk = Walk::of_slice(at, after);
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
        e.store(at.0, slice.base, AT);
        e.jump(after, &[]);
        Ok(())
    }

    /// Lets a slice that is entirely in a block be executed together with the next one if that is as well, and they are
    /// neighbours in memory.
    fn two_slices(&mut self, i: usize, slice: Slice, loops: Loop) {
        let context = self.host.context();
        let scratch = self.host.scratch();
        let e = self.e();
        let (even, both, after) = (e.block(&[]), e.block(&[]), e.block(&[]));
        let odd = e.b.ins().band_imm_u(slice.place, 16);
        e.branch(odd, (loops.fast, &[]), (even, &[]));
        e.switch_to(even);
        let before = e.load_ints(slice.base, AT + 16);
        let own = e.i(i as i32);
        let mask = e.ieq(before, own);
        let all = e.b.ins().vall_true(mask.0);
        e.branch(all, (both, &[]), (loops.fast, &[]));

        e.switch_to(both);
        let [base, place] = [slice.base, slice.place].map(|value| e.b.ins().iadd_imm_u(value, 16));
        let mut others = vec![(slice.base, vec![base]), (slice.place, vec![place])];
        if let Some(distance) = slice.distance {
            others.push((distance, vec![e.b.ins().iconst(I64, size_of::<[u32; 4]>() as i64)]));
        }
        if let Some(local) = slice.local {
            let bytes = e.load_u32(context, offset_of!(Context, local_bytes) as i32);
            let bytes = e.b.ins().ishl_imm_u(bytes, 2);
            others.push((local, vec![e.b.ins().iadd(local, bytes)]));
        }
        e.jump(after, &[]);
        e.switch_to(after);
        let base = e.b.ins().iadd(slice.base, loops.pair_bytes);
        let place = e.b.ins().iadd_imm_u(slice.place, 32);
        e.jump(loops.advance, &[base, place]);
        let over = offset_of!(Context, over) as i32;
        let indices = size_of::<[[u32; 4]; 4]>() as i32;
        e.bodies.push(Body {
            entry: loops.fast,
            exit: loops.done,
            others,
            before: both,
            own: vec![(over..over + 4, 4), (scratch..scratch + indices, indices)],
            counters: 0..0,
            storage: None,
            is_repeatable: false,
        });
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
        let (mut pair, pair_bytes) = self.first_slices();
        let e = self.e();
        std::array::from_fn(|n| match n % 2 {
            0 => {
                pair = if n == 0 { pair } else { e.b.ins().iadd(pair, pair_bytes) };
                pair
            }
            _ => e.b.ins().iadd_imm_u(pair, 16),
        })
    }

    /// The address of the storage of the first two slices, and how many bytes it has.
    fn first_slices(&mut self) -> (Value, Value) {
        let first = self.context_pointer(offset_of!(Context, storage));
        (first, self.context_pointer(offset_of!(Context, pair_bytes)))
    }

    /// Copies a register of all slices to the exchange vectors of the context.
    fn exchange(&mut self, loc: Loc) {
        let slot = self.file.shared_slot(loc);
        let at = self.file.offset(slot);
        let context = self.host.context();
        for (n, base) in self.all_slices().into_iter().enumerate() {
            let e = self.e();
            let value = e.load_ints(base, at);
            e.store(value.0, context, exchange_at(n));
        }
    }

    /// Lanes in this block whose guard holds, and those of them for which a predicate does.
    fn count_votes(&mut self, i: usize, guard: PredSource, source: PredSource) -> Ballot {
        let slots =
            [guard, source].map(|pred| (pred.pred.0 < 7).then(|| self.file.shared_slot(Loc::Pred(pred.pred.0))));
        let slots = slots.map(|slot| slot.map(|slot| self.file.offset(slot)));
        let parts = self.all_slices();
        let e = self.e();
        let (mut active, mut yes) = (e.i32(0), e.i32(0));
        for (n, base) in parts.into_iter().enumerate() {
            let at = e.load_ints(base, AT);
            let own = e.i(i as i32);
            let mut mask = e.ieq(at, own);
            for (pred, slot, sum) in [(guard, slots[0], &mut active), (source, slots[1], &mut yes)] {
                let holds = slot.map(|slot| Mask(e.load_ints(base, slot).0));
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
