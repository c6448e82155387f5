//! What quads share: of a primitive and of a block. They are two as what is interpolated is: edge functions or planes.

pub mod pica;
pub mod programs;
