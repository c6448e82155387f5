//! A 3DS without a PICA: GSP, external registers, memory, and registers that only store.

pub mod commands;

use triglyph_engine::device::{Fault, FaultKind, Faults};
use triglyph_engine::mem::GuestRange;
use triglyph_engine::transfer::{Outcome, Request};
use triglyph_n3ds::external::{CommandProcessor, External, ListEnd};
use triglyph_n3ds::gsp::{Bus, Gsp, Session};

use triglyph_testkit::transfer::Bench;

pub const VRAM: u64 = 0x1800_0000;
pub const FCRAM: u64 = 0x2000_0000;

/// What the external registers drive.
pub struct TestCore {
    pub bench: Bench,
    pub registers: [u32; 0x300],
    /// Lists that were run: address, size.
    pub lists: Vec<(u32, u32)>,
    /// Whether lists raise P3D.
    pub lists_end: bool,
    pub flushed: Vec<(u32, u32)>,
    pub faults: Faults,
}

impl CommandProcessor for TestCore {
    fn run_list(&mut self, address: u32, size: u32) -> ListEnd {
        self.lists.push((address, size));
        ListEnd { interrupt: self.lists_end, words: u64::from(size) / 4, triangles: 0 }
    }

    fn write_register(&mut self, id: u32, value: u32, byte_mask: u32) -> bool {
        assert_eq!(byte_mask, 0xF);
        self.registers[id as usize] = value;
        let compare = self.registers[0x20].to_le_bytes();
        id == 0x10 && value.to_le_bytes().iter().zip(compare).any(|(&a, b)| a == b)
    }

    fn read_register(&mut self, id: u32) -> u32 {
        self.registers[id as usize]
    }

    fn transfer(&mut self, request: &Request) -> Outcome {
        self.bench.run(request)
    }

    fn is_mapped(&self, range: GuestRange) -> bool {
        self.bench.memory.check_mapped(range).is_ok()
    }

    fn flush(&mut self, address: u32, size: u32) {
        self.flushed.push((address, size));
    }

    fn fault(&mut self, kind: FaultKind, what: String, address: u64) {
        self.faults.report(Fault::new(kind, what, address, 0));
    }
}

pub struct Console {
    pub gsp: Gsp,
    pub external: External,
    pub core: TestCore,
}

/// The session of most tests.
pub const GAME: Session = Session(7);

impl Console {
    pub fn with_memory(ranges: &[(u64, u64)]) -> Self {
        let mut registers = [0; 0x300];
        registers[0x20] = 0x1234_5678;
        let core = TestCore {
            bench: Bench::new(1, ranges),
            registers,
            lists: Vec::new(),
            lists_end: true,
            flushed: Vec::new(),
            faults: Faults::default(),
        };
        Console { gsp: Gsp::default(), external: External::default(), core }
    }

    /// All of VRAM and 1 MiB of main memory.
    pub fn new() -> Self {
        Self::with_memory(&[(VRAM, 0x60_0000), (FCRAM, 0x10_0000)])
    }

    /// With one client that has the rendering right.
    pub fn with_game() -> Self {
        let mut console = Self::new();
        console.gsp.register_relay_queue(GAME, 0, 1).unwrap();
        console.gsp.acquire_right(GAME);
        console
    }

    /// GSP and what it drives.
    pub fn parts(&mut self) -> (&mut Gsp, Bus<'_, TestCore>) {
        (&mut self.gsp, Bus { external: &mut self.external, core: &mut self.core })
    }

    /// Writes an external register.
    pub fn poke(&mut self, offset: u32, value: u32) -> Option<triglyph_n3ds::external::Event> {
        self.external.write(&mut self.core, offset, value)
    }

    /// Reads an external register.
    pub fn peek(&mut self, offset: u32) -> u32 {
        self.external.read(&mut self.core, offset)
    }

    /// Queues commands of the first client without triggering.
    pub fn queue(&self, commands: &[[u32; 8]]) {
        for words in commands {
            self.gsp.command_queue(0).submit(words).unwrap();
        }
    }

    /// Queues commands of the first client and triggers.
    pub fn submit(&mut self, commands: &[[u32; 8]]) {
        self.queue(commands);
        let (gsp, mut bus) = self.parts();
        gsp.trigger(&mut bus);
    }

    /// Delivers everything.
    pub fn deliver(&mut self) {
        let (gsp, mut bus) = self.parts();
        gsp.auto_deliver(&mut bus);
    }

    /// Takes a client's interrupts.
    pub fn interrupts(&self, client: usize) -> Vec<u8> {
        std::iter::from_fn(|| self.gsp.relay_queue(client).pop()).collect()
    }
}
