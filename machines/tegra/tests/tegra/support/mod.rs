//! A Tegra X1 with memory and push buffers, for tests.

pub mod threed;

use triglyph_engine::Device;
use triglyph_engine::cache::TierMode;
use triglyph_engine::device::{Access, Event, FaultKind};
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_guest::tegra::fifo::{Command, Entry, Run, Segment, Stepping};
use triglyph_guest::tegra::methods::Class;
use triglyph_guest::tegra::mme::assemble_program;
use triglyph_options::Options;
use triglyph_tegra::TegraX1;

/// Where push buffers are, and where tests have their data.
pub const BUFFER: u64 = 0x10_0000;
pub const DATA: u64 = 0x20_0000;
/// Bytes of push buffers, and of data.
pub const BUFFER_SIZE: u64 = DATA - BUFFER;
pub const SIZE: u64 = 0x30_0000;

/// Subchannels of the classes.
pub const THREED: u32 = 0;
pub const COMPUTE: u32 = 1;
pub const INLINE: u32 = 2;
pub const TWOD: u32 = 3;
pub const COPY: u32 = 4;
pub const SOFTWARE: u32 = 5;
pub const HOST: u32 = 6;

/// The reference, on one thread.
pub fn options() -> Options {
    Options::new(TierMode::InterpreterOnly, 1)
}

pub struct Machine {
    pub gpu: TegraX1,
    pub end: u64,
    /// Words of [`Machine::set`] that are collected.
    pub held: Option<Vec<u32>>,
}

impl Machine {
    pub fn new() -> Self {
        Self::with(&options())
    }

    pub fn with(options: &Options) -> Self {
        let mut gpu = TegraX1::new(options).expect("a machine");
        for (address, size) in [(BUFFER, BUFFER_SIZE), (DATA, SIZE)] {
            gpu.map(GuestRange::new(0, address, size), Access::READ_WRITE).expect("memory");
        }
        Machine { gpu, end: BUFFER, held: None }
    }

    /// Stores words after those stored before, from the beginning when there is no room; the entry that executes them.
    pub fn entry(&mut self, words: &[u32]) -> u64 {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        if self.end + bytes.len() as u64 > BUFFER + BUFFER_SIZE {
            self.end = BUFFER;
        }
        self.gpu.write(GuestAddr::new(0, self.end), &bytes).expect("room for a push buffer");
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

    /// Collects what [`Self::set`] writes, so that it comes in one submission: until something else happens.
    pub fn hold(&mut self) {
        self.held.get_or_insert_default();
    }

    /// Executes what was collected.
    pub fn release(&mut self) {
        if let Some(words) = self.held.take().filter(|words| !words.is_empty()) {
            self.run(&words);
        }
    }

    /// Executes words on a channel.
    pub fn run_on(&mut self, channel: u32, words: &[u32]) {
        self.release();
        let entry = self.entry(words);
        self.gpu.submit_entries(channel.into(), [entry]).expect("a submission");
    }

    pub fn run(&mut self, words: &[u32]) {
        self.run_on(0, words);
    }

    /// Writes methods, each with its datum, on one subchannel.
    pub fn set(&mut self, subchannel: u32, registers: &[(usize, u32)]) {
        let words: Vec<u32> =
            registers.iter().flat_map(|&(method, datum)| methods(subchannel, method as u32, &[datum])).collect();
        match &mut self.held {
            Some(held) => held.extend(words),
            None => self.run(&words),
        }
    }

    /// The same on that of the 3D class.
    pub fn threed(&mut self, registers: &[(usize, u32)]) {
        self.set(THREED, registers);
    }

    pub fn register(&self, class: Class, method: usize) -> u32 {
        self.gpu.channel(0).expect("a channel").units().registers(class).get(method)
    }

    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        self.release();
        self.gpu.write(GuestAddr::new(0, DATA + offset), bytes).expect("mapped memory");
    }

    pub fn read(&mut self, offset: u64, size: usize) -> Vec<u8> {
        self.release();
        let mut bytes = vec![0; size];
        self.gpu.read(GuestAddr::new(0, DATA + offset), &mut bytes).expect("mapped memory");
        bytes
    }

    /// All data.
    pub fn data(&mut self) -> Vec<u8> {
        self.read(0, SIZE as usize)
    }

    pub fn words<const N: usize>(&mut self, offset: u64) -> [u32; N] {
        let bytes = self.read(offset, 4 * N);
        std::array::from_fn(|i| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes")))
    }

    pub fn faults(&self, kind: FaultKind) -> u64 {
        self.gpu.faults().count(kind)
    }

    /// Faults of all kinds.
    pub fn gpu_faults(&self) -> u64 {
        self.gpu.faults().total()
    }

    #[track_caller]
    pub fn expect_no_faults(&self) {
        assert_eq!(self.gpu.faults().total(), 0, "{:?}", self.gpu.faults().first());
    }

    /// Uploads a macro at word `at` and makes it number `index`.
    pub fn upload(&mut self, index: u32, at: u32, text: &str) {
        let code = assemble_program(text).expect("a macro");
        let head = [header(THREED, 0x45, code.len() as u32 + 1, Stepping::Once), at];
        self.run(&[&head[..], &code].concat());
        self.run(&methods(THREED, 0x47, &[index, at]));
    }
}

pub fn header(subchannel: u32, method: u32, count: u32, stepping: Stepping) -> u32 {
    Command::Run(Run { subchannel, method, count, stepping }).encode().expect("a header")
}

/// Words for consecutive methods.
pub fn methods(subchannel: u32, method: u32, data: &[u32]) -> Vec<u32> {
    [&[header(subchannel, method, data.len() as u32, Stepping::Each)], data].concat()
}

/// SEMAPHORE_A to D.
pub fn semaphore(offset: u64, payload: u32, operation: u32) -> Vec<u32> {
    methods(HOST, 4, &[0, (DATA + offset) as u32, payload, operation])
}

/// How often methods have asked for an interrupt since events were last taken.
pub fn interrupts(gpu: &mut TegraX1) -> u64 {
    let count = |event| if let Event::Interrupt { count, .. } = event { count } else { 0 };
    gpu.take_events().into_iter().map(count).sum()
}

/// The slots of fences that were reached since events were last taken.
pub fn signalled(gpu: &mut TegraX1) -> Vec<u32> {
    let slot = |event| if let Event::Fence { slot, .. } = event { Some(slot.get()) } else { None };
    gpu.take_events().into_iter().filter_map(slot).collect()
}
