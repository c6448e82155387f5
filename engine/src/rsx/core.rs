//! What every part of the RSX works on: memory, renderer, objects by name, faults, time.

use std::fmt::Arguments;
use std::time::Instant;

use super::dma::{DmaObject, HandleTable};
use crate::device::{Fault, FaultKind, Faults, ObjectEntry};
use crate::mem::Memory;
use crate::render::Renderer;
use crate::transfer::{Outcome, Place, Request, Transfers};

/// How much of the hardware there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RsxMode {
    /// All of it: registers, instance memory, hash table, channels that are switched.
    #[default]
    Exact,
    /// One channel, handles resolved directly, local memory alone.
    Fast,
}

/// What engine objects and the FIFO share.
#[derive(Debug)]
pub struct Core {
    /// Guest memory: local memory, main memory through the IO map.
    pub memory: Memory,
    /// Kernels, threads, the scene.
    pub renderer: Renderer,
    /// What the guest did wrong.
    pub faults: Faults,
    /// Whether words in memory are big-endian: push buffers, vertices, textures, surfaces, reports, semaphores.
    pub big_endian: bool,
    /// Where in the push buffer the header stands that is being executed, an offset in the channel's push buffer
    /// object. Faults name it.
    pub position: u64,
    mode: RsxMode,
    objects: HandleTable,
    /// Work that may still be done before the guest counts as running away, about a nanosecond each.
    fuel: u64,
    /// Nanoseconds since power on. Moves with the work, not with the host's clock, so that runs can be repeated.
    clock: u64,
}

impl Core {
    pub(super) fn new(mode: RsxMode, renderer: Renderer) -> Self {
        Core {
            memory: Memory::default(),
            renderer,
            faults: Faults::default(),
            big_endian: false,
            position: 0,
            mode,
            objects: HandleTable::default(),
            fuel: 0,
            clock: 0,
        }
    }

    /// How much of the hardware there is.
    pub fn mode(&self) -> RsxMode {
        self.mode
    }

    /// The memory behind the value of an object method (0x180 to 0x1FC): a handle in fast mode, an instance address in
    /// exact mode. `None` for null objects, engine objects and names without an object.
    pub fn resolve(&self, name: u32) -> Option<DmaObject> {
        DmaObject::of_entry(self.objects.get(name)?)
    }

    /// As [`Self::resolve`], with a fault when there is nothing. `what` says what it was for.
    pub fn dma(&mut self, name: u32, what: &str) -> Option<DmaObject> {
        let object = self.resolve(name);
        if object.is_none() {
            self.fault(FaultKind::BadMethod, u64::from(name), format_args!("{what}: no memory behind {name:#x}"));
        }
        object
    }

    /// The class of an object, by the value of an object method.
    pub fn class_of(&self, name: u32) -> Option<u32> {
        self.objects.get(name).map(|entry| entry.class)
    }

    pub(super) fn enter(&mut self, entry: ObjectEntry) {
        self.objects.insert(entry);
    }

    /// Counts a fault at a guest address, method or handle; the text is only made when it is kept.
    #[cold]
    pub fn fault(&mut self, kind: FaultKind, address: u64, what: Arguments<'_>) {
        if self.faults.first().len() < Faults::KEPT {
            self.faults.report(Fault { kind, what: what.to_string(), address, command: self.position });
        } else {
            self.faults.count_only(kind, 1);
        }
    }

    /// Nanoseconds since power on.
    pub fn now(&self) -> u64 {
        self.clock
    }

    pub(super) fn refuel(&mut self, units: u64) {
        self.fuel = units;
    }

    /// Takes fuel for work that costs about `nanoseconds`, and lets that time pass. False, once there is not enough left:
    /// the work is not done then.
    #[must_use]
    pub fn spend(&mut self, nanoseconds: u64) -> bool {
        let enough = nanoseconds <= self.fuel;
        self.clock = self.clock.wrapping_add(nanoseconds.min(self.fuel));
        self.fuel = self.fuel.saturating_sub(nanoseconds);
        enough
    }

    /// Draws what is still in the scene, so that memory shows it.
    pub fn flush(&mut self) {
        self.renderer.flush(&self.memory);
    }

    /// Does a transfer after everything drawn so far; what falls outside of memory is a fault of `what`.
    pub fn transfer(&mut self, what: &str, request: &Request) {
        self.flush();
        let start = Instant::now();
        let transfers =
            Transfers { memory: &self.memory, kernels: &self.renderer.kernels, scheduler: &self.renderer.scheduler };
        let Outcome { unread, dropped } = transfers.run(request);
        self.renderer.add_transfer(start.elapsed());
        let (source, target) = match request {
            Request::Fill(fill) => (fill.target, fill.target),
            Request::Copy(copy) => (copy.source, copy.target),
            Request::Convert(convert) => (convert.source, convert.target),
            Request::Rearrange(rearrange) => (rearrange.source, rearrange.target),
        };
        if unread != 0 {
            let what = format_args!("{what}: {unread:#x} bytes outside memory");
            self.fault(FaultKind::UnmappedRead, source.address, what);
        }
        if dropped != 0 {
            let what = format_args!("{what}: {dropped:#x} bytes outside memory");
            self.fault(FaultKind::UnmappedWrite, target.address, what);
        }
    }

    /// The word at `place` in the channel's byte order; 0 and a fault outside of memory. Sees everything drawn so far.
    pub fn read_word(&mut self, place: Place, what: &str) -> u32 {
        let Place { space, address } = place;
        self.renderer.flush_overlapping(&self.memory, space, address, 4);
        let window = self.memory.readable(space, address);
        if window.len() < 4 {
            self.fault(FaultKind::UnmappedRead, address, format_args!("{what}: read outside memory"));
            return 0;
        }
        let bytes = window.read(0);
        if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    /// Stores words at `place` in the channel's byte order; a fault outside of memory. What was drawn before is in
    /// memory before.
    pub fn write_words(&mut self, place: Place, words: &[u32], what: &str) {
        self.flush();
        let Place { space, address } = place;
        let window = self.memory.writable(space, address);
        let bytes = 4 * words.len();
        if window.len() < bytes {
            self.fault(FaultKind::UnmappedWrite, address, format_args!("{what}: written outside memory"));
            return;
        }
        for (i, word) in words.iter().enumerate() {
            window.write(4 * i, &if self.big_endian { word.to_be_bytes() } else { word.to_le_bytes() });
        }
        self.memory.mark_written(space, address, bytes as u64);
    }

    /// Stores what reports and notifiers consist of: time in nanoseconds, a value, a status. 16 bytes.
    pub fn write_record(&mut self, place: Place, value: u32, status: u32, what: &str) {
        let time = self.now();
        // 64 bits in big-endian memory begin with the high word, in little-endian memory with the low one.
        let [first, second] = match self.big_endian {
            true => [(time >> 32) as u32, time as u32],
            false => [time as u32, (time >> 32) as u32],
        };
        self.write_words(place, &[first, second, value, status], what);
    }
}
