//! Checks of draws: what makes one invisible or suspicious, in sentences.
//!
//! ```text
//! begin_command ─► Validator: which commands are of draws
//! draws         ─► Facts: attributes, positions, dropped primitives, fragments by result, bytes before
//! end_command   ─► Rules::checks (the machine's, over registers), outcomes.rs (over facts) ─► CheckedDraw, Findings
//! ```
//! A check is a small function with one kind of finding. A machine's are in one table, `machines/*/src/validate/`. They
//! see registers, memory and facts, which are the same on both tiers and any number of threads, and so are findings.
//! Checks run after the draw, on the thread that executes it. Without `Options::validate` there is no validator.

mod draw;
mod facts;
mod finding;
mod kind;
mod outcomes;
mod validator;
mod written;

pub use draw::{Check, Draw, Role, Rules};
pub use facts::{AttributeFacts, Facts, PositionFacts};
pub use finding::{CheckedDraw, Finding, Found, FragmentResults, RegisterValue};
pub use kind::{FindingKind, Severity};
pub(crate) use validator::Validator;
pub use written::WrittenRanges;

/// Primitives of the largest draw whose fragments are judged one by one.
pub const MAX_JUDGED: usize = 1 << 12;

/// Findings that are kept until the host takes them; those that follow are only handed to the handler and the log.
pub const MAX_FINDINGS: usize = 1 << 12;

/// Is called with each draw that was checked.
pub type DrawHandler = Box<dyn FnMut(&CheckedDraw) + Send>;
