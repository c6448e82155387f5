//! Points: squares around a vertex.

use super::setup::{Binner, Body, PointSize, PolygonMode, Slope};

/// Pixels of the largest point: more than any target's edge.
const LARGEST: f32 = 16_384.0;

impl Binner<'_> {
    /// Sets up a point of its own.
    pub(super) fn point(&mut self, vertex: u32) {
        let provoking = self.records.get(vertex);
        self.square(vertex, provoking, false, None);
    }

    /// Sets up the corner of a polygon.
    pub(super) fn corner_point(&mut self, vertex: u32, provoking: &[f32], back: bool) {
        self.square(vertex, provoking, back, Some(PolygonMode::Point));
    }

    fn square(&mut self, vertex: u32, provoking: &[f32], back: bool, offset: Option<PolygonMode>) {
        let corner = self.corner(vertex);
        // A point whose centre is outside is not drawn at all.
        if corner.at.outside != 0 {
            return;
        }
        let size = match self.setup.point_size {
            PointSize::Fixed(size) => size,
            PointSize::Register(at) => corner.record[at],
        };
        let size = if size < LARGEST { size.max(self.setup.smallest_point) } else { LARGEST };
        let half = (size * 128.0) as i32;
        if half <= 0 {
            return;
        }
        let (left, right) = (corner.at.x - half, corner.at.x + half);
        let (top, bottom) = (corner.at.y - half, corner.at.y + half);
        let Some(bounds) = self.bounds(&[[left, top], [right, bottom]]) else { return };
        let origin = [bounds.x0 as i32, bounds.y0 as i32];
        let step = 128.0 / f64::from(half);
        let [s, t] = [0, 1].map(|axis| {
            let start = f64::from([left, top][axis]) / 256.0;
            (f64::from(origin[axis]) + 0.5 - start) * step
        });
        let corners = [corner; 3];
        let body = Body { corners, provoking, slope: Slope::NONE, back, offset, point: Some([s, t, step]) };
        let primitive = self.planes(&body, origin);
        self.outline(primitive, [[left, top], [right, top], [right, bottom]], bounds);
        self.outline(primitive, [[left, top], [right, bottom], [left, bottom]], bounds);
    }
}
