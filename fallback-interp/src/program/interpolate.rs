//! Interpolation of a primitive's values at a pixel.

use triglyph_guest::kernel::program::fragment::{
    BACK_FACING, FogMode, FragmentCode, FragmentConstants, FragmentInput, FragmentJob, FragmentKey, Interpolation,
    Plane, Primitive,
};
use triglyph_guest::num::ops::{Scalar, exp2};

use super::{Vector, limit};

/// A pixel's place in its primitive.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    constants: &'a FragmentConstants,
    primitive: &'a Primitive,
    /// Planes from the primitive's first one on.
    planes: &'a [Plane],
    /// The pixel.
    at: [i32; 2],
    /// Its distance from the primitive's origin.
    distance: [f32; 2],
    /// How planes of varyings are read.
    base: PlaneBase,
    /// The depth offset.
    depth_offset: Option<f32>,
    /// The interpolated 1/w.
    inv_w: f32,
}

impl<'a> Point<'a> {
    /// Pixel (`x`, `y`) of `primitive`, inside of it or not.
    pub fn new(key: &FragmentKey, job: &FragmentJob<'a>, primitive: &'a Primitive, [x, y]: [u32; 2]) -> Self {
        let base = PlaneBase::of(&key.code);
        let at = [x as i32, y as i32];
        let distance = [0, 1].map(|i| at[i].wrapping_sub(primitive.origin[i]) as f32);
        let planes = job.planes.get(primitive.first_plane as usize..).unwrap_or(&[]);
        let inv_w = plane(&primitive.inv_w, distance);
        let depth_offset = key.output.depth_offset.then_some(primitive.depth_offset);
        Point { constants: job.constants, primitive, planes, at, distance, base, depth_offset, inv_w }
    }

    /// Whether the primitive shows its back.
    pub fn is_back(&self) -> bool {
        self.primitive.flags & BACK_FACING != 0
    }

    /// Depth at the pixel's centre, clamped to the depth range.
    pub fn depth(&self) -> f32 {
        self.limited(self.center_depth())
    }

    /// Depth at sample `index` of several, not clamped yet.
    pub fn sample_depth(&self, index: usize) -> f32 {
        let offset = self.constants.sample_offsets.get(index).copied().unwrap_or_default();
        self.depth_at([self.distance[0] + offset[0], self.distance[1] + offset[1]])
    }

    /// Depth at the pixel's centre, not clamped yet.
    pub fn center_depth(&self) -> f32 {
        self.depth_at(self.distance)
    }

    fn depth_at(&self, distance: [f32; 2]) -> f32 {
        let depth = plane(&self.primitive.depth, distance);
        self.depth_offset.map_or(depth, |offset| depth + offset)
    }

    fn limited(&self, depth: f32) -> f32 {
        let [low, high] = self.constants.output.depth_range;
        limit(depth, low, high)
    }

    /// The value of an input register. `linear`: the source has its perspective switched off.
    pub fn input(&self, input: FragmentInput, linear: bool) -> Vector {
        let w = 1.0 / self.inv_w;
        match input {
            FragmentInput::Zero => [0.0; 4],
            FragmentInput::Position => self.position(),
            FragmentInput::Varying { group, interpolation, clamp } => {
                let planes = self.group(group);
                let values = match interpolation {
                    Interpolation::Perspective if !linear => planes.map(|value| value * w),
                    _ => planes,
                };
                if clamp { values.map(|value| limit(value, 0.0, 1.0)) } else { values }
            }
            FragmentInput::Varying2d { group } => {
                let [x, y, ..] = self.group(group);
                if linear { [x, y, 0.0, 1.0] } else { [x * w, y * w, 0.0, w] }
            }
            FragmentInput::Fog { group, mode } => {
                let [coordinate, ..] = self.group(group);
                let coordinate = if linear { coordinate } else { coordinate * w };
                [coordinate, fog(mode, coordinate, self.constants.fog), 0.0, 0.0]
            }
            FragmentInput::PointCoordinate { group, two_dimensional } => {
                let [s, t, r, q] = self.group(group);
                if two_dimensional { [s, t, 0.0, w] } else { [s, t, r, q] }
            }
            FragmentInput::Facing => [if self.is_back() { -1.0 } else { 1.0 }, 0.0, 0.0, 0.0],
        }
    }

    fn position(&self) -> Vector {
        let [x, y] = self.at.map(|c| c as f32);
        let [right, down] = self.constants.position_offset;
        [x + right, y * self.constants.position_scale_y + down, self.depth(), self.inv_w]
    }

    /// The part of the pixel that a smooth line covers, whose planes begin with this one.
    pub fn share(&self, first: Option<u16>) -> f32 {
        share(self.planes, first, |p| self.base.value(p, self.distance))
    }

    /// Four planes here; those that do not exist are 0.
    fn group(&self, group: u8) -> Vector {
        let first = 4 * usize::from(group);
        std::array::from_fn(|i| self.planes.get(first + i).map_or(0.0, |p| self.base.value(p, self.distance)))
    }
}

/// The part of a pixel that a smooth line covers, by four planes of these with their values there; 1 without.
pub fn share(planes: &[Plane], first: Option<u16>, value: impl Fn(&Plane) -> f32) -> f32 {
    let Some(first) = first else { return 1.0 };
    let at = |i: usize| planes.get(usize::from(first) + i).map_or(0.0, &value);
    let part = |i: usize| {
        let part = (limit(at(i), 0.0, 1.0) + limit(at(i + 1), 0.0, 1.0)) - 1.0;
        if part > 0.0 { part } else { 0.0 }
    };
    part(0) * part(2)
}

/// Where in its pixel a plane's first number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaneBase {
    /// Its centre.
    Centre,
    /// The upper left corner; values are cut.
    Corner,
}

impl PlaneBase {
    /// That of the varyings of a program.
    pub fn of(code: &FragmentCode) -> PlaneBase {
        if code.planes_from_corners() { PlaneBase::Corner } else { PlaneBase::Centre }
    }

    fn value(self, p: &Plane, distance: [f32; 2]) -> f32 {
        if self == PlaneBase::Centre {
            return plane(p, distance);
        }
        let [c, dx, dy] = p.map(f64::from);
        let [x, y] = distance.map(|d| f64::from(d + 0.5));
        let value = (c + dx * x) + dy * y;
        f64::from_bits(value.to_bits() & !0x1FFF_FFFF) as f32
    }
}

/// `(c + dx*x) + dy*y`
fn plane([c, dx, dy]: &Plane, [x, y]: [f32; 2]) -> f32 {
    (c + dx * x) + dy * y
}

/// The fog factor of coordinate `d`.
fn fog(mode: FogMode, d: f32, [p0, p1]: [f32; 2]) -> f32 {
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    let a = match mode {
        FogMode::LinearAbs | FogMode::ExpAbs | FogMode::Exp2Abs => d.abs(),
        FogMode::Linear | FogMode::Exp | FogMode::Exp2 => d,
    };
    let factor = match mode {
        FogMode::Linear | FogMode::LinearAbs => p1 * a + (p0 - 1.0),
        FogMode::Exp | FogMode::ExpAbs => exp2(&mut Scalar, (11.084 * LOG2_E) * ((p1 * a + p0) - 1.5)),
        FogMode::Exp2 | FogMode::Exp2Abs => {
            let x = 4.709 * ((p1 * a + p0) - 1.5);
            exp2(&mut Scalar, (x * x) * -LOG2_E)
        }
    };
    limit(factor, 0.0, 1.0)
}
