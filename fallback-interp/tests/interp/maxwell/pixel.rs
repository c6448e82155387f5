//! Pixel programs of Tegra X1: interpolation, kills, results, samples, tests before the program.

use std::sync::Arc;

use triglyph_guest::kernel::maxwell::{Code, PixelCode, PixelInput, PixelMode};
use triglyph_guest::kernel::program::fragment::{BACK_FACING, FragmentCode, PixelBlock, Samples};
use triglyph_guest::kernel::program::output::Compare;
use triglyph_guest::tegra::shader::assemble_program;
use triglyph_testkit::fragment::{RGBA32F, Scene, bit, copy_input, depth, pixel_code};

/// A scene whose program is text. Generic inputs 0 and 1 are planes 0 to 7, linear.
fn scene(text: &str) -> Scene {
    let mut scene = Scene::new(RGBA32F, &copy_input());
    let words = assemble_program(text).unwrap_or_else(|error| panic!("{error}"));
    let input = |i: u8| PixelInput { word: 0x20 + i, plane: i.into(), mode: PixelMode::Linear };
    let code = pixel_code(Code { words, ..Code::default() }, (0..8).map(input).collect());
    scene.key.code = FragmentCode::Maxwell(Arc::new(code));
    scene
}

fn code(scene: &mut Scene) -> &mut PixelCode {
    match &mut scene.key.code {
        FragmentCode::Maxwell(code) => Arc::make_mut(code),
        FragmentCode::Rsx(_) => panic!("another machine's program"),
    }
}

const PERSPECTIVE: &str = "
    ipa.pass r4, a[rz+0x7c], rz, rz, pt
    mufu.rcp r4, r4
    ipa.mul r0, a[rz+0x80], r4, rz, pt
    ipa.constant r1, a[rz+0x84], rz, rz, pt
    ipa.pass r2, a[rz+0x88], rz, rz, pt
    mov r3, 0x3f800000, 0xf
    exit";

#[test]
fn planes_become_values() {
    let mut scene = scene(&PERSPECTIVE.replace("mov r3, 0x3f800000", "mov32i r3, 0x3f800000"));
    code(&mut scene).inputs[0].mode = PixelMode::Perspective;
    code(&mut scene).inputs[2].mode = PixelMode::Constant;
    scene.primitive.inv_w = [0.25, 0.25, 0.0];
    scene.primitive.origin = [1, 2];
    // Twice 1/w; 5 plus anything; bits.
    scene.planes[..3].copy_from_slice(&[[0.5, 0.5, 0.0], [5.0, 1.0, 1.0], [f32::from_bits(77), 9.0, 9.0]]);
    assert_eq!(scene.draw(), 64);
    for (x, y) in [(1, 2), (5, 7), (2, 0)] {
        let got = scene.floats(x, y);
        assert_eq!([got[1].to_bits(), got[2].to_bits()], [5f32.to_bits(), 77]);
        assert!((got[0] - 2.0).abs() < 1e-6 && got[3] == 1.0, "{got:?}");
    }
}

#[test]
fn the_window_position_and_the_side() {
    let text = "
        ipa.pass r0, a[rz+0x70], rz, rz, pt
        ipa.pass r1, a[rz+0x74], rz, rz, pt
        ipa.pass r2, a[rz+0x78], rz, rz, pt
        ipa.constant r3, a[rz+0x3fc], rz, rz, pt
        i2f.signed.f32.b32 r3, r3, 0x0
        exit";
    let mut scene = scene(text);
    scene.primitive.depth = [0.5, 0.25, 0.0];
    scene.draw();
    let got = scene.floats(3, 6);
    assert_eq!(got, [3.5, 6.5, 1.25, -1.0]);
    scene.primitive.flags = BACK_FACING;
    scene.draw();
    assert_eq!(scene.floats(3, 6)[3], 0.0);
}

#[test]
fn offsets_are_units_of_a_pixel() {
    let text = "
        mov32i r4, 0xf8000400, 0xf
        ipa.pass.offset r0, a[rz+0x80], rz, r4, pt
        ipa.pass.offset r1, a[rz+0x70], rz, r4, pt
        ipa.pass.offset r2, a[rz+0x74], rz, r4, pt
        exit";
    let mut scene = scene(text);
    scene.planes[0] = [0.0, 1.0, 16.0];
    scene.draw();
    // 0x400 is a quarter to the right, 0xF800 half a pixel up.
    assert_eq!(scene.floats(2, 3)[..3], [2.25 + 16.0 * 2.5, 2.75, 3.0]);
}

#[test]
fn killed_pixels_store_nothing_but_serve_their_quad() {
    // Pixels of even columns are killed; their neighbours see what they compute after that.
    let text = "
        ipa.pass r0, a[rz+0x70], rz, rz, pt
        f2i.b32.f32.rz r1, r0
        lop.and.pred_z r1, p0, r1, 0x1
        @p0 kil
        fadd r2, r0, r0
        shfl.bfly r3, pt, r2, 0x1, 0x1c03
        s2r r1, sr_thread_kill
        exit";
    let mut scene = scene(text);
    assert_eq!(scene.draw(), 32);
    assert_eq!(scene.floats(0, 0), [0.0; 4]);
    assert_eq!(scene.floats(1, 0), [1.5, 0.0, 3.0, 1.0]);
    code(&mut scene).kills = false;
    assert_eq!(scene.draw(), 64);
}

#[test]
fn a_quad_without_live_pixels_ends() {
    // After the kill is a loop without end.
    let mut scene = scene("kil\nloop:\nbra loop");
    assert_eq!(scene.draw(), 0);
    let FragmentCode::Maxwell(_) = &scene.key.code else { panic!("another machine's program") };
    scene.blocks[0].coverage = bit(0, 0);
    assert_eq!(scene.draw(), 0);
}

#[test]
fn results_stand_behind_each_other() {
    let registers: String = (0..12).map(|n| format!("mov32i r{n}, {:#x}, 0xf\n", (n as f32).to_bits())).collect();
    let mut scene = scene(&(registers + "exit"));
    // Two components of output 0, none of output 1, all of output 2; then the mask, then the depth.
    code(&mut scene).targets = 0xF0A;
    scene.draw();
    assert_eq!(scene.floats(0, 0), [0.0, 1.0, 0.0, 3.0]);
    scene.target().source = 1;
    scene.draw();
    assert_eq!(scene.floats(0, 0), [0.0; 4]);
    scene.target().source = 2;
    scene.draw();
    assert_eq!(scene.floats(0, 0), [4.0, 5.0, 6.0, 7.0]);
    code(&mut scene).depth = true;
    scene.set_depth(depth(Compare::Always), &[0; 4]);
    scene.constants.output.depth_range = [0.0, 100.0];
    scene.draw();
    let depth = triglyph_guest::kernel::Window::new(&scene.depth).read::<4>(0);
    assert_eq!(f32::from_le_bytes(depth), 9.0);
}

/// Two samples side by side, both covered.
fn two_samples(scene: &mut Scene) {
    scene.key.samples = Samples { across: 2, down: 1 };
    scene.constants.sample_offsets[..2].copy_from_slice(&[[-0.25, 0.0], [0.25, 0.125]]);
    scene.blocks = vec![PixelBlock { primitive: 0, x: 0, row: 0, coverage: u64::MAX }; 2];
}

const SAMPLES: &str = "
    ipa.pass r0, a[rz+0x80], rz, rz, pt
    pixld.my_index r1, pt, [rz]
    pixld.covmask r2, pt, [rz]
    pixld.count r3, pt, [rz]
    i2f.f32.b32 r1, r1, 0x0
    i2f.f32.b32 r2, r2, 0x0
    i2f.f32.b32 r3, r3, 0x0
    exit";

#[test]
fn samples_may_be_shaded_each_by_itself() {
    let mut scene = scene(SAMPLES);
    two_samples(&mut scene);
    scene.planes[0] = [0.0, 4.0, 8.0];
    scene.blocks[1].coverage = !bit(2, 1);
    assert_eq!(scene.draw(), 127);
    assert_eq!([scene.floats(2, 0), scene.floats(3, 0)], [[4.0, 0.0, 3.0, 2.0]; 2]);
    code(&mut scene).per_sample = true;
    assert_eq!(scene.draw(), 127);
    assert_eq!(scene.floats(2, 0), [3.0, 0.0, 3.0, 2.0]);
    assert_eq!(scene.floats(3, 0), [6.0, 1.0, 3.0, 2.0]);
    assert_eq!(scene.floats(4, 1), [15.0, 0.0, 1.0, 2.0]);
}

#[test]
fn the_sample_mask_leaves_samples_out() {
    let mut scene = scene("mov32i r0, 0x3f800000, 0xf\nmov32i r4, 0x2, 0xf\nexit");
    two_samples(&mut scene);
    code(&mut scene).sample_mask = true;
    assert_eq!(scene.draw(), 64);
    assert_eq!([scene.floats(0, 0)[0], scene.floats(1, 0)[0]], [0.0, 1.0]);
}

#[test]
fn tests_may_come_before_the_program() {
    // Kills everything, and would give another depth.
    let mut scene = scene("kil\nexit");
    scene.primitive.depth = [0.5, 0.0, 0.0];
    scene.set_depth(depth(Compare::Less), &0.75f32.to_le_bytes());
    assert_eq!(scene.draw(), 0);
    let stored = |scene: &Scene| f32::from_le_bytes(triglyph_guest::kernel::Window::new(&scene.depth).read::<4>(0));
    assert_eq!(stored(&scene), 0.75);
    code(&mut scene).early_tests = true;
    code(&mut scene).depth = true;
    assert_eq!(scene.draw(), 64);
    assert_eq!(stored(&scene), 0.5);
    assert_eq!(scene.draw(), 0);
}

#[test]
fn alpha_is_asked_behind_early_tests() {
    let mut scene = scene("ipa.pass r3, a[rz+0x80], rz, rz, pt\nmov r0, r3, 0xf\nexit");
    code(&mut scene).early_tests = true;
    scene.key.output.alpha_test = Compare::Greater;
    scene.constants.output.alpha_reference = 3.5;
    scene.planes[0] = [0.0, 1.0, 0.0];
    assert_eq!(scene.draw(), 64);
    assert_eq!([scene.floats(3, 0)[0], scene.floats(4, 0)[0]], [0.0, 4.0]);
}
