//! Triangles: clipping, facing, polygon modes.

use smallvec::SmallVec;

use super::clip::{self, Vertex};
use super::plane::{Body, Slope};
use super::setup::{Binner, Corner, Fill, PolygonMode, Winding, doubled_area, filled_edges};
use crate::frontend::budget::cost;

/// From the middle of a pixel to the samples of [`Fill::Smooth`], in 1/256 pixel.
const SMOOTH: i32 = 64;

impl Binner<'_> {
    /// Clips, culls and sets up a triangle that is not [dropped](Self::is_dropped). Bit i of `edges`: the edge from
    /// corner i on is one of its polygon's.
    #[inline(never)]
    pub(super) fn triangle(&mut self, vertices: [u32; 3], provoking: u32, edges: u8) {
        let corners = [self.corner(vertices[0]), self.corner(vertices[1]), self.corner(vertices[2])];
        let [Corner { at: a, .. }, Corner { at: b, .. }, Corner { at: c, .. }] = &corners;
        let mixed = a.negated != b.negated || a.negated != c.negated;
        let provoking = self.records.get(provoking);
        if a.outside | b.outside | c.outside == 0 && !mixed {
            self.polygon(&corners, vertices, provoking, edges);
            return;
        }
        // With coordinates of either sign the planes that each was compared with were not the same ones.
        let planes = if mixed { u16::MAX } else { a.outside | b.outside | c.outside };
        if !self.scene.charge_work(cost::clip_in_f64(planes.count_ones(), self.records.stride)) {
            return;
        }
        let negated = a.negated && !mixed;
        let polygon =
            corners.iter().map(|corner| Vertex::new(&self.setup.projection, corner.record, negated)).collect();
        let polygon = clip::polygon(&self.setup.projection, polygon, planes, &self.linear());
        let corners: SmallVec<[Corner<'_>; 6]> = polygon
            .iter()
            .map(|vertex| Corner { at: self.setup.projection.point(&vertex.position), record: &vertex.record })
            .collect();
        self.polygon(&corners, vertices, provoking, edges);
    }

    /// Whether nothing is drawn of a triangle because all of it is outside of a plane, or for its area. Known from
    /// three positions: half of a scene's triangles cost no more than that.
    #[inline]
    pub(super) fn is_dropped(&mut self, vertices: [u32; 3]) -> bool {
        let at = |vertex: u32| {
            let (group, lane) = self.projected.group(vertex);
            ([group.x[lane], group.y[lane]], group.outside[lane], group.negated[lane])
        };
        let (a, b, c) = (at(vertices[0]), at(vertices[1]), at(vertices[2]));
        if a.2 != b.2 || a.2 != c.2 {
            return false;
        }
        if a.1 | b.1 | c.1 == 0 {
            return self.drops(doubled_area([a.0, b.0, c.0]));
        }
        let is_outside = a.1 & b.1 & c.1 != 0;
        self.scene.dropped.outside += u64::from(is_outside);
        is_outside
    }

    /// The same, and counts it.
    #[inline]
    fn drops(&mut self, area: i64) -> bool {
        let is_culled = self.is_culled(area);
        if is_culled {
            let dropped = &mut self.scene.dropped;
            *(if area == 0 { &mut dropped.degenerate } else { &mut dropped.culled }) += 1;
        }
        is_culled
    }

    /// Whether nothing is drawn of a polygon with this signed area.
    #[inline]
    fn is_culled(&self, area: i64) -> bool {
        area == 0 || if self.is_back(area) { self.setup.cull.back } else { self.setup.cull.front }
    }

    /// Whether one sees the back of a polygon with this signed area, which is not 0.
    #[inline]
    fn is_back(&self, area: i64) -> bool {
        (area > 0) != (self.setup.front == Winding::Clockwise)
    }

    /// Draws a convex polygon inside of all planes, the clipped triangle `vertices`.
    fn polygon(&mut self, corners: &[Corner<'_>], vertices: [u32; 3], provoking: &[f32], edges: u8) {
        let triangles = || (2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]]);
        // Corners that were snapped apart from each other may turn slivers over; the whole counts.
        let area: i64 = triangles().map(|triangle| doubled_area(points(&triangle))).sum();
        if corners.is_empty() {
            self.scene.dropped.outside += 1;
            return;
        }
        if self.drops(area) {
            return;
        }
        let back = self.is_back(area);
        match self.setup.modes[usize::from(back)] {
            PolygonMode::Fill => {
                let last = corners.len() - 1;
                for (i, triangle) in triangles().enumerate() {
                    // Only the first and the last one have edges of the polygon at its first corner.
                    self.fill(triangle, provoking, back, [i == 0, true, i + 2 == last]);
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

    /// Fills a triangle. `outer`: which of its edges are the polygon's.
    fn fill(&mut self, corners: [Corner<'_>; 3], provoking: &[f32], back: bool, outer: [bool; 3]) {
        let points = points(&corners);
        let area = doubled_area(points);
        if area == 0 {
            self.scene.dropped.degenerate += 1;
            return;
        }
        let bounds = match self.setup.fill {
            Fill::Everything => self.setup.clip,
            Fill::Smooth => {
                let [low, high] = corners_of_box(points);
                self.bounds(&[low.map(|at| at - SMOOTH), high.map(|at| at + SMOOTH)])
            }
            Fill::Inside | Fill::Touched | Fill::Box => self.bounds(&points),
        };
        let Some(bounds) = bounds else { return self.scene.dropped.uncovered += 1 };
        let origin = [bounds.x0 as i32, bounds.y0 as i32];
        let slope = Slope::triangle(points, area, origin);
        let offset = Some(PolygonMode::Fill);
        let primitive = self.planes(&Body { corners, provoking, slope, back, offset, point: None, line: None }, origin);
        let [low, high] = match self.setup.fill {
            Fill::Inside => return self.push(primitive, filled_edges(points, area, [false; 3], 0), bounds),
            Fill::Touched => return self.push(primitive, filled_edges(points, area, outer, 128), bounds),
            Fill::Smooth => {
                let edges = filled_edges(points, area, [true; 3], SMOOTH.into());
                return self.push(primitive, edges, bounds);
            }
            Fill::Box => corners_of_box(points),
            Fill::Everything => {
                let first = |pixel: u32| 256 * pixel as i32;
                [[first(bounds.x0), first(bounds.y0)], [first(bounds.x1 + 1), first(bounds.y1 + 1)]]
            }
        };
        self.filled_outline(primitive, [low, [high[0], low[1]], high], bounds);
        self.filled_outline(primitive, [low, high, [low[0], high[1]]], bounds);
    }
}

/// The least and the greatest coordinates.
fn corners_of_box(points: [[i32; 2]; 3]) -> [[i32; 2]; 2] {
    let along = |axis: usize| points.map(|point| point[axis]);
    let least = |axis: usize| along(axis).into_iter().fold(i32::MAX, i32::min);
    let most = |axis: usize| along(axis).into_iter().fold(i32::MIN, i32::max);
    [[0, 1].map(least), [0, 1].map(most)]
}

fn points([a, b, c]: &[Corner<'_>; 3]) -> [[i32; 2]; 3] {
    let point = |corner: &Corner<'_>| [corner.at.x, corner.at.y];
    [point(a), point(b), point(c)]
}
