//! Bounded runs: lists that loop, and what happens between two runs.

use std::time::Duration;

use triglyph_engine::Device;
use triglyph_engine::device::{Access, Event, RunEnd, RunLimit, Waiting};
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_engine::snapshot::SnapshotOptions;
use triglyph_guest::id::{ChannelId, ContextHandle};
use triglyph_guest::pica::regs;
use triglyph_n3ds::gsp::{Interrupt, Session};
use triglyph_n3ds::lcd::Screen;

use super::support::{Console, HEAP, LISTS, List, RED, VERTICES, half, list_bytes, plain};

/// A list that stores the number of a round in a register, and jumps to itself.
fn looping() -> Vec<u32> {
    let mut list = List::default();
    list.set(regs::fog_color::ID, 7);
    list.set(regs::cmdbuf_size::IDS[0], 48 >> 3).set(regs::cmdbuf_addr::IDS[0], LISTS >> 3);
    list.set(regs::cmdbuf_jump0::ID, 1);
    list.0.resize(12, 0);
    list.0
}

/// A client with the rendering right whose queue has the list of `words`.
fn queued(words: &[u32]) -> Console {
    let mut console = Console::new();
    let bytes = list_bytes(words);
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
        assert_eq!(console.gpu.run_for(RunLimit::of_time(Duration::from_millis(1))), RunEnd::BudgetUsed);
    }
    assert_eq!(console.gpu.run_for(RunLimit::of_words(3)), RunEnd::BudgetUsed);
    assert_eq!((console.gpu.faults().total(), completions(&mut console)), (0, vec![]));
    // VBlanks get in between, and so do other threads.
    console.gpu.take_events();
    console.gpu.with_gsp(|gsp, hardware| gsp.vblank(hardware, Screen::Top));
    assert_eq!(console.gpu.take_events(), [Event::Vblank { context: ContextHandle::default(), head: 0 }]);
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
    let waiting = RunEnd::Waiting(Waiting::Processor { channel: ChannelId::new(1) });
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

/// Two fills, a copy of bytes, a conversion and a copy by DMA, each of several pieces.
const MOVES: [[u32; 8]; 4] = [
    [2, 0x1F10_0000, 0x1122_3344, 0x1F18_0000, 0x1F18_0000, 0x5566_7788, 0x1F20_0000, 0x0201_0201],
    [4, 0x1F16_0010, 0x1F20_0000, 0x4_0000, 0, 0, 8, 0],
    [3, 0x1F10_0000, 0x1F28_0000, 480 << 16 | 256, 480 << 16 | 256, 0, 0, 0],
    [0, 0x1F12_3450, 0x1F24_0008, 0x3_0000, 0, 0, 0, 0],
];

/// A console to which these were submitted.
fn moving() -> Console {
    let mut console = Console::new();
    console.gpu.map(MOVED, Access::READ_WRITE).unwrap();
    console.gpu.set_deferred(true);
    for words in MOVES {
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        console.gpu.submit(&bytes).unwrap();
    }
    console
}

const MOVED: GuestRange = GuestRange::new(0, 0x1810_0000, 0x20_0000);

#[test]
fn fills_and_copies_are_interrupted_before_anybody_hears_of_their_end() {
    let mut whole = moving();
    assert_eq!(whole.gpu.run_for(RunLimit::NONE), RunEnd::Done);
    let (events, bytes) = (whole.gpu.take_events(), whole.read(0x1810_0000, 0x20_0000));
    assert_eq!(events.len(), MOVES.len());
    let (mut cut, mut heard, mut interrupts) = (moving(), Vec::new(), 0);
    loop {
        // One look before the command, one before each piece.
        cut.gpu.interrupter().interrupt_at_look(3);
        let end = cut.gpu.run_for(RunLimit::NONE);
        heard.extend(cut.gpu.take_events());
        if end == RunEnd::Done {
            break;
        }
        assert_eq!(end, RunEnd::Interrupted);
        interrupts += 1;
        assert!(interrupts > 1 || heard.is_empty(), "{heard:?}");
        if interrupts % 3 == 0 {
            let state = Device::snapshot(&mut cut.gpu, SnapshotOptions::default()).unwrap();
            cut = Console::new();
            cut.gpu.set_deferred(true);
            Device::restore(&mut cut.gpu, &state).unwrap();
        }
    }
    assert!(interrupts > MOVES.len(), "{interrupts}");
    assert_eq!(heard, events);
    assert!(cut.read(0x1810_0000, 0x20_0000) == bytes);
    assert_eq!(cut.gpu.faults().total(), 0);
}
