//! Kernels that run Maxwell programs.

mod instructions;
mod pixel;
mod random;
