//! Stencil operations.

use triglyph_guest::kernel::pixel::StencilOp;

use super::*;

impl Emit<'_> {
    /// The new stencil, of 8 bits.
    pub fn stencil_op(&mut self, op: StencilOp, old: I32x4, reference: I32x4) -> I32x4 {
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
