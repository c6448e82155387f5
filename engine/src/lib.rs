//! What happens: guest memory, command front ends, draws, scenes, tiles, transfers, captures.
//!
//! The engine knows no tier, only the contract in [`triglyph_guest::kernel`]; the façade crate hands it its tiers.

pub mod cache;
pub mod capture;
pub mod device;
pub mod draw;
pub mod error;
pub mod mem;
pub mod n3ds;
pub mod raster;
pub mod render;
pub mod rsx;
pub mod scene;
pub mod sched;
pub mod sequence;
pub mod snapshot;
pub mod tegra;
pub mod transfer;

pub use device::Device;
pub use error::Error;
