//! What methods do besides being stored, whether they come from the push buffer or from a macro.

use triglyph_guest::kernel::mme::MmeMachine;
use triglyph_guest::tegra::methods::common::shader as report_registers;
use triglyph_guest::tegra::methods::values::NotifyType;
use triglyph_guest::tegra::methods::{
    ADDRESSES, Class, Common, Effect, MethodTable, compute, copy, inline, threed, twod,
};

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
            Class::ThreeD => self.perform(threed::METHODS.effect(method), method, datum, Self::threed),
            Class::Compute => self.perform(compute::METHODS.effect(method), method, datum, Self::compute),
            Class::Inline => {
                self.perform(inline::METHODS.effect(method), method, datum, |_, never, _, _| match never {})
            }
            Class::TwoD => self.perform(twod::METHODS.effect(method), method, datum, Self::twod),
            Class::Copy => self.perform(copy::METHODS.effect(method), method, datum, Self::copy),
        };
        if !known {
            let what = format_args!("no method {method:#x} in class {:#06x}", self.class.id());
            self.core.fault(FaultKind::BadMethod, method.into(), what);
        }
    }

    /// Whether data for this method are a stream that [`Self::data`] takes as a whole.
    pub fn is_stream(class: Class, method: u32) -> bool {
        fn has_common<T: Copy>(table: &MethodTable<T>, method: u32) -> bool {
            matches!(table.effect(method), Effect::Common(Common::InlineData | Common::MacroCode))
        }
        match class {
            Class::ThreeD => {
                let constants = Effect::Trigger(threed::Trigger::LoadConstant);
                has_common(&threed::METHODS, method) || threed::METHODS.effect(method) == constants
            }
            Class::Compute => has_common(&compute::METHODS, method),
            Class::Inline => has_common(&inline::METHODS, method),
            Class::TwoD => {
                let pixels = Effect::Trigger(twod::Trigger::CpuData);
                has_common(&twod::METHODS, method) || twod::METHODS.effect(method) == pixels
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
            Class::ThreeD | Class::Compute | Class::Inline => self.inline_data(index(self.class), data),
            Class::TwoD => {
                let enabled = self.is_enabled();
                self.work.twod.cpu_data(self.core, self.registers(), data, enabled);
            }
            Class::Copy => {}
        }
    }

    /// Does what a method's row says, the class's own triggers through `own`; false if it says that nothing happens.
    #[inline]
    fn perform<T>(
        &mut self,
        effect: Effect<T>,
        method: u32,
        datum: u32,
        own: impl FnOnce(&mut Self, T, u32, u32),
    ) -> bool {
        match effect {
            Effect::Common(trigger) => self.common(trigger, method, datum),
            Effect::Trigger(trigger) => own(self, trigger, method, datum),
            Effect::None | Effect::Dirty(_) => return false,
        }
        true
    }

    fn common(&mut self, trigger: Common, method: u32, datum: u32) {
        let class = index(self.class);
        match trigger {
            Common::MacroCode => self.macro_code(datum),
            Common::MacroStart => self.macro_start(datum),
            Common::ShadowControl => self.registers().set_shadow_control(datum),
            // Of the classes with inline transfers only the inline class has a condition for them and nothing else.
            Common::InlineLaunch => {
                let enabled = self.class != Class::Inline || self.is_enabled();
                self.inline_launch(class, datum, enabled);
            }
            Common::InlineData => self.inline_data(class, &[datum]),
            Common::Report => self.report(report_registers::set_report_semaphore_a::ID, datum),
            Common::RenderEnable => self.condition(method),
            Common::Notify => self.notify(datum),
            // Programs are compared with memory at every draw.
            Common::InvalidateShaders
            | Common::InvalidateSamplers
            | Common::InvalidateHeaders
            | Common::InvalidateTexels
            | Common::WaitForIdle => {}
            // The macro method expander takes these.
            Common::MacroCall | Common::MacroData => {}
        }
    }

    fn threed(&mut self, trigger: threed::Trigger, method: u32, datum: u32) {
        use threed::{Trigger, regs};
        match trigger {
            Trigger::IncrementSyncpoint => {
                self.core.flush();
                self.core.increment_syncpoint(regs::increment_sync_point::index(datum));
            }
            Trigger::ClearReport => self.clear_report(datum),
            Trigger::LoadConstant => constant::load(self.core, self.registers(), &[datum]),
            // The firmware answers at once: without that, macros wait for ever.
            Trigger::Firmware if method == FIRMWARE_WRITES => self.registers().set(FIRMWARE_ANSWER, 1),
            Trigger::Firmware | Trigger::FlushWrites => {}
            _ => {
                let (enabled, registers) = (self.is_enabled(), self.registers());
                let Work { threed, counters, .. } = &mut *self.work;
                threed.trigger(self.core, registers, counters, trigger, (method, datum), enabled);
            }
        }
    }

    fn compute(&mut self, trigger: compute::Trigger, _method: u32, datum: u32) {
        match trigger {
            compute::Trigger::Launch => {
                let (enabled, registers) = (self.is_enabled(), self.registers());
                self.work.compute.launch(self.core, registers, datum, enabled);
                self.settle();
            }
        }
    }

    fn twod(&mut self, trigger: twod::Trigger, method: u32, datum: u32) {
        let enabled = self.is_enabled();
        self.work.twod.trigger(self.core, self.registers(), trigger, method, datum, enabled);
    }

    fn copy(&mut self, trigger: copy::Trigger, _method: u32, datum: u32) {
        match trigger {
            copy::Trigger::Launch => {
                let enabled = self.is_enabled();
                super::copy::launch(self.core, self.registers(), datum, enabled);
            }
        }
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
        record[..8].copy_from_slice(&self.core.budget.now().to_le_bytes());
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
