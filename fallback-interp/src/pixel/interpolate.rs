//! Interpolation of a primitive's values at a pixel.

use triglyph_guest::kernel::pixel::{PixelConstants, PixelJob, PixelKey, Primitive};

use super::{Color, clamp};

/// A pixel's place in its primitive.
pub(super) struct Point<'a> {
    key: &'a PixelKey,
    primitive: &'a Primitive,
    /// Varyings of the primitive, packed: values at the three vertices, divided by their w.
    varyings: &'a [[f32; 3]],
    /// Edge functions at the pixel: the weights of the three vertices.
    weights: [f32; 3],
    /// W: the factor of an interpolated value that was divided by w.
    w: f32,
}

impl<'a> Point<'a> {
    /// The point of pixel `x` of stored row `row`.
    pub(super) fn new(key: &'a PixelKey, job: &PixelJob<'a>, primitive: &'a Primitive, x: u32, row: u32) -> Self {
        let weights = std::array::from_fn(|k| {
            let right = i64::from(x).wrapping_mul(i64::from(primitive.dx[k]));
            let down = i64::from(row).wrapping_mul(i64::from(primitive.dy[k]));
            primitive.edge[k].wrapping_add(right).wrapping_add(down) as f32
        });
        let varyings = job.varyings.get(primitive.first_varying as usize..).unwrap_or(&[]);
        Point { key, primitive, varyings, weights, w: 1.0 / weighted(primitive.inv_w, weights) }
    }

    /// The depth, 0 to 1.
    pub(super) fn depth(&self, constants: &PixelConstants, w_buffer: bool) -> f32 {
        let sum = self.primitive.sum;
        let z = weighted(self.primitive.z, self.weights) / sum;
        let mut depth = z * constants.depth_scale + constants.depth_offset;
        if w_buffer {
            depth *= self.w * sum;
        }
        clamp(depth, 0.0, 1.0)
    }

    /// The varying of `slot`; 1 when the primitive does not carry it.
    pub(super) fn varying(&self, slot: u8) -> f32 {
        self.at_vertices(slot).map_or(1.0, |values| weighted(values, self.weights) * self.w)
    }

    /// Change per pixel to the right and per stored row of the varying of `slot`, whose value here is `value`.
    pub(super) fn slopes(&self, slot: u8, value: f32) -> [f32; 2] {
        let Some(values) = self.at_vertices(slot) else { return [0.0; 2] };
        [self.primitive.dx, self.primitive.dy].map(|steps| {
            let steps = steps.map(|step| step as f32);
            (weighted(values, steps) - value * weighted(self.primitive.inv_w, steps)) * self.w
        })
    }

    /// The interpolated primary colour.
    pub(super) fn color(&self, slots: [u8; 4]) -> Color {
        slots.map(|slot| (clamp(self.varying(slot), 0.0, 1.0) * 255.0 + 0.5) as u8)
    }

    fn at_vertices(&self, slot: u8) -> Option<[f32; 3]> {
        self.varyings.get(self.key.varying(slot)?).copied()
    }
}

/// (v0*b0 + v1*b1) + v2*b2
fn weighted(values: [f32; 3], weights: [f32; 3]) -> f32 {
    (values[0] * weights[0] + values[1] * weights[1]) + values[2] * weights[2]
}
