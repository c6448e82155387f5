//! Colour targets: reads and writes. Addresses, loads and stores are shared; there are two implementations of formats,
//! as the 3DS packs 8-bit integers where the others convert channels from f32.
//!
//! | file | what |
//! |---|---|
//! | `pica.rs` | the colour buffer of the 3DS, its formats |
//! | `programs.rs` | a colour target: destination, blending or logic operation, mask, store |
//! | `channel.rs` | channels of its pixels, from and to f32 |
//! | `surface.rs` | addresses of a quad's pixels in any layout; loads and stores |
//! | `block_places.rs` | where blocks are in a surface |
//! | `extent.rs` | how far the blocks of a job reach |

pub mod block_places;
pub mod channel;
#[cfg(test)]
mod channel_tests;
pub mod extent;
pub mod pica;
mod programs;
pub mod surface;
