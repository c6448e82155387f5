//! Curie, the RSX's 3D class (0x4097).
//!
//! ```text
//! words ─► effects.rs: plain runs are copied ─► registers, dirty groups
//!                    └─► triggers: programs/upload.rs (code, constants, attributes), draw/gather.rs (vertices),
//!                                  draw/clear.rs, sync.rs (reports, semaphores, conditions)
//! END ─► draw/ ─► state/ (registers become keys, where groups are dirty) ─► draw, scene, raster
//! ```
//! State is sampled when a draw's vertices are complete: at END, or before a write between BEGIN and END that changes
//! it.

mod draw;
pub(crate) mod effects;
pub(crate) mod programs;
mod saved;
mod state;
mod sync;

use triglyph_guest::rsx::fifo::METHODS;
use triglyph_guest::rsx::methods::{CURIE, Effect, Trigger, curie};
use triglyph_guest::rsx::objects::class;

use crate::core::Core;
use crate::front_end::registers::{Registers, index};
use crate::front_end::valid_words::ValidWords;
use crate::front_end::words::{Object, Run};
pub(super) use draw::draw_closed;
use draw::gather::Gather;
use effects::{METHOD_EFFECTS, WRITES, is_unknown, takes};
use programs::upload::Uploads;
pub(super) use saved::SavedCurie;
use state::State;
use triglyph_engine::device::FaultKind;
use triglyph_engine::draw::VertexReuse;
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::probe::Command;

/// The 3D state of a channel.
#[derive(Debug)]
pub struct Curie {
    pub(crate) registers: Registers,
    uploads: Uploads,
    /// Words that registers take.
    pub(crate) valid_words: ValidWords,
    /// The draw between BEGIN and END.
    pub(crate) gather: Option<Gather>,
    /// The vertices of the last draw, for their allocations.
    vertices: VertexReuse,
    /// The allocation of the next draw's vertices.
    spare: Vec<u32>,
    /// Room for the vertices of a segment of a draw.
    segment: Vec<u32>,
    state: State,
    /// Samples counted since the counter was set to zero.
    samples: u64,
    /// Whether draws and clears happen.
    renders: bool,
}

impl Default for Curie {
    /// All registers zero, but for those that Mesa depends on before it sets them, if it ever does: the clear rectangle
    /// and the window clip rectangles let everything pass, polygons have edges.
    fn default() -> Self {
        let registers = Registers::new(&WRITES);
        for id in [curie::set_clear_rect_horizontal::ID, curie::set_clear_rect_vertical::ID] {
            registers.set(id as u32, EVERYTHING);
        }
        for i in 0..8 {
            registers.set(curie::set_window_clip_horizontal::id(i) as u32, EVERYTHING);
            registers.set(curie::set_window_clip_vertical::id(i) as u32, EVERYTHING);
        }
        registers.set(curie::set_edge_flag::ID as u32, 1);
        Curie {
            registers,
            uploads: Uploads::default(),
            valid_words: ValidWords::default(),
            gather: None,
            vertices: VertexReuse::default(),
            spare: Vec::new(),
            segment: Vec::new(),
            state: State::default(),
            samples: 0,
            renders: true,
        }
    }
}

/// A word for a method, for observers.
fn command(core: &Core, method: u32, value: u32) -> Command {
    Command { class: class::CURIE, method, value, position: core.position }
}

/// From 0 to 4095.
const EVERYTHING: u32 = 0x0FFF_0000;

impl Curie {
    /// The state with these registers, by address / 4.
    pub(super) fn with_registers(words: &[u32; METHODS]) -> Self {
        Curie { registers: Registers::with_words(&WRITES, words), ..Curie::default() }
    }

    /// The registers, by method.
    pub fn registers(&self) -> &Registers {
        &self.registers
    }

    /// Brings everything into memory that was drawn so far, counts its samples, and spends the time that its textures
    /// take: nothing is left to be accounted for when a run of a channel ends, so that a snapshot has all of it.
    pub(super) fn finish(&mut self, core: &mut Core) {
        self.samples = self.samples.wrapping_add(core.renderer.take_samples(&core.memory));
        core.spend_texture_time();
    }

    fn get(&self, method: usize) -> u32 {
        self.registers.get(method as u32)
    }

    /// Executes the method at which a run stopped, and as many of the words after it as go the same way. Returns how
    /// many words were taken: none when a bounded run was interrupted before it.
    fn trigger(&mut self, core: &mut Core, run: Run<'_>) -> usize {
        if !core.renderer.is_observed() {
            return self.execute(core, run);
        }
        let command = command(core, run.method, run.words[0]);
        if !METHOD_EFFECTS[index(run.method)].is_trigger() {
            // Words that a register is known to take are not looked at again: what counts as a command must not depend
            // on that. Words that it does not take are faults each time.
            let faults = core.faults.mark();
            let taken = self.execute(core, run);
            if core.faults.mark() != faults {
                let Core { memory, renderer, .. } = core;
                renderer.begin_command(memory, &command, self.registers.file().live(), faults);
                core.end_command(&command, self.registers.file().live());
            }
            return taken;
        }
        self.begin_observed(core, &command);
        let taken = self.execute(core, run);
        core.end_command(&command, self.registers.file().live());
        taken
    }

    /// Tells the observer of a command, and does what edits ask for that are to precede it.
    fn begin_observed(&mut self, core: &mut Core, command: &Command) {
        core.begin_command(command, self.registers.file().live());
        for (register, word) in core.renderer.take_edits() {
            self.edit(core, register.saturating_mul(4), word);
        }
    }

    /// Stores a word that an observer wants in a method before a command.
    #[cold]
    fn edit(&mut self, core: &mut Core, method: u32, word: u32) {
        let effect = METHOD_EFFECTS.get(index(method));
        match effect {
            Some(Effect::Trigger(Trigger::TransformProgram | Trigger::TransformConstant)) => {
                // Vertices that wait are drawn with what is stored now.
                let gather = self.gather.take();
                self.execute(core, Run { method, words: &[word], increasing: false });
                self.gather = gather;
            }
            Some(Effect::Trigger(_)) => {
                let what = format_args!("method {method:#x} does more than being stored");
                core.fault(FaultKind::BadMethod, method.into(), what);
            }
            Some(_) if !is_unknown(method) && takes(method, word) => self.registers.store_word(method, word),
            _ => {
                let what = format_args!("method {method:#x} does not take {word:#x}");
                core.fault(FaultKind::BadMethod, method.into(), what);
            }
        }
    }

    /// The same, with or without an observer.
    fn execute(&mut self, core: &mut Core, run: Run<'_>) -> usize {
        let Run { method, words, increasing } = run;
        let Effect::Trigger(trigger) = METHOD_EFFECTS[index(method)] else {
            self.store_checked(core, method, words[0]);
            return 1;
        };
        if trigger.shows_drawing() && !core.draw_all() {
            return 0;
        }
        core.budget.charge(cost::COMMAND);
        // Words for the same method that make one array. All others are executed one by one.
        let repeated = if increasing || !trigger.is_list() { &words[..1] } else { words };
        match trigger {
            Trigger::TransformProgram => return self.transform_program(core, run),
            Trigger::TransformConstant => return self.transform_constant(core, run),
            Trigger::BeginEnd => self.begin_end(core, words[0]),
            Trigger::DrawArrays => self.draw_arrays(core, repeated),
            Trigger::DrawIndexArray => self.draw_index_array(core, repeated),
            Trigger::ArrayElement16 => self.array_element16(core, repeated),
            Trigger::ArrayElement32 => self.array_element32(core, repeated),
            Trigger::InlineArray => self.inline_array(core, repeated),
            Trigger::VertexData4F
            | Trigger::VertexData3F
            | Trigger::VertexData2F
            | Trigger::VertexData1F
            | Trigger::VertexData2S
            | Trigger::VertexData4S
            | Trigger::VertexDataScaled4S
            | Trigger::VertexData4Ub => {
                self.vertex_data(core, trigger, method, words[0]);
                return 1;
            }
            Trigger::ClearSurface => {
                self.clear_surface(core, words[0]);
                return 1;
            }
            Trigger::Notify => self.notify(core),
            Trigger::WaitForIdle => {}
            Trigger::ClearReportValue => self.clear_report_value(core, words[0]),
            Trigger::GetReport => {
                self.get_report(core, words[0]);
                return 1;
            }
            Trigger::BackEndWriteSemaphoreRelease | Trigger::TextureReadSemaphoreRelease => {
                self.release_semaphore(core, trigger, words[0]);
                return 1;
            }
            Trigger::RenderEnable => {
                self.set_render_enable(core, words[0]);
                return 1;
            }
            // Textures are compared with memory before each scene in any case.
            Trigger::InvalidateTextures => {}
            // Methods of the puller and of other classes.
            _ => {
                let what = format_args!("method {method:#x} of the 3D class");
                core.fault(FaultKind::BadMethod, method.into(), what);
            }
        }
        self.registers.set(method, words[repeated.len() - 1]);
        repeated.len()
    }

    /// Stores a word in a register that does not take every value, or in one without a row in the table.
    fn store_checked(&mut self, core: &mut Core, method: u32, word: u32) {
        let unknown = is_unknown(method);
        if unknown {
            let what = format_args!("method {method:#x} = {word:#x}, which the 3D class does not have");
            core.fault(FaultKind::BadMethod, method.into(), what);
        }
        if !takes(method, word) {
            let name = CURIE.find(method).map_or_else(|| format!("method {method:#x}"), |found| found.to_string());
            return core.fault(FaultKind::BadMethod, word.into(), format_args!("{name} does not take {word:#x}"));
        }
        if !unknown {
            self.valid_words.remember(method, word);
        }
        if self.registers.get(method) != word {
            self.before_change(core, WRITES.groups(index(method)));
            self.registers.store_word(method, word);
        }
    }

    /// Draws the vertices that wait, before any of `groups` changes, which they were to be drawn with.
    fn before_change(&mut self, core: &mut Core, groups: u32) {
        if groups != 0 && self.gather.as_ref().is_some_and(|gather| !gather.is_empty()) {
            self.draw_gathered(core);
        }
    }
}

impl Object for Curie {
    fn run(&mut self, core: &mut Core, run: Run<'_>) -> usize {
        let Run { mut method, mut words, increasing } = run;
        let before = core.words_before;
        while let [.., last] = words {
            // Words that count.
            let mut reach = words.len();
            if self.gather.is_some() {
                reach = words_up_to_locked(Run { method, words, increasing });
                if reach == 0 {
                    let refused = self.refuse_locked(core, Run { method, words, increasing });
                    method += if increasing { 4 * refused as u32 } else { 0 };
                    words = &words[refused..];
                    continue;
                }
                self.before_plain_words(core, Run { method, words: &words[..reach], increasing });
            }
            let count = if increasing {
                self.registers.store_run(method, &words[..reach])
            } else {
                // Only the last word stays, but for those that do something.
                self.registers.store_run(method, &[*last]) * words.len()
            };
            method += if increasing { 4 * count as u32 } else { 0 };
            words = &words[count..];
            reach -= count;
            if reach == 0 {
                continue;
            }
            core.words_before = before + (run.words.len() - words.len()) as u64;
            let taken = self.trigger(core, Run { method, words: &words[..reach], increasing });
            method += if increasing { 4 * taken as u32 } else { 0 };
            words = &words[taken..];
            if !draw::draw_closed(core) || taken == 0 {
                break;
            }
        }
        run.words.len() - words.len()
    }
}

/// How many words of a run come before the first for a register that is locked while a draw is open.
fn words_up_to_locked(run: Run<'_>) -> usize {
    let all = run.words.len();
    match curie::next_locked_in_draws(run.method) {
        Some(next) if run.increasing => ((next - run.method) as usize).div_ceil(4).min(all),
        Some(next) if next == run.method => 0,
        _ => all,
    }
}

impl Curie {
    /// Counts a fault for the first word of a run, which is for a register that is locked while a draw is open, or for
    /// each word if all are for that register. Returns how many there were.
    #[cold]
    fn refuse_locked(&mut self, core: &mut Core, run: Run<'_>) -> usize {
        let Run { method, words, increasing } = run;
        let count = if increasing { 1 } else { words.len() };
        // For each word, as a run may be cut between any two.
        for word in &words[..count] {
            let what = format_args!("method {method:#x} = {word:#x} between BEGIN and END");
            core.fault(FaultKind::BadCommand, method.into(), what);
        }
        count
    }

    /// Before plain words are stored between BEGIN and END: if one of them changes state, what waits is drawn.
    #[cold]
    fn before_plain_words(&mut self, core: &mut Core, run: Run<'_>) {
        let mut method = run.method;
        for &word in run.words {
            if WRITES.is_trigger(index(method)) {
                return;
            }
            // The base index was added to indices when they came.
            if word != self.registers.get(method) && method as usize != curie::set_vertex_data_base_index::ID {
                self.before_change(core, WRITES.groups(index(method)));
            }
            method += if run.increasing { 4 } else { 0 };
        }
    }
}
