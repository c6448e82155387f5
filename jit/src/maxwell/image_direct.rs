//! Image accesses of compiled code: addresses of texels of images that are known when a program is compiled.
//!
//! As for [memory](super::direct), all lanes of an access have to lie in their image, and those of a store have to
//! store; the function does the rest.

use std::mem::offset_of;

use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::program::environment::ImageKey;
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::layout::blocks::GOB_BYTES;
use triglyph_guest::num::ops::Ops;

use super::direct::{DirectAccess, Noted, out_of_bounds};
use super::direct_args::{Bytes, DirectImage, UsedRange, used_image};
use super::image::{Action, Counting, ImageAccess, components};
use super::{Context, Lower};
use crate::lane::{Emit, I32x4, Mask};

/// Bytes that an access of an image with this key reads or writes, if code does it.
pub(super) fn bytes_accessed(access: ImageAccess, key: &ImageKey) -> Option<u8> {
    let texel = key.format.bytes;
    let bytes = match access.action {
        Action::Load if access.counting == Counting::Texels => texel,
        Action::Load | Action::Store => access.bytes,
        Action::StoreTexel => texel,
        Action::StoreComponents => {
            let whole = components(&key.format, access.mask) == u128::MAX >> (128 - 8 * u32::from(texel.clamp(1, 16)));
            return (whole && is_direct(texel, key)).then_some(texel);
        }
        Action::Atomic | Action::Cas => return None,
    };
    (is_direct(bytes, key) && is_direct(texel, key)).then_some(bytes)
}

fn is_direct(bytes: u8, key: &ImageKey) -> bool {
    matches!(bytes, 1 | 2 | 4 | 8 | 16) && !matches!(key.layout, SurfaceLayout::Swizzled { .. })
}

/// A [`DirectImage`], by its address.
struct Arguments(Value);

impl Arguments {
    fn number(&self, e: &mut Emit<'_>, at: usize) -> Value {
        e.load_i32(self.0, at as i32)
    }

    fn numbers(&self, e: &mut Emit<'_>, at: usize) -> I32x4 {
        e.load_splat_i32(self.0, at as i32)
    }

    /// Lanes whose coordinate is none of as many as a field says.
    fn outside(&self, e: &mut Emit<'_>, coordinate: I32x4, at: usize) -> Mask {
        let count = self.numbers(e, at);
        outside(e, coordinate, count)
    }

    /// A coordinate times a pitch.
    fn times(&self, e: &mut Emit<'_>, coordinate: I32x4, at: usize) -> I32x4 {
        let pitch = self.numbers(e, at);
        e.imul(coordinate, pitch)
    }
}

fn outside(e: &mut Emit<'_>, coordinate: I32x4, count: I32x4) -> Mask {
    let least = e.umin(coordinate, count);
    e.ieq(least, count)
}

impl Lower<'_, '_> {
    /// The addresses of an access of `bytes` bytes of image `index` of the key. Rows, slices and layers that are the
    /// constant 0 are those of an instruction without them: every image has the first.
    pub(super) fn direct_image(
        &mut self,
        (index, key): (u8, &ImageKey),
        (access, bytes): (ImageAccess, u8),
        [x, y, z, layer]: [I32x4; 4],
    ) -> DirectAccess {
        let (is_grid, distance) = (self.is_grid(), self.noted_distance);
        let context = self.host.context();
        let e = self.host.e();
        let all = e.load_i64(context, offset_of!(Context, direct_images) as i32);
        let image = Arguments(e.b.ins().iadd_imm_u(all, i64::from(index) * size_of::<DirectImage>() as i64));
        let unit = match access.counting {
            Counting::Texels => key.format.bytes,
            Counting::Elements => access.bytes,
            Counting::Bytes => 1,
        };
        let log2_unit = unit.trailing_zeros();
        let columns = image.number(e, offset_of!(DirectImage, row_bytes));
        let columns = e.b.ins().iadd_imm_u(columns, i64::from(unit) - 1);
        let columns = e.b.ins().ushr_imm_u(columns, i64::from(log2_unit));
        let columns = e.splat_i32(columns);
        let mut beyond = outside(e, x, columns);
        let zero = e.i(0);
        let [has_row, has_slice, has_layer] = [y, z, layer].map(|coordinate| coordinate != zero);
        let others = [
            (has_row, y, offset_of!(DirectImage, rows)),
            (has_slice, z, offset_of!(DirectImage, slices)),
            (has_layer, layer, offset_of!(DirectImage, layers)),
        ];
        for (_, coordinate, count) in others.into_iter().filter(|(is_there, ..)| *is_there) {
            let more = image.outside(e, coordinate, count);
            beyond = e.or(beyond, more);
        }

        let column = if log2_unit == 0 { x } else { e.ishl(x, log2_unit) };
        let row = has_row.then_some(y);
        let mut offset = match key.layout {
            SurfaceLayout::BlockLinear { log2_gobs } | SurfaceLayout::BlockSlice { log2_gobs, .. } => {
                in_blocks(e, &image, log2_gobs, column, row)
            }
            _ => match row {
                Some(row) => {
                    let row = image.times(e, row, offset_of!(DirectImage, row_pitch));
                    e.iadd(row, column)
                }
                None => column,
            },
        };
        if has_slice {
            let slice = slice_offset(e, &image, key.layout, z);
            offset = e.iadd(offset, slice);
        }
        if has_layer {
            let layer = image.times(e, layer, offset_of!(DirectImage, layer_pitch));
            offset = e.iadd(offset, layer);
        }
        let base = e.load_i64(image.0, (offset_of!(DirectImage, bytes) + Bytes::FIRST) as i32);
        let length = image.number(e, offset_of!(DirectImage, bytes) + Bytes::LENGTH);
        let too_long = out_of_bounds(e, offset, length, bytes);
        let out_of_bounds = e.or(beyond, too_long);
        let noted = is_grid.then(|| {
            let first = position(e, &image, column, [row, has_slice.then_some(z), has_layer.then_some(layer)]);
            let ranges = e.load_i64(context, offset_of!(Context, used_images) as i32);
            let stores = access.action != Action::Load;
            let range = (ranges, used_image(index.into(), stores) as i32 * size_of::<UsedRange>() as i32);
            Noted { range, distance, first }
        });
        DirectAccess::new(base, offset, out_of_bounds, noted)
    }
}

/// Where texels would be if rows came one after the other, slice after slice and layer after layer. Without a row, a
/// slice or a layer it is the first.
fn position(e: &mut Emit<'_>, image: &Arguments, column: I32x4, [row, slice, layer]: [Option<I32x4>; 3]) -> I32x4 {
    let within = |e: &mut Emit<'_>, number: Option<I32x4>, more: Option<I32x4>, at: usize| {
        let first = number.map(|number| image.times(e, number, at));
        match (first, more) {
            (Some(first), Some(more)) => Some(e.iadd(first, more)),
            (first, more) => first.or(more),
        }
    };
    let slice = within(e, layer, slice, offset_of!(DirectImage, slices));
    let row = within(e, slice, row, offset_of!(DirectImage, rows));
    within(e, row, Some(column), offset_of!(DirectImage, row_bytes)).unwrap_or(column)
}

/// Byte offsets of byte columns of rows of a block-linear slice, as
/// [`Blocks::offset`](triglyph_guest::layout::Blocks::offset) says.
fn in_blocks(e: &mut Emit<'_>, image: &Arguments, log2_gobs: u8, column: I32x4, row: Option<I32x4>) -> I32x4 {
    // Of a GOB of 64 bytes and 8 rows: column bits 0 to 3, row bit 0, column bit 4, row bits 1 and 2, column bit 5.
    let column_bits = [(0xF, 0), (0x10, 1), (0x20, 3)];
    let row_bits = [(1, 4), (6, 5)];
    let log2_slices = image.number(e, offset_of!(DirectImage, log2_slices));
    let log2_block = GOB_BYTES.trailing_zeros() + u32::from(log2_gobs);
    let log2_block = e.b.ins().iadd_imm_u(log2_slices, i64::from(log2_block));
    let block = e.ushr(column, 6);
    let mut offset = I32x4(e.b.ins().ishl(block.0, log2_block));
    offset = add_bits(e, offset, column, &column_bits);
    let Some(row) = row else { return offset };
    offset = add_bits(e, offset, row, &row_bits);
    let block_row = e.ushr(row, 3 + u32::from(log2_gobs));
    let block_row = image.times(e, block_row, offset_of!(DirectImage, row_pitch));
    offset = e.iadd(offset, block_row);
    // GOBs of a block lie below each other.
    let gobs = (1 << log2_gobs) - 1;
    if gobs == 0 { offset } else { add_bits(e, offset, row, &[(gobs << 3, GOB_BYTES.trailing_zeros() - 3)]) }
}

/// Adds masked bits of a value, each shifted to the left.
fn add_bits(e: &mut Emit<'_>, mut sum: I32x4, value: I32x4, bits: &[(i32, u32)]) -> I32x4 {
    for &(mask, up) in bits {
        let mask = e.i(mask);
        let mut part = e.iand(value, mask);
        if up != 0 {
            part = e.ishl(part, up);
        }
        sum = e.iadd(sum, part);
    }
    sum
}

/// Byte offsets of slices.
fn slice_offset(e: &mut Emit<'_>, image: &Arguments, layout: SurfaceLayout, z: I32x4) -> I32x4 {
    let (SurfaceLayout::BlockLinear { log2_gobs } | SurfaceLayout::BlockSlice { log2_gobs, .. }) = layout else {
        return image.times(e, z, offset_of!(DirectImage, slice_pitch));
    };
    let log2_slices = image.number(e, offset_of!(DirectImage, log2_slices));
    let slab = I32x4(e.b.ins().ushr(z.0, log2_slices));
    let first = I32x4(e.b.ins().ishl(slab.0, log2_slices));
    let within = e.isub(z, first);
    let within = e.ishl(within, GOB_BYTES.trailing_zeros() + u32::from(log2_gobs));
    let slab = image.times(e, slab, offset_of!(DirectImage, slice_pitch));
    e.iadd(slab, within)
}
