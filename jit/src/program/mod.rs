//! Kernels of shader pipelines (RSX and Tegra X1).
//!
//! ```text
//! FragmentKey -> plan.rs   analysis
//!             -> kernel.rs the function: loops over blocks and quads        args.rs  its arguments, and checking them
//!                quad.rs   one quad: interpolate.rs -> the machine's program (sampler/ for textures) -> output/
//!                samples.rs  the same for several samples a pixel    surface.rs  addresses of its pixels
//! VertexKey   -> vertex/   batches, fetch; the machine's program
//! ```

pub(crate) mod args;
mod block_places;
mod extent;
mod interpolate;
mod kernel;
pub(crate) mod output;
pub(crate) mod plan;
pub(crate) mod quad;
pub(crate) mod sampler;
mod samples;
mod shade;
mod surface;
mod tables;
pub(crate) mod texture_args;
pub(crate) mod vertex;

pub use kernel::{dump, fragment};
