//! GX commands, from the queue to the hardware.

use crate::system::support::commands::*;
use crate::system::support::{Console, FCRAM, GAME, VRAM};
use triglyph_engine::device::{Access, FaultKind};
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_n3ds::external::{FreezePolicy, PROCESS, timing};
use triglyph_n3ds::gsp::command::{FillUnit, Header};
use triglyph_n3ds::gsp::queue::QueueFull;
use triglyph_n3ds::gsp::rights::Session;
use triglyph_n3ds::gsp::{Command, Interrupt, ResultCode};
use triglyph_n3ds::gx::{self, BadAddress, HostCopy, Outcome};
use triglyph_testkit::random::noise;

#[test]
fn every_command_ends_with_its_interrupt() {
    let second = fill([FillUnit::default(), unit(VRAM_VA, VRAM_VA + 8)]);
    let both = fill([unit(VRAM_VA, VRAM_VA + 8), unit(VRAM_VA + 8, VRAM_VA + 16)]);
    let neither = fill([FillUnit::default(); 2]);
    let flush = plain(Command::FlushCacheRegions { regions: [(HEAP_VA, 8), (HEAP_VA, 0), (HEAP_VA, 8)] });
    for (words, expected) in [
        (dma(), vec![DMA]),
        (list(), vec![P3D]),
        (good_fill(), vec![PSC0]),
        (second, vec![PSC1]),
        (both, vec![PSC0]),
        (neither, vec![]),
        (display_transfer(), vec![PPF]),
        (texture_copy(8), vec![PPF]),
        (flush, vec![]),
        ([6, 0, 0, 0, 0, 0, 0, 0], vec![]),
    ] {
        let mut console = Console::with_game();
        console.submit(&[words]);
        // Nothing is delivered before the host does.
        assert!(console.interrupts(0).is_empty());
        console.deliver();
        assert_eq!(console.interrupts(0), expected, "{words:x?}");
        assert_eq!(console.gsp.command_queue(0).header().status, 0);
        assert_eq!(console.core.faults.total(), u64::from(words[0] == 6));
    }
}

#[test]
fn commands_reach_the_hardware() {
    let mut console = Console::with_game();
    console.core.bench.write(FCRAM, &noise(0x1000, 1));
    console.submit(&[dma()]);
    assert_eq!(console.core.bench.read(VRAM, 33), noise(33, 1));
    assert_eq!(console.core.bench.read(VRAM + 33, 1), [0]);
    assert_eq!(console.core.flushed, [(FCRAM as u32, 33)]);

    console.submit(&[texture_copy(8)]);
    assert_eq!(console.core.bench.read(VRAM, 64), noise(64, 1));
    console.submit(&[display_transfer()]);
    assert_eq!(console.core.bench.read(VRAM, 256), noise(256, 1));
    assert_eq!([console.peek(0xC08), console.peek(0xC0C)], [8 | 8 << 16; 2]);
    // Without the flag the engine does a display transfer of the sizes that its registers hold.
    console.submit(&[good_fill(), texture_copy(0x22)]);
    assert_eq!(console.core.bench.read(VRAM, 256), noise(256, 1));

    console.submit(&[list()]);
    assert_eq!(console.core.lists, [(FCRAM as u32 + 0x100, 0x40)]);
    console.submit(&[good_fill()]);
    assert_eq!(console.core.bench.read(VRAM, 8), [1, 2, 3, 4, 1, 2, 3, 4]);
}

#[test]
fn sizes_of_the_two_sides_go_to_their_registers() {
    let mut console = Console::with_game();
    let words = plain(Command::DisplayTransfer {
        source: HEAP_VA,
        target: VRAM_VA,
        source_size: 16 | 32 << 16,
        target_size: 8 | 24 << 16,
        flags: 4,
    });
    console.submit(&[words]);
    assert_eq!([console.peek(0xC08), console.peek(0xC0C)], [8 | 24 << 16, 16 | 32 << 16]);
    assert_eq!([console.peek(0xC00), console.peek(0xC04)], [0x2000_0000 >> 3, 0x1800_0000 >> 3]);
}

#[test]
fn only_fills_check_their_addresses() {
    for units in [
        [unit(VRAM_VA + 4, VRAM_VA + 0x40), FillUnit::default()],
        [unit(VRAM_VA, VRAM_VA + 0x44), FillUnit::default()],
        [unit(VRAM_VA, VRAM_VA), FillUnit::default()],
        [unit(VRAM_VA, 0), FillUnit::default()],
        [unit(0x0800_0000, 0x0800_0010), FillUnit::default()],
        [FillUnit::default(), unit(VRAM_VA + 8, VRAM_VA)],
        [unit(VRAM_VA, VRAM_VA + 8), unit(VRAM_VA + 8, VRAM_VA)],
    ] {
        let mut console = Console::with_game();
        console.submit(&[fill(units)]);
        let queue = console.gsp.command_queue(0);
        assert_eq!(queue.header().status, 0x80);
        assert_eq!(queue.result(), ResultCode::BAD_ADDRESS);
        assert_eq!(queue.result().0, 0xE0E0_2BF5);
        console.deliver();
        assert!(console.interrupts(0).is_empty());
        // Not even the good one of two units has started.
        assert!(console.core.bench.written().is_empty());
    }
    for words in [
        plain(Command::ProcessCommandList { address: 0x0800_0000, size: 16, update_gas: false, flush: true }),
        plain(Command::DisplayTransfer { source: 3, target: 5, source_size: 0, target_size: 0, flags: 0 }),
        plain(Command::TextureCopy { source: 3, target: 5, size: 16, source_lines: 0, target_lines: 0, flags: 8 }),
    ] {
        let mut console = Console::with_game();
        console.submit(&[words]);
        assert_eq!(console.gsp.command_queue(0).header().status, 0);
        console.deliver();
        assert_eq!(console.interrupts(0).len(), 1);
        assert!(console.core.lists.iter().all(|&list| list == (0, 16)));
        assert_eq!((console.peek(0xC00), console.peek(0xC04)), (0, 0));

        let mut strict = Console::with_game();
        strict.gsp.set_bad_address(BadAddress::Fail);
        strict.submit(&[words]);
        assert_eq!(strict.gsp.command_queue(0).result(), ResultCode::BAD_ADDRESS);
        strict.deliver();
        assert!(strict.interrupts(0).is_empty());
    }
}

fn request_dma(source: u32, target: u32, size: u32) -> [u32; 8] {
    plain(Command::RequestDma { source, target, size, flush: true })
}

/// Maps a range of the process.
fn map_process(console: &mut Console, address: u64, size: u64, access: Access) {
    console.core.bench.memory.map(GuestRange::new(PROCESS, address, size), access).unwrap();
}

#[test]
fn dma_reaches_all_memory_of_the_process() {
    const CODE: u32 = 0x10_0000;
    const HEAP: u32 = 0x0800_0000;
    const STACK: u32 = 0x0FFF_C000;
    let mut console = Console::with_game();
    map_process(&mut console, CODE.into(), 0x2000, Access::READ);
    map_process(&mut console, HEAP.into(), 0x1000, Access::READ_WRITE);
    map_process(&mut console, STACK.into(), 0x4000, Access::READ_WRITE);
    let bytes = noise(0x1001, 5);
    console.core.bench.memory.write(GuestAddr::new(PROCESS, 0x10_0203), &bytes).unwrap();
    // From the image to VRAM, across the end of a mapping; on to the stack, to linear heap, and to the heap.
    map_process(&mut console, 0x10_2000, 0x1000, Access::READ);
    let steps = [CODE + 0x203, VRAM_VA + 0x101, STACK + 0x10, HEAP_VA + 0x8003, HEAP];
    let sizes = [0x1001, 0x1001, 0x1001, 0x1000];
    for (step, size) in steps.windows(2).zip(sizes) {
        console.submit(&[request_dma(step[0], step[1], size)]);
        console.deliver();
        assert_eq!(console.interrupts(0), [DMA], "{step:x?}");
    }
    assert_eq!(console.core.bench.read(VRAM + 0x101, 0x1001), bytes);
    let mut heap = vec![0; 0x1000];
    console.core.bench.memory.read(GuestAddr::new(PROCESS, HEAP.into()), &mut heap).unwrap();
    assert_eq!(heap, bytes[..0x1000]);
    assert_eq!(console.core.faults.total(), 0);
    // The image cannot be written.
    console.submit(&[request_dma(VRAM_VA, CODE, 8)]);
    console.deliver();
    assert_eq!(console.interrupts(0), [DMA]);
    assert_eq!(console.core.faults.count(FaultKind::UnmappedWrite), 1);
    // A process takes as long as main memory.
    console.submit(&[request_dma(CODE, VRAM_VA, 0x1000), request_dma(HEAP_VA, VRAM_VA, 0x1000)]);
    let ticks: Vec<u64> = console.gsp.take_completions().iter().map(|completion| completion.ticks).collect();
    assert_eq!(ticks[1] - ticks[0], ticks[0] - timing::ROUND_TRIP);
}

#[test]
fn dma_of_what_is_not_mapped_is_the_hosts_or_a_fault() {
    let mut console = Console::with_game();
    map_process(&mut console, 0x10_0000, 0x1000, Access::READ);
    let bytes = noise(0x1000, 6);
    console.core.bench.memory.write(GuestAddr::new(PROCESS, 0x10_0000), &bytes).unwrap();
    console.core.bench.write(VRAM, &noise(0x3000, 7));
    let before = console.core.bench.read(VRAM, 0x3000);
    for (source, target, size) in [(0x10_0800, VRAM_VA, 0x1000), (VRAM_VA, 0x4000_0000, 4), (0, VRAM_VA, u32::MAX)] {
        let words = request_dma(source, target, size);
        // A GSP of the host's copies itself.
        let (gsp, mut bus) = console.parts();
        let executed = gsp.execute(&mut bus, &words);
        assert_eq!(executed.outcome(), Outcome::HostCopy(HostCopy { source, target, size }));
        assert_eq!((executed.result, executed.event), (ResultCode::SUCCESS, None));
        assert_eq!(console.core.faults.total(), 0);
        assert_eq!(console.core.bench.read(VRAM, 0x3000), before);
        assert!(console.core.flushed.is_empty());
    }
    // In the library's queue the client goes on all the same: what is mapped is copied, the rest reads 0.
    console.submit(&[request_dma(0x10_0800, VRAM_VA, 0x1000), request_dma(VRAM_VA, 0x4000_0000, 4)]);
    console.deliver();
    assert_eq!(console.interrupts(0), [DMA, DMA]);
    let faults = [FaultKind::UnmappedRead, FaultKind::UnmappedWrite].map(|kind| console.core.faults.count(kind));
    assert_eq!(faults, [1, 1]);
    assert_eq!(console.core.bench.read(VRAM, 0x800), bytes[0x800..]);
    assert_eq!(console.core.bench.read(VRAM + 0x800, 0x800), [0; 0x800]);
    assert_eq!(console.core.bench.read(VRAM + 0x1000, 0x2000), before[0x1000..]);
    // Physical memory ends at the same address for every holder of GSP.
    let (gsp, mut bus) = console.parts();
    let executed = gsp.execute(&mut bus, &request_dma(VRAM_VA, 0x1B00_0000, 8));
    assert!(matches!(executed.outcome(), Outcome::Done(event) if event.interrupt == Interrupt::Dma));
    assert_eq!(console.core.faults.count(FaultKind::UnmappedWrite), 2);
    // Sources in VRAM are not flushed.
    assert!(console.core.flushed.is_empty());
}

#[test]
fn outcomes_say_what_the_host_does() {
    let mut console = Console::with_game();
    let (gsp, mut bus) = console.parts();
    let mut outcome = |words: [u32; 8]| gsp.execute(&mut bus, &words).outcome();
    assert!(matches!(outcome(good_fill()), Outcome::Done(event) if event.interrupt == Interrupt::Psc0));
    assert_eq!(outcome(bad_fill()), Outcome::Failed(ResultCode::BAD_ADDRESS));
    assert_eq!(outcome([6, 0, 0, 0, 0, 0, 0, 0]), Outcome::NothingToSignal);
    assert_eq!(outcome(fill([FillUnit::default(); 2])), Outcome::NothingToSignal);
}

#[test]
fn empty_dma_ends() {
    let mut console = Console::with_game();
    console.submit(&[plain(Command::RequestDma { source: HEAP_VA, target: VRAM_VA, size: 0, flush: false })]);
    console.deliver();
    assert_eq!(console.interrupts(0), [DMA]);
    assert!(console.core.bench.written().is_empty());
}

#[test]
fn gas_results_follow_the_list() {
    let words = |update_gas| plain(Command::ProcessCommandList { address: HEAP_VA, size: 16, update_gas, flush: true });
    let mut console = Console::with_game();
    console.core.registers[0x125] = 0x4000_0001;
    console.submit(&[words(false)]);
    assert_eq!(console.core.registers[0xE5], 0);
    console.submit(&[words(true)]);
    assert_eq!(console.core.registers[0xE5], 0x3800);
    console.core.registers[0x125] = 0;
    console.submit(&[words(true)]);
    assert_eq!(console.core.registers[0xE5], 0x3800);
    // Not without the interrupt that ends the list.
    console.core.registers[0x125] = 0x3C00_0000;
    console.core.lists_end = false;
    console.submit(&[words(true)]);
    assert_eq!(console.core.registers[0xE5], 0x3800);
    assert_eq!(console.core.flushed, [(FCRAM as u32, 16); 4]);
}

#[test]
fn acknowledging_is_no_request() {
    let mut console = Console::with_game();
    console.core.registers[0x20] = 0x1200_5678;
    console.core.registers[0x10] = 0x1234_5678;
    console.core.lists_end = false;
    console.submit(&[list()]);
    console.deliver();
    assert!(console.interrupts(0).is_empty());
    assert_eq!(console.core.registers[0x10], 0);
}

#[test]
fn flushing_ends_with_the_first_empty_region() {
    let mut console = Console::with_game();
    let heap = FCRAM as u32;
    for (regions, expected) in [
        ([(HEAP_VA, 8), (HEAP_VA + 16, 8), (VRAM_VA, 8)], vec![(heap, 8), (heap + 16, 8), (VRAM as u32, 8)]),
        ([(HEAP_VA, 8), (HEAP_VA + 16, 0), (VRAM_VA, 8)], vec![(heap, 8)]),
        ([(HEAP_VA, 0), (HEAP_VA + 16, 8), (VRAM_VA, 8)], vec![]),
        ([(0x0800_0000, 8), (HEAP_VA, 8), (0, 0)], vec![(heap, 8)]),
    ] {
        console.submit(&[plain(Command::FlushCacheRegions { regions })]);
        assert_eq!(std::mem::take(&mut console.core.flushed), expected);
    }
}

#[test]
fn nothing_happens_without_the_right() {
    let flush = plain(Command::FlushCacheRegions { regions: [(HEAP_VA, 8); 3] });
    let mut console = Console::new();
    console.gsp.register_relay_queue(GAME, 0, 1).unwrap();
    for words in [dma(), list(), good_fill(), bad_fill(), display_transfer(), texture_copy(8), flush] {
        let (gsp, mut bus) = console.parts();
        let executed = gsp.execute_for(&mut bus, GAME, &words);
        let expected = if words == flush { ResultCode::NO_RIGHT } else { ResultCode::SUCCESS };
        assert_eq!((executed.result, executed.event), (expected, None));
    }
    // Nor does a trigger while no client holds it, or while the holder is no client.
    console.submit(&[good_fill()]);
    assert_eq!(console.gsp.command_queue(0).header().count, 1);
    console.gsp.acquire_right(Session(99));
    console.submit(&[]);
    assert_eq!(console.gsp.command_queue(0).header().count, 1);
    assert!(console.core.bench.written().is_empty() && console.core.flushed.is_empty());
    // The right may come between.
    console.gsp.release_right(Session(99));
    console.gsp.acquire_right(GAME);
    let (gsp, mut bus) = console.parts();
    assert!(gsp.execute_for(&mut bus, GAME, &good_fill()).event.is_some());
    console.submit(&[]);
    assert_eq!(console.gsp.command_queue(0).header().count, 0);
}

#[test]
fn queues_wrap_and_fill_up() {
    let mut console = Console::with_game();
    for round in 0..40 {
        assert_eq!(console.gsp.command_queue(0).header().current, (round % 15) as u8);
        console.submit(&[good_fill()]);
    }
    let queue = console.gsp.command_queue(0);
    assert_eq!(queue.submit(&good_fill()), Ok(true));
    for _ in 1..15 {
        assert_eq!(queue.submit(&good_fill()), Ok(false));
    }
    assert_eq!(queue.submit(&good_fill()), Err(QueueFull));
    assert_eq!(queue.header().count, 15);
    console.submit(&[]);
    assert_eq!(console.gsp.command_queue(0).header().count, 0);
    assert_eq!(console.gsp.take_completions().len(), 55);
}

#[test]
fn commands_are_out_of_the_queue_before_they_run() {
    // A list that overwrites its own queue entry could see that; here only the header is looked at.
    let mut console = Console::with_game();
    console.submit(&[bad_fill(), good_fill()]);
    let header = console.gsp.command_queue(0).header();
    assert_eq!((header.current, header.count, header.status), (2, 0, 0x80));
    console.deliver();
    assert_eq!(console.interrupts(0), [PSC0]);
}

#[test]
fn a_command_may_stop_the_queue() {
    let stopping = Command::from_words(&good_fill()).unwrap().to_words(Header { stop: true, ..Header::default() });
    let mut console = Console::with_game();
    console.submit(&[stopping, list(), list()]);
    let header = console.gsp.command_queue(0).header();
    assert_eq!((header.current, header.count, header.status), (1, 2, 1));
    // Neither a trigger nor the end of a command takes that back.
    console.submit(&[]);
    console.deliver();
    assert_eq!(console.gsp.command_queue(0).header().count, 2);
    assert_eq!(console.interrupts(0), [PSC0]);
    console.gsp.command_queue(0).resume();
    console.submit(&[]);
    console.deliver();
    assert_eq!(console.interrupts(0), [P3D, P3D]);
}

#[test]
fn after_a_failure_halting_does_not_hold() {
    let stopping = Command::from_words(&good_fill()).unwrap().to_words(Header { stop: true, ..Header::default() });
    let mut console = Console::with_game();
    console.submit(&[bad_fill(), stopping, list(), list()]);
    let header = console.gsp.command_queue(0).header();
    assert_eq!((header.count, header.status), (0, 0x81));
    console.deliver();
    assert_eq!(console.interrupts(0), [PSC0, P3D, P3D]);
}

#[test]
fn a_halt_request_holds_always() {
    for first in [good_fill(), bad_fill()] {
        let mut console = Console::with_game();
        console.submit(&[first]);
        console.deliver();
        console.interrupts(0);
        let failed = console.gsp.command_queue(0).header().status;
        console.gsp.command_queue(0).request_halt();
        console.submit(&[list()]);
        let header = console.gsp.command_queue(0).header();
        assert_eq!((header.count, header.status, header.control), (1, failed | 1, 1));
        console.submit(&[]);
        assert_eq!(console.gsp.command_queue(0).header().count, 1);
        console.gsp.command_queue(0).resume();
        console.submit(&[]);
        console.deliver();
        assert_eq!(console.interrupts(0), [P3D]);
    }
    // An empty queue is not halted.
    let mut console = Console::with_game();
    console.gsp.command_queue(0).request_halt();
    console.submit(&[]);
    assert_eq!(console.gsp.command_queue(0).header().status, 0);
}

#[test]
fn the_end_of_a_command_starts_the_next() {
    let mut console = Console::with_game();
    console.submit(&[good_fill()]);
    // Queued meanwhile: the client does not trigger, because the queue was not empty from its point of view.
    console.queue(&[list()]);
    console.deliver();
    assert_eq!(console.interrupts(0), [PSC0, P3D]);
}

#[test]
fn completions_name_client_and_time() {
    let mut console = Console::with_game();
    let big = fill([unit(VRAM_VA, VRAM_VA + 0x60_0000), FillUnit::default()]);
    console.submit(&[good_fill(), big, list()]);
    let completions = console.gsp.take_completions();
    assert_eq!(completions.iter().map(|c| c.interrupt as u8).collect::<Vec<_>>(), [PSC0, PSC0, P3D]);
    assert!(completions.iter().all(|completion| completion.client == Some(0)));
    assert!(completions.is_sorted_by_key(|completion| completion.ticks));
    assert!(completions[0].ticks >= timing::ROUND_TRIP);
    // 6 MiB at 5400 MiB/s are 1.1 ms.
    let fill = completions[1].ticks - completions[0].ticks;
    assert!((290_000..310_000).contains(&fill), "{fill}");
    assert!(console.gsp.take_completions().is_empty());
}

#[test]
fn frozen_transfers_never_end() {
    let mut console = Console::with_game();
    console.external.set_freeze_policy(FreezePolicy::Hang);
    let words = plain(Command::TextureCopy {
        source: HEAP_VA,
        target: VRAM_VA,
        size: 0,
        source_lines: 0,
        target_lines: 0,
        flags: 8,
    });
    console.submit(&[words, good_fill()]);
    console.deliver();
    assert_eq!(console.interrupts(0), [PSC0]);
}

#[test]
fn commands_run_without_gsp() {
    let mut console = Console::new();
    let (_, mut bus) = console.parts();
    for (words, interrupt) in [
        (dma(), Interrupt::Dma),
        (list(), Interrupt::P3d),
        (good_fill(), Interrupt::Psc0),
        (texture_copy(8), Interrupt::Ppf),
    ] {
        let executed = gx::execute_words(&mut bus, &words, BadAddress::Zero);
        assert_eq!(executed.event.map(|event| event.interrupt), Some(interrupt));
    }
    assert_eq!(gx::execute_words(&mut bus, &bad_fill(), BadAddress::Zero).result, ResultCode::BAD_ADDRESS);
    assert_eq!(gx::execute_words(&mut bus, &[0xFF; 8], BadAddress::Zero).event, None);
    let second = fill([FillUnit::default(), unit(VRAM_VA, VRAM_VA + 8)]);
    let event = gx::execute_words(&mut bus, &second, BadAddress::Zero).event.unwrap();
    assert_eq!(event.interrupt as u8, PSC1);
}
