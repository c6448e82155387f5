//! Fragment lighting: the surface, the lights, the two colours.
//!
//! Values are computed on first use, so that only those that the key and the combiners need are emitted. The surface is
//! a phase of its own and so is each light: one long chain of dependent operations would stall hosts.

use cranelift_codegen::ir::Value;
use cranelift_codegen::ir::types::F32X4;
use triglyph_guest::kernel::lighting::{LightingKey, Table, TableInput};
use triglyph_guest::num::ops::Ops;

use super::args::at;
use super::need::Need;
use super::quad::Quad;
use super::record::saved;
use crate::lane::{F32x4, Pair};

pub mod args;
mod light;
pub mod plan;
mod surface;
mod table;
mod vector;

use light::Light;
use plan::Phase;
use vector::{Vector, scale};

/// The unit while it is emitted.
struct Lighting<'l, 'q, 'a> {
    quad: &'l mut Quad<'q, 'a>,
    key: &'q LightingKey,
    /// Channels that are read of the primary and of the secondary colour.
    need: [Need; 2],
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
    /// A phase of fragment lighting; the last one leaves the two colours in the record.
    pub fn lighting_phase(mut self, phase: Phase) {
        if let (Some(key), Some(record)) = (self.key.lighting.as_deref(), self.known.record()) {
            let need = self.plan.fragment;
            let unit =
                Lighting { quad: &mut self, key, need, normal: None, tangent: None, eye: None, shadow: [None; 4] };
            match phase {
                Phase::Surface => unit.surface(record),
                Phase::Light(number) => unit.shade(Some(number), record),
                Phase::Ambient => unit.shade(None, record),
            }
        }
        self.alive();
    }
}

impl Lighting<'_, '_, '_> {
    /// Adds a light. The last one, or none, goes on to the colours.
    fn shade(mut self, number: Option<usize>, record: Value) {
        let key = self.key;
        let mut sums = [Sum::default(); 2];
        if let Some(number) = number {
            let mut light = Light::new(number, &key.lights[number]);
            self.add_light(&mut light, &mut sums);
            self.add_earlier(number, &mut sums, record);
            if number + 1 < key.lights.len() {
                return self.keep(&sums, record);
            }
            self.fresnel(&mut light, &mut sums);
        }
        self.finish(&mut sums);
        for (side, (sum, need)) in sums.iter().zip(self.need).enumerate().filter(|(_, (_, need))| need.any()) {
            let pair = self.color(sum, need);
            self.quad.store_pair(pair, record, saved!(fragment) + 32 * side as i32);
        }
    }

    /// Adds what the lights before light `number` have given, which comes first.
    fn add_earlier(&mut self, number: usize, sums: &mut [Sum; 2], record: Value) {
        if number == 0 {
            return;
        }
        for (side, sum) in sums.iter_mut().enumerate() {
            for (channel, value) in sum.color.iter_mut().enumerate() {
                let e = &mut *self.quad.e;
                *value = value.map(|value| {
                    let before = e.load_floats(record, sum_at(side, channel));
                    e.add(before, value)
                });
            }
        }
    }

    /// Stores the sums for the next light.
    fn keep(&mut self, sums: &[Sum; 2], record: Value) {
        for (side, sum) in sums.iter().enumerate() {
            for (channel, value) in sum.color.iter().enumerate() {
                if let Some(value) = value {
                    self.quad.e.store(value.0, record, sum_at(side, channel));
                }
            }
        }
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

/// Offset in a record of the sum of a channel of the primary (0) or secondary colour.
fn sum_at(side: usize, channel: usize) -> i32 {
    saved!(light) + 16 * (3 * side + channel) as i32
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
