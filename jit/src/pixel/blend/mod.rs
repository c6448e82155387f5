//! Blending and logic operations. There are two implementations: the 3DS blends 8-bit integers by rules of its own, two
//! channels a lane, the other machines f32. `blend_program` compiles programs that blend.

pub mod blend_program;
pub mod pica;
pub mod programs;
