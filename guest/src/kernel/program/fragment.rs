//! Fragment programs: interpolation, program, output.
//!
//! # Interpolation
//!
//! A plane `[c, dx, dy]` has at pixel (x, y) of a primitive the value `(c + dx*fx) + dy*fy`, fx and fy the pixel's
//! distance from [`Primitive::origin`] as f32; `c` already is the value at a pixel's centre. A perspective varying's
//! plane holds value/w: `value = plane * w`, `w = 1 / plane(1/w)`. A linear or constant varying's plane holds the value
//! itself. Depth: its plane; for sample k of several `(c + dx*(fx + offset x)) + dy*(fy + offset y)`. With
//! [`OutputKey::depth_offset`] [`Primitive::depth_offset`] is added to that, in f32, wherever depth is asked for.
//!
//! Planes of varyings where [`FragmentCode::planes_from_corners`]: `c` is the value at the upper left corner of the
//! primitive's origin, and a pixel has `(c + dx*(fx + 0.5)) + dy*(fy + 0.5)` in f64, cut to f32 (the lower 29 bits of
//! the f64 are cleared before it becomes an f32). Pictures of a console say so (RPCS3's ps3autotests, rsx_fp_static:
//! test1 to the last pixel, 576 columns and 190 rows of test3, whose quad begins at the target's corner); whether the
//! console counts from there or from the corner of the target is unverified, and so are planes of value/w.
//!
//! Programs run for the four pixels of a 2x2 quad (even columns and rows) at a time, covered or not: pixels outside of
//! the primitive only serve differences. KIL and alpha kill discard at the end; the fragment goes on until then.
//!
//! Distances are differences of 32-bit integers, wrapping, converted to f32. A clamp of a varying is the last thing
//! that happens to it.
//!
//! # RSX programs
//!
//! [`crate::rsx`] defines single instructions. Here are the rules for four lanes and the order of execution.
//!
//! * **NaN.** Whatever gives a NaN gives 0x7FFFFFFF, as a console's log has it of NRM and DIV (kd-11's
//!   `fragment_tests/results.txt`), inputs and half precision of a source included, with these exceptions that keep or
//!   make bits: MOV from an R register or the inline constant to an R register, whatever swizzle and mask, without
//!   absolute value, negation, scale, saturation, limits of fx12 and fx9, and modifiers but those that do nothing;
//!   packing operations without scale, saturation and limits; and R registers put together from halves. As half it is
//!   0x7E00, also packed (unverified), and a half NaN is read as 0x7FFFFFFF. Absolute value and negation change the
//!   sign of whatever is read, so unpacking operations may see it.
//! * **Registers.** There are 64 R registers, and the H registers share their memory: Rn.x holds H(2n).x in bits 15:0
//!   and H(2n).y in bits 31:16, Rn.y the same of H(2n).zw, Rn.z and Rn.w those of H(2n+1). What is written to H
//!   goes to the next half towards zero first (from 65536 on to infinity, subnormals are kept: both unverified). The
//!   precision fp16 of a result does nothing to what is written to R. That is what pictures of a console show (RPCS3's
//!   ps3autotests, rsx_fp_static: of 345,600 pixels of test2 204 are one step off so, 62,165 with the nearest half,
//!   65,494 with that in R as well). Precision fp16 of a source cuts off, too, which is unverified. All registers start
//!   as zero, also the condition registers.
//! * **Places** of flow control are those of [`Step`](crate::rsx::fragment::Step), where a structure already lies
//!   within the one around it. After the last instruction is the end of the program.
//! * **Structures.** A lane keeps a stack of open structures.
//!   - IFE: an else place that does not follow the IFE counts as the instruction after it, an end place before the else
//!     place as the latter. Where the test holds an If is opened and the lane goes on after the IFE, elsewhere it goes
//!     to the else place.
//!   - LOOP, REP: does nothing when its end place does not follow the next instruction. Where the test holds and the
//!     count is not 0 a Loop of as many passes is opened and the lane goes on after it, elsewhere it goes to the end
//!     place.
//!   - BRK, where the test holds: closes the innermost Loop with all within, the lane goes to its end place. It does
//!     nothing when no Loop is open since the last Call.
//!   - CAL, where the test holds: opens a Call and goes to the target; with four Calls open it does nothing.
//!   - RET, where the test holds: closes the last Call with all within, the lane goes on after its CAL. Without one the
//!     lane ends.
//!   - The instruction with the END bit and the end of the program end the lane, whatever is open.
//!   - After each instruction, and until nothing changes, the innermost structure is checked. If: at its else place it
//!     is closed, the lane goes to its end place. Loop: at its end place the lane waits for the end of the pass, which
//!     is a step of its own: when it is the lane's turn there, a pass is done, and with more to do the lane goes to the
//!     first instruction of the body, else the Loop is closed and the structure around it is checked. An If or Loop is
//!     closed, and nothing else happens, when the lane is elsewhere outside of it (before its first instruction or
//!     after that place).
//!   - The index register is that of the innermost open LOOP, Calls notwithstanding: its initial value plus its
//!     increment for each pass done. Without one it is 0.
//! * **Order.** Of the lanes that have not ended those run next whose place comes first: the CALs of open Calls are
//!   compared, oldest first, then the instruction (what a CAL calls comes after the CAL and before what follows it); at
//!   the same instruction fewer open structures come first, then lower lanes. The end of a pass comes right before the
//!   instruction at the loop's end place, that of an inner loop, which begins later, before that of an outer one: so
//!   lanes that are done with a pass wait there for those that are not. Lanes at the same place with equal stacks
//!   execute it together.
//! * **[`Accuracy::Fast`]**: EX2, LG2, LIT, LIF, POW, SIN and COS use the functions of [`num::fast`](crate::num::fast)
//!   instead of those of [`num::ops`](crate::num::ops). An EX2 that completes a reciprocal square root (see
//!   [`RootPart`](crate::rsx::fragment::RootPart)) gives 1/√|x|, a square root and a division, of component x of the
//!   source of its LG2. Sources do not become halves whatever their modifiers say, and what is written to H loses the
//!   bits of its mantissa alone, so it does not overflow, but where an H register lies in a word that the program also
//!   uses as R (see [`Storage`](crate::rsx::fragment::Storage)). A NaN is 0x7FFFFFFF there as well.
//! * **Differences** between two lanes, of DDX, DDY and levels of detail, are 0 unless both execute the instruction
//!   together.
//! * **Fuel.** What lanes execute together counts once. When a pass of a Loop is done, and at a CAL (which is counted,
//!   and whether its test holds or not), the program of all four lanes ends if more than [`FUEL`] are counted.
//!
//! # Blocks
//!
//! With more than one sample a block appears once for each sample, in order, and a fragment is shaded once for all of
//! them; primitive and place are those of the first. A quad is shaded if one of its samples is covered, quads in Morton
//! order; output goes lane by lane, sample by sample. A block whose primitive does not exist is skipped, planes that do
//! not exist are 0.

use borsh::{BorshDeserialize, BorshSerialize};
use std::sync::Arc;

pub use super::output::MAX_SAMPLES;
use super::output::{OutputConstants, OutputKey, Surface, TARGETS};
use super::sampler::{Texture, TextureKey};
use crate::kernel::Accuracy;
pub use crate::kernel::block::PixelBlock;
use crate::kernel::block::Survivors;
use crate::kernel::maxwell::PixelCode;
use crate::kernel::program::environment::Environment;
use crate::rsx::fragment::Temp;

/// Texture units an RSX program can reach.
pub const UNITS: usize = 16;

/// The key of a fragment kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct FragmentKey {
    /// The program.
    pub code: FragmentCode,
    /// Texture units of an RSX program; `None` reads (0, 0, 0, 0).
    pub textures: [Option<TextureKey>; UNITS],
    /// The output of its results.
    pub output: OutputKey,
    /// Samples of a pixel.
    pub samples: Samples,
}

/// Samples of a pixel and where they are stored: sample k of pixel (x, y) is surface pixel `(x * across + k % across, y
/// * down + k / across)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Samples {
    /// Samples side by side, 1, 2 or 4.
    pub across: u8,
    /// Samples one above the other, 1, 2 or 4.
    pub down: u8,
}

impl Samples {
    /// One sample a pixel.
    pub const ONE: Samples = Samples { across: 1, down: 1 };

    /// Number of samples of a pixel.
    pub const fn count(self) -> usize {
        self.across as usize * self.down as usize
    }
}

/// Microcode of one of the machines.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum FragmentCode {
    /// An RSX (NV40) program.
    Rsx(Arc<RsxFragmentCode>),
    /// A Maxwell (Tegra X1) program.
    Maxwell(Arc<PixelCode>),
}

impl FragmentCode {
    /// The RSX's program, if it is one.
    pub fn rsx(&self) -> Option<&Arc<RsxFragmentCode>> {
        if let FragmentCode::Rsx(code) = self { Some(code) } else { None }
    }

    /// Whether planes of varyings hold values at corners of pixels, see the [module](self).
    pub fn planes_from_corners(&self) -> bool {
        self.rsx().is_some_and(|code| code.accuracy == Accuracy::Exact)
    }

    /// The RSX's program to change, if it is one.
    pub fn rsx_mut(&mut self) -> Option<&mut RsxFragmentCode> {
        if let FragmentCode::Rsx(code) = self { Some(Arc::make_mut(code)) } else { None }
    }
}

/// An RSX fragment program and the state that its code depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct RsxFragmentCode {
    /// Words up to the END bit's instruction and its constant. Inline constants are cleared to zero here; their values
    /// are in [`FragmentJob::constants`], so that a game may patch them without a new kernel.
    pub code: Vec<u32>,
    /// The source of each of the 16 input registers.
    pub inputs: [FragmentInput; 16],
    /// Results are R0, R2, R3, R4 instead of H0, H4, H6, H8.
    pub export_float: bool,
    /// Depth is R1.z instead of the interpolated one.
    pub export_depth: bool,
    /// How its numbers are computed.
    pub accuracy: Accuracy,
}

impl RsxFragmentCode {
    /// The registers of the four colour outputs.
    pub fn exports(&self) -> [Temp; 4] {
        if self.export_float { [0, 2, 3, 4].map(Temp::Full) } else { [0, 4, 6, 8].map(Temp::Half) }
    }
}

/// Instructions the four lanes of a quad may execute, so that loops end: then the program ends with the results it has.
pub const FUEL: u32 = 65_536;

/// The source of an input register of a fragment program. `group` counts groups of four planes from
/// [`Primitive::first_plane`] on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum FragmentInput {
    /// (0, 0, 0, 0).
    #[default]
    Zero,
    /// `(x + constants.position_offset.0, y * position_scale_y + position_offset.1, depth, plane(1/w))`: x, y the
    /// pixel's whole coordinates as f32, depth clamped as in
    /// [`super::output`].
    Position,
    /// A vertex output. A source with its perspective switched off reads the planes.
    Varying {
        /// Which planes.
        group: u8,
        /// How they are interpolated.
        interpolation: Interpolation,
        /// Whether each component is clamped to 0..1.
        clamp: bool,
    },
    /// `(x, y, 0, w)` of the varying, a perspective one, w the interpolated clip-space w; with the perspective of the
    /// instruction's source switched off the planes of x and y, 0, 1.
    Varying2d {
        /// Which planes.
        group: u8,
    },
    /// `(d, f, 0, 0)`: d component 0 of the varying, a perspective one (its plane for a source without perspective), f
    /// the fog factor of it.
    Fog {
        /// Which planes; only the first one.
        group: u8,
        /// How f follows from d.
        mode: FogMode,
    },
    /// The values of the group's planes, or with `two_dimensional` `(s, t, 0, w)`: s and t from planes 0 and 1, w the
    /// interpolated clip-space w; linear whatever the source says.
    PointCoordinate {
        /// Which planes.
        group: u8,
        /// See above.
        two_dimensional: bool,
    },
    /// (1, 0, 0, 0) on the front of a primitive, (-1, 0, 0, 0) on its back.
    Facing,
}

/// How a varying is interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Interpolation {
    /// Planes of value/w. A source with its perspective switched off (RSX) reads the plane itself: value times 1/w.
    Perspective,
    /// Planes of the value.
    Linear,
}

/// Fog factor f of fog coordinate d, with a = `|d|` for the `Abs` modes and d for the others; clamped to 0..1.
/// Parameters p0 and p1 are
/// [`FragmentConstants::fog`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum FogMode {
    /// `p1*a + (p0 - 1)`.
    Linear,
    /// As linear of |d|.
    LinearAbs,
    /// `exp2((11.084 * LOG2_E) * ((p1*a + p0) - 1.5))`, LOG2_E and the product as f32 constants.
    Exp,
    /// As exp of |d|.
    ExpAbs,
    /// `x = 4.709 * ((p1*a + p0) - 1.5)`, `exp2((x * x) * -LOG2_E)`.
    Exp2,
    /// As exp2 of |d|.
    Exp2Abs,
}

/// Values that the fixed parts of a kernel read.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FragmentConstants {
    /// Of tests and blending.
    pub output: OutputConstants,
    /// See [`FragmentInput::Position`].
    pub position_offset: [f32; 2],
    /// 1 or -1.
    pub position_scale_y: f32,
    /// See [`FogMode`].
    pub fog: [f32; 2],
    /// Where the samples lie, relative to the pixel's centre.
    pub sample_offsets: [[f32; 2]; MAX_SAMPLES],
}

/// A primitive after setup, for interpolation; its coverage is in the blocks.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Primitive {
    /// Pixel from which distances count.
    pub origin: [i32; 2],
    /// Plane of depth, 0 to 1 before clamping.
    pub depth: Plane,
    /// The offset that is added to that: less than the last place of the plane's first number, where the plane is
    /// steep.
    pub depth_offset: f32,
    /// Plane of 1/w.
    pub inv_w: Plane,
    /// Index of the first of its planes in [`FragmentJob::planes`].
    pub first_plane: u32,
    /// [`BACK_FACING`] and nothing else.
    pub flags: u32,
}

/// [`Primitive::flags`]: the primitive shows its back.
pub const BACK_FACING: u32 = 1;

/// Value at the origin's centre (or corner, see the [module](self)), step to the next column, step to the next row.
pub type Plane = [f32; 3];

/// Work for a fragment kernel: the blocks of one tile that share a state, in submission order.
#[derive(Clone, Copy, Debug)]
pub struct FragmentJob<'a> {
    /// Colour targets.
    pub colors: &'a [Surface<'a>; TARGETS],
    /// Depth target.
    pub depth: Surface<'a>,
    /// Values of the state.
    pub constants: &'a FragmentConstants,
    /// Inline constants of the program, in the order of their instructions.
    pub program_constants: &'a [[f32; 4]],
    /// Texture units.
    pub textures: &'a [Texture<'a>; UNITS],
    /// The resources of a Maxwell program.
    pub environment: Environment<'a>,
    /// Primitives the blocks refer to.
    pub primitives: &'a [Primitive],
    /// Planes of their varyings, in groups of four.
    pub planes: &'a [Plane],
    /// The work. Coverage is in Morton order, so that a quad is four bits: (0,0), (1,0), (0,1), (1,1).
    pub blocks: &'a [PixelBlock],
    /// One for each block, for kernels with [`OutputKey::tells_survivors`].
    pub survivors: &'a [Survivors],
}
