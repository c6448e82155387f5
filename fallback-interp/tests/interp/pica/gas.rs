//! Gas: accumulated densities, and colours computed from them.

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::format::{DepthFormat, TexelFormat};
use triglyph_guest::kernel::gas::{DensityWrite, GasKey, GasLight};
use triglyph_guest::kernel::pixel::{
    Compare, FogKey, FogTable, LogicOp, Output, Texture, TextureConstants, TextureKey,
};
use triglyph_guest::kernel::{Window, window};
use triglyph_testkit::pica::block::{COORDINATES, Scene};
use triglyph_testkit::pica::nearest;

const FARTHEST: u32 = 0xFF_FFFF;

/// 64 words in memory.
fn words(word: u32) -> Vec<AtomicU8> {
    window::buffer(&word.to_le_bytes().repeat(64))
}

/// Draws a pixel of this red over stored densities D1 and D2; the densities afterwards and the largest reported.
fn drawn(stored: [u16; 2], red: u8, change: impl Fn(&mut Scene<'_>)) -> ([u16; 2], u32) {
    let mut scene = Scene::default();
    scene.key.density = Some(DensityWrite { compare: Compare::Less });
    scene.color = words(u32::from(stored[1]) << 16 | u32::from(stored[0]));
    scene.primary([red, 11, 22, 33]);
    change(&mut scene);
    scene.draw(1);
    let word = u32::from_le_bytes(Window::new(&scene.color).read(0));
    ([word as u16, (word >> 16) as u16], scene.densest.load(Relaxed))
}

/// A depth buffer that holds `stored`, and a pixel of depth `new`.
fn at_depth(scene: &mut Scene<'_>, new: u32, stored: u32, proportion: f32) {
    scene.key.depth_format = Some(DepthFormat::D24S8);
    scene.depth = words(0x5A00_0000 | stored);
    // z/w times -1.
    scene.primitive.z = [-(new as f32 / FARTHEST as f32); 3];
    scene.constants.gas.proportion = proportion;
}

#[test]
fn densities_add_up_to_their_limit() {
    for (stored, red, want) in [
        ([0, 0], 100, [100, 100]),
        ([100, 100], 155, [255, 255]),
        ([300, 20], 1, [301, 21]),
        ([65_500, 65_300], 200, [65_535, 65_500]),
        ([7, 7], 0, [7, 7]),
    ] {
        assert_eq!(drawn(stored, red, |_| {}), (want, want[0].into()), "{stored:?} {red}");
    }
}

#[test]
fn gas_becomes_thin_before_a_surface() {
    for (new, stored, proportion, want) in [
        // A quarter of the range before it.
        (0x40_0000, 0x80_0000, 2.0, [100, 50]),
        (0x40_0000, 0x80_0000, 4.0, [100, 100]),
        (0x40_0000, 0x80_0000, 300.0, [100, 100]),
        (0x40_0000, 0x80_0000, 0.0, [100, 0]),
        (0x7F_FFF0, 0x80_0000, 100.0, [100, 0]),
        // Farther than it, or at the same depth.
        (0x80_0000, 0x80_0000, 2.0, [0, 0]),
        (0xC0_0000, 0x80_0000, 2.0, [0, 0]),
    ] {
        let (got, densest) = drawn([0, 0], 100, |scene| at_depth(scene, new, stored, proportion));
        assert_eq!((got, densest), (want, want[0].into()), "{new:x} {stored:x} {proportion}");
    }
}

#[test]
fn the_comparison_says_which_side_counts() {
    for (compare, nearer, farther) in [
        (Compare::Never, [0, 0], [0, 0]),
        (Compare::Always, [100, 50], [100, 50]),
        (Compare::Greater, [0, 0], [100, 50]),
        (Compare::Less, [100, 50], [0, 0]),
    ] {
        for (new, want) in [(0x40_0000, nearer), (0xC0_0000, farther)] {
            let (got, _) = drawn([0, 0], 100, |scene| {
                scene.key.density = Some(DensityWrite { compare });
                at_depth(scene, new, 0x80_0000, 2.0);
            });
            assert_eq!(got, want, "{compare:?} {new:x}");
        }
    }
}

#[test]
fn nothing_else_happens_to_densities() {
    let want = ([110, 60], 110);
    let same = |change: &dyn Fn(&mut Scene<'_>)| {
        drawn([10, 10], 100, |scene| {
            at_depth(scene, 0x40_0000, 0x80_0000, 2.0);
            change(scene);
        })
    };
    assert_eq!(same(&|scene| scene.key.alpha_test = Compare::Never), want);
    assert_eq!(same(&|scene| scene.key.depth_test = Compare::Never), want);
    assert_eq!(same(&|scene| scene.key.color_mask = 0), want);
    assert_eq!(same(&|scene| scene.key.output = Output::Logic(LogicOp::Clear)), want);
    // Depth and stencil stay.
    let mut scene = Scene::default();
    (scene.key.density, scene.key.depth_write) = (Some(DensityWrite { compare: Compare::Less }), true);
    at_depth(&mut scene, 0x40_0000, 0x80_0000, 2.0);
    scene.draw(u64::MAX);
    assert_eq!(scene.depth_at(0, 0), 0x5A80_0000);
    // Without a target, or with one that ends early.
    assert_eq!(drawn([10, 10], 100, |scene| scene.key.color_format = None).0, [10, 10]);
    scene.color = window::buffer(&[255; 2]);
    scene.draw(u64::MAX);
}

/// A table of which entry i is i/128, so that the value at x is x.
fn straight() -> FogTable {
    std::array::from_fn(|i| [i as f32 / 128.0, 1.0 / 128.0])
}

/// The colour of gas of densities 200 and 100; entry i of the table is (10, 20, 30) * i.
fn colored(key: GasKey, change: impl Fn(&mut Scene<'_>)) -> [u8; 4] {
    let memory = words(100 << 16 | 200);
    let mut scene = Scene::default();
    scene.key.textures[0] = nearest(COORDINATES);
    scene.constants.texture[0] = TextureConstants { width: 8, height: 8, ..Default::default() };
    scene.textures[0] = Texture { format: TexelFormat::Rgba8, faces: [Window::new(&memory); 6], ..Default::default() };
    scene.key.fog = Some(FogKey { flip: false, gas: Some(key) });
    scene.fog = Some(straight());
    let gas = &mut scene.constants.gas;
    (gas.scale, gas.attenuation) = (1.0 / 512.0, 1.0 / 800.0);
    gas.colors = std::array::from_fn(|i| [10.0, 20.0, 30.0].map(|c| c * i as f32));
    gas.differences = [[5.0, -10.0, 100.0]; 8];
    change(&mut scene);
    scene.pixel()
}

const BY_DENSITY: GasKey = GasKey { by_depth: false, by_light: false };

#[test]
fn colors_by_density() {
    // d = 200/512, t = 3.125; k = 0.25.
    assert_eq!(colored(BY_DENSITY, |_| {}), [30, 58, 102, 191]);
    // d = 100/512, t = 1.5625; k = 0.125.
    assert_eq!(colored(GasKey { by_depth: true, ..BY_DENSITY }, |_| {}), [12, 14, 86, 223]);
    // The densest gas has the end of the last line, the thinnest the first colour.
    assert_eq!(colored(BY_DENSITY, |scene| scene.constants.gas.scale = 1.0), [75, 130, 255, 191]);
    assert_eq!(colored(BY_DENSITY, |scene| scene.constants.gas.scale = 0.0), [0, 0, 0, 191]);
    assert_eq!(colored(BY_DENSITY, |scene| scene.constants.gas.scale = f32::NAN), [0, 0, 0, 191]);
}

#[test]
fn alphas_by_the_fog_table() {
    assert_eq!(colored(BY_DENSITY, |scene| scene.constants.gas.attenuation = 0.0)[3], 255);
    assert_eq!(colored(BY_DENSITY, |scene| scene.constants.gas.attenuation = 1.0)[3], 0);
    let flip = |scene: &mut Scene<'_>| scene.key.fog = Some(FogKey { flip: true, gas: Some(BY_DENSITY) });
    assert_eq!(colored(BY_DENSITY, flip)[3], 63);
}

#[test]
fn colors_by_light() {
    let key = GasKey { by_light: true, ..BY_DENSITY };
    let lit = |effect: f32| {
        colored(key, |scene| {
            let gas = &mut scene.constants.gas;
            gas.planar = GasLight { min: 0.25, max: 0.75, attenuation: 1.0 };
            gas.view = GasLight { min: 0.0, max: 1.0, attenuation: 2.0 };
            gas.effect = effect;
        })
    };
    // 0.5546875, t = 4.4375; 0.21875, t = 1.75; the mixture 0.470703125, t = 3.765625.
    assert_eq!(lit(0.0), [42, 75, 163, 191]);
    assert_eq!(lit(1.0), [13, 12, 105, 191]);
    assert_eq!(lit(0.25), [33, 52, 166, 191]);
}

#[test]
fn gas_is_what_texture_unit_0_has_read() {
    // Off: no density at all.
    let off = |scene: &mut Scene<'_>| scene.key.textures[0] = TextureKey::DISABLED;
    assert_eq!(colored(BY_DENSITY, off), [0, 0, 0, 255]);
    // The combiners' colour is not seen, its alpha is tested.
    assert_eq!(colored(BY_DENSITY, |scene| scene.primary([9, 9, 9, 9])), [30, 58, 102, 191]);
    let test = |scene: &mut Scene<'_>| (scene.key.alpha_test, scene.constants.alpha_reference) = (Compare::Less, 255);
    assert_eq!(colored(BY_DENSITY, test), [0; 4]);
}
