//! Bounded runs of channels that loop and wait.

use std::time::Duration;

use triglyph_engine::Device;
use triglyph_engine::device::{RunEnd, RunLimit, Waiting};
use triglyph_engine::mem::GuestAddr;
use triglyph_guest::id::ChannelId;
use triglyph_rsx::RsxMode;

use super::support::{MODES, Push, XDR_AT, context, faults, lpar_word, lv1_machine, set_lpar_word};
use triglyph_rsx::Rsx;
use triglyph_rsx::lv1::{ContextAllocation, XDR};

/// A method of the puller that stores a reference value.
const REFERENCE: u32 = 0x50;
const SEMAPHORE_OFFSET: u32 = 0x64;
const ACQUIRE: u32 = 0x68;

/// A context with words from IO offset 0x1000 on, without a look at them yet.
fn prepared(mode: RsxMode, push: &Push) -> (Rsx, ContextAllocation) {
    let mut gpu = lv1_machine(mode);
    let context = context(&mut gpu, 0);
    gpu.memory().write(GuestAddr::new(XDR, XDR_AT + 0x1000), &push.bytes(true)).unwrap();
    gpu.context_attribute(context.handle, 1, [0x1000, 0x1000, 0, 0]).unwrap();
    set_lpar_word(&mut gpu, context.control + 0x40, 0x8000);
    (gpu, context)
}

fn reference(gpu: &mut Rsx, context: &ContextAllocation) -> u32 {
    lpar_word(gpu, context.control + 0x48)
}

#[test]
fn a_push_buffer_that_loops_costs_its_budget() {
    for mode in MODES {
        // A reference value, then back to the beginning.
        let (mut gpu, context) = prepared(mode, &Push::new().methods(0, REFERENCE, &[7]).word(0x2000_1000));
        let before = gpu.core().budget.now();
        for _ in 0..10 {
            assert_eq!(gpu.run_for(RunLimit::of_time(Duration::from_micros(10))), RunEnd::BudgetUsed);
        }
        let passed = gpu.core().budget.now() - before;
        assert!((100_000..110_000).contains(&passed), "{passed}");
        assert_eq!(gpu.run_for(RunLimit::of_words(10)), RunEnd::BudgetUsed);
        assert_eq!((faults(&gpu), reference(&mut gpu, &context)), (vec![], 7));
        // Between two runs the guest breaks the loop; it jumps to where PUT is.
        let exit = 0x2000_8000_u32.to_be_bytes();
        gpu.memory().write(GuestAddr::new(XDR, XDR_AT + 0x1008), &exit).unwrap();
        assert_eq!(gpu.run_for(RunLimit::NONE), RunEnd::Done);
        assert_eq!(lpar_word(&mut gpu, context.control + 0x44), 0x8000);
    }
}

#[test]
fn another_thread_interrupts_a_loop() {
    let (mut gpu, _) = prepared(RsxMode::Fast, &Push::new().methods(0, REFERENCE, &[7]).word(0x2000_1000));
    let interrupter = gpu.interrupter();
    let (begin, begun) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            begun.recv().unwrap();
            interrupter.interrupt();
        });
        begin.send(()).unwrap();
        // Without a limit nothing but the interrupt ends it.
        assert_eq!(gpu.run_for(RunLimit::NONE), RunEnd::Interrupted);
    });
    assert_eq!(gpu.run_for(RunLimit::of_words(100)), RunEnd::BudgetUsed);
    assert_eq!(faults(&gpu), []);
}

#[test]
fn runs_say_what_is_waited_for() {
    for mode in MODES {
        let push = Push::new().methods(0, 0x60, &[0x6660_6660]).methods(0, SEMAPHORE_OFFSET, &[0x10]);
        let push = push.methods(0, ACQUIRE, &[9]).methods(0, REFERENCE, &[3]);
        let jump = 0x1000 + 4 * push.0.len() as u32;
        let (mut gpu, context) = prepared(mode, &push.word(0x2000_0000 | jump));
        let RunEnd::Waiting(Waiting::Semaphore { channel, place, value: 9 }) = gpu.run_for(RunLimit::NONE) else {
            panic!("no semaphore is waited for");
        };
        assert_eq!(channel, ChannelId::new(1));
        assert_eq!(reference(&mut gpu, &context), 0);
        gpu.write(place, &9_u32.to_be_bytes()).unwrap();
        let parked = Waiting::PushBuffer { channel: ChannelId::new(1), offset: jump };
        assert_eq!(gpu.run_for(RunLimit::NONE), RunEnd::Waiting(parked));
        assert_eq!(reference(&mut gpu, &context), 3);
        assert!(gpu.timeline().wait_for_fence(1, 3, std::time::Duration::ZERO));
        // A word that is no header: the pusher stops until the error is cleared.
        gpu.memory().write(GuestAddr::new(XDR, XDR_AT + u64::from(jump)), &[0x00, 0x02, 0, 0]).unwrap();
        assert_eq!(gpu.run_for(RunLimit::NONE), RunEnd::Waiting(Waiting::Processor { channel: ChannelId::new(1) }));
    }
}

#[test]
fn vblanks_and_snapshots_get_in_between() {
    let (mut gpu, context) = prepared(RsxMode::Fast, &Push::new().methods(0, REFERENCE, &[7]).word(0x2000_1000));
    assert_eq!(gpu.run_for(RunLimit::of_words(7)), RunEnd::BudgetUsed);
    let events = gpu.timeline().events();
    gpu.vblank(0, 1234);
    assert_eq!(gpu.timeline().events(), events + 1);
    let state = Device::snapshot(&mut gpu, triglyph_engine::snapshot::SnapshotOptions::default()).unwrap();
    let mut other = lv1_machine(RsxMode::Fast);
    Device::restore(&mut other, &state).unwrap();
    for gpu in [&mut gpu, &mut other] {
        assert_eq!(gpu.run_for(RunLimit::of_words(8)), RunEnd::BudgetUsed);
    }
    let get = |gpu: &mut Rsx| lpar_word(gpu, context.control + 0x44);
    assert_eq!((get(&mut gpu), gpu.core().budget.now()), (get(&mut other), other.core().budget.now()));
}
