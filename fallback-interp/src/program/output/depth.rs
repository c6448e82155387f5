//! Depth and stencil: formats, bounds, the two tests.

use triglyph_guest::kernel::program::output::{
    Compare, DepthFormat, DepthKey, StencilConstants, StencilKey, StencilOp,
};
use triglyph_guest::num::depth16;
use triglyph_guest::num::ops::Scalar;

use super::{Output, Pixel};
use crate::operations::compare;
use crate::program::limit;

/// Whether a sample of depth `z` passes; stores depth and stencil.
pub(super) fn test(output: &Output<'_>, at: [u32; 2], z: f32, back: bool) -> bool {
    let Some(key) = &output.key.depth else { return true };
    let constants = output.constants;
    let format = key.format;
    let pixel = Pixel::new(&output.depth, key.layout, format.bytes(), at);
    let stored = pixel.as_ref().map_or(Stored { depth: 0, stencil: 0 }, |pixel| read(key, pixel));
    if key.bounds && format.has_depth() {
        let d = value(format, stored.depth);
        if !(constants.depth_bounds[0] <= d && d <= constants.depth_bounds[1]) {
            return false;
        }
    }

    let [low, high] = constants.depth_range;
    let depth = encode(format, limit(z, low, high));
    let test = key.test.filter(|_| format.has_depth());
    let depth_passes = test.is_none_or(|operation| compare_depth(format, operation, depth, stored.depth));
    let mut new = stored;
    let side = usize::from(back);
    let stencil = key.stencil.filter(|_| format.has_stencil()).map(|sides| (sides[side], constants.stencil[side]));
    let stencil_passes = stencil.is_none_or(|(key, values)| stencil_test(&key, &values, stored.stencil));
    if let Some((key, values)) = stencil {
        let operation = match (stencil_passes, depth_passes) {
            (false, _) => key.fail,
            (true, false) => key.depth_fail,
            (true, true) => key.pass,
        };
        let result = stencil_result(operation, stored.stencil, values.reference);
        new.stencil = stored.stencil & !values.write_mask | result & values.write_mask;
    }
    let passes = stencil_passes && depth_passes;
    if passes && key.write && test.is_some() {
        new.depth = depth;
    }
    if let Some(pixel) = &pixel
        && new != stored
    {
        write(key, pixel, new);
    }
    passes
}

/// The value that is stored for a sample.
#[derive(Clone, Copy, PartialEq)]
struct Stored {
    /// Bits of the depth.
    depth: u32,
    /// 0 to 255, 0 without one.
    stencil: u32,
}

fn unit(key: &DepthKey) -> u8 {
    match (key.big_endian, key.format.bytes()) {
        (false, _) | (true, 1) => 1,
        (true, 2) => 2,
        (true, _) => 4,
    }
}

fn read(key: &DepthKey, pixel: &Pixel<'_>) -> Stored {
    let value = pixel.read(unit(key));
    let word = value as u32;
    let (depth, stencil) = match key.format {
        DepthFormat::Z16 | DepthFormat::F16 | DepthFormat::F32 => (word, 0),
        DepthFormat::Z24S8 | DepthFormat::F24S8 => (word >> 8, word),
        DepthFormat::S8Z24 => (word & 0xFF_FFFF, word >> 24),
        DepthFormat::F32S8 => (word, (value >> 32) as u32),
        DepthFormat::Z24X8S8 => (word & 0xFF_FFFF, (value >> 32) as u32),
        DepthFormat::S8 => (0, word),
    };
    Stored { depth, stencil: stencil & 0xFF }
}

fn write(key: &DepthKey, pixel: &Pixel<'_>, stored: Stored) {
    let stencil = stored.stencil & 0xFF;
    let word = match key.format {
        DepthFormat::Z16 | DepthFormat::F16 | DepthFormat::F32 => stored.depth.into(),
        DepthFormat::Z24S8 | DepthFormat::F24S8 => u128::from(stored.depth << 8 | stencil),
        DepthFormat::S8Z24 => u128::from(stencil << 24 | stored.depth),
        DepthFormat::F32S8 => {
            let unused = pixel.read(unit(key)) >> 40 << 40;
            unused | u128::from(stencil) << 32 | u128::from(stored.depth)
        }
        DepthFormat::Z24X8S8 => {
            let unused = pixel.read(unit(key)) & 0xFFFF_FF00_FF00_0000;
            unused | u128::from(stencil) << 32 | u128::from(stored.depth)
        }
        DepthFormat::S8 => stencil.into(),
    };
    pixel.write(unit(key), word);
}

/// The value that is stored for depth `z`.
fn encode(format: DepthFormat, z: f32) -> u32 {
    // The conversion saturates at 0.
    let unorm = |max: f32| ((z * max).round_ties_even() as u32).min(max as u32);
    match format {
        DepthFormat::Z16 => unorm(65535.0),
        DepthFormat::Z24S8 | DepthFormat::S8Z24 | DepthFormat::Z24X8S8 => unorm(16_777_215.0),
        DepthFormat::F24S8 => (z.to_bits() & 0x7FFF_FFFF) >> 7,
        DepthFormat::F16 => depth16::bits(&mut Scalar, z) as u32,
        DepthFormat::F32 | DepthFormat::F32S8 => z.to_bits(),
        DepthFormat::S8 => 0,
    }
}

/// The depth that is stored.
fn value(format: DepthFormat, stored: u32) -> f32 {
    match format {
        DepthFormat::Z16 => stored as f32 * (1.0 / 65535.0),
        DepthFormat::Z24S8 | DepthFormat::S8Z24 | DepthFormat::Z24X8S8 => stored as f32 * (1.0 / 16_777_215.0),
        DepthFormat::F24S8 => f32::from_bits(stored << 7),
        DepthFormat::F16 => depth16::value(&mut Scalar, stored as i32),
        DepthFormat::F32 | DepthFormat::F32S8 => f32::from_bits(stored),
        DepthFormat::S8 => 0.0,
    }
}

fn compare_depth(format: DepthFormat, operation: Compare, new: u32, stored: u32) -> bool {
    match format {
        DepthFormat::F32 | DepthFormat::F32S8 => compare(operation, value(format, new), value(format, stored)),
        DepthFormat::Z16
        | DepthFormat::Z24S8
        | DepthFormat::S8Z24
        | DepthFormat::F24S8
        | DepthFormat::F16
        | DepthFormat::Z24X8S8
        | DepthFormat::S8 => compare(operation, new, stored),
    }
}

fn stencil_test(key: &StencilKey, values: &StencilConstants, stored: u32) -> bool {
    compare(key.compare, values.reference & values.mask, stored & values.mask)
}

fn stencil_result(operation: StencilOp, stored: u32, reference: u32) -> u32 {
    let result = match operation {
        StencilOp::Keep => stored,
        StencilOp::Zero => 0,
        StencilOp::Replace => reference,
        StencilOp::IncrementSaturate => (stored + 1).min(255),
        StencilOp::DecrementSaturate => stored.saturating_sub(1),
        StencilOp::Invert => !stored,
        StencilOp::IncrementWrap => stored + 1,
        StencilOp::DecrementWrap => stored.wrapping_sub(1),
    };
    result & 0xFF
}
