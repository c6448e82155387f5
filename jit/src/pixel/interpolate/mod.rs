//! Interpolation of varyings, 1/w and depth. There are two implementations: the 3DS weighs the values of vertices by
//! integer edge functions, the other machines evaluate planes, and bits of the results differ.

pub mod pica;
mod programs;
