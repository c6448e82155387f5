//! Blending and logic operations: of 8-bit channels in `pica`, of f32 in `programs`; `blend_program` compiles programs
//! that blend.

pub mod blend_program;
pub mod pica;
pub mod programs;
