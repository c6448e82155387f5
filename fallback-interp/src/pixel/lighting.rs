//! Fragment lighting (3dbrew: GPU/Fragment Lighting).

use triglyph_guest::kernel::lighting::{
    Bump, DISTANCE, LightConstants, LightKey, LightTables, LightingConstants, LightingKey, Table, TableInput,
};

use super::interpolate::Point;
use super::vector::{self, Vector, add, dot, length2, normalize, rotate, scale};
use super::{Color, clamp, max, min};

/// The unit as one pixel sees it.
pub(super) struct Lighting<'a> {
    /// How it is set up.
    pub(super) key: &'a LightingKey,
    /// Colours and positions.
    pub(super) constants: &'a LightingConstants,
    /// All tables.
    pub(super) tables: &'a LightTables,
}

/// The surface at a pixel.
struct Surface {
    normal: Vector,
    tangent: Vector,
    /// From the surface to the eye, as interpolated.
    view: Vector,
    /// The same, of length 1.
    eye: Vector,
    /// How much light comes through, r, g, b, a.
    shadow: [f32; 4],
}

/// A light as a surface sees it.
struct Light<'a> {
    key: &'a LightKey,
    constants: &'a LightConstants,
    /// Towards the light, of length 1.
    toward: Vector,
    /// Distance of the light.
    distance: f32,
    /// Between eye and light, of length 1.
    half: Vector,
    /// The square length that it had.
    half_length2: f32,
    /// Cosine of the angle between light and normal, not negative.
    cosine: f32,
}

/// The two colours, r, g, b, a.
struct Sums {
    primary: [f32; 4],
    secondary: [f32; 4],
}

impl Lighting<'_> {
    /// Primary and secondary colour at a pixel where the texture units gave `textures`.
    pub(super) fn shade(&self, point: &Point<'_>, textures: &[Color; 4]) -> [Color; 2] {
        let surface = self.surface(point, textures);
        let mut sums = Sums { primary: [0.0, 0.0, 0.0, 1.0], secondary: [0.0, 0.0, 0.0, 1.0] };
        for key in &*self.key.lights {
            let light = Light::new(key, &self.constants.lights[usize::from(key.index & 7)], &surface);
            self.add_light(&mut sums, &surface, &light);
        }
        self.finish(&mut sums, &surface);
        [sums.primary, sums.secondary].map(|sum| sum.map(|channel| (clamp(channel, 0.0, 1.0) * 255.0) as u8))
    }

    fn surface(&self, point: &Point<'_>, textures: &[Color; 4]) -> Surface {
        let quaternion = vector::normalize_quaternion(self.key.quaternion_slots.map(|slot| point.varying(slot)));
        let view = self.key.view_slots.map(|slot| point.varying(slot));
        let (normal, tangent) = self.bump(textures);
        Surface {
            normal: rotate(quaternion, normal),
            tangent: rotate(quaternion, tangent),
            view,
            eye: normalize(view),
            shadow: self.shadow(textures),
        }
    }

    /// Normal and tangent in the surface's own frame.
    fn bump(&self, textures: &[Color; 4]) -> (Vector, Vector) {
        const NORMAL: Vector = [0.0, 0.0, 1.0];
        const TANGENT: Vector = [1.0, 0.0, 0.0];
        match self.key.bump {
            Bump::Off => (NORMAL, TANGENT),
            Bump::Normal { unit, recalculate_z } => (perturbation(textures, unit, recalculate_z), TANGENT),
            Bump::Tangent { unit, recalculate_z } => (NORMAL, perturbation(textures, unit, recalculate_z)),
        }
    }

    fn shadow(&self, textures: &[Color; 4]) -> [f32; 4] {
        let Some(shadow) = &self.key.shadow else { return [1.0; 4] };
        textures[usize::from(shadow.unit & 3)].map(|channel| {
            let value = f32::from(channel) / 255.0;
            if shadow.invert { 1.0 - value } else { value }
        })
    }

    fn add_light(&self, sums: &mut Sums, surface: &Surface, light: &Light<'_>) {
        let attenuation = self.distance_attenuation(light);
        let table = |role| self.table(role, surface, light);
        let spot = if light.key.spot { table(Table::Sp).unwrap_or(1.0) } else { 1.0 };
        // Of all lights the last decides (hardware test): it overwrites the others' values.
        if let Some(fresnel) = table(Table::Fr) {
            self.each_fresnel(sums, |alpha| *alpha = fresnel);
        }

        let highlight = if self.key.clamp_highlights && light.cosine == 0.0 { 0.0 } else { 1.0 };
        let shadow = self.key.shadow.filter(|_| light.key.shadow);
        let (on_primary, on_secondary) = shadow.map_or((false, false), |s| (s.primary, s.secondary));
        let constants = light.constants;
        for (channel, specular) in self.specular(surface, light).into_iter().enumerate() {
            let shade = |applies: bool| if applies { surface.shadow[channel] } else { 1.0 };
            let diffuse = constants.diffuse[channel] * light.cosine * shade(on_primary);
            sums.primary[channel] += (diffuse + constants.ambient[channel]) * attenuation * spot;
            sums.secondary[channel] += specular * highlight * attenuation * spot * shade(on_secondary);
        }
    }

    /// The sum of both specular terms.
    fn specular(&self, surface: &Surface, light: &Light<'_>) -> Vector {
        let table = |role| self.table(role, surface, light);
        let (d0, d1) = (table(Table::D0).unwrap_or(1.0), table(Table::D1).unwrap_or(1.0));
        let red = table(Table::Rr).unwrap_or(1.0);
        let reflection = [red, table(Table::Rg).unwrap_or(red), table(Table::Rb).unwrap_or(red)];
        let geometric = |applies: bool| if applies { light.geometric_factor() } else { 1.0 };
        let (geometric0, geometric1) = (geometric(light.key.geometric0), geometric(light.key.geometric1));
        std::array::from_fn(|channel| {
            let first = light.constants.specular0[channel] * d0 * geometric0;
            let second = light.constants.specular1[channel] * reflection[channel] * d1 * geometric1;
            first + second
        })
    }

    /// The inputs that all lights have in common.
    fn finish(&self, sums: &mut Sums, surface: &Surface) {
        if self.key.shadow.is_some_and(|shadow| shadow.alpha) {
            self.each_fresnel(sums, |alpha| *alpha *= surface.shadow[3]);
        }
        for (sum, ambient) in sums.primary.iter_mut().zip(self.constants.ambient) {
            *sum += ambient;
        }
    }

    /// Changes the alphas that belong to the Fresnel table.
    fn each_fresnel(&self, sums: &mut Sums, change: impl Fn(&mut f32)) {
        if self.key.fresnel_primary {
            change(&mut sums.primary[3]);
        }
        if self.key.fresnel_secondary {
            change(&mut sums.secondary[3]);
        }
    }

    /// The value of a table for a light, `None` when the table is not in use.
    fn table(&self, role: Table, surface: &Surface, light: &Light<'_>) -> Option<f32> {
        let key = self.key.tables[role as usize]?;
        let input = light.input(key.input, surface);
        let entries = &self.tables[role.number(light.key.index & 7)];
        let value = match key.absolute {
            true if light.key.two_sided => absolute(entries, input.abs()),
            true => absolute(entries, max(input, 0.0)),
            false => signed(entries, input),
        };
        Some(value * power_of_two(key.scale))
    }

    fn distance_attenuation(&self, light: &Light<'_>) -> f32 {
        if !light.key.distance {
            return 1.0;
        }
        let input = light.constants.distance_scale * light.distance + light.constants.distance_bias;
        absolute(&self.tables[DISTANCE + usize::from(light.key.index & 7)], clamp(input, 0.0, 1.0))
    }
}

impl<'a> Light<'a> {
    fn new(key: &'a LightKey, constants: &'a LightConstants, surface: &Surface) -> Self {
        let toward = match key.directional {
            true => constants.position,
            false => add(constants.position, surface.view),
        };
        let distance = length2(toward).sqrt();
        let toward = normalize(toward);
        let half = add(surface.eye, toward);
        let cosine = dot(toward, surface.normal);
        let cosine = if key.two_sided { cosine.abs() } else { max(cosine, 0.0) };
        Light { key, constants, toward, distance, half: normalize(half), half_length2: length2(half), cosine }
    }

    /// Weakens highlights at flat angles (hardware test, within 0.01).
    fn geometric_factor(&self) -> f32 {
        if self.half_length2 == 0.0 { 0.0 } else { min(self.cosine / self.half_length2, 1.0) }
    }

    /// The argument of a table.
    fn input(&self, input: TableInput, surface: &Surface) -> f32 {
        match input {
            TableInput::NormalHalf => dot(surface.normal, self.half),
            TableInput::ViewHalf => dot(surface.eye, self.half),
            TableInput::NormalView => dot(surface.normal, surface.eye),
            TableInput::LightNormal => dot(self.toward, surface.normal),
            TableInput::LightSpot => dot(self.toward, self.constants.spot),
            TableInput::CosPhi => {
                // The part of the half vector in the surface's plane, of whatever length (hardware test).
                let height = scale(surface.normal, dot(surface.normal, self.half));
                let projection = std::array::from_fn(|k| self.half[k] - height[k]);
                dot(projection, surface.tangent)
            }
            TableInput::Zero => 0.0,
        }
    }
}

/// Whether the lighting reads a texture unit.
pub(super) fn uses(key: &LightingKey, unit: u8) -> bool {
    let bump = match key.bump {
        Bump::Off => None,
        Bump::Normal { unit, .. } | Bump::Tangent { unit, .. } => Some(unit & 3),
    };
    bump == Some(unit) || key.shadow.is_some_and(|shadow| shadow.unit & 3 == unit)
}

/// The vector that a texture's colour encodes.
fn perturbation(textures: &[Color; 4], unit: u8, recalculate_z: bool) -> Vector {
    let [r, g, b, _] = textures[usize::from(unit & 3)].map(|channel| f32::from(channel) / 127.5 - 1.0);
    let z = if recalculate_z { max((1.0 - r * r) - g * g, 0.0).sqrt() } else { b };
    [r, g, z]
}

fn power_of_two(exponent: i8) -> f32 {
    f32::from_bits(((127 + i32::from(exponent)) as u32) << 23)
}

/// A table as a function of 0 to 1.
fn absolute(entries: &[[f32; 2]; 256], input: f32) -> f32 {
    looked_up(entries, input * 256.0, 0.0, 255.0)
}

/// A table as a function of -1 to 1: the entries of negative numbers are the last 128.
fn signed(entries: &[[f32; 2]; 256], input: f32) -> f32 {
    looked_up(entries, input * 128.0, -128.0, 127.0)
}

/// The value at `at`, counted in entries; beyond `low` and `high` their lines go on.
fn looked_up(entries: &[[f32; 2]; 256], at: f32, low: f32, high: f32) -> f32 {
    let at = if at.is_nan() { 0.0 } else { at };
    let index = clamp(at.floor(), low, high);
    let [value, difference] = entries[(index as i32 & 255) as usize];
    value + difference * (at - index)
}
