//! Places along an edge.

/// How an edge is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// Equal segments, as many as the level rounded up.
    Integer,
    /// An odd number of segments, two of which are shorter.
    FractionalOdd,
    /// An even number of segments, two of which are shorter.
    FractionalEven,
}

/// Whether an outer level makes the patch disappear.
pub fn outer_is_void(level: f32) -> bool {
    level.is_nan() || level <= 0.0
}

/// A divided edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    segments: u32,
    /// Length of all segments but two.
    length: f64,
    /// Which of the first half is short; its mirror image is, too.
    short: u32,
}

impl Edge {
    /// An edge of a level, 1 to 64 after clamping.
    pub fn new(level: f32, spacing: Spacing) -> Edge {
        let at_least = if spacing == Spacing::FractionalEven { 2.0 } else { 1.0 };
        let most = if spacing == Spacing::FractionalOdd { 63.0 } else { 64.0 };
        // NaN, which only inner levels may be, becomes the least.
        let level = f64::from(level.max(at_least).min(most));
        let up = level.ceil() as u32;
        let segments = match spacing {
            Spacing::Integer => up,
            Spacing::FractionalOdd => up | 1,
            Spacing::FractionalEven => up + (up & 1),
        };
        let length = if spacing == Spacing::Integer { 1.0 / f64::from(segments) } else { 1.0 / level };
        Edge { segments, length, short: short_segment(segments) }
    }

    /// An inner edge: a level of 1 counts as a little more when something around it is divided.
    pub fn inner(level: f32, spacing: Spacing, divided: bool) -> Edge {
        let edge = Edge::new(level, spacing);
        if edge.segments == 1 && divided { Edge::new(1.0 + f32::EPSILON, spacing) } else { edge }
    }

    /// Segments, 1 to 64.
    pub fn segments(&self) -> u32 {
        self.segments
    }

    /// Where point `index`, 0 to `segments`, lies, 0 to 1. Mirror images add up to 1.
    pub fn place(&self, index: u32) -> f32 {
        if 2 * index > self.segments {
            return 1.0 - self.place(self.segments - index);
        }
        if 2 * index == self.segments {
            return 0.5;
        }
        if index <= self.short {
            return (f64::from(index) * self.length) as f32;
        }
        let others = f64::from(self.segments) - 2.0;
        let short = (1.0 - others * self.length) / 2.0;
        (f64::from(index - 1) * self.length + short) as f32
    }
}

/// The short segment in the first half of an edge: as the level grows segments appear in an order that spreads them.
fn short_segment(segments: u32) -> u32 {
    let half = segments.div_ceil(2).saturating_sub(1);
    let half = if segments.is_multiple_of(2) { half } else { half.saturating_sub(1) };
    match half.checked_ilog2() {
        Some(top) => 2 * (half ^ 1 << top) + 1,
        None => 0,
    }
}
