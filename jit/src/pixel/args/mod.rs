//! Arguments of the code, and the checks that make a call sound.
//!
//! They are two: those of the 3DS are its state, of which a kernel uses most, and are made for each call as a value;
//! those of programs are large, mostly unused, and written in their place.

pub mod check;
pub mod pica;
pub mod programs;
pub mod tables;

/// One value in all lanes.
type Vec4<T> = [T; 4];
