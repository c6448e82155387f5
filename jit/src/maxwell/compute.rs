//! Compute: a block of threads, warp after warp.

#![allow(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::Refused;
use triglyph_guest::kernel::maxwell::{Block, Environment, LANES, ShaderJob, ShaderKernel, ShaderKey, Stage, Work};
use triglyph_guest::tegra::shader::isa::{AttributeAccess, Op, decode};
use triglyph_guest::tegra::shader::special::SpecialRegister;

use super::flow::END;
use super::parts::{self, AT_SLOT, EXHAUSTED, PARTS, WAITS};
use super::patch::PatchArgs;
use super::{Context, Done, Graph, Host, Lanes, Lower, Needs, Prepared, Units};
use crate::code::{Code, Compiler};
use crate::lane::{Emit, I32x4, Mask};

/// Numbers that each thread has, in the order of [`Args::threads`].
const NUMBERS: [SpecialRegister; 10] = [
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

/// Numbers that all threads of a block share, in the order of [`Args::block`].
const SHARED: [SpecialRegister; 4] =
    [SpecialRegister::CtaIdX, SpecialRegister::CtaIdY, SpecialRegister::CtaIdZ, SpecialRegister::Ntid];

/// One number for each lane of a warp.
type Row = [u32; LANES];

/// The arguments.
#[repr(C, align(64))]
pub struct Args {
    pub context: Context,
    /// Of the warp.
    pub threads: [Row; NUMBERS.len()],
    block: [u32; SHARED.len()],
    pub patch: PatchArgs,
    /// Memory for indices on their way.
    indices: [[u32; 4]; 4],
}

macro_rules! at {
    ($($field:tt)+) => {
        std::mem::offset_of!($crate::maxwell::compute::Args, $($field)+) as i32
    };
}
pub(super) use at;

/// Bytes of local memory of a block above which it is left to the reference.
const MOST_LOCAL: usize = 64 << 20;

/// What a part of a warp is around.
pub struct Part<'p, 'a> {
    pub e: &'p mut Emit<'a>,
    pub key: &'p ShaderKey,
    /// 16 times its number.
    pub place: Option<Value>,
}

impl<'a> Host<'a> for Part<'_, 'a> {
    fn e(&mut self) -> &mut Emit<'a> {
        self.e
    }

    fn begin(&mut self) {}

    fn context(&mut self) -> Value {
        self.e.args
    }

    fn scratch(&self) -> i32 {
        at!(indices)
    }

    fn set_part(&mut self, place: Value) {
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
        if let Some(n) = SHARED.iter().position(|&shared| shared == which) {
            return Some(self.e.load_splat_i32(args, at!(block) + 4 * n as i32));
        }
        let n = NUMBERS.iter().position(|&number| number == which)?;
        let base = self.e.b.ins().iadd(args, self.place?);
        Some(self.e.load_ints(base, at!(threads) + (n * size_of::<Row>()) as i32))
    }

    fn attribute(&mut self, i: &AttributeAccess, word: u8, vertex: Option<I32x4>) -> Result<I32x4, Refused> {
        match self.key.stage {
            Stage::TessControl => Ok(self.patch_attribute(i, word, vertex)),
            _ => Err(Refused("attributes of threads")),
        }
    }

    fn store_attribute(&mut self, i: &AttributeAccess, word: u8, value: I32x4, lanes: Option<Mask>) -> Done {
        match self.key.stage {
            Stage::TessControl => {
                self.store_patch_attribute(i, word, value, lanes);
                Ok(())
            }
            _ => Err(Refused("attributes of threads")),
        }
    }
}

/// Numbers of lanes that control programs have as well.
fn per_lane_in_patches(which: SpecialRegister) -> bool {
    use SpecialRegister as S;
    matches!(which, S::LaneId | S::EqMask | S::LtMask | S::LeMask | S::GtMask | S::GeMask)
}

/// A compiled program of warps.
pub struct Kernel {
    pub key: ShaderKey,
    pub needs: Needs,
    code: Code,
    /// Block that threads begin in.
    pub first: i32,
    /// Threads may wait for each other.
    pub waits: bool,
}

fn build(e: &mut Emit<'_>, key: &ShaderKey, graph: &Graph, needs: &mut Needs) -> Result<(), Refused> {
    let mut host = Part { e, key, place: None };
    let units = Units { textures: &key.textures };
    Lower::new(&mut host, (&key.code, graph), units, Lanes::Part, needs).run_parts()
}

/// The kernel of `key`, a compute program.
pub fn compute(compiler: &Compiler, key: &ShaderKey) -> Result<Arc<dyn ShaderKernel>, Refused> {
    Ok(Arc::new(compile(compiler, key)?))
}

/// The program of `key`.
pub fn compile(compiler: &Compiler, key: &ShaderKey) -> Result<Kernel, Refused> {
    let graph = Graph::new(&key.code, parts::alone)?;
    let mut needs = Needs::default();
    let code = compiler.compile(graph.size as u32, |e| build(e, key, &graph, &mut needs))?;
    let first = graph.first.map_or(END, |block| block as i32);
    let waits = key.code.words.iter().any(|&word| decode(word) == Some(Op::bar));
    Ok(Kernel { key: key.clone(), needs, code, first, waits })
}

/// What [`compute`] compiles.
pub fn dump(compiler: &Compiler, key: &ShaderKey) -> String {
    match Graph::new(&key.code, parts::alone) {
        Ok(graph) => compiler.dump(graph.size as u32, |e| build(e, key, &graph, &mut Needs::default())),
        Err(refused) => refused.to_string(),
    }
}

/// What the lanes of a warp keep.
pub struct Warp {
    storage: Vec<[u32; 4]>,
    local: Vec<u8>,
    count: u32,
}

impl Warp {
    /// The blocks of the lanes.
    fn at(&mut self) -> impl Iterator<Item = &mut u32> {
        let stride = self.storage.len() / PARTS;
        self.storage.chunks_mut(stride).flat_map(|part| &mut part[AT_SLOT])
    }

    pub fn clear(&mut self, first: i32, lanes: usize) {
        self.storage.fill([0; 4]);
        self.local.fill(0);
        self.count = 0;
        for (lane, at) in self.at().enumerate() {
            *at = if lane < lanes { first } else { END } as u32;
        }
    }

    /// Lets lanes that wait go on. Whether there were any.
    pub fn release(&mut self) -> bool {
        let mut any = false;
        for at in self.at().filter(|at| **at >= WAITS as u32) {
            *at -= WAITS as u32;
            any = true;
        }
        any
    }
}

/// Numbers of the threads of warp `warp`.
pub fn threads(warp: usize, size: [u32; 3]) -> [Row; NUMBERS.len()] {
    let mut rows = [[0; LANES]; NUMBERS.len()];
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

/// Three numbers as TID has them.
const fn packed([x, y, z]: [u32; 3]) -> u32 {
    (x & 0xFFFF) | (y & 0x3FF) << 16 | z << 26
}

impl Kernel {
    /// Runs a warp until none of its lanes can go on.
    pub fn run_warp(&self, args: &mut Args, warp: &mut Warp) {
        let context = &mut args.context;
        context.storage = warp.storage.as_mut_ptr();
        context.part_bytes = (size_of_val(&warp.storage[..]) / PARTS) as u64;
        context.all_local = warp.local.as_mut_ptr();
        context.local = warp.local.as_mut_ptr();
        context.count = warp.count;
        // SAFETY: the code works in the warp's storage, which has as many vectors as `Needs` says for each part, reads the numbers of
        // the arguments, and calls functions that touch the context, local and shared memory of the sizes it states, and
        // the job's environment, borrowed while the code runs.
        let status = unsafe { self.code.call(&raw mut *args) };
        warp.count = args.context.count;
        if status == EXHAUSTED as u64 {
            warp.at().for_each(|at| *at = END as u32);
        }
    }

    /// Memory for a warp.
    pub fn warp(&self) -> Warp {
        let local = if self.needs.local { self.key.code.local_bytes as usize * LANES } else { 0 };
        Warp { storage: vec![[0; 4]; PARTS * self.needs.slots], local: vec![0; local], count: 0 }
    }

    /// The arguments of a job.
    pub fn args(&self, prepared: &mut Prepared, environment: &Environment<'_>) -> Box<Args> {
        let mut context = prepared.context(self.key.code.local_bytes, environment);
        context.local_bytes = if self.needs.local { self.key.code.local_bytes } else { 0 };
        Box::new(Args {
            context,
            threads: [[0; LANES]; NUMBERS.len()],
            block: [0; SHARED.len()],
            patch: PatchArgs::none(),
            indices: [[0; 4]; 4],
        })
    }

    fn block(&self, args: &mut Args, work: &Block<'_>) -> Result<(), Refused> {
        let total = work.threads.iter().map(|&n| n as usize).product::<usize>();
        let warps = total.div_ceil(LANES);
        let kept = if self.waits { warps } else { 1 };
        let local = if self.needs.local { self.key.code.local_bytes as usize * LANES } else { 0 };
        if total == 0 || total > 1024 || local * kept > MOST_LOCAL {
            return Err(Refused("a block of this size"));
        }
        let mut all: Vec<Warp> = (0..kept).map(|_| self.warp()).collect();
        args.block = [work.place[0], work.place[1], work.place[2], packed(work.threads)];
        for number in 0..warps {
            let warp = &mut all[number.min(kept - 1)];
            warp.clear(self.first, (total - number * LANES).min(LANES));
            args.threads = threads(number, work.threads);
            self.run_warp(args, warp);
        }
        while self.waits && all.iter_mut().fold(false, |any, warp| warp.release() | any) {
            for (number, warp) in all.iter_mut().enumerate() {
                args.threads = threads(number, work.threads);
                self.run_warp(args, warp);
            }
        }
        Ok(())
    }
}

impl ShaderKernel for Kernel {
    fn run(&self, job: &mut ShaderJob<'_>) -> Result<(), Refused> {
        let environment = job.environment;
        let Work::Block(work) = &mut job.work else { return Err(Refused("work of another stage")) };
        let mut prepared = Prepared::new(&self.needs, &self.key.textures, 0, &environment)?;
        let mut args = self.args(&mut prepared, &environment);
        work.shared.fill(0);
        (args.context.shared, args.context.shared_bytes) = (work.shared.as_mut_ptr(), work.shared.len() as u64);
        self.block(&mut args, work)?;
        environment.exhausted.fetch_add(args.context.exhausted, Relaxed);
        Ok(())
    }

    fn code_bytes(&self) -> usize {
        self.code.bytes()
    }
}
