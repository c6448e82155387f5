//! After the program: tests, blending, storing.
//!
//! | file | what |
//! |---|---|
//! | `depth.rs` | depth bounds, stencil and depth tests, their writes |
//! | `channel.rs` | channels of pixels, from and to f32 |
//! | `color.rs` | a colour target: destination, blending or logic operation, mask, store |
//! | `blend.rs` | factors and equations |
//! | `blend_program.rs` | programs that blend |

mod blend;
pub(crate) mod blend_program;
pub(crate) mod channel;
mod color;
mod depth;
