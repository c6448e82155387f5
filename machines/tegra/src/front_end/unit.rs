//! The engine classes of a channel: where methods go. What they do besides being stored is in `classes/`.

use std::cell::Cell;

use triglyph_guest::kernel::mme::BRANCHES;
use triglyph_guest::tegra::fifo::{METHOD_MASK, Stepping};
use triglyph_guest::tegra::methods::Class;

use super::classes::{self, ClassDispatch};
use super::condition::{Conditions, SavedConditions};
use super::host::Blocked;
use super::mme::{Call, Mme, SavedMme, fault_of};
use super::registers::{Registers, SavedRegisters};
use super::report::Counters;
use super::work::{MACROS, Work};
use crate::class_2d::{SavedTwoD, TwoD};
use crate::class_3d::{SavedThreeD, ThreeD};
use crate::compute::{Compute, GridParts};
use crate::copy::inline::{InlineTransfer, SavedInline};
use crate::core::{ADDRESS_MASK, Core};
use triglyph_engine::device::FaultKind;
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::probe::{Command, Effect};
use triglyph_engine::snapshot::state;

/// The units of a channel with their registers. There is one of each class, on however many subchannels it is bound.
#[derive(Debug)]
pub struct Units {
    pub(crate) registers: [Registers; Class::ALL.len()],
    pub(crate) work: Work,
}

impl Default for Units {
    fn default() -> Self {
        Units { registers: Class::ALL.map(Registers::new), work: Work::default() }
    }
}

state! {
    /// The units in a snapshot; registers by the numbers of the classes.
    pub(crate) struct SavedUnits {
        registers: Vec<SavedRegisters>,
        mme: SavedMme,
        inline: Vec<SavedInline>,
        conditions: SavedConditions,
        twod: SavedTwoD,
        threed: SavedThreeD,
        counters: Vec<u64>,
    }
}

impl Units {
    /// How parts of grids were run so far.
    #[doc(hidden)]
    pub fn grid_parts(&self) -> GridParts {
        self.work.compute.grid_parts()
    }

    pub(crate) fn save(&self) -> SavedUnits {
        let work = &self.work;
        SavedUnits {
            registers: self.registers.iter().map(Registers::save).collect(),
            mme: work.mme.save(),
            inline: work.inline.iter().map(InlineTransfer::save).collect(),
            conditions: work.conditions.save(),
            twod: work.twod.save(),
            threed: work.threed.save(),
            counters: work.counters.save(),
        }
    }

    /// What was saved, if it is possible.
    pub(crate) fn restore(saved: SavedUnits) -> Option<Self> {
        let registers = Class::ALL.into_iter().zip(saved.registers);
        let registers: Option<Vec<_>> = registers.map(|(class, saved)| Registers::restore(class, saved)).collect();
        let inline: Option<Vec<_>> = saved.inline.into_iter().map(InlineTransfer::restore).collect();
        let work = Work {
            mme: Mme::restore(saved.mme)?,
            inline: inline?.try_into().ok()?,
            conditions: Conditions::restore(saved.conditions),
            twod: TwoD::restore(saved.twod)?,
            threed: ThreeD::restore(saved.threed)?,
            compute: Compute::default(),
            counters: Counters::restore(&saved.counters)?,
            blocked: None,
        };
        Some(Units { registers: registers?.try_into().ok()?, work })
    }
}

/// Data words for methods of one class.
#[derive(Clone, Copy, Debug)]
pub struct Words<'w> {
    /// Dword address of the first method, 0x40 to 0xFFF.
    pub method: u32,
    /// Which methods the words go to.
    pub stepping: Stepping,
    /// The data, at least one.
    pub data: &'w [u32],
    /// GPU address of the first one.
    pub position: u64,
}

impl Units {
    /// The registers of a class.
    pub fn registers(&self, class: Class) -> &Registers {
        &self.registers[class.index()]
    }

    /// Whether a macro was called and may get more parameters.
    #[inline]
    pub fn waits_for_parameters(&self) -> bool {
        self.work.mme.is_waiting()
    }

    /// What a method found the channel has to wait for; it is forgotten here.
    #[inline]
    pub fn take_blocked(&mut self) -> Option<Blocked> {
        self.work.blocked.take()
    }

    /// Methods from the push buffer, none of them the host's. Returns how many of the words were taken: less than all
    /// when the channel has to wait, when a bounded run was interrupted, or when methods begin anew at 0.
    #[inline]
    pub fn write(&mut self, core: &mut Core, class: Class, words: Words<'_>) -> usize {
        if self.work.mme.is_waiting() && !is_macro_datum(class, words.method) {
            self.finish_macro(core);
        }
        match words.stepping {
            Stepping::Each => self.write_each(core, class, words),
            Stepping::Never => self.write_same(core, class, words),
            // The run goes on with the next method.
            Stepping::Once => self.write_each(core, class, Words { data: &words.data[..1], ..words }),
        }
    }

    /// Words for consecutive methods.
    fn write_each(&mut self, core: &mut Core, class: Class, words: Words<'_>) -> usize {
        let room = (METHOD_MASK + 1 - words.method) as usize;
        let data = &words.data[..words.data.len().min(room)];
        let before = core.words_before;
        let mut done = 0;
        loop {
            let method = words.method + done as u32;
            done += self.registers[class.index()].store_run(method, &data[done..]);
            if done == data.len() {
                return done;
            }
            let method = words.method + done as u32;
            core.position = words.position.wrapping_add(4 * done as u64) & ADDRESS_MASK;
            core.words_before = before + done as u64;
            let taken = self.write_effect(core, class, method, &data[done..]);
            done += taken;
            if taken == 0 || done == data.len() || self.work.blocked.is_some() {
                return done;
            }
        }
    }

    /// A word for a method that does more than being stored, or that is stored in another way than usual; further ones
    /// after it if they go the same way. Returns how many: none when a bounded run was interrupted before it.
    fn write_effect(&mut self, core: &mut Core, class: Class, method: u32, data: &[u32]) -> usize {
        if classes::shows_drawing(class, method) && !self.draw_all(core) {
            return 0;
        }
        let registers = &self.registers[class.index()];
        let aliases = match class {
            Class::ThreeD => classes::constants_from(method).min(data.len()),
            _ => 1,
        };
        if aliases > 1 && registers.is_direct() {
            // All of them, as how many there are depends on where a run is cut.
            (method..).zip(&data[..aliases]).for_each(|(method, &datum)| _ = registers.store(method, datum));
            self.dispatch(core, class).stream(method, &data[..aliases]);
            return aliases;
        }
        let datum = registers.store(method, data[0]);
        if !registers.is_plain(method) {
            self.trigger(core, class, method, datum);
        }
        1
    }

    /// Words for one method.
    fn write_same(&mut self, core: &mut Core, class: Class, words: Words<'_>) -> usize {
        let Words { method, data, position, .. } = words;
        let registers = &self.registers[class.index()];
        if registers.is_direct()
            && let Some(&last) = data.last()
        {
            if registers.is_plain(method) {
                registers.store(method, last);
                return data.len();
            }
            core.position = position;
            if is_macro_datum(class, method) {
                registers.store(method, last);
                self.parameters(core, method, data);
                return data.len();
            }
            if classes::is_stream(class, method) {
                registers.store(method, last);
                self.dispatch(core, class).stream(method, data);
                return data.len();
            }
        }
        let before = core.words_before;
        for (i, datum) in data.iter().enumerate() {
            core.position = position.wrapping_add(4 * i as u64) & ADDRESS_MASK;
            core.words_before = before + i as u64;
            if self.write_effect(core, class, method, std::slice::from_ref(datum)) == 0 {
                return i;
            }
            if self.work.blocked.is_some() {
                return i + 1;
            }
        }
        data.len()
    }

    /// Runs the macro that waits for parameters, for there will be none. Returns whether there was one.
    pub fn finish_macro(&mut self, core: &mut Core) -> bool {
        let waited = self.work.mme.is_waiting();
        while let Some(call) = self.work.mme.take() {
            self.run(core, &call);
            self.work.mme.reuse(call);
        }
        waited
    }

    /// Draws scenes that commands have closed, and counts what went wrong there. False when a bounded run was
    /// interrupted.
    pub(crate) fn draw_closed(&mut self, core: &mut Core) -> bool {
        if !core.renderer.has_closed() {
            return true;
        }
        let is_drawn = core.renderer.draw_closed(&core.memory);
        core.settle_accounts();
        // Of a scene that is drawn in parts they are one fault, as if it were drawn at once.
        if is_drawn {
            self.work.threed.report_faults(core);
        }
        is_drawn
    }

    /// Draws everything, before a command that looks at it. False when a bounded run was interrupted.
    pub(crate) fn draw_all(&mut self, core: &mut Core) -> bool {
        self.draw_closed(core) && core.draw_all()
    }

    /// Draws everything, and counts what was drawn.
    pub(crate) fn settle(&mut self, core: &mut Core) {
        self.work.threed.settle(core, &mut self.work.counters);
    }

    fn dispatch<'u>(&'u mut self, core: &'u mut Core, class: Class) -> ClassDispatch<'u> {
        ClassDispatch { core, registers: &self.registers, work: &mut self.work, class, branches: None }
    }

    fn trigger(&mut self, core: &mut Core, class: Class, method: u32, datum: u32) {
        if method < MACROS || !matches!(class, Class::ThreeD | Class::TwoD) {
            return self.dispatch(core, class).trigger(method, datum);
        }
        if !method.is_multiple_of(2) {
            return self.parameters(core, method, &[datum]);
        }
        if self.work.mme.is_waiting() {
            self.finish_macro(core);
        }
        self.work.mme.begin((method - MACROS) as usize / 2, datum, class == Class::TwoD);
    }

    fn parameters(&mut self, core: &mut Core, method: u32, data: &[u32]) {
        let taken = self.work.mme.parameters((method - MACROS) as usize / 2, data);
        let refused = (data.len() - taken) as u64;
        if refused > 0 {
            core.fault(
                FaultKind::BadMethod,
                method.into(),
                format_args!("a macro parameter without a call of a macro"),
            );
            // Each word counts, as a bounded run may end between any two.
            core.faults.count_only(FaultKind::BadMethod, refused - 1);
        }
    }

    fn run(&mut self, core: &mut Core, call: &Call) {
        let class = if call.two_d { Class::TwoD } else { Class::ThreeD };
        if core.renderer.is_observed() {
            self.show_call(core, class, call);
        }
        let mut ready = self.work.mme.ready(call.index, &core.renderer.kernels);
        // What lies between two branches is the whole code at most.
        let price = cost::COMMAND + ready.words;
        core.budget.charge(price + call.parameters.len() as u64);
        let most = u32::try_from(core.budget.fuel() / price).unwrap_or(u32::MAX).min(BRANCHES);
        let branches = Cell::new(most);
        let (registers, work) = (&self.registers, &mut self.work);
        let mut dispatch = ClassDispatch { core: &mut *core, registers, work, class, branches: Some(&branches) };
        let end = ready.kernel.run(&mut self.registers[class.index()].job(&call.parameters, &branches, &mut dispatch));
        core.budget.charge(price * u64::from(most.saturating_sub(branches.get())));
        let low = ready.low;
        self.work.mme.keep(call.index, ready);
        if let Some((kind, what)) = fault_of(end.stop, low) {
            core.fault(kind, call.index as u64, format_args!("macro {:#x}: {what}", call.index));
        } else if end.missing != 0 || end.unused != 0 {
            let what = format_args!("macro {:#x}: {} parameters missing, {} left", call.index, end.missing, end.unused);
            core.fault(FaultKind::BadMethod, call.index as u64, what);
        }
    }
}

impl Units {
    /// Tells an observer of a macro before it runs: the commands that it gives are reported by themselves.
    #[cold]
    fn show_call(&mut self, core: &mut Core, class: Class, call: &Call) {
        let registers = self.registers[class.index()].file().live();
        let method = MACROS + 2 * call.index as u32;
        let value = call.parameters.first().copied().unwrap_or(0);
        let command = Command { class: class.id(), method, value, position: core.position };
        core.begin_command(&command, registers);
        core.renderer.note_effect(Effect::Macro(call.index as u32));
        core.end_command(&command, registers);
    }
}

/// Whether a method goes on with a macro's parameters rather than ending them.
fn is_macro_datum(class: Class, method: u32) -> bool {
    method >= MACROS && !method.is_multiple_of(2) && matches!(class, Class::ThreeD | Class::TwoD)
}
