//! Vertex arrays, and the keys of vertex programs.

use std::sync::Arc;

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::program::vertex::{Component, Input, RsxVertexCode, Step, Stream, VertexCode, VertexKey};
use triglyph_guest::rsx::chip::Chip;
use triglyph_guest::rsx::enums::VertexLocation;
use triglyph_guest::rsx::methods::curie as m;

use super::texture::VertexTextures;
use crate::class_3d::programs::vertex_code::VertexProgram;
use crate::core::Core;
use crate::front_end::dma::DmaObject;
use crate::front_end::registers::Registers;
use triglyph_engine::cache::{Handle, kinds};
use triglyph_engine::device::FaultKind;
use triglyph_engine::frontend::NonAliasingRange;
use triglyph_engine::mem::{GuestAddr, GuestRange, Memory};

/// The vertex program and the arrays it reads.
#[derive(Debug)]
pub(in crate::class_3d) struct VertexState {
    /// Inputs that the program reads.
    pub inputs: u16,
    /// The output mask.
    pub output_mask: u32,
    /// Arrays that are on, whether or not the program reads them.
    pub arrays: [Option<Array>; 16],
    /// Textures.
    pub textures: VertexTextures,
    /// Instructions that a vertex may execute.
    pub fuel: u32,
    /// Instructions that it probably executes.
    pub instructions: u64,
    /// Whether it may execute more than the program has.
    pub exceeds: bool,
    /// The kernel for arrays in memory.
    pub key: VertexKey,
    /// As above.
    pub handle: Handle<kinds::ProgramVertex>,
    /// The arrays that the program reads, bit by bit.
    read: u16,
    /// Where they stood for the last draw.
    places: Places,
    /// The objects that they are in; `None` when something was wrong with that.
    placed_in: Option<Objects>,
    non_aliasing: NonAliasingRange,
}

/// The objects that arrays are in.
type Objects = [Option<DmaObject>; 2];

/// Where arrays are, and how many bytes there are from there on.
pub(in crate::class_3d) type Places = [Option<GuestRange>; 16];

/// A vertex array.
#[derive(Clone, Copy, Debug)]
pub(in crate::class_3d) struct Array {
    /// The method of its DMA object.
    pub object: usize,
    /// Byte offset of element 0 in it.
    pub offset: u32,
    /// Bytes from element to element.
    pub stride: u32,
    /// Vertices of an element.
    pub divisor: u32,
    /// How it is read.
    pub component: Component,
    /// Components of an element.
    pub count: u8,
    /// Which element a vertex reads.
    pub step: Step,
}

impl Array {
    /// Bytes of an element.
    fn bytes(&self) -> u32 {
        self.component.element_bytes(self.count)
    }

    /// Where it is, and how many bytes its object has from there on. Sees what was drawn before.
    fn place(&self, core: &mut Core, registers: &Registers, last: u32) -> Option<GuestRange> {
        let object = core.dma(registers.get(self.object as u32), "vertex array")?;
        let Some(place) = object.place(self.offset) else {
            let what = format_args!("the vertex array at {:#x} is beyond the end of its DMA object", self.offset);
            core.fault(FaultKind::UnmappedRead, self.offset.into(), what);
            return None;
        };
        let bytes = self.bytes_up_to(last);
        core.renderer.flush_overlapping(&core.memory, place.range(bytes));
        let there = core.memory.readable(place).len() as u64;
        let allowed = (object.limit - u64::from(self.offset)).saturating_add(1);
        if there.min(allowed) < bytes {
            core.fault(
                FaultKind::UnmappedRead,
                place.address,
                format_args!("the vertex array ends outside mapped memory"),
            );
        }
        Some(place.range(allowed))
    }

    /// Bytes that the elements of vertices up to `last` lie in.
    fn bytes_up_to(&self, last: u32) -> u64 {
        u64::from(self.last_element(last)) * u64::from(self.stride) + u64::from(self.bytes())
    }

    /// The last element that vertices up to `last` may read.
    fn last_element(&self, last: u32) -> u32 {
        match self.step {
            Step::Vertex => last,
            Step::Divide => last / self.divisor,
            Step::Modulo => last.min(self.divisor - 1),
        }
    }
}

/// Outputs that are colours, of the front and of the back. They are clamped before anything is interpolated (OpenGL;
/// Mesa leaves it to the hardware).
const COLORS: u32 = 0b1_1110;

impl VertexState {
    /// `before` is the state of the last draw: its kernel is kept if the key is the same.
    pub(super) fn new(core: &mut Core, registers: &Registers, program: &VertexProgram, before: Option<Self>) -> Self {
        let get = |id: usize| registers.get(id as u32);
        let output_mask = get(m::set_vertex_attrib_output_mask::ID);
        let outputs = outputs(output_mask);
        let textures = VertexTextures::new(core, registers, program.textures);
        let arrays = std::array::from_fn(|i| array(core.chip(), registers, i));
        let inputs = program.inputs;
        let key = key(core, registers, &program.code, inputs, outputs, &arrays, &textures);
        let handle = match before {
            Some(before) if before.key == key => before.handle,
            _ => core.renderer.kernels.program_vertex(&key),
        };
        let timeout = m::set_transform_timeout::instructions(get(m::set_transform_timeout::ID));
        // A channel without set-up has 0 here and draws all the same.
        let fuel = if timeout == 0 { 0x1_0000 } else { timeout };
        let VertexProgram { instructions, exceeds, .. } = *program;
        let read = (0..16).fold(0, |set, i| set | u16::from(matches!(key.inputs[i], Input::Array { .. })) << i);
        let (places, placed_in, non_aliasing) = ([None; 16], None, NonAliasingRange::default());
        VertexState {
            inputs,
            output_mask,
            arrays,
            textures,
            fuel,
            instructions,
            exceeds,
            key,
            handle,
            read,
            places,
            placed_in,
            non_aliasing,
        }
    }

    /// Finds [where](Self::places) the arrays that the program reads are, and how many bytes of them may be read, for
    /// vertices up to `last`. Arrays without memory are faults and read zeros.
    pub fn place(&mut self, core: &mut Core, registers: &Registers, last: u32) {
        let objects = [m::set_context_dma_vertex_a::ID, m::set_context_dma_vertex_b::ID]
            .map(|id| core.resolve(registers.get(id as u32)));
        if self.placed_in == Some(objects) && self.non_aliasing.covers(&core.renderer, &core.memory, last) {
            return;
        }
        let faults = core.faults.raised();
        let places: Places = std::array::from_fn(|i| self.array(i)?.place(core, registers, last));
        self.places = places;
        self.placed_in = (core.faults.raised() == faults).then_some(objects);
        let (state, memory) = (&*self, &core.memory);
        let stretches = |last: u32| {
            let of_array = move |i: usize| {
                let (GuestRange { start, size }, bytes) = (places[i]?, state.array(i)?.bytes_up_to(last));
                // What is longer than memory is a fault of each draw.
                let there = memory.readable(start).len() as u64;
                Some((there.min(size) >= bytes).then_some(start.range(bytes)))
            };
            (0..16).filter_map(of_array)
        };
        self.non_aliasing = NonAliasingRange::find(&mut core.renderer, &core.memory, last, stretches);
    }

    /// Where the arrays are since [`Self::place`].
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// An array that the program reads.
    fn array(&self, i: usize) -> Option<&Array> {
        self.arrays[i].as_ref().filter(|_| matches!(self.key.inputs[i], Input::Array { .. }))
    }

    /// The arrays that the program reads, where they [are](Self::places), among streams that are none.
    pub fn bind<'m>(&self, memory: &'m Memory, streams: &mut [Stream<'m>; 16]) {
        // Arrays are mostly in one mapping: its space and first byte.
        let (mut of, mut start, mut mapping) = (u32::MAX, 0, Window::default());
        for i in (0..16).filter(|i| self.read >> i & 1 != 0) {
            let (Some(array), Some(GuestRange { start: at, size })) = (&self.arrays[i], self.places[i]) else {
                continue;
            };
            let stream = &mut streams[i];
            (stream.stride, stream.divisor) = (array.stride, array.divisor);
            let GuestAddr { space, address } = at;
            if space != of || address.wrapping_sub(start) >= mapping.len() as u64 {
                (of, (start, mapping)) = (space, memory.mapping_at(at, false).unwrap_or((address, Window::default())));
            }
            let window = mapping.from(address.wrapping_sub(start) as usize);
            stream.window = window.first(usize::try_from(size).unwrap_or(usize::MAX));
        }
    }

    /// The key for vertices that all come in one array of f32, four components of each attribute.
    pub fn immediate_key(&self, registers: &Registers) -> VertexKey {
        let mask = registers.get(m::set_vertex_attrib_input_mask::ID as u32) as u16;
        let input = |i: usize| match (self.inputs & mask) >> i & 1 {
            0 => Input::Fixed,
            _ => Input::Array { component: Component::F32, count: 4, step: Step::Vertex },
        };
        VertexKey { inputs: std::array::from_fn(input), big_endian: false, ..self.key.clone() }
    }

    /// The key for packed vertices; each array's first byte in a vertex, and the bytes of a vertex. Whatever the input
    /// mask says, arrays that are on take place.
    pub fn inline_key(&self) -> (VertexKey, [Option<u32>; 16], u32) {
        let mut key = self.key.clone();
        let mut at = 0;
        let offsets = std::array::from_fn(|i| {
            let array = self.arrays[i].as_ref()?;
            let offset = at;
            at += array.bytes().next_multiple_of(4);
            if let Input::Array { step, .. } = &mut key.inputs[i] {
                *step = Step::Vertex;
            }
            Some(offset)
        });
        (key, offsets, at)
    }
}

fn key(
    core: &Core,
    registers: &Registers,
    code: &Arc<RsxVertexCode>,
    inputs: u16,
    outputs: u32,
    arrays: &[Option<Array>; 16],
    textures: &VertexTextures,
) -> VertexKey {
    let mask = registers.get(m::set_vertex_attrib_input_mask::ID as u32) as u16;
    let input = |i: usize| match &arrays[i] {
        Some(array) if (inputs & mask) >> i & 1 != 0 => {
            Input::Array { component: array.component, count: array.count, step: array.step }
        }
        _ => Input::Fixed,
    };
    VertexKey {
        code: VertexCode::Rsx(code.clone()),
        inputs: std::array::from_fn(input),
        big_endian: core.big_endian,
        outputs,
        clamped: outputs & COLORS,
        textures: textures.keys,
    }
}

/// What an array's registers say; `None` when it is off.
fn array(chip: Chip, registers: &Registers, i: usize) -> Option<Array> {
    use m::{set_vertex_data_array_format as format, set_vertex_data_array_offset as offset};
    let get = |id: usize| registers.get(id as u32);
    let word = get(format::id(i));
    let count = format::size(word).min(4) as u8;
    if count == 0 {
        return None;
    }
    let component = chip.component(format::kind(word)?, count);
    let address = get(offset::id(i));
    let base = get(m::set_vertex_data_base_offset::ID);
    let divisor = format::frequency(word).max(1);
    let modulo = get(m::set_frequency_divider_operation::ID) >> i & 1 != 0;
    Some(Array {
        object: match offset::location(address) {
            Some(VertexLocation::Local) => m::set_context_dma_vertex_a::ID,
            _ => m::set_context_dma_vertex_b::ID,
        },
        offset: chip.vertex_address(offset::offset(address).wrapping_add(base)),
        stride: format::stride(word),
        divisor,
        component,
        count,
        step: match (divisor, modulo) {
            (1, _) => Step::Vertex,
            (_, true) => Step::Modulo,
            (_, false) => Step::Divide,
        },
    })
}

/// Output registers that OUTPUT_MASK lets through; the position always.
fn outputs(mask: u32) -> u32 {
    use m::set_vertex_attrib_output_mask as bits;
    let clip = bits::clip_distances(mask);
    let fog = bits::fog(mask) || clip & 0b111 != 0;
    let point = bits::point_size(mask) || bits::coordinate9(mask) || clip >> 3 != 0;
    1 | u32::from(bits::color0(mask)) << 1
        | u32::from(bits::color1(mask)) << 2
        | u32::from(bits::back_color0(mask)) << 3
        | u32::from(bits::back_color1(mask)) << 4
        | u32::from(fog) << 5
        | u32::from(point) << 6
        | bits::coordinates(mask) << 7
        | u32::from(bits::coordinate8(mask)) << 15
}
