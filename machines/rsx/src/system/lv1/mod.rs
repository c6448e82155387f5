//! The hypervisor's calls (Cell OS Lv-1), for hosts that emulate what is above it.
//!
//! ```text
//! memory_allocate ─► allocation of local memory ─┐
//! context_allocate ─► context: a channel, its objects, driver information, control page, reports ─► PFIFO
//! context_iomap ─► main memory in the context's IO space
//! context_attribute ─► FIFO, display, tiles, frame buffer        software methods (flips …) ─► the same
//! ```
//! | pages | are in |
//! |---|---|
//! | driver information, control page | space [`PAGES`], at the addresses that the calls return |
//! | reports, device 8 | local memory, at the hypervisor's offsets |
//! | main memory that is mapped into an IO space | space [`XDR`], which the host maps |
//!
//! ```text
//! let memory = gpu.memory_allocate(249 << 20, [8, 0x30_0000, 15, 8])?;
//! let context = gpu.context_allocate(memory.handle, flags::MAIN_REPORTS)?;   // pages appear in space PAGES
//! gpu.context_iomap(context.handle, 0, main_memory, 16 << 20, access)?;       // the host's pages of space XDR
//! gpu.context_attribute(context.handle, 0x001, [get, put, 0, 0])?;
//! loop { gpu.run(); gpu.take_events(); … gpu.vblank(head, time_base) }        // PUT comes from the control page
//! ```
//! Sources: see [`triglyph_guest::rsx::lv1`]. The facts and choices are in `docs/reference/rsx.md`.

mod call;
mod context;
mod display;
mod frame_buffer;
mod info;
mod io;
mod memory;
mod saved;

use triglyph_guest::id::ContextHandle;
use triglyph_guest::rsx::lv1::attribute::{DisplayBuffer, Tile, VblankRate, Zcull};
use triglyph_guest::rsx::lv1::event::graphics_error;
use triglyph_guest::rsx::lv1::info::interrupt;
use triglyph_guest::rsx::lv1::page::{control, lpar, reports};
use triglyph_guest::rsx::lv1::{CONTEXTS, Status};

use crate::core::Core;
use crate::front_end::dma::space;
pub(crate) use context::{DEFAULT_OBJECTS, initialise};
use info::Info;
pub(crate) use saved::SavedLv1;
use triglyph_engine::device::Access;
use triglyph_engine::error::Error;
use triglyph_engine::mem::{GuestAddr, GuestRange};
pub use triglyph_guest::rsx::lv1::{Answer, ContextAllocation, MemoryAllocation};

/// Address space of the hypervisor's pages.
pub const PAGES: u32 = 2;
/// Address space of main memory, by the addresses that guests pass to the hypervisor.
pub const XDR: u32 = 3;

/// Bytes from one context's IO space to the next in main memory's address space: IO spaces have at most so many.
const IO_STRIDE: u32 = 512 << 20;

/// Heads of the chip.
const HEADS: usize = 2;
/// Display buffers of a context.
const DISPLAY_BUFFERS: usize = 8;

/// Local memory that a guest has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Allocation {
    handle: u32,
    /// First byte.
    start: u64,
    size: u64,
    /// p1 to p4 of the call.
    parameters: [u64; 4],
}

/// Main memory in an IO space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct IoMap {
    io: u32,
    lpar: u64,
    size: u64,
    access: Access,
}

/// A display head of a context: what is not in the driver information.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    /// 1 with the next line, 2 with the next frame; 0 was never set and is taken for 2.
    sync: u32,
    mode: [u64; 3],
    /// Buffer and offset that are shown next.
    pending: Option<(u32, u32)>,
    /// What the two handlers of vertical blanks want.
    rates: [VblankRate; 2],
    /// The cursor's functions: what was passed last.
    cursor: [u64; 3],
}

impl Default for Head {
    fn default() -> Self {
        // No second handler was asked for.
        let rates = [VblankRate::ScanOut, VblankRate::Off];
        Head { sync: 0, mode: [0; 3], pending: None, rates, cursor: [0; 3] }
    }
}

/// Memory for the hypervisor's own commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FrameBuffer {
    io: u32,
    size: u32,
}

/// A context: a channel with everything that a guest needs to use it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Context {
    /// The allocation that it works on.
    memory: u32,
    flags: u64,
    paused: bool,
    io: Vec<IoMap>,
    buffers: [Option<DisplayBuffer>; DISPLAY_BUFFERS],
    heads: [Head; HEADS],
    tiles: [Tile; 15],
    zculls: [Zcull; 8],
    frame_buffer: Option<FrameBuffer>,
    /// Interrupts that `context_intr` has not returned yet.
    interrupts: u64,
}

/// The hypervisor's state.
#[derive(Debug, Default)]
pub struct Lv1 {
    allocations: Vec<Allocation>,
    contexts: [Option<Context>; CONTEXTS],
    /// What the heads show: offsets in local memory.
    shown: [u32; HEADS],
    /// Ticks of the time base that the host has told last.
    time: u64,
    /// Bit n: device n is mapped.
    devices: u64,
}

/// Context handles are the channel under this (Nucleus). Guests cannot tell.
const CONTEXT_HANDLE: u32 = 0x5555_5555;
/// Allocation handles count from 1 under this; the first is RPCS3's.
const MEMORY_HANDLE: u32 = 0x5A5A_5A5A;

/// The channel of a context: the first has 1, as on the console (hardware dump).
const fn channel(slot: usize) -> u32 {
    slot as u32 + 1
}

/// Where a context's IO space begins in main memory's address space.
const fn io_base(slot: usize) -> u32 {
    slot as u32 * IO_STRIDE
}

/// Where a context's driver information is.
const fn info_page(slot: usize) -> GuestAddr {
    GuestAddr::new(PAGES, lpar::INFO + slot as u64 * lpar::INFO_BYTES)
}

/// Where a context's control page is.
const fn control_page(slot: usize) -> GuestAddr {
    GuestAddr::new(PAGES, lpar::CONTROL + slot as u64 * control::BYTES as u64)
}

/// Where a context's reports area is.
const fn reports_area(slot: usize) -> GuestAddr {
    GuestAddr::new(space::LOCAL, reports::START as u64 + slot as u64 * reports::BYTES as u64)
}

impl Lv1 {
    /// The number of a context, by its handle.
    fn slot(&self, handle: ContextHandle) -> Result<usize, Status> {
        let slot = (handle.get() ^ CONTEXT_HANDLE).wrapping_sub(1) as usize;
        match self.contexts.get(slot) {
            Some(Some(_)) => Ok(slot),
            _ => Err(Status::NoEntry),
        }
    }

    /// The handle of a context.
    fn handle(slot: usize) -> ContextHandle {
        ContextHandle::new(channel(slot) ^ CONTEXT_HANDLE)
    }

    /// The contexts that there are, by number.
    fn slots(&self) -> impl Iterator<Item = usize> + use<> {
        let present: [bool; CONTEXTS] = std::array::from_fn(|slot| self.contexts[slot].is_some());
        (0..CONTEXTS).filter(move |&slot| present[slot])
    }

    /// The context of a channel.
    fn slot_of_channel(&self, channel: u32) -> Option<usize> {
        let slot = (channel as usize).checked_sub(1)?;
        self.contexts.get(slot)?.is_some().then_some(slot)
    }

    /// Whether nothing that a context uses is in a range.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] with what it uses.
    pub(crate) fn check_unused(&self, range: GuestRange) -> Result<(), Error> {
        for slot in self.slots() {
            for (what, used) in [
                ("driver information", info_page(slot).range(lpar::INFO_BYTES)),
                ("control page", control_page(slot).range(control::BYTES.into())),
                ("reports", reports_area(slot).range(reports::BYTES.into())),
            ] {
                let (first, second) = (used.start.address, range.start.address);
                let overlap = first < second + range.size && second < first + used.size;
                if used.start.space == range.start.space && overlap {
                    return Err(Error::InvalidArgument(format!(
                        "{:#x} bytes at {second:#x} in space {}: the {what} of context {slot} are there since it was \
                         allocated; memory of the host's has to be mapped before that",
                        range.size, range.start.space
                    )));
                }
            }
        }
        Ok(())
    }

    /// What a head shows: an offset in local memory.
    pub(crate) fn shown(&self, head: usize) -> u32 {
        self.shown.get(head).copied().unwrap_or(0)
    }

    /// A REF_CNT method of a channel was executed.
    pub(crate) fn reference(&self, core: &Core, channel: u32, value: u32) {
        if let Some(slot) = self.slot_of_channel(channel) {
            set_word(core, control_page(slot), control::REF, value);
        }
    }

    /// A channel has met an error ([`triglyph_guest::rsx::lv1::event::graphics_error`]): its context can read which.
    pub(crate) fn graphics_error(&self, core: &Core, channel: u32, number: u32) {
        if let Some(slot) = self.slot_of_channel(channel) {
            let info = Info::of(slot);
            info.set_interrupt(core, interrupt::GRAPH_CAUSE, number);
            info.set_interrupt(core, interrupt::LAST_ERROR, number);
        }
    }

    /// IO addresses that are not mapped were touched: the contexts whose they are can read that.
    fn unmapped_io(&self, core: &Core, addresses: &[u64]) {
        for address in addresses {
            let slot = (address / u64::from(IO_STRIDE)) as usize;
            self.graphics_error(core, channel(slot), graphics_error::UNMAPPED_IO);
        }
    }

    /// The channels that are to run, as bits.
    pub(crate) fn running(&self) -> u32 {
        let paused = (0..CONTEXTS).filter(|&slot| self.contexts[slot].as_ref().is_some_and(|context| context.paused));
        paused.fold(u32::MAX, |running, slot| running & !(1 << channel(slot)))
    }
}

/// A big-endian word of a page; 0 where nothing is mapped.
fn word(core: &Core, page: GuestAddr, offset: u32) -> u32 {
    let mut bytes = [0; 4];
    match core.memory.read(page.after(u64::from(offset)), &mut bytes) {
        Ok(()) => u32::from_be_bytes(bytes),
        Err(_) => 0,
    }
}

/// Stores a big-endian word in a page. A page that the host has unmapped is no fault.
fn set_word(core: &Core, page: GuestAddr, offset: u32, word: u32) {
    let _ = core.memory.write(page.after(u64::from(offset)), &word.to_be_bytes());
}
