//! Findings, and the draws that they are about.

use std::fmt;

use super::{FindingKind, Severity};
use crate::device::DroppedPrimitives;
use crate::probe::Command;

/// A register or method with the value that it has at a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegisterValue {
    /// Its number, as listings of the machine have it: the register of the 3DS, the method's byte address of the PS3,
    /// its word address of the Tegra X1.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: u32,
}

impl fmt::Display for RegisterValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:#05x}) is {:#x}", self.name, self.number, self.value)
    }
}

/// What a check has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The register or method that it is about.
    pub register: Option<u32>,
    /// What was found: a sentence.
    pub what: String,
    /// What to do instead: a sentence.
    pub advice: String,
}

impl Found {
    /// About no register in particular.
    pub fn new(what: impl Into<String>, advice: impl Into<String>) -> Found {
        Found { register: None, what: what.into(), advice: advice.into() }
    }

    /// About a register.
    pub fn at(register: usize, what: impl Into<String>, advice: impl Into<String>) -> Found {
        Found { register: Some(register as u32), what: what.into(), advice: advice.into() }
    }
}

/// One reason why a draw changes no pixel, or why its result may not be the intended one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// How much it matters: [`FindingKind::severity`], and suspicious at most if the draw changed its targets.
    pub severity: Severity,
    /// The event, as the inspector counts them: how many commands before had an effect.
    pub event: u64,
    /// The command that drew.
    pub command: Command,
    /// What was found, in a sentence.
    pub what: String,
    /// What to do instead, in a sentence.
    pub advice: String,
    /// The register or method that it is about, if it is about one.
    pub register: Option<RegisterValue>,
}

impl Finding {
    /// Of a picture that was shown of memory which no command wrote.
    pub fn of_picture(event: u64, what: String, advice: String) -> Finding {
        let kind = FindingKind::UnwrittenPicture;
        let command = Command::default();
        Finding { kind, severity: kind.severity(), event, command, what, advice, register: None }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { kind, severity, event, what, advice, .. } = self;
        write!(f, "event {event}: {} ({}): {what} {advice}", severity.name(), kind.name())
    }
}

/// Fragments of a draw by their results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FragmentResults {
    /// Pixels that primitives cover inside of the scissor, each as often as it is covered.
    pub covered: u64,
    /// Whether the results of all of them were determined. They are not for draws of more than
    /// [`MAX_JUDGED`](super::MAX_JUDGED) primitives, and where tiles share memory; the counts below are 0 then.
    pub are_judged: bool,
    /// Those that the program, or a sample mask, discarded.
    pub discarded: u64,
    /// Those that failed the alpha test.
    pub alpha_failed: u64,
    /// Those outside of the depth bounds.
    pub bounds_failed: u64,
    /// Those that failed the stencil test.
    pub stencil_failed: u64,
    /// Those that failed the depth test.
    pub depth_failed: u64,
    /// Those that passed, of draws whose colours are masked or go to no surface.
    pub masked: u64,
    /// Those that passed, of draws that write colours.
    pub written: u64,
}

impl FragmentResults {
    /// How many passed all tests.
    pub const fn passed(&self) -> u64 {
        self.masked + self.written
    }

    /// The results by name, in the order of the pipeline.
    pub fn named(&self) -> [(&'static str, u64); 7] {
        [
            ("discarded", self.discarded),
            ("alpha test failed", self.alpha_failed),
            ("outside depth bounds", self.bounds_failed),
            ("stencil test failed", self.stencil_failed),
            ("depth test failed", self.depth_failed),
            ("masked", self.masked),
            ("written", self.written),
        ]
    }
}

/// A draw that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckedDraw {
    /// The event, as the inspector counts them.
    pub event: u64,
    /// The command that drew.
    pub command: Command,
    /// Vertices that the vertex stage was run for.
    pub vertices: u64,
    /// Primitives that were set up.
    pub primitives: u64,
    /// Primitives that were not, by reason.
    pub dropped: DroppedPrimitives,
    /// The fragments.
    pub fragments: FragmentResults,
    /// Whether any byte of its surfaces has changed.
    pub has_changed: bool,
    /// What was found, causes first.
    pub findings: Vec<Finding>,
}
