//! Kernels of Maxwell shader programs (Tegra X1): every stage and compute.
//!
//! The effects of single instructions on one lane are defined in [`crate::tegra::shader::isa`] and, where a formula is
//! longer, in [`crate::num`]. Here is what concerns several lanes, the order of things and what is around a program.
//! Fragments are a [`FragmentKey`](super::program::fragment::FragmentKey) with a [`PixelCode`]; all other stages a
//! [`ShaderKey`].
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
//! Registers, predicates, condition code and local memory of a lane start as 0. Each lane has a program counter and a
//! stack of (kind, target). SSY, PBK, PCNT, PRET, PLONGJMP, PEXIT and CAL push; SYNC, BRK, CONT, RET and LONGJMP, for
//! the lanes whose guard and condition test hold, go to the target of the innermost entry of their kind. SYNC removes
//! that entry alone: those above it, which are none of SSY, stay for their own instructions (yuzu fe8e6618f, tested on
//! the console: after SSY a, PBK b SYNC goes to a, and a BRK there to b). The others remove everything above it, too:
//! what leaves a loop leaves what was begun inside (the code of Mesa's compiler for a break within a conditional, and
//! the console tests of nxgpucatch). Without such an entry the lane ends, and so it does with more than [`STACK`]
//! entries, or outside of the code. EXIT goes to the innermost PEXIT entry if there is one, else the lane ends. A word
//! that is no instruction does nothing. A computed target that is a control word means the word after it; absolute
//! targets count from the code's start.
//!
//! Of the lanes of a warp that have not ended those run next that have the **most entries** on their stack, of these
//! those at the **lowest address**: all of them together, for one instruction. (In structured code these are the lanes
//! that the hardware's own stack would run together: SYNC waits for all that SSY saw.) Lanes of one warp that wait at a
//! barrier are not among them. Warps of a block run one after the other, each until all of its lanes have ended or
//! wait; when no lane of the block runs, those that wait go on. A barrier with a thread count takes the lanes of the
//! warps that have arrived; BAR.ARV arrives and goes on. With BAR.RED the lanes that go on together from one number
//! have the predicates of them all counted (or joined by and, or: 0 or 1), which B2R.RESULT reads; its Pd is whether
//! that is not 0. Other modes of B2R read 0. Thread counts make no difference, nor which barrier it is but for what is
//! counted: number modulo 16.
//!
//! SAM brings in lanes: of each quad (four lanes from a multiple of four on) with a lane that executes it the other
//! lanes, wherever they are, also those that have ended, or wait, or that the warp does not have and whose registers
//! are 0. They execute together with it what follows, as helpers, which store and emit nothing, up to RAM, after which
//! they are where they were; what they wrote to registers stays. (Mesa's compiler makes samples with gradients of
//! volumes, cubes and comparisons so, in every stage: it moves the coordinates of one lane after the other to all of
//! its quad.)
//!
//! VOTE, SHFL, MOV's quad mask and FSWZADD see the lanes that execute together as active. SHFL and FSWZADD read the
//! register of the other lane whether it is active or not; lanes that do not exist read as 0.
//!
//! # Fuel
//!
//! Words that lanes execute together count once, whether guards hold, and whether they are instructions. Where control
//! goes to an address that is not above the instruction's own, and at every CAL, RET, BRK, CONT and LONGJMP that some
//! lane follows, the warp ends if it has counted more than its limit: all its lanes as if by EXIT. Geometry warps keep
//! what they emitted. Every such warp counts in [`Environment::exhausted`].
//!
//! A warp that has counted more than the code has words adds the difference to [`Environment::excess`], whether it ends
//! by itself or for want of fuel. A quad of pixels adds what it has counted beyond four times the words: each of its
//! lanes may be at another place.
//!
//! The limit is [`FUEL`], of a quad of pixels [`PIXEL_FUEL`], and more where there is a reserve that warps share,
//! [`Environment::reserve`], in units of [`FUEL_UNIT`] instructions. Pixels and threads of grids may take from it:
//!
//! * Each quad of a block of 8x8 pixels may take a sixteenth of what the reserve is when the block begins, each warp of
//!   a block of threads an equal part, rounded down, at most [`MAX_UNITS`]. A pixel program that runs for each sample
//!   may take that part divided by the number of samples, each time.
//! * When the block has ended, the reserve is less, by one for each whole [`FUEL_UNIT`] that a quad has counted, of a
//!   warp those beyond the first three. What quads do whose lanes have all been killed counts as well.
//!
//! So no block takes more than there is (but for the instructions between two looks), and what one may take does not
//! depend on the order of the warps in it.
//!
//! # Floating point
//!
//! * **f32** is IEEE with the rounding of the instruction, rounded once, also FFMA and FMUL with a scale. An exact sum
//!   of 0 is +0, with rounding down -0, unless both addends have one sign. FTZ: denormal sources are 0 of their sign,
//!   and so is a result that is denormal once it is rounded. FMZ: as FTZ, and a product with a factor 0 is +0, whatever
//!   the other factor and the sign. The unknown code of a product's flush is none, that of its scale 1. A NaN result of
//!   arithmetic, minimum and maximum of two NaN included, is 0x7FFFFFFF. Saturation comes last: NaN and -0 become +0.
//! * **f64** as f32, without flushing. A NaN result has the bits of the first source (in the order A, B, C, after
//!   signs) that is NaN, made quiet, or is 0xFFF8000000000000 if none is. Minimum and maximum of two NaN are
//!   0xFFF8000000000000.
//! * **f16**: with all sources halves and a packed or merged half result, what is exact is rounded once, to f16. Else
//!   it is rounded to f32 and then, for a half, to f16. Flushing: denormal halves where sources are halves, denormal
//!   f32 where they are f32; the result as what it is stored as. FMZ as above. NaN is 0x7FFF as half, 0x7FFFFFFF as
//!   f32.
//! * RRO and MUFU are [`crate::num::mufu`] of the source after absolute value and sign. FCHK is always true.
//! * **[`Accuracy::Fast`](crate::kernel::Accuracy::Fast)** differs from all this in two points. Denormal f32 are
//!   numbers like others: FTZ of f32 arithmetic, comparisons, conversions and IPA has no effect, and FMZ is only the
//!   rule of the factor 0 (halves are flushed as above). MUFU is [`crate::num::mufu::fast`], and RRO copies. So hosts
//!   do not differ in any operation, and no operation needs a correction after it.
//! * **Comparisons** join as AND where the code of the operation is unknown. Pq is written after Pd.
//! * **Condition code** (where an instruction sets it): sums Z, S of the result, C the carry out of bit 31 of the sum
//!   as performed (`A + ~B + 1`), O signed overflow. IADD3 has two carries and no overflow: O is the carry out of
//!   `A + B` before the shift, C that of the shifted sum and C. IADD3.X adds both: C to the first sum, O to the second.
//!   LEA negates before it shifts. A product whose lower half is negated is inverted like a source, an
//!   upper half is that of the negated 64 bits (with both signs neither). Products without addend, logic, shifts, bit
//!   fields, conversions to integers, SET with masks and video: Z and S of the (first 32 bits of the) result, C and O
//!   0; SET with .BF S is 0. ISET.X and ISETP.X continue a comparison of lower words by the sum `A + ~B + C`: less is
//!   no carry out of it (signed: its sign, or with overflow the other one), equal is that it and the lower words are
//!   zero (Z). Floats (f64 too): Z is zero, S is negative, both for NaN, C and O 0; of saturated ones
//!   that of the result. With .X, or .X of logic, Z is only kept where it was set.
//! * **Conversions.** F2F: with FTZ f32 sources and results are flushed (halves never), not if a side is f64. Equal
//!   formats copy, NaN becoming 0x7FFF, 0x7FFFFFFF, or quiet for f64; between formats NaN is those two, or for f64 the
//!   sign, quiet, with the mantissa's bits on top. F2I of NaN: 0, with a source f64 or a result of 64 bits the result's
//!   highest bit alone; what does not fit is the nearest that does. Results of F2I with 8 and 16 bits are extended to a
//!   word as their sign says. I2F: absolute value and negation of a signed source are those of its size, in which the
//!   most negative number stays so; an unsigned one has no absolute value, and its result is negated. I2I computes in
//!   64 bits; a source or a result of 64 bits is one of 32. Saturated results are extended as their sign says, others
//!   are cut, and the bits above them are 0.
//! * **Video.** Parts of A and B are extended by their signs, an immediate is 16 bits, the part without a name the
//!   whole word. Sums are exact: with both signs `A + B + 1` (VMAD: product and addend likewise, the addend signed if A
//!   or B is; the sum is shifted arithmetically). VMNMX compares the numbers. A shift's distance has no
//!   sign, and is at most 32 or, with W, taken modulo 32. Saturation limits to the signed or unsigned words (VMAD:
//!   signed if A or B is), else the low 32 bits count. The second operation is one of words; MIN and MAX compare by the
//!   result's sign, VSET's without.
//! * **Modifiers without a name**: a test never holds, a vote is ALL, a reduction POPC, PRMT gives A, an addend or a
//!   part is the whole word, a texture has a layer and three coordinates, an image one coordinate, a lookup the level
//!   that follows from differences, a short one level 0 of one coordinate, a place in a pixel is the default's.
//!   IMADSP's parts are u32, s32, u24, s24, u16, s16, then both of the upper half; those of B begin with u24, C's
//!   lowest bit is A's.
//!
//! # Memory
//!
//! Constants are read from [`Environment::constants`]; beyond the end they are 0, byte by byte. A source of 64 bits at
//! an odd word has that word as its upper half, and 0 as its lower one. LDC's address is the sum of register and
//! offset, from 0x10000 on there is nothing; with IL, IS and ISL its upper 16 bits are added to the slot, and the lower
//! ones are the address. The address is aligned down to the size, of which the first 64 bits are loaded.
//! Local memory is [`Code::local_bytes`] for each lane; shared memory is the block's; addresses outside read 0 and drop
//! writes, byte by byte. Global memory is [`GlobalMemory`]. Lanes of one instruction access memory one after the other,
//! lane 0 first, so that of two stores to one place the higher lane's stays. Misaligned accesses are done as they are.
//! Atomics are a read and a write, nothing comes between. Global addresses have 40 bits: one register, zero-extended,
//! or with E two, and the offset added. Local and shared ones have 32. Helper lanes (pixels without coverage, or
//! killed) load but do not store; what an atomic reads they have too. Generic addresses (LD, ST) are global ones.
//! Atomics of a type and operation that have no meaning together only load: INC and DEC but of U32, anything of F32 but
//! ADD (of images EXCH, too), of F16x2 but ADD, MIN and MAX, of S64 but MIN and MAX, SAFEADD. A type without a name is
//! U32. Minimum and maximum of F16x2 are those of FMNMX for each half; sums are rounded to nearest. Denormals are zeros
//! before and after.
//!
//! # Textures
//!
//! A texture instruction goes to the unit that [`Code::units`] has for its address, or where that is [`Unit::Dynamic`]
//! to the unit whose [`Environment::handles`] entry is the handle's value. No such unit: 0 in all components. What a
//! unit gives is said in [`super::program::sampler`]. Differences for implicit levels are taken between the lanes of
//! the quad, from the registers of all four lanes, active or not, in pixel programs and with .NDV; elsewhere the level
//! is 0, whatever the bias (nxgpucatch, on the console). Sparse
//! residency predicates are false. Where a unit filters or converts
//! ([`TextureKey::filters`](super::program::sampler::TextureKey::filters), for gathers and fetches
//! [`converts`](super::program::sampler::TextureKey::converts)) a NaN is 0x7FFFFFFF; elsewhere texels keep their bits.
//! TXQ answers from the texture's sizes: DIMENSION all, TEXTURE_TYPE the samples in B, everything else 0. TMML gives
//! both numbers of the level query.
//!
//! Coordinates, layer and handle are read as the instruction's own dimensions say; the unit's shape takes of s, t, r
//! and layer what it has, and 0 for what the instruction has not. Offsets have a field for each of s, t, r whatever the
//! dimensions (those of TXD for s and t). Limits of the level (LC) and clamps (CL) are without effect. TLD's offset is
//! added to its coordinates; a sample that the texture does not have gives 0. Halves are rounded to nearest.
//!
//! # Images
//!
//! Units are found as those of textures are; their handles follow the textures'. Coordinates outside of the image's
//! sizes read 0 and drop what is written, whatever the clamp. The first one counts texels in P forms and without D,
//! elements of the access in D forms, bytes with BA. SULD.P gives the components of its mask in order; SUST.P takes
//! them so, and leaves the others. SUST.D with size 7 stores the words of a texel. Atomics are those of global memory
//! on 4 or 8 bytes. No predicate is written: Mesa's driver leaves the field 0 and P0 alive.
//!
//! # Special registers
//!
//! Clocks and timers read [`Environment::clock`] and what fuel has counted, the instruction itself included: the lower
//! and the upper word of the sum (the same capture must give the same bytes). Those of identity and lane masks as
//! `isa` says; what no stage of the table in the hardware's description gives reads 0.

pub(in crate::kernel) mod code;
pub mod pixel;

pub use super::program::environment::{FUEL_UNIT, MAX_UNITS};
pub use code::{Code, Unit, UnitUse};
pub use pixel::{PixelCode, PixelInput, PixelMode, SAMPLES_BY_PLACE};

#[cfg(doc)]
use super::program::environment::{Environment, GlobalMemory};
#[cfg(doc)]
use super::program::stage::ShaderKey;

/// Instructions that the lanes of a warp may execute without a reserve, see above.
pub const FUEL: u32 = 1 << 18;

/// The same of a quad of pixels, of which a picture has many: a loop without end in all pixels of a screen would take
/// minutes otherwise.
pub const PIXEL_FUEL: u32 = 1 << 16;

/// Entries that a lane's stack may have.
pub const STACK: usize = 64;

/// Lanes of a warp at most.
pub const LANES: usize = 32;
