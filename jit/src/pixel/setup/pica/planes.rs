//! The values that a primitive has at its corners, which its pixels interpolate.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::pixel::Primitive;

use crate::lane::{Emit, F32x4};
use crate::pixel::args::pica::{at, scratch_at};
use crate::pixel::plan::pica::Plan;

/// What is interpolated: it has a value at each corner of a primitive.
#[derive(Clone, Copy)]
pub enum Attribute {
    /// 1/w.
    InvW,
    Z,
    /// A varying over w, by its number among those of the primitive.
    Varying(usize),
}

/// Where the values of a primitive are.
#[derive(Clone, Copy)]
pub enum Planes {
    /// In the scratch memory, in all lanes.
    Spread,
    /// In the primitive at this address, and in its varyings at that. Kernels that pick pixels have little use of more:
    /// their primitives are small.
    Packed { primitive: Value, varyings: Value },
}

impl Planes {
    /// Those of a primitive.
    pub fn new(e: &mut Emit<'_>, plan: &Plan, primitive: Value) -> Planes {
        match plan.picks_pixels {
            true => Planes::Packed { primitive, varyings: varyings(e, primitive) },
            false => Planes::Spread,
        }
    }

    /// The values of an attribute at the three corners.
    pub fn load(self, e: &mut Emit<'_>, plan: &Plan, attribute: Attribute) -> [F32x4; 3] {
        let args = e.args;
        let (from, offset) = match (self, attribute) {
            (Planes::Spread, _) => {
                let plane = match attribute {
                    Attribute::InvW => 1,
                    Attribute::Z => 4,
                    Attribute::Varying(number) => plan.varying_plane(number),
                };
                return [0, 1, 2].map(|k| e.load_floats(args, scratch_at!(planes) + 16 * (plane + k) as i32));
            }
            (Planes::Packed { primitive, .. }, Attribute::InvW) => (primitive, offset_of!(Primitive, inv_w)),
            (Planes::Packed { primitive, .. }, Attribute::Z) => (primitive, offset_of!(Primitive, z)),
            (Planes::Packed { varyings, .. }, Attribute::Varying(number)) => (varyings, number * size_of::<[f32; 3]>()),
        };
        [0, 4, 8].map(|k| e.load_splat_f32(from, offset as i32 + k))
    }

    /// The sum of the edge functions.
    pub fn load_sum(self, e: &mut Emit<'_>) -> F32x4 {
        let args = e.args;
        match self {
            Planes::Spread => e.load_floats(args, scratch_at!(planes)),
            Planes::Packed { primitive, .. } => e.load_splat_f32(primitive, offset_of!(Primitive, sum) as i32),
        }
    }
}

/// Address of the varyings of a primitive.
pub(super) fn varyings(e: &mut Emit<'_>, primitive: Value) -> Value {
    let args = e.args;
    let varyings = e.load_i64(args, at!(varyings));
    let first = e.load_i32(primitive, offset_of!(Primitive, first_varying) as i32);
    let first = e.b.ins().uextend(I64, first);
    let offset = e.b.ins().imul_imm_u(first, size_of::<[f32; 3]>() as i64);
    e.b.ins().iadd(varyings, offset)
}
