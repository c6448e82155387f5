//! Quads taken out of a block's coverage mask.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::lane::Emit;

/// Pixels of a block.
const PIXELS: usize = 64;

/// Bits of a pixel's number among those of picked pixels.
pub(crate) const PICKED_BITS: u32 = 16;

/// What an iteration of the loop does.
#[derive(Clone, Copy)]
pub(crate) struct Iteration {
    /// Pixels of a quad: a power of two, and 4 if they are picked.
    pub lanes: usize,
    /// Most quads that are drawn at once, up to [`AT_ONCE`](super::AT_ONCE).
    pub quads: usize,
    /// A quad is the next covered pixels of the block, in Morton order, wherever they are. It is told by the numbers of
    /// all of them, [`PICKED_BITS`] each, the first one lowest. Where fewer are left, the other lanes are not covered
    /// and have the number of the first pixel. Code that stores all lanes must store the first one last, as the others
    /// would put back what was there before.
    ///
    /// Small triangles cover a quad by half: of 23-lighting 1.97 of four pixels.
    pub picks: bool,
}

impl Iteration {
    /// Quads of a block that is covered whole.
    pub fn per_block(self) -> i64 {
        (PIXELS / self.lanes) as i64
    }

    /// Coverage of a whole quad.
    pub fn all(self) -> i64 {
        (1 << self.lanes) - 1
    }

    /// The pixels of the first quad of a block that is covered whole.
    pub fn first(self) -> i64 {
        if self.picks { 0x0003_0002_0001_0000 } else { 0 }
    }

    /// The distance from the pixels of a quad to those of the next one in a block that is covered whole.
    fn step(self) -> i64 {
        if self.picks { 0x0004_0004_0004_0004 } else { self.lanes as i64 }
    }

    /// The pixels of the quad at `index` of a block that is covered whole.
    pub fn pixels(self, index: i64) -> i64 {
        self.first() + index * self.step()
    }

    /// The pixels of a quad `distance` quads after another one, in a block that is covered whole.
    pub fn after(self, e: &mut Emit<'_>, pixels: Value, distance: i64) -> Value {
        e.b.ins().iadd_imm_u(pixels, distance * self.step())
    }

    /// The first quad of a coverage that is not empty.
    pub(super) fn take(self, e: &mut Emit<'_>, coverage: Value) -> TakenQuad {
        if self.picks { take_pixels(e, coverage) } else { self.take_quad(e, coverage) }
    }

    fn take_quad(self, e: &mut Emit<'_>, coverage: Value) -> TakenQuad {
        let first = e.b.ins().ctz(coverage);
        let first = e.b.ins().band_imm_u(first, (PIXELS - self.lanes) as i64);
        let cover = e.b.ins().ushr(coverage, first);
        let cover = e.b.ins().band_imm_u(cover, self.all());
        let taken = e.i64(self.all());
        let taken = e.b.ins().ishl(taken, first);
        TakenQuad { pixels: first, cover, rest: e.b.ins().band_not(coverage, taken) }
    }
}

/// The first four pixels of a coverage that is not empty, or all of them.
fn take_pixels(e: &mut Emit<'_>, coverage: Value) -> TakenQuad {
    let first = e.b.ins().ctz(coverage);
    let (mut pixels, mut rest) = (first, without_lowest(e, coverage));
    for lane in 1..4 {
        let pixel = e.b.ins().ctz(rest);
        let is_there = e.b.ins().icmp_imm_u(IntCC::NotEqual, rest, 0);
        let pixel = e.b.ins().select(is_there, pixel, first);
        let pixel = e.b.ins().ishl_imm_u(pixel, i64::from(PICKED_BITS * lane));
        pixels = e.b.ins().bor(pixels, pixel);
        rest = without_lowest(e, rest);
    }
    let count = e.b.ins().popcnt(coverage);
    let four = e.i64(4);
    let count = e.b.ins().umin(count, four);
    let one = e.i64(1);
    let beyond = e.b.ins().ishl(one, count);
    let cover = e.b.ins().iadd_imm_s(beyond, -1);
    TakenQuad { pixels, cover, rest }
}

/// A set without its lowest bit, which may be empty.
fn without_lowest(e: &mut Emit<'_>, set: Value) -> Value {
    let less = e.b.ins().iadd_imm_s(set, -1);
    e.b.ins().band(set, less)
}

/// A quad out of a coverage.
#[derive(Clone, Copy)]
pub(super) struct TakenQuad {
    pub pixels: Value,
    pub cover: Value,
    /// The coverage without it; not used in blocks that are covered whole.
    pub rest: Value,
}
