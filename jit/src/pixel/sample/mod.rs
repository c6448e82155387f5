//! Texels of decoded textures. They are two: units of the 3DS filter 8-bit channels with 8-bit weights, `programs` has
//! the lookups of programs, of vertices and grids as well, in f32.

pub mod pica;
pub mod programs;
