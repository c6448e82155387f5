//! What every part of the Tegra X1 works on: memory, renderer, syncpoints, faults, time.

use std::borrow::Cow;
use std::sync::atomic::AtomicU8;

use triglyph_guest::kernel::Window;

use crate::system::kinds::{Kinds, SavedKind};
use triglyph_engine::device::{FaultKind, FaultLog};
use triglyph_engine::draw::program::Drawn;
use triglyph_engine::frontend::budget::Budget;
use triglyph_engine::frontend::{DeriveContext, MemoryDependency};
use triglyph_engine::mem::{GuestAddr, SharedMemory, read_words};
use triglyph_engine::probe::Effect;
use triglyph_engine::render::{DeferredDrawCost, Renderer};
use triglyph_engine::scene::program::Programs;
use triglyph_engine::snapshot::state;
use triglyph_engine::transfer::{Outcome, Rearrange, Request, Transfers};

/// Syncpoints of the host (host1x of the Tegra X1).
pub const SYNCPOINTS: usize = 192;

/// The address space that captures and [`Device`](triglyph_engine::Device) calls are about: 40 bits of GPU virtual
/// addresses.
pub const SPACE: u32 = 0;

/// Mask of a GPU virtual address.
pub const ADDRESS_MASK: u64 = (1 << 40) - 1;

/// What channels and engines share.
#[derive(Debug)]
pub struct Core {
    /// Guest memory, by address space and GPU virtual address.
    pub memory: SharedMemory,
    /// Kernels, threads, the scene.
    pub renderer: Renderer<Programs>,
    /// Faults of the guest.
    pub faults: FaultLog,
    /// GPU address of the push-buffer word that is being executed. Faults name it.
    pub position: u64,
    /// Words that were executed before it since the clock moved on for words.
    pub(super) words_before: u64,
    /// Address space of the channel that runs.
    pub space: u32,
    /// Page kinds of all address spaces.
    pub kinds: Kinds,
    syncpoints: [u32; SYNCPOINTS],
    /// Fuel and time.
    pub budget: Budget,
    /// Words that patches may have, or geometry programs emit, before they are drawn, for tests; no more than usual.
    pub(super) max_part: usize,
    /// Interrupts that methods asked for since the host last took them.
    interrupts: u64,
    /// Primitives to be counted of draws that were set up after their commands.
    pub(super) late_primitives: u64,
    /// The memory reads of a derivation in progress.
    dependency: Option<MemoryDependency>,
    /// Rows of a destination and of a source of the 2D class, kept for the next operation.
    pub(super) rows: [Vec<AtomicU8>; 2],
}

state! {
    /// What channels and engines share in a snapshot.
    pub(super) struct SavedCore { clock: u64, syncpoints: Vec<u32>, interrupts: u64, kinds: Vec<SavedKind> }
}

impl SavedCore {
    /// Whether there can be such a machine.
    pub(super) fn is_sound(&self) -> bool {
        self.syncpoints.len() == SYNCPOINTS && Kinds::restore(&self.kinds).is_some()
    }
}

impl DeriveContext for Core {
    #[inline]
    fn state_cache_disabled(&self) -> bool {
        self.renderer.state_cache_disabled()
    }

    fn fault_count(&self) -> u64 {
        self.faults.raised()
    }
}

impl Core {
    pub(super) fn new(renderer: Renderer<Programs>, fuel: u64) -> Self {
        Core {
            memory: SharedMemory::new(renderer.guest_memory()),
            renderer,
            faults: FaultLog::default(),
            position: 0,
            words_before: 0,
            space: SPACE,
            kinds: Kinds::default(),
            syncpoints: [0; SYNCPOINTS],
            budget: Budget::new(fuel),
            max_part: usize::MAX,
            interrupts: 0,
            late_primitives: 0,
            dependency: None,
            rows: Default::default(),
        }
    }

    /// What a snapshot holds of it, but for memory.
    pub(super) fn save(&self) -> SavedCore {
        let (clock, interrupts) = (self.budget.now(), self.interrupts);
        SavedCore { clock, syncpoints: self.syncpoints.to_vec(), interrupts, kinds: self.kinds.save() }
    }

    /// Takes over what was saved and has been checked by [`SavedCore::is_sound`].
    pub(super) fn restore(&mut self, saved: SavedCore) {
        self.budget.set_clock(saved.clock);
        (self.interrupts, self.late_primitives) = (saved.interrupts, 0);
        self.syncpoints = saved.syncpoints.try_into().unwrap_or(self.syncpoints);
        (0..).zip(self.syncpoints).for_each(|(index, value)| self.renderer.timeline.set_fence(index, value));
        self.kinds = Kinds::restore(&saved.kinds).unwrap_or_default();
    }

    /// Nanoseconds since power on, as the word that is being executed finds them: the same wherever runs are cut.
    pub fn now(&self) -> u64 {
        self.budget.now().wrapping_add(self.words_before)
    }

    /// Takes time and fuel for a draw. False if there was not enough.
    pub(super) fn spend_drawing_time(&mut self, drawn: Drawn, deferred_cost: DeferredDrawCost) -> bool {
        // As if all segments of a draw were one.
        let blocks =
            (deferred_cost.pixels_before + drawn.pixels).div_ceil(64) - deferred_cost.pixels_before.div_ceil(64);
        let time = blocks.saturating_mul(deferred_cost.block_time);
        self.budget.spend_at(time, self.renderer.take_primitive_fuel())
    }

    /// The same for draws that were set up after their commands, whose primitives are to be counted as well.
    pub(super) fn settle_accounts(&mut self) {
        for (drawn, deferred_cost) in self.renderer.take_outcomes() {
            self.late_primitives += if deferred_cost.counts { drawn.primitives } else { 0 };
            // Without fuel the next draw is not done any more.
            self.spend_drawing_time(drawn, deferred_cost);
        }
    }

    triglyph_engine::core_of_machine!(draws);

    triglyph_engine::core_of_machine!(runs);

    triglyph_engine::core_of_machine!(faults);

    /// An address in the running channel's address space.
    pub fn place(&self, address: u64) -> GuestAddr {
        GuestAddr::new(self.space, address & ADDRESS_MASK)
    }

    /// An address of the space as it is: bits beyond those that count are not mapped.
    fn at(&self, address: u64) -> GuestAddr {
        GuestAddr::new(self.space, address)
    }

    /// Calls `derive` and returns its result with the memory that it read. If it reported a fault, the dependency is
    /// never valid, so that the fault is counted again each time the result is needed. It takes the place of `before`.
    pub fn tracking_reads<T>(
        &mut self,
        before: MemoryDependency,
        derive: impl FnOnce(&mut Core) -> T,
    ) -> (T, MemoryDependency) {
        let faults = self.faults.raised();
        self.dependency = Some(MemoryDependency::begin(before, &self.memory));
        let derived = derive(self);
        let dependency = self.dependency.take().unwrap_or_default();
        let sound = self.faults.raised() == faults;
        (derived, dependency.finish(&mut self.renderer, &self.memory, sound))
    }

    /// Whether the same would be derived from memory as it is now.
    pub fn is_valid(&mut self, dependency: &mut MemoryDependency) -> bool {
        dependency.is_valid(&mut self.renderer, &self.memory)
    }

    /// Reads the ranges of a dependency again; a fault where memory is not mapped.
    pub fn read_again(&mut self, dependency: &mut MemoryDependency, what: &str) {
        if let Some((address, missing)) = dependency.read_again(&mut self.renderer, &self.memory) {
            self.count_missing(FaultKind::UnmappedRead, address, missing as u64, what);
        }
    }

    /// Notes that what is derived depends on bytes.
    pub fn note_dependency(&mut self, address: u64, bytes: &[u8]) {
        if let Some(dependency) = &mut self.dependency {
            dependency.note(GuestAddr::new(self.space, address), bytes);
        }
    }

    /// Fills `words` with the little-endian words at `address`; zeros and a fault where memory is not mapped. Sees
    /// everything drawn so far.
    pub fn read_words(&mut self, address: u64, words: &mut [u32], what: &str) {
        let missing = self.peek_words(address, words);
        self.count_missing(FaultKind::UnmappedRead, address, missing, what);
    }

    /// Ends a bounded run whose recording has to look at memory before words are read. False if it may go on.
    pub fn cut_before(&mut self, address: u64, bytes: u64) -> bool {
        let is_unrecorded = self.memory.is_unrecorded(self.at(address).range(bytes));
        if is_unrecorded {
            self.budget.cut();
        }
        is_unrecorded
    }

    /// The same without a fault. Returns how many bytes are not mapped.
    pub fn peek_words(&mut self, address: u64, words: &mut [u32]) -> u64 {
        let bytes = 4 * words.len() as u64;
        self.renderer.flush_overlapping(&self.memory, self.at(address).range(bytes));
        let missing = match read_words(self.memory.readable(self.at(address)), words, false) {
            read if read == words.len() => 0,
            _ => {
                let mut bytes = vec![0; bytes as usize];
                let missing = self.memory.read_pieces(self.at(address), &mut bytes);
                for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
                    *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                }
                missing as u64
            }
        };
        self.note_dependency(address, &bytes_of(words));
        missing
    }

    /// Counts a fault if some of so many bytes at `address` are not mapped.
    pub fn expect_readable(&mut self, address: u64, bytes: u64, what: &str) {
        let place = self.at(address);
        if (self.memory.readable(place).len() as u64) < bytes {
            let missing = self.memory.count_missing(place.range(bytes));
            self.count_missing(FaultKind::UnmappedRead, address, missing, what);
        }
    }

    /// The little-endian word at `address`.
    pub fn read_word(&mut self, address: u64, what: &str) -> u32 {
        let mut word = [0];
        self.read_words(address, &mut word, what);
        word[0]
    }

    /// Fills `out` with the bytes at `address`; zeros and a fault where memory is not mapped. Sees everything drawn so
    /// far.
    pub fn read_bytes(&mut self, address: u64, out: &mut [u8], what: &str) {
        self.renderer.flush_overlapping(&self.memory, self.at(address).range(out.len() as u64));
        let missing = self.memory.read_pieces(self.at(address), out);
        self.note_dependency(address, out);
        self.count_missing(FaultKind::UnmappedRead, address, missing as u64, what);
    }

    /// Fills `out` with the bytes at `address`, zeros without a fault where memory is not mapped: a program may end
    /// close to the end of its mapping. Sees everything drawn so far.
    pub fn read_code(&mut self, address: u64, out: &mut [u8]) {
        self.renderer.flush_overlapping(&self.memory, self.at(address).range(out.len() as u64));
        self.memory.read_pieces(self.at(address), out);
    }

    /// Stores bytes at `address`; a fault where memory is not mapped. What was drawn before is in memory before.
    pub fn write_bytes(&mut self, address: u64, bytes: &[u8], what: &str) {
        self.flush();
        self.note_store(self.at(address), bytes.len() as u64);
        let missing = self.memory.write_pieces(self.at(address), bytes);
        self.count_missing(FaultKind::UnmappedWrite, address, missing as u64, what);
    }

    /// As [`Self::write_bytes`], but what was drawn before and does not look at these bytes may be drawn later. Each
    /// word outside of memory counts as a fault.
    pub fn write_unseen(&mut self, address: u64, bytes: &[u8], what: &str) {
        self.renderer.flush_before_write(&self.memory, self.place(address).range(bytes.len() as u64));
        self.note_store(self.at(address), bytes.len() as u64);
        let missing = self.memory.write_pieces(self.at(address), bytes) as u64;
        self.count_missing(FaultKind::UnmappedWrite, address, missing, what);
        // Each word counts, as a bounded run may end between any two.
        self.faults.count_only(FaultKind::UnmappedWrite, missing.div_ceil(4).saturating_sub(1));
    }

    /// Does a transfer that sees everything drawn so far; what falls outside of memory is a fault of `what`.
    pub fn transfer(&mut self, what: &str, request: &Request) {
        let target = request.target();
        let source = request.source().unwrap_or(target);
        let outcome = self.renderer.transfer_request(&self.memory, request);
        self.count_outside(what, source, target, outcome);
    }

    /// As [`Self::transfer`], from a buffer of the host's.
    pub fn store_image(&mut self, what: &str, buffer: Window<'_>, request: &Rearrange) {
        let run = |transfers: &Transfers<'_>| transfers.store_image(buffer, request);
        let outcome = self.renderer.transfer_ranges(&self.memory, None, request.target_range(), run);
        self.count_outside(what, request.target, request.target, outcome);
    }

    /// As [`Self::transfer`], into a buffer of the host's.
    pub fn load_image(&mut self, what: &str, request: &Rearrange, buffer: Window<'_>) {
        let run = |transfers: &Transfers<'_>| transfers.load_image(request, buffer);
        let outcome = self.renderer.transfer_ranges(&self.memory, request.source_range(), None, run);
        self.count_outside(what, request.source, request.source, outcome);
    }

    fn count_outside(&mut self, what: &str, source: GuestAddr, target: GuestAddr, outcome: Outcome) {
        for (kind, place, bytes) in outcome.faults(source, target) {
            self.count_missing(kind, place.address, bytes, what);
        }
    }

    #[inline]
    fn count_missing(&mut self, kind: FaultKind, address: u64, missing: u64, what: &str) {
        if missing != 0 {
            self.fault(kind, address, format_args!("{what}: {missing:#x} bytes are not in mapped memory"));
        }
    }

    #[inline]
    fn note_signal(&mut self) {
        if self.renderer.is_observed() && self.renderer.is_in_command() {
            self.renderer.note_effect(Effect::Signal);
        }
    }

    /// Whether the GPU may read, and with `write` also write, `size` bytes that are one piece of the host's memory.
    pub fn is_whole(&self, place: GuestAddr, size: u64, write: bool) -> bool {
        let window = if write { self.memory.writable(place) } else { self.memory.readable(place) };
        window.len() as u64 >= size
    }

    /// Notes that a method asked for an interrupt of the processor.
    pub fn interrupt(&mut self) {
        self.note_signal();
        self.interrupts = self.interrupts.saturating_add(1);
        self.renderer.timeline.note_event();
    }

    /// How often methods asked for an interrupt since the last call.
    pub(super) fn take_interrupts(&mut self) -> u64 {
        std::mem::take(&mut self.interrupts)
    }

    /// Stores what semaphores and reports of four words consist of: payload, zero, time in nanoseconds. The time is
    /// there before the payload says so.
    pub fn write_report(&mut self, address: u64, payload: u64, what: &str) {
        let time = self.now();
        self.write_bytes(address.wrapping_add(8) & ADDRESS_MASK, &time.to_le_bytes(), what);
        self.write_bytes(address, &payload.to_le_bytes(), what);
    }

    /// The value of a syncpoint; `None` for one that does not exist.
    pub fn syncpoint(&self, index: u32) -> Option<u32> {
        self.syncpoints.get(index as usize).copied()
    }

    /// Adds 1 to a syncpoint; a fault for one that does not exist.
    pub fn increment_syncpoint(&mut self, index: u32) {
        self.note_signal();
        match self.syncpoints.get_mut(index as usize) {
            Some(value) => {
                *value = value.wrapping_add(1);
                self.renderer.timeline.set_fence(index, *value);
                // An event may be armed for it.
                self.renderer.timeline.note_event();
            }
            None => self.fault(FaultKind::BadMethod, index.into(), format_args!("syncpoint {index} does not exist")),
        }
    }

    /// Whether a syncpoint has reached `threshold`, modulo 2^32. One that does not exist has.
    pub fn syncpoint_reached(&self, index: u32, threshold: u32) -> bool {
        self.syncpoint(index).is_none_or(|value| value.wrapping_sub(threshold) as i32 >= 0)
    }
}

/// Words as they are in memory.
pub(super) fn bytes_of(words: &[u32]) -> Cow<'_, [u8]> {
    match cfg!(target_endian = "little") {
        true => Cow::Borrowed(bytemuck::cast_slice(words)),
        false => Cow::Owned(words.iter().flat_map(|word| word.to_le_bytes()).collect()),
    }
}
