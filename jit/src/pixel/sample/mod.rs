//! Texture sampling from decoded texels. There are two implementations: units of the 3DS filter 8-bit channels with
//! 8-bit weights; `programs` has the f32 lookups of programs, those of vertices and grids as well.

pub mod pica;
pub mod programs;
