//! Blocks, branches, calls.

use cranelift_codegen::ir::{Block, BlockCall, InstructionData, JumpTable, Opcode};
use cranelift_codegen::isa::CallConv;

use super::*;
use crate::wide::machine::MachineBlock;
use crate::wide::opcode::Condition;

/// Registers of a call's arguments, of which the first one is that of the function's own.
const ARGUMENTS: [usize; 6] = [7, 6, 2, 1, 8, 9];

/// The register of results.
const RESULT: usize = 0;

/// A block that has no number yet.
#[derive(Default)]
struct PendingBlock {
    block: MachineBlock,
    /// Blocks of the function, or edges of this block.
    successors: Vec<Successor>,
    edges: Vec<Edge>,
}

/// A block that splits an edge, or compares within a jump table.
#[derive(Default)]
struct Edge {
    block: MachineBlock,
    successors: Vec<Successor>,
}

/// A successor of a block.
#[derive(Clone, Copy)]
enum Successor {
    To(Block),
    /// An edge of the same pending block.
    Edge(usize),
}

/// Entries of a jump table.
const MAX_TABLE: usize = 4096;

impl Selector<'_> {
    /// Makes all blocks that can be reached.
    pub(super) fn blocks(&mut self) -> Result<(), Refusal> {
        let entry = self.function.layout.entry_block().ok_or(Refusal::Function)?;
        let order = self.postorder(entry);
        let mut entries: HashMap<Block, usize> = HashMap::new();
        for &block in &order {
            self.successors(block).into_iter().for_each(|to| *entries.entry(to).or_default() += 1);
        }
        let mut pending = HashMap::new();
        for &block in &order {
            let made = self.block(block, block == entry, &entries)?;
            pending.insert(block, made);
        }
        self.place(pending);
        Ok(())
    }

    /// The blocks so that each one comes after those that it dominates.
    fn postorder(&self, entry: Block) -> Vec<Block> {
        let (mut order, mut seen) = (Vec::new(), HashSet::from([entry]));
        let mut rest = vec![(entry, self.successors(entry))];
        while let Some((block, successors)) = rest.last_mut() {
            match successors.pop() {
                Some(next) if seen.insert(next) => rest.push((next, self.successors(next))),
                Some(_) => {}
                None => {
                    order.push(*block);
                    rest.pop();
                }
            }
        }
        order
    }

    fn successors(&self, block: Block) -> Vec<Block> {
        let Some(end) = self.function.layout.last_inst(block) else { return Vec::new() };
        let lists = &self.function.dfg.value_lists;
        match self.data(end) {
            InstructionData::Jump { destination, .. } => vec![destination.block(lists)],
            InstructionData::Brif { blocks, .. } => blocks.iter().map(|call| call.block(lists)).collect(),
            InstructionData::BranchTable { table, .. } => {
                self.function.dfg.jump_tables[*table].all_branches().iter().map(|call| call.block(lists)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn block(
        &mut self,
        block: Block,
        is_entry: bool,
        entries: &HashMap<Block, usize>,
    ) -> Result<PendingBlock, Refusal> {
        let mut pending = PendingBlock::default();
        pending.block.cold = self.function.layout.is_cold(block);
        let insts = self.block_insts(block);
        let (&end, insts) = insts.split_last().ok_or(Refusal::Function)?;
        // Selection goes backwards: the instructions are reversed below.
        let mut reversed = Vec::new();
        self.end(end, &mut pending, entries).ok_or_else(|| self.refuse(end))?;
        reversed.extend(self.buffer.drain(..).rev());
        for &inst in insts.iter().rev() {
            self.lower(inst).ok_or_else(|| self.refuse(inst))?;
            reversed.extend(self.buffer.drain(..).rev());
        }
        self.parameters(block, is_entry, &mut pending.block).ok_or(Refusal::Function)?;
        reversed.extend(self.buffer.drain(..).rev());
        reversed.reverse();
        pending.block.insts = reversed;
        Ok(pending)
    }

    /// Gives a block its parameters, and makes the other forms of them that are needed.
    fn parameters(&mut self, block: Block, is_entry: bool, pending: &mut MachineBlock) -> Option<()> {
        let parameters = self.function.dfg.block_params(block).to_vec();
        if is_entry {
            let [argument] = parameters[..] else { return None };
            let register = self.register(argument);
            self.push(InstKind::Entry, &[Self::fixed(register, ARGUMENTS[0], true)]);
            return Some(());
        }
        for parameter in parameters {
            match self.halves.get(parameter) {
                Some(Half { wide, upper: false }) => pending.parameters.push(self.wide_register(wide)),
                Some(Half { wide, upper: true }) => {
                    if let Some(upper) = self.narrow[parameter] {
                        let wide = self.wide_register(wide);
                        self.emit_to_rm(opcode::EXTRACTF128, true, upper, wide, Immediate::Byte(1));
                    }
                }
                None => {
                    let register = self.register(parameter);
                    if self.doubled.contains(&parameter) {
                        let single = self.new_vector();
                        pending.parameters.push(single);
                        self.join(register, single, single);
                    } else {
                        pending.parameters.push(register);
                    }
                }
            }
        }
        Some(())
    }

    /// The registers that a block's parameters are given.
    fn arguments(&mut self, call: BlockCall) -> Option<Vec<VReg>> {
        let lists = &self.function.dfg.value_lists;
        let values: Vec<Value> = call.args(lists).map(|argument| argument.as_value()).collect::<Option<_>>()?;
        let parameters = self.function.dfg.block_params(call.block(lists)).to_vec();
        let mut registers = Vec::new();
        for (index, &parameter) in parameters.iter().enumerate() {
            match self.halves.get(parameter) {
                Some(Half { upper: true, .. }) => {}
                Some(Half { wide, .. }) => {
                    let upper = Some(Half { wide, upper: true });
                    let second = parameters.iter().position(|&other| self.halves.get(other) == upper)?;
                    registers.push(self.both(values[index], values[second]));
                }
                None => registers.push(self.register(values[index])),
            }
        }
        Some(registers)
    }

    /// The end of a block.
    fn end(&mut self, end: Inst, pending: &mut PendingBlock, entries: &HashMap<Block, usize>) -> Option<()> {
        let lists = &self.function.dfg.value_lists;
        match *self.data(end) {
            InstructionData::Jump { destination, .. } => {
                pending.successors.push(Successor::To(destination.block(lists)));
                pending.block.arguments = self.arguments(destination)?;
                self.push(InstKind::Jump, &[]);
            }
            InstructionData::Brif { arg, blocks, .. } => {
                for call in blocks {
                    let successor = self.successor(call, pending, entries)?;
                    pending.successors.push(successor);
                }
                let condition = self.condition(arg)?;
                self.push(InstKind::Branch(condition), &[]);
            }
            InstructionData::BranchTable { arg, table, .. } => self.table(arg, table, pending, entries)?,
            InstructionData::MultiAry { opcode: Opcode::Return, .. } => {
                let [value] = *self.function.dfg.inst_args(end) else { return None };
                let value = self.register(value);
                self.push(InstKind::Return, &[Self::fixed(value, RESULT, false)]);
            }
            _ => return None,
        }
        Some(())
    }

    /// The successor for one target of a conditional branch.
    fn successor(
        &mut self,
        call: BlockCall,
        pending: &mut PendingBlock,
        entries: &HashMap<Block, usize>,
    ) -> Option<Successor> {
        let lists = &self.function.dfg.value_lists;
        let to = call.block(lists);
        if call.len(lists) == 0 && entries.get(&to) == Some(&1) {
            return Some(Successor::To(to));
        }
        // Critical edges are split: the new block has room for moves.
        let mut block = MachineBlock { cold: self.function.layout.is_cold(to), ..MachineBlock::default() };
        block.arguments = self.arguments(call)?;
        self.push(InstKind::Jump, &[]);
        block.insts = std::mem::take(&mut self.buffer);
        pending.edges.push(Edge { block, successors: vec![Successor::To(to)] });
        Some(Successor::Edge(pending.edges.len() - 1))
    }

    /// A branch by a number: comparisons that each leave half of the entries.
    fn table(
        &mut self,
        number: Value,
        table: JumpTable,
        pending: &mut PendingBlock,
        entries: &HashMap<Block, usize>,
    ) -> Option<()> {
        let table = &self.function.dfg.jump_tables[table];
        // The default follows the table: numbers beyond it are larger than all of its own.
        let calls = [table.as_slice(), &[table.default_block()]].concat();
        if self.ty(number) != I32 || calls.len() < 2 || calls.len() > MAX_TABLE {
            return None;
        }
        pending.successors = self.compared(number, 0, &calls, pending, entries)?;
        Some(())
    }

    /// Selects among table entries by a number at the end of the current block. The first entry is that of number
    /// `first`.
    fn compared(
        &mut self,
        number: Value,
        first: usize,
        calls: &[BlockCall],
        pending: &mut PendingBlock,
        entries: &HashMap<Block, usize>,
    ) -> Option<Vec<Successor>> {
        let (lower, upper) = calls.split_at(calls.len() / 2);
        let middle = first + lower.len();
        let mut successors = Vec::new();
        for (first, calls) in [(first, lower), (middle, upper)] {
            successors.push(match calls {
                [call] => self.successor(*call, pending, entries)?,
                _ => {
                    let successors = self.compared(number, first, calls, pending, entries)?;
                    let block = MachineBlock { insts: std::mem::take(&mut self.buffer), ..MachineBlock::default() };
                    pending.edges.push(Edge { block, successors });
                    Successor::Edge(pending.edges.len() - 1)
                }
            });
        }
        let number = self.register(number);
        self.compare_with(number, middle as i32);
        self.push(InstKind::Branch(Condition::Below), &[]);
        Some(successors)
    }

    /// Puts the blocks into the order of the function, unlikely ones last.
    fn place(&mut self, mut pending: HashMap<Block, PendingBlock>) {
        let is_cold = |block: &Block| self.function.layout.is_cold(*block);
        let (cold, usual): (Vec<_>, Vec<_>) = self.function.layout.blocks().partition(is_cold);
        let order: Vec<Block> = usual.into_iter().chain(cold).filter(|block| pending.contains_key(block)).collect();
        let (mut places, mut next) = (HashMap::new(), 0);
        for block in &order {
            places.insert(*block, next);
            next += 1 + pending[block].edges.len();
        }
        let mut blocks: Vec<MachineBlock> = Vec::with_capacity(next);
        for block in order {
            let Some(PendingBlock { block: mut made, successors, edges }) = pending.remove(&block) else { continue };
            let here = blocks.len();
            let index = |successor: &Successor| match successor {
                Successor::To(block) => places[block],
                Successor::Edge(edge) => here + 1 + edge,
            };
            let all = |successors: &[Successor]| {
                successors.iter().map(|successor| regalloc2::Block::new(index(successor))).collect()
            };
            made.successors = all(&successors);
            blocks.push(made);
            for mut edge in edges {
                edge.block.successors = all(&edge.successors);
                blocks.push(edge.block);
            }
        }
        for from in 0..blocks.len() {
            for to in blocks[from].successors.clone() {
                blocks[to.index()].predecessors.push(regalloc2::Block::new(from));
            }
        }
        self.machine.blocks = blocks;
    }

    /// Does what an instruction without a result does, or a call.
    pub(super) fn effect(&mut self, inst: Inst) -> Option<()> {
        match self.data(inst).opcode() {
            Opcode::Store | Opcode::Istore8 | Opcode::Istore16 | Opcode::Istore32 => self.store(inst),
            Opcode::CallIndirect => self.call(inst),
            Opcode::Nop => Some(()),
            _ => None,
        }
    }

    fn call(&mut self, inst: Inst) -> Option<()> {
        let signature = &self.function.dfg.signatures[self.function.dfg.call_signature(inst)?];
        let is_general = |ty: Type| ty.is_int() && !ty.is_vector() && ty.bits() <= 64;
        let all = signature.params.iter().chain(&signature.returns);
        let results = self.function.dfg.inst_results(inst).to_vec();
        if signature.call_conv != CallConv::SystemV
            || !all.into_iter().all(|parameter| is_general(parameter.value_type))
            || signature.params.len() > ARGUMENTS.len()
            || results.len() > 1
        {
            return None;
        }
        let arguments = self.function.dfg.inst_args(inst).to_vec();
        let (&callee, arguments) = arguments.split_first()?;
        let mut operands = vec![Operand::reg_use(self.register(callee))];
        for (&argument, place) in arguments.iter().zip(ARGUMENTS) {
            let register = self.register(argument);
            operands.push(Self::fixed(register, place, false));
        }
        if let Some(&result) = results.first() {
            let register = self.register(result);
            operands.push(Self::fixed(register, RESULT, true));
        }
        self.push(InstKind::Call, &operands);
        Some(())
    }
}
