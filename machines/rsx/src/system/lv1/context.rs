//! `lv1_gpu_context_allocate`, `lv1_gpu_context_free`: channels and what belongs to them.

use triglyph_guest::rsx::chip::Chip;
use triglyph_guest::rsx::lv1::handle::{self, DmaHandle, Range};
use triglyph_guest::rsx::lv1::page::{self, lpar, reports};
use triglyph_guest::rsx::lv1::{LOCAL_BYTES, Status, flags};
use triglyph_guest::rsx::methods::initialised;
use triglyph_guest::rsx::objects::class;
use triglyph_guest::rsx::ramfc::Field;

use super::io::{self, io_bytes};
use super::memory::fill_holes;
use super::{
    Allocation, Context, DISPLAY_BUFFERS, HEADS, Head, Info, Lv1, channel, control_page, info_page, io_base,
    reports_area, set_word,
};
use crate::core::{Core, RsxMode};
use crate::front_end::dma::space;
use crate::front_end::{Fifo, PushBuffer};
use triglyph_engine::device::ObjectEntry;
use triglyph_engine::error::Error;
use triglyph_engine::mem::GuestAddr;

/// What the objects of a context are made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Objects {
    /// Number of the context.
    pub slot: usize,
    /// First byte of its local memory, and how many bytes.
    pub local: (u64, u64),
    /// Flags of the call.
    pub flags: u64,
}

impl Objects {
    /// The DMA objects.
    fn dma(self) -> impl Iterator<Item = DmaHandle> {
        let has = move |flag: u64| self.flags & flag != 0;
        let with = move |flag: u64, objects: [DmaHandle; 2]| objects.into_iter().filter(move |_| has(flag));
        let main_reports = Some(handle::DMA_MAIN_REPORTS).filter(|_| has(flags::MAIN_REPORTS));
        handle::DMA
            .into_iter()
            .chain((0..16).map(move |index| handle::dma_notifier(index, has(flags::MAIN_REPORTS))))
            .chain(main_reports)
            .chain(with(flags::GRAPHICS_SYNTHESIZER, handle::DMA_GRAPHICS_SYNTHESIZER))
            .chain(with(flags::SYSTEM_SEMAPHORES, handle::dma_system_semaphores(self.slot == 0)))
    }

    /// Where a DMA object lies: space, first byte, bytes.
    fn range(self, object: &DmaHandle) -> (u32, u64, u64) {
        let size = u64::from(object.size);
        match object.range {
            // An allocation of no bytes gave all addresses (wiki).
            Range::Memory if self.local.1 == 0 => (space::LOCAL, 0, 1 << 32),
            Range::Memory => (space::LOCAL, self.local.0, self.local.1),
            Range::Io => (space::MAIN, io_base(self.slot).into(), io_bytes(self.flags).into()),
            Range::Reports(offset) => (space::LOCAL, reports_area(self.slot).address + u64::from(offset), size),
            Range::Local(offset) => (space::LOCAL, offset.into(), size),
            Range::Main(offset) => (space::MAIN, u64::from(io_base(self.slot)) + u64::from(offset), size),
            Range::Bus(address) => (space::MAIN, address.into(), size),
        }
    }

    /// Makes all of them for some channels.
    pub(crate) fn make(self, core: &mut Core, channels: std::ops::Range<u32>) -> Result<(), Error> {
        for object in self.dma() {
            let (space, base, bytes) = self.range(&object);
            let DmaHandle { handle, class, .. } = object;
            core.enter(ObjectEntry { handle, class, space, base, limit: bytes - 1 }, channels.clone())?;
        }
        // The null object has its place in the driver information, so it is an object as well.
        let null = (0, class::NULL);
        for (handle, class) in handle::ENGINE.into_iter().map(|object| (object.handle, object.class)).chain([null]) {
            core.enter(ObjectEntry { handle, class, space: 0, base: 0, limit: 0 }, channels.clone())?;
        }
        Ok(())
    }
}

/// Leaves the objects of a channel as GCM does in its first commands: bound, and with its values in their registers.
pub(crate) fn initialise(core: &Core, fifo: &mut Fifo, channel: u32) {
    let Some(graph) = fifo.graph_mut(channel) else { return };
    for object in handle::ENGINE {
        let Some(named) = core.lookup(channel, object.handle) else { continue };
        graph.bind(object.subchannel, named.name, named.class);
        let Some(mut words) = initialised(named.class) else { continue };
        // Object methods have handles; engines get names.
        for handle in &mut words[0x180 / 4..0x200 / 4] {
            *handle = core.lookup(channel, *handle).map_or(0, |named| named.name);
        }
        graph.set_registers(object.subchannel, words);
    }
}

impl Lv1 {
    /// Makes a context and returns its number.
    pub(super) fn allocate_context(
        &mut self,
        core: &mut Core,
        fifo: &mut Fifo,
        memory: u32,
        context_flags: u64,
    ) -> Result<usize, Status> {
        let allocation = self.allocation(memory)?;
        let slots = if core.mode() == RsxMode::Fast { 1 } else { self.contexts.len() };
        let slot = (0..slots).find(|&slot| self.contexts[slot].is_none()).ok_or(Status::ResourceShortage)?;
        let objects = Objects { slot, local: (allocation.start, allocation.size), flags: context_flags };
        make_pages(core, slot)?;
        fifo.drop_graph(channel(slot));
        core.forget(channel(slot));
        if objects.make(core, channel(slot)..channel(slot) + 1).is_err() || !set_up(core, fifo, slot, context_flags) {
            core.forget(channel(slot));
            return Err(Status::ResourceShortage);
        }
        if core.mode() == RsxMode::Fast {
            initialise(core, fifo, channel(slot));
        }
        fill_pages(core, slot, &allocation, context_flags);
        self.contexts[slot] = Some(Context {
            memory,
            flags: context_flags,
            paused: false,
            io: Vec::new(),
            buffers: [None; DISPLAY_BUFFERS],
            heads: [Head::default(); HEADS],
            tiles: Default::default(),
            zculls: Default::default(),
            frame_buffer: None,
            interrupts: 0,
        });
        Ok(slot)
    }

    /// Forgets a context: its objects, its IO space, its pages.
    pub(super) fn free_context(&mut self, core: &mut Core, fifo: &mut Fifo, slot: usize) {
        let Some(context) = self.contexts[slot].take() else { return };
        io::unmap_all(core, slot, &context);
        core.forget(channel(slot));
        fifo.drop_graph(channel(slot));
        for field in Field::ALL {
            fifo.set_field(core, channel(slot), field, 0);
        }
        for (page, bytes) in [(info_page(slot), lpar::INFO_BYTES), (control_page(slot), 0x1000)] {
            // Pages of the host's stay: it has mapped them once.
            core.memory.unmap_own(page.range(bytes));
        }
    }
}

/// Local memory and pages that the context uses have to be there. Those that the host has mapped are its own.
fn make_pages(core: &mut Core, slot: usize) -> Result<(), Status> {
    let device = GuestAddr::new(space::LOCAL, page::DEVICE.into());
    for (place, bytes) in [
        (info_page(slot), lpar::INFO_BYTES),
        (control_page(slot), page::control::BYTES.into()),
        (reports_area(slot), reports::BYTES.into()),
        (device, 0x1000),
    ] {
        fill_holes(&mut core.memory, place.range(bytes))?;
    }
    Ok(())
}

/// What a guest finds in its pages.
fn fill_pages(core: &Core, slot: usize, allocation: &Allocation, context_flags: u64) {
    for (page, bytes) in [(info_page(slot), lpar::INFO_BYTES as u32), (control_page(slot), page::control::BYTES)] {
        for offset in (0..bytes).step_by(4) {
            set_word(core, page, offset, 0);
        }
    }
    for (offset, word) in (0..).step_by(4).zip(reports::initial()) {
        set_word(core, reports_area(slot), offset, word);
    }
    Info::of(slot).fill(core, slot, allocation, context_flags);
    device_ready(core);
}

/// The word that GCM waits for before anything else.
pub(super) fn device_ready(core: &Core) {
    let device = GuestAddr::new(space::LOCAL, page::DEVICE.into());
    set_word(core, device, page::DEVICE_READY, 1);
}

/// The channel at rest, its push buffer where the flags say. False when that cannot be.
fn set_up(core: &Core, fifo: &mut Fifo, slot: usize, context_flags: u64) -> bool {
    let local = context_flags & flags::LOCAL_PUSH_BUFFER != 0;
    let memory = if local { handle::LOCAL } else { handle::MAIN };
    let Some(named) = core.lookup(channel(slot), memory) else { return false };
    if !fifo.select(core, channel(slot)) {
        return false;
    }
    fifo.live = Default::default();
    fifo.live.buffer = PushBuffer::Object(named.name);
    fifo.live.big_endian = Chip::Rsx.big_endian();
    true
}

/// Objects as GCM would find them, for captures that bring none: all of local memory.
pub(crate) const DEFAULT_OBJECTS: Objects =
    Objects { slot: 0, local: (0, LOCAL_BYTES as u64), flags: flags::MAIN_REPORTS };
