//! Fragment lighting: the surface, the lights, the two colours.
//!
//! Values are computed on first use, so that only those that the key and the combiners need are emitted.

use cranelift_codegen::ir::types::F32X4;
use triglyph_guest::kernel::lighting::{LightingKey, Table, TableInput};
use triglyph_guest::num::ops::Ops;

use crate::lane::{F32x4, Pair};
use crate::pixel::args::pica::at;
use crate::pixel::plan::used_channels::UsedChannels;
use crate::pixel::quad::pica::Quad;

pub mod args;
mod light;
pub mod plan;
mod surface;
mod table;
mod vector;

use light::Light;
use vector::{Vector, scale};

/// The unit while it is emitted.
struct Lighting<'l, 'q, 'a> {
    quad: &'l mut Quad<'q, 'a>,
    key: &'q LightingKey,
    /// Channels that are read of the primary and of the secondary colour.
    need: [UsedChannels; 2],
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
    /// Primary and secondary colour, those that are read.
    pub fn fragment_colors(&mut self) -> [Option<Pair>; 2] {
        if let Some(colors) = self.known.fragment {
            return colors;
        }
        let Some(key) = self.key.lighting.as_deref() else { return [None; 2] };
        let need = self.plan.fragment;
        let (quaternion, normal, tangent, eye) = (None, None, None, None);
        let unit = Lighting { quad: self, key, need, quaternion, normal, tangent, eye, shadow: [None; 4] };
        let colors = unit.colors();
        *self.known.fragment.insert(colors)
    }
}

impl Lighting<'_, '_, '_> {
    /// The colours that are read.
    fn colors(mut self) -> [Option<Pair>; 2] {
        let mut sums = [Sum::default(); 2];
        for (number, key) in self.key.lights.iter().enumerate() {
            let mut light = Light::new(number, key);
            self.add_light(&mut light, &mut sums);
            if number + 1 == self.key.lights.len() {
                self.fresnel(&mut light, &mut sums);
            }
        }
        self.finish(&mut sums);
        [0, 1].map(|side| self.need[side].any().then(|| self.color(&sums[side], self.need[side])))
    }

    /// Whether the Fresnel table gives the alpha of a colour, and that alpha is read.
    fn fresnel_applies(&self, side: usize) -> bool {
        let enabled = [self.key.fresnel_primary, self.key.fresnel_secondary][side];
        enabled && self.need[side].alpha
    }

    /// The alphas, from the last light.
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

    /// Adds the ambient terms, and stores the colours.
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
    fn color(&mut self, sum: &Sum, need: UsedChannels) -> Pair {
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

    /// The transmitted light, a channel of the shadow texture.
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

    /// The input of a table.
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

impl Sum {
    /// Adds a light's part of a channel after those of the lights before it.
    fn add(&mut self, quad: &mut Quad<'_, '_>, channel: usize, value: F32x4) {
        let sum = &mut self.color[channel];
        *sum = Some(match *sum {
            Some(before) => quad.e.add(before, value),
            None => value,
        });
    }
}

/// `a * b`, or `a` if `b` is `None`.
fn times(quad: &mut Quad<'_, '_>, a: F32x4, b: Option<F32x4>) -> F32x4 {
    match b {
        Some(b) => quad.e.mul(a, b),
        None => a,
    }
}

/// `value` in the lanes outside of `zero`, 0 in the others.
fn one_unless(quad: &mut Quad<'_, '_>, zero: crate::lane::Mask, value: F32x4) -> F32x4 {
    use cranelift_codegen::ir::InstBuilder;
    let mask = quad.e.cast(zero.0, F32X4);
    F32x4(quad.e.b.ins().band_not(value.0, mask))
}
