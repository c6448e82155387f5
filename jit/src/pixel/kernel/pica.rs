//! The compiled function, its loop over blocks, and its call.

#![allow(unsafe_code)]

use std::mem::{MaybeUninit, offset_of, size_of};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::pixel::{Compare, LogicOp, Output, PixelBlock, PixelJob, PixelKey, Primitive};
use triglyph_guest::kernel::tier::TextureDecoder;
use triglyph_guest::kernel::{PixelKernel, Unsupported};

use crate::code::{Code, Compiler};
use crate::lane::Emit;
use crate::pixel::args::pica::{self as args, Frame, POOL, QuadScratch, at, scratch_at};
use crate::pixel::plan::pica::Plan;
use crate::pixel::quad::pica::Quad;
use crate::pixel::quads::{AT_ONCE, Apart, CoveredBlock, CoveredQuad, Four, each_quad};
use crate::pixel::setup::pica as setup;
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
        tells_survivors: false,
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
    if plan.planes() > args::PLANES || plan.varyings.len() > args::VARYINGS {
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
    let apart = Apart { own: args::own_of_quads(), counters: 0..0, storage: Some(storage_of_quads(e)) };
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
    setup::set_up(e, key, plan, primitive);
    e.jump(ready, &[]);

    e.switch_to(ready);
    let coverage = e.load_i64(block, offset_of!(PixelBlock, coverage) as i32);
    let covered = CoveredBlock::new(e, coverage);
    let edges = setup::edges(e, primitive, block);
    let corner = setup::corner(e, key, plan, block, (covered.full, edges));
    let next = e.block(&[]);
    let draw = |e: &mut Emit<'_>, covered: CoveredQuad, done: Block| {
        let storage = covered.storage.ok_or(Unsupported("a quad without memory"))?;
        Quad::new(e, key, plan, &corner, (covered, storage), done).whole();
        Ok(())
    };
    let four = |_: &Emit<'_>, _, _| if plan.textures.contains(&true) { Four::Anywhere } else { Four::Nowhere };
    each_quad(e, covered, next, &apart, draw, four)?;

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

/// Where each of the quads that are drawn at once keeps its texels.
fn storage_of_quads(e: &mut Emit<'_>) -> [Value; AT_ONCE] {
    let (first, size) = (i64::from(scratch_at!(quads)), size_of::<QuadScratch>() as i64);
    std::array::from_fn(|quad| e.b.ins().iadd_imm_u(e.args, first + size * quad as i64))
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
