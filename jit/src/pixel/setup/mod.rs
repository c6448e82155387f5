//! What quads share: of a primitive and of a block.

pub mod pica;
pub mod programs;
