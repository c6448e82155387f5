//! Where the planes of values come from, and how they are interpolated.

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
    /// s and t across a point, 0 to 1, t downwards; of anything else 0.
    PointCoordinate,
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
    /// How. What is flat keeps its bits.
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
}

/// The planes of words, in order, and which of them are computed at once.
#[derive(Clone, Debug, PartialEq)]
pub struct WordPlanes {
    /// Of the front and of the back.
    steps: [Vec<WordStep>; 2],
}

/// What one step computes.
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
        let steps = [false, true].map(|back| {
            let values = planes.iter().map(|plane| (if back { plane.back } else { plane.front }, plane.interpolate));
            values.fold(Vec::new(), |mut steps: Vec<WordStep>, (value, how)| {
                match (steps.last_mut(), value) {
                    (Some(WordStep::Four { at, count, interpolate }), WordValue::Record(next))
                        if *at + *count == next && *count < 4 && *interpolate == how =>
                    {
                        *count += 1;
                    }
                    (_, WordValue::Record(at)) if how != Interpolate::Flat => {
                        steps.push(WordStep::Four { at, count: 1, interpolate: how });
                    }
                    _ => steps.push(WordStep::One(value, how)),
                }
                steps
            })
        });
        WordPlanes { steps }
    }

    pub(super) fn steps(&self, back: bool) -> &[WordStep] {
        &self.steps[usize::from(back)]
    }
}
