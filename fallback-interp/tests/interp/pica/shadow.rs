//! Shadow maps: drawing and sampling them.

use std::sync::atomic::AtomicU8;

use triglyph_guest::format::TexelFormat;
use triglyph_guest::kernel::combine::Source;
use triglyph_guest::kernel::pixel::{
    Compare, Filter, FogKey, LogicOp, Output, ShadowForm, ShadowWrite, Texture, TextureConstants, TextureKey,
    TextureKind, Wrap,
};
use triglyph_guest::kernel::{Window, window};
use triglyph_guest::layout::morton;
use triglyph_testkit::pica::block::{COORDINATES, Scene};
use triglyph_testkit::pica::take;

const FARTHEST: u32 = 0xFF_FFFF;

/// A map of 8x8 texels: depth and light of column x, `row` from the bottom.
fn map(texel: impl Fn(u32, u32) -> (u32, u8)) -> Vec<AtomicU8> {
    let mut bytes = [0; 256];
    for row in 0..8 {
        for x in 0..8 {
            let (depth, light) = texel(x, row);
            let [_, high, middle, low] = depth.to_be_bytes();
            bytes[4 * morton(x, 7 - row) as usize..][..4].copy_from_slice(&[high, middle, low, light]);
        }
    }
    window::buffer(&bytes)
}

/// A scene that shows a map through unit 0.
fn shown(memory: &[AtomicU8], kind: TextureKind) -> Scene<'_> {
    let mut scene = Scene::default();
    scene.key.combiners.stages[0] = take(Source::Texture(0));
    scene.key.textures[0] = TextureKey {
        kind,
        coordinates: COORDINATES,
        wrap: [Wrap::Repeat; 2],
        magnify: Filter::Linear,
        minify: Filter::Linear,
        mipmap: None,
        power_of_two: true,
    };
    scene.constants.texture[0] = TextureConstants { width: 8, height: 8, ..Default::default() };
    scene.textures[0] = Texture { format: TexelFormat::Rgba8, faces: [Window::new(memory); 6], ..Texture::default() };
    scene
}

fn plain(form: ShadowForm) -> TextureKind {
    TextureKind::Shadow { perspective: false, form }
}

/// All channels at u, v, w, which are equal.
fn at(scene: &mut Scene<'_>, uvw: [f32; 3]) -> u8 {
    scene.vary(0, &uvw);
    let color = scene.pixel();
    assert_eq!(color, [color[0]; 4]);
    color[0]
}

/// A w that becomes this depth, below the middle.
fn w(depth: u32) -> f32 {
    ((f64::from(depth) + 0.5) / f64::from(FARTHEST)) as f32
}

const BOTH: [ShadowForm; 2] = [ShadowForm::Filtered, ShadowForm::Nearest];

#[test]
fn forms_differ_at_equality() {
    let memory = map(|_, _| (0x40_0000, 200));
    for form in BOTH {
        let mut scene = shown(&memory, plain(form));
        let equal = if form == ShadowForm::Nearest { 200 } else { 0 };
        for sign in [1.0, -1.0] {
            assert_eq!(at(&mut scene, [0.5, 0.5, sign * w(0x3F_FFFF)]), 200);
            assert_eq!(at(&mut scene, [0.5, 0.5, sign * w(0x40_0000)]), equal);
            assert_eq!(at(&mut scene, [0.5, 0.5, sign * w(0x40_0001)]), 0);
        }
        // Far away is 1; NaN is near.
        assert_eq!(at(&mut scene, [0.5, 0.5, 9.0]), 0);
        assert_eq!(at(&mut scene, [0.5, 0.5, f32::MAX]), 0);
        assert_eq!(at(&mut scene, [0.5, 0.5, f32::NAN]), 200);
    }
}

#[test]
fn bias_brings_nearer() {
    let memory = map(|_, _| (0x40_0000, 200));
    for form in BOTH {
        let mut scene = shown(&memory, plain(form));
        scene.constants.texture[0].shadow_bias = 0x1000;
        assert_eq!(at(&mut scene, [0.5, 0.5, w(0x40_0FFF)]), 200);
        assert_eq!(at(&mut scene, [0.5, 0.5, w(0x40_1001)]), 0);
    }
    // Nearer than 0: one form stops there, the other has numbers below.
    let memory = map(|_, _| (0, 200));
    for (form, want) in [(ShadowForm::Filtered, 0), (ShadowForm::Nearest, 200)] {
        let mut scene = shown(&memory, plain(form));
        scene.constants.texture[0].shadow_bias = 0xFF_FFFE;
        assert_eq!(at(&mut scene, [0.5, 0.5, 0.5]), want);
    }
}

#[test]
fn depth_is_read_with_the_most_significant_byte_first() {
    let memory = map(|_, _| (0x12_3456, 99));
    for form in BOTH {
        let mut scene = shown(&memory, plain(form));
        assert_eq!(at(&mut scene, [0.5, 0.5, w(0x12_3455)]), 99);
        assert_eq!(at(&mut scene, [0.5, 0.5, w(0x12_3457)]), 0);
    }
}

#[test]
fn edges_are_soft_in_one_form() {
    // The right half is in the dark.
    let memory = map(|x, _| if x < 4 { (FARTHEST, 255) } else { (0, 255) });
    let mut scene = shown(&memory, plain(ShadowForm::Filtered));
    // Halfway between the centres of columns 3 and 4, then a quarter.
    for (x, want) in [(3.5, 255), (3.75, 191), (4.0, 128), (4.25, 64), (4.5, 0)] {
        assert_eq!(at(&mut scene, [x / 8.0, 0.5, 0.5]), want, "{x}");
    }
    let mut scene = shown(&memory, plain(ShadowForm::Nearest));
    for (x, want) in [(3.99, 255), (4.0, 0)] {
        assert_eq!(at(&mut scene, [x / 8.0, 0.5, 0.5]), want, "{x}");
    }
    // Upwards likewise: v counts from the last stored row.
    let memory = map(|_, row| if row < 4 { (FARTHEST, 255) } else { (0, 255) });
    let mut scene = shown(&memory, plain(ShadowForm::Filtered));
    assert_eq!(at(&mut scene, [0.5, 3.75 / 8.0, 0.5]), 191);
    // Of the lights, not of the depths.
    let memory = map(|x, row| (FARTHEST, (16 * x + row) as u8));
    let mut scene = shown(&memory, plain(ShadowForm::Filtered));
    assert_eq!(at(&mut scene, [2.75 / 8.0, 5.5 / 8.0, 0.5]), 2 * 16 + 4 + 5);
}

#[test]
fn all_is_lit_outside_of_a_map() {
    let memory = map(|_, _| (0, 0));
    let mut scene = shown(&memory, plain(ShadowForm::Filtered));
    for (u, v, want) in [(0.0, 0.5, 128), (1.0, 0.5, 128), (0.0, 0.0, 191), (-1.0, 0.5, 255), (0.5, 7.0, 255)] {
        assert_eq!(at(&mut scene, [u, v, 0.5]), want, "{u} {v}");
    }
    for strange in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
        assert_eq!(at(&mut scene, [strange, 0.5, 0.5]), 255);
        assert_eq!(at(&mut scene, [0.5, strange, 0.5]), 255);
    }
    // The other form wraps, and reads the border colour as a texel.
    let memory = map(|x, _| (FARTHEST, x as u8));
    let mut scene = shown(&memory, plain(ShadowForm::Nearest));
    assert_eq!(at(&mut scene, [1.3, 0.5, 0.5]), 2);
    scene.key.textures[0].wrap[0] = Wrap::Border;
    // r = light, then depth: b and a are its middle and high byte.
    scene.constants.texture[0].border = 0x4D_56_34_12;
    assert_eq!(at(&mut scene, [1.3, 0.5, w(0x12_3455)]), 0x4D);
    assert_eq!(at(&mut scene, [1.3, 0.5, w(0x12_3457)]), 0);
}

#[test]
fn perspective_divides() {
    let memory = map(|x, row| (FARTHEST, (16 * x + row) as u8));
    for form in BOTH {
        let mut scene = shown(&memory, TextureKind::Shadow { perspective: true, form });
        assert_eq!(at(&mut scene, [5.5 / 16.0, 2.5 / 16.0, 0.5]), 5 * 16 + 2);
        // The sign of w goes into the coordinates, not into the depth.
        assert_eq!(at(&mut scene, [-5.5 / 16.0, -2.5 / 16.0, -0.5]), 5 * 16 + 2);
        at(&mut scene, [1.0, 0.0, 0.0]);
    }
}

#[test]
fn cubes_of_shadows() {
    let maps: Vec<_> =
        (0..6).map(|face| map(move |x, row| (0x80_0000, (40 * face + 8 * (x / 4) + row / 4) as u8))).collect();
    for form in BOTH {
        let mut scene = shown(&maps[0], TextureKind::ShadowCube { form });
        for (face, memory) in scene.textures[0].faces.iter_mut().zip(&maps) {
            *face = Window::new(memory);
        }
        for (face, direction) in [
            [0.4, 0.1, -0.1],
            [-0.4, 0.1, 0.1],
            [0.1, 0.4, 0.1],
            [0.1, -0.4, -0.1],
            [0.1, -0.1, 0.4],
            [-0.1, -0.1, -0.4],
        ]
        .into_iter()
        .enumerate()
        {
            let got = at(&mut scene, direction);
            // s is 0.625 on every face.
            assert_eq!(usize::from(got) / 40, face, "{direction:?}");
            assert_eq!(got % 40 / 8, 1, "{direction:?}");
            // The depth is that of the major axis.
            assert_eq!(at(&mut scene, direction.map(|d| d * 2.0)), 0, "{direction:?}");
        }
    }
}

#[test]
fn faces_of_a_cube_end_with_their_last_texels() {
    let memory = map(|x, _| (FARTHEST, if x == 7 { 200 } else { 0 }));
    let mut scene = shown(&memory, TextureKind::ShadowCube { form: ShadowForm::Filtered });
    // s = u on +Z, at the right edge.
    assert_eq!(at(&mut scene, [0.5, 0.0, 0.5]), 200);
    assert_eq!(at(&mut scene, [-0.5, 0.0, 0.5]), 0);
}

#[test]
fn maps_without_texels_or_memory() {
    let memory = map(|_, _| (FARTHEST, 255));
    for form in BOTH {
        for kind in [plain(form), TextureKind::ShadowCube { form }] {
            let mut scene = shown(&memory, kind);
            scene.constants.texture[0].width = 0;
            assert_eq!(at(&mut scene, [0.5, 0.25, 0.5]), 0);
            let mut scene = shown(&memory[..3], kind);
            assert_eq!(at(&mut scene, [0.5, 0.25, 0.5]), 0);
        }
    }
}

/// Draws a pixel of this depth and green over a stored one, and gives what is stored then.
fn drawn(stored: (u32, u8), depth: u32, green: u8, change: impl Fn(&mut Scene<'_>)) -> (u32, u8) {
    let mut scene = Scene::default();
    scene.key.shadow = Some(ShadowWrite);
    scene.color = map(|_, _| stored);
    scene.primary([11, green, 22, 33]);
    // z/w times -1.
    scene.primitive.z = [-(depth as f32 / FARTHEST as f32); 3];
    scene.constants.shadow_constant = 1.0;
    change(&mut scene);
    scene.draw(1);
    let [high, middle, low, light] = Window::new(&scene.color).read(0);
    assert_eq!(Window::new(&scene.color).read::<4>(4), {
        let [_, high, middle, low] = stored.0.to_be_bytes();
        [high, middle, low, stored.1]
    });
    (u32::from_be_bytes([0, high, middle, low]), light)
}

#[test]
fn hard_shadows_store_depths() {
    let stored = (0x12_3456, 77);
    for (depth, want) in [(0x12_3455, 0x12_3455), (0x12_3456, 0x12_3456), (0x12_3457, 0x12_3456), (0, 0)] {
        assert_eq!(drawn(stored, depth, 0, |_| {}), (want, 77), "{depth:x}");
    }
    assert_eq!(drawn((FARTHEST, 255), FARTHEST - 1, 0, |_| {}), (FARTHEST - 1, 255));
    assert_eq!(drawn((0, 255), 0, 0, |_| {}), (0, 255));
}

#[test]
fn soft_shadows_store_light() {
    let soft = |stored, depth, green, constant: f32, linear: f32| {
        drawn(stored, depth, green, |scene| {
            scene.constants.shadow_constant = constant;
            scene.constants.shadow_linear = linear;
        })
    };
    let stored = (0x40_0000, 200);
    assert_eq!(soft(stored, 0x20_0000, 100, 1.0, 0.0), (0x40_0000, 100));
    // 100 / (1 + 1/2), then 100 / (1/2 * 1/2).
    assert_eq!(soft(stored, 0x20_0000, 100, 1.0, 1.0), (0x40_0000, 66));
    assert_eq!(soft(stored, 0x20_0000, 10, 0.0, 0.5), (0x40_0000, 40));
    // Only darker, only nearer.
    assert_eq!(soft(stored, 0x20_0000, 200, 1.0, 0.0), stored);
    assert_eq!(soft(stored, 0x20_0000, 100, 0.0, 0.0), stored);
    assert_eq!(soft(stored, 0x40_0000, 100, 1.0, 0.0), stored);
    assert_eq!(soft(stored, 0x20_0000, 100, -1.0, 0.0), (0x40_0000, 0));
    assert_eq!(soft(stored, 0x20_0000, 100, f32::NAN, 0.0), (0x40_0000, 0));
}

#[test]
fn nothing_else_happens_to_shadows() {
    let want = (0x10_0000, 77);
    let depth = |change: &dyn Fn(&mut Scene<'_>)| drawn((0x12_3456, 77), 0x10_0000, 0, change);
    assert_eq!(depth(&|scene| scene.key.alpha_test = Compare::Never), want);
    assert_eq!(depth(&|scene| scene.key.depth_test = Compare::Never), want);
    assert_eq!(depth(&|scene| scene.key.color_mask = 0), want);
    assert_eq!(depth(&|scene| scene.key.output = Output::Logic(LogicOp::Clear)), want);
    let fog = |scene: &mut Scene<'_>| {
        scene.key.fog = Some(FogKey { flip: false, gas: None });
        scene.fog = Some([[0.0; 2]; 128]);
        scene.constants.fog_color = u32::MAX;
    };
    assert_eq!(depth(&fog), want);
    // Without a target, or with one that ends early.
    assert_eq!(depth(&|scene| scene.key.color_format = None), (0x12_3456, 77));
    let mut scene = Scene { color: window::buffer(&[255; 2]), ..Scene::default() };
    scene.key.shadow = Some(ShadowWrite);
    scene.draw(u64::MAX);
}
