//! Kernels by content hash, compiled or not yet, and decoded textures.
//!
//! ```text
//! key ──hash──► Slot ──► Handle (held by scenes) ──► compiled kernel, if there is one and it supports the call
//!                 │                              └─► interpreter's kernel
//!                 └─► worker: compiled by the baseline tier, and again by the optimizing tier when it is called often
//! ```
//!
//! A handle keeps its kernels alive, so eviction needs no fence: a slot leaves its table, and its code is freed when
//! the last scene drops its handle.
//!
//! | file | what |
//! |---|---|
//! | `kinds` | the table of kinds of kernels |
//! | `tiers`, `counters` | which tiers there are and what was done |
//! | `slot` | the kernels of one key, compiling and tiering up |
//! | `tables`, `eviction` | slots by key, the budget |
//! | `kernels` | what an engine holds |
//! | `handle`, `calls` | calling kernels |
//! | `division` | kernels of keys that are divided in tests and shading |
//! | `store`, `key_log` | key files |
//! | `watch` | which kernels a command calls, and what programs do, for inspectors |
//! | `pixel_cost`, `hidden_surfaces` | what a pixel of a kernel costs, and one that is left out, measured |
//! | `recent` | the last few look-ups of a machine |
//! | `texture_cache` | decoded textures, least recently used out |
//! | `texture`, `image` | textures of the 3DS, images of shader pipelines: where they are, how they are decoded |

mod calls;
mod counters;
mod decode;
mod division;
mod eviction;
mod handle;
mod hidden_surfaces;
pub mod image;
mod kernels;
mod key_log;
pub mod kinds;
mod pixel_cost;
mod recent;
mod shared;
mod slot;
pub mod store;
mod tables;
pub mod texture;
pub mod texture_cache;
mod tiers;
mod watch;
mod watching;

pub use calls::{MacroCaller, SceneKernel, SelectedFragment, SelectedPixel};
pub use counters::Counters;
pub use division::Removal;
pub(crate) use division::{DividedKernels, Division};
pub use handle::Handle;
pub use hidden_surfaces::{Covered, HiddenSurfaces};
pub use kernels::Kernels;
pub use key_log::WarmStart;
pub use pixel_cost::PixelCost;
pub use recent::Recent;
pub use tiers::{TierMode, Tiers};
pub use watch::Watched;

#[cfg(test)]
mod encoding;
#[cfg(all(test, shuttle))]
mod model;
#[cfg(test)]
mod stress;
#[cfg(test)]
mod test_tiers;
#[cfg(test)]
mod tests;
