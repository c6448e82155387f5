//! Analysis of a key: what code generation depends on. There are two, as a key is all state on the 3DS and mostly a
//! program on the other machines.

pub mod pica;
pub mod programs;
pub mod used_channels;
