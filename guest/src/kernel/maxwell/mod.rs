//! Kernels of Maxwell shader programs (Tegra X1): every stage and compute.
//!
//! What single instructions do to one lane is said in [`crate::tegra::shader::isa`] and, where a formula is longer, in
//! [`crate::num`]. Here is what concerns several lanes, the order of things and what is around a program. Fragments are a
//! [`FragmentKey`](super::program::fragment::FragmentKey) with a [`PixelCode`]; all other stages a [`ShaderKey`].
//!
//! # Warps
//!
//! A warp is what shares an execution order and what lane numbers, votes, shuffles and quad masks speak of.
//!
//! | stage | a warp is | LANEID |
//! |---|---|---|
//! | vertex, tessellation evaluation | one vertex | 0 |
//! | tessellation control | the threads of one patch, at most 32 | output vertex |
//! | geometry | one primitive and instance | 0 |
//! | pixel | a 2x2 quad, covered or not | 0 to 3: (0,0), (1,0), (0,1), (1,1) |
//! | compute | 32 threads of a block, x fastest, then y, z | thread modulo 32 |
//!
//! # Order
//!
//! Registers, predicates, condition code and local memory of a lane start as 0. Each lane has a program counter and a stack of
//! (kind, target). SSY, PBK, PCNT, PRET, PLONGJMP, PEXIT and CAL push; SYNC, BRK, CONT, RET and LONGJMP, for the lanes whose guard and
//! condition test hold, remove everything up to and including the innermost entry of their kind and go to its target; without one
//! the lane ends, and so it does with more than [`STACK`] entries, or outside of the code. EXIT goes to the innermost PEXIT
//! entry if there is one, else the lane ends. A word that is no instruction does nothing.
//!
//! Of the lanes of a warp that have not ended those run next that have the **most entries** on their stack, of these those at the **lowest
//! address**: all of them together, for one instruction. (In structured code these are the lanes that the hardware's own stack would
//! run together: SYNC waits for all that SSY saw.) Lanes of one warp that wait at a barrier are not among them. Warps of a block run
//! one after the other, each until all of its lanes have ended or wait; when no lane of the block runs, those that wait go on.
//! A barrier with a thread count takes the lanes of the warps that have arrived; BAR.ARV arrives and goes on.
//!
//! VOTE, SHFL, MOV's quad mask and FSWZADD see the lanes that execute together as active. SHFL and FSWZADD read the register of
//! the other lane whether it is active or not; lanes that do not exist read as 0.
//!
//! # Fuel
//!
//! Instructions that lanes execute together count once. Where control goes to an address that is not above the instruction's own, and at
//! every CAL, RET, BRK, CONT and LONGJMP that some lane follows, the warp ends if it has counted more than [`FUEL`]: all its lanes
//! as if by EXIT. Geometry warps keep what they emitted. Every such warp counts in [`Environment::exhausted`].
//!
//! # Floating point
//!
//! As `isa` says: f32 is IEEE with the rounding of the instruction, denormals as its FTZ and FMZ say, NaN results of arithmetic are
//! 0x7FFFFFFF. MUFU is [`crate::num::mufu`]. Minimum and maximum of two NaN give the canonical NaN.
//!
//! # Memory
//!
//! Constants are read from [`Environment::constants`]; beyond the end they are 0, byte by byte. Local memory is
//! [`Code::local_bytes`] for each lane; shared memory is the block's; addresses outside read 0 and drop writes, byte by byte.
//! Global memory is [`GlobalMemory`]. Lanes of one instruction access memory one after the other, lane 0 first, so that of two stores to one
//! place the higher lane's stays. Misaligned accesses are done as they are. Atomics are a read and a write, nothing comes between.
//! Helper lanes (pixels without coverage, or killed) load but do not store.
//!
//! # Textures
//!
//! A texture instruction goes to the unit that [`Code::units`] has for its address, or where that is [`Unit::Dynamic`] to the
//! unit whose [`Environment::handles`] entry is the handle's value. No such unit: 0 in all components. What a unit gives is said in
//! [`super::program::sampler`]. Differences for implicit levels are taken between the lanes of the quad in pixel programs, from the registers
//! of all four lanes, active or not; elsewhere the level is 0. Sparse residency predicates are false.
//! TXQ answers from the texture's sizes.
//!
//! # Special registers
//!
//! Clocks and timers read 0 (the same capture must give the same bytes); those of identity and lane masks as `isa` says; what no stage of
//! the table in the hardware's description gives reads 0.

pub mod code;
pub mod environment;
pub mod pixel;
pub mod stage;

pub use code::{Code, Unit, UnitUse, WordSet};
pub use environment::{Environment, GlobalMemory, Image, ImageKey, NoMemory};
pub use pixel::{PixelCode, PixelInput, PixelMode};
pub use stage::{
    Block, Emit, Evaluations, Patches, Primitives, ShaderJob, ShaderKernel, ShaderKey, Stage, Vertices, Work,
};

/// Instructions that the lanes of a warp may execute, see above.
pub const FUEL: u32 = 1 << 18;

/// Entries that a lane's stack may have.
pub const STACK: usize = 64;

/// Constant buffers of a stage.
pub const CONSTANT_BUFFERS: usize = 18;

/// Lanes of a warp at most.
pub const LANES: usize = 32;
