//! Setup: inputs of a draw's primitives, their edges and bounds.

use std::sync::Arc;

use smallvec::SmallVec;
use triglyph_guest::kernel::program::fragment::Primitive;

use super::assemble::{Provoking, Shape};
use super::project::Projection;
use super::projected::{Projected, ProjectedVertices};
use super::shade::Records;
use super::varying::{Varyings, WordPlanes};
use crate::scene::Rect;
use crate::scene::program::{Edges, ProgramScene, SamplePosition};

/// Everything between shaded vertices and a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramSetup {
    /// Viewport and planes.
    pub projection: Projection,
    /// Which winding is the front, rows counted downwards.
    pub front: Winding,
    /// Which sides of polygons are dropped.
    pub cull: CullFace,
    /// How the front and the back of polygons are drawn.
    pub modes: [PolygonMode; 2],
    /// Whether polygons drawn as lines and points have any.
    pub edges: bool,
    /// The depth offset of polygons.
    pub depth_offset: DepthOffset,
    /// Which vertex gives flat values.
    pub provoking: Provoking,
    /// Groups of four planes, as the fragment program's inputs count them.
    pub varyings: Varyings,
    /// The values of those planes.
    pub planes: Planes,
    /// Planes of single words instead, of machines whose attributes are words.
    pub words: Option<Arc<WordPlanes>>,
    /// Floats of a record: a primitive whose vertices are all below 0 in one of them is dropped.
    pub cull_distances: Vec<usize>,
    /// Which pixels of a triangle are filled.
    pub fill: Fill,
    /// Pixels.
    pub line_width: f32,
    /// The shape that a line covers.
    pub line_shape: LineShape,
    /// Lines with gaps.
    pub line_stipple: Option<LineStipple>,
    /// Pixels.
    pub point_size: PointSize,
    /// Pixels that a point has at least.
    pub smallest_point: f32,
    /// Points are discs instead of squares.
    pub round_points: bool,
    /// A sample on the right edge of a point or a smooth line belongs to it, one on the left edge does not (RSX).
    /// Otherwise it is the other way round, as with triangles.
    pub right_edges: bool,
    /// Lowest and highest x, lowest and highest y of the samples in a pixel.
    pub sample_span: [SamplePosition; 2],
    /// Pixels that may be touched; `None`: none.
    pub clip: Option<Rect>,
}

/// The values of planes of varyings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Planes {
    /// The value at the origin's centre and the steps, rounded to nearest.
    #[default]
    Nearest,
    /// Steps are cut to f32, and the value is that at the upper left corner of the origin (RSX).
    CutFromCorner,
}

/// An orientation, rows counted downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Winding {
    /// As clocks run.
    Clockwise,
    /// The other way round.
    #[default]
    CounterClockwise,
}

/// Sides of polygons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CullFace {
    /// The front.
    pub front: bool,
    /// The back.
    pub back: bool,
}

/// How polygons are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PolygonMode {
    /// Their insides.
    #[default]
    Fill,
    /// Their edges.
    Line,
    /// Their corners.
    Point,
}

/// The depth offset of polygons: `max(|dz/dx|, |dz/dy|) * factor + constant`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthOffset {
    /// Times the slope.
    pub factor: f32,
    /// Window depth.
    pub constant: f32,
    /// Whether it is for polygons drawn as fill, lines, points, in the order of [`PolygonMode`].
    pub enabled: [bool; 3],
    /// The constant is times `2^(e - 23)`, e the exponent of the primitive's largest depth: of float depth.
    pub float_units: bool,
    /// The largest magnitude of all; 0 none.
    pub clamp: f32,
}

impl DepthOffset {
    /// Whether it may move depth.
    pub fn counts(&self) -> bool {
        self.enabled.contains(&true) && (self.factor != 0.0 || self.constant != 0.0)
    }
}

/// The shape that a triangle fills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fill {
    /// Samples inside of it.
    #[default]
    Inside,
    /// All samples of pixels that it touches. Samples have to lie in the middle of their pixel.
    Touched,
    /// All pixels of which one of four samples, a quarter of a pixel from the middle along both axes, is inside of its
    /// edges.
    Smooth,
    /// The rectangle around it.
    Box,
    /// All that may be touched.
    Everything,
}

/// The shape that a line covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LineShape {
    /// A parallelogram whose ends lie along an axis: as many pixels in each column, or row.
    #[default]
    Steps,
    /// A rectangle along the line.
    Rectangle,
    /// All pixels that a rectangle along the line covers a part of; see [`WordValue::LineShare`].
    ///
    /// [`WordValue::LineShare`]: super::varying::WordValue::LineShare
    Smooth,
}

/// Gaps in lines: pixel n along a line is drawn if bit n / factor % 16 of the pattern is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineStipple {
    /// At least 1.
    pub factor: u32,
    /// The pattern.
    pub pattern: u16,
}

/// Edge of the square that a point is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointSize {
    /// Pixels.
    Fixed(f32),
    /// This float of a record.
    Register(usize),
}

/// The result of a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Primitives binned.
    pub primitives: u64,
    /// Pixels in their bounding boxes.
    pub pixels: u64,
    /// Pixels of the stippled line that its last primitive belongs to.
    pub stipple: u32,
}

impl Drawn {
    /// Adds the result of the primitives that follow.
    pub fn add(&mut self, more: Drawn) {
        self.primitives += more.primitives;
        self.pixels += more.pixels;
        self.stipple = more.stipple;
    }
}

/// A draw on its way into a scene.
pub(super) struct Binner<'a> {
    pub setup: &'a ProgramSetup,
    pub records: &'a Records,
    pub projected: &'a ProjectedVertices,
    pub scene: &'a mut ProgramScene,
    /// Number of the primitive.
    pub id: u32,
    pub drawn: Drawn,
}

/// A corner of a primitive: where it is and the values there.
#[derive(Clone, Copy)]
pub(super) struct Corner<'a> {
    pub at: Projected,
    pub record: &'a [f32],
}

impl<'a> Binner<'a> {
    pub(super) fn shapes(&mut self, shapes: &[(Shape, u32)]) {
        for &(shape, id) in shapes {
            self.id = id;
            self.shape(shape);
        }
    }

    #[inline]
    pub(super) fn shape(&mut self, shape: Shape) {
        match shape {
            Shape::Triangle { corners, .. } if self.culled(&corners) || self.is_dropped(corners) => {}
            Shape::Triangle { corners, provoking, edges } => self.triangle(corners, provoking, edges),
            Shape::Line { ends, .. } if self.culled(&ends) => {}
            Shape::Line { ends, provoking, continues } => self.line(ends, provoking, continues),
            Shape::Point(vertex) if self.culled(&[vertex]) => {}
            Shape::Point(vertex) => self.point(vertex),
        }
    }

    /// Whether all vertices are on the outer side of a cull distance.
    fn culled(&mut self, vertices: &[u32]) -> bool {
        let outside = |at: usize| vertices.iter().all(|&v| self.records.get(v).get(at).is_some_and(|&d| d < 0.0));
        let is_culled = self.setup.cull_distances.iter().any(|&at| outside(at));
        self.scene.dropped.outside += u64::from(is_culled);
        is_culled
    }

    /// Floats of a record that are linear in the window; those that planes cut by are not.
    pub(super) fn linear(&self) -> SmallVec<[usize; 8]> {
        let read = self.setup.words.iter().flat_map(|words| words.linear()).filter(|&at| at < self.records.stride);
        let cuts = |at: usize| self.setup.projection.distances.iter().flatten().any(|distance| distance.at == at);
        read.filter(|&at| !cuts(at)).collect()
    }

    /// A vertex as a corner.
    pub(super) fn corner(&self, vertex: u32) -> Corner<'a> {
        Corner { at: self.projected.get(vertex), record: self.records.get(vertex) }
    }

    /// The pixels that a shape through these points may cover; `None` when there are none.
    pub(super) fn bounds(&self, points: &[[i32; 2]]) -> Option<Rect> {
        let clip = self.setup.clip?;
        let [low, high] = self.setup.sample_span.map(|at| at.map(i32::from));
        let range = |axis: usize| {
            let along = points.iter().map(|point| point[axis]);
            let (min, max) = (along.clone().min().unwrap_or(0), along.max().unwrap_or(-1));
            // The first pixel with a sample at or after min, the last with one at or before max.
            ((min - high[axis] + 255) >> 8, (max - low[axis]) >> 8)
        };
        let ((x0, x1), (y0, y1)) = (range(0), range(1));
        if x1 < x0.max(0) || y1 < y0.max(0) {
            return None;
        }
        let bounds = Rect { x0: x0.max(0) as u32, y0: y0.max(0) as u32, x1: x1 as u32, y1: y1 as u32 };
        bounds.intersect(clip)
    }

    /// Bins a triangle of a line or a point. Nothing happens without area.
    pub(super) fn outline(&mut self, primitive: Primitive, mut points: [[i32; 2]; 3], within: Rect) {
        match doubled_area(points) {
            0 => return self.scene.dropped.degenerate += 1,
            area if area < 0 => points.swap(1, 2),
            _ => {}
        }
        self.bin(primitive, points, edges(points), within);
    }

    /// Bins a triangle of the shape that a filled polygon covers instead of itself.
    pub(super) fn filled_outline(&mut self, primitive: Primitive, points: [[i32; 2]; 3], within: Rect) {
        let area = doubled_area(points);
        if area != 0 {
            self.bin(primitive, points, filled_edges(points, area, [false; 3], 0), within);
        }
    }

    fn bin(&mut self, primitive: Primitive, points: [[i32; 2]; 3], edges: Edges, within: Rect) {
        if let Some(bounds) = self.bounds(&points).and_then(|bounds| bounds.intersect(within)) {
            self.push(primitive, edges, bounds);
        }
    }

    /// Adds a primitive to the scene.
    pub(super) fn push(&mut self, primitive: Primitive, edges: Edges, bounds: Rect) {
        if !self.scene.charge(edges.area(), bounds) {
            return;
        }
        self.drawn.primitives += 1;
        self.drawn.pixels += u64::from(bounds.x1 - bounds.x0 + 1) * u64::from(bounds.y1 - bounds.y0 + 1);
        self.scene.push(primitive, edges, bounds);
    }
}

/// Edge functions of a triangle of a filled polygon, which has an area. The edges from corners in `grown` on are moved
/// outwards by `distance`, 1/256 pixel, along both axes: then the middle of a pixel is inside of an edge where any
/// corner of the square of twice that size around it was.
pub(super) fn filled_edges(mut points: [[i32; 2]; 3], area: i64, mut grown: [bool; 3], distance: i64) -> Edges {
    if area < 0 {
        points.swap(1, 2);
        // Edge 1 stays between the same corners; the others change places.
        grown.swap(0, 2);
    }
    let mut edges = Edges { stippled: true, ..edges(points) };
    for k in (0..3).filter(|&k| grown[k]) {
        edges.corner[k] += distance * (i64::from(edges.dx[k]).abs() + i64::from(edges.dy[k]).abs());
    }
    edges
}

/// Twice the signed area in 1/65536 pixels, positive when clockwise with rows counted downwards.
pub(super) fn doubled_area([a, b, c]: [[i32; 2]; 3]) -> i64 {
    let from_a = |p: [i32; 2]| [i64::from(p[0]) - i64::from(a[0]), i64::from(p[1]) - i64::from(a[1])];
    let ([bx, by], [cx, cy]) = (from_a(b), from_a(c));
    bx * cy - by * cx
}

/// Edge functions of a clockwise triangle. Samples exactly on an edge belong to it when the edge is its left or its top
/// one.
fn edges(points: [[i32; 2]; 3]) -> Edges {
    let mut edges = Edges::default();
    for k in 0..3 {
        let ([px, py], [qx, qy]) = (points[k], points[(k + 1) % 3]);
        let (dx, dy) = (qx - px, qy - py);
        let included = dy < 0 || dy == 0 && dx > 0;
        edges.dx[k] = -dy;
        edges.dy[k] = dx;
        let at_zero = i64::from(dy) * i64::from(px) - i64::from(dx) * i64::from(py);
        edges.corner[k] = at_zero - i64::from(!included);
    }
    edges
}
