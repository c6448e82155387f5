//! Pixel kernels of the PICA200.

mod random;
mod states;
mod texture;
