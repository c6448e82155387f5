//! BAR0, PRAMIN and BAR1 as a processor on the bus sees them: exact mode.
//!
//! Reads and writes are words; the caller takes care of the processor's byte order. Registers that nothing is known of
//! read 0 and are a fault; those of units without an effect here keep what is written.

use triglyph_guest::rsx::lv1::calls::call;
use triglyph_guest::rsx::lv1::page::{bar, control};
use triglyph_guest::rsx::ramfc::{Field, Ramfc};
use triglyph_guest::rsx::ramht::Ramht;
use triglyph_guest::rsx::registers::{self as regs, Effect, Kind, cache, user};

use crate::Rsx;
use crate::core::Objects;
use crate::front_end::CHANNELS;
use crate::front_end::dma::space;
use crate::front_end::ramin::Ramin;
use triglyph_engine::device::FaultKind;
use triglyph_engine::device::calls::{RecordedAs, RecordsCalls};
use triglyph_engine::mem::GuestAddr;

/// A register's address.
const fn at(id: usize) -> u32 {
    id as u32
}

/// The control pages of the channels that there are.
const USER_DMA: u32 = user::DMA;
const USER_DMA_END: u32 = user::DMA + CHANNELS * user::DMA_BYTES;

/// Registers with an effect of their own, by address.
mod id {
    use super::{at, regs};

    pub const PMC_INTR_0: u32 = at(regs::pmc_intr_0::ID);
    pub const PFIFO_INTR: u32 = at(regs::pfifo_intr::ID);
    pub const PFIFO_INTR_EN: u32 = at(regs::pfifo_intr_en::ID);
    pub const PFIFO_RAMHT: u32 = at(regs::pfifo_ramht::ID);
    pub const PFIFO_RAMFC: u32 = at(regs::pfifo_ramfc::ID);
    pub const PFIFO_CACHES: u32 = at(regs::pfifo_caches::ID);
    pub const PFIFO_MODE: u32 = at(regs::pfifo_mode::ID);
    pub const PFIFO_DMA: u32 = at(regs::pfifo_dma::ID);
    pub const PUSH0: u32 = at(regs::cache1_push0::ID);
    pub const PUSH1: u32 = at(regs::cache1_push1::ID);
    pub const CACHE_PUT: u32 = at(regs::cache1_put::ID);
    pub const STATUS: u32 = at(regs::cache1_status::ID);
    pub const DMA_PUSH: u32 = at(regs::cache1_dma_push::ID);
    pub const PULL0: u32 = at(regs::cache1_pull0::ID);
    pub const CACHE_GET: u32 = at(regs::cache1_get::ID);
    pub const TIME_0: u32 = at(regs::ptimer_time_0::ID);
    pub const TIME_1: u32 = at(regs::ptimer_time_1::ID);
    pub const CRTC_START: [u32; 2] = [at(regs::pcrtc_start::id(0)), at(regs::pcrtc_start::id(1))];
}

/// Bits of the registers that switch PFIFO's parts.
mod bit {
    pub const ACCESS: u32 = 1;
    pub const HASH_FAILED: u32 = 1 << 4;
    pub const EMPTY: u32 = 1 << 4;
    pub const FULL: u32 = 1 << 8;
    pub const BUFFER_EMPTY: u32 = 1 << 8;
    pub const SUSPENDED: u32 = 1 << 12;
    pub const DMA: u32 = 1 << 16;
    pub const PFIFO: u32 = 1 << 8;
    pub const RUNOUT: u32 = 1 << 4;
}

impl Rsx {
    /// Reads a register of BAR0; the two low bits of the address are ignored.
    pub(crate) fn read_register(&mut self, address: u32) -> u32 {
        let address = address & !3;
        let Some(ramin) = self.core.ramin() else {
            self.no_registers(address);
            return 0;
        };
        let (ramht, ramfc) = (ramin.ramht.0, ramin.ramfc.0);
        let switches = &self.fifo.switches;
        let flag = |on: bool, bit: u32| if on { bit } else { 0 };
        match address {
            cache::START..cache::END => self.fifo.cache.word(address - cache::START),
            user::PIO..user::DMA => self.user_read(address),
            USER_DMA..USER_DMA_END => self.user_read(address),
            id::PMC_INTR_0 => flag(self.host_events.interrupts & self.host_events.enabled != 0, bit::PFIFO),
            id::PFIFO_INTR => self.host_events.interrupts,
            id::PFIFO_INTR_EN => self.host_events.enabled,
            id::PFIFO_RAMHT => ramht,
            id::PFIFO_RAMFC => ramfc,
            id::PFIFO_CACHES => flag(switches.reassign, bit::ACCESS),
            id::PFIFO_MODE => switches.dma_mode,
            id::PFIFO_DMA => {
                let pending = (0..CHANNELS).filter(|&channel| self.fifo.has_work(&self.core, channel));
                pending.fold(0, |bits, channel| bits | 1 << channel)
            }
            id::PUSH0 => flag(switches.push, bit::ACCESS),
            id::PUSH1 => {
                let current = self.fifo.current();
                current | flag(switches.dma_mode >> current & 1 != 0, bit::DMA)
            }
            id::CACHE_PUT => self.fifo.cache.put(),
            id::CACHE_GET => self.fifo.cache.get(),
            id::STATUS => flag(self.fifo.cache.is_empty(), bit::EMPTY) | flag(self.fifo.cache.is_full(), bit::FULL),
            id::DMA_PUSH => {
                let live = self.fifo.live();
                flag(switches.dma_push, bit::ACCESS)
                    | flag(live.get == live.put, bit::BUFFER_EMPTY)
                    | flag(live.error.is_some(), bit::SUSPENDED)
            }
            id::PULL0 => flag(switches.pull, bit::ACCESS) | flag(switches.hash_failed, bit::HASH_FAILED),
            id::TIME_0 => self.core.now() as u32 & !31,
            id::TIME_1 => (self.core.now() >> 32) as u32 & 0x1FFF_FFFF,
            _ => self.plain_read(address),
        }
    }

    fn plain_read(&mut self, address: u32) -> u32 {
        let Some((row, _)) = regs::info(address) else {
            self.core.fault(FaultKind::BadMethod, address.into(), format_args!("register {address:#x} does not exist"));
            return 0;
        };
        match Field::of_register(address) {
            Some(field) => self.fifo.live().field(field),
            None => {
                let shown = id::CRTC_START.iter().position(|&start| start == address);
                let reset = shown.map_or(row.reset, |head| self.host_events.lv1.shown(head));
                self.mmio.get(address, reset)
            }
        }
    }

    /// Writes a register of BAR0; the two low bits of the address are ignored.
    pub(crate) fn write_register(&mut self, address: u32, word: u32) {
        let address = address & !3;
        if self.core.ramin().is_none() {
            return self.no_registers(address);
        }
        let on = |bit: u32| word & bit != 0;
        match address {
            cache::START..cache::END => self.fifo.cache.set_word(address - cache::START, word),
            user::PIO..user::DMA => self.user_write(address, word),
            USER_DMA..USER_DMA_END => self.user_write(address, word),
            id::PFIFO_INTR => self.host_events.interrupts &= !word,
            id::PFIFO_INTR_EN => self.host_events.enabled = word,
            id::PFIFO_RAMHT => self.with_ramin(|ramin| ramin.ramht = Ramht(word)),
            id::PFIFO_RAMFC => self.with_ramin(|ramin| ramin.ramfc = Ramfc(word)),
            id::PFIFO_CACHES => self.fifo.switches.reassign = on(bit::ACCESS),
            id::PFIFO_MODE => self.fifo.switches.dma_mode = word,
            id::PUSH0 => self.fifo.switches.push = on(bit::ACCESS),
            id::PUSH1 => {
                let channel = word & 0x1FF;
                if !self.fifo.select(&self.core, channel) {
                    let what = format_args!("channel {channel}");
                    self.core.fault(FaultKind::BadMethod, address.into(), what);
                }
            }
            id::CACHE_PUT => self.fifo.cache.set_put(word),
            id::CACHE_GET => self.fifo.cache.set_get(word),
            id::DMA_PUSH => self.fifo.switches.dma_push = on(bit::ACCESS),
            id::PULL0 => {
                self.fifo.switches.pull = on(bit::ACCESS);
                self.fifo.switches.hash_failed &= on(bit::HASH_FAILED);
            }
            id::TIME_0 => self.core.budget.set_clock(self.core.budget.now() & !0xFFFF_FFFF | u64::from(word & !31)),
            id::TIME_1 => {
                self.core.budget.set_clock(u64::from(word & 0x1FFF_FFFF) << 32 | self.core.budget.now() & 0xFFFF_FFFF)
            }
            _ => self.plain_write(address, word),
        }
    }

    fn plain_write(&mut self, address: u32, word: u32) {
        let Some((row, _)) = regs::info(address) else {
            let what = format_args!("register {address:#x} does not exist");
            return self.core.fault(FaultKind::BadMethod, address.into(), what);
        };
        match (row.effect, Field::of_register(address)) {
            (_, Some(field)) => self.fifo.live.set_field(field, word),
            (Effect::Special(Kind::ReadOnly), _) => {}
            (Effect::Special(Kind::Acknowledge), _) => {
                let kept = self.mmio.get(address, row.reset);
                self.mmio.set(address, kept & !word);
            }
            _ => self.mmio.set(address, word),
        }
    }

    fn no_registers(&mut self, address: u32) {
        let what = format_args!("register {address:#x}: there are none in fast mode");
        self.core.fault(FaultKind::BadMethod, address.into(), what);
    }

    fn with_ramin(&mut self, f: impl FnOnce(&mut Ramin)) {
        if let Objects::Instances(ramin) = self.core.objects_mut() {
            f(ramin);
        }
    }

    /// The channel and the offset of a window's address; `None` beyond the channels.
    fn user_window(address: u32) -> Option<(u32, u32)> {
        let (start, bytes) =
            if address < user::DMA { (user::PIO, user::PIO_BYTES) } else { (user::DMA, user::DMA_BYTES) };
        let (channel, offset) = ((address - start) / bytes, (address - start) % bytes);
        (channel < CHANNELS).then_some((channel, offset))
    }

    /// Whether methods of a channel are written by the processor, in the window of that kind.
    fn is_pio(&self, address: u32, channel: u32) -> bool {
        address < user::DMA && self.fifo.switches.dma_mode >> channel & 1 == 0
    }

    fn user_read(&mut self, address: u32) -> u32 {
        let Some((channel, offset)) = Self::user_window(address) else { return 0 };
        if self.is_pio(address, channel) {
            return match offset & 0x1FFF {
                user::FREE => 4 * self.fifo.cache.free() as u32,
                _ => 0,
            };
        }
        let field = |field| self.fifo.field(&self.core, channel, field);
        match offset {
            control::PUT => field(Field::DmaPut),
            control::GET => field(Field::DmaGet),
            control::REF => field(Field::RefCnt),
            control::CGET => match field(Field::DmaSubroutine) {
                active if active & 1 != 0 => active & !3,
                _ => field(Field::DmaGet),
            },
            _ => 0,
        }
    }

    fn user_write(&mut self, address: u32, word: u32) {
        let Some((channel, offset)) = Self::user_window(address) else { return };
        if !self.is_pio(address, channel) {
            if offset == control::PUT {
                self.fifo.set_field(&self.core, channel, Field::DmaPut, word);
                self.tell_control(channel, word);
            }
            return;
        }
        if !self.fifo.switches.push || !self.fifo.select(&self.core, channel) {
            return;
        }
        // Methods of the processor are executed as they come.
        if !self.fifo.cache.push(offset >> 13, offset & 0x1FFC, word) {
            return self.host_events.raise(bit::RUNOUT);
        }
        self.run_channels(1 << channel);
    }

    /// Reads a word of instance memory; 0 beyond its end.
    pub fn pramin_read(&self, offset: u32) -> u32 {
        self.core.ramin().map_or(0, |ramin| ramin.read(&self.core.memory, offset))
    }

    /// Reads a word of the bus: BAR0, PRAMIN or BAR1 at the addresses of the hypervisor. Local memory gives the chip's
    /// own (little-endian) words; `None` outside of all three.
    pub fn bus_read(&mut self, address: u64) -> Option<u32> {
        let within = |start: u64, bytes: u64| address.checked_sub(start).filter(|&past| past < bytes);
        if let Some(offset) = within(bar::MMIO, bar::MMIO_BYTES) {
            return Some(self.mmio_read(offset as u32));
        }
        if let Some(offset) = within(bar::PRAMIN, bar::PRAMIN_BYTES) {
            return Some(self.pramin_read(offset as u32));
        }
        let offset = within(bar::LOCAL, bar::LOCAL_BYTES)?;
        let mut bytes = [0; 4];
        // What is not mapped reads 0.
        let _ = self.core.memory.read(GuestAddr::new(space::LOCAL, offset & !3), &mut bytes);
        Some(u32::from_le_bytes(bytes))
    }

    /// Writes a word of the bus; false outside of all three ranges.
    pub fn bus_write(&mut self, address: u64, word: u32) -> bool {
        let within = |start: u64, bytes: u64| address.checked_sub(start).filter(|&past| past < bytes);
        if let Some(offset) = within(bar::MMIO, bar::MMIO_BYTES) {
            self.mmio_write(offset as u32, word);
        } else if let Some(offset) = within(bar::PRAMIN, bar::PRAMIN_BYTES) {
            self.pramin_write(offset as u32, word);
        } else if let Some(offset) = within(bar::LOCAL, bar::LOCAL_BYTES) {
            const BUS_WRITE: RecordedAs = RecordedAs::of(call("bus_write"));
            let recorded = self.record(BUS_WRITE, &[address, word.into()], |rsx| rsx.bus_write(address, word));
            if let Some(written) = recorded {
                return written;
            }
            // What is not mapped keeps nothing.
            let _ = self.core.memory.write(GuestAddr::new(space::LOCAL, offset & !3), &word.to_le_bytes());
        } else {
            return false;
        }
        true
    }
}
