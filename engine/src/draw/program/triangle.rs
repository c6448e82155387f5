//! Triangles: clipping, facing, polygon modes.

use super::clip::{self, Vertex};
use super::setup::{Binner, Body, Corner, PolygonMode, Slope, Winding, doubled_area};
use crate::scene::Rect;

impl Binner<'_> {
    /// Clips, culls and sets up a triangle. Bit i of `edges`: the edge from corner i on is one of its polygon's.
    pub(super) fn triangle(&mut self, vertices: [u32; 3], provoking: u32, edges: u8) {
        let corners = vertices.map(|vertex| self.corner(vertex));
        let [a, b, c] = corners.map(|corner| corner.at);
        let mixed = a.negated != b.negated || a.negated != c.negated;
        if a.outside & b.outside & c.outside != 0 && !mixed {
            return;
        }
        let provoking = self.records.get(provoking);
        if a.outside | b.outside | c.outside == 0 && !mixed {
            self.polygon(&corners, vertices, provoking, edges);
            return;
        }
        let negated = a.negated && !mixed;
        let polygon =
            corners.iter().map(|corner| Vertex::new(&self.setup.projection, corner.record, negated)).collect();
        // With coordinates of either sign the planes that each was compared with were not the same ones.
        let planes = if mixed { u16::MAX } else { a.outside | b.outside | c.outside };
        let polygon = clip::polygon(&self.setup.projection, polygon, planes);
        let corners: Vec<Corner<'_>> = polygon
            .iter()
            .map(|vertex| Corner { at: self.setup.projection.point(&vertex.position), record: &vertex.record })
            .collect();
        self.polygon(&corners, vertices, provoking, edges);
    }

    /// Draws a convex polygon inside of all planes, what is left of the triangle `vertices`.
    fn polygon(&mut self, corners: &[Corner<'_>], vertices: [u32; 3], provoking: &[f32], edges: u8) {
        let triangles = || (2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]]);
        // Corners that were snapped apart from each other may turn slivers over; the whole counts.
        let area: i64 = triangles().map(|triangle| doubled_area(points(&triangle))).sum();
        if area == 0 {
            return;
        }
        let winding = if area > 0 { Winding::Clockwise } else { Winding::CounterClockwise };
        let back = winding != self.setup.front;
        let culled = if back { self.setup.cull.back } else { self.setup.cull.front };
        if culled {
            return;
        }
        match self.setup.modes[usize::from(back)] {
            PolygonMode::Fill => {
                for triangle in triangles() {
                    self.fill(triangle, provoking, back);
                }
            }
            PolygonMode::Line if self.setup.edges => {
                for i in (0..3).filter(|i| edges >> i & 1 != 0) {
                    self.edge([vertices[i], vertices[(i + 1) % 3]], provoking, back, i > 0);
                }
            }
            PolygonMode::Point if self.setup.edges => {
                for i in (0..3).filter(|i| edges >> i & 1 != 0) {
                    self.corner_point(vertices[i], provoking, back);
                }
            }
            PolygonMode::Line | PolygonMode::Point => {}
        }
    }

    fn fill(&mut self, corners: [Corner<'_>; 3], provoking: &[f32], back: bool) {
        let points = points(&corners);
        let area = doubled_area(points);
        if area == 0 {
            return;
        }
        let Some(bounds) = self.bounds(&points) else { return };
        if self.setup.boxes {
            return self.fill_box(corners, provoking, back, points, bounds);
        }
        let origin = [bounds.x0 as i32, bounds.y0 as i32];
        let slope = Slope::triangle(points, area, origin);
        let offset = Some(PolygonMode::Fill);
        let primitive = self.planes(&Body { corners, provoking, slope, back, offset, point: None }, origin);
        self.outline(primitive, points, bounds);
    }
}

impl Binner<'_> {
    /// Fills the rectangle around a triangle with the triangle's planes.
    fn fill_box(
        &mut self,
        corners: [Corner<'_>; 3],
        provoking: &[f32],
        back: bool,
        points: [[i32; 2]; 3],
        bounds: Rect,
    ) {
        let origin = [bounds.x0 as i32, bounds.y0 as i32];
        let slope = Slope::triangle(points, doubled_area(points), origin);
        let offset = Some(PolygonMode::Fill);
        let primitive = self.planes(&Body { corners, provoking, slope, back, offset, point: None }, origin);
        let (mut low, mut high) = (points[0], points[0]);
        for point in points {
            low = [0, 1].map(|axis| low[axis].min(point[axis]));
            high = [0, 1].map(|axis| high[axis].max(point[axis]));
        }
        self.outline(primitive, [low, [high[0], low[1]], high], bounds);
        self.outline(primitive, [low, high, [low[0], high[1]]], bounds);
    }
}

fn points(corners: &[Corner<'_>; 3]) -> [[i32; 2]; 3] {
    corners.map(|corner| [corner.at.x, corner.at.y])
}
