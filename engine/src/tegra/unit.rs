//! The engine classes of a channel: where methods go, and what happens at once.

use triglyph_guest::kernel::mme::MmeMachine;
use triglyph_guest::tegra::methods::{ADDRESSES, Class, Effect, compute, copy, inline, threed, twod};

use super::core::{ADDRESS_MASK, Core};
use super::expander::{Call, Expander, describe};
use super::inline::InlineTransfer;
use super::registers::Registers;
use super::report;
use crate::device::FaultKind;

/// Methods from here on call macros.
const MACROS: u32 = 0xE00;

/// The units of a channel with their registers. There is one of each class, on however many subchannels it is bound.
#[derive(Debug)]
pub struct Units {
    registers: [Registers; Class::ALL.len()],
    work: Work,
}

/// What units have besides registers.
#[derive(Debug, Default)]
struct Work {
    expander: Expander,
    /// Of the classes that have inline transfers: 3D, compute, inline.
    inline: [InlineTransfer; 3],
}

fn index(class: Class) -> usize {
    match class {
        Class::ThreeD => 0,
        Class::Compute => 1,
        Class::Inline => 2,
        Class::TwoD => 3,
        Class::Copy => 4,
    }
}

impl Default for Units {
    fn default() -> Self {
        let classes = [Class::ThreeD, Class::Compute, Class::Inline, Class::TwoD, Class::Copy];
        Units { registers: classes.map(Registers::new), work: Work::default() }
    }
}

impl Units {
    /// The registers of a class.
    pub fn registers(&self, class: Class) -> &Registers {
        &self.registers[index(class)]
    }

    /// A method from the push buffer, not one of the host's.
    #[inline]
    pub fn write(&mut self, core: &mut Core, class: Class, method: u32, datum: u32) {
        if self.work.expander.is_waiting() && !is_macro_datum(class, method) {
            self.finish_macro(core);
        }
        let registers = &self.registers[index(class)];
        let datum = registers.store(method, datum);
        if !registers.is_plain(method) {
            self.trigger(core, class, method, datum);
        }
    }

    /// Runs the macro that waits for parameters, for there will be none. Returns whether there was one.
    pub fn finish_macro(&mut self, core: &mut Core) -> bool {
        let waited = self.work.expander.is_waiting();
        while let Some(call) = self.work.expander.take() {
            self.run(core, &call);
        }
        waited
    }

    fn trigger(&mut self, core: &mut Core, class: Class, method: u32, datum: u32) {
        if method >= MACROS && matches!(class, Class::ThreeD | Class::TwoD) {
            self.macro_method(core, class, method, datum);
        } else {
            let mut sink = Sink { core, registers: &self.registers, work: &mut self.work, class };
            sink.trigger(method, datum);
        }
    }

    fn macro_method(&mut self, core: &mut Core, class: Class, method: u32, datum: u32) {
        let number = (method - MACROS) as usize / 2;
        if method.is_multiple_of(2) {
            let before = self.work.expander.begin(number, datum, class == Class::TwoD);
            debug_assert!(before.is_none(), "a call ends before another method is written");
        } else if !self.work.expander.parameter(number, datum) {
            core.fault(FaultKind::BadMethod, method.into(), format_args!("a parameter of a macro that was not called"));
        }
    }

    fn run(&mut self, core: &mut Core, call: &Call) {
        let class = if call.two_d { Class::TwoD } else { Class::ThreeD };
        let ready = self.work.expander.kernel(call.index, &core.renderer.kernels);
        let mut sink = Sink { core, registers: &self.registers, work: &mut self.work, class };
        let end = ready.kernel.run(&mut self.registers[index(class)].job(&call.parameters, &mut sink));
        if let Some(what) = describe(end.stop, ready.low) {
            let kind = if what.contains("not end") { FaultKind::OutOfFuel } else { FaultKind::BadShader };
            core.fault(kind, call.index as u64, format_args!("macro {:#x}: {what}", call.index));
        } else if end.missing != 0 || end.unused != 0 {
            let what = format_args!("macro {:#x}: {} parameters missing, {} left", call.index, end.missing, end.unused);
            core.fault(FaultKind::BadMethod, call.index as u64, what);
        }
    }
}

/// Whether a method goes on with a macro's parameters rather than ending them.
fn is_macro_datum(class: Class, method: u32) -> bool {
    method >= MACROS && !method.is_multiple_of(2) && matches!(class, Class::ThreeD | Class::TwoD)
}

/// What a macro's methods, and the triggers of the push buffer's, are done on.
struct Sink<'u> {
    core: &'u mut Core,
    registers: &'u [Registers; Class::ALL.len()],
    work: &'u mut Work,
    class: Class,
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
    fn trigger(&mut self, method: u32, datum: u32) {
        let known = match self.class {
            Class::ThreeD => self.threed(method, datum),
            Class::Compute => self.compute(method, datum),
            Class::Inline => self.inline_class(method, datum),
            Class::TwoD => self.twod(method, datum),
            Class::Copy => self.copy(method),
        };
        if !known {
            let what = format_args!("no method {method:#x} in class {:#06x}", self.class.id());
            self.core.fault(FaultKind::BadMethod, method.into(), what);
        }
    }

    fn threed(&mut self, method: u32, datum: u32) -> bool {
        use threed::{Trigger, regs};
        let Effect::Trigger(trigger) = threed::METHODS.effect(method) else { return false };
        let registers = self.registers();
        match trigger {
            Trigger::MacroCode => self.macro_code(datum),
            Trigger::MacroStart => self.macro_start(datum),
            Trigger::ShadowControl => registers.set_shadow_control(datum),
            Trigger::InlineLaunch => self.inline(0).launch(registers, datum),
            Trigger::InlineData => self.inline_datum(0, datum),
            Trigger::IncrementSyncpoint => {
                self.core.flush();
                self.core.increment_syncpoint(datum & 0xFFF);
            }
            Trigger::Report => report::report(self.core, registers, regs::set_report_semaphore_a::ID, datum),
            // The firmware answers at once: without that, macros wait for ever.
            Trigger::Firmware => registers.set(FIRMWARE_ANSWER, 1),
            Trigger::Notify => self.notify(),
            Trigger::WaitForIdle
            | Trigger::InvalidateShaders
            | Trigger::InvalidateSamplers
            | Trigger::InvalidateHeaders
            | Trigger::InvalidateTexels
            | Trigger::FlushWrites => {}
            _ => self.missing(method),
        }
        true
    }

    fn compute(&mut self, method: u32, datum: u32) -> bool {
        use compute::{Trigger, regs};
        let Effect::Trigger(trigger) = compute::METHODS.effect(method) else { return false };
        let registers = self.registers();
        match trigger {
            Trigger::InlineLaunch => self.inline(1).launch(registers, datum),
            Trigger::InlineData => self.inline_datum(1, datum),
            Trigger::Report => report::report(self.core, registers, regs::set_report_semaphore_a::ID, datum),
            Trigger::Notify => self.notify(),
            Trigger::WaitForIdle
            | Trigger::InvalidateShaders
            | Trigger::InvalidateSamplers
            | Trigger::InvalidateHeaders
            | Trigger::InvalidateTexels => {}
            Trigger::RenderEnable | Trigger::Launch => self.missing(method),
        }
        true
    }

    fn inline_class(&mut self, method: u32, datum: u32) -> bool {
        use inline::Trigger;
        let Effect::Trigger(trigger) = inline::METHODS.effect(method) else { return false };
        let registers = self.registers();
        match trigger {
            Trigger::InlineLaunch => self.inline(2).launch(registers, datum),
            Trigger::InlineData => self.inline_datum(2, datum),
            Trigger::Notify => self.notify(),
            Trigger::WaitForIdle => {}
            Trigger::RenderEnable => self.missing(method),
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
            Trigger::Notify => self.notify(),
            Trigger::WaitForIdle => {}
            _ => self.missing(method),
        }
        true
    }

    fn copy(&mut self, method: u32) -> bool {
        let Effect::Trigger(_) = copy::METHODS.effect(method) else { return false };
        self.missing(method);
        true
    }

    /// Something real that is not emulated yet.
    fn missing(&mut self, method: u32) {
        let name = self.class.method(method).map_or_else(|| format!("{method:#x}"), |name| name.to_string());
        let what = format_args!("{name} of class {:#06x}", self.class.id());
        self.core.fault(FaultKind::Unimplemented, method.into(), what);
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

    fn inline(&mut self, unit: usize) -> &mut InlineTransfer {
        &mut self.work.inline[unit]
    }

    fn inline_datum(&mut self, unit: usize, datum: u32) {
        self.work.inline[unit].datum(self.core, datum);
    }

    /// Sixteen bytes: time, zeros. The address stands at the same place in all classes.
    fn notify(&mut self) {
        let address = self.registers().address(threed::regs::set_notify_a::ID) & ADDRESS_MASK;
        let mut record = [0; 16];
        record[..8].copy_from_slice(&self.core.now().to_le_bytes());
        self.core.write_bytes(address, &record, "a notifier");
    }
}

const MACRO_CODE_POINTER: usize = threed::regs::load_mme_instruction_ram_pointer::ID;
const MACRO_START_POINTER: usize = threed::regs::load_mme_start_address_ram_pointer::ID;

/// The scratch register in which firmware says that it is done.
const FIRMWARE_ANSWER: usize = 0xD00;

const _: () = assert!(
    ADDRESSES == 0x1000
        && MACRO_CODE_POINTER == twod::regs::load_mme_instruction_ram_pointer::ID
        && MACRO_START_POINTER == twod::regs::load_mme_start_address_ram_pointer::ID
);
