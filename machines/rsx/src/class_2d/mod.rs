//! The 2D objects: copies of lines, surfaces, images from the processor, scaled images.
//!
//! ```text
//! run ─► registers ─► trigger ─┬─► copy.rs    memory to memory ──────────────────┐
//!                              ├─► scaled.rs  scaled image ──► as it is ─────────┼─► transfer requests
//!                              │                           └─► scaled, converted ┼─► surface.rs ─► rows of a surface
//!                              └─► cpu.rs     image from the push buffer ────────┘
//! ```
//! Each object has registers of its own, so that two objects of a class (PS3 programs have one for uploads and one for
//! downloads) do not disturb each other. Sources: see [`triglyph_guest::rsx::two_d`].

mod cpu;
mod saved;
mod scaled;
mod surface;

use std::cell::Cell;

use triglyph_guest::rsx::fifo::METHODS;
use triglyph_guest::rsx::objects::class;
use triglyph_guest::rsx::two_d::{self, MethodInfo, image_from_cpu, memory_to_memory};

use crate::class_3d::draw_closed;
use crate::core::Core;
use crate::front_end::registers::{Registers, WriteEffects};
use crate::front_end::words::Run;
pub(super) use saved::SavedTwoD;
use surface::Surface;
use triglyph_engine::device::FaultKind;
use triglyph_engine::frontend::TRIGGER;
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::probe::Command;

/// 2D objects that a channel may bind: as many as instance memory has room for.
const MAX_OBJECTS: usize = 128;

/// What writes to the methods of a class do. Methods that do not exist are triggers, to be reported.
const fn effects(methods: &[MethodInfo]) -> WriteEffects {
    let mut entries = [TRIGGER; METHODS];
    let mut i = 0;
    while i < methods.len() {
        if let two_d::Effect::None = methods[i].effect {
            entries[methods[i].id / 4] = 0;
        }
        i += 1;
    }
    WriteEffects::new(entries)
}

static MEMORY_TO_MEMORY: WriteEffects = effects(memory_to_memory::REGISTERS);
static SURFACES_2D: WriteEffects = effects(two_d::surfaces_2d::REGISTERS);
static SURFACE_SWIZZLED: WriteEffects = effects(two_d::surface_swizzled::REGISTERS);
static IMAGE_FROM_CPU: WriteEffects = effects(image_from_cpu::REGISTERS);
static SCALED_IMAGE: WriteEffects = effects(two_d::scaled_image::REGISTERS);

/// A 2D object that was bound at least once.
#[derive(Debug)]
struct Object {
    /// As object methods name it.
    name: u32,
    class: u32,
    registers: Registers,
    /// The next operation leaves a record.
    notify: bool,
    /// Words of the image from the processor that have come.
    words: u32,
}

/// The 2D objects of a channel.
#[derive(Debug, Default)]
pub(super) struct TwoD {
    objects: Vec<Object>,
}

impl TwoD {
    /// Whether objects of this class belong here.
    pub(super) fn has(class: u32) -> bool {
        two_d::methods(class).is_some()
    }

    /// The number of an object, which is made if it is bound for the first time; `None` when there are too many.
    pub(super) fn bind(&mut self, name: u32, class: u32) -> Option<usize> {
        let known = self.objects.iter().position(|object| object.name == name && object.class == class);
        if known.is_none() && self.objects.len() < MAX_OBJECTS {
            self.objects.push(Object {
                name,
                class,
                registers: Registers::new(class_effects(class)),
                notify: false,
                words: 0,
            });
            return Some(self.objects.len() - 1);
        }
        known
    }

    /// The class of an object, by number.
    pub(super) fn class(&self, index: usize) -> Option<u32> {
        self.objects.get(index).map(|object| object.class)
    }

    /// The registers of an object, by number.
    pub(super) fn registers(&self, index: usize) -> Option<&Registers> {
        self.objects.get(index).map(|object| &object.registers)
    }

    /// Sets the registers of an object, by number.
    pub(super) fn set_registers(&mut self, index: usize, words: &[u32; METHODS]) {
        if let Some(object) = self.objects.get_mut(index) {
            object.registers = Registers::with_words(class_effects(object.class), words);
        }
    }

    /// Executes a run on an object, by number. Returns how many words were taken: less than all when a bounded run was
    /// interrupted.
    pub(super) fn run(&mut self, core: &mut Core, index: usize, run: Run<'_>) -> usize {
        let Run { mut method, mut words, increasing } = run;
        let before = core.words_before;
        while let Some((&word, rest)) = words.split_first() {
            let Some(object) = self.objects.get_mut(index) else { return run.words.len() };
            if object.class == class::IMAGE_FROM_CPU && method >= image_from_cpu::COLORS {
                self.observed(core, index, (method, word), |two_d, core| two_d.colors(core, index, words));
                return run.words.len();
            }
            let stored = object.registers.store_run(method, if increasing { words } else { &words[..1] });
            if stored > 0 {
                words = &words[stored..];
                method += if increasing { 4 * stored as u32 } else { 0 };
                continue;
            }
            object.registers.set(method, word);
            core.words_before = before + (run.words.len() - words.len()) as u64;
            self.observed(core, index, (method, word), |two_d, core| two_d.trigger(core, index, method, word));
            words = rest;
            method += if increasing { 4 } else { 0 };
            if !draw_closed(core) {
                break;
            }
        }
        run.words.len() - words.len()
    }

    /// Does what a word for a method asks for, for an observer to see if there is one.
    #[inline]
    fn observed(
        &mut self,
        core: &mut Core,
        index: usize,
        (method, value): (u32, u32),
        run: impl FnOnce(&mut Self, &mut Core),
    ) {
        if !core.renderer.is_observed() {
            return run(self, core);
        }
        let class = self.class(index).unwrap_or(class::NULL);
        let command = Command { class, method, value, position: core.position };
        core.begin_command(&command, self.cells(index));
        run(self, core);
        core.end_command(&command, self.cells(index));
    }

    fn cells(&self, index: usize) -> &[Cell<u32>] {
        self.registers(index).map_or(&[], |registers| registers.file().live())
    }

    /// A method that is more than storage.
    fn trigger(&mut self, core: &mut Core, index: usize, method: u32, word: u32) {
        core.budget.charge(cost::COMMAND);
        let Some(object) = self.objects.get_mut(index) else { return };
        let Some(info) = two_d::info(object.class, method) else {
            let what = format_args!("method {method:#x} of class {:#x}, which does not exist", object.class);
            return core.fault(FaultKind::BadMethod, u64::from(method), what);
        };
        match (info.effect, object.class) {
            (two_d::Effect::Trigger(two_d::Trigger::Notify), _) => object.notify = true,
            (two_d::Effect::Trigger(two_d::Trigger::Begin), _) => object.words = 0,
            (two_d::Effect::Trigger(two_d::Trigger::Start), class::MEMORY_TO_MEMORY) => {
                crate::copy::lines::copy(core, &object.registers);
                if memory_to_memory::buf_notify::write(word) != 0 {
                    self.record(core, index, 0x10);
                }
                self.notify(core, index);
            }
            (two_d::Effect::Trigger(two_d::Trigger::Start), class::SCALED_IMAGE) => {
                self.scaled_image(core, index);
                self.notify(core, index);
            }
            _ => {}
        }
    }

    /// The surface that an object method names, as it is now.
    fn surface(&self, core: &mut Core, name: u32) -> Option<Surface> {
        let class = core.class_of(name);
        // The object itself, or the last one of its class.
        let mut named = self.objects.iter().filter(|object| object.name == name);
        let found = named.next().or_else(|| self.objects.iter().rev().find(|object| Some(object.class) == class));
        match found.filter(|object| Surface::is(object.class)) {
            Some(object) => Surface::of(core, object.class, &object.registers),
            None => {
                core.fault(FaultKind::BadMethod, u64::from(name), format_args!("{name:#x} names no surface object"));
                None
            }
        }
    }

    /// An operation has ended: leaves the record that NOTIFY asked for.
    fn notify(&mut self, core: &mut Core, index: usize) {
        if self.objects.get_mut(index).is_some_and(|object| std::mem::take(&mut object.notify)) {
            self.record(core, index, 0);
        }
    }

    /// Leaves a record in the memory of an object's notifier.
    fn record(&self, core: &mut Core, index: usize, offset: u64) {
        let Some(object) = self.objects.get(index) else { return };
        let name = object.registers.get(memory_to_memory::dma_notify::ID as u32);
        if let Some(place) = core.dma(name, "notifier").and_then(|memory| memory.range(offset, 16)) {
            core.write_record(place, 0, 0, "notifier");
        }
    }
}

fn class_effects(class: u32) -> &'static WriteEffects {
    match class {
        class::MEMORY_TO_MEMORY => &MEMORY_TO_MEMORY,
        class::SURFACE_SWIZZLED => &SURFACE_SWIZZLED,
        class::IMAGE_FROM_CPU => &IMAGE_FROM_CPU,
        class::SCALED_IMAGE => &SCALED_IMAGE,
        _ => &SURFACES_2D,
    }
}

/// Two signed 16-bit coordinates of a word.
fn point(word: u32) -> [i32; 2] {
    [i32::from(word as i16), i32::from((word >> 16) as i16)]
}

/// Two unsigned 16-bit sizes of a word.
fn size(word: u32) -> [u32; 2] {
    [word & 0xFFFF, word >> 16]
}
