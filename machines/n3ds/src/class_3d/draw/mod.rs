//! Draws: state is derived from dirty groups, indices are fetched, and the renderer is called.

pub(crate) mod geometry;
pub(crate) mod geometry_unit;
pub(crate) mod immediate;

use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::vertex::Stream;
use triglyph_guest::pica::regs::{self, dirty};

use super::state::pixel::{PixelState, Tables};
use super::state::vertex;
use super::state::vertex::VertexState;
use super::state::{lighting, output_map, procedural};
use super::{Host, Pica};
use geometry::Feeding;
use geometry_unit::GeometryUnit;
use triglyph_engine::device::FaultKind;
use triglyph_engine::draw::{Batch, Shaded, VertexReuse};
use triglyph_engine::frontend::NonAliasingRange;
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::mem::GuestAddr;
use triglyph_engine::render::DrawCall;
use triglyph_engine::scene::{Allowance, DrawState};

/// Groups that a pixel state is derived from.
pub(super) const PIXEL_GROUPS: u32 = dirty::RASTER
    | dirty::TEXTURE
    | dirty::COMBINER
    | dirty::FRAGMENT
    | dirty::TARGET
    | dirty::LIGHTING
    | dirty::PROCTEX;
/// Invocations without end after which a list draws nothing more: it is noise, not a picture.
const RUNAWAY: u64 = 64;

/// Lists of a draw, kept for their allocations.
#[derive(Debug, Default)]
pub(super) struct Lists {
    indices: Vec<u32>,
    reuse: VertexReuse,
}

impl Pica {
    /// DRAW_ARRAYS: NUM_VERTICES vertices from VERTEX_OFFSET on.
    pub(crate) fn draw_arrays(&mut self, host: &mut Host<'_>) {
        let Some(count) = self.vertex_count(host) else { return };
        let first = self.registers.get(regs::vertex_offset::ID);
        let mut lists = std::mem::take(&mut self.lists);
        lists.indices.clear();
        lists.indices.extend((0..count).map(|i| first.wrapping_add(i)));
        lists.reuse.each_once(&mut lists.indices);
        self.draw_from_arrays(host, &lists.reuse, None);
        self.lists = lists;
    }

    /// DRAW_ELEMENTS: NUM_VERTICES indices; VERTEX_OFFSET plays no part.
    pub(crate) fn draw_elements(&mut self, host: &mut Host<'_>) {
        let Some(count) = self.vertex_count(host) else { return };
        let word = self.registers.get(regs::index_buffer::ID);
        let wide = regs::index_buffer::kind(word) == Some(regs::IndexType::U16);
        let address = vertex::base(&self.registers).wrapping_add(regs::index_buffer::offset(word));
        let bytes = u64::from(count) << u32::from(wide);
        let start = GuestAddr::new(0, address.into());
        host.renderer.flush_overlapping(host.memory, start.range(bytes));
        let window = host.memory.readable(start);
        if window.is_empty() {
            // Such draws have no effect on the console, a title issues them (found by an emulator's users).
            self.fault(host, FaultKind::UnmappedRead, address.into(), "the index buffer is not in mapped memory");
            return;
        }
        let index = |i: u32| match wide {
            true => u32::from(u16::from_le_bytes(window.read(2 * i as usize))),
            false => u32::from(window.read::<1>(i as usize)[0]),
        };
        let mut lists = std::mem::take(&mut self.lists);
        lists.indices.clear();
        lists.indices.extend((0..count).map(index));
        if output_map::geometry_enabled(&self.registers) && geometry::counted(&self.registers) {
            let split = geometry::split_counts(&lists.indices);
            lists.reuse.find(&split.vertices);
            self.draw_from_arrays(host, &lists.reuse, Some(&split.counts));
        } else {
            lists.reuse.find(&lists.indices);
            self.draw_from_arrays(host, &lists.reuse, None);
        }
        self.lists = lists;
    }

    /// Draws the immediate vertices that wait.
    pub(crate) fn draw_immediate(&mut self, host: &mut Host<'_>) {
        match self.immediate.is_empty() {
            true => {}
            false if host.renderer.is_in_command() => self.draw_waiting(host),
            false => {
                let id = regs::fixed_attr_index::ID;
                self.observed(host, id, self.registers.get(id), Self::draw_waiting);
            }
        }
    }

    fn draw_waiting(&mut self, host: &mut Host<'_>) {
        let (bytes, count, inputs) = self.immediate.take();
        if count == 0 || !self.charge_vertices(host, count) || !self.refresh(host) {
            return;
        }
        let Some(left) = self.vertices_left.checked_sub(count.into()) else {
            self.fault(
                host,
                FaultKind::OutOfFuel,
                count.into(),
                format_args!("{count} immediate vertices exceed the budget of the command list"),
            );
            return;
        };
        self.vertices_left = left;
        let arrays = vertex::immediate_inputs(&self.registers, inputs);
        let handle = vertex::kernel(self, &host.renderer.kernels, arrays);
        let stride = 16 * inputs as u32;
        let mut streams = [Stream::default(); 16];
        for (i, stream) in streams.iter_mut().enumerate().take(inputs) {
            *stream = Stream { window: host_window(&bytes, 16 * i), stride };
        }
        let order: Vec<u32> = (0..count).collect();
        let constants = vertex::constants(&self.registers);
        let batch = Batch {
            kernel: &handle,
            outputs: &handle.key().outputs,
            streams: &streams,
            fixed: &self.fixed_attributes,
            uniforms: &self.vertex_unit.uniforms,
            constants,
            vertices: &order,
        };
        if host.renderer.wants_inputs() {
            self.note_inputs(host, &batch, &[None; 12]);
        }
        let shaded = host.renderer.shade(&batch);
        self.submit(host, shaded, Feeding { order: &order, counts: None, goes_on: true });
    }

    /// NUM_VERTICES, if that many may be drawn.
    fn vertex_count(&mut self, host: &mut Host<'_>) -> Option<u32> {
        let count = self.registers.get(regs::num_vertices::ID);
        if count > self.limits.draw_vertices || u64::from(count) > self.vertices_left {
            self.exceeds_budget(host, count);
            return None;
        }
        self.vertices_left -= u64::from(count);
        (count > 0).then_some(count)
    }

    fn draw_from_arrays(&mut self, host: &mut Host<'_>, vertices: &VertexReuse, counts: Option<&[usize]>) {
        if !self.charge_vertices(host, vertices.order.len() as u32) || !self.refresh(host) {
            return;
        }
        if !self.vertex.is_valid(host, &self.registers) {
            let state = VertexState::new(self, &host.renderer.kernels);
            self.vertex.set(state);
        }
        let Some(mut state) = self.vertex.take() else { return };
        if let Some(streams) = self.streams(host, &mut state, &vertices.vertices) {
            self.stage = GeometryUnit::default();
            let batch = Batch {
                kernel: &state.handle,
                outputs: &state.handle.key().outputs,
                streams: &streams,
                fixed: &self.fixed_attributes,
                uniforms: &self.vertex_unit.uniforms,
                constants: state.constants,
                vertices: &vertices.vertices,
            };
            if host.renderer.wants_inputs() {
                self.note_inputs(host, &batch, &state.arrays);
            }
            let shaded = host.renderer.shade(&batch);
            self.submit(host, shaded, Feeding { order: &vertices.order, counts, goes_on: false });
        }
        self.vertex.set(state);
    }

    /// Windows on the arrays; `None` when the draw is dropped because one starts outside of memory.
    fn streams<'m>(&self, host: &mut Host<'m>, state: &mut VertexState, vertices: &[u32]) -> Option<[Stream<'m>; 16]> {
        let last = vertices.iter().copied().max().unwrap_or(0);
        let clear = state.non_aliasing.covers(host.renderer, host.memory, last);
        let mut streams = [Stream::default(); 16];
        for (stream, array) in streams.iter_mut().zip(&state.arrays) {
            let Some(array) = array else { continue };
            let stretch = array.stretch(last);
            if !clear {
                host.renderer.flush_overlapping(host.memory, stretch);
            }
            let window = host.memory.readable(stretch.start);
            if window.is_empty() {
                self.fault(
                    host,
                    FaultKind::UnmappedRead,
                    array.address.into(),
                    "the vertex array is not in mapped memory",
                );
                return None;
            }
            if (window.len() as u64) < stretch.size {
                self.fault(
                    host,
                    FaultKind::UnmappedRead,
                    array.address.into(),
                    "the vertex array ends outside mapped memory",
                );
            }
            *stream = Stream { window, stride: array.stride };
        }
        if !clear {
            let stretches = |last| state.arrays.iter().flatten().map(move |array| Some(array.stretch(last)));
            state.non_aliasing = NonAliasingRange::find(host.renderer, host.memory, last, stretches);
        }
        Some(streams)
    }

    /// Derives the pixel state again if its groups are dirty. False when the draw has no visible effect.
    fn refresh(&mut self, host: &mut Host<'_>) -> bool {
        let dirty = self.registers.take_dirty();
        self.pixel.note(dirty);
        self.vertex.note(dirty);
        // What is mapped otherwise may be a surface.
        if host.memory.mapped_since(self.mapped) || host.renderer.state_cache_disabled() {
            self.mapped = host.memory.epoch();
            self.pixel.invalidate();
            self.known_states.clear();
            self.vertex.invalidate();
            self.vertex_unit.forget();
            self.geometry_unit.forget();
        }
        if !self.pixel.is_valid(host, &self.registers) {
            let tables = self.share_tables();
            let mut pools = std::mem::take(&mut self.pixel_pools);
            let mut known = std::mem::take(&mut self.known_states);
            let usable = |state: &PixelState| self.is_lasting(&state.draw);
            let derive = || PixelState::new(self, host.memory, &host.renderer.kernels, &mut pools, tables);
            let derive = || self.registers.deriving(PIXEL_GROUPS, derive);
            let state = known.get(&self.registers, usable, derive);
            (self.pixel_pools, self.known_states) = (pools, known);
            self.pixel.set(state);
        }
        let is_visible = self.pixel.value().is_some_and(|pixel| !pixel.nothing);
        if !is_visible {
            host.renderer.note_draw_without_target();
        }
        is_visible
    }

    /// The tables of the units that are on.
    fn share_tables(&mut self) -> Tables {
        let registers = &self.registers;
        Tables {
            light_tables: lighting::enabled(registers).then(|| self.light_tables.share(())),
            procedural: procedural::enabled(registers)
                .then(|| self.procedural_tables.share(procedural::Values::of(registers))),
        }
    }

    /// Whether a state with these registers would be the same now. Those with large tables are not: where draws have
    /// such, most upload others, and keeping them would take the caches of those in use.
    fn is_lasting(&self, draw: &DrawState) -> bool {
        fn same<T>(had: &Option<Arc<T>>, now: &Arc<T>) -> bool {
            had.as_ref().is_none_or(|had| Arc::ptr_eq(had, now))
        }
        let has_tables = draw.light_tables.is_some() || draw.procedural.is_some();
        !has_tables && same(&draw.fog, &self.fog) && same(&draw.densest, &self.densest)
    }

    /// Draws what shaded vertices become.
    fn submit(&mut self, host: &mut Host<'_>, shaded: Shaded, feeding: Feeding<'_>) {
        self.charge_endless(host, "vertex", shaded.exhausted);
        if !output_map::geometry_enabled(&self.registers) {
            self.draw_shaded(host, shaded, feeding.order, &[]);
        } else if let Some((vertices, out)) = self.run_geometry(host, &shaded, feeding) {
            self.draw_shaded(host, vertices, out.triangles.as_flattened(), &out.turned);
        }
    }

    /// Reports programs that did not end. Each of them costs as much as a share of all the vertices that a list may
    /// draw.
    pub(super) fn charge_endless(&mut self, host: &mut Host<'_>, kind: &str, exhausted: u32) {
        if exhausted > 0 {
            let what = format!("a {kind} program that does not end, {exhausted} times");
            self.fault(host, FaultKind::OutOfFuel, 0, what);
        }
        let cost = u64::from(exhausted) * self.limits.list_vertices.div_ceil(RUNAWAY);
        self.vertices_left = self.vertices_left.saturating_sub(cost);
    }

    fn draw_shaded(&mut self, host: &mut Host<'_>, vertices: Shaded, order: &[u32], turned: &[u32]) {
        let Some(pixel) = self.pixel.value() else { return };
        let (state, setup) = (pixel.draw.clone(), &pixel.setup);
        let allowance = Allowance::new(host.budget.fuel(), pixel.fuel);
        let call = DrawCall { target: pixel.target, state, setup, order, turned, allowance };
        host.budget.charge(cost::PRIMITIVE * order.len() as u64 / 3);
        host.renderer.draw(host.memory, &call, vertices, &mut self.assembler);
    }

    /// Takes fuel for the primitives of draws. Those that are set up after their command come with a later one.
    pub(crate) fn charge_primitives(host: &mut Host<'_>) {
        let fuel = host.renderer.take_primitive_fuel();
        host.budget.charge(fuel);
    }

    /// Takes fuel for a draw of so many vertices. False, with a fault, if there is not enough.
    fn charge_vertices(&mut self, host: &mut Host<'_>, count: u32) -> bool {
        let entry = regs::vsh_entry::offset(self.registers.get(regs::vsh_entry::ID)) as u16;
        let vertex = cost::VERTEX + cost::INSTRUCTION * u64::from(self.vertex_unit.worst_case_steps(entry));
        let enough = host.budget.charge(cost::DRAW + vertex * u64::from(count));
        if !enough {
            self.exceeds_budget(host, count);
        }
        enough
    }

    /// A draw is not done, as there is not enough left for its vertices.
    fn exceeds_budget(&self, host: &mut Host<'_>, count: u32) {
        let what = format_args!("a draw of {count} vertices exceeds the budget of the command list");
        self.fault(host, FaultKind::OutOfFuel, count.into(), what);
    }
}

fn host_window(bytes: &[AtomicU8], offset: usize) -> Window<'_> {
    Window::new(bytes).from(offset)
}
