//! Splitting the order of a large draw into segments: each is shaded and set up before the next, so that the memory a
//! draw takes does not grow with its vertices.
//!
//! The primitives of the segments, one after another, are those of the order. Where primitives share vertices segments
//! overlap. A run, that is the vertices between two [`RESTART`]s, may be split anywhere between two primitives;
//! [`Split`] tells assembly so, for the primitives that depend on where a run begins or ends.

use std::ops::Range;

use super::topology::Topology;
use crate::draw::vertex_reuse::RESTART;

/// How the primitives of a run share its vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// Vertices of a primitive, at least 1, without a hub.
    pub vertices: usize,
    /// Vertices from one primitive to the next, from 1 to `vertices`.
    pub step: usize,
    /// Whether the first vertex of a run belongs to all of its primitives.
    pub hub: bool,
    /// Whether the first vertex of a run ends its last primitive.
    pub closed: bool,
    /// Whether the primitives at the ends of a run are made otherwise than those between: a segment then has one more
    /// wherever it is split, which is not drawn with it.
    pub margin: bool,
}

impl Sharing {
    /// How primitives of a topology share vertices.
    pub const fn of(topology: Topology) -> Self {
        match topology {
            Topology::Points => Sharing::new(1, 1),
            Topology::Lines => Sharing::new(2, 2),
            Topology::LineLoop => Sharing { closed: true, ..Sharing::new(2, 1) },
            Topology::LineStrip => Sharing::new(2, 1),
            Topology::Triangles => Sharing::new(3, 3),
            Topology::TriangleStrip => Sharing::new(3, 1),
            Topology::TriangleFan | Topology::Polygon => Sharing { hub: true, ..Sharing::new(2, 1) },
            Topology::Quads | Topology::QuadsByFourth => Sharing::new(4, 4),
            Topology::QuadStrip | Topology::QuadStripAsTriangles => Sharing::new(4, 2),
        }
    }

    /// Primitives of so many vertices, each `step` vertices after the one before.
    pub const fn new(vertices: usize, step: usize) -> Self {
        Sharing { vertices, step, hub: false, closed: false, margin: false }
    }

    /// Vertices of as many primitives as fit into `most`: an even number of them, as every second triangle of a strip
    /// has the other orientation, and at least two more than the next segment has as well.
    fn extent(self, most: usize) -> usize {
        let primitives = most.saturating_sub(self.vertices) / self.step + 1;
        let least = if self.margin { 4 } else { 2 };
        self.vertices + self.step * ((primitives & !1).max(least) - 1)
    }

    /// Vertices of a segment that is split after its last primitive which the next one has as well.
    fn overlap(self) -> usize {
        self.vertices - self.step + if self.margin { 2 * self.step } else { 0 }
    }
}

/// Where the run of a segment is split. A segment that is split has one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// The segment before has primitives of the same run.
    pub before: bool,
    /// The segment after has.
    pub after: bool,
}

impl Split {
    /// Whole runs.
    pub const NONE: Split = Split { before: false, after: false };
}

/// A part of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The first vertex of the run, where all primitives have it and the segment begins later.
    hub: Option<usize>,
    range: Range<usize>,
    /// The first vertex of the run, where it ends the last primitive.
    closing: Option<usize>,
    /// Where its run is split.
    pub split: Split,
}

impl Segment {
    /// The places of its vertices in the order.
    pub fn places(&self) -> impl Iterator<Item = usize> + use<> {
        self.hub.into_iter().chain(self.range.clone()).chain(self.closing)
    }

    /// Whether it is all of an order of so many vertices.
    pub fn is_all_of(&self, len: usize) -> bool {
        self.range == (0..len)
    }

    /// Adds its vertices to `out`.
    pub fn copy(&self, order: &[u32], out: &mut Vec<u32>) {
        out.extend(self.hub.map(|at| order[at]));
        out.extend_from_slice(&order[self.range.clone()]);
        out.extend(self.closing.map(|at| order[at]));
    }
}

/// The segments of an order.
#[derive(Clone, Debug)]
pub struct Segments<'a> {
    /// The order, unless it is known to have no [`RESTART`].
    order: Option<&'a [u32]>,
    len: usize,
    sharing: Sharing,
    most: usize,
    /// Where the next segment begins.
    start: usize,
    /// The beginning of the run that it continues.
    run: Option<usize>,
}

impl<'a> Segments<'a> {
    /// Segments of at most `most` vertices, or a few primitives if those have more.
    pub fn new(order: &'a [u32], sharing: Sharing, most: usize) -> Self {
        Segments { order: Some(order), ..Segments::without_restarts(order.len(), sharing, most) }
    }

    /// As [`Self::new`], for an order of `len` vertices without [`RESTART`].
    pub fn without_restarts(len: usize, sharing: Sharing, most: usize) -> Self {
        let most = most.max(sharing.extent(most));
        Segments { order: None, len, sharing, most, start: 0, run: None }
    }

    /// Whether there are no more.
    pub fn is_over(&self) -> bool {
        self.start >= self.len
    }

    /// The vertices that decide about the next segment: one more than it may have, or the rest.
    fn window(&self) -> &'a [u32] {
        self.order.map_or(&[], |order| &order[self.start..self.len.min(self.start + self.most + 1)])
    }

    /// Splits the run at the beginning of the rest.
    fn split(&mut self) -> Segment {
        let (start, run) = (self.start, self.run.unwrap_or(self.start));
        let end = start + self.sharing.extent(self.most);
        if end >= self.len {
            return self.end_of_run(self.len);
        }
        self.start = end - self.sharing.overlap();
        let split = Split { before: self.run.is_some(), after: true };
        let hub = self.run.filter(|_| self.sharing.hub);
        self.run = Some(run);
        Segment { hub, range: start..end, closing: None, split }
    }

    /// Everything up to `end`, where a run ends.
    fn end_of_run(&mut self, end: usize) -> Segment {
        let range = self.start..end;
        self.start = end + 1;
        let run = self.run.take();
        Segment {
            hub: run.filter(|_| self.sharing.hub),
            range,
            closing: run.filter(|_| self.sharing.closed),
            split: Split { before: run.is_some(), after: false },
        }
    }
}

impl Iterator for Segments<'_> {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        if self.is_over() {
            return None;
        }
        let is_restart = |&vertex: &u32| vertex == RESTART;
        let (window, is_rest) = (self.window(), self.len - self.start <= self.most);
        // Of a run that was split nothing but its rest, otherwise as many whole runs as there are.
        let end = match self.run {
            Some(_) => window.iter().position(is_restart),
            None if is_rest => None,
            None => window.iter().rposition(is_restart),
        };
        Some(match end {
            Some(end) => self.end_of_run(self.start + end),
            None if is_rest => self.end_of_run(self.len),
            None => self.split(),
        })
    }
}

#[cfg(test)]
mod tests;
