//! Alpha, stencil and depth test (3dbrew: GPU/Internal Registers, 0x104 to 0x107).

use triglyph_guest::format::DepthFormat;
use triglyph_guest::kernel::pixel::{PixelConstants, PixelKey, StencilOp};

use super::target::Pixel;
use crate::operations::compare;

/// Outcome of the stencil and the depth test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    /// Whether the pixel goes on.
    pub(super) passed: bool,
    /// Stencil value to store.
    stencil: Option<u8>,
    /// Depth value to store.
    depth: Option<u32>,
}

impl Verdict {
    /// Stores what the tests decided.
    pub(super) fn store(&self, pixel: &Pixel<'_>) {
        if let Some(depth) = self.depth {
            pixel.store_depth(depth);
        }
        if let Some(stencil) = self.stencil {
            pixel.store_stencil(stencil);
        }
    }
}

/// Tests a pixel of depth `depth`, 0 to 1. Without a depth buffer everything passes and nothing is stored.
pub(super) fn depth_stencil(key: &PixelKey, constants: &PixelConstants, pixel: &Pixel<'_>, depth: f32) -> Verdict {
    let Some(format) = key.depth_format else {
        return Verdict { passed: true, stencil: None, depth: None };
    };
    let (stored_depth, stored_stencil) = pixel.depth_stencil();
    // Truncated: a depth of 1 is the only one that gives the largest value.
    let new_depth = (depth * format.max() as f32) as u32;
    let depth_passes = compare(key.depth_test, new_depth, stored_depth);

    let (mut passed, mut stencil) = (depth_passes, None);
    if let Some(test) = key.stencil.filter(|_| format == DepthFormat::D24S8) {
        let mask = constants.stencil_input_mask;
        let stencil_passes =
            compare(test.compare, constants.stencil_reference & mask, u32::from(stored_stencil) & mask);
        let operation = match (stencil_passes, depth_passes) {
            (false, _) => test.fail,
            (true, false) => test.depth_fail,
            (true, true) => test.pass,
        };
        let new = stencil_result(operation, stored_stencil, constants.stencil_reference as u8);
        let mask = constants.stencil_write_mask as u8;
        stencil = test.write.then_some(new & mask | stored_stencil & !mask);
        passed &= stencil_passes;
    }
    Verdict { passed, stencil, depth: (passed && key.depth_write).then_some(new_depth) }
}

fn stencil_result(operation: StencilOp, old: u8, reference: u8) -> u8 {
    match operation {
        StencilOp::Keep => old,
        StencilOp::Zero => 0,
        StencilOp::Replace => reference,
        StencilOp::IncrementSaturate => old.saturating_add(1),
        StencilOp::DecrementSaturate => old.saturating_sub(1),
        StencilOp::Invert => !old,
        StencilOp::IncrementWrap => old.wrapping_add(1),
        StencilOp::DecrementWrap => old.wrapping_sub(1),
    }
}
