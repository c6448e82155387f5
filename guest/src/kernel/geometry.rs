//! Geometry kernels: a program that turns the vertices of a primitive into triangles.
//!
//! Primitives are processed in order by one unit whose temporaries, address registers, flags, output banks and emitted
//! vertices persist from one to the next; they are zero before the first of a job. Output registers stand in two banks that
//! EMIT exchanges. EMIT stores the outputs as vertex 0 to 3, as SETEMIT said; with its primitive bit vertices 0, 1, 2 become
//! a triangle. After the first primitive of a job boolean uniform b15 is true. (3DS hardware tests: banks and b15.)

use super::vertex::{OutputMap, Program, Uniforms, VertexConstants};

/// What a geometry kernel is specialised to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GeometryKey {
    /// The program, with the boolean uniforms as the first primitive sees them.
    pub program: Program,
    /// Where the values of a primitive go.
    pub inputs: GeometryInputs,
    /// What becomes of the outputs of each emitted vertex, as for a vertex kernel.
    pub outputs: OutputMap,
    /// Whether clip code bit 7 is computed, as for a vertex kernel.
    pub user_clip: bool,
}

/// Where the values of a primitive go.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

/// A batch of primitives: those of one draw.
#[derive(Debug)]
pub struct GeometryJob<'a> {
    /// Uniforms before the first primitive.
    pub uniforms: &'a Uniforms,
    /// Viewport and clip plane.
    pub constants: VertexConstants,
    /// The primitives.
    pub primitives: &'a [GeometryPrimitive],
    /// Values of all primitives.
    pub values: &'a [[f32; 4]],
    /// Triangles that count of a single primitive; those beyond it are dropped.
    pub limit: u32,
    /// Where triangles go.
    pub out: &'a mut GeometryOutput,
}

/// Emitted triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeometryOutput {
    /// A record as of a vertex kernel for each vertex, three for each triangle.
    pub records: Vec<f32>,
    /// The clip code of each vertex.
    pub clip: Vec<u8>,
    /// Triangles whose winding is turned over, by number, ascending.
    pub turned: Vec<u32>,
}

impl GeometryOutput {
    /// Empties it, keeping the allocations.
    pub fn clear(&mut self) {
        self.records.clear();
        self.clip.clear();
        self.turned.clear();
    }
}
