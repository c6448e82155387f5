//! Segments of a draw: their vertices are fetched and shaded, and their primitives drawn, before those of the next. So
//! memory does not grow with the vertices of a draw.
//!
//! What the guest sees is that of one draw, as far as it does not look at memory that the draw itself writes.

use std::sync::Arc;

use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::tegra::methods::threed::{ReportKind, Topology, regs as r};

use super::edge_flags::Hidden;
use super::fetch::{self, Layout};
use super::geometry::{Assembled, Ids};
use super::indices::{Numbers, Order};
use super::{assembly, statistics};
use crate::class_3d::ThreeD;
use crate::class_3d::programs::codes::Program;
use crate::class_3d::programs::meter::EXHAUSTED_LIMIT;
use crate::class_3d::programs::stage::{Records, outputs};
use crate::class_3d::programs::stage_numbers::{STAGES, VERTEX_A, VERTEX_B};
use crate::class_3d::state::pixels::TargetView;
use crate::core::Core;
use crate::front_end::registers::Registers;
use crate::front_end::report::Counters;
use triglyph_engine::draw::program::{Drawn, RESTART, Segment};
use triglyph_engine::frontend::budget::cost;

/// What four instructions of a vertex cost.
const INSTRUCTIONS: u64 = 1;

/// How far a draw is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    /// Nothing is drawn after what is being drawn now.
    pub is_last: bool,
    /// Runs of the programs of each stage that had no end.
    pub exhausted: [u32; STAGES],
    /// Instructions of each stage whose time has passed.
    work: [u64; STAGES],
    /// Where the last primitives were drawn, and the result of them and those before them, as far as all of them
    /// were drawn there.
    pub run: Option<(TargetView, Drawn)>,
}

impl Progress {
    /// Nanoseconds of the clock for so many more instructions of a stage, as if those before had come with them.
    pub(crate) fn time_of(&mut self, stage: usize, instructions: u64) -> u64 {
        let before = self.work[stage];
        self.work[stage] = before + instructions;
        self.work[stage] / 4 - before / 4
    }

    /// The result of the primitives before, if those at `place` go on with them.
    pub(crate) fn drawn_at(&self, place: TargetView) -> Drawn {
        self.run.filter(|(last, _)| *last == place).map(|(_, drawn)| drawn).unwrap_or_default()
    }
}

/// A draw whose vertices are to be shaded.
struct Draw<'a> {
    topology: Topology,
    order: &'a Order,
    /// The places where the edge flag changes.
    turns: &'a [u32],
    programs: VertexPrograms,
    /// Whether each vertex of a segment is shaded once, however often it comes.
    distinct: bool,
}

/// The programs of the vertex stage.
struct VertexPrograms {
    a: Option<Arc<Program>>,
    b: Arc<Program>,
    /// Words that B reads.
    inputs: WordSet,
}

impl VertexPrograms {
    fn instructions(&self) -> u64 {
        self.b.loaded.instructions + self.a.as_ref().map_or(0, |a| a.loaded.instructions)
    }

    /// Takes fuel for so many runs for vertices that other segments have as well: what the console does once takes it
    /// no more time. False if there was not enough.
    fn charge_again(&self, core: &mut Core, count: u64) -> bool {
        core.budget.charge(count * self.instructions() * cost::INSTRUCTION)
    }

    /// Words of the widest record on the way through them.
    fn words(&self) -> usize {
        let fetched = self.a.as_ref().map_or(self.inputs, |a| self.inputs.union(&a.loaded.inputs));
        let written = [Some(&self.b), self.a.as_ref()].into_iter().flatten().map(|program| outputs(&program.loaded));
        written.map(|words| words.len()).max().unwrap_or(0).max(fetched.len())
    }
}

impl ThreeD {
    /// Whether the next part of the draw is to be drawn. It begins then.
    pub(crate) fn begins_part(&self, core: &mut Core) -> bool {
        core.faults.begin_later_part();
        let is_given_up = self.progress.exhausted.iter().any(|&count| count >= EXHAUSTED_LIMIT);
        !is_given_up && core.budget.fuel() > 0
    }

    /// Draws vertices, of which `turns` are the places where the edge flag changes. `None` when nothing was drawn.
    pub(crate) fn draw_segments(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        topology: Topology,
        (order, turns): (&Order, &[u32]),
    ) -> Option<()> {
        let programs = self.vertex_programs(core, registers)?;
        let distinct = order.indexed || matches!(&order.numbers, Numbers::List(list) if list.contains(&RESTART));
        let draw = Draw { topology, order, turns, programs, distinct };
        let sharing = assembly::sharing(topology, r::set_patch::size(registers.get(r::set_patch::ID)));
        let mut segments = order.numbers.segments(sharing, core.renderer.segment_len(draw.programs.words()));
        self.progress = Progress::default();
        // Runs of the vertex programs that are paid and not done yet.
        let mut paid = None;
        while let Some(segment) = segments.next() {
            if paid.is_some() && !self.begins_part(core) {
                break;
            }
            let (numbers, places) = self.vertex_buffers.find_vertices(&order.numbers, &segment, draw.distinct);
            let count = numbers.len() as u64;
            let left = match paid {
                Some(left) => left,
                None if segments.is_over() => self.charge_vertices(core, registers, counters, &draw.programs, count)?,
                None => {
                    let count = self.vertex_buffers.count_vertices(&order.numbers, draw.distinct) as u64;
                    self.charge_vertices(core, registers, counters, &draw.programs, count)?
                }
            };
            if !draw.programs.charge_again(core, count.saturating_sub(left)) {
                break;
            }
            paid = Some(left.saturating_sub(count));
            self.progress.is_last = segments.is_over();
            self.draw_segment(core, registers, counters, &draw, &segment, (numbers, places));
        }
        Some(())
    }

    /// Draws a segment: the numbers of its vertices, and for each place in it the position of its vertex among them.
    fn draw_segment(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        draw: &Draw<'_>,
        segment: &Segment,
        (numbers, order): (Vec<u32>, Vec<u32>),
    ) {
        let hidden = Hidden::of(draw.turns, segment.places());
        let records = self.shade_numbers(core, registers, &draw.programs, draw.order, numbers);
        let ids = Ids::From(self.primitive);
        let assembled = Assembled { topology: draw.topology, split: segment.split, order, ids };
        self.draw_vertices(core, registers, counters, records, assembled, &hidden);
    }

    fn vertex_programs(&mut self, core: &mut Core, registers: &Registers) -> Option<VertexPrograms> {
        let b = self.program(core, registers, VERTEX_B)?;
        let a = match Self::is_on(registers, VERTEX_A) {
            true => Some(self.program(core, registers, VERTEX_A)?),
            false => None,
        };
        // A set without words could not say how many vertices there are; the number of the vertex is always there.
        let identity = [0xBE, 0xBF].into_iter().collect();
        let inputs = b.loaded.inputs.union(&identity);
        Some(VertexPrograms { a, b, inputs })
    }

    /// Takes time and fuel for running the vertex programs so many times, and counts that. Returns how many times;
    /// `None` if there is not enough.
    fn charge_vertices(
        &self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        programs: &VertexPrograms,
        count: u64,
    ) -> Option<u64> {
        let work = count * programs.instructions();
        if !core.budget.spend(work * INSTRUCTIONS / 4) || !core.budget.charge(work * cost::INSTRUCTION) {
            return None;
        }
        statistics::count(registers, counters, ReportKind::VsInvocations, 0, count);
        Some(count)
    }

    /// Runs the vertex programs for vertices of an order.
    fn shade_numbers(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        programs: &VertexPrograms,
        order: &Order,
        numbers: Vec<u32>,
    ) -> Records {
        let mut elements = numbers;
        elements.iter_mut().for_each(|number| *number = number.wrapping_add(order.base));
        let ends = elements.iter().fold((u32::MAX, 0), |(low, high), &at| (low.min(at), high.max(at)));
        let id_offset = order.id_offset.wrapping_sub(order.base);
        let numbers = fetch::Numbers { elements: &elements, ends, id_offset, instance: self.instance };
        let timer = core.renderer.start_vertices(elements.len());
        let records = self.shade(core, registers, programs, &numbers);
        core.renderer.end_vertices(timer, elements.len());
        self.vertex_buffers.release_numbers(elements);
        records
    }

    /// Fetches records and runs one or two programs for them.
    fn shade(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        programs: &VertexPrograms,
        numbers: &fetch::Numbers<'_>,
    ) -> Records {
        let VertexPrograms { a, b, inputs } = programs;
        let Some(a) = a else {
            let inputs = self.fetch(core, registers, *inputs, numbers);
            let outputs = self.run_vertices(core, (VERTEX_B, b), &inputs);
            self.vertex_buffers.release_inputs(inputs.words);
            return outputs;
        };
        let all = self.fetch(core, registers, inputs.union(&a.loaded.inputs), numbers);
        let first = self.run_vertices(core, (VERTEX_A, a), &all);
        // What the first program wrote is what the second one reads, the rest comes from the streams (Ryujinx).
        let written = a.loaded.outputs;
        let count = numbers.elements.len();
        let mut joined = Records { words: Vec::with_capacity(inputs.len() * count), set: *inputs };
        for vertex in 0..count as u32 {
            joined.words.extend(inputs.iter().map(|word| {
                let from = if written.contains(word) { &first } else { &all };
                from.set.index(word).map_or(0, |at| from.get(vertex)[at])
            }));
        }
        self.run_vertices(core, (VERTEX_B, b), &joined)
    }

    /// Records of the words `set`.
    fn fetch(&mut self, core: &mut Core, registers: &Registers, set: WordSet, numbers: &fetch::Numbers<'_>) -> Records {
        let usable = |_: &mut Core, layout: &mut Arc<Layout>| layout.inputs == set;
        let derive = |core: &mut Core| self.layouts.share(Layout::new(core, registers, set));
        let layout = self.layout.get_or_derive(core, registers.file(), usable, derive).clone();
        if core.renderer.wants_inputs() {
            fetch::note(core, &layout, numbers);
        }
        let mut words = self.vertex_buffers.acquire_inputs(set.len() * numbers.elements.len());
        fetch::fetch(core, &layout, numbers, &mut words, &mut self.stream_room);
        Records { words, set }
    }
}
