//! Address formulas of the guests' surfaces, each written once.

pub mod morton;

pub use morton::{Block, morton, unmorton};
