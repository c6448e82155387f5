//! Kernels that run Maxwell programs.

mod compute;
mod fragments;
mod pixel;
mod random;
mod stages;
mod vectors;
