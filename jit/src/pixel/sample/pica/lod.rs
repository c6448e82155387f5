//! Level of detail by analytic derivatives.

use std::mem::offset_of;

use cranelift_codegen::ir::Value;
use triglyph_guest::kernel::pixel::{Primitive, TextureKind};
use triglyph_guest::num::ops::{Ops, log2};

use crate::lane::{Emit, F32x4};
use crate::pixel::args::pica::scratch_at;
use crate::pixel::interpolate::pica::weighted_sum;
use crate::pixel::plan::pica::Plan;
use crate::pixel::quad::pica::Quad;
use crate::pixel::sample::pica::{Coordinates, unit_at};
use crate::pixel::setup::pica::planes::{Attribute, Planes};

/// Derivatives of 1/w and of the varyings along both axes, the same in the whole primitive.
pub fn set_up(e: &mut Emit<'_>, plan: &Plan, corners: Planes, primitive: Value) {
    let args = e.args;
    for (axis, field) in [offset_of!(Primitive, dx), offset_of!(Primitive, dy)].into_iter().enumerate() {
        let steps = [0, 1, 2].map(|k| {
            let step = e.load_splat_i32(primitive, (field + 4 * k) as i32);
            e.to_float(step)
        });
        let mut planes = vec![(Attribute::InvW, plan.derivative_plane(None))];
        let varyings = plan.derivatives.iter();
        planes.extend(varyings.map(|&v| (Attribute::Varying(v), plan.derivative_plane(Some(v)))));
        for (from, to) in planes {
            let values = corners.load(e, plan, from);
            let derivative = weighted_sum(e, steps, values);
            e.store(derivative.0, args, scratch_at!(planes) + 16 * (to + axis) as i32);
        }
    }
}

impl Quad<'_, '_> {
    /// `clamp(log2(rho) + bias, min, max)`
    pub fn lod(&mut self, unit: usize, coordinates: &Coordinates) -> F32x4 {
        let args = self.e.args;
        // NaN never wins.
        let mut rho = self.e.f(0.0);
        for axis in 0..2 {
            let derivatives = self.coordinate_derivatives(unit, coordinates, axis);
            for (side, derivative) in derivatives.into_iter().enumerate() {
                let magnitude = self.e.abs(derivative);
                let size = self.e.load_floats(args, unit_at!(unit, size) + 16 * side as i32);
                let scaled = self.e.mul(magnitude, size);
                rho = self.e.max(scaled, rho);
            }
        }
        let lod = log2(self.e, rho);
        let bias = self.e.load_floats(args, unit_at!(unit, lod_bias));
        let lod = self.e.add(lod, bias);
        let min = self.e.load_floats(args, unit_at!(unit, lod_min));
        let lod = self.e.max(lod, min);
        let max = self.e.load_floats(args, unit_at!(unit, lod_max));
        self.e.min(lod, max)
    }

    /// d(u) and d(v) of the sampled picture along an axis of the screen.
    fn coordinate_derivatives(&mut self, unit: usize, coordinates: &Coordinates, axis: usize) -> [F32x4; 2] {
        let key = self.key.textures[unit];
        let [u, v, w] = key.coordinates;
        let [du, dv] = [u, v].map(|slot| self.derivative(slot, axis));
        match key.kind {
            TextureKind::Projected => {
                let dw = self.derivative(w, axis);
                let w = self.varying(w);
                let mut side = 0;
                [du, dv].map(|d| {
                    let product = self.e.mul(coordinates.uv[side], dw);
                    let difference = self.e.sub(d, product);
                    side += 1;
                    self.e.div(difference, w)
                })
            }
            TextureKind::Cube => {
                let dw = self.derivative(w, axis);
                let Some(cube) = coordinates.cube else { return [du, dv] };
                let direction = key.coordinates.map(|slot| self.varying(slot));
                let e = &mut *self.e;
                let [ds, dt, dm] = cube.turn(e, [du, dv, dw]);
                let [_, _, m] = cube.turn(e, direction);
                let double = e.add(m, m);
                let mut side = 0;
                [ds, dt].map(|d| {
                    let half = e.f(0.5);
                    let centered = e.sub(coordinates.uv[side], half);
                    let centered = e.add(centered, centered);
                    let product = e.mul(centered, dm);
                    let difference = e.sub(d, product);
                    side += 1;
                    e.div(difference, double)
                })
            }
            _ => [du, dv],
        }
    }

    /// (d(n) - n * d(q)) * W of a varying.
    pub fn derivative(&mut self, slot: u8, axis: usize) -> F32x4 {
        let Some(packed) = self.key.varying(slot) else { return self.e.f(0.0) };
        let args = self.e.args;
        let plane = |index: usize| scratch_at!(planes) + 16 * (index + axis) as i32;
        let value = self.varying(slot);
        let w = self.w();
        let q = self.e.load_floats(args, plane(self.plan.derivative_plane(None)));
        let product = self.e.mul(value, q);
        let own = self.e.load_floats(args, plane(self.plan.derivative_plane(Some(packed))));
        let difference = self.e.sub(own, product);
        self.e.mul(difference, w)
    }
}
