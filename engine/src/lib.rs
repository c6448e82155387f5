//! Code for all machines: guest memory, kernels, draws, scenes, tiles, transfers, snapshots.
//!
//! The engine knows no tier, only the contract in [`triglyph_guest::kernel`]; the façade crate hands it its tiers.

mod address;
pub mod cache;
pub mod cost;
pub mod device;
pub mod draw;
pub mod error;
pub mod frontend;
pub mod log;
pub mod mem;
pub mod probe;
pub mod raster;
mod rect;
pub mod render;
pub mod scene;
pub mod sched;
pub mod snapshot;
mod sync;
pub mod trace;
pub mod transfer;
pub mod validate;

pub use device::Device;
pub use error::Error;
