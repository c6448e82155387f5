//! Setup on the RSX and the Tegra X1: planes of a primitive, distances of a block.

use std::mem::offset_of;

use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::program::fragment::Primitive;

use crate::lane::{Emit, I32x4};
use crate::pixel::args::programs::{BlockArgs, scratch_at};
use crate::pixel::contract::BlockAddress;
use crate::pixel::plan::programs::PlaneOf;

/// What quads of a block share.
#[derive(Clone, Copy)]
pub struct BlockOrigin {
    /// Address of the [`BlockArgs`].
    pub address: Value,
    /// Columns and rows from the primitive's origin to the block's first pixel.
    pub distance: [I32x4; 2],
}

/// Copies the planes of the block's primitive that are needed, each number to four lanes.
pub fn set_up(e: &mut Emit<'_>, planes: &[PlaneOf], place: BlockAddress) {
    let args = e.args;
    let BlockAddress { block, primitive } = place;
    let varyings = e.load_i64(block, offset_of!(BlockArgs, planes) as i32);
    for (index, plane) in planes.iter().enumerate() {
        let (base, offset) = match *plane {
            PlaneOf::Depth => (primitive, offset_of!(Primitive, depth)),
            PlaneOf::DepthOffset => (primitive, offset_of!(Primitive, depth_offset)),
            PlaneOf::InvW => (primitive, offset_of!(Primitive, inv_w)),
            PlaneOf::Varying(number) => (varyings, 12 * number),
        };
        let numbers = if *plane == PlaneOf::DepthOffset { 1 } else { 3 };
        for k in 0..numbers {
            let value = e.load_splat_f32(base, (offset + 4 * k) as i32);
            e.store(value.0, args, scratch_at!(planes) + 16 * (3 * index + k) as i32);
        }
    }
}

/// Columns and rows from a primitive's origin to a block's first pixel.
pub fn distance(e: &mut Emit<'_>, place: BlockAddress) -> [I32x4; 2] {
    let BlockAddress { block, primitive } = place;
    let fields = [offset_of!(BlockArgs, x), offset_of!(BlockArgs, y)];
    [0, 1].map(|axis| {
        let corner = e.load_i32(block, fields[axis] as i32);
        let origin = e.load_i32(primitive, (offset_of!(Primitive, origin) + 4 * axis) as i32);
        let distance = e.b.ins().isub(corner, origin);
        e.splat_i32(distance)
    })
}
