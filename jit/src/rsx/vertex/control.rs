//! Control flow of vertex programs, and the group's records at the end.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};

use super::Lower;
use super::graph::Exit;
use super::registers::{Cell, File};
use crate::cfg::Exit as _;
use crate::cfg::emit::{BlockEmitter, HostBlocks};
use crate::lane::Emit;
use crate::rsx::vertex_kernel::args::VertexArgs;

impl<'a> BlockEmitter<'a> for Lower<'_, 'a> {
    type Registers = File;

    fn parts(&mut self) -> (&mut Emit<'a>, &mut HostBlocks) {
        (self.e, &mut self.blocks)
    }

    fn begin(&mut self, start: bool, known: Option<File>) {
        if !start {
            // Rows at address registers are loaded again: blocks do not all dominate what follows.
            self.relative.clear();
            self.file = known.unwrap_or_default();
        }
    }

    fn end(&mut self) -> File {
        std::mem::take(&mut self.file)
    }

    fn block(&mut self, i: usize) {
        let source = self.source;
        let block = &source.graph.blocks[i];
        // A branch looks at conditions as its instruction finds them, whatever that sets.
        let mut taken = None;
        for (step, &(pc, pushed)) in block.steps.iter().enumerate() {
            let instruction = &source.program.code[usize::from(pc)];
            if step + 1 == block.steps.len() && matches!(block.exit, Exit::Fork { .. }) {
                taken = Some(self.branch_bits(instruction));
            }
            self.instruction(instruction, pushed);
        }
        if let Some(fuel) = self.variables.fuel {
            let left = self.e.b.use_var(fuel);
            let left = self.e.b.ins().iadd_imm_s(left, -(block.steps.len() as i64));
            self.e.b.def_var(fuel, left);
        }
        if block.exit.targets().any(|to| source.graph.blocks[to].entries != 1) {
            self.flush();
        }
        match block.exit {
            Exit::End => {
                self.check_fuel();
                self.records();
            }
            Exit::Go(to) => self.go(i, to),
            Exit::Fork { yes, no } => {
                let bits = taken.unwrap_or_else(|| self.e.i32(0));
                self.fork(i, bits, yes, no);
            }
        }
    }
}

impl Lower<'_, '_> {
    /// Goes to the one or the other block, as all lanes agree; leaves the kernel when they diverge.
    fn fork(&mut self, from: usize, bits: Value, yes: usize, no: usize) {
        let all = self.all(bits);
        let (yes_way, no_way, mixed) = (self.e.block(&[]), self.e.block(&[]), self.e.block(&[]));
        self.e.branch_if_agreed(all, (yes_way, &[]), (mixed, &[]));
        self.e.seal(&[yes_way, mixed]);
        self.e.switch_to(mixed);
        let diverged = self.diverged;
        self.e.branch_if_rare(bits, diverged, (no_way, &[]));
        self.e.seal(&[no_way]);
        for (way, to) in [(yes_way, yes), (no_way, no)] {
            self.e.switch_to(way);
            self.go(from, to);
        }
    }

    /// Jumps to block `to`; where that closes a cycle, only with fuel left.
    fn go(&mut self, from: usize, to: usize) {
        if to <= from {
            self.check_fuel();
        }
        self.blocks.jump(self.e, to);
    }

    /// Leaves the group to the interpreter when too many instructions have been executed.
    fn check_fuel(&mut self) {
        let Some(fuel) = self.variables.fuel else { return };
        let left = self.e.b.use_var(fuel);
        let empty = self.e.b.ins().icmp_imm_s(IntCC::SignedLessThan, left, 0);
        let on = self.e.block(&[]);
        let retry = self.retry;
        self.e.branch_if_rare(empty, retry, (on, &[]));
        self.e.seal(&[on]);
        self.e.switch_to(on);
    }

    /// Stores the group's records and ends the group.
    fn records(&mut self) {
        let key = self.source.key;
        let args = self.e.args;
        let records = self.e.load_i64(args, VertexArgs::RECORDS);
        let stride = 4 * key.stride() as i32;
        let group = self.e.b.ins().uextend(I64, self.groups.group);
        let size = self.e.i64(i64::from(4 * stride));
        let offset = self.e.b.ins().imul(group, size);
        let records = self.e.b.ins().iadd(records, offset);
        for output in (0..32u8).filter(|&n| key.outputs >> n & 1 != 0) {
            let at = 4 * key.offset(output.into()).unwrap_or(0) as i32;
            let is_clamped = key.clamped >> output & 1 != 0;
            let components = [0, 1, 2, 3].map(|c| {
                let value = self.float(Cell::Output(output, c));
                if is_clamped { self.e.clamp(value, 0.0, 1.0) } else { value }
            });
            let rows = self.e.transpose(components);
            for (vertex, row) in rows.into_iter().enumerate() {
                self.e.store(row.0, records, at + vertex as i32 * stride);
            }
        }
        if let Some(fuel) = self.variables.fuel {
            let left = self.e.b.use_var(fuel);
            let all = self.e.load_i64(args, VertexArgs::LEFT);
            let own = self.e.b.ins().ishl_imm_u(group, 2);
            let own = self.e.b.ins().iadd(all, own);
            self.e.store(left, own, 0);
        }
        self.groups.next(self.e);
    }
}
