//! Inputs of draws, for observers that ask for them.

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::kernel::program::vertex::{self as program, Step};
use triglyph_guest::kernel::vertex::{self as fixed, SCREEN};

use super::pipeline::Pipeline;
use super::program::{Primitives, ProgramCall};
use super::{DrawCall, Renderer};
use crate::draw::program::{ProgramBatch, Provoking, Records, Shape, primitives};
use crate::draw::{Assembler, Batch, Shaded};
use crate::mem::{GuestAddr, Memory};
use crate::probe::{
    Array, Attribute, BoundTexture, Constants, Fetch, Input, MAX_VERTICES, Mesh, TextureForm, Vertices,
};
use crate::scene::Fixed;
use crate::scene::program::{Programs, TextureBinding};

impl<P: Pipeline> Renderer<P> {
    /// Whether the observer asks for inputs of draws.
    #[inline(always)]
    pub fn wants_inputs(&self) -> bool {
        self.probe.as_ref().is_some_and(|probe| probe.wants_inputs())
    }

    /// Reports the textures of a stage to the observer. Handles are those of the first ones, if there are any.
    #[cold]
    pub fn note_textures<'t>(
        &mut self,
        memory: &Memory,
        stage: &str,
        textures: impl IntoIterator<Item = (Option<&'t TextureKey>, Option<&'t TextureBinding>)>,
        handles: &[u32],
    ) {
        for (unit, found) in textures.into_iter().enumerate() {
            if let (Some(key), Some(binding)) = found {
                let form = TextureForm::Image(key, binding);
                self.note_texture(memory, stage, unit as u32, handles.get(unit).copied(), form);
            }
        }
    }

    fn note_texture(&mut self, memory: &Memory, stage: &str, unit: u32, handle: Option<u32>, form: TextureForm<'_>) {
        // The observer borrows a part of the renderer.
        let Some(mut probe) = self.probe.take() else { return };
        let scheduler = &self.scheduler;
        probe.input(&Input::Texture(&BoundTexture { stage, unit, handle, form, memory, scheduler }));
        self.probe = Some(probe);
    }

    /// Reports an input of a draw to the observer.
    #[cold]
    pub fn note_input(&mut self, input: &Input<'_>) {
        if let Some(probe) = &mut self.probe {
            probe.input(input);
        }
    }
}

impl Renderer<Fixed> {
    /// Reports vertices for a kernel of the PICA pipeline to the observer. `starts`: addresses of arrays.
    #[cold]
    pub fn note_vertices(&mut self, batch: &Batch<'_>, starts: &[Option<GuestAddr>; 16]) {
        let elements = first_ones(batch.vertices);
        let attribute = |(register, input): (usize, &fixed::Input)| {
            let name = match input {
                fixed::Input::Zero => return None,
                fixed::Input::Fixed(number) | fixed::Input::Array { stream: number, .. } => {
                    format!("v{register} (attribute {number})")
                }
            };
            let &fixed::Input::Array { stream, component, count } = input else {
                let fixed::Input::Fixed(number) = input else { return None };
                let value = batch.fixed[usize::from(number & 15)];
                return Some(Attribute { name, fetch: Fetch::Constant(value), array: None, raw: Vec::new() });
            };
            let (window, stride) = {
                let stream = &batch.streams[usize::from(stream & 15)];
                (stream.window, stream.stride)
            };
            let bytes = component.bytes() * u32::from(count);
            let raw = elements_of(window, stride, bytes, elements.iter().copied());
            let array = Array { start: starts[usize::from(stream & 15)], stride, bytes, divisor: None };
            Some(Attribute { name, fetch: Fetch::Fixed(component, count), array: Some(array), raw })
        };
        let attributes = batch.kernel.key().inputs.iter().enumerate().filter_map(attribute).collect();
        let vertices = Vertices { count: batch.vertices.len(), elements, attributes };
        self.note_input(&Input::Vertices(&vertices));
    }

    /// Reports the inputs of a draw of fixed-function fragments. The assembler is a copy of the one that forms its
    /// triangles.
    #[cold]
    pub(super) fn note_fixed_inputs(
        &mut self,
        memory: &Memory,
        call: &DrawCall<'_>,
        shaded: &Shaded,
        mut assembler: Assembler,
    ) {
        for (unit, source) in call.state.textures.iter().enumerate() {
            if let Some(source) = source {
                self.note_texture(memory, "fragment", unit as u32, None, TextureForm::Tiled(source));
            }
        }
        let position = |record: &[f32]| record.get(SCREEN..).and_then(|rest| rest.first_chunk().copied());
        let records = shaded.records.chunks_exact(shaded.stride.max(1));
        let mut mesh = Mesh {
            positions: records.take(MAX_VERTICES).filter_map(position).collect(),
            count: shaded.clip.len(),
            edges: Vec::new(),
        };
        call.assemble(0..call.order.len(), &mut assembler, |triangle| mesh.triangle(triangle));
        self.note_input(&Input::Mesh(&mesh));
    }
}

impl Renderer<Programs> {
    /// Reports vertices for a kernel of vertex programs to the observer.
    #[cold]
    pub fn note_program_vertices(&mut self, batch: &ProgramBatch<'_>, starts: &[Option<GuestAddr>; 16]) {
        let elements = first_ones(batch.vertices);
        let key = batch.kernel.key();
        let attribute = |(register, input): (usize, &program::Input)| {
            let name = format!("{register}");
            let &program::Input::Array { component, count, step } = input else {
                let fetch = Fetch::Constant(batch.fixed[register]);
                return Attribute { name, fetch, array: None, raw: Vec::new() };
            };
            let stream = &batch.streams[register];
            let divisor = stream.divisor.max(1);
            let numbers = elements.iter().map(|&vertex| match step {
                Step::Vertex => vertex,
                Step::Divide => vertex / divisor,
                Step::Modulo => vertex % divisor,
            });
            let bytes = component.element_bytes(count);
            let raw = elements_of(stream.window, stream.stride, bytes, numbers);
            let divisor = (step != Step::Vertex).then_some(divisor);
            let array = Array { start: starts[register], stride: stream.stride, bytes, divisor };
            Attribute { name, fetch: Fetch::Program(component, count, key.big_endian), array: Some(array), raw }
        };
        let attributes = key.inputs.iter().enumerate().map(attribute).collect();
        let vertices = Vertices { count: batch.vertices.len(), elements, attributes };
        self.note_input(&Input::Vertices(&vertices));
    }

    /// Reports the inputs of a draw of fragment programs. The machine reports the textures of programs with declared
    /// resources, since it knows their stage.
    #[cold]
    pub(super) fn note_program_inputs(&mut self, memory: &Memory, call: &ProgramCall<'_>, records: &Records) {
        let state = call.state;
        if state.reach.is_none() {
            let keys = state.kernel.key().textures;
            let textures = keys.iter().map(Option::as_ref).zip(state.textures.iter().map(Option::as_ref));
            self.note_textures(memory, "fragment", textures, &[]);
            if !state.program_constants.is_empty() {
                let constants = Constants::floats("fragment program", &state.program_constants);
                self.note_input(&Input::Constants(&constants));
            }
        }
        let at = call.setup.projection.position;
        let position = |record: &[f32]| record.get(at..).and_then(|rest| rest.first_chunk().copied());
        let all = records.floats.chunks_exact(records.stride.max(1));
        let (count, positions) = (all.len(), all.take(MAX_VERTICES).filter_map(position).collect());
        let mut mesh = Mesh { positions, count, edges: Vec::new() };
        let mut add = |shape: Shape| match shape {
            Shape::Point(vertex) => mesh.edge(vertex, vertex),
            Shape::Line { ends: [a, b], .. } => mesh.edge(a, b),
            Shape::Triangle { corners, .. } => mesh.triangle(corners),
        };
        match call.primitives {
            Primitives::Order(topology, order) => primitives(topology, Provoking::Last, order, add),
            Primitives::Shapes(shapes) => shapes.iter().for_each(|&(shape, _)| add(shape)),
        }
        self.note_input(&Input::Mesh(&mesh));
    }
}

fn first_ones(vertices: &[u32]) -> Vec<u32> {
    vertices.iter().copied().take(MAX_VERTICES).collect()
}

/// The bytes of some elements of an array.
fn elements_of(window: Window<'_>, stride: u32, bytes: u32, numbers: impl Iterator<Item = u32>) -> Vec<u8> {
    let mut raw = Vec::new();
    for number in numbers {
        let element = window.from(number as usize * stride as usize);
        raw.extend((0..bytes as usize).map(|at| element.read::<1>(at)[0]));
    }
    raw
}
