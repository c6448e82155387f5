//! The compiled function, its loops over blocks and quads, and its call.

pub mod pica;
pub mod programs;
