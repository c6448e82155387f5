//! Kernels: what they are specialised to (keys) and what they are called with (contexts).
//!
//! This is the whole contract between the engine and its two tiers. A kernel is a pure function of its context,
//! specialised to a key; equal keys give equal code whichever machine asked. Everything here is plain data: the
//! interpreter works on it safely, the compiler copies what its code needs into a C structure of its own.

pub mod access;
mod accuracy;
pub mod block;
pub mod code;
pub mod combine;
pub mod divided;
mod filter;
pub mod gas;
pub mod geometry;
pub mod hash;
pub mod known_alpha;
pub mod light_keys;
pub mod lighting;
pub mod maxwell;
pub mod mme;
pub mod operations;
pub mod packet_trace;
pub mod pixel;
pub mod procedural;
pub mod program;
#[cfg(feature = "random")]
mod random;
#[cfg(feature = "random")]
mod random_fragment;
#[cfg(feature = "random")]
pub mod random_geometry;
#[cfg(feature = "random")]
pub mod random_mme;
#[cfg(feature = "random")]
pub mod random_packet_trace;
#[cfg(feature = "random")]
pub mod random_pixel;
#[cfg(feature = "random")]
pub mod random_transfer;
#[cfg(feature = "random")]
pub mod random_vertex;
pub mod tier;
pub mod trace;
pub mod transfer;
pub mod unsupported;
pub mod validate;
pub mod vertex;
pub mod window;

pub use accuracy::Accuracy;
pub use code::{MachineCode, Vectors};
pub use hash::ContentHash;
pub use tier::{GeometryKernel, PixelKernel, Tier, TransferKernel, VertexKernel};
pub use unsupported::Unsupported;
pub use validate::{InvalidKey, Validate};
pub use window::Window;
