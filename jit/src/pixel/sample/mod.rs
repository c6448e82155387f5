//! Texels of decoded textures.
//!
//! `pica` has the texture units of the 3DS, with shadow maps and the procedural unit; colours are 8 bits a channel.
//! `programs` has the lookups of programs, of vertices and grids as well; colours are f32.

pub mod pica;
pub mod programs;
