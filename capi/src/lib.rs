//! The C interface of Triglyph: `libtriglyph`, with the headers of `include` made from these files by cbindgen.
//!
//! ```text
//! C call ─► error::guard: no unwinding out of here, the message of an error kept for its thread
//!             └─► handle: one call at a time, none after a panic ─► the façade's types
//! ```
//! Functions, structures and constants have the names that C sees. What C passes is taken as `Option<&T>` where a
//! single value is meant, so that null is visible; arrays and sized structures go through `pointer`, the one file that
//! turns addresses into slices. Functions of the tables of calls are generated from the rows: `calls`, `forward`.

// C names for what C sees; pages for people are docs/embedding/overview.md and the header.
#![allow(non_camel_case_types)]
// Exported names and the border's pointers.
#![allow(unsafe_code)]
#![allow(clippy::too_many_arguments, reason = "calls of the consoles have as many")]
#![allow(clippy::missing_safety_doc, reason = "what holds for all pointers is said once, at the top of the header")]

pub mod buffer;
pub mod callback;
pub mod calls;
pub mod capture;
pub mod device;
pub mod error;
pub mod event;
pub mod events;
pub mod executor;
pub mod faults;
pub mod findings;
pub mod forward;
pub mod handle;
pub mod log;
pub mod memory;
pub mod n3ds;
pub mod options;
pub mod pointer;
pub mod present;
pub mod range;
pub mod rsx;
pub mod run;
pub mod snapshot;
pub mod stats;
pub mod tegra;
pub mod timeline;
pub mod version;
pub mod worker;
