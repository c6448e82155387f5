//! Blocks, branches and loops.
//!
//! Lanes never communicate, so a conditional branch needs no masked copy of the program: when the four lanes agree it
//! is a branch of the host, and when they do not, the kernel leaves the group and its caller runs it again one vertex
//! (or primitive) at a time, with all four lanes holding the same one. That costs at most four times the group, plus
//! the part before the branch.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I32;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::pica::isa::{Condition, ConditionOp};

use super::Lower;
use super::args::{INTS, Pointer};
use super::flow::{Edge, Enter, Exit, Inner};
use super::registers::File;
use crate::cfg::Exit as _;
use crate::cfg::emit::{BlockEmitter, HostBlocks};
use crate::lane::{Emit, Mask, memory};

impl<'a> BlockEmitter<'a> for Lower<'_, 'a> {
    type Registers = File;

    fn parts(&mut self) -> (&mut Emit<'a>, &mut HostBlocks) {
        (self.e, &mut self.blocks)
    }

    fn begin(&mut self, start: bool, known: Option<File>) {
        self.file = match known {
            Some(mut file) => {
                file.forget_loop_counter();
                file
            }
            None => File::new(start),
        };
    }

    fn end(&mut self) -> File {
        std::mem::replace(&mut self.file, File::new(false))
    }

    fn block(&mut self, i: usize) {
        let source = self.source;
        let (code, graph, liveness) = (&source.code, &source.graph, &source.liveness);
        let block = &graph.blocks[i];
        for (step, live) in block.steps.iter().zip(liveness.inside(code, block)) {
            self.place += 1;
            if let Some(enter) = step.enter {
                self.enter(enter);
            } else if let Some(instruction) = code.get(step.pc) {
                self.instruction(instruction, &live);
            }
        }
        if graph.cyclic
            && let Some(variables) = &self.variables
        {
            let fuel = self.e.b.use_var(variables.fuel);
            let fuel = self.e.b.ins().iadd_imm_s(fuel, -(block.steps.len() as i64));
            self.e.b.def_var(variables.fuel, fuel);
        }
        if block.exit.targets().any(|to| graph.blocks[to].entries != 1) {
            self.flush(&liveness.end(block));
        }
        match block.exit {
            Exit::End => self.finish(),
            Exit::Go(edge) => self.edge(i, edge),
            Exit::Flags { condition, yes, no } => self.fork(i, condition, yes, no),
        }
    }
}

impl Lower<'_, '_> {
    /// Starts a loop.
    fn enter(&mut self, Enter { slot, integer }: Enter) {
        let left = self.integer(integer, 0);
        let counters = self.reads_counter.then(|| (self.counter(), self.integer(integer, 1)));
        if let Some(variables) = &self.variables {
            self.e.b.def_var(variables.left[usize::from(slot)], left);
            if let Some((before, start)) = counters {
                self.e.b.def_var(variables.saved[usize::from(slot)], before);
                self.e.b.def_var(variables.counter, start);
            }
        }
        self.file.forget_loop_counter();
    }

    /// A component of an integer uniform.
    fn integer(&mut self, number: u8, component: i32) -> Value {
        let base = self.pointer(Pointer::Uniforms);
        self.e.b.ins().uload8(I32, memory(), base, INTS + 4 * i32::from(number) + component)
    }

    /// Goes to the one or the other block, as all lanes agree; leaves the kernel when they diverge.
    fn fork(&mut self, from: usize, condition: Condition, yes: Edge, no: Edge) {
        let condition = self.condition(condition);
        // Edges read the numbers of loops: loaded here the address is known on both ways.
        self.pointer(Pointer::Uniforms);
        let bits = self.e.mask_bits(condition);
        let all = self.e.b.ins().icmp_imm_u(IntCC::Equal, bits, 15);
        let (yes_block, no_block, mixed) = (self.way(from, yes), self.way(from, no), self.e.block(&[]));
        self.e.branch_if_agreed(all, (yes_block.0, &[]), (mixed, &[]));
        self.e.b.seal_block(mixed);
        self.e.switch_to(mixed);
        let diverged = self.exits.diverged;
        self.e.branch_if_rare(bits, diverged, (no_block.0, &[]));
        for (way, edge) in [(yes_block, yes), (no_block, no)] {
            match way {
                (_, Some(to)) => self.blocks.entered(self.e, to),
                (block, None) => {
                    self.e.b.seal_block(block);
                    self.e.switch_to(block);
                    self.edge(from, edge);
                }
            }
        }
    }

    /// The block that an edge begins with: its target, or a new block when there is something to do on the way.
    fn way(&mut self, from: usize, edge: Edge) -> (Block, Option<usize>) {
        match edge {
            Edge::To(to) if to > from => (self.blocks.get(to), Some(to)),
            _ => (self.e.block(&[]), None),
        }
    }

    /// The lanes in which a condition holds.
    fn condition(&mut self, Condition { op, ref_x, ref_y }: Condition) -> Mask {
        let mut side = |number, reference| {
            let flag = self.flag(number);
            if reference { flag } else { self.e.not(flag) }
        };
        match op {
            ConditionOp::X => side(0, ref_x),
            ConditionOp::Y => side(1, ref_y),
            ConditionOp::Or | ConditionOp::And => {
                let (x, y) = (side(0, ref_x), side(1, ref_y));
                if op == ConditionOp::Or { self.e.or(x, y) } else { self.e.and(x, y) }
            }
        }
    }

    /// Leaves the current block along an edge of block `from`.
    fn edge(&mut self, from: usize, edge: Edge) {
        match edge {
            Edge::To(to) => self.go(from, to),
            Edge::Leave { inner, to } => {
                self.step_counter(inner);
                self.leave(inner);
                self.go(from, to);
            }
            Edge::Repeat { inner, again, out } => {
                self.step_counter(inner);
                let Some(variables) = &self.variables else { return };
                let slot = variables.left[usize::from(inner.slot)];
                let left = self.e.b.use_var(slot);
                let (more, done) = (self.e.block(&[]), self.e.block(&[]));
                self.e.branch(left, (more, &[]), (done, &[]));
                self.e.b.seal_block(more);
                self.e.b.seal_block(done);
                self.e.switch_to(more);
                let left = self.e.b.ins().iadd_imm_s(left, -1);
                self.e.b.def_var(slot, left);
                self.go(from, again);
                self.e.switch_to(done);
                self.leave(inner);
                self.go(from, out);
            }
        }
    }

    /// aL grows at the end of a loop's body.
    fn step_counter(&mut self, inner: Inner) {
        if self.reads_counter {
            let step = self.integer(inner.integer, 2);
            let counter = self.counter();
            let counter = self.e.b.ins().iadd(counter, step);
            if let Some(variables) = &self.variables {
                self.e.b.def_var(variables.counter, counter);
            }
        }
    }

    /// A loop has ended; within another one aL is again what it was.
    fn leave(&mut self, inner: Inner) {
        if let Some(variables) = self.variables.as_ref().filter(|_| inner.nested && self.reads_counter) {
            let saved = self.e.b.use_var(variables.saved[usize::from(inner.slot)]);
            self.e.b.def_var(variables.counter, saved);
        }
    }

    /// Jumps to block `to`; where that closes a cycle, only with fuel left.
    fn go(&mut self, from: usize, to: usize) {
        if to > from {
            return self.blocks.jump(self.e, to);
        }
        if let Some(variables) = &self.variables {
            let fuel = self.e.b.use_var(variables.fuel);
            let empty = self.e.b.ins().icmp_imm_s(IntCC::SignedLessThan, fuel, 0);
            let retry = self.exits.retry;
            self.e.branch_if_rare(empty, retry, (self.blocks.get(to), &[]));
        }
        self.blocks.entered(self.e, to);
    }
}
