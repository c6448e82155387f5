//! Pixel kernels without textures: combiner, tests, fog, blending, surfaces.

use triglyph_guest::format::{DepthFormat, PixelFormat};
use triglyph_guest::kernel::combine::{AlphaOperand, Channel, ColorChannel, ColorOperand, Function, Source, Stage};
use triglyph_guest::kernel::pixel::{BlendFactor, BlendKey, Compare, FogKey, LogicOp, Output, StencilKey, StencilOp};
use triglyph_guest::pica::regs;
use triglyph_testkit::data::{items, json, number, numbers};
use triglyph_testkit::pica::block::Scene;
use triglyph_testkit::pica::{REPLACE, stage_of_three, take};

/// The function of three colours: the stage's constant, the buffer and the stage before.
fn combine(function: Function, [a, b, c]: [[u8; 4]; 3], shift: u8) -> [u8; 4] {
    let mut scene = Scene::default();
    let sources = [Source::Constant, Source::Buffer, Source::Previous];
    let stages = &mut scene.key.combiners.stages;
    stages[0] = take(Source::Primary);
    stages[1] = Stage { color_shift: shift, alpha_shift: shift, ..stage_of_three(function, sources) };
    scene.constants.stage_color[1] = u32::from_be_bytes(a);
    scene.constants.buffer_color = u32::from_be_bytes(b);
    scene.primary(c);
    scene.pixel()
}

#[test]
fn combiner_functions() {
    for case in items(&json("3ds/vectors/combiner_blend.json")["tev"]) {
        let function = Function::ALL[number(&case["op"]) as usize];
        let operands = ["a", "b", "c"].map(|name| [number(&case[name]) as u8; 4]);
        assert_eq!(combine(function, operands, 0), [number(&case["result"]) as u8; 4], "{case}");
    }
}

#[test]
fn combiner_dot_products() {
    for case in items(&json("3ds/vectors/combiner_blend.json")["dot3"]) {
        let [a, b] = ["a", "b"].map(|name| {
            let [r, g, b] = numbers::<3>(&case[name]).map(|channel| channel as u8);
            [r, g, b, 99]
        });
        let want = number(&case["result"]) as u8;
        assert_eq!(combine(Function::Dot3Rgb, [a, b, [0; 4]], 0), [want, want, want, 0], "{case}");
        assert_eq!(combine(Function::Dot3Rgba, [a, b, [0; 4]], 0), [want; 4], "{case}");
    }
}

#[test]
fn combiner_scales_after_the_clamp() {
    let operands = [[200, 10, 0, 100], [100, 20, 0, 30], [0; 4]];
    assert_eq!(combine(Function::Subtract, operands, 2), [255, 0, 0, 255]);
    assert_eq!(combine(Function::Add, operands, 1), [255, 60, 0, 255]);
}

#[test]
fn combiner_operands() {
    let color = [10, 20, 30, 40];
    let mut scene = Scene::default();
    scene.primary(color);
    for (channel, want) in [
        (ColorChannel::Rgb, [10, 20, 30]),
        (ColorChannel::Splat(Channel::R), [10; 3]),
        (ColorChannel::Splat(Channel::G), [20; 3]),
        (ColorChannel::Splat(Channel::B), [30; 3]),
        (ColorChannel::Splat(Channel::A), [40; 3]),
        (ColorChannel::Zero, [0; 3]),
    ] {
        for invert in [false, true] {
            scene.key.combiners.stages[0].color_operands[0] = ColorOperand { source: Source::Primary, channel, invert };
            let want = if invert { want.map(|v| 255 - v) } else { want };
            assert_eq!(scene.pixel()[..3], want, "{channel:?} {invert}");
        }
    }
    for (channel, want) in [(Channel::R, 10), (Channel::G, 20), (Channel::B, 30), (Channel::A, 40)] {
        for invert in [false, true] {
            scene.key.combiners.stages[0].alpha_operands[0] = AlphaOperand { source: Source::Primary, channel, invert };
            assert_eq!(scene.pixel()[3], if invert { 255 - want } else { want });
        }
    }
}

/// The buffer shows 0, then its first colour, then the update of two stages before.
#[test]
fn combiner_buffer_is_a_stage_late() {
    let mut scene = Scene::default();
    scene.constants.buffer_color = 0x0102_0304;
    scene.constants.stage_color = [0x10, 0x20, 0x30, 0x40, 0x50, 0x60].map(|v| v * 0x0101_0101);
    let updating = Stage { update_color: true, update_alpha: true, ..take(Source::Constant) };
    for (reader, want) in [(0, [0; 4]), (1, [1, 2, 3, 4]), (2, [0x10; 4]), (3, [0x20; 4]), (5, [0x40; 4])] {
        scene.key.combiners.stages = [updating; 6];
        for stage in reader..6 {
            scene.key.combiners.stages[stage] = if stage == reader { take(Source::Buffer) } else { Stage::PASS };
        }
        assert_eq!(scene.pixel(), want, "stage {reader}");
    }
    scene.key.combiners.stages[0].update_alpha = false;
    scene.key.combiners.stages[1].update_color = false;
    scene.key.combiners.stages[2] = Stage { update_color: false, update_alpha: false, ..take(Source::Constant) };
    scene.key.combiners.stages[3] = take(Source::Buffer);
    scene.key.combiners.stages[4] = Stage::PASS;
    scene.key.combiners.stages[5] = Stage::PASS;
    assert_eq!(scene.pixel(), [0x10, 0x10, 0x10, 0x20]);
}

#[test]
fn sources_without_a_value_are_zero() {
    for source in [Source::Zero, Source::Previous, Source::Texture(0), Source::Texture(3), Source::FragmentPrimary] {
        let mut scene = Scene::default();
        scene.key.combiners.stages[0] = take(source);
        assert_eq!(scene.pixel(), [0; 4], "{source:?}");
    }
}

#[test]
fn primary_color_is_clamped_and_rounded() {
    let mut scene = Scene::default();
    for (value, want) in [(-1.0, 0), (2.0, 255), (f32::NAN, 0), (0.5, 128), (0.499, 127), (1.0, 255)] {
        scene.varyings[3] = [value; 3];
        assert_eq!(scene.pixel()[0], want, "{value}");
    }
    // A slot that no vertex has is 1.
    scene.key.color_slots[1] = 40;
    scene.varyings[4] = [0.0; 3];
    assert_eq!(scene.pixel()[1], 255);
}

const COMPARISONS: [(Compare, [bool; 3]); 8] = [
    (Compare::Never, [false, false, false]),
    (Compare::Always, [true, true, true]),
    (Compare::Equal, [false, true, false]),
    (Compare::NotEqual, [true, false, true]),
    (Compare::Less, [true, false, false]),
    (Compare::LessEqual, [true, true, false]),
    (Compare::Greater, [false, false, true]),
    (Compare::GreaterEqual, [false, true, true]),
];

#[test]
fn alpha_test() {
    for (compare, wants) in COMPARISONS {
        for (alpha, want) in [99, 100, 101].into_iter().zip(wants) {
            let mut scene = Scene::default();
            scene.key.alpha_test = compare;
            scene.constants.alpha_reference = 100;
            scene.primary([1, 2, 3, alpha]);
            assert_eq!(scene.pixel() != [0; 4], want, "{alpha} {compare:?} 100");
        }
    }
}

#[test]
fn depth_test_and_write() {
    for (format, bytes, half) in
        [(DepthFormat::D16, 2, 0x7FFF), (DepthFormat::D24, 3, 0x7F_FFFF), (DepthFormat::D24S8, 4, 0xAB7F_FFFF)]
    {
        for (compare, wants) in COMPARISONS {
            for (stored, want) in [half + 1, half, half - 1].into_iter().zip(wants) {
                let mut scene = Scene::default();
                scene.key.depth_format = Some(format);
                scene.key.depth_test = compare;
                scene.key.depth_write = true;
                scene.primitive.z = [-0.5; 3];
                let word: u32 = stored;
                scene.depth = triglyph_guest::kernel::window::buffer(&word.to_le_bytes()[..bytes]);
                assert_eq!(scene.pixel() != [0; 4], want, "{format:?} {compare:?}");
                assert_eq!(scene.depth_at(0, 0), if want { half } else { stored });
                scene.key.depth_write = false;
                scene.depth = triglyph_guest::kernel::window::buffer(&word.to_le_bytes()[..bytes]);
                scene.draw(1);
                assert_eq!(scene.depth_at(0, 0), stored);
            }
        }
    }
}

#[test]
fn depth_values() {
    let mut scene = Scene::default();
    scene.key.depth_format = Some(DepthFormat::D24);
    scene.key.depth_write = true;
    for (z, want) in [(-1.0, 0xFF_FFFF), (0.0, 0), (0.5, 0), (-7.0, 0xFF_FFFF), (f32::NAN, 0)] {
        scene.primitive.z = [z; 3];
        scene.draw(1);
        assert_eq!(scene.depth_at(0, 0), want, "{z}");
    }
    scene.constants.depth_offset = 0.25;
    scene.primitive.z = [-0.25; 3];
    scene.primitive.inv_w = [2.0; 3];
    scene.key.w_buffer = true;
    // (0.25 + 0.25) / 2
    scene.draw(1);
    assert_eq!(scene.depth_at(0, 0), 0x3F_FFFF);
}

#[test]
fn without_a_depth_buffer_everything_passes() {
    let mut scene = Scene::default();
    scene.key.depth_test = Compare::Never;
    scene.key.depth_write = true;
    scene.key.stencil = Some(stencil_key(Compare::Never));
    assert_eq!(scene.pixel(), [255; 4]);
    assert_eq!(scene.depth.iter().map(|byte| byte.load(std::sync::atomic::Ordering::Relaxed)).max(), Some(0));
}

fn stencil_key(compare: Compare) -> StencilKey {
    StencilKey { compare, fail: StencilOp::Zero, depth_fail: StencilOp::Invert, pass: StencilOp::Replace, write: true }
}

/// A scene over a stored depth of 0 and a stored stencil value.
fn stencil_scene(stencil: u8, key: StencilKey) -> Scene<'static> {
    let mut scene = Scene::default();
    scene.key.depth_format = Some(DepthFormat::D24S8);
    scene.key.stencil = Some(key);
    scene.constants.stencil_reference = 0x5A;
    scene.constants.stencil_input_mask = 0xFF;
    scene.constants.stencil_write_mask = 0xFF;
    scene.depth = triglyph_guest::kernel::window::buffer(&[0x11, 0x22, 0x33, stencil]);
    scene
}

#[test]
fn stencil_comparisons_have_the_reference_on_the_left() {
    for (compare, wants) in COMPARISONS {
        for (stored, want) in [0x5B, 0x5A, 0x59].into_iter().zip(wants) {
            let scene = stencil_scene(stored, stencil_key(compare));
            assert_eq!(scene.pixel() != [0; 4], want, "{compare:?}");
            assert_eq!(scene.depth_at(0, 0), if want { 0x5A33_2211 } else { 0x0033_2211 });
        }
    }
    let mut scene = stencil_scene(0xFF, stencil_key(Compare::Equal));
    scene.constants.stencil_input_mask = 0x0A;
    assert_eq!(scene.pixel(), [255; 4]);
}

#[test]
fn stencil_operations() {
    for (operation, old, want) in [
        (StencilOp::Keep, 7, 7),
        (StencilOp::Zero, 7, 0),
        (StencilOp::Replace, 7, 0x5A),
        (StencilOp::IncrementSaturate, 7, 8),
        (StencilOp::IncrementSaturate, 255, 255),
        (StencilOp::DecrementSaturate, 7, 6),
        (StencilOp::DecrementSaturate, 0, 0),
        (StencilOp::Invert, 7, 0xF8),
        (StencilOp::IncrementWrap, 255, 0),
        (StencilOp::DecrementWrap, 0, 255),
    ] {
        let scene = stencil_scene(old, StencilKey { pass: operation, ..stencil_key(Compare::Always) });
        scene.draw(1);
        assert_eq!(scene.depth_at(0, 0) >> 24, want, "{operation:?}");
    }
}

#[test]
fn stencil_sees_the_depth_test_and_its_masks() {
    let mut scene = stencil_scene(0x0F, stencil_key(Compare::Always));
    scene.key.depth_test = Compare::Never;
    scene.key.depth_write = true;
    assert_eq!(scene.pixel(), [0; 4]);
    assert_eq!(scene.depth_at(0, 0), 0xF033_2211);
    scene.constants.stencil_write_mask = 0x3C;
    scene.draw(1);
    assert_eq!(scene.depth_at(0, 0), 0xCC33_2211);
    scene.key.stencil = Some(StencilKey { write: false, ..stencil_key(Compare::Always) });
    scene.draw(1);
    assert_eq!(scene.depth_at(0, 0), 0xCC33_2211);
}

#[test]
fn pixels_that_fail_the_alpha_test_leave_the_stencil_alone() {
    let mut scene = stencil_scene(1, stencil_key(Compare::Never));
    scene.key.alpha_test = Compare::Never;
    scene.draw(1);
    assert_eq!(scene.depth_at(0, 0), 0x0133_2211);
}

#[test]
fn fog_mixes_colors() {
    let mut scene = Scene::default();
    scene.primary([200, 100, 0, 50]);
    scene.constants.fog_color = 0x00FF_80FF;
    let table = std::array::from_fn(|i| [i as f32 / 128.0, 1.0 / 128.0]);
    scene.fog = Some(table);
    scene.primitive.z = [-0.75; 3];
    for (flip, k) in [(false, 0.75f32), (true, 0.25)] {
        scene.key.fog = Some(FogKey { flip, gas: None });
        let want = [(200, 0), (100, 255), (0, 128)].map(|(c, fog)| (k * c as f32 + (1.0 - k) * fog as f32) as u8);
        assert_eq!(scene.pixel(), [want[0], want[1], want[2], 50]);
    }
    // At depth 1 the last entry is used up to its end.
    scene.primitive.z = [-1.0; 3];
    scene.key.fog = Some(FogKey { flip: false, gas: None });
    assert_eq!(scene.pixel(), [200, 100, 0, 50]);
}

#[test]
fn blend_equations() {
    for case in items(&json("3ds/vectors/combiner_blend.json")["blend"]) {
        let field = |name: &str| number(&case[name]) as u8;
        let mut scene = Scene::default();
        let equation = regs::BlendEquation::from_register(number(&case["equation"]) as u32).unwrap().into();
        // The factors are in the colour and the alpha of the constant.
        scene.key.output = Output::Blend(BlendKey {
            color: equation,
            alpha: equation,
            color_source: BlendFactor::ConstantColor,
            color_destination: BlendFactor::ConstantAlpha,
            alpha_source: BlendFactor::InverseConstantColor,
            alpha_destination: BlendFactor::ConstantAlpha,
        });
        let (source, factor) = (field("src"), field("src_factor"));
        scene.constants.blend_color = u32::from_be_bytes([factor, factor, factor, field("dst_factor")]);
        scene.primary([source, source, source, 0]);
        scene.background([field("dst"); 4]);
        let [r, g, b, _] = scene.pixel();
        assert_eq!([r, g, b], [field("result"); 3], "{case}");
    }
}

#[test]
fn blend_factors() {
    let (source, destination, constant) = ([10, 20, 30, 40], [250, 200, 150, 100], [70, 80, 90, 110]);
    for (number, want) in [
        (0, [0, 0, 0, 0]),
        (1, [255; 4]),
        (2, source),
        (3, [245, 235, 225, 215]),
        (4, destination),
        (5, [5, 55, 105, 155]),
        (6, [40; 4]),
        (7, [215; 4]),
        (8, [100; 4]),
        (9, [155; 4]),
        (10, constant),
        (11, [185, 175, 165, 145]),
        (12, [110; 4]),
        (13, [145; 4]),
        (14, [40, 40, 40, 255]),
        (15, source),
    ] {
        let factor = regs::BlendFactor::from_register(number).unwrap().into();
        let mut scene = Scene::default();
        scene.key.output = Output::Blend(BlendKey {
            color_source: BlendFactor::Zero,
            alpha_source: BlendFactor::Zero,
            color_destination: factor,
            alpha_destination: factor,
            ..REPLACE
        });
        scene.constants.blend_color = u32::from_be_bytes(constant);
        scene.primary(source);
        scene.background(destination);
        let want: [u8; 4] = std::array::from_fn(|c| (i32::from(destination[c]) * i32::from(want[c]) / 255) as u8);
        assert_eq!(scene.pixel(), want, "{factor:?}");
    }
}

#[test]
fn logic_operations() {
    let (s, d) = (0b1100, 0b1010);
    for (operation, want) in LogicOp::ALL.into_iter().zip([
        0, 0b1000, 0b0100, 0b1100, 0xFF, 0xF3, 0b1010, 0xF5, 0xF7, 0b1110, 0xF1, 0b0110, 0xF9, 0b0010, 0xFD, 0xFB,
    ]) {
        let mut scene = Scene::default();
        scene.key.output = Output::Logic(operation);
        scene.primary([s; 4]);
        scene.background([d; 4]);
        assert_eq!(scene.pixel(), [want; 4], "{operation:?}");
    }
}

#[test]
fn masked_channels_keep_the_destination() {
    for format in PixelFormat::ALL {
        let mut scene = Scene::default();
        scene.key.color_format = Some(format);
        scene.background([255, 0, 255, 0]);
        scene.primary([0, 255, 0, 255]);
        scene.key.color_mask = 0b0110;
        let alpha = if format.has_alpha() { 0 } else { 255 };
        assert_eq!(scene.pixel(), [255, 255, 0, alpha], "{format:?}");
        scene.key.color_mask = 0;
        scene.background([255, 0, 255, 0]);
        assert_eq!(scene.pixel(), [255, 0, 255, alpha]);
    }
}

#[test]
fn every_covered_pixel_and_no_other_is_written() {
    for (format, coverage) in [(PixelFormat::Rgb8, 0x8421_0F03_0000_8001_u64), (PixelFormat::Rgba4, u64::MAX)] {
        let mut scene = Scene::default();
        scene.key.color_format = Some(format);
        scene.draw(coverage);
        for index in 0..64 {
            let (x, row) = triglyph_guest::layout::unmorton(index);
            let lit = coverage >> index & 1 != 0;
            assert_eq!(scene.color_at(x, row)[0], if lit { 255 } else { 0 }, "{format:?} {x} {row}");
        }
    }
}

#[test]
fn surfaces_may_end_early() {
    let mut scene = Scene::default();
    scene.key.color_format = Some(PixelFormat::Rgb8);
    scene.key.depth_format = Some(DepthFormat::D24S8);
    scene.key.depth_write = true;
    scene.primitive.z = [-1.0; 3];
    scene.color = triglyph_guest::kernel::window::buffer(&[0; 5]);
    scene.depth = triglyph_guest::kernel::window::buffer(&[0; 5]);
    scene.draw(u64::MAX);
    assert_eq!(scene.color_at(1, 0), [0, 255, 255, 255]);
    assert_eq!(scene.depth_at(1, 0), 0xFF);
}
