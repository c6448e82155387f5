//! Code that tests of several crates share: random numbers, test data, states, scenes, machines with a little memory.
//!
//! Modules that need a crate above `guest` need the feature of that crate's name.
#![allow(missing_docs, reason = "test support, never published")]

pub mod data;
pub mod derived_state;
pub mod fallback;
#[cfg(feature = "interp")]
pub mod fragment;
pub mod keys;
pub mod library;
#[cfg(feature = "jit")]
pub mod maxwell;
#[cfg(feature = "n3ds")]
pub mod n3ds;
pub mod number;
pub mod pica;
pub mod profile;
pub mod random;
#[cfg(feature = "rsx")]
pub mod rsx;
pub mod scratch;
#[cfg(feature = "tegra")]
pub mod tegra;
#[cfg(feature = "jit")]
pub mod tiers;
#[cfg(feature = "engine")]
pub mod transfer;
