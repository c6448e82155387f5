//! Random output states for differential tests.

use std::sync::Arc;

use super::blend_program::{BlendOperand, BlendOperation, BlendProgram, BlendRoute, BlendStep};
use super::fragment::Samples;
use super::output::{
    Bits, BlendEquation, BlendFactor, BlendKey, BlendTerm, Channel, ColorFormat, ColorKey, Compare, DepthFormat,
    DepthKey, Limit, LogicOp, OutputConstants, OutputKey, SignedOperand, StencilConstants, StencilKey, StencilOp,
    TARGETS,
};
use crate::kernel::random::Random;
use crate::layout::SurfaceLayout;

const fn unorm(shift: u8, bits: u8) -> Channel {
    Channel::Unorm(Bits { shift, bits })
}

const fn half_up(shift: u8, bits: u8) -> Channel {
    Channel::UnormHalfUp(Bits { shift, bits })
}

const fn rsx(shift: u8, bits: u8) -> Channel {
    Channel::UnormRsx(Bits { shift, bits })
}

const fn srgb(shift: u8, bits: u8) -> Channel {
    Channel::Srgb(Bits { shift, bits })
}

const fn float(shift: u8, bits: u8) -> Channel {
    Channel::Float(Bits { shift, bits })
}

const fn cut(shift: u8, bits: u8) -> Channel {
    Channel::FloatCut(Bits { shift, bits })
}

const fn uint(shift: u8) -> Channel {
    Channel::Uint(Bits { shift, bits: 32 })
}

const fn snorm(shift: u8, bits: u8) -> Channel {
    Channel::Snorm(Bits { shift, bits })
}

const fn format(bytes: u8, swap: u8, channels: [Channel; 4]) -> ColorFormat {
    ColorFormat { bytes, swap, channels }
}

const ABSENT: Channel = Channel::Absent;
const HIGH_BYTE: Bits = Bits { shift: 24, bits: 8 };
const HIGH_BIT: Bits = Bits { shift: 15, bits: 1 };

/// Formats of targets of the RSX, as a big-endian channel stores them, then formats of other machines.
const FORMATS: [ColorFormat; 26] = [
    format(4, 4, [rsx(16, 8), rsx(8, 8), rsx(0, 8), rsx(24, 8)]),
    format(4, 4, [rsx(16, 8), rsx(8, 8), rsx(0, 8), Channel::Zeros(HIGH_BYTE)]),
    format(4, 4, [rsx(16, 8), rsx(8, 8), rsx(0, 8), Channel::Ones(HIGH_BYTE)]),
    format(4, 4, [rsx(0, 8), rsx(8, 8), rsx(16, 8), rsx(24, 8)]),
    format(2, 2, [half_up(11, 5), half_up(5, 6), half_up(0, 5), ABSENT]),
    format(2, 2, [half_up(10, 5), half_up(5, 5), half_up(0, 5), Channel::Zeros(HIGH_BIT)]),
    format(2, 2, [half_up(10, 5), half_up(5, 5), half_up(0, 5), Channel::Ones(HIGH_BIT)]),
    format(1, 1, [ABSENT, ABSENT, rsx(0, 8), ABSENT]),
    format(2, 2, [ABSENT, rsx(8, 8), rsx(0, 8), ABSENT]),
    format(8, 2, [float(0, 16), float(16, 16), float(32, 16), float(48, 16)]),
    format(16, 4, [uint(0), uint(32), uint(64), uint(96)]),
    format(4, 4, [uint(0), ABSENT, ABSENT, ABSENT]),
    format(2, 1, [rsx(11, 5), rsx(5, 6), rsx(2, 3), rsx(0, 2)]),
    format(4, 1, [rsx(0, 4), rsx(4, 7), rsx(16, 1), unorm(24, 8)]),
    format(4, 1, [unorm(16, 8), unorm(8, 8), unorm(0, 8), unorm(24, 8)]),
    format(4, 1, [srgb(0, 8), srgb(8, 8), srgb(16, 8), unorm(24, 8)]),
    format(4, 1, [unorm(0, 10), unorm(10, 10), unorm(20, 10), unorm(30, 2)]),
    format(4, 1, [float(0, 11), float(11, 11), float(22, 10), ABSENT]),
    format(4, 1, [snorm(0, 8), snorm(8, 8), snorm(16, 8), snorm(24, 8)]),
    format(8, 1, [unorm(0, 16), unorm(16, 16), unorm(32, 16), unorm(48, 16)]),
    format(
        4,
        1,
        [Channel::Uint(Bits { shift: 0, bits: 16 }), Channel::Sint(Bits { shift: 16, bits: 16 }), ABSENT, ABSENT],
    ),
    format(8, 1, [float(0, 32), float(32, 32), ABSENT, ABSENT]),
    format(2, 1, [unorm(10, 5), unorm(5, 5), unorm(0, 5), unorm(15, 1)]),
    format(4, 1, [snorm(0, 16), snorm(16, 16), ABSENT, ABSENT]),
    format(8, 1, [cut(0, 16), cut(16, 16), cut(32, 16), cut(48, 16)]),
    format(4, 1, [cut(0, 11), cut(11, 11), cut(22, 10), ABSENT]),
];

const DEPTHS: [DepthFormat; 11] = [
    DepthFormat::Z24S8,
    DepthFormat::Z24S8,
    DepthFormat::Z16,
    DepthFormat::S8Z24,
    DepthFormat::F24S8,
    DepthFormat::F24S8,
    DepthFormat::F16,
    DepthFormat::F32,
    DepthFormat::F32S8,
    DepthFormat::Z24X8S8,
    DepthFormat::S8,
];

/// A random state of targets of 2^`log2[0]` by 2^`log2[1]` surface pixels at least. In half of the states most samples
/// pass and keep what was shaded, so that differences in the program show.
pub(super) fn key<R: FnMut() -> u32>(r: &mut Random<'_, R>, log2: [u8; 2], samples: Samples) -> OutputKey {
    let calm = r.one_in(2);
    let rare = if calm { 12 } else { 3 };
    let targets = r.pick(&[1, 1, 1, 1, 2, 3, 4, TARGETS]);
    let mut colors = [None; TARGETS];
    for (i, color) in colors.iter_mut().enumerate().take(targets) {
        if !r.one_in(10) {
            *color = Some(color_key(r, i as u8, log2, rare));
        }
    }
    OutputKey {
        colors,
        depth: (!r.one_in(3)).then(|| depth_key(r, log2, rare)),
        alpha_test: compare(r, rare),
        alpha_bytes: r.one_in(3),
        alpha_to_coverage: r.one_in(16),
        coverage_dither: r.one_in(2),
        alpha_to_one: r.one_in(8),
        encode_srgb: r.one_in(8),
        logic: r.one_in(4 * rare).then(|| r.pick(&LogicOp::ALL)),
        limits: [(); TARGETS]
            .map(|()| if r.one_in(4 * rare) { r.pick(&[Limit::Unit, Limit::Signed]) } else { Limit::None }),
        color_samples: if r.one_in(8) { r.word() as u16 } else { u16::MAX },
        quantised_source: r.one_in(2),
        zero_products: r.one_in(6),
        program: r.one_in(8).then(|| Arc::new(program(r))),
        depth_at_center: r.one_in(6),
        depth_offset: r.one_in(3),
        coverage_color: None,
        share: r.one_in(8).then(|| r.below(8) as u16),
        tells_survivors: samples == Samples::ONE && r.one_in(6),
    }
}

fn compare<R: FnMut() -> u32>(r: &mut Random<'_, R>, rare: u32) -> Compare {
    if r.one_in(rare) { r.pick(&Compare::ALL) } else { Compare::Always }
}

fn layout<R: FnMut() -> u32>(r: &mut Random<'_, R>, [log2_width, log2_height]: [u8; 2]) -> SurfaceLayout {
    match r.below(9) {
        0 | 1 => SurfaceLayout::Swizzled { log2_width, log2_height },
        2 => SurfaceLayout::BlockSlice { log2_gobs: r.below(2) as u8, log2_slices: 1 + r.below(2) as u8 },
        3 => SurfaceLayout::BlockLinear { log2_gobs: r.below(3) as u8 },
        _ => SurfaceLayout::Pitch,
    }
}

fn color_key<R: FnMut() -> u32>(r: &mut Random<'_, R>, number: u8, log2: [u8; 2], rare: u32) -> ColorKey {
    let format = if r.one_in(3) { FORMATS[0] } else { r.pick(&FORMATS) };
    ColorKey {
        format,
        layout: layout(r, log2),
        source: if r.one_in(6) { r.below(8) as u8 } else { number },
        mask: if r.one_in(rare) { r.word() as u8 & 15 } else { 15 },
        blend: r.one_in(rare).then(|| BlendKey { color: term(r), alpha: term(r) }),
    }
}

fn term<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> BlendTerm {
    BlendTerm {
        equation: r.pick(&BlendEquation::ALL),
        source: r.pick(&BlendFactor::ALL),
        destination: r.pick(&BlendFactor::ALL),
        signed: if r.one_in(4) { r.pick(&SignedOperand::ALL) } else { SignedOperand::None },
    }
}

/// A short program that blends.
fn program<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> BlendProgram {
    let number = [0.0f32, 0.25, 0.5, 1.0, 2.0, -1.0];
    BlendProgram {
        steps: (0..1 + r.below(8)).map(|_| step(r)).collect(),
        constants: [(); 8].map(|()| [(); 3].map(|()| r.pick(&number).to_bits())),
        alpha: r.one_in(2),
    }
}

fn step<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> BlendStep {
    use BlendOperand as O;
    use BlendOperation::{Add, AddProducts, Maximum, Minimum, Reciprocal, Subtract, SubtractProducts};
    use BlendRoute::{Blue, Gbr, Green, Red, RedToAlpha, Rgb};
    let operands = [
        O::Nothing,
        O::Zero,
        O::One,
        O::Source,
        O::SourceAlpha,
        O::InverseSourceAlpha,
        O::Destination,
        O::DestinationAlpha,
        O::InverseDestinationAlpha,
        O::Register(r.below(3) as u8),
        O::Last,
        O::Constant,
    ];
    BlendStep {
        test: if r.one_in(2) { Compare::Always } else { r.pick(&Compare::ALL) },
        operation: r.pick(&[AddProducts, AddProducts, SubtractProducts, Minimum, Maximum, Reciprocal, Add, Subtract]),
        operands: [(); 4].map(|()| r.pick(&operands)),
        constant: r.below(8) as u8,
        route: r.pick(&[Rgb, Rgb, Rgb, Gbr, Red, Green, Blue, RedToAlpha]),
        mask: r.pick(&[7, 7, 7, 1, 2, 4, 5]),
        output: (!r.one_in(4)).then(|| r.pick(&[0, 0, 1, 2])),
        sets: r.one_in(3),
    }
}

fn depth_key<R: FnMut() -> u32>(r: &mut Random<'_, R>, log2: [u8; 2], rare: u32) -> DepthKey {
    let format = r.pick(&DEPTHS);
    let stencil = |r: &mut Random<'_, R>| StencilKey {
        compare: r.pick(&Compare::ALL),
        fail: r.pick(&StencilOp::ALL),
        depth_fail: r.pick(&StencilOp::ALL),
        pass: r.pick(&StencilOp::ALL),
    };
    DepthKey {
        format,
        big_endian: !r.one_in(3),
        layout: layout(r, log2),
        test: (!r.one_in(4)).then(|| compare(r, rare)),
        write: !r.one_in(3),
        bounds: r.one_in(2 * rare),
        stencil: (format.has_stencil() && r.one_in(rare)).then(|| [stencil(r), stencil(r)]),
    }
}

/// Random values of tests and blending.
pub(super) fn constants<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> OutputConstants {
    let mut stencil = || StencilConstants {
        reference: r.pick(&[0, 1, 128, 255]),
        mask: r.pick(&[255, 255, 15, 0]),
        write_mask: r.pick(&[255, 255, 0xF0, 0]),
    };
    let stencil = [stencil(), stencil()];
    let mut pair = |low, high| [r.between(low, (low + high) * 0.5), r.between((low + high) * 0.5, high)];
    let depth_bounds = pair(0.0, 1.0);
    let narrow = pair(0.0, 1.0);
    OutputConstants {
        alpha_reference: if r.one_in(4) { r.between(0.0, 255.0).floor() } else { r.float(0.0, 1.0) },
        blend: [(); 4].map(|()| r.float(-0.25, 1.25)),
        depth_range: if r.one_in(3) { narrow } else { [0.0, 1.0] },
        depth_bounds,
        stencil,
    }
}
