//! Fused pixel kernels: one native function does all blocks of a job.
//!
//! ```text
//! kernel    blocks -> corner, coverage; per primitive: planes -> quads of 2x2 pixels (16 contiguous bytes of RGBA8)
//!   setup     what quads share
//!   quad      order of the stages for one quad, early outs
//!     interpolate  edges -> 1/w, varyings, depth
//!     sample       texels of decoded textures; lod: level of detail
//!     shadow       shadow maps, sampled and drawn
//!     procedural   the fourth texture unit, noise
//!     lighting     the two colours of fragment lighting
//!     combine      the six stages on 16-bit pairs
//!     test         alpha, stencil, depth
//!     fog, gas, blend, target
//! ```
//!
//! Four pixels of a quad are neighbours in memory because targets are stored in Morton order. `plan` analyses the key,
//! `args` has the code's arguments and the checks that make a call sound.

mod args;
mod blend;
mod combine;
mod edges;
mod fog;
mod gas;
mod gas_args;
mod interpolate;
mod kernel;
mod lighting;
mod lod;
mod need;
mod plan;
mod procedural;
mod quad;
mod sample;
mod setup;
mod shadow;
mod target;
mod test;

pub use kernel::{dump, pixel};
pub(crate) use target::{decode, encode};
