//! Fragment lighting: vectors, tables, factors, sums.

use std::sync::Arc;

use triglyph_guest::format::TexelFormat;
use triglyph_guest::kernel::combine::Source;
use triglyph_guest::kernel::lighting::{
    Bump, DISTANCE, LightConstants, LightKey, LightingConstants, LightingKey, ShadowKey, Table, TableInput, TableKey,
};
use triglyph_guest::kernel::pixel::{Filter, Texture, TextureConstants, TextureKey, TextureKind, Wrap};
use triglyph_guest::kernel::{Window, window};
use triglyph_testkit::pica::block::{QUATERNION, Scene, VIEW};
use triglyph_testkit::pica::take;

const LIGHT: LightKey = LightKey {
    index: 0,
    directional: true,
    two_sided: false,
    geometric0: false,
    geometric1: false,
    spot: false,
    distance: false,
    shadow: false,
};
const SHADOW: ShadowKey = ShadowKey { unit: 1, invert: false, primary: false, secondary: false, alpha: false };

/// A surface that faces the eye, and a light in front of it.
struct Lit {
    scene: Scene<'static>,
    constants: LightingConstants,
    key: LightingKey,
    tables: [[[f32; 2]; 256]; 24],
    /// What texture unit 1 shows.
    texture: [u8; 4],
}

impl Lit {
    fn new() -> Self {
        let light = LightConstants { position: [0.0, 0.0, 2.0], ..Default::default() };
        let mut scene = Scene::default();
        scene.vary(7, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        Lit {
            scene,
            constants: LightingConstants { ambient: [0.0; 3], lights: [light; 8] },
            key: LightingKey {
                quaternion_slots: QUATERNION,
                view_slots: VIEW,
                lights: [LIGHT].into_iter().collect(),
                tables: [None; 7],
                bump: Bump::Off,
                shadow: None,
                clamp_highlights: false,
                fresnel_primary: false,
                fresnel_secondary: false,
            },
            tables: [[[0.0; 2]; 256]; 24],
            texture: [0; 4],
        }
    }

    fn light(&mut self) -> &mut LightConstants {
        &mut self.constants.lights[0]
    }

    fn quaternion(&mut self, q: [f32; 4]) {
        self.scene.vary(7, &q);
    }

    fn view(&mut self, v: [f32; 3]) {
        self.scene.vary(11, &v);
    }

    /// Table `role`, number `number`, of `input`: a straight line from `low` to `high`, absolute or signed.
    fn line(&mut self, role: Table, number: usize, input: TableInput, absolute: bool, [low, high]: [f32; 2]) {
        self.key.tables[role as usize] = Some(TableKey { input, absolute, scale: 0 });
        let step = (high - low) / 256.0;
        for i in 0..256 {
            let entry = if absolute { i } else { (i + 128) & 255 };
            self.tables[number][entry] = [low + i as f32 * step, step];
        }
    }

    /// Primary and secondary colour.
    fn colors(&self) -> [[u8; 4]; 2] {
        let word: Vec<u8> = self.texture.iter().rev().copied().cycle().take(256).collect();
        let memory = window::buffer(&word);
        [Source::FragmentPrimary, Source::FragmentSecondary].map(|source| {
            let mut scene = Scene {
                key: self.scene.key.clone(),
                varyings: self.scene.varyings,
                lighting: Some((self.constants, Box::new(self.tables))),
                ..Scene::default()
            };
            scene.key.combiners.stages[0] = take(source);
            scene.key.lighting = Some(Arc::new(self.key.clone()));
            scene.key.textures[1] = TextureKey {
                kind: TextureKind::Plain,
                coordinates: [4, 5, 6],
                wrap: [Wrap::Repeat; 2],
                magnify: Filter::Nearest,
                minify: Filter::Nearest,
                mipmap: None,
                power_of_two: true,
            };
            scene.constants.texture[1] = TextureConstants { width: 8, height: 8, ..Default::default() };
            scene.textures[1] =
                Texture { format: TexelFormat::Rgba8, faces: [Window::new(&memory); 6], ..Texture::default() };
            scene.pixel()
        })
    }

    #[track_caller]
    fn primary(&self, want: [f32; 4]) {
        close(self.colors()[0], want);
    }

    #[track_caller]
    fn secondary(&self, want: [f32; 4]) {
        close(self.colors()[1], want);
    }
}

#[track_caller]
fn close(got: [u8; 4], want: [f32; 4]) {
    for (got, want) in got.into_iter().zip(want) {
        assert!((f32::from(got) - want * 255.0).abs() <= 1.01, "{got} for {}", want * 255.0);
    }
}

/// Gray with alpha 1.
fn gray(v: f32) -> [f32; 4] {
    [v, v, v, 1.0]
}

#[test]
fn off_it_gives_nothing() {
    let mut scene = Scene::default();
    for source in [Source::FragmentPrimary, Source::FragmentSecondary] {
        scene.key.combiners.stages[0] = take(source);
        assert_eq!(scene.pixel(), [0; 4]);
    }
}

#[test]
fn diffuse_light_by_the_cosine() {
    let mut lit = Lit::new();
    lit.light().diffuse = [1.0, 0.5, 0.25];
    for position in [[0.6, 0.0, 0.8], [0.0, 6.0, 8.0]] {
        lit.light().position = position;
        lit.primary([0.8, 0.4, 0.2, 1.0]);
        lit.secondary(gray(0.0));
    }
    // Light from the back.
    lit.light().position = [0.6, 0.0, -0.8];
    lit.primary(gray(0.0));
    lit.key.lights[0].two_sided = true;
    lit.primary([0.8, 0.4, 0.2, 1.0]);
}

#[test]
fn a_place_is_seen_from_the_surface() {
    let mut lit = Lit::new();
    lit.light().diffuse = [1.0; 3];
    lit.view([0.0, 0.0, 8.0]);
    lit.light().position = [6.0, 0.0, 0.0];
    lit.primary(gray(0.0));
    lit.key.lights[0].directional = false;
    lit.primary(gray(0.8));
}

#[test]
fn quaternions_of_any_length_turn_the_normal() {
    let mut lit = Lit::new();
    lit.light().diffuse = [1.0; 3];
    // A quarter around x: z becomes -y.
    lit.quaternion([3.0, 0.0, 0.0, 3.0]);
    lit.light().position = [0.0, -3.0, 4.0];
    lit.primary(gray(0.6));
    lit.quaternion([0.0, 2.0, 0.0, 2.0]);
    lit.light().position = [3.0, 0.0, 4.0];
    lit.primary(gray(0.6));
}

#[test]
fn vectors_without_length_stay() {
    let mut lit = Lit::new();
    lit.light().diffuse = [1.0; 3];
    lit.quaternion([0.0; 4]);
    lit.primary(gray(1.0));
    // No light direction: no cosine. Neither has the half vector a length.
    lit.light().position = [0.0; 3];
    lit.view([0.0; 3]);
    lit.light().ambient = [0.5; 3];
    lit.light().specular0 = [1.0; 3];
    lit.primary(gray(0.5));
    lit.secondary(gray(1.0));
    lit.key.lights[0].geometric0 = true;
    lit.secondary(gray(0.0));
}

#[test]
fn nan_ends_as_black() {
    let mut lit = Lit::new();
    lit.light().diffuse = [1.0; 3];
    lit.light().specular0 = [1.0; 3];
    lit.quaternion([f32::NAN; 4]);
    lit.primary(gray(0.0));
    lit.key.lights[0].two_sided = true;
    lit.primary(gray(0.0));
    // Two NaN inputs read the first entry of a table, exactly.
    for absolute in [true, false] {
        lit.line(Table::D0, 0, TableInput::NormalView, absolute, [0.0, 1.0]);
        lit.secondary(gray(if absolute { 0.0 } else { 0.5 }));
        lit.tables[0][0][1] = f32::MAX;
        lit.secondary(gray(if absolute { 0.0 } else { 0.5 }));
    }
}

/// N = z, V = (0.6, 0, 0.8), L = (0, 0.8, 0.6): every dot product is another number.
fn oblique() -> Lit {
    let mut lit = Lit::new();
    lit.view([3.0, 0.0, 4.0]);
    lit.light().position = [0.0, 8.0, 6.0];
    lit.light().spot = [0.0, -0.5, 0.5];
    lit.light().specular0 = [1.0; 3];
    lit
}

const INPUTS: [(TableInput, f32); 7] = [
    (TableInput::NormalHalf, 0.813_73),
    (TableInput::ViewHalf, 0.860_23),
    (TableInput::NormalView, 0.8),
    (TableInput::LightNormal, 0.6),
    (TableInput::LightSpot, -0.1),
    (TableInput::CosPhi, 0.348_74),
    (TableInput::Zero, 0.0),
];

#[test]
fn inputs_of_tables() {
    for (input, want) in INPUTS {
        let mut lit = oblique();
        lit.line(Table::D0, 0, input, false, [0.0, 1.0]);
        lit.secondary(gray(0.5 + 0.5 * want));
        lit.line(Table::D0, 0, input, true, [0.0, 1.0]);
        lit.secondary(gray(want.max(0.0)));
        lit.key.lights[0].two_sided = true;
        lit.secondary(gray(want.abs()));
    }
}

#[test]
fn outputs_of_tables_are_scaled() {
    for (scale, want) in [(-2, 0.05), (-1, 0.1), (0, 0.2), (1, 0.4), (2, 0.8), (3, 1.0)] {
        let mut lit = oblique();
        lit.line(Table::D0, 0, TableInput::NormalView, true, [0.0, 0.25]);
        lit.key.tables[Table::D0 as usize].as_mut().unwrap().scale = scale;
        lit.secondary(gray(want));
    }
}

#[test]
fn beyond_the_ends_of_a_table_its_lines_go_on() {
    let mut lit = oblique();
    lit.line(Table::D0, 0, TableInput::LightSpot, true, [0.0, 0.5]);
    lit.light().spot = [0.0, 0.0, 2.0];
    lit.secondary(gray(0.6));
    lit.line(Table::D0, 0, TableInput::LightSpot, false, [0.0, 0.5]);
    lit.secondary(gray(0.55));
    lit.line(Table::D0, 0, TableInput::LightSpot, false, [0.5, 0.0]);
    lit.light().spot = [0.0, 0.0, -2.0];
    lit.secondary(gray(0.55));
}

#[test]
fn every_table_has_its_factor() {
    let half = |role: Table, number: usize| {
        let mut lit = oblique();
        lit.light().specular0 = [0.5, 0.0, 0.0];
        lit.light().specular1 = [0.0, 0.25, 0.5];
        lit.light().diffuse = [0.5; 3];
        lit.line(role, number, TableInput::Zero, true, [0.5, 0.5]);
        lit
    };
    half(Table::D0, 0).secondary([0.25, 0.25, 0.5, 1.0]);
    half(Table::D1, 1).secondary([0.5, 0.125, 0.25, 1.0]);
    // The others follow red; blue and green have their own.
    half(Table::Rr, 6).secondary([0.5, 0.125, 0.25, 1.0]);
    half(Table::Rg, 5).secondary([0.5, 0.125, 0.5, 1.0]);
    half(Table::Rb, 4).secondary([0.5, 0.25, 0.25, 1.0]);
    half(Table::Fr, 3).secondary([0.5, 0.25, 0.5, 1.0]);
    let mut both = half(Table::Rr, 6);
    both.light().specular1 = [1.0; 3];
    both.light().specular0 = [0.0; 3];
    both.line(Table::Rb, 4, TableInput::Zero, true, [0.75, 0.75]);
    both.secondary([0.5, 0.5, 0.75, 1.0]);
    let mut spot = half(Table::Sp, 8);
    spot.secondary([0.5, 0.25, 0.5, 1.0]);
    spot.key.lights[0].spot = true;
    spot.secondary([0.25, 0.125, 0.25, 1.0]);
    spot.primary(gray(0.15));
    spot.key.tables[Table::Sp as usize] = None;
    spot.primary(gray(0.3));
}

#[test]
fn spot_and_distance_tables_belong_to_a_light() {
    let mut lit = oblique();
    lit.key.lights[0] = LightKey { index: 3, spot: true, ..LIGHT };
    lit.constants.lights[3].ambient = [1.0; 3];
    lit.line(Table::Sp, 11, TableInput::Zero, true, [0.25, 0.25]);
    lit.primary(gray(0.25));
    lit.key.lights[0] = LightKey { index: 3, distance: true, ..LIGHT };
    lit.tables[DISTANCE + 3] = [[0.75, 0.0]; 256];
    lit.primary(gray(0.75));
}

#[test]
fn distance_attenuation() {
    let mut lit = Lit::new();
    lit.key.lights[0] = LightKey { distance: true, directional: false, ..LIGHT };
    lit.light().ambient = [1.0; 3];
    lit.line(Table::D0, DISTANCE, TableInput::Zero, true, [1.0, 0.0]);
    lit.view([3.0, 0.0, 0.0]);
    lit.light().position = [0.0, 4.0, 0.0];
    // A distance of 5.
    for (scale, bias, want) in [(0.125, 0.0, 0.375), (0.125, 0.25, 0.125), (1.0, 0.0, 0.0), (-1.0, 0.0, 1.0)] {
        lit.light().distance_scale = scale;
        lit.light().distance_bias = bias;
        lit.primary(gray(want));
    }
    lit.light().distance_bias = f32::NAN;
    lit.primary(gray(1.0));
    // No scale applies.
    lit.key.tables[Table::D0 as usize].as_mut().unwrap().scale = -2;
    lit.primary(gray(1.0));
    lit.key.lights[0].distance = false;
    lit.primary(gray(1.0));
}

#[test]
fn fresnel_gives_the_alphas_of_the_last_light() {
    let mut lit = oblique();
    lit.line(Table::Fr, 3, TableInput::LightNormal, true, [0.0, 1.0]);
    lit.constants.lights[1].position = [0.0, 9.8, 2.0];
    lit.key.lights = [lit.key.lights[0], LightKey { index: 1, ..LIGHT }].into_iter().collect();
    for (primary, secondary) in [(false, false), (true, false), (false, true), (true, true)] {
        (lit.key.fresnel_primary, lit.key.fresnel_secondary) = (primary, secondary);
        let alpha = |own: bool| if own { 0.2 } else { 1.0 };
        lit.primary([0.0, 0.0, 0.0, alpha(primary)]);
        lit.secondary([1.0, 1.0, 1.0, alpha(secondary)]);
    }
}

#[test]
fn geometric_factors() {
    // The cosine is 0.6 and the square length of the half vector 2.96.
    for (geometric0, geometric1, want) in [
        (false, false, [1.0, 0.5]),
        (true, false, [0.2027, 0.5]),
        (false, true, [1.0, 0.1014]),
        (true, true, [0.2027, 0.1014]),
    ] {
        let mut lit = oblique();
        lit.light().specular0 = [1.0, 0.0, 0.0];
        lit.light().specular1 = [0.0, 0.5, 0.0];
        lit.key.lights[0] = LightKey { geometric0, geometric1, ..LIGHT };
        lit.secondary([want[0], want[1], 0.0, 1.0]);
    }
    // At most 1: light and eye at opposite sides.
    let mut lit = oblique();
    lit.key.lights[0] = LightKey { geometric0: true, ..LIGHT };
    lit.view([10.0, 0.0, 0.1]);
    lit.light().position = [-10.0, 0.0, 1.0];
    lit.secondary(gray(1.0));
}

#[test]
fn no_highlights_behind() {
    let mut lit = oblique();
    lit.key.clamp_highlights = true;
    lit.secondary(gray(1.0));
    lit.light().position = [0.0, 8.0, -6.0];
    lit.secondary(gray(0.0));
    lit.key.lights[0].two_sided = true;
    lit.secondary(gray(1.0));
    lit.key.lights[0].two_sided = false;
    lit.key.clamp_highlights = false;
    lit.secondary(gray(1.0));
}

#[test]
fn normals_from_a_texture() {
    let mut lit = Lit::new();
    lit.light().diffuse = [1.0; 3];
    lit.light().position = [0.0, 0.0, 1.0];
    lit.texture = [204, 128, 191, 0];
    lit.key.bump = Bump::Normal { unit: 1, recalculate_z: false };
    lit.primary(gray(0.498));
    lit.key.bump = Bump::Normal { unit: 1, recalculate_z: true };
    lit.primary(gray(0.8));
    lit.light().position = [1.0, 0.0, 0.0];
    lit.primary(gray(0.6));
    // Too long to have a z.
    lit.texture = [255, 255, 255, 0];
    lit.light().position = [0.0, 0.0, 1.0];
    lit.primary(gray(0.0));
    // In the surface's frame: a quarter around x.
    lit.texture = [204, 128, 191, 0];
    lit.quaternion([1.0, 0.0, 0.0, 1.0]);
    lit.light().position = [0.0, -1.0, 0.0];
    lit.primary(gray(0.8));
    // A unit that is off is black, that is -1.
    lit.key.bump = Bump::Normal { unit: 0, recalculate_z: false };
    lit.light().position = [0.0, 1.0, 0.0];
    lit.primary(gray(1.0));
}

#[test]
fn tangents_from_a_texture() {
    let mut lit = oblique();
    lit.line(Table::D0, 0, TableInput::CosPhi, false, [0.0, 1.0]);
    // The half vector's part in the plane is (0.3487, 0.465, 0).
    lit.texture = [128, 255, 128, 0];
    lit.key.bump = Bump::Tangent { unit: 1, recalculate_z: false };
    lit.secondary(gray(0.5 + 0.5 * 0.4664));
    lit.key.bump = Bump::Off;
    lit.secondary(gray(0.5 + 0.5 * 0.3487));
    lit.light().diffuse = [1.0; 3];
    lit.primary(gray(0.6));
}

#[test]
fn shadows_fall_on_what_they_are_meant_for() {
    let mut lit = oblique();
    lit.light().diffuse = [1.0; 3];
    lit.light().ambient = [0.1; 3];
    lit.texture = [51, 102, 204, 153];
    let shaded = [0.22, 0.34, 0.58, 1.0];
    for (primary, secondary) in [(false, false), (true, false), (false, true), (true, true)] {
        lit.key.shadow = Some(ShadowKey { primary, secondary, ..SHADOW });
        lit.key.lights[0].shadow = true;
        lit.primary(if primary { shaded } else { gray(0.7) });
        lit.secondary(if secondary { [0.2, 0.4, 0.8, 1.0] } else { gray(1.0) });
        lit.key.lights[0].shadow = false;
        lit.primary(gray(0.7));
        lit.secondary(gray(1.0));
    }
    lit.key.lights[0].shadow = true;
    lit.key.shadow = Some(ShadowKey { secondary: true, invert: true, ..SHADOW });
    lit.secondary([0.8, 0.6, 0.2, 1.0]);
}

#[test]
fn shadows_on_the_alphas() {
    let mut lit = oblique();
    lit.texture = [51, 102, 204, 153];
    lit.key.shadow = Some(ShadowKey { alpha: true, ..SHADOW });
    lit.line(Table::Fr, 3, TableInput::Zero, true, [0.5, 0.5]);
    lit.primary(gray(0.0));
    lit.key.fresnel_primary = true;
    lit.primary([0.0, 0.0, 0.0, 0.3]);
    lit.secondary(gray(1.0));
    lit.key.fresnel_secondary = true;
    lit.secondary([1.0, 1.0, 1.0, 0.3]);
    // Also where the table is off.
    lit.key.tables[Table::Fr as usize] = None;
    lit.primary([0.0, 0.0, 0.0, 0.6]);
}

#[test]
fn lights_add_up() {
    let mut lit = Lit::new();
    for index in [5, 2, 7] {
        lit.constants.lights[index].ambient[0] = 0.25;
        lit.constants.lights[index].specular1[1] = 0.5;
    }
    lit.constants.ambient = [0.1, 0.2, 2.0];
    lit.key.lights = [5, 2, 2, 0].map(|index| LightKey { index, ..LIGHT }).into_iter().collect();
    lit.primary([0.85, 0.2, 1.0, 1.0]);
    lit.secondary([0.0, 1.0, 0.0, 1.0]);
}
