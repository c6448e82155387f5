//! Triangle setup: fixed point, culling, edge functions, varyings over w.

use std::sync::Arc;

use smallvec::SmallVec;
use triglyph_guest::kernel::pixel::{CLOCKWISE, CONSTANT_W, FLAT_COLOR, Primitive, WIDE_EDGES, is_flat};
use triglyph_guest::kernel::vertex::{SCREEN, VertexConstants};
use wide::f32x4;

use super::{Shaded, clip};
use crate::frontend::budget::cost;
use crate::scene::{DrawState, Rect, Scene};

/// Which triangles are dropped, seen with y upwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Cull {
    /// None.
    #[default]
    Off,
    /// Counter-clockwise ones.
    CounterClockwise,
    /// Clockwise ones.
    Clockwise,
}

/// State of setup.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Culling.
    pub cull: Cull,
    /// Stored row of pixel row y: `Some(last)` stores `last - y`, `None` stores y.
    pub flip: Option<u32>,
    /// Slots of the vertex record that become varyings, ascending.
    pub slots: SmallVec<[u8; 24]>,
    /// Slots of a quaternion whose sign is made to agree between the vertices before it is interpolated.
    pub orientation: Option<[u8; 4]>,
    /// Viewport and clip plane, for vertices that clipping makes.
    pub constants: VertexConstants,
    /// Slots of the primary colour, if pixels read it: it is the same in all pixels of many primitives.
    pub colors: Option<[u8; 4]>,
    /// Another state for primitives whose primary colour has an alpha of 255 in all pixels.
    pub opaque: Option<OpaqueState>,
}

/// A state that does the same for primitives with an alpha of 255 as the draw's own, in less time.
#[derive(Clone, Debug)]
pub struct OpaqueState {
    /// Number of the alpha's varying.
    pub alpha: usize,
    /// The state.
    pub state: Arc<DrawState>,
    /// The draw's own.
    pub general: Arc<DrawState>,
}

impl OpaqueState {
    /// Makes it the state of a primitive that comes next, or takes it back. Once one of a draw needs the general state,
    /// those after it have that as well: a state for each primitive would cost more than it gains.
    fn choose(&self, scene: &mut Scene, primitive: &Primitive) {
        let alpha = scene.varyings[primitive.first_varying as usize + self.alpha];
        if !primitive.has_opaque(&alpha) {
            scene.set_state(self.general.clone());
        } else if scene.has_unused_state() {
            scene.set_state(self.state.clone());
        }
    }
}

/// Pixel positions have four bits of fraction.
const SUBPIXELS: i64 = 16;

/// A corner in fixed point.
#[derive(Clone, Copy)]
struct Corner<'a> {
    x: i64,
    y: i64,
    record: &'a [f32],
}

fn corners([a, b, c]: [&[f32]; 3]) -> [Corner<'_>; 3] {
    let (x, y) = (to_fixed([a[0], b[0], c[0]]), to_fixed([a[1], b[1], c[1]]));
    let corner = |k: usize, record| Corner { x: x[k].into(), y: y[k].into(), record };
    [corner(0, a), corner(1, b), corner(2, c)]
}

/// Rounds to 1/16 pixel, halves away from zero; NaN gives 0. The range is that of 16 bits.
#[inline]
fn to_fixed([a, b, c]: [f32; 3]) -> [i32; 3] {
    let scaled = f32x4::new([a, b, c, 0.0]) * f32x4::splat(SUBPIXELS as f32);
    let scaled = (scaled & !scaled.is_nan()).fast_max(f32x4::splat(-32768.0)).fast_min(f32x4::splat(32767.0));
    // Half less the smallest step cannot bring a smaller fraction to 1.
    const HALF: f32 = 0.5 - f32::EPSILON / 4.0;
    let half = f32x4::splat(HALF) | (scaled & f32x4::splat(-0.0));
    let [a, b, c, _] = (scaled + half).fast_trunc_int().to_array();
    [a, b, c]
}

/// Twice the signed area, positive when a, b, c run counter-clockwise with y upwards.
fn area2(a: (i64, i64), b: (i64, i64), c: (i64, i64)) -> i64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

/// Whether the quaternion of vertex 1 or 2 points away from that of vertex 0.
fn disagree(records: &[&[f32]; 3], slots: [u8; 4], groups: u32) -> bool {
    groups & 1 << (slots[0] / 4) != 0 && (1..3).any(|k| quaternion_dot(records[k], records[0], slots) < 0.0)
}

fn quaternion_dot(a: &[f32], b: &[f32], slots: [u8; 4]) -> f32 {
    let product = |slot: u8| a[SCREEN + usize::from(slot)] * b[SCREEN + usize::from(slot)];
    ((product(slots[0]) + product(slots[1])) + product(slots[2])) + product(slots[3])
}

/// Copies of the records in which the quaternions of vertices 1 and 2 agree with that of vertex 0: q and -q are the
/// same rotation, but what lies between them is not.
fn orient(records: [&[f32]; 3], slots: [u8; 4]) -> [SmallVec<[f32; 32]>; 3] {
    let mut out = records.map(SmallVec::from_slice);
    for k in 1..3 {
        if quaternion_dot(records[k], records[0], slots) < 0.0 {
            slots.iter().for_each(|&slot| out[k][SCREEN + usize::from(slot)] *= -1.0);
        }
    }
    out
}

/// Pixels of a primitive from which on it gains more to know what they have in common than it takes to find out.
const PIXELS_WORTH_A_LOOK: u64 = 64;

/// Whether a colour in these slots is the same in all pixels. What is in no group is 1.
#[inline]
fn has_flat_color([a, b, c]: [&[f32]; 3], slots: [u8; 4], groups: u32) -> bool {
    slots.into_iter().all(|slot| {
        let at = SCREEN + usize::from(slot);
        groups & 1 << (slot / 4) == 0 || is_flat([a[at], b[at], c[at]])
    })
}

impl Setup {
    /// Clips, culls and sets up one triangle of `shaded`. Returns how many primitives it became.
    pub fn triangle(&self, shaded: &Shaded, [a, b, c]: [u32; 3], scene: &mut Scene) -> u32 {
        let codes = [shaded.clip[a as usize], shaded.clip[b as usize], shaded.clip[c as usize]];
        if codes[0] & codes[1] & codes[2] != 0 {
            scene.dropped.outside += 1;
            return 0;
        }
        let records = [shaded.record(a), shaded.record(b), shaded.record(c)];
        if let Some(slots) = self.orientation.filter(|slots| disagree(&records, *slots, shaded.groups)) {
            let oriented = orient(records, slots);
            return self.oriented(oriented.each_ref().map(|record| &record[..]), codes, shaded.groups, scene);
        }
        self.oriented(records, codes, shaded.groups, scene)
    }

    /// Clips, culls and sets up a triangle whose quaternions agree.
    fn oriented(&self, records: [&[f32]; 3], codes: [u8; 3], groups: u32, scene: &mut Scene) -> u32 {
        let planes = codes[0] | codes[1] | codes[2];
        if planes == 0 {
            return u32::from(self.emit(records, groups, scene));
        }
        let stride = records[0].len();
        if !scene.charge_work(cost::clip(planes.count_ones(), stride)) {
            return 0;
        }
        let mut clipper = clip::Clipper::new(stride);
        let polygon = clipper.clip(records, planes, &self.constants.clip_plane);
        polygon.chunks_exact_mut(stride).for_each(|record| self.project(record));
        let mut corners = polygon.chunks_exact(stride);
        let (Some(first), Some(mut before)) = (corners.next(), corners.next()) else {
            scene.dropped.outside += 1;
            return 0;
        };
        let mut count = 0;
        for last in corners {
            count += u32::from(self.emit([first, before, last], groups, scene));
            before = last;
        }
        count
    }

    /// Screen position of a vertex that clipping made; the formula of
    /// [`triglyph_guest::kernel::vertex::VertexJob::records`].
    fn project(&self, record: &mut [f32]) {
        let [x, y, z, w] = [0, 1, 2, 3].map(|i| record[SCREEN + i]);
        let iw = 1.0 / w;
        let VertexConstants { half, corner, .. } = self.constants;
        record[0] = (x * iw + 1.0) * half[0] + corner[0];
        record[1] = (y * iw + 1.0) * half[1] + corner[1];
        record[2] = z * iw;
        record[3] = iw;
    }

    /// Sets up a triangle that needs no clipping. Returns whether it may cover pixels.
    fn emit(&self, records: [&[f32]; 3], groups: u32, scene: &mut Scene) -> bool {
        let mut corners = corners(records);
        let point = |c: &Corner<'_>| (c.x, c.y);
        let mut area = area2(point(&corners[0]), point(&corners[1]), point(&corners[2]));
        let swap = match self.cull {
            Cull::Off => area < 0,
            Cull::CounterClockwise => true,
            Cull::Clockwise => false,
        };
        let is_clockwise = area < 0;
        if swap {
            corners.swap(1, 2);
            area = -area;
        }
        if area <= 0 {
            *(if area == 0 { &mut scene.dropped.degenerate } else { &mut scene.dropped.culled }) += 1;
            return false;
        }
        let Some(bounds) = self.bounds(&corners, scene) else {
            scene.dropped.uncovered += 1;
            return false;
        };
        let pixels = area as u64 / (2 * SUBPIXELS * SUBPIXELS) as u64;
        if !scene.charge(pixels, bounds) {
            return false;
        }
        let Some(mut primitive) = self.edges(&corners, area) else {
            scene.dropped.degenerate += 1;
            return false;
        };
        primitive.flags |= if is_clockwise { CLOCKWISE } else { 0 };
        for (k, corner) in corners.iter().enumerate() {
            primitive.z[k] = corner.record[2];
            primitive.inv_w[k] = corner.record[3];
        }
        let [a, b, c] = &corners;
        let records = [a.record, b.record, c.record];
        if pixels >= PIXELS_WORTH_A_LOOK && primitive.has_usual_w() {
            let is_flat = self.colors.is_some_and(|slots| has_flat_color(records, slots, groups));
            let is_constant = primitive.has_constant_w();
            primitive.flags |= if is_flat { FLAT_COLOR } else { 0 } | if is_constant { CONSTANT_W } else { 0 };
        }
        let first = scene.varyings.len();
        primitive.first_varying = first as u32;
        scene.varyings.resize(first + self.slots.len(), [0.0; 3]);
        self.varyings(records, primitive.inv_w, groups, &mut scene.varyings[first..]);
        if let Some(opaque) = &self.opaque {
            opaque.choose(scene, &primitive);
        }
        scene.push(primitive, (), bounds);
        true
    }

    /// Values of the slots at three corners, each times the corner's 1/w. What is in no group is 1.
    #[inline]
    fn varyings(&self, [a, b, c]: [&[f32]; 3], inv_w: [f32; 3], groups: u32, varyings: &mut [[f32; 3]]) {
        // Slices of one length, so that it is compared once.
        let all = a.len().min(b.len()).min(c.len());
        let (a, b, c) = (&a[SCREEN..all], &b[SCREEN..all], &c[SCREEN..all]);
        for (varying, &slot) in varyings.iter_mut().zip(&self.slots) {
            // Value by value: arrays would be put together in memory first.
            let at = usize::from(slot);
            if groups & 1 << (slot / 4) != 0 {
                varying[0] = a[at] * inv_w[0];
                varying[1] = b[at] * inv_w[1];
                varying[2] = c[at] * inv_w[2];
            } else {
                *varying = inv_w;
            }
        }
    }

    /// The pixels of the target whose centres lie in the bounding box, in stored rows.
    fn bounds(&self, corners: &[Corner<'_>; 3], scene: &Scene) -> Option<Rect> {
        let [a, b, c] = corners;
        let (xs, ys) = ([a.x, b.x, c.x], [a.y, b.y, c.y]);
        let centre = SUBPIXELS / 2;
        let low = |v: [i64; 3]| (v[0].min(v[1]).min(v[2]) + centre - 1).div_euclid(SUBPIXELS).max(0);
        let high = |v: [i64; 3]| (v[0].max(v[1]).max(v[2]) - centre).div_euclid(SUBPIXELS);
        let x1 = high(xs).min(i64::from(scene.target.width) - 1);
        let y1 = high(ys).min(i64::from(scene.target.rows) - 1);
        let (x0, y0) = (low(xs), low(ys));
        if x0 > x1 || y0 > y1 {
            return None;
        }
        let (y0, y1) = match self.flip {
            Some(last) => (i64::from(last) - y1, i64::from(last) - y0),
            None => (y0, y1),
        };
        Some(Rect { x0: x0 as u32, y0: y0.max(0) as u32, x1: x1 as u32, y1: y1 as u32 })
    }

    /// Edge functions at the centre of pixel (0, stored row 0), and their steps.
    ///
    /// An edge from p to q includes the pixels exactly on it when q lies below p, or right of it at the same height;
    /// the others are lowered by 1, which also enters the interpolation weights and their sum. (What the reference
    /// pictures show; never verified on hardware.)
    fn edges(&self, corners: &[Corner<'_>; 3], area: i64) -> Option<Primitive> {
        let mut primitive = Primitive::default();
        let half = SUBPIXELS / 2;
        let (origin_y, row_step) = match self.flip {
            Some(last) => (i64::from(last) * SUBPIXELS + half, -SUBPIXELS),
            None => (half, SUBPIXELS),
        };
        let mut sum = area;
        for k in 0..3 {
            let (p, q) = (&corners[(k + 1) % 3], &corners[(k + 2) % 3]);
            let (dx, dy) = (q.x - p.x, q.y - p.y);
            let excluded = i64::from(!(dy < 0 || dy == 0 && dx > 0));
            sum -= excluded;
            primitive.edge[k] = area2((p.x, p.y), (q.x, q.y), (half, origin_y)) - excluded;
            primitive.dx[k] = (-dy * SUBPIXELS) as i32;
            primitive.dy[k] = (dx * row_step) as i32;
        }
        primitive.sum = sum as f32;
        let extent = |v: [i64; 3]| v[0].max(v[1]).max(v[2]) - v[0].min(v[1]).min(v[2]) + 16 * SUBPIXELS;
        let [a, b, c] = corners;
        let span = 2 * extent([a.x, b.x, c.x]) * extent([a.y, b.y, c.y]);
        primitive.flags = if span < 1 << 31 { 0 } else { WIDE_EDGES };
        (sum > 0).then_some(primitive)
    }
}

#[cfg(test)]
mod tests;
