//! Output of fragments: tests, blending, logic operations, formats, samples.

use triglyph_guest::kernel::program::fragment::{BACK_FACING, PixelBlock, Samples};
use triglyph_guest::kernel::program::output::{
    Bits, BlendEquation, BlendFactor, BlendKey, BlendTerm, Channel, ColorFormat, Compare, CoverageColor, DepthFormat,
    DepthKey, Limit, LogicOp, SignedOperand, StencilConstants, StencilKey, StencilOp,
};
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::num::F16;
use triglyph_guest::rsx::fragment::{Instruction, Register, Temp};
use triglyph_testkit::fragment::{RGBA32F, Scene, bit, copy_input, end, mov};
use triglyph_testkit::random::Random;

const fn bits(shift: u8, bits: u8) -> Bits {
    Bits { shift, bits }
}

const fn unorm(shift: u8, count: u8) -> Channel {
    Channel::Unorm(bits(shift, count))
}

/// Bytes r, g, b, a.
const RGBA8: ColorFormat =
    ColorFormat { bytes: 4, swap: 1, channels: [unorm(0, 8), unorm(8, 8), unorm(16, 8), unorm(24, 8)] };

/// Copies inputs 4 and 5 to colour outputs 0 and 1.
fn copy_inputs() -> Vec<Instruction> {
    vec![Instruction::Compute(mov(Temp::Full(0), Register::Input, 4)), end(mov(Temp::Full(2), Register::Input, 5))]
}

/// A scene whose fragments have this colour.
fn filled(format: ColorFormat, color: [f32; 4]) -> Scene {
    let mut scene = Scene::new(format, &copy_input());
    scene.set_varying(color);
    scene
}

/// The sum of products with these factors.
fn added(source: BlendFactor, destination: BlendFactor) -> BlendTerm {
    BlendTerm { equation: BlendEquation::Add, source, destination, signed: SignedOperand::None }
}

/// Sets the second colour output.
fn set_second(scene: &mut Scene, color: [f32; 4]) {
    for (plane, value) in scene.planes[4..8].iter_mut().zip(color) {
        *plane = [value, 0.0, 0.0];
    }
}

/// A pixel of `format` after a fragment of `color` was drawn over `before`.
fn drawn(format: ColorFormat, color: [f32; 4], before: &[u8], change: impl Fn(&mut Scene)) -> Vec<u8> {
    let mut scene = Scene::new(format, &copy_inputs());
    scene.set_varying(color);
    scene.fill_color(before);
    scene.blocks[0].coverage = bit(5, 2);
    change(&mut scene);
    scene.draw();
    assert_eq!(scene.pixel(4, 2), before, "the neighbour has changed");
    scene.pixel(5, 2)
}

fn stored(format: ColorFormat, color: [f32; 4]) -> Vec<u8> {
    drawn(format, color, &vec![0; format.bytes.into()], |_| {})
}

#[test]
fn unorm_channels_are_rounded_to_the_nearest_step() {
    for count in [1, 2, 4, 5, 6, 8, 10, 12, 16] {
        let max = f64::from((1u32 << count) - 1);
        let format = ColorFormat {
            bytes: 4,
            swap: 1,
            channels: [unorm(7, count), Channel::Absent, Channel::Absent, Channel::Absent],
        };
        for step in -10..=210 {
            let value = step as f32 / 199.0;
            let expected = (f64::from(value).clamp(0.0, 1.0) * max - 0.5).ceil();
            let got = u32::from_le_bytes(stored(format, [value, 0.0, 0.0, 0.0]).try_into().unwrap());
            assert_eq!(f64::from(got >> 7), expected, "{value} in {count} bits");
            assert_eq!(got & 0x7F, 0);
        }
    }
    assert_eq!(stored(RGBA8, [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0]), [0, 255, 0, 0]);
}

#[test]
fn channels_stand_where_the_format_says() {
    let color = [1.0, 0.5, 0.25, 0.75];
    let (half, quarter, rest) = (127, 64, 191);
    // A8R8G8B8 in big-endian words: A first in memory. R5G6B5 and A1R5G5B5 likewise.
    let argb = [unorm(16, 8), unorm(8, 8), unorm(0, 8), unorm(24, 8)];
    assert_eq!(stored(ColorFormat { bytes: 4, swap: 4, channels: argb }, color), [rest, 255, half, quarter]);
    assert_eq!(stored(ColorFormat { bytes: 4, swap: 1, channels: argb }, color), [quarter, half, 255, rest]);
    let rgb565 = [unorm(11, 5), unorm(5, 6), unorm(0, 5), Channel::Absent];
    // 31, 31, 8
    assert_eq!(stored(ColorFormat { bytes: 2, swap: 2, channels: rgb565 }, color), [0xFB, 0xE8]);
    // Two 16-bit words, each with its bytes exchanged.
    let pair = [unorm(0, 16), unorm(16, 16), Channel::Absent, Channel::Absent];
    assert_eq!(stored(ColorFormat { bytes: 4, swap: 2, channels: pair }, color), [0xFF, 0xFF, 0x7F, 0xFF]);
    let float = |shift| Channel::Float(bits(shift, 32));
    let wide = ColorFormat { bytes: 16, swap: 4, channels: [float(0), float(32), float(64), float(96)] };
    let expected: Vec<u8> = color.iter().flat_map(|v| v.to_be_bytes()).collect();
    assert_eq!(stored(wide, color), expected);
}

#[test]
fn fixed_channels_are_always_written_and_absent_ones_never() {
    let ones = [unorm(16, 8), unorm(8, 8), unorm(0, 8), Channel::Ones(bits(24, 8))];
    let zeros = [unorm(16, 8), unorm(8, 8), unorm(0, 8), Channel::Zeros(bits(24, 8))];
    let absent = [unorm(16, 8), unorm(8, 8), unorm(0, 8), Channel::Absent];
    for (channels, alpha) in [(ones, 255), (zeros, 0), (absent, 77)] {
        let format = ColorFormat { bytes: 4, swap: 1, channels };
        let got = drawn(format, [1.0, 0.0, 1.0, 0.3], &[1, 2, 3, 77], |scene| scene.target().mask = 0b0001);
        assert_eq!(got, [1, 2, 255, alpha]);
        let got = drawn(format, [1.0, 0.0, 1.0, 0.3], &[1, 2, 3, 77], |scene| scene.target().mask = 0);
        assert_eq!(got, [1, 2, 3, 77]);
    }
}

#[test]
fn snorm_and_integer_channels() {
    let format = |channel: fn(Bits) -> Channel, count| ColorFormat {
        bytes: 4,
        swap: 1,
        channels: [channel(bits(0, count)), Channel::Absent, Channel::Absent, Channel::Absent],
    };
    let low = |format: ColorFormat, value| {
        let word = u32::from_le_bytes(stored(format, [value, 0.0, 0.0, 0.0]).try_into().unwrap());
        word as i32
    };
    for (value, expected) in
        [(1.0, 127), (-1.0, 0x81), (9.0, 127), (-9.0, 0x81), (0.5, 63), (-0.5, 0xC0), (f32::NAN, 0x81), (0.0, 0)]
    {
        assert_eq!(low(format(Channel::Snorm, 8), value), expected, "{value}");
    }
    assert_eq!(low(format(Channel::Snorm, 16), -0.25), 0xE000);
    let integer = f32::from_bits;
    for (value, unsigned, signed) in
        [(5, 5, 5), (300, 255, 127), (0xFF7F_FFFF, 255, 0x80), (0x8000_0001, 255, 0x80), (0x7F7F_FFFF, 255, 127)]
    {
        assert_eq!(low(format(Channel::Uint, 8), integer(value)), unsigned, "{value:#x}");
        assert_eq!(low(format(Channel::Sint, 8), integer(value)), signed, "{value:#x}");
        assert_eq!(low(format(Channel::Uint, 32), integer(value)) as u32, value);
    }
}

/// The stored small float nearest to `value`, by trying all of them.
fn nearest_small(value: f32, mantissa: u32) -> u32 {
    let decode = |bits: u32| F16::decode(bits << (10 - mantissa)) as f64;
    let infinity = 31 << mantissa;
    let next = f64::from(2.0f32.powi(16));
    let distance = |bits: u32| (if bits == infinity { next } else { decode(bits) } - f64::from(value)).abs();
    let candidates = 0..=infinity;
    let best = candidates.clone().map(distance).fold(f64::INFINITY, f64::min);
    let nearest: Vec<u32> = candidates.filter(|&bits| distance(bits) == best).collect();
    *nearest.iter().find(|&bits| nearest.len() == 1 || bits & 1 == 0).unwrap()
}

#[test]
fn small_floats_are_rounded_to_the_nearest() {
    let channels = [10, 11].map(|count| Channel::Float(bits(32 - count, count)));
    let format = |i: usize| ColorFormat {
        bytes: 4,
        swap: 1,
        channels: [channels[i], Channel::Absent, Channel::Absent, Channel::Absent],
    };
    let mut noise = Random::new(5);
    for i in [0, 1] {
        let mantissa = 5 + i as u32;
        let low =
            |value: f32| u32::from_le_bytes(stored(format(i), [value, 0.0, 0.0, 0.0]).try_into().unwrap()) >> (22 - i);
        for _ in 0..500 {
            // Exponents from below the smallest subnormal to above the largest number; ties among the mantissas.
            let exponent = 127 - 24 + noise.below(40);
            let value = f32::from_bits(exponent << 23 | noise.below(256) << 15);
            assert_eq!(low(value), nearest_small(value, mantissa), "{value}");
        }
        let infinity = 31 << mantissa;
        assert_eq!(
            [low(f32::INFINITY), low(1e30), low(-1.0), low(f32::NEG_INFINITY), low(-0.0)],
            [infinity, infinity, 0, 0, 0]
        );
        assert_eq!(low(f32::NAN), infinity | ((1 << mantissa) - 1));
    }
}

#[test]
fn halves_and_singles_keep_what_they_can() {
    let half = |shift| Channel::Float(bits(shift, 16));
    let format = ColorFormat { bytes: 8, swap: 1, channels: [half(0), half(16), half(32), half(48)] };
    let bytes = |values: [u16; 4]| -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()).collect() };
    assert_eq!(stored(format, [1.0, -2.0, 65504.0, 65520.0]), bytes([0x3C00, 0xC000, 0x7BFF, 0x7C00]));
    assert_eq!(stored(format, [1e-8, -1e-7, f32::NAN, -f32::NAN]), bytes([0, 0x8002, 0x7E00, 0x7E00]));
    let nan = f32::NAN.to_le_bytes();
    assert_eq!(stored(RGBA32F, [f32::from_bits(0xFFC1_2345); 4]), nan.repeat(4));
}

#[test]
fn floats_of_the_tegra_x1_are_cut() {
    let cut = |shift, count| Channel::FloatCut(bits(shift, count));
    let format = ColorFormat { bytes: 8, swap: 1, channels: [cut(0, 16), cut(16, 16), cut(32, 16), cut(48, 16)] };
    let bytes = |values: [u16; 4]| -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()).collect() };
    // What a console stored of these: nxgputests' rendertarget_RGBA16_Float and attrib_format_*.
    assert_eq!(stored(format, [0.2, 0.4, 0.6, 0.8]), bytes([0x3266, 0x3666, 0x38CC, 0x3A66]));
    assert_eq!(stored(format, [-0.3432, 0.8934, 23.1392, -0.4356]), bytes([0xB57D, 0x3B25, 0x4DC8, 0xB6F8]));
    assert_eq!(stored(format, [-1.1e9, 1.06e9, 65504.0, 65536.0]), bytes([0xFBFF, 0x7BFF, 0x7BFF, 0x7BFF]));
    let nans = [0xFFFF_FFA8, 0x7FFF_FFFF, 0xFF80_0001, 0x7F80_0000].map(f32::from_bits);
    // Those of interpolation are positive.
    assert_eq!(stored(format, nans), bytes([0x7FFF, 0x7FFF, 0x7FFF, 0x7C00]));
    assert_eq!(stored(format, [f32::NEG_INFINITY, 0.0, 1e-8, -1.1e-7]), bytes([0xFC00, 0, 0, 0x8001]));
    let mut noise = Random::new(11);
    for _ in 0..2000 {
        let (half, above) = (noise.below(0x7BFF), f64::from(noise.below(1000)) / 1000.0);
        let [low, high] = [half, half + 1].map(|half| f64::from(F16::decode(half)));
        let value = ((low + (high - low) * above * 0.999) as f32).min(f32::from_bits((high as f32).to_bits() - 1));
        let expected = [half as u16, half as u16 | 0x8000, half as u16, half as u16];
        assert_eq!(stored(format, [value, -value, value, value]), bytes(expected), "{value}");
        let small =
            ColorFormat { bytes: 4, swap: 1, channels: [cut(0, 11), cut(11, 11), cut(22, 10), Channel::Absent] };
        let word = half >> 4 | (half >> 5) << 22;
        assert_eq!(stored(small, [value, -value, value, 0.0]), word.to_le_bytes(), "{value}");
    }
    // A NaN of blending is positive, whatever its operands were.
    let blended = drawn(format, [f32::from_bits(0xFFFF_FFA8); 4], &[0; 8], |scene| {
        let term = added(BlendFactor::One, BlendFactor::One);
        scene.target().blend = Some(BlendKey { color: term, alpha: term });
    });
    assert_eq!(blended, bytes([0x7FFF; 4]));
}

#[test]
fn colours_are_encoded_as_srgb() {
    let channels = [0, 8, 16].map(|shift| Channel::Srgb(bits(shift, 8)));
    let format = ColorFormat { bytes: 4, swap: 1, channels: [channels[0], channels[1], channels[2], unorm(24, 8)] };
    let encode = |v: f64| {
        let curve = if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
        curve * 255.0
    };
    for step in 0..=100 {
        let value = step as f32 / 100.0;
        let expected = encode(f64::from(value));
        // The whole output stage may encode, or the format.
        let by_format = stored(format, [value; 4]);
        let by_stage = drawn(RGBA8, [value; 4], &[0; 4], |scene| scene.key.output.encode_srgb = true);
        for got in [by_format, by_stage] {
            assert!((f64::from(got[0]) - expected).abs() < 0.51, "{value}: {got:?} instead of {expected}");
            assert_eq!(got[3], (value * 255.0 - 0.5).ceil() as u8);
        }
    }
}

/// Blending as the OpenGL specification writes it down, in f64.
fn blended(term: BlendTerm, i: usize, s: [f64; 4], t: [f64; 4], d: [f64; 4], c: [f64; 4]) -> f64 {
    use BlendFactor as F;
    // Factors, and those that are 1 less them.
    let factors = [
        (F::Zero, F::One, 0.0),
        (F::SourceColor, F::InverseSourceColor, s[i]),
        (F::DestinationColor, F::InverseDestinationColor, d[i]),
        (F::SourceAlpha, F::InverseSourceAlpha, s[3]),
        (F::DestinationAlpha, F::InverseDestinationAlpha, d[3]),
        (F::ConstantColor, F::InverseConstantColor, c[i]),
        (F::ConstantAlpha, F::InverseConstantAlpha, c[3]),
        (F::SecondColor, F::InverseSecondColor, t[i]),
        (F::SecondAlpha, F::InverseSecondAlpha, t[3]),
    ];
    let factor = |wanted| {
        let found = factors.iter().find(|(plain, inverse, _)| wanted == *plain || wanted == *inverse);
        match found {
            Some((plain, _, value)) if wanted == *plain => *value,
            Some((_, _, value)) => 1.0 - value,
            None if i == 3 => 1.0,
            None => s[3].min(1.0 - d[3]),
        }
    };
    // Bytes above 127 count as what they are in two's complement.
    let operand = |v: f64, of| if term.signed == of && v * 255.0 > 127.5 { v - 256.0 / 255.0 } else { v };
    let (source, stored) = (operand(s[i], SignedOperand::Source), operand(d[i], SignedOperand::Destination));
    let (p, q) = (source * factor(term.source), stored * factor(term.destination));
    match term.equation {
        BlendEquation::Add => p + q,
        BlendEquation::Subtract => p - q,
        BlendEquation::ReverseSubtract => q - p,
        BlendEquation::Min => source.min(stored),
        BlendEquation::Max => source.max(stored),
    }
}

#[test]
fn every_equation_with_every_factor() {
    let mut noise = Random::new(7);
    for equation in BlendEquation::ALL {
        for (source, destination) in BlendFactor::ALL.iter().flat_map(|&s| BlendFactor::ALL.map(|d| (s, d))) {
            let color = BlendTerm { equation, source, destination, signed: noise.pick(&SignedOperand::ALL) };
            let alpha = BlendTerm {
                equation: BlendEquation::ALL[noise.below(5) as usize],
                source: destination,
                destination: source,
                signed: noise.pick(&SignedOperand::ALL),
            };
            let s = [0; 4].map(|_| noise.word() as u8);
            let d = [0; 4].map(|_| noise.word() as u8);
            let [c, t] = [(); 2].map(|()| [0; 4].map(|_| noise.below(300) as f32 / 200.0 - 0.2));
            // A little beside the step, which the RSX takes away.
            let written = s.map(|v| (f32::from(v) + 0.3) / 255.0);
            let quantised = noise.below(2) != 0;
            let got = drawn(RGBA8, written, &d, |scene| {
                scene.target().blend = Some(BlendKey { color, alpha });
                scene.key.output.quantised_source = quantised;
                scene.constants.output.blend = c;
                set_second(scene, t);
            });
            let unit = |v: [u8; 4]| v.map(|v| f64::from(v) / 255.0);
            let source = if quantised { unit(s) } else { written.map(|v| f64::from(v).min(1.0)) };
            let [constant, second] = [c, t].map(|color| color.map(|v| f64::from(v).clamp(0.0, 1.0)));
            for (i, got) in got.iter().enumerate() {
                let term = if i == 3 { alpha } else { color };
                let expected = (blended(term, i, source, second, unit(d), constant) * 255.0).clamp(0.0, 255.0);
                assert!((f64::from(*got) - expected).abs() < 0.501, "{term:?}: {got} instead of {expected}");
            }
        }
    }
}

#[test]
fn floats_blend_without_limits_and_integers_do_not_blend() {
    let term = added(BlendFactor::ConstantColor, BlendFactor::InverseSourceAlpha);
    let blend = Some(BlendKey { color: term, alpha: term });
    let change = |scene: &mut Scene| {
        scene.target().blend = blend;
        scene.constants.output.blend = [2.0, -3.0, 4.0, 0.5];
    };
    let before: Vec<u8> = [10.0f32, 20.0, 30.0, 40.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let got = drawn(RGBA32F, [1.5, 1.0, -1.0, 3.0], &before, change);
    // s * c + d * (1 - 3)
    let expected: Vec<u8> =
        [3.0f32 - 20.0, -3.0 - 40.0, -4.0 - 60.0, 1.5 - 80.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(got, expected);

    let uint = |shift| Channel::Uint(bits(shift, 8));
    let format = ColorFormat { bytes: 4, swap: 1, channels: [uint(0), uint(8), uint(16), uint(24)] };
    assert_eq!(drawn(format, [3, 4, 5, 6].map(f32::from_bits), &[9; 4], change), [3, 4, 5, 6]);
}

#[test]
fn channels_that_are_not_stored_blend_as_zero_and_one() {
    let destination = |factor| added(factor, BlendFactor::Zero);
    let blend = |factor| Some(BlendKey { color: destination(factor), alpha: destination(factor) });
    for (channel, inverse) in
        [(Channel::Absent, 0), (Channel::Ones(bits(24, 8)), 0), (Channel::Zeros(bits(24, 8)), 255)]
    {
        let format = ColorFormat { bytes: 4, swap: 1, channels: [unorm(0, 8), unorm(8, 8), unorm(16, 8), channel] };
        let got = drawn(format, [1.0; 4], &[5; 4], |scene| {
            scene.target().blend = blend(BlendFactor::InverseDestinationAlpha);
        });
        assert_eq!(got[..3], [inverse; 3], "{channel:?}");
        // The fragment's alpha counts although it is not stored, between 0 and 1.
        let got = drawn(format, [1.0, 1.0, 1.0, 0.25], &[5; 4], |scene| {
            scene.target().blend = blend(BlendFactor::SourceAlpha);
        });
        assert_eq!(got[..3], [64; 3]);
        let got = drawn(format, [0.5, 0.5, 0.5, 9.0], &[5; 4], |scene| {
            scene.target().blend = blend(BlendFactor::SourceAlpha);
        });
        assert_eq!(got[..3], [127; 3]);
    }
}

#[test]
fn srgb_channels_blend_linear_values() {
    let channels = [0, 8, 16].map(|shift| Channel::Srgb(bits(shift, 8)));
    let format = ColorFormat { bytes: 4, swap: 1, channels: [channels[0], channels[1], channels[2], unorm(24, 8)] };
    let half = added(BlendFactor::ConstantColor, BlendFactor::ConstantColor);
    let got = drawn(format, [1.0; 4], &[0; 4], |scene| {
        scene.target().blend = Some(BlendKey { color: half, alpha: half });
        scene.constants.output.blend = [0.5; 4];
    });
    // Linear 0.5 is 0.7354 of the curve.
    assert_eq!(got, [188, 188, 188, 127]);
}

#[test]
fn every_logic_operation() {
    // Bits of s: 0011, of d: 0101, and what the names say about (s, d) = (0, 0), (0, 1), (1, 0), (1, 1).
    let tables: [(LogicOp, u8); 16] = [
        (LogicOp::Clear, 0b0000),
        (LogicOp::And, 0b0001),
        (LogicOp::AndReverse, 0b0010),
        (LogicOp::Copy, 0b0011),
        (LogicOp::AndInverted, 0b0100),
        (LogicOp::NoOp, 0b0101),
        (LogicOp::Xor, 0b0110),
        (LogicOp::Or, 0b0111),
        (LogicOp::Nor, 0b1000),
        (LogicOp::Equivalent, 0b1001),
        (LogicOp::Invert, 0b1010),
        (LogicOp::OrReverse, 0b1011),
        (LogicOp::CopyInverted, 0b1100),
        (LogicOp::OrInverted, 0b1101),
        (LogicOp::Nand, 0b1110),
        (LogicOp::Set, 0b1111),
    ];
    let (s, d) = (0x33u8, 0x55u8);
    let add = added(BlendFactor::One, BlendFactor::One);
    for (operation, table) in tables {
        let expected = table << 4 | table;
        let change = |scene: &mut Scene| {
            scene.key.output.logic = Some(operation);
            // Not read.
            scene.target().blend = Some(BlendKey { color: add, alpha: add });
            scene.target().mask = 0b1011;
        };
        let got = drawn(RGBA8, [f32::from(s) / 255.0; 4], &[d; 4], change);
        assert_eq!(got, [expected, expected, d, expected], "{operation:?}");
        let got = drawn(RGBA32F, [0.25; 4], &[0; 16], change);
        assert_eq!(got, [0.25f32, 0.25, 0.0, 0.25].map(f32::to_le_bytes).concat(), "{operation:?}");
    }
}

/// Whether `a OP b`, from an ordering.
fn holds(operation: Compare, ordering: Option<std::cmp::Ordering>) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let Some(ordering) = ordering else { return matches!(operation, Compare::Always | Compare::NotEqual) };
    match operation {
        Compare::Never => false,
        Compare::Always => true,
        Compare::Equal => ordering == Equal,
        Compare::NotEqual => ordering != Equal,
        Compare::Less => ordering == Less,
        Compare::LessEqual => ordering != Greater,
        Compare::Greater => ordering == Greater,
        Compare::GreaterEqual => ordering != Less,
    }
}

#[test]
fn the_alpha_test_looks_at_unclamped_alpha() {
    for operation in Compare::ALL {
        for (alpha, reference) in [(0.5, 0.5), (0.5, 0.6), (0.6, 0.5), (1.5, 1.2), (-1.0, 0.0), (f32::NAN, 0.5)] {
            let mut scene = filled(RGBA8, [0.0, 0.0, 0.0, alpha]);
            scene.key.output.alpha_test = operation;
            scene.constants.output.alpha_reference = reference;
            let expected = if holds(operation, alpha.partial_cmp(&reference)) { 64 } else { 0 };
            assert_eq!(scene.draw(), expected, "{alpha} {operation:?} {reference}");
        }
    }
}

fn depth_key(format: DepthFormat, test: Option<Compare>) -> DepthKey {
    let layout = SurfaceLayout::Pitch;
    DepthKey { format, big_endian: true, layout, test, write: true, bounds: false, stencil: None }
}

/// Formats, the bytes of depth 0.5 with stencil 0x5A in big-endian memory, and whether there is a stencil.
const DEPTHS: [(DepthFormat, &[u8]); 8] = [
    // 32767.5 and 8388607.5 round to even numbers.
    (DepthFormat::Z16, &[0x80, 0x00]),
    (DepthFormat::Z24S8, &[0x80, 0x00, 0x00, 0x5A]),
    (DepthFormat::S8Z24, &[0x5A, 0x80, 0x00, 0x00]),
    (DepthFormat::F24S8, &[0x7E, 0x00, 0x00, 0x5A]),
    (DepthFormat::F16, &[0x60, 0x00]),
    (DepthFormat::F32, &[0x3F, 0x00, 0x00, 0x00]),
    (DepthFormat::F32S8, &[0x3F, 0x00, 0x00, 0x00, 0xAA, 0xBB, 0xCC, 0x5A]),
    (DepthFormat::Z24X8S8, &[0xDD, 0x80, 0x00, 0x00, 0xAA, 0xBB, 0xCC, 0x5A]),
];

#[test]
fn every_depth_format_stores_and_compares() {
    for (format, half) in DEPTHS {
        for operation in Compare::ALL {
            for depth in [0.25, 0.5, 0.75] {
                let mut scene = Scene::new(RGBA8, &copy_input());
                scene.set_depth(depth_key(format, Some(operation)), half);
                scene.primitive.depth = [depth, 0.0, 0.0];
                let passes = holds(operation, depth.partial_cmp(&0.5));
                assert_eq!(scene.draw(), if passes { 64 } else { 0 }, "{format:?}, {depth} {operation:?} 0.5");
                let expected = passes && depth != 0.5;
                assert_eq!(scene.depth_bytes(3, 3) != half, expected, "{format:?}, {depth} {operation:?} 0.5");
            }
        }
        // Little-endian, and from zeros: the stencil stays 0.
        let mut scene = Scene::new(RGBA8, &copy_input());
        let key = DepthKey { big_endian: false, ..depth_key(format, Some(Compare::Always)) };
        scene.set_depth(key, &vec![0; half.len()]);
        scene.primitive.depth = [0.5, 0.0, 0.0];
        scene.draw();
        let mut expected = half.to_vec();
        match format {
            DepthFormat::Z24S8 | DepthFormat::F24S8 => expected[3] = 0,
            DepthFormat::S8Z24 => expected[0] = 0,
            DepthFormat::F32S8 => expected[4..].fill(0),
            DepthFormat::Z24X8S8 => {
                expected[0] = 0;
                expected[4..].fill(0);
            }
            _ => {}
        }
        for word in expected.chunks_mut(half.len().min(4)) {
            word.reverse();
        }
        assert_eq!(scene.depth_bytes(3, 3), expected, "{format:?}");
    }
}

#[test]
fn a_stencil_alone_is_tested_without_depth() {
    let keep = StencilOp::Keep;
    let side = |compare| StencilKey { compare, fail: StencilOp::Invert, depth_fail: keep, pass: StencilOp::Replace };
    for (stored, passes) in [(0x5A, true), (0x5B, false)] {
        let mut scene = Scene::new(RGBA8, &copy_input());
        // Neither the test nor the bounds mean anything.
        let key = DepthKey { bounds: true, ..depth_key(DepthFormat::S8, Some(Compare::Never)) };
        let key = DepthKey { stencil: Some([side(Compare::GreaterEqual), side(Compare::Never)]), ..key };
        scene.set_depth(key, &[stored]);
        scene.constants.output.depth_bounds = [2.0, 3.0];
        scene.constants.output.stencil[0] = StencilConstants { reference: 0x5A, mask: 0xFF, write_mask: 0x0F };
        assert_eq!(scene.draw(), if passes { 64 } else { 0 }, "{stored:#x}");
        let expected = if passes { 0x5A } else { 0x54 };
        assert_eq!(scene.depth_bytes(3, 3), [expected], "{stored:#x}");
    }
}

#[test]
fn outputs_are_limited_before_everything_else() {
    let limited = |limit: Limit| move |scene: &mut Scene| scene.key.output.limits[0] = limit;
    let color = [f32::NAN, -3.0, 0.5, 3.0];
    let bytes = |values: [f32; 4]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let before = [0; 16];
    assert_eq!(drawn(RGBA32F, color, &before, limited(Limit::Unit)), bytes([0.0, 0.0, 0.5, 1.0]));
    assert_eq!(drawn(RGBA32F, color, &before, limited(Limit::Signed)), bytes([-1.0, -1.0, 0.5, 1.0]));
    // The alpha test sees it.
    let tested = drawn(RGBA32F, color, &before, |scene| {
        limited(Limit::Unit)(scene);
        scene.key.output.alpha_test = Compare::Greater;
        scene.constants.output.alpha_reference = 1.0;
    });
    assert_eq!(tested, before);
    // That of another output does not count.
    let other = drawn(RGBA32F, color, &before, |scene| scene.key.output.limits[1] = Limit::Unit);
    assert_eq!(other[4..], bytes(color)[4..]);
}

#[test]
fn products_with_zero_are_zero_if_they_have_to() {
    let term = added(BlendFactor::SourceAlpha, BlendFactor::Zero);
    let color = [f32::INFINITY, 2.0, 0.0, 0.0];
    let before: Vec<u8> = [f32::NAN; 4].iter().flat_map(|v| v.to_le_bytes()).collect();
    for (zero_products, expected) in [(false, [f32::NAN; 4]), (true, [0.0; 4])] {
        let got = drawn(RGBA32F, color, &before, |scene| {
            scene.target().blend = Some(BlendKey { color: term, alpha: term });
            scene.key.output.zero_products = zero_products;
        });
        let expected: Vec<u8> = expected.iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(got, expected, "{zero_products}");
    }
}

#[test]
fn depth_is_limited_to_its_range_before_it_is_compared() {
    let drawn = |depth: f32, range: [f32; 2], test, write| {
        let mut scene = Scene::new(RGBA8, &copy_input());
        scene.set_depth(DepthKey { write, ..depth_key(DepthFormat::F32, test) }, &0.5f32.to_be_bytes());
        scene.primitive.depth = [depth, 0.0, 0.0];
        scene.constants.output.depth_range = range;
        let passed = scene.draw();
        (passed, f32::from_be_bytes(scene.depth_bytes(0, 0).try_into().unwrap()))
    };
    let always = Some(Compare::Always);
    assert_eq!(drawn(7.0, [0.0, 1.0], always, true), (64, 1.0));
    assert_eq!(drawn(-7.0, [0.25, 1.0], always, true), (64, 0.25));
    assert_eq!(drawn(f32::NAN, [0.25, 1.0], always, true), (64, 0.25));
    assert_eq!(drawn(7.0, [0.0, 0.75], Some(Compare::Less), true), (0, 0.5));
    assert_eq!(drawn(7.0, [0.0, 0.25], Some(Compare::Less), false), (64, 0.5));
    assert_eq!(drawn(7.0, [0.0, 0.25], None, true), (64, 0.5));
}

#[test]
fn depth_bounds_look_at_the_stored_depth() {
    for (format, half) in DEPTHS {
        for (bounds, passes) in
            [([0.0, 1.0], true), ([0.4, 0.6], true), ([0.0, 0.4], false), ([0.6, 1.0], false), ([f32::NAN, 1.0], false)]
        {
            let mut scene = Scene::new(RGBA8, &copy_input());
            let stencil = format.has_stencil().then_some([ALWAYS_INVERT; 2]);
            scene.set_depth(DepthKey { bounds: true, stencil, ..depth_key(format, None) }, half);
            scene.constants.output.depth_bounds = bounds;
            scene.constants.output.stencil = [StencilConstants { reference: 0, mask: 255, write_mask: 255 }; 2];
            scene.primitive.depth = [0.9, 0.0, 0.0];
            assert_eq!(scene.draw(), if passes { 64 } else { 0 }, "{format:?}, {bounds:?}");
            // Outside of the bounds the stencil is not touched either.
            assert_eq!(scene.depth_bytes(1, 1) != half, passes && stencil.is_some());
        }
    }
    // One step beside.
    let mut scene = Scene::new(RGBA8, &copy_input());
    scene.set_depth(DepthKey { bounds: true, ..depth_key(DepthFormat::Z16, None) }, &[0x40, 0x01]);
    let exact = 0x4001 as f32 * (1.0 / 65535.0);
    scene.constants.output.depth_bounds = [exact, exact];
    assert_eq!(scene.draw(), 64);
    scene.constants.output.depth_bounds = [exact.next_up(), 1.0];
    assert_eq!(scene.draw(), 0);
}

const ALWAYS_INVERT: StencilKey = StencilKey {
    compare: Compare::Always,
    fail: StencilOp::Invert,
    depth_fail: StencilOp::Invert,
    pass: StencilOp::Invert,
};

fn stencil_result(operation: StencilOp, stored: u8, reference: u8) -> u8 {
    match operation {
        StencilOp::Keep => stored,
        StencilOp::Zero => 0,
        StencilOp::Replace => reference,
        StencilOp::IncrementSaturate => stored.saturating_add(1),
        StencilOp::DecrementSaturate => stored.saturating_sub(1),
        StencilOp::Invert => !stored,
        StencilOp::IncrementWrap => stored.wrapping_add(1),
        StencilOp::DecrementWrap => stored.wrapping_sub(1),
    }
}

#[test]
fn stencils_of_both_sides() {
    let mut noise = Random::new(9);
    for round in 0..3000 {
        let mut pick = |from: &[StencilOp]| from[noise.below(from.len() as u32) as usize];
        let ops = [0; 6].map(|_| pick(&StencilOp::ALL));
        let mut compare = || Compare::ALL[noise.below(8) as usize];
        let side = |i: usize, compare| StencilKey { compare, fail: ops[i], depth_fail: ops[i + 1], pass: ops[i + 2] };
        let keys = [side(0, compare()), side(3, compare())];
        let mut byte =
            || if noise.below(3) == 0 { [0, 1, 254, 255][noise.below(4) as usize] } else { noise.word() as u8 };
        let mut constants =
            || StencilConstants { reference: byte().into(), mask: byte().into(), write_mask: byte().into() };
        let values = [constants(), constants()];
        let before = byte();
        let back = noise.below(2) == 1;
        let depth_passes = noise.below(2) == 1;

        let mut scene = Scene::new(RGBA8, &copy_input());
        let format = [DepthFormat::Z24S8, DepthFormat::F24S8][round % 2];
        let test = if depth_passes { Compare::Always } else { Compare::Never };
        let key = DepthKey { stencil: Some(keys), write: false, ..depth_key(format, Some(test)) };
        scene.set_depth(key, &[1, 2, 3, before]);
        scene.constants.output.stencil = values;
        scene.primitive.flags = if back { BACK_FACING } else { 0 };
        let passed = scene.draw();

        let (key, values) = (keys[usize::from(back)], values[usize::from(back)]);
        let (reference, mask, write_mask) = (values.reference as u8, values.mask as u8, values.write_mask as u8);
        let stencil_passes = holds(key.compare, Some((reference & mask).cmp(&(before & mask))));
        let operation = match (stencil_passes, depth_passes) {
            (false, _) => key.fail,
            (true, false) => key.depth_fail,
            (true, true) => key.pass,
        };
        let result = stencil_result(operation, before, reference);
        let expected = before & !write_mask | result & write_mask;
        assert_eq!(scene.depth_bytes(6, 6), [1, 2, 3, expected], "{key:?}, {values:?}, {before}");
        assert_eq!(passed, if stencil_passes && depth_passes { 64 } else { 0 });
    }
}

#[test]
fn a_failing_fragment_leaves_the_colour_alone() {
    let mut scene = filled(RGBA8, [1.0; 4]);
    scene.fill_color(&[7; 4]);
    scene.set_depth(depth_key(DepthFormat::Z16, Some(Compare::Less)), &[0x80, 0]);
    scene.primitive.depth = [0.25, 0.125, 0.0];
    // 0.25 and 0.375 pass, 0.5 is not below.
    assert_eq!(scene.draw(), 16);
    assert_eq!((0..4).map(|x| scene.pixel(x, 5)[0]).collect::<Vec<_>>(), [255, 255, 7, 7]);
}

#[test]
fn swizzled_surfaces() {
    let mut scene = filled(RGBA8, [1.0; 4]);
    scene.target().layout = SurfaceLayout::Swizzled { log2_width: 3, log2_height: 2 };
    scene.blocks[0].coverage = bit(5, 2);
    scene.draw();
    // x = 101, y = 10: bits y1 x1, y0 x0 interleaved are 1 0 0 1, the rest of x follows.
    let index = 0b11001;
    assert_eq!(scene.pixel(index, 0), [255; 4]);
}

#[test]
fn pixels_beyond_the_end_of_memory_are_neither_read_nor_written() {
    let mut scene = filled(RGBA8, [1.0; 4]);
    // The last row lacks its last byte.
    scene.color.truncate(4 * (32 * 6 + 8) - 1);
    scene.set_depth(depth_key(DepthFormat::Z16, Some(Compare::Equal)), &[0, 0]);
    scene.depth.truncate(3);
    assert_eq!(scene.draw(), 64);
    assert_eq!(scene.pixel(6, 6), [255; 4]);
    let last = &scene.color[4 * (32 * 6 + 7)..];
    assert!(last.iter().all(|byte| byte.load(std::sync::atomic::Ordering::Relaxed) == 0));
}

/// A block for each of the samples.
fn sample_blocks(coverage: &[u64]) -> Vec<PixelBlock> {
    coverage.iter().map(|&coverage| PixelBlock { primitive: 0, x: 0, row: 0, coverage }).collect()
}

#[test]
fn samples_stand_side_by_side() {
    let mut scene = filled(RGBA8, [1.0; 4]);
    scene.key.samples = Samples { across: 2, down: 2 };
    scene.blocks = sample_blocks(&[bit(1, 1), bit(2, 1), bit(1, 1), bit(3, 4)]);
    assert_eq!(scene.draw(), 4);
    let written: Vec<_> =
        (0..16 * 16).map(|i| (i % 16, i / 16)).filter(|&(x, y)| scene.pixel(x, y) == [255; 4]).collect();
    // Sample 0 of (1, 1), 1 of (2, 1), 2 of (1, 1), 3 of (3, 4).
    assert_eq!(written, [(2, 2), (5, 2), (2, 3), (7, 9)]);
}

#[test]
fn each_sample_has_its_own_depth_and_the_fragment_one_colour() {
    let mut scene = Scene::new(RGBA32F, &copy_input());
    scene.key.samples = Samples { across: 2, down: 1 };
    scene.blocks = sample_blocks(&[u64::MAX, u64::MAX]);
    scene.planes[0] = [0.0, 1.0, 0.0];
    scene.primitive.depth = [0.5, 0.25, 0.0];
    scene.constants.sample_offsets[..2].copy_from_slice(&[[-0.25, -0.25], [0.25, 0.25]]);
    scene.set_depth(depth_key(DepthFormat::F32, Some(Compare::Always)), &[0; 4]);
    assert_eq!(scene.draw(), 128);
    let depth = |x| f32::from_be_bytes(scene.depth_bytes(x, 0).try_into().unwrap());
    assert_eq!([depth(0), depth(1), depth(2), depth(3)], [0.4375, 0.5625, 0.6875, 0.8125]);
    assert_eq!([0, 1, 2, 3].map(|x| scene.floats(x, 0)[0]), [0.0, 0.0, 1.0, 1.0]);
}

#[test]
fn alpha_chooses_samples() {
    for (alpha, kept) in [(0.0, 0), (0.124, 0), (0.125, 1), (0.5, 2), (0.6, 2), (0.9, 4), (7.0, 4), (f32::NAN, 0)] {
        let mut scene = filled(RGBA8, [1.0, 1.0, 1.0, alpha]);
        scene.key.samples = Samples { across: 2, down: 2 };
        scene.key.output.alpha_to_coverage = true;
        scene.key.output.alpha_to_one = true;
        scene.blocks = sample_blocks(&[bit(0, 0); 4]);
        assert_eq!(scene.draw(), kept, "alpha {alpha}");
        let places = [(0, 0), (1, 0), (0, 1), (1, 1)];
        let expected = [0, 1, 2, 3].map(|k| [if k < kept { 255 } else { 0 }; 4]);
        assert_eq!(places.map(|(x, y)| scene.pixel(x, y)), expected, "alpha {alpha}");
        // With one sample alpha selects nothing.
        scene.key.samples = Samples::ONE;
        scene.blocks = sample_blocks(&[bit(0, 0)]);
        assert_eq!(scene.draw(), 1);
    }
}

#[test]
fn constants_of_signed_targets_reach_from_minus_1_to_1() {
    let snorm = |shift| Channel::Snorm(bits(shift, 8));
    let format = ColorFormat { bytes: 2, swap: 1, channels: [snorm(0), snorm(8), Channel::Absent, Channel::Absent] };
    for (factor, expected) in [(BlendFactor::ConstantColor, [63, -64]), (BlendFactor::InverseConstantColor, [0, 127])] {
        let mut scene = filled(format, [0.5, 0.5, 0.0, 0.0]);
        let term = added(factor, BlendFactor::Zero);
        scene.target().blend = Some(BlendKey { color: term, alpha: term });
        scene.constants.output.blend = [2.0, -3.0, 0.0, 0.0];
        scene.draw();
        assert_eq!([scene.pixel(0, 0)[0], scene.pixel(0, 0)[1]].map(|byte| byte as i8), expected, "{factor:?}");
    }
}

#[test]
fn alpha_is_multiplied_by_the_share_of_a_smooth_line() {
    let share = |sides: [f32; 4], alpha: f32| {
        let mut scene = filled(RGBA32F, [1.0, 1.0, 1.0, alpha]);
        scene.planes.resize(12, [0.0; 3]);
        scene.planes[4..8].copy_from_slice(&[[9.0; 3]; 4]);
        for (plane, side) in scene.planes[8..].iter_mut().zip(sides) {
            *plane = [side, 0.0, 0.0];
        }
        scene.key.output.share = Some(8);
        scene.key.output.alpha_test = Compare::Greater;
        scene.blocks = sample_blocks(&[bit(0, 0)]);
        // The alpha test, of reference 0, sees the product.
        (scene.draw(), scene.floats(0, 0))
    };
    assert_eq!(share([2.0, 0.5, 1.0, 7.0], 0.5), (1, [1.0, 1.0, 1.0, 0.25]));
    assert_eq!(share([0.75, 0.5, 0.75, 1.0], 1.0), (1, [1.0, 1.0, 1.0, 0.1875]));
    assert_eq!(share([-1.0, 1.0, 1.0, 1.0], 1.0), (0, [0.0; 4]));
    assert_eq!(share([0.25, 0.25, 1.0, 1.0], 1.0), (0, [0.0; 4]));
}

#[test]
fn dither_gives_pixels_other_samples() {
    for (alpha, kept) in [(0.0, [0; 4]), (0.4, [1, 2, 2, 1]), (0.5, [2; 4]), (1.0, [4; 4])] {
        let mut scene = filled(RGBA8, [1.0, 1.0, 1.0, alpha]);
        scene.key.samples = Samples { across: 2, down: 2 };
        scene.key.output.alpha_to_coverage = true;
        scene.key.output.coverage_dither = true;
        for (pixel, kept) in [(2, 4), (3, 4), (2, 5), (3, 5)].into_iter().zip(kept) {
            scene.blocks = sample_blocks(&[bit(pixel.0, pixel.1); 4]);
            assert_eq!(scene.draw(), kept, "alpha {alpha}, pixel {pixel:?}");
        }
    }
}

#[test]
fn coverage_takes_the_place_of_an_integer() {
    let red = |channel| ColorFormat {
        bytes: 1,
        swap: 1,
        channels: [channel, Channel::Absent, Channel::Absent, Channel::Absent],
    };
    // Samples 0, 2 and 3 are covered, of which 2 is bit 9, beyond the channel.
    let order = std::array::from_fn(|k| [4, 5, 9, 0].get(k).copied().unwrap_or(15));
    for (channel, expected) in
        [(Channel::Uint(bits(0, 8)), 0x11), (Channel::Sint(bits(0, 8)), 0x11), (Channel::Unorm(bits(0, 8)), 0xFF)]
    {
        let mut scene = filled(red(channel), [1.0, 0.0, 0.0, 0.0]);
        scene.key.samples = Samples { across: 2, down: 2 };
        scene.key.output.coverage_color = Some(CoverageColor { target: 0, bits: order });
        scene.blocks = sample_blocks(&[bit(0, 0), 0, bit(0, 0), bit(0, 0)]);
        assert_eq!(scene.draw(), 3);
        let row = |y: usize| [scene.pixel(0, y)[0], scene.pixel(1, y)[0]];
        assert_eq!([row(0), row(1)], [[expected, 0], [expected; 2]], "{channel:?}");
        // Another target, or none of this channel.
        scene.fill_color(&[0]);
        scene.key.output.coverage_color = Some(CoverageColor { target: 1, bits: order });
        scene.draw();
        assert_ne!(scene.pixel(0, 0)[0], 0x11);
        scene.fill_color(&[0]);
        scene.key.output.coverage_color = Some(CoverageColor { target: 0, bits: order });
        scene.target().mask = 14;
        scene.draw();
        assert_eq!(scene.pixel(0, 0)[0], 0);
    }
}
