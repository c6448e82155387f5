//! What methods do besides being stored, whether they come from the push buffer or from a macro.

use triglyph_guest::kernel::mme::MmeMachine;
use triglyph_guest::tegra::methods::values::NotifyType;
use triglyph_guest::tegra::methods::{ADDRESSES, Class, Effect, compute, copy, inline, threed, twod};

use super::core::{ADDRESS_MASK, Core};
use super::inline::InlineTransfer;
use super::registers::Registers;
use super::unit::{MACROS, Work, index};
use super::{constant, report};
use triglyph_engine::device::FaultKind;

/// What methods are done on.
pub struct Sink<'u> {
    /// Memory, renderer, faults.
    pub core: &'u mut Core,
    /// All registers of the channel.
    pub registers: &'u [Registers; Class::ALL.len()],
    /// Everything else of the channel's units.
    pub work: &'u mut Work,
    /// The class whose methods these are.
    pub class: Class,
}

impl MmeMachine for Sink<'_> {
    fn send(&mut self, method: u32, datum: u32) {
        if method >= MACROS {
            self.core.fault(FaultKind::BadMethod, method.into(), format_args!("a macro called a macro"));
            return;
        }
        let registers = self.registers();
        let datum = registers.store(method, datum);
        if !registers.is_plain(method) {
            self.trigger(method, datum);
        }
    }
}

impl<'u> Sink<'u> {
    fn registers(&self) -> &'u Registers {
        &self.registers[index(self.class)]
    }

    /// Does what a method does besides being stored.
    pub fn trigger(&mut self, method: u32, datum: u32) {
        let known = match self.class {
            Class::ThreeD => self.threed(method, datum),
            Class::Compute => self.compute(method, datum),
            Class::Inline => self.inline_class(method, datum),
            Class::TwoD => self.twod(method, datum),
            Class::Copy => self.copy(method, datum),
        };
        if !known {
            let what = format_args!("no method {method:#x} in class {:#06x}", self.class.id());
            self.core.fault(FaultKind::BadMethod, method.into(), what);
        }
    }

    /// Whether data for this method are a stream that [`Self::data`] takes as a whole.
    pub fn is_stream(class: Class, method: u32) -> bool {
        match class {
            Class::ThreeD => {
                use threed::Trigger::{InlineData, LoadConstant, MacroCode};
                let effect = threed::METHODS.effect(method);
                matches!(effect, Effect::Trigger(InlineData | LoadConstant | MacroCode))
            }
            Class::Compute => compute::METHODS.effect(method) == Effect::Trigger(compute::Trigger::InlineData),
            Class::Inline => inline::METHODS.effect(method) == Effect::Trigger(inline::Trigger::InlineData),
            Class::TwoD => {
                use twod::Trigger::{CpuData, MacroCode};
                matches!(twod::METHODS.effect(method), Effect::Trigger(CpuData | MacroCode))
            }
            Class::Copy => false,
        }
    }

    /// How many methods of the 3D class from this one on load a constant.
    pub fn constants_from(method: u32) -> usize {
        use threed::regs::load_constant_buffer as load;
        let end = (load::ID + load::COUNT) as u32;
        if (load::ID as u32..end).contains(&method) { (end - method) as usize } else { 0 }
    }

    /// Data for a method that [`Self::is_stream`] names.
    pub fn data(&mut self, method: u32, data: &[u32]) {
        match self.class {
            Class::ThreeD if Self::constants_from(method) != 0 => constant::load(self.core, self.registers(), data),
            Class::ThreeD | Class::TwoD if method == MACRO_CODE => {
                data.iter().for_each(|&word| self.macro_code(word));
            }
            Class::ThreeD => self.inline_data(0, data),
            Class::Compute => self.inline_data(1, data),
            Class::Inline => self.inline_data(2, data),
            Class::TwoD => {
                let enabled = self.is_enabled();
                self.work.twod.cpu_data(self.core, self.registers(), data, enabled);
            }
            Class::Copy => {}
        }
    }

    fn threed(&mut self, method: u32, datum: u32) -> bool {
        use threed::{Trigger, regs};
        let Effect::Trigger(trigger) = threed::METHODS.effect(method) else { return false };
        match trigger {
            Trigger::MacroCode => self.macro_code(datum),
            Trigger::MacroStart => self.macro_start(datum),
            Trigger::ShadowControl => self.registers().set_shadow_control(datum),
            Trigger::InlineLaunch => self.inline_launch(0, datum, true),
            Trigger::InlineData => self.inline_data(0, &[datum]),
            Trigger::IncrementSyncpoint => {
                self.core.flush();
                self.core.increment_syncpoint(regs::increment_sync_point::index(datum));
            }
            Trigger::Report => self.report(regs::set_report_semaphore_a::ID, datum),
            Trigger::ClearReport => self.clear_report(datum),
            Trigger::RenderEnable => self.condition(method),
            Trigger::LoadConstant => constant::load(self.core, self.registers(), &[datum]),
            // The firmware answers at once: without that, macros wait for ever.
            Trigger::Firmware if method == FIRMWARE_WRITES => self.registers().set(FIRMWARE_ANSWER, 1),
            Trigger::Notify => self.notify(datum),
            Trigger::Firmware
            | Trigger::WaitForIdle
            | Trigger::InvalidateSamplers
            | Trigger::InvalidateHeaders
            | Trigger::InvalidateTexels
            | Trigger::FlushWrites => {}
            // These are the expander's.
            Trigger::MacroCall | Trigger::MacroData => {}
            _ => {
                let (enabled, registers) = (self.is_enabled(), self.registers());
                let Work { threed, counters, .. } = &mut *self.work;
                threed.trigger(self.core, registers, counters, trigger, (method, datum), enabled);
            }
        }
        true
    }

    fn compute(&mut self, method: u32, datum: u32) -> bool {
        use compute::{Trigger, regs};
        let Effect::Trigger(trigger) = compute::METHODS.effect(method) else { return false };
        match trigger {
            Trigger::InlineLaunch => self.inline_launch(1, datum, true),
            Trigger::InlineData => self.inline_data(1, &[datum]),
            Trigger::Report => self.report(regs::set_report_semaphore_a::ID, datum),
            Trigger::RenderEnable => self.condition(method),
            Trigger::Notify => self.notify(datum),
            Trigger::InvalidateShaders
            | Trigger::WaitForIdle
            | Trigger::InvalidateSamplers
            | Trigger::InvalidateHeaders
            | Trigger::InvalidateTexels => {}
            Trigger::Launch => {
                let (enabled, registers) = (self.is_enabled(), self.registers());
                self.work.compute.launch(self.core, registers, datum, enabled);
                self.settle();
            }
        }
        true
    }

    fn inline_class(&mut self, method: u32, datum: u32) -> bool {
        use inline::Trigger;
        let Effect::Trigger(trigger) = inline::METHODS.effect(method) else { return false };
        match trigger {
            // Of the classes with inline transfers only this one has a condition for them and nothing else.
            Trigger::InlineLaunch => self.inline_launch(2, datum, self.is_enabled()),
            Trigger::InlineData => self.inline_data(2, &[datum]),
            Trigger::RenderEnable => self.condition(method),
            Trigger::Notify => self.notify(datum),
            Trigger::WaitForIdle => {}
        }
        true
    }

    fn twod(&mut self, method: u32, datum: u32) -> bool {
        use twod::Trigger;
        let Effect::Trigger(trigger) = twod::METHODS.effect(method) else { return false };
        match trigger {
            Trigger::MacroCode => self.macro_code(datum),
            Trigger::MacroStart => self.macro_start(datum),
            Trigger::ShadowControl => self.registers().set_shadow_control(datum),
            Trigger::RenderEnable => self.condition(method),
            Trigger::Notify => self.notify(datum),
            Trigger::WaitForIdle => {}
            Trigger::Blit | Trigger::SolidPoint | Trigger::CpuBegin | Trigger::CpuData => {
                let enabled = self.is_enabled();
                self.work.twod.trigger(self.core, self.registers(), trigger, method, datum, enabled);
            }
            // These are the expander's.
            Trigger::MacroCall | Trigger::MacroData => {}
        }
        true
    }

    fn copy(&mut self, method: u32, datum: u32) -> bool {
        use copy::Trigger;
        let Effect::Trigger(trigger) = copy::METHODS.effect(method) else { return false };
        match trigger {
            Trigger::Launch => {
                let enabled = self.is_enabled();
                super::copy::launch(self.core, self.registers(), datum, enabled);
            }
            Trigger::RenderEnable => self.condition(method),
        }
        true
    }

    /// Whether the class does what is conditional.
    pub fn is_enabled(&self) -> bool {
        self.work.conditions.hold(self.registers(), self.class, index(self.class))
    }

    fn condition(&mut self, method: u32) {
        let registers = self.registers();
        self.work.conditions.write(self.core, registers, self.class, index(self.class), method);
    }

    fn report(&mut self, first: usize, datum: u32) {
        self.settle();
        let blocked = report::report(self.core, self.registers(), &self.work.counters, first, datum);
        // A macro goes on to its end all the same.
        self.work.blocked = self.work.blocked.or(blocked);
    }

    /// Counts what was drawn so far.
    fn settle(&mut self) {
        let Work { threed, counters, .. } = &mut *self.work;
        threed.settle(self.core, counters);
    }

    fn clear_report(&mut self, datum: u32) {
        self.settle();
        match threed::regs::clear_report_value::type_(datum) {
            Some(what) => self.work.counters.clear(what),
            None => {
                let what = format_args!("counter {datum:#x}, which does not exist");
                self.core.fault(FaultKind::BadMethod, threed::regs::clear_report_value::ID as u64, what);
            }
        }
    }

    fn macro_code(&mut self, word: u32) {
        let registers = self.registers();
        let at = registers.get(MACRO_CODE_POINTER);
        registers.set(MACRO_CODE_POINTER, at.wrapping_add(1));
        if !self.work.expander.store_code(at as usize, word) {
            let what = format_args!("macro memory has no word {at:#x}");
            self.core.fault(FaultKind::BadMethod, at.into(), what);
        }
    }

    fn macro_start(&mut self, word: u32) {
        let registers = self.registers();
        let at = registers.get(MACRO_START_POINTER);
        registers.set(MACRO_START_POINTER, at.wrapping_add(1));
        self.work.expander.store_start(at as usize, word);
    }

    fn inline_launch(&mut self, unit: usize, datum: u32, enabled: bool) {
        let registers = self.registers();
        let inline: &mut InlineTransfer = &mut self.work.inline[unit];
        inline.launch(self.core, registers, datum, enabled);
    }

    fn inline_data(&mut self, unit: usize, data: &[u32]) {
        self.work.inline[unit].data(self.core, data);
    }

    /// Sixteen bytes: time, no error. The address stands at the same place in all classes.
    fn notify(&mut self, datum: u32) {
        let address = self.registers().address(threed::regs::set_notify_a::ID) & ADDRESS_MASK;
        let mut record = [0; 16];
        record[..8].copy_from_slice(&self.core.now().to_le_bytes());
        self.core.write_bytes(address, &record, "a notifier");
        if threed::regs::notify::type_(datum) == Some(NotifyType::WriteThenAwaken) {
            self.core.interrupt();
        }
    }
}

const MACRO_CODE: u32 = threed::regs::load_mme_instruction_ram::ID as u32;
const MACRO_CODE_POINTER: usize = threed::regs::load_mme_instruction_ram_pointer::ID;
const MACRO_START_POINTER: usize = threed::regs::load_mme_start_address_ram_pointer::ID;

/// The firmware call that writes a register of another unit, and the scratch register in which it says that it is done.
const FIRMWARE_WRITES: u32 = threed::regs::set_falcon04::ID as u32;
const FIRMWARE_ANSWER: usize = 0xD00;

const _: () = assert!(
    ADDRESSES == 0x1000
        && MACRO_CODE == twod::regs::load_mme_instruction_ram::ID as u32
        && MACRO_CODE_POINTER == twod::regs::load_mme_instruction_ram_pointer::ID
        && MACRO_START_POINTER == twod::regs::load_mme_start_address_ram_pointer::ID
);
