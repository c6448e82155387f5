//! The PlayStation 3: RSX and the hypervisor calls in front of it.
//!
//! ```text
//! host ──► lv1/ calls ───► channels ──► fifo/: pusher ─► puller ──► Graph ─┬─► curie/ (3D) ──► draw, scene, raster
//!      ──► mmio.rs ──────────┘   ▲          │  │                           └─► two_d/ ──► transfer
//! capture ─► device.rs, segments ┘          │  └─► outside.rs: driver, interrupts, events ──► host
//!                                           └─► ramin.rs: RAMHT, RAMFC, objects (exact mode)
//! ```
//! [`Core`] is what every part works on: guest memory, the renderer, objects by name, faults, time. A channel has one
//! [`Graph`], the engine objects that its subchannels are bound to. The pusher hands whole runs of data words to the
//! puller and the puller to the object: state methods are copied, not dispatched one by one.

pub mod core;
pub mod curie;
mod device;
pub mod dma;
pub mod fifo;
pub mod graph;
pub mod lv1;
mod mmio;
mod outside;
pub mod ramin;
pub mod registers;
mod segments;
mod snapshot;
mod two_d;

pub use self::core::{Core, Named, RsxMode};
pub use device::Rsx;
pub use dma::DmaObject;
pub use graph::{Graph, Object, Run};
pub use outside::{SoftwareHandler, lv1_bit, lv2_bit};
pub use ramin::Ramin;
pub use registers::Registers;
pub use triglyph_engine::device::{Event, SoftwareMethod};
