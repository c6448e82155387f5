//! The tests of the RSX and the Tegra X1.

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::types::I64;
use triglyph_guest::kernel::pixel::Compare;
use triglyph_guest::kernel::program::output::{DepthFormat, DepthKey, StencilKey};
use triglyph_guest::num::ops::Ops;

use super::plan::{Coding, DepthPlan, StencilPlan};
use crate::lane::{F32x4, I32x4, Mask, StencilTest};
use crate::pixel::args::programs::at;
use crate::pixel::quad::programs::Quad;

/// Largest value of 24 bits.
const MAX24: f32 = 16_777_215.0;

impl DepthPlan {
    /// What is done with the depth buffer of `key`.
    pub fn of_output(key: &DepthKey) -> DepthPlan {
        let coding = match key.format {
            DepthFormat::Z16 => Some(Coding::Rounded(65535.0)),
            DepthFormat::Z24S8 | DepthFormat::S8Z24 | DepthFormat::Z24X8S8 => Some(Coding::Rounded(MAX24)),
            DepthFormat::F24S8 => Some(Coding::F24),
            DepthFormat::F16 => Some(Coding::F16),
            DepthFormat::F32 | DepthFormat::F32S8 => Some(Coding::F32),
            DepthFormat::S8 => None,
        };
        let (shift, other) = match key.format {
            DepthFormat::Z24S8 | DepthFormat::F24S8 => (8, 0xFF),
            DepthFormat::S8Z24 | DepthFormat::Z24X8S8 => (0, 0xFF00_0000),
            _ => (0, 0),
        };
        let stencil_at = match key.format {
            DepthFormat::S8Z24 => (0, 24),
            DepthFormat::F32S8 | DepthFormat::Z24X8S8 => (1, 0),
            _ => (0, 0),
        };
        let swap = match (key.big_endian, key.format) {
            (false, _) | (true, DepthFormat::S8) => 1,
            (true, DepthFormat::Z16 | DepthFormat::F16) => 2,
            (true, _) => 4,
        };
        DepthPlan {
            coding,
            shift,
            other,
            swap,
            test: key.test.filter(|&test| test != Compare::Always && coding.is_some()),
            write: key.write && key.test.is_some() && coding.is_some(),
            bounds: key.bounds && coding.is_some(),
            stencil: key.stencil.map(|sides| StencilPlan::new(sides.map(test_of), true, stencil_at)),
        }
    }
}

fn test_of(key: StencilKey) -> StencilTest {
    let StencilKey { compare, fail, depth_fail, pass } = key;
    StencilTest { compare, fail, depth_fail, pass }
}

impl Quad<'_, '_> {
    /// Reference, mask and write mask of the visible side.
    pub fn stencil_values(&mut self) -> [I32x4; 3] {
        let back = self.back();
        let values = self.e.b.ins().imul_imm_u(back, 48);
        let values = self.e.b.ins().uextend(I64, values);
        let args = self.e.args;
        let values = self.e.b.ins().iadd(args, values);
        [0, 16, 32].map(|offset| self.e.load_ints(values, at!(stencil) + offset))
    }

    /// All pixels, if the front of the primitive is visible.
    pub fn shows_front(&mut self) -> Mask {
        let back = self.back();
        let back = self.e.splat_i32(back);
        let zero = self.e.i(0);
        self.e.ieq(back, zero)
    }

    /// The least and the largest stored depth that pass.
    pub fn depth_bounds(&mut self) -> [F32x4; 2] {
        let args = self.e.args;
        [0, 16].map(|offset| self.e.load_floats(args, at!(depth_bounds) + offset))
    }
}
