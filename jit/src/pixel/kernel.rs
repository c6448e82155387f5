//! The compiled function: its loops over blocks and quads, and setup of blocks and primitives.

#![allow(unsafe_code)]

use std::mem::{MaybeUninit, offset_of, size_of};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Type, Value};
use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::pixel::{
    self as pixel, Compare, LogicOp, Output, PixelBlock, PixelJob, PixelKey, Primitive,
};
use triglyph_guest::kernel::tier::TextureDecoder;
use triglyph_guest::kernel::{PixelKernel, Unsupported};
use triglyph_guest::layout;
use triglyph_guest::num::ops::Ops;

use super::args::{self, Frame, POOL, at, scratch_at};
use super::lighting::plan as lighting;
use super::plan::Plan;
use super::quad::{Corner, CoveredQuad, Exits, PhaseState, Quad};
use super::record::{Record, VARYINGS};
use super::sample::addresses_only;
use crate::code::{Code, Compiler};
use crate::interleave::Body;
use crate::lane::{Emit, I32x4, Mask, Pairs};
use crate::texture::Decoder;

/// A pixel kernel as machine code.
struct Kernel {
    key: PixelKey,
    plan: Plan,
    pool: [[u8; 16]; POOL],
    code: Code,
}

impl PixelKernel for Kernel {
    fn shade(&self, job: &PixelJob<'_>) -> Result<(), Unsupported> {
        let args = args::fill(&self.key, &self.plan, &self.pool, job)?;
        let mut frame = Frame { args, scratch: MaybeUninit::uninit() };
        // SAFETY: `fill` has checked that every address the code makes from these arguments is valid: blocks inside
        // the surfaces, primitives and varyings inside their slices, textures complete. Surfaces are atomics, and
        // no other writer depends on the result; everything else is borrowed by `job`.
        unsafe { self.code.call(&raw mut frame) };
        if let (Some(_), Some(densest)) = (self.key.density, job.densest) {
            let largest = frame.args.gas.densest.into_iter().max().unwrap_or(0);
            densest.fetch_max(largest, Relaxed);
        }
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
pub fn pixel(compiler: &Compiler, key: &PixelKey) -> Result<Arc<dyn PixelKernel>, Unsupported> {
    let key = &in_effect(key);
    let plan = plan(key)?;
    let mut pool = Vec::new();
    let code = compiler.compile(plan.size, |e| build(e, key, &plan, &mut pool))?;
    pool.resize(POOL, [0; 16]);
    let pool = pool.try_into().map_err(|_| Unsupported("too many constants"))?;
    Ok(Arc::new(Kernel { key: key.clone(), plan, pool, code }))
}

/// The CLIF and the host instructions of [`pixel`]'s result.
pub fn dump(compiler: &Compiler, key: &PixelKey) -> String {
    let key = &in_effect(key);
    match plan(key) {
        Ok(plan) => format!("{plan:#?}\n{}", compiler.dump(plan.size, |e| build(e, key, &plan, &mut Vec::new()))),
        Err(unsupported) => unsupported.to_string(),
    }
}

/// `key` without the parts that rendering of shadows or gas ignores.
fn in_effect(key: &PixelKey) -> PixelKey {
    let key = key.clone();
    if key.shadow.is_none() && key.density.is_none() {
        return key;
    }
    PixelKey {
        density: key.density.filter(|_| key.shadow.is_none()),
        depth_format: key.depth_format.filter(|_| key.shadow.is_none()),
        fog: None,
        alpha_test: Compare::Always,
        stencil: None,
        depth_test: Compare::Always,
        depth_write: false,
        output: Output::Logic(LogicOp::Copy),
        color_mask: 15,
        ..key
    }
}

fn plan(key: &PixelKey) -> Result<Plan, Unsupported> {
    let plan = Plan::new(key);
    if (key.shadow.is_some() || key.density.is_some()) && key.color_format != Some(PixelFormat::Rgba8) {
        return Err(Unsupported("rendering of shadows or gas to other words than theirs"));
    }
    if key.textures.iter().zip(plan.textures).any(|(texture, used)| used && !texture.power_of_two) {
        return Err(Unsupported("texture dimensions that are no powers of two"));
    }
    if key.stencil.is_some() && !plan.stencil && key.depth_format.is_some() {
        return Err(Unsupported("stencil without a stencil buffer"));
    }
    if plan.planes() > args::PLANES || plan.varyings.len() > VARYINGS {
        return Err(Unsupported("too many varyings"));
    }
    Ok(plan)
}

/// Emits the function.
fn build(e: &mut Emit<'_>, key: &PixelKey, plan: &Plan, pool: &mut Vec<[u8; 16]>) -> Result<(), Unsupported> {
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
    let edges = edges(e, primitive, block);
    let corner = corner(e, key, plan, block, edges);
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

/// Fills the planes and the steps of the scratch memory from a primitive.
fn set_up(e: &mut Emit<'_>, key: &PixelKey, plan: &Plan, primitive: Value) {
    let args = e.args;
    let sum = e.load_splat_f32(primitive, offset_of!(Primitive, sum) as i32);
    e.store(sum.0, args, scratch_at!(planes));
    // 1/w and z.
    const _: () = assert!(offset_of!(Primitive, z) == offset_of!(Primitive, inv_w) + 12);
    let inv_w = e.b.ins().iadd_imm_u(primitive, offset_of!(Primitive, inv_w) as i64);
    spread(e, inv_w, 1, 2);
    if !plan.varyings.is_empty() {
        let varyings = e.load_i64(args, at!(varyings));
        let first = e.load_i32(primitive, offset_of!(Primitive, first_varying) as i32);
        let first = e.b.ins().uextend(I64, first);
        let offset = e.b.ins().imul_imm_u(first, size_of::<[f32; 3]>() as i64);
        let base = e.b.ins().iadd(varyings, offset);
        for run in plan.varyings.chunk_by(|a, b| a + 1 == *b) {
            let from = e.b.ins().iadd_imm_u(base, 12 * run[0] as i64);
            spread(e, from, plan.varying_plane(run[0]), run.len());
        }
    }
    steps(e, primitive);
    if plan.lod(key) {
        super::lod::set_up(e, plan, primitive);
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
fn edges(e: &mut Emit<'_>, primitive: Value, block: Value) -> [I32x4; 3] {
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

/// Addresses of the block in the targets.
fn corner(e: &mut Emit<'_>, key: &PixelKey, plan: &Plan, block: Value, edges: [I32x4; 3]) -> Corner {
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
    let used = plan.stencil || plan.depth_test || plan.depth_write || key.density.is_some();
    let depth = key.depth_format.filter(|_| used).map(|f| address(at!(depth), f.bytes()));
    let coverage = e.load_i64(block, offset_of!(PixelBlock, coverage) as i32);
    let full = e.b.ins().icmp_imm_s(IntCC::Equal, coverage, -1);
    Corner { full, edges, color, depth }
}

/// The quads of a block.
fn quads(e: &mut Emit<'_>, key: &PixelKey, plan: &Plan, corner: &Corner, block: Value, next: Block) {
    let early = plan.early_tests(key);
    if !plan.phases() && !early {
        return covered_quads(e, block, corner.full, None, next, |e, covered, _, advance| {
            let exits = Exits { dead: (advance, &[]), alive: (advance, &[]) };
            Quad::first(e, key, plan, corner, covered, exits).whole();
        });
    }
    let tested = e.block(&[I64]);
    let records = e.b.ins().iadd_imm_u(e.args, i64::from(scratch_at!(records)));
    covered_quads(e, block, corner.full, Some(records), tested, |e, covered, records, advance| {
        let Some(record) = records else { return };
        let following = e.b.ins().iadd_imm_u(record, size_of::<Record>() as i64);
        let exits = Exits { dead: (advance, &[record]), alive: (advance, &[following]) };
        let record = e.local(record);
        let quad = Quad::first(e, key, plan, corner, covered, exits);
        if early { quad.test_phase(record) } else { quad.interpolation_phase(record) }
    });

    e.switch_to(tested);
    let end = e.parameter(tested, 0);
    let mut any = e.b.ins().icmp(IntCC::NotEqual, records, end);
    if !plan.phases() {
        return each_record(e, (any, records, end), next, next, |e, record, advance| {
            let exits = Exits { dead: (advance, &[]), alive: (advance, &[]) };
            Quad::resumed(e, key, plan, PhaseState::Tests(record), exits).rest();
        });
    }
    if early {
        let after = e.block(&[]);
        each_record(e, (any, records, end), after, next, |e, record, advance| {
            let exits = Exits { dead: (advance, &[]), alive: (advance, &[]) };
            Quad::resumed(e, key, plan, PhaseState::Tests(record), exits).interpolation_phase(record);
        });
        e.switch_to(after);
        any = e.i64(1);
    }
    for (unit, phase) in (0..4).flat_map(|unit| texture_phases(key, plan, unit).iter().map(move |&phase| (unit, phase)))
    {
        let after = e.block(&[]);
        each_record(e, (any, records, end), after, next, |e, record, advance| {
            let exits = Exits { dead: (advance, &[]), alive: (advance, &[]) };
            let quad = Quad::resumed(e, key, plan, PhaseState::Attributes(record), exits);
            match phase {
                TexturePhase::Lod => quad.lod_phase(unit),
                TexturePhase::Address => quad.address_phase(unit),
                TexturePhase::Footprint => quad.footprint_phase(unit),
                TexturePhase::Filter => quad.filter_phase(unit),
                TexturePhase::Whole => quad.texture_phase(unit),
            }
        });
        e.switch_to(after);
        any = e.i64(1);
    }
    for phase in key.lighting.as_deref().filter(|_| plan.lighting()).map_or(Vec::new(), lighting::phases) {
        let after = e.block(&[]);
        each_record(e, (any, records, end), after, next, |e, record, advance| {
            let exits = Exits { dead: (advance, &[]), alive: (advance, &[]) };
            Quad::resumed(e, key, plan, PhaseState::Attributes(record), exits).lighting_phase(phase);
        });
        e.switch_to(after);
        any = e.i64(1);
    }
    each_record(e, (any, records, end), next, next, |e, record, advance| {
        let exits = Exits { dead: (advance, &[]), alive: (advance, &[]) };
        let mut quad = Quad::resumed(e, key, plan, PhaseState::Attributes(record), exits);
        quad.full = (!early).then_some(corner.full);
        quad.rest();
    });
}

/// A step of a texture unit in a loop over quads. Chains of dependent operations are split between computing addresses
/// and loading: hosts look ahead by a hundred instructions or so.
#[derive(Clone, Copy)]
enum TexturePhase {
    /// The level of detail.
    Lod,
    /// Addresses of texels that are loaded where they are used.
    Address,
    /// Addresses and weights of texels that are filtered.
    Footprint,
    /// Loading and filtering them.
    Filter,
    /// All steps, or all but the level of detail.
    Whole,
}

/// The phases of unit `unit`, 3 being the procedural one.
fn texture_phases(key: &PixelKey, plan: &Plan, unit: usize) -> &'static [TexturePhase] {
    use TexturePhase::*;
    match key.textures.get(unit) {
        None if plan.procedural.any() => &[Whole],
        Some(_) if !plan.textures[unit] => &[],
        Some(texture) if addresses_only(texture) => &[Address],
        Some(texture) if texture.needs_lod() => &[Lod, Whole],
        Some(texture) if texture.magnify == pixel::Filter::Linear && !texture.kind.is_shadow() => &[Footprint, Filter],
        Some(_) => &[Whole],
        None => &[],
    }
}

/// A loop over the quads of a block with any covered pixel. `body` gets a quad, the running value that started as
/// `carried`, and the block to continue at with the value's successor; after the last quad the value goes to `next`.
fn covered_quads(
    e: &mut Emit<'_>,
    block: Value,
    full: Value,
    carried: Option<Value>,
    next: Block,
    body: impl Fn(&mut Emit<'_>, CoveredQuad, Option<Value>, Block),
) {
    let with = |values: &[Value], running: Option<Value>| values.iter().copied().chain(running).collect::<Vec<Value>>();
    let types = |first: &[Type]| first.iter().copied().chain(carried.map(|_| I64)).collect::<Vec<Type>>();
    let (take, quad, advance) = (e.block(&types(&[I64])), e.block(&types(&[I64, I32X4, I64])), e.block(&types(&[])));
    let (step, left) = (e.block(&[]), e.block(&[]));
    let running = |e: &Emit<'_>, block: Block, index: usize| carried.map(|_| e.parameter(block, index));

    // All quads in order, or those that the bits of the coverage name.
    let coverage = e.load_i64(block, offset_of!(PixelBlock, coverage) as i32);
    let (zero, all) = (e.i64(0), e.i(-1));
    e.branch(full, (quad, &with(&[zero, all.0, zero], carried)), (take, &with(&[coverage], carried)));

    e.switch_to(take);
    let (some, value) = (e.block(&[]), running(e, take, 1));
    let coverage = e.parameter(take, 0);
    e.branch(coverage, (some, &[]), (next, &with(&[], value)));
    e.switch_to(some);
    let (covered, rest) = take_quad(e, coverage);
    e.jump(quad, &with(&[covered.four, covered.mask.0, rest], value));

    e.switch_to(quad);
    let covered = CoveredQuad { four: e.parameter(quad, 0), mask: Mask(e.parameter(quad, 1)) };
    let (rest, value) = (e.parameter(quad, 2), running(e, quad, 3));
    // What runs along depends on the quad before.
    if e.caps.pairs != Pairs::Never && carried.is_none() {
        two_quads(e, (covered, rest, full), (take, quad, advance), next);
    }
    body(e, covered, value, advance);

    e.switch_to(advance);
    let value = running(e, advance, 0);
    e.branch(full, (step, &[]), (left, &[]));
    e.switch_to(left);
    e.jump(take, &with(&[rest], value));
    e.switch_to(step);
    let four = e.b.ins().iadd_imm_u(covered.four, 4);
    let more = e.b.ins().icmp_imm_u(IntCC::NotEqual, four, 64);
    e.branch(more, (quad, &with(&[four, covered.mask.0, rest], value)), (next, &with(&[], value)));
}

/// Draws the quad after `covered` as well, at once, if there is one. Goes on where `covered` is drawn alone.
fn two_quads(
    e: &mut Emit<'_>,
    (covered, rest, full): (CoveredQuad, Value, Value),
    (take, quad, advance): (Block, Block, Block),
    next: Block,
) {
    let (one, two, done) = (e.block(&[]), e.block(&[I64, I32X4, I64]), e.block(&[]));
    let (partial, some, left, step) = (e.block(&[]), e.block(&[]), e.block(&[]), e.block(&[]));
    // All quads of a block are an even number.
    let following = e.b.ins().iadd_imm_u(covered.four, 4);
    e.branch(full, (two, &[following, covered.mask.0, rest]), (partial, &[]));
    e.switch_to(partial);
    e.branch(rest, (some, &[]), (one, &[]));
    e.switch_to(some);
    let (second, after) = take_quad(e, rest);
    e.jump(two, &[second.four, second.mask.0, after]);
    e.switch_to(two);
    let [four, mask, after] = [0, 1, 2].map(|index| e.parameter(two, index));
    e.jump(done, &[]);
    e.switch_to(done);
    e.branch(full, (step, &[]), (left, &[]));
    e.switch_to(left);
    e.jump(take, &[after]);
    e.switch_to(step);
    let following = e.b.ins().iadd_imm_u(four, 4);
    let more = e.b.ins().icmp_imm_u(IntCC::NotEqual, following, 64);
    e.branch(more, (quad, &[following, mask, after]), (next, &[]));
    let others = vec![(covered.four, vec![four]), (covered.mask.0, vec![mask])];
    let own = args::own_of_quads();
    e.bodies.push(Body { entry: one, exit: advance, others, before: two, own, counters: 0..0, storage: None });
    e.switch_to(one);
}

/// The first quad of a coverage that is not empty, and the coverage of the rest.
fn take_quad(e: &mut Emit<'_>, coverage: Value) -> (CoveredQuad, Value) {
    let bit = e.b.ins().ctz(coverage);
    let four = e.b.ins().band_imm_u(bit, 0x3C);
    let pixels = e.b.ins().ushr(coverage, four);
    let pixels = e.b.ins().band_imm_u(pixels, 15);
    let pixels = e.b.ins().ishl_imm_u(pixels, 4);
    let masks = e.b.ins().iadd(e.args, pixels);
    let mask = Mask(e.load_ints(masks, at!(masks)).0);
    let taken = e.i64(15);
    let taken = e.b.ins().ishl(taken, four);
    let rest = e.b.ins().band_not(coverage, taken);
    (CoveredQuad { four, mask }, rest)
}

/// A loop over the records from `first` to `end`, then to `after`; straight to `none` unless `any`.
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
    if e.caps.pairs != Pairs::Never {
        two_records(e, record, (head, advance), (end, after));
    }
    let local = e.local(record);
    body(e, local, advance);
    e.switch_to(advance);
    let following = e.b.ins().iadd_imm_u(record, size_of::<Record>() as i64);
    let more = e.b.ins().icmp(IntCC::NotEqual, following, end);
    e.branch(more, (head, &[following]), (after, &[]));
}

/// Does what is done with `record` with the one after it as well, at once, if there is one. Goes on where it is done
/// with `record` alone.
fn two_records(e: &mut Emit<'_>, record: Value, (head, advance): (Block, Block), (end, after): (Value, Block)) {
    let (one, two, done) = (e.block(&[]), e.block(&[]), e.block(&[]));
    let size = size_of::<Record>() as i64;
    let second = e.b.ins().iadd_imm_u(record, size);
    let more = e.b.ins().icmp(IntCC::NotEqual, second, end);
    e.branch(more, (two, &[]), (one, &[]));
    e.switch_to(two);
    e.jump(done, &[]);
    e.switch_to(done);
    let following = e.b.ins().iadd_imm_u(second, size);
    let more = e.b.ins().icmp(IntCC::NotEqual, following, end);
    e.branch(more, (head, &[following]), (after, &[]));
    let (others, own) = (vec![(record, vec![second])], args::own_of_quads());
    e.bodies.push(Body { entry: one, exit: advance, others, before: two, own, counters: 0..0, storage: None });
    e.switch_to(one);
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
