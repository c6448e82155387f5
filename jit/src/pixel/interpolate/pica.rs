//! Edge functions, perspective and varyings.

use std::mem::offset_of;

use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::pixel::{PixelBlock, Primitive};
use triglyph_guest::num::ops::Ops;

use crate::lane::{Emit, F32x4, I32x4};
use crate::pixel::args::pica::{at, scratch_at};
use crate::pixel::contract::BlockAddress;
use crate::pixel::quad::pica::Quad;
use crate::pixel::quads::PICKED_BITS;
use crate::pixel::setup::pica::planes::Attribute;

/// `(n[0]*b0 + n[1]*b1) + n[2]*b2` of edge functions or their steps and the values of the three corners.
pub fn weighted_sum(e: &mut Emit<'_>, edges: [F32x4; 3], values: [F32x4; 3]) -> F32x4 {
    // What many sums need comes second: it need not be in a register there.
    let [a, b, c] = [0, 1, 2].map(|k| e.mul(values[k], edges[k]));
    let sum = e.add(a, b);
    e.add(sum, c)
}

/// The edge functions of the four pixels of the quad that begins with pixel `first`, exact integers rounded to floats.
/// `corner` has them at the first pixel of the block.
pub fn edges(e: &mut Emit<'_>, corner: [I32x4; 3], first: Value) -> [F32x4; 3] {
    // Vectors of 16 bytes for each quad.
    let steps = e.scale(first, 4);
    let steps = e.b.ins().iadd(e.args, steps);
    let mut k = 0;
    corner.map(|corner| {
        let step = e.load_ints(steps, scratch_at!(steps) + size_of::<[[i32; 4]; 16]>() as i32 * k);
        k += 1;
        let edge = e.iadd(corner, step);
        e.to_float(edge)
    })
}

/// The numbers of picked pixels in their block, out of what tells a quad's.
pub fn picked(e: &mut Emit<'_>, pixels: Value) -> [Value; 4] {
    [0, 1, 2, 3].map(|lane| {
        let moved = if lane == 0 { pixels } else { e.b.ins().ushr_imm_u(pixels, i64::from(PICKED_BITS * lane)) };
        if lane == 3 { moved } else { e.b.ins().band_imm_u(moved, (1 << PICKED_BITS) - 1) }
    })
}

/// The edge functions at picked pixels of a block, as [`edges`].
pub fn edges_of_picked(e: &mut Emit<'_>, place: BlockAddress, pixels: [Value; 4]) -> [F32x4; 3] {
    let rows = pixels.map(|pixel| {
        let offset = e.scale(pixel, 4);
        e.b.ins().iadd(e.args, offset)
    });
    // Column and row of the block are in one word as well, and multiples of 8.
    const _: () = assert!(offset_of!(PixelBlock, row) == offset_of!(PixelBlock, x) + 2);
    let first = e.load_splat_i32(place.block, offset_of!(PixelBlock, x) as i32);
    let inside = e.load_column(rows, at!(places));
    let inside = e.bits(inside);
    let (pixels, low) = (e.iadd(inside, first), e.i(0xFFFF));
    let (x, y) = (e.iand(pixels, low), e.ushr(pixels, 16));
    [0, 1, 2].map(|k| {
        let [edge, dx, dy] =
            [offset_of!(Primitive, edge) + 8 * k, offset_of!(Primitive, dx) + 4 * k, offset_of!(Primitive, dy) + 4 * k]
                .map(|offset| e.load_splat_i32(place.primitive, offset as i32));
        let (right, down) = (e.imul(x, dx), e.imul(y, dy));
        let edge = e.iadd(edge, right);
        let edge = e.iadd(edge, down);
        e.to_float(edge)
    })
}

impl Quad<'_, '_> {
    /// What is interpolated of an attribute, times the sum of the edge functions.
    fn weighted(&mut self, attribute: Attribute) -> F32x4 {
        let values = self.block.planes.load(self.e, self.plan, attribute);
        weighted_sum(self.e, self.place.edges, values)
    }

    /// W = 1 / interpolated 1/w.
    pub fn w(&mut self) -> F32x4 {
        if let Some(w) = self.known.w {
            return w;
        }
        let q = self.weighted(Attribute::InvW);
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
        let sum = self.weighted(Attribute::Varying(packed));
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
        let z = self.weighted(Attribute::Z);
        let sum = self.block.planes.load_sum(self.e);
        let z = self.e.div(z, sum);
        let scale = self.e.load_floats(args, at!(depth_scale));
        let offset = self.e.load_floats(args, at!(depth_offset));
        let depth = self.e.mul(z, scale);
        let mut depth = self.e.add(depth, offset);
        if self.key.w_buffer {
            let w = self.w();
            let sum = self.block.planes.load_sum(self.e);
            let w = self.e.mul(w, sum);
            depth = self.e.mul(depth, w);
        }
        let depth = self.e.clamp(depth, 0.0, 1.0);
        self.known.depth = Some(depth);
        depth
    }
}
