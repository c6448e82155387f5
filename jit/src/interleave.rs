//! Several iterations of a loop's body at once: two, or another even number.
//!
//! Operations on a quad mostly wait for each other, and a processor looks ahead by some two hundred instructions: too
//! few to reach the next quad of a long program. So the body of the loop over quads is there a second time, for two
//! quads: each instruction of the first, then the same one of the second. Interpolation, textures and programs know
//! nothing of it, the copy is made of the finished CLIF.
//!
//! All iterations take the same way where that is right for each: after a branch of which one way is marked as right
//! whatever the condition says, as code under masks is, or one where those that disagree begin anew ([`Together`]).
//! There their instructions alternate, and those that do not depend on the iteration are there once. What any other
//! branch selects between is copied as a whole, for one iteration after the other, up to where its ways meet again. So
//! are parts of a body that are marked ([`Branches::apart`]) because they call or store to memory that is shared.
//!
//! Kernels have two iterations at once: quads, groups of vertices, slices of a warp. With vectors of 256 bits some
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

/// How iterations go on together after a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Together {
    /// Where it goes if the condition holds is right whatever that says; the other way only saves time.
    Taken,
    /// Where it goes otherwise is right whatever the condition says.
    NotTaken,
    /// Where it goes: the condition is the same for all iterations.
    Either,
    /// Where it goes for all of them; where they disagree, they begin anew, one after the other.
    Agreed,
}

/// What is known of branches.
#[derive(Debug, Default)]
pub(crate) struct Branches {
    /// Those after which iterations go on together.
    pub together: HashMap<Inst, Together>,
    /// Those that rarely go where they do if the condition holds, to a block without parameters that two iterations
    /// cannot run at once. If one of two iterations wants to go there, both begin anew, one after the other.
    pub rare: HashSet<Inst>,
    /// What makes an integer of which all iterations use the least.
    pub least: HashSet<Inst>,
    /// Jumps after which iterations go on one after the other, up to these blocks. In between they may call and store
    /// to memory that they share: one has done so before the next one does.
    pub apart: HashMap<Inst, Block>,
    /// Stores and calls that an iteration which begins anew may do again.
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
    /// Where all iterations go: a block that ends in a jump to another one, in between.
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

/// What two iterations do at once: the same instruction, and the same parameter of a block, of both.
#[derive(Debug, Default)]
pub(crate) struct Twins {
    pub insts: Vec<[Inst; 2]>,
    pub parameters: Vec<[Value; 2]>,
}

impl Twins {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.insts.is_empty()
    }

    /// Adds those of another loop.
    pub fn extend(&mut self, Twins { insts, parameters }: Twins) {
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

/// Why a body has one iteration at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Single {
    #[error("iterations that part might not meet again")]
    Ways,
    #[error("an iteration that begins anew would do something twice")]
    NotRepeatable,
    #[error("addresses of what iterations have for themselves are computed")]
    OwnAddress,
    #[error("a body with vectors of doubles")]
    Doubles,
    #[error("a body with {0}")]
    Instruction(Opcode),
    #[error("a store to memory that iterations share")]
    SharedStore,
}

/// Adds the copies to `function`, whose argument is the address `args`, unless the body does what two iterations cannot
/// do at once: calls, stores to memory that they share. Returns what is there twice.
///
/// # Errors
/// Then the function does one iteration at a time.
pub(crate) fn interleave(
    function: &mut Function,
    args: Value,
    body: &Body,
    branches: &Branches,
) -> Result<Twins, Single> {
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
) -> Result<(Blocks, HashSet<Value>), Single> {
    let blocks = Blocks::new(function, body.entry, body.exit, branches).ok_or(Single::Ways)?;
    if !may_begin_anew(function, args, body, &blocks) {
        return Err(Single::NotRepeatable);
    }
    let dependent = dependent(function, args, body, &blocks)?;
    Ok((blocks, dependent))
}

/// Lets the block that both iterations go to go to the body.
fn draw_one(function: &mut Function, body: &Body) {
    let Some(end) = function.layout.last_inst(body.before) else { return };
    let dfg = &mut function.dfg;
    if let InstructionData::Jump { destination, .. } = &mut dfg.insts[end] {
        destination.set_block(body.entry, &mut dfg.value_lists);
    }
}

/// The values that differ between iterations, if two of them can be made at once.
fn dependent(function: &Function, args: Value, body: &Body, blocks: &Blocks) -> Result<HashSet<Value>, Single> {
    let mut dependent: HashSet<Value> = body.others.iter().map(|&(first, _)| first).collect();
    dependent.extend(blocks.all.iter().flat_map(|&block| function.dfg.block_params(block)));
    loop {
        let known = dependent.len();
        for inst in blocks.all.iter().flat_map(|&block| function.layout.block_insts(block)) {
            let data = &function.dfg.insts[inst];
            let own = own_distance(data, &function.dfg.value_lists, args, body).is_some();
            let differs = own || function.dfg.inst_args(inst).iter().any(|value| dependent.contains(value));
            if differs && !blocks.least.contains(&inst) {
                dependent.extend(function.dfg.inst_results(inst));
            }
        }
        if dependent.len() == known {
            break;
        }
    }
    let insts = || blocks.all.iter().flat_map(|&block| function.layout.block_insts(block));
    if insts().any(|inst| is_own_address(function, inst, args, body)) {
        return Err(Single::OwnAddress);
    }
    // Doubles are two vectors for four lanes: where those of two iterations do not become one, there are not enough
    // registers for twice as many.
    let is_double = |inst: Inst| {
        let results = function.dfg.inst_results(inst);
        results.iter().any(|&result| function.dfg.value_type(result) == F64X2) && !is_bits(function, inst)
    };
    let is_apart = |inst| function.layout.inst_block(inst).is_some_and(|block| blocks.apart.contains(&block));
    let refusal = |inst: Inst| {
        if !blocks.has_wide_vectors && is_double(inst) {
            return Some(Single::Doubles);
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
            _ if is_apart(inst) && !opcode.is_terminator() => None,
            _ if opcode.is_terminator() || opcode.is_call() => Some(Single::Instruction(opcode)),
            InstructionData::Store { .. } => shared_store().then_some(Single::SharedStore),
            _ if opcode.can_store() || opcode.other_side_effects() => Some(Single::Instruction(opcode)),
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

/// Whether an iteration that begins anew has done nothing before that must not be done twice.
fn may_begin_anew(function: &Function, args: Value, body: &Body, blocks: &Blocks) -> bool {
    let is_repeatable = |inst: Inst| {
        let data = &function.dfg.insts[inst];
        let own = || own_distance(data, &function.dfg.value_lists, args, body).is_some();
        let counts = || data.load_store_offset().is_some_and(|offset| body.counters.contains(&offset));
        let stored = || body.storage.is_some() && function.dfg.inst_args(inst).last() == body.storage.as_ref();
        let is_again = body.is_repeatable || blocks.repeatable.contains(&inst);
        let opcode = data.opcode();
        is_again || !opcode.can_store() && !opcode.is_call() || stored() || own() && !counts()
    };
    // Where iterations part, the first one has come to where they meet before another one goes a rare way.
    let passed = |end: Block| {
        let parted = blocks.meetings.iter().map(|(&from, &meeting)| blocks.between(from, meeting));
        let parted = parted.filter(move |between| between.contains(&end));
        parted.flatten().chain(blocks.all.iter().copied().filter(move |&block| blocks.leads_to(block, end)))
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
