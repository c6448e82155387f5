//! Transform feedback: vertices of primitives into buffers.
//!
//! Primitives are captured as points, lines or triangles; one that does not fit into all buffers of its stream is not
//! written at all. Where the next one goes stays until a method sets it.

use triglyph_guest::tegra::methods::threed::{ReportKind, regs as r};

use super::shapes::Shapes;
use super::statistics;
use crate::class_3d::ThreeD;
use crate::class_3d::programs::stage::Records;
use crate::class_3d::state::setup;
use crate::core::{ADDRESS_MASK, Core};
use crate::front_end::registers::Registers;
use crate::front_end::report::{Counters, STREAMS};
use triglyph_engine::draw::program::{Provoking, Shape};

/// Buffers.
const BUFFERS: usize = 4;

/// The attribute word of components that are left as they are (nvc0).
const SKIPPED: u8 = 0xFF;

/// Where the next vertex of each buffer goes, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Feedback {
    pub pointers: [u32; BUFFERS],
}

/// A buffer that a stream goes to.
struct Buffer {
    index: usize,
    address: u64,
    size: u32,
    stride: u32,
    /// Attribute words, in order.
    words: Vec<u8>,
}

impl Feedback {
    /// SET_STREAM_OUT_BUFFER_LOAD_WRITE_POINTER.
    pub(crate) fn set_pointer(&mut self, method: u32, datum: u32) {
        use r::set_stream_out_buffer_load_write_pointer as pointer;
        if let Some(place) = self.pointers.get_mut((method as usize).wrapping_sub(pointer::id(0)) / pointer::STEP) {
            *place = datum;
        }
    }
}

impl ThreeD {
    /// Captures the primitives of all streams.
    pub(crate) fn feed_back(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        records: &Records,
        streams: &[Shapes; STREAMS],
    ) {
        let enabled = r::set_stream_output::enable(registers.get(r::set_stream_output::ID));
        for (stream, shapes) in streams.iter().enumerate() {
            let needed = shapes.len() as u64;
            if needed == 0 {
                continue;
            }
            statistics::count(registers, counters, ReportKind::StreamingPrimitivesNeeded, stream, needed);
            if enabled {
                let buffers = buffers(registers, stream);
                let written = self.capture(core, registers, records, shapes, &buffers);
                statistics::count(registers, counters, ReportKind::StreamingPrimitivesSucceeded, stream, written);
            }
        }
    }

    /// Writes what fits of a stream; returns how many primitives did.
    fn capture(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        records: &Records,
        shapes: &Shapes,
        buffers: &[Buffer],
    ) -> u64 {
        if buffers.is_empty() {
            return 0;
        }
        let places: Vec<Vec<Option<usize>>> =
            buffers.iter().map(|buffer| buffer.words.iter().map(|&word| records.set.index(word)).collect()).collect();
        let begin = self.feedback.pointers;
        let first = setup::provoking(registers) == Provoking::First;
        let mut bytes: Vec<Vec<u8>> = vec![Vec::new(); buffers.len()];
        let mut written = 0;
        for (shape, _) in shapes {
            let vertices = vertices(shape, first);
            let count = vertices.len() as u64;
            let fits = buffers.iter().all(|buffer| {
                let pointer = u64::from(self.feedback.pointers[buffer.index]);
                pointer + u64::from(buffer.stride) * count <= u64::from(buffer.size)
            });
            if !fits {
                continue;
            }
            written += 1;
            for ((buffer, places), bytes) in buffers.iter().zip(&places).zip(&mut bytes) {
                for &vertex in &vertices {
                    let record = records.get(vertex);
                    for place in places {
                        bytes.extend(place.map_or(0, |at| record[at]).to_le_bytes());
                    }
                }
                self.feedback.pointers[buffer.index] += buffer.stride * count as u32;
            }
        }
        for (buffer, bytes) in buffers.iter().zip(&bytes) {
            let address = buffer.address.wrapping_add(begin[buffer.index].into()) & ADDRESS_MASK;
            store(core, address, bytes, buffer);
        }
        written
    }
}

/// Stores vertices: components that are skipped, and what lies between vertices, keep their bytes.
fn store(core: &mut Core, address: u64, bytes: &[u8], buffer: &Buffer) {
    const WHAT: &str = "transform feedback";
    let (stride, used) = (buffer.stride as usize, 4 * buffer.words.len());
    if stride == used && !buffer.words.contains(&SKIPPED) {
        return core.write_bytes(address, bytes, WHAT);
    }
    for (i, vertex) in bytes.chunks_exact(used.max(1)).enumerate() {
        let mut at = 0;
        for run in buffer.words.chunk_by(|&a, &b| (a == SKIPPED) == (b == SKIPPED)) {
            let length = 4 * run.len();
            if run[0] != SKIPPED {
                let address = address.wrapping_add((i * stride + at) as u64) & ADDRESS_MASK;
                core.write_bytes(address, &vertex[at..at + length], WHAT);
            }
            at += length;
        }
    }
}

/// The vertices of a primitive, the provoking one first or last: triangles of quads and polygons are turned until it
/// is, so that who draws what was captured has the same flat values (piglit's ext_transform_feedback-tessellation).
fn vertices(shape: &Shape, first: bool) -> Vec<u32> {
    match *shape {
        Shape::Point(vertex) => vec![vertex],
        Shape::Line { ends, .. } => ends.to_vec(),
        Shape::Triangle { mut corners, provoking, .. } => {
            let at = corners.iter().position(|&corner| corner == provoking);
            corners.rotate_left(at.map_or(0, |at| if first { at } else { at + 1 }) % 3);
            corners.to_vec()
        }
    }
}

/// The buffers that a stream goes to.
fn buffers(registers: &Registers, stream: usize) -> Vec<Buffer> {
    let get = |id: usize| registers.get(id);
    let layouts: [fn(usize) -> usize; BUFFERS] = [
        r::set_stream_out_layout_select_buffer0::id,
        r::set_stream_out_layout_select_buffer1::id,
        r::set_stream_out_layout_select_buffer2::id,
        r::set_stream_out_layout_select_buffer3::id,
    ];
    (0..BUFFERS)
        .filter(|&i| r::set_stream_out_buffer_enable::v(get(r::set_stream_out_buffer_enable::id(i))))
        .filter(|&i| {
            r::set_stream_out_control_stream::select(get(r::set_stream_out_control_stream::id(i))) as usize == stream
        })
        .filter_map(|index| {
            use r::set_stream_out_control_component_count as count;
            let words = count::max(get(count::id(index))).min(128) as usize;
            let stride = get(r::set_stream_out_control_stride::id(index));
            let word = |k: usize| (get(layouts[index](k / 4)) >> (8 * (k % 4))) as u8;
            (stride != 0 && words != 0).then(|| Buffer {
                index,
                address: registers.address(r::set_stream_out_buffer_address_a::id(index)),
                size: get(r::set_stream_out_buffer_size::id(index)),
                stride,
                words: (0..words.min(stride as usize / 4)).map(word).collect(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_begin_or_end_with_the_provoking_vertex() {
        for (provoking, first, last) in
            [(4, [4, 5, 6], [5, 6, 4]), (5, [5, 6, 4], [6, 4, 5]), (6, [6, 4, 5], [4, 5, 6])]
        {
            let shape = Shape::Triangle { corners: [4, 5, 6], provoking, edges: 7 };
            assert_eq!([vertices(&shape, true), vertices(&shape, false)], [first, last]);
        }
    }
}
