//! Sources of the planes of values, and their interpolation.

use smallvec::SmallVec;

/// Groups of planes; most programs have a few.
pub type Varyings = SmallVec<[Varying; 8]>;

/// A group of four planes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Varying {
    /// On the front.
    pub front: Output,
    /// On the back.
    pub back: Output,
    /// How.
    pub interpolate: Interpolate,
}

/// Where the values of a group come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// Four floats of a record, from this one on.
    Register(usize),
    /// The same everywhere.
    Constant([f32; 4]),
    /// s, t, r and 1 across a point: s and t from 0 to 1, t downwards; of anything else 0.
    PointCoordinate(PointR),
    /// What [`OutputKey::share`](triglyph_guest::kernel::program::output::OutputKey::share) reads of a smooth line:
    /// [`WordPlane::LINE_SHARE`]; of anything else 1.
    LineShare,
}

/// The third coordinate across a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointR {
    /// 0.
    Zero,
    /// The same as s.
    S,
    /// This float of the point's record.
    Record(usize),
}

/// How the values of a group become planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interpolate {
    /// Planes of value/w.
    Perspective,
    /// Planes of the value.
    Linear,
    /// The provoking vertex's value everywhere.
    Flat,
}

/// A plane of a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordPlane {
    /// On the front.
    pub front: WordValue,
    /// On the back.
    pub back: WordValue,
    /// Of points.
    pub point: WordValue,
    /// The interpolation. Flat values keep their bits.
    pub interpolate: Interpolate,
}

/// Where the values of a word come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordValue {
    /// This word of a record.
    Record(usize),
    /// The same everywhere.
    Constant(u32),
    /// The number of the primitive.
    Primitive,
    /// From 0 to 1 across a point; of anything else 0.
    PointS,
    /// From 0 to 1 down a point; of anything else 0.
    PointT,
    /// From 0 to 1 up a point; of anything else 0.
    PointTUpwards,
    /// Pixels from half a pixel outside of a smooth line's sides (0, 1) and ends (2, 3) on inwards; of anything else 1.
    LineShare(usize),
}

impl WordPlane {
    /// What [`OutputKey::share`](triglyph_guest::kernel::program::output::OutputKey::share) reads.
    pub const LINE_SHARE: [WordPlane; 4] = {
        let mut planes = [WordPlane::line_share(0); 4];
        let mut i = 1;
        while i < 4 {
            planes[i] = WordPlane::line_share(i);
            i += 1;
        }
        planes
    };

    const fn line_share(which: usize) -> WordPlane {
        let value = WordValue::LineShare(which);
        WordPlane::of(value, Interpolate::Linear)
    }

    /// A value that is the same for all primitives.
    pub const fn of(value: WordValue, interpolate: Interpolate) -> WordPlane {
        WordPlane { front: value, back: value, point: value, interpolate }
    }
}

/// The planes of words, in order, and which of them are computed at once.
#[derive(Clone, Debug, PartialEq)]
pub struct WordPlanes {
    front: Vec<WordStep>,
    /// Of the back, if they are others.
    back: Option<Vec<WordStep>>,
    /// Of points, if they are others than on the front.
    point: Option<Vec<WordStep>>,
}

/// The planes that one step computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum WordStep {
    /// The plane of one word.
    One(WordValue, Interpolate),
    /// The planes of the first `count` words, at most four, from this one of a record on. Not flat.
    Four { at: usize, count: usize, interpolate: Interpolate },
}

impl WordPlanes {
    /// The planes in this order.
    pub fn new(planes: &[WordPlane]) -> WordPlanes {
        let others = |value: fn(&WordPlane) -> WordValue| {
            let differ = planes.iter().any(|plane| plane.front != value(plane));
            differ.then(|| steps(planes, value))
        };
        WordPlanes {
            front: steps(planes, |plane| plane.front),
            back: others(|plane| plane.back),
            point: others(|plane| plane.point),
        }
    }

    /// Floats of a record that are linear in the window, of either side.
    pub(super) fn linear(&self) -> impl Iterator<Item = usize> {
        let linear = |step: &WordStep| match *step {
            WordStep::Four { at, count, interpolate: Interpolate::Linear } => at..at + count,
            _ => 0..0,
        };
        self.front.iter().chain(self.back.iter().flatten()).flat_map(linear)
    }

    /// Of a point, or of a side of a polygon.
    pub(super) fn steps(&self, is_point: bool, is_back: bool) -> &[WordStep] {
        let others = match is_point {
            true => &self.point,
            false if is_back => &self.back,
            false => &None,
        };
        others.as_ref().unwrap_or(&self.front)
    }
}

/// The steps of one side.
fn steps(planes: &[WordPlane], side: impl Fn(&WordPlane) -> WordValue) -> Vec<WordStep> {
    let mut steps: Vec<WordStep> = Vec::with_capacity(planes.len());
    for plane in planes {
        let how = plane.interpolate;
        match (steps.last_mut(), side(plane)) {
            (Some(WordStep::Four { at, count, interpolate }), WordValue::Record(next))
                if *at + *count == next && *count < 4 && *interpolate == how =>
            {
                *count += 1;
            }
            (_, WordValue::Record(at)) if how != Interpolate::Flat => {
                steps.push(WordStep::Four { at, count: 1, interpolate: how });
            }
            (_, value) => steps.push(WordStep::One(value, how)),
        }
    }
    steps
}
