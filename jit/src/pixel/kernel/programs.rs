//! Kernels of the RSX and the Tegra X1 and their call.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use triglyph_guest::kernel::program::FragmentKernel;
use triglyph_guest::kernel::program::fragment::{FragmentJob, FragmentKey};
use triglyph_guest::kernel::{MachineCode, Unsupported};

use super::function::{Function, compile, show};
use crate::code::{Code, Compiler};
use crate::maxwell::{self, Prepared, ResourceKeys};
use crate::pixel::args::programs::{self as args, BlockArgs, CHUNK, Frame, Table, Textures, UsedSurface};
use crate::pixel::plan::programs::{Constants, Plan, ProgramPlan};
use crate::pixel::quad::programs::Programs;

/// A fragment kernel as machine code.
struct CompiledFragment {
    plan: Plan,
    surfaces: Vec<UsedSurface>,
    constants: Constants,
    maxwell: maxwell::Needs,
    /// Constants of the code, at most [`POOL`].
    pool: Vec<[u8; 16]>,
    code: Code<Frame>,
    /// Tables of calls that are done, kept for their allocations.
    spare: Mutex<Vec<Table>>,
}

impl FragmentKernel for CompiledFragment {
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

    fn code(&self) -> MachineCode {
        self.code.made()
    }
}

impl CompiledFragment {
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
        let (mut rest, mut excess) = (job.blocks, 0);
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
            excess += frame.args.take_excess();
            rest = &rest[count * self.plan.samples.count()..];
        }
        if let (Some(context), Some((prepared, _))) = (&context, &mut prepared) {
            prepared.finish(context, &job.environment);
            job.environment.excess.fetch_add(excess, Relaxed);
            let taken = frame.args.taken.iter().map(|units| units[0]).sum();
            job.environment.reserve.store(context.reserve.saturating_sub(taken), Relaxed);
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
    let Function { code, pool, needs } = compile::<Programs>(compiler, key, &plan)?;
    let (surfaces, spare) = (args::used_surfaces(&plan), Mutex::default());
    Ok(Arc::new(CompiledFragment {
        plan,
        surfaces,
        constants: needs.constants,
        maxwell: needs.maxwell,
        pool,
        code,
        spare,
    }))
}

/// What [`fragment`]'s result consists of, as text.
pub fn dump(compiler: &Compiler, key: &FragmentKey) -> String {
    Plan::new(key).map_or_else(|unsupported| unsupported.to_string(), |plan| show::<Programs>(compiler, key, &plan))
}
