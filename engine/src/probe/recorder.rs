//! Collects effects until their command has ended.

use std::cell::Cell;
use std::time::Instant;

use super::{Command, Counting, Edit, Effect, FragmentCounts, Input, Observer, Surface, View, Watch};
use crate::device::{FaultMark, Faults};
use crate::mem::{GuestAddr, Memory};
use crate::render::{Pipeline, Renderer};

/// The observer, and the effects of the command in progress so far.
#[derive(Default)]
pub struct Probe {
    observer: Option<Box<dyn Observer>>,
    effects: Vec<Effect>,
    /// Number of further effects that are not kept.
    left_out: u64,
    /// Whether a command is in progress.
    in_command: bool,
    /// Faults before it.
    faults: FaultMark,
    /// Words that the machine is to store before it.
    edits: Vec<(u32, u32)>,
    /// The pixel whose fragments its draws report.
    pixel: Option<GuestAddr>,
    /// Whether its kernels are watched.
    watches: bool,
    /// Whether its draws are reported with their inputs.
    wants_inputs: bool,
    /// The requested details of their fragments.
    counting: Counting,
    /// When they need not tell of fragments any more.
    deadline: Option<Instant>,
    /// The position of the pixel in the surface that was searched last.
    found: Option<(GuestAddr, Surface, Option<[u32; 2]>)>,
}

/// Effects of a command that are kept: a draw may have a million instances.
const MAX_EFFECTS: usize = 4096;

/// A pixel of one of the surfaces of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AskedPixel {
    /// Which surface.
    pub surface: usize,
    /// The stored pixel.
    pub at: [u32; 2],
}

impl Probe {
    pub(crate) fn wants_inputs(&self) -> bool {
        self.wants_inputs
    }

    /// The requested details of draws' fragments.
    pub(crate) fn counting(&self) -> Counting {
        self.counting
    }

    /// Where a pixel is in a surface. Most draws have that of the draw before, which is not searched again.
    fn place_in(&mut self, surface: &Surface, at: GuestAddr) -> Option<[u32; 2]> {
        match self.found {
            Some((address, known, found)) if address == at && known == *surface => found,
            _ => {
                let found = surface.pixel_at(at);
                self.found = Some((at, *surface, found));
                found
            }
        }
    }

    /// The fragments of a draw.
    pub(crate) fn counts(&mut self, counts: &FragmentCounts) {
        if let Some(observer) = &mut self.observer {
            observer.counts(counts);
        }
    }

    /// An input of a draw.
    pub(crate) fn input(&mut self, input: &Input<'_>) {
        let Some(observer) = self.observer.as_mut().filter(|_| self.wants_inputs) else { return };
        observer.input(input);
        if matches!(input, Input::Mesh(_)) {
            self.wants_inputs = observer.wants_inputs();
        }
    }
}

impl std::fmt::Debug for Probe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Probe { observer, effects, .. } = self;
        f.debug_struct("Probe").field("observer", &observer.is_some()).field("effects", effects).finish_non_exhaustive()
    }
}

impl<P: Pipeline> Renderer<P> {
    /// Sets the observer of commands; `None` removes it.
    pub fn set_observer(&mut self, observer: Option<Box<dyn Observer>>) {
        self.probe = observer.map(|observer| Box::new(Probe { observer: Some(observer), ..Probe::default() }));
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
            probe.wants_inputs = probe.observer.as_mut().is_some_and(|observer| observer.wants_inputs());
            probe.counting = probe.observer.as_mut().map_or(Counting::Nothing, |observer| observer.wants_counts());
            let judges = probe.pixel.is_some() || probe.counting >= Counting::Verdicts;
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
        if std::mem::take(&mut probe.watches) {
            self.end_watch(memory, command);
        }
        let Some(probe) = &mut self.probe else { return };
        probe.effects.extend(faults.since(&probe.faults).map(Effect::Faults));
        if probe.left_out > 0 {
            probe.effects.push(Effect::LeftOut(std::mem::take(&mut probe.left_out)));
        }
        let effects = std::mem::take(&mut probe.effects);
        if effects.is_empty() {
            return;
        }
        if probe.observer.as_mut().is_some_and(|observer| observer.end(command, &effects)) {
            self.show(memory, command, registers);
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
