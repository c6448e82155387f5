//! Vertex and geometry programs of the 3DS (PICA200), and the kernels that execute them.
//!
//! ```text
//! decode.rs    words -> instructions          instruction.rs  their types
//! flow.rs      instructions -> blocks, calls inlined
//! live.rs      which components matter        source.rs    all of that, for a key
//! fetch.rs     four vertices of each array -> input registers, one value per component
//! registers.rs guest registers as values      tracked.rs  what is known of one
//! alu.rs       arithmetic                     control.rs  blocks, branches, loops
//! f24.rs       arithmetic in 24-bit floats
//! output.rs    output map, clip codes, screen position -> four records
//! geometry_unit.rs    EMIT, and the registers that a geometry unit keeps between primitives
//! args.rs      arguments of both kernels
//! vertex_kernel.rs    the call: bounds, groups that are not full, vertices one at a time
//! geometry_kernel.rs  the call of a geometry kernel: values to lanes, vertices to triangles
//! speculative.rs  code with plain products, and with exact ones once that pays
//! ```
//!
//! The code of a vertex kernel loops over groups of four vertices and returns at the first one that has to fall back to
//! the interpreter. That of a geometry kernel does four primitives, or one where registers keep values of the one
//! before.

mod alu;
mod args;
mod control;
pub(crate) mod decode;
mod f24;
mod fetch;
pub(crate) mod flow;
mod geometry_kernel;
mod geometry_unit;
mod instruction;
mod live;
mod output;
mod registers;
mod source;
mod speculative;
mod tracked;
mod vertex_kernel;

use std::collections::HashMap;
use std::sync::Arc;

use args::VertexArgs;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use registers::{Constant, File, Variables};
use source::{Feed, Source};
use triglyph_guest::kernel::geometry::GeometryKey;
use triglyph_guest::kernel::vertex::{FUEL, Numbers, Uniforms, VertexKey};
use triglyph_guest::kernel::{GeometryKernel, Unsupported, VertexKernel};
use triglyph_guest::num;

use crate::cfg::emit::{HostBlocks, emit_all};
use crate::code::{Code, Compiler};
use crate::effort::OPTIMIZED_LIMIT;
use crate::groups::{AtOnce, Groups};
use crate::lane::{Emit, F32x4};

/// What a register of these numbers holds of a vector from outside.
fn held(vector: [f32; 4], numbers: Numbers) -> [f32; 4] {
    match numbers {
        Numbers::F32 => vector,
        Numbers::F24 => vector.map(num::f24::load),
    }
}

/// What arithmetic in 24-bit floats takes for a value from outside.
fn operand(value: f32) -> f32 {
    num::f24::operand(num::f24::load(value))
}

/// Uniforms as registers of these numbers hold them, if that is something else.
fn held_uniforms(uniforms: &Uniforms, numbers: Numbers) -> Option<Box<Uniforms>> {
    (numbers == Numbers::F24).then(|| {
        let floats = uniforms.floats.map(|vector| held(vector, numbers));
        Box::new(Uniforms { floats, ..*uniforms })
    })
}

/// The vertex kernel of `key`.
pub fn vertex(compiler: &Arc<Compiler>, key: &VertexKey) -> Result<Arc<dyn VertexKernel>, Unsupported> {
    Ok(Arc::new(vertex_kernel::CompiledVertex::new(compiler, key)?))
}

/// The geometry kernel of `key`.
pub fn geometry(compiler: &Arc<Compiler>, key: &GeometryKey) -> Result<Arc<dyn GeometryKernel>, Unsupported> {
    Ok(Arc::new(geometry_kernel::CompiledGeometry::new(compiler, key)?))
}

/// What [`vertex`] compiles: the intermediate form and the host's instructions.
pub fn dump(compiler: &Compiler, key: &VertexKey) -> String {
    match Source::vertex(key) {
        Ok(source) => compiler.dump(source.size(), |e| source.build(e, &mut Table::new(), false)),
        Err(unsupported) => unsupported.to_string(),
    }
}

/// Indices of the constants in the table that code reads, in which each is there four times.
type Table = HashMap<(Constant, u8), i32>;

/// Machine code and the constants of its table.
struct Compiled<A> {
    code: Code<A>,
    constants: Vec<(Constant, u8)>,
}

/// In a kernel's result, above the number of groups or vertices done: the interpreter has to do the next one.
const RETRY: u64 = 1 << 32;
/// The lanes of the next group diverge at a branch.
const DIVERGED: u64 = 2 << 32;
/// The next group has a NaN that may be 0 * infinity.
const DOUBTFUL: u64 = 4 << 32;
/// There is no room for the vertices that the group emits.
const FULL: u64 = 8 << 32;
/// All of them.
const REASONS: u64 = 15 << 32;

/// Blocks that leave the kernel, each for its reason.
#[derive(Clone, Copy)]
struct Exits {
    retry: Block,
    diverged: Block,
    doubtful: Block,
    full: Block,
}

impl Exits {
    fn all(self) -> [(Block, u64); 4] {
        [(self.retry, RETRY), (self.diverged, DIVERGED), (self.doubtful, DOUBTFUL), (self.full, FULL)]
    }
}

impl Source<'_> {
    /// Compiles the program; `exact`: with products that need no second look.
    fn compile<A>(&self, compiler: &Compiler, exact: bool) -> Result<Compiled<A>, Unsupported> {
        let mut table = Table::new();
        let code = compiler.compile(self.size(), |e| self.build(e, &mut table, exact))?;
        let mut places: Vec<_> = table.into_iter().collect();
        places.sort_unstable_by_key(|&(_, place)| place);
        Ok(Compiled { code, constants: places.into_iter().map(|(constant, _)| constant).collect() })
    }

    fn build(&self, e: &mut Emit<'_>, table: &mut Table, exact: bool) -> Result<(), Unsupported> {
        let straight = self.graph.blocks.len() == 1 && !self.graph.cyclic && !self.reads_counter;
        // Each cut doubles the time to a result, so that two groups leave much of the processor idle.
        let waits = straight && self.numbers == Numbers::F24 && !exact;
        let four = waits && 2 * self.size() <= OPTIMIZED_LIMIT;
        let at_once = if four { AtOnce::Four } else { AtOnce::Two };
        let groups = (!self.is_geometry()).then(|| Groups::begin(e, VertexArgs::GROUPS, at_once));
        let [retry, diverged, doubtful, full] = [(); 4].map(|()| e.cold_block(&[]));
        let exits = Exits { retry, diverged, doubtful, full };
        let variables = (!straight).then(|| Variables::new(e));
        let mut lower = Lower {
            source: self,
            exact: exact || self.numbers == Numbers::F24 && self.is_geometry(),
            groups,
            exits,
            reads_counter: self.reads_counter,
            vertices: None,
            addresses: [None; 16],
            inputs: [None; 16],
            table,
            place: 0,
            variables,
            file: File::new(true),
            blocks: HostBlocks::default(),
            e,
        };
        if !straight {
            lower.fetch_all();
        }
        lower.start_variables(self.liveness.start(0), FUEL - self.graph.size);
        emit_all(&mut lower, &self.graph.blocks);
        if let Some(groups) = groups {
            groups.end(e);
            let args = e.args;
            let all = e.load_i32(args, VertexArgs::GROUPS);
            let all = e.b.ins().uextend(I64, all);
            e.finish(all);
        }
        for (block, reason) in exits.all() {
            e.switch_to(block);
            let done = groups.map_or_else(|| e.i32(0), |groups| groups.group);
            let done = e.b.ins().uextend(I64, done);
            let status = e.b.ins().bor_imm_u(done, reason as i64);
            e.finish(status);
        }
        Ok(())
    }
}

/// Emits a kernel.
struct Lower<'e, 'a> {
    e: &'e mut Emit<'a>,
    source: &'e Source<'e>,
    /// Products are what the guest has, even 0 * infinity, and so are 24-bit floats, even those out of range. Geometry
    /// programs in 24-bit floats are always exact.
    exact: bool,
    /// The loop over groups of a vertex kernel.
    groups: Option<Groups>,
    exits: Exits,
    /// Whether aL has to be known.
    reads_counter: bool,
    /// Numbers of the group's vertices, and where those are in the streams.
    vertices: Option<[Value; 4]>,
    addresses: [Option<[Value; 4]>; 16],
    /// What was fetched from arrays.
    inputs: [Option<[F32x4; 4]>; 16],
    table: &'e mut Table,
    /// Instructions emitted so far.
    place: u32,
    /// For all but straight programs.
    variables: Option<Variables>,
    file: File,
    blocks: HostBlocks,
}
