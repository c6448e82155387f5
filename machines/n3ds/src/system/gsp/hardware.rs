//! What GSP drives.

use super::address;
use crate::system::call_recorder;
use crate::system::external::timing;
use crate::system::external::timing::time_of_ticks;
use crate::system::external::{CommandProcessor, Event, External};
use crate::system::lcd::{self, Screen};
use crate::system::spaces::PHYSICAL;
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::{GuestAddr, GuestRange};
use triglyph_engine::transfer::{Copy, Lines, Request};
use triglyph_guest::gsp::calls::call as row;
use triglyph_guest::num::nanoseconds;

/// Offset of the external GPU registers from physical address 0x10000000, where GSP's register calls count from.
pub const GPU: u32 = 0x40_0000;

/// Offsets of the registers that cover a screen with one colour (3dbrew: LCD Registers).
pub const LCD_FILL: [u32; 2] = [0x20_2204, 0x20_2A04];

/// The hardware that GSP drives. Registers are counted in bytes from physical address 0x10000000.
pub trait Hardware {
    /// Reads a register.
    fn read_register(&mut self, offset: u32) -> u32;

    /// Writes a register with all effects; returns which unit finished because of it.
    fn write_register(&mut self, offset: u32, value: u32) -> Option<Event>;

    /// Copies bytes between physical addresses with the processors' DMA engine; returns the ticks it takes.
    fn dma(&mut self, source: u32, target: u32, size: u32) -> u64;

    /// The same between physical addresses or those of a process: see [`dma_place`](address::dma_place). What is not
    /// mapped is a fault.
    fn process_dma(&mut self, source: GuestAddr, target: GuestAddr, size: u32) -> u64;

    /// Whether all of a range is mapped. Without knowledge of memory: yes.
    fn is_mapped(&self, range: GuestRange) -> bool {
        let _ = range;
        true
    }

    /// The processor wrote these bytes at a physical address: a hint.
    fn flush(&mut self, address: u32, size: u32) {
        let _ = (address, size);
    }

    /// A screen has shown a frame.
    fn vblank(&mut self, screen: Screen) {
        let _ = screen;
    }

    /// The physical address of a virtual one of the client in linear heap, QTM memory or VRAM, for flushes.
    fn translate(&self, address: u32) -> Option<u32> {
        address::to_physical(address)
    }

    /// A GX command begins, or all that wait: what they write is their own doing.
    fn begin_command(&mut self) {}

    /// The command has ended. Others may be deferred meanwhile.
    fn end_command(&mut self, words: &[u32; 8], is_deferred: bool) {
        let _ = (words, is_deferred);
    }

    /// The command is left to the host: nothing was done, so that recordings have what the host does instead.
    fn leave_command(&mut self) {}

    /// The commands that waited have ended.
    fn end_deferred(&mut self) {}

    /// A command was found in a client's queue; it is executed after others, or in a bounded run.
    fn take_queued(&mut self, words: &[u32; 8]) {
        let _ = words;
    }

    /// Whether a bounded run has left a command list before its end, or its end was not heard of.
    fn is_suspended(&self) -> bool {
        false
    }

    /// Goes on with it, and returns what it raises; `None` when a bounded run is over before its end.
    fn go_on(&mut self) -> Option<Option<Event>> {
        Some(None)
    }

    /// Does what transfers of a command have left. False when a bounded run was interrupted before their end.
    fn draw_closed(&mut self) -> bool {
        true
    }

    /// Lets time pass with a command that is no list.
    fn spend(&mut self, ticks: u64) {
        let _ = ticks;
    }

    /// Whether a bounded run is over.
    fn is_over(&mut self) -> bool {
        false
    }

    /// Ends a bounded run in whose recording all memory has to be compared before the next command begins. False if it
    /// may begin.
    #[doc(hidden)]
    fn cut_to_compare(&mut self) -> bool {
        false
    }

    /// Notes a guest fault.
    fn fault(&mut self, kind: FaultKind, what: String, address: u64);
}

/// Words of a GX command.
const COMMAND_WORDS: u64 = 8;

/// The external registers and what they drive, as GSP's hardware.
#[derive(Debug)]
pub struct Bus<'a, C: ?Sized> {
    /// The registers.
    pub external: &'a mut External,
    /// The PICA and memory.
    pub core: &'a mut C,
}

impl<C: CommandProcessor + ?Sized> Hardware for Bus<'_, C> {
    fn begin_command(&mut self) {
        call_recorder::begin(self.core);
    }

    fn end_command(&mut self, words: &[u32; 8], is_deferred: bool) {
        call_recorder::command(self.core, words, is_deferred);
    }

    fn leave_command(&mut self) {
        call_recorder::left(self.core);
    }

    fn end_deferred(&mut self) {
        call_recorder::finished(self.core);
    }

    fn take_queued(&mut self, words: &[u32; 8]) {
        call_recorder::queued(self.core, words);
    }

    fn read_register(&mut self, offset: u32) -> u32 {
        record_read(self.core, offset);
        match (offset & !3).checked_sub(GPU) {
            Some(offset) => self.external.read(self.core, offset),
            None => lcd_fill(offset).map_or(0, |screen| self.external.lcd(screen).fill),
        }
    }

    fn write_register(&mut self, offset: u32, value: u32) -> Option<Event> {
        call_recorder::call(self.core, const { row("write_register") }, &[offset, value]);
        match (offset & !3).checked_sub(GPU) {
            Some(offset) => self.external.write(self.core, offset, value),
            None => {
                // The rest of the I/O area, backlights and hashes, is none of the GPU's.
                if let Some(screen) = lcd_fill(offset) {
                    self.external.lcd_mut(screen).fill = value;
                }
                None
            }
        }
    }

    fn dma(&mut self, source: u32, target: u32, size: u32) -> u64 {
        call_recorder::call(self.core, const { row("dma") }, &[source, target, size]);
        let place = |address: u32| GuestAddr::new(PHYSICAL, u64::from(address));
        self.process_dma(place(source), place(target), size)
    }

    fn process_dma(&mut self, source: GuestAddr, target: GuestAddr, size: u32) -> u64 {
        let lines = Lines::CONTIGUOUS;
        let copy = Copy { source, target, size: u64::from(size), source_lines: lines, target_lines: lines };
        let outcome = self.core.transfer(&Request::Copy(copy));
        for (kind, place, bytes) in outcome.faults(copy.source, copy.target) {
            self.core.fault(kind, format!("DMA: {bytes:#x} bytes are not in mapped memory"), place.address);
        }
        timing::dma(source, target, size)
    }

    fn is_mapped(&self, range: GuestRange) -> bool {
        self.core.is_mapped(range)
    }

    fn flush(&mut self, address: u32, size: u32) {
        self.core.flush(address, size);
    }

    fn vblank(&mut self, screen: Screen) {
        call_recorder::call(self.core, const { row("vblank") }, &[screen as u32]);
        self.external.lcd_mut(screen).vblank();
    }

    fn is_suspended(&self) -> bool {
        self.core.is_suspended()
    }

    fn go_on(&mut self) -> Option<Option<Event>> {
        self.core.go_on().map(|end| end.event())
    }

    fn draw_closed(&mut self) -> bool {
        self.core.draw_closed()
    }

    fn spend(&mut self, ticks: u64) {
        if let Some(budget) = self.core.budget() {
            // Fuel is what lists have.
            let _ = budget.spend_words(COMMAND_WORDS, nanoseconds(time_of_ticks(ticks)));
        }
    }

    fn is_over(&mut self) -> bool {
        self.core.budget().is_some_and(|budget| budget.is_over())
    }

    fn cut_to_compare(&mut self) -> bool {
        let compares = self.core.calls().is_some_and(|(_, memory)| memory.compares_on_demand());
        if let Some(budget) = self.core.budget().filter(|_| compares) {
            budget.cut();
        }
        compares
    }

    fn fault(&mut self, kind: FaultKind, what: String, address: u64) {
        self.core.fault(kind, what, address);
    }
}

/// Records that a register is read, if that changes anything.
fn record_read<C: CommandProcessor + ?Sized>(core: &mut C, at: u32) {
    let data = |screen: Screen| GPU + screen.base() + lcd::offset::CLUT_DATA;
    if Screen::ALL.into_iter().any(|screen| data(screen) == at & !3) {
        call_recorder::call(core, const { row("read_register") }, &[at]);
    }
}

/// The screen that a fill register belongs to.
fn lcd_fill(offset: u32) -> Option<Screen> {
    let index = LCD_FILL.iter().position(|&register| register == offset & !3)?;
    Some(Screen::ALL[index])
}
