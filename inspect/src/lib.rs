//! Inspects captures: the effects of each command, and memory and state at any of them.
//!
//! ```text
//! capture ─► Session::open: one replay ─► events, checkpoints
//! Session::show   ─► nearest checkpoint ─► replay up to an event ─► registers, surfaces, memory there
//! Session::tour   ─► the same for many events in one replay ─► history (a pixel), page (a file for a browser)
//! Session::watch  ─► the same for an event's kernels ─► programs (their text), runs (step by step)
//! ```
//! Nothing is executed here: a device replays the capture, and an observer looks. What is shown is what the device
//! would have in memory there, byte for byte.

#![forbid(unsafe_code)]

mod answer;
mod calls;
mod canvas;
mod checkpoints;
mod combiner;
mod compare;
mod divide;
mod events;
mod fault_text;
mod history;
mod layouts;
mod limits;
mod names;
mod options;
mod page;
mod page_data;
mod page_pictures;
mod page_tour;
mod passes;
mod pixel;
mod programs;
mod progress;
mod redraw;
mod replay;
mod serve;
mod server_views;
mod stepping;
mod surfaces;
mod tour;
mod views;

pub use answer::Answer;
pub use calls::call_text;
pub use compare::{Comparison, Difference, Hashes, Outcome, describe, first_difference, first_unlike, hashes};
pub use events::Event;
pub use fault_text::fault_text;
pub use history::{Change, history};
pub use limits::PageLimits;
pub use names::Names;
pub use options::SessionOptions;
pub use page::{Page, PageOptions, write_page};
pub use passes::{Pass, passes_of};
pub use pixel::{pixel_text, to_rgba};
pub use programs::{Line, Program, program_of, programs};
pub use progress::Progress;
pub use redraw::{Edited, MAX_EDITS, Redrawn};
pub use replay::Session;
pub use serve::{Compiled, Refusal, Server};
pub use stepping::{PageChange, PageRegister, Run, runs};
pub use surfaces::surfaces_of;
pub use tour::{Ask, Moment, Seen, Tour};
pub use views::{
    Form, Fragments, Heat, Inputs, MAX_PARTS, Overlay, Primitive, Resource, Resources, Texture, Use, attribute_format,
    vertex_value,
};
