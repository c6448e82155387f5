//! Command lists in the making.
//!
//! ```
//! use triglyph_guest::pica::{List, command::Packets, regs};
//!
//! let mut list = List::new();
//! list.set(regs::cull::ID, regs::cull::new().mode(regs::CullMode::None))
//!     .set(regs::viewport_half_w::ID, regs::viewport_half_w::new().value(120.0))
//!     .consecutive(regs::clip_enable::ID, &[1, 0, 0, 0, 0])
//!     .draw_arrays(0, 3);
//! let words = list.finish()?;
//! assert_eq!(words.len() % 4, 0, "lists are multiples of 16 bytes");
//! assert_eq!(Packets::new(&words).next().map(|packet| packet.header.id()), Some(regs::cull::ID));
//! # Ok::<(), triglyph_guest::pica::ListError>(())
//! ```

use super::asm::Program;
use super::{command, regs};
use crate::num::F24;
use crate::table::{FieldError, RegisterWord};

/// Writes of a packet: one before the header and up to 255 after it.
pub const MAX_PACKET_WRITES: usize = 256;

/// Float uniforms of a shader unit.
pub const FLOAT_UNIFORMS: usize = 96;

/// What a list cannot say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// A value that its field cannot hold.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A register that does not exist.
    #[error("there is no register {id:#x}; the last one is {:#x}", regs::COUNT - 1)]
    Register {
        /// Its number.
        id: usize,
    },
    /// A byte mask of more than four bits.
    #[error("a byte mask has four bits, and {mask:#x} more")]
    Mask {
        /// The mask.
        mask: u8,
    },
    /// A size that textures cannot have.
    #[error("a texture's width and height are powers of two from 8, not {size}")]
    TextureSize {
        /// The size, texels.
        size: u32,
    },
    /// A uniform, an attribute or an index beyond the last one.
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

/// The two shader units. They have the same registers, the vertex unit's 0x30 after the geometry unit's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Vertex programs.
    Vertex,
    /// Geometry programs.
    Geometry,
}

impl Unit {
    /// The register of this unit, given that of the geometry unit.
    const fn of(self, geometry: usize) -> usize {
        match self {
            Unit::Vertex => geometry + regs::vsh_bool::ID - regs::gsh_bool::ID,
            Unit::Geometry => geometry,
        }
    }
}

/// A command list, packet by packet. A mistake (a value that does not fit its field, a register that does not exist)
/// is remembered, and [`finish`](List::finish) reports the first one.
#[derive(Clone, Debug, Default)]
pub struct List {
    words: Vec<u32>,
    error: Option<ListError>,
}

impl List {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// The words so far.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    pub(super) fn fail(&mut self, error: ListError) {
        self.error.get_or_insert(error);
    }

    fn value(&mut self, word: RegisterWord) -> u32 {
        if let Err(error) = word.get() {
            self.fail(error.into());
        }
        word.bits()
    }

    pub(super) fn limit(&mut self, what: &'static str, value: usize, max: usize) {
        if value > max {
            self.fail(ListError::Range { what, value: value as u64, max: max as u64 });
        }
    }

    /// A packet: the first parameter, the header, the others, padding.
    fn packet(&mut self, id: usize, mask: u8, consecutive: bool, values: &[u32]) {
        let last = id.saturating_add(if consecutive { values.len() - 1 } else { 0 });
        if last >= regs::COUNT {
            return self.fail(ListError::Register { id: last });
        }
        if mask > 15 {
            return self.fail(ListError::Mask { mask });
        }
        let extra = values.len() as u32 - 1;
        let header = u32::from(consecutive) << 31 | extra << 20 | u32::from(mask) << 16 | id as u32;
        self.words.extend([values[0], header]);
        self.words.extend(&values[1..]);
        if !self.words.len().is_multiple_of(2) {
            self.words.push(0);
        }
    }

    /// Writes a register.
    pub fn set(&mut self, id: usize, value: impl Into<RegisterWord>) -> &mut Self {
        self.set_masked(id, 15, value)
    }

    /// Writes those bytes of a register whose bits are set in `mask`, bit 0 being the lowest byte.
    pub fn set_masked(&mut self, id: usize, mask: u8, value: impl Into<RegisterWord>) -> &mut Self {
        let value = self.value(value.into());
        self.packet(id, mask, false, &[value]);
        self
    }

    /// Writes all of `values` to one register, a data port. Without values nothing is written.
    pub fn burst(&mut self, id: usize, values: &[u32]) -> &mut Self {
        values.chunks(MAX_PACKET_WRITES).for_each(|values| self.packet(id, 15, false, values));
        self
    }

    /// Writes `values` to as many registers from `first` on. Without values nothing is written.
    pub fn consecutive(&mut self, first: usize, values: &[u32]) -> &mut Self {
        for (index, values) in values.chunks(MAX_PACKET_WRITES).enumerate() {
            self.packet(first + index * MAX_PACKET_WRITES, 15, true, values);
        }
        self
    }

    /// Uploads a program with its operand descriptors. The unit begins at instruction `entry`.
    pub fn program(&mut self, unit: Unit, program: &Program, entry: u16) -> &mut Self {
        let entry = regs::shader_entry::new().offset(entry.into()).high(0x7FFF);
        self.set(unit.of(regs::gsh_entry::ID), entry);
        self.set(unit.of(regs::gsh_code_index::ID), 0);
        self.burst(unit.of(regs::gsh_code_data::ID), &program.code);
        self.set(unit.of(regs::gsh_code_end::ID), 1);
        self.set(unit.of(regs::gsh_opdesc_index::ID), 0);
        self.burst(unit.of(regs::gsh_opdesc_data::ID), &program.descriptors)
    }

    /// Sets float uniforms from c`first` on, each x, y, z, w.
    pub fn float_uniforms(&mut self, unit: Unit, first: usize, values: &[[f32; 4]]) -> &mut Self {
        self.limit("float uniform", first + values.len().max(1) - 1, FLOAT_UNIFORMS - 1);
        let index = regs::shader_float_index::new().register(first as u32 & 0xFF).format(regs::UniformFormat::F32);
        self.set(unit.of(regs::gsh_float_index::ID), index);
        // The port takes w first.
        let words: Vec<u32> = values.iter().flat_map(|v| [v[3], v[2], v[1], v[0]]).map(f32::to_bits).collect();
        self.burst(unit.of(regs::gsh_float_data::ID), &words)
    }

    /// Sets an integer uniform, i0 to i3: iterations less one, first value, step, unused.
    pub fn int_uniform(&mut self, unit: Unit, index: usize, [x, y, z, w]: [u8; 4]) -> &mut Self {
        self.limit("integer uniform", index, regs::gsh_int::COUNT - 1);
        let value = regs::shader_int::new().x(x.into()).y(y.into()).z(z.into()).w(w.into());
        self.set(unit.of(regs::gsh_int::id(index & 3)), value)
    }

    /// Sets all 16 boolean uniforms, b0 being bit 0.
    pub fn bool_uniforms(&mut self, unit: Unit, values: u16) -> &mut Self {
        self.set(unit.of(regs::gsh_bool::ID), regs::shader_bool::new().values(values.into()).high(0x7FFF))
    }

    /// Gives vertex attribute `index`, 0 to 11, one value for all vertices. The attribute's bit in ATTR_FORMAT_HI says
    /// that it has one.
    pub fn fixed_attribute(&mut self, index: usize, value: [f32; 4]) -> &mut Self {
        self.limit("vertex attribute", index, 11);
        self.set(regs::fixed_attr_index::ID, regs::fixed_attr_index::new().index(index as u32 & 0xF));
        self.burst(regs::fixed_attr_data0::ID, &command::pack_f24(value.map(F24::encode_constant)))
    }

    /// Begins an immediate draw: vertices follow as attributes, see [`immediate_attribute`](Self::immediate_attribute).
    pub fn begin_immediate(&mut self) -> &mut Self {
        self.set(regs::fixed_attr_index::ID, regs::fixed_attr_index::new().index(15))
    }

    /// The next attribute of an immediate draw. The vertex is complete with its last attribute.
    pub fn immediate_attribute(&mut self, value: [f32; 4]) -> &mut Self {
        self.burst(regs::fixed_attr_data0::ID, &command::pack_f24(value.map(F24::encode_constant)))
    }

    /// Draws `count` vertices from `first` on.
    pub fn draw_arrays(&mut self, first: u32, count: u32) -> &mut Self {
        self.set(regs::vertex_offset::ID, first);
        self.set(regs::num_vertices::ID, count);
        self.set(regs::draw_arrays::ID, 1)
    }

    /// Draws `count` indices. INDEX_BUFFER says where they are and how large.
    pub fn draw_elements(&mut self, count: u32) -> &mut Self {
        self.set(regs::num_vertices::ID, count);
        self.set(regs::draw_elements::ID, 1)
    }

    /// Goes on in another list: a physical address and a size in bytes, multiples of 16. What follows in this list is
    /// not fetched.
    pub fn jump(&mut self, address: u32, bytes: u32) -> &mut Self {
        self.set(regs::cmdbuf_size0::ID, regs::cmdbuf_size::new().size(bytes / 8));
        self.set(regs::cmdbuf_addr0::ID, regs::cmdbuf_addr::new().address(address.into()));
        self.set(regs::cmdbuf_jump0::ID, 1)
    }

    /// The list without an end, padded to a multiple of 16 bytes: for a list that another one jumps to.
    ///
    /// # Errors
    /// The first mistake.
    pub fn into_words(mut self) -> Result<Vec<u32>, ListError> {
        // The zero packet writes no byte of register 0.
        self.words.resize(self.words.len().next_multiple_of(4), 0);
        match self.error {
            None => Ok(self.words),
            Some(error) => Err(error),
        }
    }

    /// The list, which ends by requesting the interrupt P3D, padded to a multiple of 16 bytes.
    ///
    /// # Errors
    /// The first mistake.
    pub fn finish(mut self) -> Result<Vec<u32>, ListError> {
        self.set(regs::irq_request::ID, regs::RESET[regs::irq_compare::ID]);
        self.into_words()
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::{Packets, Write};
    use super::*;

    fn writes(words: &[u32]) -> Vec<(usize, u32, u8)> {
        let writes = Packets::new(words).flat_map(|packet| packet.writes());
        writes.filter(|write| write.mask != 0).map(|Write { id, value, mask }| (id, value, mask)).collect()
    }

    #[test]
    fn packets_are_read_as_they_were_written() {
        let mut list = List::new();
        list.set(0x41, 7).set_masked(0x107, 3, 9).burst(0x2CC, &[1, 2, 3, 4]).consecutive(0xC0, &[5, 6]);
        let words = list.into_words().expect("a list");
        let ports = [1, 2, 3, 4].map(|value| (0x2CC, value, 15));
        let rest = [(0x41, 7, 15), (0x107, 9, 3)].into_iter().chain(ports).chain([(0xC0, 5, 15), (0xC1, 6, 15)]);
        assert_eq!(writes(&words), rest.collect::<Vec<_>>());
    }

    #[test]
    fn long_runs_are_several_packets() {
        let values: Vec<u32> = (0..600).collect();
        let mut list = List::new();
        list.burst(0x2CC, &values).consecutive(0, &values);
        let words = list.finish().expect("a list");
        let written = writes(&words);
        assert_eq!(written.len(), 1201);
        assert!(written[..600].iter().zip(0..).all(|(write, value)| *write == (0x2CC, value, 15)));
        assert!(written[600..1200].iter().zip(0..).all(|(write, value)| *write == (value as usize, value, 15)));
        assert_eq!(written[1200], (0x10, 0x1234_5678, 15));
        assert!(words.len().is_multiple_of(4));
    }

    #[test]
    fn uniforms_and_attributes_have_their_forms() {
        let mut list = List::new();
        list.float_uniforms(Unit::Vertex, 3, &[[1.0, 2.0, 3.0, 4.0]]).fixed_attribute(2, [1.0, 0.0, 0.5, -1.0]);
        list.int_uniform(Unit::Geometry, 1, [4, 3, 2, 1]).bool_uniforms(Unit::Vertex, 5);
        let got = writes(&list.into_words().expect("a list"));
        let floats = [4.0f32, 3.0, 2.0, 1.0].map(|value| (0x2C1, value.to_bits(), 15));
        assert_eq!(got[0], (0x2C0, 0x8000_0003, 15));
        assert_eq!(got[1..5], floats);
        assert_eq!(got[5], (0x232, 2, 15));
        let packed = [got[6].1, got[7].1, got[8].1];
        assert_eq!(command::unpack_f24(packed).map(F24::decode), [1.0, 0.0, 0.5, -1.0]);
        assert_eq!(got[9..], [(0x282, 0x0102_0304, 15), (0x2B0, 0x7FFF_0005, 15)]);
    }

    #[test]
    fn the_first_mistake_is_reported() {
        let fails = |make: &dyn Fn(&mut List) -> &mut List| {
            let mut list = List::new();
            make(&mut list);
            list.set(0x300, 0);
            list.finish().expect_err("a mistake").to_string()
        };
        assert_eq!(fails(&|list| list.set(0x400, 0)), "there is no register 0x400; the last one is 0x2ff");
        assert_eq!(
            fails(&|list| list.consecutive(0x2FF, &[1, 2])),
            "there is no register 0x300; the last one is 0x2ff"
        );
        assert_eq!(fails(&|list| list.set_masked(0, 16, 0)), "a byte mask has four bits, and 0x10 more");
        let wide = regs::fb_dim::new().width(2048);
        assert_eq!(fails(&|list| list.set(0x11E, wide)), "fb_dim: width 2048 is not 0 to 2047");
        let uniforms = [[0.0; 4]; 2];
        assert_eq!(fails(&|list| list.float_uniforms(Unit::Vertex, 95, &uniforms)), "float uniform 96 is beyond 95");
        assert_eq!(
            fails(&|list| list.jump(0x2000_0004, 16)),
            "cmdbuf_addr: address 0x20000004 is not a multiple of 0x8"
        );
    }
}
