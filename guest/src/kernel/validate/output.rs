//! Validates targets, tests and blending of shader pipelines.

use super::{InvalidKey, Validate, check, each};
use crate::kernel::program::blend_program::{BlendOperand, BlendProgram, BlendStep, MAX_STEPS};
use crate::kernel::program::output::{
    Bits, Channel, ColorFormat, ColorKey, CoverageColor, DepthKey, OutputKey, TARGETS,
};
use crate::layout::SurfaceLayout;

/// Registers of a program that blends.
const REGISTERS: u8 = 3;
/// Constants of one.
const CONSTANTS: u8 = 8;
/// log2 of the edges of a swizzled surface.
const LOG2_SWIZZLED: u8 = 12;
/// log2 of the GOBs and slices of a block.
const LOG2_BLOCK: u8 = 5;

impl Validate for OutputKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        each(self.colors.iter().flatten())?;
        each(&self.depth)?;
        each(self.program.as_deref())?;
        each(&self.coverage_color)
    }
}

impl Validate for CoverageColor {
    fn validate(&self) -> Result<(), InvalidKey> {
        check(usize::from(self.target) < TARGETS, "coverage goes to a target that does not exist")?;
        check(self.bits.iter().all(|bit| *bit < 32), "a colour has 32 bits for samples")
    }
}

impl Validate for ColorKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        self.format.validate()?;
        self.layout.validate()?;
        check(usize::from(self.source) < TARGETS, "a target takes an output that does not exist")?;
        check(self.mask < 16, "there are four colour channels")
    }
}

impl Validate for DepthKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        self.layout.validate()?;
        check(self.stencil.is_none() || self.format.has_stencil(), "the depth buffer has no stencil to test")
    }
}

impl Validate for ColorFormat {
    fn validate(&self) -> Result<(), InvalidKey> {
        check(matches!(self.bytes, 1 | 2 | 4 | 8 | 16), "a pixel has 1, 2, 4, 8 or 16 bytes")?;
        let swaps = matches!(self.swap, 1 | 2 | 4) && self.swap <= self.bytes;
        check(swaps, "the order of 1, 2 or 4 bytes of a pixel is reversed")?;
        self.channels.iter().try_for_each(|channel| within(*channel, 8 * u32::from(self.bytes)))
    }
}

/// Checks a channel of a pixel of so many bits.
fn within(channel: Channel, width: u32) -> Result<(), InvalidKey> {
    let (place, sizes) = match channel {
        Channel::Absent => return Ok(()),
        Channel::Zeros(place) | Channel::Ones(place) | Channel::Uint(place) | Channel::Sint(place) => (place, 1..=32),
        Channel::Unorm(place) | Channel::UnormHalfUp(place) => (place, 1..=24),
        Channel::UnormRsx(place) | Channel::Srgb(place) => (place, 1..=8),
        Channel::Snorm(place) => (place, 2..=16),
        Channel::Float(place) => {
            check(matches!(place.bits, 10 | 11 | 16 | 32), "a float has 10, 11, 16 or 32 bits")?;
            (place, 1..=32)
        }
        Channel::FloatCut(place) => {
            check(matches!(place.bits, 10 | 11 | 16), "a float that is cut has 10, 11 or 16 bits")?;
            (place, 1..=16)
        }
    };
    check(sizes.contains(&place.bits), "a channel has more or less bits than its kind may have")?;
    let Bits { shift, bits } = place;
    let (shift, bits) = (u32::from(shift), u32::from(bits));
    check(shift + bits <= width && shift % 32 + bits <= 32, "a channel does not lie within a word of its pixel")
}

impl Validate for SurfaceLayout {
    fn validate(&self) -> Result<(), InvalidKey> {
        match *self {
            SurfaceLayout::Pitch => Ok(()),
            SurfaceLayout::Swizzled { log2_width, log2_height } => {
                check(log2_width.max(log2_height) <= LOG2_SWIZZLED, "a swizzled surface has at most 4096 pixels a side")
            }
            SurfaceLayout::BlockLinear { log2_gobs } => block(log2_gobs, 0),
            SurfaceLayout::BlockSlice { log2_gobs, log2_slices } => block(log2_gobs, log2_slices),
        }
    }
}

fn block(log2_gobs: u8, log2_slices: u8) -> Result<(), InvalidKey> {
    check(log2_gobs.max(log2_slices) <= LOG2_BLOCK, "a block has at most 32 GOBs and slices")
}

impl Validate for BlendProgram {
    fn validate(&self) -> Result<(), InvalidKey> {
        check(self.steps.len() <= MAX_STEPS, "a program that blends has too many steps")?;
        each(&self.steps)
    }
}

impl Validate for BlendStep {
    fn validate(&self) -> Result<(), InvalidKey> {
        let operands = self.operands.iter().filter_map(|operand| match operand {
            BlendOperand::Register(number) => Some(*number),
            _ => None,
        });
        let mut registers = operands.chain(self.output);
        check(registers.all(|register| register < REGISTERS), "a program that blends has three registers")?;
        check(self.constant < CONSTANTS, "a program that blends has eight constants")?;
        check(self.mask < 8, "a step writes three channels")
    }
}
