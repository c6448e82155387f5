//! The Tegra X1's command submission: push buffers, macros, semaphores, syncpoints, inline transfers.

use std::sync::Arc;

use triglyph_engine::Device;
use triglyph_engine::cache::{TierMode, Tiers};
use triglyph_engine::device::{Access, FaultKind};
use triglyph_engine::render::{Accuracy, RenderOptions};
use triglyph_engine::tegra::{Blocked, TegraX1};
use triglyph_guest::layout::surface::block_linear;
use triglyph_guest::tegra::fifo::{Command, Entry, Run, Segment, Stepping};
use triglyph_guest::tegra::methods::Class;
use triglyph_guest::tegra::mme::assemble_program;
use triglyph_interp::Interpreter;

/// Where push buffers stand, and where tests have their data.
const BUFFER: u64 = 0x10_0000;
const DATA: u64 = 0x20_0000;

/// Subchannels of the classes.
const THREED: u32 = 0;
const INLINE: u32 = 2;
const HOST: u32 = 6;

struct Machine {
    gpu: TegraX1,
    end: u64,
}

impl Machine {
    fn new() -> Self {
        let tiers = Tiers { reference: Arc::new(Interpreter), quick: None, hot: None };
        let options = RenderOptions {
            tiers,
            mode: TierMode::InterpreterOnly,
            threads: 1,
            pool: None,
            code_budget: 1 << 20,
            accuracy: Accuracy::default(),
        };
        let mut gpu = TegraX1::new(&options).expect("a machine");
        for address in [BUFFER, DATA] {
            gpu.map(0, address, 0x10_0000, Access::READ_WRITE).expect("memory");
        }
        Machine { gpu, end: BUFFER }
    }

    /// Stores words behind those stored before; the entry that executes them.
    fn entry(&mut self, words: &[u32]) -> u64 {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.gpu.write(0, self.end, &bytes).expect("room for a push buffer");
        let segment = Segment {
            address: self.end,
            words: words.len() as u32,
            sync: false,
            subroutine: false,
            conditional: false,
        };
        self.end += bytes.len() as u64;
        Entry::Segment(segment).encode()
    }

    /// Executes words on a channel.
    fn run_on(&mut self, channel: u32, words: &[u32]) {
        let entry = self.entry(words);
        self.gpu.submit_entries(channel, [entry]).expect("a submission");
    }

    fn run(&mut self, words: &[u32]) {
        self.run_on(0, words);
    }

    fn register(&self, class: Class, method: usize) -> u32 {
        self.gpu.channel(0).expect("a channel").units().registers(class).get(method)
    }

    fn words<const N: usize>(&mut self, offset: u64) -> [u32; N] {
        let mut bytes = vec![0; 4 * N];
        self.gpu.read(0, DATA + offset, &mut bytes).expect("mapped memory");
        std::array::from_fn(|i| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes")))
    }

    fn faults(&self, kind: FaultKind) -> u64 {
        self.gpu.faults().count(kind)
    }
}

fn header(subchannel: u32, method: u32, count: u32, stepping: Stepping) -> u32 {
    Command::Run(Run { subchannel, method, count, stepping }).encode().expect("a header")
}

/// Words for consecutive methods.
fn methods(subchannel: u32, method: u32, data: &[u32]) -> Vec<u32> {
    [&[header(subchannel, method, data.len() as u32, Stepping::Each)], data].concat()
}

/// SEMAPHORE_A to D.
fn semaphore(offset: u64, payload: u32, operation: u32) -> Vec<u32> {
    methods(HOST, 4, &[0, (DATA + offset) as u32, payload, operation])
}

const ACQUIRE: u32 = 1;
const RELEASE_WORD: u32 = 2 | 1 << 24;
const ACQUIRE_GEQUAL: u32 = 4;

#[test]
fn methods_reach_the_class_of_their_subchannel() {
    let mut machine = Machine::new();
    machine.run(&methods(THREED, 0xD10, &[1, 2, 3]));
    machine.run(&[header(THREED, 0xD20, 3, Stepping::Once), 4, 5, 6, header(THREED, 0xD30, 2, Stepping::Never), 7, 8]);
    let immediate = Command::Immediate { subchannel: THREED, method: 0xD40, data: 9 }.encode().expect("a word");
    machine.run(&[immediate]);
    let threed = |method| machine.register(Class::ThreeD, method);
    assert_eq!([0xD10, 0xD11, 0xD12, 0xD20, 0xD21, 0xD30, 0xD40].map(threed), [1, 2, 3, 4, 6, 8, 9]);
    assert_eq!(machine.gpu.faults().total(), 0, "{:?}", machine.gpu.faults().first());
    // Rebound, the same subchannel feeds another class.
    machine.run(&methods(THREED, 0, &[Class::Inline.id()]));
    machine.run(&methods(THREED, 0x60, &[44]));
    assert_eq!(machine.register(Class::Inline, 0x60), 44);
    assert_ne!(machine.register(Class::ThreeD, 0x60), 44);
}

#[test]
fn headers_wait_for_their_data_across_segments_and_submissions() {
    let mut machine = Machine::new();
    let [first, second] = [machine.entry(&[header(THREED, 0xD10, 3, Stepping::Each), 1]), machine.entry(&[2])];
    machine.gpu.submit_entries(0, [first, second]).expect("a submission");
    machine.run(&[3]);
    assert_eq!([0xD10, 0xD11, 0xD12].map(|method| machine.register(Class::ThreeD, method)), [1, 2, 3]);
}

/// Uploads a macro at word `at` and makes it number `index`.
fn upload(machine: &mut Machine, index: u32, at: u32, text: &str) {
    let code = assemble_program(text).expect("a macro");
    let head = [header(THREED, 0x45, code.len() as u32 + 1, Stepping::Once), at];
    machine.run(&[&head[..], &code].concat());
    machine.run(&methods(THREED, 0x47, &[index, at]));
}

/// Writes its parameters to consecutive scratch registers, as many as the first one says.
const STORE: &str = "addi.addr r0, r0, 0x1d50
    next: addi.fetch r2, r0, 0
    addi.send r0, r2, 0
    addi r1, r1, -1
    bnz.annul r1, next
    addi.exit r0, r0, 0
    addi r0, r0, 0";

#[test]
fn macros_get_parameters_from_wherever_they_stand() {
    let mut machine = Machine::new();
    upload(&mut machine, 5, 0x40, STORE);
    let call = 0xE00 + 2 * 5;
    // All in one header.
    machine.run(&[header(THREED, call, 4, Stepping::Once), 3, 10, 11, 12]);
    let scratch = |machine: &Machine| [0xD50, 0xD51, 0xD52].map(|method| machine.register(Class::ThreeD, method));
    assert_eq!(scratch(&machine), [10, 11, 12]);
    // The header in one segment, the data in another, as indirect draws have them.
    let parts = [machine.entry(&[header(THREED, call, 4, Stepping::Once)]), machine.entry(&[3, 20, 21, 22])];
    machine.gpu.submit_entries(0, parts).expect("a submission");
    assert_eq!(scratch(&machine), [20, 21, 22]);
    // Parameters in headers of their own; the macro runs before the method behind them.
    machine.run(
        &[methods(THREED, call, &[2]), methods(THREED, call + 1, &[30]), methods(THREED, call + 1, &[31])].concat(),
    );
    assert_eq!(scratch(&machine), [30, 31, 22]);
    assert_eq!(machine.gpu.faults().total(), 0, "{:?}", machine.gpu.faults().first());
    // Overwritten code is new code.
    upload(&mut machine, 6, 0x40, "addi.addr r0, r0, 0xd50\naddi.send.exit r0, r1, 1\naddi r0, r0, 0");
    machine.run(&methods(THREED, call, &[77]));
    assert_eq!(scratch(&machine)[0], 78);
}

#[test]
fn macros_that_go_wrong_are_counted() {
    let mut machine = Machine::new();
    upload(&mut machine, 0, 0, ".word 6");
    machine.run(&methods(THREED, 0xE00, &[1]));
    assert_eq!(machine.faults(FaultKind::BadShader), 1);
    upload(&mut machine, 0, 0, "here: bz.annul r0, here");
    machine.run(&methods(THREED, 0xE00, &[1]));
    assert_eq!(machine.faults(FaultKind::OutOfFuel), 1);
    upload(&mut machine, 0, 0, "addi.exit r0, r0, 0\naddi r0, r0, 0");
    machine.run(&[header(THREED, 0xE00, 2, Stepping::Once), 1, 2]);
    machine.run(&methods(THREED, 0xE03, &[1]));
    assert_eq!(machine.faults(FaultKind::BadMethod), 2);
}

#[test]
fn firmware_answers() {
    let mut machine = Machine::new();
    machine.run(&methods(THREED, 0xD00, &[0]));
    machine.run(&methods(THREED, 0x8C4, &[0x41_8800]));
    assert_eq!(machine.register(Class::ThreeD, 0xD00), 1);
}

#[test]
fn semaphores_are_released_and_waited_for() {
    let mut machine = Machine::new();
    machine.run(&semaphore(0x10, 5, RELEASE_WORD));
    machine.run(&semaphore(0x20, 6, 2));
    assert_eq!(machine.words(0x10), [5]);
    let [payload, zero, low, high] = machine.words(0x20);
    assert_eq!([payload, zero, high], [6, 0, 0]);
    assert!(low > 0, "time passes with the work");

    // Nobody has written 9 yet: what follows waits.
    machine.run(&[semaphore(0x30, 9, ACQUIRE), methods(THREED, 0xD10, &[1])].concat());
    assert!(matches!(machine.gpu.channel(0).and_then(|channel| channel.blocked()), Some(Blocked::Semaphore { .. })));
    assert_ne!(machine.register(Class::ThreeD, 0xD10), 1);
    machine.gpu.finish();
    assert_eq!(machine.faults(FaultKind::OutOfFuel), 1);
    machine.gpu.write(0, DATA + 0x30, &9u32.to_le_bytes()).expect("mapped memory");
    machine.gpu.run();
    assert_eq!(machine.register(Class::ThreeD, 0xD10), 1);
}

#[test]
fn channels_wait_for_each_other() {
    let mut machine = Machine::new();
    machine.run_on(0, &[semaphore(0, 1, ACQUIRE), semaphore(8, 2, RELEASE_WORD)].concat());
    machine.run_on(
        1,
        &[semaphore(0, 1, RELEASE_WORD), semaphore(8, 2, ACQUIRE_GEQUAL), semaphore(4, 3, RELEASE_WORD)].concat(),
    );
    assert_eq!(machine.words(0), [1, 3, 2]);
    // Syncpoint 7 becomes 1 on one channel while another one waits for it.
    machine.run_on(0, &methods(HOST, 0x1C, &[1, 7 << 8]));
    assert_eq!(
        machine.gpu.channel(0).and_then(|channel| channel.blocked()),
        Some(Blocked::Syncpoint { index: 7, threshold: 1 })
    );
    machine.run_on(1, &methods(HOST, 0x1D, &[7 << 8 | 1]));
    assert_eq!(machine.gpu.channel(0).and_then(|channel| channel.blocked()), None);
    assert_eq!(machine.gpu.core().syncpoint(7), Some(1));
    assert_eq!(machine.gpu.faults().total(), 0, "{:?}", machine.gpu.faults().first());
}

#[test]
fn reductions() {
    let mut machine = Machine::new();
    let mut reduce = |start: u32, payload: u32, how: u32| {
        machine.gpu.write(0, DATA, &start.to_le_bytes()).expect("mapped memory");
        machine.run(&semaphore(0, payload, 0x10 | how << 27));
        machine.words::<1>(0)[0]
    };
    const UNSIGNED: u32 = 16;
    assert_eq!([reduce(3, u32::MAX, 0), reduce(3, u32::MAX, UNSIGNED)], [u32::MAX, 3]);
    assert_eq!([reduce(3, u32::MAX, 1), reduce(3, u32::MAX, 1 | UNSIGNED)], [3, u32::MAX]);
    assert_eq!([reduce(6, 3, 2), reduce(6, 3, 3), reduce(6, 3, 4), reduce(6, 3, 5)], [5, 2, 7, 9]);
    assert_eq!([reduce(2, 3, 6), reduce(3, 3, 6), reduce(2, 3, 7), reduce(0, 3, 7), reduce(4, 3, 7)], [3, 0, 1, 3, 3]);
}

/// A fence as programs write it: report semaphore, released after writes, one word (switchbrew: GPU).
#[test]
fn fences_of_command_lists() {
    let mut machine = Machine::new();
    machine.run(&methods(THREED, 0x6C0, &[0, DATA as u32 + 0x40, 0x1234, 0x1000_F010]));
    assert_eq!(machine.words(0x40), [0x1234]);
    assert_eq!(machine.gpu.faults().total(), 0, "{:?}", machine.gpu.faults().first());
}

#[test]
fn inline_data_go_to_rows_and_to_blocks() {
    let mut machine = Machine::new();
    // Two lines of six bytes, 16 apart; each begins at a word of its own. A semaphore afterwards.
    machine.run(&methods(INLINE, 0x77, &[0, DATA as u32 + 0x80, 77]));
    machine.run(&methods(INLINE, 0x60, &[6, 2, 0, DATA as u32, 16]));
    machine.run(&methods(INLINE, 0x6C, &[1 | 2 << 4 | 1 << 12]));
    machine.run(&[header(INLINE, 0x6D, 4, Stepping::Never), 0x0403_0201, 0xFFFF_0605, 0x1413_1211, 0xFFFF_1615]);
    assert_eq!(machine.words(0), [0x0403_0201, 0x0605, 0, 0, 0x1413_1211, 0x1615]);
    assert_eq!(machine.words(0x80), [77]);

    // A block-linear image of 128 bytes a row and 40 rows, blocks of two GOBs, from byte 20, row 9 on.
    let line: Vec<u32> = (0..24).map(|i| 0x0101_0101 * (i + 1)).collect();
    machine.run(&methods(INLINE, 0x60, &[96, 1, 0, DATA as u32 + 0x1000, 0, 1 << 4, 128, 40, 1, 0, 20, 9]));
    machine.run(&methods(INLINE, 0x6C, &[0]));
    machine.run(&[&[header(INLINE, 0x6D, 24, Stepping::Never)], &line[..]].concat());
    for (i, byte) in line.iter().flat_map(|word| word.to_le_bytes()).enumerate() {
        let mut found = [0];
        let at = block_linear(20 + i as u32, 9, 2, 1);
        machine.gpu.read(0, DATA + 0x1000 + at, &mut found).expect("mapped memory");
        assert_eq!(found[0], byte, "byte {i}");
    }
    assert_eq!(machine.gpu.faults().total(), 0, "{:?}", machine.gpu.faults().first());
}

#[test]
fn nonsense_is_counted_and_left_behind() {
    let mut machine = Machine::new();
    machine.run(&[6 << 29]);
    machine.run(&[2 << 29 | 1 << 16]);
    assert_eq!(machine.faults(FaultKind::BadCommand), 2);
    machine.run(&methods(7, 0x100, &[1]));
    machine.run(&methods(THREED, 0, &[0x1234]));
    machine.run(&methods(HOST, 0x3F, &[1]));
    machine.run(&methods(HOST, 1, &[1]));
    assert_eq!(machine.faults(FaultKind::BadMethod), 4);
    let missing = Segment { address: 0x1000, words: 8, sync: false, subroutine: false, conditional: false };
    machine.gpu.submit_entries(0, [Entry::Segment(missing).encode(), 1 << 32, 9 << 32]).expect("a submission");
    assert_eq!((machine.faults(FaultKind::UnmappedRead), machine.faults(FaultKind::BadCommand)), (1, 4));
}

#[test]
fn random_words_end_and_stay_inside() {
    let mut state = 0x1234_5678_9ABC_DEF1u64;
    let mut word = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as u32
    };
    let mut faults = 0;
    for _ in 0..40 {
        let mut machine = Machine::new();
        // Many headers are plausible, all data are arbitrary.
        let words: Vec<u32> = (0..4000)
            .map(|i| match word() % 4 {
                0 => header(word() % 8, word() % 0x1000, 1 + word() % 4, Stepping::Each),
                1 if i % 7 == 0 => header(THREED, 0x45 + word() % 4, 3, Stepping::Once),
                2 => word() % 0x30_0000,
                _ => word(),
            })
            .collect();
        machine.run(&words);
        machine.gpu.finish();
        faults += machine.gpu.faults().total();
    }
    assert!(faults > 1000, "only {faults} faults");
}
