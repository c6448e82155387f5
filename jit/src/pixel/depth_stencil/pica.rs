//! The tests of the 3DS, and its alpha test.

use triglyph_guest::format::DepthFormat;
use triglyph_guest::kernel::pixel::{Compare, PixelKey, StencilKey};

use super::plan::{Coding, Depth, DepthPlan, StencilPlan};
use super::stored_depth;
use crate::lane::{I32x4, Pair, StencilTest};
use crate::pixel::args::pica::at;
use crate::pixel::quad::pica::Quad;

impl DepthPlan {
    /// What `key` does with its depth buffer, if it has one. The stencil is on top of 24 bits of depth.
    pub fn of_state(key: &PixelKey) -> Option<DepthPlan> {
        let format = key.depth_format?;
        let has_stencil = format == DepthFormat::D24S8;
        let stencil = key.stencil.filter(|_| has_stencil).map(|stencil| {
            let StencilKey { compare, fail, depth_fail, pass, write } = stencil;
            StencilPlan::new([StencilTest { compare, fail, depth_fail, pass }; 2], write, (0, 24))
        });
        Some(DepthPlan {
            coding: Some(Coding::Truncated(format.max() as f32)),
            shift: 0,
            other: if has_stencil { 0xFF00_0000 } else { 0 },
            swap: 1,
            test: Some(key.depth_test).filter(|&test| test != Compare::Always),
            write: key.depth_write,
            bounds: false,
            stencil,
        })
    }
}

impl Quad<'_, '_> {
    /// The alpha test of the combiners' result.
    pub fn alpha_test(&mut self, color: Pair) {
        let alpha = self.e.even_ints(color.ag);
        let args = self.e.args;
        let reference = self.e.load_ints(args, at!(alpha_reference));
        if let Some(passes) = self.e.compare_ints(self.key.alpha_test, alpha, reference) {
            self.keep(passes);
            self.skip_unless_alive();
        }
    }

    /// Reference, comparison mask and write mask.
    pub fn stencil_values(&mut self) -> [I32x4; 3] {
        let args = self.e.args;
        [at!(stencil_reference), at!(stencil_input_mask), at!(stencil_write_mask)]
            .map(|offset| self.e.load_ints(args, offset))
    }

    /// The stored depths and those of the pixels, as integers.
    pub fn depths(&mut self, plan: &DepthPlan) -> Option<[I32x4; 2]> {
        let words = self.stored_depths(plan);
        match (stored_depth(self.e, plan, *words.first()?), self.new_depth(plan.coding?, None)) {
            (Depth::Int(stored), Depth::Int(new)) => Some([stored, new]),
            _ => None,
        }
    }
}
