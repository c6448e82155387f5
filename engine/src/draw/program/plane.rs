//! Planes: linear functions of the target's pixels, of a primitive's depth, 1/w and values.

use triglyph_guest::kernel::program::fragment::{BACK_FACING, Plane, Primitive};
use wide::f64x4;

use super::project::stored;
use super::setup::{Binner, Corner, Planes, PolygonMode};
use super::varying::{Interpolate, Output, PointR};

/// A primitive without its outline: linear functions through three corners. Lines and points repeat theirs.
pub(super) struct Body<'a> {
    pub corners: [Corner<'a>; 3],
    pub provoking: &'a [f32],
    pub slope: Slope,
    pub back: bool,
    /// The polygon mode whose depth offset applies.
    pub offset: Option<PolygonMode>,
    /// s and t at the origin, and 1/size.
    pub point: Option<[f64; 3]>,
    /// Distances from the sides and ends of a smooth line, at the origin and for each step right and down.
    pub line: Option<[[f64; 3]; 4]>,
}

impl<'a> Body<'a> {
    /// A value of each corner. (`map` would copy them.)
    #[inline]
    pub(super) fn each_corner<T>(&self, of: impl Fn(&Corner<'a>) -> T) -> [T; 3] {
        let [a, b, c] = &self.corners;
        [of(a), of(b), of(c)]
    }
}

impl Binner<'_> {
    /// Adds the planes of a primitive whose pixels lie at and after `origin`.
    pub(super) fn planes(&mut self, body: &Body<'_>, origin: [i32; 2]) -> Primitive {
        if let Some(words) = &self.setup.words {
            return self.word_planes(words, body, origin);
        }
        let slope = &body.slope;
        let inv_w = body.each_corner(|corner| corner.at.inv_w);
        let depth = slope.plane(body.each_corner(|corner| corner.at.depth));
        let depth_offset = self.depth_offset(body, depth);
        let first_plane = self.scene.varyings.len() as u32;
        let form = self.setup.planes;
        for varying in &self.setup.varyings {
            let output = if body.back { varying.back } else { varying.front };
            let planes = match output {
                Output::Register(at) => match varying.interpolate {
                    Interpolate::Flat => stored(body.provoking, at).map(|v| form.plane([v.into(), 0.0, 0.0])),
                    how => {
                        let values = body.each_corner(|corner| widened(stored(corner.record, at)));
                        slope.planes(
                            form,
                            match how {
                                Interpolate::Perspective => {
                                    let weighted = |k: usize| values[k] * f64x4::splat(inv_w[k]);
                                    [weighted(0), weighted(1), weighted(2)]
                                }
                                _ => values,
                            },
                        )
                    }
                },
                Output::Constant(value) => match varying.interpolate {
                    Interpolate::Perspective => slope.planes(form, inv_w.map(|w| widened(value) * f64x4::splat(w))),
                    _ => value.map(|v| form.plane([v.into(), 0.0, 0.0])),
                },
                Output::PointCoordinate(third) => match body.point {
                    Some([s, t, step]) => {
                        let s = [s, step, 0.0];
                        let r = match third {
                            PointR::Zero => [0.0; 3],
                            PointR::S => s,
                            PointR::Record(at) => [f64::from(body.provoking[at]), 0.0, 0.0],
                        };
                        [s, [t, 0.0, step], r, [1.0, 0.0, 0.0]].map(|plane| form.plane(plane))
                    }
                    None => [[0.0; 3]; 4],
                },
                Output::LineShare => body.line.unwrap_or([[1.0, 0.0, 0.0]; 4]).map(|plane| form.plane(plane)),
            };
            self.scene.varyings.extend_from_slice(&planes);
        }
        Primitive {
            origin,
            depth: rounded(depth),
            depth_offset,
            inv_w: rounded(slope.plane(inv_w)),
            first_plane,
            flags: if body.back { BACK_FACING } else { 0 },
        }
    }

    /// The depth offset of a body whose plane has these steps.
    pub(super) fn depth_offset(&self, body: &Body<'_>, [_, dx, dy]: [f64; 3]) -> f32 {
        let offset = &self.setup.depth_offset;
        match body.offset {
            Some(mode) if offset.enabled[mode as usize] => {
                let unit = if offset.float_units { float_unit(body) } else { 1.0 };
                let bias = dx.abs().max(dy.abs()) * f64::from(offset.factor) + f64::from(offset.constant) * unit;
                let limit = f64::from(offset.clamp);
                let bias = match limit {
                    _ if limit > 0.0 => bias.min(limit),
                    _ if limit < 0.0 => bias.max(limit),
                    _ => bias,
                };
                if bias.is_nan() { f32::NAN } else { bias as f32 }
            }
            _ => 0.0,
        }
    }
}

/// The smallest difference of float depths as large as the largest of a body.
fn float_unit(body: &Body<'_>) -> f64 {
    let largest = body.corners.iter().fold(0.0f32, |most, corner| most.max((corner.at.depth as f32).abs()));
    let exponent = (largest.to_bits() >> 23) as i32 - 127;
    2f64.powi(exponent.clamp(-126, 127) - 23)
}

#[inline]
pub(super) fn widened([x, y, z, w]: [f32; 4]) -> f64x4 {
    f64x4::new([x.into(), y.into(), z.into(), w.into()])
}

/// A plane as kernels take it; every NaN is the same.
pub(super) fn rounded(plane: [f64; 3]) -> Plane {
    let canonical = |v: f64| if v.is_nan() { f32::NAN } else { v as f32 };
    let [start, dx, dy] = plane;
    [canonical(start), canonical(dx), canonical(dy)]
}

impl Planes {
    /// A plane of a varying as kernels take it, from the value at the origin's centre and the steps.
    #[inline]
    fn plane(self, plane: [f64; 3]) -> Plane {
        if self == Planes::Nearest {
            return rounded(plane);
        }
        let [start, dx, dy] = plane;
        rounded([start - 0.5 * (dx + dy), cut(dx), cut(dy)])
    }
}

/// A step cut to f32. What is a f32 but for the rounding of its own computation stays.
fn cut(step: f64) -> f64 {
    let step = step * (1.0 + 2f64.powi(-45));
    f64::from_bits(step.to_bits() & !0x1FFF_FFFF)
}

/// Linear functions of the target's pixels: how a value follows from the differences between corners 1 and 0, 2 and 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slope {
    /// Shares of the differences at the origin pixel's centre.
    pub origin: [f64; 2],
    /// Per column.
    pub dx: [f64; 2],
    /// Per row.
    pub dy: [f64; 2],
}

impl Slope {
    /// Corner 0 everywhere.
    pub(super) const NONE: Slope = Slope { origin: [0.0; 2], dx: [0.0; 2], dy: [0.0; 2] };

    /// Through a triangle that has an area.
    pub(super) fn triangle(points: [[i32; 2]; 3], area: i64, origin: [i32; 2]) -> Slope {
        let [a, b, c] = points.map(|point| point.map(|v| f64::from(v) / 256.0));
        let per_area = 65_536.0 / area as f64;
        let (b, c) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
        let dx = [c[1] * per_area, -b[1] * per_area];
        let dy = [-c[0] * per_area, b[0] * per_area];
        Slope::from_corner(a, dx, dy, origin)
    }

    /// Through a triangle of window positions.
    pub(super) fn window([a, b, c]: [[f64; 2]; 3], origin: [i32; 2]) -> Slope {
        let (b, c) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
        let per_area = 1.0 / (b[0] * c[1] - b[1] * c[0]);
        let dx = [c[1] * per_area, -b[1] * per_area];
        let dy = [-c[0] * per_area, b[0] * per_area];
        Slope::from_corner(a, dx, dy, origin)
    }

    /// Along an axis (0 for x, 1 for y) from point 0 to point 1, which differ there.
    pub(super) fn axis(points: [[i32; 2]; 2], axis: usize, origin: [i32; 2]) -> Slope {
        let [a, b] = points.map(|point| point.map(|v| f64::from(v) / 256.0));
        let step = [1.0 / (b[axis] - a[axis]), 0.0];
        let (dx, dy) = if axis == 0 { (step, [0.0; 2]) } else { ([0.0; 2], step) };
        Slope::from_corner(a, dx, dy, origin)
    }

    /// Along a line from point 0 to point 1, which differ: the same everywhere across it.
    pub(super) fn line(points: [[i32; 2]; 2], origin: [i32; 2]) -> Slope {
        let [a, b] = points.map(|point| point.map(|v| f64::from(v) / 256.0));
        let [x, y] = [b[0] - a[0], b[1] - a[1]];
        let square = x * x + y * y;
        Slope::from_corner(a, [x / square, 0.0], [y / square, 0.0], origin)
    }

    fn from_corner(corner: [f64; 2], dx: [f64; 2], dy: [f64; 2], origin: [i32; 2]) -> Slope {
        let [x, y] = [0, 1].map(|axis| f64::from(origin[axis]) + 0.5 - corner[axis]);
        Slope { origin: [0, 1].map(|i| dx[i] * x + dy[i] * y), dx, dy }
    }

    /// The plane of a value that the corners have.
    #[inline]
    pub(super) fn plane(&self, [a, b, c]: [f64; 3]) -> [f64; 3] {
        let (b, c) = (b - a, c - a);
        let part = |shares: [f64; 2]| b * shares[0] + c * shares[1];
        [a + part(self.origin), part(self.dx), part(self.dy)]
    }

    /// The planes of four values that the corners have, as kernels take them.
    #[inline]
    pub(super) fn planes(&self, form: Planes, [a, b, c]: [f64x4; 3]) -> [Plane; 4] {
        let (b, c) = (b - a, c - a);
        let part = |shares: [f64; 2]| b * f64x4::splat(shares[0]) + c * f64x4::splat(shares[1]);
        let (start, dx, dy) = (a + part(self.origin), part(self.dx), part(self.dy));
        let (start, dx, dy) = (start.to_array(), dx.to_array(), dy.to_array());
        let plane = |i: usize| form.plane([start[i], dx[i], dy[i]]);
        [plane(0), plane(1), plane(2), plane(3)]
    }
}
