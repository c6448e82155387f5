//! Random functions as lists of steps, of which any may be left out.
//!
//! A step names its operands by the numbers of those that made them. Where there is no such value, or one of another
//! type, it has a constant instead, so that every list of steps is a function. That is how a failing function is made
//! small.

use cranelift_codegen::ir::Type;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32X4, F64X2, I8, I8X16, I16X8, I32, I32X4, I64X2};

/// Names a value.
pub(super) type Id = u32;

/// Loops of a function at most.
pub(super) const LOOPS: usize = 2;

/// A function.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    /// Names what memory holds.
    pub data: u64,
    /// Whether an iteration's counters do not follow those of the one before at once.
    pub has_gaps: bool,
    /// What is done before the loops.
    pub before: Vec<Step>,
    /// Up to [`LOOPS`].
    pub loops: Vec<Loop>,
    /// What is done after them.
    pub after: Vec<Step>,
    /// The result.
    pub status: Operand,
}

/// A loop over items, of which several may be done at once.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    /// How many: one number, or four and two.
    pub at_once: AtOnce,
    /// Whether an iteration only writes what it does not read.
    pub is_repeatable: bool,
    pub storage: Storage,
    /// Whether the item's address is computed before the body begins.
    pub has_address: bool,
    /// Values that the body begins with beside the item's number: their types and where in the item they are.
    pub given: Vec<(Id, Type, u8)>,
    pub body: Vec<Step>,
}

/// How many iterations are done at once, where there are so many left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtOnce {
    Two,
    Four,
    FourOrTwo,
}

/// Memory that an iteration has for itself, and writes before it reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    None,
    /// As far apart as it is large, or further.
    Memory {
        distance: u8,
    },
    /// Slots that become values (`promote.rs`).
    Slots {
        distance: u8,
    },
}

/// What an instruction works on.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    Value(Id),
    /// What is in memory, loaded right before the instruction.
    Load(Area, u8),
    Constant([u8; 16]),
}

impl Default for Operand {
    fn default() -> Self {
        Operand::Constant([0; 16])
    }
}

/// Parts of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Area {
    /// What nothing writes.
    Shared,
    /// What an item is given.
    From,
    /// What an item leaves.
    To,
    /// What an iteration writes before it reads it.
    Scratch,
    /// What is written outside of loops.
    Outside,
}

/// Where an instruction accesses memory.
#[derive(Clone, Debug)]
pub(super) struct MemoryOperand {
    pub area: Area,
    /// In bytes, brought into the area.
    pub offset: u8,
    /// What is added to it, how far it is shifted, and bits that say in which order all of it is added.
    pub index: Option<(Operand, u8, u8)>,
}

/// An instruction, or several.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// One of [`rows`](super::rows::rows) that makes a value, or does nothing.
    Row {
        id: Id,
        row: usize,
        args: Vec<Operand>,
        bytes: [u8; 16],
    },
    Idiom {
        id: Id,
        idiom: Idiom,
        args: Vec<Operand>,
    },
    Load {
        id: Id,
        row: usize,
        place: MemoryOperand,
    },
    Store {
        row: usize,
        value: Operand,
        place: MemoryOperand,
    },
    /// Stores the second half of a vector of doubles.
    StoreHigh {
        value: Operand,
        place: MemoryOperand,
    },
    /// Adds to a counter that each iteration has for itself.
    Count {
        counter: u8,
        value: Operand,
    },
    If(If),
    Repeat(Repeat),
    /// A branch by a number.
    Table {
        number: Operand,
        arms: Vec<Vec<Step>>,
        results: Vec<(Id, Type, Vec<Operand>)>,
    },
    Call {
        id: Id,
        function: u8,
        args: Vec<Operand>,
    },
}

/// A branch whose ways meet again.
#[derive(Clone, Debug)]
pub(super) struct If {
    pub kind: BranchKind,
    /// What its test or comparison is about.
    pub condition: Vec<Operand>,
    pub then: Vec<Step>,
    /// Nothing under a mask.
    pub otherwise: Vec<Step>,
    pub results: Vec<Merge>,
}

/// A value that both ways make.
#[derive(Clone, Debug)]
pub(super) struct Merge {
    pub id: Id,
    pub ty: Type,
    pub then: Operand,
    pub otherwise: Operand,
}

/// What a branch asks about its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Test {
    /// Whether the first one is not zero.
    Value(Type),
    Compare(IntCC, Type),
    /// Whether they have common bits.
    Bits(Type),
    /// About the lanes of so many vectors.
    Lanes {
        test: LaneTest,
        and: bool,
        vectors: u8,
    },
}

/// What is known of a branch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BranchKind {
    /// Each iteration goes its own way.
    Plain(Test),
    /// Where the iterations of a group disagree, the group is restarted one iteration at a time.
    SplitOnDivergence(Test),
    /// The condition is the same for all of them.
    Uniform(Test),
    /// Goes to a cold block where the condition's low bits are these.
    Rare(u8),
    /// Lanes for which a comparison does not hold stay as they were, whichever way is gone.
    Masked { how: Comparison, test: MaskTest },
}

/// A comparison of lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Comparison {
    Floats(FloatCC),
    Ints(IntCC),
}

/// How a branch around code under a mask asks about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MaskTest {
    Any,
    AnySign,
    /// Whether all lanes are out of it.
    NoneByLanes,
    NoneBySigns,
}

/// A loop within a body, or outside of those that are done several times at once.
#[derive(Clone, Debug)]
pub(super) struct Repeat {
    pub kind: RepeatKind,
    /// Its low bits and one.
    pub count: Operand,
    pub carried: Vec<Carried>,
    pub body: Vec<Step>,
}

/// A value that an iteration gives the next one.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    /// Its name in the loop.
    pub id: Id,
    pub ty: Type,
    pub start: Operand,
    pub next: Operand,
    /// Its name after the loop.
    pub last: Id,
}

/// What is known of the branch back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RepeatKind {
    Plain,
    SplitOnDivergence,
    Uniform,
}

/// Instructions that the code generator knows together: one for all of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Idiom {
    /// Products of 64 bits of lanes of 32.
    Product {
        signed: bool,
        high: bool,
    },
    /// Sums of two products each of signed lanes of 16 bits.
    Products,
    QuotientBy255,
    /// The lesser or greater float.
    Extremum {
        greater: bool,
        swapped: bool,
    },
    /// Doubles of integers of 32 bits, the first two or the others.
    Doubles {
        high: bool,
    },
    /// An intersection with a complement.
    Complement {
        ty: Type,
        first: bool,
    },
    /// A selection by a mask that is made of two comparisons, of floats and of integers.
    Selection {
        join: u8,
        ty: Type,
    },
    /// A condition that asks about several vectors.
    Joined {
        test: LaneTest,
        and: bool,
        vectors: u8,
    },
    /// Fewer bits of an integer, which are zero if it is shifted before.
    Narrow {
        from: Type,
        to: Type,
        shifted: bool,
    },
    /// The least of all iterations' integers, in a way that gives the same whatever that is.
    Least,
    /// The sum of vectors of whatever types.
    Sum(Vec<Type>),
    /// A scalar that is loaded before memory is written, and becomes a lane or all lanes of a vector after that.
    Late {
        ty: Type,
        offset: u8,
        how: u8,
    },
}

/// What a condition asks about a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneTest {
    Any(Type),
    All(Type),
    Signs,
}

impl Idiom {
    /// The types of its operands.
    pub fn args(&self) -> Vec<Type> {
        match self {
            Idiom::Product { .. } => vec![I32X4; 2],
            Idiom::Products => vec![I16X8; 2],
            Idiom::QuotientBy255 => vec![I16X8],
            Idiom::Doubles { .. } => vec![I32X4],
            Idiom::Extremum { .. } => vec![F32X4; 2],
            Idiom::Complement { ty, .. } => vec![*ty; 2],
            Idiom::Selection { ty, .. } => vec![F32X4, F32X4, *ty, *ty, *ty, *ty],
            Idiom::Joined { test, vectors, .. } => vec![test.vector(); (*vectors).into()],
            Idiom::Narrow { from, .. } => vec![*from],
            Idiom::Least => vec![I32; 2],
            Idiom::Sum(types) => types.clone(),
            // What is written, and the vector that a lane of is replaced.
            Idiom::Late { ty, .. } => vec![I8X16, vector_of(*ty)],
        }
    }

    /// The type of its result.
    pub fn result(&self) -> Type {
        match self {
            Idiom::Product { .. } => I64X2,
            Idiom::Products => I32X4,
            Idiom::Selection { ty, .. } => *ty,
            Idiom::Late { ty, .. } => vector_of(*ty),
            Idiom::QuotientBy255 => I16X8,
            Idiom::Doubles { .. } => F64X2,
            Idiom::Extremum { .. } => F32X4,
            Idiom::Complement { ty, .. } => *ty,
            Idiom::Joined { .. } => I8,
            Idiom::Narrow { to, .. } => *to,
            Idiom::Least => I32,
            Idiom::Sum(_) => I8X16,
        }
    }
}

/// The vector with lanes of a type.
fn vector_of(lane: Type) -> Type {
    lane.by(128 / lane.bits()).unwrap_or(I8X16)
}

impl LaneTest {
    /// The type of the vectors.
    fn vector(self) -> Type {
        match self {
            LaneTest::Any(ty) | LaneTest::All(ty) => ty,
            LaneTest::Signs => I32X4,
        }
    }
}

impl Test {
    /// The types of the operands.
    pub fn args(self) -> Vec<Type> {
        match self {
            Test::Value(ty) => vec![ty],
            Test::Compare(_, ty) | Test::Bits(ty) => vec![ty; 2],
            Test::Lanes { test, vectors, .. } => vec![test.vector(); vectors.into()],
        }
    }
}
