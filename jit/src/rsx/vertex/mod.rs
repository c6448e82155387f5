//! Vertex programs: four vertices as four lanes.
//!
//! ```text
//! graph.rs      states of control flow -> blocks
//! control.rs    blocks and branches; the group's records at the end
//! registers.rs  registers as values    operand.rs  sources, and where results go
//! alu.rs        both units of an instruction    vector.rs, scalar.rs  what each computes
//! ```

mod alu;
mod control;
mod graph;
mod operand;
mod registers;
mod scalar;
mod vector;

use std::collections::{BTreeSet, HashMap};

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::kernel::program::vertex::{RSX_CONSTANTS, RsxVertexCode, VertexKey};
use triglyph_guest::rsx::vertex::{Instruction, Program};
use triglyph_guest::table::flags;

use crate::cfg::emit::{self, HostBlocks};
use crate::groups::{AtOnce, Groups};
use crate::lane::{Emit, F32x4};
use crate::rsx::vertex_kernel::args::VertexArgs;
use crate::rsx::vertex_kernel::needs::{DIVERGED, Needs, RETRY};
use graph::Graph;
use registers::{Cell, File, Variables};

/// A key with its program analysed.
pub struct Source<'k> {
    key: &'k VertexKey,
    program: Program,
    graph: Graph,
    textures: Vec<(usize, TextureKey)>,
}

impl<'k> Source<'k> {
    /// Analyses the program of a key.
    pub fn new(key: &'k VertexKey, code: &RsxVertexCode) -> Result<Self, Unsupported> {
        let program = Program::decode(&code.code, code.start.into(), |_, _| ());
        let graph = graph::graph(&program, code.branch_bits)?;
        let read = program.summary.textures;
        let textures =
            (0..4).filter(|&unit| read >> unit & 1 != 0).filter_map(|unit| Some((unit, key.textures[unit]?))).collect();
        Ok(Source { key, program, graph, textures })
    }

    /// Work of a group, in guest instructions or so.
    pub fn size(&self) -> u32 {
        self.graph.size + 6 * self.textures.len() as u32
    }

    /// Inputs that are read.
    pub fn inputs(&self) -> u16 {
        self.program.summary.inputs
    }

    /// Texture units that are read.
    pub fn textures(&self) -> &[(usize, TextureKey)] {
        &self.textures
    }

    /// Constants that a job must have.
    pub fn constants(&self) -> usize {
        let summary = &self.program.summary;
        if summary.relative_constants { RSX_CONSTANTS } else { usize::from(summary.constants).min(RSX_CONSTANTS) }
    }

    /// The most instructions that a vertex can take; `None` where there are loops.
    pub fn longest(&self) -> Option<u32> {
        self.graph.longest()
    }

    /// Whether the code counts instructions: a vertex may take more than there are.
    pub fn counts(&self) -> bool {
        self.longest().is_none_or(|longest| longest as usize > self.program.code.len())
    }

    /// Emits the kernel.
    pub fn build(&self, e: &mut Emit<'_>, needs: &mut Needs) -> Result<(), Unsupported> {
        let groups = Groups::begin(e, VertexArgs::GROUPS, AtOnce::Two);
        let (retry, diverged) = (e.cold_block(&[]), e.cold_block(&[]));
        let straight = self.graph.blocks.len() == 1 && !self.counts();
        let mut lower = Lower {
            source: self,
            groups,
            retry,
            diverged,
            inputs: [None; 16],
            relative: HashMap::new(),
            table: None,
            variables: Variables::default(),
            file: File::start(),
            blocks: HostBlocks::default(),
            e,
            needs,
        };
        if !straight {
            lower.start();
        }
        emit::emit_all(&mut lower, &self.graph.blocks);
        groups.end(e);
        let args = e.args;
        let all = e.load_i32(args, VertexArgs::GROUPS);
        let all = e.b.ins().uextend(I64, all);
        e.finish(all);
        for (block, reason) in [(retry, RETRY), (diverged, DIVERGED)] {
            e.switch_to(block);
            let index = e.b.ins().uextend(I64, groups.group);
            let status = e.b.ins().bor_imm_u(index, reason as i64);
            e.finish(status);
        }
        Ok(())
    }

    fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.graph.blocks.iter().flat_map(|block| &block.steps).map(|&(pc, _)| &self.program.code[usize::from(pc)])
    }
}

/// Emits a vertex program.
struct Lower<'e, 'a> {
    e: &'e mut Emit<'a>,
    source: &'e Source<'e>,
    needs: &'e mut Needs,
    groups: Groups,
    /// Leave the kernel: the interpreter has to do the group, or its lanes diverge.
    retry: Block,
    diverged: Block,
    /// What was fetched from arrays.
    inputs: [Option<[F32x4; 4]>; 16],
    /// Rows of constants and inputs at an address register.
    relative: HashMap<operand::Relative, [F32x4; 4]>,
    /// Address of the table of constants.
    table: Option<Value>,
    variables: Variables,
    file: File,
    blocks: HostBlocks,
}

impl Lower<'_, '_> {
    /// Prepares a program of several blocks.
    fn start(&mut self) {
        let mut cells = BTreeSet::new();
        let mut pushes = false;
        for instruction in self.source.instructions() {
            pushes |= instruction.scalar.op.has(flags::PUSHES | flags::POPS);
            for c in 0..4u8 {
                let units = [
                    (instruction.vector.temp, instruction.vector.output),
                    (instruction.scalar.temp, instruction.scalar.output),
                ];
                for (temp, output) in units {
                    cells.extend(temp.map(|n| Cell::Temp(n, c)));
                    cells.extend(output.map(|n| Cell::Output(n, c)));
                }
                if instruction.update.is_some() {
                    cells.insert(Cell::Condition(instruction.condition_register & 1, c));
                }
                if instruction.vector.op.writes_address() {
                    cells.insert(Cell::Address(instruction.vector.address & 1, c));
                }
                if instruction.scalar.op.writes_address() {
                    cells.insert(Cell::Address(instruction.address_register & 1, c));
                }
            }
        }
        if pushes {
            cells.extend((0..8).flat_map(|depth| (0..4).map(move |c| Cell::Pushed(depth, c))));
        }
        for n in (0..16).filter(|n| self.source.inputs() >> n & 1 != 0) {
            self.fetched(n);
        }
        self.table();
        let fuel = self.source.counts().then(|| {
            let args = self.e.args;
            self.e.load_i32(args, VertexArgs::FUEL)
        });
        self.start_variables(cells, fuel);
        self.file = File::default();
    }
}
