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
