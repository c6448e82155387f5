//! Mutants of captures, and the oracles that must hold for every one of them.
//!
//! ```text
//! choices ─► mutate ─► edits ─► document.apply ─► bytes of a capture ─► oracle ─► verdict
//!              ▲                                                                    │
//!        sites (registers, methods, microcode, addresses)          shrink ◄─────────┘
//! ```
//!
//! A mutant is a capture and a list of [`Edit`]s, each of which says all by itself what it changes: any part of the
//! list can be left out, which is how a finding is made small. A seed makes the same list in every run. The tests of
//! this crate, the command `triglyph fuzz` and the targets of libFuzzer call the same functions.
//!
//! Edits that a capture cannot express are in records of kinds that only this crate knows, and that every reader skips:
//! see [`document::extra`].

pub mod case;
pub mod choices;
pub mod corpus;
pub mod document;
pub mod edit;
pub mod machine;
pub mod mutate;
pub mod oracle;
pub mod panics;
pub mod run;
pub mod shrink;
pub mod sites;

mod guard;
mod host;
mod seal;
mod usage;

pub use case::Case;
pub use choices::Choices;
pub use document::Document;
pub use edit::Edit;
pub use oracle::{Oracle, Report, Verdict};
