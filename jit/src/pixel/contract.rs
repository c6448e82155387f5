//! The trait by which machines' pixel kernels differ: their keys and arguments, what quads of a block share, and what
//! each phase of a quad does. The function ([`kernel`](super::kernel)), the loop over quads ([`quads`](super::quads))
//! and the order of the phases ([`quad`](super::quad)) are generic over it.

mod pica;
mod programs;

use std::fmt::Debug;
use std::ops::Range;

use cranelift_codegen::ir::{Block, Value};
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::program::output::TARGETS;

use super::depth_stencil::plan::{Depth, DepthPlan};
use super::quads::{CoveredQuad, PrivateMemory, QuadCount, Stream};
use super::target::surface::QuadAddress;
use crate::lane::{Emit, F32x4, I32x4, Mask};

/// When stencil and depth are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Early {
    /// After shading.
    Nothing,
    /// The tests without side effects before it, writes after it: shading may discard.
    Test,
    /// Before it.
    All,
}

/// Offsets in the arguments and in a block of them, for addressing modes.
pub(crate) struct Layout {
    /// The pool of constants, and how many it holds.
    pub pool: (i32, usize),
    /// Address of the first block.
    pub blocks: i32,
    /// Address of the end of the blocks.
    pub end: i32,
    /// Bytes of a block.
    pub block_bytes: usize,
    /// A block's covered pixels.
    pub coverage: i32,
}

/// Most surfaces of a kernel.
pub(crate) const SURFACES: usize = TARGETS + 1;

/// A block of 8x8 pixels.
#[derive(Clone, Copy)]
pub(crate) struct BlockAddress {
    /// Address of its arguments.
    pub block: Value,
    /// Address of its primitive.
    pub primitive: Value,
}

/// Inputs of emission, and what it finds out for the caller.
pub(crate) struct KernelParts<'q, C: Contract> {
    pub key: &'q C::Key,
    pub plan: &'q C::Plan,
    pub needs: &'q mut C::Needs,
}

/// What quads of a block share.
pub(crate) struct BlockValues<C: Contract> {
    pub block: C::Block,
    /// Not zero when all pixels of the block are covered.
    pub full: Value,
}

/// What has been computed of a quad's surfaces, or of those of its current sample.
#[derive(Clone, Default)]
pub(crate) struct Buffers {
    pub addresses: [Option<QuadAddress>; SURFACES],
    /// The interpolated depth as it is compared.
    pub depth: Option<Depth>,
}

/// A quad while it is emitted. Values are computed on first use, in a block that dominates all later ones; code that
/// emits blocks without this property restores [`Quad::known`].
pub(crate) struct Quad<'q, 'a, C: Contract> {
    pub e: &'q mut Emit<'a>,
    pub key: &'q C::Key,
    pub plan: &'q C::Plan,
    pub needs: &'q mut C::Needs,
    pub block: C::Block,
    /// The number of the quad's first pixel in the block, or those of all of its pixels if they are picked; 64 bits.
    pub pixels: Value,
    /// Covered pixels, or pixels whose current sample is covered, four bits of 64.
    pub cover: Value,
    /// Pixels that are still alive.
    pub mask: Mask,
    /// Not zero when every pixel of the block is covered; `None` when tests have changed the mask since.
    pub full: Option<Value>,
    /// Address of memory that only this quad uses, if there is any.
    pub storage: Option<Value>,
    /// The block to jump to when no pixel is alive, or all is done.
    pub next: Block,
    pub place: C::QuadPlace,
    pub known: C::QuadValues,
    pub buffers: Buffers,
}

/// A machine's contract of pixels.
pub(crate) trait Contract: Sized {
    /// What kernels are specialised to.
    type Key;
    /// The analysis of a key.
    type Plan: Debug;
    /// What the emitted code needs from its caller, found while emitting.
    type Needs: Default;
    /// Arguments of the code.
    type Frame;
    /// What quads of a block share.
    type Block: Copy;
    /// What a quad has for itself, known from its beginning.
    type QuadPlace;
    /// Values of a quad that have been computed.
    type QuadValues: Default;
    /// What shading results in.
    type Shaded;

    /// Pixels of a quad, which are the lanes of its values.
    const LANES: usize;
    /// Most quads that an iteration of the loop draws.
    const QUADS: usize;
    /// Where the function finds what it is called with.
    const LAYOUT: Layout;
    /// Whether [`Self::set_up`] depends on what emitting the quads finds: it is emitted after them then.
    const LEARNS: bool;
    /// Number of the depth buffer among the surfaces.
    const DEPTH: usize;

    /// Estimated cost of a quad, in guest instructions.
    fn size(plan: &Self::Plan) -> u32;

    /// Whether quads are made of covered pixels wherever they are ([`Iteration::picks`](super::quads::Iteration)).
    fn picks_pixels(_: &Self::Plan) -> bool {
        false
    }

    /// Where the blocks are, if quads of different ones may be drawn at once: nothing is set up for a primitive then.
    fn stream(_: &Self::Plan) -> Option<Stream> {
        None
    }

    /// Memory that quads drawn at once do not share. Emitted at the beginning of the function.
    fn private_memory(e: &mut Emit<'_>, plan: &Self::Plan) -> PrivateMemory;

    /// Address of a block's primitive.
    fn primitive(e: &mut Emit<'_>, block: Value) -> Value;

    /// What a block's quads share.
    fn block(e: &mut Emit<'_>, key: &Self::Key, plan: &Self::Plan, place: BlockAddress) -> Self::Block;

    /// Derives from a primitive what its blocks share. See [`Self::LEARNS`].
    fn set_up(
        e: &mut Emit<'_>,
        key: &Self::Key,
        plan: &Self::Plan,
        needs: &Self::Needs,
        place: BlockAddress,
    ) -> Result<(), Unsupported>;

    /// How many quads the code between these blocks, which draws one, is best interleaved to.
    fn four(e: &Emit<'_>, plan: &Self::Plan, body: Range<Block>) -> QuadCount;

    /// What a quad has for itself.
    fn place(e: &mut Emit<'_>, key: &Self::Key, block: &Self::Block, quad: CoveredQuad) -> Self::QuadPlace;

    /// The lanes of a quad's bits of coverage.
    fn mask(e: &mut Emit<'_>, cover: Value) -> Mask;

    /// Emits all phases of a quad, up to a jump to the next one.
    fn draw(quad: Quad<'_, '_, Self>) -> Result<(), Unsupported> {
        quad.phases()
    }

    /// When stencil and depth are tested.
    fn early(quad: &Quad<'_, '_, Self>) -> Early;

    /// Whether what passes is counted after early tests, even if it is discarded later.
    fn counts_early(plan: &Self::Plan) -> bool;

    /// Address of the quad, or of its current sample, in surface `number`, if the kernel uses it.
    fn address(quad: &mut Quad<'_, '_, Self>, number: usize) -> Option<QuadAddress>;

    /// What is done with the depth buffer, if there is one.
    fn depth_plan(plan: &Self::Plan) -> Option<DepthPlan>;

    /// Tests before those of stencil and depth.
    fn test_first(quad: &mut Quad<'_, '_, Self>);

    /// The interpolated depth, 0 to 1.
    fn depth(quad: &mut Quad<'_, '_, Self>) -> F32x4;

    /// The depth that shading computes; `None` if it is interpolated.
    fn shaded_depth(quad: &mut Quad<'_, '_, Self>, shaded: &Self::Shaded) -> Option<F32x4>;

    /// The least and the largest stored depth that are in bounds.
    fn depth_bounds(quad: &mut Quad<'_, '_, Self>) -> [F32x4; 2];

    /// Reference, comparison mask and write mask of stencils.
    fn stencil_values(quad: &mut Quad<'_, '_, Self>) -> [I32x4; 3];

    /// All pixels, if the front of the primitive is visible.
    fn shows_front(quad: &mut Quad<'_, '_, Self>) -> Mask;

    /// Shades the pixels.
    fn shade(quad: &mut Quad<'_, '_, Self>) -> Result<Self::Shaded, Unsupported>;

    /// Removes what the result of shading discards: by the program, by the alpha test.
    fn discard(quad: &mut Quad<'_, '_, Self>, shaded: &Self::Shaded);

    /// Counts the pixels that have passed.
    fn count(quad: &mut Quad<'_, '_, Self>);

    /// Address of the survivors of the quad's block, of kernels that tell them.
    fn survivors(quad: &mut Quad<'_, '_, Self>) -> Option<Value>;

    /// Blends and stores the result.
    fn write(quad: &mut Quad<'_, '_, Self>, shaded: &Self::Shaded);
}
