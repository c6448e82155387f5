//! The compute class (B1C0): grids of programs.
//!
//! ```text
//! SEND_SIGNALING_PCAS_B ─► descriptor (QMD) in memory ─► program, constants, textures ─► block after block ─► releases
//! ```
//! A launch is done when the method is. What comes out is what blocks leave that run in their order, x fastest, as what
//! one stores another may read. Several threads run them at the same time as long as none sees what another one does
//! ([`parallel`]): so the outcome never depends on threads.
//!
//! Sources: NVIDIA's clb1c0.h and clb1c0qmd.h; Mesa's nvc0 driver, deko3d; yuzu and Ryujinx.

mod parallel;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use triglyph_guest::kernel::maxwell::{FUEL, FUEL_UNIT};
use triglyph_guest::kernel::program::stage::{Blocks, ShaderJob, Stage, Work};
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::tegra::header::launch::{self, Launch, MAX_THREADS, Words};
use triglyph_guest::tegra::methods::compute::regs;
use triglyph_guest::tegra::methods::values::{ReductionFormat, StructSize};

use triglyph_guest::kernel::program::environment::Environment;

use crate::class_3d::programs::codes::{Codes, Linkage, Program};
use crate::class_3d::programs::meter::affordable;
use crate::class_3d::programs::meter::is_endless;
use crate::class_3d::programs::program::Programs;
use crate::class_3d::programs::recent_programs::{ProgramKey, RecentProgram};
use crate::class_3d::programs::stage::y_direction;
use crate::class_3d::state::bindings::{Bound, Buffers};
use crate::class_3d::state::texture::Pools;
use crate::core::{ADDRESS_MASK, Core};
use crate::front_end::registers::Registers;
use crate::front_end::semaphore::{Form, Join, Release};
pub use parallel::GridParts;
use parallel::Parallel;
use triglyph_engine::cache::{Handle, kinds};
use triglyph_engine::device::FaultKind;
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::probe::Effect;
use triglyph_engine::render::program::ShaderFaults;

/// What the compute class has besides registers. All of it can be made anew.
#[derive(Debug, Default)]
pub struct Compute {
    programs: Programs,
    codes: Codes,
    /// The program of the last grid.
    last: RecentProgram,
    parallel: Parallel,
}

/// Bytes of local memory of a thread at most.
const MAX_LOCAL: u32 = 512 << 10;

/// Threads of a warp.
const WARP: u64 = 32;

/// Nanoseconds that an instruction of a warp takes, roughly.
const INSTRUCTION: u64 = 4;

/// Nanoseconds that a block takes besides.
const BLOCK: u64 = 1000;

/// Warps of a grid may take one part in so many of the fuel that is left, beyond what each has: the interpreter takes
/// several hundred times as long for a warp as compiled code.
const RESERVE: u64 = 16;

/// The price of a unit that they take.
const UNIT: u64 = cost::WARP_INSTRUCTION * FUEL_UNIT as u64;

impl Compute {
    /// How parts of grids were run so far.
    pub fn grid_parts(&self) -> GridParts {
        self.parallel.parts
    }

    /// SEND_SIGNALING_PCAS_B: runs the grid whose descriptor SEND_PCAS_A names, if the word says so and `enabled`.
    pub fn launch(&mut self, core: &mut Core, registers: &Registers, word: u32, enabled: bool) {
        if !regs::send_signaling_pcas_b::schedule(word) || !enabled {
            return;
        }
        let mut words: Words = [0; 64];
        let address = u64::from(registers.get(regs::send_pcas_a::ID)) << 8;
        core.read_words(address, &mut words, "a launch descriptor");
        let launch = Launch::decode(&words);
        if launch.threads() == 0 || launch.threads() > MAX_THREADS.into() {
            let what = format_args!("blocks of {:?} threads", launch.block);
            core.fault(FaultKind::BadMethod, address, what);
        } else if launch.blocks() != 0 {
            if core.renderer.is_observed() {
                core.renderer.note_effect(Effect::Compute);
            }
            self.run(core, registers, &launch);
        }
        for release in launch.releases.iter().flatten() {
            self::release(release).perform(core, "a grid's semaphore");
        }
    }

    fn run(&mut self, core: &mut Core, registers: &Registers, launch: &Launch) {
        let bound = launch.constant_buffers.map(|buffer| {
            buffer.map(|buffer| Bound { address: buffer.address & ADDRESS_MASK, size: buffer.size.min(0x1_0000) })
        });
        let region = registers.address(regs::set_program_region_a::ID);
        let address = region.wrapping_add(launch.program_offset.into()) & ADDRESS_MASK;
        let key = ProgramKey {
            space: core.space,
            segment: region,
            address,
            kind: None,
            local_bytes: Some(launch.local_memory.min(MAX_LOCAL)),
            y_direction: y_direction(registers),
            pools: Pools::of(registers),
            buffers: Buffers::of(bound),
        };
        let Some(program) = self.last.refresh(core, &key, &mut self.programs, &mut self.codes) else { return };
        if launch.sampler_via_header && program.loaded.uses.iter().any(|used| !used.image) {
            core.fault(
                FaultKind::Unimplemented,
                address,
                format_args!("not emulated: samplers by texture header (SAMPLER_INDEX = VIA_HEADER)"),
            );
        }
        let time = BLOCK + launch.threads().div_ceil(WARP) * program.loaded.instructions * INSTRUCTION;
        let warps = launch.threads().div_ceil(WARP);
        let fuel = cost::PRIMITIVE + warps * WARP * program.loaded.instructions * cost::INSTRUCTION;
        let mut shared = vec![0; launch.shared_memory as usize];
        let mut places = Places::new(launch.grid);
        self.parallel.begin((core.space, address));
        let units = core.budget.fuel() / RESERVE / UNIT;
        let reserve = AtomicU32::new(units.min(u32::MAX.into()) as u32);
        // What a block may cost, but for what it takes from the reserve.
        let longest = warps * u64::from(FUEL) * cost::WARP_INSTRUCTION;
        loop {
            let most = match program.loaded.exceeds {
                true => affordable(core.budget.fuel(), longest, 1, PART),
                false => PART,
            };
            let mut short = most == 0;
            let can_pay = |_: &[u32; 3]| {
                short = !(core.budget.spend(time) && core.budget.charge(fuel));
                !short
            };
            let part: Vec<[u32; 3]> = places.by_ref().take(most).take_while(can_pay).collect();
            let excess = AtomicU64::new(0);
            let (warps, endless) = self.run_part(core, &program, &part, launch, (&mut shared, &reserve, &excess));
            let more = excess.into_inner().saturating_mul(cost::WARP_INSTRUCTION);
            let paid = core.budget.spend_at(u64::from(warps) * u64::from(FUEL), more);
            if endless || !paid || short {
                return core.fault(
                    FaultKind::OutOfFuel,
                    address,
                    format_args!("a grid of {:?} blocks exceeds the budget", launch.grid),
                );
            }
            if places.are_done() {
                return;
            }
        }
    }

    /// Runs blocks. Returns how many warps did not end, and whether those are so many that the grid does not, either.
    fn run_part(
        &mut self,
        core: &mut Core,
        program: &Program,
        part: &[[u32; 3]],
        launch: &Launch,
        (shared, reserve, excess): (&mut [u8], &AtomicU32, &AtomicU64),
    ) -> (u32, bool) {
        let mut exhausted = (0, false);
        let mut unmapped = None;
        let linkage = Linkage { stage: Stage::Compute, inputs: WordSet::EMPTY, outputs: WordSet::EMPTY };
        let parallel = &mut self.parallel;
        self.codes.run(core, program, (linkage, 0), |core, kernel, environment| {
            let environment = Environment { reserve, excess, ..environment };
            let grid = Grid { core, program, kernel, environment, launch };
            unmapped = parallel.run(&grid, part);
            if unmapped.is_none() {
                exhausted = run_in_order(&grid, part, shared);
            }
        });
        let unmapped = unmapped.unwrap_or_default();
        core.renderer.add_shader_faults(ShaderFaults { unmapped, exhausted: exhausted.0, ..ShaderFaults::default() });
        exhausted
    }
}

/// A grid that is run.
struct Grid<'a> {
    core: &'a Core,
    program: &'a Program,
    kernel: &'a Handle<kinds::Shader>,
    environment: Environment<'a>,
    launch: &'a Launch,
}

/// Runs blocks one after the other. Returns as [`Compute::run_part`].
fn run_in_order(grid: &Grid<'_>, part: &[[u32; 3]], shared: &mut [u8]) -> (u32, bool) {
    let environment = grid.environment;
    let mut rest = part;
    // Observed grids run in the interpreter.
    let at_once = if grid.core.renderer.is_observed() { 1 } else { part.len() };
    while !rest.is_empty() && !is_endless(&environment) {
        let blocks = Blocks::new(&rest[..at_once.min(rest.len())], grid.launch.block, &mut *shared);
        let mut job = ShaderJob { environment, work: Work::Blocks(blocks) };
        grid.kernel.run(&mut job);
        let Work::Blocks(blocks) = job.work else { break };
        // A kernel does at least one.
        rest = &rest[blocks.done.max(1)..];
    }
    (environment.exhausted.load(Relaxed), is_endless(&environment))
}

/// Blocks that share what is prepared for them.
const PART: usize = 4096;

/// The places of the blocks of a grid, in order.
struct Places {
    grid: [u32; 3],
    next: Option<[u32; 3]>,
}

impl Places {
    fn new(grid: [u32; 3]) -> Self {
        Places { grid, next: grid.iter().all(|&blocks| blocks != 0).then_some([0; 3]) }
    }

    fn are_done(&self) -> bool {
        self.next.is_none()
    }
}

impl Iterator for Places {
    type Item = [u32; 3];

    fn next(&mut self) -> Option<[u32; 3]> {
        let place = self.next?;
        let mut next = place;
        self.next = None;
        for axis in 0..3 {
            next[axis] += 1;
            if next[axis] < self.grid[axis] {
                self.next = Some(next);
                break;
            }
            next[axis] = 0;
        }
        Some(place)
    }
}

fn release(release: &launch::Release) -> Release {
    let form = match (release.reduction, release.size) {
        (Some((how, format)), _) => Form::Join(Join::from(how), format == ReductionFormat::Signed32),
        (None, StructSize::OneWord) => Form::OneWord,
        (None, StructSize::FourWords) => Form::FourWords,
    };
    Release { address: release.address & ADDRESS_MASK, payload: release.payload, form }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_x_first() {
        let places: Vec<_> = Places::new([2, 1, 2]).collect();
        assert_eq!(places, [[0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1]]);
        assert_eq!(Places::new([5, 0, 1]).count(), 0);
    }
}
