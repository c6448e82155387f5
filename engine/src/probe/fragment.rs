//! Results of the fragments of one pixel.

/// A fragment of a draw at the pixel that an observer asks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Which primitive of the draw it is of, in the order in which they were set up.
    pub primitive: u32,
    /// The value that the pixel's surface would store without tests, blending and masks: a colour, or depth beside the
    /// existing stencil; the value of an empty shadow map, the value added to densities. `None` if nothing would be
    /// stored even so, and for surfaces that the draw does not use.
    pub shaded: Option<Vec<u8>>,
    /// Its result.
    pub verdict: Verdict,
}

/// The result of a fragment: the first test that it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// It passed all tests; masks and blending decide about what is stored.
    Passed,
    /// Its program discarded it, or a sample mask did.
    Discarded,
    /// It failed the alpha test.
    Alpha,
    /// The stored depth is out of bounds.
    Bounds,
    /// It failed the stencil test.
    Stencil,
    /// It failed the depth test.
    Depth,
}

impl Verdict {
    /// Each at its number: passed, then the tests that a fragment may fail, in the order of the pipeline.
    pub const ALL: [Verdict; 6] =
        [Verdict::Passed, Verdict::Discarded, Verdict::Alpha, Verdict::Bounds, Verdict::Stencil, Verdict::Depth];
}
