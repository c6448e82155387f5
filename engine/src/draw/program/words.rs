//! Planes of single words, for machines whose attributes are words whatever they mean.
//!
//! Triangles have their planes from the window positions before these are snapped, in f32, based at pixel (0, 0) (found
//! by replaying recorded push buffers against their expected pictures: where pixel centres fall on the borders of
//! texels other forms choose other texels):
//!
//! ```text
//! dx = ((a0-a1)*(y2-y0) - (y0-y1)*(a2-a0)) * (1/area)      dy = ((a2-a0)*(x0-x1) - (x2-x0)*(a0-a1)) * (1/area)
//! c = a0 - (dx*(x0-0.5) + dy*(y0-0.5))
//! ```
//! Triangles that reach far outside of the target lose precision so; theirs are computed in f64 around one of their
//! pixels.

use triglyph_guest::kernel::program::fragment::{BACK_FACING, Plane, Primitive};

use super::setup::{Binner, Body, Slope, rounded};
use super::varying::{Interpolate, WordPlane, WordValue};

/// Pixels from 0 up to which planes are based there.
const NEAR: f32 = 1024.0;

/// How the values at corners become planes.
enum Fit {
    /// Through unsnapped positions, in f32.
    Single { first: [f32; 2], d01: [f32; 2], d20: [f32; 2], inv_area: f32 },
    /// In f64 around an origin.
    Wide(Slope),
}

impl Fit {
    /// The fit of a body and the pixel from which its planes count.
    fn of(body: &Body<'_>, origin: [i32; 2]) -> (Fit, [i32; 2]) {
        if body.slope.dy == Slope::NONE.dy || body.slope.dx == Slope::NONE.dx {
            // A line or a point.
            return (Fit::Wide(body.slope), origin);
        }
        let [a, b, c] = body.corners.map(|corner| corner.at.window);
        if [a, b, c].as_flattened().iter().all(|v| v.abs() <= NEAR) {
            let (d01, d20) = ([a[0] - b[0], a[1] - b[1]], [c[0] - a[0], c[1] - a[1]]);
            let area = d01[0] * d20[1] - d20[0] * d01[1];
            return (Fit::Single { first: a, d01, d20, inv_area: 1.0 / area }, [0, 0]);
        }
        (Fit::Wide(Slope::window([a, b, c].map(|at| at.map(f64::from)), origin)), origin)
    }

    fn plane(&self, [a, b, c]: [f32; 3]) -> Plane {
        match self {
            Fit::Single { first, d01, d20, inv_area } => {
                let (da01, da20) = (a - b, c - a);
                let dx = (da01 * d20[1] - d01[1] * da20) * inv_area;
                let dy = (da20 * d01[0] - d20[0] * da01) * inv_area;
                canonical([a - (dx * (first[0] - 0.5) + dy * (first[1] - 0.5)), dx, dy])
            }
            Fit::Wide(slope) => rounded(slope.plane([a, b, c].map(f64::from))),
        }
    }
}

/// Every NaN is the same.
fn canonical(plane: Plane) -> Plane {
    plane.map(|v| if v.is_nan() { f32::NAN } else { v })
}

impl Binner<'_> {
    /// Adds the planes of a primitive.
    pub(super) fn word_planes(&mut self, words: &[WordPlane], body: &Body<'_>, origin: [i32; 2]) -> Primitive {
        let (fit, origin) = Fit::of(body, origin);
        let inv_w = body.corners.map(|corner| corner.at.inv_w as f32);
        let mut depth = fit.plane(body.corners.map(|corner| corner.at.depth as f32));
        depth[0] += self.depth_offset(body, depth.map(f64::from)) as f32;
        let first_plane = self.scene.varyings.len() as u32;
        for word in words {
            let value = if body.back { word.back } else { word.front };
            let plane = match value {
                WordValue::Record(at) => match word.interpolate {
                    Interpolate::Flat => flat(body.provoking.get(at).copied().unwrap_or(0.0)),
                    how => {
                        let values = body.corners.map(|corner| corner.record.get(at).copied().unwrap_or(0.0));
                        fit.plane(weighted(values, inv_w, how))
                    }
                },
                WordValue::Constant(bits) => match word.interpolate {
                    Interpolate::Flat => flat(f32::from_bits(bits)),
                    how => fit.plane(weighted([f32::from_bits(bits); 3], inv_w, how)),
                },
                WordValue::Primitive => flat(f32::from_bits(self.id)),
                WordValue::PointS | WordValue::PointT | WordValue::PointTUpwards => {
                    let plane = point_plane(value, body.point);
                    // The program multiplies by w.
                    match word.interpolate {
                        Interpolate::Perspective => plane.map(|v| v * inv_w[0]),
                        _ => plane,
                    }
                }
            };
            self.scene.varyings.push(plane);
        }
        Primitive {
            origin,
            depth,
            inv_w: fit.plane(inv_w),
            first_plane,
            flags: if body.back { BACK_FACING } else { 0 },
        }
    }
}

fn flat(v: f32) -> Plane {
    [v, 0.0, 0.0]
}

fn weighted(values: [f32; 3], inv_w: [f32; 3], how: Interpolate) -> [f32; 3] {
    match how {
        Interpolate::Perspective => [0, 1, 2].map(|k| values[k] * inv_w[k]),
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
