//! Push buffers in the making.
//!
//! ```
//! use triglyph_guest::rsx::PushBuffer;
//! use triglyph_guest::rsx::enums::Primitive;
//! use triglyph_guest::rsx::methods::curie as m;
//!
//! let mut push = PushBuffer::new();
//! push.set(m::set_cull_face_enable::ID, m::set_cull_face_enable::new().enable(false))
//!     .floats(m::set_viewport_scale::id(0), &[320.0, -180.0, 0.5, 0.0])
//!     .draw_arrays(Primitive::Triangles, 0, 3);
//! let words = push.finish()?;
//! assert_eq!(words[..2], [1 << 18 | 0x183C, 0]);
//! // Memory of the PS3 is big-endian.
//! let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
//! # assert_eq!(bytes.len(), 4 * words.len());
//! # Ok::<(), triglyph_guest::rsx::PushError>(())
//! ```

use super::enums::Primitive;
use super::fifo::{METHOD_SPACE, Methods, SUBCHANNELS};
use super::fragment;
use super::methods::curie as m;
use super::vertex;
use crate::table::{FieldError, RegisterWord};

/// Data words of a header.
pub const MAX_COUNT: usize = 0x7FF;

/// The largest byte offset of a jump or a call.
pub const MAX_OFFSET: u32 = 0x1FFF_FFFC;

/// Vertices of one word of DRAW_ARRAYS.
const MAX_BATCH: u32 = 256;

/// What a push buffer cannot say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PushError {
    /// A value that its field cannot hold.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A method that does not exist: no multiple of 4, or 0x2000 and more.
    #[error("there is no method {method:#x}: methods are multiples of 4 below 0x2000")]
    Method {
        /// Its byte address.
        method: usize,
    },
    /// A subchannel beyond the last one.
    #[error("there is no subchannel {subchannel}; the last one is 7")]
    Subchannel {
        /// Its number.
        subchannel: u32,
    },
    /// A jump or a call to an offset that is no multiple of 4 or too large.
    #[error("offset {offset:#x} of a jump or call is not a multiple of 4 up to {MAX_OFFSET:#x}")]
    Offset {
        /// The byte offset.
        offset: u32,
    },
    /// A unit, an instruction or a constant beyond the last one.
    #[error("{what} {value} is beyond {max}")]
    Range {
        /// What it is the number of.
        what: &'static str,
        /// The number.
        value: u64,
        /// The largest possible.
        max: u64,
    },
}

/// A push buffer, header by header. Methods are byte addresses, as the modules of
/// [`methods`](super::methods) have them. A mistake is remembered, and [`finish`](PushBuffer::finish) reports the first
/// one.
#[derive(Clone, Debug, Default)]
pub struct PushBuffer {
    words: Vec<u32>,
    subchannel: u32,
    error: Option<PushError>,
}

impl PushBuffer {
    /// An empty push buffer, whose methods go to subchannel 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// The words so far.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    pub(super) fn fail(&mut self, error: PushError) {
        self.error.get_or_insert(error);
    }

    pub(super) fn limit(&mut self, what: &'static str, value: usize, max: usize) {
        if value > max {
            self.fail(PushError::Range { what, value: value as u64, max: max as u64 });
        }
    }

    /// Methods that follow go to this subchannel, 0 to 7.
    pub fn subchannel(&mut self, subchannel: u32) -> &mut Self {
        match (subchannel as usize) < SUBCHANNELS {
            true => self.subchannel = subchannel,
            false => self.fail(PushError::Subchannel { subchannel }),
        }
        self
    }

    fn run(&mut self, method: usize, increasing: bool, data: &[u32]) {
        let last = method.saturating_add(if increasing { 4 * (data.len() - 1) } else { 0 });
        if !method.is_multiple_of(4) || last >= METHOD_SPACE as usize {
            return self.fail(PushError::Method { method: last });
        }
        let (subchannel, count) = (self.subchannel, data.len() as u32);
        self.words.push(Methods { method: method as u32, subchannel, count, increasing }.encode());
        self.words.extend(data);
    }

    /// Data for a method and those after it. Without data nothing is written.
    pub fn methods(&mut self, method: usize, data: &[u32]) -> &mut Self {
        for (index, data) in data.chunks(MAX_COUNT).enumerate() {
            self.run(method + 4 * index * MAX_COUNT, true, data);
        }
        self
    }

    /// Data that all goes to one method. Without data nothing is written.
    pub fn non_increasing(&mut self, method: usize, data: &[u32]) -> &mut Self {
        data.chunks(MAX_COUNT).for_each(|data| self.run(method, false, data));
        self
    }

    /// One word for one method.
    pub fn set(&mut self, method: usize, value: impl Into<RegisterWord>) -> &mut Self {
        let value = value.into();
        if let Err(error) = value.get() {
            self.fail(error.into());
        }
        self.methods(method, &[value.bits()])
    }

    /// Floats for a method and those after it.
    pub fn floats(&mut self, method: usize, values: &[f32]) -> &mut Self {
        let words: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        self.methods(method, &words)
    }

    fn control(&mut self, offset: u32, bits: u32) -> &mut Self {
        match offset.is_multiple_of(4) && offset <= MAX_OFFSET {
            true => self.words.push(offset | bits),
            false => self.fail(PushError::Offset { offset }),
        }
        self
    }

    /// Goes on at a byte offset of the IO space, up to 0x1FFFFFFC.
    pub fn jump(&mut self, offset: u32) -> &mut Self {
        self.control(offset, 0x2000_0000)
    }

    /// Goes on at a byte offset of the IO space up to the next [`return_`](Self::return_). Calls do not nest.
    pub fn call(&mut self, offset: u32) -> &mut Self {
        self.control(offset, 2)
    }

    /// Goes on after the call.
    pub fn return_(&mut self) -> &mut Self {
        self.words.push(0x0002_0000);
        self
    }

    /// Loads a vertex program from instruction `first` of the program store on and selects it. Which attributes it
    /// reads and which outputs count are SET_VERTEX_ATTRIB_INPUT_MASK and SET_VERTEX_ATTRIB_OUTPUT_MASK.
    pub fn vertex_program(&mut self, first: usize, code: &[vertex::Words]) -> &mut Self {
        self.limit("vertex program instruction", first + code.len().max(1) - 1, vertex::STORE - 1);
        self.set(m::set_transform_program_load::ID, first as u32);
        for instructions in code.chunks(m::set_transform_program::COUNT / 4) {
            self.methods(m::set_transform_program::ID, instructions.as_flattened());
        }
        self.set(m::set_transform_program_start::ID, first as u32)
    }

    /// Sets constants of vertex programs from `c[first]` on, each x, y, z, w.
    pub fn vertex_constants(&mut self, first: usize, values: &[[f32; 4]]) -> &mut Self {
        self.limit("vertex constant", first + values.len().max(1) - 1, vertex::CONSTANTS - 1);
        for (index, values) in values.chunks(m::set_transform_constant::COUNT / 4).enumerate() {
            self.set(m::set_transform_constant_load::ID, (first + index * m::set_transform_constant::COUNT / 4) as u32);
            self.floats(m::set_transform_constant::ID, values.as_flattened());
        }
        self
    }

    /// Draws `count` vertices from `first` on: begin, ranges of at most 256, end.
    pub fn draw_arrays(&mut self, primitive: Primitive, first: u32, count: u32) -> &mut Self {
        self.draw(primitive, m::draw_arrays::ID, first, count)
    }

    /// Draws `count` indices from `first` on. SET_INDEX_ARRAY_ADDRESS and SET_INDEX_ARRAY_DMA say where they are.
    pub fn draw_indices(&mut self, primitive: Primitive, first: u32, count: u32) -> &mut Self {
        self.draw(primitive, m::draw_index_array::ID, first, count)
    }

    fn draw(&mut self, primitive: Primitive, method: usize, first: u32, count: u32) -> &mut Self {
        self.limit("vertex", first as usize + count as usize, 1 << 24);
        self.set(m::set_begin_end::ID, m::set_begin_end::new().primitive(primitive));
        let batches = (0..count).step_by(MAX_BATCH as usize);
        let word = |at: u32| {
            let size = MAX_BATCH.min(count - at);
            m::draw_arrays::new().first(first.wrapping_add(at) & 0xFF_FFFF).count_minus_1(size - 1)
        };
        let words: Vec<u32> = batches.map(|at| RegisterWord::from(word(at)).bits()).collect();
        self.non_increasing(method, &words);
        self.set(m::set_begin_end::ID, m::set_begin_end::new().primitive(Primitive::End))
    }

    /// The words.
    ///
    /// # Errors
    /// The first mistake.
    pub fn finish(self) -> Result<Vec<u32>, PushError> {
        match self.error {
            None => Ok(self.words),
            Some(error) => Err(error),
        }
    }
}

/// The bytes of a fragment program in memory, in the order of the channel: on the PS3 [`Order::Big`].
///
/// [`Order::Big`]: fragment::memory::Order::Big
pub fn fragment_program_bytes(code: &[u32], order: fragment::memory::Order) -> Vec<u8> {
    let (slots, _) = code.as_chunks();
    slots.iter().flat_map(|slot| fragment::memory::bytes(*slot, order)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fifo::Command;
    use super::*;

    /// Method and datum of each write.
    fn writes(words: &[u32]) -> Vec<(u32, u32, u32)> {
        let (mut out, mut at) = (Vec::new(), 0);
        while at < words.len() {
            let Command::Methods(methods) = Command::decode(words[at]) else { panic!("{:#x}", words[at]) };
            for index in 0..methods.count {
                out.push((methods.subchannel, methods.after(index).method, words[at + 1 + index as usize]));
            }
            at += 1 + methods.count as usize;
        }
        out
    }

    #[test]
    fn headers_are_read_as_they_were_written() {
        let mut push = PushBuffer::new();
        push.set(0x100, 1).methods(0x200, &[2, 3]).subchannel(3).non_increasing(0x300, &[4, 5]);
        let expected = [(0, 0x100, 1), (0, 0x200, 2), (0, 0x204, 3), (3, 0x300, 4), (3, 0x300, 5)];
        assert_eq!(writes(&push.finish().expect("words")), expected);
    }

    #[test]
    fn long_data_has_several_headers() {
        let data: Vec<u32> = (0..5000).collect();
        let mut push = PushBuffer::new();
        push.non_increasing(0x1818, &data);
        let written = writes(&push.finish().expect("words"));
        assert!(written.iter().zip(0..).all(|(write, datum)| *write == (0, 0x1818, datum)));
        assert_eq!(written.len(), 5000);
    }

    #[test]
    fn programs_constants_and_draws_are_split() {
        let mut push = PushBuffer::new();
        push.vertex_program(7, &[[1, 2, 3, 4]; 9]).vertex_constants(20, &[[0.5; 4]; 9]);
        push.draw_arrays(Primitive::Triangles, 10, 300);
        let written = writes(&push.finish().expect("words"));
        let of = |method: u32| written.iter().filter(move |write| write.1 == method).map(|write| write.2);
        assert_eq!(of(m::set_transform_program_load::ID as u32).collect::<Vec<_>>(), [7]);
        assert_eq!(of(m::set_transform_program::ID as u32).count(), 2);
        assert_eq!(of(m::set_transform_constant_load::ID as u32).collect::<Vec<_>>(), [20, 28]);
        let draws: Vec<_> = of(m::draw_arrays::ID as u32).collect();
        assert_eq!(draws, [255 << 24 | 10, 43 << 24 | 266]);
    }

    #[test]
    fn control_words_are_decoded() {
        let mut push = PushBuffer::new();
        push.jump(0x1_0000).call(0x2000).return_();
        let commands: Vec<_> = push.finish().expect("words").into_iter().map(Command::decode).collect();
        assert_eq!(commands, [Command::Jump(0x1_0000), Command::Call(0x2000), Command::Return]);
    }

    #[test]
    fn the_first_mistake_is_reported() {
        let fails = |make: &dyn Fn(&mut PushBuffer) -> &mut PushBuffer| {
            let mut push = PushBuffer::new();
            make(&mut push);
            push.finish().expect_err("a mistake").to_string()
        };
        let method = "there is no method 0x2000: methods are multiples of 4 below 0x2000";
        assert_eq!(fails(&|push| push.methods(0x1FFC, &[1, 2]).jump(3)), method);
        assert_eq!(fails(&|push| push.subchannel(8)), "there is no subchannel 8; the last one is 7");
        let offset = "offset 0x3 of a jump or call is not a multiple of 4 up to 0x1ffffffc";
        assert_eq!(fails(&|push| push.jump(3)), offset);
        assert_eq!(fails(&|push| push.vertex_constants(468, &[[0.0; 4]])), "vertex constant 468 is beyond 467");
        let pitch = m::set_surface_pitch_a::new().bytes(1 << 20);
        let error = "set_surface_pitch_a: bytes 1048576 is not 0 to 131071";
        assert_eq!(fails(&|push| push.set(m::set_surface_pitch_a::ID, pitch)), error);
    }
}
