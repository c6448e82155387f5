//! Setup of a primitive and of a block: values that quads share. There are two, for edge functions and for planes.

pub mod pica;
pub mod programs;
