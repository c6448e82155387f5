//! What a key does with its depth buffer, and how the buffer's words are laid out.

use triglyph_guest::kernel::pixel::{Compare, StencilOp};

use crate::lane::{F32x4, I32x4, StencilTest};

/// How a depth of 0 to 1 is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Coding {
    /// trunc(depth * max)
    Truncated(f32),
    /// round(depth * max), ties to even
    Rounded(f32),
    /// Bits 30 to 7 of an f32.
    F24,
    /// See [`depth16`](triglyph_guest::num::depth16).
    F16,
    F32,
}

/// What is done with a depth buffer, and where things are in the words of a pixel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DepthPlan {
    /// `None` for buffers of stencils alone.
    pub coding: Option<Coding>,
    /// Lowest bit of the depth, which is in the first word.
    pub shift: u32,
    /// Bits of that word that are not depth.
    pub other: u32,
    /// Bytes whose order is reversed in memory.
    pub swap: u8,
    /// New depth on the left; `None` if nothing is compared.
    pub test: Option<Compare>,
    /// Whether what passes is stored.
    pub write: bool,
    /// Whether stored depths outside of the bounds fail.
    pub bounds: bool,
    pub stencil: Option<StencilPlan>,
}

/// The stencil test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StencilPlan {
    /// Of the front and of the back.
    pub sides: [StencilTest; 2],
    /// Whether results are stored.
    pub write: bool,
    /// The word that holds the stencil, and its lowest bit there: 0, or that of the highest byte.
    pub word: usize,
    pub shift: u32,
}

impl DepthPlan {
    /// Whether anything is read or written.
    pub fn is_used(&self) -> bool {
        self.test.is_some() || self.write || self.bounds || self.stencil.is_some()
    }
}

impl StencilPlan {
    pub fn new(sides: [StencilTest; 2], write: bool, (word, shift): (usize, u32)) -> Self {
        let keeps = |side: &StencilTest| [side.fail, side.depth_fail, side.pass] == [StencilOp::Keep; 3];
        StencilPlan { sides, write: write && !sides.iter().all(keeps), word, shift }
    }
}

/// A depth as it is compared.
#[derive(Clone, Copy)]
pub(crate) enum Depth {
    Int(I32x4),
    Float(F32x4),
}
