//! Descriptions of the machines: tables, decode, pixel and texel formats, number rules, memory layouts, and the
//! contract between the engine and the tiers that execute kernels.
//!
//! This crate executes nothing. Both tiers, the reference interpreter and the compiler, read the same
//! tables and the same keys from here and share nothing else.
#![forbid(unsafe_code)]

#[cfg(feature = "random")]
pub mod dice;
pub mod format;
pub mod gl;
pub mod gsp;
pub mod id;
pub mod kernel;
pub mod layout;
pub mod machine;
pub mod num;
pub mod pica;
pub mod rsx;
pub mod table;
pub mod tegra;
