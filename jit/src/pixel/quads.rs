//! The loop over the quads of a block of 8x8 pixels, in order: one at a time, or two or four at once
//! ([`interleave`](crate::interleave)). Machines emit its body. Where pixels of a quad do not have to be neighbours, a
//! quad may be any four covered ones ([`Iteration::picks`]), and those of different blocks may be drawn at once
//! ([`Stream`]).

use std::ops::Range;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::divided::Survivors;
use triglyph_guest::kernel::pixel::PixelBlock;

use crate::interleave::Body;
use crate::lane::{Emit, Mask, Pairs};

mod iteration;
mod stream;
#[cfg(test)]
mod tests;

use iteration::TakenQuad;
pub(crate) use iteration::{Iteration, PICKED_BITS};
pub(crate) use stream::{Stream, each_quad_of_all};

/// Maximum number of quads that are drawn at once.
pub(crate) const AT_ONCE: usize = 4;

/// A quad with a covered pixel.
#[derive(Clone, Copy)]
pub(crate) struct CoveredQuad {
    /// The number of its first pixel in the block, 64 bits; of picked pixels see [`Iteration::picks`].
    pub pixels: Value,
    /// Its covered pixels, four bits of 64.
    pub cover: Value,
    /// Address of memory that only this quad uses.
    pub storage: Option<Value>,
}

/// Memory that quads drawn at once do not share.
pub(crate) struct PrivateMemory {
    /// Parts of the arguments: the offsets of the first quad's, and the distance to the next one's.
    pub own: Vec<(Range<i32>, i32)>,
    /// Those of them that quads add to.
    pub counters: Range<i32>,
    /// Addresses of other memory, which a quad writes before it reads it.
    pub storage: Option<[Value; AT_ONCE]>,
}

/// Stores which pixels of the quad that begins with pixel `first` are in `passed`, where a block's
/// [`Survivors`](triglyph_guest::kernel::divided::Survivors) are.
pub(crate) fn tell_survivors(e: &mut Emit<'_>, survivors: Value, first: Value, passed: Mask) {
    let quad = e.b.ins().ushr_imm_u(first, 2);
    let place = e.b.ins().iadd(survivors, quad);
    let pixels = e.mask_bits(passed);
    e.b.ins().istore8(crate::lane::memory(), pixels, place, 0);
}

/// Bytes from a job's blocks to their survivors, which are as large: what is added to a block's address.
pub(crate) fn blocks_to_survivors(blocks: &[PixelBlock], survivors: &[Survivors]) -> Result<isize, Unsupported> {
    const { assert!(size_of::<PixelBlock>() == size_of::<Survivors>()) };
    match blocks.len() <= survivors.len() {
        true => Ok((survivors.as_ptr() as isize).wrapping_sub(blocks.as_ptr() as isize)),
        false => Err(Unsupported("blocks without room for survivors")),
    }
}

/// How many quads an iteration draws at once. Four need vectors of 256 bits, and pay where the processor waits for
/// texels or for the results of long chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuadCount {
    Two,
    /// Four in blocks that are covered whole, two elsewhere.
    FourInCoveredBlocks,
    /// Four wherever there are as many.
    Four,
}

/// What is known of a block.
#[derive(Clone, Copy)]
pub(crate) struct CoveredBlock {
    /// Four bits for each quad.
    pub coverage: Value,
    /// Not zero if all pixels are covered.
    pub full: Value,
}

impl CoveredBlock {
    pub fn new(e: &mut Emit<'_>, coverage: Value) -> Self {
        CoveredBlock { coverage, full: e.b.ins().icmp_imm_s(IntCC::Equal, coverage, -1) }
    }
}

/// The loop over a block's quads with covered pixels, then on to `next`. `draw` emits the code for a quad, from the
/// current block to a jump to the one that it gets; `four`, called afterwards, says how many are drawn at once by
/// the code between these two.
pub(crate) fn each_quad(
    e: &mut Emit<'_>,
    iteration: Iteration,
    block: CoveredBlock,
    next: Block,
    memory: &PrivateMemory,
    draw: impl FnOnce(&mut Emit<'_>, CoveredQuad, Block) -> Result<(), Unsupported>,
    four: impl FnOnce(&Emit<'_>, Block, Block) -> QuadCount,
) -> Result<(), Unsupported> {
    let (take, some) = (e.block(&[I64]), e.block(&[]));
    let (quad, one, done) = (e.block(&[I64, I64, I64]), e.block(&[]), e.block(&[]));
    let (first, all, none) = (e.i64(iteration.first()), e.i64(iteration.all()), e.i64(0));
    e.branch(block.full, (quad, &[first, all, none]), (take, &[block.coverage]));

    e.switch_to(take);
    let coverage = e.parameter(take, 0);
    e.branch(coverage, (some, &[]), (next, &[]));
    e.switch_to(some);
    let taken = iteration.take(e, coverage);
    e.jump(quad, &[taken.pixels, taken.cover, taken.rest]);

    e.switch_to(quad);
    let [pixels, cover, rest] = [0, 1, 2].map(|index| e.parameter(quad, index));
    let blocks = LoopBlocks { iteration, block, take, quad, one, done, next };
    let first = TakenQuad { pixels, cover, rest };
    let several = (e.caps.pairs != Pairs::Never && iteration.quads > 1).then(|| e.block(&[]));
    e.jump(several.unwrap_or(one), &[]);
    e.switch_to(one);
    draw(e, CoveredQuad { pixels, cover, storage: memory.storage.map(|all| all[0]) }, done)?;
    e.switch_to(done);
    blocks.advance(e, first);
    if let Some(several) = several {
        let four = if e.caps.wide { four(e, one, done) } else { QuadCount::Two };
        e.switch_to(several);
        blocks.several(e, first, memory, four);
    }
    Ok(())
}

/// The blocks of the loop.
#[derive(Clone, Copy)]
struct LoopBlocks {
    iteration: Iteration,
    block: CoveredBlock,
    /// Takes a quad out of the coverage that is its parameter.
    take: Block,
    /// Draws the quad that its parameters say.
    quad: Block,
    /// What draws one, from here to there.
    one: Block,
    done: Block,
    next: Block,
}

impl LoopBlocks {
    /// Goes on after `last`.
    fn advance(self, e: &mut Emit<'_>, last: TakenQuad) {
        let (step, left) = (e.block(&[]), e.block(&[]));
        e.branch(self.block.full, (step, &[]), (left, &[]));
        e.switch_to(left);
        e.jump(self.take, &[last.rest]);
        e.switch_to(step);
        let following = self.iteration.after(e, last.pixels, 1);
        let more = e.b.ins().icmp_imm_u(IntCC::NotEqual, following, self.iteration.pixels(self.iteration.per_block()));
        e.branch(more, (self.quad, &[following, last.cover, last.rest]), (self.next, &[]));
    }

    /// Draws `first` and the quads after it at once, or `first` alone if it is the last one.
    fn several(self, e: &mut Emit<'_>, first: TakenQuad, memory: &PrivateMemory, place: QuadCount) {
        let two = FollowingQuads::new(e, 1);
        let four = (place != QuadCount::Two).then(|| FollowingQuads::new(e, 3));
        let (whole, partial, some) = (e.block(&[]), e.block(&[]), e.block(&[]));
        e.branch(self.block.full, (whole, &[]), (partial, &[]));

        // Fewer may be left after quads that were restarted one at a time.
        e.switch_to(whole);
        let count = four.as_ref().map_or(2, |_| AT_ONCE as i64);
        let last = self.iteration.pixels(self.iteration.per_block() - count);
        let enough = e.b.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, first.pixels, last);
        let together = e.block(&[]);
        e.branch(enough, (together, &[]), (self.one, &[]));
        e.switch_to(together);
        let following: Vec<TakenQuad> = (1..count)
            .map(|distance| TakenQuad { pixels: self.iteration.after(e, first.pixels, distance), ..first })
            .collect();
        four.as_ref().unwrap_or(&two).enter(e, &following);

        e.switch_to(partial);
        e.branch(first.rest, (some, &[]), (self.one, &[]));
        e.switch_to(some);
        let second = self.iteration.take(e, first.rest);
        if let Some(four) = four.as_ref().filter(|_| place == QuadCount::Four) {
            let (third_is_there, fourth_is_there, less) = (e.block(&[]), e.block(&[]), e.block(&[]));
            e.branch(second.rest, (third_is_there, &[]), (less, &[]));
            e.switch_to(third_is_there);
            let third = self.iteration.take(e, second.rest);
            e.branch(third.rest, (fourth_is_there, &[]), (less, &[]));
            e.switch_to(fourth_is_there);
            let fourth = self.iteration.take(e, third.rest);
            four.enter(e, &[second, third, fourth]);
            e.switch_to(less);
        }
        two.enter(e, &[second]);
        for others in [Some(two), four].into_iter().flatten() {
            self.at_once(e, first, &others, memory);
        }
    }

    /// Draws `first` and others at once by a copy of what draws one, and goes on.
    fn at_once(self, e: &mut Emit<'_>, first: TakenQuad, others: &FollowingQuads, memory: &PrivateMemory) {
        e.switch_to(others.block);
        let all = others.parameters(e);
        let drawn = e.block(&[]);
        e.jump(drawn, &[]);
        e.switch_to(drawn);
        self.advance(e, all[all.len() - 1]);
        let of = |value: fn(&TakenQuad) -> Value| (value(&first), all.iter().map(value).collect());
        let mut values = vec![of(|quad| quad.pixels), of(|quad| quad.cover)];
        values.extend(memory.storage.map(|storage| (storage[0], storage[1..=all.len()].to_vec())));
        e.bodies.push(Body {
            entry: self.one,
            exit: self.done,
            others: values,
            before: others.block,
            own: memory.own.clone(),
            counters: memory.counters.clone(),
            storage: memory.storage.map(|storage| storage[0]),
            is_repeatable: false,
        });
    }
}

/// A block that draws the quads following another one; its parameters are theirs.
struct FollowingQuads {
    block: Block,
    count: usize,
}

impl FollowingQuads {
    fn new(e: &mut Emit<'_>, count: usize) -> Self {
        FollowingQuads { block: e.block(&[I64].repeat(3 * count)), count }
    }

    /// Jumps there.
    fn enter(&self, e: &mut Emit<'_>, quads: &[TakenQuad]) {
        let values: Vec<Value> = quads.iter().flat_map(|quad| [quad.pixels, quad.cover, quad.rest]).collect();
        e.jump(self.block, &values);
    }

    /// The quads there.
    fn parameters(&self, e: &Emit<'_>) -> Vec<TakenQuad> {
        let quad = |at| TakenQuad {
            pixels: e.parameter(self.block, at),
            cover: e.parameter(self.block, at + 1),
            rest: e.parameter(self.block, at + 2),
        };
        (0..self.count).map(|index| quad(3 * index)).collect()
    }
}
