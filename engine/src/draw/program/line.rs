//! Lines as parallelograms: the ends lie along y for lines that are wide rather than high, along x for the others. No
//! hardware's rule is known; this covers the pixels that diamonds would but for the last one, in either direction.
//!
//! Values of parallelograms depend on that axis alone. Those of rectangles depend on the place along the line,
//! `t = (p - a)·(b - a) / |b - a|²`, as Vulkan's strict lines, which NVIDIA's chips have, and OpenGL want it.

use smallvec::{SmallVec, smallvec};

use super::clip::{self, Vertex};
use super::plane::{Body, Slope};
use super::setup::{Binner, Corner, LineShape, LineStipple, PolygonMode};
use crate::frontend::budget::cost;
use crate::scene::Rect;

impl Binner<'_> {
    /// Sets up a line of its own.
    #[inline(never)]
    pub(super) fn line(&mut self, ends: [u32; 2], provoking: u32, continues: bool) {
        let provoking = self.records.get(provoking);
        self.any_line(ends, provoking, false, None, continues);
    }

    /// Sets up the edge of a polygon.
    pub(super) fn edge(&mut self, ends: [u32; 2], provoking: &[f32], back: bool, continues: bool) {
        self.any_line(ends, provoking, back, Some(PolygonMode::Line), continues);
    }

    fn any_line(
        &mut self,
        ends: [u32; 2],
        provoking: &[f32],
        back: bool,
        offset: Option<PolygonMode>,
        continues: bool,
    ) {
        if !continues {
            self.drawn.stipple = 0;
        }
        let ends = ends.map(|vertex| self.corner(vertex));
        let [a, b] = ends.map(|corner| corner.at);
        let mixed = a.negated != b.negated;
        if a.outside & b.outside != 0 && !mixed {
            self.scene.dropped.outside += 1;
            return;
        }
        if a.outside | b.outside == 0 && !mixed {
            self.segment(ends, provoking, back, offset);
            return;
        }
        let planes = if mixed { u16::MAX } else { a.outside | b.outside };
        if !self.scene.charge_work(cost::clip_in_f64(planes.count_ones(), self.records.stride)) {
            return;
        }
        let ends = ends.map(|corner| Vertex::new(&self.setup.projection, corner.record, a.negated && !mixed));
        let Some(ends) = clip::line(&self.setup.projection, ends, planes, &self.linear()) else {
            return self.scene.dropped.outside += 1;
        };
        let ends = ends
            .each_ref()
            .map(|vertex| Corner { at: self.setup.projection.point(&vertex.position), record: &vertex.record });
        self.segment(ends, provoking, back, offset);
    }

    /// A line inside of all planes.
    fn segment(&mut self, ends: [Corner<'_>; 2], provoking: &[f32], back: bool, offset: Option<PolygonMode>) {
        let [from, to] = ends.map(|corner| [corner.at.x, corner.at.y]);
        let distance = [0, 1].map(|axis| (i64::from(to[axis]) - i64::from(from[axis])).unsigned_abs());
        let axis = usize::from(distance[0] < distance[1]);
        if distance[axis] == 0 {
            self.scene.dropped.degenerate += 1;
            return;
        }
        let [first, end] = match self.setup.line_shape {
            LineShape::Steps => half_open(from, to, axis),
            LineShape::Rectangle | LineShape::Smooth => [from, to],
        };
        let outline = self.outline_of(first, end, axis);
        let Some(bounds) = self.bounds(&outline) else {
            self.scene.dropped.uncovered += 1;
            self.skip_stipple(first[axis], end[axis]);
            return;
        };
        let origin = [bounds.x0 as i32, bounds.y0 as i32];
        let slope = match self.setup.line_shape {
            LineShape::Steps => Slope::axis([from, to], axis, origin),
            LineShape::Rectangle | LineShape::Smooth => Slope::line([from, to], origin),
        };
        let [a, b] = ends;
        let line = (self.setup.line_shape == LineShape::Smooth).then(|| self.shares(from, to, origin));
        let body = Body { corners: [a, b, a], provoking, slope, back, offset, point: None, line };
        let primitive = self.planes(&body, origin);
        let [p, q, r, s] = outline;
        for within in self.dashes(axis, first[axis], end[axis], bounds) {
            self.outline(primitive, [p, q, r], within);
            self.outline(primitive, [p, r, s], within);
        }
    }

    /// The corners of a line's outline, around it.
    fn outline_of(&self, mut from: [i32; 2], mut to: [i32; 2], axis: usize) -> [[i32; 2]; 4] {
        let mut half = self.setup.line_width * 128.0;
        if self.setup.line_shape == LineShape::Smooth {
            // Half a pixel further on each side, without the pixels that are just not covered unless edges decide.
            let further = if self.setup.right_edges { 128.0 } else { 127.0 };
            let [x, y] = direction(from, to).map(|v| (v * further).round() as i32);
            let aside = i32::from(self.setup.right_edges);
            (from, to) = ([from[0] - x + aside, from[1] - y], [to[0] + x + aside, to[1] + y]);
            half += further as f32;
        }
        let aside = match self.setup.line_shape {
            LineShape::Steps if axis == 0 => [0, half as i32],
            LineShape::Steps => [half as i32, 0],
            LineShape::Rectangle | LineShape::Smooth => {
                let [dx, dy] = direction(from, to).map(|v| v * f64::from(half));
                // As the other shape has it: the second half lies down or to the right.
                let side = if axis == 0 { dx.signum() } else { -dy.signum() };
                [-dy * side, dx * side].map(|v| v.round() as i32)
            }
        };
        let [ax, ay] = aside;
        let (less, more) = (|[x, y]: [i32; 2]| [x - ax, y - ay], |[x, y]: [i32; 2]| [x + ax, y + ay]);
        [less(from), less(to), more(to), more(from)]
    }

    /// How far pixels lie inside of a smooth line's sides and ends, each moved out by half a pixel: a filter of a
    /// pixel's width along and across the line.
    fn shares(&self, from: [i32; 2], to: [i32; 2], origin: [i32; 2]) -> [[f64; 3]; 4] {
        let [x, y] = direction(from, to);
        let [start, end] = [from, to].map(|at| at.map(|v| f64::from(v) / 256.0));
        let middle = origin.map(|v| f64::from(v) + 0.5);
        let (right, down) = (middle[0] - start[0], middle[1] - start[1]);
        let half = f64::from(self.setup.line_width) / 2.0 + 0.5;
        let length = (end[0] - start[0]) * x + (end[1] - start[1]) * y;
        let (across, along) = (right * -y + down * x, right * x + down * y);
        [[half - across, y, -x], [half + across, -y, x], [along + 0.5, x, y], [length + 0.5 - along, -x, -y]]
    }

    /// Lets the stipple go on for a line that is not seen.
    fn skip_stipple(&mut self, from: i32, to: i32) {
        if self.setup.line_stipple.is_some() {
            let (first, last) = pixels(from, to);
            self.drawn.stipple = self.drawn.stipple.wrapping_add((last - first + 1).max(0) as u32);
        }
    }

    /// The parts of a line's bounds that its stipple lets through.
    fn dashes(&mut self, axis: usize, from: i32, to: i32, bounds: Rect) -> SmallVec<[Rect; 4]> {
        let Some(LineStipple { factor, pattern }) = self.setup.line_stipple else { return smallvec![bounds] };
        let start = self.drawn.stipple;
        self.skip_stipple(from, to);
        let (first, last) = pixels(from, to);
        let (low, high) = if axis == 0 { (bounds.x0, bounds.x1) } else { (bounds.y0, bounds.y1) };
        if !self.scene.charge_work(u64::from(high - low) / cost::STIPPLED_PIXELS) {
            return SmallVec::new();
        }
        let drawn = |pixel: i32| {
            let along = if from <= to { pixel - first } else { last - pixel };
            let step = start.wrapping_add(along as u32) / factor.max(1);
            pattern >> (step % 16) & 1 != 0
        };
        let mut dashes: SmallVec<[Rect; 4]> = SmallVec::new();
        for pixel in low..=high {
            if !drawn(pixel as i32) {
                continue;
            }
            match dashes.last_mut() {
                Some(dash) if axis == 0 && dash.x1 + 1 == pixel => dash.x1 = pixel,
                Some(dash) if axis == 1 && dash.y1 + 1 == pixel => dash.y1 = pixel,
                _ if axis == 0 => dashes.push(Rect { x0: pixel, x1: pixel, ..bounds }),
                _ => dashes.push(Rect { y0: pixel, y1: pixel, ..bounds }),
            }
        }
        dashes
    }
}

/// The direction of a line, of length 1.
fn direction(from: [i32; 2], to: [i32; 2]) -> [f64; 2] {
    let [dx, dy] = [0, 1].map(|axis| f64::from(to[axis]) - f64::from(from[axis]));
    let length = (dx * dx + dy * dy).sqrt();
    [dx / length, dy / length]
}

/// The ends of an outline that covers the pixel of the line's first end and not that of its last one. A parallelogram
/// has its left or upper end; a line that runs left or up is moved by the smallest distance, so that it has the other.
fn half_open(from: [i32; 2], to: [i32; 2], axis: usize) -> [[i32; 2]; 2] {
    let aside = i32::from(to[axis] < from[axis]);
    [from, to].map(|mut end| {
        end[axis] += aside;
        end
    })
}

/// The first and the last pixel whose centre lies between two positions.
fn pixels(from: i32, to: i32) -> (i32, i32) {
    let (low, high) = (from.min(to), from.max(to));
    ((low + 127) >> 8, ((high + 127) >> 8) - 1)
}
