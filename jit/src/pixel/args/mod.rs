//! Arguments of the code, and the checks that make a call sound.

pub mod pica;
pub mod programs;
pub mod tables;
