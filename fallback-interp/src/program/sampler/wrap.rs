//! Coordinates to texel indices.

use triglyph_guest::kernel::program::sampler::{Rounding, Wrap};

use crate::program::limit;

/// An axis of a level.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    /// How indices wrap; `None`: clamped to the border around a seamless cube's face.
    pub wrap: Option<Wrap>,
    /// Texels.
    pub size: u32,
    /// Added to indices.
    pub offset: i32,
    /// Of the places between texels.
    pub rounding: Rounding,
}

/// Two neighbouring texels of an axis, and how much of the second one. Indices that are missing are the border
/// colour's.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub index: [Option<i32>; 2],
    pub weight: f32,
}

impl Default for Pair {
    /// An axis that the shape does not have.
    fn default() -> Self {
        Pair { index: [Some(0); 2], weight: 0.0 }
    }
}

/// Largest texel coordinate.
const FAR: f32 = (1 << 24) as f32;
/// Largest texel coordinate of linear filters that round to 256ths.
const FAR_IN_STEPS: f32 = ((1 << 23) - 1) as f32;

impl Axis {
    /// The texel that a coordinate lies in.
    pub(super) fn nearest(&self, c: f32) -> Option<i32> {
        let (wrap, c) = match self.wrap {
            Some(Wrap::Clamp) | None => (Wrap::ClampToEdge, c),
            Some(Wrap::MirrorOnceClamp) => (Wrap::MirrorOnceToEdge, c),
            Some(other) => (other, c),
        };
        let index = limit(c, -FAR, FAR).floor() as i32;
        Axis { wrap: Some(wrap), ..*self }.wrapped(index)
    }

    /// The two texels around a coordinate.
    pub(super) fn linear(&self, c: f32) -> Pair {
        let (wrap, c) = match self.wrap {
            Some(Wrap::Clamp) => (Some(Wrap::Border), limit(c, 0.0, self.size as f32)),
            Some(Wrap::MirrorOnceClamp) => (Some(Wrap::Border), limit(c.abs(), 0.0, self.size as f32)),
            other => (other, c),
        };
        let c = match self.rounding {
            Rounding::Subtexels => ((limit(c, -FAR_IN_STEPS, FAR_IN_STEPS) - 0.5) * 256.0).round_ties_even() / 256.0,
            Rounding::None | Rounding::Coordinates => limit(c, -FAR, FAR) - 0.5,
        };
        let whole = c.floor();
        let axis = Axis { wrap, ..*self };
        let index = [whole as i32, whole as i32 + 1].map(|index| axis.wrapped(index));
        Pair { index, weight: ((c - whole) * 256.0).trunc() / 256.0 }
    }

    /// The texel that an index means, with the offset.
    fn wrapped(&self, index: i32) -> Option<i32> {
        let n = i64::from(self.size.max(1));
        let i = i64::from(index) + i64::from(self.offset);
        let once = if i < 0 { -1 - i } else { i };
        let Some(wrap) = self.wrap else { return Some(i.clamp(-1, n) as i32) };
        let wrapped = match wrap {
            Wrap::Repeat => i.rem_euclid(n),
            Wrap::Mirror => {
                let j = i.rem_euclid(2 * n);
                if j < n { j } else { 2 * n - 1 - j }
            }
            Wrap::ClampToEdge | Wrap::Clamp | Wrap::MirrorOnceClamp => i.clamp(0, n - 1),
            Wrap::Border => i,
            Wrap::MirrorOnceToEdge => once.clamp(0, n - 1),
            Wrap::MirrorOnceBorder => once,
        };
        (0..n).contains(&wrapped).then_some(wrapped as i32)
    }
}
