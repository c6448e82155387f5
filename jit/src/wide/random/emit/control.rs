//! Branches, loops within a body, tables, calls.

use super::*;
use crate::lane::Emit;
use crate::wide::random::memory::FUNCTIONS;
use crate::wide::random::program::{BranchKind, Carried, If, MaskTest, Merge, Repeat, RepeatKind, Test};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, Block, JumpTableData, Signature};
use cranelift_codegen::isa::CallConv;

/// The types of what functions take after the address of memory, and of what they return: see
/// [`functions`](crate::wide::random::functions).
pub(in crate::wide::random) const SIGNATURES: [(&[Type], Option<Type>); FUNCTIONS] =
    [(&[I64, I32], Some(I64)), (&[I32, I64, I64, I32, I64], Some(I32)), (&[], None), (&[I32], Some(I16))];

impl Emitter<'_, '_> {
    pub(super) fn branch(&mut self, branch: &If) {
        let operands = &branch.condition[..];
        let none = Operand::default();
        match branch.kind {
            BranchKind::Masked { how, test } => {
                let mask = self.comparison(how, [0, 1].map(|index| operands.get(index).unwrap_or(&none)));
                self.under_mask(branch, mask, test);
            }
            BranchKind::Plain(test) => {
                let condition = self.condition(test, operands, Want::default());
                self.ways(branch, |e, yes, no| e.branch(condition, (yes, &[]), (no, &[])));
            }
            BranchKind::SplitOnDivergence(test) => {
                let condition = self.condition(test, operands, Want::default());
                self.ways(branch, |e, yes, no| e.branch_if_agreed(condition, (yes, &[]), (no, &[])));
            }
            BranchKind::Uniform(test) => {
                let want = Want { any_nan: false, shared: true };
                let condition = self.condition(test, operands, want);
                self.ways(branch, |e, yes, no| e.branch_together(condition, (yes, &[]), (no, &[])));
            }
            BranchKind::Rare(bits) => {
                let value = self.exact(operands.first().unwrap_or(&none), I32).value;
                let low = self.e.b.ins().band_imm_u(value, 7);
                let condition = self.e.b.ins().icmp_imm_u(IntCC::Equal, low, i64::from(bits & 7));
                self.ways(branch, |e, rare, usual| {
                    e.b.set_cold_block(rare);
                    e.branch_if_rare(condition, rare, (usual, &[]));
                });
            }
        }
    }

    fn condition(&mut self, test: Test, operands: &[Operand], want: Want) -> Value {
        let none = Operand::default();
        let operand = |(index, ty): (usize, Type)| self.operand(operands.get(index).unwrap_or(&none), ty, want).value;
        let values: Vec<Value> = test.args().into_iter().enumerate().map(operand).collect();
        match (test, &values[..]) {
            (Test::Compare(condition, _), &[a, b]) => self.e.b.ins().icmp(condition, a, b),
            (Test::Bits(_), &[a, b]) => self.e.b.ins().band(a, b),
            (Test::Lanes { test, and, .. }, vectors) => self.joined(test, and, vectors),
            (_, values) => values[0],
        }
    }

    /// Both ways of a branch, and the values that meet after it.
    fn ways(&mut self, branch: &If, to: impl FnOnce(&mut Emit<'_>, Block, Block)) {
        let types: Vec<Type> = branch.results.iter().map(|merge| merge.ty).collect();
        let (yes, no, meeting) = (self.e.block(&[]), self.e.block(&[]), self.e.block(&types));
        to(self.e, yes, no);
        for (block, steps, is_then) in [(yes, &branch.then, true), (no, &branch.otherwise, false)] {
            self.e.switch_to(block);
            let values = self.inner(steps, |inner| {
                let of = |merge: &Merge| {
                    let operand = if is_then { &merge.then } else { &merge.otherwise };
                    inner.exact(operand, merge.ty).value
                };
                branch.results.iter().map(of).collect::<Vec<_>>()
            });
            self.e.jump(meeting, &values);
        }
        self.e.switch_to(meeting);
        for (index, merge) in branch.results.iter().enumerate() {
            let value = self.e.parameter(meeting, index);
            self.know(merge.id, value, true, self.iteration.is_none());
        }
    }

    /// Code that is right whatever the branch around it does.
    fn under_mask(&mut self, branch: &If, mask: Value, test: MaskTest) {
        let of_vectors = |merge: &&Merge| merge.ty.is_vector() && merge.ty.bytes() == 16;
        let results: Vec<&Merge> = branch.results.iter().filter(of_vectors).collect();
        let types: Vec<Type> = results.iter().map(|merge| merge.ty).collect();
        let mask = match self.mask {
            Some(outer) => {
                let outer = self.e.cast(outer, self.e.b.func.dfg.value_type(mask));
                self.e.b.ins().band(mask, outer)
            }
            None => mask,
        };
        let old: Vec<Value> = results.iter().map(|merge| self.exact(&merge.otherwise, merge.ty).value).collect();
        let (some, meeting) = (self.e.block(&[]), self.e.block(&types));
        match test {
            MaskTest::Any => {
                let any = self.e.b.ins().vany_true(mask);
                self.e.branch_if_any(any, (some, &[]), (meeting, &old));
            }
            MaskTest::AnySign => {
                let signs = self.e.b.ins().vhigh_bits(I32, mask);
                let any = self.e.b.ins().icmp_imm_u(IntCC::NotEqual, signs, 0);
                self.e.branch_if_any(any, (some, &[]), (meeting, &old));
            }
            MaskTest::NoneByLanes | MaskTest::NoneBySigns => {
                let out = self.e.b.ins().bnot(mask);
                let by_lanes = test == MaskTest::NoneByLanes;
                let none = if by_lanes { self.e.b.ins().vall_true(out) } else { self.all_signs(out) };
                self.e.branch_if_all(none, (meeting, &old), (some, &[]));
            }
        }
        self.e.switch_to(some);
        let outer = self.mask.replace(mask);
        let new: Vec<Value> = self.inner(&branch.then, |inner| {
            let values = results.iter().map(|merge| inner.exact(&merge.then, merge.ty).value).collect::<Vec<_>>();
            values.into_iter().zip(&old).map(|(new, &old)| inner.masked(mask, new, old)).collect()
        });
        self.mask = outer;
        self.e.jump(meeting, &new);
        self.e.switch_to(meeting);
        for (index, merge) in results.iter().enumerate() {
            let value = self.e.parameter(meeting, index);
            self.know(merge.id, value, true, self.iteration.is_none());
        }
    }

    pub(super) fn repeat(&mut self, repeat: &Repeat) {
        let want = Want { any_nan: false, shared: repeat.kind == RepeatKind::Uniform };
        let count = self.operand(&repeat.count, I32, want).value;
        let count = self.e.b.ins().band_imm_u(count, 3);
        let count = self.e.b.ins().iadd_imm_u(count, 1);
        let types = |first: &[Type]| [first, &repeat.carried.iter().map(|value| value.ty).collect::<Vec<_>>()].concat();
        let (head, done) = (self.e.block(&types(&[I32])), self.e.block(&types(&[])));
        let start = |value: &Carried| self.exact(&value.start, value.ty).value;
        let starts: Vec<Value> = [count].into_iter().chain(repeat.carried.iter().map(start)).collect();
        self.e.jump(head, &starts);
        self.e.switch_to(head);
        let left = self.e.parameter(head, 0);
        let outer = self.scope.clone();
        for (index, value) in repeat.carried.iter().enumerate() {
            let carried = self.e.parameter(head, 1 + index);
            self.know(value.id, carried, true, self.iteration.is_none());
        }
        self.steps(&repeat.body);
        let next = |value: &Carried| self.exact(&value.next, value.ty).value;
        let nexts: Vec<Value> = repeat.carried.iter().map(next).collect();
        let less = self.e.b.ins().iadd_imm_s(left, -1);
        let again: Vec<Value> = [less].into_iter().chain(nexts.iter().copied()).collect();
        let ways = ((head, &again[..]), (done, &nexts[..]));
        match repeat.kind {
            RepeatKind::Plain => self.e.branch(less, ways.0, ways.1),
            RepeatKind::SplitOnDivergence => self.e.branch_if_agreed(less, ways.0, ways.1),
            RepeatKind::Uniform => self.e.branch_together(less, ways.0, ways.1),
        }
        self.scope = outer;
        self.e.switch_to(done);
        for (index, value) in repeat.carried.iter().enumerate() {
            let last = self.e.parameter(done, index);
            self.know(value.last, last, true, self.iteration.is_none());
        }
    }

    pub(super) fn table(&mut self, number: &Operand, arms: &[Vec<Step>], results: &[(Id, Type, Vec<Operand>)]) {
        let number = self.exact(number, I32).value;
        let number = self.e.b.ins().band_imm_u(number, 7);
        let types: Vec<Type> = results.iter().map(|&(_, ty, _)| ty).collect();
        let meeting = self.e.block(&types);
        let blocks: Vec<Block> = arms.iter().map(|_| self.e.block(&[])).collect();
        let calls: Vec<_> = blocks.iter().map(|&block| self.e.b.func.dfg.block_call(block, &[])).collect();
        let Some((&default, others)) = calls.split_first() else { return };
        let table = self.e.b.create_jump_table(JumpTableData::new(default, others));
        self.e.b.ins().br_table(number, table);
        for (arm, (block, steps)) in blocks.into_iter().zip(arms).enumerate() {
            self.e.switch_to(block);
            let none = Operand::default();
            let values = self.inner(steps, |inner| {
                let of = |(_, ty, operands): &(Id, Type, Vec<Operand>)| {
                    inner.exact(operands.get(arm).unwrap_or(&none), *ty).value
                };
                results.iter().map(of).collect::<Vec<_>>()
            });
            self.e.jump(meeting, &values);
        }
        self.e.switch_to(meeting);
        for (index, &(id, ..)) in results.iter().enumerate() {
            let value = self.e.parameter(meeting, index);
            self.know(id, value, true, self.iteration.is_none());
        }
    }

    pub(super) fn call(&mut self, id: Id, function: u8, args: &[Operand]) {
        if self.mask.is_some() {
            return;
        }
        let number = usize::from(function) % FUNCTIONS;
        let (types, result) = SIGNATURES[number];
        let mut signature = Signature::new(CallConv::SystemV);
        signature.params.push(AbiParam::new(I64));
        signature.params.extend(types.iter().copied().map(AbiParam::new));
        signature.returns.extend(result.map(AbiParam::new));
        let none = Operand::default();
        let argument = |(index, &ty): (usize, &Type)| self.exact(args.get(index).unwrap_or(&none), ty).value;
        let mut values: Vec<Value> = types.iter().enumerate().map(argument).collect();
        values.insert(0, self.e.args);
        let signature = self.e.b.import_signature(signature);
        let address = self.e.load_i64(self.e.args, at!(functions) + 8 * number as i32);
        // Iterations call one after the other: in the order of iterations, as each calls once. None calls again.
        let may_call = self.iteration.is_some_and(|iteration| iteration.reads_back);
        let is_apart = may_call && !std::mem::replace(&mut self.has_called, true);
        let meeting = is_apart.then(|| self.e.block(result.as_slice()));
        if let Some(meeting) = meeting {
            self.e.serialize_until(meeting);
        }
        let call = self.e.b.ins().call_indirect(signature, address, &values);
        let mut results = self.e.b.func.dfg.inst_results(call).to_vec();
        if let Some(meeting) = meeting {
            self.e.jump(meeting, &results);
            self.e.switch_to(meeting);
            results = self.e.b.block_params(meeting).to_vec();
        }
        if let Some(&value) = results.first() {
            self.know(id, value, true, self.iteration.is_none());
        }
    }
}
