//! Bounded runs: lists that loop, and what happens between two runs.

use triglyph_engine::Device;
use triglyph_engine::device::{Event, RunEnd, RunLimit, Waiting};
use triglyph_engine::mem::GuestAddr;
use triglyph_engine::snapshot::SnapshotOptions;
use triglyph_guest::pica::regs;
use triglyph_n3ds::gsp::{Interrupt, Session};
use triglyph_n3ds::lcd::Screen;

use super::support::{Console, HEAP, LISTS, List, RED, VERTICES, half, plain};

/// A list that stores the number of a round in a register, and jumps to itself.
fn looping() -> Vec<u32> {
    let mut list = List::default();
    list.set(regs::fog_color::ID, 7);
    list.set(regs::cmdbuf_size::IDS[0], 40 >> 3).set(regs::cmdbuf_addr::IDS[0], LISTS >> 3);
    list.set(regs::cmdbuf_jump0::ID, 1);
    list.0.resize(10, 0);
    list.0
}

/// A client with the rendering right whose queue has the list of `words`.
fn queued(words: &[u32]) -> Console {
    let mut console = Console::new();
    let bytes: Vec<u8> = words.iter().copied().flat_map(u32::to_le_bytes).collect();
    console.write(LISTS, &bytes);
    console.gpu.set_deferred(true);
    console.gpu.with_gsp(|gsp, hardware| {
        gsp.register_relay_queue(Session(1), 1, 0x10).unwrap();
        gsp.acquire_right(Session(1));
        let address = LISTS - HEAP + 0x3000_0000;
        gsp.command_queue(0).submit(&[1, address, bytes.len() as u32, 0, 0, 0, 0, 0]).unwrap();
        gsp.command_queue(0).submit(&[2, 0x1F00_1000, 0x55, 0x1F00_1040, 0, 0, 0, 0x201]).unwrap();
        gsp.trigger(hardware);
    });
    console
}

fn completions(console: &mut Console) -> Vec<Interrupt> {
    console.gpu.with_gsp(|gsp, _| gsp.take_completions().iter().map(|completion| completion.interrupt).collect())
}

#[test]
fn a_list_that_loops_costs_its_budget() {
    let mut console = queued(&looping());
    for _ in 0..10 {
        assert_eq!(console.gpu.run_for(RunLimit::of_time(1_000_000)), RunEnd::BudgetUsed);
    }
    assert_eq!(console.gpu.run_for(RunLimit::of_words(3)), RunEnd::BudgetUsed);
    assert_eq!((console.gpu.faults().total(), completions(&mut console)), (0, vec![]));
    // VBlanks get in between, and so do other threads.
    console.gpu.take_events();
    console.gpu.with_gsp(|gsp, hardware| gsp.vblank(hardware, Screen::Top));
    assert_eq!(console.gpu.take_events(), [Event::Vblank { context: 0, head: 0 }]);
    let interrupter = console.gpu.interrupter();
    std::thread::spawn(move || interrupter.interrupt()).join().unwrap();
    assert_eq!(console.gpu.run_for(RunLimit::NONE), RunEnd::Interrupted);
    // The guest overwrites the jump with a request of the interrupt: the next command follows.
    let mut end = List::default();
    end.end();
    let bytes: Vec<u8> = end.0.iter().copied().flat_map(u32::to_le_bytes).collect();
    console.gpu.memory().write(GuestAddr::new(0, u64::from(LISTS) + 24), &bytes).unwrap();
    assert_eq!(console.gpu.run_for(RunLimit::NONE), RunEnd::Done);
    assert_eq!(completions(&mut console), [Interrupt::P3d, Interrupt::Psc0]);
    assert_eq!((console.read(0x1800_1000, 1), console.gpu.faults().total()), (vec![0x55], 0));
}

#[test]
fn commands_without_the_right_are_waited_for() {
    let mut console = queued(&[0, 0]);
    console.gpu.with_gsp(|gsp, _| {
        gsp.register_relay_queue(Session(2), 1, 0x20).unwrap();
        gsp.command_queue(1).submit(&[2, 0x1F00_1000, 0x66, 0x1F00_1040, 0, 0, 0, 0x201]).unwrap();
    });
    let waiting = RunEnd::Waiting(Waiting::Processor { channel: 1 });
    assert_eq!(console.gpu.run_for(RunLimit::NONE), waiting);
    assert_eq!(console.read(0x1800_1000, 1), [0x55]);
    console.gpu.with_gsp(|gsp, _| {
        gsp.release_right(Session(1));
        gsp.acquire_right(Session(2));
    });
    assert_eq!(console.gpu.run_for(RunLimit::NONE), RunEnd::Done);
    assert_eq!(console.read(0x1800_1000, 1), [0x66]);
}

/// A list that draws triangles one after the other.
fn drawing() -> Vec<u32> {
    let mut list = plain();
    list.set(regs::num_vertices::ID, 3);
    for _ in 0..50 {
        list.set(regs::draw_arrays::ID, 1);
    }
    list.end().to_vec()
}

fn drawn() -> Console {
    let mut console = queued(&drawing());
    let floats: Vec<f32> = half(RED).iter().flatten().flatten().copied().collect();
    console.write_floats(VERTICES, &floats);
    console
}

#[test]
fn a_list_in_the_middle_goes_on_elsewhere() {
    let mut whole = drawn();
    whole.gpu.finish();
    let mut cut = drawn();
    let mut slices = 0;
    while cut.gpu.run_for(RunLimit::of_words(5)) == RunEnd::BudgetUsed {
        let state = Device::snapshot(&mut cut.gpu, SnapshotOptions::default()).unwrap();
        cut = Console::new();
        cut.gpu.set_deferred(true);
        Device::restore(&mut cut.gpu, &state).unwrap();
        slices += 1;
    }
    assert!(slices > 10);
    assert_eq!(cut.memory(), whole.memory());
    assert_eq!(completions(&mut cut), completions(&mut whole));
}

#[test]
fn whoever_drives_the_hardware_finds_the_list_done() {
    let mut whole = drawn();
    whole.gpu.finish();
    let mut cut = drawn();
    assert_eq!(cut.gpu.run_for(RunLimit::of_words(200)), RunEnd::BudgetUsed);
    // A command of the host's own finishes the list first.
    cut.gpu.execute(&[2, 0x1F00_2000, 0x77, 0x1F00_2040, 0, 0, 0, 0x201]);
    assert_eq!((cut.pixel(0, 0), cut.read(0x1800_2000, 1)), (whole.pixel(0, 0), vec![0x77]));
    assert_eq!(cut.read(0x1800_1000, 1), [0]);
    assert_eq!(cut.gpu.run_for(RunLimit::NONE), RunEnd::Done);
    assert_eq!(completions(&mut cut), [Interrupt::P3d, Interrupt::Psc0]);
    assert_eq!(cut.read(0x1800_1000, 1), [0x55]);
}
