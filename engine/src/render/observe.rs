//! Commands for observers: begins and ends them, collects their effects, has draws checked.

use std::cell::Cell;
use std::time::Instant;

use super::{Pipeline, Renderer};
use crate::device::{FaultMark, Faults};
use crate::log::LogLevel;
use crate::mem::Memory;
use crate::probe::{AskedPixel, Command, Counting, Edit, Effect, Observer, Probe, Surface, View, Watch};
use crate::validate::{DrawHandler, Finding, FindingKind, Found, MAX_JUDGED, Rules, Validator};

/// Effects of a command that are kept: a draw may have a million instances.
const MAX_EFFECTS: usize = 4096;

impl<P: Pipeline> Renderer<P> {
    /// Sets the observer of commands; `None` removes it.
    pub fn set_observer(&mut self, observer: Option<Box<dyn Observer>>) {
        let validator = self.probe.as_mut().and_then(|probe| probe.validator.take());
        let is_needed = observer.is_some() || validator.is_some();
        self.probe = is_needed.then(|| Box::new(Probe { observer, validator, ..Probe::default() }));
    }

    /// Checks draws from now on, by the rules of a machine.
    pub fn set_rules(&mut self, rules: &'static Rules) {
        self.probe = Some(Box::new(Probe::of_validator(Validator::new(rules))));
    }

    /// What checks draws, if anything does.
    fn validator_mut(&mut self) -> Option<&mut Validator> {
        self.probe.as_deref_mut().and_then(Probe::validator_mut)
    }

    /// Sets the address space of the commands that follow, for checks that look at memory.
    #[cold]
    pub fn set_checked_space(&mut self, space: u32) {
        if let Some(validator) = self.validator_mut() {
            validator.set_space(space);
        }
    }

    /// Notes what a machine has found in a program of the draw in progress.
    #[cold]
    pub fn note_finding(&mut self, kind: FindingKind, found: Found) {
        if let Some(validator) = self.validator_mut() {
            validator.note(kind, found);
        }
    }

    /// The findings of draws since the last call.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        self.validator_mut().map_or_else(Vec::new, Validator::take_findings)
    }

    /// Sets what is called with each draw that is checked.
    pub fn set_draw_handler(&mut self, handler: Option<DrawHandler>) {
        if let Some(validator) = self.validator_mut() {
            validator.set_handler(handler);
        }
    }

    /// Whether there is an observer.
    #[inline(always)]
    pub fn is_observed(&self) -> bool {
        self.probe.is_some()
    }

    /// Begins a command, which may do something. `registers` are those of its class, `faults` those before it.
    #[cold]
    pub fn begin_command(&mut self, memory: &Memory, command: &Command, registers: &[Cell<u32>], faults: FaultMark) {
        let wants = |probe: &mut Probe| probe.observer.as_mut().is_some_and(|observer| observer.begin(command));
        if self.probe.as_deref_mut().is_some_and(wants) {
            self.show(memory, command, registers);
        }
        if let Some(probe) = &mut self.probe {
            (probe.in_command, probe.faults) = (true, faults);
            probe.pixel = probe.observer.as_mut().and_then(|observer| observer.pixel());
            probe.is_observer_asking = probe.observer.as_mut().is_some_and(|observer| observer.wants_inputs());
            probe.counting = probe.observer.as_mut().map_or(Counting::Nothing, |observer| observer.wants_counts());
            let judges = probe.pixel.is_some() || probe.counting >= Counting::Verdicts;
            let is_judged = probe.counting >= Counting::Verdicts;
            probe.max_judged = if is_judged { usize::MAX } else { MAX_JUDGED };
            let is_validated = probe.validator.as_mut().is_some_and(|validator| validator.begin(command));
            probe.wants_inputs = probe.is_observer_asking || is_validated;
            if is_validated {
                probe.counting = probe.counting.max(Counting::Verdicts);
            }
            let observer = probe.observer.as_mut().filter(|_| judges);
            probe.deadline = observer.and_then(|observer| observer.deadline());
            let watch = probe.observer.as_mut().and_then(|observer| observer.watch());
            probe.watches = watch.is_some();
            if let Some(Watch { wanted }) = watch {
                self.show_open(memory, |_| {});
                self.kernels.watch(wanted.filter(|_| !self.is_open_ordered(memory)));
            }
            self.edit(memory);
        }
    }

    /// Does what edits ask for that precede the command in progress; those of registers are left to the machine.
    fn edit(&mut self, memory: &Memory) {
        let edits = self.probe.as_mut().and_then(|probe| probe.observer.as_mut()).map(|observer| observer.edits());
        let Some(edits) = edits.filter(|edits| !edits.is_empty()) else { return };
        // What was drawn before has the memory as it was.
        self.show_open(memory, |_| {});
        let mut words = Vec::new();
        for edit in edits {
            match edit {
                Edit::Register { register, word } => words.push((register, word)),
                Edit::Memory { at, bytes } => {
                    memory.write_pieces(at, &bytes);
                }
            }
        }
        if let Some(probe) = &mut self.probe {
            probe.edits = words;
        }
    }

    /// Registers of the class of the command in progress, and the words that they are to take before it.
    #[cold]
    pub fn take_edits(&mut self) -> Vec<(u32, u32)> {
        self.probe.as_mut().map_or_else(Vec::new, |probe| std::mem::take(&mut probe.edits))
    }

    /// It has ended.
    #[cold]
    pub fn end_command(&mut self, memory: &Memory, command: &Command, registers: &[Cell<u32>], faults: &Faults) {
        let Some(probe) = &mut self.probe else { return };
        (probe.in_command, probe.wants_inputs, probe.counting) = (false, false, Counting::Nothing);
        probe.edits.clear();
        let is_validated = probe.validator.as_ref().is_some_and(|validator| validator.is_asked());
        if std::mem::take(&mut probe.watches) {
            self.end_watch(memory, command);
        }
        let Some(probe) = &mut self.probe else { return };
        probe.effects.extend(faults.since(&probe.faults).map(Effect::Faults));
        if probe.left_out > 0 {
            probe.effects.push(Effect::LeftOut(std::mem::take(&mut probe.left_out)));
        }
        let effects = std::mem::take(&mut probe.effects);
        if probe.validator.is_some() {
            self.end_validation(memory, command, registers, (&effects, is_validated));
        }
        let Some(probe) = self.probe.as_mut().filter(|_| !effects.is_empty()) else { return };
        if probe.observer.as_mut().is_some_and(|observer| observer.end(command, &effects)) {
            self.show(memory, command, registers);
        }
    }

    /// Has the command in progress checked, and reports what was found.
    fn end_validation(
        &mut self,
        memory: &Memory,
        command: &Command,
        registers: &[Cell<u32>],
        (effects, is_validated): (&[Effect], bool),
    ) {
        if is_validated {
            self.show_open(memory, |_| {});
        }
        let Some(validator) = self.probe.as_mut().and_then(|probe| probe.validator_mut()) else { return };
        let Some(checked) = validator.end(memory, command, registers, effects) else { return };
        for finding in &checked.findings {
            self.kernels.log_line(LogLevel::Warning, finding);
        }
        if let Some(validator) = self.probe.as_mut().and_then(|probe| probe.validator_mut()) {
            validator.report(&checked);
        }
    }

    /// Draws and reports everything that the watched command does.
    fn end_watch(&mut self, memory: &Memory, command: &Command) {
        self.show_open(memory, |_| {});
        let watched = self.kernels.end_watch();
        if let Some(observer) = self.probe.as_mut().and_then(|probe| probe.observer.as_mut()) {
            observer.watched(command, watched);
        }
    }

    /// Adds an effect of the command in progress.
    #[cold]
    pub fn note_effect(&mut self, effect: Effect) {
        let Some(probe) = &mut self.probe else { return };
        match probe.effects.len() < MAX_EFFECTS {
            true => probe.effects.push(effect),
            false => probe.left_out += 1,
        }
    }

    /// Whether the observer asks for memory as draws read it, for which everything before them has to be drawn.
    #[inline(always)]
    pub(crate) fn needs_drawn_scene(&self) -> bool {
        let asks = |probe: &Probe| probe.pixel.is_some() || probe.wants_inputs || probe.counting >= Counting::Verdicts;
        self.probe.as_deref().is_some_and(asks)
    }

    /// Whether the deadline for fragments' results has passed.
    pub(crate) fn is_late(&self) -> bool {
        let deadline = self.probe.as_deref().and_then(|probe| probe.deadline);
        deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether the observer asks for details of the draws of the command in progress.
    #[inline(always)]
    pub(crate) fn is_asked_about_draws(&self) -> bool {
        let asked = |probe: &Probe| probe.watches || probe.counting != Counting::Nothing;
        self.needs_drawn_scene() || self.probe.as_deref().is_some_and(asked)
    }

    /// The pixel whose fragments draws report, if one of their surfaces has it.
    pub(crate) fn asked_pixel(&mut self, surfaces: &[Surface]) -> Option<AskedPixel> {
        let probe = self.probe.as_deref_mut()?;
        let asked = probe.pixel?;
        let around = |(_, surface): &(usize, &Surface)| surface.range().overlaps(asked.range(1));
        let mut found = surfaces.iter().enumerate().filter(around);
        found.find_map(|(number, surface)| Some(AskedPixel { surface: number, at: probe.place_in(surface, asked)? }))
    }

    /// Whether a command is in progress.
    pub fn is_in_command(&self) -> bool {
        self.probe.as_ref().is_some_and(|probe| probe.in_command)
    }

    fn show(&mut self, memory: &Memory, command: &Command, registers: &[Cell<u32>]) {
        self.show_open(memory, |renderer| {
            if let Some(observer) = renderer.probe.as_mut().and_then(|probe| probe.observer.as_mut()) {
                observer.look(&View { command, memory, registers });
            }
        });
    }
}
