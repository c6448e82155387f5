//! Unroll and jam of a loop: a copy of its body that executes several iterations at once, two or another even number.
//!
//! Operations on a quad mostly depend on each other, and a processor's window of some two hundred instructions does not
//! reach the next quad of a long program. So the loop over quads has a second body, for two quads: each instruction of
//! the first is followed by the same one of the second. The transformation works on finished CLIF, so emitters of
//! interpolation, textures and programs do not deal with it.
//!
//! Iterations stay together at branches of which one target is correct for every lane, as code under masks is, whose
//! condition is uniform, or that restart a group that disagrees one iteration at a time ([`JointBranch`]). There their
//! instructions alternate, and those that do not depend on the iteration are emitted once. The code between any other
//! branch and its reconvergence point is copied as a whole, for one iteration after the other; so are parts of a body
//! that are marked ([`Branches::serialized`]) because they call or store to shared memory.
//!
//! Kernels do two iterations at once: quads, groups of vertices, slices of a warp. With vectors of 256 bits some
//! have four ([`quads`](crate::pixel::quads), [`groups`](crate::groups)): by up to a sixth faster. With a loop in the
//! body four are slower than two.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use cranelift_codegen::ir::types::F64X2;
use cranelift_codegen::ir::{Block, Function, Inst, InstructionData, Opcode, Value, ValueListPool};

mod blocks;
mod copies;
#[cfg(test)]
mod tests;

use blocks::Blocks;
pub(crate) use blocks::has_loop;
use copies::Copies;

/// How interleaved iterations take a branch together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JointBranch {
    /// The branch is taken if any iteration takes it: its target is correct for all, the other one is a shortcut.
    AnyTaken,
    /// The branch is taken if all iterations take it: falling through is correct for all.
    AllTaken,
    /// The condition is the same for all iterations.
    Uniform,
    /// Iterations that disagree restart one at a time.
    SplitOnDivergence,
}

/// Properties of a function's branches, which emitters note.
#[derive(Debug, Default)]
pub(crate) struct Branches {
    /// Branches that interleaved iterations take together.
    pub joint: HashMap<Inst, JointBranch>,
    /// Branches whose taken target is unlikely and cannot be interleaved, a block without parameters. If any iteration
    /// takes it, the group restarts one iteration at a time.
    pub rare: HashSet<Inst>,
    /// Instructions whose integer result is replaced by the minimum over all iterations.
    pub minima: HashSet<Inst>,
    /// Jumps to code that iterations execute one after the other, up to these blocks. In it they may call, and store to
    /// memory that they share.
    pub serialized: HashMap<Inst, Block>,
    /// Stores and calls that a restarted iteration may execute again.
    pub repeatable: HashSet<Inst>,
    /// Whether the same vectors of two iterations become one of 256 bits.
    pub has_wide_vectors: bool,
}

/// A loop's body.
pub(crate) struct Body {
    /// Its first block, which has no parameters.
    pub entry: Block,
    /// The block after it, which has none either.
    pub exit: Block,
    /// The values that an iteration begins with: those of the body, and those that each other iteration has instead.
    pub others: Vec<(Value, Vec<Value>)>,
    /// The entry of the interleaved copy: a block that ends in a jump to the block after the copy.
    pub before: Block,
    /// Parts of the arguments that each iteration has for itself: their offsets, and how much further on those of the
    /// next one are.
    pub own: Vec<(Range<i32>, i32)>,
    /// Those of them that iterations add to.
    pub counters: Range<i32>,
    /// An address among `others` of memory that an iteration writes before it reads it.
    pub storage: Option<Value>,
    /// Whether an iteration may store all that it stores once more.
    pub is_repeatable: bool,
}

/// Instructions, and block parameters, of two iterations that are copies of the same one.
#[derive(Debug, Default)]
pub(crate) struct InstPairs {
    pub insts: Vec<[Inst; 2]>,
    pub parameters: Vec<[Value; 2]>,
}

impl InstPairs {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.insts.is_empty()
    }

    /// Adds those of another loop.
    pub fn extend(&mut self, InstPairs { insts, parameters }: InstPairs) {
        self.insts.extend(insts);
        self.parameters.extend(parameters);
    }
}

impl Body {
    /// How many iterations are done at once.
    fn iterations(&self) -> usize {
        1 + self.others.first().map_or(0, |(_, others)| others.len())
    }
}

/// Why a loop body was not interleaved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotInterleaved {
    #[error("diverging iterations without a reconvergence point")]
    NoMeeting,
    #[error("a restarted iteration would repeat a side effect")]
    NotRepeatable,
    #[error("a computed address of an iteration's own arguments")]
    OwnAddress,
    #[error("a body with vectors of doubles")]
    Doubles,
    #[error("a body with {0}")]
    Instruction(Opcode),
    #[error("a store to memory that iterations share")]
    SharedStore,
}

/// Adds the interleaved copy of `body` to `function`, whose argument is the address `args`. Returns the pairs of copied
/// instructions.
///
/// # Errors
/// When the body cannot be interleaved: the function keeps doing one iteration at a time.
pub(crate) fn interleave(
    function: &mut Function,
    args: Value,
    body: &Body,
    branches: &Branches,
) -> Result<InstPairs, NotInterleaved> {
    function.dfg.resolve_all_aliases();
    let found = pairable(function, args, body, branches);
    if found.is_err() {
        draw_one(function, body);
    }
    let (blocks, dependent) = found?;
    Ok(Copies::new(function, args, body, &blocks, &dependent).make())
}

/// The blocks of a body, and the values that differ between iterations, if several of them can be done at once.
fn pairable(
    function: &Function,
    args: Value,
    body: &Body,
    branches: &Branches,
) -> Result<(Blocks, HashSet<Value>), NotInterleaved> {
    let blocks = Blocks::new(function, body.entry, body.exit, branches).ok_or(NotInterleaved::NoMeeting)?;
    if !may_restart(function, args, body, &blocks) {
        return Err(NotInterleaved::NotRepeatable);
    }
    let dependent = dependent(function, args, body, &blocks)?;
    Ok((blocks, dependent))
}

/// Redirects the entry of the interleaved copy to the body.
fn draw_one(function: &mut Function, body: &Body) {
    let Some(end) = function.layout.last_inst(body.before) else { return };
    let dfg = &mut function.dfg;
    if let InstructionData::Jump { destination, .. } = &mut dfg.insts[end] {
        destination.set_block(body.entry, &mut dfg.value_lists);
    }
}

/// The values that differ between iterations, if two of them can be made at once.
fn dependent(function: &Function, args: Value, body: &Body, blocks: &Blocks) -> Result<HashSet<Value>, NotInterleaved> {
    let mut dependent: HashSet<Value> = body.others.iter().map(|&(first, _)| first).collect();
    dependent.extend(blocks.all.iter().flat_map(|&block| function.dfg.block_params(block)));
    loop {
        let known = dependent.len();
        for inst in blocks.all.iter().flat_map(|&block| function.layout.block_insts(block)) {
            let data = &function.dfg.insts[inst];
            let own = own_distance(data, &function.dfg.value_lists, args, body).is_some();
            let differs = own || function.dfg.inst_args(inst).iter().any(|value| dependent.contains(value));
            if differs && !blocks.minima.contains(&inst) {
                dependent.extend(function.dfg.inst_results(inst));
            }
        }
        if dependent.len() == known {
            break;
        }
    }
    let insts = || blocks.all.iter().flat_map(|&block| function.layout.block_insts(block));
    if insts().any(|inst| is_own_address(function, inst, args, body)) {
        return Err(NotInterleaved::OwnAddress);
    }
    // Doubles are two vectors for four lanes: where those of two iterations do not become one, there are not enough
    // registers for twice as many.
    let is_double = |inst: Inst| {
        let results = function.dfg.inst_results(inst);
        results.iter().any(|&result| function.dfg.value_type(result) == F64X2) && !is_bits(function, inst)
    };
    let is_serialized = |inst| function.layout.inst_block(inst).is_some_and(|block| blocks.serialized.contains(&block));
    let refusal = |inst: Inst| {
        if !blocks.has_wide_vectors && is_double(inst) {
            return Some(NotInterleaved::Doubles);
        }
        let data = &function.dfg.insts[inst];
        let opcode = data.opcode();
        let shared_store = || {
            // The last argument of a store is its address.
            let address = function.dfg.inst_args(inst).last();
            let own = own_distance(data, &function.dfg.value_lists, args, body).is_some();
            !own && !address.is_some_and(|address| dependent.contains(address))
        };
        match data {
            InstructionData::Jump { .. } | InstructionData::Brif { .. } => None,
            _ if is_serialized(inst) && !opcode.is_terminator() => None,
            _ if opcode.is_terminator() || opcode.is_call() => Some(NotInterleaved::Instruction(opcode)),
            InstructionData::Store { .. } => shared_store().then_some(NotInterleaved::SharedStore),
            _ if opcode.can_store() || opcode.other_side_effects() => Some(NotInterleaved::Instruction(opcode)),
            _ => None,
        }
    };
    insts().find_map(refusal).map_or(Ok(dependent), Err)
}

/// Whether an instruction adds up, or uses, an address of what each iteration has for itself: only offsets in loads and
/// stores are known to be such.
fn is_own_address(function: &Function, inst: Inst, args: Value, body: &Body) -> bool {
    let is_own =
        |offset: i64| body.own.iter().any(|(range, _)| (i64::from(range.start)..range.end.into()).contains(&offset));
    let made_by = |value: Value| function.dfg.value_def(value).inst().map(|inst| &function.dfg.insts[inst]);
    let sum = |data: &InstructionData| match *data {
        InstructionData::Binary { opcode: Opcode::Iadd, args: [a, b], .. } if a == args => Some(b),
        InstructionData::Binary { opcode: Opcode::Iadd, args: [a, b], .. } if b == args => Some(a),
        _ => None,
    };
    let constant = |value: Value| match made_by(value) {
        Some(InstructionData::UnaryImm { opcode: Opcode::Iconst, imm }) => Some(imm.bits()),
        _ => None,
    };
    let data = &function.dfg.insts[inst];
    if let Some(offset) = sum(data).and_then(constant) {
        return is_own(offset);
    }
    // By an offset from a sum whose other summand is not known.
    let address = || data.arguments(&function.dfg.value_lists).last().copied().and_then(made_by).and_then(sum);
    data.load_store_offset().is_some_and(|offset| is_own(offset.into()) && address().is_some())
}

/// Whether a restarted iteration repeats no side effect that must happen once.
fn may_restart(function: &Function, args: Value, body: &Body, blocks: &Blocks) -> bool {
    let is_repeatable = |inst: Inst| {
        let data = &function.dfg.insts[inst];
        let own = || own_distance(data, &function.dfg.value_lists, args, body).is_some();
        let counts = || data.load_store_offset().is_some_and(|offset| body.counters.contains(&offset));
        let stored = || body.storage.is_some() && function.dfg.inst_args(inst).last() == body.storage.as_ref();
        let is_again = body.is_repeatable || blocks.repeatable.contains(&inst);
        let opcode = data.opcode();
        is_again || !opcode.can_store() && !opcode.is_call() || stored() || own() && !counts()
    };
    // Where iterations diverge, the first one reaches the reconvergence point before another takes a rare branch.
    let passed = |end: Block| {
        let diverged = blocks.reconvergence.iter().map(|(&from, &meeting)| blocks.between(from, meeting));
        let diverged = diverged.filter(move |between| between.contains(&end));
        diverged.flatten().chain(blocks.all.iter().copied().filter(move |&block| blocks.leads_to(block, end)))
    };
    let mut insts = blocks.ends_of_pairs().flat_map(passed).flat_map(|block| function.layout.block_insts(block));
    insts.all(is_repeatable)
}

/// Whether an instruction only moves bits.
fn is_bits(function: &Function, inst: Inst) -> bool {
    use Opcode::{Bitcast, Insertlane, Load, ScalarToVector, Shuffle, Splat};
    let opcode = function.dfg.insts[inst].opcode();
    matches!(opcode, Bitcast | Insertlane | Load | ScalarToVector | Shuffle | Splat)
}

/// How much further on the second iteration finds what an instruction accesses.
fn own_distance(data: &InstructionData, lists: &ValueListPool, args: Value, body: &Body) -> Option<i32> {
    let offset = data.load_store_offset()?;
    let address = *data.arguments(lists).last()?;
    let own = body.own.iter().find(|(range, _)| address == args && range.contains(&offset));
    own.map(|&(_, distance)| distance)
}
