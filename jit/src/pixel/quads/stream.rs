//! The loop over the quads of all blocks of a job, where nothing is set up for a primitive or a block: the last quad of
//! a block and the first one of the next are drawn at once. Small triangles have few quads a block, and many operations
//! on four lanes take as long as on eight.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::pixel::PixelBlock;

use super::iteration::{Iteration, TakenQuad};
use super::{AT_ONCE, CoveredQuad, PrivateMemory, QuadCount};
use crate::interleave::Body;
use crate::lane::{Emit, Pairs};

/// The blocks of a job.
#[derive(Clone, Copy)]
pub(crate) struct Stream {
    /// Offsets in the arguments: address of the first block, and of the end.
    pub blocks: i32,
    pub end: i32,
    /// Of a word that is not zero if blocks at different places have no memory in common.
    pub are_apart: i32,
}

/// A quad and the block that it is from.
#[derive(Clone, Copy)]
struct BlockQuad {
    block: Value,
    taken: TakenQuad,
}

impl BlockQuad {
    /// The quad after it, whose block has more.
    fn after(self, e: &mut Emit<'_>, iteration: Iteration) -> BlockQuad {
        BlockQuad { taken: iteration.take(e, self.taken.rest), ..self }
    }
}

/// The loop over all quads with covered pixels, then on to `exit`. `draw` emits the code for a quad of the block at an
/// address, and `four` says where four are drawn at once: see [`each_quad`](super::each_quad).
pub(crate) fn each_quad_of_all(
    e: &mut Emit<'_>,
    iteration: Iteration,
    stream: Stream,
    exit: Block,
    memory: &PrivateMemory,
    draw: impl FnOnce(&mut Emit<'_>, Value, CoveredQuad, Block) -> Result<(), Unsupported>,
    four: impl FnOnce(&Emit<'_>, Block, Block) -> QuadCount,
) -> Result<(), Unsupported> {
    let (head, body, take, some) = (e.block(&[I64]), e.block(&[]), e.block(&[I64, I64]), e.block(&[]));
    let (next, one, done) = (e.block(&[]), e.block(&[]), e.block(&[]));
    let args = e.args;
    let first = e.load_i64(args, stream.blocks);
    e.jump(head, &[first]);

    e.switch_to(head);
    let block = e.parameter(head, 0);
    let end = e.load_i64(args, stream.end);
    let more = e.b.ins().icmp(IntCC::NotEqual, block, end);
    e.branch(more, (body, &[]), (exit, &[]));
    e.switch_to(body);
    let coverage = coverage(e, block);
    e.jump(take, &[block, coverage]);

    e.switch_to(take);
    let (block, coverage) = (e.parameter(take, 0), e.parameter(take, 1));
    e.branch(coverage, (some, &[]), (next, &[]));
    e.switch_to(next);
    let following = following(e, block);
    e.jump(head, &[following]);
    e.switch_to(some);
    let quad = BlockQuad { block, taken: iteration.take(e, coverage) };
    let blocks = LoopBlocks { iteration, stream, take, one, done };
    let several = (e.caps.pairs != Pairs::Never && iteration.quads > 1).then(|| e.block(&[]));
    e.jump(several.unwrap_or(one), &[]);

    e.switch_to(one);
    let TakenQuad { pixels, cover, rest } = quad.taken;
    draw(e, block, CoveredQuad { pixels, cover, storage: memory.storage.map(|all| all[0]) }, done)?;
    e.switch_to(done);
    e.jump(take, &[block, rest]);
    if let Some(several) = several {
        let four = if e.caps.wide { four(e, one, done) } else { QuadCount::Two };
        e.switch_to(several);
        blocks.several(e, quad, coverage, memory, four != QuadCount::Two);
    }
    Ok(())
}

/// The coverage of the block at an address.
fn coverage(e: &mut Emit<'_>, block: Value) -> Value {
    e.load_i64(block, offset_of!(PixelBlock, coverage) as i32)
}

/// Address of the block after another one.
fn following(e: &mut Emit<'_>, block: Value) -> Value {
    e.b.ins().iadd_imm_u(block, size_of::<PixelBlock>() as i64)
}

/// The blocks of the loop.
#[derive(Clone, Copy)]
struct LoopBlocks {
    iteration: Iteration,
    stream: Stream,
    /// Takes a quad out of the coverage of a block, its parameters.
    take: Block,
    /// What draws one, from here to there.
    one: Block,
    done: Block,
}

impl LoopBlocks {
    /// Draws `first`, taken out of `coverage`, with the quads after it at once, or alone.
    fn several(self, e: &mut Emit<'_>, first: BlockQuad, coverage: Value, memory: &PrivateMemory, has_four: bool) {
        let (same, other) = (e.block(&[]), e.block(&[]));
        e.branch(first.taken.rest, (same, &[]), (other, &[]));

        e.switch_to(same);
        let second = first.after(e, self.iteration);
        if has_four {
            let less = e.block(&[]);
            let mut quads = vec![second];
            for _ in 2..AT_ONCE {
                let last = quads[quads.len() - 1];
                let more = e.block(&[]);
                e.branch(last.taken.rest, (more, &[]), (less, &[]));
                e.switch_to(more);
                quads.push(last.after(e, self.iteration));
            }
            self.at_once(e, first, &quads, memory);
            e.switch_to(less);
        }
        self.at_once(e, first, &[second], memory);

        e.switch_to(other);
        let second = self.of_following(e, first.block, coverage);
        self.at_once(e, first, &[second], memory);
    }

    /// The first quad of the following block; `coverage` of `block` is drawn with it. On to [`Self::one`] if there is
    /// none, or if the two may have a pixel in common: the primitives are drawn in order.
    fn of_following(self, e: &mut Emit<'_>, block: Value, coverage: Value) -> BlockQuad {
        let (there, is_same, is_other, joined) = (e.block(&[]), e.block(&[]), e.block(&[]), e.block(&[]));
        let one = self.one;
        let following = following(e, block);
        let args = e.args;
        let end = e.load_i64(args, self.stream.end);
        let more = e.b.ins().icmp(IntCC::NotEqual, following, end);
        e.branch(more, (there, &[]), (one, &[]));

        e.switch_to(there);
        let covered = self::coverage(e, following);
        // Column and row are one word.
        const _: () = assert!(offset_of!(PixelBlock, row) == offset_of!(PixelBlock, x) + 2);
        let [place, other_place] = [block, following].map(|block| e.load_i32(block, offset_of!(PixelBlock, x) as i32));
        let same = e.b.ins().icmp(IntCC::Equal, place, other_place);
        e.branch(same, (is_same, &[]), (is_other, &[]));
        e.switch_to(is_same);
        let both = e.b.ins().band(coverage, covered);
        e.branch(both, (one, &[]), (joined, &[]));
        e.switch_to(is_other);
        let apart = e.load_i32(args, self.stream.are_apart);
        e.branch(apart, (joined, &[]), (one, &[]));

        e.switch_to(joined);
        let some = e.block(&[]);
        e.branch(covered, (some, &[]), (one, &[]));
        e.switch_to(some);
        BlockQuad { block: following, taken: self.iteration.take(e, covered) }
    }

    /// Draws `first` and others at once by a copy of what draws one, and goes on. What they find at their block is
    /// there once if it is the same.
    fn at_once(self, e: &mut Emit<'_>, first: BlockQuad, others: &[BlockQuad], memory: &PrivateMemory) {
        let Some(&last) = others.last() else { return };
        let (before, drawn) = (e.block(&[]), e.block(&[]));
        e.jump(before, &[]);
        e.switch_to(before);
        e.jump(drawn, &[]);
        e.switch_to(drawn);
        e.jump(self.take, &[last.block, last.taken.rest]);
        let of = |value: fn(&BlockQuad) -> Value| (value(&first), others.iter().map(value).collect::<Vec<_>>());
        let mut values = vec![of(|quad| quad.taken.pixels), of(|quad| quad.taken.cover)];
        values.extend((last.block != first.block).then(|| of(|quad| quad.block)));
        values.extend(memory.storage.map(|storage| (storage[0], storage[1..=others.len()].to_vec())));
        e.bodies.push(Body {
            entry: self.one,
            exit: self.done,
            others: values,
            before,
            own: memory.own.clone(),
            counters: memory.counters.clone(),
            storage: memory.storage.map(|storage| storage[0]),
            is_repeatable: false,
        });
    }
}
