//! Control flow of fragment programs: emission of blocks with lane masks.
//!
//! Blocks are emitted in the order of execution. Where all lanes are together a block is plain code. Elsewhere each
//! block has a variable with the lanes that have arrived; when there are none it is skipped, together with all blocks
//! that only it leads to. A pass of a loop that is done leads back while passes are left.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{Block as Code, InstBuilder};
use cranelift_frontend::Variable;
use triglyph_guest::kernel::program::fragment::FUEL;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::rsx::fragment::{Flow, Instruction};

use super::Lower;
use super::graph::{Block, Edge, Exit, is_call};
use super::registers::File;
use crate::lane::{F32x4, Mask};
use crate::pixel::args::programs::scratch_at;
use crate::pixel::quad::programs::QuadValues;
use crate::rsx::predicate::Predicate;

/// The blocks of a program while they are emitted.
struct Walk {
    /// Where the code of each block begins, with the look at who has arrived; the last one follows the program.
    heads: Vec<Code>,
    /// Lanes that have arrived, for blocks where not all do.
    arrived: Vec<Option<Variable>>,
    /// What is known wherever the program is.
    known: QuadValues,
}

impl Lower<'_, '_, '_> {
    /// Emits all blocks; goes on after the program.
    pub fn blocks(&mut self) {
        let graph = self.graph;
        if let Some(variables) = &self.variables {
            variables.start(self.quad.e);
        }
        self.store_inputs();
        let mut walk = Walk {
            heads: (0..=graph.blocks.len()).map(|_| self.quad.e.block(&[])).collect(),
            arrived: Vec::new(),
            known: self.quad.known.clone(),
        };
        let none = self.quad.e.i(0).0;
        for block in &graph.blocks {
            let variable = (!block.full).then(|| self.quad.e.b.declare_var(I32X4));
            if let Some(variable) = variable {
                self.quad.e.b.def_var(variable, none);
            }
            walk.arrived.push(variable);
        }
        let first = walk.heads[0];
        self.quad.e.jump(first, &[]);
        for i in 0..graph.blocks.len() {
            self.block(&mut walk, i);
        }
        let end = walk.heads[graph.blocks.len()];
        self.quad.e.seal(&[end]);
        self.quad.e.switch_to(end);
        self.quad.known = walk.known;
        self.file = File::new(false);
        self.exec = None;
    }

    fn block(&mut self, walk: &mut Walk, i: usize) {
        let block = &self.graph.blocks[i];
        self.current = i;
        let head = walk.heads[i];
        // Ways back lead to blocks that finished passes name.
        let repeated = self.graph.blocks[i..].iter().any(|b| matches!(b.exit, Exit::Pass { again, .. } if again == i));
        if !repeated {
            self.quad.e.seal(&[head]);
        }
        self.quad.e.switch_to(head);
        self.quad.known = walk.known.clone();
        self.file = File::new(false);
        self.exec = None;
        if let Some(arrived) = walk.arrived[i] {
            let e = &mut *self.quad.e;
            let mask = Mask(e.b.use_var(arrived));
            let any = e.any(mask);
            let body = e.block(&[]);
            let (enter, skip) = ((body, [].as_slice()), (walk.heads[block.skip], [].as_slice()));
            match self.graph.counted {
                // Instructions count for those who execute them.
                true => e.branch(any, enter, skip),
                false => e.branch_if_any(any, enter, skip),
            }
            e.seal(&[body]);
            e.switch_to(body);
            let none = e.i(0);
            e.b.def_var(arrived, none.0);
            self.exec = Some(mask);
        }
        self.count(block);
        self.needed = [true; 4];
        for &step in &block.steps {
            let exec = self.exec;
            self.step(&self.program.code[usize::from(step)], exec);
        }
        // Programs that may run out of fuel can get to their end past any block.
        if block.full && !self.in_loop(i) && !self.graph.counted {
            walk.known = self.quad.known.clone();
        }
        self.exit(walk, i);
    }

    /// Whether a block is in a loop. What is known there is known after it as well, but not in an earlier block of the
    /// next pass.
    fn in_loop(&self, i: usize) -> bool {
        self.graph.blocks[i..].iter().any(|b| matches!(b.exit, Exit::Pass { again, .. } if again <= i))
    }

    /// Leaves a block.
    fn exit(&mut self, walk: &mut Walk, i: usize) {
        let next = walk.heads[i + 1];
        match self.graph.blocks[i].exit {
            Exit::End => self.flush(),
            Exit::Go(edge) => {
                self.flush();
                self.check_call(walk, i);
                let lanes = self.exec;
                self.leave(walk, edge, lanes);
            }
            Exit::Fork { yes, no } => {
                let condition = self.branch_condition(i);
                self.flush();
                self.check_call(walk, i);
                let e = &mut *self.quad.e;
                let (taken, other) = match self.exec {
                    Some(exec) => (e.and(exec, condition), e.and_not(exec, condition)),
                    None => (condition, e.not(condition)),
                };
                self.leave(walk, yes, Some(taken));
                self.leave(walk, no, Some(other));
            }
            Exit::Pass { slot, again, out } => {
                self.flush();
                return self.pass(walk, i, slot, again, out);
            }
        }
        self.quad.e.jump(next, &[]);
    }

    /// The condition of the branch that ends a block.
    fn branch_condition(&mut self, i: usize) -> Mask {
        match self.graph.blocks[i].steps.last() {
            Some(&step) => self.condition_of(step),
            None => Mask(self.quad.e.i(-1).0),
        }
    }

    /// Lanes in which the condition of an instruction of flow control holds.
    pub fn condition_of(&mut self, step: u16) -> Mask {
        let predicate = match &self.program.code[usize::from(step)].instruction {
            Instruction::Flow(Flow { condition, condition_register, .. }) => {
                self.predicate(*condition, *condition_register, 0)
            }
            Instruction::Compute(_) => Predicate::Always,
        };
        match predicate {
            Predicate::Never => Mask(self.quad.e.i(0).0),
            Predicate::Always => Mask(self.quad.e.i(-1).0),
            Predicate::Lanes(mask) => mask,
        }
    }

    /// Sends lanes along an edge.
    fn leave(&mut self, walk: &Walk, edge: Edge, lanes: Option<Mask>) {
        if let Edge::Enter { slot, by, .. } = edge
            && let Some(variables) = &self.variables
        {
            let count = match self.program.code[usize::from(by)].instruction {
                Instruction::Flow(flow) => flow.count,
                Instruction::Compute(_) => 0,
            };
            let passes = self.quad.e.i32(count.into());
            // Lanes that do not enter do not look at it: those inside enter together.
            self.quad.e.b.def_var(variables.passes[slot], passes);
        }
        if let Some(to) = edge.target() {
            self.arrive(walk, to, lanes);
        }
    }

    /// Adds lanes to those that have arrived at a block.
    fn arrive(&mut self, walk: &Walk, to: usize, lanes: Option<Mask>) {
        let Some(variable) = walk.arrived[to] else { return };
        let alone = self.graph.blocks[to].entries == 1 && !self.in_loop(self.current);
        let e = &mut *self.quad.e;
        let lanes = lanes.unwrap_or_else(|| Mask(e.i(-1).0));
        let before = Mask(e.b.use_var(variable));
        // A pass may send lanes past its loop that those of later passes join there, though by one edge only.
        let all = if alone { lanes } else { e.or(before, lanes) };
        e.b.def_var(variable, all.0);
    }

    /// The end of a pass.
    fn pass(&mut self, walk: &mut Walk, i: usize, slot: usize, again: usize, out: Edge) {
        let lanes = self.exec;
        self.check_fuel(walk);
        let Some(passes) = self.variables.as_ref().map(|variables| variables.passes[slot]) else { return };
        let e = &mut *self.quad.e;
        let left = e.b.use_var(passes);
        let left = e.b.ins().iadd_imm_s(left, -1);
        e.b.def_var(passes, left);
        let (more, done) = (e.block(&[]), e.block(&[]));
        // The same number for all quads.
        e.branch_if_any(left, (more, &[]), (done, &[]));
        e.seal(&[more, done]);

        e.switch_to(more);
        // The first pass through this block has a count of lanes of its own: the back edge replaces it.
        if let Some(variable) = walk.arrived[again] {
            let lanes = lanes.unwrap_or_else(|| Mask(self.quad.e.i(-1).0));
            self.quad.e.b.def_var(variable, lanes.0);
        }
        let head = walk.heads[again];
        self.quad.e.jump(head, &[]);
        self.quad.e.seal(&[head]);

        self.quad.e.switch_to(done);
        self.leave(walk, out, lanes);
        let next = walk.heads[i + 1];
        self.quad.e.jump(next, &[]);
    }

    /// Counts the instructions of a block.
    fn count(&mut self, block: &Block) {
        if let Some(variables) = self.variables.as_ref().filter(|_| self.graph.counted) {
            let e = &mut *self.quad.e;
            let count = e.b.use_var(variables.count);
            let count = e.b.ins().iadd_imm_u(count, block.steps.len() as i64);
            e.b.def_var(variables.count, count);
        }
    }

    /// Checks the fuel after a CAL.
    fn check_call(&mut self, walk: &Walk, i: usize) {
        let last = self.graph.blocks[i].steps.last();
        if last.is_some_and(|&step| is_call(&self.program.code[usize::from(step)])) {
            self.check_fuel(walk);
        }
    }

    /// Ends the program if too many instructions have been executed.
    fn check_fuel(&mut self, walk: &Walk) {
        let Some(variables) = self.variables.as_ref().filter(|_| self.graph.counted) else { return };
        let e = &mut *self.quad.e;
        let count = e.b.use_var(variables.count);
        let over = e.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, count, i64::from(FUEL));
        let on = e.block(&[]);
        let end = walk.heads[self.graph.blocks.len()];
        e.branch(over, (end, &[]), (on, &[]));
        e.seal(&[on]);
        e.switch_to(on);
    }

    /// Whether inputs are read by number, with and without perspective.
    fn reads_relative(&self) -> [bool; 2] {
        use triglyph_guest::rsx::fragment::{Input, Register};
        let mut found = [false; 2];
        for step in &self.program.code {
            if let Instruction::Compute(compute) = &step.instruction
                && compute.reads(Register::Input)
                && matches!(compute.input, Input::Relative(_))
            {
                found[usize::from(compute.linear)] = true;
            }
        }
        found
    }

    /// Puts all inputs where they can be read by number.
    fn store_inputs(&mut self) {
        let found = self.reads_relative();
        for linear in [false, true].into_iter().filter(|&linear| found[usize::from(linear)]) {
            for (number, input) in self.code.inputs.into_iter().enumerate() {
                for c in 0..4 {
                    let value = self.quad.input(input, c, linear);
                    let args = self.quad.e.args;
                    self.quad.e.store(value.0, args, input_at(linear, number as i32, c));
                }
            }
        }
    }

    /// Component `c` of input `4 + n + index`.
    pub fn relative_input(&mut self, n: i16, c: usize, linear: bool) -> F32x4 {
        let number = 4 + i32::from(n);
        let Some((slot, by)) = self.index() else {
            return match u8::try_from(number).ok().filter(|&number| number < 16) {
                Some(number) => {
                    let input = self.code.inputs[usize::from(number)];
                    self.quad.input(input, c, linear)
                }
                None => self.quad.e.f(0.0),
            };
        };
        let (Some(variables), Instruction::Flow(flow)) =
            (&self.variables, self.program.code[usize::from(by)].instruction)
        else {
            return self.quad.e.f(0.0);
        };
        let e = &mut *self.quad.e;
        // number + init + increment * (count - left)
        let left = e.b.use_var(variables.passes[slot]);
        let increment = i64::from(flow.increment);
        let first = i64::from(number) + i64::from(flow.init) + increment * i64::from(flow.count);
        let moved = e.b.ins().imul_imm_s(left, -increment);
        let number = e.b.ins().iadd_imm_s(moved, first);
        let inside = e.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, number, 16);
        let number = e.b.ins().band_imm_u(number, 15);
        let offset = e.b.ins().uextend(I64, number);
        let offset = e.b.ins().ishl_imm_u(offset, 6);
        let address = e.b.ins().iadd(e.args, offset);
        let value = e.load_ints(address, input_at(linear, 0, c));
        let mask = e.b.ins().uextend(I32, inside);
        let mask = e.b.ins().ineg(mask);
        let mask = e.splat_i32(mask);
        let bits = e.iand(value, mask);
        e.float_of_bits(bits)
    }

    /// Slot and instruction of the loop whose index counts here.
    fn index(&self) -> Option<(usize, u16)> {
        self.graph.blocks[self.current].index
    }
}

/// Offset of component `c` of an input in the arguments.
fn input_at(linear: bool, number: i32, c: usize) -> i32 {
    scratch_at!(inputs) + 1024 * i32::from(linear) + 64 * number + 16 * c as i32
}
