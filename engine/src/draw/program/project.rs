//! From clip space to the target's pixels, and which planes a vertex lies outside of.

/// Where clip space lands: pixels of the target, row 0 first in memory, and window depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Scale of x, y, z.
    pub scale: [f32; 3],
    /// What is added after.
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

/// The smallest w that is not clipped: so small that perspective division of any f32 stays finite in f64.
const SMALLEST_W: f64 = 1e-30;

/// What projection and clipping depend on.
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

/// A vertex in the target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Projected {
    /// 1/256 pixel to the right of the target's left edge.
    pub x: i32,
    /// 1/256 pixel below its first row.
    pub y: i32,
    /// Where it is before that is rounded, with [`Single`] positions.
    pub window: [f32; 2],
    /// Window depth.
    pub depth: f64,
    /// 1/w.
    pub inv_w: f64,
    /// Planes it lies outside of, by bit. Everything else holds only when none does.
    pub outside: u16,
    /// Its coordinates are taken with the other sign.
    pub negated: bool,
}

impl Projection {
    /// The clip-space position in a record.
    #[inline(always)]
    pub(super) fn position(&self, record: &[f32], negated: bool) -> [f64; 4] {
        let stored = stored(record, self.position);
        let mut position = [stored[0].into(), stored[1].into(), stored[2].into(), stored[3].into()];
        if let Some(single) = &self.single {
            let swizzled = |n: usize| {
                let (i, negate) = single.swizzle[n];
                let v = f64::from(stored[usize::from(i & 3)]);
                if negate { -v } else { v }
            };
            position = [swizzled(0), swizzled(1), swizzled(2), swizzled(3)];
        }
        if self.divided {
            let w = 1.0 / position[3];
            return [position[0] * w, position[1] * w, position[2] * w, w];
        }
        if negated { position.map(|v| -v) } else { position }
    }

    /// Projects shaded vertices: records of `stride` floats each, which follow those that `out` has.
    pub(super) fn vertices(&self, records: &[f32], stride: usize, out: &mut Vec<Projected>) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            /// Where `mul_add` is one instruction instead of a call.
            #[target_feature(enable = "avx2,fma")]
            fn project(projection: &Projection, records: &[f32], stride: usize, out: &mut Vec<Projected>) {
                projection.project(records, stride, out);
            }
            // SAFETY: the processor has all that the function needs beside what everything is compiled for.
            #[allow(unsafe_code)]
            return unsafe { project(self, records, stride, out) };
        }
        self.project(records, stride, out);
    }

    #[inline(always)]
    fn project(&self, records: &[f32], stride: usize, out: &mut Vec<Projected>) {
        let records = records.chunks_exact(stride);
        out.reserve(records.len());
        for record in records {
            out.push(self.vertex(record));
        }
    }

    /// Projects a shaded vertex.
    #[inline(always)]
    fn vertex(&self, record: &[f32]) -> Projected {
        let negated = self.ignore_w_sign && !self.divided && record[self.position + 3] < 0.0;
        let position = self.position(record, negated);
        // NaN is outside.
        let bit = |value: f64, plane: usize| u16::from(!Distance { value, strict: false }.inside()) << plane;
        let [w, near, far, left, right, top, bottom] = self.fixed_planes(&position);
        let mut outside = bit(w, 0) | bit(near, 1) | bit(far, 2);
        outside |= bit(left, 3) | bit(right, 4) | bit(top, 5) | bit(bottom, 6);
        for (i, distance) in self.distances.iter().enumerate() {
            if distance.is_some_and(|distance| distance.of(record).is_some_and(|distance| !distance.inside())) {
                outside |= 1 << (FIXED_PLANES + i);
            }
        }
        let mut projected = self.point(&position);
        projected.outside = outside;
        projected.negated = negated;
        projected
    }

    /// Projects a position inside of all planes.
    #[inline(always)]
    pub(super) fn point(&self, &[x, y, z, w]: &[f64; 4]) -> Projected {
        if let Some(single) = &self.single {
            return single.point(&[x, y, z, w]);
        }
        let Viewport { scale, offset } = self.viewport;
        let inv_w = 1.0 / w;
        let window = |v: f64, axis: usize| v * inv_w * f64::from(scale[axis]) + f64::from(offset[axis]);
        Projected { x: snap(window(x, 0)), y: snap(window(y, 1)), depth: window(z, 2), inv_w, ..Projected::default() }
    }

    /// How far inside of a plane a vertex lies; `None` when there is no such plane.
    pub(super) fn distance(&self, plane: u32, position: &[f64; 4], record: &[f32]) -> Option<Distance> {
        let plane = plane as usize;
        match plane {
            1 | 2 if self.depth_clip[plane - 1].is_none() => None,
            0..FIXED_PLANES => Some(Distance { value: self.fixed_planes(position)[plane], strict: false }),
            _ => (*self.distances.get(plane - FIXED_PLANES)?)?.of(record),
        }
    }

    /// How far inside of all planes but the user's; 0 of those that there are not.
    #[inline(always)]
    fn fixed_planes(&self, &[x, y, z, w]: &[f64; 4]) -> [f64; FIXED_PLANES] {
        let Viewport { scale, offset } = self.viewport;
        let [sx, sy, sz] = scale.map(f64::from);
        let [ox, oy, oz] = offset.map(f64::from);
        let [near, far] = self.depth_clip.map(|limit| limit.map(f64::from));
        let guard = GUARD * w;
        let (right, down) = (x * sx + ox * w, y * sy + oy * w);
        [
            w - SMALLEST_W,
            near.map_or(0.0, |near| z * sz + (oz - near) * w),
            far.map_or(0.0, |far| (far - oz) * w - z * sz),
            guard + right,
            guard - right,
            guard + down,
            guard - down,
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

/// In 1/256 pixel, rounded half up. NaN gives 0; only vertices outside, and those that clipping of infinities makes,
/// are limited.
#[inline]
fn snap(v: f64) -> i32 {
    // The limits are whole numbers, so they may be applied first, and what is left fits.
    let v = (v * 256.0 + 0.5).clamp(-FURTHEST, FURTHEST);
    let towards_zero = v as i32;
    towards_zero - i32::from(f64::from(towards_zero) > v)
}

impl Single {
    /// Positions that are window coordinates already.
    pub fn plain() -> Single {
        Single {
            swizzle: [(0, false), (1, false), (2, false), (3, false)],
            viewport: Viewport { scale: [1.0; 3], offset: [0.0; 3] },
            mirror: None,
            shift: [0.0; 2],
        }
    }

    #[inline(always)]
    fn point(&self, &[x, y, z, w]: &[f64; 4]) -> Projected {
        let [x, y, z, w] = [x as f32, y as f32, z as f32, w as f32];
        let inv_w = 1.0 / w;
        let Viewport { scale, offset } = self.viewport;
        let window = |v: f32, axis: usize| (v * inv_w).mul_add(scale[axis], offset[axis]);
        let mut at = [window(x, 0), window(y, 1)];
        if let Some(height) = self.mirror {
            at[1] = height - at[1];
        }
        let at = [at[0] + self.shift[0], at[1] + self.shift[1]];
        let (x, y) = (snap(at[0].into()), snap(at[1].into()));
        let (depth, inv_w) = (window(z, 2).into(), inv_w.into());
        Projected { x, y, window: at, depth, inv_w, ..Projected::default() }
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
}
