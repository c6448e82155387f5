//! Blocks of a grid on several threads, as long as none sees what another one does.
//!
//! ```text
//! part of a grid ─► chunks of whole rows of blocks ─► threads, each with a memory that notes what is used
//!                                                       └─► independent: done   otherwise: undone, and in order
//! ```
//! Nothing shows whether that happened. Programs whose blocks were not independent are run in order at once for some
//! launches.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use triglyph_engine::mem::{KeptRoom, Speculation, UnmappedAccesses};
use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::program::environment::Environment;
use triglyph_guest::kernel::program::stage::{Blocks, ShaderJob, Work};

use super::{Grid, WARP};

/// How parts of grids were run. For tests: nothing that a guest or host sees depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridParts {
    /// On several threads.
    pub shared: u64,
    /// On several threads at first, and again in order.
    pub undone: u64,
    /// In order at once.
    pub in_order: u64,
}

/// What is known of grids that were run.
#[derive(Debug, Default)]
pub(super) struct Parallel {
    pub parts: GridParts,
    /// By address space and address of the program.
    conflicts: HashMap<Place, Conflicts>,
    /// The program that runs, and whether its blocks run in order.
    running: (Place, bool),
    room: KeptRoom,
}

/// Address space and address of a program.
type Place = (u32, u64);

/// What came of running blocks of a program at the same time.
#[derive(Clone, Copy, Debug, Default)]
struct Conflicts {
    /// How often they were not independent, one time after the other.
    count: u32,
    /// Launches for which it is not tried.
    pause: u32,
}

/// Launches that run in order after the first conflict; twice as many after each other one.
const PAUSE: u32 = 64;

/// How often the pause doubles.
const MAX_DOUBLINGS: u32 = 6;

/// Programs whose conflicts are remembered; when there are more, all go.
const MAX_REMEMBERED: usize = 512;

/// Nanoseconds that an instruction of a warp takes, compiled and interpreted, roughly.
const INSTRUCTION: (u64, u64) = (3, 2000);

/// Nanoseconds that a block takes besides.
const BLOCK: u64 = 200;

/// Bytes of images that are copied in case that they have to be put back.
const MAX_IMAGES: usize = 8 << 20;

/// Bytes that a thread copies in a nanosecond.
const BYTES_PER_NANOSECOND: u64 = 6;

/// Chunks of a part for each thread: they take different times.
const CHUNKS: usize = 4;

impl Parallel {
    /// A grid of a program is launched.
    pub fn begin(&mut self, program: Place) {
        let conflicts = self.conflicts.get_mut(&program);
        let is_paused = conflicts.is_some_and(|conflicts| {
            let is_paused = conflicts.pause != 0;
            conflicts.pause = conflicts.pause.saturating_sub(1);
            is_paused
        });
        self.running = (program, is_paused);
    }

    /// Runs a part of it on several threads if that is worth it. `None` if it is still to be run, in order.
    pub fn run(&mut self, grid: &Grid<'_>, part: &[[u32; 3]]) -> Option<UnmappedAccesses> {
        let (program, in_order) = self.running;
        let chunks = if in_order { Vec::new() } else { chunks(grid, part) };
        if chunks.len() < 2 {
            self.parts.in_order += 1;
            return None;
        }
        let unmapped = run_chunks(grid, &chunks, cost(grid, part), &self.room);
        if unmapped.is_some() {
            self.parts.shared += 1;
            self.conflicts.remove(&program);
        } else {
            self.parts.undone += 1;
            self.pause(program);
        }
        unmapped
    }

    fn pause(&mut self, program: Place) {
        self.running.1 = true;
        if self.conflicts.len() >= MAX_REMEMBERED {
            self.conflicts.clear();
        }
        let Conflicts { count, pause } = self.conflicts.entry(program).or_default();
        *pause = PAUSE << (*count).min(MAX_DOUBLINGS);
        *count += 1;
    }
}

/// What a part takes a single thread, roughly.
fn cost(grid: &Grid<'_>, part: &[[u32; 3]]) -> Duration {
    let instruction = if grid.kernel.is_compiled() { INSTRUCTION.0 } else { INSTRUCTION.1 };
    let warps = grid.launch.threads().div_ceil(WARP);
    let block = BLOCK + warps * grid.program.loaded.instructions * instruction;
    Duration::from_nanos(part.len() as u64 * block)
}

/// Whether blocks may load what others store, or may not end: then memory is kept as it was before.
fn keeps(grid: &Grid<'_>) -> bool {
    let loaded = &grid.program.loaded;
    loaded.writes && (loaded.sees_writes || loaded.loops)
}

/// The chunks of a part: none if it is not worth it.
fn chunks<'p>(grid: &Grid<'_>, part: &'p [[u32; 3]]) -> Vec<&'p [[u32; 3]]> {
    let scheduler = &grid.core.renderer.scheduler;
    let cost = cost(grid, part);
    if part.len() < 2 || !scheduler.shares(cost) || grid.core.renderer.is_observed() {
        return Vec::new();
    }
    if keeps(grid) && grid.program.loaded.writes_images {
        let images: usize = grid.program.reach.image_windows(&grid.core.memory).map(|image| image.len()).sum();
        let copying = Duration::from_nanos(images as u64 / BYTES_PER_NANOSECOND);
        if images > MAX_IMAGES || 4 * copying > cost {
            return Vec::new();
        }
    }
    let starts = starts(grid, part, scheduler.threads());
    let count = (CHUNKS * scheduler.threads()).min(starts.len());
    let start = |chunk: usize| starts.get(chunk * starts.len() / count).copied().unwrap_or(part.len());
    (0..count).map(|chunk| &part[start(chunk)..start(chunk + 1)]).collect()
}

/// Where chunks may begin. Blocks of one row mostly share rows of what they store, and blocks of one layer slices, if a
/// block has several: so that chunks are whole layers or rows, if there are enough of them.
fn starts(grid: &Grid<'_>, part: &[[u32; 3]], enough: usize) -> Vec<usize> {
    let launch = grid.launch;
    let at = |is_start: fn(&[u32; 3]) -> bool| -> Vec<usize> {
        (0..part.len()).filter(|&n| n == 0 || is_start(&part[n])).collect()
    };
    let layers = || (launch.grid[2] > 1 && launch.block[2] > 1).then(|| at(|place| place[..2] == [0, 0]));
    let rows = || (launch.grid[1] > 1 || launch.grid[2] > 1).then(|| at(|place| place[0] == 0));
    let is_enough = |starts: &Vec<usize>| starts.len() >= enough;
    layers().filter(is_enough).or_else(|| rows().filter(is_enough)).unwrap_or_else(|| (0..part.len()).collect())
}

/// Runs chunks on several threads. `None` if they were not independent, and nothing of it is left.
fn run_chunks(grid: &Grid<'_>, chunks: &[&[[u32; 3]]], cost: Duration, room: &KeptRoom) -> Option<UnmappedAccesses> {
    let &Grid { core, kernel, environment, launch, .. } = grid;
    let images: Vec<Window<'_>> = environment.images.iter().map(|image| image.window).collect();
    let kept = (keeps(grid), grid.program.loaded.writes_images);
    let speculation = Speculation::new((&core.memory, core.space), images, kept, room);
    let rooms = Mutex::new(Vec::new());
    let (before, taken, excess) = (environment.reserve.load(Relaxed), AtomicU64::new(0), AtomicU64::new(0));
    core.renderer.scheduler.for_each(chunks.len(), cost, |n| {
        if speculation.has_failed() {
            return;
        }
        let rooms = || rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let room: Option<Vec<u8>> = rooms().pop();
        let mut shared = room.unwrap_or_else(|| vec![0; launch.shared_memory as usize]);
        let (memory, exhausted) = (speculation.chunk(chunks[n].len()), AtomicU32::new(0));
        let mut environment: Environment<'_> = environment;
        let reserve = AtomicU32::new(before);
        let more = AtomicU64::new(0);
        (environment.memory, environment.exhausted, environment.reserve) = (&memory, &exhausted, &reserve);
        environment.excess = &more;
        let work = Work::Blocks(Blocks::new(chunks[n], launch.block, &mut shared));
        kernel.run(&mut ShaderJob { environment, work });
        if exhausted.load(Relaxed) != 0 {
            // Blocks after it may not be run at all.
            speculation.fail();
        }
        taken.fetch_add(u64::from(before - reserve.into_inner()), Relaxed);
        excess.fetch_add(more.into_inner(), Relaxed);
        memory.finish();
        rooms().push(shared);
    });
    let taken = taken.into_inner();
    if !would_take(u64::from(before), taken, launch.threads().div_ceil(WARP)) {
        speculation.fail();
    }
    let unmapped = speculation.finish()?;
    grid.environment.reserve.store(before - taken as u32, Relaxed);
    grid.environment.excess.fetch_add(excess.into_inner(), Relaxed);
    Some(unmapped)
}

/// Whether all warps could have taken from a reserve, in their order, what they have `taken` from copies of it: each
/// might have its part of what is left at the end, at least.
fn would_take(reserve: u64, taken: u64, warps: u64) -> bool {
    taken.saturating_mul(1 + warps) <= reserve
}
