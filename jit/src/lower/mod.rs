//! Shader programs to machine code: the fused vertex kernel.
//!
//! ```text
//! decode.rs    words -> instructions          crate::flow  instructions -> blocks, calls inlined
//! live.rs      which components matter
//! fetch.rs     four vertices of each array -> input registers, one value per component
//! registers.rs guest registers as values      alu.rs  arithmetic      control.rs  blocks, branches, loops
//! output.rs    output map, clip codes, screen position -> four records
//! kernel.rs    the call: bounds, groups that are not full, vertices one at a time
//! ```
//!
//! The code loops over groups of four vertices and returns at the first one that it leaves to the reference.

mod alu;
mod control;
pub(crate) mod decode;
mod fetch;
mod kernel;
mod live;
mod output;
mod registers;

use std::collections::HashMap;
use std::sync::Arc;

use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use decode::{Code, Instruction};
use kernel::{DIVERGED, Kernel, RETRY};
use live::Liveness;
use registers::{Constant, File, Variables};
use triglyph_guest::kernel::vertex::{FUEL, Numbers, Program, VertexKey};
use triglyph_guest::kernel::{Refused, VertexKernel};
use triglyph_guest::pica::isa::{Index, Src};

use crate::code::Compiler;
use crate::flow::Graph;
use crate::lane::{Emit, F32x4};

/// The vertex kernel of `key`.
pub fn vertex(compiler: &Compiler, key: &VertexKey) -> Result<Arc<dyn VertexKernel>, Refused> {
    let source = Source::new(key)?;
    let mut table = Table::new();
    let code = compiler.compile(source.graph.size, |e| source.build(e, &mut table))?;
    Ok(Arc::new(Kernel::new(key, code, table)))
}

/// What [`vertex`] compiles: the intermediate form and the host's instructions.
pub fn dump(compiler: &Compiler, key: &VertexKey) -> String {
    match Source::new(key) {
        Ok(source) => compiler.dump(source.graph.size, |e| source.build(e, &mut Table::new())),
        Err(refused) => refused.to_string(),
    }
}

/// Constants that the code reads, each four times side by side, and their places in that order.
type Table = HashMap<(Constant, u8), i32>;

/// A key with its program analysed.
struct Source<'k> {
    key: &'k VertexKey,
    code: Code,
    graph: Graph,
    liveness: Liveness,
}

impl<'k> Source<'k> {
    fn new(key: &'k VertexKey) -> Result<Self, Refused> {
        let Program::Pica(program) = &key.program;
        if program.numbers != Numbers::F32 {
            return Err(Refused("24-bit floats"));
        }
        if key.outputs.slots.len() < 4 || key.outputs.slots.len() > 64 || !key.outputs.slots.len().is_multiple_of(4) {
            return Err(Refused("output map without position or of an odd size"));
        }
        let code = Code::new(program);
        let graph = Graph::new(program.entry, |pc| code.flow(pc))?;
        let liveness = Liveness::new(&code, &graph, &key.outputs);
        Ok(Source { key, code, graph, liveness })
    }

    fn build(&self, e: &mut Emit<'_>, table: &mut Table) -> Result<(), Refused> {
        let head = e.block(&[I32]);
        let zero = e.i32(0);
        e.jump(head, &[zero]);
        e.switch_to(head);
        let group = e.parameter(head, 0);
        let (retry, diverged) = (e.cold_block(&[]), e.cold_block(&[]));
        let reads_counter = self.reads_counter();
        let straight = self.graph.blocks.len() == 1 && !self.graph.cyclic && !reads_counter;
        let variables = (!straight).then(|| Variables::new(e));
        let mut lower = Lower {
            key: self.key,
            code: &self.code,
            liveness: &self.liveness,
            head,
            group,
            retry,
            diverged,
            reads_counter,
            vertices: None,
            addresses: [None; 16],
            inputs: [None; 16],
            table,
            place: 0,
            variables,
            file: File::new(true),
            blocks: Vec::new(),
            pending: Vec::new(),
            e,
        };
        if !straight {
            lower.fetch_all();
        }
        lower.start_variables(self.liveness.start(0), FUEL - self.graph.size);
        lower.program(&self.graph);
        for (block, reason) in [(retry, RETRY), (diverged, DIVERGED)] {
            e.switch_to(block);
            let index = e.b.ins().uextend(I64, group);
            let status = e.b.ins().bor_imm_u(index, reason as i64);
            e.finish(status);
        }
        Ok(())
    }

    /// Whether an operand depends on aL and aL is not always zero.
    fn reads_counter(&self) -> bool {
        let steps = || self.graph.blocks.iter().flat_map(|block| &block.steps);
        let by_counter = |src: Src| matches!(src, Src::Const(_, Index::AL));
        steps().any(|step| step.enter.is_some())
            && steps().filter_map(|step| self.code.get(step.pc)).any(|instruction| match instruction {
                Instruction::Arithmetic { sources, .. } => sources.iter().any(|source| by_counter(source.register)),
                Instruction::Address { source, .. } => by_counter(source.register),
                Instruction::Compare { sources, .. } => sources.iter().any(|source| by_counter(source.register)),
                Instruction::Flow(_) => false,
            })
    }
}

/// Emits a vertex kernel.
struct Lower<'e, 'a> {
    e: &'e mut Emit<'a>,
    key: &'e VertexKey,
    code: &'e Code,
    liveness: &'e Liveness,
    /// Begins a group; its parameter is the group's number.
    head: Block,
    group: Value,
    /// Leave the kernel: the reference has to do the group, or its lanes want to go different ways.
    retry: Block,
    diverged: Block,
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
    /// The block of each block of the program, and how many of the ways into it are not emitted yet.
    blocks: Vec<Block>,
    pending: Vec<u32>,
}
