//! Push buffers in the making.
//!
//! ```
//! use triglyph_guest::tegra::PushBuffer;
//! use triglyph_guest::tegra::methods::threed::{Topology, regs as r};
//!
//! let mut push = PushBuffer::new();
//! push.set_object(0xB197)
//!     .address(r::set_program_region_a::ID, 0x1_0001_0000)
//!     .floats(r::set_color_clear_value::id(0), &[0.0, 0.0, 0.0, 1.0])
//!     .immediate(r::set_ct_select::ID, 1)
//!     .draw_arrays(Topology::Triangles, 0, 3);
//! let entry = push.entry(0x1_0000_0000)?;
//! let words = push.finish()?;
//! assert_eq!(words[..2], [1 << 29 | 1 << 16, 0xB197]);
//! assert_eq!(entry, 0x1_0000_0000 | (words.len() as u64) << 42);
//! # Ok::<(), triglyph_guest::tegra::PushError>(())
//! ```

use super::command::{Command, MAX_COUNT, METHOD_MASK, Run, Stepping};
use super::entry::{Entry, Segment};
use crate::table::{FieldError, RegisterWord};
use crate::tegra::methods::threed::{Topology, regs as r};

/// Words of an entry of the GPFIFO.
pub const MAX_ENTRY_WORDS: usize = 0x1F_FFFF;

/// GPU addresses have so many bits.
const ADDRESS_BITS: u32 = 40;

/// What a push buffer or an entry of the GPFIFO cannot say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PushError {
    /// A value that its field cannot hold.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A method beyond the last one.
    #[error("there is no method {method:#x}; the last one is 0xfff")]
    Method {
        /// Its dword address.
        method: usize,
    },
    /// A subchannel beyond the last one.
    #[error("there is no subchannel {subchannel}; the last one is 7")]
    Subchannel {
        /// Its number.
        subchannel: u32,
    },
    /// A datum that is too wide to be in a header.
    #[error("an immediate datum is 0 to 0x1fff, not {datum:#x}")]
    Immediate {
        /// The datum.
        datum: u32,
    },
    /// A target, a stream or an attribute beyond the last one.
    #[error("{what} {value} is beyond {max}")]
    Range {
        /// What it is the number of.
        what: &'static str,
        /// The number.
        value: u64,
        /// The largest possible.
        max: u64,
    },
    /// A GPU address of more than 40 bits, or one of a push buffer that is no multiple of 4.
    #[error("{address:#x} is no GPU address for this: at most 40 bits, for push buffers a multiple of 4")]
    Address {
        /// The address.
        address: u64,
    },
    /// A push buffer without words, or with more than an entry can say.
    #[error("an entry has 1 to {MAX_ENTRY_WORDS} words, not {words}")]
    Words {
        /// The words.
        words: usize,
    },
}

/// A push buffer, header by header. Methods are dword addresses, as the modules of [`methods`](crate::tegra::methods)
/// have them. A mistake is remembered, and [`finish`](PushBuffer::finish) reports the first one.
#[derive(Clone, Debug, Default)]
pub struct PushBuffer {
    words: Vec<u32>,
    subchannel: u32,
    error: Option<PushError>,
}

impl PushBuffer {
    /// An empty push buffer, whose methods go to subchannel 0, by custom that of the 3D class.
    pub fn new() -> Self {
        Self::default()
    }

    /// The words so far.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    fn fail(&mut self, error: PushError) {
        self.error.get_or_insert(error);
    }

    pub(crate) fn limit(&mut self, what: &'static str, value: usize, max: usize) {
        if value > max {
            self.fail(PushError::Range { what, value: value as u64, max: max as u64 });
        }
    }

    /// Methods that follow go to this subchannel, 0 to 7.
    pub fn subchannel(&mut self, subchannel: u32) -> &mut Self {
        match subchannel < 8 {
            true => self.subchannel = subchannel,
            false => self.fail(PushError::Subchannel { subchannel }),
        }
        self
    }

    fn run(&mut self, method: usize, stepping: Stepping, data: &[u32]) {
        let more = match stepping {
            Stepping::Each => data.len() - 1,
            Stepping::Never => 0,
            Stepping::Once => 1,
        };
        let last = method.saturating_add(more);
        if last > METHOD_MASK as usize {
            return self.fail(PushError::Method { method: last });
        }
        let (subchannel, count) = (self.subchannel, data.len() as u32);
        let run = Run { subchannel, method: method as u32, count, stepping };
        self.words.extend(Command::Run(run).encode());
        self.words.extend(data);
    }

    /// Data for a method and those after it. Without data nothing is written.
    pub fn methods(&mut self, method: usize, data: &[u32]) -> &mut Self {
        for (index, data) in data.chunks(MAX_COUNT as usize).enumerate() {
            self.run(method + index * MAX_COUNT as usize, Stepping::Each, data);
        }
        self
    }

    /// Data that all goes to one method. Without data nothing is written.
    pub fn non_incrementing(&mut self, method: usize, data: &[u32]) -> &mut Self {
        data.chunks(MAX_COUNT as usize).for_each(|data| self.run(method, Stepping::Never, data));
        self
    }

    /// A word for a method, and all of `data` for the method after it.
    pub fn increment_once(&mut self, method: usize, first: u32, data: &[u32]) -> &mut Self {
        let (data, rest) = data.split_at(data.len().min(MAX_COUNT as usize - 1));
        self.run(method, Stepping::Once, &[&[first], data].concat());
        self.non_incrementing(method + 1, rest)
    }

    /// A datum of up to 13 bits for a method, in the header itself.
    pub fn immediate(&mut self, method: usize, datum: u32) -> &mut Self {
        if method > METHOD_MASK as usize {
            self.fail(PushError::Method { method });
        } else if datum > MAX_COUNT {
            self.fail(PushError::Immediate { datum });
        } else {
            let (subchannel, method) = (self.subchannel, method as u32);
            self.words.extend(Command::Immediate { subchannel, method, data: datum }.encode());
        }
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

    /// A GPU address for two methods: its upper bits for `method`, bits 31:0 for the next one.
    pub fn address(&mut self, method: usize, address: u64) -> &mut Self {
        if address >> ADDRESS_BITS != 0 {
            self.fail(PushError::Address { address });
        }
        self.methods(method, &[(address >> 32) as u32, address as u32])
    }

    /// Tells the class of the subchannel: 0xB197 is 3D, see [`Class`](crate::tegra::methods::Class).
    pub fn set_object(&mut self, class: u32) -> &mut Self {
        self.set(r::set_object::ID, class)
    }

    /// Stores a macro from word `at` of macro memory on and makes it number `index`, 0 to 127.
    pub fn upload_macro(&mut self, index: u32, at: u32, code: &[u32]) -> &mut Self {
        self.increment_once(r::load_mme_instruction_ram_pointer::ID, at, code);
        self.methods(r::load_mme_start_address_ram_pointer::ID, &[index, at])
    }

    /// Runs macro `index`, 0 to 127, with a first parameter and further ones.
    pub fn call_macro(&mut self, index: usize, first: u32, parameters: &[u32]) -> &mut Self {
        self.limit("macro", index, r::call_mme_macro::COUNT - 1);
        let index = index % r::call_mme_macro::COUNT;
        self.increment_once(r::call_mme_macro::id(index), first, parameters)
    }

    /// Stores words in constant buffer memory: selects `size` bytes at `address`, a multiple of 256, and loads `words`
    /// from byte `offset` on.
    pub fn load_constants(&mut self, address: u64, size: u32, offset: u32, words: &[u32]) -> &mut Self {
        self.set(r::set_constant_buffer_selector_a::ID, r::set_constant_buffer_selector_a::new().size(size));
        self.address(r::set_constant_buffer_selector_b::ID, address);
        self.increment_once(r::load_constant_buffer_offset::ID, offset, words)
    }

    /// Binds the constant buffer that was selected last to a slot of a stage's group: 0 vertex, 1 and 2 tessellation,
    /// 3 geometry, 4 pixel.
    pub fn bind_constants(&mut self, group: usize, slot: u32) -> &mut Self {
        self.limit("group of constant buffers", group, r::bind_group_constant_buffer::COUNT - 1);
        let group = group % r::bind_group_constant_buffer::COUNT;
        let binding = r::bind_group_constant_buffer::new().valid(true).shader_slot(slot);
        self.set(r::bind_group_constant_buffer::id(group), binding)
    }

    /// Draws `count` vertices from `first` on: begin, draw, end.
    pub fn draw_arrays(&mut self, topology: Topology, first: u32, count: u32) -> &mut Self {
        self.set(r::begin::ID, r::begin::new().op(topology));
        self.methods(r::set_vertex_array_start::ID, &[first, count]);
        self.set(r::end::ID, 0)
    }

    /// Draws `count` indices from `first` on: begin, draw, end. SET_INDEX_BUFFER_A to E say where the indices are.
    pub fn draw_indices(&mut self, topology: Topology, first: u32, count: u32) -> &mut Self {
        self.set(r::begin::ID, r::begin::new().op(topology));
        self.methods(r::set_index_buffer_f::ID, &[first, count]);
        self.set(r::end::ID, 0)
    }

    /// The entry of the GPFIFO that executes these words when they are at a GPU address.
    ///
    /// # Errors
    /// [`PushError::Words`], [`PushError::Address`].
    pub fn entry(&self, address: u64) -> Result<u64, PushError> {
        let words = self.words.len();
        if words == 0 || words > MAX_ENTRY_WORDS {
            return Err(PushError::Words { words });
        }
        if address >> ADDRESS_BITS != 0 || !address.is_multiple_of(4) {
            return Err(PushError::Address { address });
        }
        let (sync, subroutine, conditional) = (false, false, false);
        Ok(Entry::Segment(Segment { address, words: words as u32, sync, subroutine, conditional }).encode())
    }

    /// The words. Memory of the Switch is little-endian.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Subchannel, method and datum of each write.
    fn writes(words: &[u32]) -> Vec<(u32, u32, u32)> {
        let (mut out, mut at) = (Vec::new(), 0);
        while at < words.len() {
            let command = Command::decode(words[at]);
            at += 1;
            match command {
                Command::Immediate { subchannel, method, data } => out.push((subchannel, method, data)),
                Command::Run(mut run) => {
                    while run.count != 0 {
                        out.push((run.subchannel, run.method, words[at]));
                        run = run.step();
                        at += 1;
                    }
                }
                other => panic!("{other:?}"),
            }
        }
        out
    }

    #[test]
    fn headers_are_read_as_they_were_written() {
        let mut push = PushBuffer::new();
        push.methods(0x10, &[1, 2]).subchannel(2).non_incrementing(0x20, &[3, 4]).increment_once(0x30, 5, &[6, 7]);
        push.immediate(0x40, 0x1FFF);
        let expected = [
            (0, 0x10, 1),
            (0, 0x11, 2),
            (2, 0x20, 3),
            (2, 0x20, 4),
            (2, 0x30, 5),
            (2, 0x31, 6),
            (2, 0x31, 7),
            (2, 0x40, 0x1FFF),
        ];
        assert_eq!(writes(&push.finish().expect("words")), expected);
    }

    #[test]
    fn long_data_has_several_headers() {
        let data: Vec<u32> = (0..20_000).collect();
        let mut push = PushBuffer::new();
        push.increment_once(0x45, 77, &data);
        let written = writes(&push.finish().expect("words"));
        assert_eq!(written[0], (0, 0x45, 77));
        assert!(written[1..].iter().zip(0..).all(|(write, datum)| *write == (0, 0x46, datum)));
        assert_eq!(written.len(), 20_001);
    }

    #[test]
    fn the_first_mistake_is_reported() {
        let fails = |make: &dyn Fn(&mut PushBuffer) -> &mut PushBuffer| {
            let mut push = PushBuffer::new();
            make(&mut push).immediate(0x4000, 0);
            push.finish().expect_err("a mistake").to_string()
        };
        assert_eq!(fails(&|push| push.methods(0xFFF, &[1, 2])), "there is no method 0x1000; the last one is 0xfff");
        assert_eq!(fails(&|push| push.immediate(0, 0x2000)), "an immediate datum is 0 to 0x1fff, not 0x2000");
        assert_eq!(fails(&|push| push.subchannel(9)), "there is no subchannel 9; the last one is 7");
        assert!(fails(&|push| push.address(0x200, 1 << 40)).starts_with("0x10000000000 is no GPU address"));
        let width = r::set_color_target_height::new().v(1 << 20);
        let error = "set_color_target_height: v 1048576 is not 0 to 131071";
        assert_eq!(fails(&|push| push.set(0x203, width)), error);
    }

    #[test]
    fn entries_are_decoded() {
        let mut push = PushBuffer::new();
        assert_eq!(push.entry(0), Err(PushError::Words { words: 0 }));
        push.set(0, 1);
        assert_eq!(push.entry(2), Err(PushError::Address { address: 2 }));
        let entry = Entry::decode(push.entry(0xFF_0000_1000).expect("an entry"));
        let segment = Segment { address: 0xFF_0000_1000, words: 2, sync: false, subroutine: false, conditional: false };
        assert_eq!(entry, Entry::Segment(segment));
    }
}
