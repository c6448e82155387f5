//! Points along an edge.

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

/// 1 in the fixed-point numbers of places.
const ONE: u64 = 1 << 16;

/// A divided edge.
///
/// Places are between those of the next lower and the next higher number of segments of its kind, as far as the level
/// is. So all segments but two have one length, and the two grow from nothing: what D3D11's tessellator does, in its
/// numbers of 16 fraction bits. OpenGL leaves the length of the two open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    segments: u32,
    /// How far the level is from two segments less, 0 to [`ONE`].
    fraction: u64,
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
        let fraction = match spacing {
            Spacing::Integer => ONE,
            _ => ((level + 2.0 - f64::from(segments)) / 2.0 * ONE as f64).round() as u64,
        };
        Edge { segments, fraction, short: short_segment(segments) }
    }

    /// An inner edge: a level of 1 counts as a little more when something around it is divided.
    pub fn inner(level: f32, spacing: Spacing, divided: bool) -> Edge {
        let edge = Edge::new(level, spacing);
        if edge.segments == 1 && divided { Edge::new(1.0 + 1.0 / ONE as f32, spacing) } else { edge }
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
        // With two segments less the short one has no length.
        let below = if index > self.short { index - 1 } else { index };
        let below = if self.segments > 2 { even(below, self.segments - 2) } else { 0 };
        let above = even(index, self.segments);
        let place = (below * (ONE - self.fraction) + above * self.fraction + ONE / 2) / ONE;
        place as f32 / ONE as f32
    }
}

/// Point `index` of an edge of so many equal segments: steps of a rounded reciprocal.
fn even(index: u32, segments: u32) -> u64 {
    let segments = u64::from(segments);
    u64::from(index) * ((ONE + segments / 2) / segments)
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
