//! Geometry kernels: a program that turns the vertices of a primitive into triangles.
//!
//! Primitives are processed in order by one unit whose registers, output banks and emitted vertices persist from one to
//! the next ([`GeometryState`]). Output registers are in two banks that EMIT exchanges. EMIT stores the outputs as
//! vertex 0 to 3, as SETEMIT said; with its primitive bit vertices 0, 1, 2 become a triangle. After the first primitive
//! of a job boolean uniform b15 is true. (3DS hardware tests: banks and b15.)
//!
//! Arithmetic is that of a vertex program. A program that executes [`FUEL`] instructions is abandoned; what it has
//! emitted counts.
//!
//! [`FUEL`]: super::vertex::FUEL

use super::vertex::{EXHAUSTED_LIMIT, OutputMap, Program, Uniforms, VertexConstants};
use crate::pica::isa::SetEmit;
use borsh::{BorshDeserialize, BorshSerialize};

/// The key of a geometry kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct GeometryKey {
    /// The program, with the boolean uniforms as the first primitive sees them.
    pub program: Program,
    /// Where the values of a primitive go.
    pub inputs: GeometryInputs,
    /// The mapping of the outputs of each emitted vertex, as for a vertex kernel.
    pub outputs: OutputMap,
    /// Whether clip code bit 7 is computed, as for a vertex kernel.
    pub user_clip: bool,
    /// Whether [`GeometryState::registers`] count after the job. Where they do not, a kernel may leave anything in
    /// those that no primitive of its program reads before it writes them.
    pub keeps_registers: bool,
}

/// Where the values of a primitive go.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum GeometryInputs {
    /// Value i goes to this input register; input registers without a value are zero. Every primitive has as many
    /// values as there are registers here.
    Registers(Vec<u8>),
    /// To float uniforms, from [`GeometryPrimitive::register`] on; those beyond c95 are dropped. They stay for the
    /// primitives that follow.
    Uniforms,
}

/// The values of one primitive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GeometryPrimitive {
    /// First of them in [`GeometryJob::values`].
    pub first: u32,
    /// How many.
    pub count: u32,
    /// First uniform register, for [`GeometryInputs::Uniforms`].
    pub register: u32,
}

/// The state of a geometry unit from one primitive to the next. All zero at the start of a draw, which is to say of a
/// job whose kernel does not keep registers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeometryState {
    /// The registers that instructions write.
    pub registers: GeometryRegisters,
    /// The last setting by SETEMIT.
    pub emit: SetEmit,
    /// The vertices that EMIT stored last, by their number in the output. `None`: nothing was stored there yet. What a
    /// triangle takes from there is the vertex of a unit whose outputs are all zero; it is then appended to the output
    /// and put into the slot.
    pub slots: [Option<u32>; 4],
}

/// Registers of a unit, and what else its instructions write.
#[repr(C)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeometryRegisters {
    /// r0 to r15.
    pub temporaries: [[f32; 4]; 16],
    /// o0 to o15 twice: instructions write to the first bank, EMIT exchanges both.
    pub outputs: [[[f32; 4]; 16]; 2],
    /// a0.x and a0.y. Numbers that need more than 8 bits may be 0 here; they mean the same.
    pub address: [i32; 2],
    /// aL.
    pub loop_counter: i32,
    /// cmp.x and cmp.y.
    pub flags: [bool; 2],
}

/// A batch of primitives: those of one draw.
#[derive(Debug)]
pub struct GeometryJob<'a> {
    /// Uniforms; values of primitives stay in them.
    pub uniforms: &'a mut Uniforms,
    /// Viewport and clip plane.
    pub constants: VertexConstants,
    /// The primitives.
    pub primitives: &'a [GeometryPrimitive],
    /// Values of all primitives.
    pub values: &'a [[f32; 4]],
    /// The unit.
    pub state: &'a mut GeometryState,
    /// EMITs that count of a single primitive. Those beyond it exchange the banks and do nothing else.
    pub limit: u32,
    /// Vertices in the output from which on EMITs do not count either, and no primitive is begun.
    pub room: u32,
    /// Primitives of this job whose program was abandoned. From [`EXHAUSTED_LIMIT`] on the primitives that follow are
    /// not run. Only the reference counts; compiled code leaves such primitives to it.
    ///
    /// [`EXHAUSTED_LIMIT`]: super::vertex::EXHAUSTED_LIMIT
    pub exhausted: u32,
    /// Where vertices and triangles go.
    pub out: &'a mut GeometryOutput,
}

impl GeometryJob<'_> {
    /// Whether the primitives that are left are not run: there is no room for what they emit, or too many programs had
    /// no end.
    pub fn is_over(&self) -> bool {
        self.out.clip.len() >= self.room as usize || self.exhausted >= EXHAUSTED_LIMIT
    }

    /// The job without the primitives from `end` on.
    pub fn until(&mut self, end: usize) -> GeometryJob<'_> {
        GeometryJob {
            uniforms: self.uniforms,
            constants: self.constants,
            primitives: &self.primitives[..end.min(self.primitives.len())],
            values: self.values,
            state: self.state,
            limit: self.limit,
            room: self.room,
            exhausted: self.exhausted,
            out: self.out,
        }
    }
}

/// Emitted vertices and triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeometryOutput {
    /// A record as of a vertex kernel for each EMIT.
    pub records: Vec<f32>,
    /// The clip code of each vertex.
    pub clip: Vec<u8>,
    /// The vertices of each triangle by number, in the order of the slots.
    pub triangles: Vec<[u32; 3]>,
    /// Triangles whose winding is turned over, by number, ascending.
    pub turned: Vec<u32>,
}

impl GeometryOutput {
    /// Empties it, keeping the allocations.
    pub fn clear(&mut self) {
        self.records.clear();
        self.clip.clear();
        self.triangles.clear();
        self.turned.clear();
    }
}
