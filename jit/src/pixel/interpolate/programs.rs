//! Planes, perspective, and fixed-function inputs.

use std::mem::offset_of;

use cranelift_codegen::ir::InstBuilder;
use triglyph_guest::kernel::program::fragment::{FogMode, FragmentInput, Interpolation};
use triglyph_guest::num::mufu::MufuOps;
use triglyph_guest::num::ops::{self, Ops};

use crate::lane::{F32x4, I32x4};
use crate::pixel::args::programs::{BlockArgs, at, scratch_at};
use crate::pixel::plan::programs::PlaneOf;
use crate::pixel::quad::programs::Quad;

impl Quad<'_, '_> {
    /// Columns or rows of the four pixels, as integers.
    fn pixel(&mut self, axis: usize) -> I32x4 {
        let field = [offset_of!(BlockArgs, x), offset_of!(BlockArgs, y)][axis];
        let corner = self.e.load_splat_i32(self.block.address, field as i32);
        let inside = self.place.inside[axis];
        self.e.iadd(corner, inside)
    }

    /// The pixels' distance from the primitive's origin.
    fn distance(&mut self, axis: usize) -> F32x4 {
        if let Some(distance) = self.known.distances[axis] {
            return distance;
        }
        let distance = self.e.iadd(self.block.distance[axis], self.place.inside[axis]);
        let distance = self.e.to_float(distance);
        self.known.distances[axis] = Some(distance);
        distance
    }

    /// The value of a plane.
    pub fn plane(&mut self, of: PlaneOf) -> F32x4 {
        if let Some(&value) = self.known.planes.get(&of) {
            return value;
        }
        let distance = [self.distance(0), self.distance(1)];
        let value = self.plane_at(of, distance);
        self.known.planes.insert(of, value);
        value
    }

    /// The value of a plane at an offset from the pixels' centres.
    pub fn plane_beside(&mut self, of: PlaneOf, offset: [F32x4; 2]) -> F32x4 {
        let distance = [0, 1].map(|axis| {
            let distance = self.distance(axis);
            self.e.add(distance, offset[axis])
        });
        self.plane_at(of, distance)
    }

    /// The first number of a plane.
    pub fn plane_base(&mut self, of: PlaneOf) -> F32x4 {
        let index = self.needs.plane(of);
        let args = self.e.args;
        self.e.load_floats(args, scratch_at!(planes) + 48 * index as i32)
    }

    /// Columns or rows of the pixels' centres.
    pub fn pixel_centre(&mut self, axis: usize) -> F32x4 {
        let pixel = self.pixel(axis);
        let (value, half) = (self.e.to_float(pixel), self.e.f(0.5));
        self.e.add(value, half)
    }

    fn plane_at(&mut self, of: PlaneOf, [x, y]: [F32x4; 2]) -> F32x4 {
        let index = self.needs.plane(of);
        let args = self.e.args;
        let [c, dx, dy] =
            [0, 1, 2].map(|k| self.e.load_floats(args, scratch_at!(planes) + 16 * (3 * index + k) as i32));
        if matches!(of, PlaneOf::Varying(_)) && self.key.code.planes_from_corners() {
            return self.plane_from_corner([c, dx, dy], [x, y]);
        }
        let right = self.e.mul(dx, x);
        let down = self.e.mul(dy, y);
        let sum = self.e.add(c, right);
        let sum = self.e.add(sum, down);
        if of == PlaneOf::Depth && self.key.output.depth_offset {
            let offset = self.plane_base(PlaneOf::DepthOffset);
            return self.e.add(sum, offset);
        }
        sum
    }

    /// The value of a plane that begins at the corner of a pixel, in f64 and cut.
    fn plane_from_corner(&mut self, plane: [F32x4; 3], distance: [F32x4; 2]) -> F32x4 {
        let half = self.e.f(0.5);
        let [x, y] = distance.map(|d| self.e.add(d, half)).map(|d| self.e.promote(d));
        let [c, dx, dy] = plane.map(|v| self.e.promote(v));
        let (right, down) = (self.e.dmul(dx, x), self.e.dmul(dy, y));
        let sum = self.e.dadd(c, right);
        let sum = self.e.dadd(sum, down);
        self.e.truncate(sum)
    }

    /// Clip-space w.
    pub fn w(&mut self) -> F32x4 {
        if let Some(w) = self.known.w {
            return w;
        }
        let inverse = self.plane(PlaneOf::InvW);
        let one = self.e.f(1.0);
        let w = self.e.div(one, inverse);
        self.known.w = Some(w);
        w
    }

    /// The interpolated depth, clamped.
    pub fn depth(&mut self) -> F32x4 {
        if let Some(depth) = self.known.depth {
            return depth;
        }
        let depth = self.plane(PlaneOf::Depth);
        let depth = self.clamp_depth(depth);
        self.known.depth = Some(depth);
        depth
    }

    /// `depth` in the range of depths.
    pub fn clamp_depth(&mut self, depth: F32x4) -> F32x4 {
        let args = self.e.args;
        let low = self.e.load_floats(args, at!(depth_range));
        let depth = self.e.max(depth, low);
        let high = self.e.load_floats(args, at!(depth_range) + 16);
        self.e.min(depth, high)
    }

    /// Component `component` of an input register; `linear` without its perspective.
    pub fn input(&mut self, input: FragmentInput, component: usize, linear: bool) -> F32x4 {
        let key = (input, component, linear);
        if let Some(&(_, value)) = self.known.inputs.iter().find(|(known, _)| *known == key) {
            return value;
        }
        let value = match input {
            FragmentInput::Zero => self.e.f(0.0),
            FragmentInput::Position => self.position(component),
            FragmentInput::Varying { group, interpolation, clamp } => {
                let plain = linear || interpolation == Interpolation::Linear;
                let value = self.varying(group, component, plain);
                if clamp { self.e.clamp(value, 0.0, 1.0) } else { value }
            }
            FragmentInput::Varying2d { group } => match component {
                0 | 1 => self.varying(group, component, linear),
                2 => self.e.f(0.0),
                _ if linear => self.e.f(1.0),
                _ => self.w(),
            },
            FragmentInput::Fog { group, mode } => match component {
                0 => self.varying(group, 0, linear),
                1 => {
                    let distance = self.varying(group, 0, linear);
                    self.fog(mode, distance)
                }
                _ => self.e.f(0.0),
            },
            FragmentInput::PointCoordinate { group, two_dimensional } => match (component, two_dimensional) {
                (0 | 1, true) | (_, false) => self.varying(group, component, true),
                (3, true) => self.w(),
                _ => self.e.f(0.0),
            },
            FragmentInput::Facing => self.facing(component),
        };
        self.known.inputs.push((key, value));
        value
    }

    fn varying(&mut self, group: u8, component: usize, plain: bool) -> F32x4 {
        let value = self.plane(PlaneOf::Varying(4 * usize::from(group) + component));
        if plain {
            return value;
        }
        let w = self.w();
        self.e.mul(value, w)
    }

    fn position(&mut self, component: usize) -> F32x4 {
        let args = self.e.args;
        match component {
            0 | 1 => {
                let pixel = self.pixel(component);
                let mut value = self.e.to_float(pixel);
                if component == 1 {
                    let scale = self.e.load_floats(args, at!(position_scale_y));
                    value = self.e.mul(value, scale);
                }
                let offset = self.e.load_floats(args, at!(position_offset) + 16 * component as i32);
                self.e.add(value, offset)
            }
            2 => self.depth(),
            _ => self.plane(PlaneOf::InvW),
        }
    }

    fn facing(&mut self, component: usize) -> F32x4 {
        if component > 0 {
            return self.e.f(0.0);
        }
        let back = self.back();
        let sign = self.e.b.ins().ishl_imm_u(back, 31);
        let bits = self.e.b.ins().bor_imm_u(sign, i64::from(1f32.to_bits()));
        let bits = self.e.splat_i32(bits);
        self.e.float_of_bits(bits)
    }

    /// The fog factor at distance `d`.
    fn fog(&mut self, mode: FogMode, d: F32x4) -> F32x4 {
        let absolute = matches!(mode, FogMode::LinearAbs | FogMode::ExpAbs | FogMode::Exp2Abs);
        let args = self.e.args;
        let e = &mut *self.e;
        let a = if absolute { e.abs(d) } else { d };
        let [p0, p1] = [0, 16].map(|offset| e.load_floats(args, at!(fog) + offset));
        let product = e.mul(p1, a);
        let factor = match mode {
            FogMode::Linear | FogMode::LinearAbs => {
                let one = e.f(1.0);
                let offset = e.sub(p0, one);
                e.add(product, offset)
            }
            FogMode::Exp | FogMode::ExpAbs | FogMode::Exp2 | FogMode::Exp2Abs => {
                let sum = e.add(product, p0);
                let bias = e.f(1.5);
                let sum = e.sub(sum, bias);
                let exponent = if matches!(mode, FogMode::Exp | FogMode::ExpAbs) {
                    let scale = e.f(11.084 * std::f32::consts::LOG2_E);
                    e.mul(scale, sum)
                } else {
                    let scale = e.f(4.709);
                    let x = e.mul(scale, sum);
                    let square = e.mul(x, x);
                    let scale = e.f(-std::f32::consts::LOG2_E);
                    e.mul(square, scale)
                };
                ops::exp2(e, exponent)
            }
        };
        e.clamp(factor, 0.0, 1.0)
    }
}
