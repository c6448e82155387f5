//! Several clients: who is served, what happens to the others, and what is left when one is gone.

use crate::system::support::commands::*;
use crate::system::support::{Console, FCRAM, VRAM};
use triglyph_engine::device::FaultKind;
use triglyph_n3ds::external::timing::{Mover, moving};
use triglyph_n3ds::gsp::command::Header;
use triglyph_n3ds::gsp::queue::QueueHeader;
use triglyph_n3ds::gsp::{Acquire, Command, FramebufferInfo, Interrupt, ResultCode, Session};
use triglyph_n3ds::lcd::Screen;
use triglyph_testkit::random::noise;

const A: Session = Session(10);
const B: Session = Session(11);

/// Clients 0 to `count` - 1; the first has the right.
fn clients(count: u32) -> Console {
    let mut console = Console::new();
    for i in 0..count {
        let registration = console.gsp.register_relay_queue(Session(10 + i), 0, i).unwrap();
        assert_eq!(registration.client, i as usize);
    }
    console.gsp.acquire_right(A);
    console
}

fn queue(console: &Console, client: usize, commands: &[[u32; 8]]) {
    commands.iter().for_each(|words| assert!(console.gsp.command_queue(client).submit(words).is_ok()));
}

fn trigger(console: &mut Console) {
    let (gsp, mut bus) = console.parts();
    gsp.trigger(&mut bus);
}

fn waiting(console: &Console, client: usize) -> u8 {
    console.gsp.command_queue(client).header().count
}

fn stopping(words: [u32; 8]) -> [u32; 8] {
    Command::from_words(&words).unwrap().to_words(Header { stop: true, ..Header::default() })
}

#[test]
fn queues_are_served_by_the_right_not_by_the_caller() {
    let mut console = clients(4);
    (0..4).for_each(|client| queue(&console, client, &[good_fill(), list()]));
    for client in 0..4 {
        // Others may trigger as often as they like.
        (0..3).for_each(|_| trigger(&mut console));
        assert_eq!((0..4).map(|c| waiting(&console, c)).collect::<Vec<_>>(), {
            let mut expected = vec![2; 4];
            expected[..=client].fill(0);
            expected
        });
        console.deliver();
        assert_eq!(console.interrupts(client), [PSC0, P3D]);
        console.gsp.acquire_right(Session(11 + client as u32));
        console.gsp.release_right(Session(10 + client as u32));
    }
    assert_eq!(console.core.lists.len(), 4);
}

#[test]
fn losing_the_right_leaves_the_rest_of_the_queue_for_later() {
    let mut console = clients(2);
    assert_eq!(console.gsp.acquire_right(B), Acquire::Waiting);
    queue(&console, 0, &[stopping(good_fill()), list(), list()]);
    queue(&console, 1, &[dma()]);
    trigger(&mut console);
    console.gsp.release_right(A);
    assert_eq!(console.gsp.take_granted(), [B]);
    // The fill was A's, but it ends while B holds the right. That is also when B's queue is looked at.
    console.deliver();
    assert_eq!((console.interrupts(0), console.interrupts(1)), (vec![], vec![PSC0, DMA]));
    // Resuming and triggering do nothing for A until it has the right again.
    console.gsp.command_queue(0).resume();
    trigger(&mut console);
    assert_eq!((waiting(&console, 0), console.core.lists.len()), (2, 0));
    console.gsp.release_right(B);
    assert_eq!(console.gsp.acquire_right(A), Acquire::Granted);
    assert_eq!(waiting(&console, 0), 2);
    trigger(&mut console);
    console.deliver();
    assert_eq!(console.interrupts(0), [P3D, P3D]);
}

#[test]
fn a_client_that_dies_takes_its_commands_with_it() {
    let mut console = clients(2);
    queue(&console, 0, &[stopping(good_fill()), list(), bad_fill()]);
    console.gsp.framebuffer_slot(0, Screen::Top).present(&FramebufferInfo { left: 0x1F00_0000, ..Default::default() });
    trigger(&mut console);
    console.gsp.close(A);
    assert_eq!((console.gsp.holder(), console.gsp.client_of(A)), (None, None));
    // No client holds the right when the fill ends.
    console.deliver();
    trigger(&mut console);
    // The next one at this place starts with nothing, whatever it does before it has looked.
    let next = console.gsp.register_relay_queue(Session(20), 0, 0).unwrap();
    assert_eq!((next.client, next.result), (0, ResultCode::SUCCESS));
    assert_eq!(console.gsp.command_queue(0).header(), QueueHeader::default());
    assert!(!console.gsp.framebuffer_slot(0, Screen::Top).is_new());
    console.gsp.acquire_right(Session(20));
    trigger(&mut console);
    let (gsp, mut bus) = console.parts();
    gsp.vblank(&mut bus, Screen::Top);
    assert_eq!(console.interrupts(0), [PDC0]);
    assert!(console.core.lists.is_empty());
    assert_eq!(console.gsp.command_queue(0).result(), ResultCode::SUCCESS);
}

#[test]
fn registering_again_keeps_what_waits() {
    let mut console = clients(1);
    queue(&console, 0, &[list()]);
    let (gsp, mut bus) = console.parts();
    gsp.vblank(&mut bus, Screen::Top);
    console.gsp.register_relay_queue(A, 0, 9).unwrap();
    assert!(console.interrupts(0).is_empty());
    trigger(&mut console);
    console.deliver();
    assert_eq!(console.interrupts(0), [P3D]);
}

#[test]
fn dead_sessions_are_neither_granted_nor_waited_for() {
    let mut console = clients(3);
    console.gsp.acquire_right(B);
    console.gsp.acquire_right(Session(12));
    // B gets the right and dies before the host has looked.
    console.gsp.release_right(A);
    console.gsp.close(B);
    assert_eq!(console.gsp.holder(), Some(Session(12)));
    assert_eq!(console.gsp.take_granted(), [Session(12)]);
    console.gsp.close(Session(12));
    assert_eq!((console.gsp.holder(), console.gsp.take_granted()), (None, vec![]));
}

#[test]
fn an_unregistered_holder_is_served_no_more() {
    let mut console = clients(2);
    queue(&console, 0, &[good_fill()]);
    trigger(&mut console);
    queue(&console, 0, &[list()]);
    console.gsp.unregister_relay_queue(A);
    console.deliver();
    trigger(&mut console);
    assert_eq!((console.gsp.holder(), console.core.lists.len()), (Some(A), 0));
    assert_eq!((console.interrupts(0), console.interrupts(1)), (vec![], vec![]));
    // Registers can still be written: that asks for the right only.
    let (gsp, mut bus) = console.parts();
    assert_eq!(gsp.write_registers(&mut bus, A, 0x40_0018, &[5]), Ok(()));
}

#[test]
fn a_client_that_never_reads_loses_interrupts_but_nobody_else_does() {
    let mut console = clients(2);
    for round in 0..20 {
        queue(&console, 0, &[list(); 15]);
        trigger(&mut console);
        console.deliver();
        let (gsp, mut bus) = console.parts();
        for screen in Screen::ALL {
            gsp.vblank(&mut bus, screen);
        }
        assert_eq!(console.interrupts(1).len(), 2, "{round}");
    }
    let header = console.gsp.relay_queue(0).header();
    assert_eq!((header.count, header.missed_other), (0x34, 1));
    // 15 and 2, 15 more: from then on VBlanks find no room, and only two of the second round did not either.
    let missed = [0, 1].map(|screen| console.gsp.relay_queue(0).missed_vblanks(screen));
    assert_eq!(missed, [19, 19]);
    let taken = console.interrupts(0);
    assert_eq!(taken.iter().filter(|&&id| id == P3D).count(), 0x32);
    assert_eq!(console.gsp.relay_queue(0).header().missed_other, 0);
    assert_eq!(console.core.lists.len(), 300);
}

#[test]
fn a_queue_that_is_refilled_while_it_runs_ends() {
    // The client's side refills the queue whenever it finds room; one trigger has an end all the same.
    let mut console = clients(1);
    let mut submitted = 0;
    for _ in 0..1000 {
        while console.gsp.command_queue(0).submit(&good_fill()).is_ok() {
            submitted += 1;
        }
        trigger(&mut console);
    }
    assert_eq!(console.gsp.take_completions().len(), submitted);
    assert_eq!(submitted, 15_000);
    assert_eq!(console.core.faults.total(), 0);
}

#[test]
fn dma_within_and_outside_of_vram() {
    let heap = |offset: u32| HEAP_VA + offset;
    let vram = |offset: u32| VRAM_VA + offset;
    let physical = |address: u32| match address {
        VRAM_VA.. => VRAM + u64::from(address - VRAM_VA),
        _ => FCRAM + u64::from(address - HEAP_VA),
    };
    let mut times = Vec::new();
    for (source, target) in
        [(heap(0x101), heap(0x8003)), (heap(5), vram(0x100)), (vram(7), heap(0x4001)), (vram(1), vram(0x20_0003))]
    {
        let mut console = clients(1);
        let bytes = noise(0x1001, 3);
        console.core.bench.write(physical(source), &bytes);
        queue(&console, 0, &[plain(Command::RequestDma { source, target, size: 0x1001, flush: true })]);
        trigger(&mut console);
        assert_eq!(console.core.bench.read(physical(target), 0x1001), bytes);
        assert_eq!(console.core.bench.read(physical(target) + 0x1001, 1), [0]);
        // What lies in VRAM needs no flush.
        assert_eq!(console.core.flushed.len(), usize::from(source < VRAM_VA));
        let completions = console.gsp.take_completions();
        assert_eq!(completions.iter().map(|c| c.interrupt).collect::<Vec<_>>(), [Interrupt::Dma]);
        let expected = moving(Mover::Dma, physical(source) as u32, physical(target) as u32, 0x1001);
        times.push((completions[0].ticks, expected));
    }
    let start = times[0].0 - times[0].1;
    assert!(times.iter().all(|&(ticks, expected)| ticks == start + expected), "{times:?}");
    // Reading main memory for itself takes longest.
    assert!(times[0].1 > times[1].1 && times[1].1 > times[2].1);
}

#[test]
fn dma_over_the_end_of_vram_is_cut() {
    let mut console = clients(1);
    console.core.bench.write(FCRAM, &noise(0x100, 1));
    let words = |source, target| plain(Command::RequestDma { source, target, size: 0x100, flush: false });
    queue(&console, 0, &[words(HEAP_VA, VRAM_VA + 0x5F_FFC0), words(VRAM_VA + 0x5F_FFC0, HEAP_VA + 0x1000)]);
    trigger(&mut console);
    assert_eq!(console.core.bench.read(VRAM + 0x5F_FFC0, 0x40), noise(0x100, 1)[..0x40]);
    // What is not there reads 0.
    assert_eq!(console.core.bench.read(FCRAM + 0x1000, 0x40), noise(0x100, 1)[..0x40]);
    assert_eq!(console.core.bench.read(FCRAM + 0x1040, 0xC0), [0; 0xC0]);
    assert_eq!(console.core.faults.count(FaultKind::UnmappedWrite), 1);
    assert_eq!(console.core.faults.count(FaultKind::UnmappedRead), 1);
    console.deliver();
    assert_eq!(console.interrupts(0), [DMA, DMA]);
}

#[test]
fn dma_onto_itself_goes_forwards() {
    let mut console = clients(1);
    console.core.bench.write(VRAM, &noise(0x2000, 1));
    let words = |source, target| plain(Command::RequestDma { source, target, size: 0x1000, flush: false });
    queue(&console, 0, &[words(VRAM_VA + 0x100, VRAM_VA), words(VRAM_VA + 0x1800, VRAM_VA + 0x1800)]);
    trigger(&mut console);
    assert_eq!(console.core.bench.read(VRAM, 0x1000), noise(0x2000, 1)[0x100..0x1100]);
    assert_eq!(console.core.bench.read(VRAM + 0x1800, 0x800), noise(0x2000, 1)[0x1800..]);
}

#[test]
fn the_largest_dma_ends_at_once() {
    let mut console = clients(1);
    let words = plain(Command::RequestDma { source: HEAP_VA, target: VRAM_VA, size: u32::MAX, flush: true });
    queue(&console, 0, &[words]);
    trigger(&mut console);
    console.deliver();
    assert_eq!(console.interrupts(0), [DMA]);
}
