//! Emission of CLIF over values of four guest lanes.
//!
//! A Rust `if` on state disappears: it only decides what is emitted. A primitive does what the CLIF instruction of its
//! name does on every host. Operations that lower badly or not at all on some host are not offered: minimum and maximum
//! are a compare and a select in the order that hosts recognise, comparisons are the eight that every host has, nothing
//! traps, nothing is fused.
//!
//! Constants are emitted once per block; values may be used in every block that the defining block dominates.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::immediates::Offset32;
use cranelift_codegen::ir::types::{F32, F32X4, F64, F64X2, I8X16, I16X8, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{
    Block, BlockArg, ConstantData, Endianness, Inst, InstBuilder, InstructionData, MemFlagsData, Opcode, Type, Value,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::FunctionBuilder;
use triglyph_guest::num::ops::Ops;

use crate::interleave::{Body, Branches, JointBranch};
use crate::promote::Slots;

mod arithmetic;
mod caps;
mod compare;
mod constants;
mod double;
mod half;
#[cfg(test)]
mod half_tests;
mod logic;
mod memory;
mod numbering;
mod pair;
mod stencil;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use caps::{Caps, Pairs};
pub(crate) use double::F64x4;
pub(crate) use pair::Pair;
pub(crate) use stencil::StencilTest;

/// Four floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct F32x4(pub Value);

/// Four 32-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct I32x4(pub Value);

/// Eight 16-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct I16x8(pub Value);

/// Four lanes that are all ones or all zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mask(pub Value);

/// Lanes of a value.
pub(crate) const LANES: usize = 4;

/// Emits one kernel.
pub(crate) struct Emit<'a> {
    /// The builder, for control flow and scalars.
    pub b: FunctionBuilder<'a>,
    /// What the host can do.
    pub caps: Caps,
    /// The kernel's only parameter: the address of its arguments.
    pub args: Value,
    parameter: Value,
    constants: HashMap<([u8; 16], Type), Value>,
    pool: Option<Pool>,
    /// What has been computed in this block, and when, counted in instructions.
    operations: HashMap<numbering::Operation, (Value, usize)>,
    /// The loops of which two iterations may run at once.
    pub bodies: Vec<Body>,
    /// What the two iterations need to know.
    branches: Branches,
    /// The registers of programs that keep them in memory between blocks.
    pub slots: Vec<Slots>,
}

/// Constants among the arguments: operations take them from memory, no register holds them.
struct Pool {
    offset: i32,
    capacity: usize,
    entries: Vec<[u8; 16]>,
    /// Recently loaded constants, and when they were loaded, counted in instructions.
    near: HashMap<([u8; 16], Type), (Value, usize)>,
}

/// Instructions after which a pooled constant is loaded again rather than kept in a register.
const NEAR: usize = 24;

/// Flags of every load and store: cannot trap, alignment unknown.
pub(crate) fn memory() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

impl<'a> Emit<'a> {
    /// Starts the function's entry block.
    pub fn new(mut b: FunctionBuilder<'a>, caps: Caps) -> Self {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let args = b.block_params(entry)[0];
        let (constants, operations) = (HashMap::new(), HashMap::new());
        let branches = Branches { has_wide_vectors: caps.wide, ..Branches::default() };
        Emit {
            b,
            caps,
            args,
            parameter: args,
            constants,
            pool: None,
            operations,
            bodies: Vec::new(),
            branches,
            slots: Vec::new(),
        }
    }

    /// Ends the function body with `status` as the kernel's result.
    pub fn finish(&mut self, status: Value) {
        self.b.ins().return_(&[status]);
    }

    /// Ends the function body with 0: all is done.
    pub fn succeed(&mut self) {
        let status = self.i64(0);
        self.finish(status);
    }

    /// Ends the build. Returns what [`interleave`](crate::interleave::interleave) needs.
    pub fn close(mut self, config: TargetFrontendConfig) -> (Value, Vec<Body>, Branches) {
        self.b.seal_all_blocks();
        self.b.finalize(config);
        (self.parameter, self.bodies, self.branches)
    }

    // Control flow.

    /// A new block with parameters of these types.
    pub fn block(&mut self, parameters: &[Type]) -> Block {
        let block = self.b.create_block();
        for &ty in parameters {
            self.b.append_block_param(block, ty);
        }
        block
    }

    /// A new block that is unlikely to run; it is placed after the others.
    pub fn cold_block(&mut self, parameters: &[Type]) -> Block {
        let block = self.block(parameters);
        self.b.set_cold_block(block);
        block
    }

    /// Goes on in `block`; constants are emitted again there.
    pub fn switch_to(&mut self, block: Block) {
        self.b.switch_to_block(block);
        self.constants.clear();
        self.operations.clear();
        if let Some(pool) = &mut self.pool {
            pool.near.clear();
        }
        self.args = self.local(self.parameter);
    }

    /// An address for use in this block alone. With single-pass allocation a value that is live across blocks is in
    /// memory all the time and every use reloads it; a copy is live in one block.
    pub fn local(&mut self, address: Value) -> Value {
        if !self.caps.copies {
            return address;
        }
        // Not an addition: addressing modes see through those.
        self.b.ins().bor_imm_u(address, 0)
    }

    /// Parameter `index` of `block`.
    pub fn parameter(&self, block: Block, index: usize) -> Value {
        self.b.block_params(block)[index]
    }

    /// Jumps to `block`.
    pub fn jump(&mut self, block: Block, values: &[Value]) {
        let values: Vec<BlockArg> = values.iter().map(|&v| v.into()).collect();
        self.b.ins().jump(block, &values);
    }

    /// Jumps to `yes` when the integer `condition` is not zero, else to `no`.
    pub fn branch(&mut self, condition: Value, yes: (Block, &[Value]), no: (Block, &[Value])) {
        let [then, otherwise] = [yes.1, no.1].map(|values| values.iter().map(|&v| v.into()).collect::<Vec<BlockArg>>());
        self.b.ins().brif(condition, yes.0, &then, no.0, &otherwise);
    }

    /// As [`Self::branch`]. Taking `yes` is always correct; `no` is an optional shortcut.
    pub fn branch_if_any(&mut self, condition: Value, yes: (Block, &[Value]), no: (Block, &[Value])) {
        self.branch_jointly(condition, [yes, no], JointBranch::AnyTaken);
    }

    /// As [`Self::branch`]. Taking `no` is always correct; `yes` is an optional shortcut.
    pub fn branch_if_all(&mut self, condition: Value, yes: (Block, &[Value]), no: (Block, &[Value])) {
        self.branch_jointly(condition, [yes, no], JointBranch::AllTaken);
    }

    /// As [`Self::branch`]. The condition is uniform: the same for all iterations of a loop.
    pub fn branch_together(&mut self, condition: Value, yes: (Block, &[Value]), no: (Block, &[Value])) {
        self.branch_jointly(condition, [yes, no], JointBranch::Uniform);
    }

    /// As [`Self::branch`]. Where interleaved iterations disagree, they restart one at a time, so what an iteration
    /// executes before this branch may be executed twice.
    pub fn branch_if_agreed(&mut self, condition: Value, yes: (Block, &[Value]), no: (Block, &[Value])) {
        self.branch_jointly(condition, [yes, no], JointBranch::SplitOnDivergence);
    }

    fn branch_jointly(&mut self, condition: Value, [yes, no]: [(Block, &[Value]); 2], kind: JointBranch) {
        self.branch(condition, yes, no);
        self.branches.joint.extend(self.last_inst().map(|branch| (branch, kind)));
    }

    /// As [`Self::branch`]. `rare` is an unlikely block that cannot be interleaved: iterations that would take it
    /// restart one at a time, so what an iteration executes before this branch may be executed twice.
    pub fn branch_if_rare(&mut self, condition: Value, rare: Block, usual: (Block, &[Value])) {
        self.branch(condition, (rare, &[]), usual);
        self.branches.rare.extend(self.last_inst());
    }

    /// Starts a block that interleaved iterations execute one after the other, until each has jumped to `meeting`, the
    /// only block that it leads to. In it they may call, and store to memory that they share.
    pub fn serialize_until(&mut self, meeting: Block) {
        let part = self.block(&[]);
        self.jump(part, &[]);
        self.branches.serialized.extend(self.last_inst().map(|jump| (jump, meeting)));
        self.switch_to(part);
    }

    /// Marks the last instruction, a store or a call, as repeatable: a restarted iteration may execute it again.
    pub fn mark_repeatable(&mut self) {
        self.branches.repeatable.extend(self.last_inst());
    }

    /// Interleaved iterations all use the minimum of the integer that the last instruction has computed.
    pub fn use_minimum(&mut self) {
        self.branches.minima.extend(self.last_inst());
    }

    fn last_inst(&self) -> Option<Inst> {
        self.b.current_block().and_then(|block| self.b.func.layout.last_inst(block))
    }

    /// Seals blocks: all their predecessors are emitted. Matters only for variables of the builder.
    pub fn seal(&mut self, blocks: &[Block]) {
        for &block in blocks {
            self.b.seal_block(block);
        }
    }
}
