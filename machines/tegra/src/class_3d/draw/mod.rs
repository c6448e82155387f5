//! Methods that draw.

pub(crate) mod assembly;
pub(crate) mod clear;
pub(crate) mod edge_flags;
pub(crate) mod feedback;
pub(crate) mod fetch;
pub(crate) mod geometry;
pub(crate) mod indices;
pub(crate) mod layer_runs;
pub(crate) mod observed_inputs;
pub(crate) mod open_draw;
pub(crate) mod patch;
pub(crate) mod rectangle;
pub(crate) mod segments;
pub(crate) mod shapes;
pub(crate) mod statistics;
pub(crate) mod vertex_buffers;

use std::sync::Arc;

use triglyph_guest::tegra::methods::threed::{BeginInstanceId, BeginPrimitiveId, IndexSize, Topology, regs as r};

use super::ThreeD;
use super::state::target::Targets;
use crate::core::Core;
use crate::front_end::registers::Registers;
use crate::front_end::report::Counters;
use indices::{Numbers, Order};
use open_draw::Open;
use triglyph_engine::device::FaultKind;

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
            open.add(order, || self.vertex_buffers.acquire_list());
        }
    }

    /// Indices in the datum. The words before the first whole one and after the last may hold less, as ALIGN says.
    pub(super) fn inline(&mut self, core: &mut Core, registers: &Registers, method: u32, datum: u32) {
        let Some(open) = &mut self.open else {
            return core.fault(
                FaultKind::BadMethod,
                method.into(),
                format_args!("DRAW_INLINE_INDEX outside of BEGIN and END"),
            );
        };
        if open.room() == 0 {
            return;
        }
        open.note_flag(edge_flags::flag(registers));
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
                None => indices::array(core, registers, (start, count), || self.vertex_buffers.acquire_list()),
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
        let numbers = self.vertex_buffers.acquire_list();
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
        open.note_flag(edge_flags::flag(registers));
        open.add(order, || self.vertex_buffers.acquire_list());
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
            return core.fault(
                FaultKind::BadMethod,
                r::begin::ID as u64,
                format_args!("BEGIN: the topology does not exist"),
            );
        };
        self.take_dirty(registers);
        self.count_input(registers, counters, topology, &order.numbers);
        core.faults.begin_parts();
        let drawn = self.draw_segments(core, registers, counters, topology, (&order, turns));
        core.faults.end_parts();
        if drawn.is_some() {
            self.report_faults(core);
        }
        if let Numbers::List(list) = order.numbers {
            self.vertex_buffers.release_list(list);
        }
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
