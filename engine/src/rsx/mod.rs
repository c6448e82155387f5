//! The PlayStation 3: RSX and the hypervisor calls in front of it.
//!
//! ```text
//! host ──► LV1 calls ──► channels ──► PFIFO: pusher ─► puller ──► Graph ─┬─► curie (3D) ──► draw, scene, raster
//! capture ─► submit ──────────────────────────┘   └─► Core ◄─────────────┴─► 2D objects ──► transfer
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
pub mod registers;
mod two_d;

pub use self::core::{Core, RsxMode};
pub use device::Rsx;
pub use dma::DmaObject;
pub use graph::{Object, Run};
pub use registers::Registers;
