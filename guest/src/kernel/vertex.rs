//! Vertex kernels: fetch, program, output mapping, clip codes and viewport of a batch of vertices.
//!
//! PICA200 programs compute with the console's rules: 0 * infinity = 0 in every product, nothing is fused, dot products
//! are `((x + y) + z) + w`, EX2 and LG2 are [`crate::num::ops`]. LITP clamps y by the MAX and MIN rules (NaN gives the
//! low end) and always writes both flags. In which numbers is a property of the program: [`Numbers`].

use borsh::{BorshDeserialize, BorshSerialize};
use std::sync::Arc;

use super::window::Window;

/// Vertices that compiled code shades together; also the unit in which work falls back to the reference.
pub const GROUP: usize = 4;

/// Instructions one invocation of a vertex program may execute before it is abandoned.
pub const FUEL: u32 = 65_536;

/// Invocations of a job that may run out of fuel before the rest of it is given up, so that a draw with a program that
/// never ends takes milliseconds, not hours.
pub const EXHAUSTED_LIMIT: u32 = 4;

/// The key of a vertex kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct VertexKey {
    /// The program.
    pub program: Program,
    /// Where each input register comes from.
    pub inputs: [Input; 16],
    /// The mapping of the outputs.
    pub outputs: OutputMap,
    /// Whether clip code bit 7 is computed from [`VertexConstants::clip_plane`].
    pub user_clip: bool,
}

/// Microcode of one of the machines.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Program {
    /// A PICA200 program.
    Pica(Arc<PicaProgram>),
}

/// A PICA200 shader program as its unit holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct PicaProgram {
    /// Code memory, trailing zero words cut off; reading beyond the end gives zero words, 512 words at most for a
    /// vertex unit, 4096 for a geometry unit.
    pub code: Vec<u32>,
    /// Operand descriptors, at most 128; those beyond the end are zero.
    pub descriptors: Vec<u32>,
    /// Index of the first instruction.
    pub entry: u16,
    /// Boolean uniforms b0 to b15: part of the key, branches on them cost nothing.
    pub bools: u16,
    /// The number format of its arithmetic.
    pub numbers: Numbers,
}

/// The numbers that a PICA200 program computes in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Numbers {
    /// f32, rounded to nearest. RCP is `1 / (x + 0) + 0`, RSQ `1 / sqrt(x + 0)`.
    #[default]
    F32,
    /// 24-bit floats as the console has them, [`crate::num::f24`]: inputs and float uniforms pass
    /// [`load`](crate::num::f24::load) first; each product, sum, quotient and square root of ADD, MUL, MAD, DP3, DP4,
    /// DPH, DST, RCP and RSQ, and the result of FLR, EX2 and LG2, is [`result`](crate::num::f24::result) of the
    /// operation on [`operand`](crate::num::f24::operand)s, rounded to the nearest number of
    /// [`INSIDE`](crate::num::f24::INSIDE) bits, as in f32. RCP is `1 / x` and RSQ `1 / sqrt(x)`, whose root is rounded
    /// to f32 and not cut. Other instructions move and compare values as they are. Clip codes and positions stay in
    /// f32.
    F24,
}

/// Where an input register's value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Input {
    /// Nothing loads it: (0, 0, 0, 0).
    #[default]
    Zero,
    /// [`VertexJob::fixed`] of this index.
    Fixed(u8),
    /// The array [`VertexJob::streams`] of this index. Missing y, z read 0, missing w reads 1; integers convert
    /// without normalisation.
    Array {
        /// Which stream, 0 to 15.
        stream: u8,
        /// Component type.
        component: Component,
        /// Components present, 1 to 4.
        count: u8,
    },
}

/// Type of a vertex array's components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Component {
    /// Signed 8-bit integer.
    I8,
    /// Unsigned 8-bit integer.
    U8,
    /// Signed 16-bit integer, little-endian.
    I16,
    /// 32-bit float, little-endian.
    F32,
}

impl Component {
    /// Bytes of one component.
    pub const fn bytes(self) -> u32 {
        match self {
            Component::I8 | Component::U8 => 1,
            Component::I16 => 2,
            Component::F32 => 4,
        }
    }
}

/// Which output register component ends in which slot of the vertex record.
///
/// Slots come in groups of four; slots 0 to 3 are the clip-space position. An unmapped slot holds 1.0 (3DS hardware
/// test); a group without any mapped slot is not written at all, readers take 1.0 for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct OutputMap {
    /// A multiple of four slots, at most 64.
    pub slots: Vec<Option<OutputComponent>>,
}

impl OutputMap {
    /// Floats of one vertex record: the screen position and all slots.
    pub fn stride(&self) -> usize {
        SCREEN + self.slots.len()
    }

    /// Whether any slot of group `group` (slots `4 * group ..`) is written.
    pub fn group_written(&self, group: usize) -> bool {
        group == 0 || self.slots[4 * group..4 * group + 4].iter().any(Option::is_some)
    }
}

/// A component of an output register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct OutputComponent {
    /// Output register, 0 to 15.
    pub register: u8,
    /// Component, 0 x to 3 w.
    pub component: u8,
    /// Replace the value c by `|c| < 1 ? |c| : 1` (vertex colours of the 3DS; NaN gives 1).
    pub saturate: bool,
}

/// Floats at the start of a vertex record: screen x, screen y, z/w, 1/w; the slots follow.
pub const SCREEN: usize = 4;

/// One vertex array.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stream<'m> {
    /// Memory from the attribute of vertex 0 on.
    pub window: Window<'m>,
    /// Bytes from one vertex to the next.
    pub stride: u32,
}

/// Uniforms of a PICA200 unit, laid out for relative addressing without a bounds check.
#[repr(C, align(16))]
#[derive(Clone, Debug, PartialEq)]
pub struct Uniforms {
    /// c0 to c95, then 32 registers of ones: what an index beyond the file reads (3DS hardware test).
    pub floats: [[f32; 4]; 128],
    /// i0 to i3: x iterations - 1, y initial aL, z increment, w unused.
    pub ints: [[u8; 4]; 4],
}

impl Default for Uniforms {
    fn default() -> Self {
        let mut floats = [[1.0; 4]; 128];
        floats[..96].fill([0.0; 4]);
        Uniforms { floats, ints: [[0; 4]; 4] }
    }
}

/// Values a vertex kernel needs besides uniforms and attributes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VertexConstants {
    /// Half of the viewport's width and height, pixels.
    pub half: [f32; 2],
    /// The viewport's corner, pixels.
    pub corner: [f32; 2],
    /// Coefficients of the user clip plane.
    pub clip_plane: [f32; 4],
}

/// A batch of vertices.
#[derive(Debug)]
pub struct VertexJob<'a> {
    /// Vertex arrays.
    pub streams: &'a [Stream<'a>; 16],
    /// Fixed attributes.
    pub fixed: &'a [[f32; 4]; 16],
    /// Uniforms.
    pub uniforms: &'a Uniforms,
    /// Viewport and clip plane.
    pub constants: VertexConstants,
    /// Number of the array element for each vertex of the batch.
    pub vertices: &'a [u32],
    /// Largest value in `vertices`.
    pub last_vertex: u32,
    /// One record of [`OutputMap::stride`] floats for each vertex:
    ///
    /// ```text
    /// iw = 1/w; [x*iw + 1) * half.x + corner.x, (y*iw + 1) * half.y + corner.y, z*iw, iw], slots...
    /// ```
    pub records: &'a mut [f32],
    /// One clip code for each vertex; a bit is set when the vertex lies outside, that is unless the value is
    /// at least -1e-8 (NaN lies outside): bit 0 w-x, 1 w+x, 2 w-y, 3 w+y, 4 -z, 5 w+z, 6 w-1e-5, 7 the user plane
    /// `((cx*x + cy*y) + cz*z) + cw*w`.
    pub clip: &'a mut [u8],
    /// Invocations of this job that ran out of [`FUEL`]. From [`EXHAUSTED_LIMIT`] on the vertices that follow are not
    /// run: their records are 0, their clip codes 0xFF. Only the reference counts; compiled code leaves such groups to
    /// it.
    pub exhausted: u32,
}
