//! Reports that hosts get from every machine: events, faults, completed work.

use std::sync::mpsc;
use std::time::Duration;

use triglyph::{Access, Device, Event, Fault, FaultKind, GuestAddr, GuestRange, Machine, Options, Tier, new_device};

const MACHINES: [Machine; 3] = [Machine::N3ds, Machine::Ps3, Machine::TegraX1];

fn device(machine: Machine) -> Box<dyn Device> {
    new_device(machine, &Options::new(Tier::InterpreterOnly, 1)).unwrap()
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A submission of each machine that does nothing: an empty command, an empty list of segments, no entries.
fn nothing(machine: Machine) -> Vec<u8> {
    match machine {
        Machine::N3ds => bytes(&[5, 0, 0, 0, 0, 0, 0, 0]),
        _ => bytes(&[0, 0]),
    }
}

#[test]
fn submissions_are_numbered_and_complete() {
    for machine in MACHINES {
        let mut gpu = device(machine);
        let timeline = gpu.timeline().clone();
        assert_eq!((timeline.submitted(), timeline.completed()), (0, 0), "{machine}");
        let waiting = {
            let timeline = timeline.clone();
            std::thread::spawn(move || timeline.wait(2, Duration::from_secs(60)))
        };
        gpu.submit(&nothing(machine)).unwrap();
        gpu.submit(&nothing(machine)).unwrap();
        gpu.finish();
        assert!(waiting.join().unwrap(), "{machine}");
        assert!(timeline.submitted() >= 2 && timeline.completed() == timeline.submitted(), "{machine}");
    }
}

#[test]
fn a_fill_of_the_3ds_ends_with_its_interrupt() {
    let mut gpu = device(Machine::N3ds);
    gpu.map(GuestRange::new(0, 0x1800_0000, 0x60_0000), Access::READ_WRITE).unwrap();
    gpu.submit(&bytes(&[2, 0x1F00_0000, 7, 0x1F00_0040, 0, 0, 0, 0x0201])).unwrap();
    let events = gpu.take_events();
    // PSC0, the first fill unit.
    assert!(matches!(events[..], [Event::Interrupt { source: 0, count: 1, delay }] if !delay.is_zero()), "{events:?}");
    assert!(gpu.take_events().is_empty());
}

/// The command alone, as mGBA gives it, where nothing of the process is mapped: it waits for the interrupt.
#[test]
fn dma_from_nowhere_ends() {
    let mut gpu = device(Machine::N3ds);
    let words = [0, 0x1B_0204, 0x1F0C_8C00, 0x1_0000, 0, 0, 0, 0];
    gpu.submit(&bytes(&words)).unwrap();
    let events = gpu.take_events();
    assert!(matches!(events[..], [Event::Interrupt { source: 6, .. }]), "{events:?}");
    assert_eq!(gpu.faults().count(FaultKind::UnmappedWrite), 1);
}

#[test]
fn faults_are_heard_with_their_position() {
    let mut gpu = device(Machine::TegraX1);
    let (sender, receiver) = mpsc::channel();
    gpu.set_fault_handler(Some(Box::new(move |fault: &Fault| sender.send(fault.clone()).unwrap())));
    gpu.map(GuestRange::new(0, 0x1_0000, 0x1000), Access::READ_WRITE).unwrap();
    // Two words: nothing, and a header of a kind that does not exist (bits 31:29 are 6).
    gpu.write(GuestAddr::new(0, 0x1_0000), &bytes(&[0, 0xC000_0000])).unwrap();
    let entry: u64 = 0x1_0000 | 2 << 42;
    gpu.submit(&[&[0; 8][..], &entry.to_le_bytes()].concat()).unwrap();
    let heard: Vec<Fault> = receiver.try_iter().collect();
    assert_eq!(heard, gpu.faults().first());
    assert!(heard.iter().any(|fault| fault.kind == FaultKind::BadCommand && fault.command == 0x1_0004), "{heard:?}");
    gpu.set_fault_handler(None);
    gpu.submit(&[&[0; 8][..], &entry.to_le_bytes()].concat()).unwrap();
    assert!(receiver.try_iter().next().is_none());
}
