//! Fragment lighting: the surface, the lights, the two colours.
//!
//! Values are computed when first asked for, so that only what the key and the combiners look at becomes code.

use cranelift_codegen::ir::types::F32X4;
use triglyph_guest::kernel::lighting::{Bump, LightingKey, Table, TableInput};
use triglyph_guest::num::ops::Ops;

use super::args::at;
use super::plan::Need;
use super::quad::Quad;
use crate::lane::{F32x4, Pair};

mod args;
mod light;
mod table;
mod vector;

pub use args::LightingArgs;
use light::Light;
use vector::{Vector, normalize_quaternion, rotate, rotate_x, rotate_z, scale, shortening};

/// Texture units that lighting looks at, and at what.
pub fn textures(key: &LightingKey, need: [Need; 2]) -> Vec<(u8, Need)> {
    let mut units = Vec::new();
    if !(need[0].any() || need[1].any()) {
        return units;
    }
    if let Bump::Normal { unit, .. } | Bump::Tangent { unit, .. } = key.bump {
        units.push((unit & 3, Need { color: true, alpha: false }));
    }
    if let Some(shadow) = &key.shadow {
        units.push((shadow.unit & 3, Need { color: shadow.primary || shadow.secondary, alpha: shadow.alpha }));
    }
    units
}

/// Work of a quad, in guest instructions or so.
pub fn weigh(key: &LightingKey) -> u32 {
    let tables = key.tables.iter().flatten().count() as u32;
    40 + key.lights.iter().map(|light| 30 + 10 * (tables + u32::from(light.distance))).sum::<u32>()
}

/// The unit while it is emitted.
struct Lighting<'l, 'q, 'a> {
    quad: &'l mut Quad<'q, 'a>,
    key: &'q LightingKey,
    /// What is read of the primary and of the secondary colour.
    need: [Need; 2],
    quaternion: Option<[F32x4; 4]>,
    normal: Option<Vector>,
    tangent: Option<Vector>,
    eye: Option<Vector>,
    shadow: [Option<F32x4>; 4],
}

/// Red, green, blue, and alpha when it is not 1.
#[derive(Clone, Copy, Default)]
struct Sum {
    color: [Option<F32x4>; 3],
    alpha: Option<F32x4>,
}

impl Quad<'_, '_> {
    /// The primary and the secondary colour.
    pub fn lighting(&mut self) -> [Pair; 2] {
        let need = self.plan.fragment;
        let key = self.key.lighting.as_deref().filter(|_| need[0].any() || need[1].any());
        let Some(key) = key else {
            let zero = self.e.short(0);
            return [Pair { br: zero, ag: zero }; 2];
        };
        let unit = Lighting {
            quad: self,
            key,
            need,
            quaternion: None,
            normal: None,
            tangent: None,
            eye: None,
            shadow: [None; 4],
        };
        unit.shade()
    }
}

impl Lighting<'_, '_, '_> {
    fn shade(mut self) -> [Pair; 2] {
        let mut sums = [Sum::default(); 2];
        let key = self.key;
        for (number, light) in key.lights.iter().enumerate() {
            let mut light = Light::new(number, light);
            self.add_light(&mut light, &mut sums);
            if number + 1 == key.lights.len() {
                self.fresnel(&mut light, &mut sums);
            }
        }
        self.finish(&mut sums);
        [0, 1].map(|side| self.color(&sums[side], self.need[side]))
    }

    /// Whether the Fresnel table gives the alpha of a colour that somebody reads.
    fn fresnel_applies(&self, side: usize) -> bool {
        let enabled = [self.key.fresnel_primary, self.key.fresnel_secondary][side];
        enabled && self.need[side].alpha
    }

    /// The alphas by the last light.
    fn fresnel(&mut self, light: &mut Light<'_>, sums: &mut [Sum; 2]) {
        if !(self.fresnel_applies(0) || self.fresnel_applies(1)) {
            return;
        }
        if let Some(value) = self.table(light, Table::Fr) {
            for (side, sum) in sums.iter_mut().enumerate() {
                sum.alpha = self.fresnel_applies(side).then_some(value);
            }
        }
    }

    /// What all lights have in common.
    fn finish(&mut self, sums: &mut [Sum; 2]) {
        if self.key.shadow.is_some_and(|shadow| shadow.alpha) {
            for (side, sum) in sums.iter_mut().enumerate() {
                if self.fresnel_applies(side) {
                    let shadow = self.shadow(3);
                    sum.alpha = Some(times(self.quad, shadow, sum.alpha));
                }
            }
        }
        if self.need[0].color {
            let e = &mut *self.quad.e;
            let args = e.args;
            for (channel, sum) in sums[0].color.iter_mut().enumerate() {
                let ambient = e.load_floats(args, at!(lighting.ambient) + 16 * channel as i32);
                *sum = Some(match *sum {
                    Some(sum) => e.add(sum, ambient),
                    None => ambient,
                });
            }
        }
    }

    /// trunc(clamp(v, 0, 1) * 255)
    fn color(&mut self, sum: &Sum, need: Need) -> Pair {
        let e = &mut *self.quad.e;
        let mut channel = |value: Option<F32x4>, used: bool, otherwise: i32| match value.filter(|_| used) {
            None => e.i(if used { otherwise } else { 0 }),
            Some(value) => {
                let clamped = e.clamp(value, 0.0, 1.0);
                let scale = e.f(255.0);
                let scaled = e.mul(clamped, scale);
                e.truncate_to_int(scaled)
            }
        };
        let [r, g, b] = sum.color.map(|value| channel(value, need.color, 0));
        let a = channel(sum.alpha, need.alpha, 255);
        Pair { br: e.join_ints(b, r), ag: e.join_ints(a, g) }
    }

    // The surface.

    fn quaternion(&mut self) -> [F32x4; 4] {
        if let Some(quaternion) = self.quaternion {
            return quaternion;
        }
        let varyings = self.key.quaternion_slots.map(|slot| self.quad.varying(slot));
        let quaternion = normalize_quaternion(self.quad.e, varyings);
        *self.quaternion.insert(quaternion)
    }

    fn normal(&mut self) -> Vector {
        if let Some(normal) = self.normal {
            return normal;
        }
        let bump = match self.key.bump {
            Bump::Normal { unit, recalculate_z } => Some(self.bump(unit, recalculate_z)),
            Bump::Off | Bump::Tangent { .. } => None,
        };
        let quaternion = self.quaternion();
        let normal = match bump {
            Some(bump) => rotate(self.quad.e, quaternion, bump),
            None => rotate_z(self.quad.e, quaternion),
        };
        *self.normal.insert(normal)
    }

    fn tangent(&mut self) -> Vector {
        if let Some(tangent) = self.tangent {
            return tangent;
        }
        let bump = match self.key.bump {
            Bump::Tangent { unit, recalculate_z } => Some(self.bump(unit, recalculate_z)),
            Bump::Off | Bump::Normal { .. } => None,
        };
        let quaternion = self.quaternion();
        let tangent = match bump {
            Some(bump) => rotate(self.quad.e, quaternion, bump),
            None => rotate_x(self.quad.e, quaternion),
        };
        *self.tangent.insert(tangent)
    }

    /// The vector that a texture's colour stands for: c/127.5 - 1.
    fn bump(&mut self, unit: u8, recalculate_z: bool) -> Vector {
        let texture = self.quad.unit(usize::from(unit & 3));
        let e = &mut *self.quad.e;
        let channels = [e.odd_ints(texture.br), e.odd_ints(texture.ag), e.even_ints(texture.br)];
        let [x, y, z] = channels.map(|c| {
            let value = e.to_float(c);
            let middle = e.f(127.5);
            let quotient = e.div(value, middle);
            let one = e.f(1.0);
            e.sub(quotient, one)
        });
        if !recalculate_z {
            return [x, y, z];
        }
        let (one, zero) = (e.f(1.0), e.f(0.0));
        let (xx, yy) = (e.mul(x, x), e.mul(y, y));
        let rest = e.sub(one, xx);
        let rest = e.sub(rest, yy);
        let rest = e.max(rest, zero);
        [x, y, e.sqrt(rest)]
    }

    /// From the surface to the eye, as interpolated.
    fn view(&mut self) -> Vector {
        self.key.view_slots.map(|slot| self.quad.varying(slot))
    }

    /// The same, of length 1.
    fn eye(&mut self) -> Vector {
        if let Some(eye) = self.eye {
            return eye;
        }
        let view = self.view();
        let e = &mut *self.quad.e;
        let length2 = vector::dot(e, view, view);
        let factor = shortening(e, length2);
        let eye = scale(e, view, factor);
        *self.eye.insert(eye)
    }

    /// How much light comes through, a channel of the shadow texture.
    fn shadow(&mut self, channel: usize) -> F32x4 {
        if let Some(value) = self.shadow[channel] {
            return value;
        }
        let Some(shadow) = self.key.shadow else { return self.quad.e.f(1.0) };
        let texture = self.quad.unit(usize::from(shadow.unit & 3));
        let e = &mut *self.quad.e;
        let value = match channel {
            0 => e.odd_ints(texture.br),
            1 => e.odd_ints(texture.ag),
            2 => e.even_ints(texture.br),
            _ => e.even_ints(texture.ag),
        };
        let value = e.to_float(value);
        let max = e.f(255.0);
        let mut value = e.div(value, max);
        if shadow.invert {
            let one = e.f(1.0);
            value = e.sub(one, value);
        }
        *self.shadow[channel].insert(value)
    }

    /// What a table is a function of.
    fn input(&mut self, light: &mut Light<'_>, input: TableInput) -> F32x4 {
        let (a, b) = match input {
            TableInput::NormalHalf => (self.normal(), self.half(light)),
            TableInput::ViewHalf => (self.eye(), self.half(light)),
            TableInput::NormalView => (self.normal(), self.eye()),
            TableInput::LightNormal => return self.light_normal(light),
            TableInput::LightSpot => (self.toward(light), light.vector(self.quad.e, light::SPOT)),
            TableInput::CosPhi => {
                // The part of the half vector in the surface's plane.
                let (normal, half) = (self.normal(), self.half(light));
                let e = &mut *self.quad.e;
                let height = vector::dot(e, normal, half);
                let height = scale(e, normal, height);
                let flat = [0, 1, 2].map(|k| e.sub(half[k], height[k]));
                (flat, self.tangent())
            }
            TableInput::Zero => return self.quad.e.f(0.0),
        };
        vector::dot(self.quad.e, a, b)
    }
}

/// a * b where there is a b.
fn times(quad: &mut Quad<'_, '_>, a: F32x4, b: Option<F32x4>) -> F32x4 {
    match b {
        Some(b) => quad.e.mul(a, b),
        None => a,
    }
}

/// 1 in the lanes that `zero` does not name, 0 in those that it does.
fn one_unless(quad: &mut Quad<'_, '_>, zero: crate::lane::Mask, value: F32x4) -> F32x4 {
    use cranelift_codegen::ir::InstBuilder;
    let mask = quad.e.cast(zero.0, F32X4);
    F32x4(quad.e.b.ins().band_not(value.0, mask))
}
