//! The kinds of findings: one table.

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// The draw may be as its author wants it.
    Suspicious,
    /// For this reason the draw changes no pixel.
    Invisible,
}

impl Severity {
    /// A short name: `invisible`.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Suspicious => "suspicious",
            Severity::Invisible => "invisible",
        }
    }
}

/// A row for each kind: documentation, the variant, its name, its severity.
macro_rules! finding_kinds {
    ($(#[doc = $doc:literal] $kind:ident = $name:literal, $severity:ident;)*) => {
        /// What a [finding](super::Finding) is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum FindingKind {
            $(#[doc = $doc] $kind,)*
        }

        impl FindingKind {
            /// All kinds, each at its number.
            pub const ALL: &[FindingKind] = &[$(FindingKind::$kind),*];

            /// A short name: `empty-viewport`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(FindingKind::$kind => $name,)*
                }
            }

            /// What it says, in a sentence.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(FindingKind::$kind => $doc.trim_ascii(),)*
                }
            }

            /// How much findings of this kind matter, unless the draw changed its targets all the same.
            pub const fn severity(self) -> Severity {
                match self {
                    $(FindingKind::$kind => Severity::$severity,)*
                }
            }
        }
    };
}

finding_kinds! {
    /// The draw has no vertices.
    NoVertices = "no-vertices", Invisible;
    /// There are fewer vertices than one primitive needs.
    IncompletePrimitive = "incomplete-primitive", Invisible;
    /// Conditional rendering or a rasterizer switch drops all draws.
    RenderingDisabled = "rendering-disabled", Invisible;
    /// No colour or depth surface is selected, or its address or DMA object is 0.
    NoTarget = "no-target", Invisible;
    /// A surface lies at an address where nothing may be written.
    UnmappedTarget = "unmapped-target", Invisible;
    /// The selected surfaces have no format that exists.
    TargetFormat = "target-format", Invisible;
    /// The surfaces have a width, height or pitch of 0, or one that does not fit them.
    TargetSize = "target-size", Invisible;
    /// The viewport has no area.
    EmptyViewport = "empty-viewport", Invisible;
    /// No pixel of the target is inside of the scissor or of another clip rectangle.
    EmptyScissor = "empty-scissor", Invisible;
    /// A vertex or index array begins where nothing may be read.
    UnmappedArray = "unmapped-array", Invisible;
    /// A stage that the draw needs has no program.
    NoProgram = "no-program", Invisible;
    /// No output of the vertex stage is the position.
    NoPosition = "no-position", Invisible;
    /// All positions have a w of 0, or a component that is no number.
    BadPosition = "bad-position", Invisible;
    /// All vertices have the same position.
    SamePosition = "same-position", Invisible;
    /// All primitives are outside of the view volume.
    OutsideView = "outside-view", Invisible;
    /// All primitives show the side that culling drops.
    AllCulled = "all-culled", Invisible;
    /// All primitives are without area.
    Degenerate = "degenerate", Invisible;
    /// Primitives were set up, or dropped for this alone, and cover no pixel inside of the target and the scissor.
    NoPixels = "no-pixels", Invisible;
    /// A depth, stencil or alpha function is `never`.
    TestNever = "test-never", Invisible;
    /// All fragments failed the depth test.
    DepthFailed = "depth-failed", Invisible;
    /// All fragments failed the stencil test.
    StencilFailed = "stencil-failed", Invisible;
    /// All fragments failed the alpha test.
    AlphaFailed = "alpha-failed", Invisible;
    /// All fragments lie outside of the depth bounds.
    BoundsFailed = "bounds-failed", Invisible;
    /// The program or a sample mask discarded all fragments.
    Discarded = "discarded", Invisible;
    /// All fragments failed one test or another.
    TestsFailed = "tests-failed", Invisible;
    /// No channel of the colour surfaces may be written, and depth is not written either.
    WritesMasked = "writes-masked", Invisible;
    /// Blending keeps what the target holds: the factor of the source is 0, that of the target 1.
    BlendKeepsTarget = "blend-keeps-target", Invisible;
    /// Fragments passed all tests, and every byte of the targets is as before.
    NothingChanged = "nothing-changed", Suspicious;
    /// The colour of all fragments is a constant 0.
    ConstantZero = "constant-zero", Suspicious;
    /// The fragment program writes no colour and no depth.
    NoColorOutput = "no-color-output", Suspicious;
    /// The fragment stage reads a colour or coordinate that the vertex stage does not give.
    UnlinkedInput = "unlinked-input", Suspicious;
    /// The program reads an attribute that comes from no array; all vertices have the same value.
    ConstantAttribute = "constant-attribute", Suspicious;
    /// An array holds zeros for all vertices of the draw.
    ZeroAttribute = "zero-attribute", Suspicious;
    /// A texture that the draw reads lies where nothing is mapped, or has no size.
    UnmappedTexture = "unmapped-texture", Suspicious;
    /// A texture or sampler descriptor is empty.
    EmptyDescriptor = "empty-descriptor", Suspicious;
    /// Depth is compared with a buffer that nothing has written before.
    UnwrittenDepth = "unwritten-depth", Suspicious;
    /// A register that draws depend on holds a value that is nearly always a mistake.
    UnusualState = "unusual-state", Suspicious;
    /// A draw was begun and did not end.
    OpenDraw = "open-draw", Invisible;
    /// Commands have run, and none of them drew.
    NoDraw = "no-draw", Invisible;
    /// A picture was shown of memory that no draw, clear or copy wrote.
    UnwrittenPicture = "unwritten-picture", Invisible;
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique_and_meanings_are_sentences() {
        let names: HashSet<&str> = FindingKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(names.len(), FindingKind::ALL.len());
        for (number, kind) in FindingKind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, number);
            let meaning = kind.meaning();
            assert!(meaning.ends_with('.') && !meaning.starts_with(' '), "{meaning:?}");
        }
    }
}
