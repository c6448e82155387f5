//! Transfers that interrupts end between two pieces: several parts give the same bytes as one.
#![allow(missing_docs)]

use triglyph_engine::sched::Interrupter;
use triglyph_engine::transfer::{Copy, Fill, FillRect, Lines, Outcome, Progress, Rearrange, Request};
use triglyph_guest::kernel::transfer::Corner;
use triglyph_guest::layout::SurfaceLayout;
use triglyph_testkit::random::{Random, assert_same, noise};
use triglyph_testkit::transfer::{Bench, at};

const SOURCE: u64 = 0x10_0000;
const TARGET: u64 = 0x30_0000;
const SIZE: u64 = 0x12_0000;

fn bench(threads: usize) -> Bench {
    let bench = Bench::new(threads, &[(SOURCE, SIZE), (TARGET, SIZE)]);
    bench.write(SOURCE, &noise(SIZE as usize, 1));
    bench.write(TARGET, &noise(SIZE as usize, 2));
    bench
}

const PITCH: Corner = Corner { layout: SurfaceLayout::Pitch, pitch: 2112, x: 3, y: 5 };
const BLOCKS: Corner = Corner { layout: SurfaceLayout::BlockLinear { log2_gobs: 4 }, pitch: 33, x: 0, y: 17 };

fn fill_rect(to: Corner) -> FillRect {
    let (value, mask) = ([0x5A; 16], [0xF3; 16]);
    FillRect { target: at(TARGET), limit: SIZE, to, bytes: 4, width: 500, height: 400, value, mask }
}

fn rearrange(from: Corner, to: Corner) -> Rearrange {
    Rearrange { source: at(SOURCE), target: at(TARGET), from, to, bytes: 4, width: 500, height: 400 }
}

fn copy(source_lines: Lines, target_lines: Lines) -> Copy {
    Copy { source: at(SOURCE), target: at(TARGET), size: 0x9_0010, source_lines, target_lines }
}

/// Does a request in goes that random interrupts end, and returns how many there were.
fn run_in_goes(bench: &Bench, request: &Request, random: &mut Random) -> u32 {
    let (progress, mut goes) = (Progress::default(), 0);
    while !progress.is_complete() {
        let interrupter = Interrupter::default();
        interrupter.interrupt_at_look(1 + random.below(4));
        bench.transfers().go_on(request, &progress, Some(&interrupter));
        goes += 1;
    }
    goes
}

#[test]
fn transfers_in_several_goes_leave_the_same_bytes() {
    let lines = |line, gap| Lines { line, gap };
    let mut random = Random::new(1);
    for request in [
        Request::Fill(Fill { target: at(TARGET + 1), size: SIZE - 7, bytes: 3, value: 0x11_2233 }),
        Request::Copy(copy(Lines::CONTIGUOUS, Lines::CONTIGUOUS)),
        Request::Copy(copy(lines(1920, 128), lines(960, 64))),
        Request::FillRect(fill_rect(PITCH)),
        Request::FillRect(fill_rect(BLOCKS)),
        Request::Rearrange(rearrange(PITCH, BLOCKS)),
        Request::Rearrange(rearrange(BLOCKS, PITCH)),
    ] {
        for threads in [1, 3] {
            let (mut whole, mut divided) = (bench(threads), bench(threads));
            assert_eq!(whole.run(&request), Outcome::default());
            assert!(divided.transfers().is_divisible(&request), "{request:?}");
            let goes = run_in_goes(&divided, &request, &mut random);
            assert!(goes > 1, "{goes} goes of {request:?}");
            let bytes = |bench: &Bench| bench.read(TARGET, SIZE as usize);
            assert_same([&bytes(&whole), &bytes(&divided)], &format!("{request:?}"));
            assert_eq!(whole.written(), divided.written(), "{request:?}");
        }
    }
}

#[test]
fn a_go_that_is_interrupted_at_once_does_nothing() {
    let bench = bench(1);
    let (progress, interrupter) = (Progress::default(), Interrupter::default());
    interrupter.interrupt();
    bench.transfers().go_on(&Request::FillRect(fill_rect(PITCH)), &progress, Some(&interrupter));
    assert!(!progress.is_complete());
    assert_same([&bench.read(TARGET, SIZE as usize), &noise(SIZE as usize, 2)], "nothing was filled");
}

#[test]
fn what_has_an_order_or_may_miss_memory_is_not_divided() {
    let bench = bench(1);
    let short_pitch = Corner { pitch: 1000, ..PITCH };
    let whole = copy(Lines::CONTIGUOUS, Lines::CONTIGUOUS);
    for request in [
        // Beyond memory.
        Request::Fill(Fill { target: at(TARGET), size: SIZE + 1, bytes: 4, value: 1 }),
        Request::Copy(Copy { target: at(TARGET + SIZE / 2 + 0x1_0000), ..whole }),
        Request::FillRect(FillRect { target: at(TARGET + SIZE / 2), ..fill_rect(PITCH) }),
        Request::FillRect(FillRect { limit: 0x1000, ..fill_rect(PITCH) }),
        Request::Rearrange(Rearrange { source: at(SOURCE + SIZE / 2), ..rearrange(PITCH, BLOCKS) }),
        // Into itself.
        Request::Copy(Copy { target: at(SOURCE + 64), ..whole }),
        Request::Rearrange(Rearrange { target: at(SOURCE + 64), ..rearrange(PITCH, BLOCKS) }),
        // Later rows over earlier ones.
        Request::FillRect(fill_rect(short_pitch)),
        Request::Rearrange(rearrange(PITCH, short_pitch)),
        // A single piece.
        Request::Fill(Fill { target: at(TARGET), size: 0x1000, bytes: 4, value: 1 }),
        Request::Copy(Copy { size: 0x1000, ..whole }),
        Request::FillRect(FillRect { height: 16, ..fill_rect(PITCH) }),
        Request::Rearrange(Rearrange { height: 16, ..rearrange(PITCH, BLOCKS) }),
        // Nothing.
        Request::Copy(Copy { size: 0, ..whole }),
        Request::FillRect(FillRect { bytes: 3, ..fill_rect(PITCH) }),
        Request::Rearrange(Rearrange { width: 0, ..rearrange(PITCH, BLOCKS) }),
    ] {
        assert!(!bench.transfers().is_divisible(&request), "{request:?}");
    }
}
