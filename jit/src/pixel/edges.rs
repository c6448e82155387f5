//! Edge functions.

use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::num::ops::Ops;

use super::args::scratch_at;
use crate::lane::{Emit, F32x4, I32x4};

/// The edge functions of the four pixels of quad `number`, exact integers rounded to floats. `corner` has them at the
/// first pixel of the block.
pub fn edges(e: &mut Emit<'_>, corner: [I32x4; 3], number: Value) -> [F32x4; 3] {
    let steps = e.scale(number, 16);
    let steps = e.b.ins().iadd(e.args, steps);
    let mut k = 0;
    corner.map(|corner| {
        let step = e.load_ints(steps, scratch_at!(steps) + size_of::<[[i32; 4]; 16]>() as i32 * k);
        k += 1;
        let edge = e.iadd(corner, step);
        e.to_float(edge)
    })
}
