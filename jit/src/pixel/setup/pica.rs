//! Setup on the 3DS: planes and steps of a primitive, edge functions and addresses of a block.

pub mod planes;

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::pixel::{FLAT_COLOR, PixelBlock, PixelKey, Primitive};
use triglyph_guest::layout;
use triglyph_guest::num::ops::Ops;

use crate::lane::{Emit, I32x4};
use crate::pixel::args::pica::{at, scratch_at};
use crate::pixel::plan::pica::Plan;
use crate::pixel::sample::pica::procedural::flat;
use crate::pixel::shade::pica::combine::FlatAt;
use planes::{Planes, varyings};

/// Fills the planes and the steps of the scratch memory from a primitive.
pub fn set_up(e: &mut Emit<'_>, key: &PixelKey, plan: &Plan, primitive: Value) {
    if !plan.picks_pixels {
        spread_all(e, plan, primitive);
        steps(e, primitive);
    }
    if plan.has_flat_color {
        flat_color(e, key, primitive);
    }
    if plan.has_flat_procedural {
        let varyings = varyings(e, primitive);
        flat::set_up(e, key, plan, primitive, varyings);
    }
    if plan.has_lod {
        let planes = Planes::new(e, plan, primitive);
        crate::pixel::sample::pica::lod::set_up(e, plan, planes, primitive);
    }
}

/// Notes whether the primary colour of a primitive is the same in all pixels, and which it is then.
fn flat_color(e: &mut Emit<'_>, key: &PixelKey, primitive: Value) {
    let args = e.args;
    let flags = e.load_i32(primitive, offset_of!(Primitive, flags) as i32);
    let is_flat = e.b.ins().band_imm_u(flags, i64::from(FLAT_COLOR));
    let at = FlatAt { flag: scratch_at!(has_flat_color), color: scratch_at!(flat_color) };
    e.store(is_flat, args, at.flag);
    let (flat, done) = (e.block(&[]), e.block(&[]));
    e.branch(is_flat, (flat, &[]), (done, &[]));
    e.switch_to(flat);
    let varyings = varyings(e, primitive);
    let inv_w = e.load_splat_f32(primitive, offset_of!(Primitive, inv_w) as i32);
    let channels = key.color_slots.map(|slot| match key.varying(slot) {
        Some(number) => {
            let over_w = e.load_splat_f32(varyings, (number * size_of::<[f32; 3]>()) as i32);
            e.div(over_w, inv_w)
        }
        None => e.f(1.0),
    });
    let color = crate::pixel::shade::pica::combine::color(e, channels.map(Some));
    at.store(e, color);
    e.jump(done, &[]);
    e.switch_to(done);
}

/// Fills the planes, but for those of derivatives.
fn spread_all(e: &mut Emit<'_>, plan: &Plan, primitive: Value) {
    let args = e.args;
    let sum = e.load_splat_f32(primitive, offset_of!(Primitive, sum) as i32);
    e.store(sum.0, args, scratch_at!(planes));
    // 1/w and z.
    const _: () = assert!(offset_of!(Primitive, z) == offset_of!(Primitive, inv_w) + 12);
    let inv_w = e.b.ins().iadd_imm_u(primitive, offset_of!(Primitive, inv_w) as i64);
    spread(e, inv_w, 1, 2);
    if !plan.varyings.is_empty() {
        let base = varyings(e, primitive);
        for run in plan.varyings.chunk_by(|a, b| a + 1 == *b) {
            let from = e.b.ins().iadd_imm_u(base, 12 * run[0] as i64);
            spread(e, from, plan.varying_plane(run[0]), run.len());
        }
    }
}

/// Fills `count` times three planes from plane `plane` on with consecutive floats at `from`.
fn spread(e: &mut Emit<'_>, from: Value, plane: usize, count: usize) {
    let to = e.b.ins().iadd_imm_u(e.args, i64::from(scratch_at!(planes)) + 16 * plane as i64);
    repeat(e, count, [(from, 12), (to, 48)], |e, [from, to]| {
        for k in 0..3 {
            let value = e.load_splat_f32(from, 4 * k);
            e.store(value.0, to, 16 * k);
        }
    });
}

/// Fills the steps.
fn steps(e: &mut Emit<'_>, primitive: Value) {
    let to = e.b.ins().iadd_imm_u(e.args, i64::from(scratch_at!(steps)));
    let size = size_of::<[[i32; 4]; 16]>() as i64;
    repeat(e, 3, [(primitive, 4), (to, size)], |e, [primitive, to]| {
        let dx = e.load_splat_i32(primitive, offset_of!(Primitive, dx) as i32);
        let dy = e.load_splat_i32(primitive, offset_of!(Primitive, dy) as i32);
        let (right, down) = (e.ints([0, -1, 0, -1]), e.ints([0, 0, -1, -1]));
        let (right, down) = (e.iand(dx, right), e.iand(dy, down));
        let first = e.iadd(right, down);
        e.store(first.0, to, 0);
        let mut quads = vec![first];
        // Quads are in Morton order: each bit of their number doubles the table.
        for (step, shift) in [(dx, 1), (dy, 1), (dx, 2), (dy, 2)] {
            let step = e.ishl(step, shift);
            for i in 0..quads.len() {
                let quad = e.iadd(quads[i], step);
                e.store(quad.0, to, 16 * quads.len() as i32);
                quads.push(quad);
            }
        }
    });
}

/// A loop of `count` iterations over pointers with constant strides.
fn repeat<const N: usize>(
    e: &mut Emit<'_>,
    count: usize,
    pointers: [(Value, i64); N],
    body: impl FnOnce(&mut Emit<'_>, [Value; N]),
) {
    let types = vec![I64; N + 1];
    let (round, done) = (e.block(&types), e.block(&[]));
    let zero = e.i64(0);
    let first: Vec<Value> = std::iter::once(zero).chain(pointers.map(|p| p.0)).collect();
    e.jump(round, &first);
    e.switch_to(round);
    let number = e.parameter(round, 0);
    let now = std::array::from_fn(|i| e.parameter(round, i + 1));
    body(e, now);
    let next = e.b.ins().iadd_imm_u(number, 1);
    let mut following = vec![next];
    for (pointer, (_, bytes)) in now.into_iter().zip(pointers) {
        following.push(e.b.ins().iadd_imm_u(pointer, bytes));
    }
    let more = e.b.ins().icmp_imm_u(IntCC::NotEqual, next, count as i64);
    e.branch(more, (round, &following), (done, &[]));
    e.switch_to(done);
}

/// The edge functions at the first pixel of the block, wrapping.
pub fn edges(e: &mut Emit<'_>, primitive: Value, block: Value) -> [I32x4; 3] {
    let x = e.b.ins().uload16(I32, crate::lane::memory(), block, offset_of!(PixelBlock, x) as i32);
    let row = e.b.ins().uload16(I32, crate::lane::memory(), block, offset_of!(PixelBlock, row) as i32);
    [0, 1, 2].map(|k| {
        let edge = e.load_i32(primitive, offset_of!(Primitive, edge) as i32 + 8 * k);
        let dx = e.load_i32(primitive, offset_of!(Primitive, dx) as i32 + 4 * k);
        let dy = e.load_i32(primitive, offset_of!(Primitive, dy) as i32 + 4 * k);
        let right = e.b.ins().imul(dx, x);
        let down = e.b.ins().imul(dy, row);
        let corner = e.b.ins().iadd(edge, right);
        let corner = e.b.ins().iadd(corner, down);
        e.splat_i32(corner)
    })
}

/// Addresses of the block's first pixel in the colour and depth buffers, of kernels that use them.
pub fn addresses(e: &mut Emit<'_>, key: &PixelKey, plan: &Plan, block: Value) -> [Option<Value>; 2] {
    let args = e.args;
    let x = e.b.ins().uload16(I64, crate::lane::memory(), block, offset_of!(PixelBlock, x) as i32);
    let row = e.b.ins().uload16(I64, crate::lane::memory(), block, offset_of!(PixelBlock, row) as i32);
    let width = e.load_i32(args, at!(width));
    let width = e.b.ins().uextend(I64, width);
    let index = match key.block {
        layout::Block::B8 => {
            let rows = e.b.ins().imul(row, width);
            let columns = e.b.ins().ishl_imm_u(x, 3);
            e.b.ins().iadd(rows, columns)
        }
        layout::Block::B32 => {
            let rows = e.b.ins().band_imm_u(row, 0xFFE0);
            let rows = e.b.ins().imul(rows, width);
            let columns = e.b.ins().band_imm_u(x, 0xFFE0);
            let columns = e.b.ins().ishl_imm_u(columns, 5);
            let mut index = e.b.ins().iadd(rows, columns);
            // Bits 3 and 4 of x and row, interleaved from bit 6 on.
            for (value, bit, shift) in [(x, 8, 3), (row, 8, 4), (x, 16, 4), (row, 16, 5)] {
                let bit = e.b.ins().band_imm_u(value, bit);
                let bit = e.b.ins().ishl_imm_u(bit, shift);
                index = e.b.ins().iadd(index, bit);
            }
            index
        }
    };
    let mut address = |base: i32, bytes: u32| {
        let base = e.load_i64(args, base);
        let offset = e.b.ins().imul_imm_u(index, i64::from(bytes));
        e.b.ins().iadd(base, offset)
    };
    let color = key.color_format.filter(|_| plan.color_write).map(|f| address(at!(color), f.bytes()));
    let used = plan.depth.is_some_and(|depth| depth.is_used()) || key.density.is_some();
    let depth = key.depth_format.filter(|_| used).map(|f| address(at!(depth), f.bytes()));
    [color, depth]
}
