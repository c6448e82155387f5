//! Draws: state is brought up to date, vertices are shaded, primitives go into the scene.

pub(crate) mod clear;
pub(crate) mod gather;

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::program::sampler::Texture;
use triglyph_guest::kernel::program::vertex::{Stream, VertexCode};
use triglyph_guest::kernel::window::buffer;
use triglyph_guest::rsx::methods::curie;

use super::Curie;
use super::state::texture::VertexTextures;
use super::state::vertex::{Places, VertexState};
use crate::core::Core;
use crate::validate::note_program;
use gather::Gather;
use triglyph_engine::cache::image::DecodedImage;
use triglyph_engine::cache::{Handle, kinds};
use triglyph_engine::device::FaultKind;
use triglyph_engine::draw::VertexReuse;
use triglyph_engine::draw::program::{
    Drawn, ProgramBatch, Records, Segment, Segments, Sharing, Split, Topology, segment_primitives,
};
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::mem::Memory;
use triglyph_engine::probe::{Constants, Input};
use triglyph_engine::render::program::{Primitives, ProgramCall};
use triglyph_engine::render::{DeferredDrawCost, Renderer};
use triglyph_engine::scene::Allowance;
use triglyph_engine::scene::program::Programs;

/// What an instruction of a vertex costs, in 1/16 nanosecond of the clock.
const VERTEX_INSTRUCTION: u64 = 4;
/// What an instruction costs for 64 pixels, in nanoseconds.
const BLOCK_INSTRUCTION: u64 = 4;
/// What 64 pixels of a bounding box cost besides.
const BLOCK: u64 = 8;

impl Curie {
    /// Draws what came since BEGIN. The draw stays open.
    pub(super) fn draw_gathered(&mut self, core: &mut Core) {
        if !core.renderer.is_observed() || core.renderer.is_in_command() {
            return self.draw_so_far(core);
        }
        let id = curie::set_begin_end::ID;
        let command = super::command(core, id as u32, self.get(id));
        self.begin_observed(core, &command);
        self.draw_so_far(core);
        core.end_command(&command, self.registers.file().live());
    }

    fn draw_so_far(&mut self, core: &mut Core) {
        let Some(gather) = &mut self.gather else { return };
        let empty = Gather { order: Vec::new(), inline: Vec::new(), immediate: Vec::new(), ..*gather };
        let mut gather = std::mem::replace(gather, empty);
        if gather.is_empty() || !self.renders {
            return;
        }
        self.state.take_dirty(core, &self.registers);
        self.state.refresh_vertex(core, &self.registers, &self.uploads.store);
        let count = (gather.order.len() + gather.inline.len() + gather.immediate.len()) as u64;
        let instructions = self.state.vertex.value().map_or(0, |vertex| vertex.instructions);
        let fuel = cost::DRAW + count * (cost::VERTEX + cost::INSTRUCTION * instructions);
        if !core.budget.spend(count * (16 + VERTEX_INSTRUCTION * instructions) / 16) || !core.budget.charge(fuel) {
            return;
        }
        let topology = gather.topology;
        if self.state.refresh_pixels(core, &self.registers, topology).is_none() {
            core.renderer.note_draw_without_target();
            return;
        }
        if !gather.order.is_empty() {
            let mut vertices = std::mem::take(&mut self.vertices);
            self.draw_from_arrays(core, topology, (&gather.order, gather.indexed), &mut vertices);
            self.vertices = vertices;
            gather.order.clear();
            self.spare = gather.order;
        }
        if !gather.inline.is_empty() {
            self.draw_inline(core, topology, &gather.inline);
        }
        if !gather.immediate.is_empty() {
            self.draw_immediate(core, topology, &gather.immediate);
        }
    }

    /// Vertices of arrays. Those that are the same are shaded once in each segment if the order is one of indices.
    fn draw_from_arrays(
        &mut self,
        core: &mut Core,
        topology: Topology,
        (order, indexed): (&[u32], bool),
        vertices: &mut VertexReuse,
    ) {
        let images = self.vertex_images(core);
        let Some(stride) = self.state.vertex.value().map(|state| state.key.stride()) else { return };
        let mut segments = Segments::new(order, Sharing::of(topology), core.renderer.segment_len(stride));
        let mut part = Part::new(core, topology);
        while let Some(segment) = segments.next().filter(|_| part.goes_on(core)) {
            self.find_vertices(&segment, order, indexed, vertices);
            let Some(records) = self.shade_arrays(core, &images, &vertices.vertices) else { break };
            (part.split, part.is_last) = (segment.split, segments.is_over());
            self.draw_records(core, &mut part, &vertices.order, records);
        }
        part.end(core);
    }

    /// The vertices to shade of a segment.
    fn find_vertices(&mut self, segment: &Segment, order: &[u32], indexed: bool, vertices: &mut VertexReuse) {
        if indexed && segment.is_all_of(order.len()) {
            return vertices.find(order);
        }
        self.segment.clear();
        segment.copy(order, &mut self.segment);
        match indexed {
            true => vertices.find(&self.segment),
            false => vertices.each_once(&mut self.segment),
        }
    }

    /// Shades vertices of arrays.
    fn shade_arrays(
        &mut self,
        core: &mut Core,
        images: &[Option<Arc<DecodedImage>>; 4],
        vertices: &[u32],
    ) -> Option<Records> {
        let last = vertices.iter().copied().max().unwrap_or(0);
        self.state.vertex.value_mut()?.place(core, &self.registers, last);
        let state = self.state.vertex.value()?;
        let mut streams = [Stream::default(); 16];
        state.bind(&core.memory, &mut streams);
        Some(self.shade(
            (&mut core.renderer, &core.memory, core.budget.fuel()),
            state,
            (&state.handle, state.key.stride()),
            (&streams, state.places()),
            images,
            (vertices, last),
        ))
    }

    /// Packed vertices, as they would be in memory of the channel's byte order.
    fn draw_inline(&mut self, core: &mut Core, topology: Topology, words: &[u32]) {
        let Some(state) = self.state.vertex.value() else { return };
        let (key, offsets, stride) = state.inline_key();
        if stride == 0 {
            core.fault(FaultKind::BadCommand, 0, format_args!("INLINE_ARRAY while no vertex array has a size"));
            return;
        }
        let bytes: Vec<u8> = words
            .iter()
            .flat_map(|word| if core.big_endian { word.to_be_bytes() } else { word.to_le_bytes() })
            .collect();
        let count = bytes.len() / stride as usize;
        let bytes = buffer(&bytes);
        let streams = std::array::from_fn(|i| match offsets[i] {
            Some(offset) => Stream { window: Window::new(&bytes).from(offset as usize), stride, divisor: 1 },
            None => Stream::default(),
        });
        let kernel = core.renderer.kernels.program_vertex(&key);
        self.draw_one_by_one(core, topology, (&kernel, key.stride()), &streams, count);
    }

    /// Immediate vertices: all attributes of each, on the host.
    fn draw_immediate(&mut self, core: &mut Core, topology: Topology, values: &[[[f32; 4]; 16]]) {
        let Some(state) = self.state.vertex.value() else { return };
        let key = state.immediate_key(&self.registers);
        let bytes: Vec<u8> = values.iter().flatten().flatten().flat_map(|value| value.to_le_bytes()).collect();
        let bytes = buffer(&bytes);
        let streams =
            std::array::from_fn(|i| Stream { window: Window::new(&bytes).from(16 * i), stride: 16 * 16, divisor: 1 });
        let kernel = core.renderer.kernels.program_vertex(&key);
        self.draw_one_by_one(core, topology, (&kernel, key.stride()), &streams, values.len());
    }

    /// So many vertices from the beginning of streams on the host.
    fn draw_one_by_one(
        &mut self,
        core: &mut Core,
        topology: Topology,
        kernel: (&Handle<kinds::ProgramVertex>, usize),
        streams: &[Stream<'_>; 16],
        count: usize,
    ) {
        let images = self.vertex_images(core);
        let mut segments =
            Segments::without_restarts(count, Sharing::of(topology), core.renderer.segment_len(kernel.1));
        let mut part = Part::new(core, topology);
        while let Some(segment) = segments.next().filter(|_| part.goes_on(core)) {
            let Some(state) = self.state.vertex.value() else { break };
            let vertices = VertexReuse::none(segment.places().map(|place| place as u32).collect());
            let last = vertices.vertices.iter().copied().max().unwrap_or(0);
            let records = self.shade(
                (&mut core.renderer, &core.memory, core.budget.fuel()),
                state,
                kernel,
                (streams, &[None; 16]),
                &images,
                (&vertices.vertices, last),
            );
            (part.split, part.is_last) = (segment.split, segments.is_over());
            self.draw_records(core, &mut part, &vertices.order, records);
        }
        part.end(core);
    }

    /// Runs the vertex program, by a kernel whose records have `stride` floats, with `allowance` fuel.
    /// `places`: where arrays are in memory.
    fn shade(
        &self,
        (renderer, memory, allowance): (&mut Renderer<Programs>, &Memory, u64),
        state: &VertexState,
        (kernel, stride): (&Handle<kinds::ProgramVertex>, usize),
        (streams, places): (&[Stream<'_>; 16], &Places),
        images: &[Option<Arc<DecodedImage>>; 4],
        (vertices, last_vertex): (&[u32], u32),
    ) -> Records {
        let batch = ProgramBatch {
            kernel,
            stride,
            streams,
            fixed: &self.fixed(),
            constants: &*self.uploads.constants,
            textures: &textures(state, images),
            fuel: state.fuel,
            paid: u32::try_from(state.instructions).unwrap_or(u32::MAX),
            exceeds: state.exceeds,
            allowance,
            vertices,
            last_vertex,
        };
        if renderer.wants_inputs() {
            note_inputs(renderer, memory, state, &batch, places);
        }
        renderer.shade_programs(&batch)
    }

    /// Values of attributes without array; those that the input mask takes away have the initial one.
    fn fixed(&self) -> [[f32; 4]; 16] {
        let mask = self.get(curie::set_vertex_attrib_input_mask::ID);
        std::array::from_fn(|i| match mask >> i & 1 {
            0 => [0.0, 0.0, 0.0, 1.0],
            _ => self.uploads.attributes[i],
        })
    }

    /// Images of vertex textures as they are now.
    fn vertex_images(&self, core: &mut Core) -> [Option<Arc<DecodedImage>>; 4] {
        let Some(state) = self.state.vertex.value() else { return [const { None }; 4] };
        state.textures.bindings.each_ref().map(|binding| {
            let binding = binding.as_ref()?;
            core.renderer.image(&core.memory, &binding.image)
        })
    }

    /// Primitives of the shaded vertices of a segment.
    fn draw_records(&mut self, core: &mut Core, part: &mut Part, order: &[u32], records: Records) {
        part.is_first = false;
        part.exhausted += u64::from(records.exhausted);
        // What programs without end execute takes the console time, too.
        let more = records.excess.saturating_mul(cost::INSTRUCTION);
        if !core.budget.spend_at(u64::from(records.exhausted) << 16, more) {
            return;
        }
        let Some(pixels) = self.state.pixels.value() else { return };
        let target = &self.state.target.surfaces;
        let block_time = BLOCK + BLOCK_INSTRUCTION * pixels.instructions;
        let deferred_cost = DeferredDrawCost { block_time, counts: false, pixels_before: part.drawn.pixels };
        let mut shapes = Vec::new();
        if part.split != Split::NONE {
            let provoking = pixels.setup.provoking;
            segment_primitives(part.topology, provoking, part.split, order, |shape| shapes.push((shape, 0)));
        }
        let call = ProgramCall {
            target,
            state: &pixels.state,
            setup: &pixels.setup,
            primitives: match part.split {
                Split::NONE => Primitives::Order(part.topology, order),
                _ => Primitives::Shapes(&shapes),
            },
            stipple: part.drawn.stipple,
            // The results of a segment count for the next one.
            deferred_cost: part.is_last.then_some(deferred_cost),
            allowance: Allowance::new(core.budget.fuel(), cost::pixel(pixels.instructions)),
        };
        let drawn = core.renderer.draw_programs(&core.memory, &call, records);
        core.spend_drawing_time(drawn, deferred_cost);
        core.spend_texture_time();
        part.drawn.add(drawn);
    }
}

/// A segment of a draw, and the results of those before.
struct Part {
    topology: Topology,
    split: Split,
    /// No other one precedes it.
    is_first: bool,
    /// No other one follows.
    is_last: bool,
    drawn: Drawn,
    /// Runs of the vertex program that did not end.
    exhausted: u64,
}

impl Part {
    /// Of a draw that begins.
    fn new(core: &mut Core, topology: Topology) -> Self {
        core.faults.begin_parts();
        Part { topology, split: Split::NONE, is_first: true, is_last: false, drawn: Drawn::default(), exhausted: 0 }
    }

    /// Whether another segment is to be drawn: not without fuel, after the first one. It begins then.
    fn goes_on(&self, core: &mut Core) -> bool {
        if !self.is_first {
            core.faults.begin_later_part();
        }
        self.is_first || core.budget.fuel() > 0
    }

    /// The draw ends.
    fn end(self, core: &mut Core) {
        core.faults.end_parts();
        if self.exhausted > 0 {
            let what = format_args!("a vertex program that does not end, {} times", self.exhausted);
            core.fault(FaultKind::OutOfFuel, 0, what);
        }
    }
}

/// Tells the observer of vertices, constants and textures of a vertex program.
#[cold]
fn note_inputs(
    renderer: &mut Renderer<Programs>,
    memory: &Memory,
    state: &VertexState,
    batch: &ProgramBatch<'_>,
    places: &Places,
) {
    renderer.note_program_vertices(batch, &places.map(|place| place.map(|range| range.start)));
    renderer.note_input(&Input::Constants(&Constants::floats("vertex c", batch.constants)));
    let VertexCode::Rsx(code) = &state.key.code;
    note_program(renderer, code, state.output_mask);
    let VertexTextures { keys, bindings } = &state.textures;
    let textures = keys.iter().map(Option::as_ref).zip(bindings.iter().map(Option::as_ref));
    renderer.note_textures(memory, "vertex", textures, &[]);
}

/// Draws scenes that are closed. False when a bounded run was interrupted.
pub(crate) fn draw_closed(core: &mut Core) -> bool {
    if !core.renderer.has_closed() {
        return true;
    }
    let is_drawn = core.renderer.draw_closed(&core.memory);
    core.settle_accounts();
    is_drawn
}

/// No textures, as most vertex programs have.
static NONE: LazyLock<[Texture<'static>; 4]> = LazyLock::new(|| std::array::from_fn(|_| Texture::default()));

/// Vertex textures as kernels take them.
fn textures<'a>(state: &VertexState, images: &'a [Option<Arc<DecodedImage>>; 4]) -> Cow<'a, [Texture<'a>; 4]> {
    if images.iter().all(Option::is_none) {
        return Cow::Borrowed(&NONE);
    }
    Cow::Owned(std::array::from_fn(|i| match (&state.textures.bindings[i], &images[i]) {
        (Some(binding), Some(image)) => binding.texture(image),
        _ => Texture::default(),
    }))
}
