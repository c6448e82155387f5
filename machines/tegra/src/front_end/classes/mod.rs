//! What methods do besides being stored, whether they come from the push buffer or from a macro: one file for each
//! class. What several classes have is here.

mod compute;
mod copy;
mod inline;
mod threed;
mod twod;

use std::cell::Cell;

use triglyph_guest::dispatch_class;
use triglyph_guest::kernel::mme::MmeMachine;
use triglyph_guest::tegra::methods::classes::ClassTables;
use triglyph_guest::tegra::methods::common::shader as report_registers;
use triglyph_guest::tegra::methods::values::NotifyType;
use triglyph_guest::tegra::methods::{
    ADDRESSES, Class, ClassTrigger, Common, Effect, threed as threed_methods, twod as twod_methods,
};

use super::registers::Registers;
use super::report;
use super::work::{MACROS, Work};
use crate::copy::inline::InlineTransfer;
use crate::core::{ADDRESS_MASK, Core};
pub use threed::constants_from;
use triglyph_engine::device::FaultKind;
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::probe::Command;

/// A class of engines: what those of its methods do that no other class has.
trait EngineClass: ClassTables {
    /// Does what `method` triggers with `datum`.
    fn trigger(dispatch: &mut ClassDispatch<'_>, trigger: Self::Trigger, method: u32, datum: u32);

    /// Data for a method whose trigger is a stream, in their order.
    fn stream(_dispatch: &mut ClassDispatch<'_>, _data: &[u32]) {}
}

/// The methods of a class, and what they are done on.
pub struct ClassDispatch<'u> {
    /// Memory, renderer, faults.
    pub core: &'u mut Core,
    /// All registers of the channel.
    pub registers: &'u [Registers; Class::ALL.len()],
    /// Everything else of the channel's units.
    pub work: &'u mut Work,
    /// The class whose methods these are.
    pub class: Class,
    /// Branches that the macro may still take that sends methods; none is left when the fuel is used up.
    pub branches: Option<&'u Cell<u32>>,
}

impl MmeMachine for ClassDispatch<'_> {
    fn send(&mut self, method: u32, datum: u32) {
        if !self.core.budget.charge(cost::COMMAND)
            && let Some(branches) = self.branches
        {
            branches.set(0);
        }
        if method >= MACROS {
            self.core.fault(FaultKind::BadMethod, method.into(), format_args!("a macro calls another macro"));
            return;
        }
        let registers = self.registers();
        let datum = registers.store(method, datum);
        if !registers.is_plain(method) {
            self.trigger(method, datum);
        }
    }
}

/// Whether a method looks at what was drawn before it, or lets others see it.
pub fn shows_drawing(class: Class, method: u32) -> bool {
    dispatch_class!(class, C => C::METHODS.effect(method).shows_drawing())
}

/// Whether data for this method are a stream that [`ClassDispatch::stream`] takes as a whole.
pub fn is_stream(class: Class, method: u32) -> bool {
    dispatch_class!(class, C => C::METHODS.effect(method).is_stream())
}

impl<'u> ClassDispatch<'u> {
    fn registers(&self) -> &'u Registers {
        &self.registers[self.class.index()]
    }

    /// Does what a method does besides being stored.
    pub fn trigger(&mut self, method: u32, datum: u32) {
        self.core.budget.charge(cost::COMMAND);
        // What a macro has drawn before.
        if self.core.renderer.flush_closed(&self.core.memory) {
            self.work.threed.report_faults(self.core);
        }
        if self.core.renderer.is_observed() {
            return self.observed(method, datum, |dispatch| dispatch.execute(method, datum));
        }
        self.execute(method, datum);
    }

    /// Does what a method asks for, for an observer to see.
    #[cold]
    fn observed(&mut self, method: u32, value: u32, run: impl FnOnce(&mut Self)) {
        let command = Command { class: self.class.id(), method, value, position: self.core.position };
        self.core.renderer.set_checked_space(self.core.space);
        self.core.begin_command(&command, self.registers().file().live());
        for (method, word) in self.core.renderer.take_edits() {
            self.edit(method, word);
        }
        run(self);
        self.core.end_command(&command, self.registers().file().live());
    }

    /// Stores a word that an observer wants in a method before a command.
    #[cold]
    fn edit(&mut self, method: u32, word: u32) {
        let registers = self.registers();
        if method < MACROS && registers.is_plain(method) {
            registers.store(method, word);
        } else {
            let what = format_args!("method {method:#x} does more than being stored");
            self.core.fault(FaultKind::BadMethod, method.into(), what);
        }
    }

    fn execute(&mut self, method: u32, datum: u32) {
        let known = dispatch_class!(self.class, C => self.perform::<C>(method, datum));
        if !known {
            let what = format_args!("no method {method:#x} in class {:#06x}", self.class.id());
            self.core.fault(FaultKind::BadMethod, method.into(), what);
        }
    }

    /// Does what a method's row says. False if it says that nothing happens.
    #[inline]
    fn perform<C: EngineClass>(&mut self, method: u32, datum: u32) -> bool {
        match C::METHODS.effect(method) {
            Effect::Common(trigger) => self.common(trigger, method, datum),
            Effect::Trigger(trigger) => C::trigger(self, trigger, method, datum),
            Effect::None | Effect::Dirty(_) => return false,
        }
        true
    }

    /// Data for a method that [`is_stream`] names.
    pub fn stream(&mut self, method: u32, data: &[u32]) {
        if self.core.renderer.is_observed() {
            return self.observed(method, data[0], |dispatch| dispatch.execute_stream(method, data));
        }
        self.execute_stream(method, data);
    }

    fn execute_stream(&mut self, method: u32, data: &[u32]) {
        dispatch_class!(self.class, C => self.stream_of::<C>(method, data));
    }

    #[inline]
    fn stream_of<C: EngineClass>(&mut self, method: u32, data: &[u32]) {
        match C::METHODS.effect(method) {
            Effect::Common(Common::MacroCode) => data.iter().for_each(|&word| self.macro_code(word)),
            Effect::Common(Common::InlineData) => self.inline_data(self.class.index(), data),
            Effect::Trigger(trigger) if trigger.is_stream() => C::stream(self, data),
            _ => {}
        }
    }

    fn common(&mut self, trigger: Common, method: u32, datum: u32) {
        let class = self.class.index();
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
            // The MME takes these.
            Common::MacroCall | Common::MacroData => {}
        }
    }

    /// Whether the condition of the class lets conditional methods do anything.
    pub fn is_enabled(&self) -> bool {
        self.work.conditions.hold(self.registers(), self.class, self.class.index())
    }

    fn condition(&mut self, method: u32) {
        let registers = self.registers();
        self.work.conditions.write(self.core, registers, self.class, self.class.index(), method);
    }

    fn report(&mut self, first: usize, datum: u32) {
        self.settle();
        let blocked = report::report(self.core, self.registers(), &self.work.counters, first, datum);
        // A macro runs to its end nevertheless.
        self.work.blocked = self.work.blocked.or(blocked);
    }

    /// Counts what was drawn so far.
    fn settle(&mut self) {
        let Work { threed, counters, .. } = &mut *self.work;
        threed.settle(self.core, counters);
    }

    fn clear_report(&mut self, datum: u32) {
        self.settle();
        match threed_methods::regs::clear_report_value::type_(datum) {
            Some(what) => self.work.counters.clear(what),
            None => {
                let what = format_args!("counter {datum:#x}, which does not exist");
                self.core.fault(FaultKind::BadMethod, threed_methods::regs::clear_report_value::ID as u64, what);
            }
        }
    }

    fn macro_code(&mut self, word: u32) {
        let registers = self.registers();
        let at = registers.get(MACRO_CODE_POINTER);
        registers.set(MACRO_CODE_POINTER, at.wrapping_add(1));
        if !self.work.mme.store_code(at as usize, word) {
            let what = format_args!("macro memory has no word {at:#x}");
            self.core.fault(FaultKind::BadMethod, at.into(), what);
        }
    }

    fn macro_start(&mut self, word: u32) {
        let registers = self.registers();
        let at = registers.get(MACRO_START_POINTER);
        registers.set(MACRO_START_POINTER, at.wrapping_add(1));
        self.work.mme.store_start(at as usize, word);
    }

    fn inline_launch(&mut self, unit: usize, datum: u32, enabled: bool) {
        let registers = self.registers();
        let inline: &mut InlineTransfer = &mut self.work.inline[unit];
        inline.launch(self.core, registers, datum, enabled);
    }

    fn inline_data(&mut self, unit: usize, data: &[u32]) {
        self.work.inline[unit].data(self.core, data);
    }

    /// Sixteen bytes: time, no error. The address is in the same registers in all classes.
    fn notify(&mut self, datum: u32) {
        let address = self.registers().address(threed_methods::regs::set_notify_a::ID) & ADDRESS_MASK;
        let mut record = [0; 16];
        record[..8].copy_from_slice(&self.core.now().to_le_bytes());
        self.core.write_bytes(address, &record, "a notifier");
        if threed_methods::regs::notify::type_(datum) == Some(NotifyType::WriteThenAwaken) {
            self.core.interrupt();
        }
    }
}

const MACRO_CODE: u32 = threed_methods::regs::load_mme_instruction_ram::ID as u32;
const MACRO_CODE_POINTER: usize = threed_methods::regs::load_mme_instruction_ram_pointer::ID;
const MACRO_START_POINTER: usize = threed_methods::regs::load_mme_start_address_ram_pointer::ID;

const _: () = assert!(
    ADDRESSES == 0x1000
        && MACRO_CODE == twod_methods::regs::load_mme_instruction_ram::ID as u32
        && MACRO_CODE_POINTER == twod_methods::regs::load_mme_instruction_ram_pointer::ID
        && MACRO_START_POINTER == twod_methods::regs::load_mme_start_address_ram_pointer::ID
);
