//! Vertex programs: fetch and program of a batch of vertices.

use borsh::{BorshDeserialize, BorshSerialize};
use std::sync::Arc;

use super::sampler::{Texture, TextureKey};
use crate::kernel::window::Window;

/// The key of a vertex kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct VertexKey {
    /// The program.
    pub code: VertexCode,
    /// Where each input register comes from.
    pub inputs: [Input; 16],
    /// Whether 16-bit and 32-bit components of arrays are big-endian.
    pub big_endian: bool,
    /// Which output registers go to the record, bit i = output i. Bit 0, the position, is always set.
    pub outputs: u32,
    /// Those of them whose components are clamped in the record: `0 < v ? v : 0`, then `v < 1 ? v : 1`.
    pub clamped: u32,
    /// Texture units of vertex programs; `None` reads (0, 0, 0, 0).
    pub textures: [Option<TextureKey>; 4],
}

impl VertexKey {
    /// Floats of one record.
    pub const fn stride(&self) -> usize {
        4 * self.outputs.count_ones() as usize
    }

    /// Index of output `register` in a record, if it is in it.
    pub const fn offset(&self, register: u32) -> Option<usize> {
        if register < 32 && self.outputs & 1 << register != 0 {
            Some(4 * (self.outputs & ((1 << register) - 1)).count_ones() as usize)
        } else {
            None
        }
    }
}

/// Microcode of one of the machines.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum VertexCode {
    /// An RSX (NV40) program.
    Rsx(Arc<RsxVertexCode>),
}

/// An RSX vertex program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct RsxVertexCode {
    /// Instructions as loaded, at most 544; running beyond the last one ends the program.
    pub code: Vec<[u32; 4]>,
    /// First instruction executed.
    pub start: u16,
    /// Booleans of BRB and CLB: part of the key, those branches cost nothing.
    pub branch_bits: u32,
}

/// Constants of an RSX vertex program that a relative index can reach; those from 468 on and any index outside are
/// (0, 0, 0, 0).
pub const RSX_CONSTANTS: usize = 468;

/// Where an input register's value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Input {
    /// [`VertexJob::fixed`] of the register's number.
    #[default]
    Fixed,
    /// [`VertexJob::streams`] of the register's number. Missing y, z read 0, missing w reads 1.
    Array {
        /// Type of the components.
        component: Component,
        /// Components present, 1 to 4; [`Component::Packed11`] and [`Component::Bgra8`] ignore it.
        count: u8,
        /// Which element a vertex reads.
        step: Step,
    },
}

/// Type of a vertex array's components. Components follow each other without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Component {
    /// v / 255 as 24 bits of fraction that repeat v: `v * 0x01_0101` of 2^24, which is exact, but 255 is 1. (An NV40's
    /// vertex fetch, envytools' nvhw.)
    Unorm8,
    /// Unsigned byte as it is.
    Uint8,
    /// (v + 0.5) / 32767.5, so that zero cannot be expressed: `(2 v + 1) * 0x1_0001` of 2^32, cut towards zero to 24
    /// bits, but both ends are -1 and 1. (A console's ends and middle, RPCS3's vertex fetch; every bit an NV40's,
    /// envytools' nvhw.)
    CenteredSnorm16,
    /// Signed 16-bit integer as it is.
    Sint16,
    /// IEEE half.
    F16,
    /// IEEE single.
    F32,
    /// One 32-bit word: signed x 10:0, y 21:11, z 31:22. Each field shifted to the top of an i16, then
    /// `max(v as f32 * (1.0 / 32767.0), -1)`; w = 1.
    Packed11,
    /// Four bytes B, G, R, A in address order, read as (r, g, b, a), each as [`Component::Unorm8`].
    Bgra8,
}

impl Component {
    /// Bytes of one component; of all of them for the two packed types.
    pub const fn bytes(self) -> u32 {
        match self {
            Component::Unorm8 | Component::Uint8 => 1,
            Component::CenteredSnorm16 | Component::Sint16 | Component::F16 => 2,
            Component::F32 | Component::Packed11 | Component::Bgra8 => 4,
        }
    }

    /// Bytes of an element of `count` components.
    pub const fn element_bytes(self, count: u8) -> u32 {
        match self {
            Component::Packed11 | Component::Bgra8 => 4,
            _ => self.bytes() * count as u32,
        }
    }
}

/// Which element of its array the vertex of index i reads; [`Stream::divisor`] is at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Step {
    /// i
    Vertex,
    /// i / divisor
    Divide,
    /// i % divisor
    Modulo,
}

/// One vertex array.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'m> {
    /// Memory from element 0 on; an element that does not lie in it whole reads its missing bytes as 0.
    pub window: Window<'m>,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// See [`Step`].
    pub divisor: u32,
}

impl Default for Stream<'_> {
    fn default() -> Self {
        Stream { window: Window::default(), stride: 0, divisor: 1 }
    }
}

/// Where [`VertexJob::records`] has room for it, kernels write records up to a multiple of this many vertices.
pub const ROOM: usize = 8;

/// A batch of vertices.
#[derive(Debug)]
pub struct VertexJob<'a> {
    /// Vertex arrays by input register.
    pub streams: &'a [Stream<'a>; 16],
    /// Values of the registers without array.
    pub fixed: &'a [[f32; 4]; 16],
    /// Constants, [`RSX_CONSTANTS`] of them for the RSX.
    pub constants: &'a [[f32; 4]],
    /// Textures of [`VertexKey::textures`].
    pub textures: &'a [Texture<'a>; 4],
    /// Element index of each vertex of the batch.
    pub vertices: &'a [u32],
    /// Largest value in `vertices`.
    pub last_vertex: u32,
    /// Instructions one invocation may execute, branches and calls included, at most 65,536; then it ends with the
    /// outputs it has written.
    pub fuel: u32,
    /// Instructions of each invocation that do not count as [excess](Self::excess): as many as the program has at
    /// least.
    pub free: u32,
    /// One record of [`VertexKey::stride`] floats for each vertex: the four components of each recorded output
    /// register, registers ascending. Outputs start as (0, 0, 0, 1). Which NaN a record holds is not said. There may be
    /// more, see [`ROOM`].
    pub records: &'a mut [f32],
    /// Invocations that ran out of fuel. From [`EXHAUSTED_LIMIT`](crate::kernel::vertex::EXHAUSTED_LIMIT) on the
    /// vertices that follow are not run: their records are 0. Only the reference counts; compiled code leaves such
    /// groups to it.
    pub exhausted: u32,
    /// Instructions that invocations have executed beyond the first [`free`](Self::free) of each.
    pub excess: u64,
}
