//! Projection from clip space to the target's pixels, and clip codes.

use std::time::Duration;

use super::projected::{AT_ONCE, Group, Projected, ProjectedVertices};
use crate::sched::Scheduler;

/// Where clip space lands: pixels of the target, row 0 first in memory, and window depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Scale of x, y, z.
    pub scale: [f32; 3],
    /// The offset that is added after the scale.
    pub offset: [f32; 3],
}

/// A clip distance that a vertex program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClipDistance {
    /// Which float of a record.
    pub at: usize,
    /// What is kept.
    pub keep: Keep,
}

/// What a clip distance keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Distances of at least 0.
    NotNegative,
    /// Distances below 0.
    Negative,
}

/// User planes at most.
pub(super) const USER_PLANES: usize = 8;

/// w, near, far, the four sides of the guard band.
const FIXED_PLANES: usize = 7;

/// Planes: those, then the user's.
pub(super) const PLANES: u32 = (FIXED_PLANES + USER_PLANES) as u32;

/// Pixels that snapped positions may lie away from the target's first one. Positions have 24 bits then and edge
/// functions 50. (Hardware's guard band is not known.)
const GUARD: f64 = 32_768.0;

/// The guard band in 1/256 pixel, and a pixel more.
const FURTHEST: f64 = (GUARD + 1.0) * 256.0;

/// Vertices that are projected by one thread alone at most.
const SHARED: usize = 1024;

/// Vertices of a piece otherwise, a multiple of [`AT_ONCE`].
const PIECE: usize = 512;

/// Estimated time of a vertex.
const VERTEX: Duration = Duration::from_nanos(5);

/// The smallest w that is not clipped: so small that perspective division of any f32 stays finite in f64.
const SMALLEST_W: f64 = 1e-30;

/// Inputs of projection and clipping.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// The viewport.
    pub viewport: Viewport,
    /// Window depths from and up to which geometry is kept.
    pub depth_clip: [Option<f32>; 2],
    /// Primitives of which all vertices have a negative w are drawn as if all coordinates had the other sign.
    pub ignore_w_sign: bool,
    /// Positions are x/w, y/w, z/w, 1/w.
    pub divided: bool,
    /// User planes.
    pub distances: [Option<ClipDistance>; USER_PLANES],
    /// Float of a record where the position begins.
    pub position: usize,
    /// Window positions in f32, as [`Single`] says, instead of f64.
    pub single: Option<Single>,
}

/// Window positions in f32, one rounding a step: `ndc = c * (1 / w)`, `ndc * scale + offset` rounded once, then the
/// mirror, then the shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Single {
    /// Component of the record's position that becomes x, y, z, w, and whether it is negated.
    pub swizzle: [(u8, bool); 4],
    /// The viewport before mirror and shift.
    pub viewport: Viewport,
    /// y counts from this one upwards.
    pub mirror: Option<f32>,
    /// Added to x and y.
    pub shift: [f32; 2],
}

/// The same number of several vertices, side by side so that they are computed by vector instructions.
type Lanes<const N: usize> = [f64; N];

/// A number of each lane.
#[inline(always)]
fn each<T: Copy + Default, const N: usize>(of: impl Fn(usize) -> T) -> [T; N] {
    // Not `from_fn`: the compiler turns plain loops over lanes into vector instructions.
    let mut all = [T::default(); N];
    for (lane, value) in all.iter_mut().enumerate() {
        *value = of(lane);
    }
    all
}

/// Negates each lane of `negated`.
#[inline(always)]
fn negate_if<const N: usize>(values: Lanes<N>, negated: [bool; N]) -> Lanes<N> {
    each(|lane| f64::from_bits(values[lane].to_bits() ^ (u64::from(negated[lane]) << 63)))
}

/// One divided by each lane.
#[inline(always)]
fn reciprocal<const N: usize>(values: &Lanes<N>) -> Lanes<N> {
    each(|lane| 1.0 / values[lane])
}

impl Projection {
    /// The clip-space position in a record.
    pub(super) fn position(&self, record: &[f32], negated: bool) -> [f64; 4] {
        self.positions(&[stored(record, self.position)], [negated]).map(|[value]| value)
    }

    /// The clip-space positions of records whose floats from [`Self::position`] on are these, by component.
    #[inline(always)]
    fn positions<const N: usize>(&self, stored: &[[f32; 4]; N], negated: [bool; N]) -> [Lanes<N>; 4] {
        let plain = |component: usize| -> Lanes<N> { each(|lane| stored[lane][component].into()) };
        let mut position = [plain(0), plain(1), plain(2), plain(3)];
        if let Some(Single { swizzle, .. }) = &self.single
            && *swizzle != Single::UNMOVED
        {
            position = swizzle.map(|(from, negate)| negate_if(position[usize::from(from & 3)], [negate; N]));
        }
        if self.divided {
            let w = reciprocal(&position[3]);
            let scaled = |axis: usize| each(|lane| position[axis][lane] * w[lane]);
            return [scaled(0), scaled(1), scaled(2), w];
        }
        if self.ignore_w_sign {
            position.iter_mut().for_each(|values| *values = negate_if(*values, negated));
        }
        position
    }

    /// Projects shaded vertices, records of `stride` floats each, on all threads when there are many.
    pub(super) fn vertices(&self, records: &[f32], stride: usize, out: &mut ProjectedVertices, scheduler: &Scheduler) {
        let vertices = records.len() / stride;
        let groups = out.add(vertices);
        if vertices <= SHARED {
            return self.piece(records, stride, groups);
        }
        let pieces = records.chunks(PIECE * stride).zip(groups.chunks_mut(PIECE / AT_ONCE)).collect();
        let cost = VERTEX * u32::try_from(vertices).unwrap_or(u32::MAX);
        scheduler.for_each_item(pieces, cost, |(records, groups)| self.piece(records, stride, groups));
    }

    /// Projects shaded vertices.
    fn piece(&self, records: &[f32], stride: usize, out: &mut [Group<AT_ONCE>]) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            /// Where `mul_add` is one instruction instead of a call, and four f64 are one vector.
            #[target_feature(enable = "avx2,fma")]
            fn project(projection: &Projection, records: &[f32], stride: usize, out: &mut [Group<AT_ONCE>]) {
                projection.project(records, stride, out);
            }
            // SAFETY: the processor has all that the function needs beside what everything is compiled for.
            #[allow(unsafe_code)]
            return unsafe { project(self, records, stride, out) };
        }
        self.project(records, stride, out);
    }

    #[inline(always)]
    fn project(&self, records: &[f32], stride: usize, out: &mut [Group<AT_ONCE>]) {
        let groups = records.chunks_exact(AT_ONCE * stride);
        let rest = groups.remainder();
        for (group, to) in groups.zip(&mut *out) {
            *to = self.group(&each(|lane| &group[lane * stride..][..stride]));
        }
        if let Some(to) = out.last_mut().filter(|_| !rest.is_empty()) {
            let vertices = rest.len() / stride;
            // The last one is in the lanes that are left.
            let record = |lane: usize| &rest[lane.min(vertices - 1) * stride..][..stride];
            *to = self.group(&each(record));
        }
    }

    /// Projects shaded vertices.
    #[inline(always)]
    fn group(&self, records: &[&[f32]; AT_ONCE]) -> Group<AT_ONCE> {
        let stored: [[f32; 4]; AT_ONCE] = each(|lane| stored(records[lane], self.position));
        let ignores_sign = self.ignore_w_sign && !self.divided;
        let negated = each(|lane| ignores_sign && stored[lane][3] < 0.0);
        let position = self.positions(&stored, negated);
        let mut outside = self.outside(&position);
        if self.distances != [None; USER_PLANES] {
            outside = each(|lane| outside[lane] | self.outside_of_user(records[lane]));
        }
        Group { outside, negated, ..self.points(&position) }
    }

    /// The user's planes that a vertex lies outside of, by bit.
    fn outside_of_user(&self, record: &[f32]) -> u16 {
        let is_outside = |distance: &Option<ClipDistance>| {
            distance.is_some_and(|distance| distance.of(record).is_some_and(|distance| !distance.inside()))
        };
        let planes = self.distances.iter().enumerate();
        planes.map(|(i, distance)| u16::from(is_outside(distance)) << (FIXED_PLANES + i)).fold(0, |all, bit| all | bit)
    }

    /// The planes that positions lie outside of, but the user's, by bit.
    #[inline(always)]
    fn outside<const N: usize>(&self, position: &[Lanes<N>; 4]) -> [u16; N] {
        let mut outside = [0u64; N];
        for (plane, distances) in self.fixed_planes(position).into_iter().enumerate() {
            // NaN is outside.
            let bits: [u64; N] = each(|lane| if distances[lane] >= 0.0 { 0 } else { 1 << plane });
            outside = each(|lane| outside[lane] | bits[lane]);
        }
        // Words as long as the distances until here, and most vertices have no bits that would have to be packed.
        if outside == [0; N] { [0; N] } else { each(|lane| outside[lane] as u16) }
    }

    /// Projects a position inside of all planes.
    pub(super) fn point(&self, position: &[f64; 4]) -> Projected {
        self.points(&position.map(|value| [value])).get(0)
    }

    /// Projects positions inside of all planes.
    #[inline(always)]
    fn points<const N: usize>(&self, position: &[Lanes<N>; 4]) -> Group<N> {
        if let Some(single) = &self.single {
            return single.points(position);
        }
        let [x, y, z, w] = position;
        let Viewport { scale, offset } = self.viewport;
        let inv_w = reciprocal(w);
        let window = |v: &Lanes<N>, axis: usize| -> Lanes<N> {
            let (scale, offset) = (f64::from(scale[axis]), f64::from(offset[axis]));
            each(|lane| v[lane] * inv_w[lane] * scale + offset)
        };
        let (x, y, depth) = (snap(window(x, 0)), snap(window(y, 1)), window(z, 2));
        Group { x, y, window: [[0.0; N]; 2], depth, inv_w, outside: [0; N], negated: [false; N] }
    }

    /// How far inside of a plane a vertex lies; `None` when there is no such plane.
    pub(super) fn distance(&self, plane: u32, position: &[f64; 4], record: &[f32]) -> Option<Distance> {
        let plane = plane as usize;
        match plane {
            1 | 2 if self.depth_clip[plane - 1].is_none() => None,
            0..FIXED_PLANES => {
                let [value] = self.fixed_planes(&position.map(|value| [value]))[plane];
                Some(Distance { value, strict: false })
            }
            _ => (*self.distances.get(plane - FIXED_PLANES)?)?.of(record),
        }
    }

    /// How far inside of all planes but the user's; 0 of those that there are not.
    #[inline(always)]
    fn fixed_planes<const N: usize>(&self, [x, y, z, w]: &[Lanes<N>; 4]) -> [Lanes<N>; FIXED_PLANES] {
        let Viewport { scale, offset } = self.viewport;
        let [sx, sy, sz] = scale.map(f64::from);
        let [ox, oy, oz] = offset.map(f64::from);
        let [near, far] = self.depth_clip.map(|limit| limit.map(f64::from));
        let right: Lanes<N> = each(|lane| x[lane] * sx + ox * w[lane]);
        let down: Lanes<N> = each(|lane| y[lane] * sy + oy * w[lane]);
        [
            each(|lane| w[lane] - SMALLEST_W),
            near.map_or([0.0; N], |near| each(|lane| z[lane] * sz + (oz - near) * w[lane])),
            far.map_or([0.0; N], |far| each(|lane| (far - oz) * w[lane] - z[lane] * sz)),
            each(|lane| GUARD * w[lane] + right[lane]),
            each(|lane| GUARD * w[lane] - right[lane]),
            each(|lane| GUARD * w[lane] + down[lane]),
            each(|lane| GUARD * w[lane] - down[lane]),
        ]
    }
}

impl ClipDistance {
    /// The distance in a record.
    fn of(self, record: &[f32]) -> Option<Distance> {
        let value = f64::from(*record.get(self.at)?);
        Some(match self.keep {
            Keep::NotNegative => Distance { value, strict: false },
            Keep::Negative => Distance { value: -value, strict: true },
        })
    }
}

/// Four floats of a record, those beyond its end 0.
#[inline]
pub(super) fn stored(record: &[f32], at: usize) -> [f32; 4] {
    match record.get(at..).and_then(<[f32]>::first_chunk) {
        Some(all) => *all,
        None => [0, 1, 2, 3].map(|i| record.get(at + i).copied().unwrap_or(0.0)),
    }
}

/// Added to a number below 2^31 it leaves the nearest whole number in the lowest bits.
const WHOLE: f64 = (3u64 << 51) as f64;

/// In 1/256 pixel, rounded half up. NaN gives 0; only vertices outside, and those that clipping of infinities makes,
/// are limited.
#[inline(always)]
fn snap<const N: usize>(v: Lanes<N>) -> [i32; N] {
    // The limits are whole numbers, so they may be applied first.
    let v: Lanes<N> = each(|lane| (v[lane] * 256.0 + 0.5).clamp(-FURTHEST, FURTHEST));
    let v: Lanes<N> = each(|lane| if v[lane].is_nan() { 0.0 } else { v[lane] });
    let sum: Lanes<N> = each(|lane| v[lane] + WHOLE);
    each(|lane| sum[lane].to_bits() as i32 - i32::from(sum[lane] - WHOLE > v[lane]))
}

impl Single {
    /// Components where they are.
    const UNMOVED: [(u8, bool); 4] = [(0, false), (1, false), (2, false), (3, false)];

    /// Positions that are window coordinates already.
    pub fn plain() -> Single {
        Single {
            swizzle: Single::UNMOVED,
            viewport: Viewport { scale: [1.0; 3], offset: [0.0; 3] },
            mirror: None,
            shift: [0.0; 2],
        }
    }

    #[inline(always)]
    fn points<const N: usize>(&self, position: &[Lanes<N>; 4]) -> Group<N> {
        let single = |component: usize| -> [f32; N] { each(|lane| position[component][lane] as f32) };
        let [x, y, z, w] = [single(0), single(1), single(2), single(3)];
        let inv_w: [f32; N] = each(|lane| 1.0 / w[lane]);
        let Viewport { scale, offset } = self.viewport;
        let window = |v: [f32; N], axis: usize| -> [f32; N] {
            each(|lane| (v[lane] * inv_w[lane]).mul_add(scale[axis], offset[axis]))
        };
        let mut at = [window(x, 0), window(y, 1)];
        if let Some(height) = self.mirror {
            at[1] = each(|lane| height - at[1][lane]);
        }
        let shifted = |axis: usize| -> [f32; N] { each(|lane| at[axis][lane] + self.shift[axis]) };
        let at = [shifted(0), shifted(1)];
        let snapped = |axis: usize| snap::<N>(each(|lane| at[axis][lane].into()));
        let (x, y) = (snapped(0), snapped(1));
        let depth = window(z, 2);
        let [depth, inv_w] = [depth, inv_w].map(|values| -> Lanes<N> { each(|lane| values[lane].into()) });
        Group { x, y, window: at, depth, inv_w, outside: [0; N], negated: [false; N] }
    }
}

/// A distance from a plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distance {
    /// Positive inside.
    pub value: f64,
    /// Whether 0 is outside.
    strict: bool,
}

impl Distance {
    /// Whether it is inside; NaN is not.
    pub(super) fn inside(self) -> bool {
        if self.strict { self.value > 0.0 } else { self.value >= 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn projection() -> Projection {
        let viewport = Viewport { scale: [160.0, -120.0, 0.5], offset: [160.0, 120.0, 0.5] };
        Projection {
            viewport,
            depth_clip: [Some(0.0), Some(1.0)],
            ignore_w_sign: false,
            divided: false,
            distances: [None; USER_PLANES],
            position: 0,
            single: None,
        }
    }

    impl Projection {
        fn vertex(&self, record: &[f32]) -> Projected {
            let mut alone = ProjectedVertices::default();
            self.vertices(record, record.len(), &mut alone, &Scheduler::alone());
            alone.get(0)
        }
    }

    #[test]
    fn positions_are_snapped_to_256ths() {
        let found = projection().vertex(&[-1.0, 1.0, 0.0, 2.0]);
        assert_eq!((found.x, found.y, found.depth, found.inv_w), (80 * 256, 60 * 256, 0.5, 0.5));
        assert_eq!(found.outside, 0);
        let third = projection().vertex(&[1.0 / 3.0, 0.0, 0.0, 1.0]);
        assert_eq!(third.x, (213.333_33f64 * 256.0).round() as i32);
    }

    #[test]
    fn each_plane_has_a_bit() {
        let mut projection = projection();
        projection.distances[1] = Some(ClipDistance { at: 4, keep: Keep::NotNegative });
        projection.distances[2] = Some(ClipDistance { at: 5, keep: Keep::Negative });
        let outside = |record: &[f32]| projection.vertex(record).outside;
        assert_eq!(outside(&[0.0, 0.0, 0.0, 1.0, 0.0, -1.0]), 0);
        assert_eq!(outside(&[0.0, 0.0, -1.5, 1.0, 0.0, -1.0]), 1 << 1);
        assert_eq!(outside(&[0.0, 0.0, 1.5, 1.0, 0.0, -1.0]), 1 << 2);
        assert_eq!(outside(&[-1000.0, 0.0, 0.0, 1.0, 0.0, -1.0]), 1 << 3);
        assert_eq!(outside(&[1000.0, 0.0, 0.0, 1.0, 0.0, -1.0]), 1 << 4);
        assert_eq!(outside(&[0.0, 1000.0, 0.0, 1.0, 0.0, -1.0]), 1 << 5);
        assert_eq!(outside(&[0.0, -1000.0, 0.0, 1.0, 0.0, -1.0]), 1 << 6);
        assert_eq!(outside(&[0.0, 0.0, 0.0, 1.0, -0.5, 0.0]), 1 << 8 | 1 << 9);
        assert_ne!(outside(&[0.0, 0.0, 0.0, 0.0, 0.0, -1.0]) & 1, 0);
        assert_ne!(outside(&[f32::NAN, 0.0, 0.0, 1.0, 0.0, -1.0]), 0);
    }

    #[test]
    fn divided_positions_are_those_of_the_viewport() {
        let mut projection = projection();
        let found = projection.vertex(&[-1.0, 1.0, 0.5, 2.0]);
        projection.divided = true;
        assert_eq!(projection.vertex(&[-0.5, 0.5, 0.25, 0.5]), found);
    }

    #[test]
    fn the_sign_of_w_can_be_ignored() {
        let mut projection = projection();
        assert_ne!(projection.vertex(&[1.0, -1.0, 0.0, -2.0]).outside, 0);
        projection.ignore_w_sign = true;
        let found = projection.vertex(&[1.0, -1.0, 0.0, -2.0]);
        assert_eq!((found.x, found.y, found.outside, found.negated), (80 * 256, 60 * 256, 0, true));
    }

    #[test]
    fn vertices_are_the_same_alone_and_with_others() {
        let values = [0.0, -0.0, 0.5, -1.0, 1e-30, 3e4, -7e9, f32::INFINITY, f32::NAN, 1.0];
        let value = |i: usize| values[(i * i + i / 7) % values.len()];
        let records: Vec<f32> = (0..5 * 103).map(value).collect();
        let single = Single { mirror: Some(240.0), shift: [0.5, -0.5], ..Single::plain() };
        let swizzle = [(1, true), (0, false), (2, true), (3, false)];
        for single in [None, Some(Single { swizzle, ..single })] {
            for (divided, ignore_w_sign) in [(false, false), (false, true), (true, false)] {
                let mut projection = Projection { divided, ignore_w_sign, single, ..projection() };
                projection.distances[3] = Some(ClipDistance { at: 4, keep: Keep::Negative });
                let mut together = ProjectedVertices::default();
                projection.vertices(&records, 5, &mut together, &Scheduler::alone());
                let bits = |of: Projected| {
                    let window = of.window.map(f32::to_bits);
                    (of.x, of.y, window, of.depth.to_bits(), of.inv_w.to_bits(), of.outside, of.negated)
                };
                assert_eq!(together.len(), 103);
                for (vertex, record) in records.chunks_exact(5).enumerate() {
                    assert_eq!(bits(together.get(vertex as u32)), bits(projection.vertex(record)), "{vertex}");
                }
            }
        }
    }
}
