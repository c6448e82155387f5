//! The stencil test.

use triglyph_guest::kernel::pixel::{Compare, StencilOp};

use super::*;

/// A stencil test and what it stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilTest {
    /// The comparison, reference on the left.
    pub compare: Compare,
    /// When the stencil test fails.
    pub fail: StencilOp,
    /// When it passes and the depth test fails.
    pub depth_fail: StencilOp,
    /// When both pass.
    pub pass: StencilOp,
}

impl Emit<'_> {
    /// Which pixels pass (`None` for all), and their stencils after it.
    pub fn stencil_test(
        &mut self,
        test: StencilTest,
        old: I32x4,
        [reference, mask]: [I32x4; 2],
        depth_passes: Option<Mask>,
    ) -> (Option<Mask>, I32x4) {
        let (a, b) = (self.iand(reference, mask), self.iand(old, mask));
        let passes = self.compare_ints(test.compare, a, b);
        let mut new = self.stencil_op(test.pass, old, reference);
        if let Some(depth_passes) = depth_passes {
            let fail = self.stencil_op(test.depth_fail, old, reference);
            new = self.iselect(depth_passes, new, fail);
        }
        if let Some(passes) = passes {
            let fail = self.stencil_op(test.fail, old, reference);
            new = self.iselect(passes, new, fail);
        }
        (passes, new)
    }

    /// The new stencil, of 8 bits.
    fn stencil_op(&mut self, op: StencilOp, old: I32x4, reference: I32x4) -> I32x4 {
        let (one, max) = (self.i(1), self.i(255));
        match op {
            StencilOp::Keep => old,
            StencilOp::Zero => self.i(0),
            StencilOp::Replace => reference,
            StencilOp::IncrementSaturate => {
                let next = self.iadd(old, one);
                self.imin(next, max)
            }
            StencilOp::DecrementSaturate => {
                let next = self.isub(old, one);
                let zero = self.i(0);
                self.imax(next, zero)
            }
            StencilOp::Invert => self.ixor(old, max),
            StencilOp::IncrementWrap => {
                let next = self.iadd(old, one);
                self.iand(next, max)
            }
            StencilOp::DecrementWrap => {
                let next = self.isub(old, one);
                self.iand(next, max)
            }
        }
    }
}
