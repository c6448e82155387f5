//! Vertices: streams and attributes.

use triglyph_engine::validate::{Draw, Found};
use triglyph_guest::tegra::methods::threed::{AttributeSource, regs as r};

use super::program::reads_attribute;
use super::target::address;

pub(super) fn no_vertices(draw: &Draw<'_>) -> Option<Found> {
    (!draw.has_vertices).then_some(())?;
    let what = "No method between BEGIN and END gave a vertex.";
    let advice = "Write the first vertex to SET_VERTEX_ARRAY_START and their number to DRAW_VERTEX_ARRAY.";
    Some(Found::at(r::draw_vertex_array::ID, what, advice))
}

pub(super) fn incomplete_primitive(draw: &Draw<'_>) -> Option<Found> {
    let facts = draw.facts;
    let is_nothing = facts.primitives == 0 && facts.dropped.total() == 0 && facts.positions.count > 0;
    let count = facts.vertices.max(facts.positions.count);
    (is_nothing && count < 4 && facts.faults == 0).then_some(())?;
    let what = format!("{count} vertices are no primitive of the kind that BEGIN names.");
    Some(Found::at(r::draw_vertex_array::ID, what, "Draw 2 vertices for a line, 3 for a triangle."))
}

/// The word of attribute `n`.
fn attribute_id(n: usize) -> usize {
    if n < 16 { r::set_vertex_attribute_a::id(n) } else { r::set_vertex_attribute_b::id(n - 16) }
}

/// Methods of stream `n`: format, upper bits of the address, upper bits of the limit.
fn stream_ids(n: usize) -> [usize; 3] {
    if n < 16 {
        return [
            r::set_vertex_stream_a_format::id(n),
            r::set_vertex_stream_a_location_a::id(n),
            r::set_vertex_stream_limit_a_a::id(n),
        ];
    }
    [
        r::set_vertex_stream_b_format::id(n - 16),
        r::set_vertex_stream_b_location_a::id(n - 16),
        r::set_vertex_stream_limit_b_a::id(n - 16),
    ]
}

/// Attributes that the vertex program reads, with their words.
fn attributes<'d>(draw: &'d Draw<'_>) -> impl Iterator<Item = (usize, u32)> + 'd {
    (0..32).filter(|n| reads_attribute(draw, *n)).map(|n| (n, draw.get(attribute_id(n))))
}

pub(super) fn unmapped_array(draw: &Draw<'_>) -> Option<Found> {
    for (n, word) in attributes(draw) {
        if r::set_vertex_attribute_a::source(word) == Some(AttributeSource::Inactive) {
            continue;
        }
        let [format, location, limit] = stream_ids(r::set_vertex_attribute_a::stream(word) as usize);
        if !r::set_vertex_stream_a_format::enable(draw.get(format)) {
            continue;
        }
        let base = address(draw, r::set_vertex_global_base_offset_a::ID);
        let start = address(draw, location).wrapping_add(base);
        if !draw.is_readable(start) {
            let what = format!("The stream of attribute {n} begins at {start:#x}, where nothing is mapped");
            return Some(draw.found(location + 1, what, "Write the GPU address, upper bits to the method before it."));
        }
        let end = address(draw, limit);
        if end < start {
            let what =
                format!("The stream of attribute {n} begins at {start:#x} and ends at {end:#x}, before its first byte");
            return Some(draw.found(limit + 1, what, "Write the address of the last byte of the stream."));
        }
    }
    None
}

pub(super) fn attribute_without_stream(draw: &Draw<'_>) -> Option<Found> {
    for (n, word) in attributes(draw) {
        if r::set_vertex_attribute_a::source(word) == Some(AttributeSource::Inactive) {
            let what = format!("The vertex program reads attribute {n}, which is (0, 0, 0, 1) for all vertices");
            let advice =
                "Write stream | offset << 7 | widths << 21 | type << 27; 0x38200000 is four floats of stream 0.";
            return Some(draw.found(attribute_id(n), what, advice));
        }
        let stream = r::set_vertex_attribute_a::stream(word);
        let [format, ..] = stream_ids(stream as usize);
        if !r::set_vertex_stream_a_format::enable(draw.get(format)) {
            let what = format!("The vertex program reads attribute {n} of stream {stream}, which is off");
            return Some(draw.found(format, what, "Write the bytes of a vertex | 0x1000."));
        }
    }
    None
}

/// An attribute that ends beyond the vertex it belongs to: the stride is that of another one.
pub(super) fn short_stride(draw: &Draw<'_>) -> Option<Found> {
    attributes(draw).find_map(|(n, word)| {
        let [format, ..] = stream_ids(r::set_vertex_attribute_a::stream(word) as usize);
        let stride = r::set_vertex_stream_a_format::stride(draw.get(format));
        let is_read = r::set_vertex_attribute_a::source(word) != Some(AttributeSource::Inactive);
        let size = r::set_vertex_attribute_a::component_bit_widths(word).map_or(0, |widths| widths.bytes());
        let end = r::set_vertex_attribute_a::offset(word) + size;
        (is_read && stride > 0 && stride < end).then_some(())?;
        let what = format!("Vertices have {stride} bytes, and attribute {n} ends at byte {end} of one");
        Some(draw.found(format, what, "Write the bytes of a vertex | 0x1000."))
    })
}
