//! The compiled function: its loops over blocks and quads, and what is done once for each.

#![allow(unsafe_code)]

use std::mem::{MaybeUninit, offset_of, size_of};
use std::sync::Arc;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Type, Value};
use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::pixel::{Compare, LogicOp, Output, PixelBlock, PixelJob, PixelKey, Primitive};
use triglyph_guest::kernel::tier::TextureDecoder;
use triglyph_guest::kernel::{PixelKernel, Refused};
use triglyph_guest::layout;

use super::args::{self, Frame, POOL, at, scratch_at};
use super::plan::Plan;
use super::quad::{Exits, Quad, Record, VARYINGS};
use crate::code::{Code, Compiler};
use crate::lane::{Emit, Mask};
use crate::texture::Decoder;

/// A pixel kernel as machine code.
struct Kernel {
    key: PixelKey,
    plan: Plan,
    pool: [[u8; 16]; POOL],
    code: Code,
}

impl PixelKernel for Kernel {
    fn shade(&self, job: &PixelJob<'_>) -> Result<(), Refused> {
        let args = args::fill(&self.key, &self.plan, &self.pool, job)?;
        let mut frame = Frame { args, scratch: MaybeUninit::uninit() };
        // SAFETY: `fill` has checked that every address the code makes from these arguments is valid: blocks inside
        // the surfaces, primitives and varyings inside their slices, textures complete. Surfaces are atomics, written
        // by nobody else that cares about the result; everything else is borrowed by `job`.
        unsafe { self.code.call(&raw mut frame) };
        Ok(())
    }

    fn texture_decoder(&self) -> Option<&dyn TextureDecoder> {
        self.plan.textures.contains(&true).then_some(&Decoder)
    }

    fn code_bytes(&self) -> usize {
        self.code.bytes()
    }
}

/// The pixel kernel of `key`.
pub fn pixel(compiler: &Compiler, key: &PixelKey) -> Result<Arc<dyn PixelKernel>, Refused> {
    let key = &in_effect(key);
    let plan = plan(key)?;
    let mut pool = Vec::new();
    let code = compiler.compile(plan.size, |e| build(e, key, &plan, &mut pool))?;
    pool.resize(POOL, [0; 16]);
    let pool = pool.try_into().map_err(|_| Refused("too many constants"))?;
    Ok(Arc::new(Kernel { key: key.clone(), plan, pool, code }))
}

/// What the kernel of `key` compiles to, as text.
pub fn dump(compiler: &Compiler, key: &PixelKey) -> String {
    let key = &in_effect(key);
    match plan(key) {
        Ok(plan) => format!("{plan:#?}\n{}", compiler.dump(plan.size, |e| build(e, key, &plan, &mut Vec::new()))),
        Err(refused) => refused.to_string(),
    }
}

/// `key` without what shadow rendering takes no notice of.
fn in_effect(key: &PixelKey) -> PixelKey {
    let key = key.clone();
    if key.shadow.is_none() {
        return key;
    }
    PixelKey {
        fog: None,
        alpha_test: Compare::Always,
        stencil: None,
        depth_test: Compare::Always,
        depth_write: false,
        depth_format: None,
        output: Output::Logic(LogicOp::Copy),
        color_mask: 15,
        ..key
    }
}

fn plan(key: &PixelKey) -> Result<Plan, Refused> {
    let plan = Plan::new(key);
    if key.shadow.is_some() && key.color_format != Some(PixelFormat::Rgba8) {
        return Err(Refused("shadow rendering to other words than those of shadow maps"));
    }
    if key.textures.iter().zip(plan.textures).any(|(texture, used)| used && !texture.power_of_two) {
        return Err(Refused("texture dimensions that are no powers of two"));
    }
    if key.stencil.is_some() && !plan.stencil && key.depth_format.is_some() {
        return Err(Refused("stencil without a stencil buffer"));
    }
    if plan.planes() > args::PLANES || plan.varyings.len() > VARYINGS {
        return Err(Refused("too many varyings"));
    }
    Ok(plan)
}

/// What the quads of a block share.
pub struct Corner {
    /// Address of the block's first pixel in the colour and depth buffers.
    pub color: Option<Value>,
    pub depth: Option<Value>,
}

/// Emits the function.
fn build(e: &mut Emit<'_>, key: &PixelKey, plan: &Plan, pool: &mut Vec<[u8; 16]>) -> Result<(), Refused> {
    e.use_pool(at!(pool), POOL);
    let args = e.args;
    let head = e.block(&[I64, I32]);
    let body = e.block(&[]);
    let exit = e.block(&[]);
    let first = e.load_i64(args, at!(blocks));
    let none = e.i32(-1);
    e.jump(head, &[first, none]);

    e.switch_to(head);
    let (block, previous) = (e.parameter(head, 0), e.parameter(head, 1));
    let end = e.load_i64(args, at!(end));
    let more = e.b.ins().icmp(IntCC::NotEqual, block, end);
    e.branch(more, (body, &[]), (exit, &[]));

    e.switch_to(body);
    let index = e.load_i32(block, offset_of!(PixelBlock, primitive) as i32);
    let primitive = primitive(e, index);
    let same = e.b.ins().icmp(IntCC::Equal, index, previous);
    let (setup, ready) = (e.block(&[]), e.block(&[]));
    e.branch(same, (ready, &[]), (setup, &[]));
    e.switch_to(setup);
    set_up(e, key, plan, primitive);
    e.jump(ready, &[]);

    e.switch_to(ready);
    edges(e, primitive, block);
    let corner = corner(e, key, plan, block);
    let next = e.block(&[]);
    quads(e, key, plan, &corner, block, next);

    e.switch_to(next);
    let following = e.b.ins().iadd_imm_u(block, size_of::<PixelBlock>() as i64);
    e.jump(head, &[following, index]);

    e.switch_to(exit);
    let status = e.i64(0);
    e.finish(status);
    *pool = e.take_pool();
    Ok(())
}

/// Address of a primitive.
fn primitive(e: &mut Emit<'_>, index: Value) -> Value {
    let args = e.args;
    let primitives = e.load_i64(args, at!(primitives));
    let index = e.b.ins().uextend(I64, index);
    let offset = e.b.ins().imul_imm_u(index, size_of::<Primitive>() as i64);
    e.b.ins().iadd(primitives, offset)
}

/// Fills the planes and lane steps of the scratch memory from a primitive.
fn set_up(e: &mut Emit<'_>, key: &PixelKey, plan: &Plan, primitive: Value) {
    let args = e.args;
    let plane = |index: usize| scratch_at!(planes) + 16 * index as i32;
    let mut copies = vec![(primitive, offset_of!(Primitive, sum) as i32, 0)];
    for k in 0..3 {
        copies.push((primitive, (offset_of!(Primitive, inv_w) + 4 * k) as i32, 1 + k));
        copies.push((primitive, (offset_of!(Primitive, z) + 4 * k) as i32, 4 + k));
    }
    if !plan.varyings.is_empty() {
        let varyings = e.load_i64(args, at!(varyings));
        let first = e.load_i32(primitive, offset_of!(Primitive, first_varying) as i32);
        let first = e.b.ins().uextend(I64, first);
        let offset = e.b.ins().imul_imm_u(first, size_of::<[f32; 3]>() as i64);
        let base = e.b.ins().iadd(varyings, offset);
        for &packed in &plan.varyings {
            copies.extend((0..3).map(|k| (base, (12 * packed + 4 * k) as i32, plan.varying_plane(packed) + k)));
        }
    }
    for (base, offset, index) in copies {
        let value = e.load_splat_f32(base, offset);
        e.store(value.0, args, plane(index));
    }
    for k in 0..3i32 {
        let dx = e.load_splat_i32(primitive, offset_of!(Primitive, dx) as i32 + 4 * k);
        let dy = e.load_splat_i32(primitive, offset_of!(Primitive, dy) as i32 + 4 * k);
        let (right, down) = (e.ints([0, -1, 0, -1]), e.ints([0, 0, -1, -1]));
        let (dx, dy) = (e.b.ins().band(dx.0, right.0), e.b.ins().band(dy.0, down.0));
        let lanes = e.b.ins().iadd(dx, dy);
        e.store(lanes, args, scratch_at!(lanes) + 16 * k);
    }
    if plan.lod(key) {
        super::lod::set_up(e, plan, primitive);
    }
}

/// Fills the edges of the scratch memory: the edge functions at the first pixel of each quad of the block, wrapping.
fn edges(e: &mut Emit<'_>, primitive: Value, block: Value) {
    let args = e.args;
    let x = e.b.ins().uload16(I32, crate::lane::memory(), block, offset_of!(PixelBlock, x) as i32);
    let row = e.b.ins().uload16(I32, crate::lane::memory(), block, offset_of!(PixelBlock, row) as i32);
    for k in 0..3i32 {
        let edge = e.load_i32(primitive, offset_of!(Primitive, edge) as i32 + 8 * k);
        let dx = e.load_i32(primitive, offset_of!(Primitive, dx) as i32 + 4 * k);
        let dy = e.load_i32(primitive, offset_of!(Primitive, dy) as i32 + 4 * k);
        let right = e.b.ins().imul(dx, x);
        let down = e.b.ins().imul(dy, row);
        let corner = e.b.ins().iadd(edge, right);
        let corner = e.b.ins().iadd(corner, down);
        // Quads 0 to 3 lie two pixels apart, groups of four quads four pixels.
        let lanes = e.load_ints(args, scratch_at!(lanes) + 16 * k).0;
        let two = e.b.ins().iadd(lanes, lanes);
        let corner = e.splat_i32(corner).0;
        let first = e.b.ins().iadd(corner, two);
        let (dx, dy) = (e.splat_i32(dx).0, e.splat_i32(dy).0);
        let (dx, dy) = (e.b.ins().ishl_imm_u(dx, 2), e.b.ins().ishl_imm_u(dy, 2));
        let right = e.b.ins().iadd(first, dx);
        let down = e.b.ins().iadd(first, dy);
        let both = e.b.ins().iadd(right, dy);
        for (i, group) in [first, right, down, both].into_iter().enumerate() {
            e.store(group, args, scratch_at!(edges) + 64 * k + 16 * i as i32);
        }
    }
}

/// Addresses of the block in the targets.
fn corner(e: &mut Emit<'_>, key: &PixelKey, plan: &Plan, block: Value) -> Corner {
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
    let used = plan.stencil || plan.depth_test || plan.depth_write;
    let depth = key.depth_format.filter(|_| used).map(|f| address(at!(depth), f.bytes()));
    Corner { color, depth }
}

/// The quads of a block.
fn quads(e: &mut Emit<'_>, key: &PixelKey, plan: &Plan, corner: &Corner, block: Value, next: Block) {
    if !plan.phases() {
        return covered_quads(e, block, None, next, |e, quad, _, advance| {
            let exits = Exits { dead: (advance, &[]), alive: (advance, &[]) };
            Quad::first(e, key, plan, corner, quad, exits).whole();
        });
    }
    let tested = e.block(&[I64]);
    let records = e.b.ins().iadd_imm_u(e.args, i64::from(scratch_at!(records)));
    covered_quads(e, block, Some(records), tested, |e, quad, records, advance| {
        let Some(record) = records else { return };
        let following = e.b.ins().iadd_imm_u(record, size_of::<Record>() as i64);
        let exits = Exits { dead: (advance, &[record]), alive: (advance, &[following]) };
        Quad::first(e, key, plan, corner, quad, exits).test_phase(record);
    });

    e.switch_to(tested);
    let end = e.parameter(tested, 0);
    let mut any = e.b.ins().icmp(IntCC::NotEqual, records, end);
    for (unit, lod) in (0..4).flat_map(|unit| [(unit, true), (unit, false)]) {
        let needed = match key.textures.get(unit) {
            Some(texture) => plan.textures[unit] && (!lod || texture.needs_lod()),
            None => plan.procedural.any() && !lod,
        };
        if !needed {
            continue;
        }
        let after = e.block(&[]);
        each_record(e, (any, records, end), after, next, |e, record, advance| {
            let exits = Exits { dead: (advance, &[]), alive: (advance, &[]) };
            let quad = Quad::resumed(e, key, plan, record, exits);
            if lod { quad.lod_phase(unit) } else { quad.texture_phase(unit) }
        });
        e.switch_to(after);
        any = e.i64(1);
    }
    if plan.lighting() {
        let after = e.block(&[]);
        each_record(e, (any, records, end), after, next, |e, record, advance| {
            let exits = Exits { dead: (advance, &[]), alive: (advance, &[]) };
            Quad::resumed(e, key, plan, record, exits).lighting_phase();
        });
        e.switch_to(after);
        any = e.i64(1);
    }
    each_record(e, (any, records, end), next, next, |e, record, advance| {
        let exits = Exits { dead: (advance, &[]), alive: (advance, &[]) };
        Quad::resumed(e, key, plan, record, exits).last_phase();
    });
}

/// The two loops over the quads of a block: all of them, or those with any covered pixel. `body` gets a quad's number
/// and mask, the running value that started as `carried`, and the block to go on to with the value's successor;
/// after the last one its value goes to `next`.
fn covered_quads(
    e: &mut Emit<'_>,
    block: Value,
    carried: Option<Value>,
    next: Block,
    body: impl Fn(&mut Emit<'_>, (Value, Option<Mask>), Option<Value>, Block),
) {
    let types: &[Type] = if carried.is_some() { &[I64] } else { &[] };
    let with = |first: Value| [Some(first), carried].into_iter().flatten().collect::<Vec<Value>>();
    let coverage = e.load_i64(block, offset_of!(PixelBlock, coverage) as i32);
    let full = e.b.ins().icmp_imm_s(IntCC::Equal, coverage, -1);
    let parameters = if carried.is_some() { vec![I64; 2] } else { vec![I64] };
    let (interior, masked) = (e.block(&parameters), e.block(&parameters));
    let zero = e.i64(0);
    e.branch(full, (interior, &with(zero)), (masked, &with(coverage)));

    e.switch_to(interior);
    let number = e.parameter(interior, 0);
    let advance = e.block(types);
    let value = carried.map(|_| e.parameter(interior, 1));
    body(e, (number, None), value, advance);
    e.switch_to(advance);
    let value = carried.map(|_| e.parameter(advance, 0));
    let following = e.b.ins().iadd_imm_u(number, 1);
    let more = e.b.ins().icmp_imm_u(IntCC::NotEqual, following, 16);
    let again: Vec<Value> = [Some(following), value].into_iter().flatten().collect();
    let done: Vec<Value> = value.into_iter().collect();
    e.branch(more, (interior, &again), (next, &done));

    e.switch_to(masked);
    let coverage = e.parameter(masked, 0);
    let value = carried.map(|_| e.parameter(masked, 1));
    let (some, advance) = (e.block(&[]), e.block(types));
    let done: Vec<Value> = value.into_iter().collect();
    e.branch(coverage, (some, &[]), (next, &done));
    e.switch_to(some);
    let (number, mask, rest) = take_quad(e, coverage);
    body(e, (number, Some(mask)), value, advance);
    e.switch_to(advance);
    let value = carried.map(|_| e.parameter(advance, 0));
    let again: Vec<Value> = [Some(rest), value].into_iter().flatten().collect();
    e.jump(masked, &again);
}

/// The first quad of a coverage that is not empty: its number, its mask, and the coverage of the rest.
fn take_quad(e: &mut Emit<'_>, coverage: Value) -> (Value, Mask, Value) {
    let bit = e.b.ins().ctz(coverage);
    let bit = e.b.ins().band_imm_u(bit, 0x3C);
    let number = e.b.ins().ushr_imm_u(bit, 2);
    let pixels = e.b.ins().ushr(coverage, bit);
    let pixels = e.b.ins().band_imm_u(pixels, 15);
    let pixels = e.b.ins().ireduce(I32, pixels);
    let taken = e.i64(15);
    let taken = e.b.ins().ishl(taken, bit);
    let rest = e.b.ins().band_not(coverage, taken);
    (number, e.mask_from_bits(pixels), rest)
}

/// A loop over the records from `first` to `end`, to `after` when it is done; straight to `none` unless `any`.
fn each_record(
    e: &mut Emit<'_>,
    (any, first, end): (Value, Value, Value),
    after: Block,
    none: Block,
    body: impl Fn(&mut Emit<'_>, Value, Block),
) {
    let (head, advance) = (e.block(&[I64]), e.block(&[]));
    e.branch(any, (head, &[first]), (none, &[]));
    e.switch_to(head);
    let record = e.parameter(head, 0);
    body(e, record, advance);
    e.switch_to(advance);
    let following = e.b.ins().iadd_imm_u(record, size_of::<Record>() as i64);
    let more = e.b.ins().icmp(IntCC::NotEqual, following, end);
    e.branch(more, (head, &[following]), (after, &[]));
}

#[cfg(all(test, feature = "check-aarch64"))]
mod tests {
    use triglyph_guest::kernel::random_pixel::RandomPixel;

    #[test]
    fn random_states_compile_for_aarch64() {
        let compiler = crate::code::Compiler::aarch64();
        let mut state = 1u64;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        for case in 0..1000 {
            let key = RandomPixel::new(&mut word).key;
            assert!(super::pixel(&compiler, &key).is_ok(), "case {case}: {}", super::dump(&compiler, &key));
        }
    }
}
