//! Points: squares, or discs, around a vertex.

use triglyph_guest::kernel::program::fragment::Primitive;

use super::plane::{Body, Slope};
use super::setup::{Binner, PointSize, PolygonMode};
use crate::scene::Rect;

/// Pixels of the largest point: more than any target's edge.
const MAX_SIZE: f32 = 16_384.0;

/// Sides of the polygon that a disc is.
pub(super) const SIDES: usize = 72;

/// Cosine and sine of each of its corners: by the rule for multiples of an angle, so that they are the same on every
/// host.
const CIRCLE: [[f64; 2]; SIDES] = {
    // Of 5 degrees.
    let (cos, sin) = (0.996_194_698_091_745_5, 0.087_155_742_747_658_17);
    let mut corners = [[1.0, 0.0], [cos, sin]];
    let mut circle = [[0.0; 2]; SIDES];
    let mut i = 0;
    while i < SIDES {
        circle[i] = corners[0];
        let [[c0, s0], [c1, s1]] = corners;
        corners = [[c1, s1], [2.0 * cos * c1 - c0, 2.0 * cos * s1 - s0]];
        i += 1;
    }
    circle
};

impl Binner<'_> {
    /// Sets up a point of its own.
    #[inline(never)]
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
            self.scene.dropped.outside += 1;
            return;
        }
        let size = match self.setup.point_size {
            PointSize::Fixed(size) => size,
            PointSize::Register(at) => corner.record[at],
        };
        let size = if size < MAX_SIZE { size.max(self.setup.smallest_point) } else { MAX_SIZE };
        let half = (size * 128.0) as i32;
        if half <= 0 {
            self.scene.dropped.degenerate += 1;
            return;
        }
        let (left, right) = (corner.at.x - half, corner.at.x + half);
        let (top, bottom) = (corner.at.y - half, corner.at.y + half);
        let right_edge = right + i32::from(self.setup.right_edges);
        let Some(bounds) = self.bounds(&[[left, top], [right_edge, bottom]]) else { return };
        let origin = [bounds.x0 as i32, bounds.y0 as i32];
        let step = 128.0 / f64::from(half);
        let [s, t] = [0, 1].map(|axis| {
            let start = f64::from([left, top][axis]) / 256.0;
            (f64::from(origin[axis]) + 0.5 - start) * step
        });
        let corners = [corner; 3];
        let point = Some([s, t, step]);
        let body = Body { corners, provoking, slope: Slope::NONE, back, offset, point, line: None };
        let primitive = self.planes(&body, origin);
        if self.setup.round_points {
            return self.disc(primitive, [corner.at.x, corner.at.y], half, bounds);
        }
        // Samples lie at multiples of the smallest distance, by which edges move from one side of them to the other.
        let aside = i32::from(self.setup.right_edges);
        let (left, right) = (left + aside, right + aside);
        self.outline(primitive, [[left, top], [right, top], [right, bottom]], bounds);
        self.outline(primitive, [[left, top], [right, bottom], [left, bottom]], bounds);
    }

    /// A polygon of so many sides that it differs from the circle by less than a sixteenth of a pixel, of points up to
    /// 128 pixels.
    fn disc(&mut self, primitive: Primitive, [x, y]: [i32; 2], radius: i32, bounds: Rect) {
        let corner = |i: usize| {
            let [across, down] = CIRCLE[i].map(|v| (v * f64::from(radius)).round() as i32);
            [x + across, y + down]
        };
        let first = corner(0);
        for i in 2..SIDES {
            self.outline(primitive, [first, corner(i - 1), corner(i)], bounds);
        }
    }
}
