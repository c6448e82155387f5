//! Address formulas of the guests' surfaces, each written once.

pub mod blocks;
pub mod morton;
pub mod surface;

pub use blocks::{Blocks, Mipmaps};
pub use morton::{Block, morton, unmorton};
pub use surface::{LayoutKind, SurfaceLayout};
