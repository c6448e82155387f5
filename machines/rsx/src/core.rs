//! What every part of the RSX works on: memory, renderer, objects by name, faults, time.

use std::fmt::Arguments;

use triglyph_guest::rsx::chip::Chip;
use triglyph_guest::rsx::objects::{DmaWords, class};
use triglyph_guest::rsx::ramht::{Entry, engine};

use crate::front_end::dma::{DmaObject, HandleTable, SavedEntry, space};
use crate::front_end::ramin;
use crate::front_end::ramin::Ramin;
use triglyph_engine::device::{FaultKind, FaultLog, ObjectEntry};
use triglyph_engine::draw::program::Drawn;
use triglyph_engine::error::Error;
use triglyph_engine::frontend::DeriveContext;
use triglyph_engine::frontend::budget::{Budget, cost};
use triglyph_engine::mem::{GuestAddr, SharedMemory};
use triglyph_engine::render::{Accuracy, DeferredDrawCost, Renderer};
use triglyph_engine::scene::program::Programs;
use triglyph_engine::snapshot::state;
use triglyph_engine::transfer::Request;

/// How much of the hardware there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RsxMode {
    /// All of it: registers, instance memory, hash table, channels that are switched.
    Exact,
    /// One channel, handles resolved directly, local memory alone.
    Fast,
}

impl From<triglyph_options::Accuracy> for RsxMode {
    fn from(accuracy: triglyph_options::Accuracy) -> Self {
        match Accuracy::from(accuracy) {
            Accuracy::Exact => RsxMode::Exact,
            Accuracy::Fast => RsxMode::Fast,
        }
    }
}

/// What a handle leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Named {
    /// The value that engines get instead of the handle: see [`Core::resolve`].
    pub name: u32,
    /// The engine that executes the object.
    pub engine: u32,
    /// Its class; [`class::SOFTWARE`] for objects of the software engine.
    pub class: u32,
}

/// How handles lead to objects.
#[derive(Debug)]
pub(super) enum Objects {
    /// By a table of the host's: names are handles.
    Handles(HandleTable),
    /// By the hash table in instance memory: names are addresses there / 16.
    Instances(Ramin),
}

state! {
    /// How handles lead to objects in a snapshot: in exact mode where the tables of instance memory lie.
    pub(super) struct SavedObjects { tables: Option<[u32; 2]>, entries: Vec<SavedEntry> }
}

impl Objects {
    pub(super) fn save(&self) -> SavedObjects {
        match self {
            Objects::Handles(table) => SavedObjects { tables: None, entries: table.save() },
            Objects::Instances(ramin) => {
                SavedObjects { tables: Some([ramin.ramht.0, ramin.ramfc.0]), entries: Vec::new() }
            }
        }
    }

    /// What was saved, if it is of the same mode as these.
    pub(super) fn restore(&self, saved: SavedObjects) -> Option<Objects> {
        match (saved.tables, self) {
            (None, Objects::Handles(_)) => Some(Objects::Handles(HandleTable::restore(saved.entries))),
            (Some(tables), Objects::Instances(_)) => Some(Objects::Instances(Ramin::with(tables))),
            _ => None,
        }
    }
}

/// What engine objects and the FIFO share.
#[derive(Debug)]
pub struct Core {
    /// Guest memory: local memory, main memory through the IO map.
    pub memory: SharedMemory,
    /// Kernels, threads, the scene.
    pub renderer: Renderer<Programs>,
    /// Faults of the guest.
    pub faults: FaultLog,
    /// Whether words in memory are big-endian: push buffers, vertices, textures, surfaces, reports, semaphores.
    pub big_endian: bool,
    /// Where in the push buffer the header is that is being executed, an offset in the channel's push buffer
    /// object. Faults name it.
    pub position: u64,
    /// Words that were executed before the present one since the clock moved on for words.
    pub words_before: u64,
    objects: Objects,
    /// Fuel and time.
    pub budget: Budget,
    /// IO addresses that were not mapped.
    unmapped_io: Vec<u64>,
}

/// What a word of a push buffer takes, in nanoseconds of the clock.
pub(super) const WORD: u64 = 1;
/// Bytes of textures that are looked at in a nanosecond.
const TEXTURE_BYTES: u64 = 16;

/// IO addresses that are kept between two looks.
const UNMAPPED: usize = 64;

impl DeriveContext for Core {
    #[inline]
    fn state_cache_disabled(&self) -> bool {
        self.renderer.state_cache_disabled()
    }

    /// Faults are counted when values are derived.
    #[inline]
    fn fault_count(&self) -> u64 {
        0
    }
}

impl Core {
    pub(super) fn new(mode: RsxMode, renderer: Renderer<Programs>, fuel: u64) -> Result<Self, Error> {
        let mut memory = renderer.guest_memory();
        let objects = match mode {
            RsxMode::Exact => Objects::Instances(Ramin::new(&mut memory)?),
            RsxMode::Fast => Objects::Handles(HandleTable::default()),
        };
        Ok(Core {
            memory: SharedMemory::new(memory),
            renderer,
            faults: FaultLog::default(),
            big_endian: false,
            position: 0,
            words_before: 0,
            objects,
            budget: Budget::new(fuel),
            unmapped_io: Vec::new(),
        })
    }

    /// Nanoseconds since power on, as the word that is being executed finds them: the same wherever runs are cut.
    pub fn now(&self) -> u64 {
        self.budget.now().wrapping_add(WORD * self.words_before)
    }

    /// The chip that the channel is one of.
    pub fn chip(&self) -> Chip {
        Chip::of_byte_order(self.big_endian)
    }

    /// How much of the hardware there is.
    pub fn mode(&self) -> RsxMode {
        match self.objects {
            Objects::Handles(_) => RsxMode::Fast,
            Objects::Instances(_) => RsxMode::Exact,
        }
    }

    /// Instance memory, where there is any.
    pub fn ramin(&self) -> Option<&Ramin> {
        match &self.objects {
            Objects::Handles(_) => None,
            Objects::Instances(ramin) => Some(ramin),
        }
    }

    pub(super) fn objects_mut(&mut self) -> &mut Objects {
        &mut self.objects
    }

    pub(super) fn objects(&self) -> &Objects {
        &self.objects
    }

    /// The memory that the value of an object method (0x180 to 0x1FC) names: a handle in fast mode, an instance address
    /// divided by 16 in exact mode. `None` for null objects, engine objects and names without an object.
    pub fn resolve(&self, name: u32) -> Option<DmaObject> {
        match &self.objects {
            Objects::Handles(table) => DmaObject::of_entry(table.get(name)?),
            Objects::Instances(ramin) => ramin.dma(&self.memory, name),
        }
    }

    /// What a handle leads to on a channel.
    pub fn lookup(&self, channel: u32, handle: u32) -> Option<Named> {
        match &self.objects {
            Objects::Handles(table) => {
                let class = table.get(handle)?.class;
                let engine = if class == class::SOFTWARE { engine::SOFTWARE } else { engine::GRAPH };
                Some(Named { name: handle, engine, class })
            }
            Objects::Instances(ramin) => {
                let Entry { engine, instance, .. } = ramin.find(&self.memory, handle, channel)?;
                let class = ramin.class(&self.memory, instance);
                // DMA objects have engine 0 too.
                let software = engine == engine::SOFTWARE && !class::is_dma(class);
                Some(Named { name: instance, engine, class: if software { class::SOFTWARE } else { class } })
            }
        }
    }

    /// Makes an object and enters it for some channels.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when instance memory or the hash table are full, or for a range that no object there can
    /// describe.
    pub(super) fn enter(&mut self, object: ObjectEntry, channels: std::ops::Range<u32>) -> Result<(), Error> {
        let ramin = match &mut self.objects {
            Objects::Handles(table) => {
                table.insert(object);
                return Ok(());
            }
            Objects::Instances(ramin) => ramin,
        };
        let full = || Error::Unsupported(format!("object {:#x}: instance memory is full", object.handle));
        // An object of the same name makes room.
        if let Some(old) = ramin.find(&self.memory, object.handle, channels.start) {
            ramin.free(&self.memory, old.instance);
        }
        let (instance, engine) = match object.class {
            class if class::is_dma(class) => {
                let wide = || Error::Unsupported(format!("object {:#x} of more than 32 bits", object.handle));
                let base = u32::try_from(object.base).map_err(|_| wide())?;
                let limit = u32::try_from(object.limit).map_err(|_| wide())?;
                let words = DmaWords::new(class, ramin::target(object.space), base, limit);
                (ramin.make_dma(&self.memory, words).ok_or_else(full)?, engine::SOFTWARE)
            }
            // The instance of a software object is never read; a console's says this (hardware dump).
            class::SOFTWARE => (object.handle, engine::SOFTWARE),
            class => (ramin.make_engine(&self.memory, class).ok_or_else(full)?, engine::GRAPH),
        };
        for channel in channels {
            let entry = Entry { handle: object.handle, channel, engine, instance };
            if !ramin.insert(&self.memory, entry) {
                return Err(full());
            }
        }
        Ok(())
    }

    /// In exact mode the name of an object for all of an address space, made when it is wanted first; `None` without
    /// instance memory or when it is full.
    pub(super) fn whole_space(&mut self, space: u32) -> Option<u32> {
        let Objects::Instances(ramin) = &self.objects else { return None };
        let words = DmaWords::new(class::DMA_IN_MEMORY, ramin::target(space), 0, u32::MAX);
        ramin.find_dma(&self.memory, words).or_else(|| ramin.make_dma(&self.memory, words))
    }

    /// Forgets the objects of a channel.
    pub(super) fn forget(&mut self, channel: u32) {
        match &mut self.objects {
            Objects::Handles(table) => *table = HandleTable::default(),
            Objects::Instances(ramin) => ramin.free_channel(&self.memory, channel),
        }
    }

    /// As [`Self::resolve`], with a fault when there is nothing. `what` says what it was for.
    pub fn dma(&mut self, name: u32, what: &str) -> Option<DmaObject> {
        let object = self.resolve(name);
        if object.is_none() {
            self.fault(FaultKind::BadMethod, u64::from(name), format_args!("{what}: {name:#x} names no DMA object"));
        }
        object
    }

    /// The class of an object, by the value of an object method.
    pub fn class_of(&self, name: u32) -> Option<u32> {
        match &self.objects {
            Objects::Handles(table) => table.get(name).map(|entry| entry.class),
            Objects::Instances(ramin) => Some(ramin.class(&self.memory, name)),
        }
    }

    /// Counts a fault at a place outside of memory. In main memory it is an IO address that is not mapped: the
    /// hypervisor is notified.
    #[cold]
    pub fn fault_at(&mut self, kind: FaultKind, place: GuestAddr, what: Arguments<'_>) {
        self.fault(kind, place.address, what);
        if place.space == space::MAIN && self.unmapped_io.len() < UNMAPPED {
            self.unmapped_io.push(place.address);
        }
    }

    /// IO addresses that were not mapped, since they were taken last.
    pub(super) fn unmapped_io(&self) -> &[u64] {
        &self.unmapped_io
    }

    /// IO addresses that were not mapped, since the last call.
    pub(super) fn take_unmapped_io(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.unmapped_io)
    }

    /// Takes time and fuel for a draw.
    pub fn spend_drawing_time(&mut self, drawn: Drawn, deferred_cost: DeferredDrawCost) {
        // Without fuel the next draw is not done any more.
        let blocks = (deferred_cost.pixels_before + drawn.pixels) / 64 - deferred_cost.pixels_before / 64;
        let time = (blocks + drawn.primitives).saturating_mul(deferred_cost.block_time);
        self.budget.spend_at(time, self.renderer.take_primitive_fuel());
    }

    /// The same for draws that were set up after their commands, and for textures.
    pub fn settle_accounts(&mut self) {
        for (drawn, deferred_cost) in self.renderer.take_outcomes() {
            self.spend_drawing_time(drawn, deferred_cost);
        }
        self.spend_texture_time();
    }

    /// Takes time and fuel for the textures that scenes have looked at since the last call.
    pub fn spend_texture_time(&mut self) {
        let bytes = self.renderer.take_texture_bytes();
        let _ = self.budget.spend(bytes / TEXTURE_BYTES);
        self.budget.charge(bytes / cost::BYTES);
    }

    triglyph_engine::core_of_machine!(draws);

    triglyph_engine::core_of_machine!(runs);

    triglyph_engine::core_of_machine!(faults);

    /// Does a transfer that sees everything drawn so far; what falls outside of memory is a fault of `what`.
    pub fn transfer(&mut self, what: &str, request: &Request) {
        let outcome = self.renderer.transfer_request(&self.memory, request);
        let target = request.target();
        for (kind, place, bytes) in outcome.faults(request.source().unwrap_or(target), target) {
            self.fault_at(kind, place, format_args!("{what}: {bytes:#x} bytes are not in mapped memory"));
        }
    }

    /// The word at `place` in the channel's byte order; 0 and a fault outside of memory. Sees everything drawn so far.
    pub fn read_word(&mut self, place: GuestAddr, what: &str) -> u32 {
        self.renderer.flush_overlapping(&self.memory, place.range(4));
        let window = self.memory.readable(place);
        if window.len() < 4 {
            self.fault_at(FaultKind::UnmappedRead, place, format_args!("{what}: read outside memory"));
            return 0;
        }
        let bytes = window.read(0);
        if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    /// Stores words at `place` in the channel's byte order; a fault outside of memory. What was drawn before is in
    /// memory before.
    pub fn write_words(&mut self, place: GuestAddr, words: &[u32], what: &str) {
        self.flush();
        let window = self.memory.writable(place);
        let bytes = 4 * words.len();
        if window.len() < bytes {
            self.fault_at(FaultKind::UnmappedWrite, place, format_args!("{what}: written outside memory"));
            return;
        }
        for (i, word) in words.iter().enumerate() {
            window.write(4 * i, &if self.big_endian { word.to_be_bytes() } else { word.to_le_bytes() });
        }
        self.memory.mark_written(place.range(bytes as u64));
        self.note_store(place, bytes as u64);
    }

    /// Stores what reports and notifiers consist of: time in nanoseconds, a value, a status. 16 bytes.
    pub fn write_record(&mut self, place: GuestAddr, value: u32, status: u32, what: &str) {
        let time = self.now();
        // 64 bits in big-endian memory begin with the high word, in little-endian memory with the low one.
        let [first, second] = match self.big_endian {
            true => [(time >> 32) as u32, time as u32],
            false => [time as u32, (time >> 32) as u32],
        };
        self.write_words(place, &[first, second, value, status], what);
    }
}
