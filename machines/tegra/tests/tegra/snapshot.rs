//! Snapshots of the Tegra X1: taken anywhere, a machine that restores one goes on as if nothing had happened.

use crate::support::{
    BUFFER, BUFFER_SIZE, COPY, DATA, HOST, INLINE, Machine, SIZE, THREED, TWOD, header, methods, options, semaphore,
};
use triglyph_engine::device::{Access, Machine as Console};
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_engine::snapshot::SnapshotOptions;
use triglyph_engine::{Device, Error};
use triglyph_guest::tegra::fifo::Stepping;
use triglyph_guest::tegra::methods::Class;
use triglyph_tegra::{Blocked, TegraX1};
use triglyph_testkit::random::words;

/// What a snapshot has to bring back: pushes with everything that outlives a submission.
fn work() -> Vec<Vec<u32>> {
    let data = |offset: u32| DATA as u32 + offset;
    let macro_words = [
        // Adds its two parameters and stores the sum in scratch 0xD40.
        "addi.addr r0, r0, 0xd40\naddi.fetch r2, r0, 0\nadd.send r0, r1, r2\naddi.exit r0, r0, 0\naddi r0, r0, 0",
    ];
    let code = triglyph_guest::tegra::mme::assemble_program(macro_words[0]).expect("a macro");
    let upload = [&[header(THREED, 0x45, code.len() as u32 + 1, Stepping::Once), 0x10][..], &code].concat();
    vec![
        // A macro, called in two submissions: the second one has the parameter that the first one's header promised.
        [upload, methods(THREED, 0x47, &[3, 0x10])].concat(),
        [methods(THREED, 0xE06, &[40]), vec![header(THREED, 0xE07, 1, Stepping::Never)]].concat(),
        vec![2],
        methods(THREED, 0xD50, &[0xAAAA]),
        // Shadow registers: passed through, then replayed.
        methods(THREED, 0x49, &[2]),
        methods(THREED, 0xD50, &[0xBBBB]),
        [methods(THREED, 0x49, &[3]), methods(THREED, 0xD50, &[0])].concat(),
        methods(THREED, 0x49, &[1]),
        // An inline transfer in pieces, with a semaphore after it.
        methods(INLINE, 0x77, &[0, data(0x100), 5]),
        [methods(INLINE, 0x60, &[12, 2, 0, data(0x80), 16]), methods(INLINE, 0x6C, &[1 | 2 << 4])].concat(),
        [vec![header(INLINE, 0x6D, 4, Stepping::Never)], vec![1, 2, 3, 4]].concat(),
        methods(INLINE, 0x6D, &[5]),
        methods(INLINE, 0x6D, &[6]),
        // Rectangles point by point, an image word by word.
        methods(TWOD, 0x80, &[0xCF, 1, 0, 1, 0, 64, 16, 16, 0, data(0x1000)]),
        [methods(TWOD, 0xAB, &[3]), methods(TWOD, 0x160, &[4, 0xCF, 0x1234])].concat(),
        methods(TWOD, 0x178, &[2 | 3 << 16]),
        methods(TWOD, 0x178, &[4 | 4 << 16]),
        [methods(TWOD, 0x201, &[0xCF]), methods(TWOD, 0x20E, &[2, 2, 0, 1, 0, 1, 0, 8, 0, 8])].concat(),
        methods(TWOD, 0x218, &[7]),
        methods(TWOD, 0x218, &[8]),
        [vec![header(TWOD, 0x218, 2, Stepping::Never)], vec![9, 10]].concat(),
        // A condition that does not hold any longer in memory.
        [methods(COPY, 0x95, &[0, data(0x3000), 2]), methods(INLINE, 0x4C, &[0, 0, 1])].concat(),
        methods(COPY, 0x100, &[0, data(0x80), 0, data(0x3100), 0, 0, 8]),
        methods(COPY, 0xC0, &[0x182]),
        // Bound otherwise, a syncpoint, a reference; then a wait that ends later.
        methods(7, 0, &[0xA140]),
        methods(7, 0x60, &[0x77]),
        methods(HOST, 0x14, &[99]),
        methods(HOST, 0x1D, &[9 << 8 | 1]),
        [semaphore(0x200, 1, 1), methods(THREED, 0xD60, &[1])].concat(),
        methods(THREED, 0xD61, &[2]),
    ]
}

/// Everything that can be seen of a machine.
#[derive(Debug, PartialEq)]
struct Seen {
    data: Vec<u8>,
    registers: Vec<u32>,
    syncpoints: Vec<Option<u32>>,
    blocked: Option<Blocked>,
    now: u64,
}

fn seen(machine: &mut Machine) -> Seen {
    let classes = [Class::ThreeD, Class::Compute, Class::Inline, Class::TwoD, Class::Copy];
    let units = machine.gpu.channel(0).expect("a channel").units();
    let registers =
        classes.iter().flat_map(|&class| (0..0x1000).map(move |method| units.registers(class).get(method))).collect();
    let blocked = machine.gpu.channel(0).and_then(|channel| channel.blocked());
    let syncpoints = (0..200).map(|index| machine.gpu.core().syncpoint(index)).collect();
    Seen { data: machine.data(), registers, syncpoints, blocked, now: machine.gpu.core().budget.now() }
}

fn fresh() -> Machine {
    Machine { gpu: TegraX1::new(&options()).expect("a machine"), end: BUFFER, held: None }
}

#[test]
fn a_machine_goes_on_from_wherever_it_was() {
    let parts = work();
    let mut whole = Machine::new();
    parts.iter().for_each(|words| whole.run(words));
    whole.gpu.write(GuestAddr::new(0, DATA + 0x200), &[1]).expect("mapped memory");
    whole.gpu.run();
    whole.expect_no_faults();
    assert_eq!(whole.register(Class::ThreeD, 0xD40), 42);
    assert_eq!(whole.register(Class::ThreeD, 0xD50), 0xAAAA);
    assert_eq!(whole.words(0x80), [1, 2, 3, 0, 4, 5, 6]);
    let expected = seen(&mut whole);
    for cut in 1..=parts.len() {
        let mut first = Machine::new();
        parts[..cut].iter().for_each(|words| first.run(words));
        let before = seen(&mut first);
        let snapshot = first.gpu.snapshot(SnapshotOptions::default()).unwrap();
        assert_eq!(seen(&mut first), before, "a snapshot changes nothing");
        assert_eq!(first.gpu.snapshot(SnapshotOptions::default()).unwrap(), snapshot, "a snapshot is always the same");
        // Into a machine that has done something else, and nothing but what the snapshot maps.
        let mut second = fresh();
        second.gpu.map(GuestRange::new(0, 0x7000_0000, 0x1000), Access::READ_WRITE).expect("memory");
        second.gpu.increment_syncpoint(triglyph_guest::id::SyncpointId::new(3));
        second.end = first.end;
        second.gpu.restore(&snapshot).expect("a good snapshot");
        assert!(second.gpu.read(GuestAddr::new(0, 0x7000_0000), &mut [0]).is_err());
        assert_eq!(seen(&mut second), before, "after part {cut}");
        parts[cut..].iter().for_each(|words| second.run(words));
        second.gpu.write(GuestAddr::new(0, DATA + 0x200), &[1]).expect("mapped memory");
        second.gpu.run();
        assert_eq!(seen(&mut second), expected, "after part {cut}");
    }
}

/// Without memory the host keeps it.
#[test]
fn registers_alone() {
    let parts = work();
    let mut first = Machine::new();
    parts[..13].iter().for_each(|words| first.run(words));
    let snapshot = first.gpu.snapshot(SnapshotOptions::REGISTERS.with_compression(false)).unwrap();
    let mut second = fresh();
    for (address, size) in [(BUFFER, BUFFER_SIZE), (DATA, SIZE)] {
        let mut bytes = vec![0; size as usize];
        first.gpu.read(GuestAddr::new(0, address), &mut bytes).expect("mapped memory");
        second.gpu.map(GuestRange::new(0, address, size), Access::READ_WRITE).expect("memory");
        second.gpu.write(GuestAddr::new(0, address), &bytes).expect("mapped memory");
    }
    second.gpu.restore(&snapshot).expect("a good snapshot");
    assert_eq!(seen(&mut second), seen(&mut first));
}

/// Random words on several channels, cut in two.
#[test]
fn arbitrary_states_come_back() {
    for seed in 1..12 {
        let mut word = words(seed * 0x1_2345_6789);
        let mut words = |_| -> Vec<u32> {
            let plausible = |word: &mut dyn FnMut() -> u32| match word() % 4 {
                0 => header(word() % 8, word() % 0x1000, 1 + word() % 4, Stepping::Each),
                1 => header(word() % 4, 0x60 + word() % 0x10, 1 + word() % 3, Stepping::Once),
                2 => word() % 0x30_0000,
                _ => word(),
            };
            (0..300).map(|_| plausible(&mut word)).collect()
        };
        let parts: Vec<Vec<u32>> = (0..12).map(&mut words).collect();
        let mut whole = Machine::new();
        for (channel, words) in parts.iter().enumerate() {
            whole.run_on(channel as u32 % 3, words);
        }
        let mut first = Machine::new();
        parts[..6].iter().enumerate().for_each(|(channel, words)| first.run_on(channel as u32 % 3, words));
        let mut second = fresh();
        second.end = first.end;
        second.gpu.restore(&first.gpu.snapshot(SnapshotOptions::default()).unwrap()).expect("a good snapshot");
        parts[6..].iter().enumerate().for_each(|(channel, words)| second.run_on(channel as u32 % 3, words));
        let last = |machine: &mut Machine| machine.gpu.snapshot(SnapshotOptions::default()).unwrap();
        assert!(last(&mut second) == last(&mut whole), "seed {seed}");
    }
}

/// Any byte that is not as it was is noticed, and nothing has changed then.
#[test]
fn broken_snapshots_are_refused() {
    let mut machine = Machine::new();
    work()[..10].iter().for_each(|words| machine.run(words));
    let options = SnapshotOptions::REGISTERS;
    let snapshot = machine.gpu.snapshot(options).unwrap();
    let before = seen(&mut machine);
    let mut word = words(3);
    for _ in 0..200 {
        let mut bytes = snapshot.clone();
        let at = word() as usize % bytes.len();
        bytes[at] ^= 1 << (word() % 8);
        assert!(matches!(machine.gpu.restore(&bytes), Err(Error::Snapshot { .. })));
        assert!(machine.gpu.restore(&snapshot[..at]).is_err());
    }
    assert_eq!(seen(&mut machine), before);
    let mut other = snapshot.clone();
    other[8] = Console::Ps3 as u8;
    assert!(machine.gpu.restore(&other).is_err());
}
