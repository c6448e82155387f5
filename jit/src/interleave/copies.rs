//! The copies of a body, one for each iteration.

use std::collections::{HashMap, HashSet};

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, BlockCall, Function, Inst, InstBuilder, InstructionData, Value};

use super::blocks::Blocks;
use super::{Body, InstPairs, JointBranch, own_distance};

/// The copies of a body, while they are made.
pub(super) struct Copies<'f> {
    function: &'f mut Function,
    args: Value,
    body: &'f Body,
    blocks: &'f Blocks,
    dependent: &'f HashSet<Value>,
    /// The values of each iteration, by those of the body. Others are the same.
    values: Vec<HashMap<Value, Value>>,
    /// The block that is being filled.
    current: Block,
    /// The block that was placed last.
    last: Block,
    /// The block after the copies.
    done: Block,
    /// Copies of blocks with several entries that both iterations go to.
    common: HashMap<Block, Block>,
    /// Those of them whose copies are still to be filled.
    rest: Vec<(Block, Block)>,
    inst_pairs: InstPairs,
}

impl<'f> Copies<'f> {
    /// Copies of `body` in `function`, whose argument is the address `args`; `dependent` are the values that differ.
    pub(super) fn new(
        function: &'f mut Function,
        args: Value,
        body: &'f Body,
        blocks: &'f Blocks,
        dependent: &'f HashSet<Value>,
    ) -> Self {
        let mut values = vec![HashMap::new(); body.iterations()];
        for (first, others) in &body.others {
            values.iter_mut().skip(1).zip(others).for_each(|(values, &other)| values.extend([(*first, other)]));
        }
        let (current, done) = (body.before, body.exit);
        Copies {
            function,
            args,
            body,
            blocks,
            dependent,
            values,
            current,
            last: current,
            done,
            common: HashMap::new(),
            rest: Vec::new(),
            inst_pairs: InstPairs::default(),
        }
    }

    /// Makes them. Returns what is there twice.
    pub(super) fn make(mut self) -> InstPairs {
        let Some(end) = self.function.layout.last_inst(self.current) else { return self.inst_pairs };
        let InstructionData::Jump { destination, .. } = self.function.dfg.insts[end] else { return self.inst_pairs };
        self.done = destination.block(&self.function.dfg.value_lists);
        self.function.layout.remove_inst(end);
        self.blocks_from(self.body.entry);
        while let Some((block, copy)) = self.rest.pop() {
            self.current = copy;
            self.blocks_from(block);
        }
        self.inst_pairs
    }

    /// Copies a block into the current one, and what follows as long as it has no other entries.
    fn blocks_from(&mut self, block: Block) {
        let mut next = Some(block);
        while let Some(block) = next {
            next = self.block(block);
        }
    }

    /// Copies a block into the current one. Returns the block that goes on in the then current one, if there is one.
    fn block(&mut self, block: Block) -> Option<Block> {
        let insts: Vec<Inst> = self.function.layout.block_insts(block).collect();
        let (&end, insts) = insts.split_last()?;
        for &inst in insts {
            let results = self.function.dfg.inst_results(inst).to_vec();
            let is_store = matches!(self.function.dfg.insts[inst], InstructionData::Store { .. });
            let is_minimum = self.blocks.minima.contains(&inst);
            let twice = is_store || is_minimum || results.iter().any(|result| self.dependent.contains(result));
            let count = if twice { self.values.len() } else { 1 };
            let copies: Vec<Inst> = (0..count)
                .map(|iteration| {
                    let copy = self.copy(inst, iteration);
                    self.function.layout.append_inst(copy, self.current);
                    self.map_values(copy, iteration);
                    copy
                })
                .collect();
            self.inst_pairs.insts.extend(copies.chunks_exact(2).map(|pair| [pair[0], pair[1]]));
            if is_minimum {
                self.use_minimum(results[0], &copies);
            }
            if !twice && let Some((first, others)) = self.values.split_first_mut() {
                let same = results.iter().filter_map(|result| Some((*result, *first.get(result)?)));
                others.iter_mut().for_each(|values| values.extend(same.clone()));
            }
        }
        match self.function.dfg.insts[end] {
            _ if let Some(&meeting) = self.blocks.reconvergence.get(&block) => self.select(block, end, meeting),
            InstructionData::Jump { destination, .. } => self.jump(destination),
            InstructionData::Brif { arg, blocks: [_, usual], .. } if self.blocks.rare.contains_key(&block) => {
                self.unless_rare(arg, usual)
            }
            InstructionData::Brif { arg, blocks: ways, .. } => {
                self.branch(arg, ways, *self.blocks.joint.get(&block)?);
                None
            }
            _ => None,
        }
    }

    /// All iterations use the least of the integers that these instructions make.
    fn use_minimum(&mut self, value: Value, made: &[Inst]) {
        let mut cursor = FuncCursor::new(self.function).at_bottom(self.current);
        let results: Vec<Value> = made.iter().map(|&inst| cursor.func.dfg.first_result(inst)).collect();
        if let Some(least) = results.into_iter().reduce(|a, b| cursor.ins().smin(a, b)) {
            self.values.iter_mut().for_each(|values| values.extend([(value, least)]));
        }
    }

    /// Both iterations go to the target of a jump.
    fn jump(&mut self, destination: BlockCall) -> Option<Block> {
        let to = destination.block(&self.function.dfg.value_lists);
        if to != self.body.exit && self.blocks.entries(to) == 1 {
            self.pass_arguments(destination, to);
            return Some(to);
        }
        let (to, arguments) = self.common_way(destination);
        FuncCursor::new(self.function).at_bottom(self.current).ins().jump(to, &arguments);
        None
    }

    /// All iterations take the same target.
    fn branch(&mut self, condition: Value, ways: [BlockCall; 2], kind: JointBranch) {
        let [(yes, with), (no, without)] = ways.map(|way| self.common_way(way));
        if kind == JointBranch::SplitOnDivergence {
            self.unless_differing(condition);
        }
        let either = self.common_condition(condition, kind);
        let mut cursor = FuncCursor::new(self.function).at_bottom(self.current);
        cursor.ins().brif(either, yes, &with, no, &without);
    }

    /// The joint condition of a branch: the target that is correct for every iteration is taken if any of them takes
    /// it.
    fn common_condition(&mut self, condition: Value, kind: JointBranch) -> Value {
        let mut conditions: Vec<Value> = (0..self.values.len()).map(|n| self.value(n, condition)).collect();
        let first = conditions[0];
        let mut cursor = FuncCursor::new(self.function).at_bottom(self.current);
        if matches!(kind, JointBranch::Uniform | JointBranch::SplitOnDivergence)
            || conditions.iter().all(|&other| other == first)
        {
            return first;
        }
        if kind == JointBranch::AllTaken {
            conditions.iter_mut().for_each(|value| *value = cursor.ins().icmp_imm_u(IntCC::NotEqual, *value, 0));
        }
        while conditions.len() > 1 {
            let join = |pair: &[Value]| match (pair, kind) {
                ([first, second], JointBranch::AllTaken) => cursor.ins().band(*first, *second),
                ([first, second], _) => cursor.ins().bor(*first, *second),
                (rest, _) => rest[0],
            };
            conditions = conditions.chunks(2).map(join).collect();
        }
        conditions[0]
    }

    /// Continues in a new block if a condition is the same for all iterations; otherwise restarts them one at a time.
    fn unless_differing(&mut self, condition: Value) {
        let conditions: Vec<Value> = (0..self.values.len()).map(|n| self.value(n, condition)).collect();
        let (first, others) = (conditions[0], &conditions[1..]);
        if others.iter().all(|&other| other == first) {
            return;
        }
        let (agreed, restart) = (self.new_block(self.current), self.body.entry);
        let mut cursor = FuncCursor::new(self.function).at_bottom(self.current);
        let mut holds = |value| cursor.ins().icmp_imm_u(IntCC::NotEqual, value, 0);
        let first = holds(first);
        let others: Vec<Value> = others.iter().map(|&other| holds(other)).collect();
        let differing: Vec<Value> = others.into_iter().map(|other| cursor.ins().bxor(first, other)).collect();
        let Some(any) = differing.into_iter().reduce(|a, b| cursor.ins().bor(a, b)) else { return };
        cursor.ins().brif(any, restart, &[], agreed, &[]);
        self.current = agreed;
    }

    /// All iterations take the usual target, or restart one at a time. Returns the block that is copied into the
    /// current one.
    fn unless_rare(&mut self, condition: Value, usual: BlockCall) -> Option<Block> {
        let either = self.common_condition(condition, JointBranch::AnyTaken);
        let to = usual.block(&self.function.dfg.value_lists);
        let (way, arguments, next) = if to != self.body.exit && self.blocks.entries(to) == 1 {
            self.pass_arguments(usual, to);
            (self.new_block(to), Vec::new(), Some(to))
        } else {
            let (way, arguments) = self.common_way(usual);
            (way, arguments, None)
        };
        let restart = self.body.entry;
        FuncCursor::new(self.function).at_bottom(self.current).ins().brif(either, restart, &[], way, &arguments);
        if next.is_some() {
            self.current = way;
        }
        next
    }

    /// The joint target of a branch: the copy of its block, and the arguments of all iterations.
    fn common_way(&mut self, way: BlockCall) -> (Block, Vec<BlockArg>) {
        let to = way.block(&self.function.dfg.value_lists);
        if to == self.body.exit {
            return (self.done, Vec::new());
        }
        let arguments: Vec<_> = way.args(&self.function.dfg.value_lists).filter_map(|arg| arg.as_value()).collect();
        let both = (0..self.values.len()).flat_map(|iteration| arguments.iter().map(move |&value| (iteration, value)));
        let both = both.map(|(iteration, value)| BlockArg::Value(self.value(iteration, value))).collect();
        (self.common_block(to), both)
    }

    /// The copy of a block that both iterations go to: its parameters are those of the first, then of the second.
    fn common_block(&mut self, block: Block) -> Block {
        if let Some(&known) = self.common.get(&block) {
            return known;
        }
        let copy = self.new_block(block);
        (0..self.values.len()).for_each(|iteration| self.copy_parameters(block, copy, iteration));
        let parameters = self.function.dfg.block_params(copy);
        let each: Vec<_> = parameters.chunks((parameters.len() / self.values.len()).max(1)).collect();
        let pairs = each.chunks_exact(2).flat_map(|pair| pair[0].iter().zip(pair[1]));
        self.inst_pairs.parameters.extend(pairs.map(|(&first, &second)| [first, second]));
        self.common.insert(block, copy);
        self.rest.push((block, copy));
        copy
    }

    /// The parameters of a block that has only one entry are the arguments there.
    fn pass_arguments(&mut self, call: BlockCall, to: Block) {
        let arguments: Vec<_> = call.args(&self.function.dfg.value_lists).filter_map(|arg| arg.as_value()).collect();
        for (&parameter, argument) in self.function.dfg.block_params(to).iter().zip(arguments) {
            for values in &mut self.values {
                values.insert(parameter, values.get(&argument).copied().unwrap_or(argument));
            }
        }
    }

    /// Copies the blocks between a block and its reconvergence point, for one iteration after the other. Returns that
    /// point if it is copied into the current block.
    fn select(&mut self, block: Block, end: Inst, meeting: Block) -> Option<Block> {
        let between = self.blocks.between(block, meeting);
        let mut arguments = Vec::new();
        for iteration in 0..self.values.len() {
            let mut targets = HashMap::new();
            for &from in &between {
                let copy = self.new_block(from);
                targets.insert(from, copy);
                self.copy_parameters(from, copy, iteration);
            }
            let next = self.new_block(meeting);
            targets.insert(meeting, next);
            targets.extend(self.blocks.rare.values().map(|&rare| (rare, self.body.entry)));
            let mut copies = vec![self.copy(end, iteration)];
            self.function.layout.append_inst(copies[0], self.current);
            for from in &between {
                let insts: Vec<Inst> = self.function.layout.block_insts(*from).collect();
                for inst in insts {
                    let copy = self.copy(inst, iteration);
                    self.function.layout.append_inst(copy, targets[from]);
                    copies.push(copy);
                }
            }
            for copy in copies {
                self.map_values(copy, iteration);
                self.retarget(copy, &targets);
            }
            arguments.extend(self.new_parameters(meeting, next));
            self.current = next;
        }
        self.meet(meeting, &arguments, self.blocks.only_from(meeting, block, &between))
    }

    /// All iterations have reached their reconvergence point `meeting`. It is copied into the current block if nothing
    /// else leads to it (`alone`), otherwise into a block of its own. `arguments` are its parameters, those of the
    /// first iteration first.
    fn meet(&mut self, meeting: Block, arguments: &[Value], alone: bool) -> Option<Block> {
        if alone && meeting != self.body.exit {
            let parameters = self.function.dfg.block_params(meeting);
            for (values, arguments) in self.values.iter_mut().zip(arguments.chunks(parameters.len().max(1))) {
                values.extend(parameters.iter().copied().zip(arguments.iter().copied()));
            }
            return Some(meeting);
        }
        let to = if meeting == self.body.exit { self.done } else { self.common_block(meeting) };
        let arguments: Vec<_> = arguments.iter().map(|&value| BlockArg::Value(value)).collect();
        FuncCursor::new(self.function).at_bottom(self.current).ins().jump(to, &arguments);
        None
    }

    /// A new block after the last one in the layout; cold if `like` is.
    fn new_block(&mut self, like: Block) -> Block {
        let block = self.function.dfg.make_block();
        self.function.layout.insert_block_after(block, self.last);
        self.last = block;
        if self.function.layout.is_cold(like) {
            self.function.layout.set_cold(block);
        }
        block
    }

    /// Gives a copy of a block its parameters, which are an iteration's.
    fn copy_parameters(&mut self, from: Block, to: Block, iteration: usize) {
        let copies = self.new_parameters(from, to);
        self.values[iteration].extend(self.function.dfg.block_params(from).iter().copied().zip(copies));
    }

    /// Appends parameters like those of one block to another one.
    fn new_parameters(&mut self, from: Block, to: Block) -> Vec<Value> {
        let dfg = &mut self.function.dfg;
        let types: Vec<_> = dfg.block_params(from).iter().map(|&parameter| dfg.value_type(parameter)).collect();
        types.into_iter().map(|ty| dfg.append_block_param(to, ty)).collect()
    }

    fn value(&self, iteration: usize, value: Value) -> Value {
        self.values[iteration].get(&value).copied().unwrap_or(value)
    }

    /// A copy whose arguments are still those of the body.
    fn copy(&mut self, inst: Inst, iteration: usize) -> Inst {
        let dfg = &mut self.function.dfg;
        let distance = own_distance(&dfg.insts[inst], &dfg.value_lists, self.args, self.body).unwrap_or(0);
        let copy = dfg.clone_inst(inst);
        if let InstructionData::Load { offset, .. } | InstructionData::Store { offset, .. } = &mut dfg.insts[copy] {
            *offset = (i32::from(*offset) + distance * iteration as i32).into();
        }
        let results = dfg.inst_results(inst).iter().copied().zip(dfg.inst_results(copy).iter().copied());
        self.values[iteration].extend(results);
        copy
    }

    /// Gives a copy the arguments of its iteration.
    fn map_values(&mut self, copy: Inst, iteration: usize) {
        let values = &self.values[iteration];
        self.function.dfg.map_inst_values(copy, |value| values.get(&value).copied().unwrap_or(value));
    }

    /// Lets a copy of a branch go to copies of blocks.
    fn retarget(&mut self, copy: Inst, targets: &HashMap<Block, Block>) {
        let dfg = &mut self.function.dfg;
        for call in dfg.insts[copy].branch_destination_mut(&mut dfg.jump_tables, &mut dfg.exception_tables) {
            let target = call.block(&dfg.value_lists);
            call.set_block(targets.get(&target).copied().unwrap_or(target), &mut dfg.value_lists);
        }
    }
}
