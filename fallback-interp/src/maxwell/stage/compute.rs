//! Blocks of a grid.

use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::maxwell::{FUEL, FUEL_UNIT, LANES, MAX_UNITS};
use triglyph_guest::kernel::program::stage::Blocks;
use triglyph_guest::kernel::trace::{Item, Tracing, Wanted};
use triglyph_guest::tegra::shader::isa::SpecialRegister;

use crate::maxwell::Stages;
use crate::maxwell::context::Surroundings;
use crate::maxwell::lane::Lane;
use crate::maxwell::warp::{Warp, release};
use crate::trace::Recorder;

/// Most threads of a block.
const MAX_THREADS: u64 = 1024;

/// A warp's view of its block.
struct Threads<'a> {
    place: [u32; 3],
    threads: [u32; 3],
    /// Number of the warp's first thread.
    first: u32,
    shared: &'a mut [u8],
}

/// Three numbers in a word: 16, 10 and 6 bits.
fn packed([x, y, z]: [u32; 3]) -> u32 {
    x & 0xFFFF | (y & 0x3FF) << 16 | (z & 0x3F) << 26
}

impl Threads<'_> {
    fn thread(&self, lane: &Lane) -> [u32; 3] {
        let number = self.first + lane.id;
        let [x, y, _] = self.threads;
        [number % x, number / x % y, number / x / y]
    }
}

impl Surroundings for Threads<'_> {
    fn special(&self, lane: &Lane, register: SpecialRegister) -> u32 {
        match register {
            SpecialRegister::Tid => packed(self.thread(lane)),
            SpecialRegister::TidX => self.thread(lane)[0],
            SpecialRegister::TidY => self.thread(lane)[1],
            SpecialRegister::TidZ => self.thread(lane)[2],
            SpecialRegister::CtaIdX => self.place[0],
            SpecialRegister::CtaIdY => self.place[1],
            SpecialRegister::CtaIdZ => self.place[2],
            SpecialRegister::Ntid => packed(self.threads),
            _ => 0,
        }
    }

    fn shared(&mut self) -> &mut [u8] {
        self.shared
    }
}

/// Runs a program for blocks, until one has a warp without end.
pub fn run(stages: &Stages<'_>, work: &mut Blocks<'_>, tracing: Option<Tracing<'_>>) {
    let exhausted = stages.environment.exhausted;
    let before = exhausted.load(Relaxed);
    for &place in &work.places[work.done..] {
        run_block(stages, place, work.threads, work.shared, tracing);
        work.done += 1;
        if exhausted.load(Relaxed) != before {
            break;
        }
    }
}

fn run_block(stages: &Stages<'_>, place: [u32; 3], threads: [u32; 3], shared: &mut [u8], tracing: Option<Tracing<'_>>) {
    let threads = threads.map(|count| count.max(1));
    let count = threads.iter().map(|&count| u64::from(count)).fold(1, u64::saturating_mul).min(MAX_THREADS) as usize;
    shared.fill(0);
    let reserve = stages.environment.reserve.load(Relaxed);
    let limit = FUEL + FUEL_UNIT * (reserve / count.div_ceil(LANES).max(1) as u32).min(MAX_UNITS);
    let mut warps = vec![Warp::limited(limit); count.div_ceil(LANES)];
    for (number, warp) in warps.iter_mut().enumerate() {
        warp.start((count - number * LANES).min(LANES), stages.program);
    }
    // The warp of the thread that is asked about.
    let mut traced = tracing.and_then(|tracing| match tracing.wanted() {
        Wanted::Thread(wanted, thread) if wanted == place => {
            let (warp, lane) = (thread as usize / LANES, thread as usize % LANES);
            let start = warps.get(warp).filter(|warp| lane < warp.lanes.len())?;
            Some((tracing, warp, Recorder::new(&tracing, Item::Thread(place, thread), lane, start)))
        }
        _ => None,
    });
    loop {
        for (number, warp) in warps.iter_mut().enumerate() {
            let first = (number * LANES) as u32;
            let mut block = Threads { place, threads, first, shared: &mut *shared };
            let context = &mut stages.context(&mut block);
            match &mut traced {
                Some((_, traced, recorder)) if *traced == number => warp.run(stages.program, context, recorder),
                _ => warp.run(stages.program, context, &mut ()),
            }
        }
        if !warps.iter().any(Warp::waits) {
            break;
        }
        release(&mut warps);
    }
    let taken = warps.iter().map(|warp| warp.units().saturating_sub(FUEL / FUEL_UNIT - 1)).sum();
    stages.environment.reserve.store(reserve.saturating_sub(taken), Relaxed);
    let excess = warps.iter().map(|warp| warp.excess(stages.program, 1)).sum();
    stages.environment.excess.fetch_add(excess, Relaxed);
    if let Some((tracing, _, recorder)) = traced {
        tracing.add(recorder.finish());
    }
}
