//! The PlayStation 3: RSX and the hypervisor calls in front of it.
//!
//! ```text
//! host ──► system/lv1 ───► channels ──► front_end/: pusher ─► puller ──► Graph ─┬─► class_3d/ ──► draw, scene, raster
//!      ──► system/mmio.rs ───┘   ▲          │  │                                └─► class_2d/, copy/ ──► transfer
//! capture ─► device.rs, segments ┘          │  └─► system/host_events.rs: driver, interrupts, events ──► host
//!                                           └─► ramin.rs: RAMHT, RAMFC, objects (exact mode)
//! ```
//! [`Core`] is what every part works on: guest memory, the renderer, objects by name, faults, time. A channel has one
//! [`Graph`], the engine objects that its subchannels are bound to. The pusher hands whole runs of data words to the
//! puller and the puller to the object: state methods are copied, not dispatched one by one.

mod class_2d;
pub mod class_3d;
mod copy;
pub mod core;
mod device;
pub mod front_end;
mod recorded;
mod snapshot;
pub mod system;
mod validate;

pub use self::core::{Core, Named, RsxMode};
pub use device::Rsx;
pub use front_end::dma::DmaObject;
pub use front_end::graph::Graph;
pub use front_end::ramin::Ramin;
pub use front_end::registers::Registers;
pub use front_end::words::{Object, Run};
pub use front_end::{dma, registers};
pub use system::host_events::{SoftwareHandler, lv1_bit, lv2_bit};
pub use system::lv1;
pub use triglyph_engine::device::{Event, SoftwareMethod};
