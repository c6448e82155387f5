//! The hypervisor's state in a snapshot.

use triglyph_guest::rsx::lv1::CONTEXTS;
use triglyph_guest::rsx::lv1::attribute::{DisplayBuffer, Tile, VblankRate, Zcull};

use super::{Allocation, Context, FrameBuffer, HEADS, Head, IoMap, Lv1, XDR, io_base};
use crate::front_end::dma::space;
use triglyph_engine::device::Access;
use triglyph_engine::mem::{GuestAddr, GuestRange, Memory};
use triglyph_engine::snapshot::state;

state! {
    /// See the module's documentation.
    pub(in crate) struct SavedLv1 {
        allocations: Vec<SavedAllocation>,
        contexts: Vec<Option<SavedContext>>,
        shown: [u32; HEADS],
        time: u64,
        devices: u64,
    }
    pub(in crate) struct SavedAllocation { handle: u32, start: u64, size: u64, parameters: [u64; 4] }
    pub(in crate) struct SavedContext {
        memory: u32,
        flags: u64,
        paused: bool,
        io: Vec<SavedIo>,
        buffers: Vec<Option<[u32; 4]>>,
        heads: Vec<SavedHead>,
        tiles: [[u32; 4]; 15],
        zculls: [[u32; 6]; 8],
        frame_buffer: Option<[u32; 2]>,
        interrupts: u64,
    }
    pub(in crate) struct SavedIo { io: u32, lpar: u64, size: u64, access: u32 }
    pub(in crate) struct SavedHead {
        sync: u32,
        mode: [u64; 3],
        pending: Option<[u32; 2]>,
        rates: [u32; 2],
        cursor: [u64; 3],
    }
}

/// The number by which guests name a rate.
fn rate_number(rate: VblankRate) -> u32 {
    match rate {
        VblankRate::ScanOut => 2,
        VblankRate::Ntsc => 3,
        VblankRate::Off => 4,
        VblankRate::Other(number) => number,
    }
}

fn rate(number: u32) -> VblankRate {
    match number {
        2 => VblankRate::ScanOut,
        3 => VblankRate::Ntsc,
        4 => VblankRate::Off,
        other => VblankRate::Other(other),
    }
}

fn save_io(&IoMap { io, lpar, size, access }: &IoMap) -> SavedIo {
    SavedIo { io, lpar, size, access: access.bits() }
}

fn restore_io(SavedIo { io, lpar, size, access }: SavedIo) -> IoMap {
    IoMap { io, lpar, size, access: Access::from_bits(access) }
}

impl Head {
    fn save(&self) -> SavedHead {
        let Head { sync, mode, pending, rates, cursor } = *self;
        let pending = pending.map(|(buffer, offset)| [buffer, offset]);
        SavedHead { sync, mode, pending, rates: rates.map(rate_number), cursor }
    }

    fn restore(saved: SavedHead) -> Self {
        let SavedHead { sync, mode, pending, rates, cursor } = saved;
        Head { sync, mode, pending: pending.map(|[buffer, offset]| (buffer, offset)), rates: rates.map(rate), cursor }
    }
}

impl Context {
    fn save(&self) -> SavedContext {
        let Context { memory, flags, paused, io, buffers, heads, tiles, zculls, frame_buffer, interrupts } = self;
        let buffer = |buffer: &DisplayBuffer| [buffer.width, buffer.height, buffer.pitch, buffer.offset];
        SavedContext {
            memory: *memory,
            flags: *flags,
            paused: *paused,
            io: io.iter().map(save_io).collect(),
            buffers: buffers.iter().map(|known| known.as_ref().map(buffer)).collect(),
            heads: heads.iter().map(Head::save).collect(),
            tiles: tiles.map(|Tile { tile, limit, pitch, format }| [tile, limit, pitch, format]),
            zculls: zculls.map(|Zcull { region, size, start, offset, status: [first, second] }| {
                [region, size, start, offset, first, second]
            }),
            frame_buffer: frame_buffer.map(|FrameBuffer { io, size }| [io, size]),
            interrupts: *interrupts,
        }
    }

    /// `None` for a context that cannot be.
    fn restore(saved: SavedContext) -> Option<Self> {
        let sound = |map: &SavedIo| u64::from(map.io).checked_add(map.size).is_some_and(|end| end <= 512 << 20);
        if !saved.io.iter().all(sound) {
            return None;
        }
        let buffer = |[width, height, pitch, offset]: [u32; 4]| DisplayBuffer { width, height, pitch, offset };
        let buffers: Vec<_> = saved.buffers.into_iter().map(|known| known.map(buffer)).collect();
        let heads: Vec<_> = saved.heads.into_iter().map(Head::restore).collect();
        Some(Context {
            memory: saved.memory,
            flags: saved.flags,
            paused: saved.paused,
            io: saved.io.into_iter().map(restore_io).collect(),
            buffers: buffers.try_into().ok()?,
            heads: heads.try_into().ok()?,
            tiles: saved.tiles.map(|[tile, limit, pitch, format]| Tile { tile, limit, pitch, format }),
            zculls: saved.zculls.map(|[region, size, start, offset, first, second]| Zcull {
                region,
                size,
                start,
                offset,
                status: [first, second],
            }),
            frame_buffer: saved.frame_buffer.map(|[io, size]| FrameBuffer { io, size }),
            interrupts: saved.interrupts,
        })
    }
}

impl Lv1 {
    pub(crate) fn save(&self) -> SavedLv1 {
        let Lv1 { allocations, contexts, shown, time, devices } = self;
        let allocation = |&Allocation { handle, start, size, parameters }: &Allocation| SavedAllocation {
            handle,
            start,
            size,
            parameters,
        };
        SavedLv1 {
            allocations: allocations.iter().map(allocation).collect(),
            contexts: contexts.iter().map(|context| context.as_ref().map(Context::save)).collect(),
            shown: *shown,
            time: *time,
            devices: *devices,
        }
    }

    /// The state that was saved; `None` when there is no such state.
    pub(crate) fn restore(saved: SavedLv1) -> Option<Self> {
        let mut contexts = [const { None }; CONTEXTS];
        if saved.contexts.len() != CONTEXTS {
            return None;
        }
        for (context, saved) in contexts.iter_mut().zip(saved.contexts) {
            *context = match saved {
                Some(saved) => Some(Context::restore(saved)?),
                None => None,
            };
        }
        let allocation =
            |SavedAllocation { handle, start, size, parameters }| Allocation { handle, start, size, parameters };
        Some(Lv1 {
            allocations: saved.allocations.into_iter().map(allocation).collect(),
            contexts,
            shown: saved.shown,
            time: saved.time,
            devices: saved.devices,
        })
    }

    /// Shows main memory in the IO spaces again. What is not mapped any more cannot be shown.
    pub(crate) fn show_io(&self, memory: &mut Memory) {
        let slots = self.contexts.iter().enumerate().filter_map(|(slot, context)| Some((slot, context.as_ref()?)));
        for (slot, map) in slots.flat_map(|(slot, context)| context.io.iter().map(move |map| (slot, map))) {
            let target = u64::from(io_base(slot)) + u64::from(map.io);
            let _ =
                memory.alias(GuestAddr::new(space::MAIN, target), GuestRange::new(XDR, map.lpar, map.size), map.access);
        }
    }
}
