//! Promotion of memory slots to SSA values (mem2reg).
//!
//! Programs with branches keep their registers in memory between blocks: where lanes diverge, code under masks
//! changes some lanes of a register and leaves the others. Where they do not, which is nearly always, registers can be
//! SSA values. So in blocks that are not cold, loads and stores of slots become values; they are stored on the way to
//! cold blocks and loaded on the way back. This is done to the finished CLIF, and works for every instruction set.

use std::collections::{HashMap, HashSet};

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::flowgraph::ControlFlowGraph;
use cranelift_codegen::ir::types::I32X4;
use cranelift_codegen::ir::{
    Block, BlockArg, Function, Inst, InstBuilder, InstructionData, MemFlagsData, Type, Value, ValueListPool,
};

#[cfg(test)]
mod tests;

/// Slots of 16 bytes that a program uses as registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    /// Their address, which nothing but loads and stores of whole slots uses.
    pub base: Value,
    /// Where the program begins: slots hold nothing of interest before.
    pub start: Block,
}

/// Parameters of blocks, all blocks together, above which compiling takes longer than the memory costs.
const MAX_PARAMETERS: usize = 4096;

/// An access of a slot.
#[derive(Clone, Copy)]
enum Access {
    Load(i32),
    Store(i32, Value),
}

/// Replaces slots by values, unless there is an access that is neither a load nor a store of a whole slot, or the
/// program is too large or has loops: lanes part in them again and again, and every time all slots would be stored
/// (measured: 8 % slower where loops' bounds are data, no faster where they are not).
pub(crate) fn promote(function: &mut Function, slots: Slots) {
    function.dfg.resolve_all_aliases();
    if let Some(promotion) = Promotion::new(function, slots) {
        promotion.make(function);
    }
}

/// What is known of the function before anything is changed.
struct Promotion {
    slots: Slots,
    accesses: HashMap<Inst, Access>,
    /// Offsets of the slots that may be read from a block on, in order.
    live: HashMap<Block, Vec<i32>>,
    /// The only block that leads to a block, if it is one of values.
    only: HashMap<Block, Block>,
    /// The blocks of values, each after one that leads to it.
    order: Vec<Block>,
}

impl Promotion {
    fn new(function: &Function, slots: Slots) -> Option<Promotion> {
        let mut accesses = HashMap::new();
        for inst in function.layout.blocks().flat_map(|block| function.layout.block_insts(block)) {
            if function.dfg.inst_args(inst).contains(&slots.base) {
                accesses.insert(inst, access(function, inst, slots.base)?);
            }
        }
        let flow = ControlFlowGraph::with_function(function);
        let live = live(function, &flow, &accesses, slots.start);
        let order = order(function, &flow);
        let has_values = |block: Block| !function.layout.is_cold(block);
        let only = order.iter().filter_map(|&block| {
            let mut before = flow.pred_iter(block);
            match (before.next(), before.next()) {
                (Some(one), None) if has_values(one.block) => Some((block, one.block)),
                _ => None,
            }
        });
        let only: HashMap<Block, Block> = only.collect();
        let merged = order.iter().filter(|block| !only.contains_key(block));
        let parameters: usize = merged.filter_map(|block| live.get(block)).map(Vec::len).sum();
        let has_tables = order.iter().any(|&block| {
            let end = function.layout.last_inst(block);
            end.is_some_and(|end| matches!(function.dfg.insts[end], InstructionData::BranchTable { .. }))
        });
        let worthwhile = parameters <= MAX_PARAMETERS && !has_tables && !has_loops(&flow, &order, &live);
        worthwhile.then_some(Promotion { slots, accesses, live, only, order })
    }

    fn live(&self, block: Block) -> &[i32] {
        self.live.get(&block).map_or(&[], |live| live)
    }

    /// Whether a block gets its values as parameters.
    fn is_merge(&self, block: Block) -> bool {
        !self.only.contains_key(&block)
    }

    fn make(&self, function: &mut Function) {
        // The parameters of a block before this, and after it those of its slots.
        let mut old = HashMap::new();
        let mut states: HashMap<Block, HashMap<i32, Value>> = HashMap::new();
        for &block in &self.order {
            old.insert(block, function.dfg.block_params(block).len());
            if self.is_merge(block) {
                let state = self.live(block).iter().map(|&at| (at, function.dfg.append_block_param(block, I32X4)));
                states.insert(block, state.collect());
            }
        }
        for &block in &self.order {
            let mut state = match self.only.get(&block) {
                Some(before) => states.get(before).cloned().unwrap_or_default(),
                None => states.remove(&block).unwrap_or_default(),
            };
            self.rewrite(function, block, &mut state);
            states.insert(block, state);
        }
        for &block in &self.order {
            self.leave(function, block, &states[&block]);
        }
        let values: HashSet<Block> = self.order.iter().copied().collect();
        let cold: Vec<Block> = function.layout.blocks().filter(|block| function.layout.is_cold(*block)).collect();
        for block in cold {
            self.come_back(function, block, &values, &old);
        }
    }

    /// Makes values of the accesses of a block. `state` are the slots' values, before and then after it.
    fn rewrite(&self, function: &mut Function, block: Block, state: &mut HashMap<i32, Value>) {
        let insts: Vec<Inst> = function.layout.block_insts(block).collect();
        for inst in insts {
            match self.accesses.get(&inst) {
                Some(&Access::Store(at, value)) => {
                    state.insert(at, function.dfg.resolve_aliases(value));
                    function.layout.remove_inst(inst);
                }
                Some(&Access::Load(at)) => {
                    let result = function.dfg.first_result(inst);
                    let ty = function.dfg.value_type(result);
                    let mut cursor = FuncCursor::new(function).at_inst(inst);
                    let value = *state.entry(at).or_insert_with(|| zero(&mut cursor));
                    let value = cast(&mut cursor, value, ty);
                    function.dfg.clear_results(inst);
                    function.dfg.change_to_alias(result, value);
                    function.layout.remove_inst(inst);
                }
                None => {}
            }
        }
    }

    /// Passes the values of a block on to those that follow it: as arguments, or through memory.
    fn leave(&self, function: &mut Function, block: Block, state: &HashMap<i32, Value>) {
        let Some(end) = function.layout.last_inst(block) else { return };
        for target in targets(function, end) {
            if function.layout.is_cold(target) {
                self.leave_to_memory(function, end, target, state);
                continue;
            }
            if self.is_merge(target) {
                let mut cursor = FuncCursor::new(function).at_inst(end);
                let arguments = self.live(target).iter().map(|at| {
                    let value = state.get(at).copied().unwrap_or_else(|| zero(&mut cursor));
                    BlockArg::Value(cast(&mut cursor, value, I32X4))
                });
                let arguments: Vec<BlockArg> = arguments.collect();
                append(function, end, target, &arguments);
            }
        }
    }

    /// Stores what a cold block may read on the edges to it.
    fn leave_to_memory(&self, function: &mut Function, end: Inst, target: Block, state: &HashMap<i32, Value>) {
        let stored: Vec<(i32, Value)> =
            self.live(target).iter().filter_map(|&at| Some((at, *state.get(&at)?))).collect();
        if stored.is_empty() {
            return;
        }
        let (between, parameters) = detour(function, end, target);
        let mut cursor = FuncCursor::new(function).at_bottom(between);
        for (at, value) in stored {
            cursor.ins().store(memory(), value, self.slots.base, at);
        }
        cursor.ins().jump(target, &parameters);
    }

    /// Loads what blocks of values get from a cold one.
    fn come_back(&self, function: &mut Function, block: Block, values: &HashSet<Block>, old: &HashMap<Block, usize>) {
        let Some(end) = function.layout.last_inst(block) else { return };
        for target in targets(function, end) {
            if !values.contains(&target) || self.live(target).is_empty() {
                continue;
            }
            let (between, mut parameters) = detour(function, end, target);
            // A detour is made after the target has got its parameters: those of slots are not the branch's.
            for _ in old[&target]..parameters.len() {
                let last = function.dfg.block_params(between)[old[&target]];
                function.dfg.remove_block_param(last);
            }
            parameters.truncate(old[&target]);
            let mut cursor = FuncCursor::new(function).at_bottom(between);
            for &at in self.live(target) {
                let value = cursor.ins().load(I32X4, memory(), self.slots.base, at);
                parameters.push(BlockArg::Value(value));
            }
            cursor.ins().jump(target, &parameters);
        }
    }
}

fn memory() -> MemFlagsData {
    crate::lane::memory()
}

fn zero(cursor: &mut FuncCursor<'_>) -> Value {
    let zero = cursor.func.dfg.constants.insert([0u8; 16].to_vec().into());
    cursor.ins().vconst(I32X4, zero)
}

/// The bits of a vector as another one.
fn cast(cursor: &mut FuncCursor<'_>, value: Value, ty: Type) -> Value {
    if cursor.func.dfg.value_type(value) == ty {
        return value;
    }
    cursor.ins().bitcast(ty, MemFlagsData::new().with_endianness(cranelift_codegen::ir::Endianness::Little), value)
}

/// The access of an instruction that uses the slots' address.
fn access(function: &Function, inst: Inst, base: Value) -> Option<Access> {
    let dfg = &function.dfg;
    let is_whole = |value: Value| dfg.value_type(value).bytes() == 16;
    match dfg.insts[inst] {
        InstructionData::Load { offset, .. } if is_whole(dfg.first_result(inst)) => Some(Access::Load(offset.into())),
        InstructionData::Store { args: [value, address], offset, .. } if address == base && is_whole(value) => {
            Some(Access::Store(offset.into(), value))
        }
        _ => None,
    }
    .filter(|access| matches!(access, Access::Load(at) | Access::Store(at, _) if at % 16 == 0))
}

/// The slots that may be read from each block on.
fn live(
    function: &Function,
    flow: &ControlFlowGraph,
    accesses: &HashMap<Inst, Access>,
    start: Block,
) -> HashMap<Block, Vec<i32>> {
    let mut reads: HashMap<Block, HashSet<i32>> = HashMap::new();
    let mut writes: HashMap<Block, HashSet<i32>> = HashMap::new();
    for block in function.layout.blocks() {
        for inst in function.layout.block_insts(block) {
            match accesses.get(&inst) {
                Some(Access::Load(at)) if !writes.get(&block).is_some_and(|writes| writes.contains(at)) => {
                    reads.entry(block).or_default().insert(*at);
                }
                Some(Access::Store(at, _)) => {
                    writes.entry(block).or_default().insert(*at);
                }
                _ => {}
            }
        }
    }
    let mut live = reads;
    live.remove(&start);
    let mut rest: Vec<Block> = live.keys().copied().collect();
    while let Some(block) = rest.pop() {
        let after: Vec<i32> = live[&block].iter().copied().collect();
        for before in flow.pred_iter(block).map(|before| before.block).filter(|&before| before != start) {
            let written = writes.get(&before);
            let here = live.entry(before).or_default();
            let known = here.len();
            here.extend(after.iter().filter(|at| !written.is_some_and(|written| written.contains(at))));
            if here.len() > known {
                rest.push(before);
            }
        }
    }
    let sorted = |slots: HashSet<i32>| {
        let mut slots: Vec<i32> = slots.into_iter().collect();
        slots.sort_unstable();
        slots
    };
    live.into_iter().map(|(block, slots)| (block, sorted(slots))).collect()
}

/// The blocks that are not cold, in reverse postorder.
fn order(function: &Function, flow: &ControlFlowGraph) -> Vec<Block> {
    let (mut seen, mut order) = (HashSet::new(), Vec::new());
    let mut rest: Vec<(Block, bool)> = function.layout.entry_block().map(|entry| (entry, false)).into_iter().collect();
    while let Some((block, done)) = rest.pop() {
        if done {
            order.push(block);
        } else if seen.insert(block) {
            rest.push((block, true));
            rest.extend(flow.succ_iter(block).map(|next| (next, false)));
        }
    }
    order.reverse();
    order.retain(|&block| !function.layout.is_cold(block));
    order
}

/// Whether slots are live around a loop.
fn has_loops(flow: &ControlFlowGraph, order: &[Block], live: &HashMap<Block, Vec<i32>>) -> bool {
    let places: HashMap<Block, usize> = order.iter().enumerate().map(|(place, &block)| (block, place)).collect();
    let comes_back = |from: usize, to: Block| live.contains_key(&to) && places.get(&to).is_some_and(|&to| to <= from);
    order.iter().enumerate().any(|(from, &block)| flow.succ_iter(block).any(|to| comes_back(from, to)))
}

/// The blocks that a branch goes to, each once.
fn targets(function: &mut Function, end: Inst) -> Vec<Block> {
    let mut found = Vec::new();
    each_way(function, end, |call, lists| {
        let target = call.block(lists);
        if !found.contains(&target) {
            found.push(target);
        }
    });
    found
}

fn each_way(
    function: &mut Function,
    end: Inst,
    mut change: impl FnMut(&mut cranelift_codegen::ir::BlockCall, &mut ValueListPool),
) {
    let dfg = &mut function.dfg;
    for call in dfg.insts[end].branch_destination_mut(&mut dfg.jump_tables, &mut dfg.exception_tables) {
        change(call, &mut dfg.value_lists);
    }
}

/// Appends arguments to the edges of a branch to a block.
fn append(function: &mut Function, end: Inst, target: Block, arguments: &[BlockArg]) {
    each_way(function, end, |call, lists| {
        if call.block(lists) == target {
            arguments.iter().for_each(|&argument| call.append_argument(argument, lists));
        }
    });
}

/// A new cold block that a branch goes to instead of another one, with the same parameters. Its end is still to be
/// made.
fn detour(function: &mut Function, end: Inst, target: Block) -> (Block, Vec<BlockArg>) {
    let between = function.dfg.make_block();
    let last = function.layout.last_block();
    if let Some(last) = last {
        function.layout.insert_block_after(between, last);
    }
    function.layout.set_cold(between);
    let types: Vec<Type> =
        function.dfg.block_params(target).iter().map(|&parameter| function.dfg.value_type(parameter)).collect();
    let parameters =
        types.into_iter().map(|ty| BlockArg::Value(function.dfg.append_block_param(between, ty))).collect();
    each_way(function, end, |call, lists| {
        if call.block(lists) == target {
            call.set_block(between, lists);
        }
    });
    (between, parameters)
}
