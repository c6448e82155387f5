//! Fills, copies, conversions and changes of layout of guest memory: one request type for every machine's transfer
//! engines.
//!
//! ```text
//! Request ──► Transfers::run ──┬─► fill.rs      pieces of whole patterns ──────────────┐
//!                              ├─► copy.rs      pieces of whole lines, or run by run ──┼─► kernels ──► memory
//!                              ├─► convert.rs   pieces of whole block rows ────────────┤       └─► written ranges
//!                              ├─► rearrange.rs pieces of rows, or unit by unit ───────┤
//!                              └─► fill_rect.rs pieces of rows, or unit by unit ───────┘
//! ScanOut ──► present.rs, scale.rs ──► kernels ──► rows of the host's (host_rows.rs)
//! ```
//! Large requests are split and done on several threads, or in several goes (progress.rs); the result does not depend
//! on how many. A copy onto itself is done in order. Ranges may begin, end or have holes anywhere: reads outside memory
//! give zero, writes there are dropped, and [`Outcome`] says how many.

mod convert;
mod copy;
mod extent;
mod fill;
mod fill_rect;
pub mod format;
mod host_format;
mod host_rows;
mod pieces;
mod placement;
mod present;
mod presented;
mod progress;
mod rearrange;
mod request;
mod scale;
mod scan_out;

pub use host_format::HostFormat;
pub use host_rows::{Fit, HostRows};
pub use placement::{Presentation, Shown};
pub use presented::Presented;
pub use progress::Progress;
pub use request::{Convert, Copy, Fill, FillRect, Lines, Outcome, Rearrange, Request};
pub use scan_out::{Gamma, ScanLayout, ScanOut};

use std::time::Duration;

use crate::cache::{Handle, Kernels, kinds};
use crate::mem::Memory;
use crate::sched::Scheduler;
use progress::Go;

/// Executes requests.
#[derive(Clone, Copy, Debug)]
pub struct Transfers<'a> {
    /// Where everything happens.
    pub memory: &'a Memory,
    /// The threads.
    pub kernels: &'a Kernels,
    /// On which threads.
    pub scheduler: &'a Scheduler,
    /// A transfer that is done in several parts.
    go: Option<Go<'a>>,
}

/// Bytes that a transfer brings to their place in a nanosecond, about: compiled and by the reference.
const BYTES: (u64, u64) = (32, 1);

impl<'a> Transfers<'a> {
    /// An executor of requests in this memory, with these kernels and threads.
    pub fn new(memory: &'a Memory, kernels: &'a Kernels, scheduler: &'a Scheduler) -> Self {
        Transfers { memory, kernels, scheduler, go: None }
    }
}

impl Transfers<'_> {
    /// Estimated cost of `bytes` on a single thread.
    fn cost(&self, bytes: u64, kernel: &Handle<kinds::Transfer>) -> Duration {
        Duration::from_nanos(bytes / if kernel.is_compiled() { BYTES.0 } else { BYTES.1 })
    }

    /// Does `request` and notes what it wrote. Returns when it is done.
    pub fn run(&self, request: &Request) -> Outcome {
        match request {
            Request::Fill(request) => self.fill(request),
            Request::Copy(request) => self.copy(request),
            Request::Convert(request) => self.convert(request),
            Request::Rearrange(request) => self.rearrange(request),
            Request::FillRect(request) => self.fill_rect(request),
        }
    }
}
