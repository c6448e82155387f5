//! The compiled fragment function, its loops over blocks and quads, and its call.

#![allow(unsafe_code)]

use std::mem::{MaybeUninit, offset_of, size_of};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::program::FragmentKernel;
use triglyph_guest::kernel::program::fragment::{FragmentJob, FragmentKey, Samples};

use crate::code::{Code, Compiler};
use crate::interleave::has_loop;
use crate::lane::Emit;
use crate::maxwell::{self, Context, Prepared, ResourceKeys};
use crate::pixel::args::programs::{self as args, BlockArgs, CHUNK, Frame, POOL, Table, Textures, UsedSurface, at};
use crate::pixel::plan::programs::{Constants, PLANES, Plan, ProgramPlan};
use crate::pixel::quad::programs::{Needs, Quad, QuadPlace};
use crate::pixel::quads::{AT_ONCE, Apart, CoveredBlock, CoveredQuad, Four, each_quad};
use crate::pixel::setup::programs as setup;

/// A fragment kernel as machine code.
struct Kernel {
    plan: Plan,
    surfaces: Vec<UsedSurface>,
    constants: Constants,
    maxwell: maxwell::Needs,
    /// Constants of the code, at most [`POOL`].
    pool: Vec<[u8; 16]>,
    code: Code,
    /// Tables of calls that are done, kept for their allocations.
    spare: Mutex<Vec<Table>>,
}

impl FragmentKernel for Kernel {
    fn shade(&self, job: &FragmentJob<'_>) -> Result<u64, Unsupported> {
        args::check(&self.plan, job)?;
        if self.constants.is_empty() {
            return self.run(&Table::new(), job);
        }
        let mut table = self.lock_spare().pop().unwrap_or_default();
        args::fill_table(&mut table, &self.constants, job)?;
        let passed = self.run(&table, job);
        self.lock_spare().push(table);
        passed
    }

    fn code_bytes(&self) -> usize {
        self.code.bytes()
    }
}

impl Kernel {
    fn lock_spare(&self) -> MutexGuard<'_, Vec<Table>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the code for a job that has been checked, with its table of constants.
    fn run(&self, table: &Table, job: &FragmentJob<'_>) -> Result<u64, Unsupported> {
        let mut textures = Textures::none();
        textures.fill(&self.plan, job)?;
        let mut prepared = self.prepare(job)?;
        let mut context = prepared.as_mut().map(|(prepared, local)| prepared.context(*local, &job.environment));
        let surfaces = (self.plan.samples, &*self.surfaces);
        let mut frame = MaybeUninit::uninit();
        let frame = Frame::fill(&mut frame, surfaces, &self.pool, (table, &textures), job);
        frame.args.maxwell = context.as_mut().map_or(std::ptr::null_mut(), |context| &raw mut *context);
        let mut chunk = [const { MaybeUninit::uninit() }; CHUNK];
        let mut rest = job.blocks;
        while !rest.is_empty() {
            let count = args::translate(surfaces, job, rest, &mut chunk);
            let blocks: *const BlockArgs = chunk.as_ptr().cast();
            frame.args.blocks = blocks;
            frame.args.end = blocks.wrapping_add(count);
            // SAFETY: `check` has checked that every address the code makes from these arguments is valid: blocks
            // inside of the surfaces, primitives and planes inside of their slices, textures complete; table, textures,
            // blocks and the program's context live here. Surfaces are atomics, and no other writer depends on the
            // result; everything else is borrowed by `job`.
            unsafe { self.code.call(std::ptr::from_mut(frame)) };
            rest = &rest[count * self.plan.samples.count()..];
        }
        if let (Some(context), Some((prepared, _))) = (&context, &mut prepared) {
            prepared.finish(context, &job.environment);
        }
        Ok(frame.args.passed.as_flattened().iter().map(|&lane| u64::from(lane.unsigned_abs())).sum())
    }

    /// The context of a Maxwell program for a job, and its bytes of local memory.
    fn prepare(&self, job: &FragmentJob<'_>) -> Result<Option<(Prepared, u32)>, Unsupported> {
        let ProgramPlan::Maxwell(plan) = &self.plan.program else { return Ok(None) };
        let local = plan.code.code.local_bytes;
        let prepared = Prepared::new(&self.maxwell, ResourceKeys::of_pixels(&plan.code), local, &job.environment)?;
        Ok(Some((prepared, local)))
    }
}

/// The fragment kernel of `key`.
pub fn fragment(compiler: &Compiler, key: &FragmentKey) -> Result<Arc<dyn FragmentKernel>, Unsupported> {
    let plan = Plan::new(key)?;
    let mut needs = Needs::default();
    let mut pool = Vec::new();
    let code = compiler.compile(plan.size, |e| build(e, key, &plan, &mut needs, &mut pool))?;
    if pool.len() > POOL {
        return Err(Unsupported("too many constants"));
    }
    let (surfaces, spare) = (args::used_surfaces(&plan), Mutex::default());
    Ok(Arc::new(Kernel { plan, surfaces, constants: needs.constants, maxwell: needs.maxwell, pool, code, spare }))
}

/// The CLIF and the host instructions of [`fragment`]'s result.
pub fn dump(compiler: &Compiler, key: &FragmentKey) -> String {
    match Plan::new(key) {
        Ok(plan) => {
            let mut needs = Needs::default();
            let text = compiler.dump(plan.size, |e| build(e, key, &plan, &mut needs, &mut Vec::new()));
            format!("{plan:#?}\n{text}")
        }
        Err(unsupported) => unsupported.to_string(),
    }
}

/// Emits the function.
fn build(
    e: &mut Emit<'_>,
    key: &FragmentKey,
    plan: &Plan,
    needs: &mut Needs,
    pool: &mut Vec<[u8; 16]>,
) -> Result<(), Unsupported> {
    e.use_pool(at!(pool), POOL);
    let args = e.args;
    let (head, body, exit) = (e.block(&[I64, I64]), e.block(&[]), e.block(&[]));
    let (setup, quads, next) = (e.block(&[]), e.block(&[]), e.block(&[]));
    let first = e.load_i64(args, at!(blocks));
    let none = e.i64(0);
    let storage = match &plan.program {
        ProgramPlan::Maxwell(_) => Some(storage_of_quads(e)),
        ProgramPlan::Rsx(_) => None,
    };
    e.jump(head, &[first, none]);

    e.switch_to(head);
    let (block, previous) = (e.parameter(head, 0), e.parameter(head, 1));
    let end = e.load_i64(args, at!(end));
    let more = e.b.ins().icmp(IntCC::NotEqual, block, end);
    e.branch(more, (body, &[]), (exit, &[]));

    e.switch_to(body);
    let primitive = e.load_i64(block, offset_of!(BlockArgs, primitive) as i32);
    let coverage = e.load_i64(block, offset_of!(BlockArgs, coverage) as i32);
    let distance = setup::block_distance(e, block, primitive);
    let same = e.b.ins().icmp(IntCC::Equal, primitive, previous);
    e.branch(same, (quads, &[]), (setup, &[]));

    e.switch_to(quads);
    let covered = CoveredBlock::new(e, coverage);
    let apart = Apart { own: args::own_of_quads(), counters: args::COUNTERS, storage };
    let draw = |e: &mut Emit<'_>, quad: CoveredQuad, done| {
        let CoveredQuad { number, cover, storage } = quad;
        Quad::new(e, key, plan, needs, QuadPlace { block, distance, number, cover, storage }, done).whole()
    };
    // What computes much needs its registers for two quads, and blocks at the edges of primitives have few of them.
    let waits = !plan.textures.is_empty() && plan.samples == Samples::ONE;
    let four = |e: &Emit<'_>, from, to| match waits && !has_loop(e.b.func, from, to) {
        true => Four::CoveredBlocks,
        false => Four::Nowhere,
    };
    each_quad(e, covered, next, &apart, draw, four)?;

    // Only now the planes that the quads need are known.
    e.switch_to(setup);
    if needs.planes.len() > PLANES {
        return Err(Unsupported("too many varyings"));
    }
    setup::set_up(e, &needs.planes, block);
    e.jump(quads, &[]);

    e.switch_to(next);
    let following = e.b.ins().iadd_imm_u(block, size_of::<BlockArgs>() as i64);
    e.jump(head, &[following, primitive]);

    e.switch_to(exit);
    let status = e.i64(0);
    e.finish(status);
    *pool = e.take_pool();
    Ok(())
}

/// Where each of the quads that are drawn at once stores what a Maxwell program keeps between its blocks.
fn storage_of_quads(e: &mut Emit<'_>) -> [Value; AT_ONCE] {
    let args = e.args;
    let context = e.load_i64(args, at!(maxwell));
    let first = e.load_i64(context, offset_of!(Context, storage) as i32);
    // The first one is a value of its own, too: where registers need no memory, nothing may use it but their slots.
    std::array::from_fn(|quad| e.b.ins().iadd_imm_u(first, 16 * quad as i64))
}
