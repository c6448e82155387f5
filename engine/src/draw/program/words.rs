//! Planes of single words, for machines whose attributes are untyped words.
//!
//! Planes of triangles go through the window positions before these are snapped, in f32, based at pixel (0, 0) (found
//! by replaying recorded push buffers against their expected pictures: where pixel centres fall on the borders of
//! texels other forms choose other texels). Those of narrow triangles go through the snapped positions, as coverage
//! does, so that values at covered samples lie between those of the corners: dEQP's `interpolate_at_centroid` passes on
//! a GM20B (Mesa's list of what fails there). Which positions the chip takes for wider triangles is not known; the
//! difference is less than what 1/256 pixel changes.
//!
//! ```text
//! dx = ((a0-a1)*(y2-y0) - (y0-y1)*(a2-a0)) * (1/area)      dy = ((a2-a0)*(x0-x1) - (x2-x0)*(a0-a1)) * (1/area)
//! c = a0 - (dx*(x0-0.5) + dy*(y0-0.5))
//! ```
//! Triangles that reach far outside of the target lose precision so; theirs are computed in f64 around one of their
//! pixels.

use triglyph_guest::kernel::program::fragment::{BACK_FACING, Plane, Primitive};
use wide::f32x4;

use super::plane::{Body, Slope, rounded, widened};
use super::project::stored;
use super::setup::{Binner, Planes};
use super::varying::{Interpolate, WordPlanes, WordStep, WordValue};

/// Pixels from 0 up to which planes are based there.
const NEAR: f32 = 1024.0;

/// The smallest height in pixels below which a triangle is narrow.
const MIN_HEIGHT: f32 = 4.0;

/// How the values at corners become planes.
enum Fit {
    /// Through positions near pixel (0, 0), in f32.
    Single { first: [f32; 2], d01: [f32; 2], d20: [f32; 2], inv_area: f32 },
    /// In f64 around an origin.
    Wide(Slope),
}

/// Whether the smallest height of a triangle is less than [`MIN_HEIGHT`].
#[inline]
fn is_narrow([a, b, c]: [[f32; 2]; 3]) -> bool {
    let [ab, ac] = [b, c].map(|to| [to[0] - a[0], to[1] - a[1]]);
    let square = |[x, y]: [f32; 2]| x * x + y * y;
    let longest = square(ab).max(square(ac)).max(square([ac[0] - ab[0], ac[1] - ab[1]]));
    let double_area = ab[0] * ac[1] - ab[1] * ac[0];
    double_area * double_area < MIN_HEIGHT * MIN_HEIGHT * longest
}

/// One of two triangles. Scenes have narrow ones and others in no order: a branch is often predicted wrong.
#[inline]
fn select(first: bool, one: [[f32; 2]; 3], other: [[f32; 2]; 3]) -> [[f32; 2]; 3] {
    let mask = u32::from(first).wrapping_neg();
    let bits = |one: f32, other: f32| f32::from_bits(one.to_bits() & mask | other.to_bits() & !mask);
    let corner = |k: usize| [bits(one[k][0], other[k][0]), bits(one[k][1], other[k][1])];
    [corner(0), corner(1), corner(2)]
}

impl Fit {
    /// The fit of a body and the pixel from which its planes count.
    #[inline]
    fn of(body: &Body<'_>, origin: [i32; 2]) -> (Fit, [i32; 2]) {
        if body.slope.dx[1] == 0.0 && body.slope.dy[1] == 0.0 {
            // A line or a point.
            return (Fit::Wide(body.slope), origin);
        }
        let window = body.each_corner(|corner| corner.at.window);
        let snapped = body.each_corner(|corner| [corner.at.x, corner.at.y].map(|v| v as f32 * (1.0 / 256.0)));
        let [a, b, c] = select(is_narrow(window), snapped, window);
        if [a, b, c].as_flattened().iter().all(|v| v.abs() <= NEAR) {
            let (d01, d20) = ([a[0] - b[0], a[1] - b[1]], [c[0] - a[0], c[1] - a[1]]);
            let area = d01[0] * d20[1] - d20[0] * d01[1];
            return (Fit::Single { first: a, d01, d20, inv_area: 1.0 / area }, [0, 0]);
        }
        (Fit::Wide(Slope::window([a, b, c].map(|at| at.map(f64::from)), origin)), origin)
    }

    #[inline]
    fn plane(&self, [a, b, c]: [f32; 3]) -> Plane {
        if let Fit::Wide(slope) = self {
            return rounded(slope.plane([a.into(), b.into(), c.into()]));
        }
        let [plane, ..] = self.planes([f32x4::splat(a), f32x4::splat(b), f32x4::splat(c)]);
        plane
    }

    /// The planes of four values at each corner.
    #[inline]
    fn planes(&self, [a, b, c]: [f32x4; 3]) -> [Plane; 4] {
        match self {
            Fit::Single { first, d01, d20, inv_area } => {
                let splat = |[x, y]: [f32; 2]| [f32x4::splat(x), f32x4::splat(y)];
                let (middle, d01, d20) = (splat([first[0] - 0.5, first[1] - 0.5]), splat(*d01), splat(*d20));
                let inv_area = f32x4::splat(*inv_area);
                let (da01, da20) = (a - b, c - a);
                let dx = (da01 * d20[1] - da20 * d01[1]) * inv_area;
                let dy = (da20 * d01[0] - da01 * d20[0]) * inv_area;
                let start = a - (dx * middle[0] + dy * middle[1]);
                transposed([canonical(start), canonical(dx), canonical(dy)])
            }
            Fit::Wide(slope) => slope.planes(Planes::Nearest, [a, b, c].map(|v| widened(v.to_array()))),
        }
    }
}

/// Four planes from their values at the origin, their steps to the right, and down.
#[inline]
fn transposed([start, dx, dy]: [f32x4; 3]) -> [Plane; 4] {
    let (start, dx, dy) = (start.to_array(), dx.to_array(), dy.to_array());
    let plane = |i: usize| [start[i], dx[i], dy[i]];
    [plane(0), plane(1), plane(2), plane(3)]
}

/// Every NaN is the same.
fn canonical(v: f32x4) -> f32x4 {
    v.simd_eq(v).select(v, f32x4::splat(f32::NAN))
}

impl Binner<'_> {
    /// Adds the planes of a primitive.
    pub(super) fn word_planes(&mut self, words: &WordPlanes, body: &Body<'_>, origin: [i32; 2]) -> Primitive {
        let (fit, origin) = Fit::of(body, origin);
        let inv_w = body.each_corner(|corner| corner.at.inv_w as f32);
        let depth = fit.plane(body.each_corner(|corner| corner.at.depth as f32));
        let depth_offset = self.depth_offset(body, depth.map(f64::from));
        let first_plane = self.scene.varyings.len() as u32;
        for &step in words.steps(body.point.is_some(), body.back) {
            match step {
                WordStep::Four { at, count, interpolate } => {
                    let values = body.each_corner(|corner| f32x4::new(stored(corner.record, at)));
                    let planes = fit.planes(weighted(values, inv_w, interpolate));
                    self.scene.varyings.extend_from_slice(&planes[..count]);
                }
                WordStep::One(value, interpolate) => {
                    let plane = self.word_plane(value, interpolate, (&fit, inv_w), body);
                    self.scene.varyings.push(plane);
                }
            }
        }
        Primitive {
            origin,
            depth,
            depth_offset,
            inv_w: fit.plane(inv_w),
            first_plane,
            flags: if body.back { BACK_FACING } else { 0 },
        }
    }

    /// The plane of a word that is not of the record, or flat.
    fn word_plane(&self, value: WordValue, how: Interpolate, (fit, inv_w): (&Fit, [f32; 3]), body: &Body<'_>) -> Plane {
        let bits = match value {
            WordValue::Record(at) => body.provoking.get(at).copied().unwrap_or(0.0),
            WordValue::Constant(bits) => f32::from_bits(bits),
            WordValue::Primitive => return flat(f32::from_bits(self.id)),
            WordValue::LineShare(which) => return body.line.map_or(flat(1.0), |sides| rounded(sides[which])),
            WordValue::PointS | WordValue::PointT | WordValue::PointTUpwards => {
                let plane = point_plane(value, body.point);
                // The program multiplies by w.
                return match how {
                    Interpolate::Perspective => plane.map(|v| v * inv_w[0]),
                    _ => plane,
                };
            }
        };
        match how {
            Interpolate::Flat => flat(bits),
            how => {
                let [plane, ..] = fit.planes(weighted([f32x4::splat(bits); 3], inv_w, how));
                plane
            }
        }
    }
}

fn flat(v: f32) -> Plane {
    [v, 0.0, 0.0]
}

fn weighted(values: [f32x4; 3], inv_w: [f32; 3], how: Interpolate) -> [f32x4; 3] {
    match how {
        Interpolate::Perspective => {
            let weighted = |k: usize| values[k] * f32x4::splat(inv_w[k]);
            [weighted(0), weighted(1), weighted(2)]
        }
        _ => values,
    }
}

fn point_plane(value: WordValue, point: Option<[f64; 3]>) -> Plane {
    let Some([s, t, step]) = point else { return [0.0; 3] };
    rounded(match value {
        WordValue::PointT => [t, 0.0, step],
        WordValue::PointTUpwards => [1.0 - t, 0.0, -step],
        _ => [s, step, 0.0],
    })
}
