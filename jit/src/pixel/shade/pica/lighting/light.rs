//! One light: its geometry relative to the surface, and its contribution.

use std::mem::offset_of;

use cranelift_codegen::ir::Value;
use triglyph_guest::kernel::lighting::{LightKey, Table, TableInput};
use triglyph_guest::num::ops::Ops;

use super::args::{LightArgs, light_at};
use super::vector::{self, Vector, scale, shortening, shortening_by};
use super::{Lighting, Sum, one_unless, times};
use crate::lane::{Emit, F32x4};
use crate::pixel::args::pica::at;

/// Fields of a light's arguments.
const SPECULAR0: usize = offset_of!(LightArgs, specular0);
const SPECULAR1: usize = offset_of!(LightArgs, specular1);
const DIFFUSE: usize = offset_of!(LightArgs, diffuse);
const AMBIENT: usize = offset_of!(LightArgs, ambient);
const POSITION: usize = offset_of!(LightArgs, position);
pub(super) const SPOT: usize = offset_of!(LightArgs, spot);
const DISTANCE_SCALE: usize = offset_of!(LightArgs, distance_scale);
const DISTANCE_BIAS: usize = offset_of!(LightArgs, distance_bias);
const DISTANCE: usize = offset_of!(LightArgs, distance);

/// An index into any table: the address of the entry in the first table, and the fraction to the next entry.
#[derive(Clone, Copy)]
pub(super) struct TableIndex {
    pub entries: [Value; 4],
    pub fraction: F32x4,
}

/// A light while it is emitted.
pub(super) struct Light<'k> {
    /// Its index in the arguments.
    number: usize,
    pub(super) key: &'k LightKey,
    /// Towards the light, of length 1.
    toward: Option<Vector>,
    /// The light's distance.
    distance: Option<F32x4>,
    /// Between eye and light, with the square of the length.
    half: Option<(Vector, F32x4)>,
    /// The same, of length 1.
    half_unit: Option<Vector>,
    light_normal: Option<F32x4>,
    cosine: Option<F32x4>,
    geometric: Option<F32x4>,
    /// Table indices that have been computed, by input and whether the input is absolute.
    pub(super) table_indices: Vec<(TableInput, bool, TableIndex)>,
}

impl<'k> Light<'k> {
    pub(super) fn new(number: usize, key: &'k LightKey) -> Self {
        Light {
            number,
            key,
            toward: None,
            distance: None,
            half: None,
            half_unit: None,
            light_normal: None,
            cosine: None,
            geometric: None,
            table_indices: Vec::new(),
        }
    }

    /// A value of the light.
    fn value(&self, e: &mut Emit<'_>, field: usize) -> F32x4 {
        let args = e.args;
        e.load_floats(args, at!(lighting) + light_at(self.number, field))
    }

    /// Three values of the light.
    pub(super) fn vector(&self, e: &mut Emit<'_>, field: usize) -> Vector {
        [0, 16, 32].map(|k| self.value(e, field + k))
    }
}

impl Lighting<'_, '_, '_> {
    /// Adds a light to both colours.
    pub(super) fn add_light(&mut self, light: &mut Light<'_>, sums: &mut [Sum; 2]) {
        let [primary, secondary] = [self.need[0].color, self.need[1].color];
        if !(primary || secondary) {
            return;
        }
        let distance = light.key.distance.then(|| self.distance_attenuation(light));
        let spot = if light.key.spot { self.table(light, Table::Sp) } else { None };
        let shadow = self.key.shadow.filter(|_| light.key.shadow);
        if primary {
            let shadowed = shadow.is_some_and(|shadow| shadow.primary);
            for channel in 0..3 {
                let value = self.diffuse(light, channel, shadowed);
                let value = times(self.quad, value, distance);
                let value = times(self.quad, value, spot);
                sums[0].add(self.quad, channel, value);
            }
        }
        if secondary {
            let shadowed = shadow.is_some_and(|shadow| shadow.secondary);
            let specular = self.specular(light);
            let factor = self.highlight(light, distance);
            for (channel, value) in specular.into_iter().enumerate() {
                let value = times(self.quad, value, factor);
                let value = times(self.quad, value, spot);
                let shadow = shadowed.then(|| self.shadow(channel));
                let value = times(self.quad, value, shadow);
                sums[1].add(self.quad, channel, value);
            }
        }
    }

    /// (diffuse*cosine)*ps + ambient
    fn diffuse(&mut self, light: &mut Light<'_>, channel: usize, shadowed: bool) -> F32x4 {
        let cosine = self.cosine(light);
        let diffuse = light.value(self.quad.e, DIFFUSE + 16 * channel);
        let lit = self.quad.e.mul(cosine, diffuse);
        let shadow = shadowed.then(|| self.shadow(channel));
        let lit = times(self.quad, lit, shadow);
        let ambient = light.value(self.quad.e, AMBIENT + 16 * channel);
        self.quad.e.add(lit, ambient)
    }

    /// The sum of both specular terms.
    fn specular(&mut self, light: &mut Light<'_>) -> Vector {
        let [d0, d1] = [Table::D0, Table::D1].map(|role| self.table(light, role));
        let red = self.table(light, Table::Rr);
        let [green, blue] = [Table::Rg, Table::Rb].map(|role| self.table(light, role).or(red));
        let reflection = [red, green, blue];
        let [g0, g1] =
            [light.key.geometric0, light.key.geometric1].map(|applies| applies.then(|| self.geometric(light)));
        [0, 1, 2].map(|channel| {
            // Values from memory are the last operands: hosts fold these loads.
            let second = self.specular_term(light, SPECULAR1 + 16 * channel, [reflection[channel], d1, g1]);
            let first = self.specular_term(light, SPECULAR0 + 16 * channel, [d0, g0, None]);
            self.quad.e.add(second, first)
        })
    }

    /// A value of the light times the present factors, from left to right.
    fn specular_term(&mut self, light: &Light<'_>, field: usize, factors: [Option<F32x4>; 3]) -> F32x4 {
        let value = light.value(self.quad.e, field);
        let mut term = None;
        for factor in factors.into_iter().flatten() {
            term = Some(match term {
                None => self.quad.e.mul(factor, value),
                Some(term) => self.quad.e.mul(term, factor),
            });
        }
        term.unwrap_or(value)
    }

    /// hl * da: the first factor is 0 or 1 and the second finite, so they may be multiplied first.
    fn highlight(&mut self, light: &mut Light<'_>, distance: Option<F32x4>) -> Option<F32x4> {
        if !self.key.clamp_highlights {
            return distance;
        }
        let cosine = self.cosine(light);
        let (zero, one) = (self.quad.e.f(0.0), self.quad.e.f(1.0));
        let dark = self.quad.e.feq(cosine, zero);
        Some(one_unless(self.quad, dark, distance.unwrap_or(one)))
    }

    fn distance_attenuation(&mut self, light: &mut Light<'_>) -> F32x4 {
        let distance = self.distance(light);
        let e = &mut *self.quad.e;
        let scale = light.value(e, DISTANCE_SCALE);
        let scaled = e.mul(scale, distance);
        let bias = light.value(e, DISTANCE_BIAS);
        let position = e.add(scaled, bias);
        self.distance_table(light, position)
    }

    // The light's geometry.

    pub(super) fn toward(&mut self, light: &mut Light<'_>) -> Vector {
        if let Some(toward) = light.toward {
            return toward;
        }
        let position = light.vector(self.quad.e, POSITION);
        if light.key.directional {
            return *light.toward.insert(position);
        }
        let view = self.view();
        let e = &mut *self.quad.e;
        let toward = vector::add(e, view, position);
        let length2 = vector::dot(e, toward, toward);
        let length = e.sqrt(length2);
        let factor = shortening_by(e, length2, length);
        light.distance = Some(length);
        *light.toward.insert(scale(e, toward, factor))
    }

    fn distance(&mut self, light: &mut Light<'_>) -> F32x4 {
        if light.key.directional {
            return light.value(self.quad.e, DISTANCE);
        }
        self.toward(light);
        light.distance.unwrap_or_else(|| self.quad.e.f(0.0))
    }

    fn half_and_length2(&mut self, light: &mut Light<'_>) -> (Vector, F32x4) {
        if let Some(known) = light.half {
            return known;
        }
        let (eye, toward) = (self.eye(), self.toward(light));
        let e = &mut *self.quad.e;
        let half = vector::add(e, eye, toward);
        let length2 = vector::dot(e, half, half);
        *light.half.insert((half, length2))
    }

    /// Between eye and light, of length 1.
    pub(super) fn half(&mut self, light: &mut Light<'_>) -> Vector {
        if let Some(half) = light.half_unit {
            return half;
        }
        let (half, length2) = self.half_and_length2(light);
        let factor = shortening(self.quad.e, length2);
        let half = scale(self.quad.e, half, factor);
        *light.half_unit.insert(half)
    }

    /// dot(L, N)
    pub(super) fn light_normal(&mut self, light: &mut Light<'_>) -> F32x4 {
        if let Some(value) = light.light_normal {
            return value;
        }
        let (toward, normal) = (self.toward(light), self.normal());
        let value = vector::dot(self.quad.e, toward, normal);
        *light.light_normal.insert(value)
    }

    /// The cosine of the angle of incidence, not negative.
    pub(super) fn cosine(&mut self, light: &mut Light<'_>) -> F32x4 {
        if let Some(cosine) = light.cosine {
            return cosine;
        }
        let value = self.light_normal(light);
        let e = &mut *self.quad.e;
        let cosine = if light.key.two_sided {
            e.abs(value)
        } else {
            let zero = e.f(0.0);
            e.max(value, zero)
        };
        *light.cosine.insert(cosine)
    }

    /// length2(H) == 0 ? 0 : min(cosine / length2(H), 1)
    fn geometric(&mut self, light: &mut Light<'_>) -> F32x4 {
        if let Some(value) = light.geometric {
            return value;
        }
        let cosine = self.cosine(light);
        let (_, length2) = self.half_and_length2(light);
        let e = &mut *self.quad.e;
        let quotient = e.div(cosine, length2);
        let (zero, one) = (e.f(0.0), e.f(1.0));
        let factor = e.min(quotient, one);
        let none = e.feq(length2, zero);
        let value = one_unless(self.quad, none, factor);
        *light.geometric.insert(value)
    }
}
