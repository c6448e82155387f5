//! Pixel kernels: one native function does all blocks of a job, from interpolation to the stored pixel.
//!
//! ```text
//! key -> plan/       analysis: what of a key is used at all
//!     -> kernel/     the function: blocks, their quads (quads.rs: of 2x2 pixels, up to four at once); its call
//!          args/     its arguments, and the checks that make a call sound
//!          setup/    per primitive and block: planes, steps, addresses
//!        quad/       one quad: order of the stages, early outs (samples.rs: of several samples a pixel)
//!          interpolate/    varyings, 1/w, depth
//!          depth_stencil/  tests and their writes
//!          sample/         texels of decoded textures
//!          shade/          combiners, or a program
//!          blend/          blending, logic operations
//!          target/         reading and writing colours
//! ```
//!
//! `contract.rs` says what the machines differ in, and has two implementers. `Pica`: the 3DS, whose combiners and
//! lighting are state, whose colours have 8 bits a channel, and whose targets store a quad as four neighbours in
//! memory. `Programs`: the RSX and the Tegra X1, whose pixels are shaded by programs in f32 and stored in several
//! surfaces of many formats and layouts. What differs in a phase is in its files `pica` and `programs`.

pub(crate) mod args;
pub(crate) mod blend;
mod contract;
pub(crate) mod depth_stencil;
mod interpolate;
mod kernel;
pub(crate) mod plan;
pub(crate) mod quad;
pub(crate) mod quads;
pub(crate) mod sample;
mod samples;
mod setup;
mod shade;
pub(crate) mod target;

pub use kernel::{dump_fragment, dump_pixel, fragment, pixel};
