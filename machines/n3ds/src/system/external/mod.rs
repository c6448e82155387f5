//! The external registers: memory fill, transfer engine, LCD controllers, start of command lists.
//!
//! ```text
//! write(offset, value) ─┬─► fill.rs       PSC0, PSC1 ──┐
//!                       ├─► transfer.rs   PPF ─────────┼─► transfer requests ──► CommandProcessor
//!                       ├─► lcd           PDC0, PDC1   │
//!                       └─► 0x1000 + 4*id ─────────────┴─► PICA registers, command lists
//! ```
//! Everything is done before a write returns; the [`Event`] it returns says which interrupt the unit raises and when
//! it would have been ready. Source: 3dbrew GPU/External Registers.

pub mod saved;
pub mod timing;

use triglyph_guest::pica::external::{self, Effect};
use triglyph_guest::pica::regs;

use super::gsp::interrupt::Interrupt;
use super::lcd::{Lcd, Screen};
pub use super::spaces::{PHYSICAL, PROCESS};
pub(crate) use saved::SavedExternal;
use triglyph_engine::device::{CallLog, FaultKind};
use triglyph_engine::frontend::budget::Budget;
use triglyph_engine::mem::{GuestAddr, GuestRange, Memory};
use triglyph_engine::transfer::{Outcome, Request};

/// A unit has finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// What it raises.
    pub interrupt: Interrupt,
    /// How long it would have taken, in ticks of the main processor (268 MHz); an estimate.
    pub ticks: u64,
}

/// How a command list ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ListEnd {
    /// Whether the list raised P3D. A list that does not hangs the real machine; here it just ends.
    pub interrupt: bool,
    /// Words that were fetched, for the estimate of time.
    pub words: u64,
    /// Triangles that were drawn, for the estimate of time.
    pub triangles: u64,
}

impl ListEnd {
    /// What is raised.
    pub fn event(&self) -> Option<Event> {
        let ticks = timing::command_list(self.words, self.triangles);
        self.interrupt.then_some(Event { interrupt: Interrupt::P3d, ticks })
    }
}

/// What the external registers drive: the PICA200, and memory.
pub trait CommandProcessor {
    /// Executes the command list of `size` bytes at physical address `address`.
    fn run_list(&mut self, address: u32, size: u32) -> ListEnd;

    /// Whether a bounded run has left a command list before its end, or its end was not heard of.
    fn is_suspended(&self) -> bool {
        false
    }

    /// Goes on with it; `None` when a bounded run is over before its end, or there is none.
    fn go_on(&mut self) -> Option<ListEnd> {
        None
    }

    /// Does what transfers have left. False when a bounded run was interrupted before their end.
    fn draw_closed(&mut self) -> bool {
        true
    }

    /// What bounds a run, and time; `None` where nothing does.
    fn budget(&mut self) -> Option<&mut Budget> {
        None
    }

    /// The recorder of calls, and guest memory; `None` without a recorder.
    fn calls(&mut self) -> Option<(&mut CallLog, &Memory)> {
        None
    }

    /// Writes internal register `id` (below 0x300) as the processor would, with all effects; bit k of `byte_mask` lets
    /// byte k through. Returns whether P3D was raised.
    fn write_register(&mut self, id: u32, value: u32, byte_mask: u32) -> bool;

    /// Reads internal register `id` (below 0x300).
    fn read_register(&mut self, id: u32) -> u32;

    /// Does a transfer, after everything drawn so far; in bounded runs [`Self::draw_closed`] does it.
    fn transfer(&mut self, request: &Request) -> Outcome;

    /// Whether all of a range is mapped. Without knowledge of memory: yes.
    fn is_mapped(&self, range: GuestRange) -> bool {
        let _ = range;
        true
    }

    /// The processor wrote these bytes: a hint.
    fn flush(&mut self, address: u32, size: u32) {
        let _ = (address, size);
    }

    /// Notes a guest fault at a physical address or register offset.
    fn fault(&mut self, kind: FaultKind, what: String, address: u64);
}

/// What happens when a transfer meets a case in which the hardware freezes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FreezePolicy {
    /// The transfer completes: a copy copies nothing, a conversion is done all the same.
    #[default]
    Complete,
    /// Nothing is stored, the unit stays busy for good and no interrupt comes.
    Hang,
}

/// Bytes of the block's own part; the PICA's registers follow.
const OWN: u32 = 0x1000;

/// The offset of a PICA register in the block.
pub(crate) const fn internal(id: usize) -> usize {
    OWN as usize + 4 * id
}

/// The external register block.
#[derive(Clone, Debug)]
pub struct External {
    words: Box<[u32; OWN as usize / 4]>,
    lcds: [Lcd; 2],
    pub(crate) freeze_policy: FreezePolicy,
}

impl Default for External {
    fn default() -> Self {
        External {
            words: Box::new([0; OWN as usize / 4]),
            lcds: Screen::ALL.map(Lcd::new),
            freeze_policy: FreezePolicy::default(),
        }
    }
}

impl External {
    /// Says what happens where the hardware freezes.
    pub fn set_freeze_policy(&mut self, policy: FreezePolicy) {
        self.freeze_policy = policy;
    }

    /// What happens there.
    pub fn freeze_policy(&self) -> FreezePolicy {
        self.freeze_policy
    }

    /// Says whether this is a New 3DS; shown by register 0x000.
    pub fn set_new_model(&mut self, new: bool) {
        *self.word_mut(external::hw_id::ID) = u32::from(new) << 2;
    }

    /// A screen's controller.
    pub fn lcd(&self, screen: Screen) -> &Lcd {
        &self.lcds[screen as usize]
    }

    /// A screen's controller, to change it.
    pub fn lcd_mut(&mut self, screen: Screen) -> &mut Lcd {
        &mut self.lcds[screen as usize]
    }

    /// Reads the register at `offset`, in bytes from 0x10400000; the two low bits are ignored.
    #[doc(hidden)]
    pub fn read<C: CommandProcessor + ?Sized>(&mut self, core: &mut C, offset: u32) -> u32 {
        let offset = offset & !3;
        match offset {
            0x400..0x500 => self.lcds[0].read(offset - 0x400),
            0x500..0x600 => self.lcds[1].read(offset - 0x500),
            _ if offset as usize == external::busy::ID => self.busy(),
            0..OWN => self.word(offset as usize),
            // The triggers of command lists read 0: lists are done at once.
            _ if external::cmdlist_go::IDS.contains(&(offset as usize)) => 0,
            _ => match self.internal(core, offset) {
                Some(id) => core.read_register(id),
                None => 0,
            },
        }
    }

    /// Writes the register at `offset`, in bytes from 0x10400000; the two low bits are ignored. Returns what finished.
    #[doc(hidden)]
    pub fn write<C: CommandProcessor + ?Sized>(&mut self, core: &mut C, offset: u32, value: u32) -> Option<Event> {
        let offset = offset & !3;
        if offset >= OWN {
            return self.write_internal(core, offset, value);
        }
        let register = external::register(offset);
        let value = register.map_or(value, |register| value & register.bits());
        match register.map_or(Effect::None, |register| register.effect) {
            Effect::ReadOnly => None,
            Effect::Fill => self.fill_control(core, (offset >> 5 & 1) as usize, value),
            Effect::Transfer => self.transfer_control(core, value),
            _ if (0x400..0x600).contains(&offset) => {
                self.lcds[(offset >> 8 & 1) as usize].write(offset & 0xFF, value);
                None
            }
            _ => {
                *self.word_mut(offset as usize) = value;
                None
            }
        }
    }

    /// A write to the PICA's registers, or the start of a command list.
    fn write_internal<C: CommandProcessor + ?Sized>(&mut self, core: &mut C, offset: u32, value: u32) -> Option<Event> {
        let id = self.internal(core, offset)?;
        match external::register(offset).map(|register| register.effect) {
            Some(Effect::List) if value == 0 => None,
            Some(Effect::List) => start_list(core, offset >> 2 & 1),
            _ => core.write_register(id, value, 0xF).then_some(Event { interrupt: Interrupt::P3d, ticks: 0 }),
        }
    }

    /// The PICA register at `offset`.
    fn internal<C: CommandProcessor + ?Sized>(&mut self, core: &mut C, offset: u32) -> Option<u32> {
        let id = offset.wrapping_sub(OWN) / 4;
        if id >= regs::COUNT as u32 {
            core.fault(
                FaultKind::BadMethod,
                format!("external register {offset:#x} does not exist"),
                u64::from(offset),
            );
            return None;
        }
        Some(id)
    }

    pub(crate) fn word(&self, offset: usize) -> u32 {
        self.words[offset / 4]
    }

    pub(crate) fn word_mut(&mut self, offset: usize) -> &mut u32 {
        &mut self.words[offset / 4]
    }

    /// The units at work: none but a frozen transfer engine, as everything else is done at once.
    fn busy(&self) -> u32 {
        u32::from(external::ppf_control::busy(self.word(external::ppf_control::ID))) << 30
    }
}

/// Runs the command list that a channel's registers name.
fn start_list<C: CommandProcessor + ?Sized>(core: &mut C, channel: u32) -> Option<Event> {
    let channel = channel as usize;
    let size = regs::cmdbuf_size::size(core.read_register(regs::cmdbuf_size::IDS[channel] as u32)) << 3;
    let address = regs::cmdbuf_addr::address(core.read_register(regs::cmdbuf_addr::IDS[channel] as u32)) as u32;
    core.run_list(address, size).event()
}

/// Does a transfer and reports what of it fell outside memory.
pub(crate) fn perform<C: CommandProcessor + ?Sized>(core: &mut C, unit: &str, request: &Request) {
    let (outcome, target) = (core.transfer(request), request.target());
    for (kind, place, bytes) in outcome.faults(request.source().unwrap_or(target), target) {
        core.fault(kind, format!("{unit}: {bytes:#x} bytes are not in mapped memory"), place.address);
    }
}

/// A physical address.
pub(crate) fn physical(address: u32) -> GuestAddr {
    GuestAddr::new(PHYSICAL, u64::from(address))
}
