//! Compute: thread blocks, one warp after the other.

#![allow(unsafe_code)]

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};

use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::maxwell::{FUEL, FUEL_UNIT, LANES, MAX_UNITS};
use triglyph_guest::kernel::program::environment::Environment;
use triglyph_guest::kernel::program::stage::{Blocks, ShaderJob, ShaderKernel, ShaderKey, Stage, Work};
use triglyph_guest::kernel::{MachineCode, Unsupported};
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::{AttributeAccess, Op, decode};
use triglyph_guest::tegra::shader::special::SpecialRegister;

use super::direct_args::Bytes;
use super::flow::END;
use super::patch_args::PatchArgs;
use super::stage::PRIMITIVE;
use super::vectors::SLICES;
use super::warp_slices::{self, AT_SLOT, EXHAUSTED, WAITS};
use super::{Context, Done, Graph, Host, Lanes, Lower, Needs, Prepared, ResourceKeys};
use crate::code::{Code, Compiler};
use crate::lane::{Emit, I32x4, Mask};

/// Special registers that each thread has, in the order of [`ComputeArgs::threads`].
const THREAD_REGISTERS: [SpecialRegister; 10] = [
    SpecialRegister::LaneId,
    SpecialRegister::Tid,
    SpecialRegister::TidX,
    SpecialRegister::TidY,
    SpecialRegister::TidZ,
    SpecialRegister::EqMask,
    SpecialRegister::LtMask,
    SpecialRegister::LeMask,
    SpecialRegister::GtMask,
    SpecialRegister::GeMask,
];

/// Special registers that all threads of a block share, in the order of [`ComputeArgs::block`].
const BLOCK_REGISTERS: [SpecialRegister; 4] =
    [SpecialRegister::CtaIdX, SpecialRegister::CtaIdY, SpecialRegister::CtaIdZ, SpecialRegister::Ntid];

/// A special register of each lane of a warp.
type Row = [u32; LANES];

/// The special registers of a warp's threads.
pub type Threads = [Row; THREAD_REGISTERS.len()];

/// The arguments.
#[repr(C, align(64))]
pub struct ComputeArgs {
    pub context: Context,
    /// Of the warp.
    pub threads: *const Threads,
    block: [u32; BLOCK_REGISTERS.len()],
    pub patch: PatchArgs,
    /// Scratch memory for lane indices, of slices that are executed at once.
    indices: [[[u32; 4]; 4]; 2],
}

macro_rules! at {
    ($($field:tt)+) => {
        std::mem::offset_of!($crate::maxwell::compute::ComputeArgs, $($field)+) as i32
    };
}
pub(super) use at;

/// Pairs of slices of a warp.
const PAIRS: usize = SLICES / 2;

/// Blocks with more bytes of local memory bail out.
const MAX_LOCAL: usize = 64 << 20;

/// Local memory of blocks with more bytes is freed instead of reused.
const MAX_RETAINED_LOCAL: usize = 1 << 20;

/// The host of a warp slice.
pub struct SliceHost<'p, 'a> {
    pub e: &'p mut Emit<'a>,
    pub key: &'p ShaderKey,
    /// 16 times the slice's number.
    pub place: Option<Value>,
}

impl<'a> Host<'a> for SliceHost<'_, 'a> {
    fn e(&mut self) -> &mut Emit<'a> {
        self.e
    }

    fn scratch(&self) -> i32 {
        at!(indices)
    }

    fn set_slice(&mut self, place: Value) {
        self.place = Some(place);
    }

    fn special(&mut self, which: SpecialRegister) -> Option<I32x4> {
        let args = self.e.args;
        if self.key.stage == Stage::TessControl {
            match which {
                SpecialRegister::InvocationId => return self.special(SpecialRegister::LaneId),
                SpecialRegister::InvocationInfo => return Some(self.e.load_splat_i32(args, at!(patch.info))),
                SpecialRegister::PrimType => return Some(self.e.load_splat_i32(args, at!(patch.prim_type))),
                which if !per_lane_in_patches(which) => return None,
                _ => {}
            }
        }
        if let Some(n) = BLOCK_REGISTERS.iter().position(|&shared| shared == which) {
            return Some(self.e.load_splat_i32(args, at!(block) + 4 * n as i32));
        }
        let n = THREAD_REGISTERS.iter().position(|&number| number == which)?;
        let place = self.place?;
        Some(self.number(place, n))
    }

    fn attribute(&mut self, i: &AttributeAccess, word: u8, vertex: Option<I32x4>) -> Result<I32x4, Unsupported> {
        Ok(match self.key.stage {
            Stage::TessControl => self.patch_attribute(i, word, vertex),
            _ => self.e.i(0),
        })
    }

    fn reads(&self, i: &AttributeAccess, word: u8) -> bool {
        let set = if i.output { &self.key.outputs } else { &self.key.inputs };
        self.key.stage == Stage::TessControl && (set.contains(word) || !i.output && word == PRIMITIVE)
    }

    fn patch_word(&mut self, word: I32x4) -> I32x4 {
        if self.key.stage != Stage::TessControl {
            return self.e.i(0);
        }
        let args = self.e.args;
        let words = self.e.load_i64(args, at!(patch.words));
        self.e.gather32_unclamped(words, word)
    }

    fn store_patch(&mut self, words: &[(I32x4, I32x4)], lanes: Mask) {
        if self.key.stage == Stage::TessControl {
            self.store_patch_words(words, lanes);
        }
    }

    fn output(&self, word: u8) -> Option<u16> {
        self.key.outputs.index(word).map(|index| index as u16)
    }

    fn store_attribute(&mut self, i: &AttributeAccess, word: u8, value: I32x4, lanes: Option<Mask>) -> Done {
        if self.key.stage == Stage::TessControl {
            self.store_patch_attribute(i, word, value, lanes);
        }
        Ok(())
    }
}

impl SliceHost<'_, '_> {
    /// Special register `n` of the lanes' threads.
    pub fn number(&mut self, place: Value, n: usize) -> I32x4 {
        let args = self.e.args;
        let threads = self.e.load_i64(args, at!(threads));
        let base = self.e.b.ins().iadd(threads, place);
        self.e.load_ints(base, (n * size_of::<Row>()) as i32)
    }
}

/// Whether tessellation control programs have this special register of lanes as well.
fn per_lane_in_patches(which: SpecialRegister) -> bool {
    use SpecialRegister as S;
    matches!(which, S::LaneId | S::EqMask | S::LtMask | S::LeMask | S::GtMask | S::GeMask)
}

/// A compiled program of warps.
pub struct CompiledCompute {
    pub key: ShaderKey,
    pub needs: Needs,
    code: Code<ComputeArgs>,
    /// Block that threads begin in.
    pub first: i32,
    /// Whether threads may wait for each other.
    pub waits: bool,
    /// Whether warps report what they count beyond the words of the code.
    reports: bool,
    /// Special registers of the threads of the last block size.
    tables: Mutex<Option<Tables>>,
    /// Warps of blocks that have ended.
    pool: Mutex<Vec<Vec<Warp>>>,
}

/// A block size, and the special registers of its warps.
type Tables = ([u32; 3], Arc<[Threads]>);

fn build(e: &mut Emit<'_>, key: &ShaderKey, graph: &Graph, needs: &mut Needs) -> Result<(), Unsupported> {
    let mut host = SliceHost { e, key, place: None };
    let resources = ResourceKeys::of(key);
    Lower::new(&mut host, (&key.code, graph), resources, Lanes::WarpSlice, needs).run_slices()
}

fn graph(key: &ShaderKey) -> Result<Graph, Unsupported> {
    Ok(Graph::new(&key.code, warp_slices::sharing)?.reporting(Lanes::WarpSlice))
}

/// The kernel of `key`, a compute program.
pub fn compute(compiler: &Compiler, key: &ShaderKey) -> Result<Arc<dyn ShaderKernel>, Unsupported> {
    Ok(Arc::new(compile(compiler, key)?))
}

/// The program of `key`.
pub fn compile(compiler: &Compiler, key: &ShaderKey) -> Result<CompiledCompute, Unsupported> {
    let graph = graph(key)?;
    let mut needs = Needs::default();
    let code = compiler.compile(graph.size as u32, |e| build(e, key, &graph, &mut needs))?;
    let first = graph.first.map_or(END, |block| block as i32);
    let waits = key.code.words.iter().any(|&word| decode(word) == Some(Op::bar));
    let (tables, pool) = (Mutex::new(None), Mutex::default());
    Ok(CompiledCompute { key: key.clone(), needs, code, first, waits, reports: graph.reports, tables, pool })
}

/// The CLIF and the host instructions of [`compute`]'s result.
pub fn dump(compiler: &Compiler, key: &ShaderKey) -> String {
    match graph(key) {
        Ok(graph) => compiler.dump(graph.size as u32, |e| build(e, key, &graph, &mut Needs::default())),
        Err(unsupported) => unsupported.to_string(),
    }
}

/// How a barrier reduces the predicates of its lanes. Codes are bits of [`Wait`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    Count = 0x200,
    All = 0x400,
    Any = 0x600,
}

/// What a lane waits for, as a word: the barrier's number, its predicate, the reduction.
pub struct Wait;

impl Wait {
    /// Barriers of a block.
    pub const BARRIERS: i32 = 16;
    /// Set if the predicate holds.
    pub const PRED: i32 = 0x100;

    fn number(word: u32) -> usize {
        word as usize % Wait::BARRIERS as usize
    }
}

/// The reduction of the predicates at a barrier.
#[derive(Clone, Copy)]
struct Joined {
    holds: u32,
    fails: u32,
}

/// A slot of two slices, which code may execute at once.
#[repr(C, align(32))]
#[derive(Clone, Copy)]
struct SlotPair([[u32; 4]; 2]);

/// State of a warp: its lanes' storage and local memory.
pub struct Warp {
    /// All slots of the first two slices, then of the next two.
    storage: Vec<SlotPair>,
    local: Vec<u8>,
    count: u32,
}

impl Warp {
    /// The blocks of the lanes.
    fn at(&mut self) -> impl Iterator<Item = &mut u32> {
        self.pairs().flat_map(|pair| pair[AT_SLOT].0.as_flattened_mut())
    }

    /// The slots of each two slices.
    fn pairs(&mut self) -> impl Iterator<Item = &mut [SlotPair]> {
        let slots = self.storage.len() / PAIRS;
        self.storage.chunks_mut(slots)
    }

    /// Starts the first `lanes` lanes in block `first`. `cleared` are slots that begin as 0.
    pub fn clear(&mut self, first: i32, lanes: usize, cleared: &[usize]) {
        for pair in self.pairs() {
            cleared.iter().for_each(|&slot| pair[slot] = SlotPair([[0; 4]; 2]));
        }
        if !self.local.is_empty() {
            self.local.fill(0);
        }
        self.count = 0;
        for (lane, at) in self.at().enumerate() {
            *at = if lane < lanes { first } else { END } as u32;
        }
    }

    /// Units of fuel that it has taken from the reserve.
    fn units(&self) -> u32 {
        (self.count / FUEL_UNIT).saturating_sub(FUEL / FUEL_UNIT - 1)
    }

    /// Lets waiting lanes go on. Returns whether there were any.
    fn go_on(&mut self) -> bool {
        let mut waiting = [[0; 4]; 2];
        // Two slices at a time: their lanes are vectors.
        for pair in self.pairs() {
            let places = pair[AT_SLOT].0.as_flattened_mut();
            for (at, waiting) in places.iter_mut().zip(waiting.as_flattened_mut()) {
                let waits = u32::from(*at >= WAITS as u32);
                *at -= waits * WAITS as u32;
                *waiting |= waits;
            }
        }
        waiting != [[0; 4]; 2]
    }

    /// Words of a slot of all lanes, with the blocks that the lanes are in.
    fn with_places(&mut self, slot: usize) -> impl Iterator<Item = (u32, &mut u32)> {
        self.pairs().flat_map(move |pair| {
            let SlotPair(places) = pair[AT_SLOT];
            places.into_iter().flatten().zip(pair[slot].0.as_flattened_mut())
        })
    }
}

/// Releases waiting lanes with the reduction of their predicates. Returns whether there were any.
pub fn release(warps: &mut [Warp], needs: &Needs) -> bool {
    if let Some([wait, reduced]) = needs.waits {
        join(warps, wait, reduced);
    }
    warps.iter_mut().fold(false, |any, warp| warp.go_on() | any)
}

fn join(warps: &mut [Warp], wait: usize, reduced: usize) {
    let mut joined = [Joined { holds: 0, fails: 0 }; Wait::BARRIERS as usize];
    for (at, &mut word) in warps.iter_mut().flat_map(|warp| warp.with_places(wait)) {
        let joined = &mut joined[Wait::number(word)];
        match (at >= WAITS as u32, word & Wait::PRED as u32 != 0) {
            (false, _) => {}
            (true, true) => joined.holds += 1,
            (true, false) => joined.fails += 1,
        }
    }
    for warp in warps {
        let waits: Vec<u32> = warp.with_places(wait).map(|(_, &mut word)| word).collect();
        for ((at, result), word) in warp.with_places(reduced).zip(waits) {
            let Joined { holds, fails } = joined[Wait::number(word)];
            if at < WAITS as u32 {
                continue;
            }
            match word & 0x600 {
                code if code == Join::Count as u32 => *result = holds,
                code if code == Join::All as u32 => *result = u32::from(fails == 0),
                code if code == Join::Any as u32 => *result = u32::from(holds != 0),
                _ => {}
            }
        }
    }
}

/// Special registers of the threads of warp `warp`.
pub fn threads(warp: usize, size: [u32; 3]) -> Threads {
    let mut rows = [[0; LANES]; THREAD_REGISTERS.len()];
    for lane in 0..LANES {
        let thread = (warp * LANES + lane) as u32;
        let (x, y, z) = (thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]);
        let bit = 1u32 << lane;
        let numbers =
            [lane as u32, packed([x, y, z]), x, y, z, bit, bit - 1, bit | (bit - 1), !(bit | (bit - 1)), !(bit - 1)];
        for (row, number) in rows.iter_mut().zip(numbers) {
            row[lane] = number;
        }
    }
    rows
}

/// Three numbers in the encoding of TID.
const fn packed([x, y, z]: [u32; 3]) -> u32 {
    (x & 0xFFFF) | (y & 0x3FF) << 16 | z << 26
}

impl CompiledCompute {
    /// Runs a warp until none of its lanes can continue.
    pub fn run_warp(&self, args: &mut ComputeArgs, warp: &mut Warp) {
        let context = &mut args.context;
        context.storage = warp.storage.as_mut_ptr().cast();
        context.pair_bytes = (size_of_val(&warp.storage[..]) / PAIRS) as u64;
        context.all_local = warp.local.as_mut_ptr();
        context.local = warp.local.as_mut_ptr();
        context.count = warp.count;
        // SAFETY: the code works in the warp's storage, which has as many vectors as `Needs` says for each slice, reads
        // the numbers of the arguments, and calls functions that touch the context, local and shared memory of the
        // sizes it states, and the job's environment, borrowed while the code runs.
        let status = unsafe { self.code.call(&raw mut *args) };
        warp.count = args.context.count;
        if status == EXHAUSTED as u64 {
            warp.at().for_each(|at| *at = END as u32);
        }
    }

    /// Memory for a warp.
    pub fn warp(&self) -> Warp {
        let local = if self.needs.local { self.key.code.local_bytes as usize * LANES + 16 } else { 0 };
        Warp { storage: vec![SlotPair([[0; 4]; 2]); PAIRS * self.needs.slots / 2], local: vec![0; local], count: 0 }
    }

    /// The arguments of a job.
    pub fn args(&self, prepared: &mut Prepared, environment: &Environment<'_>) -> Box<ComputeArgs> {
        let mut context = prepared.context(self.key.code.local_bytes, environment);
        context.local_bytes = if self.needs.local { self.key.code.local_bytes } else { 0 };
        Box::new(ComputeArgs {
            context,
            threads: std::ptr::null(),
            block: [0; BLOCK_REGISTERS.len()],
            patch: PatchArgs::none(),
            indices: [[[0; 4]; 4]; 2],
        })
    }

    /// The special registers of all threads of a block; cached, because most blocks have the same size.
    fn threads(&self, size: [u32; 3], warps: usize) -> Arc<[Threads]> {
        let mut known = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, all)) = known.as_ref().filter(|(known, _)| *known == size) {
            return all.clone();
        }
        let all: Arc<[Threads]> = (0..warps).map(|warp| threads(warp, size)).collect();
        *known = Some((size, all.clone()));
        all
    }

    /// Runs blocks until one has a warp that runs out of fuel.
    fn blocks(
        &self,
        args: &mut ComputeArgs,
        prepared: &mut Prepared,
        work: &mut Blocks<'_>,
        environment: &Environment<'_>,
    ) -> Result<(), Unsupported> {
        let total = work.threads.iter().map(|&n| n as usize).product::<usize>();
        let warps = total.div_ceil(LANES);
        let kept = if self.waits { warps } else { 1 };
        let local = if self.needs.local { self.key.code.local_bytes as usize * LANES } else { 0 };
        if total == 0 || total > 1024 || local * kept > MAX_LOCAL {
            return Err(Unsupported("a block of this size"));
        }
        let mut all = self.pool.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        all.resize_with(kept, || self.warp());
        let threads = self.threads(work.threads, warps);
        for &place in &work.places[work.done..] {
            work.shared.fill(0);
            let context = &mut args.context;
            (context.shared, context.shared_bytes) = (work.shared.as_mut_ptr(), work.shared.len() as u64);
            context.shared_direct = Bytes::new(work.shared.as_mut_ptr(), work.shared.len());
            context.limit = FUEL + FUEL_UNIT * (context.reserve / warps as u32).min(MAX_UNITS);
            args.block = [place[0], place[1], place[2], packed(work.threads)];
            let taken = self.block(args, &mut all, &threads, total);
            args.context.reserve = args.context.reserve.saturating_sub(taken);
            prepared.report_used(environment);
            work.done += 1;
            if args.context.exhausted != 0 {
                break;
            }
        }
        if local * kept <= MAX_RETAINED_LOCAL {
            self.pool.lock().unwrap_or_else(PoisonError::into_inner).push(all);
        }
        Ok(())
    }

    /// Runs a block of so many threads. `all` has a warp for each of them if they wait for each other, else one.
    /// Returns the units of fuel that they have taken.
    fn block(&self, args: &mut ComputeArgs, all: &mut [Warp], threads: &[Threads], total: usize) -> u32 {
        let last = all.len() - 1;
        let mut taken = 0;
        for (number, threads) in threads.iter().enumerate() {
            let warp = &mut all[number.min(last)];
            warp.clear(self.first, (total - number * LANES).min(LANES), &self.needs.cleared);
            args.threads = &raw const *threads;
            self.run_warp(args, warp);
            if !self.waits {
                taken += warp.units();
                args.context.excess += self.excess(warp);
            }
        }
        while self.waits && release(all, &self.needs) {
            for (threads, warp) in threads.iter().zip(&mut *all) {
                args.threads = &raw const *threads;
                self.run_warp(args, warp);
            }
        }
        if self.waits {
            taken = all.iter().map(Warp::units).sum();
            args.context.excess += all.iter().map(|warp| self.excess(warp)).sum::<u64>();
        }
        taken
    }

    /// What a warp that has ended has counted beyond the words of the code.
    pub fn excess(&self, warp: &Warp) -> u64 {
        let words = if self.reports { self.key.code.words.len() } else { usize::MAX };
        u64::from(warp.count).saturating_sub(words as u64)
    }
}

impl ShaderKernel for CompiledCompute {
    fn run(&self, job: &mut ShaderJob<'_>) -> Result<(), Unsupported> {
        let environment = job.environment;
        let Work::Blocks(work) = &mut job.work else { return Err(Unsupported("work of another stage")) };
        let mut prepared = Prepared::new(&self.needs, ResourceKeys::of(&self.key), 0, &environment)?;
        let mut args = self.args(&mut prepared, &environment);
        self.blocks(&mut args, &mut prepared, work, &environment)?;
        prepared.finish(&args.context, &environment);
        environment.reserve.store(args.context.reserve, Relaxed);
        Ok(())
    }

    fn code(&self) -> MachineCode {
        self.code.made()
    }
}
