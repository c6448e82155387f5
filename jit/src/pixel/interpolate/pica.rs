//! Edge functions, perspective and varyings.

use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::num::ops::Ops;

use crate::lane::{Emit, F32x4, I32x4};
use crate::pixel::args::pica::{at, scratch_at};
use crate::pixel::quad::pica::Quad;

/// `(n[0]*b0 + n[1]*b1) + n[2]*b2` with the three vectors from plane `plane` on.
pub fn weighted_sum(e: &mut Emit<'_>, edges: [F32x4; 3], plane: usize) -> F32x4 {
    let args = e.args;
    let [a, b, c] = [0, 1, 2].map(|k| {
        let value = e.load_floats(args, scratch_at!(planes) + 16 * (plane + k) as i32);
        e.mul(edges[k], value)
    });
    let sum = e.add(a, b);
    e.add(sum, c)
}

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

impl Quad<'_, '_> {
    /// W = 1 / interpolated 1/w.
    pub fn w(&mut self) -> F32x4 {
        if let Some(w) = self.known.w {
            return w;
        }
        let q = weighted_sum(self.e, self.place.edges, 1);
        let one = self.e.f(1.0);
        let w = self.e.div(one, q);
        self.known.w = Some(w);
        w
    }

    /// The varying of a slot of the vertex record; 1 when the primitives do not carry it.
    pub fn varying(&mut self, slot: u8) -> F32x4 {
        match self.key.varying(slot) {
            Some(packed) => self.packed_varying(packed),
            None => self.e.f(1.0),
        }
    }

    /// The varying with this index among those of the primitives.
    pub fn packed_varying(&mut self, packed: usize) -> F32x4 {
        if let Some(&value) = self.known.varyings.get(&packed) {
            return value;
        }
        let w = self.w();
        let sum = weighted_sum(self.e, self.place.edges, self.plan.varying_plane(packed));
        let value = self.e.mul(sum, w);
        self.known.varyings.insert(packed, value);
        value
    }

    /// Depth in 0..1.
    pub fn depth(&mut self) -> F32x4 {
        if let Some(depth) = self.known.depth {
            return depth;
        }
        let args = self.e.args;
        let z = weighted_sum(self.e, self.place.edges, 4);
        let sum = self.e.load_floats(args, scratch_at!(planes));
        let z = self.e.div(z, sum);
        let scale = self.e.load_floats(args, at!(depth_scale));
        let offset = self.e.load_floats(args, at!(depth_offset));
        let depth = self.e.mul(z, scale);
        let mut depth = self.e.add(depth, offset);
        if self.key.w_buffer {
            let w = self.w();
            let sum = self.e.load_floats(args, scratch_at!(planes));
            let w = self.e.mul(w, sum);
            depth = self.e.mul(depth, w);
        }
        let depth = self.e.clamp(depth, 0.0, 1.0);
        self.known.depth = Some(depth);
        depth
    }
}
