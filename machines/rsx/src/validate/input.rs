//! Vertices: arrays, attributes, programs and what links them.

use triglyph_engine::render::Renderer;
use triglyph_engine::scene::program::Programs;
use triglyph_engine::validate::{Draw, FindingKind, Found};
use triglyph_guest::kernel::program::vertex::RsxVertexCode;
use triglyph_guest::rsx::enums::{Primitive, TextureLocation, VertexLocation, VertexType};
use triglyph_guest::rsx::methods::curie as m;
use triglyph_guest::rsx::vertex;

use super::target::COLORS;

pub(super) fn no_vertices(draw: &Draw<'_>) -> Option<Found> {
    (!draw.has_vertices).then_some(())?;
    let what = "No method between BEGIN and END gave a vertex.";
    Some(Found::at(
        m::draw_arrays::ID,
        what,
        "Write first | (count - 1) << 24 to DRAW_ARRAYS, 0x02000000 for a triangle.",
    ))
}

/// Vertices that a primitive needs.
fn needs(primitive: Primitive) -> u64 {
    match primitive {
        Primitive::End | Primitive::Points => 1,
        Primitive::Lines | Primitive::LineLoop | Primitive::LineStrip => 2,
        Primitive::Quads | Primitive::QuadStrip => 4,
        _ => 3,
    }
}

pub(super) fn incomplete_primitive(draw: &Draw<'_>) -> Option<Found> {
    let facts = draw.facts;
    let is_nothing = facts.primitives == 0 && facts.dropped.total() == 0 && facts.positions.count > 0;
    (is_nothing && facts.vertices < 4).then_some(())?;
    let count = facts.vertices;
    (count < needs(Primitive::Quads)).then_some(())?;
    let what = format!("{count} vertices are no primitive of the kind that BEGIN names.");
    Some(Found::at(m::draw_arrays::ID, what, "Draw 2 vertices for a line, 3 for a triangle, 4 for a quad."))
}

pub(super) fn no_program(draw: &Draw<'_>) -> Option<Found> {
    let word = draw.get(m::set_shader_program::ID);
    let object = match m::set_shader_program::location(word) {
        Some(TextureLocation::Local) => m::set_context_dma_a::ID,
        Some(TextureLocation::Main) => m::set_context_dma_b::ID,
        None => {
            let what = "The fragment program has no location";
            let advice = "Write the offset in memory | 1 for local memory, | 2 for main memory.";
            return Some(draw.found(m::set_shader_program::ID, what, advice));
        }
    };
    (draw.get(object) == 0).then_some(())?;
    let what = "The memory of the fragment program has no object";
    Some(draw.found(object, what, "Write the handle of a DMA object: 0xFEED0000 is local memory with GCM."))
}

/// Whether attribute `i` has an array.
fn has_array(draw: &Draw<'_>, i: usize) -> bool {
    m::set_vertex_data_array_format::size(draw.get(m::set_vertex_data_array_format::id(i))) > 0
}

fn offset(draw: &Draw<'_>, i: usize) -> u32 {
    draw.get(m::set_vertex_data_array_offset::id(i))
}

pub(super) fn unlinked(draw: &Draw<'_>) -> Option<Found> {
    let mask = draw.get(m::set_vertex_attrib_input_mask::ID);
    if let Some(i) = (0..16).find(|&i| has_array(draw, i) && offset(draw, i) != 0 && mask >> i & 1 == 0) {
        let what = format!("Attribute {i} has an array, and the mask keeps it from the vertex program");
        let advice = "Write a bit for each attribute that the program reads.";
        return Some(draw.found(m::set_vertex_attrib_input_mask::ID, what, advice));
    }
    let outputs = draw.get(m::set_vertex_attrib_output_mask::ID);
    (outputs == 0).then_some(())?;
    let what = "The fragment program gets no colour and no coordinate of the vertices";
    let advice = "Write 1 for the colour, bits 14 to 21 for texture coordinates 0 to 7.";
    Some(draw.found(m::set_vertex_attrib_output_mask::ID, what, advice))
}

pub(super) fn attribute_without_array(draw: &Draw<'_>) -> Option<Found> {
    let mask = draw.get(m::set_vertex_attrib_input_mask::ID);
    let i = (0..16).find(|&i| !has_array(draw, i) && offset(draw, i) != 0 && mask >> i & 1 != 0)?;
    let register = m::set_vertex_data_array_format::id(i);
    let what = format!("Attribute {i} has an offset and no format, so it is the same for all vertices");
    Some(draw.found(register, what, "Write type | components << 4 | stride << 8; 2 | 4 << 4 is four floats."))
}

/// An array that begins in a surface, as one does whose offset was never written.
pub(super) fn array_in_target(draw: &Draw<'_>) -> Option<Found> {
    let mask = draw.get(m::set_vertex_attrib_input_mask::ID);
    let targets = draw.get(m::set_surface_color_target::ID);
    let object = |i: usize| match m::set_vertex_data_array_offset::location(offset(draw, i)) {
        Some(VertexLocation::Local) => draw.get(m::set_context_dma_vertex_a::ID),
        _ => draw.get(m::set_context_dma_vertex_b::ID),
    };
    let is_surface = |i: usize| {
        COLORS.iter().any(|&(bit, _, start, color)| {
            targets >> bit & 1 != 0
                && draw.get(color) == object(i)
                && m::set_vertex_data_array_offset::offset(offset(draw, i)) == draw.get(start)
        })
    };
    let i = (0..16).find(|&i| has_array(draw, i) && mask >> i & 1 != 0 && is_surface(i))?;
    let register = m::set_vertex_data_array_offset::id(i);
    let what = format!("The array of attribute {i} is the colour surface itself");
    Some(draw.found(register, what, "Write the offset of the array, and bit 31 if it is in main memory."))
}

/// Bytes of an attribute in its array.
fn bytes(format: u32) -> u32 {
    let size = m::set_vertex_data_array_format::size(format);
    match m::set_vertex_data_array_format::kind(format) {
        Some(VertexType::Float32) => 4 * size,
        Some(VertexType::Float16 | VertexType::Snorm16 | VertexType::Sint16) => 2 * size,
        Some(VertexType::Cmp) => 4,
        _ => size,
    }
}

/// An attribute that is larger than the distance between two of it.
pub(super) fn short_stride(draw: &Draw<'_>) -> Option<Found> {
    let mask = draw.get(m::set_vertex_attrib_input_mask::ID);
    (0..16).filter(|i| mask >> i & 1 != 0 && has_array(draw, *i)).find_map(|i| {
        let register = m::set_vertex_data_array_format::id(i);
        let stride = m::set_vertex_data_array_format::stride(draw.get(register));
        let size = bytes(draw.get(register));
        (stride > 0 && stride < size).then_some(())?;
        let what = format!("Attribute {i} has {size} bytes, and its array {stride} from vertex to vertex");
        Some(draw.found(register, what, "Write the bytes of a vertex to bits 8:15."))
    })
}

/// Notes what a vertex program does not write.
#[cold]
pub(crate) fn note_program(renderer: &mut Renderer<Programs>, code: &RsxVertexCode, output_mask: u32) {
    let program = vertex::Program::decode(&code.code, usize::from(code.start), |_, _| {});
    let outputs = program.summary.outputs;
    if outputs & 1 == 0 {
        let what = format!("The vertex program of {} instructions does not write o[HPOS].", program.code.len());
        let advice = "Load a program that writes the position, and start it at its first instruction.";
        renderer.note_finding(FindingKind::NoPosition, Found::at(m::set_transform_program_start::ID, what, advice));
    } else if output_mask & 1 != 0 && outputs >> 1 & 1 == 0 && output_mask.count_ones() == 1 {
        let what = "The mask has the colour of the vertices, and the vertex program does not write o[COL0].";
        let advice = "Check that all instructions of the program are loaded, and that the last one has the end bit.";
        renderer.note_finding(FindingKind::UnlinkedInput, Found::at(m::set_transform_program_load::ID, what, advice));
    }
}
