//! Methods that draw.

use std::sync::Arc;

use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::tegra::methods::threed::{
    BeginInstanceId, BeginPrimitiveId, IndexSize, ReportKind, Topology, regs as r,
};

use super::edges::{self, Unmarked};
use super::fetch::{self, Layout};
use super::indices::{self, Order};
use super::open::Open;
use super::stage::{MOST_WORDS, Program, Records, VERTEX_A, VERTEX_B, affordable, outputs};
use super::target::Targets;
use super::{ThreeD, statistics};
use crate::core::Core;
use crate::registers::Registers;
use crate::report::Counters;
use triglyph_engine::device::FaultKind;
use triglyph_engine::draw::program::RESTART;
use triglyph_engine::frontend::budget::cost;

/// Words of the widest record: those of two programs, and the numbers of instance and vertex.
const MOST_RECORD: usize = 2 * 256 + 2;
/// What four instructions of a vertex cost.
const INSTRUCTIONS: u64 = 1;

impl ThreeD {
    /// BEGIN.
    pub(super) fn begin(&mut self, word: u32) {
        match r::begin::instance_id(word) {
            Some(BeginInstanceId::Subsequent) => self.instance = self.instance.wrapping_add(1),
            Some(BeginInstanceId::Unchanged) => {}
            Some(BeginInstanceId::First) | None => self.instance = 0,
        }
        if r::begin::primitive_id(word) != Some(BeginPrimitiveId::Unchanged) {
            self.primitive = 0;
        }
        self.open = Some(Open::new(r::begin::op(word)));
    }

    /// END: draws the vertices that have come.
    pub(super) fn end(&mut self, core: &mut Core, registers: &Registers, counters: &mut Counters, enabled: bool) {
        if enabled {
            self.settle_indices(core, registers);
        }
        let Some(Open { topology, vertices, turns, .. }) = self.open.take() else { return };
        if enabled && !vertices.numbers.is_empty() {
            self.draw_order(core, registers, counters, topology, vertices, &turns);
        }
    }

    /// Makes indices that came as data of methods into vertices of the draw that is open.
    fn settle_indices(&mut self, core: &mut Core, registers: &Registers) {
        let Some(open) = self.open.as_mut().filter(|open| !open.indices.is_empty()) else { return };
        let order = indices::indexed(registers, std::mem::take(&mut open.indices));
        if indices::charge(core, &order) {
            open.add(order);
        }
    }

    /// Indices in the datum. The words before the first whole one and after the last may hold less, as ALIGN says.
    pub(super) fn inline(&mut self, core: &mut Core, registers: &Registers, method: u32, datum: u32) {
        let Some(open) = &mut self.open else {
            return core.fault(FaultKind::BadMethod, method.into(), format_args!("indices outside of a draw"));
        };
        if open.room() == 0 {
            return;
        }
        open.note_flag(edges::flag(registers));
        let mut push = |words: &[u32], align: usize, start: fn(u32) -> usize, count: fn(u32) -> usize| {
            let word = registers.get(align);
            // Where the stream begins counts for its first word, how many there are for its end.
            let skip = if open.indices.is_empty() { start(word).min(words.len()) } else { 0 };
            let most = count(word);
            let left = if most == 0 { usize::MAX } else { most.saturating_sub(open.indices.len()) };
            open.indices.extend(words[skip..].iter().take(left));
        };
        match method as usize {
            r::draw_inline_index2x16::ID => push(
                &[datum & 0xFFFF, datum >> 16],
                r::set_inline_index2x16_align::ID,
                |word| usize::from(r::set_inline_index2x16_align::start_odd(word)),
                |word| r::set_inline_index2x16_align::count(word) as usize,
            ),
            r::draw_inline_index4x8::ID => push(
                &datum.to_le_bytes().map(u32::from),
                r::set_inline_index4x8_align::ID,
                |word| r::set_inline_index4x8_align::start(word) as usize,
                |word| r::set_inline_index4x8_align::count(word) as usize,
            ),
            _ => open.indices.push(datum),
        }
    }

    /// BEGIN, draw, END in one. The size of indices is that of the method's name.
    pub(super) fn once(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        (method, datum): (u32, u32),
        enabled: bool,
    ) {
        use r::draw_vertex_array_begin_end_instance_first as first;
        let method = method as usize;
        let subsequent = matches!(
            method,
            r::draw_vertex_array_begin_end_instance_subsequent::ID
                | r::draw_index_buffer32_begin_end_instance_subsequent::ID
                | r::draw_index_buffer16_begin_end_instance_subsequent::ID
                | r::draw_index_buffer8_begin_end_instance_subsequent::ID
        );
        self.end(core, registers, counters, enabled);
        self.instance = if subsequent { self.instance.wrapping_add(1) } else { 0 };
        self.primitive = 0;
        self.open = Some(Open::new(first::topology(datum)));
        if enabled {
            let (start, count) = (first::start_index(datum), first::count(datum));
            let size = match method {
                r::draw_index_buffer32_begin_end_instance_first::ID
                | r::draw_index_buffer32_begin_end_instance_subsequent::ID => Some(IndexSize::FourBytes),
                r::draw_index_buffer16_begin_end_instance_first::ID
                | r::draw_index_buffer16_begin_end_instance_subsequent::ID => Some(IndexSize::TwoBytes),
                r::draw_index_buffer8_begin_end_instance_first::ID
                | r::draw_index_buffer8_begin_end_instance_subsequent::ID => Some(IndexSize::OneByte),
                _ => None,
            };
            let order = match size {
                Some(size) => self.index_buffer(core, registers, size, (start, count)),
                None => indices::array(core, registers, (start, count), self.rooms.take_numbers()),
            };
            self.draw(core, registers, counters, order);
        }
        self.end(core, registers, counters, enabled);
    }

    /// Indices from the index buffer.
    pub(super) fn index_buffer(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        size: IndexSize,
        (first, count): (u32, u32),
    ) -> Order {
        let numbers = self.rooms.take_numbers();
        indices::buffer(core, registers, (size, first, count), numbers, &mut self.stream_room)
    }

    /// Vertices of the draw that is open, or a draw of their own.
    pub(super) fn draw(&mut self, core: &mut Core, registers: &Registers, counters: &mut Counters, order: Order) {
        self.settle_indices(core, registers);
        if order.numbers.is_empty() || !indices::charge(core, &order) {
            return;
        }
        let mut alone = Open::new(None);
        let open = self.open.as_mut().unwrap_or(&mut alone);
        open.note_flag(edges::flag(registers));
        open.add(order);
        if self.open.is_none() {
            self.draw_order(core, registers, counters, None, alone.vertices, &alone.turns);
        }
    }

    /// Draws vertices, of which `turns` are the places where the edge flag changes.
    fn draw_order(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        of_begin: Option<Topology>,
        order: Order,
        turns: &[u32],
    ) {
        let Some(topology) = indices::topology(registers, of_begin) else {
            return core.fault(FaultKind::BadMethod, r::begin::ID as u64, format_args!("a draw without topology"));
        };
        self.take_dirty(registers);
        self.count_input(registers, counters, topology, &order);
        let unmarked = Unmarked::of(turns, order.numbers.len());
        let Some((records, places)) = self.vertices(core, registers, counters, order) else { return };
        let hidden = unmarked.hidden(&places);
        self.draw_vertices(core, registers, counters, topology, records, (places, hidden));
        self.settle_troubles(core);
    }

    /// Runs the vertex programs for the vertices of an order, each once. Returns records, and the record of each
    /// vertex.
    fn vertices(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        order: Order,
    ) -> Option<(Records, Vec<u32>)> {
        let Order { base, id_offset, indexed, mut numbers } = order;
        let distinct = indexed || numbers.contains(&RESTART);
        let (numbers, places) = self.rooms.find_vertices(&mut numbers, distinct);
        let b = self.program(core, registers, VERTEX_B)?;
        let a = match Self::is_on(registers, VERTEX_A) {
            true => Some(self.program(core, registers, VERTEX_A)?),
            false => None,
        };
        let instructions = b.loaded.instructions + a.as_ref().map_or(0, |a| a.loaded.instructions);
        let work = numbers.len() as u64 * instructions;
        if !core.budget.spend(work * INSTRUCTIONS / 4) || !core.budget.charge(work * cost::INSTRUCTION) {
            return None;
        }
        let widest = || {
            let programs = [Some(&b), a.as_ref()].into_iter().flatten();
            let words = programs.map(|program| {
                let inputs = program.loaded.inputs.len() + b.loaded.inputs.len();
                inputs.max(outputs(&program.loaded).len()) + 2
            });
            words.max().unwrap_or(0)
        };
        // Draws of some hundred thousand vertices are never too large.
        if numbers.len() > MOST_WORDS / MOST_RECORD && !affordable(core, numbers.len(), widest()) {
            return None;
        }
        statistics::count(registers, counters, ReportKind::VsInvocations, 0, numbers.len() as u64);
        let mut elements = numbers;
        elements.iter_mut().for_each(|number| *number = number.wrapping_add(base));
        let ends = elements.iter().fold((u32::MAX, 0), |(low, high), &at| (low.min(at), high.max(at)));
        let id_offset = id_offset.wrapping_sub(base);
        let numbers = fetch::Numbers { elements: &elements, ends, id_offset, instance: self.instance };
        // A set without words could not say how many vertices there are; the number of the vertex is always there.
        let identity = [0xBE, 0xBF].into_iter().collect();
        let inputs = b.loaded.inputs.union(&identity);
        let timer = core.renderer.start_vertices(elements.len());
        let records = self.shade(core, registers, (a, b), inputs, &numbers);
        core.renderer.end_vertices(timer, elements.len());
        self.rooms.keep_numbers(elements);
        Some((records, places))
    }

    /// Fetches records of the words `inputs` and runs one or two programs for them.
    fn shade(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        (a, b): (Option<Arc<Program>>, Arc<Program>),
        inputs: WordSet,
        numbers: &fetch::Numbers<'_>,
    ) -> Records {
        let Some(a) = a else {
            let inputs = self.fetch(core, registers, inputs, numbers);
            let outputs = self.run_vertices(core, &b, &inputs);
            self.rooms.keep_inputs(inputs.words);
            return outputs;
        };
        let all = self.fetch(core, registers, inputs.union(&a.loaded.inputs), numbers);
        let first = self.run_vertices(core, &a, &all);
        // What the first program wrote is what the second one reads, the rest comes from the streams (Ryujinx).
        let written = a.loaded.outputs;
        let count = numbers.elements.len();
        let mut joined = Records { words: Vec::with_capacity(inputs.len() * count), set: inputs };
        for vertex in 0..count as u32 {
            joined.words.extend(inputs.iter().map(|word| {
                let from = if written.contains(word) { &first } else { &all };
                from.set.index(word).map_or(0, |at| from.get(vertex)[at])
            }));
        }
        self.run_vertices(core, &b, &joined)
    }

    /// Records of the words `set`.
    fn fetch(&mut self, core: &mut Core, registers: &Registers, set: WordSet, numbers: &fetch::Numbers<'_>) -> Records {
        let usable = |_: &mut Core, layout: &mut Arc<Layout>| layout.inputs == set;
        let derive = |core: &mut Core| self.layouts.share(Layout::new(core, registers, set));
        let layout = self.layout.get_or_derive(core, registers.file(), usable, derive).clone();
        if core.renderer.wants_inputs() {
            fetch::note(core, &layout, numbers);
        }
        let mut words = self.rooms.take_inputs(set.len() * numbers.elements.len());
        fetch::fetch(core, &layout, numbers, &mut words, &mut self.stream_room);
        Records { words, set }
    }

    /// Takes note of what has changed in registers.
    pub(super) fn take_dirty(&mut self, registers: &Registers) {
        let groups = registers.take_dirty();
        if groups != 0 {
            self.layout.note(groups);
            self.targets.note(groups);
            self.pixels.note(groups);
            self.unchanged.note(groups);
        }
    }

    /// The targets that registers describe.
    pub(super) fn targets(&mut self, core: &mut Core, registers: &Registers) -> Arc<Targets> {
        let derive = |core: &mut Core| self.recycled_targets.share(Targets::new(core, registers));
        self.targets.get_or_derive(core, registers.file(), |_, _| true, derive).clone()
    }
}
